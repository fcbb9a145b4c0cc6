"""What an agent sees of Bausack."""

from teeter.games.bausack.judge import areas
from teeter.games.bausack.state import State
from teeter.games.core.rules import Need
from teeter.games.learning.observation import SPAN, ActionFrame, Numbers, Observation
from teeter.games.play.session import Session


class BausackObservation(Observation[State]):
    """What an agent sees of Bausack."""

    most = 96

    def pieces(self, state: State) -> tuple[str, ...]:
        """All wooden pieces in play."""
        return tuple(piece.id for piece in state.stock.pieces)

    def tag(self, state: State, name: str) -> float:
        """Whose tower it belongs to, from 1."""
        return float(next((at + 1 for at, tower in enumerate(state.towers) if name in tower), 0))

    def seat(self, state: State, seat: int) -> Numbers:
        """Tokens, whether in the game, the height reached."""
        return (float(state.tokens[seat]), float(state.out[seat] < 0), float(state.best_mm[seat]))

    def own(self, state: State, seat: int) -> Numbers:
        """The bid, who leads, the price of passing on, the bank."""
        return (float(state.bid), float(state.leader + 1), float(state.price), float(state.bank))

    def frame(self, session: Session, need: Need) -> ActionFrame:
        """Over the last piece of the own tower, or the own area."""
        state = session.state
        tower = [name for name in state.towers[state.actor] if name not in need.pieces]
        if not tower:
            area = areas(state)[state.actor]
            return ActionFrame(area.x / 1e3, area.y / 1e3, 0.0, SPAN)
        x, y, _ = session.table.bodies[tower[-1]].pose.position
        return ActionFrame(x, y, 0.0, SPAN)
