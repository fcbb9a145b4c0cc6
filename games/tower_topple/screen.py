"""Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

from teeter.engine.view.panels import Item, Text
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import COLOURS, PULL, TAKE, GameDetails, Lesson, carrying, marked
from teeter.games.tower_topple.judge import look_of
from teeter.games.tower_topple.rules_rows import top_row
from teeter.games.tower_topple.state import State
from teeter.models.bricks import NOMINAL

ACROSS = 0.17
"""Cosine of the angle between bricks that lie across each other, at most: ten degrees off."""


class ToppleDetails(GameDetails[State]):
    """Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson(TAKE, "CHOOSE", "{click} a brick below the top rows. {feel} feels how much lies on one."),
        Lesson(PULL, PULL, "{move} to draw it out, straight along its length. The bar shows the force."),
        *carrying(
            "on top of the tower, across the row below.",
            "Hold {turn_left} until it lies across the row below.",
        ),
    )

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        way = "clockwise" if state.direction == 1 else "counter-clockwise"
        items: list[Item] = [
            Text(f"Round {state.round} of {state.house.rounds}, {len(state.tower)} rows high", size="small"),
            Text(f"Play goes {way}", "quiet", "small"),
        ]
        for task in state.owed:
            mark = marked(COLOURS[task.colour]) if task.colour in COLOURS else ""
            colour = f" ({task.colour})" if task.colour else ""
            brick = task.sort.value.removesuffix(" of those to be drawn")
            items.append(Text(f"To draw: {brick}{colour}", "warn" if colour else "plain", "small", mark=mark))
        for seat, topples in zip(state.seats, state.topples, strict=True):
            if topples:
                times = {1: "once", 2: "twice"}.get(topples, f"{topples} times")
                items.append(Text(f"{seat.name} toppled it {times}", "bad", "small"))
        return tuple(items)

    def model(self, desk: ClientState[State], piece: str) -> str:
        """The catalogue's brick with the same paint or print: no brick is quite like it."""
        brick = next((brick for brick in desk.state.bricks if brick.id == piece), None)
        return (look_of(brick) if brick is not None else "") or NOMINAL

    def is_turned(self, desk: ClientState[State], grip: CarryTarget, radians: float) -> bool:
        """Across the row below (TT-24)."""
        done = desk.state.tower[: top_row(desk.state.tower) + 1]
        # free slots are empty names; a row that is full now may have lost a brick on the way
        below = next(brick for row in reversed(done) for brick in row if brick)
        lengths = [desk.pose(below).matrix[:, 0], grip.rotation.matrix[:, 0]]
        return abs(float(lengths[0] @ lengths[1])) < ACROSS

    def suggested(self, desk: ClientState[State]) -> tuple[str, ...]:
        """Bricks in the middle of their rows: they are often loose."""
        named = {str(getattr(choice.action, "piece", "")) for choice in desk.choices}
        middles = [row[1] for row in desk.state.tower[2:-3] if row[1] and row[1] in named]
        return tuple(middles[len(middles) // 2 :][:4])

    def unread(self, desk: ClientState[State]) -> frozenset[str]:
        """Pieces whose print nobody may see yet."""
        seen = set(desk.state.seen)
        return frozenset(
            brick.id
            for brick in desk.state.bricks
            if not brick.colour
            and brick.id not in seen
            and brick.print.name != "PLAIN"
            and brick.id in desk.frame.names
        )
