"""What part of a picture, or of the table, things can change: so that the rest costs little. Plain geometry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pose import turns_of
from engine.view import studio
from engine.view.camera import Camera
from engine.view.frame import Frame

Array = NDArray[np.float64]

# directions in which the outline of what is shaded is felt for
_ANGLES = np.arange(16) * (2 * math.pi / 16)
FEELERS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Area:
    """An upright rectangle of a picture: (0, 0) at the lower left, (1, 1) at the upper right."""

    left: float
    right: float
    low: float
    high: float


WHOLE = Area(0.0, 1.0, 0.0, 1.0)


def corners_of(frame: Frame, halves: Mapping[str, Array]) -> Array:
    """(n, 8, 3) world corners of the boxes around what is there. halves: (3,) half sides, metres, by name; others are
    left out."""
    rows = [number for number, name in enumerate(frame.names) if name in halves]
    poses = frame.poses[rows]
    there = np.asarray(np.isfinite(poses).all(axis=1), dtype=np.bool_)
    poses = poses[there]
    half = np.array([halves[frame.names[row]] for row, is_there in zip(rows, there, strict=True) if is_there])
    local = _SIGNS * half.reshape(-1, 1, 3)
    return np.asarray(np.einsum("nij,nkj->nki", turns_of(poses[:, 3:]), local) + poses[:, None, :3])


def shadows_of(points: Array, height: float) -> Array:
    """(..., 3) where the shadows of points fall on a level plane, metres."""
    drop = np.maximum(points[..., 2:] - height, 0.0)
    return np.asarray(points - drop * (np.array(studio.SUN) / studio.SUN[2]))


def shaded(corners: Array, height: float, reach: float, blur: float) -> Array:
    """(n, 2) a convex outline, counter-clockwise, of where a level table may be darkened; none where it is not.

    corners: (..., 3) of boxes. height: of the table. reach: metres around boxes in which they take light from it.
    blur: metres around shadows.
    """
    if not corners.size:
        return np.zeros((0, 2))
    below = corners.reshape(-1, 3)
    cast = shadows_of(below, height)
    far = np.maximum((below[:, :2] @ FEELERS).max(axis=0) + reach, (cast[:, :2] @ FEELERS).max(axis=0) + blur)
    # neighbouring tangents meet in the corners of the outline
    after, turn = np.roll(far, -1), 2 * math.pi / len(far)
    along = (after - far * math.cos(turn)) / math.sin(turn)
    return np.asarray((far * FEELERS + along * np.stack([-FEELERS[1], FEELERS[0]])).T)


def seen(points: Array, camera: Camera, aspect: float, reach: float = 0.0) -> Area | None:
    """The part of the picture in which points, and what lies within `reach` metres of them, may be seen; None when
    nowhere. aspect: width by height."""
    if not points.size:
        return None
    local = (points.reshape(-1, 3) - np.array(camera.eye)) @ camera.axes.T
    depth = local[:, 1]
    # beside or behind the eye it may be anywhere
    if float(depth.min()) <= 1.5 * reach + 1e-3 * camera.distance:
        return WHOLE
    tangent = math.tan(math.radians(camera.fov) / 2)
    sides = []
    for across, scale in ((local[:, 0], tangent * aspect), (local[:, 2], tangent)):
        # a ball around a point: a little more than its radius where it is nearest
        low = ((across - reach) / np.where(across < reach, depth - reach, depth + reach)).min() / scale
        high = ((across + reach) / np.where(across > -reach, depth - reach, depth + reach)).max() / scale
        sides.append((min(max(0.5 + 0.5 * low, 0.0), 1.0), min(max(0.5 + 0.5 * high, 0.0), 1.0)))
    (left, right), (bottom, top) = sides
    return Area(left, right, bottom, top) if left < right and bottom < top else None
