"""Whether pieces that touch on curves or edges rock to rest: the second variation of the potential energy.

At the points of contact pieces may roll on each other: motions v in which none of them slides or opens, B^T v = 0. The
forces do no work over them, so they tell nothing of those; the height of the weights does. With forces f that
balance all else, the contact's mobility M (`RollingContacts`) and r from a centre of mass to the contact,

    d^2 V = sum over contacts of  - w.[f] M [n] w + s(w_1, r_1) - s(w_2, r_2),   s = (f.r)|w|^2 - (f.w)(r.w)        (5)

with w = w_1 - w_2 the rotations of the two pieces and [a] the matrix of the cross product. For a piece whose centre is
h over a contact of relative curvature k it is the textbook's: stable if h < 1 / k. Where a weight pulls along a
rolling motion the pieces find rest a little further, where its slope is made up by the curvature of the energy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.tolerances import TOUCH_AT_REST
from teeter.engine.topple.balance.equilibrium import UNBALANCED, Balance, balance_of, fall_within
from teeter.engine.topple.balance.forces import newton, out_of_balance
from teeter.engine.topple.balance.wedging import called_up, can_wedge
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.curves import RollingPoint, touching_on_curves
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.stages import stage
from teeter.engine.world.body import Assembly, Vector, magnification
from teeter.engine.world.rolling import rolling_between

MAX_PIECES = 60
"""Beyond this many the rolling motions take too long to find."""
LOST = 1e-8
"""Of the greatest singular value: rolling motions are those that this little opposes."""
NEUTRAL = 1e-4
"""Of weight times size: an energy that bends less neither rises nor falls, as that of a ball on a table."""
MAX_ROLL = math.radians(5.0)
"""A piece that has to roll further to find rest has left it."""
FLAT = 1e-6
"""Of the greatest mobility: ways in which a contact does not roll."""
PATCH_SIDES = 24
SMOOTH = 1e-6
"""With less friction nothing rolls."""
QUICK_STEPS = 15
BEARINGS = np.arange(8) * np.pi / 4
FINEST = np.radians(4.0)
PRECISE = 1e-3
"""Of a margin, and of the weight: how closely it is searched."""
NO_MARGIN = 1e-5
"""Weights: a smaller pull is none."""
LEAP = 4.0
BEYOND = 2e-3
"""Part of a margin past it at which the motion is asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class RollingContacts:
    """All contacts of an assembly, those on curved surfaces too.

    mobility: (k, 3, 3) metres: of contact point c, where the pieces turn against each other by a small rotation w, the
    point moves by mobility @ (w x normal) as they roll; zero on flat faces, corners and across edges. gaps: metres, of
    the last points, which are those on curves; negative inside each other.
    """

    contacts: Contacts
    mobility: Array
    gaps: Array


PointsOnCurves = Mapping[tuple[str, str], Sequence[RollingPoint]]
"""Of pairs of bodies, the upper first."""


def points_on_curves(assembly: Assembly, contacts: Contacts) -> PointsOnCurves:
    """Returns where pieces touch on curved surfaces."""
    bodies = {body.name: body for body in assembly.bodies}
    gap = TOUCH_AT_REST.gap * magnification(assembly.bodies)
    return {pair: touching_on_curves(bodies[pair[0]], bodies[pair[1]], gap) for pair in contacts.curved}


def with_curves(
    assembly: Assembly, contacts: Contacts, *, resisting: bool = False, known: PointsOnCurves | None = None
) -> RollingContacts | None:
    """Returns the contacts with those on curved surfaces; None where a surface is round about no axis. resisting: where
    pieces resist rolling by a couple b N, their contacts are patches that reach b to both sides, which do not roll.
    known: points of some of the pairs."""
    bodies = {body.name: body for body in assembly.bodies}
    unknown = tuple(pair for pair in contacts.curved if pair not in (known or {}))
    found = {**(known or {}), **points_on_curves(assembly, replace(contacts, curved=unknown))}
    number = {name: at for at, name in enumerate(contacts.names)}
    first, second = list[int](), list[int]()
    points: list[RollingPoint] = []
    for upper, lower in contacts.curved:
        touches = list(found[upper, lower])
        if not touches:
            return None
        length = rolling_between(bodies[upper], bodies[lower]) if resisting else 0.0
        if length > 0:
            touches = [touch for point in touches for touch in _reaching(point, length)]
        first += [number[upper]] * len(touches)
        second += [number[lower]] * len(touches)
        points += touches
    old = len(contacts.points)
    mobility = np.zeros((old + len(points), 3, 3))
    if not points:
        return RollingContacts(contacts, mobility, np.zeros(0))
    mobility[old:] = [point.mobility for point in points]
    # each is a patch of its own, but those round one circle
    circle = np.array([first, second, [point.spacing for point in points]])
    starts = (circle[2] == 0) | np.append(True, np.any(circle[:, 1:] != circle[:, :-1], axis=0))
    patch = np.cumsum(starts) + contacts.patch.max(initial=-1)
    whole = replace(
        contacts,
        first=np.append(contacts.first, first),
        second=np.append(contacts.second, second),
        points=np.concatenate([contacts.points, [point.place for point in points]]),
        normals=np.concatenate([contacts.normals, [point.normal for point in points]]),
        patch=np.append(contacts.patch, patch),
    )
    return RollingContacts(whole, mobility, np.array([point.gap for point in points]))


