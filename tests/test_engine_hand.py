"""The hand carries, pushes and is stopped; never stronger than fingers, never teleporting; on Bullet."""

from __future__ import annotations

import math

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.geometry.rotation import angle_between, quaternion_of_rpy
from teeter.engine.hand import GRIP, Hand, Tremor, packed, unpacked
from teeter.engine.motions import Ending, Motion, between, carry, draw, glide, lower
from teeter.engine.pose import Pose
from teeter.engine.settings import PLAY
from teeter.engine.world.body import Body
from teeter.engine.world.bullet import BulletWorld

BRICK = piece(wood(), box=(75, 25, 15))
START = Pose((0.0, 0.0, 0.0075))
A = Body("a", BRICK, START)


def world_with(*bodies: Body) -> BulletWorld:
    world = BulletWorld((table(), *bodies))
    world.settle()
    return world


def run(hand: Hand, motion: Motion, seconds: float = 30.0) -> tuple[Ending, float]:
    """How the motion ended, and the greatest force in newtons on the way."""
    strongest, steps = 0.0, 0
    while True:
        try:
            target = next(motion)
        except StopIteration as end:
            return end.value, strongest
        hand.move(target)
        hand.act()
        hand.world.advance(1)
        strongest = max(strongest, float(np.linalg.norm(hand.force)))
        steps += 1
        assert steps < seconds * hand.world.rate


def hold(hand: Hand, seconds: float) -> None:
    for _ in range(round(seconds * hand.world.rate)):
        hand.act()
        hand.world.advance(1)


def test_a_brick_lifted_and_turned_is_where_the_target_is() -> None:
    goal = Pose((0.02, -0.01, 0.1), quaternion_of_rpy(0.3, 0.2, 2.0))
    with world_with(A) as world:
        hand = Hand(world)
        hand.grab(A)
        assert run(hand, glide(hand, goal))[0] is Ending.DONE
        hold(hand, 0.5)
        found = world.pose("a")
        assert math.dist(found.position, goal.position) < 1e-6
        assert angle_between(found.orientation, goal.orientation) < 1e-5


def test_ALL_1_one_hand_one_piece() -> None:
    other = Body("b", BRICK, Pose((0.2, 0.0, 0.0075)))
    with world_with(A, other) as world:
        hand = Hand(world)
        assert hand.held is None
        with pytest.raises(ValueError, match="empty"):
            hand.release()
        hand.grab(A)
        assert hand.held == "a"
        with pytest.raises(ValueError, match="one hand holds one piece"):
            hand.grab(other)
        with pytest.raises(ValueError, match="fixed"):
            Hand(world).grab(table())
        hand.release()
        assert hand.held is None


def test_a_released_piece_falls() -> None:
    with world_with(A) as world:
        hand = Hand(world)
        hand.grab(A)
        run(hand, glide(hand, Pose((0.0, 0.0, 0.2))))
        hand.release()
        hold(hand, 0.1)
        assert world.pose("a").position[2] == pytest.approx(0.2 - 9.81 * 0.1**2 / 2, abs=1e-3)


def test_a_wall_stops_the_hand_and_the_force_stays_within_fingers() -> None:
    wall = Body("wall", piece(wood(), box=(20, 200, 100)), Pose((0.1, 0.0, 0.05)), fixed=True)
    with world_with(A, wall) as world:
        hand = Hand(world)
        hand.grab(A)
        run(hand, glide(hand, Pose((0.0, 0.0, 0.05))))
        ending, strongest = run(hand, draw(hand, np.array([0.1, 0.0, 0.0])))
        assert ending is Ending.STUCK
        assert strongest <= GRIP.force + 1e-9
        # the wall begins at 90 mm, the brick's end is 37.5 mm ahead of its middle
        assert world.pose("a").position[0] == pytest.approx(0.0525, abs=3e-4)


def test_what_cannot_follow_slips_out_of_a_weak_grip() -> None:
    with world_with(A) as world:
        hand = Hand(world, GRIP.weakened(0.02))
        hand.grab(A)
        hand.move(packed(Pose((0.0, 0.0, 0.05))))
        hold(hand, 0.2)
        assert hand.has_slipped
        assert world.pose("a").position[2] < 0.01


def test_a_held_piece_pushes_another_and_its_friction_is_felt() -> None:
    other = Body("b", BRICK, Pose((0.08, 0.0, 0.0075)))
    with world_with(A, other) as world:
        hand = Hand(world)
        hand.grab(A)
        run(hand, glide(hand, Pose((0.0, 0.0, 0.009))))
        assert run(hand, draw(hand, np.array([0.05, 0.0, 0.0])))[0] is Ending.DONE
        assert world.pose("b").position[0] == pytest.approx(0.05 + 0.075, abs=1e-3)
        push = BRICK.mass * 9.81 * 0.4
        assert float(np.linalg.norm(hand.force[:2])) < 3 * push


