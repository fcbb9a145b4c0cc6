"""Pieces that stand only if wedged tight: forces that nothing calls up are told from those that are."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cra_worker import cra_says
from wedge_scenes import WedgeCase, between, leaning, notch, wedge_cases, weight

from teeter.engine.record.reader import load as load_replay
from teeter.engine.topple.balance import wedging
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.mechanism import explain
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.grip import within_cones
from teeter.engine.topple.perturbation import running_trials
from teeter.engine.topple.trial import TrialTask, limits_of, run_quickly
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline, rows, sentences
from teeter.games.check_record import record
from teeter.scenes.load import load

CASES = wedge_cases()


def answer_of(found: Statics) -> str:
    return "wedged" if found.wedged else "stands" if found.stands else "falls"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_statics_says_what_stands_only_if_wedged_tight(case: WedgeCase) -> None:
    found = analyse(case.assembly, gravity=case.gravity, margins=False)
    assert answer_of(found) == case.answer
    if case.clamping is not None:
        assert found.wedged is not None
        assert found.wedged.clamping_n == pytest.approx(case.clamping, rel=1e-4)
        assert found.weakest in {body.name for body in case.assembly.free}


def test_a_margin_is_told_only_of_what_stands_by_itself() -> None:
    found = analyse(leaning(0.0, 0.5))
    assert (found.stands, found.stands_by_itself) == (True, False)
    assert (found.tilt_deg, found.push_n) == (None, None)
    assert analyse(notch(60, 0.84)).tilt_deg is not None


def test_the_verdict_and_its_words_name_the_clamping() -> None:
    scene = leaning(0.0, 0.5)
    verdict = check(scene, CheckOptions(workers=1))
    assert verdict.word == "topples"
    force = weight(scene)
    pressed = f"left and block must be pressed together with {force:.2f} N"
    assert (
        headline(verdict) == f"It stands only if wedged tight: {pressed}; set down without, block goes first."
    )
    assert ("", f"only if wedged tight: {pressed}") in rows(verdict)
    told: Any = to_json(verdict, "0")["statics"]
    assert told["wedged"] == {"between": ["left", "block"], "clamping_n": pytest.approx(force, rel=1e-4)}
    why = explain(scene, verdict.statics, find_contacts(scene))
    assert why is not None
    assert (why.kind, why.moves) == ("slides", ("block",))
    assert sentences(why, verdict.statics)[0].startswith(
        f"It stands only if wedged tight: {pressed}, or block slides"
    )


WORDS = {"stands": ("stands",), "falls": ("topples",), "wedged": ("topples", "unsure")}
"""What both methods may say together: pieces that settle into each other may wedge themselves tight."""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_both_methods_say_so(case: WedgeCase) -> None:
    x, y, z = case.gravity
    tilt = CheckOptions(workers=1, tilt=math.atan2(math.hypot(x, y), -z), tilt_direction=math.atan2(y, x))
    assert check(case.assembly, tilt).word in WORDS[case.answer]


def test_a_block_in_a_notch_is_held_by_no_more_friction_than_there_is() -> None:
    """Six degrees past its limit. Between Bullet's two directions of friction a contact holds up to sqrt(2) mu."""
    case = next(case for case in CASES if case.name == "notch 60 past")
    limits = limits_of(case.assembly)
    tasks = [TrialTask(case.assembly, limits, (0, number), None, case.gravity) for number in range(4)]
    held = [trial for trial in map(run_quickly, tasks) if trial.stands]
    assert held
    assert all(1.05 < trial.grip < 1.02 * math.sqrt(2.0) for trial in held)
    for task in tasks:
        assert not run_quickly(replace(task, assembly=within_cones(task.assembly))).stands
    with running_trials(case.assembly, gravity=case.gravity) as finish:
        found = finish(False)
    assert found.stands is False
    assert sum(trial.is_narrowed for trial in found.trials) == len(held)


def test_the_recording_of_a_check_shows_the_fall_with_less_friction(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "notch 60 past")
    x, y, z = case.gravity
    tilt = CheckOptions(workers=1, tilt=math.atan2(math.hypot(x, y), -z), tilt_direction=math.atan2(y, x))
    verdict = check(case.assembly, tilt)
    assert verdict.dynamics.trials[0].is_narrowed
    record(tmp_path / "notch.teeter", replace(load("two_bricks"), assembly=case.assembly), verdict)
    replay = load_replay(tmp_path / "notch.teeter")
    first, last = (replay.named(replay.poses[at])["block"][:3] for at in (0, -1))
    assert math.dist(first, last) > 0.05


@pytest.mark.parametrize("narrower", [0.005, 0.01])
def test_pillars_narrower_than_the_block_are_no_support(narrower: float) -> None:
    """Within the touching gap, as drawn by hand: the same answer as for an exact fit."""
    half = 20 + narrower / 2
    scene = between([("block", [(-half, 0), (half, 0), (half, 30), (-half, 30)])], 0.5)
    assert answer_of(analyse(scene)) == "wedged"
    assert check(scene, CheckOptions(workers=1)).word == "topples"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
@pytest.mark.sampled(6)
def test_coupled_rigid_block_analysis_says_the_same_where_it_converges(case: WedgeCase) -> None:
    peer = cra_says(case.assembly, case.friction, "cra", case.gravity, 60.0)
    if peer.stands is not None:
        assert peer.stands is (case.answer == "stands")


def test_how_contacts_answer_is_the_same_for_few_pieces_as_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few with many contacts are multiplied whole; and the derivative is that of the forces."""
    block = notch(45.0, 0.4)
    balance = balance_of(block, find_contacts(block))
    rng = np.random.default_rng(1)
    x = rng.normal(size=(len(balance.friction), 3)) * [1, 0.3, 0.3]
    x[0, 1:] = 0.0
    slope, step = wedging._slope(x, balance.friction), 1e-6
    for row, column, at in wedging.BLOCK:
        moved = x + step * np.eye(3)[column]
        change = (wedging._response(moved, balance.friction) - wedging._response(x, balance.friction)) / step
        assert change[:, row] == pytest.approx(slope[:, at], abs=1e-4)
    load = rng.normal(size=balance.matrix.shape[0])
    answers = []
    for least in (0, 10**9):
        monkeypatch.setattr(wedging, "MANY_COLUMNS", least)
        stiffness = wedging._Stiffness(balance.matrix, wedging.springs_of(balance))
        answers.append(stiffness.solve(slope.reshape(-1), 1e-2, load))
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)
