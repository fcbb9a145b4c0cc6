"""What part of a picture, or of the table, things can change: so that the rest costs little. Plain geometry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.rotation import matrices_of
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

    def grown(self, across: float, up: float) -> Area:
        """With so much more on every side, but within the picture."""
        return Area(
            max(self.left - across, 0.0),
            min(self.right + across, 1.0),
            max(self.low - up, 0.0),
            min(self.high + up, 1.0),
        )

    def within(self, other: Area) -> Area | None:
        """What two have in common."""
        left, right = max(self.left, other.left), min(self.right, other.right)
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Area(left, right, low, high) if left < right and low < high else None

    def whole_pixels(self, size: tuple[int, int], more: int = 0) -> Area:
        """Rounded outward to pixels of a picture, and some more of them on every side."""
        wide, high = size
        return Area(
            max(math.floor(self.left * wide) - more, 0) / wide,
            min(math.ceil(self.right * wide) + more, wide) / wide,
            max(math.floor(self.low * high) - more, 0) / high,
            min(math.ceil(self.high * high) + more, high) / high,
        )


WHOLE = Area(0.0, 1.0, 0.0, 1.0)


def boxes_of(frame: Frame, halves: Mapping[str, Array]) -> dict[str, Array]:
    """(8, 3) world corners of the boxes around what is there, by name. halves: (3,) half sides, metres; bodies
    without are left out."""
    there = np.asarray(np.isfinite(frame.poses).all(axis=1), dtype=np.bool_)
    rows = [number for number, name in enumerate(frame.names) if name in halves and there[number]]
    if not rows:
        return {}
    poses = frame.poses[rows]
    half = np.array([halves[frame.names[row]] for row in rows])
    local = _SIGNS * half[:, None]
    corners = np.einsum("nij,nkj->nki", matrices_of(poses[:, 3:]), local) + poses[:, None, :3]
    return {frame.names[row]: box for row, box in zip(rows, corners, strict=True)}


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
    return _outline(far)


def _outline(far: Array) -> Array:
    """(16, 2) the corners in which neighbouring tangents meet, counter-clockwise. far: how far off they are in the
    directions of the feelers."""
    after, turn = np.roll(far, -1), 2 * math.pi / len(far)
    along = (after - far * math.cos(turn)) / math.sin(turn)
    return np.asarray((far * FEELERS + along * np.stack([-FEELERS[1], FEELERS[0]])).T)


def outline(points: Array, reach: Array, camera: Camera, size: tuple[int, int], more: float) -> Array | None:
    """(n, 2) a convex outline in a picture, in pixels from its middle, up and to the right, counter-clockwise, of where
    points (n, 3) and what lies within `reach` (n,) metres of them may be seen, and so many pixels more around; None
    where that may be anywhere."""
    local = (points - np.array(camera.eye)) @ camera.axes.T
    depth = local[:, 1]
    if bool((depth <= 1.5 * reach + 1e-3 * camera.distance).any()):
        return None
    scale = size[1] / 2 / math.tan(math.radians(camera.fov) / 2)
    flat = local[:, (0, 2)] * (scale / depth[:, None])
    # a ball is seen a little larger than its radius, most so at the sides of the picture
    off = np.hypot(flat[:, 0], flat[:, 1]) / scale
    wide = scale * reach * (1 + off * off) / np.sqrt(depth * depth - reach * reach)
    return _outline((flat @ FEELERS + wide[:, None]).max(axis=0) + more)


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
