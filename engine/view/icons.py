"""Signs on cards and bricks, drawn with distances in millimetres around (0, 0).

Told apart by their shape alone: nobody needs to see colours, or the right way up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.view.ink import Array, Paper, Place, arc, box, disc, polygon, stroke, union, without

Icon = Callable[[Paper], Array]

LINE = 1.7


def arrow(paper: Paper, points: Sequence[Place], width: float = LINE, head: float = 2.5) -> Array:
    """A line with a head at its last point; head: half its breadth."""
    (ax, ay), (bx, by) = points[-2], points[-1]
    length = float(np.hypot(bx - ax, by - ay))
    dx, dy = (bx - ax) / length, (by - ay) / length
    tip = (bx + dx * 1.3 * head, by + dy * 1.3 * head)
    left, right = (bx - dy * head, by + dx * head), (bx + dy * head, by - dx * head)
    return union(stroke(paper, points, width), polygon(paper, [tip, left, right], rounding=0.35))


# a floor card's boxes: 16 mm


def red(paper: Paper) -> Array:
    """A cross from corner to corner: keep off."""
    reach = 4.3
    return union(
        stroke(paper, [(-reach, -reach), (reach, reach)], 2.5),
        stroke(paper, [(-reach, reach), (reach, -reach)], 2.5),
    )


def remove(paper: Paper) -> Array:
    """An arrow up, out of a row of blocks."""
    up = arrow(paper, [(0, 1.1), (0, 2.4)], 2.1, 2.8)
    blocks = [box(paper, (1.8, 1.8), 0.4, (x, -4.6)) for x in (-4.3, 4.3)]
    return union(up, box(paper, (1.8, 1.8), 0.4, (0, -2.5)), *blocks)


def again(paper: Paper) -> Array:
    """An arrow that goes round: once more."""
    return arrow(paper.moved(0.5, -0.2), arc((0, 0), 4.1, 40, -205), 2.1, 2.6)


def exchange(paper: Paper) -> Array:
    """Two arrows that pass each other."""
    one = arrow(paper.moved(0, 2.6), [(-4.6, 0), (1.9, 0)], 2.1, 2.7)
    return union(one, arrow(paper.moved(0, -2.6).turned(), [(-4.6, 0), (1.9, 0)], 2.1, 2.7))


# a brick's prints: 15 mm wide at most


def _brick(paper: Paper, y: float) -> Array:
    return box(paper, (6.6, 2.3), 0.7, (0, y))


def swatch(paper: Paper) -> Array:
    """The part of `brick` that shows the ink."""
    return box(paper, (5.9, 2.6), 0.4, (0, -3.6))


def brick(paper: Paper) -> Array:
    """A brick's outline, to be filled with ink, and an arrow up."""
    hull = box(paper, (6.9, 3.6), 1.0, (0, -3.6))
    return union(without(hull, swatch(paper)), arrow(paper, [(0, 1.6), (0, 3.6)], 1.8, 2.5))


def pair(paper: Paper) -> Array:
    """Two bricks, one above the other, and an arrow up."""
    head = polygon(paper, [(0, 6.8), (-2.3, 4.4), (2.3, 4.4)], rounding=0.3)
    return union(_brick(paper, -4.9), _brick(paper, 0.5), head)


def more(paper: Paper) -> Array:
    """A brick and a plus."""
    plus = union(stroke(paper, [(-2.7, 2.7), (2.7, 2.7)], LINE), stroke(paper, [(0, 0.0), (0, 5.4)], LINE))
    return union(_brick(paper, -4.4), plus)


def skip(paper: Paper) -> Array:
    """A hop over what is left out."""
    hop = arrow(paper, [*arc((-0.6, -1.8), 4.6, 180, 8), (4.1, -2.0)], LINE, 2.4)
    return union(hop, disc(paper, 1.6, (-0.6, -3.2)))


def reverse(paper: Paper) -> Array:
    """A turn back."""
    return arrow(paper, [(-5.8, -3.4), *arc((2.4, 0.0), 3.4, -90, 90), (-3.2, 3.4)], LINE, 2.5)


def _row(paper: Paper, full: Sequence[bool]) -> Array:
    """Three bricks of a row, seen on their ends."""
    drawn = []
    for x, is_full in zip((-5.1, 0.0, 5.1), full, strict=True):
        end = box(paper, (2.15, 2.15), 0.5, (x, 0.0))
        drawn.append(end if is_full else np.abs(end + 0.3) - 0.3)
    return union(*drawn)


def edge(paper: Paper) -> Array:
    """A row whose outer bricks are marked."""
    return _row(paper, (True, False, True))


def centre(paper: Paper) -> Array:
    """A row whose middle brick is marked."""
    return _row(paper, (False, True, False))


def _person(paper: Paper) -> Array:
    shoulders = np.maximum(box(paper, (2.9, 3.2), 2.6, (0, -4.2)), -5.2 - paper.y)
    return union(disc(paper, 1.9, (0, 1.7)), shoulders)


def others(paper: Paper) -> Array:
    """Three people, the middle one in front."""
    front = _person(paper)
    behind = union(_person(paper.moved(-4.4, 1.1, 0.85)), _person(paper.moved(4.4, 1.1, 0.85)))
    return union(front, without(behind, front, 0.7))


BOXES: dict[str, Icon] = {"#": red, "-": remove, "+": again, "x": exchange}
ICONS: dict[str, Icon] = {
    "brick": brick,
    "pair": pair,
    "more": more,
    "skip": skip,
    "reverse": reverse,
    "edge": edge,
    "centre": centre,
    "others": others,
}
