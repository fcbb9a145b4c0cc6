"""Friction that is given for pairs, as values of the pieces: of two surfaces it is their geometric mean.

The logarithm of a mean is half the sum of two, so the values solve linear equations, one for each pair that may touch.
Statics, both engines, certificates and other programs' formats then need one law.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.convex import bounds_of, solids_at
from teeter.engine.world.body import Body, typical_size
from teeter.models.errors import ModelError

Names = tuple[str, str]
Ints = NDArray[np.int64]

NO_FRICTION = 1e-9
"""Stands for 0, which has no logarithm."""
MOST = 10.0
"""Of a piece, as in files."""
EXACT = 1e-6
"""Relative, of the friction of a pair."""
EVERY_PAIR = 600
"""Bodies: the pairs of more are not all asked."""
NEAR = 0.02
"""Of the size of a piece: what lies further apart does not touch."""


def rubbing(bodies: Iterable[Body], means: Mapping[Names, float]) -> tuple[Body, ...]:
    """Returns the bodies with frictions of which the given pairs (names in order) have the given mean, and the others
    that of before: every two, or where no values do that, those that lie on each other.

    Raises ModelError where no values do that either.
    """
    listed = tuple(bodies)
    logs = 0.5 * np.log([max(body.piece.material.friction, NO_FRICTION) for body in listed])
    every = np.stack(np.triu_indices(len(listed), 1)) if len(listed) <= EVERY_PAIR else None
    worst = ""
    for pairs in (every, _near(listed)):
        if pairs is not None:
            result, worst = _solved(listed, logs, pairs, means)
            if not worst:
                return result
    raise ModelError(worst)


def _solved(
    bodies: tuple[Body, ...], logs: NDArray[np.float64], pairs: Ints, means: Mapping[Names, float]
) -> tuple[tuple[Body, ...], str]:
    """Returns the bodies with their frictions, and what is wrong with these. pairs: (2, n) that have to be right."""
    fixed = np.array([body.fixed for body in bodies])
    first, second = pairs[:, ~(fixed[pairs[0]] & fixed[pairs[1]])]
    names = [_names(bodies, one, other) for one, other in zip(first.tolist(), second.tolist(), strict=True)]
    before = logs[first] + logs[second]
    wanted = np.array(
        [
            np.log(max(means[pair], NO_FRICTION)) if pair in means else mean
            for pair, mean in zip(names, before.tolist(), strict=True)
        ]
    )
    rows = np.tile(np.arange(len(first)), 2)
    shape = (len(first), len(bodies))
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import lsqr

    matrix = coo_array((np.ones(len(rows)), (rows, np.concatenate([first, second]))), shape=shape).tocsr()
    change = lsqr(matrix, wanted - before, atol=1e-14, btol=1e-14, iter_lim=20 * len(bodies))[0]
    change = _least(change, first, second)
    off = matrix @ change - (wanted - before)
    values = np.exp(2 * (logs + change))
    if not len(off):
        return bodies, ""
    at = int(np.abs(off).argmax())
    if abs(off[at]) > EXACT or values.max() > MOST:
        one, other = names[at]
        return bodies, (
            f'the frictions of the pairs that touch cannot all be had: "{one}" on "{other}" should have '
            f"{np.exp(wanted[at]):.3g} and would get {np.exp(wanted[at] + off[at]):.3g}, as every piece has one value, "
            "of which a pair has the geometric mean: give that friction to more pairs, or to a piece or a material"
        )
    result = [
        body if abs(times) < EXACT / 10 else body.rubbing(round(value, 12))
        for body, times, value in zip(bodies, change.tolist(), values.tolist(), strict=True)
    ]
    return tuple(result), ""


def _least(change: NDArray[np.float64], first: Ints, second: Ints) -> NDArray[np.float64]:
    """Returns the changes that are smallest in sum. Where pieces fall into two sides and pairs are of one of each, what
    one side gains the other may lose."""
    count = len(change)
    # every piece twice, as one of either side: joined to itself, it belongs to both
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first]) + count
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cover = coo_array((np.ones(len(rows)), (rows, columns)), shape=(2 * count, 2 * count))
    side = connected_components(cover, directed=False)[1]
    for label in np.unique(side[:count]):
        ours, theirs = np.flatnonzero(side[:count] == label), np.flatnonzero(side[count:] == label)
        if len(theirs) and not np.isin(ours, theirs).any():
            gain = np.median(np.concatenate([change[ours], -change[theirs]]))
            change[ours], change[theirs] = change[ours] - gain, change[theirs] + gain
    return change


def _names(bodies: tuple[Body, ...], one: int, other: int) -> Names:
    first, second = bodies[one].name, bodies[other].name
    return min(first, second), max(first, second)


def _near(bodies: tuple[Body, ...]) -> Ints:
    """Returns the pairs (2, n) whose bounding boxes come close."""
    bounds = [bounds_of(solids_at(body.piece, body.pose)) for body in bodies]
    low, high = (np.array([pair[end] for pair in bounds]) for end in (0, 1))
    reach = NEAR * typical_size(bodies)
    rows = [
        np.flatnonzero(np.all((low[:at] - high[at] < reach) & (low[at] - high[:at] < reach), axis=1))
        for at in range(len(bodies))
    ]
    second = np.repeat(np.arange(len(bodies)), [len(row) for row in rows])
    return np.stack([np.concatenate(rows).astype(np.int64), second])
