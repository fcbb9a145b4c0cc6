"""Margins that count only states which are reached: the nearest load at which what holds is no longer called up.

The loads that forces can balance form a convex set (`boundary`); those whose forces are called up lie within it and
need not be convex. They are asked one by one (`wedging`): in directions all around, at the shortest distance known so
far. Where the contacts give way there, the springs' share over the power of the load says how far back they do not, and
the motion says in which direction they give way sooner.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from teeter.engine.topple.balance.boundary import NearestBoundary
from teeter.engine.topple.balance.equilibrium import MAX_PULL, UNBALANCED, Balance, fall_within
from teeter.engine.topple.balance.few import FEW, MANY, around, beside, motions
from teeter.engine.topple.balance.symmetry import Symmetry
from teeter.engine.topple.balance.wedging import Response, Springs, can_wedge, springs_of, unsqueezed
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.rims import AROUND
from teeter.engine.topple.stages import stage

WITHIN = 1e-3
"""Of a distance: how closely it is found; the states just inside are reached, those just outside are not."""
EVEN = np.arange(16) * np.pi / 8 + np.pi / 16
"""Radians: the directions that are asked of fewer than `few.MANY` pieces."""
MAX_BEARINGS = 16
"""Of edges and normals of contacts, always asked."""
FEW_ANGLES = 3
"""The directions asked of what is all but a disc: its images lie six degrees apart."""
TURNS = 4
"""At most so often the direction is turned across the line of the motion found."""
SAME = 1 - 1e-9
"""Cosine of directions that are asked as one. Near ones are not: which of several answers a state has hangs on it."""
LOST = 5e-4
"""A distance this short is none: 0.03 degrees, hardly more than a trial turns the pieces by."""
BEYOND = 2e-2
"""Of a distance: so far past it the motion is asked for."""
CLOSE = 3e-3
"""Of a distance: so far the springs' share is believed."""
NEAR = 1e-2
"""The same, where what is held is known up to there."""
CREEPS = 2
"""Guesses that may prove too far before no more are asked."""
PART = 0.4
"""Of what is left: what is held is found sooner than what is not."""
FINE = 5
"""So many points of a circle to both sides of where the pull presses, and one in so many further off, are asked whether
they hold: springs of all take ten times as long."""
LEAP = 4.0
"""While a distance beyond this is searched it is divided by as much."""


