"""What a picture shows otherwise than the one before it: mostly one piece and its shadow. Plain geometry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.view.bounds import WHOLE, Area, outline, shadows_of
from engine.view.camera import Camera
from engine.view.frame import Frame

Array = NDArray[np.float64]

MOST = 0.6
"""Part of the picture that may have changed for the rest to be worth keeping."""
MARGIN = 14.0
"""Pixels by which a smoothed edge, and a texel of ambient occlusion, may reach beyond what changed."""

_Look = tuple[tuple[float, ...], str, bool]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a picture to be drawn anew. area: all of it lies in there. corners: (n, 2) of its convex outline, from
    (-1, -1) at the lower left to (1, 1), counter-clockwise."""

    area: Area
    corners: Array


EVERYTHING = Part(WHOLE, np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))


class Changes:
    """Gathers what changes until the next picture is made."""

    def __init__(self) -> None:
        self._is_whole = True
        self._points: list[Array] = []
        self._looks: dict[str, _Look] = {}
        self._boxes: dict[str, Array] = {}

    def whole(self) -> None:
        """Everything changes: the camera, the light, the size."""
        self._is_whole = True

    def at(self, points: Array) -> None:
        """Something changes within the hull of points (n, 3), world metres."""
        self._points.append(points)

    def show(self, frame: Frame, boxes: dict[str, Array]) -> None:
        """A frame is shown; boxes: (8, 3) corners of its pieces."""
        looks: dict[str, _Look] = {
            name: (tuple(row), frame.highlights.get(name, ""), name in frame.unread)
            for name, row in zip(frame.names, frame.poses.tolist(), strict=True)
            if name in boxes
        }
        for name in looks.keys() | self._looks.keys():
            if looks.get(name) != self._looks.get(name):
                self._points += [known[name] for known in (boxes, self._boxes) if name in known]
        self._looks, self._boxes = looks, boxes

    def take(
        self, camera: Camera, size: tuple[int, int], height: float | None, reach: float, blur: float
    ) -> Part | None:
        """The part of the picture to draw anew, None when nothing is. height: of the table, on which shadows fall.
        reach: metres around what changed that it may darken, blur: around shadows."""
        points, self._points = [part for part in self._points if len(part)], []
        is_whole, self._is_whole = self._is_whole, False
        if is_whole:
            return EVERYTHING
        if not points:
            return None
        changed = np.concatenate(points)
        margins = np.full(len(changed), reach)
        if height is not None:
            # whatever is between a thing and its shadow is between their outlines too
            changed = np.concatenate([changed, shadows_of(changed, height)])
            margins = np.concatenate([margins, np.full(len(margins), blur)])
        found = outline(changed, margins, camera, size, MARGIN)
        if found is None:
            return EVERYTHING
        corners = found / (size[0] / 2, size[1] / 2)
        (left, low), (right, high) = np.clip(
            0.5 + 0.5 * np.array([corners.min(axis=0), corners.max(axis=0)]), 0, 1
        )
        if left >= right or low >= high:
            return None
        x, y = corners.T
        taken = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 8
        is_worth = taken <= MOST
        return (
            Part(Area(float(left), float(right), float(low), float(high)), corners)
            if is_worth
            else EVERYTHING
        )
