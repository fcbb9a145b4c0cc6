"""`teeter.Checker`, the functions that are calls of it, and what both refuse."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import teeter
from teeter.games.api.arguments import LIMITS

SLOPE_DEG = math.degrees(math.atan(0.3))
"""A brick slides from here on with a friction of 0.3, by Coulomb's law."""
BRICK = {"id": "brick", "shape": {"box": [90, 60, 15]}, "material": "beech", "position": [0, 0]}


def test_conditions_are_held_for_every_question() -> None:
    brick = teeter.build([BRICK])
    for tilt, word in ((SLOPE_DEG - 0.2, "stands"), (SLOPE_DEG + 0.2, "topples")):
        checker = teeter.Checker(tilt_deg=tilt, friction=0.3, workers=1)
        assert checker.check(brick).word == word
        assert checker.explain(brick).sentences == checker.check(brick).explain().sentences
    steep = teeter.Checker(tilt_deg=SLOPE_DEG + 2, friction=0.3, workers=1)
    assert steep.noise(brick, position_mm=1, samples=3).stood == 0
    assert replace(steep, friction=0.6).noise(brick, position_mm=1, samples=3).stood == 3


def test_a_probe_feels_the_friction_and_the_engine_it_is_asked_for() -> None:
    brick = teeter.build([BRICK])
    weight = brick.pieces["brick"].mass_g * 9.80665e-3
    for engine in ("bullet", "rapier"):
        checker = teeter.Checker(friction=0.5, engine=engine, workers=1)
        assert checker.probe(brick)["brick"].pull_n == pytest.approx(0.5 * weight, rel=0.02)


@pytest.mark.parametrize("engine", ["bulet", "", 3, ["rapier"]])
def test_an_engine_that_is_not_here_is_refused_when_the_checker_is_made(engine: Any) -> None:
    with pytest.raises(
        teeter.TeeterError,
        match="no engine of that name; here are bullet, rapier|engine = .*: must be a text",
    ):
        teeter.Checker(engine=engine)


def test_a_function_is_a_call_of_a_checker() -> None:
    same: dict[str, Any] = {"samples": 20, "position_mm": 4.0, "friction_range": (0.2, 0.4)}
    assert teeter.noise("two_bricks", seed=3, workers=1, **same) == (
        teeter.Checker(seed=3, workers=1).noise("two_bricks", **same)
    )
    rows = teeter.sweep("two_bricks", "slab", x=(0, 40, 5), y=0, workers=1)
    assert rows == teeter.Checker(workers=1).sweep("two_bricks", "slab", x=(0, 40, 5), y=0)


def test_a_function_takes_all_that_its_method_takes_with_the_same_defaults() -> None:
    public = {name for name, of in vars(teeter.Checker).items() if inspect.isfunction(of)}
    methods = sorted(name for name in public if not name.startswith("_") and hasattr(teeter, name))
    assert {"check", "check_many", "steps", "noise", "mend", "design", "probe", "sweep"} <= {*methods}
    for name in methods:
        function, method = (
            dict(inspect.signature(getattr(of, name)).parameters) for of in (teeter, teeter.Checker)
        )
        defaults = {key: parameter.default for key, parameter in method.items() if key != "self"}
        assert {
            key: parameter.default for key, parameter in function.items() if key != "under"
        } == defaults, name


