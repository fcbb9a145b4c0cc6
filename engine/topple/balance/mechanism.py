"""The mechanism of a verdict: which pieces begin to move, over which edge, and what is missing or to spare.

For what stands the mechanism is the dual solution of the force balance at its critical tilt. For what falls it is the
motion in which it begins to fall: of all accelerations that no contact forbids the one nearest to free fall (Gauss'
principle of least constraint, 1829). By the theorem of virtual power the weights' power over it tells how much is
missing: over the speed of a point it is the force there that stops the mechanism (or starts it), over the weights'
turning it is how far their centre of mass lies beyond the edge (or inside).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import clarabel
import numpy as np
from scipy.sparse import block_diag, csc_matrix

from teeter.engine.pose import vector_of
from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.equilibrium import (
    SOLVED,
    UNBALANCED,
    Balance,
    balance_of,
    contact_rows,
    fall,
    solver_settings,
)
from teeter.engine.topple.balance.margins import Velocities, mechanism_of, weakest
from teeter.engine.topple.balance.rocking import rocking_of
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.features import corners_of, of_bodies
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import DOWN, Assembly, Body, Vector
from teeter.engine.world.rolling import resists
from teeter.models.hulls import groups_of

TOGETHER = 0.02
"""Metres a second, of a mechanism whose fastest point makes 1: pieces that move apart by less move as one."""
HINGE = 0.05
"""The same, of points that hardly move: there may be an edge to tip over."""
STAYS = 1e-4
"""The same, of points of that edge, beyond the slowest of them."""
ROCKS = 0.1
"""Of the fastest point's speed: more than this from turning about a horizontal axis is tipping, less is sliding."""
SLIPS = 0.25
"""Of that: what touches nothing at a slower point slides, however it turns: a ladder, at both its ends."""
NARROW = 1e-4
"""Metres from a line within which points belong to it; shorter edges are corners."""

DRIVEN = 1e-5
"""Of gravity: a fall that begins with less is told by the motion that statics found."""
OVER = 1e-5
"""Metres: a centre of mass so little beyond an edge is over it."""

Kind = Literal["tips", "slides", "drops"]


