"""What has fallen, what is at rest, what was struck: the borders themselves, and who relies on them."""

from __future__ import annotations

import numpy as np
import pytest

from teeter.engine import tolerances
from teeter.engine.event_detector import THRESHOLDS
from teeter.engine.tolerances import (
    FALL_DROP,
    FALL_DROP_SEEN,
    IMPACT_JUMP_LIVE,
    REST,
    REST_IN_TRIAL,
    TouchTolerance,
    has_fallen,
    is_at_rest,
    is_impact,
)
from teeter.engine.topple.trial import LIMITS


@pytest.mark.parametrize(
    ("lowered_mm", "side_mm", "fell"),
    [(7.9, 10.0, False), (8.1, 10.0, True), (8.1, 30.0, False), (15.1, 30.0, True), (-20.0, 10.0, False)],
)
def test_a_fall_is_8_mm_or_half_the_smallest_side(lowered_mm: float, side_mm: float, fell: bool) -> None:
    assert bool(has_fallen(lowered_mm / 1e3, side_mm / 1e3)) is fell
    assert bool(has_fallen(lowered_mm, side_mm, FALL_DROP * 1e3)) is fell
    assert has_fallen(np.array([lowered_mm, 0.0]) / 1e3, side_mm / 1e3).tolist() == [fell, False]


def test_what_a_recording_shows_falls_by_12_mm() -> None:
    assert has_fallen(np.array([0.0119, 0.0121]), 0.0, FALL_DROP_SEEN).tolist() == [False, True]


def test_rest_is_slow_or_on_the_spot() -> None:
    def never() -> float:
        raise AssertionError("what is slow is not asked where it is")

    assert is_at_rest(0.9e-3, never)
    assert is_at_rest(1.0, lambda: 1e-4)
    assert not is_at_rest(1e-3, lambda: 1.1e-4)
    assert not is_at_rest(1e-3, lambda: float("inf"))


def test_an_impact_is_a_jump_of_5_cm_a_second() -> None:
    assert is_impact(np.array([0.049, 0.051])).tolist() == [False, True]
    assert not is_impact(0.055, IMPACT_JUMP_LIVE)


def test_games_and_verdicts_judge_falls_and_rest_alike() -> None:
    assert (THRESHOLDS.drop, LIMITS.drop) == (FALL_DROP, FALL_DROP)
    assert THRESHOLDS.rest == REST
    assert LIMITS.rest == REST_IN_TRIAL


def test_touch_widens_from_what_is_declared_to_what_is_built() -> None:
    named = ("TOUCH_DECLARED", "TOUCH_AT_REST", "TOUCH_IN_GAME", "TOUCH_IN_TALL_TOWER", "TOUCH_FOR_HINTS")
    found: list[TouchTolerance] = [getattr(tolerances, name) for name in named]
    gaps = [each.gap for each in found]
    assert gaps == sorted(gaps)
    assert all(each.angle < 0.02 for each in found)
