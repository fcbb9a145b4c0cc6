"""Where a piece comes to lie: how far it moves straight down until it first touches, the flat faces it can lie on, and
how far it can be tilted there before it tips.

Drop placement is exact for convex parts. Two polyhedra meet first at a corner over a face or where two edges cross
(seen from above), so only those are looked at; a sphere meets the rounded solid: its faces pushed out by the radius,
tubes around its edges, balls around its corners.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import shapely

from teeter.engine.geometry.convex import ConvexSolid, bounds_of, solids_at
from teeter.engine.geometry.rotation import Array, quaternion_of, shortest_rotation
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.models.hulls import convex_hull
from teeter.models.piece import Piece

BESIDE = 2e-5
"""Metres. Solids that overlap by less than this, seen from above, pass each other: bricks side by side."""
UPRIGHT = 1e-9
"""A face whose unit normal is less inclined than this is a wall: nothing comes to lie on it."""
ALONGSIDE = 1e-9
"""Metres (and fractions of an edge) by which rounding may put a corner beside a face that it stands over."""
_NO_GAP = np.inf


def drop(falling: Iterable[ConvexSolid], resting: Iterable[ConvexSolid]) -> float | None:
    """Returns how many metres `falling` moves down to first contact (negative: up); None when nothing lies below."""
    lower = list(resting)
    gaps = [gap(one, other) for one in falling for other in lower]
    smallest = min(gaps, default=_NO_GAP)
    return smallest if math.isfinite(smallest) else None


def gap(upper: ConvexSolid, lower: ConvexSolid, beside: float = BESIDE) -> float:
    """Returns the smallest height of `upper`'s underside over `lower`'s top, metres; infinite when they pass, as those
    do that overlap by less than `beside` metres, seen from above."""
    if not _covers(upper, lower, beside):
        return _NO_GAP
    if upper.radius > 0 and lower.radius > 0:
        return _ball_on_ball(upper, lower)
    if upper.radius > 0:
        return _ball_on_solid(upper.vertices[0], upper.radius, lower)
    if lower.radius > 0:
        # mirrored in z a solid over a ball is a ball over a solid
        return _ball_on_solid(lower.vertices[0] * _MIRROR, lower.radius, _mirrored(upper))
    return min(
        _corners_over(upper, lower), _corners_over(_mirrored(lower), _mirrored(upper)), _edges(upper, lower)
    )


def is_blocked(body: Body, other: Body, direction: Array, room: float, graze: float) -> bool:
    """Returns whether a body that goes `room` metres along `direction` (3,) meets another, by more than `graze`."""
    turned = Pose((0.0, 0.0, 0.0), quaternion_of(shortest_rotation(direction, DOWN)))
    mine, theirs = (
        [part.placed(turned) for part in solids_at(each.piece, each.pose)] for each in (body, other)
    )
    # what is further back than it grazes lies behind
    return any(-graze <= gap(one, another, graze) < room for one in mine for another in theirs)


class DropTarget:
    """What a piece may be dropped onto, asked for many places; it never changes."""

    def __init__(self, parts: Iterable[ConvexSolid]) -> None:
        self._parts = tuple(sorted(parts, key=lambda part: -float(part.high[2])))
        self.low = np.array([part.low for part in self._parts]).reshape(-1, 3)
        self.high = np.array([part.high for part in self._parts]).reshape(-1, 3)

    @classmethod
    def of(cls, bodies: Iterable[Body]) -> DropTarget:
        """Returns the target that some bodies make."""
        return cls([part for body in bodies for part in solids_at(body.piece, body.pose)])

    def distance(self, piece: Piece, pose: Pose) -> float | None:
        """Returns how many metres a piece moves down to first contact (negative: up); None over nothing."""
        falling = solids_at(piece, pose)
        low, high = bounds_of(falling)
        smallest: float | None = None
        beside = np.all(np.minimum(self.high[:, :2], high[:2]) > np.maximum(self.low[:, :2], low[:2]), axis=1)
        for at in np.flatnonzero(beside).tolist():
            # the parts come from the highest down: what is wholly below the contact found cannot be met first
            if smallest is not None and float(low[2]) - float(self.high[at, 2]) > smallest:
                break
            distance = drop(falling, (self._parts[at],))
            if distance is not None and (smallest is None or distance < smallest):
                smallest = distance
        return smallest

    def dropped(self, body: Body) -> Body | None:
        """Returns the body straight below or above its place, in first contact; None when nothing lies below."""
        distance = self.distance(body.piece, body.pose)
        if distance is None:
            return None
        x, y, z = body.pose.position
        return body.at(Pose((x, y, z - distance), body.pose.orientation))


_MIRROR = np.array([1.0, 1.0, -1.0])


def _mirrored(solid: ConvexSolid) -> ConvexSolid:
    return ConvexSolid(
        solid.vertices * _MIRROR, solid.radius, solid.normals * _MIRROR, solid.offsets, solid.edges * _MIRROR
    )


def _covers(upper: ConvexSolid, lower: ConvexSolid, beside: float) -> bool:
    """Whether the two overlap, seen from above, by more than `beside`: separating axes in the plane."""
    if np.any(np.minimum(upper.high, lower.high)[:2] - np.maximum(upper.low, lower.low)[:2] <= beside):
        return False
    along = np.concatenate([(solid.edges[:, 1] - solid.edges[:, 0])[:, :2] for solid in (upper, lower)])
    axes = np.stack([-along[:, 1], along[:, 0]], axis=1)
    for ball, other in ((upper, lower), (lower, upper)):
        if ball.radius > 0:
            axes = np.concatenate([axes, (other.vertices - ball.vertices[0])[:, :2]])
    lengths = np.linalg.norm(axes, axis=1)
    axes = axes[lengths > UPRIGHT] / lengths[lengths > UPRIGHT, None]
    first, second = axes @ upper.vertices[:, :2].T, axes @ lower.vertices[:, :2].T
    radii = upper.radius + lower.radius
    overlap = (
        np.minimum(first.max(axis=1) - second.min(axis=1), second.max(axis=1) - first.min(axis=1)) + radii
    )
    return bool(np.all(overlap > beside))


def _corners_over(upper: ConvexSolid, lower: ConvexSolid) -> float:
    """The smallest height of a corner of `upper` over the faces of `lower` that look up."""
    points = upper.vertices
    rise = lower.normals[:, 2]
    free = lower.offsets - points[:, :2] @ lower.normals[:, :2].T  # (corners, faces)
    up, down, wall = rise > UPRIGHT, rise < -UPRIGHT, np.abs(rise) <= UPRIGHT
    top = (free[:, up] / rise[up]).min(axis=1)
    bottom = (free[:, down] / rise[down]).max(axis=1)
    inside = np.all(free[:, wall] >= -ALONGSIDE, axis=1) & (top >= bottom - ALONGSIDE)
    return float((points[inside, 2] - top[inside]).min(initial=_NO_GAP))


def _edges(upper: ConvexSolid, lower: ConvexSolid) -> float:
    """The smallest height of an edge of `upper` over an edge of `lower`, where they cross seen from above."""
    start, along = upper.edges[:, None, 0], upper.edges[:, None, 1] - upper.edges[:, None, 0]
    other, across = lower.edges[None, :, 0], lower.edges[None, :, 1] - lower.edges[None, :, 0]
    between = other - start
    determinant = _cross(along, across)
    lengths = np.linalg.norm(along[..., :2], axis=-1) * np.linalg.norm(across[..., :2], axis=-1)
    # nearly parallel edges cross nowhere in particular; their end corners are covered by the faces
    crossing = np.abs(determinant) > 1e-9 * lengths
    determinant = np.where(crossing, determinant, 1.0)
    s, t = _cross(between, across) / determinant, _cross(between, along) / determinant
    for place in (s, t):
        crossing &= (place >= -ALONGSIDE) & (place <= 1 + ALONGSIDE)
    heights = (start + s[..., None] * along)[..., 2] - (other + t[..., None] * across)[..., 2]
    return float(heights[crossing].min(initial=_NO_GAP))


def _cross(first: Array, second: Array) -> Array:
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])


def _ball_on_ball(upper: ConvexSolid, lower: ConvexSolid) -> float:
    apart = upper.vertices[0] - lower.vertices[0]
    reach = upper.radius + lower.radius
    return float(apart[2] - math.sqrt(max(0.0, reach**2 - float(apart[0]) ** 2 - float(apart[1]) ** 2)))


def _ball_on_solid(centre: Array, radius: float, solid: ConvexSolid) -> float:
    """How far a ball falls onto a polytope: the highest of all places where its centre could stop."""
    stops = [
        _stops_on_faces(centre, radius, solid),
        _stops_on_edges(centre, radius, solid.edges),
        _stops_on_corners(centre, radius, solid.vertices),
    ]
    return float(centre[2] - np.concatenate(stops).max(initial=-_NO_GAP))


def _stops_on_faces(centre: Array, radius: float, solid: ConvexSolid) -> Array:
    up = solid.normals[:, 2] > UPRIGHT
    normals, offsets = solid.normals[up], solid.offsets[up] + radius
    heights = (offsets - normals[:, :2] @ centre[:2]) / normals[:, 2]
    places = np.column_stack([np.tile(centre[:2], (len(heights), 1)), heights])
    feet = places - radius * normals
    size = float(np.abs(solid.vertices - solid.middle).max())
    inside = np.all(feet @ solid.normals.T <= solid.offsets + 1e-12 * size, axis=1)
    return np.asarray(heights[inside])


def _stops_on_edges(centre: Array, radius: float, edges: Array) -> Array:
    """A vertical line through the centre meets the tube around each edge: a quadratic in the height."""
    along = edges[:, 1] - edges[:, 0]
    length = np.linalg.norm(along, axis=1)
    unit = along / length[:, None]
    foot = np.array([centre[0], centre[1], 0.0]) - edges[:, 0]
    # |w|^2 = r^2 for w = (foot + z k) without its component along the edge
    flat = foot - (foot * unit).sum(axis=1)[:, None] * unit
    rise = np.array([0.0, 0.0, 1.0]) - unit[:, 2:] * unit
    a, b = (rise * rise).sum(axis=1), (flat * rise).sum(axis=1)
    under = b * b - a * ((flat * flat).sum(axis=1) - radius**2)
    meets = (a > UPRIGHT) & (under >= 0)
    heights = (-b[meets] + np.sqrt(under[meets])) / a[meets]
    place = ((foot[meets] + heights[:, None] * np.array([0.0, 0.0, 1.0])) * unit[meets]).sum(axis=1)
    return np.asarray(heights[(place >= 0) & (place <= length[meets])])


def _stops_on_corners(centre: Array, radius: float, corners: Array) -> Array:
    apart = corners[:, :2] - centre[:2]
    under = radius**2 - (apart * apart).sum(axis=1)
    return np.asarray(corners[under >= 0, 2] + np.sqrt(under[under >= 0]))


DOWN = np.array([0.0, 0.0, -1.0])
ON_FACE = 1e-6
"""Metres within which a corner belongs to a face of the hull: above rounding, below what is authored."""


@dataclass(frozen=True, slots=True, eq=False)
class RestingFace:
    """A face of a piece's convex hull, to lie on.

    normal: (3,) outward, in the piece frame. height: of the centre of mass over the face, metres. corners: (n, 3) of
    the hull, in the piece frame.
    """

    piece: Piece
    normal: Array
    height: float
    corners: Array

    @property
    def rotation(self) -> Array:
        """(3, 3), the shortest that turns this face down."""
        return shortest_rotation(self.normal, DOWN)

    def tipping_angle(self) -> float:
        """Returns the degrees by which the piece can be tilted on this face; 0 when it does not lie on it."""
        reach = self.corners @ self.normal
        rotation = self.rotation
        foot = (self.corners[reach > reach.max() - ON_FACE] @ rotation.T)[:, :2]
        centre = shapely.Point((rotation @ self.piece.centre_of_mass)[:2])
        return tipping_angle(shapely.MultiPoint(foot).convex_hull, centre, self.height)


def tipping_angle(foot: shapely.Geometry, centre: shapely.Point, height: float) -> float:
    """Returns the degrees until a centre of mass leaves a convex foot, all in one unit; 0 when it is not over it.

    foot, centre: seen from above. height: of the centre over the foot.
    """
    if foot.is_empty or foot.geom_type != "Polygon" or not foot.contains(centre):
        return 0.0
    return math.degrees(math.atan2(float(foot.boundary.distance(centre)), height))


def extreme_points(piece: Piece) -> Array:
    """Returns the corners (n, 3) of a piece's parts in its frame; of a ball six points of its surface."""
    return np.concatenate(
        [
            part.vertices
            if part.radius is None
            else part.centre + part.radius * np.concatenate([np.eye(3), -np.eye(3)])
            for part in piece.parts
        ]
    )


def resting_faces(piece: Piece) -> tuple[RestingFace, ...]:
    """Returns the faces of a piece's convex hull, the nearest to its centre of mass first.

    Of equals the one comes first that leaves the piece as it was authored. Whether the piece is stable on a face tells
    its `tipping_angle`; on a ball there are only the faces between its six extreme points.
    """
    points = extreme_points(piece)
    hull = convex_hull(points / np.abs(points).max())
    planes = np.unique(hull.equations.round(6), axis=0)
    normals = planes[:, :3]
    heights = (points @ normals.T).max(axis=0) - normals @ piece.centre_of_mass
    order = np.lexsort((normals[:, 2].round(6), heights.round(6)))
    corners = points[hull.vertices]
    return tuple(RestingFace(piece, normals[k], float(heights[k]), corners) for k in order)
