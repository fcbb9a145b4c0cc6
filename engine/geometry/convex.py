"""Convex solids in the world (planes, corners, edges of a piece's parts), and how deep two pieces overlap.

The depth is the smallest distance one must move for the two to touch only: of convex solids first (`depth`,
`deepest`); of the surfaces of concave meshes where their convex parts say too much (`depth_of_surfaces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from engine.geometry.rotation import Array
from engine.pose import Pose
from engine.world import Body
from models.convex import part_volume
from models.piece import Part, Piece


@dataclass(frozen=True, slots=True, eq=False)
class ConvexSolid:
    """A convex polytope or a sphere, in metres.

    vertices: (n, 3) corners; of a sphere its centre alone. radius: what to add around the vertices, 0 for a
    polytope. normals, offsets: (f, 3) and (f,), the solid is `normals @ x <= offsets`; none for a sphere.
    edges: (e, 2, 3), between faces that are not coplanar. axes: (3, 3) rows, edge directions of a box, and
    half: (3,) its half extents; None unless the solid is a box.
    """

    vertices: Array
    radius: float
    normals: Array
    offsets: Array
    edges: Array
    axes: Array | None = None
    half: Array | None = None

    @property
    def low(self) -> Array:
        """The lowest corner (3,) of the bounding box."""
        result: Array = self.vertices.min(axis=0) - self.radius
        return result

    @property
    def high(self) -> Array:
        """The highest corner (3,) of the bounding box."""
        result: Array = self.vertices.max(axis=0) + self.radius
        return result

    @property
    def middle(self) -> Array:
        """The mean of the corners (3,), a point inside."""
        result: Array = self.vertices.mean(axis=0)
        return result

    def placed(self, pose: Pose) -> ConvexSolid:
        """The solid of a piece frame, carried into the world."""
        rotation = pose.matrix
        normals = self.normals @ rotation.T
        return ConvexSolid(
            pose.apply(self.vertices),
            self.radius,
            normals,
            self.offsets + normals @ np.asarray(pose.position),
            self.edges @ rotation.T + np.asarray(pose.position),
            None if self.axes is None else self.axes @ rotation.T,
            self.half,
        )

    def reach(self, directions: Array) -> Array:
        """How far the solid extends along each of (m, 3) unit directions: (m,) metres."""
        result: Array = (directions @ self.vertices.T).max(axis=1) + self.radius
        return result

    def extreme(self, directions: Array) -> Array:
        """The furthest point (m, 3) along each of (m, 3) unit directions."""
        corners: Array = self.vertices[(directions @ self.vertices.T).argmax(axis=1)]
        return corners + self.radius * directions


class ConvexSolids:
    """The convex solids of pieces, worked out once per piece however often the scene uses it."""

    def of(self, piece: Piece, pose: Pose) -> tuple[ConvexSolid, ...]:
        """The solids of a piece at a pose."""
        return tuple(solid_of(part).placed(pose) for part in piece.parts)


def bounds_of(solids: Sequence[ConvexSolid]) -> tuple[Array, Array]:
    """Returns the bounding box (lowest corner, highest corner) of some solids, metres."""
    return np.min([solid.low for solid in solids], axis=0), np.max([solid.high for solid in solids], axis=0)


@lru_cache(maxsize=8192)
def solid_of(part: Part) -> ConvexSolid:
    """Returns a convex part as a solid, in the piece frame."""
    none = np.zeros((0, 3))
    if part.kind == "sphere":
        assert part.radius is not None
        return ConvexSolid(part.centre[None, :], part.radius, none, np.zeros(0), np.zeros((0, 2, 3)))
    normals, offsets, edges = _faces(part.vertices)
    if part.kind == "box":
        return ConvexSolid(
            part.vertices, 0.0, normals, offsets, edges, part.rotation.T.copy(), part.half_extents
        )
    return ConvexSolid(part.vertices, 0.0, normals, offsets, edges)


def _faces(vertices: Array) -> tuple[Array, Array, Array]:
    """Planes and true edges of a convex hull; Qhull gives triangles, so coplanar ones are merged."""
    origin = vertices.mean(axis=0)
    size = float(np.abs(vertices - origin).max())
    hull = ConvexHull((vertices - origin) / size)
    # 1e-7 is an angle that no authored face differs by, and well above Qhull's rounding
    _, first, plane = np.unique(hull.equations.round(7), axis=0, return_index=True, return_inverse=True)
    normals, offsets = hull.equations[first, :3], -hull.equations[first, 3] * size
    faces_of_edge: dict[tuple[int, int], set[int]] = {}
    for triangle, face in zip(hull.simplices, plane.ravel(), strict=True):
        for start, end in ((0, 1), (1, 2), (2, 0)):
            key = (int(triangle[start]), int(triangle[end]))
            faces_of_edge.setdefault((min(key), max(key)), set()).add(int(face))
    pairs = [pair for pair, faces in sorted(faces_of_edge.items()) if len(faces) > 1]
    edges = vertices[np.array(pairs)]
    return normals, offsets + normals @ origin, edges


ACCURACY = 1e-7
"""Metres. Depths are reported in hundredths of a millimetre; this is far finer and quickly reached."""
MAX_ROUNDS = 150
BULGE = 1e-3
"""Share of the volume by which parts may exceed the piece before they are no longer trusted."""
GRID = 40
"""Sample points along the longest side of a piece: what an overlap thinner than this can hide between."""
MAX_SAMPLES = 4000
CHUNK = 400_000
"""Pairs of a point and a triangle looked at in one go: some tens of MB."""

_STEPS = (-1.0, 0.0, 1.0)
_COMPASS = np.array(
    [(x, y, z) for x in _STEPS for y in _STEPS for z in _STEPS if (x, y, z) != (0.0, 0.0, 0.0)]
)
_COMPASS /= np.linalg.norm(_COMPASS, axis=1)[:, None]


def boxes_meet(low: Array, high: Array, other_low: Array, other_high: Array, slack: float) -> bool:
    """Whether two bounding boxes overlap by more than `slack` metres along all three axes."""
    return bool(np.all(np.minimum(high, other_high) - np.maximum(low, other_low) > slack))


def depth(first: ConvexSolid, second: ConvexSolid, ignore: float = 0.0) -> float:
    """Overlap of two convex solids in metres, to `ACCURACY`.

    Up to `ignore` metres the result is only a bound: some value from 0 to `ignore`. That makes pieces that
    merely touch, by far the most, cheap.
    """
    if first.half is not None and second.half is not None:
        return max(0.0, _boxes(first, second))
    directions = [first.normals, -second.normals, _between(first, second)]
    bound = float(_widths(first, second, np.concatenate(directions)).min())
    if bound <= ignore or (first.radius > 0 and second.radius > 0):
        return max(0.0, bound)
    return max(0.0, _expand(first, second, bound, ignore))


def deepest(first: tuple[ConvexSolid, ...], second: tuple[ConvexSolid, ...], ignore: float = 0.0) -> float:
    """The largest overlap between any two parts of two pieces, metres; see `depth` for `ignore`."""
    largest = 0.0
    for one in first:
        for other in second:
            if boxes_meet(one.low, one.high, other.low, other.high, ignore):
                largest = max(largest, depth(one, other, ignore))
    return largest


def _widths(first: ConvexSolid, second: ConvexSolid, directions: Array) -> Array:
    """How far the first must move against each direction to part them."""
    return first.reach(directions) + second.reach(-directions)


def _between(first: ConvexSolid, second: ConvexSolid) -> Array:
    line = second.middle - first.middle
    length = float(np.linalg.norm(line))
    return (line / length if length > 0 else np.array([0.0, 0.0, 1.0]))[None, :]


def _boxes(first: ConvexSolid, second: ConvexSolid) -> float:
    """Separating axes of two boxes (Gottschalk, Lin, Manocha 1996): the least width is the exact depth."""
    assert first.axes is not None
    assert second.axes is not None
    crossed = np.cross(first.axes[:, None, :], second.axes[None, :, :]).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    # edges closer to parallel than this make an axis of rounding errors; the face axes cover that case
    crossed = crossed[lengths > 1e-8] / lengths[lengths > 1e-8, None]
    directions = np.concatenate([first.axes, second.axes, crossed])
    return float(np.minimum(_widths(first, second, directions), _widths(first, second, -directions)).min())


def _expand(first: ConvexSolid, second: ConvexSolid, bound: float, ignore: float) -> float:
    """Expanding polytope (van den Bergen 2001): grow a hull inside the Minkowski difference.

    The nearest face of the hull is a lower bound of the depth, the support in its direction an upper one.
    """
    points = first.extreme(_COMPASS) - second.extreme(-_COMPASS)
    for _ in range(MAX_ROUNDS):
        planes = ConvexHull(points).equations
        nearest = planes[planes[:, 3].argmax()]
        direction = nearest[None, :3]
        bound = min(bound, float(_widths(first, second, direction)[0]))
        if bound <= ignore or bound + nearest[3] <= ACCURACY:
            break
        points = np.concatenate([points, first.extreme(direction) - second.extreme(-direction)])
    return bound


def is_bulging(piece: Piece) -> bool:
    """Returns whether the convex parts reach beyond the piece, as an approximate decomposition of a mesh does."""
    return sum(part_volume(part) for part in piece.parts) > piece.volume * (1 + BULGE)


def depth_of_surfaces(first: Body, second: Body) -> float:
    """Returns how far points of either surface lie inside the other piece, at most: metres, a lower bound."""
    one, two = _triangles(first), _triangles(second)
    return max(_depth_inside(one, two), _depth_inside(two, one))


def _triangles(body: Body) -> Array:
    corners: Array = np.asarray(body.piece.visual.triangles, dtype=np.float64)
    return body.pose.apply(corners.reshape(-1, 3)).reshape(-1, 3, 3)


def _depth_inside(outer: Array, inner: Array) -> float:
    """The greatest depth below the surface `inner` of sample points on the surface `outer`."""
    points = _samples(outer)
    low, high = inner.min(axis=(0, 1)), inner.max(axis=(0, 1))
    points = points[np.all((points > low) & (points < high), axis=1)][:MAX_SAMPLES]
    rows = max(1, CHUNK // len(inner))
    depths = [0.0]
    for start in range(0, len(points), rows):
        some = points[start : start + rows]
        some = some[_winding(some, inner) > 0.5]
        if len(some):
            depths.append(float(_distance(some, inner).max()))
    return max(depths)


def _samples(triangles: Array) -> Array:
    """Corners, and points spread over each triangle at the spacing of `GRID`."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    sides = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
    counts = np.clip(np.ceil(sides / size * GRID), 1, GRID).astype(int)
    points = [triangles.reshape(-1, 3)]
    for count in np.unique(counts):
        steps = [(i, j, count - i - j) for i in range(count + 1) for j in range(count + 1 - i)]
        points.append((np.array(steps) / count @ triangles[counts == count]).reshape(-1, 3))
    result: Array = np.unique(np.concatenate(points), axis=0)
    # every n-th of the sorted points is still spread over the whole surface
    return result[:: 1 + len(result) // (20 * MAX_SAMPLES)]


def _winding(points: Array, triangles: Array) -> Array:
    """Winding number of a closed mesh about each point: 1 inside, 0 outside (van Oosterom, Strackee 1983)."""
    a, b, c = (triangles[None, :, corner] - points[:, None] for corner in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=2) for side in (a, b, c))
    triple = (a * np.cross(b, c)).sum(axis=2)
    below = la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
    result: Array = np.arctan2(triple, below).sum(axis=1) / (2 * np.pi)
    return result


def _distance(points: Array, triangles: Array) -> Array:
    """The distance of each point from the nearest triangle, metres."""
    start, along = triangles, np.roll(triangles, -1, axis=1) - triangles
    normal = np.cross(along[:, 0], along[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), np.finfo(float).tiny)[:, None]
    height = np.abs(((points[:, None] - triangles[None, :, 0]) * normal).sum(axis=2))
    over = np.ones_like(height, dtype=bool)
    nearest = np.full_like(height, np.inf)
    for side in range(3):
        apart = points[:, None] - start[None, :, side]
        over &= (np.cross(along[:, side], apart) * normal).sum(axis=2) >= 0
        squared = np.maximum((along[:, side] ** 2).sum(axis=1), np.finfo(float).tiny)
        place = np.clip((apart * along[:, side]).sum(axis=2) / squared, 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(apart - place[..., None] * along[:, side], axis=2))
    result: Array = np.where(over, height, nearest).min(axis=1)
    return result
