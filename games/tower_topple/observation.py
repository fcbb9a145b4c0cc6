"""What an agent sees of Tower Topple."""

from teeter.games.core.rules import Need
from teeter.games.learning.observation import SPAN, ActionFrame, Numbers, Observation, index_of
from teeter.games.play.session import Session
from teeter.games.tower_topple.state import COLOUR_OF, Print, Sort, State

_COLOURS = tuple(COLOUR_OF.values())
_PRINTS = tuple(Print)


class ToppleObservation(Observation[State]):
    """What an agent sees of Tower Topple."""

    def pieces(self, state: State) -> tuple[str, ...]:
        """All bricks."""
        return tuple(brick.id for brick in state.bricks)

    def tag(self, state: State, name: str) -> float:
        """Positive: the colour. Negative: the print; 0 where it is not yet seen."""
        brick = next(brick for brick in state.bricks if brick.id == name)
        if brick.colour:
            return float(index_of(_COLOURS, brick.colour))
        return 0.0 if brick.print is Print.UNSEEN else -float(index_of(_PRINTS, brick.print))

    def seat(self, state: State, seat: int) -> Numbers:
        """Points, topples, turns to sit out."""
        return (float(state.scores[seat]), float(state.topples[seat]), float(state.skips[seat]))

    def own(self, state: State, seat: int) -> Numbers:
        """Direction, round, what is owed and to come, and the sort and colour of the brick owed."""
        owed = state.owed[0] if state.owed else None
        return (
            float(state.direction),
            float(state.round),
            float(len(state.owed)),
            float(len(state.coming)),
            0.0 if owed is None else float(index_of(tuple(Sort), owed.sort)),
            0.0 if owed is None else float(index_of(_COLOURS, owed.colour)),
        )

    def frame(self, session: Session, need: Need) -> ActionFrame:
        """The middle of the highest row; x along its bricks."""
        row = [
            session.table.bodies[name] for name in session.state.tower[-1] if name and name not in need.pieces
        ]
        bodies = row or [session.table.bodies[name] for name in session.state.tower[-2] if name]
        x, y, _ = (
            sum(values) / len(bodies) for values in zip(*(body.pose.position for body in bodies), strict=True)
        )
        return ActionFrame(x, y, 0.0, SPAN)

    def unread(self, state: State) -> frozenset[str]:
        """Bricks that were not out this round."""
        return frozenset(brick.id for brick in state.bricks if brick.id not in state.seen)
