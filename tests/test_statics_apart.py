"""Pieces that no chain of contacts joins are judged one part at a time, against closed forms of each part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import teeter
from teeter import Scene
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts

WOOD = {"material": {"density": 700, "friction": 0.4}}
ROUGH = {"material": {"density": 700, "friction": 0.9}}
BALL = WOOD | {"id": "ball", "shape": {"sphere": 15}, "mass": 10, "position": [0, 300, 15]}
CLAMPED = [
    WOOD | {"id": "left", "shape": {"box": [10, 60, 40]}, "position": [-25, 200, 20], "fixed": True},
    WOOD | {"id": "right", "shape": {"box": [10, 60, 40]}, "position": [25, 200, 20], "fixed": True},
    WOOD | {"id": "key", "shape": {"box": [40, 40, 20]}, "mass": 20, "position": [0, 200, 25]},
]


def chocked(height: float) -> list[dict[str, Any]]:
    """A cylinder of radius 20 mm and 1 N that lies between two fixed boxes."""
    away = math.sqrt(20**2 - (20 - height) ** 2)
    chock = ROUGH | {"shape": {"box": [20, 120, height]}, "fixed": True}
    turned = {"position": [0, 0, 20], "rotation": [90, 0, 0], "mass": 1000 / 9.81}
    return [
        ROUGH | {"id": "cylinder", "shape": {"cylinder": [20, 80]}} | turned,
        *(chock | {"id": f"at {x}", "position": [x * (away + 10), 0, height / 2]} for x in (-1, 1)),
    ]


def bricks(count: int, off: float = 0.0) -> list[dict[str, Any]]:
    """A tower of 20 g each, the topmost off by some millimetres."""
    brick = WOOD | {"shape": {"box": [75, 25, 15]}, "mass": 20}
    places = [[0, 150, 15 * level + 7.5] for level in range(count)]
    places[-1][0] = off
    return [brick | {"id": f"brick {at}", "position": place} for at, place in enumerate(places)]


def judged(*pieces: dict[str, Any]) -> Statics:
    return analyse(scene(*pieces).assembly)


def scene(*pieces: dict[str, Any]) -> Scene:
    return teeter.build(list(pieces))


@pytest.mark.parametrize("height", [8.0, 12.0])
def test_a_push_beside_a_ball_is_that_without_it(height: float) -> None:
    """F (2 R - h) = W dx, in which the cylinder rolls over its chock; wedged between both it would take 16 and 284 N,
    but nothing presses it there."""
    limit = math.sqrt(20**2 - (20 - height) ** 2) / (40 - height)
    for beside in ([], [BALL], [BALL, *bricks(2)]):
        found = judged(*chocked(height), *beside)
        assert found.push_n == pytest.approx(limit, rel=1e-3)
        assert (found.push_piece, found.push_mode) == ("cylinder", "topple")
        assert found.rolls == (("ball",) if beside else ())


def test_the_highest_piece_is_pushed_and_the_least_margin_told() -> None:
    """By friction 0.4: a brick slides on the next."""
    tower = bricks(6)
    alone, beside, rolls = judged(*tower), judged(*chocked(8), *tower), judged(*chocked(8), *tower, BALL)
    for found in (alone, beside, rolls):
        assert found.push_n == pytest.approx(0.4 * 0.02 * 9.81, rel=1e-3)
        assert (found.push_piece, found.push_mode) == ("brick 5", "slide")
    assert beside.tilt_deg == pytest.approx(alone.tilt_deg, abs=1e-4)
    assert (beside.tilt_mode, beside.weakest, rolls.tilt_deg) == (alone.tilt_mode, alone.weakest, 0.0)
    assert beside.loads == pytest.approx(alone.loads | {"cylinder": 0.0}, abs=1e-6)
    assert {*beside.mechanism} == {*beside.loads}


def test_what_is_clamped_beside_a_ball_does_not_stand_by_itself() -> None:
    found = judged(*CLAMPED, BALL)
    assert (found.stands, found.stands_by_itself, found.rolls) == (True, False, ("ball",))
    assert (found.tilt_deg, found.push_n, found.weakest) == (None, None, "key")
    assert teeter.check(scene(*CLAMPED, BALL), workers=1).word == "topples"


def test_what_falls_beside_what_rolls_or_rocks() -> None:
    found = judged(*bricks(2, off=50), BALL, *chocked(8))
    assert (found.stands, found.weakest) == (False, "brick 1")
    told = teeter.check(scene(*bricks(2, off=50), BALL, *chocked(8)), workers=1)
    assert told.word == "topples"
    assert "12.50 mm beyond" in str(told.explain())


def test_more_bricks_than_are_judged_with_a_curve_stand_beside_one() -> None:
    found = judged(*chocked(8), *bricks(70))
    assert found.stands_by_itself is True
    assert found.push_n == pytest.approx(0.4 * 0.02 * 9.81, rel=1e-3)


def test_contacts_among_some_bodies_are_those_found_of_them_alone() -> None:
    whole = scene(*bricks(3), BALL, *chocked(8))
    contacts = find_contacts(whole.assembly)
    names = {"table", "ball", "brick 1", "brick 2"}
    keep = [name in names for name in contacts.names]
    found, alone = contacts.among(np.array(keep)), find_contacts(whole.assembly.only(names))
    assert (found.names, found.curved) == (alone.names, alone.curved)
    assert found.points == pytest.approx(alone.points)
    for each in ("first", "second", "patch", "fixed"):
        assert getattr(found, each).tolist() == getattr(alone, each).tolist()


def test_what_hangs_on_an_edge_hides_nothing_that_stands_beside_it() -> None:
    """A roof on a knife is a pendulum, at rest at every small tilt; a block beside it still has to be clamped."""
    knife = {"prism": {"points": [[-10, 0], [10, 0], [0, 50]], "height": 60}}
    roof = {"points": [[-40, -40], [-30, -40], [0, 0], [30, -40], [40, -40], [0, 13]], "height": 20}
    turned = WOOD | {"rotation": [90, 0, 0]}
    hangs: list[dict[str, Any]] = [
        turned | {"id": "knife", "shape": knife, "position": [0, 0, 25], "fixed": True},
        turned | {"id": "roof", "shape": {"prism": roof}, "position": [0, 0, 36.5]},
    ]
    alone, tower = judged(*hangs), judged(*bricks(2, off=20))
    assert alone.stands_by_itself is True
    beside = judged(*hangs, *CLAMPED)
    assert (beside.stands_by_itself, beside.weakest) == (False, "key")
    both = judged(*hangs, *bricks(2, off=20))
    least = min((alone, tower), key=lambda each: each.tilt_deg or 0.0)
    assert both.tilt_deg == pytest.approx(least.tilt_deg, abs=1e-4)
    assert (both.push_n, both.push_piece) == (alone.push_n, "roof")
