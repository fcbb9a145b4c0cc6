"""How far from the origin to the boundary of a convex set in the plane, known by its support function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from engine.topple.contact.arrays import Array

Query = Callable[[Array], tuple[float, Array, Array]]
"""Direction (2,) -> value of the support function, a point (2,) where it is reached, the velocities there."""

TOLERANCE = 5e-4
"""The gap, relative, between the inner and the outer polygon at which the search may stop."""
SHARP = 1e-6
"""A bracket this narrow, relative, is final; a wider one is polished."""
MAX_QUERIES = 40
"""Enough for any polygon met so far; a smooth set never closes the bracket and is polished instead."""
ROUND_QUERIES = 32
"""Where all of this many queries give one value the set is a disc: something slides, whichever way. Its rim
is known exactly, and this many points on it prove 99.5 % of it (half as many 98 %)."""
ROUND = 2e-6
"""Values this close to each other, relative, are one value (in a tower the solver reaches 1e-6)."""
SNAP = 0.01
"""Radians. The normal of the hull's nearest edge is taken to be a bearing this close to it: edges of contacts
are where pieces tip, and the exact direction closes the bracket at once."""
MAX_BEARINGS = 32
"""Bearings asked at last where the bracket would not close."""
WIDE_SNAP = 0.1
"""Radians, as long as the set looks like a disc: the side that tipping cuts off a disc is short, and is
missed unless asked for."""
MAX_POLISH = 10
"""Each halves the angle left, so quarters the error of a smooth boundary."""
FIRST_DIRECTION = 0.4
"""Radians; off the axes, because oblique directions find the corners of a box's set, and its edges follow."""


@dataclass(frozen=True, slots=True, eq=False)
class NearestBoundary:
    """The nearest point of the boundary.

    distance: the shortest one found (a supporting line); lower: what the set is proven to contain, so the
    truth lies in between. direction: (2,) unit, towards the line. velocities: of the mechanism that starts
    there.
    """

    distance: float
    lower: float
    direction: Array
    velocities: Array


@dataclass(slots=True, eq=False)
class _Asked:
    query: Query
    values: list[float] = field(default_factory=list)
    directions: list[Array] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)
    is_snapped: list[bool] = field(default_factory=list)

    def ask(self, direction: Array, *, snapped: bool = False) -> None:
        value, point, velocities = self.query(direction)
        self.values.append(value)
        self.directions.append(direction)
        self.points.append(point)
        self.velocities.append(velocities)
        self.is_snapped.append(snapped)

    def has(self, direction: Array) -> bool:
        return bool(np.max(np.array(self.directions) @ direction) > 1 - 1e-14)

    @property
    def best(self) -> int:
        return int(np.argmin(self.values))


def nearest_boundary(
    query: Query, unlimited: float, bearings: Array, round_queries: int = ROUND_QUERIES
) -> NearestBoundary:
    """Distance from the origin, a point of the set, to its boundary, to TOLERANCE or better.

    Each query gives a boundary point and a supporting line, so the hull of the points lies inside the set and
    the lines enclose it. Asking next along the normal of the hull's nearest edge either proves that edge to
    be boundary or moves it out. unlimited: a set proven to reach half of this in every direction ends the
    search. bearings: (n,) ascending angles in [0, 2 pi) at which edges of the set are likely.
    round_queries: queries after which a set that still looks like a disc is taken for one.
    """
    asked = _Asked(query)
    for quarter in range(4):
        asked.ask(_unit(FIRST_DIRECTION + quarter * np.pi / 2))
    lower = _search(asked, unlimited, bearings, round_queries)
    best = asked.best
    return NearestBoundary(
        distance=max(asked.values[best], 0.0),
        lower=max(min(lower, asked.values[best]), 0.0),
        direction=asked.directions[best],
        velocities=asked.velocities[best],
    )


