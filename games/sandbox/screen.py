"""The sandbox on the screen: no colours of seats, and a tutorial."""

from __future__ import annotations

from collections.abc import Mapping

from games.ui.details import CARRY, GameDetails
from games.ui.physics_client import ClientState


class SandboxDetails(GameDetails):
    """The sandbox on the screen: no colours of seats, and a tutorial."""

    lessons: Mapping[str, str] = {
        "FREE": "Click a piece to take it, or bring one out: Pieces, on the right. K checks whether everything stands.",
        "CARRY": CARRY + "Click to lay it.",
    }

    def seat_colour(self, desk: ClientState, seat: int) -> str:
        """None: one person builds."""
        return ""
