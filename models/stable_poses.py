"""The poses in which a piece lies stably on a level table, by its convex hull.

A piece rests on a face of its hull if its centre of mass lies over that face. It tips over the edge about which it has
to be turned least: by atan(distance of the edge / height of the centre of mass). A face's share is that of the sphere
around the centre of mass which the face covers, and of faces from which it goes on over their edge: where a piece lies
that is put down gently, turned at random (Goldberg, Mirtich, Zhuang, Craig, Carlisle & Canny 1999). On a curve it lies
where the curve is lowest that its facets approximate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from teeter.models.hulls import convex_hull, groups_of
from teeter.models.piece import Array, Flags, Ints, Piece
from teeter.models.quadric import Lowest, lowest_point

FLAT = 1e-6
"""Of the piece's size, and of a unit normal: faces of the hull that differ by less are one."""
SINKS = 1e-6
"""Of the piece's size: by less a curve that is cut into faces rises and falls by itself."""
SAME = math.radians(0.1)
"""Between the directions down of two poses on a curve that are one."""
LEVEL, AHEAD = 1e-3, 0.95
"""Of its height, that a curve may rise by fitting where it rolls on; and the cosine to the way it rolls."""
STRAIGHT = 1e-5
"""Radians by which a fitted surface may turn from rounding."""
FEWEST_ROUND = 6
"""Corners of what is a circle and no polygon."""
BRIDGES = 2.0
"""Times as broad as the facets it meets: a face of the hull over a hollow, such as the hole of a ring."""
OVER = 1e-9
"""Of the piece's size: a centre of mass so little inside an edge lies over it."""


@dataclass(frozen=True, slots=True, eq=False)
class StablePose:
    """rotation: (3, 3) from the piece frame to the table's. height: metres, of the centre of mass over the table.
    margin: radians of tilt at which it tips over the nearest edge of what it rests on; both are None on a curve, on
    which it may roll. share: of all ways to be put down. area: m^2 inside the outline of what it rests on.
    """

    rotation: Array
    height: float | None
    margin: float | None
    share: float
    area: float


@dataclass(frozen=True, slots=True, eq=False)
class _Face:
    """A face of the hull. ring: (n,) corners, counter-clockwise seen from outside. normal: outwards. height: metres, of
    the centre of mass over it; room: (n,) metres by which it lies inside each edge; over: the edge it lies towards."""

    ring: Ints
    normal: Array
    height: float
    room: Array
    over: int
    on_curve: bool


def stable_poses(piece: Piece) -> tuple[StablePose, ...]:
    """Returns the stable poses of a piece, the likeliest first. What rests on a curve is one pose for each curve."""
    corners = np.concatenate([ring for facet in piece.surface.facets for ring in facet.rings])
    faces, corners = _faces(corners, piece)
    angles = np.array([_solid_angle(corners[face.ring] - piece.centre_of_mass) for face in faces])
    size = float(piece.extents.max())
    beside = _beside(faces)
    stable = np.array([float(face.room.min()) > OVER * size for face in faces])
    goes_to = [number if stable[number] else beside[number, face.over] for number, face in enumerate(faces)]
    groups = _groups(faces, stable, beside)
    for group in list(groups):
        if (lower := _lower_beside(group, faces, beside, SINKS * size)) is not None:
            groups.remove(group)
            stable[group] = False
            for number in group:
                goes_to[number] = lower
    ends = np.array(goes_to)
    for _ in faces:
        # its centre of mass sinks from face to face
        ends = ends[ends]
    shares = np.bincount(ends, angles, len(faces)) / (4 * math.pi)
    poses = [
        _pose(group, faces, beside, corners, piece.centre_of_mass, shares)
        for group in _groups(faces, stable, beside)
    ]
    return tuple(sorted(_on_true_curves(poses, piece), key=lambda pose: -round(pose.share, 9)))


def _on_true_curves(poses: Sequence[StablePose], piece: Piece) -> list[StablePose]:
    """Poses on a curve where the curve itself is at rest; those that its facets had kept apart as one."""
    facets = [facet for facet in piece.surface.facets if facet.curved]
    rings = [facet.rings[0] - piece.centre_of_mass for facet in facets]
    normals = np.array([facet.normal for facet in facets])
    lowest = [lowest_point(rings, normals, -one.rotation[2]) if one.margin is None else None for one in poses]
    links = [
        (at, other)
        for (at, one), (other, two) in permutations(enumerate(lowest), 2)
        if one is not None and two is not None and _rolls_on(one, two)
    ]
    group = groups_of(len(poses), *np.array(links, dtype=np.int64).reshape(-1, 2).T)
    found: dict[int, StablePose] = {}
    for number, pose, place in zip(group.tolist(), poses, lowest, strict=True):
        if number in found:
            found[number] = replace(found[number], share=found[number].share + pose.share)
        else:
            found[number] = pose if place is None else replace(pose, rotation=_down(_level(place.point)))
    return list(found.values())


