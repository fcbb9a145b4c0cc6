"""Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

from __future__ import annotations

from collections.abc import Mapping

from engine.view.panels import Item, Text
from games.tower_topple.state import State
from games.ui.details import CARRY, COLOURS, GameDetails
from games.ui.physics_client import ClientState


class ToppleDetails(GameDetails[State]):
    """Tower Topple on the screen: rounds, what is owed, unread prints, the tutorial."""

    lessons: Mapping[str, str] = {
        "CHOOSE": "Click a brick below the top rows. Loose ones carry little: W feels the one below the pointer.",
        "PULL": "Draw it out along its length: move the pointer, or hold the arrow keys. The bar shows the force.",
        "CARRY": CARRY + "On top, across the row below. Click to lay it.",
        "SETTLE": "Wait until all is still: then the brick counts.",
    }

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        items: list[Item] = [
            Text(f"round {state.round} of {state.house.rounds}, {len(state.tower)} rows high", size="small"),
            Text(
                "play goes " + ("to the left" if state.direction == 1 else "to the right"), "quiet", "small"
            ),
        ]
        for task in state.owed:
            mark = COLOURS.get(task.colour, "")
            colour = f" ({task.colour})" if task.colour else ""
            items.append(
                Text("owed: " + task.sort.value + colour, "warn" if colour else "plain", "small", mark=mark)
            )
        for seat, topples in zip(state.seats, state.topples, strict=True):
            if topples:
                items.append(Text(f"{seat.name} toppled it {topples} times", "bad", "small"))
        return tuple(items)

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
