"""Index arithmetic for lists of lists kept as flat arrays, and sweep and prune for pairs of boxes that touch."""

from functools import lru_cache

import numpy as np

from teeter.models.piece import Array as Array
from teeter.models.piece import Flags
from teeter.models.piece import Ints as Ints

Bools = Flags


def expand(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Returns all elements of the ranges [start, start + count): (owner of each, element), owners ascending."""
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - before[owner] + starts[owner]


def starts_of(counts: list[int] | Ints) -> Ints:
    """Returns the start array (n + 1,) of consecutive blocks of these sizes."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def products(owner_a: Ints, owner_b: Ints, groups: int) -> tuple[Ints, Ints]:
    """Returns every combination of an entry of list a with an entry of list b of the same owner.

    owner_a, owner_b: ascending group numbers below `groups`. Returns positions in a and in b.
    """
    count_b = np.bincount(owner_b, minlength=groups)
    start_b = np.cumsum(count_b) - count_b
    return expand(start_b[owner_a], count_b[owner_a])


def boxes(points: Array, starts: Ints) -> tuple[Array, Array]:
    """Returns the lower and upper corners (n, 3) of the boxes around consecutive blocks of points."""
    if len(starts) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3))
    return np.minimum.reduceat(points, starts[:-1]), np.maximum.reduceat(points, starts[:-1])


def touching(low_a: Array, high_a: Array, low_b: Array, high_b: Array, gap: float | Array = 0.0) -> Bools:
    """Returns whether boxes (n, 3) overlap or come within `gap` of each other, row by row."""
    room = np.asarray(gap)
    room = room[:, None] if room.ndim else room
    inside: Bools = np.all((low_a <= high_b + room) & (low_b <= high_a + room), axis=1)
    return inside


def pairs_of_boxes(low: Array, high: Array, gap: float | Array) -> tuple[Ints, Ints]:
    """Returns the pairs i < j of boxes within `gap` (scalar, or per box) of each other: sweep and prune along
    the longest axis. Near linear while few boxes share a slab of that axis."""
    low, high = low - np.reshape(gap, (-1, 1)) / 2, high + np.reshape(gap, (-1, 1)) / 2
    axis = int(np.argmax(np.ptp((low + high) / 2, axis=0)))
    order = np.argsort(low[:, axis], kind="stable")
    low, high = low[order], high[order]
    ends = np.searchsorted(low[:, axis], high[:, axis], side="right")
    here = np.arange(len(order))
    i, j = expand(here + 1, np.maximum(ends - here - 1, 0))
    hit = touching(low[i], high[i], low[j], high[j])
    first, second = order[i[hit]], order[j[hit]]
    first, second = np.minimum(first, second), np.maximum(first, second)
    by_name = np.lexsort((second, first))
    return first[by_name], second[by_name]


def near(
    owner: Ints, low: Array, high: Array, these: Ints, others: Ints, body: tuple[Array, Array], gap: Array
) -> tuple[Ints, Ints]:
    """Returns the features (owner, boxes) of the bodies `these` within `gap` of the boxes of the bodies `others`: which
    pair, and which feature."""
    start = np.searchsorted(owner, np.arange(len(body[0]) + 1))
    pair, feature = expand(start[these], np.diff(start)[these])
    mine = others[pair]
    hit = touching(low[feature], high[feature], body[0][mine], body[1][mine], gap[pair])
    return pair[hit], feature[hit]


def crossed(one: Array, other: Array) -> Array:
    """Returns the cross product (..., 3); numpy's own spends most of its time on checks."""
    product: Array = one[..., [1, 2, 0]] * other[..., [2, 0, 1]] - one[..., [2, 0, 1]] * other[..., [1, 2, 0]]
    return product


def across(axis: Array) -> Array:
    """Returns two unit vectors (2, 3) across an axis (3,) and each other."""
    return _across(*axis.tolist())


@lru_cache(maxsize=4096)
def _across(x: float, y: float, z: float) -> Array:
    """Kept, because few axes are asked for thousands of times."""
    rows: Array = np.linalg.svd(np.array([[x, y, z]]))[2][1:]
    rows.setflags(write=False)
    return rows
