"""How far from the origin to the boundary of a convex set in the plane that is known by its support function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from engine.topple.ragged import Array

Query = Callable[[Array], tuple[float, Array, Array]]
"""Direction (2,) -> value of the support function, a point (2,) where it is reached, the velocities there."""

TOLERANCE = 5e-4
"""The gap, relative, between the inner and the outer polygon at which the search may stop."""
SHARP = 1e-6
"""A bracket this narrow, relative, is final; a wider one is polished."""
MAX_QUERIES = 28
"""A disc (sliding in every direction at once) never closes the bracket; by then it is known to 2 % at worst, and its rim exactly."""
FIRST_DIRECTION = 0.4
"""Radians; off the axes, because oblique directions find the corners of a box's set, and its edges follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Boundary:
    """The nearest point of the boundary.

    distance: the shortest one found (a supporting line); lower: what the set is proven to contain, so the truth lies
    in between. direction: (2,) unit, towards the line. velocities: of the mechanism that starts there.
    queries: how often the support function was asked.
    """

    distance: float
    lower: float
    direction: Array
    velocities: Array
    queries: int


@dataclass(slots=True, eq=False)
class _Known:
    query: Query
    values: list[float] = field(default_factory=list)
    directions: list[Array] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)

    def ask(self, direction: Array) -> None:
        value, point, velocities = self.query(direction)
        self.values.append(value)
        self.directions.append(direction)
        self.points.append(point)
        self.velocities.append(velocities)

    @property
    def best(self) -> int:
        return int(np.argmin(self.values))


def nearest_boundary(query: Query, unlimited: float) -> Boundary:
    """Distance from the origin, a point of the set, to its boundary, to TOLERANCE or better.

    Each query gives a boundary point and a supporting line, so the hull of the points lies inside the set and the
    lines enclose it. Asking next along the normal of the hull's nearest edge either proves that edge to be boundary
    or moves it out. unlimited: a set proven to reach half of this in every direction ends the search.
    """
    known = _Known(query)
    for quarter in range(4):
        known.ask(_unit(FIRST_DIRECTION + quarter * np.pi / 2))
    while True:
        lower, normal = _nearest_edge(np.array(known.points))
        upper = known.values[known.best]
        done = upper - lower <= TOLERANCE * upper or upper <= SHARP or lower >= unlimited / 2
        if done or len(known.values) >= MAX_QUERIES:
            break
        asked = np.max(np.array(known.directions) @ normal) > 1 - 1e-14
        if asked:
            break
        known.ask(normal)
    if lower < unlimited / 2 and upper - lower > SHARP * upper and upper > SHARP:
        _polish(known)
    best = known.best
    return Boundary(
        distance=max(known.values[best], 0.0),
        lower=max(min(lower, known.values[best]), 0.0),
        direction=known.directions[best],
        velocities=known.velocities[best],
        queries=len(known.values),
    )


def _unit(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])


def _nearest_edge(points: Array) -> tuple[float, Array]:
    """Signed distance from the origin to the nearest edge of the points' convex hull, and that edge's outward normal.

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
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 1e-12 * size**2:
                half.pop()
            half.append(point)
        halves.append(half[:-1])
    corners = halves[0] + halves[1]
    return np.array(corners) if corners else points[:1]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _polish(known: _Known, rounds: int = 6) -> None:
    """Follow a smooth boundary to its nearest point: the slope of the support function is the point's sidewise part."""
    best = known.best
    angle = float(np.arctan2(known.directions[best][1], known.directions[best][0]))
    slope = _slope(known, best)
    last: tuple[float, float] | None = None
    for _ in range(rounds):
        value = known.values[best]
        if abs(slope) <= SHARP * value:
            return
        if last is None or slope == last[1]:
            # a first guess of the curvature; the secant corrects it
            step = -float(np.arctan2(slope, value))
        else:
            step = -slope * (angle - last[0]) / (slope - last[1])
        last = (angle, slope)
        angle += float(np.clip(step, -0.1, 0.1))
        known.ask(_unit(angle))
        slope = _slope(known, -1)
        if known.values[-1] >= value * (1 - 1e-9):
            return
        best = known.best


def _slope(known: _Known, index: int) -> float:
    direction = known.directions[index]
    return float(direction[0] * known.points[index][1] - direction[1] * known.points[index][0])
