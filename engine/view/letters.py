"""Letters as a router cuts them into wood: lines of one width with round ends. Capitals, digits, plus and minus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.view.ink import Array, Paper, Place, arc, stroke

Line = list[Place]

# a letter is 1 high; its lines run in the middle of the stroke
STROKE = 0.17
GAP = 0.30
SPACE = 0.34
# how far around a letter its lines may reach
EDGE = 0.25
LEADING = 1.55


def _bowl(right: float, low: float, high: float) -> Line:
    """The half round of B, D, P and R, from the stem's upper end to its lower."""
    radius = (high - low) / 2
    return [(0, high), *arc((right - radius, (high + low) / 2), radius, 90, -90), (0, low)]


def _cup(width: float) -> Line:
    return [(0, 1), *arc((width / 2, width / 2), width / 2, 180, 360), (width, 1)]


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
# width and lines of every letter
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
    "U": (0.62, [_cup(0.62)]),
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
    """Of a line of text whose letters are 1 high, with the ends of its strokes."""
    widths = [SPACE - GAP if letter == " " else _LETTERS[letter][0] for letter in text]
    return sum(widths) + GAP * max(len(text) - 1, 0) + STROKE


def size_of(lines: Sequence[str]) -> Place:
    """Width and height of lines of text whose letters are 1 high."""
    return max(width_of(line) for line in lines), 1 + STROKE + LEADING * (len(lines) - 1)


def _broken(text: str) -> list[list[str]]:
    """All ways to set a text in one line or two."""
    words = text.split()
    halves = [[" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words))]
    return [[" ".join(words)], *halves]


def fitted(text: str, width: float, height: float) -> tuple[list[str], float]:
    """The lines, one or two, in which the letters can be largest, and how high they are then."""
    best: tuple[list[str], float] = ([text], 0.0)
    for lines in _broken(text):
        across, up = size_of(lines)
        letter = min(width / across, height / up)
        # two short lines are read faster than a long one
        if letter > best[1] * (1.02 if len(best[0]) == len(lines) else 0.85):
            best = (lines, letter)
    return best


def write(paper: Paper, lines: Sequence[str], letter: float, at: Place = (0.0, 0.0)) -> Array:
    """Lines of text below each other, their common middle at a place; letter: how high one is."""
    drawn = paper.empty()
    begin = at[0] - letter * (size_of(lines)[0] - STROKE) / 2
    for number, line in enumerate(lines):
        y = at[1] + letter * (LEADING * ((len(lines) - 1) / 2 - number) - 0.5)
        x = begin
        for sign in line:
            width, strokes = (SPACE - GAP, []) if sign == " " else _LETTERS[sign]
            # only where the letter is: most of the paper is far from it
            rows, columns = paper.window(
                (x - letter * EDGE, y - letter * EDGE), (x + letter * (width + EDGE), y + letter * (1 + EDGE))
            )
            part = Paper(paper.x[rows, columns], paper.y[rows, columns], paper.fine)
            for points in strokes:
                placed = [(x + letter * px, y + letter * py) for px, py in points]
                drawn[rows, columns] = np.minimum(drawn[rows, columns], stroke(part, placed, letter * STROKE))
            x += letter * (width + GAP)
    return drawn
