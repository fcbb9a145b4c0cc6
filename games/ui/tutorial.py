"""The guided first turn of each game: what to do next, and why, in a sentence or two. Ends with the turn."""

from __future__ import annotations

from games.core.rules import Wait
from games.ui.details import details_of
from games.ui.physics_client import ClientState

DONE = "That was a whole turn. From now on the rules on the left are enough; F1 tells all keys."


class Tutorial:
    """One person's first turn at one table."""

    def __init__(self) -> None:
        self._last = ""
        self._carried = False
        self._is_over = False

    def told(self, desk: ClientState) -> str:
        """What to do now; empty when there is nothing more to learn."""
        if self._is_over or not desk.told or desk.game.rules.outcome(desk.state) is not None:
            return ""
        if desk.need.player not in desk.people:
            return DONE if self._carried else ""
        phase = phase_of(desk)
        if desk.has_laid:
            # in an earlier session: the lesson is over
            self._is_over = True
            return ""
        self._carried |= desk.need.wait is Wait.HAND
        if self._carried and desk.need.wait is Wait.ACTION and phase != self._last:
            self._is_over = True
            return ""
        self._last = phase
        return details_of(desk.game).lessons.get(phase, "")


def phase_of(desk: ClientState) -> str:
    """Returns where in a turn the game is: what a hand does, else the phase of the rules."""
    if desk.need.wait is Wait.HAND:
        return "CARRY"
    if desk.need.wait is Wait.PULL:
        return "PULL"
    return details_of(desk.game).phase(desk.state)