class Mechanism:
    """Velocities of all bodies, scaled so that the fastest point makes 1 m/s. Metres, seconds, newtons."""

    def __init__(
        self, assembly: Assembly, velocities: Velocities, contacts: Contacts, gravity: Array
    ) -> None:
        self._bodies = {body.name: body for body in assembly.bodies}
        self._free = [body.name for body in assembly.free]
        self._velocities = velocities
        self._pull = float(np.linalg.norm(gravity))
        self._down = gravity / self._pull
        self._pairs: dict[tuple[str, str], Array] = {}
        for pair in sorted({*zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)}):
            mine = (contacts.first == pair[0]) & (contacts.second == pair[1])
            self._pairs[contacts.names[pair[0]], contacts.names[pair[1]]] = contacts.points[mine]

    def at(self, name: str, points: Array) -> Array:
        """Returns the velocities (n, 3) of points (n, 3) of a body."""
        body = self._bodies[name]
        if body.fixed:
            return np.zeros_like(points)
        velocity, spin = map(np.array, self._velocities[name])
        moved: Array = velocity + np.cross(spin, points - body.centre_of_mass)
        return moved

    def _apart(self, pair: tuple[str, str], points: Array) -> Array:
        """Returns how fast two bodies move against each other at points (n, 3)."""
        return np.asarray(np.linalg.norm(self.at(pair[0], points) - self.at(pair[1], points), axis=1))

    def _turning_apart(self, pair: tuple[str, str]) -> float:
        """Returns how fast two bodies turn against each other, rad/s."""
        one, other = (
            np.zeros(3) if self._bodies[n].fixed else np.array(self._velocities[n][1]) for n in pair
        )
        return float(np.linalg.norm(one - other))

    def corners(self, names: tuple[str, ...]) -> tuple[Array, Array]:
        """Returns the corners (n, 3) of some bodies, and their velocities."""
        corners = [corners_of(self._bodies[name]) for name in names]
        moved = [self.at(name, points) for name, points in zip(names, corners, strict=True)]
        return np.concatenate(corners), np.concatenate(moved)

    def _is_still(self, name: str) -> bool:
        return bool(np.linalg.norm(self.corners((name,))[1], axis=1).max() <= TOGETHER)

    def moving(self) -> tuple[str, ...]:
        """Returns all pieces that move."""
        return tuple(name for name in self._free if not self._is_still(name))

    def as_one_with(self, name: str) -> tuple[str, ...]:
        """Returns the pieces that move as one body with this one, joined by contacts, in the assembly's order."""
        return self._joined(name, lambda pair: self._apart(pair, self.corners(pair)[0]).max() <= TOGETHER)

    def moving_with(self, name: str) -> tuple[str, ...]:
        """Returns the pieces that move and touch this one, or others that do: no force on one moves any else."""
        moving = set(self.moving())
        return self._joined(name, lambda pair: moving >= set(pair))

    def _joined(self, name: str, is_link: Callable[[tuple[str, str]], bool]) -> tuple[str, ...]:
        """Returns the pieces that are joined to one by some of the contacts, in the assembly's order."""
        number = {piece: at for at, piece in enumerate(self._free)}
        pairs = [pair for pair in self._pairs if number.keys() >= set(pair) and is_link(pair)]
        joined = np.array([(number[one], number[other]) for one, other in pairs], dtype=np.int64)
        group = groups_of(len(number), *joined.reshape(-1, 2).T)
        return tuple(piece for piece in self._free if group[number[piece]] == group[number[name]])

    def joint(self, moves: tuple[str, ...]) -> tuple[str | None, tuple[Vector, Vector] | None]:
        """Returns the lowest piece against which the moving ones turn or slide, and the edge about which they turn:
        contact points that stay together, the farthest two of them; neighbours in the same line lengthen it."""
        touches: dict[str, list[tuple[Array, Array, float]]] = {}
        for pair, points in self._pairs.items():
            inside = [name in moves for name in pair]
            if sum(inside) == 1:
                touch = points, self._apart(pair, points), self._turning_apart(pair)
                touches.setdefault(pair[inside.index(False)], []).append(touch)
        if not touches:
            return None, None
        least = {name: min(float(apart.min()) for _, apart, _ in each) for name, each in touches.items()}
        # how far a point lies from the edge: what it is faster than those on it over the turning
        hinges = {
            name: np.concatenate(
                [
                    points[apart <= least[name] + max(STAYS, TOUCH_DECLARED.gap * turning)]
                    for points, apart, turning in each
                ]
            )
            for name, each in touches.items()
            if least[name] <= HINGE
        }
        if not hinges:
            return min(least, key=lambda name: (least[name], name)), None
        name = min(hinges, key=lambda hinge: (float(hinges[hinge][:, 2].min()), hinge))
        start, end = _farthest(hinges[name])
        length = float(np.linalg.norm(end - start))
        if length > NARROW:
            every = np.concatenate(list(hinges.values()))
            aside = np.linalg.norm(np.cross(every - start, (end - start) / length), axis=1)
            start, end = _farthest(every[aside <= NARROW])
        return name, (vector_of(start), vector_of(end))

    def rubs_on(self, moves: tuple[str, ...]) -> str | None:
        """Returns the piece along which the moving ones slide fastest, the first by name of those alike."""
        apart = self._rubbing(moves, np.max)
        return min((-speed, name) for speed, name in apart)[1] if apart else None

    def _rubbing(self, moves: tuple[str, ...], of: Callable[[Array], float]) -> list[tuple[float, str]]:
        """Returns how fast contact points, the slowest or the fastest `of` each pair, move against what does not move
        as one with some pieces, and what that is."""
        return [
            (round(float(of(self._apart(pair, points))), 4), name)
            for pair, points in self._pairs.items()
            for name in pair
            if name not in moves and set(pair) & set(moves)
        ]

    def edge_of(
        self, moves: tuple[str, ...], against: str | None, edge: tuple[Vector, Vector] | None
    ) -> str | None:
        """Returns which of them all the edge belongs to, the one below first; None where none has it."""
        if against is None or edge is None:
            return None
        return next((name for name in (against, *moves) if _has(self._bodies[name], np.array(edge))), None)

    def _turning(self, name: str) -> float:
        """Returns how fast a piece turns about a level axis, rad/s."""
        return float(np.linalg.norm(np.cross(self._velocities[name][1], self._down)))

    def kind(self, moves: tuple[str, ...], against: str | None) -> Kind:
        """Returns whether they tip, slide, or drop."""
        if against is None:
            return "drops"
        # of all of them together: a tower of 20 turns slowly
        reach = float(np.linalg.norm(np.ptp(self.corners(moves)[0], axis=0))) / 2
        turns = max(map(self._turning, moves)) * reach > ROCKS
        return "tips" if turns and min(self._rubbing(moves, np.min))[0] <= SLIPS else "slides"

    def power(self, names: Iterable[str]) -> float:
        """Returns the watts of the weights of some pieces, and of the other loads on them."""
        listed = list(names)
        powers = [self._bodies[name].piece.mass * self._down @ self._velocities[name][0] for name in listed]
        return self._pull * float(sum(powers)) + sum(map(self._load_power, listed))

    def _load_power(self, name: str) -> float:
        body = self._bodies[name]
        places = [body.pose.apply(np.array([load.point])) for load in body.loads]
        powers = [
            self.at(name, place)[0] @ load.force for place, load in zip(places, body.loads, strict=True)
        ]
        return float(sum(powers))

    def room(self, moves: tuple[str, ...], against: str | None) -> float | None:
        """Returns the metres their centre of mass lies inside the edge over which they tip; None when that edge moves
        itself, or their weights are not all that acts on them."""
        if against is None or not self._is_still(against):
            return None
        if any(load.is_force for name in moves for load in self._bodies[name].loads):
            return None
        turning = sum(self._bodies[name].piece.mass * self._turning(name) for name in moves)
        return -self.power(moves) / (self._pull * turning) if turning > 0 else None