def _reaching(point: RollingPoint, length: float) -> list[RollingPoint]:
    """The points of a patch: to both sides where it rolls one way, around where it rolls all ways."""
    values, ways = np.linalg.eigh(point.mobility)
    ways = ways.T[np.abs(values) > FLAT * max(float(np.abs(values).max()), 1e-300)]
    if len(ways) == 1:
        arms = length * np.array([ways[0], -ways[0]])
    elif len(ways) == 2:
        # around the circle, so that no direction has less than it
        angles = np.arange(PATCH_SIDES) * 2 * np.pi / PATCH_SIDES
        arms = length / np.cos(np.pi / PATCH_SIDES) * (np.array([np.cos(angles), np.sin(angles)]).T @ ways)
    else:
        return [point]
    return [replace(point, place=point.place + arm, mobility=np.zeros((3, 3))) for arm in arms]


@dataclass(frozen=True, slots=True, eq=False)
class Rocking:
    """stands. forces: (k, 3) as n, t1, t2, None when nothing balances. motion: (6 n,), in which it falls, or rolls to
    rest. rolls: numbers of the pieces that may roll on and on: nothing drives them and nothing brings them back.
    is_far: it does not stand only because its rest is further than the curvature here tells, or than was allowed.
    comes_back: something that rocks is brought back.
    """

    stands: bool
    forces: Array | None
    motion: Array
    rolls: tuple[int, ...] = ()
    is_far: bool = False
    comes_back: bool = False


def rocking_of(
    assembly: Assembly,
    contacts: Contacts,
    gravity: Vector,
    friction: float | None,
    *,
    resisting: bool = False,
    known: PointsOnCurves | None = None,
) -> RockingBalance | None:
    """Returns the balance of pieces that touch on curves; None where none do, one is not known or they are too many.
    resisting, known: as for `with_curves`."""
    if not contacts.curved or not 0 < len(assembly.free) <= MAX_PIECES:
        return None
    rolling = with_curves(assembly, contacts, resisting=resisting, known=known)
    if rolling is None:
        return None
    balance = balance_of(assembly, rolling.contacts, gravity=gravity, friction=friction)
    return RockingBalance(balance, rolling.mobility) if balance.friction.min(initial=1.0) > SMOOTH else None


def hangs(balance: Balance) -> bool:
    """Returns whether a piece touches others along one line alone, so that it hangs there, or falls, as a pendulum."""
    if not 0 < len(balance.names) <= MAX_PIECES or not (balance.friction > SMOOTH).all():
        return False
    points = balance.contacts.points
    for piece in range(len(balance.names)):
        mine = points[(balance.first == piece) | (balance.second == piece)]
        spread = np.linalg.svd(mine - mine.mean(axis=0), compute_uv=False) if len(mine) > 1 else np.zeros(2)
        if len(mine) and spread[1] <= 1e-6 * max(float(spread[0]), balance.length):
            return RockingBalance(balance).can_roll
    return False


