"""Convex solids in the world (planes, corners, edges of a piece's parts), and how deep two pieces overlap.

The depth is the smallest distance one must move for the two to touch only: by convex solids (`depth`, `deepest`), and
by the surfaces of concave meshes that their parts do not fill (`overlap`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from teeter.engine.geometry.rotation import Array
from teeter.engine.pose import Pose
from teeter.engine.tolerances import MAX_OVERLAP
from teeter.engine.world.body import Body
from teeter.models.convex import part_volume
from teeter.models.hulls import convex_hull
from teeter.models.piece import Part, Piece


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
        return np.asarray(self.vertices.min(axis=0) - self.radius)

    @property
    def high(self) -> Array:
        """The highest corner (3,) of the bounding box."""
        return np.asarray(self.vertices.max(axis=0) + self.radius)

    @property
    def middle(self) -> Array:
        """The mean of the corners (3,), a point inside."""
        return np.asarray(self.vertices.mean(axis=0))

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
        return np.asarray((directions @ self.vertices.T).max(axis=1) + self.radius)

    def extreme(self, directions: Array) -> Array:
        """The furthest point (m, 3) along each of (m, 3) unit directions."""
        corners: Array = self.vertices[(directions @ self.vertices.T).argmax(axis=1)]
        return corners + self.radius * directions


@lru_cache(maxsize=1024)
def solids_at(piece: Piece, pose: Pose) -> tuple[ConvexSolid, ...]:
    """The convex solids of a piece at a pose, kept while it lies there."""
    return tuple(solid_of(part).placed(pose) for part in piece.parts)


def bounds_of(solids: Sequence[ConvexSolid]) -> tuple[Array, Array]:
    """Returns the bounding box (lowest corner, highest corner) of some solids, metres."""
    return np.min([solid.low for solid in solids], axis=0), np.max([solid.high for solid in solids], axis=0)


BOX_EDGES = np.array([(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit])
"""The twelve edges of a box by its corners, which are counted in binary."""


@lru_cache(maxsize=8192)
def solid_of(part: Part) -> ConvexSolid:
    """Returns a convex part as a solid, in the piece frame."""
    none = np.zeros((0, 3))
    if part.kind == "sphere":
        assert part.radius is not None
        return ConvexSolid(part.centre[None, :], part.radius, none, np.zeros(0), np.zeros((0, 2, 3)))
    if part.half_extents is None:
        return ConvexSolid(part.vertices, 0.0, *_faces(part.vertices))
    axes, half = part.rotation.T.copy(), part.half_extents
    normals = np.concatenate([-axes, axes[::-1]])
    offsets = normals @ part.centre + np.concatenate([half, half[::-1]])
    return ConvexSolid(part.vertices, 0.0, normals, offsets, part.vertices[BOX_EDGES], axes, half)


def _faces(vertices: Array) -> tuple[Array, Array, Array]:
    """Planes and true edges of a convex hull; Qhull gives triangles, so coplanar ones are merged."""
    origin = vertices.mean(axis=0)
    size = float(np.abs(vertices - origin).max())
    hull = convex_hull((vertices - origin) / size)
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
UNFILLED = 1e-3
"""Share of the volume by which parts, or a mesh that is drawn, may differ from the piece and still stand for it."""
SLACK, SLACK_OF_THINNEST = 4e-3, 2e-2
"""Shares of a piece's middle and smallest side: 0.2 mm are 0.4 % of the 50 mm of a wooden block."""
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
        planes = convex_hull(points).equations
        nearest = planes[planes[:, 3].argmax()]
        direction = nearest[None, :3]
        bound = min(bound, float(_widths(first, second, direction)[0]))
        if bound <= ignore or bound + nearest[3] <= ACCURACY:
            break
        points = np.concatenate([points, first.extreme(direction) - second.extreme(-direction)])
    return bound


def overlap(first: Body, second: Body, ignore: float = 0.0) -> float:
    """How deep two bodies stand in each other, metres; see `depth` for `ignore`.

    By their convex parts, and where these leave out some of a solid, by the surfaces.
    """
    mine, theirs = (solids_at(body.piece, body.pose) for body in (first, second))
    by_parts = deepest(mine, theirs, ignore)
    if _is_filled(first.piece) and _is_filled(second.piece):
        return by_parts
    if not boxes_meet(*bounds_of(mine), *bounds_of(theirs), ignore):
        return by_parts
    one, two = _whole(first.piece), _whole(second.piece)
    if one is None or two is None:
        return by_parts
    # each an original, so that the triangles of what they have in common tell whose they are
    placed = [solid.transform(_matrix(body)).as_original() for solid, body in ((one, first), (two, second))]
    return max(by_parts, _depth_of_common(placed[0] ^ placed[1]))


