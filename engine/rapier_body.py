"""A piece as Rapier has it: shapes with faces of few corners, mass, frame, in units of the world's scale."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import rapier3d
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from engine.geometry.rotation import quaternion_of, rotation_vector
from engine.pose import Pose
from engine.world import Scale
from models.piece import Array, Part, Piece

CORNERS = 4
"""Of a face that Rapier looks at."""


def mass_of(piece: Piece, scale: Scale) -> rapier3d.MassProperties:
    """Returns the mass, its centre and its moments in the frame of a piece."""
    moments, axes = np.linalg.eigh(piece.inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    x, y, z, w = quaternion_of(axes)
    mass, length = scale.mass, scale.length
    return rapier3d.MassProperties(
        (piece.centre_of_mass / length).tolist(),
        piece.mass / mass,
        (moments / (mass * length**2)).tolist(),
        rapier3d.Rotation3(w, x, y, z),
    )


def radius_of(piece: Piece) -> float:
    """Metres: bounds a piece around its centre of mass."""
    return float(np.linalg.norm(piece.extents) / 2 + np.linalg.norm(piece.centre_of_mass))


def isometry(pose: Pose, scale: Scale) -> rapier3d.Isometry3:
    """Returns a pose in units."""
    x, y, z, w = pose.orientation
    return rapier3d.Isometry3(
        [value / scale.length for value in pose.position], rapier3d.Rotation3(w, x, y, z)
    )


def colliders_of(part: Part, length: float) -> list[rapier3d.ColliderBuilder]:
    """Returns the shapes of a part, in units of `length` metres."""
    if part.kind == "hull":
        return [
            rapier3d.Collider.convex_hull(np.asarray(slab / length, dtype=np.float32)) for slab in slabs(part)
        ]
    centre = (part.centre / length).tolist()
    if part.radius is not None:
        return [rapier3d.Collider.ball(part.radius / length).translation(centre)]
    assert part.half_extents is not None
    turn = rotation_vector((0.0, 0.0, 0.0, 1.0), quaternion_of(part.rotation))
    box = rapier3d.Collider.cuboid(*(part.half_extents / length).tolist())
    return [box.translation(centre).rotation(list(turn))]


@lru_cache(maxsize=1024)
def slabs(part: Part) -> tuple[Array, ...]:
    """Returns the corners (n, 3), metres, of the slabs of a hull: cut so that no face has more than `CORNERS`.

    All cuts are parallel, through the corners of the faces that have too many: between two neighbouring cuts such a
    face is a trapezium. They run the way that needs the fewest: corners of a disc lie opposite each other.
    """
    corners = part.vertices
    size = float(np.abs(corners - corners.mean(axis=0)).max())
    hull = ConvexHull((corners - corners.mean(axis=0)) / size)
    _, plane = np.unique(hull.equations.round(6), axis=0, return_inverse=True)
    faces = [np.unique(hull.simplices[plane.ravel() == face]) for face in range(int(plane.max()) + 1)]
    large = [face for face in faces if len(face) > CORNERS]
    if not large:
        return (corners,)
    least, sought = 1e-3 * size, np.concatenate(large)
    along = min(
        _ways(corners[max(large, key=len)]), key=lambda way: len(_cuts(corners @ way, sought, least))
    )
    heights = corners @ along
    kept = _cuts(heights, sought, least)
    edges = np.concatenate([hull.simplices[:, pair] for pair in ((0, 1), (1, 2), (2, 0))])
    return tuple(_slab(corners, edges, heights, low, high) for low, high in pairwise(kept))


def _ways(face: Array) -> Array:
    """Returns the directions (n, 3) in the plane of a face, across the lines that join two of its corners."""
    normal = np.linalg.svd(face - face.mean(axis=0))[2][2]
    first, second = np.triu_indices(len(face), 1)
    ways: Array = np.cross(normal, face[second] - face[first])
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    return ways


def _cuts(heights: Array, sought: NDArray[np.int64], least: float) -> list[float]:
    """Returns where to cut, the ends among them: at the height of each corner sought, none closer than `least`."""
    kept = [float(heights.min())]
    for height in np.sort(heights[sought]).tolist():
        if height - kept[-1] > least:
            kept.append(height)
    kept[-1] = float(heights.max())
    return kept


def _slab(corners: Array, edges: Array, heights: Array, low: float, high: float) -> Array:
    points = [corners[(heights >= low - 1e-9) & (heights <= high + 1e-9)]]
    start, end = heights[edges[:, 0]], heights[edges[:, 1]]
    for cut in (low, high):
        crossed = (np.minimum(start, end) < cut - 1e-9) & (np.maximum(start, end) > cut + 1e-9)
        share = ((cut - start[crossed]) / (end - start)[crossed])[:, None]
        first = corners[edges[crossed, 0]]
        points.append(first + share * (corners[edges[crossed, 1]] - first))
    found = np.unique(np.concatenate(points).round(9), axis=0)
    return np.asarray(found[ConvexHull(found).vertices])
