"""Hulls, neighbours and groups. Scipy's are loaded when they are first asked for: that takes a fifth of a second, and
towers of boxes need none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from teeter.models.errors import ModelError
from teeter.models.piece import Array, Ints

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull, cKDTree


class FlatError(ModelError):
    """Points that lie in one plane, or half spaces that share no volume."""


def convex_hull(points: Array) -> ConvexHull:
    """The convex hull of points (n, 2) or (n, 3). Raises FlatError when it has no volume."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise FlatError("the corners lie in one plane: give the solid a thickness") from error


def corners_within(planes: Array, inside: Array) -> Array:
    """The corners (n, 3) of the half spaces n . x + d <= 0, rows (n, d) of `planes`, around a point (3,) inside.

    Raises FlatError when that point is in none of their volume.
    """
    from scipy.spatial import HalfspaceIntersection, QhullError

    try:
        return np.asarray(HalfspaceIntersection(planes, inside).intersections)
    except QhullError as error:
        raise FlatError("the half spaces share no volume around that point") from error


def near_points(points: Array) -> cKDTree:
    """A k-d tree of points (n, d), for their neighbours."""
    from scipy.spatial import cKDTree

    return cKDTree(points)


def pairs_within(points: Array, others: Array, reach: float) -> tuple[Ints, Ints]:
    """Which of `points` (n, d) and `others` (m, d) are no further apart than `reach`: their numbers (p,) and (p,), in
    the order of the points, then of the others."""
    # along an odd direction few points share a place: those within reach there are compared one after the other
    slant = np.sin(np.arange(1.0, points.shape[1] + 1.0) ** 2)
    slant /= np.linalg.norm(slant)
    order = np.argsort(others @ slant, kind="stable")
    along, room = (others @ slant)[order], reach * (1.0 + 1e-9) + 1e-12
    here = points @ slant
    lows, highs = np.searchsorted(along, here - room), np.searchsorted(along, here + room, side="right")
    pairs = []
    some = np.arange(len(points))
    while len(some := some[lows[some] < highs[some]]):
        near = order[lows[some]]
        is_near = np.linalg.norm(points[some] - others[near], axis=1) <= reach
        pairs.append(np.array([some[is_near], near[is_near]]))
        lows[some] += 1
    first, second = np.concatenate([np.zeros((2, 0), dtype=np.int64), *pairs], axis=1)
    by_point = np.lexsort((second, first))
    return first[by_point], second[by_point]


def alike_rows(rows: NDArray[Any]) -> tuple[Ints, Ints]:
    """Which rows (n, d) are equal: (u,) the first of every kind, kinds in the order of their values, and (n,) the kind
    of each row. As `np.unique` has them, which compares rows number by number and takes ten times as long."""
    order = np.lexsort(rows.T[::-1])
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    kind = np.empty(len(rows), dtype=np.int64)
    kind[order] = np.cumsum(is_new) - 1
    return order[is_new], kind


def groups_of(count: int, first: Ints, second: Ints) -> Ints:
    """(count,) the group that each of so many things is of, where `first` and `second`, by number, belong together;
    groups are numbered by their first thing."""
    lowest = np.arange(count)
    while True:
        # every thing takes the lowest number it is joined to, and then the one that this one took: chains halve.
        # scipy's connected components are the same, but to import them takes an eighth of a second
        lower = lowest.copy()
        joined = np.minimum(lowest[first], lowest[second])
        for ends in (first, second, lowest[first], lowest[second]):
            np.minimum.at(lower, ends, joined)
        lower = lower[lower]
        if np.array_equal(lower, lowest):
            return np.unique(lowest, return_inverse=True)[1].astype(np.int64)
        lowest = lower
