"""The distance from the origin to the boundary of a convex set in the plane that is known by its support function."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import shapely

from teeter.engine.topple.contact.arrays import Array

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
ASIDE = 0.01
"""A load so far aside of its direction, relative, lies in a corner."""
SNAP = 0.01
"""Radians. Edges of contacts are where pieces tip: a bearing so close to the normal asked next is asked instead."""
MAX_BEARINGS = 32
"""Bearings asked at last where the bracket would not close."""
WIDE_SNAP = 0.1
"""Radians, as long as the set looks like a disc: tipping cuts off a short side, missed unless asked for."""
MAX_POLISH = 10
"""Each halves the angle left, so quarters the error of a smooth boundary."""
IDENTITY_ONLY = np.zeros((0, 2, 2))
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
    images: Array
    directions: list[Array] = field(default_factory=list)
    answers: list[tuple[float, Array, Array]] = field(default_factory=list)
    snapped: set[int] = field(default_factory=set)
    more_points: list[Array] = field(default_factory=list)

    def ask(self, direction: Array) -> None:
        value, point, velocities = self.query(direction)
        self.directions.append(direction)
        self.answers.append((value, point, velocities))
        for plane in self.images:
            if self.has(plane @ direction):
                self.more_points.append(plane @ point)
            else:
                self.directions.append(plane @ direction)
                self.answers.append((value, plane @ point, velocities))

    def has(self, direction: Array) -> bool:
        return bool(np.max(np.array(self.directions) @ direction) > 1 - 1e-14)

    def ask_bearing(self, direction: Array) -> None:
        self.snapped.add(len(self.answers))
        self.ask(direction)

    def has_corners(self) -> bool:
        """Returns whether a load lies aside of the direction asked: not so where all slides."""
        answers = zip(self.directions, self.answers, strict=True)
        aside = [float(np.linalg.norm(point - value * way)) for way, (value, point, _) in answers]
        return max(aside) > ASIDE * max(self.values)

    @property
    def values(self) -> list[float]:
        return [value for value, _, _ in self.answers]

    @property
    def points(self) -> Array:
        return np.array([point for _, point, _ in self.answers])

    def nearest_edge(self) -> tuple[float, Array]:
        return _nearest_edge(np.array([*self.points, *self.more_points]))

    @property
    def best(self) -> int:
        return int(np.argmin(self.values))


def nearest_boundary(
    query: Query,
    unlimited: float,
    bearings: Array,
    round_queries: int = ROUND_QUERIES,
    images: Array = IDENTITY_ONLY,
) -> NearestBoundary:
    """Distance from the origin, a point of the set, to its boundary, to TOLERANCE or better.

    Each query gives a boundary point and a supporting line, so the hull of the points lies inside the set and
    the lines enclose it. Asking next along the normal of the hull's nearest edge either proves that edge to be
    boundary or moves it out. unlimited: a set proven to reach half of this in every direction ends the search.
    bearings: (n,) ascending angles in [0, 2 pi) at which edges of the set are likely. round_queries: queries after
    which a set that still looks like a disc is taken for one. images: (m, 2, 2) orthogonal maps, besides the identity,
    that leave the set as it is: what is asked in one direction is known in its images.
    """
    asked = _Asked(query, images)
    for quarter in range(4):
        first = _units(FIRST_DIRECTION + quarter * np.pi / 2)
        if not asked.directions or not asked.has(first):
            asked.ask(first)
        if len(images) and asked.has_corners() and asked.nearest_edge()[0] > 0:
            # images enclose the origin: the edges between them say where to ask next
            break
    lower = _search(asked, unlimited, bearings, round_queries)
    best = asked.best
    value, _, velocities = asked.answers[best]
    return NearestBoundary(max(value, 0.0), max(min(lower, value), 0.0), asked.directions[best], velocities)


def _search(asked: _Asked, unlimited: float, bearings: Array, round_queries: int) -> float:
    """Close the bracket; returns the inner bound."""
    while True:
        lower, normal = asked.nearest_edge()
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
    return asked.nearest_edge()[0]


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
        angles = np.array([np.arctan2(*direction[::-1]) for direction in asked.directions])
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
