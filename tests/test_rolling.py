"""Rolling resistance: closed forms by statics, and both engines on both sides of them."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teeter
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import Contact, tilted_gravity
from teeter.engine.world.rolling import RollingResistance, rolling_between
from teeter.engine.worlds import maker_of
from teeter.scenes.dump import dump

LOG: dict[str, Any] = {
    "id": "log",
    "shape": {"cylinder": [15, 60]},
    "position": [0, 0, 15],
    "rotation": [90, 0, 0],
}
BALL: dict[str, Any] = {"id": "ball", "shape": {"sphere": 20}, "position": [0, 0, 20]}
COIN: dict[str, Any] = {
    "id": "coin",
    "shape": {"cylinder": [20, 10]},
    "position": [0, 0, 20],
    "rotation": [90, 0, 0],
}


def statics(*pieces: dict[str, Any], **more: Any) -> Statics:
    return analyse(teeter.build(pieces, **more).loaded.assembly)


def arctan(value: float) -> float:
    return math.degrees(math.atan(value))


@pytest.mark.parametrize(
    ("piece", "radius"), [(LOG, 15), (BALL, 20), (COIN, 20)], ids=["log", "ball", "coin"]
)
@pytest.mark.parametrize("length", [0.2, 1.0, 3.0])
def test_what_is_round_rolls_at_the_arc_tangent_of_b_over_r(
    piece: dict[str, Any], radius: float, length: float
) -> None:
    found = statics(piece | {"rolling_mm": length})
    assert found.stands is True
    assert found.rolls == ()
    assert not found.tilt_at_least
    assert found.tilt_deg == pytest.approx(arctan(length / radius), rel=1e-3)


def test_a_log_with_more_resistance_than_friction_slides() -> None:
    found = statics(LOG | {"rolling_mm": 12})
    assert found.tilt_mode == "slide"
    assert found.tilt_deg == pytest.approx(arctan(math.sqrt(0.40 * 0.45)), rel=1e-4)


def test_without_it_a_log_stands_with_no_margin_and_is_named() -> None:
    found = statics(LOG)
    assert (found.stands, found.rolls, found.tilt_deg) == (True, ("log",), 0.0)


def test_a_plank_on_two_rollers() -> None:
    """The power of the weights, the rollers at half the plank's speed, is that of the couples at four lines."""
    left, right = (LOG | {"id": name, "position": [x, 0, 15]} for name, x in (("left", -40), ("right", 40)))
    plank = {"id": "plank", "shape": {"box": [140, 50, 10]}, "position": [0, 0, 35]}
    pairs = [{"between": ["beech", each], "rolling_mm": 1.0} for each in ("table", "beech")]
    scene = teeter.build([left, right, plank], pairs=pairs)
    rollers = sum(scene.pieces[name].mass_g for name in ("left", "right"))
    top = scene.pieces["plank"].mass_g
    expected = arctan(1.0 / 30 * (top + rollers + top) / (top + rollers / 2))
    assert analyse(scene.loaded.assembly).tilt_deg == pytest.approx(expected, rel=1e-3)


def test_what_rocks_back_by_itself_has_no_smaller_margin_with_it() -> None:
    """A board across a drum, as told without resistance; with it, at least as much."""
    board = {"id": "board", "shape": {"box": [100, 50, 6]}, "position": [0, 0, 43], "rolling_mm": 0.3}
    drum = LOG | {"id": "drum", "shape": {"cylinder": [20, 60]}, "position": [0, 0, 20], "fixed": True}
    free, held = statics(board | {"rolling_mm": 0.0}, drum), statics(board, drum)
    assert held.tilt_at_least
    assert held.tilt_deg is not None
    assert free.tilt_deg is not None
    assert held.tilt_deg >= free.tilt_deg > 1.0


def test_a_pair_goes_before_its_materials_and_is_written_again(tmp_path: Path) -> None:
    pairs = [
        {"between": ["beech", "table"], "rolling_mm": 1.0},
        {"between": ["log", "table"], "rolling_mm": 0.5},
    ]
    scene = teeter.build([LOG | {"rolling_mm": 3}, BALL | {"position": [80, 0, 20]}], pairs=pairs)
    path = tmp_path / "again.toml"
    path.write_text(dump(scene.loaded))
    for each in (scene, teeter.load(path)):
        bodies = {body.name: body for body in each.loaded.assembly.bodies}
        assert rolling_between(bodies["log"], bodies["table"]) == pytest.approx(0.5e-3)
        assert rolling_between(bodies["table"], bodies["ball"]) == pytest.approx(1e-3)
        assert rolling_between(bodies["ball"], bodies["log"]) == pytest.approx(3e-3)