def nearest_reached(
    balance: Balance,
    loads: Array,
    nearest: NearestBoundary,
    bearings: Array,
    same: tuple[Symmetry, ...],
    pushed: int | None = None,
) -> NearestBoundary:
    """Returns the nearest boundary of the loads (6 n, 2) that are reached; `nearest` where that is as near.

    nearest: of those that forces can balance. bearings: radians, where pieces tip or slip. same: symmetries of the
    balance with these loads. pushed: the only piece they act on: of large assemblies those around it alone are loose.
    """
    count = len(balance.names)
    if nearest.distance <= LOST or not can_wedge(balance):
        return nearest
    spread = None
    if pushed is not None and count >= MANY:
        loose = around(balance, beside(balance, pushed), round(FEW * count ** (1 / 3)))
        spread = None if loose.all() else motions(balance, loose)
    search = _Search(balance, loads, nearest, spread, [symmetry.plane for symmetry in same])
    some = bearings[:: max(1, -(-len(bearings) // MAX_BEARINGS))]
    angles = np.append(EVEN, some) if count < MANY else some
    angles = angles[:FEW_ANGLES] if len(same) > AROUND else angles
    return search.run(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def reached_along(balance: Balance, load: Array, nearest: NearestBoundary) -> float:
    """Returns how many times a load (6 n,) can be added to what acts so that the state is reached.

    nearest: what forces can balance."""
    if nearest.distance <= LOST or not can_wedge(balance):
        return nearest.distance
    loads = np.stack([load, np.zeros_like(load)], axis=1)
    return _Search(balance, loads, nearest, None, []).run(np.zeros((0, 2))).distance


@dataclass(frozen=True, slots=True, eq=False)
class _Loss:
    """A load that is not reached. distance: its size; guess: at which it may be; motion: (6 n,) with which the contacts
    give way. is_followed: found from the answer under another load."""

    distance: float
    guess: float
    motion: Array
    is_followed: bool


class _Search:
    """The distance known so far, in all directions asked. spread: (6 n, m) from the motions that are possible.
    planes: (2, 2) each, of the symmetries."""

    def __init__(
        self,
        balance: Balance,
        loads: Array,
        nearest: NearestBoundary,
        spread: csr_array | None,
        planes: list[Array],
    ) -> None:
        self._planes = planes
        matrix, springs, weights = balance.matrix, springs_of(balance), balance.acting
        self._circles, self._fewer = _circles(balance), dict[tuple[int, ...], Springs]()
        self._pulls = [wrench.reshape(-1, 6)[:, :3].sum(axis=0) for wrench in (weights, *loads.T)]
        self._unsqueezed = unsqueezed(balance) if spread is None else None
        if spread is not None:
            matrix, springs = csc_array(spread.T @ matrix), csc_array(spread.T @ springs @ spread)
            weights, loads = spread.T @ weights, spread.T @ loads
        self._matrix, self._friction, self._weights, self._loads = matrix, balance.friction, weights, loads
        self._springs = Springs(matrix, balance.friction, springs)
        self._limit = 1.0 / springs.diagonal()
        self._spread = spread
        self._start: Array | None = None
        self._lost: Array | None = None
        self._best = min(nearest.distance, MAX_PULL)
        self._found, self._balanced, self._is_shorter = nearest, nearest, False
        # where normal forces alone hold up to the limit they are asked first, in a tenth of the time
        self._is_smooth = self._holds_smooth(self._load(nearest.direction, (1 - WITHIN) * self._best))

    def run(self, directions: Array) -> NearestBoundary:
        asked = np.zeros((0, 2))
        everywhere = [self._found.direction, *directions]
        for number, direction in enumerate(everywhere, start=1):
            stage(f"force balance: is it reached? direction {number} of {len(everywhere)}")
            if len(asked) and (asked @ direction).max() > SAME:
                continue
            asked = np.concatenate([asked, [direction], *([plane @ direction] for plane in self._planes)])
            self._ask(direction)
        if self._circles:
            # with all points, where fewer give way first
            self._circles, self._start, self._lost = [], None, None
            self._ask(self._found.direction)
        return self._rigid() if self._is_shorter else self._found

    def _rigid(self) -> NearestBoundary:
        """Returns what was found with the motion just beyond it, of which contacts that yield are no part."""
        distance = (1 + BEYOND) * max(self._best, LOST)
        if (
            self._balanced.distance <= distance
            and self._balanced.direction @ self._found.direction > 1 - 1e-9
        ):
            return replace(self._found, velocities=self._balanced.velocities)
        answer = self._springs.respond(self._load(self._found.direction, distance), to_the_end=True)
        return (
            self._found
            if answer.held
            else replace(self._found, velocities=self._whole(-answer.displacements))
        )

    def _whole(self, motion: Array) -> Array:
        return motion if self._spread is None else np.asarray(self._spread @ motion)

    def _ask(self, direction: Array) -> None:
        """Brings the distance to that in a direction if it is shorter there, and in those across the line of the
        motions that start there: before it too, as there is less to search afterwards."""
        first = loss = self._inside(direction)
        turned = direction
        for _ in range(TURNS):
            across = None if loss is None else self._across(turned, loss.motion)
            nearer = None if across is None else self._inside(across, is_quick=True)
            if across is None or nearer is None:
                break
            turned, loss = across, nearer
        motion = None
        if loss is not None and loss is not first:
            motion = self._shorten(turned, loss)
            first = self._inside(direction)
        if first is not None:
            turned, motion = direction, self._shorten(direction, first)
        for _ in range(TURNS):
            across = None if motion is None else self._across(turned, motion)
            loss = None if across is None else self._inside(across)
            if across is None or loss is None:
                break
            turned, motion = across, self._shorten(across, loss)

    def _across(self, direction: Array, motion: Array) -> Array | None:
        """Returns the direction across the line of a motion, where that is another one."""
        across = self._loads.T @ motion
        size = float(np.linalg.norm(across))
        return None if size == 0 or across @ direction > SAME * size else across / size

    def _inside(self, direction: Array, *, is_quick: bool = False) -> _Loss | None:
        """Returns what gives way just within the distance, if anything does."""
        at = (1 - WITHIN) * self._best
        return (
            None
            if at == 0 or self._is_sure(direction, at)
            else self._gives_way(direction, at, is_quick=is_quick)
        )

    def _shorten(self, direction: Array, first: _Loss) -> Array | None:
        """Brings the distance to that in a direction. first: what gives way just within it. Returns the motion that
        starts there; None where the distance stays."""
        low, high, loss = self._between(direction, 0.0, first, is_quick=True)
        if loss.is_followed:
            asked = self._gives_way(direction, loss.distance)
            if asked is None:
                # followed from a neighbour it gives way, by itself it is held
                own = self._inside(direction) if first.is_followed else first
                if own is None:
                    return None
                low, high, asked = self._between(direction, loss.distance, own, is_quick=False)
            loss = asked
        # springs may carry a little of what is held: what they carry of what is not tells the limit more closely
        high = loss.guess if abs(high - loss.guess) <= CLOSE * high else high
        self._best = high if high > LOST else 0.0
        self._found = NearestBoundary(self._best, low, direction, self._whole(loss.motion))
        self._is_shorter = True
        return loss.motion

    def _between(
        self, direction: Array, low: float, loss: _Loss, *, is_quick: bool
    ) -> tuple[float, float, _Loss]:
        """Returns the distances between which the limit lies, and the last that gives way. low: is held. loss: is
        not."""
        high, creeps, further = loss.distance, 0, 0.9 * WITHIN
        while high - low > WITHIN * high and high > LOST:
            guess = loss.guess
            if low < (1 - WITHIN / 3) * guess < high and creeps < CREEPS:
                at, creeps = (1 - WITHIN / 3) * guess, creeps + 1
            elif (1 - NEAR) * guess < low <= guess and low + further * high < high:
                at, further = low + further * high, 2 * further
            else:
                at = low + PART * (high - low) if low > 0 or high < LEAP else high / LEAP
            is_sure = self._is_sure(direction, at)
            asked = None if is_sure else self._gives_way(direction, at, is_quick=is_quick)
            if asked is None:
                low = at
            else:
                high, loss = at, asked
            if is_sure and (1 - WITHIN) * loss.guess <= low <= loss.guess and loss.guess >= (1 - NEAR) * high:
                high = loss.guess
        return low, high, loss

    def _load(self, direction: Array, distance: float) -> Array:
        return np.asarray((self._weights + self._loads @ (distance * direction)) / max(1.0, distance))

    def _is_sure(self, direction: Array, distance: float) -> bool:
        """Returns whether a load is reached because no contact that squeezes is needed, nor turns anything: those that
        are pressed lie alike on both sides."""
        sure, limit = self._unsqueezed, self._limit
        if sure is None or not any(plane @ direction @ direction > 1 - 1e-9 for plane in self._planes):
            return False
        load = self._load(direction, distance)
        return fall_within(sure.matrix, sure.friction, load, -limit, limit).value <= UNBALANCED

    def _gives_way(self, direction: Array, distance: float, *, is_quick: bool = False) -> _Loss | None:
        """Returns None where the load is reached. is_quick: a neighbour's answer that is followed will do."""
        load = self._load(direction, distance)
        if self._is_smooth and self._holds_smooth(load):
            return None
        pull = self._pulls[0] + distance * (direction @ self._pulls[1:])
        places = tuple(int(np.argmax(offsets @ pull)) for _, offsets in self._circles)
        springs = self._fewer_springs(places)
        answer = springs.respond(load, self._start, self._lost)
        if self._circles and not answer.held:
            # what tips elsewhere presses other points
            pressed = (self._matrix.T @ answer.displacements)[::3]
            others = tuple(int(np.argmax(pressed[rows])) for rows, _ in self._circles)
            if np.any(_apart(np.array(places, dtype=np.int64) - np.array(others, dtype=np.int64)) > FINE):
                springs = self._fewer_springs(others)
                answer = springs.respond(load, self._start, self._lost)
        if answer.is_followed and not answer.held and not is_quick:
            # a neighbour's answer may lead to another, which gives way earlier
            answer = springs.respond(load)
        if answer.held:
            self._start = answer.displacements
            return None
        self._lost, motion = answer.displacements, -answer.displacements
        if self._holds_smooth(load):
            return None
        guess = distance - self._back(direction, distance, answer)
        return _Loss(distance, guess, motion, answer.is_followed)

    def _fewer_springs(self, places: tuple[int, ...]) -> Springs:
        """Returns the springs without most points of each circle: those about a place on it and a few all round, each
        as stiff as those that it stands for."""
        if not places:
            return self._springs
        if places not in self._fewer:
            stands_for = np.ones(len(self._friction))
            for (rows, _), place in zip(self._circles, places, strict=True):
                stands_for[rows] = np.roll(SHARES, place)
            kept = np.flatnonzero(stands_for)
            # of a force that grows with what is pressed: both in that measure
            scaled = self._matrix @ diags_array(np.repeat(np.sqrt(stands_for), 3))
            matrix = csc_array(scaled[:, (3 * kept[:, None] + np.arange(3)).reshape(-1)])
            self._fewer[places] = Springs(matrix, self._friction[kept], self._springs.own)
        return self._fewer[places]

    def _holds_smooth(self, load: Array) -> bool:
        """Returns whether normal forces alone hold a load: they are called up, whatever is pressed."""
        limit = self._limit
        smooth = np.zeros_like(self._friction)
        return fall_within(self._matrix, smooth, load, -limit, limit).value <= UNBALANCED

    def _back(self, direction: Array, distance: float, answer: Response) -> float:
        """Returns how much nearer the limit is by the springs' share."""
        power = -float(self._loads @ direction @ answer.displacements) / max(1.0, distance)
        return answer.carried / power if power > 0 else distance


def _apart(steps: Ints) -> Ints:
    """Returns how many points of a circle lie between two, the shorter way."""
    return np.abs((steps + AROUND // 2) % AROUND - AROUND // 2)


def _shares() -> Array:
    """Returns how many points of a circle each of them stands for (n,), the first being where it presses."""
    away = _apart(np.arange(AROUND))
    kept = np.flatnonzero((away <= FINE) | (away % FINE == 0))
    shares = np.zeros(AROUND)
    shares[kept] = (np.diff(kept, append=AROUND) + np.diff(kept, prepend=kept[-1] - AROUND)) / 2
    return shares


SHARES = _shares()


def _circles(balance: Balance) -> list[tuple[Ints, Array]]:
    """Returns the points that stand for each circle: their rows (n,), and where they are, seen from its middle and from
    above (n, 3)."""
    contacts = balance.contacts
    patches = np.flatnonzero(np.bincount(contacts.patch) == AROUND)
    rows = [np.flatnonzero(contacts.patch == patch) for patch in patches if contacts.curved]
    across = np.eye(3) - np.outer(balance.down, balance.down)
    return [(row, (contacts.points[row] - contacts.points[row].mean(axis=0)) @ across) for row in rows]
