"""Drawing with distances: shapes as functions of a place, filled with smooth edges. No graphics library.

A drawing is a (h, w) array of signed distances in millimetres, negative inside; so unions are minima, outlines are
absolute values, and a pixel is covered by as much as the edge leaves of it. x runs right, y up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Place = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """Where the pixels are: x and y, (h, w) millimetres. fine: pixels to a millimetre."""

    x: Array
    y: Array
    fine: float

    @classmethod
    def of(cls, width: float, height: float, fine: float) -> Paper:
        """A sheet of millimetres with its middle at (0, 0), the upper row first."""
        columns, rows = max(1, round(width * fine)), max(1, round(height * fine))
        x = ((np.arange(columns) + 0.5) / columns - 0.5) * width
        y = (0.5 - (np.arange(rows) + 0.5) / rows) * height
        return cls(*np.meshgrid(x, y), fine=fine)

    def moved(self, x: float, y: float, scale: float = 1.0) -> Paper:
        """The same pixels as a drawing sees them that is made `scale` times larger and put at a place."""
        return Paper((self.x - x) / scale, (self.y - y) / scale, self.fine * scale)

    def turned(self) -> Paper:
        """As a drawing sees them that is turned by half a turn."""
        return Paper(-self.x, -self.y, self.fine)

    def window(self, low: Place, high: Place) -> tuple[slice, slice]:
        """Rows and columns of the pixels between two corners; of a paper that was not turned."""
        columns = np.searchsorted(self.x[0], (low[0], high[0]))
        rows = np.searchsorted(-self.y[:, 0], (-high[1], -low[1]))
        return slice(*rows.tolist()), slice(*columns.tolist())

    def empty(self) -> Array:
        """Nothing drawn: far from everything."""
        return np.full(self.x.shape, 1e6)

    def cover(self, distance: Array) -> Array:
        """(h, w) from 0 to 1: how much of each pixel is inside."""
        covered: Array = np.clip(0.5 - distance * self.fine, 0.0, 1.0)
        return covered


def box(paper: Paper, half: Place, rounding: float = 0.0, at: Place = (0.0, 0.0)) -> Array:
    """A rectangle of half sides, corners rounded."""
    across = np.abs(paper.x - at[0]) - (half[0] - rounding)
    along = np.abs(paper.y - at[1]) - (half[1] - rounding)
    outside = np.hypot(np.maximum(across, 0), np.maximum(along, 0))
    distance: Array = outside + np.minimum(np.maximum(across, along), 0) - rounding
    return distance


def disc(paper: Paper, radius: float, at: Place = (0.0, 0.0)) -> Array:
    """A filled circle."""
    distance: Array = np.hypot(paper.x - at[0], paper.y - at[1]) - radius
    return distance


def stroke(paper: Paper, points: Sequence[Place], width: float) -> Array:
    """A line through points, round at joints and ends."""
    # squares, because roots are dear
    squared = np.full(paper.x.shape, 1e12)
    for (ax, ay), (bx, by) in pairwise(points) if len(points) > 1 else ((points[0], points[0]),):
        dx, dy = bx - ax, by - ay
        x, y = paper.x - ax, paper.y - ay
        along = np.clip((x * dx + y * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
        x -= along * dx
        y -= along * dy
        squared = np.minimum(squared, x * x + y * y)
    return np.asarray(np.sqrt(squared) - width / 2)


def polygon(paper: Paper, points: Sequence[Place], rounding: float = 0.0) -> Array:
    """A convex polygon, counter-clockwise; rounded ones grow by the rounding."""
    inside = np.full(paper.x.shape, -1e6)
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        dx, dy = bx - ax, by - ay
        inside = np.maximum(inside, ((paper.x - ax) * dy - (paper.y - ay) * dx) / np.hypot(dx, dy))
    edge = stroke(paper, [*points, points[0]], 0.0)
    distance: Array = np.where(inside < 0, inside, edge) - rounding
    return distance


def arc(centre: Place, radius: float, begin: float, end: float, *, flat: float = 1.0) -> list[Place]:
    """Points of an arc from one angle to another, degrees from +x, against the clock when end is larger.

    flat: how high it is for its width.
    """
    angles = np.radians(np.linspace(begin, end, max(3, round(abs(end - begin) / 9) + 1)))
    return [
        (centre[0] + radius * float(np.cos(a)), centre[1] + flat * radius * float(np.sin(a))) for a in angles
    ]


def union(*distances: Array) -> Array:
    """What is inside any."""
    return np.asarray(np.minimum.reduce(distances))


def without(distance: Array, hole: Array, gap: float = 0.0) -> Array:
    """The first where the second is not; gap: how far they stay apart."""
    return np.asarray(np.maximum(distance, gap - hole))
