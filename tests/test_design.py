"""What can be built of pieces: known answers, margins, what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import teeter
from teeter.engine.topple.design.counterweights import PUBLISHED, longest, placed, stack_of
from teeter.engine.topple.design.stacks import Laid, bridge, farthest, flat, overhang, slope_of, tower
from teeter.games.api.design import Goal
from teeter.games.cli import app

LONG = 0.075


def bricks(count: int) -> list[Laid]:
    return [flat(at, (LONG, 0.025, 0.015), 1.0) for at in range(count)]


def tip(laid: Sequence[Laid]) -> float:
    return max(box.x + box.sides[0] / 2 for box in laid)


@pytest.mark.parametrize("count", [1, 2, 10, 30])
def test_one_on_one_reaches_as_far_as_the_harmonic_series(count: int) -> None:
    known = LONG * sum(1 / (2 * at) for at in range(1, count + 1))
    # a ten-thousandth of a length is left at every joint
    assert tip(overhang(bricks(count), 0.0)) == pytest.approx(known, abs=1.01e-4 * count * LONG)


def test_a_margin_costs_the_height_of_what_is_above_each_joint_times_its_slope() -> None:
    """Each block that is laid farther out for that takes back its share of the weight."""
    slope = slope_of(1.0)
    exact, tilted = (tip(overhang(bricks(3), each)) for each in (0.0, slope))
    assert exact - tilted == pytest.approx(slope * 0.015 * (0.5 / 2 + 1.0 / 3 + 1.5))


def test_long_and_heavy_ones_lie_where_they_reach_farthest() -> None:
    """A long light box on a short heavy one reaches a / 2 + W b / (w + W) with halves a and b; never less."""
    long, short = flat(0, (0.1, 0.03, 0.01), 1.0), flat(1, (0.06, 0.03, 0.02), 3.0)
    assert tip(overhang([short, long], 0.0)) == pytest.approx(0.05 + 3 * 0.03 / 4, abs=2e-5)


@pytest.mark.parametrize(("spine", "column", "known"), [(2, 2, PUBLISHED[4])])
def test_four_blocks_with_a_counterweight_reach_what_is_published(
    spine: int, column: int, known: float
) -> None:
    places = placed(stack_of(spine, column, 0), 0.0)
    assert places is not None
    assert places[0] + 0.5 == pytest.approx(known, abs=1e-4)


def test_what_is_laid_with_counterweights_is_balanced() -> None:
    """By moments of the whole about the edge: the middle of all lies behind it."""
    stack = longest(6, 0.01)
    assert stack is not None
    places = placed(stack, 0.01)
    assert places is not None
    assert places.mean() < 0
    assert places[0] + 0.5 > sum(1 / (2 * at) for at in range(1, 7))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("margin", "counts"),
    [
        (5, (4, 7)),
        (20, (4, 5)),
        *(pytest.param(each, (4, 5, 6, 7), marks=pytest.mark.soak) for each in (5, 20)),
    ],
)
def test_more_bricks_reach_no_less_far_and_keep_the_margin(margin: int, counts: tuple[int, ...]) -> None:
    """By moments of the whole about the edge, tilted: its middle lies behind it by its height times the slope; and
    about the sides of the lowest brick it keeps atan(half of its width / that height)."""
    reach = 0.0
    for count in counts:
        found = teeter.design("overhang", f"tower_topple/brick:{count}", margin_deg=margin, workers=1)
        assert found.tilt_deg is not None
        assert margin <= found.tilt_deg <= 1.01 * margin
        middle = np.mean([np.array(found.scene.pieces[name].position_mm) for name in found.pieces], axis=0)
        assert math.degrees(math.atan(-middle[0] / (middle[2] - 100))) == pytest.approx(margin, rel=1e-2)
        assert math.degrees(math.atan(12.5 / (middle[2] - 100))) >= margin
        assert found.reach_mm >= reach - 1e-6
        reach = found.reach_mm
    assert reach >= {5: 103, 20: 68.5}[margin]


def test_one_on_one_leaves_out_what_tips_sideways_or_reaches_no_farther() -> None:
    """By hand: four bricks keep atan(12.5 / 30) = 22.6 degrees sideways, five 18.4; beside every choice of unequal ones
    in every order."""
    assert len(farthest(bricks(9), slope_of(20))) == 4
    unequal = [flat(at, (0.05 + 0.01 * at, 0.03, 0.01 + 0.01 * (at % 2)), 1.0 + at % 3) for at in range(4)]
    for degrees in (5.0, 20.0):
        orders = [order for many in range(1, 5) for order in permutations(unequal, many)]
        known = max(tip(laid) for order in orders if (laid := kept(order, slope_of(degrees))))
        assert tip(farthest(unequal, slope_of(degrees))) == pytest.approx(known, abs=5e-5)


def kept(order: Sequence[Laid], slope: float) -> list[Laid]:
    """Boxes, the top one first, each at the edge of its joint; none where they tip sideways."""
    laid: list[Laid] = []
    weight = along = height = 0.0
    for at, box in enumerate(order):
        long, wide, high = box.sides
        # x from the end of the top one; where the middle of all above is, tilted
        x = along + slope * height - long / 2 if at else -long / 2
        laid.append(replace(box, x=x))
        total = weight + box.weight
        along = (weight * along + box.weight * x) / total
        height, weight = (weight * (height + high) + box.weight * high / 2) / total, total
        if slope * height > min(wide, *(other.sides[1] for other in order[at : at + 2])) / 2:
            return []
    return [replace(box, x=box.x - along - slope * height) for box in laid]


@pytest.mark.soak
def test_thirty_blocks_reach_nearly_what_is_published() -> None:
    found = teeter.design("overhang", "tower_topple/brick:30", margin_deg=0.0, workers=1)
    assert found.of_published is not None
    assert found.of_published >= 0.95
    assert found.check.statics.stands


def test_a_tower_is_upright_where_the_margin_lets_it_be() -> None:
    boxes = bricks(4)
    assert sum(box.sides[2] for box in tower(boxes, slope_of(0.5))) == pytest.approx(4 * LONG)
    tilted = tower(boxes, slope_of(10))
    low = sum(box.sides[2] for box in tilted)
    assert 4 * 0.015 <= low < 4 * LONG
    # half of its width, over half of its height
    assert math.tan(math.radians(10)) <= tilted[0].sides[1] / low


def test_a_tower_of_equal_boxes_is_the_tallest_of_all_orders() -> None:
    """Each of five bricks in each of three ways, in any order: by moments of what is above each joint."""
    for degrees in (3.0, 5.0, 8.0):
        slope, best = slope_of(degrees), 0.0
        for ways in product(((0.075, 0.025, 0.015), (0.075, 0.015, 0.025), (0.025, 0.015, 0.075)), repeat=5):
            joints = range(len(ways))
            middles = [
                sum(sum(side[2] for side in ways[low:at]) + ways[at][2] / 2 for at in range(low, 5))
                / (5 - low)
                for low in joints
            ]
            halves = [min(side[1] for side in ways[max(0, low - 1) : low + 1]) / 2 for low in joints]
            if all(slope * middle <= half - 1e-5 for middle, half in zip(middles, halves, strict=True)):
                best = max(best, sum(side[2] for side in ways))
        assert sum(box.sides[2] for box in tower(bricks(5), slope)) == pytest.approx(best)


def test_six_bricks_that_keep_five_degrees_are_240_mm_high() -> None:
    found = teeter.design("tower", "tower_topple/brick:6", margin_deg=5, workers=1)
    assert found.reach_mm >= 240 - 1e-6
    assert found.tilt_deg is not None
    assert found.tilt_deg >= 5


def test_a_bridge_takes_as_few_as_do() -> None:
    assert len(bridge(bricks(9), 0.05, 0.0) or []) == 1
    found = bridge(bricks(9), 0.11, 0.0)
    assert found is not None
    assert len(found) == 3
    deck, left, right = found
    assert left.x + right.x == pytest.approx(2 * deck.x)
    assert bridge(bricks(9), 1.0, 0.0) is None


def test_a_deck_lies_on_less_where_no_bridge_is_found_otherwise() -> None:
    """Two bricks from each side, the deck's end on the tip of the upper one: they reach 25 + 15 mm."""
    found = bridge(bricks(6), 0.15, slope_of(0.1))
    assert found is not None
    assert len(found) == 5
    deck, near, *_ = found
    assert near.x + LONG / 2 - (deck.x - LONG / 2) == pytest.approx(0.02 * LONG)
    assert bridge(bricks(6), 0.154, slope_of(0.1)) is None


