"""What an agent sees of Crazy Tower."""

import math

from teeter.games.core.rules import Need
from teeter.games.crazy_tower.rules_allowed import top_card
from teeter.games.crazy_tower.state import State, TurnStage
from teeter.games.learning.observation import SPAN, ActionFrame, Numbers, Observation, index_of
from teeter.games.play.session import Session


class CrazyObservation(Observation[State]):
    """What an agent sees of Crazy Tower."""

    most = 224

    def pieces(self, state: State) -> tuple[str, ...]:
        """Blocks and floor cards."""
        return (*(block.id for block in state.stock.blocks), *(card.id for card in state.stock.cards))

    def tag(self, state: State, name: str) -> float:
        """Positive: the floor it lies on, from 1. Negative: in whose hands it is, from -1."""
        for number, floor in enumerate(state.floors):
            if name == floor.card or name in floor.blocks:
                return float(number + 1)
        return -float(next((seat + 1 for seat, hand in enumerate(state.hands) if name in hand), 0))

    def seat(self, state: State, seat: int) -> Numbers:
        """The blocks left."""
        return (float(len(state.hands[seat])),)

    def own(self, state: State, seat: int) -> Numbers:
        """Stage, saboteur, the stack, the card revealed, boxes to act, fallen pieces."""
        return (
            float(index_of(tuple(TurnStage), state.stage)),
            float(state.saboteur + 1),
            float(len(state.deck)),
            float(index_of(self.pieces(state), state.card)),
            float(len(state.boxes)),
            float(len(state.fallen)),
        )

    def frame(self, session: Session, need: Need) -> ActionFrame:
        """The middle of the highest floor card, and as it is turned."""
        card = session.table.bodies.get(top_card(session.state))
        if card is None:
            return ActionFrame(0.0, 0.0, 0.0, SPAN)
        x, y, _ = card.pose.position
        return ActionFrame(x, y, math.atan2(card.pose.matrix[1, 0], card.pose.matrix[0, 0]), SPAN)
