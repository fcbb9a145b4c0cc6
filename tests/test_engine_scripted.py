"""What every world does, whatever moves its bodies; and the scripted one plays its script, remembers what was asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from scripted_world import Call, ScriptedWorld, hold

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import angle_between, quaternion_of_rpy
from teeter.engine.motions import between
from teeter.engine.pose import Pose
from teeter.engine.settings import TUNING
from teeter.engine.world.body import Body
from teeter.engine.world.bullet import BulletWorld
from teeter.engine.world.rapier import RapierWorld
from teeter.engine.world.world import World

BRICK = piece(wood(), box=(75, 25, 15))
Maker = Callable[[list[Body]], World]
MAKERS: list[Maker] = [BulletWorld, RapierWorld, ScriptedWorld]
ROUNDING = 2e-8
"""Metres, of a pose near the origin: Rapier has 32 bits."""


def bodies() -> list[Body]:
    return [table(), Body("b", BRICK, Pose((0, 0, 0.0225))), Body("a", BRICK, Pose((0, 0, 0.0075)))]


@pytest.fixture(params=MAKERS)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    made: World = request.param(bodies())
    yield made
    made.close()


# -- what all worlds must do ---------------------------------------------------------------------------------


def test_an_empty_world_is_a_world() -> None:
    for each in (BulletWorld(), RapierWorld(), ScriptedWorld()):
        assert (each.step, len(each.names), each.rate) == (0, 0, 240)
        each.close()


def test_a_world_counts_steps_and_names_bodies_in_the_order_added(world: World) -> None:
    assert world.names == ("table", "b", "a")
    tick = world.advance(3)
    assert (tick.step, world.step, tick.names) == (3, 3, ("b", "a"))
    assert tick.poses.shape == (2, 7)
    assert tick.speeds.shape == (2,)
    assert tick.contacts is None
    world.settle()
    assert world.read().step == 3 + TUNING.settle_steps


def test_a_world_shows_contacts_of_the_bodies_asked_for_sorted(world: World) -> None:
    if isinstance(world, ScriptedWorld):
        world = ScriptedWorld(bodies(), holds=[hold("b", "a", 0, 99), hold("a", "table", 0, 99)])
    world.settle()
    everything = world.read(contacts=True).contacts
    assert everything is not None
    assert {(contact.a, contact.b) for contact in everything} == {("a", "b"), ("a", "table")}
    assert list(everything) == sorted(everything, key=lambda found: (found.a, found.b, found.point))
    of_b = world.read(contacts=("b",)).contacts
    # friction is told only when all contacts are read
    assert of_b == tuple(replace(one, friction=None) for one in everything if "b" in (one.a, one.b))
    # `b` lies on `a`: the normal, from the second name to the first, points down
    assert all(contact.normal[2] < -0.99 for contact in of_b)


def test_a_world_refuses_a_doubled_name_and_names_an_unknown_one(world: World) -> None:
    with pytest.raises(ValueError, match="there is a body named 'a' already; names are unique"):
        world.add(bodies()[2])
    for ask in (
        world.remove,
        world.pose,
        lambda name: world.push(name, (0, 0, 0)),
        lambda name: world.launch(name, (0, 0, 0)),
        lambda name: world.read(contacts=[name]),
    ):
        with pytest.raises(KeyError, match="no body is named 'hat' in this world"):
            ask("hat")
    assert world.names == ("table", "b", "a")


def test_a_body_taken_out_is_gone_and_may_come_back_elsewhere(world: World) -> None:
    world.remove("b")
    assert world.names == ("table", "a")
    assert world.advance().names == ("a",)
    world.add(Body("b", BRICK, Pose((0.3, 0, 0.1))))
    assert list(world.names) == ["table", "a", "b"]
    assert world.pose("b").position == pytest.approx((0.3, 0, 0.1), abs=ROUNDING)
    assert world.read().names == ("a", "b")


def test_running_and_waiting_take_the_same_steps_and_only_running_moves(world: World) -> None:
    before = world.read()
    world.wait(5)
    assert world.step == 5
    assert np.array_equal(world.read().poses, before.poses)
    world.run(3)
    assert world.step == 8
    assert world.speed("b") >= 0.0


def test_a_restored_world_goes_on_from_its_snapshot_at_any_step(world: World) -> None:
    world.remove("b")
    world.set_gravity((0.0, 1.0, -9.0))
    world.run(8)
    moment = world.snapshot()
    assert (moment.step, moment.scale) == (8, world.scale)
    with moment.restored() as one, moment.at_step(100).restored() as other:
        assert (one.step, other.step) == (8, 100)
        assert one.names == other.names == world.names
        assert one.gravity == (0.0, 1.0, -9.0)
        assert np.array_equal(one.advance(5).poses, other.advance(5).poses)


def test_a_piece_in_isolation_is_followed_by_the_world_of_all(world: World) -> None:
    world.run(4)
    with world.isolated(bodies()[1]) as alone:
        assert (alone.names, alone.step, alone.gravity) == (("b",), 4, world.gravity)
        # Bullet rounds the last bit of a pose that it is given
        assert alone.pose("b").position == pytest.approx(world.pose("b").position, abs=1e-15)
        alone.run(10)
        world.wait(10)
        world.follow(alone, "b")
        assert world.pose("b").position == pytest.approx(alone.pose("b").position, abs=1e-15)


def test_contacts_alone_are_those_of_a_tick(world: World) -> None:
    world.settle()
    assert world.contacts() == world.read(contacts=True).contacts
    assert world.contacts(["b"]) == world.read(contacts=["b"]).contacts


def test_a_closed_world_says_so_and_may_be_closed_twice(world: World) -> None:
    world.close()
    world.close()
    for ask in (world.advance, world.read, world.settle, world.energy, lambda: world.pose("a")):
        with pytest.raises(RuntimeError, match="this world is closed; make a new one"):
            ask()


def test_potential_energy_is_m_g_h_and_turns_with_gravity(world: World) -> None:
    kinetic, potential = world.energy()
    assert kinetic == pytest.approx(0.0)
    assert potential == pytest.approx(BRICK.mass * 9.81 * 0.030, rel=1e-6)
    world.set_gravity((0.0, 0.0, -2 * 9.81))
    assert world.energy()[1] == pytest.approx(2 * potential, rel=1e-6)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("rate", [0, 100, 241])
def test_a_rate_that_is_not_offered_is_refused(
    maker: type[BulletWorld | RapierWorld | ScriptedWorld], rate: int
) -> None:
    with pytest.raises(ValueError, match=f"a rate of {rate} steps per second is not allowed; choose one of"):
        maker(bodies(), rate=rate)


# -- what only the scripted one does -------------------------------------------------------------------------


def test_a_path_is_followed_exactly_at_its_steps_and_straight_between() -> None:
    start, end = Pose((0, 0, 0.1)), Pose((0.1, 0, 0.1), quaternion_of_rpy(0, 0, math.pi / 2))
    world = ScriptedWorld(bodies(), paths={"b": [(2, start), (6, end)]})
    assert world.pose("b") == bodies()[1].pose
    seen = [world.pose("b") for _ in range(8) if world.advance()]
    assert seen[1] == start
    assert seen[3].position == pytest.approx((0.05, 0, 0.1))
    assert angle_between(seen[3].orientation, start.orientation) == pytest.approx(math.pi / 4)
    assert seen[5] == seen[7] == end


def test_speeds_are_those_of_the_last_step() -> None:
    path = [(0, Pose((0, 0, 0.1))), (240, Pose((0.5, 0, 0.1)))]
    world = ScriptedWorld(bodies(), paths={"b": path})
    assert world.read().speeds.tolist() == [0.0, 0.0]
    assert world.advance().speeds == pytest.approx([0.5, 0.0])
    assert world.energy()[0] == pytest.approx(0.5 * BRICK.mass * 0.25)
    assert world.advance(300).speeds.tolist() == [0.0, 0.0]


def test_a_body_put_back_ignores_what_the_script_had_before() -> None:
    world = ScriptedWorld(bodies(), paths={"b": [(2, Pose((1, 0, 0))), (20, Pose((2, 0, 0)))]})
    world.advance(10)
    world.remove("b")
    world.add(Body("b", BRICK, Pose((0, 0, 0.5))))
    assert world.pose("b") == Pose((0, 0, 0.5))
    world.advance(10)
    assert world.pose("b") == Pose((2, 0, 0))


def test_holds_last_from_start_to_before_stop_and_need_both_bodies() -> None:
    world = ScriptedWorld(bodies(), holds=[hold("a", "b", 2, 4)])
    counts = [len(world.advance(contacts=True).contacts or ()) for _ in range(5)]
    assert counts == [0, 1, 1, 0, 0]
    gone = ScriptedWorld(bodies()[:2], holds=[hold("a", "b", 0, 9)])
    assert gone.read(contacts=True).contacts == ()


def test_everything_that_was_asked_is_remembered_in_order() -> None:
    world = ScriptedWorld(bodies())
    world.advance(2)
    world.push("a", (1.0, 0.0, 0.0))
    world.launch("b", (0.0, 1.0, 0.0))
    world.set_gravity((0.0, 0.0, -1.0))
    world.remove("a")
    assert world.calls == [
        Call(0, "run", (2,)),
        Call(2, "push", ("a", (1.0, 0.0, 0.0), None, (0.0, 0.0, 0.0))),
        Call(2, "launch", ("b", (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))),
        Call(2, "set_gravity", ((0.0, 0.0, -1.0),)),
        Call(2, "remove", ("a",)),
    ]


def test_a_path_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match="the path of 'b' is not in order; its steps must increase"):
        ScriptedWorld(bodies(), paths={"b": [(3, Pose((0, 0, 0))), (3, Pose((0, 0, 1)))]})


def test_between_two_poses_goes_the_short_way_round() -> None:
    start, end = Pose((0, 0, 0), (0, 0, 0, 1)), Pose((1, 0, 0), (0, 0, -math.sin(0.2), -math.cos(0.2)))
    middle = between(start, end, 0.5)
    assert angle_between(middle.orientation, (0, 0, 0, 1)) == pytest.approx(0.2)