def _has(body: Body, ends: Array) -> bool:
    """Returns whether two points (2, 3) lie on one edge of a body."""
    edges = of_bodies([body]).edges
    along = edges[:, 1] - edges[:, 0]
    lengths = np.maximum(np.linalg.norm(along, axis=1), NARROW)
    from_start = ends[None] - edges[:, :1]
    share = np.einsum("eij,ej->ei", from_start, along) / lengths[:, None] ** 2
    nearest = from_start - np.clip(share, 0.0, 1.0)[..., None] * along[:, None]
    return bool((np.linalg.norm(nearest, axis=2) <= NARROW).all(axis=1).any())


def _farthest(points: Array) -> tuple[Array, Array]:
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    at = divmod(int(np.argmax(gaps)), len(points))
    return points[at[0]], points[at[1]]


def _fastest(points: Array, velocities: Array) -> tuple[Array, Array]:
    """Returns the corner that moves fastest, and its velocity; of equally fast ones the first in space, whatever the
    order of the pieces."""
    speeds = np.linalg.norm(velocities, axis=1)
    equal = np.flatnonzero(speeds >= speeds.max() * (1 - 1e-4))
    at = min(equal, key=lambda k: (-round(points[k][2], 6), *np.round(points[k][:2], 6)))
    return points[at], velocities[at]


MAX_FRICTION_FACTOR = 16.0
"""Times the friction there is: what does not hold with so much is not held by friction."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The mechanism of a verdict. stands: whether it is what would happen first, or what does.

    moves: the pieces that move as one with the weakest; others: those that move besides. kind: how; drops: nothing is
    below. against: the piece on which they tip or slide. edge: the two ends of that over which they tip, metres;
    edge_of: the piece whose edge that is, `against` where it is both's; None where curves touch. towards:
    degrees, the bearing in which they go, counter-clockwise from +x; None straight down. room: metres their centre of
    mass lies inside the edge, negative beyond it; None when they slide, or turn about no edge. force: newtons at
    `point` (metres, where they move fastest) that are enough to start what moves with them; negative: at least so many
    are missing to stop it. friction_needed: times the friction there is, for what slides and does not stand; None when
    none would do.
    """

    stands: bool
    moves: tuple[str, ...]
    others: tuple[str, ...]
    kind: Kind
    against: str | None
    edge: tuple[Vector, Vector] | None
    edge_of: str | None
    towards: float | None
    room: float | None
    force: float
    point: Vector
    friction_needed: float | None


