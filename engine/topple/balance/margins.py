"""Margins: how far the table can tilt, and how hard the top can be pushed, before a mechanism starts.

Both are the distance from the origin to the boundary of a convex set in the plane that is known by its support
function: tilts and pushes of any direction that forces can balance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import shapely

from engine.topple.balance.equilibrium import MAX_PULL, Balance, SupportFunction, wrenches_at
from engine.topple.contact.arrays import Array
from engine.topple.contact.features import corners_of
from engine.world import Assembly, Body, Vector

SAME = 1e-4
"""Pieces whose speeds, heights or distances agree to this part are alike: the first by name is taken."""
MANY_POINTS = 300
"""Contact points beyond which a query takes so long that half the queries must do."""
ROTATES = 0.1
"""A mechanism in which rocking gives more than this part of the greatest speed topples; else it slides."""

Velocities = dict[str, tuple[Vector, Vector]]
Mode = Literal["topple", "slide"]


@dataclass(frozen=True, slots=True)
class TiltMargin:
    """degrees: the smallest tilt at which equilibrium is lost, at most 90. direction: degrees, the downhill side,
    counter-clockwise from +x. weakest: the piece that moves fastest in the mechanism. mechanism: velocities (m/s of the
    centre of mass, rad/s) of all free pieces, scaled so that the fastest point moves at 1 m/s."""

    degrees: float
    direction: float
    weakest: str | None
    mechanism: Velocities


@dataclass(frozen=True, slots=True)
class PushMargin:
    """newtons: the smallest horizontal force at the top centre of `piece` that moves anything, None for none; mode."""

    newtons: float | None
    piece: str
    mode: Mode | None


def tilt_of(balance: Balance) -> TiltMargin:
    """Returns the tilt margin of pieces that stand. Raises StaticsError when the solver gives up.

    A table tilted by theta towards d pulls the pieces like gravity (tan(theta) d, -1), up to its size, which no contact
    law here notices. The loads h = tan(theta) d that can be carried form a convex set; its boundary is the margin.
    """
    east, north = horizontal(balance.down)
    loads = np.stack([balance.load(east), balance.load(north)], axis=1)
    found = _nearest(balance, loads, east, north)
    direction = math.degrees(math.atan2(*found.direction[::-1])) % 360.0
    if found.lower >= MAX_PULL / 2:
        return TiltMargin(90.0, 0.0, None, {})
    degrees, motion = math.degrees(math.atan(found.distance)), found.velocities
    return TiltMargin(degrees, direction, weakest(balance, motion), mechanism_of(balance, motion))


def push_of(balance: Balance, assembly: Assembly) -> PushMargin:
    """Returns the push margin of pieces that stand: the same distance, for forces at the top of the highest piece."""
    name, loads = push_loads(balance, assembly)
    found = _nearest(balance, loads, *np.eye(3)[:2])
    if found.lower >= MAX_PULL / 2:
        return PushMargin(None, name, None)
    weight = float(balance.weights[balance.names.index(name)]) * balance.force
    return PushMargin(found.distance * weight, name, mode_of(balance, found.velocities))


def push_loads(balance: Balance, assembly: Assembly) -> tuple[str, Array]:
    """Returns the highest piece and the wrenches (6 n, 2) of its weight pushing at its top centre along +x and +y."""
    body, height = top_piece(assembly)
    index = balance.names.index(body.name)
    point = np.array([body.pose.position[0], body.pose.position[1], height]) / balance.length
    loads = np.zeros((len(balance.names), 6, 2))
    loads[index] = wrenches_at(point, balance.centres[index], balance.weights[index] * np.eye(3)[:2]).T
    return body.name, loads.reshape(-1, 2)


def _nearest(balance: Balance, loads: Array, east: Array, north: Array) -> NearestBoundary:
    queries = ROUND_QUERIES if len(balance.friction) <= MANY_POINTS else ROUND_QUERIES // 2
    ask = SupportFunction(balance, loads)
    return nearest_boundary(ask, MAX_PULL, bearings(balance, east, north), queries)


def top_piece(assembly: Assembly) -> tuple[Body, float]:
    """Returns the highest free piece and the height of its top, metres; of several the most central one, then
    by name."""
    free = assembly.free
    tops = np.array([corners_of(body)[:, 2].max() for body in free])
    spread = max(float(np.ptp(tops)), float(tops.max()), 1e-9)
    highest = [body for body, top in zip(free, tops, strict=True) if top >= tops.max() - SAME * spread]
    places = np.array([body.pose.position[:2] for body in highest])
    away = np.linalg.norm(places - places.mean(axis=0), axis=1)
    tie = away.min() + SAME * max(away.max(), 1e-9)
    central = [body for body, distance in zip(highest, away, strict=True) if distance <= tie]
    return min(central, key=lambda body: body.name), float(tops.max())


def horizontal(down: Array) -> tuple[Array, Array]:
    """Two unit vectors across gravity: the parts of +x and +y when gravity points down."""
    north = np.cross(-down, [1.0, 0.0, 0.0])
    if np.linalg.norm(north) < 1e-6:
        north = np.array([0.0, 1.0, 0.0])
    north = north / np.linalg.norm(north)
    return np.cross(north, -down), north


def bearings(balance: Balance, east: Array, north: Array) -> Array:
    """Angles, ascending in [0, 2 pi), across edges of contacts and along their normals: where pieces tip or slip."""
    points, patch = balance.contacts.points, balance.contacts.patch
    following = np.arange(1, len(points) + 1)
    ends = np.flatnonzero(np.append(patch[1:] != patch[:-1], True)) if len(points) else np.zeros(0, np.int64)
    following[ends] = np.append(0, ends[:-1] + 1)[: len(ends)]
    directions = np.concatenate([points[following] - points, balance.contacts.normals])
    flat = np.stack([directions @ east, directions @ north], axis=1)
    length = np.linalg.norm(directions, axis=1)
    # a nearly upright direction has no bearing
    flat = flat[np.linalg.norm(flat, axis=1) > 1e-3 * np.maximum(length, 1e-300)]
    quarters = np.add.outer(np.arctan2(flat[:, 1], flat[:, 0]), np.arange(4) * np.pi / 2).ravel() % (
        2 * np.pi
    )
    return np.asarray(quarters[np.unique(np.round(quarters, 7), return_index=True)[1]])


def speeds(balance: Balance, velocities: Array) -> Array:
    """Bound (n,) on the speed of the fastest point of each piece, from its bounding sphere."""
    motion = velocities.reshape(-1, 6)
    shift, spin = np.linalg.norm(motion[:, :3], axis=1), np.linalg.norm(motion[:, 3:], axis=1)
    return np.asarray(shift + balance.radii * spin)


def weakest(balance: Balance, velocities: Array) -> str | None:
    """Returns the piece that moves fastest; None when nothing moves."""
    fast = speeds(balance, velocities)
    if not fast.max(initial=0.0) > 0:
        return None
    return min(balance.names[at] for at in np.flatnonzero(fast >= (1 - SAME) * fast.max()))


def mode_of(balance: Balance, velocities: Array) -> Mode:
    """Returns whether a mechanism rocks somewhere or only slides (turning about the vertical is sliding)."""
    tilting = np.cross(velocities.reshape(-1, 6)[:, 3:], balance.down)
    rocking = balance.radii * np.linalg.norm(tilting, axis=1)
    return "topple" if rocking.max() > ROTATES * speeds(balance, velocities).max() else "slide"


def mechanism_of(balance: Balance, velocities: Array) -> Velocities:
    """Velocities by name, scaled to a fastest point of 1 m/s; empty when nothing moves."""
    top = float(speeds(balance, velocities).max(initial=0.0))
    if top <= 0:
        return {}
    motion = velocities.reshape(-1, 6) / top
    motion[:, 3:] /= balance.length
    rows = zip(balance.names, motion.tolist(), strict=True)
    return {name: ((a, b, c), (d, e, f)) for name, (a, b, c, d, e, f) in rows}


Query = Callable[[Array], tuple[float, Array, Array]]
"""Direction (2,) -> value of the support function, a point (2,) where it is reached, the velocities there."""

TOLERANCE = 5e-4
"""The gap, relative, between the inner and the outer polygon at which the search may stop."""
SHARP = 1e-6
"""A bracket this narrow, relative, is final; a wider one is polished."""
MAX_QUERIES = 40
"""Enough for any polygon met so far; a smooth set never closes the bracket and is polished instead."""
ROUND_QUERIES = 32
"""Where so many queries give one value the set is a disc, as of what slides; they prove 99.5 % of it (half 98 %)."""
ROUND = 2e-6
"""Values this close to each other, relative, are one value (in a tower the solver reaches 1e-6)."""
SNAP = 0.01
"""Radians. Edges of contacts are where pieces tip: a bearing so close to the normal asked next is asked instead."""
MAX_BEARINGS = 32
"""Bearings asked at last where the bracket would not close."""
WIDE_SNAP = 0.1
"""Radians, as long as the set looks like a disc: tipping cuts off a short side, missed unless asked for."""
MAX_POLISH = 10
"""Each halves the angle left, so quarters the error of a smooth boundary."""
FIRST_DIRECTION = 0.4
"""Radians; off the axes, because oblique directions find the corners of a box's set, and its edges follow."""


