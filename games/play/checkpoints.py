"""The table of a game and its checkpoints: moments between two acts, all at rest and the hand empty, that a game can
come back to. And the referee, who says in the words of the rules what has happened since.

At every checkpoint the running game itself goes on from a restored world. Whoever comes back to one, or plays up to it
again, then walks on the same way, bit for bit.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import TypeVar

from teeter.engine.hand import Grip
from teeter.engine.world.body import Body, Scale
from teeter.engine.worlds import WorldMaker
from teeter.games.core.events import Condition, CountElapsed, Fell, HitNeighbour, Measured, Placed, Rested
from teeter.games.core.rules import Need
from teeter.games.judge.judge import Judge, TableScene
from teeter.games.play.table import STRIDE_STEPS, Moment, Sink, Table

S = TypeVar("S", default=Any)
"""The state of a game; who plays any game leaves it out."""


@dataclass(frozen=True, slots=True, eq=False)
class GameCheckpoint(Generic[S]):
    """The state of the rules, the table that goes on from it, and the step at which it does."""

    state: S
    moment: Moment
    step: int


class Checkpoints(Generic[S]):
    """A table that is laid out for a state of the rules, at rest. before: the scene at the last checkpoint, or when the
    piece in the hand was taken up."""

    def __init__(self, judge: Judge, state: S, grip: Grip, sink: Sink | None, make_world: WorldMaker) -> None:
        self._judge, self._grip, self._sink = judge, grip, sink
        self._make_world = make_world
        bodies = judge.layout(state)
        self._scale = Scale.of(bodies)
        if judge.is_fine:
            self._scale = self._scale.finer
        self.table = self._laid(judge.supplied(state, bodies), 0)
        self.before: TableScene
        self.last: GameCheckpoint[S]
        self.add(state)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has moved or was taken up since the last checkpoint."""
        return not self._is_touched and self.table.step == self.last.step

    def add(self, state: S) -> None:
        """Make a checkpoint here and now."""
        moment = self.table.remember()
        self._restore(moment)
        self.last = GameCheckpoint(state, moment, self.table.step)
        self._is_touched = False

    def keep(self, state: S) -> None:
        """Let the last checkpoint hold for another state of the rules too: nothing has moved."""
        self.last = replace(self.last, state=state)

    def take(self, state: S, piece: str) -> Moment:
        """Make a piece ready for the hand. Returns what to come back to if it is put back: the checkpoint, if it holds
        still."""
        back = self.last.moment if self.is_untouched else self.table.remember()
        if piece not in self.table.bodies:
            self.table.put(self._judge.home(state, piece))
        self.before = self.table.scene()
        self.table.free(piece)
        self.table.rest_here()
        self._is_touched = True
        return back

    def wait(self, steps: int) -> None:
        """Let time pass at the last checkpoint: the clock runs on, and nothing moves."""
        self.table.restore(self.last.moment, self.table.step + steps + -steps % STRIDE_STEPS)
        self.last = replace(self.last, step=self.table.step)

    def come_back(self, moment: Moment, is_touched: bool = False) -> None:
        """Put everything back to where it was. is_touched: although something has happened since."""
        self._restore(moment)
        if moment is self.last.moment and not is_touched:
            self.last = replace(self.last, step=self.table.step)
            self._is_touched = False

    def set_up(self, state: S) -> None:
        """Lay everything out afresh; the clock runs on."""
        self.table.close()
        bodies = self._judge.supplied(state, self._judge.layout(state))
        self.table = self._laid(bodies, self.table.step)

    def _laid(self, bodies: Iterable[Body], step: int) -> Table:
        return Table(bodies, self._scale, self._grip, step, self._sink, self._make_world)

    def put_away(self, state: S) -> None:
        """Put what is not in play any more back into the supply; let the rest come to rest without it."""
        play = self._judge.in_play(state)
        away = [name for name, body in sorted(self.table.bodies.items()) if not (body.fixed or name in play)]
        for name in away:
            self.table.put(self._judge.stored(state, name))
        if away and play:
            self.table.run_to_rest()

    def close(self) -> None:
        """Free the simulator."""
        self.table.close()

    def _restore(self, moment: Moment) -> None:
        # the table is read every few steps: one that is come back to is read in the same beat
        self.table.restore(moment, self.table.step + -self.table.step % STRIDE_STEPS)
        self.before = self.table.scene()


class Referee(Generic[S]):
    """Asks the game's judge about the table, and turns the answers into events. It decides nothing that the rules
    decide, and moves nothing."""

    def __init__(self, judge: Judge, checkpoints: Checkpoints[S]) -> None:
        self._judge, self._checkpoints = judge, checkpoints
        self._told: set[str] = set()

    def begin(self) -> None:
        """Begin a new act: what falls from now on is news."""
        self._told.clear()

    def fell(self, state: S, piece: str, is_lifted: bool = True) -> Fell | None:
        """Returns what fell since the last checkpoint (ALL-4). piece: in the hand, or just let go; is_lifted: whether
        it has left what it lay on. It may fall again and again; others are down once."""
        after = self._scene()
        down = self._judge.fallen(state, piece, self._checkpoints.before, after, is_lifted)
        news = tuple(name for name in down if name == piece or name not in self._told)
        self._told.update(news)
        return Fell(self._step, news) if news else None

    def height(self, state: S, need: Need) -> float | None:
        """CT-50: millimetres of the piece in the hand above the tower, where the rules ask for it."""
        if Condition.DROPPED_FROM_ABOVE not in need.conditions:
            return None
        return self._judge.height(state, need.pieces[0], self._scene())

    def hit(self, state: S, piece: str) -> HitNeighbour | None:
        """BS-03: whether the piece just let go, or any other, lies against the tower of another."""
        contact = self._judge.hit(state, piece, self._checkpoints.before, self._scene())
        return None if contact is None else HitNeighbour(self._step, *contact)

    def has_pushed(self, state: S, piece: str) -> bool:
        """ALL-9: whether laying the piece left another lying against the rules."""
        return self._judge.has_pushed(state, piece, self._checkpoints.before, self._scene())

    def struck(self, state: S, piece: str, touched: Iterable[str]) -> HitNeighbour | None:
        """BS-03: whether the piece just let go touched the tower of another."""
        owner = self._judge.struck(state, piece, touched)
        return None if owner is None else HitNeighbour(self._step, piece, owner)

    def placed(self, state: S, need: Need, height: float | None) -> Placed | Rested:
        """Returns how the piece that is waited for lies; without one, that all lies still. height: of
        `Judge.height`."""
        if not need.pieces:
            return Rested(self._step, tuple(sorted(self._judge.in_play(state))))
        piece, before, after = need.pieces[0], self._checkpoints.before, self._scene()
        where = self._judge.where(state, piece, after)
        covers = self._judge.covers(state, piece, before, after)
        broken = self._judge.broken(state, piece, need.conditions, before, after, height)
        return Placed(self._step, piece, where, covers, broken)

    def elapsed(self, state: S, need: Need) -> CountElapsed:
        """WK-13: how the piece stands when the count is over."""
        piece, before, after = need.pieces[0], self._checkpoints.before, self._scene()
        broken = self._judge.broken(state, piece, need.conditions, before, after)
        return CountElapsed(self._step, piece, broken)

    def measured(self, state: S) -> Measured:
        """BS-21: how high everybody's tower is."""
        return Measured(self._step, self._judge.heights(state, self._scene()))

    def _scene(self) -> TableScene:
        return self._checkpoints.table.scene()

    @property
    def _step(self) -> int:
        return self._checkpoints.table.step