def slack_of(body: Body) -> float:
    """Returns how many metres a body may overlap its neighbours or be apart from them; of a support, as much as they.

    `MAX_OVERLAP`, and of larger pieces `SLACK` of the middle one of their sides, where they are not much thinner."""
    if body.fixed:
        return float("inf")
    smallest, middle, _ = np.sort(body.piece.extents)
    return max(MAX_OVERLAP, min(SLACK * float(middle), SLACK_OF_THINNEST * float(smallest)))


def is_near(
    first: Body,
    second: Body,
    reach: float,
    solids: tuple[tuple[ConvexSolid, ...], tuple[ConvexSolid, ...]],
) -> bool:
    """Whether two bodies overlap, or are at most `reach` metres apart. solids: those of each, at its pose.

    Between corners that face each other, where no axis tells exactly, up to twice as far may count.
    """
    mine, theirs = solids
    if any(_gap_between(one, other) <= reach for one in mine for other in theirs):
        return True
    if _is_filled(first.piece) and _is_filled(second.piece):
        return False
    one, two = _whole(first.piece), _whole(second.piece)
    if one is None or two is None:
        return False
    placed = [solid.transform(_matrix(body)) for solid, body in ((one, first), (two, second))]
    # the search ends at its length, which therefore tells nothing by itself
    return bool(placed[0].min_gap(placed[1], 2 * reach) <= reach)


def _gap_between(first: ConvexSolid, second: ConvexSolid) -> float:
    """How far apart two convex solids are along the best of their axes; negative where they overlap."""
    if first.half is not None and second.half is not None:
        return -_boxes(first, second)
    upwards = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    directions = [first.normals, -second.normals, _between(first, second), upwards]
    return -float(_widths(first, second, np.concatenate(directions)).min())


@lru_cache(maxsize=4096)
def _is_filled(piece: Piece) -> bool:
    return sum(map(part_volume, piece.parts)) > piece.volume * (1 - UNFILLED)


@lru_cache(maxsize=1024)
def _whole(piece: Piece) -> Any:
    """The solid as `manifold3d` has it; None where neither the parts nor the mesh that is drawn are true to it."""
    from manifold3d import Manifold, Mesh64, OpType  # needed for the surfaces of concave meshes alone

    if _is_filled(piece) and all(part.kind != "sphere" for part in piece.parts):
        hulls = [Manifold.hull_points(part.vertices) for part in piece.parts]
        return Manifold.batch_boolean(hulls, OpType.Add)
    drawn = Manifold(Mesh64(piece.visual.vertices, piece.visual.faces.astype(np.uint64)))
    return drawn if abs(drawn.volume() - piece.volume) <= UNFILLED * piece.volume else None


def _matrix(body: Body) -> Array:
    return np.asarray(np.column_stack([body.pose.matrix, body.pose.position]))


def _depth_of_common(common: Any) -> float:
    """How far points of either surface lie below the other, at most, where two solids are inside each other."""
    if common.is_empty():
        return 0.0
    mesh = common.to_mesh64()
    triangles = np.array(mesh.vert_properties)[:, :3][np.array(mesh.tri_verts).astype(np.int64)]
    owner = np.repeat(mesh.run_original_id, np.diff(mesh.run_index) // 3)
    mine = owner == owner[0]
    if mine.all():
        return float(np.ptp(triangles, axis=(0, 1)).min())
    depths = [0.0]
    for outer, inner in ((triangles[mine], triangles[~mine]), (triangles[~mine], triangles[mine])):
        points = np.concatenate([outer.mean(axis=1), np.unique(outer.reshape(-1, 3), axis=0)])
        rows = max(1, CHUNK // len(inner))
        depths += [_distance(points[k : k + rows], inner).max() for k in range(0, len(points), rows)]
    return float(max(depths))


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
    return np.asarray(np.where(over, height, nearest).min(axis=1))
