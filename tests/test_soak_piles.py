"""Margins of three hundred random piles of polycubes, asked again on both sides of each margin, by both methods."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import pytest
from polycube_piles import pile
from test_statics_reached import LEAST, contradictions

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly

PILES, ROWS = 300, 6
pytestmark = pytest.mark.soak


def words(assembly: Assembly, found: Statics) -> tuple[str, str]:
    """The verdicts a tenth of the tangent below the margin and above it."""
    assert found.tilt_deg is not None
    assert found.tilt_direction_deg is not None
    tangent, bearing = math.tan(math.radians(found.tilt_deg)), math.radians(found.tilt_direction_deg)
    below, above = (
        check(assembly, CheckOptions(workers=1, tilt=math.atan(times * tangent), tilt_direction=bearing)).word
        for times in (0.9, 1.1)
    )
    return below, above


@pytest.mark.parametrize("part", range(ROWS))
def test_random_piles_on_both_sides_of_their_margin(part: int, row: Callable[..., None]) -> None:
    seeds = range(part * PILES // ROWS, (part + 1) * PILES // ROWS)
    below: Counter[str] = Counter()
    above: Counter[str] = Counter()
    standing, slight, wrong = 0, 0, []
    for seed in seeds:
        assembly = pile(seed)
        found = analyse(assembly, loads=False)
        if not found.stands_by_itself or found.tilt_deg is None:
            continue
        standing += 1
        wrong += [f"pile {seed}: {each}" for each in contradictions(assembly, found, seed)]
        if found.tilt_deg <= LEAST:
            slight += 1
            continue
        low, high = words(assembly, found)
        below[low] += 1
        above[high] += 1
        wrong += [f"pile {seed}: topples below {found.tilt_deg:.3f}"] * (low == "topples")
        wrong += [f"pile {seed}: stands above {found.tilt_deg:.3f}"] * (high == "stands")
    row(
        "margins of random piles",
        seeds=f"{seeds[0]} to {seeds[-1]}",
        stand=standing,
        margin_below_a_tenth_of_a_degree=slight,
        below_stands=below["stands"],
        below_unsure=below["unsure"],
        below_topples=below["topples"],
        above_topples=above["topples"],
        above_unsure=above["unsure"],
        above_stands=above["stands"],
    )
    assert wrong == []
