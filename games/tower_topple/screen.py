"""Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

from collections.abc import Mapping

from teeter.engine.view.panels import Item, Text
from teeter.games.core.rules import Take
from teeter.games.core.words import counted
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import CARRY, COLOURS, LAY, PULL, TAKE, GameDetails, Lesson, marked
from teeter.games.tower_topple.judge import look_of
from teeter.games.tower_topple.state import State
from teeter.models.bricks import NOMINAL


class ToppleDetails(GameDetails[State]):
    """Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson(TAKE, "CHOOSE", "{click} a brick below the top rows. {feel} feels how much lies on one."),
        Lesson(PULL, PULL, "{move} to draw it out, straight along its length. The bar shows the force."),
        Lesson(CARRY, CARRY, "{move}: a free place on top draws the brick in, square to its row."),
        Lesson(LAY, CARRY, "{lay} to lay it there."),
    )

    def moot(self, mode: str, options: Mapping[str, str]) -> frozenset[str]:
        """Where topples are counted no points end the game, and none are lost."""
        return frozenset({"target", "topple_loses"} if options.get("points") == "none" else ())

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        way = "clockwise" if state.direction == 1 else "counter-clockwise"
        target = state.house.target
        length = f", first to {counted(target, 'point')}" if target else f" of {state.house.rounds}"
        # no row counts once it has toppled, whatever stands
        high = f", {len(state.tower)} rows high" if state.tower else ""
        items: list[Item] = [
            Text(f"Round {state.round}{length}{high}", size="small"),
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

    def has_slots(self, desk: ClientState[State]) -> bool:
        """The free places of the row on top (TT-05)."""
        return True

    def suggested(self, desk: ClientState[State]) -> tuple[str, ...]:
        """Only what was felt is loose."""
        return ()

    def drawn(self, desk: ClientState[State]) -> tuple[str, ...]:
        """The bricks that the rules name."""
        return tuple(choice.action.piece for choice in desk.choices if isinstance(choice.action, Take))

    def unread(self, desk: ClientState[State]) -> frozenset[str]:
        """Pieces whose print nobody may see yet."""
        return desk.game.judge.unread(desk.state).intersection(desk.frame.names)
