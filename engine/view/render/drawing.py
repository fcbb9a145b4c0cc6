"""Drawing with signed distances: shapes and letters as functions of position. No graphics library.

A drawing is an (h, w) array of signed distances in millimetres, negative inside: unions are minima, outlines absolute
values, and the distance gives the coverage of edge pixels. x runs right, y up. Letters are lines of one width with
round ends, as a router cuts them: capitals, digits, plus and minus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from teeter.models.piece import Array

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """Positions of the pixels: x and y, (h, w) millimetres. resolution: pixels per millimetre."""

    x: Array
    y: Array
    resolution: float

    @classmethod
    def of(cls, width: float, height: float, resolution: float) -> Paper:
        """Returns a sheet of a size in millimetres, centred at (0, 0), top row first."""
        columns, rows = max(1, round(width * resolution)), max(1, round(height * resolution))
        x = ((np.arange(columns) + 0.5) / columns - 0.5) * width
        y = (0.5 - (np.arange(rows) + 0.5) / rows) * height
        return cls(*np.meshgrid(x, y), resolution=resolution)

    def moved(self, x: float, y: float, scale: float = 1.0) -> Paper:
        """Returns the same pixels for a drawing that is scaled and then moved to (x, y)."""
        return Paper((self.x - x) / scale, (self.y - y) / scale, self.resolution * scale)

    def rotated(self) -> Paper:
        """Returns the same pixels for a drawing that is rotated by 180 degrees."""
        return Paper(-self.x, -self.y, self.resolution)

    def window(self, low: Place, high: Place) -> tuple[slice, slice]:
        """Returns rows and columns of the pixels between two corners; of a sheet that was not rotated."""
        columns = np.searchsorted(self.x[0], (low[0], high[0]))
        rows = np.searchsorted(-self.y[:, 0], (-high[1], -low[1]))
        return slice(*rows.tolist()), slice(*columns.tolist())

    def empty(self) -> Array:
        """Returns an empty drawing: far from everything."""
        return np.full(self.x.shape, 1e6)

    def cover(self, distance: Array) -> Array:
        """Returns (h, w), 0 to 1: how much of each pixel is inside."""
        return np.asarray(np.clip(0.5 - distance * self.resolution, 0.0, 1.0))


def box(paper: Paper, half: Place, rounding: float = 0.0, at: Place = (0.0, 0.0)) -> Array:
    """Draws a rectangle of half sides, corners rounded."""
    across = np.abs(paper.x - at[0]) - (half[0] - rounding)
    along = np.abs(paper.y - at[1]) - (half[1] - rounding)
    outside = np.hypot(np.maximum(across, 0), np.maximum(along, 0))
    return np.asarray(outside + np.minimum(np.maximum(across, along), 0) - rounding)


def disc(paper: Paper, radius: float, at: Place = (0.0, 0.0)) -> Array:
    """Draws a filled circle."""
    return np.asarray(np.hypot(paper.x - at[0], paper.y - at[1]) - radius)


def stroke(paper: Paper, points: Sequence[Place], width: float) -> Array:
    """Draws a line through points, round at joints and ends."""
    # squares, because roots are expensive
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
    """Draws a convex polygon, counter-clockwise; rounded ones grow by the rounding."""
    inside = np.full(paper.x.shape, -1e6)
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        dx, dy = bx - ax, by - ay
        inside = np.maximum(inside, ((paper.x - ax) * dy - (paper.y - ay) * dx) / np.hypot(dx, dy))
    edge = stroke(paper, [*points, points[0]], 0.0)
    return np.asarray(np.where(inside < 0, inside, edge) - rounding)


def arc(centre: Place, radius: float, begin: float, end: float) -> list[Place]:
    """Returns points of an arc between two angles, degrees from +x, counter-clockwise when `end` is larger."""
    angles = np.radians(np.linspace(begin, end, max(3, round(abs(end - begin) / 9) + 1)))
    return [(centre[0] + radius * float(np.cos(a)), centre[1] + radius * float(np.sin(a))) for a in angles]


def union(*distances: Array) -> Array:
    """Returns the union of drawings."""
    return np.asarray(np.minimum.reduce(distances))


def without(distance: Array, hole: Array, gap: float = 0.0) -> Array:
    """Returns a drawing without a hole. gap: millimetres around the hole."""
    return np.asarray(np.maximum(distance, gap - hole))


Line = list[Place]

# in heights of a letter, measured between the middles of strokes
STROKE, LETTER_GAP, SPACE, LINE_HEIGHT = 0.17, 0.30, 0.34, 1.55
# how far around a letter its strokes may reach
LETTER_MARGIN = 0.25


def _bowl(right: float, low: float, high: float) -> Line:
    """Returns the half circle of B, P and R, from the upper end of the stem to its lower."""
    radius = (high - low) / 2
    return [(0, high), *arc((right - radius, (high + low) / 2), radius, 90, -90), (0, low)]


def _oval(width: float) -> Line:
    half = width / 2
    return [*arc((half, 1 - half), half, 0, 180), *arc((half, half), half, 180, 360), (width, 1 - half)]


def _c(width: float) -> Line:
    half = width / 2
    return [*arc((half, 1 - half), half, 35, 180), *arc((half, half), half, 180, 325)]


def _s() -> Line:
    return [*arc((0.29, 0.74), 0.26, 40, 240), (0.31, 0.51), *arc((0.29, 0.26), 0.26, 60, -140)]


_STEM: Line = [(0, 0), (0, 1)]
_THREE: Line = [*arc((0.27, 0.75), 0.25, 150, -90), *arc((0.27, 0.25), 0.25, 90, -150)]
_SIX: Line = [*arc((0.27, 0.27), 0.27, 0, 360)]
# width and strokes of every letter
_LETTERS: dict[str, tuple[float, list[Line]]] = {
    "A": (0.72, [[(0, 0), (0.36, 1), (0.72, 0)], [(0.12, 0.33), (0.60, 0.33)]]),
    "B": (0.56, [_STEM, _bowl(0.52, 0.53, 1), _bowl(0.56, 0, 0.53)]),
    "C": (0.66, [_c(0.70)]),
    "D": (0.64, [[*_STEM, *arc((0.14, 0.5), 0.5, 90, -90), (0, 0)]]),
    "E": (0.50, [[(0.5, 1), (0, 1), (0, 0), (0.5, 0)], [(0, 0.52), (0.43, 0.52)]]),
    "F": (0.48, [[(0.48, 1), (0, 1), (0, 0)], [(0, 0.50), (0.42, 0.50)]]),
    "G": (0.68, [[*_c(0.70), (0.68, 0.46), (0.40, 0.46)]]),
    "H": (0.62, [_STEM, [(0.62, 0), (0.62, 1)], [(0, 0.51), (0.62, 0.51)]]),
    "I": (0.0, [_STEM]),
    "J": (0.44, [[*arc((0.22, 0.22), 0.22, 180, 360), (0.44, 1)]]),
    "K": (0.58, [_STEM, [(0.56, 1), (0, 0.40)], [(0.18, 0.57), (0.58, 0)]]),
    "L": (0.46, [[(0, 1), (0, 0), (0.46, 0)]]),
    "M": (0.78, [[(0, 0), (0, 1), (0.39, 0.36), (0.78, 1), (0.78, 0)]]),
    "N": (0.64, [[(0, 0), (0, 1), (0.64, 0), (0.64, 1)]]),
    "O": (0.70, [_oval(0.70)]),
    "P": (0.56, [_STEM, _bowl(0.56, 0.44, 1)]),
    "Q": (0.70, [_oval(0.70), [(0.44, 0.26), (0.70, -0.02)]]),
    "R": (0.58, [_STEM, _bowl(0.56, 0.46, 1), [(0.28, 0.46), (0.58, 0)]]),
    "S": (0.58, [_s()]),
    "T": (0.62, [[(0, 1), (0.62, 1)], [(0.31, 1), (0.31, 0)]]),
    "U": (0.62, [[(0, 1), *arc((0.31, 0.31), 0.31, 180, 360), (0.62, 1)]]),
    "V": (0.70, [[(0, 1), (0.35, 0), (0.70, 1)]]),
    "W": (1.0, [[(0, 1), (0.25, 0), (0.5, 0.80), (0.75, 0), (1.0, 1)]]),
    "X": (0.64, [[(0, 0), (0.64, 1)], [(0, 1), (0.64, 0)]]),
    "Y": (0.66, [[(0, 1), (0.33, 0.48), (0.66, 1)], [(0.33, 0.48), (0.33, 0)]]),
    "Z": (0.58, [[(0, 1), (0.58, 1), (0, 0), (0.58, 0)]]),
    "0": (0.56, [_oval(0.56)]),
    "1": (0.26, [[(0, 0.80), (0.26, 1), (0.26, 0)]]),
    "2": (0.54, [[*arc((0.27, 0.73), 0.27, 165, -35), (0, 0), (0.56, 0)]]),
    "3": (0.52, [_THREE]),
    "4": (0.60, [[(0.46, 0), (0.46, 1), (0, 0.28), (0.62, 0.28)]]),
    "5": (0.54, [[(0.50, 1), (0.08, 1), (0.03, 0.55), *arc((0.25, 0.29), 0.29, 125, -145)]]),
    "6": (0.54, [[(0.40, 1), *arc((0.27, 0.27), 0.27, 155, 180)], _SIX]),
    "7": (0.54, [[(0, 1), (0.54, 1), (0.18, 0)]]),
    "8": (0.54, [arc((0.27, 0.76), 0.24, 0, 360), arc((0.27, 0.26), 0.27, 0, 360)]),
    "9": (0.54, [[(0.14, 0), *arc((0.27, 0.73), 0.27, -25, 0)], arc((0.27, 0.73), 0.27, 0, 360)]),
    "+": (0.56, [[(0, 0.47), (0.56, 0.47)], [(0.28, 0.19), (0.28, 0.75)]]),
    "-": (0.48, [[(0, 0.47), (0.48, 0.47)]]),
}


def width_of(text: str) -> float:
    """Returns the width of a line of text in heights of a letter, with the ends of its strokes."""
    widths = [SPACE - LETTER_GAP if letter == " " else _LETTERS[letter][0] for letter in text]
    return sum(widths) + LETTER_GAP * max(len(text) - 1, 0) + STROKE


def size_of(lines: Sequence[str]) -> Place:
    """Returns width and height of lines of text in heights of a letter."""
    return max(width_of(line) for line in lines), 1 + STROKE + LINE_HEIGHT * (len(lines) - 1)


def fitted(text: str, width: float, height: float) -> tuple[list[str], float]:
    """Returns the lines, one or two, in which the letters can be largest, and the height of a letter."""
    words = text.split()
    halves = [[" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words))]
    best: tuple[list[str], float] = ([text], 0.0)
    for lines in ([" ".join(words)], *halves):
        across, up = size_of(lines)
        letter = min(width / across, height / up)
        # two short lines are read faster than a long one
        if letter > best[1] * (1.02 if len(best[0]) == len(lines) else 0.85):
            best = (lines, letter)
    return best


def write(paper: Paper, lines: Sequence[str], letter: float, at: Place = (0.0, 0.0)) -> Array:
    """Draws lines of text, centred at a point. letter: the height of a letter."""
    drawn = paper.empty()
    begin = at[0] - letter * (size_of(lines)[0] - STROKE) / 2
    for number, line in enumerate(lines):
        y = at[1] + letter * (LINE_HEIGHT * ((len(lines) - 1) / 2 - number) - 0.5)
        x = begin
        for sign in line:
            width, strokes = (SPACE - LETTER_GAP, []) if sign == " " else _LETTERS[sign]
            # only around the letter: most of the sheet is far from it
            rows, columns = paper.window(
                (x - letter * LETTER_MARGIN, y - letter * LETTER_MARGIN),
                (x + letter * (width + LETTER_MARGIN), y + letter * (1 + LETTER_MARGIN)),
            )
            part = Paper(paper.x[rows, columns], paper.y[rows, columns], paper.resolution)
            for points in strokes:
                placed = [(x + letter * px, y + letter * py) for px, py in points]
                drawn[rows, columns] = np.minimum(drawn[rows, columns], stroke(part, placed, letter * STROKE))
            x += letter * (width + LETTER_GAP)
    return drawn
