"""A thousand random Bausack stacks: statics answers nearly all of them, and says what the simulation says."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from bausack_stacks import stack

from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check

ANSWERED = 0.95
DIFFER = 3
"""Of a hundred, where one is the mean: the table has all of them."""
LEEWAY = 1.0
"""Degrees of tilt, either way, within which the two methods may differ."""


@pytest.mark.parametrize("number", [26, 62, 76, 96, 123, 168])
def test_statics_answers_on_rims_and_tips(number: int) -> None:
    """Stacks of the thousand in which pieces stand on rims, tips, or barely touch as they were let down."""
    assert analyse(stack(number), margins=False, loads=False).stands is not None


@pytest.mark.parametrize("number", [456, 550])
def test_a_knob_rocks_over_under_a_high_centre(number: int) -> None:
    """The doorknob's half ellipse bends by 16^2 / 10 = 25.6 mm at its tip, and the centre of what it carries is higher.
    The arc below its girth belongs to a circle whose far side is level with the tip, and holds nothing."""
    assert analyse(stack(number), margins=False, loads=False).stands is False


@pytest.mark.soak
@pytest.mark.parametrize("hundred", range(10))
def test_a_hundred_stacks_are_answered(hundred: int, row: Callable[..., None]) -> None:
    started = time.process_time()
    some = range(100 * hundred, 100 * hundred + 100)
    answers = [analyse(stack(number), margins=False, loads=False).stands for number in some]
    seconds = time.process_time() - started
    row(
        "statics of random Bausack stacks",
        stacks=f"{100 * hundred} to {100 * hundred + 99}",
        stand=answers.count(True),
        fall=answers.count(False),
        silent=answers.count(None),
        seconds_each=seconds / 100,
    )
    assert answers.count(None) <= 100 * (1 - ANSWERED)


@pytest.mark.soak
@pytest.mark.parametrize("hundred", range(10))
def test_both_methods_agree_on_a_hundred_stacks(hundred: int, row: Callable[..., None]) -> None:
    differ, near = [], 0
    compared = agreed = 0
    started = time.process_time()
    for number in range(100 * hundred, 100 * hundred + 100):
        found = check(stack(number), CheckOptions(workers=1))
        said = found.statics.stands_by_itself
        if said is None or found.dynamics.stands is None:
            continue
        if said and (found.statics.tilt_deg or 0.0) <= LEEWAY:
            near += 1
            continue
        compared += 1
        agreed += said is found.dynamics.stands
        differ += [number] if said is not found.dynamics.stands else []
    row(
        "both methods on random Bausack stacks",
        stacks=f"{100 * hundred} to {100 * hundred + 99}",
        compared=compared,
        agree=agreed,
        near_their_limit=near,
        differ=", ".join(map(str, differ)),
        seconds_each=(time.process_time() - started) / 100,
    )
    assert compared - agreed <= DIFFER