def _rolls_on(one: Lowest, two: Lowest) -> bool:
    """Whether two lowest points are the same one, or a curve rolls from the first towards the other without rising."""
    here, there = np.linalg.norm(one.point), np.linalg.norm(two.point)
    way = two.point / there - one.point / here
    far = float(np.linalg.norm(way))
    if far < SAME or one.free is None:
        return far < SAME
    return bool(abs(here - there) < LEVEL * here and far < 1.0 and abs(way @ one.free) > AHEAD * far)


def _level(direction: Array) -> Array:
    """A direction as a unit vector whose parts that are rounding are none."""
    parts = np.where(np.abs(direction) < STRAIGHT * np.linalg.norm(direction), 0.0, direction)
    return np.asarray(parts / np.linalg.norm(parts))


def _faces(corners: Array, piece: Piece) -> tuple[list[_Face], Array]:
    """The faces of the convex hull, coplanar triangles as one; and the corners they are numbered by."""
    hull = convex_hull(corners)
    size = float(piece.extents.max())
    scaled = np.round(np.column_stack([hull.equations[:, :3], hull.equations[:, 3] / size]) / FLAT)
    # neighbours either side of a rounding limit are one face all the same
    numbers = _alike(scaled)
    curved = np.array([facet.normal for facet in piece.surface.facets if facet.curved]).reshape(-1, 3)
    flat = np.array([facet.normal for facet in piece.surface.facets if not facet.curved]).reshape(-1, 3)
    breadth = _breadths(piece, hull.points)
    faces = []
    for number in range(numbers.max() + 1):
        triangles = hull.simplices[numbers == number]
        normal = hull.equations[np.flatnonzero(numbers == number)[0], :3]
        ring = _ring(triangles, normal, hull.points)
        points = hull.points[ring]
        height = float(normal @ (points[0] - piece.centre_of_mass))
        along = np.roll(points, -1, axis=0) - points
        inwards = np.cross(normal, along) / np.linalg.norm(along, axis=1)[:, None]
        room = np.einsum("ij,ij->i", piece.centre_of_mass - points, inwards)
        over = _towards(points, piece.centre_of_mass, normal)
        broad = float(np.linalg.norm(points[:, None] - points, axis=2).max())
        on_curve = _nearest(curved, normal) > _nearest(flat, normal)
        on_curve &= broad <= BRIDGES * breadth[ring].max()
        faces.append(_Face(ring, normal, height, room, over, on_curve))
    return faces, np.asarray(hull.points)


def _breadths(piece: Piece, points: Array) -> Array:
    """How broad the broadest facet at each point (n,) is, metres; points that are corners of none have infinity."""
    widest: dict[tuple[float, ...], float] = {}
    for facet in piece.surface.facets:
        broad = float(np.linalg.norm(np.ptp(facet.rings[0], axis=0)))
        for corner in map(tuple, facet.rings[0].tolist()):
            widest[corner] = max(widest.get(corner, 0.0), broad)
    return np.array([widest.get(tuple(point), np.inf) for point in points.tolist()])


def _towards(points: Array, goal: Array, normal: Array) -> int:
    """The edge of a convex polygon (n, 3) over which a ray leaves it from its centroid towards a point."""
    weights = [
        normal @ np.cross(points[at] - points[0], points[at + 1] - points[0])
        for at in range(1, len(points) - 1)
    ]
    thirds = [(points[0] + points[at] + points[at + 1]) / 3 for at in range(1, len(points) - 1)]
    away = points - np.average(thirds, axis=0, weights=weights)
    ray = goal - np.average(thirds, axis=0, weights=weights)
    left = np.cross(away, ray) @ normal >= 0
    return int(np.flatnonzero(left & ~np.roll(left, -1))[0]) if left.any() and not left.all() else 0


def _nearest(normals: Array, normal: Array) -> float:
    return float((normals @ normal).max(initial=-1.0))


def _alike(rows: Array) -> Ints:
    """Numbers rows (n, k) from zero, those that differ by one in any place alike."""
    numbers, seen = np.zeros(len(rows), dtype=np.int64), np.zeros((0, rows.shape[1]))
    for at, row in enumerate(rows):
        near = np.flatnonzero(np.abs(seen - row).max(axis=1, initial=0.0) <= 1.0)
        numbers[at] = near[0] if len(near) else len(seen)
        if not len(near):
            seen = np.vstack([seen, row])
    return numbers