def test_lowering_ends_at_contact_and_a_gentle_release_moves_nothing() -> None:
    with world_with(A, Body("b", BRICK, Pose((0.2, 0.0, 0.0075)))) as world:
        hand = Hand(world)
        hand.grab(Body("b", BRICK, START))
        assert run(hand, carry(hand, Pose((0.01, 0.0, 0.035)), 0.06))[0] is Ending.DONE
        before = world.pose("a")
        assert run(hand, lower(hand, 0.0, BRICK.mass))[0] is Ending.CONTACT
        hand.release()
        hold(hand, 1.0)
        after = world.pose("b")
        assert after.position[2] == pytest.approx(0.0225, abs=1e-4)
        assert math.dist(after.position[:2], (0.01, 0.0)) < 2e-4
        assert math.dist(before.position, world.pose("a").position) < 5e-5


def test_lowering_over_nothing_ends_where_it_was_told_to() -> None:
    with world_with(A) as world:
        hand = Hand(world)
        hand.grab(A)
        run(hand, glide(hand, Pose((0.0, 0.0, 0.1))))
        assert run(hand, lower(hand, 0.08, BRICK.mass))[0] is Ending.DONE


@pytest.mark.parametrize(
    ("name", "least", "most"), [("brick.47", 0.1, 0.8), ("brick.26", 1.2, 1.8)], ids=["high", "low"]
)
def test_TT_24_a_middle_brick_is_pulled_out_against_its_friction(
    name: str, least: float, most: float
) -> None:
    bodies = {body.name: body for body in tower()}
    with BulletWorld(bodies.values(), tuning=PLAY) as world:
        world.settle()
        world.run(world.rate)
        others = [each for each in bodies if each not in (name, "table")]
        before = {each: world.pose(each).position for each in others}
        hand = Hand(world)
        hand.grab(bodies[name])
        # slowly, so that the force is friction and not the start
        ending, strongest = run(hand, draw(hand, bodies[name].pose.matrix[:, 0] * 0.09, 0.06))
        assert ending is Ending.DONE
        assert least < strongest < most
        assert max(math.dist(before[each], world.pose(each).position) for each in others) < 6e-3


def test_TT_24_a_brick_under_more_weight_than_the_hand_can_pull_is_stuck() -> None:
    bodies = {body.name: body for body in tower()}
    with BulletWorld(bodies.values(), tuning=PLAY) as world:
        world.settle()
        world.run(world.rate)
        weak = GRIP.weakened(0.1)
        hand = Hand(world, weak)
        hand.grab(bodies["brick.26"])
        before = world.pose("brick.26").position
        ending, strongest = run(hand, draw(hand, bodies["brick.26"].pose.matrix[:, 0] * 0.09))
        assert ending is Ending.STUCK
        assert strongest <= weak.force + 1e-9
        assert math.dist(before, world.pose("brick.26").position) < 1e-3


# -- numbers ---------------------------------------------------------------------------------------------------


def test_targets_are_whole_numbers_and_round_trip() -> None:
    pose = Pose((0.0123456789, -0.2, 1.5), quaternion_of_rpy(0.1, -0.4, 2.2))
    again = unpacked(packed(pose))
    assert packed(again) == packed(pose)
    assert math.dist(again.position, pose.position) < 1e-6
    assert angle_between(again.orientation, pose.orientation) < 4e-6
    with pytest.raises(ValueError, match="no orientation"):
        unpacked((0, 0, 0, 0, 0, 0, 0))


@pytest.mark.parametrize("part", [0.0, 0.25, 1.0])
def test_a_pose_between_two_turns_evenly(part: float) -> None:
    start, end = Pose((0.0, 0.0, 0.0)), Pose((1.0, 2.0, 3.0), quaternion_of_rpy(0.0, 0.0, 2.0))
    found = between(start, end, part)
    assert found.position == pytest.approx((part, 2 * part, 3 * part))
    assert angle_between(start.orientation, found.orientation) == pytest.approx(2.0 * part, abs=1e-9)


def test_tremor_has_the_size_it_says_and_repeats() -> None:
    shake = Tremor(1e-3, seed=3)
    found = np.array([shake.at(step / 240) for step in range(240 * 40)])
    assert np.sqrt((found**2).mean(axis=0)) == pytest.approx(1e-3, rel=0.1)
    assert np.array_equal(Tremor(1e-3, seed=3).at(1.25), shake.at(1.25))
    assert not np.array_equal(Tremor(1e-3, seed=4).at(1.25), shake.at(1.25))
    assert not Tremor(0.0).at(1.0).any()
    power = np.abs(np.fft.rfft(found[:, 0])) ** 2
    hertz = np.fft.rfftfreq(len(found), 1 / 240)
    assert power[hertz > 13].sum() < 0.01 * power.sum()


@pytest.mark.parametrize("angle", [1e-9, 0.5, 3.0, math.pi])
def test_the_hand_turns_a_piece_the_short_way_round(angle: float) -> None:
    goal = Pose((0.0, 0.0, 0.2), quaternion_of_rpy(angle, 0.0, 0.0))
    with world_with(A) as world:
        hand = Hand(world)
        hand.grab(A)
        run(hand, glide(hand, Pose((0.0, 0.0, 0.2))))
        run(hand, glide(hand, goal))
        hold(hand, 0.3)
        assert angle_between(world.pose("a").orientation, goal.orientation) < 1e-4
