"""Margins count only states that are reached: just below one it stands, just above it does not, by statics itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from polycube_piles import balanced_by_cells, pile
from statics_scenes import G, box, pose, scene, tower
from wedge_scenes import WedgeCase, wedge_cases

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly, tilted_gravity

BELOW, ABOVE = 0.99, 1.01
"""Times the tangent of the tilt."""
LEAST = 0.1
"""Degrees: below this, so little is left that the pieces' own disturbance takes it."""


def slabs(count: int) -> Assembly:
    """Upright slabs side by side: friction between faces that nothing presses holds nothing."""
    return scene(*(box(f"s{i}", (10.0, 40.0, 80.0), pose(10.0 * i, 0, 40)) for i in range(count)))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_slabs_side_by_side_tip_one_by_one(count: int) -> None:
    found = analyse(slabs(count))
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan(10 / 80)), rel=1e-3)
    # the middle one pushes those on its shorter side, and its face, pressed by N at the top, rubs by mu N at their
    # near edges
    weight, thrust = 10 * 40 * 80 * 1e-9 * 700.0 * G, 0.0
    for _ in range((count - 1) // 2):
        thrust = (5 * weight + 80 * thrust) / (80 - 0.4 * 10)
    assert found.push_n == pytest.approx((5 * weight + 80 * thrust) / 80, rel=3e-3)


def test_the_middle_brick_of_the_top_row_slides_out_alone() -> None:
    found = analyse(tower(6))
    assert found.push_n == pytest.approx(0.4 * 75 * 25 * 15 * 1e-9 * 700.0 * G, rel=1e-5)
    assert found.push_mode == "slide"


def at(assembly: Assembly, degrees: float, bearing: float, times: float) -> bool | None:
    """Whether it stands by itself at so many times the tangent of a tilt."""
    tilt = math.atan(times * math.tan(math.radians(degrees)))
    gravity = tilted_gravity(tilt, math.radians(bearing))
    return analyse(assembly, margins=False, loads=False, gravity=gravity).stands_by_itself


def contradictions(assembly: Assembly, found: Statics, seed: int) -> list[str]:
    """What a margin says that statics does not when it is asked at that tilt."""
    if not found.stands_by_itself or found.tilt_deg is None or found.tilt_direction_deg is None:
        return []
    told, wrong = f"{found.tilt_deg:.3f} degrees at {found.tilt_direction_deg:.1f}", []
    if found.tilt_deg > LEAST:
        around = np.random.default_rng(seed).uniform(0.0, 360.0, 3)
        wrong += [
            f"{told}: falls before, at {bearing:.1f}"
            for bearing in (found.tilt_direction_deg, *around.tolist())
            if not at(assembly, found.tilt_deg, bearing, BELOW)
        ]
    least = max(found.tilt_deg, LEAST)
    if found.tilt_deg < 89.0 and at(assembly, least, found.tilt_direction_deg, ABOVE):
        wrong.append(f"{told}: stands beyond")
    return wrong


def all_contradictions(seeds: range) -> tuple[int, list[str]]:
    standing, wrong = 0, []
    for seed in seeds:
        assembly = pile(seed)
        found = analyse(assembly, loads=False)
        standing += bool(found.stands_by_itself)
        wrong += [f"pile {seed}: {each}" for each in contradictions(assembly, found, seed)]
    return standing, wrong


def test_margins_of_random_piles_agree_with_statics() -> None:
    standing, wrong = all_contradictions(range(30))
    assert standing >= 8
    assert wrong == []


@pytest.mark.soak
def test_margins_of_300_random_piles_agree_with_statics() -> None:
    standing, wrong = all_contradictions(range(30, 330))
    assert standing >= 80
    assert wrong == []


@pytest.mark.parametrize(
    "seeds", [range(8), pytest.param(range(8, 100), marks=pytest.mark.soak)], ids=["8", "100"]
)
def test_contact_areas_are_those_of_the_cells(seeds: range) -> None:
    """Where the outlines of two faces only touch, nothing bears: forces balance a pile exactly where they do when every
    two cells that share a face press on its corners."""
    asked = {True: 0, False: 0}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        assembly = pile(seed)
        for _ in range(3):
            gravity = tilted_gravity(math.radians(rng.uniform(0.0, 22.0)), rng.uniform(0.0, 2 * math.pi))
            expected = balanced_by_cells(assembly, gravity)
            if expected is not None:
                asked[expected] += 1
                found = analyse(assembly, margins=False, loads=False, gravity=gravity)
                assert found.stands is expected, (seed, gravity)
    assert min(asked.values()) >= len(seeds) // 4


@pytest.mark.parametrize("case", wedge_cases(), ids=[case.name for case in wedge_cases()])
def test_margins_of_wedges_agree_with_statics(case: WedgeCase) -> None:
    if case.gravity[:2] == (0.0, 0.0):
        assert contradictions(case.assembly, analyse(case.assembly), 0) == []


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [12, 91, 136, 248])
def test_the_simulation_agrees_where_only_reached_states_count(seed: int) -> None:
    """A fifth below the margin and above it, where forces could balance much more."""
    assembly = pile(seed)
    found = analyse(assembly, loads=False)
    assert found.tilt_deg is not None
    assert found.tilt_direction_deg is not None
    bearing = math.radians(found.tilt_direction_deg)
    for times, word in ((0.8, "stands"), (1.25, "topples")):
        tilt = math.atan(times * math.tan(math.radians(found.tilt_deg)))
        assert check(assembly, CheckOptions(workers=1, tilt=tilt, tilt_direction=bearing)).word == word
