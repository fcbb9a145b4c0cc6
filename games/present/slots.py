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
    """Returns the place that a ray of the pointer meets, or passes within `MAGNET`, as the piece has to be turned for
    it: of several that whose middle it passes nearest."""
    found: list[tuple[float, Pose]] = []
    for slot in slots:
        half = 0.5 * np.abs(slot.matrix @ np.diag(piece.extents)).sum(axis=1)
        away, middle = math.inf, math.inf
        for height in (-half[2], 0.0, half[2]):
            at = on_plane(origin, direction, slot.position[2] + height)
            if at is not None:
                local = np.abs(slot.matrix.T[:2, :2] @ np.subtract(at[:2], slot.position[:2]))
                away = min(away, float(np.linalg.norm(np.maximum(local - 0.5 * piece.extents[:2], 0.0))))
                middle = min(middle, float(np.linalg.norm(local)))
        if away <= MAGNET:
            found.append((middle, slot))
    slot = min(found, key=lambda each: each[0], default=None)
    return None if slot is None else _drawn_in(slot[1], rotation)


def _drawn_in(slot: Pose, rotation: Pose) -> Pose | None:
    way = square(slot, rotation)
    return way if angle_between(way.orientation, rotation.orientation) <= ASKEW else None