def _ring(triangles: Ints, normal: Array, points: Array) -> Ints:
    corners = np.unique(triangles)
    middle = points[corners].mean(axis=0)
    one = points[corners[0]] - middle
    one = one / np.linalg.norm(one)
    other = np.cross(normal, one)
    away = points[corners] - middle
    order = corners[np.argsort(np.arctan2(away @ other, away @ one))]
    # a corner in the middle of an edge is none
    before, after = points[np.roll(order, 1)], points[np.roll(order, -1)]
    bend = np.linalg.norm(np.cross(points[order] - before, after - points[order]), axis=1)
    long = np.linalg.norm(after - before, axis=1) ** 2
    kept: Ints = order[bend > FLAT * long]
    return kept


def _solid_angle(ring: Array) -> float:
    """The solid angle of a convex polygon (n, 3) seen from the origin (van Oosterom & Strackee 1983)."""
    a, b, c = np.broadcast_arrays(ring[0], ring[1:-1], ring[2:])
    la, lb, lc = np.linalg.norm([a, b, c], axis=2)
    over = (a * np.cross(b, c)).sum(axis=1)
    under = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return abs(2 * float(np.arctan2(over, under).sum()))


def _beside(faces: Sequence[_Face]) -> dict[tuple[int, int], int]:
    """The face beyond each edge, by face and edge."""
    edges = {
        (int(face.ring[edge]), int(face.ring[(edge + 1) % len(face.ring)])): (number, edge)
        for number, face in enumerate(faces)
        for edge in range(len(face.ring))
    }
    return {mine: edges.get((end, start), mine)[0] for (start, end), mine in edges.items()}


def _lower_beside(
    group: Sequence[int], faces: Sequence[_Face], beside: dict[tuple[int, int], int], by: float
) -> int | None:
    """The lowest face beside those of a curve, if the centre of mass sinks by more than `by` metres onto it: it is in
    balance on top of the curve, or in a saddle, and rolls off."""
    if not faces[group[0]].on_curve:
        return None
    lowest = min(faces[number].height for number in group)
    others = {beside[number, edge] for number in group for edge in range(len(faces[number].ring))} - {*group}
    best = min(
        (other for other in others if faces[other].on_curve), key=lambda at: faces[at].height, default=None
    )
    return None if best is None or faces[best].height >= lowest - by else best


def _groups(faces: Sequence[_Face], stable: Flags, beside: dict[tuple[int, int], int]) -> list[list[int]]:
    """Stable faces, those of one curve together."""
    curved = stable & np.array([face.on_curve for face in faces])
    links = [(number, other) for (number, _), other in beside.items() if curved[number] and curved[other]]
    group = groups_of(len(faces), *np.array(links, dtype=np.int64).reshape(-1, 2).T)
    return [np.flatnonzero(stable & (group == one)).tolist() for one in np.unique(group[stable])]


def _pose(
    group: Sequence[int],
    faces: Sequence[_Face],
    beside: dict[tuple[int, int], int],
    corners: Array,
    centre: Array,
    shares: Array,
) -> StablePose:
    lowest = min(group, key=lambda number: (round(faces[number].height, 12), number))
    face, share = faces[lowest], float(shares[list(group)].sum())
    points = corners[face.ring]
    spans = [np.cross(points[at] - points[0], points[at + 1] - points[0]) for at in range(1, len(points) - 1)]
    area = 0.5 * float(np.linalg.norm(spans, axis=1).sum())
    if face.on_curve:
        return StablePose(_down(face.normal), None, None, share, area)
    edge = int(face.room.argmin())
    room = float(face.room[edge])
    if faces[beside[lowest, edge]].on_curve and len(points) >= FEWEST_ROUND:
        room = _room_in_circle(np.roll(points, 1 - edge, axis=0)[:3], centre)
    return StablePose(_down(face.normal), face.height, math.atan2(room, face.height), share, area)


def _room_in_circle(rim: Array, centre: Array) -> float:
    """Metres from a point to the circle through three corners of a rim, seen along its axis."""
    one, other = rim[0] - rim[1], rim[2] - rim[1]
    axis = np.cross(one, other)
    middle = rim[1] + np.cross(axis, one * (other @ other) - other * (one @ one)) / (2 * axis @ axis)
    away = centre - middle
    away = away - axis * (away @ axis) / (axis @ axis)
    return float(np.linalg.norm(rim[1] - middle) - np.linalg.norm(away))


def _down(normal: Array) -> Array:
    """The least rotation (3, 3) that turns a unit vector straight down."""
    x, y, z = normal.tolist()
    if z > 1 - 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    axis = np.array([-y, x, 0.0])
    cross = np.array([[0, 0, axis[1]], [0, 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn: Array = np.eye(3) + cross + cross @ cross / (1 - z)
    return turn
