"""Where boxes are laid one on one so that they reach over an edge, over a gap, or high, with a margin of tilt in hand.

By moments: what lies above a joint may come as near to its edge as the tilt leaves it, which is the height of its
centre of mass times the slope. Lengths in metres; x goes over the edge, which is at 0; z starts at the ground.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

EDGE = 1e-4
"""Of a box's length: what is laid at an edge stays so far behind it, as rounding wants."""
BEARING = (0.1, 0.02)
"""Of its length, that a deck lies on at each end: as it should be, and where no bridge is found with that."""

MOST_EQUAL = 40
"""Boxes of one kind of which the tallest tower is found; of more a tall one."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A box and where it is. number: in the supply; sides: metres along x, y and z; weight; x, z: of its middle."""

    number: int
    sides: tuple[float, float, float]
    weight: float
    x: float = 0.0
    z: float = 0.0


def flat(number: int, extents: Sequence[float], weight: float) -> Laid:
    """Returns a box on its largest face, its longest side along x."""
    low, middle, high = sorted(extents)
    return Laid(number, (high, middle, low), weight)


def overhang(boxes: Sequence[Laid], slope: float, tip: tuple[float, float] = (0.0, 0.0)) -> list[Laid]:
    """Returns boxes one on one, from the top, in an order that reaches far: no two of them would reach farther the
    other way about. slope: the tangent of the margin. tip: a weight on the top one, and how far behind its end."""
    order = sorted(boxes, key=lambda box: -box.sides[0])
    best = reach_of(_stacked(order, slope, tip))
    better = True
    while better:
        better = False
        for first, second in combinations(range(len(order)), 2):
            other = order.copy()
            other[first], other[second] = other[second], other[first]
            reach = reach_of(_stacked(other, slope, tip))
            if reach > best + 1e-9:
                order, best, better = other, reach, True
    return _stacked(order, slope, tip)


def farthest(boxes: Sequence[Laid], slope: float) -> list[Laid]:
    """Returns boxes one on one, without those that a margin is better kept without: as low as they have to be so that
    none tips sideways, and none that costs more reach than it gains."""

    def worth(stack: Sequence[Laid]) -> tuple[float, float]:
        return -round(_missing_sideways(stack, slope), 9), reach_of(stack)

    best = overhang(boxes, slope)
    while len(best) > 1:
        fewer = [_stacked([*best[:at], *best[at + 1 :]], slope, (0.0, 0.0)) for at in range(len(best))]
        other = max(fewer, key=worth)
        if worth(other) <= worth(best):
            break
        best = other
    return best


def _missing_sideways(stack: Sequence[Laid], slope: float) -> float:
    """Returns what all joints want of breadth together, metres; 0 where none tips sideways. stack: from the top."""
    weights, high, z, wide = np.array([(box.weight, box.sides[2], box.z, box.sides[1]) for box in stack]).T
    middle = np.cumsum(weights * z) / np.cumsum(weights) - (z - high / 2)
    half = np.minimum(wide, np.append(wide[1:], np.inf)) / 2
    return float(np.maximum(slope * middle - half, 0.0).sum())


def reach_of(stack: Sequence[Laid]) -> float:
    """Returns how far boxes reach along x, metres."""
    return max(box.x + box.sides[0] / 2 for box in stack)


def _stacked(order: Sequence[Laid], slope: float, tip: tuple[float, float]) -> list[Laid]:
    """Returns boxes, the top one first, each as far out as those above it let it: their centre of mass at its edge."""
    laid: list[Laid] = []
    total, behind = tip
    # of all above the next joint: where the centre of mass is along x, and how high above the joint
    along, height = order[0].sides[0] / 2 - behind, order[0].sides[2]
    middle = 0.0
    for box in order:
        long, _, high = box.sides
        if laid:
            middle = along + slope * height + EDGE * long - long / 2
            height += high
        laid.append(replace(box, x=middle))
        along = (total * along + box.weight * middle) / (total + box.weight)
        height = (total * height + box.weight * high / 2) / (total + box.weight)
        total += box.weight
    # the pier's edge is the last joint
    shift = along + slope * height + EDGE * order[-1].sides[0]
    below = np.cumsum([box.sides[2] for box in reversed(order)])[::-1]
    rows = zip(laid, below.tolist(), strict=True)
    return [replace(box, x=box.x - shift, z=top - box.sides[2] / 2) for box, top in rows]


def tower(boxes: Sequence[Laid], slope: float) -> list[Laid]:
    """Returns boxes one on one, from the ground: of equal ones the tallest tower that stands, of others a tall one."""
    are_equal = all(box.sides == boxes[0].sides and box.weight == boxes[0].weight for box in boxes)
    order = _tallest(boxes, slope) if are_equal and len(boxes) <= MOST_EQUAL else _tall(boxes, slope)
    laid, ground = [], 0.0
    for box in order:
        laid.append(replace(box, z=ground + box.sides[2] / 2))
        ground += box.sides[2]
    return laid


class _Top(NamedTuple):
    """The upper part of a tower of equal boxes. middle: how high its centre of mass is above its lowest joint; way: of
    its lowest box; above: what lies on that."""

    middle: float
    way: int
    above: _Top | None


