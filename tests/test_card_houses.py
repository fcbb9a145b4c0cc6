"""Leaning cards: the least friction that holds them by statics, by hand and by the simulation."""

from __future__ import annotations

import math

import pytest
from card_houses import LEAN_DEG, card_house, least_friction

from teeter.engine.topple.verdict import CheckOptions, check


def test_thin_tents_need_half_the_cotangent_of_their_lean() -> None:
    """Two cards alone: the thrust W/2 cot a at each foot, under a weight W. Thickness makes them a little steeper."""
    by_hand = 0.5 / math.tan(math.radians(LEAN_DEG))
    assert least_friction(1, thickness=0.1) == pytest.approx(by_hand, rel=0.005)
    assert least_friction(1, thickness=2.0) < by_hand


def test_a_roof_makes_feet_slip_sooner() -> None:
    """What lies on a tent thrusts with all its weight: the least friction grows towards the cotangent."""
    one, two = (least_friction(levels, thickness=0.5) for levels in (1, 2))
    assert 1.2 * one < two < 1 / math.tan(math.radians(LEAN_DEG))


@pytest.mark.parametrize(
    ("levels", "yaw"),
    [
        (1, 30.0),
        pytest.param(2, 30.0, marks=pytest.mark.slow),
        pytest.param(3, 0.0, marks=pytest.mark.soak),
        pytest.param(3, 30.0, marks=pytest.mark.soak),
    ],
)
def test_the_simulation_holds_no_card_with_less_friction_than_it_needs(levels: int, yaw: float) -> None:
    """Nor does it drop one with a twentieth more."""
    least = least_friction(levels)
    for times, word in ((0.9, "topples"), (0.97, "topples"), (1.05, "stands")):
        found = check(card_house(levels, times * least, yaw=yaw), CheckOptions(workers=1))
        assert found.word == word, times
        assert {trial.stands for trial in found.dynamics.trials} == {word == "stands"}
