"""Verdicts: every shipped scene says what it should, both methods agree, and options change what they name."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

import teeter
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.perturbation import Dynamics
from teeter.engine.topple.verdict import CheckOptions, Verdict, check, joint, with_friction
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline
from teeter.engine.world.body import Assembly, Body
from teeter.scenes.load import SHIPPED, load, shipped

QUIET = CheckOptions(workers=1)
BLOCK = piece(wood(), box=(40, 40, 20))


def stack(*places: tuple[float, float], bed: Body | None = None) -> Assembly:
    """Blocks on each other at x, y in mm, on a table."""
    bodies = [
        Body(f"block.{n}", BLOCK, Pose((x / 1e3, y / 1e3, 0.010 + 0.020 * n)))
        for n, (x, y) in enumerate(places)
    ]
    return Assembly("stack", (bed or table(), *bodies))


# -- the shipped scenes ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scene_gets_the_verdict_it_names_by_both_methods(name: str) -> None:
    settle_mm = tomllib.loads((SHIPPED / f"{name}.toml").read_text("utf-8"))["expect"].get("settle_mm", 0.0)
    scene = load(name, settle_mm=settle_mm)
    assert scene.head.expect is not None
    found = check(scene.assembly, replace(QUIET, settle=settle_mm / 1e3))
    stands = scene.head.expect.verdict == "stands"
    assert found.word == scene.head.expect.verdict
    assert found.dynamics.stands is stands
    assert found.statics.stands in (stands, None)
    if found.statics.stands is None:
        assert found.statics.why


# -- how the two halves are joined -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statics", "dynamics", "word"),
    [
        (True, True, "stands"),
        (False, False, "topples"),
        (True, False, "unsure"),
        (False, True, "unsure"),
        (None, True, "stands"),
        (None, False, "topples"),
        (True, None, "unsure"),
        (False, None, "unsure"),
        (None, None, "unsure"),
    ],
)
def test_a_verdict_is_what_both_agree_on(statics: bool | None, dynamics: bool | None, word: str) -> None:
    assert joint(statics, dynamics) == word


# -- options ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degrees", "word"), [(17.0, "stands"), (27.0, "topples")])
@pytest.mark.parametrize("direction", [0.0, 130.0])
def test_a_tilted_table_lets_a_block_slide_past_the_friction_angle(
    degrees: float, direction: float, word: str
) -> None:
    """atan(0.4) is 21.8 degrees; the block would tip only at 63."""
    options = replace(QUIET, tilt=math.radians(degrees), tilt_direction=math.radians(direction), friction=0.4)
    assert check(stack((0.0, 0.0)), options).word == word


def test_tilt_turns_gravity_downhill_and_keeps_its_strength() -> None:
    gravity = CheckOptions(tilt=math.radians(10.0), tilt_direction=math.radians(90.0)).gravity
    assert gravity == pytest.approx(
        (0.0, GRAVITY * math.sin(math.radians(10.0)), -GRAVITY * math.cos(math.radians(10.0)))
    )
    assert np.linalg.norm(gravity) == pytest.approx(GRAVITY)


@pytest.mark.parametrize(("friction", "word"), [(0.3, "topples"), (0.5, "stands")])
def test_friction_of_every_pair_can_be_set(friction: float, word: str) -> None:
    """On a slope of 21.8 degrees a block holds from 0.4 on."""
    turn = Pose((0, 0, 0), quaternion_of_rpy(0.0, math.atan(0.4), 0.0))
    scene = stack((0.0, 0.0))
    tilted = Assembly("slope", tuple(body.at(body.pose.then(turn)) for body in scene.bodies))
    assert check(tilted, replace(QUIET, friction=friction)).word == word
    assert {body.piece.material.friction for body in with_friction(tilted, friction).bodies} == {friction}


def test_time_simulates_exactly_the_seconds_asked_for() -> None:
    found = check(stack((0.0, 0.0)), replace(QUIET, time=1.7))
    assert found.dynamics.simulated == pytest.approx(1.7)
    assert {trial.simulated for trial in found.dynamics.trials} == {1.7}


def test_settling_closes_gaps_first_and_tells_the_largest_move() -> None:
    lifted = stack((0.0, 0.0), (3.0, 0.0))
    raised = Assembly(
        "raised",
        tuple(
            body.at(Pose((0, 0, 0.0004)).then(body.pose)) if not body.fixed else body
            for body in lifted.bodies
        ),
    )
    found = check(raised, replace(QUIET, settle=0.5e-3))
    assert (found.word, found.pose) == ("stands", "rest")
    assert found.statics.stands is True
    assert found.settled == pytest.approx(0.4e-3, abs=0.1e-3)


def test_declared_poses_are_judged_where_faces_meet() -> None:
    found = check(stack((0.0, 0.0), (10.0, 0.0)), QUIET)
    assert (found.word, found.pose, found.settled) == ("stands", "declared", 0.0)


def test_faces_a_little_apart_are_judged_at_rest() -> None:
    scene = stack((0.0, 0.0))
    raised = Assembly("raised", (scene.bodies[0], scene.bodies[1].at(Pose((0, 0, 0.01015)))))
    found = check(raised, QUIET)
    assert (found.word, found.pose, found.statics.stands) == ("stands", "rest", True)


def test_what_never_rests_and_does_not_meet_has_no_statics_and_says_why() -> None:
    scene = Assembly("apart", (table(), Body("high", BLOCK, Pose((0.0, 0.0, 0.3)))))
    found = check(scene, replace(QUIET, settle=1e-3))
    assert found.statics.stands is None
    assert "high" in (found.statics.why or "")
    assert found.word == "topples"


def test_a_seed_makes_a_check_repeat() -> None:
    first, second = (check(stack((0.0, 0.0), (15.0, 3.0)), replace(QUIET, seed=5)) for _ in range(2))
    assert to_json(replace(first, wall=0.0), "1") == to_json(replace(second, wall=0.0), "1")


# -- as JSON ---------------------------------------------------------------------------------------------------


def test_json_has_the_keys_and_units_that_were_promised() -> None:
    found: Any = to_json(check(stack((0.0, 0.0), (19.0, 0.0)), QUIET), "0.1.0")
    assert {
        "teeter",
        "scene",
        "verdict",
        "pose",
        "settled_mm",
        "statics",
        "dynamics",
        "wall_s",
    } <= found.keys()
    statics = {"stands", "needs_friction", "tilt_deg", "tilt_direction_deg", "push_n", "push_piece"}
    assert statics | {"push_mode", "weakest", "pieces", "why"} <= found["statics"].keys()
    dynamics = {"stands", "simulated_s", "sink_mm", "max_shift_mm", "max_turn_deg", "first_to_move", "fell"}
    assert dynamics <= found["dynamics"].keys()
    # 1 mm from the edge of a 20 mm high block: atan(1 / 10)
    assert found["statics"]["tilt_deg"] == pytest.approx(math.degrees(math.atan(0.1)), rel=1e-3)
    assert found["statics"]["tilt_direction_deg"] == pytest.approx(0.0, abs=0.1)
    assert found["statics"]["pieces"]["block.0"]["load_n"] == pytest.approx(BLOCK.mass * GRAVITY, rel=1e-4)


def test_json_of_silent_statics_is_null_with_a_reason() -> None:
    dynamics = Dynamics(True, 1.0, 2e-5, 0.0, 0.0, None, (), ())
    silent, judged = Statics(stands=None, why="curved"), Assembly("curve", ())
    verdict = Verdict("curve", "stands", "declared", 0.0, silent, dynamics, 0.1, judged)
    found: Any = to_json(verdict, "0.1.0")
    assert found["statics"] is None
    assert found["statics_why"] == "curved"
    assert found["dynamics"]["sink_mm"] == 0.02


def test_a_dish_that_finds_its_rest_does_not_topple() -> None:
    """The lower half of a flat ellipsoid, as a mesh of many facets: it rocks to one of them, and nothing falls."""
    steps, turns = np.linspace(0.0, np.pi / 2, 13), np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    cap = [
        (60 * np.sin(t) * np.cos(p), 50 * np.sin(t) * np.sin(p), 5 * (1 - np.cos(t)))
        for t in steps
        for p in turns
    ]
    rim = [(x, y, 15.0) for x, y, z in cap if z > 4.999]
    dish = trimesh.convex.convex_hull(np.array([*cap, *rim]))
    found = teeter.check(teeter.load(trimesh.Scene({"dish": dish})))
    assert (found.word, found.dynamics.fell) == ("unsure", ())
    assert "nothing falls" in headline(found.verdict)
