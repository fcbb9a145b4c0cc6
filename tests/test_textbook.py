"""Verdicts and margins of random scenes of eighteen kinds, beside a program of its own written from the textbook."""

from __future__ import annotations

import pytest
from textbook_kinds import KINDS
from textbook_scenes import beside, fault

SLOW = {4, 9, 22, 27, 28, 30}
"""Seconds each: `test_soak_textbook.py` has them too."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [number for number in range(46) if number not in SLOW])
def test_a_random_scene_beside_the_textbook(number: int) -> None:
    assert fault(beside(number)) == ""


def test_all_kinds_are_there() -> None:
    assert len({kind.__name__ for kind in KINDS}) == 18
