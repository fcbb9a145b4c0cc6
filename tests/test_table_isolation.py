"""A carried piece flies alone: nothing is different but the cost, and everything wakes before it is touched."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from teeter.engine.bench.rigs import table, tower
from teeter.engine.events import SceneEvent, Touched
from teeter.engine.hand import packed
from teeter.engine.motions import Motion, carry, glide, lower
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Body, Scale, Tick
from teeter.engine.world.isolation import CLEARANCE, START_CLEARANCE, Obstacles, Stillness
from teeter.games.play.table import STRIDE_STEPS, Table

BRICK = tower()[-1].piece
HEIGHT = float(BRICK.extents[2])
LOWEST = tower()[1].name


def ground(rows: int = 4) -> Table:
    """A tower of a few rows on the table, and a loose brick 0.2 m beside it."""
    bodies = tower(rows=rows)
    loose = Body("loose", BRICK, Pose((0.2, 0.0, 0.5 * HEIGHT)))
    return Table([*bodies, loose], Scale.of(bodies))


def run(laid: Table, motion: Motion, is_alone: bool) -> tuple[list[tuple[float, ...]], list[SceneEvent]]:
    """Every pose of the loose brick on its way, and what was seen."""
    if not is_alone:
        laid._isolate = lambda: None  # type: ignore[method-assign]
    poses: list[tuple[float, ...]] = []
    seen: list[SceneEvent] = []
    for target in motion:
        seen += laid.aim(target)
        pose = laid.world.pose("loose")
        poses.append((*pose.position, *pose.orientation))
    return poses, seen


def test_a_piece_flies_as_it_would_among_all_others() -> None:
    ways: list[list[tuple[float, ...]]] = []
    towers: list[Tick] = []
    flown = []
    for is_alone in (True, False):
        laid = ground()
        laid.free("loose")
        laid.hand.grab(laid.bodies["loose"])
        turned = Pose((-0.2, 0.05, 0.1), (0.0, 0.0, math.sin(0.6), math.cos(0.6)))
        way, _ = run(laid, carry(laid.hand, turned, 0.15), is_alone)
        flown.append(laid._isolated is not None)
        ways.append(way)
        towers.append(laid.world.read())
        laid.close()
    assert flown == [True, False]
    assert np.abs(np.subtract(ways[0], ways[1])).max() < 1e-9
    assert np.abs(towers[0].poses - towers[1].poses)[:, :3].max() < 2e-6


def test_time_goes_on_and_the_tower_is_left_where_it_was() -> None:
    laid = ground()
    laid.hand.grab(laid.bodies["loose"])
    run(laid, glide(laid.hand, Pose((0.3, 0.0, 0.2))), True)
    assert laid._isolated is not None
    before, step = laid.world.read(), laid.step
    way, seen = run(laid, glide(laid.hand, Pose((0.3, 0.2, 0.2))), True)
    after = laid.world.read()
    assert laid.step == step + len(way)
    assert not seen
    still = [row for row, name in enumerate(after.names) if name != "loose"]
    assert (after.poses[still] == before.poses[still]).all()
    assert laid.bodies["loose"].pose.position == pytest.approx((0.3, 0.2, 0.2), abs=5e-3)
    laid.close()


def test_who_watches_sees_a_piece_fly_in_the_same_beat_as_everything_else() -> None:
    laid = ground()
    laid.hand.grab(laid.bodies["loose"])
    run(laid, glide(laid.hand, Pose((0.3, 0.0, 0.2))), True)
    assert laid._isolated is not None
    seen: list[tuple[int, Pose]] = []
    laid.sink = lambda step, bodies: seen.append((step, bodies["loose"].pose))
    flown: dict[int, Pose] = {}
    for target in glide(laid.hand, Pose((0.3, 0.05, 0.2))):
        laid.aim(target)
        flown[laid.step] = laid.world.pose("loose")
    assert laid._isolated is not None
    assert len(seen) > 10
    assert seen == [(step, pose) for step, pose in flown.items() if step % STRIDE_STEPS == 0]
    laid.close()


def test_everything_wakes_before_the_piece_touches_it() -> None:
    laid = ground()
    laid.hand.grab(laid.bodies["loose"])
    top = 4 * HEIGHT
    run(laid, carry(laid.hand, Pose((0.0, 0.0, top + 0.5 * HEIGHT + 0.01)), 0.15), True)
    assert laid._isolated is not None
    _, seen = run(laid, lower(laid.hand, top, BRICK.mass), True)
    assert laid._isolated is None
    seen += [event for _ in range(5) for event in laid.advance()]
    assert any(isinstance(event, Touched) and "loose" in (event.a, event.b) for event in seen)
    assert laid.bodies["loose"].pose.position[2] == pytest.approx(top + 0.5 * HEIGHT, abs=1e-3)
    laid.close()


def test_a_piece_that_is_woken_goes_on_as_if_it_had_never_flown_alone() -> None:
    """The hand holds it in the very step in which it comes near to others."""
    ways = []
    for is_alone in (True, False):
        laid = ground()
        laid.hand.grab(laid.bodies["loose"])
        top = 4 * HEIGHT
        run(laid, carry(laid.hand, Pose((0.0, 0.0, top + 0.5 * HEIGHT + 0.01)), 0.15), is_alone)
        assert (laid._isolated is not None) == is_alone
        way, _ = run(laid, lower(laid.hand, top + 0.004, BRICK.mass), is_alone)
        assert laid._isolated is None
        ways.append(way)
        laid.close()
    count = min(len(way) for way in ways)
    assert np.abs(np.subtract(ways[0][:count], ways[1][:count]))[:, :3].max() < 2e-5


def test_a_hand_that_rams_a_tower_meets_all_of_it() -> None:
    """At the greatest speed: the piece is on the ground before it could be inside another."""
    bricks: list[float] = []
    for is_alone in (True, False):
        laid = ground(6)
        laid.hand.grab(laid.bodies["loose"])
        run(laid, glide(laid.hand, Pose((0.25, 0.0, 0.06))), is_alone)
        run(laid, glide(laid.hand, Pose((0.02, 0.0, 0.06)), 1.0), is_alone)
        tick = laid.world.read()
        bricks.append(float(np.abs(tick.poses[:18, :2]).max()))

        laid.close()
    assert bricks[0] == pytest.approx(bricks[1], abs=0.02)
    assert bricks[0] > 0.045


def test_nothing_is_left_alone_on_a_table_that_tilts() -> None:
    laid = ground()
    laid.hand.grab(laid.bodies["loose"])
    run(laid, glide(laid.hand, Pose((0.3, 0.0, 0.2))), True)
    assert laid._isolated is not None
    laid.world.set_gravity((1.0, 0.0, -GRAVITY))
    run(laid, glide(laid.hand, Pose((0.3, 0.01, 0.2))), True)
    assert laid._isolated is None
    laid.close()


def test_a_piece_let_go_in_flight_falls() -> None:
    laid = ground()
    laid.hand.grab(laid.bodies["loose"])
    run(laid, glide(laid.hand, Pose((0.3, 0.0, 0.2))), True)
    laid.hand.release()
    laid.run_to_rest()
    assert laid.bodies["loose"].pose.position[2] < 0.05
    laid.close()


def test_obstacles_count_the_speed_and_the_force_of_the_next_step() -> None:
    laid = ground()
    body = laid.bodies["loose"]
    obstacles = Obstacles([each for each in laid.bodies.values() if each.name == "table"])
    laid.put(body.at(Pose((0.3, 0.0, 0.5 * HEIGHT + 1.5 * CLEARANCE))))
    held = np.array([0.0, 0.0, body.piece.mass * GRAVITY])
    assert obstacles.are_far(laid.world, body, held)
    assert not obstacles.are_far(laid.world, body, held, START_CLEARANCE)
    # 6 N downwards take a brick 5 mm in a step
    assert not obstacles.are_far(laid.world, body, np.array([0.0, 0.0, -6.0]))
    laid.world.launch("loose", (0.0, 0.0, -0.5))
    assert not obstacles.are_far(laid.world, body, held)
    laid.close()


def test_stillness_wants_half_a_second_within_half_a_millimetre() -> None:
    bodies = [table(), Body("a", BRICK, Pose((0.0, 0.0, 0.0))), Body("held", BRICK, Pose((0.1, 0.0, 0.0)))]

    def tick(step: int, x: float, held: float = 0.0) -> Tick:
        rows = np.array([[x, 0, 0, 0, 0, 0, 1.0], [held, 0, 0, 0, 0, 0, 1.0]])
        return Tick(step, ("a", "held"), rows, np.zeros(2))

    stillness = Stillness(tick(0, 0.0), bodies, 240, False)
    assert not stillness.sees(tick(116, 4e-4), "held")
    assert stillness.sees(tick(120, 4e-4, 0.1), "held")
    assert not stillness.sees(tick(124, 6e-4), "held")
    assert not stillness.sees(tick(240, 6e-4), "held")
    assert stillness.sees(tick(244, 6e-4), "held")
    assert Stillness(tick(0, 0.0), bodies, 240, True).sees(tick(4, 0.0), "held")


def test_a_moment_has_everything_where_it_is_between_two_readings() -> None:
    laid = ground()
    laid.free("loose")
    laid.hand.grab(laid.bodies["loose"])
    way = carry(laid.hand, Pose((0.3, 0.1, 0.1)), 0.15)
    for _ in range(20 * STRIDE_STEPS + 1):
        laid.aim(next(way))
    assert laid.world.step % STRIDE_STEPS
    moment = laid.remember()
    assert moment.bodies["loose"].pose == laid.world.pose("loose")
    assert math.dist(moment.bodies["loose"].pose.position, (0.2, 0.0, 0.5 * HEIGHT)) > 0.01
    laid.close()


def test_what_still_falls_does_not_hang_in_the_air_while_a_piece_flies() -> None:
    """When a game goes on from a moment in the middle of a fall."""
    laid = ground()
    laid.free("loose")
    laid.put(Body("falling", BRICK, Pose((-0.3, 0.0, 0.5))))
    for _ in range(STRIDE_STEPS):
        laid.advance()
    moment = laid.remember()
    assert not moment.is_still
    laid.restore(moment)
    laid.hand.grab(laid.bodies["loose"])
    begun = laid.step
    x, y, z = laid.hand.target.position
    falling: list[int] = []
    while laid._isolated is None and laid.step < begun + 4 * laid.rate:
        up = min(0.1, 0.4 * (laid.step - begun) / laid.rate)
        laid.aim(packed(Pose((x, y, z + up), laid.hand.target.orientation)))
        if laid.bodies["falling"].pose.position[2] > HEIGHT:
            falling.append(laid.step)
    assert laid._isolated is not None
    assert falling
    assert laid.step > falling[-1], "the piece flies alone only once the other has landed"
    assert laid.world.pose("falling").position[2] < 2 * HEIGHT
    laid.close()


def test_a_moment_knows_whether_everything_was_still() -> None:
    """What was still when a game was left may be left alone as soon as it goes on."""
    laid = ground()
    laid.run_to_rest()
    assert laid.remember().is_still
    laid.advance()
    assert not laid.remember().is_still
    laid.run_to_rest()
    laid.restore(laid.remember())
    laid.free("loose")
    laid.hand.grab(laid.bodies["loose"])
    begun = laid.step
    x, y, z = laid.hand.target.position
    while laid._isolated is None and laid.step < begun + laid.rate:
        up = 0.4 * (laid.step - begun) / laid.rate
        laid.aim(packed(Pose((x, y, z + up), laid.hand.target.orientation)))
    assert laid.step < begun + laid.rate // 4
    laid.close()


@pytest.mark.parametrize(
    "what",
    [
        lambda laid: laid.put(Body("new", BRICK, Pose((-0.3, 0.0, 0.5 * HEIGHT)))),
        lambda laid: laid.free(LOWEST),
        lambda laid: laid.shove(LOWEST, 0.01, 0.0),
        lambda laid: laid.advance(),
        lambda laid: laid.restore(laid.remember()),
        lambda laid: laid.close(),
    ],
    ids=["put", "free", "shove", "advance", "restore", "close"],
)
def test_whatever_else_is_done_to_a_table_ends_a_lonely_flight(what: Callable[[Table], object]) -> None:
    """It is seen by everything, and sees everything."""
    laid = ground()
    laid.free("loose")
    laid.hand.grab(laid.bodies["loose"])
    run(laid, glide(laid.hand, Pose((0.3, 0.0, 0.2))), True)
    assert laid._isolated is not None
    lonely = laid._isolated.world
    assert laid.hand.world is lonely is not laid.world
    alone: list[bool] = []
    laid.sink = lambda step, bodies: alone.append(laid._isolated is not None)
    what(laid)
    assert laid._isolated is None
    assert not any(alone)
    assert laid.hand.world is laid.world
    with pytest.raises(RuntimeError):
        lonely.read()
    laid.close()
