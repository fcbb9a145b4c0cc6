"""The table of a game and the boundaries on it: moments between two acts, all at rest and the hand empty, that a game
can come back to.

At every boundary the running game itself goes on from a rebuilt world. Whoever comes back to one, or plays up to it
again, then walks on the same way, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.hand import Grip
from engine.settings import RATES, Scale
from games.judge.registry import GameJudge
from games.judge.scene import Scene
from games.table import STRIDE, Moment, Sink, Table


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """An action boundary: the state of the rules, the table that goes on from it, and the step at which it does."""

    state: Any
    moment: Moment
    step: int


class Ground:
    """A table that is laid out for a state of the rules, at rest. before: the scene at the last boundary, or when the
    piece in the hand was taken up."""

    def __init__(self, judge: GameJudge, state: Any, grip: Grip, sink: Sink | None) -> None:
        self._judge, self._grip, self._sink = judge, grip, sink
        bodies = judge.layout(state)
        self._scale = Scale.of(bodies)
        if judge.is_fine:
            finer = RATES[min(RATES.index(self._scale.rate) + 1, len(RATES) - 1)]
            self._scale = Scale.of(bodies, finer)
        self.table = Table(judge.supplied(state, bodies), self._scale, grip, sink=sink)
        self.before: Scene
        self.saved: Saved
        self._is_touched = False
        self.bound(state)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has moved or was taken up since the last boundary."""
        return not self._is_touched and self.table.step == self.saved.step

    def bound(self, state: Any) -> None:
        """An action boundary, here and now."""
        moment = self.table.remember()
        self._restore(moment)
        self.saved = Saved(state, moment, self.table.step)
        self._is_touched = False

    def keep(self, state: Any) -> None:
        """The boundary holds for another state of the rules too: nothing has moved."""
        self.saved = replace(self.saved, state=state)

    def take(self, state: Any, piece: str) -> Moment:
        """Make a piece ready for the hand; what to come back to if it is put back: the boundary, if it holds still."""
        back = self.saved.moment if self.is_untouched else self.table.remember()
        if piece not in self.table.bodies:
            self.table.put(self._judge.home(state, piece))
        self.before = self.table.scene()
        self.table.free(piece)
        self.table.rest_here()
        self._is_touched = True
        return back

    def come_back(self, moment: Moment) -> None:
        """Put everything back to where it was."""
        self._restore(moment)
        if moment is self.saved.moment:
            self.saved = replace(self.saved, step=self.table.step)
            self._is_touched = False

    def set_up(self, state: Any) -> None:
        """Lay everything out afresh; the clock runs on."""
        self.table.close()
        bodies = self._judge.supplied(state, self._judge.layout(state))
        self.table = Table(bodies, self._scale, self._grip, self.table.step, self._sink)

    def put_away(self, state: Any) -> None:
        """What is not in play any more goes back to the supply; what is then comes to rest without it."""
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
        # the table is looked at every STRIDE steps: one that is come back to is looked at in the same beat
        self.table.restore(moment, self.table.step + -self.table.step % STRIDE)
        self.before = self.table.scene()