def _tallest(boxes: Sequence[Laid], slope: float) -> list[Laid]:
    """Returns equal boxes, the lowest first. Of all that are turned alike and have the same box lowest only the order
    with the lowest centre of mass counts: whatever is put below, it bears the others too where it bears any."""
    turned = [_turned(boxes[0], way) for way in range(3)]
    level: dict[tuple[tuple[int, int, int], int], _Top] = {}
    best: tuple[float, float, _Top | None] = (0.0, 0.0, None)
    for count in range(len(boxes)):
        tops = [((0, 0, 0), None)] if not count else [(ways, top) for (ways, _), top in level.items()]
        level = {}
        for ways, top in tops:
            for way, box in enumerate(turned):
                breadth, high = box.sides[1], box.sides[2]
                middle = high / 2
                if top is not None:
                    upper = turned[top.way].sides
                    if slope * top.middle + EDGE * upper[0] > min(upper[1], breadth) / 2:
                        continue
                    middle = (count * (top.middle + high) + high / 2) / (count + 1)
                if slope * middle + EDGE * box.sides[0] > breadth / 2:
                    continue
                mine = tuple(number + (at == way) for at, number in enumerate(ways))
                key = ((mine[0], mine[1], mine[2]), way)
                if key not in level or middle < level[key].middle:
                    level[key] = _Top(middle, way, top)
                    height = sum(n * each.sides[2] for n, each in zip(mine, turned, strict=True))
                    best = max(best, (height, -middle, level[key]), key=lambda one: one[:2])
    order: list[Laid] = []
    rest = best[2]
    while rest is not None:
        order.append(_turned(boxes[len(order)], rest.way))
        rest = rest.above
    return order


def _tall(boxes: Sequence[Laid], slope: float) -> list[Laid]:
    """Returns boxes, the lowest first: upright, and as long as a joint does not bear the tilt, the box is laid lower
    that gains most for the height it costs."""
    chosen = [_turned(box, 2) for box in boxes]
    lying = [2] * len(boxes)
    while chosen and (missing := _missing(chosen, slope)) > 0:
        options = []
        for at, box in enumerate(boxes):
            for way in range(lying[at]):
                other = [*chosen[:at], _turned(box, way), *chosen[at + 1 :]]
                lost = chosen[at].sides[2] - other[at].sides[2]
                gained = missing - max(0.0, _missing(other, slope))
                if gained > 0:
                    options.append((gained / max(lost, 1e-9), at, way))
        if not options:
            # the narrowest can only be left out
            chosen = _sorted(chosen)[:-1]
            boxes = [next(other for other in boxes if other.number == box.number) for box in chosen]
            lying = [2] * len(boxes)
            continue
        _, at, way = max(options)
        chosen[at], lying[at] = _turned(boxes[at], way), way
    return _sorted(chosen)


def _turned(box: Laid, way: int) -> Laid:
    """Returns a box with its shortest (0), middle or longest (2) side upright, the longer of the others along x."""
    sides = sorted(box.sides)
    up = sides.pop(way)
    return replace(box, sides=(sides[1], sides[0], up))


def _sorted(boxes: Sequence[Laid]) -> list[Laid]:
    """Returns boxes as they are stacked: the broadest below, of those the lowest first."""
    return sorted(boxes, key=lambda box: (-box.sides[1], -box.sides[0], box.sides[2]))


def _missing(boxes: Sequence[Laid], slope: float) -> float:
    """Returns what all joints of a tower want of breadth together, metres; 0 where it bears the slope."""
    total = height = missing = 0.0
    order = _sorted(boxes)
    for box, below in zip(reversed(order), [*reversed(order[:-1]), order[0]], strict=True):
        height = (total * (height + box.sides[2]) + box.weight * box.sides[2] / 2) / (total + box.weight)
        total += box.weight
        half = min(box.sides[0], below.sides[0], box.sides[1], below.sides[1]) / 2
        missing += max(0.0, slope * height + EDGE * box.sides[0] - half)
    return missing


def bridge(boxes: Sequence[Laid], gap: float, slope: float) -> list[Laid] | None:
    """Returns the fewest boxes that bridge a gap between two piers, the deck first; None where none are found. Alike
    stacks reach in from both sides, and the longest box lies on both tips. x is measured from the left pier's edge."""
    found = (_bridge(boxes, gap, slope, part) for part in BEARING)
    return next((laid for laid in found if laid is not None), None)


def _bridge(boxes: Sequence[Laid], gap: float, slope: float, part: float) -> list[Laid] | None:
    """Returns such a bridge. part: of its length that the deck lies on at each end."""
    deck, *rest = sorted(boxes, key=lambda box: (-box.sides[0], box.number))
    bearing = part * deck.sides[0]
    if deck.sides[0] - 2 * bearing >= gap:
        return [replace(deck, x=gap / 2, z=deck.sides[2] / 2)]
    pairs = []
    while len(rest) > 1:
        one = rest.pop(0)
        twin = next((box for box in rest if box.sides == one.sides and box.weight == one.weight), None)
        if twin is not None:
            rest.remove(twin)
            pairs.append((one, twin))
    twins = {one.number: twin.number for one, twin in pairs}
    for count in range(1, len(pairs) + 1):
        side = overhang([one for one, _ in pairs[:count]], slope, (deck.weight / 2, bearing))
        # the deck lies on the top ones
        spare = 2 * (side[0].x + side[0].sides[0] / 2) + deck.sides[0] - 2 * bearing - gap
        if spare < 0:
            continue
        near = [replace(box, x=box.x - spare / 2) for box in side]
        far = [replace(box, x=gap - box.x, number=twins[box.number]) for box in near]
        top = near[0].z + near[0].sides[2] / 2
        return [replace(deck, x=gap / 2, z=top + deck.sides[2] / 2), *near, *far]
    return None


def slope_of(degrees: float) -> float:
    """Returns the tangent of a margin."""
    return math.tan(math.radians(degrees))