@dataclass(frozen=True, slots=True, eq=False)
class NearestBoundary:
    """The nearest point of the boundary. distance: the shortest one found (a supporting line); lower: what the set is
    proven to contain. direction: (2,) unit, towards the line. velocities: of the mechanism that starts there."""

    distance: float
    lower: float
    direction: Array
    velocities: Array


@dataclass(slots=True, eq=False)
class _Asked:
    query: Query
    directions: list[Array] = field(default_factory=list)
    answers: list[tuple[float, Array, Array]] = field(default_factory=list)
    snapped: set[int] = field(default_factory=set)

    def ask(self, direction: Array) -> None:
        self.directions.append(direction)
        self.answers.append(self.query(direction))

    def has(self, direction: Array) -> bool:
        return bool(np.max(np.array(self.directions) @ direction) > 1 - 1e-14)

    def ask_bearing(self, direction: Array) -> None:
        self.snapped.add(len(self.answers))
        self.ask(direction)

    @property
    def values(self) -> list[float]:
        return [value for value, _, _ in self.answers]

    @property
    def points(self) -> Array:
        return np.array([point for _, point, _ in self.answers])

    @property
    def best(self) -> int:
        return int(np.argmin(self.values))


def nearest_boundary(
    query: Query, unlimited: float, bearings: Array, round_queries: int = ROUND_QUERIES
) -> NearestBoundary:
    """Distance from the origin, a point of the set, to its boundary, to TOLERANCE or better.

    Each query gives a boundary point and a supporting line, so the hull of the points lies inside the set and
    the lines enclose it. Asking next along the normal of the hull's nearest edge either proves that edge to be
    boundary or moves it out. unlimited: a set proven to reach half of this in every direction ends the search.
    bearings: (n,) ascending angles in [0, 2 pi) at which edges of the set are likely. round_queries: queries after
    which a set that still looks like a disc is taken for one.
    """
    asked = _Asked(query)
    for quarter in range(4):
        asked.ask(_units(FIRST_DIRECTION + quarter * np.pi / 2))
    lower = _search(asked, unlimited, bearings, round_queries)
    best = asked.best
    value, _, velocities = asked.answers[best]
    return NearestBoundary(max(value, 0.0), max(min(lower, value), 0.0), asked.directions[best], velocities)