@pytest.mark.parametrize(
    ("gap", "code", "said"),
    [(250, 3, "no bridge over 250 mm was found among those"), (9000, 1, "do not reach 9000 mm")],
)
def test_no_bridge_is_told_as_what_was_searched(gap: int, code: int, said: str) -> None:
    words = ["design", "bridge", "--pieces", "tower_topple/brick:6", "--gap", str(gap), "--json"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == code
    assert said in " ".join(found.stderr.split())
    told = json.loads(found.stdout)
    assert told["exit"] == code
    assert said in told["errors"][0]


def test_scenes_stand_as_designed() -> None:
    found = teeter.design("tower", "two_bricks", margin_deg=2, workers=1)
    assert found.check.word == "stands"
    assert found.tilt_deg is not None
    assert found.tilt_deg >= 2
    assert found.reach_mm == pytest.approx(sum(max(piece.size_mm) for piece in found_pieces("two_bricks")))
    over = teeter.design("bridge", "tower_topple/brick:5", gap_mm=100, margin_deg=1, workers=1)
    assert over.check.word == "stands"
    assert len(over.pieces) + len(over.left) == 5
    assert teeter.check(over.scene, workers=1).word == "stands"


@pytest.mark.parametrize(
    ("goal", "pieces", "asked"),
    [
        ("bridge", "tower_topple/brick:9", {"gap_mm": 120}),
        ("overhang", "tower_topple/brick:4", {"single": True, "margin_deg": 1}),
        ("tower", "two_bricks", {"margin_deg": 2}),
    ],
)
def test_what_is_designed_can_be_built_in_the_order_of_its_scene(
    goal: Goal, pieces: str, asked: dict[str, Any]
) -> None:
    found = teeter.design(goal, pieces, workers=1, **asked)
    built = teeter.steps(found.scene, workers=1)
    assert [step.piece for step in built.steps] == list(found.pieces)
    assert {step.word for step in built.steps} == {"stands"}


def test_no_piece_of_a_counterweighted_overhang_is_laid_on_air() -> None:
    """Some tip until they are weighed down; of equal ones, the lower has the lower number."""
    found = teeter.design("overhang", "tower_topple/brick:6", workers=1)
    middles = [found.scene.pieces[name].position_mm for name in found.pieces]
    assert found.pieces == tuple(sorted(found.pieces))
    for at, (x, _, z) in enumerate(middles):
        below = [low for far, _, low in middles[:at] if abs(far - x) < 75]
        assert z == pytest.approx(107.5) or any(low == pytest.approx(z - 15) for low in below)


def found_pieces(scene: str) -> list[teeter.ScenePiece]:
    return list(teeter.load(scene).pieces.values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("spire", "--pieces", "two_bricks"), "must be one of overhang, tower, bridge"),
        (("bridge", "--pieces", "two_bricks"), "a gap and a bridge go together"),
        (("tower", "--pieces", "two_bricks", "--gap", "9"), "a gap and a bridge go together"),
        (("tower", "--pieces", "two_bricks", "--margin", "nan"), "--margin = nan: must be from 0 to 89"),
        (("tower", "--pieces", "ball_on_ball"), "designs are built of boxes"),
        (("tower", "--pieces", "tower_topple/brick:0"), "must be from 1 to 100"),
        (("tower", "--pieces", "nosuch"), "nosuch"),
        (("tower", "--pieces", "two_bricks", "-o", "x.glb"), "scenes are written as .toml"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["design", *words])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("overhang --margin 30", "the best that was found keeps 21.80"),
        ("bridge --gap 100 --margin 30", "the best that was found keeps 21.80"),
        ("tower --margin 30", "the best that was found keeps 21.80"),
        ("tower --margin 89", "none of these pieces stands by itself on a table tilted by 89 degrees"),
    ],
)
def test_a_margin_that_friction_cannot_keep_is_none(words: str, said: str) -> None:
    """With a friction of 0.4 bricks slide at 21.80 degrees, however they are laid."""
    found = CliRunner().invoke(app, ["design", *words.split(), "--pieces", "tower_topple/brick:4"])
    assert found.exit_code == 1, found.output
    assert said in " ".join(found.stderr.split())
