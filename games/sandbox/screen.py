"""The sandbox on the screen: no colours of seats, and a tutorial."""

from teeter.games.present.client_state import ClientState
from teeter.games.present.details import TAKE, GameDetails, Lesson, carrying
from teeter.games.present.naming import as_called
from teeter.games.sandbox.rules import called


class SandboxDetails(GameDetails):
    """The sandbox on the screen: no colours of seats, and a tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson(TAKE, "FREE", "{click} a piece to take it, or bring one out: Pieces, on the right."),
        *carrying("wherever it stands."),
    )

    def called(self, desk: ClientState, piece: str) -> str:
        """Returns what people call a piece on the table."""
        return as_called(desk.game, (called(desk.state, piece),), desk.state)[0]

    def seat_colour(self, desk: ClientState, seat: int) -> str:
        """None: one person builds."""
        return ""
