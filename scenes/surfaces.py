"""Overlap of concave meshes, measured on their own surfaces where their convex parts say too much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.world import Body
from models.convex import part_volume
from models.piece import Piece

Array = NDArray[np.float64]

BULGE = 1e-3
"""Share of the volume by which parts may exceed the piece before they are no longer trusted."""
GRID = 40
"""Sample points along the longest side of a piece: what an overlap thinner than this can hide between."""
MOST_SAMPLES = 4000
CHUNK = 400_000
"""Pairs of a point and a triangle looked at in one go: some tens of MB."""


def is_bulging(piece: Piece) -> bool:
    """Whether the convex parts reach beyond the piece, as an approximate decomposition of a mesh does."""
    return sum(part_volume(part) for part in piece.parts) > piece.volume * (1 + BULGE)


def depth_of_surfaces(first: Body, second: Body) -> float:
    """How far points of either surface lie inside the other piece, at most: metres, a lower bound."""
    one, two = _triangles(first), _triangles(second)
    return max(_depth_inside(one, two), _depth_inside(two, one))


def _triangles(body: Body) -> Array:
    corners: Array = np.asarray(body.piece.visual.triangles, dtype=np.float64)
    return body.pose.apply(corners.reshape(-1, 3)).reshape(-1, 3, 3)


def _depth_inside(outer: Array, inner: Array) -> float:
    """The greatest depth below the surface `inner` of sample points on the surface `outer`."""
    points = _samples(outer)
    low, high = inner.min(axis=(0, 1)), inner.max(axis=(0, 1))
    points = points[np.all((points > low) & (points < high), axis=1)][:MOST_SAMPLES]
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
    return result[:: 1 + len(result) // (20 * MOST_SAMPLES)]


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
