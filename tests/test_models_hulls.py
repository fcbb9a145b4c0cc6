"""Neighbours within a distance, beside scipy's tree."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from teeter.models.hulls import pairs_within

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
