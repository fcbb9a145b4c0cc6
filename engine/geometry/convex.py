"""Convex solids in the world, as overlap and drop placement see a piece: planes, corners, edges of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from engine.pose import Pose
from models.piece import Part, Piece

Array = NDArray[np.float64]


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

    def __init__(self) -> None:
        self._known: dict[int, tuple[Piece, tuple[ConvexSolid, ...]]] = {}

    def of(self, piece: Piece, pose: Pose) -> tuple[ConvexSolid, ...]:
        """The solids of a piece at a pose."""
        # keyed by identity: the piece is kept alongside, so that its id stays taken
        if id(piece) not in self._known:
            self._known[id(piece)] = (piece, tuple(map(solid_of, piece.parts)))
        return tuple(solid.placed(pose) for solid in self._known[id(piece)][1])


def bounds_of(solids: Sequence[ConvexSolid]) -> tuple[Array, Array]:
    """Returns the bounding box (lowest corner, highest corner) of some solids, metres."""
    return np.min([solid.low for solid in solids], axis=0), np.max([solid.high for solid in solids], axis=0)


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
