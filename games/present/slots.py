"""Places that draw a held piece in: which of them is meant, and how the piece has to be turned for it."""

import math
from collections.abc import Iterable

import numpy as np

from teeter.engine.geometry.rotation import angle_between, quaternion_of
from teeter.engine.pose import Pose
from teeter.engine.view.camera import on_plane
from teeter.models.piece import Array, Piece

MAGNET = 0.012
"""Metres around a place within which it draws the piece in."""
ASKEW = math.radians(30.0)
"""How far a piece that is drawn in may be turned from how it belongs: one that was turned further is meant to be."""
HALF_TURNS = tuple(
    np.diag(signs) for signs in ((1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0))
)
"""The turns that bring a brick onto itself."""


def square(slot: Pose, rotation: Pose) -> Pose:
    """Returns a place with the piece turned as little as it has to be, from how it is turned now."""
    ways = [Pose(slot.position, quaternion_of(slot.matrix @ turn)) for turn in HALF_TURNS]
    return min(ways, key=lambda way: angle_between(way.orientation, rotation.orientation))


def nearest(slots: Iterable[Pose], rotation: Pose, x: float, y: float, reach: float) -> Pose | None:
    """Returns the place within so many metres of a point, the nearest, as the piece has to be turned for it."""
    near = min(slots, key=lambda slot: math.dist(slot.position[:2], (x, y)), default=None)
    is_near = near is not None and math.dist(near.position[:2], (x, y)) <= reach
    return _drawn_in(near, rotation) if near is not None and is_near else None


def pointed(
    slots: Iterable[Pose], piece: Piece, rotation: Pose, origin: Array, direction: Array
) -> Pose | None:
    """Returns the place that a ray of the pointer meets first, or else passes nearest of those within `MAGNET`, as the
    piece has to be turned for it."""
    hits = [(hit, slot) for slot in slots if (hit := _met(slot, piece, origin, direction)) is not None]
    best = min(hits, key=lambda row: row[0], default=None)
    return None if best is None else _drawn_in(best[1], rotation)


def _met(slot: Pose, piece: Piece, origin: Array, direction: Array) -> tuple[bool, float] | None:
    """Returns whether a ray misses a place, and how far along it meets it or how far from its middle it goes; None for
    one beyond `MAGNET`."""
    begin, way, half = (origin - slot.position) @ slot.matrix, direction @ slot.matrix, 0.5 * piece.extents
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.sort(np.stack([(-half - begin) / way, (half - begin) / way]), axis=0)
    if float(sides[0].max()) <= float(sides[1].min()):
        return False, float(sides[0].max())
    # where it crosses the levels of its middle, foot and top
    level = np.array([0.0, -half[2], half[2]]) + slot.position[2]
    met = [at for height in level if (at := on_plane(origin, direction, float(height))) is not None]
    local = [np.abs((np.asarray(at) - slot.position) @ slot.matrix)[:2] for at in met]
    away = [float(np.linalg.norm(np.maximum(point - half[:2], 0.0))) for point in local]
    return (True, float(np.linalg.norm(local[0]))) if min(away, default=math.inf) <= MAGNET else None


def _drawn_in(slot: Pose, rotation: Pose) -> Pose | None:
    way = square(slot, rotation)
    return way if angle_between(way.orientation, rotation.orientation) <= ASKEW else None
