"""Labels by statics alone beside full checks, on random stacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from random_stacks import rooms, stack

import teeter

PART = 1000
ALONE = 20
"""Every so manieth stack is also checked by itself, with all its trials."""


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_labels_by_statics_are_those_of_the_full_check(part: int, row: Callable[..., None]) -> None:
    """Beside the simulation and the closed form. Nobody may be told the wrong word."""
    count = {"both stand": 0, "both fall": 0, "statics unsure": 0, "check unsure": 0, "differ": 0}
    as_closed, alone, wrong = 0, 0, []
    seeds = range(part * PART, (part + 1) * PART)
    stacks = [stack(seed, (8.0, 12.0, 15.0)[seed % 3], pieces=2 + seed % 4) for seed in seeds]
    quick, full = teeter.check_many(stacks, method="statics"), teeter.check_many(stacks)
    for scene, one, both in zip(stacks, quick.rows, full.rows, strict=True):
        truth = "stands" if rooms(scene) > 0 else "topples"
        as_closed += one.word == truth
        if "unsure" in (one.word, both.word):
            count["statics unsure" if one.word == "unsure" else "check unsure"] += 1
        else:
            words = {"stands": "both stand", "topples": "both fall"}
            count[words[both.word] if one.word == both.word else "differ"] += 1
        if one.word not in ("unsure", truth) or both.word not in ("unsure", truth):
            wrong.append((scene.name, one.word, both.word, truth))
        if one.number % ALONE == 0:
            alone += 1
            if (word := teeter.check(scene, workers=1).word) != both.word:
                wrong.append((scene.name, both.word, word, truth))
    row(
        "labels by statics beside full checks",
        stacks=len(stacks),
        **count,
        checked_alone=alone,
        as_closed_form=as_closed,
        wrong=len(wrong),
    )
    assert wrong == []
