"""Neighbours within a distance, beside scipy's tree; equal rows, beside numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from teeter.models.hulls import alike_rows, pairs_within

REACH = 0.05


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("points", "others", "sides"), [(300, 500, 3), (40, 900, 2), (200, 200, 9), (0, 5, 3), (5, 0, 3)]
)
def test_pairs_are_those_of_a_tree(points: int, others: int, sides: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = rng.random((points, sides))
    more = rng.random((others, sides))
    # some lie where others do, or in one plane
    both = min(points, others) // 2
    more[:both] = some[:both] + rng.uniform(-1.0, 1.0, (both, sides)) * REACH / sides
    more[both : both + others // 4, 0] = 0.5
    first, second = pairs_within(some, more, REACH)
    tree = cKDTree(more) if others else None
    near = [tree.query_ball_point(point, REACH, return_sorted=True) if tree else [] for point in some]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [
        (row, other) for row, found in enumerate(near) for other in found
    ]
    if others and points:
        assert len(first) >= both


@pytest.mark.parametrize("kind", [float, int])
def test_equal_rows_are_those_of_numpy(kind: type) -> None:
    rng = np.random.default_rng(0)
    for count in (0, 1, 2, 7, 200):
        rows: NDArray[Any] = (rng.integers(-2, 3, (count, 3)) * -1.0).astype(kind)
        first, which = alike_rows(rows)
        _, ours, theirs = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        assert np.array_equal(first, ours)
        assert np.array_equal(which, theirs.reshape(-1))
