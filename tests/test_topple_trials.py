"""Shaking: disturbances are seeded and exactly as large as declared, trials are judged by their limits, and repeat."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from dataclasses import astuple, replace

import numpy as np
import pytest
from stacks import stack
from test_statics_growth import wall

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.engine.topple import trial as module
from teeter.engine.topple.perturbation import (
    TRIALS,
    Dynamics,
    at_poses,
    combined,
    running_trials,
    settle_undisturbed,
)
from teeter.engine.topple.trial import LIMITS, Trial, TrialTask, disturbed, limits_of, run_finely, run_quickly
from teeter.engine.world.body import DOWN, Assembly, Body
from teeter.engine.world.bullet import BulletWorld

BLOCK = piece(wood(), box=(40, 40, 20))
BALL = piece(wood(), sphere=15)


def run_trials(assembly: Assembly, **options: object) -> Dynamics:
    with running_trials(assembly, **options) as finish:  # type: ignore[arg-type]
        return finish(None)


def block(name: str, x: float, z: float, shape: object = BLOCK) -> Body:
    return Body(name, shape, Pose((x / 1e3, 0.0, z / 1e3)))  # type: ignore[arg-type]


STANDS = Assembly("stands", (table(), block("a", 0, 10), block("b", 12, 30)))
TOPPLES = Assembly("topples", (table(), block("a", 0, 10), block("b", 24, 30)))
BALLS = Assembly("balls", (table(), replace(block("a", 0, 15, BALL), fixed=True), block("b", 0, 45, BALL)))


def trial(stands: bool, moved_at: int | None = None, **changes: object) -> Trial:
    plain = Trial(stands, 1.0, 0.0, 0.0, 0.0, None, moved_at, (), (), np.zeros((0, 7)))
    return replace(plain, **changes)  # type: ignore[arg-type]


# -- disturbances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(TRIALS))
def test_a_disturbance_moves_and_turns_every_free_piece_by_exactly_the_limits(number: int) -> None:
    after = disturbed(STANDS, LIMITS, (0, number))
    assert after.bodies[0] == STANDS.bodies[0]
    for before, moved in zip(STANDS.free, after.free, strict=True):
        assert math.dist(before.pose.position, moved.pose.position) == pytest.approx(2e-5, rel=1e-6)
        turn = angle_between(before.pose.orientation, moved.pose.orientation)
        assert math.degrees(turn) == pytest.approx(0.02, rel=1e-6)


def test_disturbances_hang_on_the_seed_and_the_trial_alone() -> None:
    def places(seed: int, number: int) -> list[Pose]:
        return [body.pose for body in disturbed(STANDS, LIMITS, (seed, number)).free]

    assert places(3, 1) == places(3, 1)
    different = [tuple(map(repr, places(seed, number))) for seed in range(3) for number in range(TRIALS)]
    assert len(set(different)) == len(different)
    first, second = (
        np.array(pose.position) - body.pose.position
        for pose, body in zip(places(0, 0), STANDS.free, strict=True)
    )
    assert np.linalg.norm(first - second) > 1e-6


def test_a_scene_of_large_pieces_is_disturbed_and_judged_in_proportion() -> None:
    large = LIMITS.scaled(100.0)
    assert (large.nudge, large.shift, large.drop) == pytest.approx((2e-3, 0.2, 0.8))
    assert (large.turn, large.twist) == (LIMITS.turn, LIMITS.twist)
    assert large.settling == pytest.approx(10 * LIMITS.settling)
    assert astuple(large.rest) == pytest.approx((10 * LIMITS.rest.speed, 0.01, 10.0))


# -- outcomes --------------------------------------------------------------------------------------------------


def test_what_stands_stands_in_every_trial_and_ends_at_rest() -> None:
    found = run_trials(STANDS)
    assert (found.stands, found.first_to_move, found.fell) == (True, None, ())
    assert len(found.trials) == TRIALS
    assert found.shift < 1e-4
    assert 0.0 <= found.sink < 1e-4
    assert LIMITS.rest.time <= found.simulated < 3.0


def test_what_topples_names_who_went_first() -> None:
    found = run_trials(TOPPLES)
    assert (found.stands, found.first_to_move) == (False, "b")
    assert found.fell == ("b",)
    # one is watched until it lies there, the others until it is certain that it falls
    assert [trial.is_cut for trial in found.trials] == [False, True, True, True]


def test_a_ball_on_a_ball_topples_from_every_disturbance() -> None:
    found = run_trials(BALLS)
    assert [each.stands for each in found.trials] == [False] * TRIALS
    assert found.fell == ("b",)


def test_a_scene_without_free_pieces_stands() -> None:
    assert run_trials(Assembly("bare", (table(),))).stands is True


def test_a_piece_dropped_from_high_has_fallen() -> None:
    found = run_trials(Assembly("high", (table(), block("a", 0, 60))), trials=1)
    assert (found.stands, found.fell) == (False, ("a",))


@pytest.mark.parametrize(
    ("outcomes", "stands"),
    [((True, True), True), ((False, False), False), ((True, False), None), ((False, True, True), None)],
)
def test_mixed_outcomes_are_no_verdict(outcomes: tuple[bool, ...], stands: bool | None) -> None:
    assert combined(tuple(trial(outcome) for outcome in outcomes)).stands is stands


def test_trials_together_are_the_worst_of_each_and_the_earliest_fall() -> None:
    found = combined(
        (
            trial(False, 90, first_to_move="late", fell=("x",), sink=3e-3, simulated=2.0),
            trial(False, 30, first_to_move="early", fell=("b", "a"), shift=4e-3),
            trial(True, turn=0.5),
        )
    )
    assert found.first_to_move == "early"
    assert found.fell == ("a", "b", "x")
    assert (found.sink, found.shift, found.turn, found.simulated) == (3e-3, 4e-3, 0.5, 2.0)


def test_a_fall_is_run_again_finely_before_it_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[tuple[int, int]] = []

    class Spy(BulletWorld):
        def settle(self, stages: int = 1) -> None:
            rates.append((self.rate, self.tuning.iterations))
            super().settle(stages)

    monkeypatch.setattr(module, "new_world", Spy)
    run_trials(STANDS, trials=1)
    assert len(rates) == 1
    run_trials(TOPPLES, trials=1)
    (quick, few), *finer = rates[1:]
    assert [fine // quick for fine, _ in finer] == [2, 8, 16]
    assert all(many > few for _, many in finer)
    rates.clear()
    # who wants so many seconds gets no more of them for putting down
    run_trials(TOPPLES, trials=1, time=1.0)
    assert [rate // quick for rate, _ in rates] == [1, 2, 8]
    rates.clear()
    with running_trials(TOPPLES, trials=1) as finish:
        assert finish(False).stands is False
    assert rates == [(quick, few)]
    rates.clear()
    # with a safety margin the shortest steps come before those that take as long in vain
    with running_trials(TOPPLES, trials=1, is_safe=True) as finish:
        assert finish(True).stands is False
    assert [rate // quick for rate, _ in rates] == [1, 2, 32, 8, 8, 16]


def test_what_statics_lets_stand_by_a_hair_is_disturbed_by_a_tenth_in_its_second_look() -> None:
    """Five pieces with 0.03 mm in hand: from whole disturbances some fall."""
    made = stack(374)
    with running_trials(made.assembly, gravity=made.gravity) as finish:
        found = finish(True)
    assert found.stands is True
    assert found.share == 0.1
    with running_trials(made.assembly, gravity=made.gravity, trials=1) as finish:
        assert finish(None).share == 1.0


def test_where_only_the_word_is_asked_one_certain_fall_is_enough_if_forces_balance() -> None:
    for statics, said, asked in ((True, 4, 1), (None, 4, 4)):
        for is_brief, trials in ((False, said), (True, asked)):
            with running_trials(TOPPLES, is_brief=is_brief) as finish:
                found = finish(statics)
            assert (found.stands, len(found.trials)) == (False, trials)
    with running_trials(STANDS, is_brief=True) as finish:
        assert len(finish(True).trials) == 4


def test_what_stands_only_when_it_is_put_down_tells_how_far_it_sank() -> None:
    """Two pieces with 0.02 degrees in hand: let go at once they fall."""
    made = stack(198)
    limits = limits_of(made.assembly)
    task = TrialTask(made.assembly, limits, (0, 0), None, made.gravity, share=0.1)
    assert not run_quickly(task).stands
    found = run_finely(task)
    assert found.stands
    assert 1e-7 < found.sink < 1e-5
    assert found.shift < 1e-5
    assert found.simulated >= limits.settling + limits.rest.time - 1e-9


def test_one_disturbance_is_enough_where_statics_has_degrees_in_hand() -> None:
    def trials(assembly: Assembly, statics: bool | None, degrees: float) -> list[bool]:
        with running_trials(assembly) as finish:
            return [trial.stands for trial in finish(statics, degrees).trials]

    assert trials(STANDS, True, 1.0) == [True]
    assert trials(STANDS, True, 0.9) == [True] * 4
    assert trials(STANDS, None, 90.0) == [True] * 4
    # what falls all the same is asked as often as ever
    assert trials(TOPPLES, True, 90.0) == [False] * 4
    # but where nothing is in hand one fall that is looked at twice tells as much
    assert trials(TOPPLES, True, 0.0) == [False]


# -- time and gravity ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0.25, 1.1, 3.0])
@pytest.mark.parametrize("assembly", [STANDS, TOPPLES], ids=["stands", "topples"])
def test_time_is_simulated_exactly(assembly: Assembly, seconds: float) -> None:
    assert {each.simulated for each in run_trials(assembly, time=seconds, trials=2).trials} == {seconds}


def test_gravity_sideways_topples_what_stands() -> None:
    assert run_trials(STANDS, gravity=(7.0, 0.0, -7.0), trials=1).stands is False


def test_letting_down_is_undisturbed() -> None:
    raised = Assembly("raised", (table(), block("a", 0, 10.3), block("b", 12, 30.6)))
    found = settle_undisturbed(raised)
    assert found.stands
    assert np.abs(found.poses[:, :2] - [[0.0, 0.0], [0.012, 0.0]]).max() < 2e-5
    assert found.poses[:, 2] == pytest.approx([0.010, 0.030], abs=1e-4)
    rested = at_poses(raised, found.names, found.poses)
    assert rested.bodies[0] == raised.bodies[0]
    assert [body.pose.position[2] for body in rested.free] == found.poses[:, 2].tolist()


# -- repeating -------------------------------------------------------------------------------------------------


def fingerprint(found: Dynamics) -> tuple[object, ...]:
    poses = hashlib.sha256(b"".join(each.poses.tobytes() for each in found.trials)).hexdigest()
    return (found.stands, found.simulated, found.sink, found.shift, found.turn, found.first_to_move, poses)


@pytest.mark.parametrize("assembly", [STANDS, TOPPLES], ids=["stands", "topples"])
def test_one_seed_one_result_bit_for_bit_for_any_number_of_workers(assembly: Assembly) -> None:
    # each worker has one
    alone = fingerprint(run_trials(assembly, seed=7, trials=2))
    assert fingerprint(run_trials(assembly, seed=7, trials=2)) == alone
    assert fingerprint(run_trials(assembly, seed=7, trials=2, workers=2)) == alone
    assert fingerprint(run_trials(assembly, seed=8, trials=2)) != alone


KEYFRAMES = """
import hashlib
from teeter.engine.world.bullet import BulletWorld
from teeter.scenes.load import load
for name in ("arch", "tower_gone", "card_frame_flat", "egg_on_tip"):
    with BulletWorld(load(name).assembly.bodies) as world:
        world.settle()
        print(name, *(hashlib.sha256(world.advance(60).poses.tobytes()).hexdigest()[:16] for _ in range(10)))
"""


@pytest.mark.slow
def test_two_processes_compute_the_same_bits_at_every_keyframe() -> None:
    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", KEYFRAMES], capture_output=True, text=True, check=True
        ).stdout

    first = run()
    assert len(first.splitlines()) >= 4
    assert run() == first


def test_what_tips_off_a_low_block_and_leans_on_the_table_has_fallen() -> None:
    low, flat = piece(wood(0.5), box=(75, 25, 15)), piece(wood(0.5), box=(60, 30, 15))
    bodies = (
        table(),
        Body("low", low, Pose((0.0, 0.0, 0.0075))),
        # 7.5 mm past the end of the low block: it leans at 14 degrees, and lies still, well before it is watched
        Body("flat", flat, Pose((0.045, 0.0, 0.0225))),
    )
    found = run_trials(Assembly("lean", bodies))
    assert found.stands is False
    assert found.fell == ("flat",)


@pytest.mark.slow
def test_a_wall_of_410_boxes_stands_in_a_quick_run() -> None:
    scene = wall(20, 20)
    assert run_quickly(TrialTask(scene, limits_of(scene), (0, 0), None, DOWN)).stands
