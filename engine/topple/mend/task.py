"""A scene to mend, and what is to be tried on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from teeter.engine.topple.balance.equilibrium import Balance
from teeter.engine.topple.contact.arrays import Array, crossed
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.features import corners_of
from teeter.engine.topple.mend.changes import Change, Kind
from teeter.engine.topple.mend.clearance import Clearances
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.world.body import Assembly, typical_size

PRECISE = 2e-4
"""Of a number that is closed in on, relative; of shifts of the games' pieces that is a hundredth of a millimetre."""
NEAREST = 0.01
"""Of the median piece: the shortest shift that is tried."""
MOST = 3
"""Changes of a kind that are told: what is more effort than these is not looked for."""

T = TypeVar("T")
Task = tuple[Kind, tuple[str, ...], float]
"""A kind, the pieces, and the effort (metres) beyond which nothing is wanted."""
Tried = tuple[list[Change], int]
"""What was found, and how many places or numbers were tried."""


@dataclass(frozen=True, slots=True)
class Scan:
    """How closely shifts are tried: bearings, and the growth from each distance to the next."""

    bearings: int
    growth: float


COARSE, FINE = Scan(16, 1.5), Scan(40, 1.15)
"""First for every piece; then, where nothing at all was found, once more."""
TURNED = tuple(math.radians(angle) for angle in (90, 45, -45))
PAIRS = 40
"""Last: shifts of pieces that are turned so; and of two pieces together, of so many pairs."""
ON_CURVES = Scan(8, 2.0)
"""Where pieces touch on curves, and a place takes a hundred times as long; once."""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A scene to mend. contacts: all; balance: what is asked of it, and motion: (n, 6), how it falls; zero where it is
    held, but not by what is there. falls: that, and others in which pieces fall as one. names: of the free pieces those
    that may change. kept: pieces that stay. scan: how closely shifts are tried; turns: radians by which pieces are
    turned at each. pairs: pieces that are shifted together, in place of others."""

    assembly: Assembly
    contacts: Contacts
    demand: Demand
    balance: Balance
    motion: Array
    falls: tuple[Array, ...]
    kinds: tuple[Kind, ...]
    names: tuple[str, ...]
    kept: frozenset[str]
    clearances: Clearances
    scan: Scan = COARSE
    turns: tuple[float, ...] = (0.0,)
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def is_first(self) -> bool:
        """Whether no scan came before."""
        return self.scan != FINE and len(self.turns) == 1 and not self.pairs

    @property
    def size(self) -> float:
        """Of the median piece, metres."""
        return typical_size(self.assembly.bodies)

    @property
    def reach(self) -> float:
        """The farthest shift, metres: across the scene, or three pieces."""
        corners = np.concatenate([corners_of(body)[:, :2] for body in self.assembly.free])
        return max(float(np.linalg.norm(np.ptp(corners, axis=0))), 3 * self.size)

    def drive(self, names: Sequence[str]) -> Array:
        """Returns how the power of the mechanism changes as pieces that ride on it are shifted (2,), by its dual."""
        mine = np.array([name in names for name in self.balance.names], dtype=np.bool_)
        weights = self.balance.weights[mine, None]
        drives: Array = (weights * crossed(self.balance.down, self.motion[mine, 3:])).sum(axis=0)
        return drives[:2]

    def towards(self, names: Sequence[str]) -> list[float]:
        """Returns the bearings in which that power lessens fastest; of what stays below, those in which others go."""
        for way in (self.drive(names), self.drive(self.balance.names)):
            if np.linalg.norm(way) > 1e-9:
                angle = math.atan2(way[1], way[0])
                return [angle + math.pi, angle]
        return []

    def promise(self, names: Sequence[str]) -> float:
        """Returns about how much effort a shift will be, in steps of a tenth: little where the fall hangs on them."""
        power = float(self.balance.acting @ self.motion.reshape(-1))
        drive = float(np.linalg.norm(self.drive(names)))
        return round(math.log(max(len(names) * power / drive, 1e-9), 1.1)) if drive > 1e-9 else math.inf


def joined(groups: Iterable[set[T]], links: Iterable[Iterable[T]]) -> list[set[T]]:
    """Returns groups, those that share a link as one."""
    found = list(groups)
    for link in links:
        one = [group for group in found if not group.isdisjoint(link)]
        found = [*(group for group in found if group not in one), set().union(*one)]
    return found