def _search(asked: _Asked, unlimited: float, bearings: Array, round_queries: int) -> float:
    """Close the bracket; returns the inner bound."""
    while True:
        lower, normal = _nearest_edge(asked.points)
        upper = asked.values[asked.best]
        if upper - lower <= SHARP * upper or upper <= SHARP or lower >= unlimited / 2:
            return lower
        is_round = max(asked.values) <= (1 + ROUND) * upper
        if len(asked.values) >= (round_queries if is_round else MAX_QUERIES):
            _ask_bearings(asked, bearings)
            break
        if upper - lower <= TOLERANCE * upper:
            if asked.best in asked.snapped:
                return lower
            break
        near = _snapped(normal, bearings, WIDE_SNAP if is_round else SNAP)
        if near is not None and not asked.has(near):
            asked.ask_bearing(near)
        elif not asked.has(normal):
            asked.ask(normal)
        else:
            break
    if max(asked.values) > (1 + ROUND) * min(asked.values):
        _polish(asked)
    return _nearest_edge(asked.points)[0]


def _ask_bearings(asked: _Asked, bearings: Array) -> None:
    """The last look at a set with round sides: the bearings that may still be nearer, or an even choice."""
    units = _units(bearings)
    floors = (units @ asked.points.T).max(axis=1)
    fresh = units[floors < (1 - SHARP) * asked.values[asked.best]]
    for unit in fresh[:: max(1, -(-len(fresh) // MAX_BEARINGS))]:
        if not asked.has(unit):
            asked.ask_bearing(unit)


def _snapped(normal: Array, bearings: Array, width: float) -> Array | None:
    """Returns the bearing within `width` of a direction, if any."""
    if not len(bearings):
        return None
    angle = float(np.arctan2(normal[1], normal[0])) % (2 * np.pi)
    away = (bearings - angle + np.pi) % (2 * np.pi) - np.pi
    nearest = int(np.argmin(np.abs(away)))
    return _units(bearings[nearest]) if abs(away[nearest]) <= width else None


def _units(angles: Array | float) -> Array:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _nearest_edge(points: Array) -> tuple[float, Array]:
    """Returns the signed distance from the origin to the nearest edge of the points' convex hull, and that edge's
    outward normal. Negative when the origin lies outside. A hull without area gets distance 0 at most."""
    size = max(float(np.abs(points).max()), 1e-300)
    # points closer than rounding count once: an edge between them would have any direction
    near = np.unique(np.round(points / size, 8), axis=0, return_index=True)[1]
    outline = shapely.convex_hull(shapely.MultiPoint(points[near]))
    hull = shapely.get_coordinates(outline)
    if outline.area <= 1e-12 * size**2:
        spread = hull[-1 if len(hull) < 3 else 1] - hull[0]
        normal = np.array([spread[1], -spread[0]]) if np.any(spread) else np.array([1.0, 0.0])
        normal = normal / np.linalg.norm(normal)
        away = float(normal @ hull[0])
        return -abs(away), -normal if away > 0 else normal
    along = np.diff(hull if shapely.is_ccw(outline.exterior) else hull[::-1], axis=0)
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    distances = (normals @ hull.T).max(axis=1)
    nearest = int(np.argmin(distances))
    return float(distances[nearest]), normals[nearest]


def _polish(asked: _Asked) -> None:
    """Narrow the bracket next to the best direction only (Kelley's cutting planes in one variable).

    The support function's slope is the sidewise part of its point, so the minimum lies on the falling side,
    towards the neighbouring query; the normal of the chord between the two points is the next to ask.
    """
    for _ in range(MAX_POLISH):
        best = asked.best
        direction, point = asked.directions[best], asked.points[best]
        angles = np.array([np.arctan2(*each[::-1]) for each in asked.directions])
        side = -np.sign(direction[0] * point[1] - direction[1] * point[0])
        away = side * (angles - angles[best]) % (2 * np.pi)
        away[best] = np.inf
        chord = asked.points[int(np.argmin(away))] - point
        normal = np.array([chord[1], -chord[0]])
        size = float(np.linalg.norm(normal))
        if side == 0 or size == 0:
            return
        normal *= np.sign(normal @ direction) / size
        floor = float(normal @ point)
        if asked.values[best] - floor <= SHARP * asked.values[best] or asked.has(normal):
            return
        asked.ask(normal)
