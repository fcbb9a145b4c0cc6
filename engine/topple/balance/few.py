"""Margins of large assemblies by a few moving pieces: the rest is one rigid body, which may move too.

What moves under a push at the top are the pieces next to it, or everything together. Whatever mechanism is found among
the motions of some pieces and one rest is one of the whole: its margin is never too small. A few questions to the whole
then show that it is not too large; where they find a mechanism of more pieces, those are let loose too.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from teeter.engine.topple.balance.boundary import NearestBoundary, Query
from teeter.engine.topple.balance.equilibrium import LEVEL, MAX_PULL, Balance, SupportFunction
from teeter.engine.topple.balance.symmetry import Symmetry
from teeter.engine.topple.contact.arrays import Array, Bools
from teeter.models.hulls import groups_of

MANY = 48
"""Fewer pieces than this are asked as a whole at once."""
FEW = 6.5
"""Pieces let loose at first, times the cube root of all: 24 of 54, 48 of 410."""
ROUNDS = 3
SAME = 2e-4
"""Of a value: the whole is no weaker than the few."""
LOOSE = 1e-2
"""Of the greatest speed: what moves so unlike the rest is let loose."""
UNSEEN = np.radians(130.0)
"""The widest angle between directions where the whole is asked: three of them where nothing is symmetric."""


def nearest_by_few(
    balance: Balance,
    loads: Array,
    pushed: int,
    same: tuple[Symmetry, ...],
    search: Callable[[Query], NearestBoundary],
) -> NearestBoundary:
    """Returns the nearest boundary of the loads (6 n, 2) that can be carried. pushed: the piece that they act on.

    same: symmetries of the balance with these loads. search: finds it, given a support function. Raises StaticsError
    when the solver gives up.
    """
    weights = balance.acting
    ask = SupportFunction(balance.matrix, balance.friction, weights, loads)
    if len(balance.names) < MANY:
        return search(ask)
    whole = _Whole(ask, same)
    few = round(FEW * len(balance.names) ** (1 / 3))
    loose = around(balance, beside(balance, pushed), few)
    for _ in range(ROUNDS):
        spread = motions(balance, loose)
        inner = _joined(balance, loose)
        part = SupportFunction(
            csc_array((spread.T @ balance.matrix)[:, np.flatnonzero(np.repeat(~inner, 3))]),
            balance.friction[~inner],
            spread.T @ weights,
            spread.T @ loads,
        )
        nearest = search(part)
        if nearest.lower >= MAX_PULL / 2:
            break
        weaker = whole.weaker(part, nearest)
        if weaker is None:
            motion = whole.ask(nearest.direction)[1]
            return NearestBoundary(nearest.distance, nearest.lower, nearest.direction, motion)
        unlike = _unlike(spread, weaker)
        # a symmetric part is asked in fewer directions
        images = np.any([unlike, *(unlike[symmetry.pieces] for symmetry in same)], axis=0)
        loose = around(balance, loose | images, int(loose.sum()) + few)
        if 2 * loose.sum() > len(loose):
            break
    return search(ask)


class _Whole:
    """The support function of the whole; every answer is kept."""

    def __init__(self, query: Query, same: tuple[Symmetry, ...]) -> None:
        self._query = query
        self._planes = [np.eye(2), *(symmetry.plane for symmetry in same)]
        self._directions: list[Array] = []
        self._answers: list[tuple[float, Array]] = []

    def ask(self, direction: Array) -> tuple[float, Array]:
        """Returns the value and the motion (6 n,)."""
        for known, answer in zip(self._directions, self._answers, strict=True):
            if known @ direction > 1 - 1e-14:
                return answer
        value, _, motion = self._query(direction)
        self._directions.append(direction)
        self._answers.append((value, motion))
        return value, motion

    def weaker(self, part: Query, nearest: NearestBoundary) -> Array | None:
        """Returns the motion (6 n,) in which the whole is weaker than its part, where the part is nearest, where it has
        been asked before, or where it has not been asked for far."""
        value, motion = self.ask(nearest.direction)
        if value < (1 - SAME) * nearest.distance:
            return motion
        for direction, (value, motion) in list(zip(self._directions, self._answers, strict=True)):
            if direction is not nearest.direction and value < (1 - SAME) * part(direction)[0]:
                return motion
        while (look := self._unseen()) is not None:
            value, motion = self.ask(look)
            if value < (1 - SAME) * part(look)[0]:
                return motion
        return None

    def _unseen(self) -> Array | None:
        """Returns a direction in the widest angle between those asked and their images; None when it is narrow."""
        seen = np.array([plane @ direction for direction in self._directions for plane in self._planes])
        angles = np.sort(np.arctan2(seen[:, 1], seen[:, 0]))
        gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
        widest = int(np.argmax(gaps))
        if gaps[widest] <= UNSEEN:
            return None
        angle = angles[widest] + gaps[widest] / np.ceil(gaps[widest] / UNSEEN)
        return np.array([np.cos(angle), np.sin(angle)])


def beside(balance: Balance, pushed: int) -> Bools:
    """Returns the piece that is pushed and those that carry nothing and touch it, directly or through each other: they
    make room for one another, as along the top of a wall."""
    rise = -(balance.contacts.normals @ balance.down)
    carry = np.zeros(len(balance.names) + 1, dtype=np.bool_)
    carry[np.where(rise > 0, balance.second, balance.first)[np.abs(rise) > LEVEL]] = True
    carry[-1] = True  # what is fixed
    idle = ~carry[balance.first] & ~carry[balance.second]
    group = groups_of(len(balance.names), balance.first[idle], balance.second[idle])
    beside: Bools = group == group[pushed]
    return beside


def around(balance: Balance, start: Bools, count: int) -> Bools:
    """Returns the pieces that most closely touch some others, `count` at least if there are so many."""
    size = len(balance.names)
    free = (balance.first >= 0) & (balance.second >= 0)
    pairs = np.concatenate(
        [
            np.stack([balance.first, balance.second])[:, free],
            np.stack([balance.second, balance.first])[:, free],
        ],
        axis=1,
    )
    touch = csr_array(coo_array((np.ones(pairs.shape[1]), pairs), shape=(size, size)))
    chosen = start
    while chosen.sum() < min(count, size):
        wider = chosen | (touch @ chosen.astype(np.float64) > 0)
        if (wider == chosen).all():
            break
        chosen = wider
    return chosen


def _joined(balance: Balance, loose: Bools) -> Bools:
    """Returns the contact points within the rest."""
    rest = np.append(~loose, False)
    inner: Bools = rest[balance.first] & rest[balance.second]
    return inner


def motions(balance: Balance, loose: Bools) -> csr_array:
    """Returns the matrix (6 n, 6 m + 6) from velocities of the loose pieces and of the rest to those of all."""
    size, free = len(loose), np.flatnonzero(loose)
    spread = np.zeros((size, 6, 6))
    spread[:] = np.eye(6)
    column = np.full(size, 6 * len(free))
    column[free] = 6 * np.arange(len(free))
    rest = np.flatnonzero(~loose)
    arms = balance.centres[rest] - balance.centres[rest].mean(axis=0)
    # a point at r moves with w x r
    for row, (right, left) in enumerate(((1, 2), (2, 0), (0, 1))):
        spread[rest, row, 3 + right] = arms[:, left]
        spread[rest, row, 3 + left] = -arms[:, right]
    rows = np.broadcast_to(6 * np.arange(size)[:, None, None] + np.arange(6)[:, None], spread.shape)
    columns = np.broadcast_to(column[:, None, None] + np.arange(6), spread.shape)
    entries = spread != 0
    shape = (6 * size, 6 * len(free) + 6)
    return csr_array(coo_array((spread[entries], (rows[entries], columns[entries])), shape=shape))


def _unlike(spread: csr_array, motion: Array) -> Bools:
    """Returns the pieces that move unlike one rigid body with the rest."""
    rest = spread[:, -6:].toarray()
    rows = np.flatnonzero(np.abs(rest).sum(axis=1) > 0)
    as_one = np.linalg.lstsq(rest[rows], motion[rows], rcond=None)[0]
    off = np.abs(motion - rest @ as_one)
    off[np.setdiff1d(np.arange(len(off)), rows)] = 0.0
    unlike: Bools = off.reshape(-1, 6).max(axis=1) > LOOSE * np.abs(motion).max()
    return unlike
