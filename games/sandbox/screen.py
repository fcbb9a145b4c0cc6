"""The sandbox on the screen: no colours of seats, and a tutorial."""

from __future__ import annotations

from collections.abc import Mapping

from games.ui.desk import Desk
from games.ui.details import CARRY, GameDetails


class SandboxDetails(GameDetails):
    """The sandbox on the screen: no colours of seats, and a tutorial."""

    lessons: Mapping[str, str] = {
        "FREE": "Click a piece to take it, or bring one out: Pieces, on the right. K checks whether everything stands.",
        "CARRY": CARRY + "Click to lay it.",
    }

    def seat_colour(self, desk: Desk, seat: int) -> str:
        """None: one person builds."""
        return ""
