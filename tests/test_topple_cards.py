"""Houses of cards near the least friction: both methods below it, and what edges that meet exactly are worth above."""

from __future__ import annotations

import math
from itertools import product

import pytest
from outside_scenes import card_house

from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline
from teeter.engine.world.body import Assembly

LEAN_DEG, CARD_M, THICK_M = 20.0, 0.09, 0.002


def tent(friction: float) -> Assembly:
    return card_house(1, lean=LEAN_DEG, length=CARD_M, thick=THICK_M, wide=0.06, friction=friction)


@pytest.mark.parametrize(
    ("times", "word"), [(0.97, "topples"), (1.03, "unsure"), (1.97, "unsure"), (2.3, "stands")]
)
def test_edges_that_meet_exactly_hold_only_with_the_friction_of_a_face(times: float, word: str) -> None:
    """Feet hold the thrust from `least` on. But a card whose edge is a hair higher lies on the other's face, and slides
    up it unless mu >= tan(lean), which is 2.13 times as much: until then nobody can say, and the verdict says why."""
    least = math.tan(math.radians(LEAN_DEG)) / 2 - THICK_M / CARD_M / 2
    verdict = check(tent(times * least), CheckOptions(workers=1))
    assert verdict.word == word
    assert (verdict.edges is not None) is (word == "unsure")
    if word == "unsure":
        assert verdict.edges == ("card.0.0l", "card.0.0r")
        assert "the edges of card.0.0l and card.0.0r meet exactly" in headline(verdict)
        assert to_json(verdict, "0")["edges"] == ["card.0.0l", "card.0.0r"]


OFTEN = ((1, 15.0, 0.001), (1, 30.0, 0.01), (2, 20.0, 0.004), (3, 15.0, 0.01), (3, 30.0, 0.001))
"""Cases of every run; the others are for the soak."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("storeys", "lean", "thick"),
    [
        pytest.param(*case, marks=pytest.mark.slow if case in OFTEN else pytest.mark.soak)
        for case in product((1, 2, 3), (15.0, 20.0, 30.0), (0.001, 0.004, 0.01))
    ],
)
def test_houses_of_cards_fall_below_the_least_friction_by_both_methods(
    storeys: int, lean: float, thick: float
) -> None:
    def house(friction: float) -> Assembly:
        return card_house(storeys, lean=lean, length=0.09, thick=thick, wide=0.06, friction=friction)

    low, high = 0.01, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        if analyse(house(middle), margins=False, loads=False).stands:
            high = middle
        else:
            low = middle
    for times in (0.9, 0.98):
        assert check(house(times * high), CheckOptions(workers=1)).word == "topples"
