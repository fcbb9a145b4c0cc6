"""The sandbox on the screen: no colours of seats, and a tutorial."""

from teeter.games.present.client_state import ClientState
from teeter.games.present.details import TAKE, GameDetails, Lesson, carrying


class SandboxDetails(GameDetails):
    """The sandbox on the screen: no colours of seats, and a tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson(TAKE, "FREE", "{click} a piece to take it, or bring one out: Pieces, on the right."),
        *carrying("wherever it stands."),
    )

    def seat_colour(self, desk: ClientState, seat: int) -> str:
        """None: one person builds."""
        return ""
