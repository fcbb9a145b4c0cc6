"""Which part of a picture, or of the table, a change can reach, so that the rest costs little. Plain geometry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from teeter.engine.geometry.rotation import rotated
from teeter.engine.view.camera import BOX_CORNERS, Camera
from teeter.engine.view.frame import Frame
from teeter.engine.view.render import shading
from teeter.models.piece import Array

_ANGLES = np.arange(16) * (2 * math.pi / 16)
SIDE_NORMALS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
"""(2, 16): normals of the sides of convex outlines."""
MAX_DIRTY_FRACTION = 0.6
"""Of the picture; above it everything is drawn again."""
DIRTY_MARGIN_PX = 14.0
"""How far a smoothed edge, and a texel of ambient occlusion, may reach beyond what changed."""

_Appearance = tuple[tuple[float, ...], str, bool, float]
"""What makes a piece look different: its pose, its highlight, whether its print is hidden, whether it shades."""


@dataclass(frozen=True, slots=True)
class ScreenRect:
    """An upright rectangle of a picture: (0, 0) at the lower left, (1, 1) at the upper right."""

    left: float
    right: float
    low: float
    high: float

    def within(self, other: ScreenRect) -> ScreenRect | None:
        """Returns the intersection with another one, None when it is empty."""
        left, right = max(self.left, other.left), min(self.right, other.right)
        low, high = max(self.low, other.low), min(self.high, other.high)
        return ScreenRect(left, right, low, high) if left < right and low < high else None

    def whole_pixels(self, size: tuple[int, int], more: int = 0) -> ScreenRect:
        """Returns it rounded outward to pixels of a picture, with some more of them on every side."""
        (left, right), (low, high) = (
            (max(math.floor(begin * side) - more, 0) / side, min(math.ceil(end * side) + more, side) / side)
            for begin, end, side in ((self.left, self.right, size[0]), (self.low, self.high, size[1]))
        )
        return ScreenRect(left, right, low, high)


WHOLE = ScreenRect(0.0, 1.0, 0.0, 1.0)


def boxes_of(frame: Frame, halves: Mapping[str, Array]) -> dict[str, Array]:
    """Returns (8, 3) world corners of the boxes around visible bodies, by name.

    halves: (3,) half sides, metres; bodies without are left out.
    """
    there = np.asarray(np.isfinite(frame.poses).all(axis=1), dtype=np.bool_)
    rows = [number for number, name in enumerate(frame.names) if name in halves and there[number]]
    if not rows:
        return {}
    poses, names = frame.poses[rows], [frame.names[row] for row in rows]
    local = BOX_CORNERS * np.array([halves[name] for name in names])[:, None]
    corners = rotated(poses, local) + poses[:, None, :3]
    return dict(zip(names, corners, strict=True))


def shadows_of(points: Array, height: float) -> Array:
    """Returns (..., 3): where the shadows of points fall on a level plane, metres."""
    drop = np.maximum(points[..., 2:] - height, 0.0)
    return np.asarray(points - drop * (np.array(shading.SUN) / shading.SUN[2]))


def shaded(corners: Array, height: float, reach: float, blur: float) -> Array:
    """Returns (n, 2): a convex outline, counter-clockwise, of where a level table may be darkened.

    corners: (..., 3) of boxes. height: of the table. reach: metres around boxes in which they take light from it.
    blur: metres around shadows.
    """
    if not corners.size:
        return np.zeros((0, 2))
    below = corners.reshape(-1, 3)
    cast = shadows_of(below, height)
    far = np.maximum(
        (below[:, :2] @ SIDE_NORMALS).max(axis=0) + reach, (cast[:, :2] @ SIDE_NORMALS).max(axis=0) + blur
    )
    return _outline(far)


def _outline(far: Array) -> Array:
    """Returns (16, 2): corners of a polygon with sides normal to `SIDE_NORMALS`, counter-clockwise. far: (16,) their
    distances."""
    after, angle = np.roll(far, -1), 2 * math.pi / len(far)
    along = (after - far * math.cos(angle)) / math.sin(angle)
    return np.asarray((far * SIDE_NORMALS + along * np.stack([-SIDE_NORMALS[1], SIDE_NORMALS[0]])).T)


def outline(
    points: Array, reach: Array, camera: Camera, size: tuple[int, int], margin: float
) -> Array | None:
    """Returns (n, 2): a convex outline, counter-clockwise, of where points and what is near them may be seen.

    In pixels from the middle of the picture, right and up; None where it may be anywhere. points: (n, 3). reach: (n,)
    metres around them. margin: pixels around.
    """
    local = (points - np.array(camera.eye)) @ camera.axes.T
    depth = local[:, 1]
    if bool((depth <= 1.5 * reach + 1e-3 * camera.distance).any()):
        return None
    scale = size[1] / 2 / math.tan(math.radians(camera.fov) / 2)
    flat = local[:, (0, 2)] * (scale / depth[:, None])
    # a ball is seen a little larger than its radius, most so at the sides of the picture
    off = np.hypot(flat[:, 0], flat[:, 1]) / scale
    wide = scale * reach * (1 + off * off) / np.sqrt(depth * depth - reach * reach)
    return _outline((flat @ SIDE_NORMALS + wide[:, None]).max(axis=0) + margin)


def seen(points: Array, camera: Camera, size: tuple[int, int], reach: float = 0.0) -> ScreenRect | None:
    """Returns the part of a picture in which points, and what lies within `reach` metres of them, may be seen; None
    when nowhere."""
    if not points.size:
        return None
    points = points.reshape(-1, 3)
    hull = outline(points, np.full(len(points), reach), camera, size, 0.0)
    return WHOLE if hull is None else _around(hull, size)


def _around(corners: Array, size: tuple[int, int]) -> ScreenRect | None:
    """Returns the rectangle around corners (n, 2), pixels from the middle of a picture; None when it is outside."""
    low, high = (
        np.clip(0.5 + ends / size, 0, 1).tolist() for ends in (corners.min(axis=0), corners.max(axis=0))
    )
    return ScreenRect(low[0], high[0], low[1], high[1]) if low[0] < high[0] and low[1] < high[1] else None


@dataclass(frozen=True, slots=True, eq=False)
class DirtyRegion:
    """A part of a picture to draw again.

    bounds: around all of it. corners: (n, 2) of its convex outline, (-1, -1) at the lower left to (1, 1),
    counter-clockwise.
    """

    bounds: ScreenRect
    corners: Array


EVERYTHING = DirtyRegion(WHOLE, np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))
NOWHERE = ScreenRect(0.0, 0.0, 0.0, 0.0)
NOTHING = DirtyRegion(NOWHERE, np.zeros((0, 2)))


class DirtyTracker:
    """Gathers what changes until the next picture is made: mostly one piece and its shadow."""

    def __init__(self) -> None:
        self._is_whole = True
        self._points: list[Array] = []
        self._airy: list[Array] = []
        self._appearances: dict[str, _Appearance] = {}
        self._boxes: dict[str, Array] = {}

    def add_all(self) -> None:
        """Everything changes: the camera, the light, the size."""
        self._is_whole = True

    def add(self, points: Array) -> None:
        """Something changes within the convex hull of points (n, 3), world metres."""
        self._points.append(points)

    def show(self, frame: Frame, boxes: dict[str, Array]) -> None:
        """A frame is shown; boxes: (8, 3) corners of its pieces."""
        appearances: dict[str, _Appearance] = {
            name: (tuple(row), frame.highlights.get(name, ""), name in frame.unread, name in frame.airy)
            for name, row in zip(frame.names, frame.poses.tolist(), strict=True)
            if name in boxes
        }
        for name in appearances.keys() | self._appearances.keys():
            if appearances.get(name) != self._appearances.get(name):
                points = self._airy if name in frame.airy else self._points
                points += [known[name] for known in (boxes, self._boxes) if name in known]
        self._appearances, self._boxes = appearances, boxes

    def take(
        self, camera: Camera, size: tuple[int, int], height: float | None, reach: float, blur: float
    ) -> DirtyRegion:
        """Returns the part of the picture to draw again, and forgets it.

        height: of the table, on which shadows fall. reach: metres around what changed that it may darken. blur: metres
        around shadows.
        """
        points, self._points = [group for group in self._points if len(group)], []
        airy, self._airy = self._airy, []
        is_whole, self._is_whole = self._is_whole, False
        if is_whole:
            return EVERYTHING
        if not points and not airy:
            return NOTHING
        changed = np.concatenate([np.zeros((0, 3)), *points])
        margins = np.full(len(changed), reach)
        if height is not None:
            # whatever is between a thing and its shadow is between their outlines too
            changed = np.concatenate([changed, shadows_of(changed, height)])
            margins = np.concatenate([margins, np.full(len(margins), blur)])
        changed = np.concatenate([changed, *airy])
        margins = np.concatenate([margins, np.zeros(len(changed) - len(margins))])
        hull = outline(changed, margins, camera, size, DIRTY_MARGIN_PX)
        if hull is None:
            return EVERYTHING
        bounds = _around(hull, size)
        if bounds is None:
            return NOTHING
        corners = hull / (size[0] / 2, size[1] / 2)
        x, y = corners.T
        if float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 8 > MAX_DIRTY_FRACTION:
            return EVERYTHING
        return DirtyRegion(bounds, corners)
