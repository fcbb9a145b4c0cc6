"""How much of each load on the pieces they carry, with all else as it is: factors to failure.

The multiples of one load that contact forces can balance lie between two ends. The far one is the greatest k for which
equation (1) of `balance.equilibrium` has a solution with k times that load, a cone program; it counts only states that
are reached (`balance.reached`), all the more where forces can balance any multiple: between two walls that face each
other nearly any load can be clamped. Where pieces may roll the ends are found by bisection on the second variation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from teeter.engine.topple.balance.answer import LoadFactor, Statics
from teeter.engine.topple.balance.boundary import NearestBoundary
from teeter.engine.topple.balance.equilibrium import (
    MAX_PULL,
    Balance,
    SupportFunction,
    balance_of,
)
from teeter.engine.topple.balance.reached import reached_along
from teeter.engine.topple.balance.rocking import RockingBalance, hangs, rocking_of
from teeter.engine.topple.balance.statics import holds
from teeter.engine.topple.balance.wedging import can_wedge
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import Assembly, Vector
from teeter.engine.world.rolling import resists

ACCELERATION = "acceleration"
"""The name of the load."""
TOGETHER = "together"
"""The name of all loads as one, where there are several."""
PRECISE = 1e-4
"""Of a factor found by bisection."""
ROUNDS = 6
"""Secants, by which it is found how far masses and what accelerates them grow together."""
EXACT = 1e-6
"""Relative: a lower end this near to the load as it is, or to none of it, is that."""
LEVELS = tuple(MAX_PULL / 8.0**power for power in range(4, -1, -1))
"""Weights: that a load may be any multiple is believed where all of these are carried."""


def load_factors(
    assembly: Assembly, contacts: Contacts, statics: Statics, gravity: Vector, acceleration: Vector
) -> tuple[LoadFactor, ...]:
    """Returns the factor of every load on an assembly, in the order of its bodies, then of the acceleration; of several
    also that of all `TOGETHER`, each as many times as much.

    statics: of the same assembly, contacts and gravity, which contains the acceleration (m/s^2). None for what it
    cannot judge.
    """
    if statics.stands is None:
        return ()
    stands = statics.stands and not statics.wedged
    rocking = rocking_of(assembly, contacts, gravity, None, resisting=resists(assembly.bodies))
    if contacts.curved and rocking is None:
        return ()
    balance = rocking.balance if rocking else balance_of(assembly, contacts, gravity=gravity)
    if rocking is None and hangs(balance):
        rocking = RockingBalance(balance)
    reach = _Rolling(rocking) if rocking and rocking.can_roll else _Balanced(balance)
    if isinstance(reach, _Rolling) and stands and not reach.holds(balance):
        # the verdict counts on what is not called up beside what rolls
        return ()
    factors = []
    loads = list(_loads(assembly, balance, gravity, acceleration))
    for name, pulls in loads:
        try:
            factors.append(_factor(name, pulls, stands, reach))
        except StaticsError:
            continue
    if len(loads) > 1:
        # more mass is also accelerated more
        masses = _masses(assembly, balance, acceleration) if any(acceleration) else None
        try:
            whole = _at_once(_together([pulls for _, pulls in loads]), masses, stands, reach)
        except StaticsError:
            whole = None
        factors += [whole] if whole is not None else []
    return tuple(one for one in factors if one.without or one.least or not statics.wedged)


@dataclass(frozen=True, slots=True, eq=False)
class _Pulls:
    """A load in the units of the balance. pieces: (m,) that it acts on; forces: (m, 3); arms: (m, 3), from centres of
    mass."""

    pieces: Ints
    forces: Array
    arms: Array

    @property
    def turned(self) -> _Pulls:
        """The opposite load."""
        return replace(self, forces=-self.forces)

    def on(self, balance: Balance, times: float) -> Balance:
        """Returns the balance with so many times the load more."""
        return replace(
            balance,
            pulled=np.append(balance.pulled, self.pieces),
            pulls=np.concatenate([balance.pulls, times * self.forces]),
            arms=np.concatenate([balance.arms, self.arms]),
        )


class _Reach(Protocol):
    """How much of a load more is carried."""

    @property
    def balance(self) -> Balance:
        """What acts as it is."""

    def most(self, base: Balance, pulls: _Pulls, enough: float = math.inf) -> float | None:
        """Returns how many times a load can be added to what acts in `base`, `enough` if as many or more; None where no
        multiple is too much."""

    def some(self, without: Balance, pulls: _Pulls) -> float | None:
        """Returns a multiple of a load that is carried; None where none is found."""


def _factor(name: str, pulls: _Pulls, stands: bool, reach: _Reach) -> LoadFactor:
    at = 1.0 if stands else reach.some(pulls.on(reach.balance, -1.0), pulls)
    if at is None:
        return LoadFactor(name, None, None, False, False)
    held = pulls.on(reach.balance, at - 1)
    more, less = reach.most(held, pulls), reach.most(held, pulls.turned, at) if at else None
    least = None if less is None or less >= at - EXACT * at else at - less
    return LoadFactor(name, None if more is None else at + more, least, stands, least is None)


def _at_once(pulls: _Pulls, masses: _Pulls | None, stands: bool, reach: _Reach) -> LoadFactor | None:
    """Returns the factor of all loads. masses: what accelerates those among them; then the loads of k times as much are
    those of now, k - 1 times `pulls` and (k - 1)^2 times that: found by secants, and only of what stands."""
    factor = _factor(TOGETHER, pulls, stands, reach)
    if masses is None:
        return factor
    if not stands:
        return None

    def end(of: Callable[[LoadFactor], float | None]) -> float | None:
        before, at = 1.0, of(factor)
        last = 0.0 if at is None else at - before
        for _ in range(ROUNDS):
            if at is None:
                return None
            more = replace(masses, forces=(at - 1) * masses.forces)
            value = of(_factor(TOGETHER, _together([pulls, more]), stands, reach))
            if value is None or abs(value - at) <= EXACT * at or value - at == last:
                return value
            off, last = last, value - at
            before, at = at, at - last * (at - before) / (last - off)
        return at

    least = end(lambda one: one.least)
    return LoadFactor(TOGETHER, end(lambda one: one.factor), least, True, least is None)


def _masses(assembly: Assembly, balance: Balance, acceleration: Vector) -> _Pulls | None:
    """Returns how an acceleration pulls at the masses among the loads; None where there are none."""
    rows = [
        (at, load.mass * np.array(acceleration) / balance.force, body.pose.apply(np.array(load.point)))
        for at, body in enumerate(assembly.free)
        for load in body.loads
        if load.mass > 0
    ]
    if not rows:
        return None
    pieces, forces, points = zip(*rows, strict=True)
    arms = np.array(points) / balance.length - balance.centres[list(pieces)]
    return _Pulls(np.array(pieces), np.array(forces), arms)


def _loads(
    assembly: Assembly, balance: Balance, gravity: Vector, acceleration: Vector
) -> Iterator[tuple[str, _Pulls]]:
    """Yields the name of every load, and what it is."""
    loads: dict[str, list[tuple[int, Array, Array]]] = {}
    for at, body in enumerate(assembly.free):
        for load in body.loads:
            force = (np.array(load.force) + load.mass * np.array(gravity)) / balance.force
            arm = body.pose.apply(np.array(load.point)) / balance.length - balance.centres[at]
            loads.setdefault(load.name, []).append((at, force, arm))
    if any(acceleration):
        share = np.array(acceleration) / float(np.linalg.norm(gravity))
        loads[ACCELERATION] = [
            (at, weight * share, np.zeros(3)) for at, weight in enumerate(balance.weights.tolist())
        ]
    for name, rows in loads.items():
        pieces, forces, arms = zip(*rows, strict=True)
        yield name, _Pulls(np.array(pieces), np.array(forces), np.array(arms))


def _together(loads: list[_Pulls]) -> _Pulls:
    return _Pulls(
        np.concatenate([one.pieces for one in loads]),
        np.concatenate([one.forces for one in loads]),
        np.concatenate([one.arms for one in loads]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Balanced:
    balance: Balance

    def some(self, without: Balance, pulls: _Pulls) -> float | None:
        if holds(without):
            return 0.0
        # a counterweight may be too light or too heavy: a multiple between the ends, no further than twice the least
        try:
            size, _, more = self._balanced(without, pulls)
            least = -self._balanced(without, pulls.turned)[2].distance / size
        except StaticsError:
            return None
        at = min((least + more.distance / size) / 2, 2 * least)
        return at if at > 0 and holds(pulls.on(without, at)) else None

    def most(self, base: Balance, pulls: _Pulls, enough: float = math.inf) -> float | None:
        size, unit, end = self._balanced(base, pulls)
        far = min(end.distance, enough * size)
        if far < MAX_PULL / 2:
            return reached_along(base, unit, replace(end, distance=max(far, 0.0))) / size
        if not can_wedge(base):
            return None
        for level in LEVELS:
            distance = reached_along(base, unit, replace(end, distance=level))
            if distance < level:
                return distance / size
        return None

    def _balanced(self, base: Balance, pulls: _Pulls) -> tuple[float, Array, NearestBoundary]:
        """Returns a load over the weights, one as large as they are, and the greatest that forces can balance; negative
        where they need the opposite."""
        load = pulls.on(base, 1.0).acting - base.acting
        size = float(np.linalg.norm(load)) / float(base.weights.sum())
        unit, along = load / size, np.array([1.0, 0.0])
        both = np.stack([unit, np.zeros_like(unit)], axis=1)
        value, _, motion = SupportFunction(base.matrix, base.friction, base.acting, both)(along)
        return size, unit, NearestBoundary(value, value, along, motion)


@dataclass(frozen=True, slots=True, eq=False)
class _Rolling:
    rocking: RockingBalance

    @property
    def balance(self) -> Balance:
        return self.rocking.balance

    def some(self, without: Balance, pulls: _Pulls) -> float | None:
        return 0.0 if self.holds(without) else None

    def holds(self, base: Balance) -> bool:
        """Returns whether what acts is carried."""
        rocking, load = self.rocking.under(base), base.acting
        return rocking.judged(load).stands and rocking.is_called_up(load)

    def most(self, base: Balance, pulls: _Pulls, enough: float = math.inf) -> float | None:
        size = float(np.linalg.norm(pulls.forces)) / float(base.weights.sum())
        low = high = 0.0
        for high in LEVELS if enough == math.inf else (enough * size,):
            if not self.holds(pulls.on(base, high / size)):
                break
            low = high
        if low == high:
            return None if enough == math.inf else enough
        while high - low > PRECISE * high and high > PRECISE**2:
            middle = (low + high) / 2 if low > 0 else high / 4
            low, high = (middle, high) if self.holds(pulls.on(base, middle / size)) else (low, middle)
        return low / size
