"""Labels by statics alone beside full checks, on random stacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from random_stacks import rooms, stack

import teeter

STACKS = 600
AT_ONCE = 100


@pytest.mark.soak
def test_labels_by_statics_are_those_of_the_full_check(row: Callable[..., None]) -> None:
    """Beside four trials of a whole check, and beside the closed form. Nobody may be told the wrong word."""
    count = {"both stand": 0, "both fall": 0, "statics unsure": 0, "check unsure": 0, "differ": 0}
    as_closed, wrong = 0, []
    for begin in range(0, STACKS, AT_ONCE):
        seeds = range(begin, begin + AT_ONCE)
        stacks = [stack(seed, (8.0, 12.0, 15.0)[seed % 3], pieces=2 + seed % 4) for seed in seeds]
        quick, full = teeter.check_many(stacks, method="statics"), teeter.check_many(stacks)
        for scene, one, both in zip(stacks, quick.rows, full.rows, strict=True):
            check = teeter.check(scene, workers=1).word
            truth = "stands" if rooms(scene) > 0 else "topples"
            as_closed += one.word == truth
            if "unsure" in (one.word, check):
                count["statics unsure" if one.word == "unsure" else "check unsure"] += 1
            else:
                words = {"stands": "both stand", "topples": "both fall"}
                count[words[check] if one.word == check else "differ"] += 1
            if one.word not in ("unsure", truth) or both.word != check:
                wrong.append((scene.name, one.word, both.word, check, truth))
    row(
        "labels by statics beside full checks",
        stacks=STACKS,
        **count,
        as_closed_form=as_closed,
        wrong=len(wrong),
    )
    assert wrong == []