def test_progress_is_told_to_its_end() -> None:
    told: list[tuple[int, int]] = []

    def hear(done: int, of: int) -> None:
        told.append((done, of))

    teeter.sweep("two_bricks", "slab", x=(0, 20, 3), y=0, workers=1, progress=hear)
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    teeter.noise("two_bricks", position_mm=1, samples=4, workers=1, progress=hear)
    assert told[-1] == (4, 4)
    told.clear()
    teeter.probe("two_bricks", ["slab"], workers=1, progress=hear)
    assert told == [(1, 1)]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("noise", {"friction_range": (0.2, 12)}, "friction_range = (0.2, 12): must be two numbers from 0 to 10"),
    ("noise", {"friction_range": (0.2, math.nan)}, "friction_range = (0.2, nan): must be two numbers"),
    ("noise", {"friction_range": (0.5, 0.2)}, "the smaller one first"),
    ("noise", {"friction_range": 0.3}, "friction_range = 0.3: must be two numbers"),
    ("noise", {"position_mm": -1}, "position_mm = -1: must be from 0 to 1000"),
    ("noise", {"position_mm": "1"}, "position_mm = '1': must be a number from 0 to 1000"),
    ("noise", {"samples": 2.5}, "samples = 2.5: must be a whole number from 1"),
    ("noise", {"until": math.inf}, "until = inf: must be from 0.0001 to 0.99"),
    ("noise", {"engine": "bulet"}, "engine 'bulet': no engine of that name"),
    ("check", {"engine": "bulet"}, "engine 'bulet': no engine of that name"),
    ("check", {"friction": True}, "friction = True: must be a number"),
    ("check", {"tilt_deg": math.nan, "time": 0}, "tilt_deg = nan: must be from 0 to 89"),
    ("check", {"tilt_deg": None}, "tilt_deg = None: must be a number"),
    ("check", {"time": 0.001}, "time = 0.001: must be from 0.25 to 3600"),
    ("check", {"foo": 1}, "foo = 1: no such argument"),
    ("check", {"settle": 1}, "settle = 1: no such argument; did you mean 'settle_mm'?"),
    ("probe", {"worker": 2}, "worker = 2: no such argument; did you mean 'workers'?"),
    ("check", {"drop": "no"}, "drop = 'no': must be True or False"),
    ("check", {"witness": "no"}, "witness = 'no': must be True or False"),
    ("check", {"witness": 1}, "witness = 1: must be True or False"),
    ("steps", {"drop": None}, "drop = None: must be True or False"),
    ("check", {"workers": 0}, "workers = 0: must be from 1 to 256"),
    ("probe", {"engine": "bulet"}, "engine 'bulet': no engine of that name"),
    ("sweep", {"piece": "slab", "x": (0, 1, 0), "y": 0}, "x = (0, 1, 0): must be from -100000 to 100000"),
    (
        "sweep",
        {"piece": "slab", "x": (0, 1), "y": 0},
        "x = (0, 1): must be a number, or (first, last, count)",
    ),
    ("sweep", {"piece": "slab", "x": True, "y": 0}, "x = True: must be a number, or (first, last, count)"),
    ("sweep", {"piece": "slab", "x": 0, "y": "0"}, "y = '0': must be a number, or (first, last, count)"),
    ("sweep", {"piece": "slab", "x": 0, "y": math.nan}, "y = nan: must be from -100000"),
    ("sweep", {"piece": "slab", "x": (0, 1, 2.5), "y": 0}, "x = (0, 1, 2.5): must be"),
    ("sweep", {"piece": "slab", "x": 0, "y": 0, "samples": 0}, "samples = 0: must be from 1"),
]


@pytest.mark.parametrize(("function", "options", "words"), REFUSED, ids=str)
def test_arguments_that_make_no_sense_are_refused_in_a_sentence(
    function: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(teeter.TeeterError) as caught:
        getattr(teeter, function)("two_bricks", **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tremor_mm": 50}, "tremor_mm = 50: must be from 0 to 20"),
        ({"tremor_mm": math.nan}, "tremor_mm = nan: must be from 0 to 20"),
        ({"turns": 0}, "turns = 0: must be from 1"),
        ({"seed": -1}, "seed = -1: must be from 0"),
    ],
    ids=str,
)
def test_a_game_with_impossible_numbers_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(teeter.TeeterError) as caught:
        teeter.play("wonky", **options)
    assert words in str(caught.value)