@pytest.mark.parametrize(
    ("pieces", "pairs", "words"),
    [
        ([LOG | {"rolling": 0.002}], [], r"write rolling_mm, in mm \(rolling_mm = 2 for 0.002 m\)"),
        (
            [LOG],
            [{"between": ["lag", "table"], "rolling_mm": 1}],
            "no such piece or material; did you mean 'log'",
        ),
        ([LOG], [{"between": "log", "rolling_mm": 1}], "two names of pieces or materials"),
        ([LOG], [{"between": ["log", "table"]}], "give `friction`, `rolling_mm`"),
        ([LOG | {"rolling_mm": -1}], [], "must be at least 0"),
    ],
)
def test_what_is_wrong_is_refused_with_what_to_write(pieces: Any, pairs: Any, words: str) -> None:
    with pytest.raises(teeter.TeeterError, match=words):
        teeter.build(pieces, pairs=pairs)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "piece", "ratio"),
    [
        # each engine with each piece is for the soak: what resists is worked out by the same code in both
        pytest.param(
            engine, piece, ratio, marks=[pytest.mark.soak] * ((engine == "rapier") is (piece is log))
        )
        for log, ball in [(LOG | {"rolling_mm": 2}, BALL | {"rolling_mm": 1.5})]
        for piece, ratio in ((log, 2 / 15), (ball, 1.5 / 20))
        for engine in ("bullet", "rapier")
    ],
)
def test_both_engines_roll_where_statics_does(engine: str, piece: dict[str, Any], ratio: float) -> None:
    scene = teeter.build([piece])
    for times, word in ((0.92, "stands"), (1.12, "topples")):
        steep = teeter.Checker(tilt_deg=arctan(times * ratio), engine=engine, workers=2)
        assert steep.check(scene).word == word
    assert teeter.Checker(engine=engine, workers=2).check(scene).dynamics.stands


@pytest.mark.parametrize(("engine", "most_mm"), [("bullet", 0.6), ("rapier", 0.01)])
def test_a_snapshot_holds_what_is_wound_up(engine: str, most_mm: float) -> None:
    """A log held on a slope at half of its resistance, rebuilt again and again: two go on alike, and it stays (1.5 mm
    unless it is wound up; a cylinder rebuilt in Bullet finds some of its contact points anew)."""
    bodies = teeter.build([LOG | {"rolling_mm": 2.0}]).loaded.assembly.bodies
    world = maker_of(engine)(bodies)
    world.set_gravity(tilted_gravity(math.atan(1.0 / 15), 0.0))
    world.run(world.rate)
    start = world.pose("log").position[0]
    for _ in range(15):
        snapshot = pickle.loads(pickle.dumps(world.snapshot()))
        world.close()
        world, twin = snapshot.restored(), snapshot.restored()
        ticks = [one.advance(world.rate // 8) for one in (world, twin)]
        twin.close()
        assert ticks[0].poses.tobytes() == ticks[1].poses.tobytes()
    assert snapshot.wound[0]
    assert 1e3 * abs(world.pose("log").position[0] - start) < most_mm
    world.close()


def test_what_resists_is_what_presses_in_the_mean_of_all_parts_of_a_step() -> None:
    """A log that rolls pounds on the corners of its polygon; a copy goes on alike."""
    turns = {"log": (np.eye(3)[:, [0, 2, 1]], np.array([0.0, 100.0, 0.0]))}

    def pressing(force: float) -> list[Contact]:
        return [
            Contact("log", "table", (0.0, y, 0.0), (0.0, 0.0, 1.0), 0.0, force, None) for y in (-0.02, 0.02)
        ]

    one, other = RollingResistance(), RollingResistance()
    for each in (one, other):
        for body in teeter.build([LOG | {"rolling_mm": 2.0}]).loaded.assembly.bodies:
            each.add(body)
    for force in (0.0, 0.4, 0.5):
        one.note(pressing(force))
    other.rewind(pickle.loads(pickle.dumps(one.wound)))
    for each in (one, other):
        assert np.linalg.norm(each.torques(pressing(0.1), turns, 240)["log"]) == pytest.approx(
            2e-3 * 2 * 0.25
        )
        # and only once
        assert np.linalg.norm(each.torques(pressing(0.1), turns, 240)["log"]) == pytest.approx(2e-3 * 2 * 0.1)
