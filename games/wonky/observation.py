"""What an agent sees of Wonky."""

from teeter.games.core.rules import Need
from teeter.games.learning.observation import SPAN, ActionFrame, Numbers, Observation, index_of
from teeter.games.play.session import Session
from teeter.games.wonky.bot import summit
from teeter.games.wonky.state import State


class WonkyObservation(Observation[State]):
    """What an agent sees of Wonky."""

    def pieces(self, state: State) -> tuple[str, ...]:
        """The nine blocks."""
        return tuple(block.id for block in state.stock.blocks)

    def words(self, state: State) -> tuple[str, ...]:
        """Blocks and cards."""
        return tuple(dict.fromkeys((*self.pieces(state), *_cards(state))))

    def tag(self, state: State, name: str) -> float:
        """Its place in the tower, from 1."""
        return float(index_of(state.tower, name))

    def seat(self, state: State, seat: int) -> Numbers:
        """The cards left."""
        return (float(len(state.hands[seat])),)

    def own(self, state: State, seat: int) -> Numbers:
        """Direction, the card at work, fouls, the deck, and the own cards by kind."""
        cards = _cards(state)
        hand = state.hands[seat]
        return (
            float(state.direction),
            float(index_of(cards, state.card)),
            float(state.fouls),
            float(len(state.deck)),
            *(float(hand.count(card)) for card in cards),
        )

    def frame(self, session: Session, need: Need) -> ActionFrame:
        """Over the summit of the tower."""
        tower = [session.table.bodies[name] for name in session.state.tower if name not in need.pieces]
        if not tower:
            return ActionFrame(0.0, 0.0, 0.0, SPAN)
        x, y, _ = summit(max(tower, key=lambda body: body.pose.position[2]))
        return ActionFrame(x, y, 0.0, SPAN)


def _cards(state: State) -> tuple[str, ...]:
    return tuple(card.id for card in state.stock.cards)