def explain(
    assembly: Assembly, statics: Statics, contacts: Contacts, *, gravity: Vector = DOWN
) -> Explanation | None:
    """Returns the mechanism of what statics said of an assembly; None where it is silent or nothing can move it.

    statics: of the same assembly, contacts and gravity, with margins.
    """
    if statics.stands is None or statics.weakest is None or not statics.mechanism:
        return None
    rocking = rocking_of(assembly, contacts, gravity, None, resisting=resists(assembly.bodies))
    balance = rocking.balance if rocking else balance_of(assembly, contacts, gravity=gravity)
    contacts, velocities, first = balance.contacts, statics.mechanism, statics.weakest
    if not statics.stands:
        begins = beginning(assembly, balance)
        # where hardly anything drives it the direction of what drives it is rounding
        if np.abs(begins).max(initial=0.0) > DRIVEN:
            velocities, first = mechanism_of(balance, begins), weakest(balance, begins) or first
    if not velocities:
        return None
    mechanism = Mechanism(assembly, velocities, contacts, np.array(gravity))
    moves = mechanism.as_one_with(first)
    others = tuple(name for name in mechanism.moving() if name not in moves)
    against, edge = mechanism.joint(moves)
    kind = mechanism.kind(moves, against)
    if kind == "slides":
        # about one piece it may turn while it slides along another
        against, edge = mechanism.rubs_on(moves), None
    corners, speeds = mechanism.corners(moves)
    point, velocity = _fastest(corners, speeds)
    room = mechanism.room(moves, against) if kind == "tips" and edge is not None else None
    if room is not None and not statics.stands:
        # what falls does not lie inside; where it is exactly over the edge its motion is rounding
        room = 0.0 if room > -OVER else room
    force = -mechanism.power(mechanism.moving_with(first)) / float(np.linalg.norm(velocity))
    if room is not None and statics.stands_by_itself and room < 0.0:
        # it leans on others, which give way first: what lies beyond its own edge is not what it has to spare
        room, force = 0.0, max(force, 0.0)
    return Explanation(
        stands=statics.stands_by_itself is True,
        moves=moves,
        others=others,
        kind=kind,
        against=against,
        edge=edge,
        edge_of=mechanism.edge_of(moves, against, edge),
        towards=_bearing(velocity, speeds[int(np.argmax(corners[:, 2]))]),
        room=room,
        force=force,
        point=vector_of(point),
        friction_needed=_friction_needed(balance) if kind == "slides" and not statics.stands else None,
    )


def _bearing(velocity: Array, top_velocity: Array) -> float | None:
    """Returns the bearing of the fastest corner, or where that moves straight up or down, of the highest one."""
    level = velocity[:2] if np.linalg.norm(velocity[:2]) > 1e-3 else top_velocity[:2]
    if np.linalg.norm(level) <= 1e-3:
        return None
    return round(math.degrees(math.atan2(level[1], level[0])), 6) % 360.0


def beginning(assembly: Assembly, balance: Balance) -> Array:
    """Returns the accelerations (6 n,) with which it begins to fall, in the units of the balance with gravity 1.

    minimise v.M v / 2 - g.v so that B^T v in K*; friction is associated, as in all of statics. Raises StaticsError.
    """
    rows, cones, _ = contact_rows(balance.matrix, balance.friction)
    inertia = []
    for body, weight in zip(assembly.free, balance.weights, strict=True):
        rotation = body.pose.matrix
        about = rotation @ body.piece.inertia @ rotation.T / (body.piece.mass * balance.length**2)
        inertia += [weight * np.eye(3), weight * about]
    solver = clarabel.DefaultSolver(
        csc_matrix(block_diag(inertia)),
        -balance.acting,
        csc_matrix(rows),
        np.zeros(rows.shape[0]),
        cones,
        solver_settings(refine=True),
    )
    result = solver.solve()
    if str(result.status) not in SOLVED:
        raise StaticsError(f"how it begins to fall could not be found ({result.status})")
    return np.array(result.x)


def _friction_needed(balance: Balance) -> float | None:
    """Returns the smallest multiple of the friction with which it stands, to a thousandth; None for none."""

    def holds(times: float) -> bool:
        try:
            return fall(balance, times * balance.friction).value <= UNBALANCED
        except StaticsError:
            return False

    low, high = 1.0, 2.0
    while not holds(high):
        low, high = high, 2 * high
        if high > MAX_FRICTION_FACTOR:
            return None
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
