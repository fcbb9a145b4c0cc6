"""What a piece rests and rolls on: its faces, a margin further in too, and whether it is round about its axis."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from teeter.models.hulls import FlatError, convex_hull, corners_within
from teeter.models.piece import Array, Part, Piece

NEAR_FACE = 0.02
"""Of a piece's size: corners that lie so near to its lowest plane belong to the face it rests on."""
ROUND = 0.04
"""Radians by which normals may miss the axis of what counts as round: those of a polygon of 144 sides miss by 0.022."""


@lru_cache(maxsize=1024)
def is_round(piece: Piece) -> bool:
    """Returns whether a piece is one of revolution about its z axis, as finely as it is drawn: every normal of its
    surface meets the axis. Not for exact balls, which need no help to roll."""
    if any(part.kind != "hull" for part in piece.parts):
        return False
    for facet in piece.surface.facets:
        x, y = np.concatenate(facet.rings)[:, :2].T
        across = x * facet.normal[1] - y * facet.normal[0]
        if float(np.abs(across).max()) > ROUND * float(np.hypot(x, y).max()):
            return False
    return True


@lru_cache(maxsize=4096)
def face_radius(piece: Piece, x: float, y: float, z: float) -> float:
    """Returns the mean distance from its middle, in metres, of the points of the face that a piece turns towards a
    direction in its own frame; a quarter of its length for an edge, 0 for a corner."""
    way = np.array([x, y, z]) / max(float(np.linalg.norm((x, y, z))), 1e-12)
    reach = max(float((part.vertices @ way).max(initial=-np.inf)) for part in piece.parts)
    if reach == -np.inf:
        return 0.0
    near = reach - NEAR_FACE * float(piece.extents.min())
    points = [_spread(part, way, near) for part in piece.parts]
    places, weights = (np.concatenate(column) for column in zip(*points, strict=True))
    if not weights.sum() > 0.0:
        return 0.0
    middle = weights @ places / weights.sum()
    return float(weights @ np.linalg.norm(places - middle, axis=1) / weights.sum())


def _spread(part: Part, way: Array, near: float) -> tuple[Array, Array]:
    """Returns points (n, 2) over the face of a part beyond a plane, and the area of each."""
    corners = part.vertices[part.vertices @ way > near] if len(part.vertices) else np.zeros((0, 3))
    one = np.cross(way, np.eye(3)[int(np.abs(way).argmin())])
    one /= np.linalg.norm(one)
    flat = corners @ np.stack([one, np.cross(way, one)], axis=1)
    if len(flat) < 2:
        return flat, np.zeros(len(flat))
    try:
        rim = flat[convex_hull(flat).vertices]
    except FlatError:
        middle = flat.mean(axis=0)
        ends = flat[[np.linalg.norm(flat - middle, axis=1).argmax()]]
        share = np.linspace(-1.0, 1.0, 40)[:, None]
        # an edge has no area; it counts as a sliver, beside which any face wins
        return middle + share * (ends - middle), np.full(40, 1e-12)
    middle, following = rim.mean(axis=0), np.roll(rim, -1, axis=0)
    edges, others = rim - middle, following - middle
    areas = np.abs(edges[:, 0] * others[:, 1] - edges[:, 1] * others[:, 0]) / 2
    # bands of equal area between the middle and the rim, three points along each
    bands = np.sqrt((np.arange(8) + 0.5) / 8)
    along = (np.arange(3) + 0.5) / 3
    spots = edges[:, None] + along[None, :, None] * (others - edges)[:, None]
    places = middle + bands[None, :, None, None] * spots[:, None]
    weights = np.broadcast_to(areas[:, None, None] / 24, places.shape[:3])
    return places.reshape(-1, 2), weights.ravel()


def shrunk(corners: Array, margin: float) -> tuple[Array, float]:
    """Returns the corners (n, 3) of a convex hull with every face moved inwards by a margin, which engines add outside
    again, and that margin: at most a quarter of the thickness."""
    hull = convex_hull(corners)
    planes = np.unique(np.round(hull.equations, 9), axis=0)
    centre = corners[hull.vertices].mean(axis=0)
    depth = float(-(planes[:, :3] @ centre + planes[:, 3]).max())
    least = min(margin, 0.25 * depth)
    planes[:, 3] += least
    try:
        return corners_within(planes, centre), least
    except FlatError:
        return centre + (corners - centre) * (1.0 - least / depth), least