class RockingBalance:
    """The balance of pieces some of which may roll."""

    def __init__(self, balance: Balance, mobility: Array | None = None) -> None:
        """Mobility: (k, 3, 3) metres, of each contact point; None where they all stay where they are."""
        self.balance = balance
        mobility = np.zeros((len(balance.friction), 3, 3)) if mobility is None else mobility
        self._mobility = mobility / balance.length
        self._loose, self._rolls = self._motions()
        count, modes = len(self._loose) // 6, self._loose.shape[1]
        turns = self._loose.reshape(count, 6, modes)[:, 3:].reshape(3 * count, modes)
        # of a load: the moments that drive the loose motions as it does
        self._to_moments = np.linalg.pinv(turns.T) @ self._loose.T
        self._points = balance.contacts.points / balance.length

    def under(self, balance: Balance) -> RockingBalance:
        """Returns the same pieces and contacts under other loads."""
        other = copy(self)
        other.balance = balance
        return other

    def _motions(self) -> tuple[Array, Array]:
        """Returns orthonormal motions (6 n, m) in which no contact slides or opens; and those of them in which nothing
        spins on the spot, about the normal of the one point it touches at: however small, a point of wood on wood is a
        spot, and that is held there."""
        from scipy.linalg import null_space  # for curves alone, and slow to load

        balance = self.balance
        stays = balance.matrix.T.toarray()
        loose = null_space(stays, rcond=LOST)
        if not loose.shape[1]:
            return loose, loose
        turns = np.zeros((len(balance.first), 3, stays.shape[1]))
        for sign, body in ((1.0, balance.first), (-1.0, balance.second)):
            at = np.flatnonzero(body >= 0)
            columns = 6 * body[at, None] + np.arange(3, 6)
            turns[at[:, None, None], np.arange(3)[:, None], columns[:, None]] += sign * balance.frames[at]
        # frames: rows normal, then across it
        spins = null_space(np.concatenate([stays, turns[:, 1:].reshape(-1, stays.shape[1])]), rcond=LOST)
        spinning = np.abs(turns[:, 0] @ spins).max(axis=1, initial=0.0) > SMOOTH
        if not spinning.any():
            return loose, loose
        return loose, null_space(np.concatenate([stays, turns[spinning, 0]]), rcond=LOST)

    @property
    def can_roll(self) -> bool:
        """Whether any piece can."""
        return bool(self._loose.shape[1])

    def judged(self, load: Array) -> Rocking:
        """Returns whether the pieces stand under a load (6 n,) in the units of the balance."""
        slope, held = self._apart(load)
        forces, fall = self._held(held)
        return Rocking(False, None, fall) if forces is None else self._second(slope, forces)

    def is_called_up(self, load: Array) -> bool:
        """Returns whether what holds a load (6 n,), but for what rolls, is there without being pressed before."""
        return not can_wedge(self.balance) or called_up(self.balance, self._apart(load)[1])[0]

    def travel(self, motion: Array) -> float:
        """Returns how far a contact goes at most in a motion (6 n,), in the units of the balance."""
        return float(np.linalg.norm(self.shifts(motion)[1], axis=1).max(initial=0.0))

    def shifts(self, motion: Array) -> tuple[Array, Array]:
        """Returns by how much the first body of each contact turns against the second in a motion (6 n,), radians, and
        how far the contact goes, in the units of the balance; both (k, 3)."""
        balance = self.balance
        turns = np.append(motion.reshape(-1, 6)[:, 3:], np.zeros((1, 3)), axis=0)
        turn = turns[balance.first] - turns[balance.second]
        return turn, np.einsum("kij,kj->ki", self._mobility, np.cross(turn, balance.frames[:, 0]))

    def downhill(self, load: Array) -> Array | None:
        """Returns the motion (6 n,) by which pieces roll towards their rest under a load, as long as the energy bends
        alike; where it bends down, on along its slope. None where nothing holds them against the rest of the load."""
        slope, held = self._apart(load)
        forces, _ = self._held(held)
        if forces is None:
            return None
        values, vectors = np.linalg.eigh(self._rolls.T @ self._curvature(forces) @ self._rolls)
        motion: Array = self._rolls @ (vectors @ (vectors.T @ slope / np.maximum(np.abs(values), NEUTRAL)))
        return motion

    def _apart(self, load: Array) -> tuple[Array, Array]:
        """Returns what of a load (6 n,) drives the rolling motions, and the rest of it, which contacts have to hold.

        As pieces roll their contacts move along, which changes moments and no forces: friction holds all of the pull.
        """
        moments = np.zeros((len(load) // 6, 6))
        moments[:, 3:] = (self._to_moments @ load).reshape(-1, 3)
        left = load - moments.reshape(-1)
        return self._rolls.T @ load, left - self._loose @ (self._loose.T @ left)

    def _held(self, load: Array) -> tuple[Array | None, Array]:
        """Returns forces (k, 3) that hold a load which drives nothing, or None and the motion of the fall (6 n,)."""
        balance = self.balance
        forces = newton(balance, load, steps=QUICK_STEPS, limit=1e4)
        if forces is not None and out_of_balance(balance, forces, load) <= UNBALANCED / 10:
            return forces, np.zeros(len(load))
        limit = np.repeat(1.0 / balance.sizes, 6)
        answer = fall_within(balance.matrix, balance.friction, load, -limit, limit)
        return (None if answer.value > UNBALANCED else newton(balance, load)), answer.x

    def margin(self, load: Array, more: Array, most: float) -> tuple[float, Array]:
        """Returns how far loads more @ h can grow in their worst direction h (2,) before the pieces fall, and that
        direction: by bisection in eight of them, then between the neighbours of the worst. most: the search ends there.
        """

        def reach(angle: float, high: float) -> float:
            unit = np.array([np.cos(angle), np.sin(angle)])
            if self.judged(load + more @ (high * unit)).stands:
                return high
            low = 0.0
            while high - low > PRECISE * high:
                # by leaps at first, because the end is a thousand times as far as most margins
                middle = (low + high) / 2 if low > 0 or high < LEAP else high / LEAP
                stands = self.judged(load + more @ (middle * unit)).stands
                low, high = (middle, high) if stands else (low, middle)
                if high < NO_MARGIN:
                    return 0.0
            return low

        best, angle = most, 0.0
        for bearing in BEARINGS.tolist():
            stage(f"rocking: how far towards {math.degrees(bearing):.0f} degrees")
            if (distance := reach(bearing, best)) < best:
                best, angle = distance, bearing
        step = np.pi / 8
        while step > FINEST and best > 0:
            sides = [(reach(bearing, best), bearing) for bearing in (angle - step, angle + step)]
            distance, bearing = min(sides)
            if distance < best * (1 - PRECISE):
                best, angle = distance, bearing
            step /= 2
        return best, np.array([np.cos(angle), np.sin(angle)])

    def _second(self, slope: Array, forces: Array) -> Rocking:
        """By the second variation over the rolling motions, whose first one is - slope."""
        rolls = self._rolls
        if not rolls.shape[1]:
            return Rocking(True, forces, np.zeros(rolls.shape[0]))
        values, vectors = np.linalg.eigh(rolls.T @ self._curvature(forces) @ rolls)
        modes, pull = rolls @ vectors, vectors.T @ slope
        if values[0] < -NEUTRAL:
            # where something pulls the rest lies elsewhere, and there the energy may bend the other way
            is_far, comes_back = bool(np.abs(pull).max() > UNBALANCED), bool((values > NEUTRAL).any())
            return Rocking(False, forces, modes[:, 0], is_far=is_far, comes_back=comes_back)
        neutral = np.abs(values) <= NEUTRAL
        driven = neutral & (np.abs(pull) > UNBALANCED)
        if driven.any():
            motion, comes_back = modes[:, driven] @ pull[driven], bool((values > NEUTRAL).any())
            return Rocking(False, forces, motion, comes_back=comes_back)
        # what spins about its point of contact stays where it is
        goes = np.abs(modes.reshape(-1, 6, len(values))[:, :3, neutral]).max(axis=(1, 2), initial=0.0)
        free = tuple(np.flatnonzero(goes > SMOOTH).tolist())
        rests = values > NEUTRAL
        turned = modes[:, rests] @ (pull[rests] / values[rests])
        angle = np.linalg.norm(turned.reshape(-1, 6)[:, 3:], axis=1).max(initial=0.0)
        is_far = bool(angle > MAX_ROLL)
        return Rocking(not is_far, forces, turned, free, is_far, comes_back=bool(rests.any()))

    def _curvature(self, forces: Array) -> Array:
        """The second variation of the energy (6 n, 6 n) over all motions that roll."""
        balance = self.balance
        size = 6 * len(balance.names)
        total = np.zeros((size, size))
        world = np.einsum("ki,kij->kj", forces, balance.frames)
        for at in np.flatnonzero(forces[:, 0] > 1e-9):
            force, normal = world[at], balance.frames[at, 0]
            rolling = -cross_matrix(force) @ self._mobility[at] @ cross_matrix(normal)
            pair = [(balance.first[at], 1.0), (balance.second[at], -1.0)]
            for body, sign in pair:
                if body < 0:
                    continue
                rows = slice(6 * body + 3, 6 * body + 6)
                arm = self._points[at] - balance.centres[body]
                total[rows, rows] += sign * (force @ arm * np.eye(3) - np.outer(force, arm))
                for other, other_sign in pair:
                    if other >= 0:
                        columns = slice(6 * other + 3, 6 * other + 6)
                        total[rows, columns] += sign * other_sign * rolling
        for body, force, arm in zip(balance.pulled, balance.pulls, balance.arms, strict=True):
            rows = slice(6 * body + 3, 6 * body + 6)
            total[rows, rows] += force @ arm * np.eye(3) - np.outer(force, arm)
        return (total + total.T) / 2


def cross_matrix(vector: Array) -> Array:
    """Returns the matrix (3, 3) of the cross product with a vector."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
