"""The guided first turn of each game: what to do next, and why, in a sentence or two. Ends with the turn."""

from __future__ import annotations

from games.rules.base import Wait
from games.ui.desk import Desk

CARRY = (
    "Move the pointer: the piece goes along, over whatever is there. The dark spot shows where it would land. "
    "A and D turn it, F flips it, the wheel lifts it, Shift makes the hand slow. "
)
LESSONS: dict[str, dict[str, str]] = {
    "wonky": {
        "PLAY": "Play a card: it says which block comes next. Click one on the left, or press its number.",
        "DRAWN": "The card you drew can be played. Play it, or keep it and let the turn pass.",
        "ADD": "Now take a block that fits the card: click it on the table.",
        "CARRY": CARRY
        + "It has to become the highest of the tower and touch nothing but the tower. Click to lay it.",
        "COUNT": "One, two, three: if the tower stands by then, your turn is done.",
    },
    "crazy-tower": {
        "CHOOSE": "Click one of your blocks to lay it on the highest floor card. Be rid of large ones first.",
        "CARD": "Click the new floor card and lay it on the tower. It has to touch a block below.",
        "BLOCK": "A new floor wants a block: click one of yours.",
        "CARRY": CARRY + "Flat on the card, and no red box below it. Click to lay it.",
        "BOXES": "You covered a box that acts: choose what it does.",
    },
    "bausack": {
        "CHOOSE": "Click a piece in the middle to pick it up. You may build with it, or push it to somebody else.",
        "LOOK": "Build: you bid tokens for it, and the others may bid more. Push: the next player takes it, or pays.",
        "BID": "Bid more, or pass. Who bids most pays and has to place the piece.",
        "RECEIVE": "Accept the piece and place it, or pay and pass it on.",
        "PLACE": "The piece is yours: take it, and add it to your tower.",
        "CARRY": CARRY + "On your own tower, or as its foundation in your own area. Click to lay it.",
    },
    "tower-topple": {
        "CHOOSE": "Click a brick below the top rows. Loose ones carry little: W feels the one below the pointer.",
        "PULL": "Draw it out along its length: move the pointer, or hold the arrow keys. The bar shows the force.",
        "CARRY": CARRY + "On top, across the row below. Click to lay it.",
        "SETTLE": "Wait until all is still: then the brick counts.",
    },
    "sandbox": {
        "FREE": "Click a piece to take it, or bring one out: Pieces, on the right. K checks whether everything stands.",
        "CARRY": CARRY + "Click to lay it.",
    },
}
"""By game, then by the phase of its rules."""
DONE = "That was a whole turn. From now on the rules on the left are enough; F1 tells all keys."


class Lesson:
    """One person's first turn at one table."""

    def __init__(self) -> None:
        self._last = ""
        self._carried = False
        self._is_over = False

    def told(self, desk: Desk) -> str:
        """What to do now; empty when there is nothing more to learn."""
        if self._is_over or not desk.told or desk.game.rules.outcome(desk.state) is not None:
            return ""
        if desk.need.player not in desk.people:
            return DONE if self._carried else ""
        phase = phase_of(desk)
        self._carried |= desk.need.wait is Wait.HAND
        if self._carried and desk.need.wait is Wait.ACTION and phase != self._last:
            self._is_over = True
            return ""
        self._last = phase
        return LESSONS.get(desk.game.name, {}).get(phase, "")


def phase_of(desk: Desk) -> str:
    """Where in a turn the game is, by the name of its rules' phase; what a hand does comes first."""
    state = desk.state
    if desk.need.wait is Wait.HAND:
        return "CARRY"
    if desk.need.wait is Wait.PULL:
        return "PULL"
    return str((getattr(state, "phase", None) and state.phase.name) or state.stage.name)
