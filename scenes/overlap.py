"""How deep two pieces overlap: the least distance one must move for the two to touch only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from scenes.solids import Solid

Array = NDArray[np.float64]

ACCURACY = 1e-7
"""Metres. Depths are reported in hundredths of a millimetre; this is far finer and quickly reached."""
MOST_ROUNDS = 150

_STEPS = (-1.0, 0.0, 1.0)
_COMPASS = np.array(
    [(x, y, z) for x in _STEPS for y in _STEPS for z in _STEPS if (x, y, z) != (0.0, 0.0, 0.0)]
)
_COMPASS /= np.linalg.norm(_COMPASS, axis=1)[:, None]


def boxes_meet(low: Array, high: Array, other_low: Array, other_high: Array, slack: float) -> bool:
    """Whether two bounding boxes overlap by more than `slack` metres along all three axes."""
    return bool(np.all(np.minimum(high, other_high) - np.maximum(low, other_low) > slack))


def depth(first: Solid, second: Solid, ignore: float = 0.0) -> float:
    """Overlap of two convex solids in metres, to `ACCURACY`.

    Up to `ignore` metres the result is only a bound: some value from 0 to `ignore`. That makes pieces that
    merely touch, by far the most, cheap.
    """
    if first.half is not None and second.half is not None:
        return max(0.0, _boxes(first, second))
    directions = [first.normals, -second.normals, _between(first, second)]
    bound = float(_widths(first, second, np.concatenate(directions)).min())
    if bound <= ignore or (first.radius > 0 and second.radius > 0):
        return max(0.0, bound)
    return max(0.0, _expand(first, second, bound, ignore))


def deepest(first: tuple[Solid, ...], second: tuple[Solid, ...], ignore: float = 0.0) -> float:
    """The largest overlap between any two parts of two pieces, metres; see `depth` for `ignore`."""
    most = 0.0
    for one in first:
        for other in second:
            if boxes_meet(one.low, one.high, other.low, other.high, ignore):
                most = max(most, depth(one, other, ignore))
    return most


def _widths(first: Solid, second: Solid, directions: Array) -> Array:
    """How far the first must move against each direction to part them."""
    return first.reach(directions) + second.reach(-directions)


def _between(first: Solid, second: Solid) -> Array:
    line = second.middle - first.middle
    length = float(np.linalg.norm(line))
    return (line / length if length > 0 else np.array([0.0, 0.0, 1.0]))[None, :]


def _boxes(first: Solid, second: Solid) -> float:
    """Separating axes of two boxes (Gottschalk, Lin, Manocha 1996): the least width is the exact depth."""
    assert first.axes is not None
    assert second.axes is not None
    crossed = np.cross(first.axes[:, None, :], second.axes[None, :, :]).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    # edges closer to parallel than this make an axis of rounding errors; the face axes cover that case
    crossed = crossed[lengths > 1e-8] / lengths[lengths > 1e-8, None]
    directions = np.concatenate([first.axes, second.axes, crossed])
    return float(np.minimum(_widths(first, second, directions), _widths(first, second, -directions)).min())


def _expand(first: Solid, second: Solid, bound: float, ignore: float) -> float:
    """Expanding polytope (van den Bergen 2001): grow a hull inside the Minkowski difference.

    The nearest face of the hull is a lower bound of the depth, the support in its direction an upper one.
    """
    points = first.extreme(_COMPASS) - second.extreme(-_COMPASS)
    for _ in range(MOST_ROUNDS):
        planes = ConvexHull(points).equations
        nearest = planes[planes[:, 3].argmax()]
        direction = nearest[None, :3]
        bound = min(bound, float(_widths(first, second, direction)[0]))
        if bound <= ignore or bound + nearest[3] <= ACCURACY:
            break
        points = np.concatenate([points, first.extreme(direction) - second.extreme(-direction)])
    return bound
