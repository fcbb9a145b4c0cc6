"""A piece in the hand: what it has touched since it was taken up, and what that means to the rules."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.events import Moved, SceneEvent, Touched
from engine.world import FLOOR, TABLE
from games.rules.events import Met, Nudged
from games.table import Moment, Table

CLEAR = 0.6
"""TT-24: a brick is out when nothing touches it and it has come this part of its length."""
LIFTED = 0.002
"""Metres above where it lay from which a piece has left the supply (BS-08), if it touches nothing any more."""


class Holding:
    """What a session knows of the piece in the hand. Made when the hand has closed on it.

    back: where everything goes when it is taken back. has_met: it has touched a lying piece, or moved against the
    ones it lay with. is_lifted: it has left what it lay on.
    """

    def __init__(self, piece: str, table: Table, back: Moment) -> None:
        self.piece, self.back = piece, back
        self.has_met = self.is_lifted = False
        self._table = table
        self._start = table.bodies[piece].pose.position
        self._has_told: set[str] = set()
        self._about = {pair for pair in table.watch.touching if piece in pair}

    def follow(self) -> None:
        """Look where the piece is now."""
        if not self.is_lifted:
            risen = self._table.bodies[self.piece].pose.position[2] - self._start[2]
            self.is_lifted = risen > LIFTED and not self._touches()

    def met(self, event: SceneEvent, lying: Iterable[str], is_pulled: bool) -> Met | None:
        """The first touch of a lying piece (ALL-6) that an event is. A pulled piece meets those it lay with when it
        moves."""
        lying = frozenset(lying) - {self.piece}
        if isinstance(event, Touched) and self.piece in (event.a, event.b):
            other = event.b if event.a == self.piece else event.a
            if other not in lying or (event.a, event.b) in self._about:
                return None
        elif isinstance(event, Moved) and event.piece == self.piece and is_pulled and not self.has_met:
            beside = sorted({name for pair in self._about for name in pair} & lying)
            if not beside:
                return None
            other = beside[0]
        else:
            return None
        if other in self._has_told:
            return None
        self.has_met = True
        self._has_told.add(other)
        return Met(event.step, self.piece, other)

    def nudged(self, event: SceneEvent, lying: Iterable[str]) -> Nudged | None:
        """The push of a lying piece that an event is."""
        if isinstance(event, Moved) and event.piece in frozenset(lying) - {self.piece} and self.has_met:
            return Nudged(event.step, event.piece, event.mm)
        return None

    def sees_landing(self, event: SceneEvent) -> bool:
        """Whether an event is a piece touching the table or the floor; the held one does once it was lifted (BS-08)."""
        if not isinstance(event, Touched) or not {event.a, event.b} & {TABLE, FLOOR}:
            return False
        return self.is_lifted or self.piece not in (event.a, event.b)

    def is_out(self) -> bool:
        """TT-24: whether a pulled piece is out of the tower."""
        body = self._table.bodies[self.piece]
        way = math.dist(body.pose.position, self._start)
        # a brick of the lowest row is out while it still lies on the table
        return way > CLEAR * float(body.piece.extents.max()) and not self._touches(but=TABLE)

    def _touches(self, but: str = "") -> bool:
        return any(self.piece in pair and but not in pair for pair in self._table.watch.touching)