def _search(asked: _Asked, unlimited: float, bearings: Array, round_queries: int) -> float:
    """Close the bracket; returns the inner bound."""
    while True:
        lower, normal = _nearest_edge(np.array(asked.points))
        upper = asked.values[asked.best]
        if upper - lower <= SHARP * upper or upper <= SHARP or lower >= unlimited / 2:
            return lower
        is_round = max(asked.values) <= (1 + ROUND) * upper
        if len(asked.values) >= (round_queries if is_round else MAX_QUERIES):
            _ask_bearings(asked, bearings)
            break
        is_close = upper - lower <= TOLERANCE * upper
        if is_close and asked.is_snapped[asked.best]:
            return lower
        if is_close:
            break
        near = _snapped(normal, bearings, WIDE_SNAP if is_round else SNAP)
        if near is not None and not asked.has(near):
            asked.ask(near, snapped=True)
        elif not asked.has(normal):
            asked.ask(normal)
        else:
            break
    if max(asked.values) > (1 + ROUND) * min(asked.values):
        _polish(asked)
    return _nearest_edge(np.array(asked.points))[0]


def _ask_bearings(asked: _Asked, bearings: Array) -> None:
    """The last look at a set with round sides: the bearings that may still be nearer, or an even choice."""
    units = np.stack([np.cos(bearings), np.sin(bearings)], axis=1)
    floors = (units @ np.array(asked.points).T).max(axis=1)
    fresh = units[floors < (1 - SHARP) * asked.values[asked.best]]
    for unit in fresh[:: max(1, -(-len(fresh) // MAX_BEARINGS))]:
        if not asked.has(unit):
            asked.ask(unit, snapped=True)


def _snapped(normal: Array, bearings: Array, width: float) -> Array | None:
    """Returns the bearing within `width` of a direction, if any."""
    if not len(bearings):
        return None
    angle = float(np.arctan2(normal[1], normal[0])) % (2 * np.pi)
    away = (bearings - angle + np.pi) % (2 * np.pi) - np.pi
    nearest = int(np.argmin(np.abs(away)))
    return _unit(float(bearings[nearest])) if abs(away[nearest]) <= width else None


def _unit(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])


def _nearest_edge(points: Array) -> tuple[float, Array]:
    """Signed distance from the origin to the nearest edge of the points' convex hull, and that edge's outward
    normal.

    Negative when the origin lies outside. A hull without area gets distance 0 at most.
    """
    hull = _hull(points)
    if len(hull) < 3:
        spread = hull[-1] - hull[0]
        normal = np.array([spread[1], -spread[0]]) if np.any(spread) else np.array([1.0, 0.0])
        normal = normal / np.linalg.norm(normal)
        away = float(normal @ hull[0])
        return -abs(away), -normal if away > 0 else normal
    along = np.roll(hull, -1, axis=0) - hull
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    distances = np.einsum("ij,ij->i", normals, hull)
    nearest = int(np.argmin(distances))
    return float(distances[nearest]), normals[nearest]


def _hull(points: Array) -> Array:
    """Corners of the convex hull, counter-clockwise (Andrew 1979); points closer than rounding count once."""
    size = max(float(np.abs(points).max()), 1e-300)
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    halves = []
    for run in (ordered, ordered[::-1]):
        half: list[Array] = []
        for point in run:
            while half and np.abs(point - half[-1]).max() <= 1e-8 * size:
                half.pop()
            while len(half) > 1 and _cross(half[-2], half[-1], point) <= 1e-12 * size**2:
                half.pop()
            half.append(point)
        halves.append(half[:-1])
    corners = halves[0] + halves[1]
    return np.array(corners) if corners else points[:1]


def _cross(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _polish(asked: _Asked) -> None:
    """Narrow the bracket next to the best direction only (Kelley's cutting planes in one variable).

    The support function's slope is the sidewise part of its point, so the minimum lies on the falling side,
    towards the neighbouring query; the normal of the chord between the two points is the next to ask.
    """
    for _ in range(MAX_POLISH):
        best = asked.best
        angles = np.array([np.arctan2(*direction[::-1]) for direction in asked.directions])
        side = -np.sign(_slope(asked.directions[best], asked.points[best]))
        away = side * (angles - angles[best]) % (2 * np.pi)
        away[best] = np.inf
        chord = asked.points[int(np.argmin(away))] - asked.points[best]
        normal = np.array([chord[1], -chord[0]])
        size = float(np.linalg.norm(normal))
        if side == 0 or size == 0:
            return
        normal *= np.sign(normal @ asked.directions[best]) / size
        floor = float(normal @ asked.points[best])
        if asked.values[best] - floor <= SHARP * asked.values[best] or asked.has(normal):
            return
        asked.ask(normal)


def _slope(direction: Array, point: Array) -> float:
    return float(direction[0] * point[1] - direction[1] * point[0])