def test_a_study_on_a_level_table_refuses_a_tilted_one() -> None:
    with pytest.raises(teeter.TeeterError, match=r"tilt_deg = 5: .* works on a level table at rest only"):
        teeter.Checker(tilt_deg=5).probe("two_bricks")
    with pytest.raises(teeter.TeeterError, match=r"wind_pa = 5: .* works on a level table at rest only"):
        teeter.Checker(wind_pa=5).sweep("two_bricks", "slab", x=0, y=0)
    with pytest.raises(teeter.TeeterError, match=r"tilt_deg = 5: design works on a level table at rest only"):
        teeter.design("tower", "tower_topple/brick:3", tilt_deg=5)


def test_numbers_of_numpy_are_numbers() -> None:
    assert teeter.Checker(tilt_deg=np.float64(2), seed=int(np.int64(3))).check("two_bricks").word == "stands"


def test_every_limit_goes_upwards() -> None:
    assert all(low < high for low, high in LIMITS.values())


def test_results_of_public_functions_are_exported() -> None:
    for name in ("check", "explain", "noise", "video", "export", "play", "verify"):
        result = inspect.signature(getattr(teeter, name)).return_annotation
        assert hasattr(teeter, result), result
    assert isinstance(teeter.sweep("two_bricks", "slab", x=0, y=0, workers=1)[0], teeter.SweepRow)
    assert isinstance(teeter.check("two_bricks", workers=1).statics, teeter.Statics)


def test_an_interrupt_keeps_what_was_found() -> None:
    def stop(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(teeter.Interrupted) as noise:
        teeter.noise("two_bricks", position_mm=1, samples=50, workers=1, progress=stop)
    assert (noise.value.done.samples, noise.value.done.stood, noise.value.done.stopped_early) == (2, 2, True)
    with pytest.raises(teeter.Interrupted) as probe:
        teeter.probe("bridge", workers=1, progress=stop)
    assert list(probe.value.done) == ["pier", "deck"]
    with pytest.raises(teeter.Interrupted) as sweep:
        teeter.sweep("two_bricks", "slab", x=(0, 20, 3), y=0, workers=1, progress=stop)
    assert sweep.value.done == teeter.sweep("two_bricks", "slab", x=(0, 20, 3), y=0, workers=1)[:2]


def test_a_sweep_asks_under_the_conditions_that_were_said() -> None:
    asked: dict[str, Any] = {"x": 20.0, "y": 0, "workers": 1}
    (level,) = teeter.sweep("two_bricks", "slab", **asked)
    assert level.tilt_deg is not None
    assert level.chance is None
    for tilt_deg, word in ((level.tilt_deg - 1, "stands"), (level.tilt_deg + 1, "topples")):
        (row,) = teeter.sweep("two_bricks", "slab", tilt_deg=tilt_deg, **asked)
        assert row.verdict == word
    (smooth,) = teeter.sweep("two_bricks", "slab", friction=0.1, **asked)
    assert smooth.tilt_deg == pytest.approx(math.degrees(math.atan(0.1)), abs=0.01)
    (noisy,) = teeter.sweep("two_bricks", "slab", noise_mm=1, copies=20, **asked)
    assert (noisy.chance, noisy.tilt_deg) == (1.0, level.tilt_deg)
    with pytest.raises(teeter.TeeterError, match="no engine of that name"):
        teeter.sweep("two_bricks", "slab", engine="nosuch", **asked)


def test_a_name_is_a_name_and_not_its_letters() -> None:
    scene = teeter.load("two_bricks")
    assert teeter.load("two_bricks", without="slab").ids == ("lower",)
    assert scene.without(["slab"]).ids == scene.without("slab").ids == ("lower",)
    assert list(teeter.probe(scene, "slab", workers=1)) == ["slab"]
    with pytest.raises(teeter.TeeterError, match="the order leaves out lower"):
        teeter.steps(scene, order="slab", workers=1)


@pytest.mark.parametrize("pieces", ["abc", {"id": "a"}, [3]])
def test_what_is_no_list_of_pieces_is_told(pieces: object) -> None:
    with pytest.raises(teeter.TeeterError, match="piece 1 is .*: give a list of tables"):
        teeter.build(pieces)  # type: ignore[arg-type]
