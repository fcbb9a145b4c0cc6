"""Friction given for pairs of pieces or materials: closed forms by statics, both engines on both sides of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import teeter
from teeter.models.material import pair_coefficient
from teeter.scenes.dump import dump


def box(name: str, x: float, z: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "shape": {"box": [40, 40, 20]}, "position": [x, 0, z], **more}


def pair(one: str, other: str, friction: float) -> dict[str, Any]:
    return {"between": [one, other], "friction": friction}


COLUMN = [box("low", 0, 10), box("middle", 0, 30), box("high", 0, 50)]


def between(scene: teeter.Scene, one: str, other: str) -> float:
    values = {body.name: body.piece.material.friction for body in scene.loaded.assembly.bodies}
    return float(pair_coefficient(values[one], values[other]))


@pytest.mark.parametrize(
    ("pairs", "slips", "at"),
    [
        ([pair("beech", "table", 0.15)], "low", 0.15),
        ([pair("low", "middle", 0.1)], "middle", 0.1),
        ([pair("middle", "high", 0.25), pair("table", "low", 0.05)], "low", 0.05),
        ([pair("beech", "beech", 0.2), pair("low", "table", 0.9)], "middle", 0.2),
        ([pair("beech", "beech", 0.1), pair("high", "middle", 0.3)], "middle", 0.1),
    ],
)
def test_what_lies_on_the_slipperiest_pair_slides_at_its_friction(
    pairs: list[dict[str, Any]], slips: str, at: float
) -> None:
    scene = teeter.build(COLUMN, pairs=pairs)
    found = teeter.Checker().check(scene).statics
    assert found.tilt_mode == "slide"
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan(at)), rel=1e-4)
    lower = {"low": "table", "middle": "low"}[slips]
    assert between(scene, slips, lower) == pytest.approx(at, rel=1e-6)


def test_materials_that_are_not_given_keep_their_friction() -> None:
    wall = [box(f"b{x}{z}", 41 * x, 10 + 20 * z) for x in range(3) for z in range(4)]
    wall.append(box("steel", 150, 10, material={"density": 7800, "friction": 0.2}))
    scene = teeter.build(wall, pairs=[pair("beech", "table", 0.3)])
    assert between(scene, "b00", "table") == pytest.approx(0.3)
    assert between(scene, "b00", "b01") == pytest.approx(0.4)
    assert between(scene, "steel", "table") == pytest.approx(math.sqrt(0.2 * 0.45))


def test_a_pair_without_friction() -> None:
    scene = teeter.build(COLUMN, pairs=[pair("low", "table", 0.0)])
    assert between(scene, "low", "middle") == pytest.approx(0.4)
    found = teeter.check(scene, tilt_deg=1.0)
    assert (found.word, found.statics.stands) == ("topples", False)


def test_frictions_are_written_again(tmp_path: Path) -> None:
    scene = teeter.build(COLUMN, pairs=[pair("low", "middle", 0.1), pair("beech", "table", 0.3)])
    path = tmp_path / "again.toml"
    path.write_text(dump(scene.loaded))
    again = teeter.load(path)
    for one, other in (("table", "low"), ("low", "middle"), ("middle", "high")):
        assert between(again, one, other) == pytest.approx(between(scene, one, other), rel=1e-9)


def test_what_no_values_can_do_is_refused() -> None:
    wall = [box("a", 0, 10), box("b", 0, 30), box("c", 40, 10), box("d", 40, 30)]
    with pytest.raises(teeter.TeeterError, match=r'"." on "." should have 0\.[0-9]+ and would get 0\.'):
        teeter.build(wall, pairs=[pair("a", "b", 0.1)])
    with pytest.raises(teeter.TeeterError, match="from 0 to 10|at most 10"):
        teeter.build(wall, pairs=[pair("a", "b", 11.0)])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["bullet", "rapier"])
def test_both_engines_slide_where_statics_does(engine: str) -> None:
    scene = teeter.build(COLUMN, pairs=[pair("low", "middle", 0.1)])
    for friction, word in ((0.09, "stands"), (0.112, "topples")):
        tilted = teeter.Checker(tilt_deg=math.degrees(math.atan(friction)), engine=engine, workers=2)
        assert tilted.check(scene).word == word


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("a", "a", 0.1)], "a piece does not touch itself"),
        ([("a", "b", 0.1), ("b", "a", 0.7)], "friction of these is given twice"),
    ],
)
def test_a_pair_that_says_nothing_or_two_things_is_refused(
    pairs: list[tuple[str, str, float]], told: str
) -> None:
    block = {"shape": {"box": [40, 40, 10]}, "material": "beech", "position": [0, 0]}
    with pytest.raises(teeter.TeeterError, match=told):
        teeter.build(
            [block | {"id": "a"}, block | {"id": "b"}],
            pairs=[{"between": [one, other], "friction": friction} for one, other, friction in pairs],
        )
