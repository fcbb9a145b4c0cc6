"""A piece as Rapier has it: shapes with faces of few corners, mass, frame, in units of the world's scale."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import rapier3d
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from teeter.engine.geometry.rotation import quaternion_of, rotation_vector
from teeter.engine.pose import Pose
from teeter.engine.world.body import Scale
from teeter.engine.world.faces import shrunk
from teeter.models.hulls import groups_of, near_points
from teeter.models.piece import Array, Part, Piece

Indices = NDArray[np.integer]
CORNERS = 4
"""Of a face that Rapier looks at."""
BORDER = 0.004
"""Units (0.04 mm at the games' size) by which hulls are shrunk and rounded: in 32 bits the normal of two that just
touch is noise. With 0.01 discs tip 0.09 mm early."""

MANY, NEAR = 1000, 1e-3
"""Corners of a shrunk hull, and the part of its size: of more those that are nearer to each other are one."""


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


@lru_cache(maxsize=1024)
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
        small, border = _shrunk(part, length)
        return [
            rapier3d.Collider.round_convex_hull(np.asarray(cell / length, dtype=np.float32), border)
            for cell in cells(small)
        ]
    centre = (part.centre / length).tolist()
    if part.radius is not None:
        return [rapier3d.Collider.ball(part.radius / length).translation(centre)]
    assert part.half_extents is not None
    turn = rotation_vector((0.0, 0.0, 0.0, 1.0), quaternion_of(part.rotation))
    box = rapier3d.Collider.cuboid(*(part.half_extents / length).tolist())
    return [box.translation(centre).rotation(list(turn))]


@lru_cache(maxsize=1024)
def _shrunk(part: Part, length: float) -> tuple[Part, float]:
    """Returns a hull that is smaller by a border, and that border in units of `length` metres."""
    corners, margin = shrunk(part.vertices, BORDER * length)
    if len(corners) > MANY:
        # where many faces meet they no longer do so in one point, and no hull is found of points so near to each other
        pairs = near_points(corners).query_pairs(
            NEAR * float(np.ptp(corners, axis=0).max()), output_type="ndarray"
        )
        corners = corners[np.unique(groups_of(len(corners), *pairs.T), return_index=True)[1]]
    return replace(part, vertices=corners), margin / length


@lru_cache(maxsize=1024)
def cells(part: Part) -> tuple[Array, ...]:
    """Returns the corners (n, 3), metres, of what a hull is cut into so that large faces have no more than `CORNERS`.

    A prism, as of a disc, is cut across into cells that lie side by side. Other hulls are cut by parallel planes
    through the corners of the faces that have too many, so that such a face is a trapezium between two of them, the
    way that needs the fewest. Small facets of a curve that two planes cross askew may get a fifth and sixth corner;
    to cut on until they have none makes ten times as many cells.
    """
    corners = part.vertices
    size = float(np.abs(corners - corners.mean(axis=0)).max())
    hull = ConvexHull((corners - corners.mean(axis=0)) / size)
    _, plane = np.unique(hull.equations.round(6), axis=0, return_inverse=True)
    faces = [np.unique(hull.simplices[plane.ravel() == face]) for face in range(int(plane.max()) + 1)]
    large = [face for face in faces if len(face) > CORNERS]
    if not large:
        return (corners,)
    least, widest = 1e-3 * size, max(large, key=len)
    ends = _ends(corners, widest, least)
    if ends is not None:
        return tuple(corners[ends[:, cell].ravel()] for cell in _rim_cells(len(widest)))
    sought = np.concatenate(large)
    along = min(_ways(corners[widest]), key=lambda way: len(_cuts(corners @ way, sought, least)))
    heights = corners @ along
    kept = _cuts(heights, sought, least)
    edges = _edges(hull.simplices, plane.ravel())
    return tuple(_slab(corners, edges, heights, low, high) for low, high in pairwise(kept))


def _ends(corners: Array, face: Indices, near: float) -> Indices | None:
    """Returns the corners of both ends of a prism (2, n), by their numbers, in order round the face and opposite each
    other; None where the hull is none."""
    others = np.setdiff1d(np.arange(len(corners)), face)
    if len(others) != len(face):
        return None
    centre, far = corners[face].mean(axis=0), corners[others].mean(axis=0)
    one, other, _ = np.linalg.svd(corners[face] - centre)[2]
    spokes = corners[face] - centre
    face = face[np.argsort(np.arctan2(spokes @ other, spokes @ one))]
    away = np.linalg.norm(corners[face][:, None] + (far - centre) - corners[others][None], axis=2)
    opposite = away.argmin(axis=1)
    if away.min(axis=1).max() > near or len(set(opposite.tolist())) != len(face):
        return None
    return np.stack([face, others[opposite]])


def _rim_cells(count: int) -> list[list[int]]:
    """Returns the corners of the cells of a polygon: caps of `CORNERS` along its rim, then of what they leave. Compact
    ones: those of two discs that lie on each other meet in fewer pairs than long ones would."""
    caps, left = [], list(range(count))
    while len(left) > CORNERS:
        rim = [*left, left[0]]
        caps += [rim[at : at + CORNERS] for at in range(0, len(left), CORNERS - 1)]
        left = left[:: CORNERS - 1]
    return [cell for cell in (*caps, left) if len(cell) > 2]


def _ways(face: Array) -> Array:
    """Returns the directions (n, 3) in the plane of a face, across the lines that join two of its corners."""
    normal = np.linalg.svd(face - face.mean(axis=0))[2][2]
    first, second = np.triu_indices(len(face), 1)
    ways: Array = np.cross(normal, face[second] - face[first])
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    return ways


def _cuts(heights: Array, sought: Indices, least: float) -> list[float]:
    """Returns where to cut, the ends among them: at the height of each corner sought, none closer than `least`."""
    kept = [float(heights.min())]
    for height in np.sort(heights[sought]).tolist():
        if height - kept[-1] > least:
            kept.append(height)
    kept[-1] = float(heights.max())
    return kept


def _edges(triangles: Indices, plane: Indices) -> Indices:
    """Returns the edges (n, 2) between triangles of different planes: those inside of a face are none."""
    ends = np.sort(np.concatenate([triangles[:, pair] for pair in ((0, 1), (1, 2), (2, 0))]), axis=1)
    rows = np.unique(np.column_stack([ends, np.tile(plane, 3)]), axis=0)
    edges, counts = np.unique(rows[:, :2], axis=0, return_counts=True)
    return np.asarray(edges[counts > 1])


def _slab(corners: Array, edges: Indices, heights: Array, low: float, high: float) -> Array:
    points = [corners[(heights >= low - 1e-9) & (heights <= high + 1e-9)]]
    start, end = heights[edges[:, 0]], heights[edges[:, 1]]
    for cut in (low, high):
        crossed = (np.minimum(start, end) < cut - 1e-9) & (np.maximum(start, end) > cut + 1e-9)
        share = ((cut - start[crossed]) / (end - start)[crossed])[:, None]
        first = corners[edges[crossed, 0]]
        points.append(first + share * (corners[edges[crossed, 1]] - first))
    outline = np.unique(np.concatenate(points).round(9), axis=0)
    return np.asarray(outline[ConvexHull(outline).vertices])
