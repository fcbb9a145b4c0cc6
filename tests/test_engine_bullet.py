"""The real world keeps its contract: names, contacts that carry the weight, pushes, mass frames, surfaces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from teeter.engine.bench.rigs import on_slope, piece, table, wood
from teeter.engine.geometry.rotation import angle_between, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, PLAY, TUNING
from teeter.engine.world import bullet_body
from teeter.engine.world.body import Body, Contact, Scale
from teeter.engine.world.bullet import BulletWorld
from teeter.models.material import Material
from teeter.models.piece import Piece

BRICK = piece(wood(), box=(75, 25, 15))
DIE = piece(wood(), box=(20, 20, 20))
BALL = piece(wood(), sphere=15)
BENT = piece(wood(), polycube={"cells": [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)], "edge": 16})
"""An L of four cubes: its mass lies off the centre of its box, and no axis of its frame is principal."""
TURNS = [(0.0, 0.0, 0.0), (0.3, -0.7, 2.1), (math.pi, 0.0, 0.5), (-2.0, 1.2, -3.0)]


def pile() -> list[Body]:
    """Two bricks and a die on a table, in no order of names."""
    return [
        table(),
        Body("upper", BRICK, Pose((0.01, 0.0, 0.0225))),
        Body("lower", BRICK, Pose((0.0, 0.0, 0.0075))),
        Body("die", DIE, Pose((0.2, 0.0, 0.010))),
    ]


@pytest.fixture
def settled() -> Iterator[BulletWorld]:
    with BulletWorld(pile()) as world:
        world.settle()
        world.advance(world.rate)
        yield world


def contacts_of(world: BulletWorld, *names: str) -> tuple[Contact, ...]:
    found = world.read(contacts=names or True).contacts
    assert found is not None
    return found


def force_on(name: str, contacts: tuple[Contact, ...]) -> np.ndarray:
    """The sum of all contact forces on a body in newtons, normal and friction."""
    total = np.zeros(3)
    for contact in contacts:
        force = contact.force * np.array(contact.normal) + np.array(contact.friction)
        total += force if contact.a == name else -force if contact.b == name else 0.0
    return total


# -- contacts ------------------------------------------------------------------------------------------------


def test_contacts_are_sorted_by_names_then_place(settled: BulletWorld) -> None:
    found = contacts_of(settled)
    assert {(contact.a, contact.b) for contact in found} == {
        ("die", "table"),
        ("lower", "table"),
        ("lower", "upper"),
    }
    assert list(found) == sorted(found, key=lambda contact: (contact.a, contact.b, contact.point))
    assert all(contact.a < contact.b and contact.force > 0.0 for contact in found)


@pytest.mark.parametrize("name", ["upper", "lower", "die"])
def test_contact_forces_carry_the_weight(settled: BulletWorld, name: str) -> None:
    body = next(body for body in pile() if body.name == name)
    weight = body.piece.mass * GRAVITY
    assert force_on(name, contacts_of(settled)) == pytest.approx(
        [0.0, 0.0, weight], rel=0.01, abs=0.01 * weight
    )


def test_a_tower_weighs_on_the_table_what_its_pieces_weigh(settled: BulletWorld) -> None:
    total = sum(body.piece.mass for body in pile() if not body.fixed) * GRAVITY
    assert force_on("table", contacts_of(settled))[2] == pytest.approx(-total, rel=0.002)


def test_normals_point_from_the_second_body_towards_the_first(settled: BulletWorld) -> None:
    ups = {(contact.a, contact.b): contact.normal[2] for contact in contacts_of(settled)}
    # die and lower lie on the table; upper, the second of its pair, lies on lower
    assert ups == pytest.approx({("die", "table"): 1.0, ("lower", "table"): 1.0, ("lower", "upper"): -1.0})


def test_contacts_of_named_bodies_are_those_of_all_that_name_them_without_friction(
    settled: BulletWorld,
) -> None:
    everything = [replace(found, friction=None) for found in contacts_of(settled)]
    assert contacts_of(settled, "upper") == tuple(found for found in everything if found.b == "upper")
    assert contacts_of(settled, "lower", "upper") == tuple(
        found for found in everything if found.a == "lower"
    )


def test_contact_points_lie_on_the_faces_and_hardly_overlap(settled: BulletWorld) -> None:
    for contact in contacts_of(settled):
        height = 0.015 if contact.b == "upper" else 0.0
        assert contact.point[2] == pytest.approx(height, abs=5e-5)
        assert abs(contact.distance) < 1e-4


def test_friction_holds_a_block_on_a_slope_with_m_g_sin() -> None:
    angle = math.radians(15.0)
    with BulletWorld(on_slope(DIE, angle, 0.0, wood())) as world:
        world.settle()
        world.advance(world.rate)
        found = contacts_of(world)
    along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    friction = sum(np.array(contact.friction) for contact in found)
    assert friction @ along == pytest.approx(-DIE.mass * GRAVITY * math.sin(angle), rel=0.01)
    assert sum(contact.force for contact in found) == pytest.approx(
        DIE.mass * GRAVITY * math.cos(angle), rel=0.01
    )


# -- forces and gravity --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [DIE, BALL, BENT], ids=["box", "ball", "polycube"])
def test_a_push_at_the_centre_of_mass_gives_force_over_mass(shape: Piece) -> None:
    with BulletWorld([Body("piece", shape, Pose((0, 0, 1), quaternion_of_rpy(0.4, 0.2, 1.0)))]) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        before = world.pose("piece")
        for _ in range(world.rate // 2):
            world.push("piece", (0.03, -0.02, 0.01))
            world.advance()
        after = world.pose("piece")
    gone = np.subtract(after.position, before.position)
    # half a second of constant force goes F t^2 / 2 m
    assert gone == pytest.approx(np.array([0.03, -0.02, 0.01]) * 0.125 / shape.mass, rel=1e-3)
    assert angle_between(before.orientation, after.orientation) < 1e-6


def test_a_push_beside_the_centre_turns_the_piece_as_its_torque_does() -> None:
    def spin(point: tuple[float, float, float] | None, torque: tuple[float, float, float]) -> Pose:
        with BulletWorld([Body("piece", DIE, Pose((0, 0, 0)))]) as world:
            world.set_gravity((0.0, 0.0, 0.0))
            world.push("piece", (0.0, 0.1, 0.0), point, torque)
            world.advance(24)
            return world.pose("piece")

    pushed, turned = spin((0.01, 0.0, 0.0), (0.0, 0.0, 0.0)), spin(None, (0.0, 0.0, 0.001))
    assert pushed.position == pytest.approx(turned.position)
    assert pushed.orientation == pytest.approx(turned.orientation)
    # one step of 1 N mm on I = 2/3 m a^2 of a cube of half side a; 23.5 steps later
    rate = 0.001 / 240 / DIE.inertia[2, 2]
    assert angle_between((0, 0, 0, 1), pushed.orientation) == pytest.approx(rate * 23.5 / 240, rel=1e-3)


def test_a_push_lasts_one_step() -> None:
    with BulletWorld([Body("piece", DIE, Pose((0, 0, 0)))]) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        world.push("piece", (0.1, 0.0, 0.0))
        first, later = world.advance(), world.advance(100)
    assert later.speeds == pytest.approx(first.speeds)
    assert first.speeds == pytest.approx([0.1 / 240 / DIE.mass])


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (3.0, -4.0, 0.0), (0.0, 0.0, 1.62)])
def test_gravity_pulls_where_it_is_turned(gravity: tuple[float, float, float]) -> None:
    with BulletWorld([Body("piece", BENT, Pose((0, 0, 0)))]) as world:
        world.set_gravity(gravity)
        world.advance(120)
        assert world.pose("piece").position == pytest.approx(0.125 * np.array(gravity), rel=1e-9, abs=1e-12)


def test_fixed_bodies_stay_whatever_pushes_them() -> None:
    with BulletWorld(pile()) as world:
        world.push("table", (1e6, 0.0, 1e6))
        world.advance(60)
        assert world.pose("table").position == pytest.approx(pile()[0].pose.position, abs=1e-15)
        assert world.pose("table").orientation == pile()[0].pose.orientation
        assert "table" not in world.read().names


# -- adding and removing -------------------------------------------------------------------------------------


def test_what_stood_on_a_removed_piece_falls() -> None:
    with BulletWorld(pile()) as world:
        world.settle()
        world.advance(240)
        world.remove("lower")
        world.advance(240)
        assert world.pose("upper").position[2] == pytest.approx(0.0075, abs=1e-4)


def test_a_name_is_free_again_after_its_body_is_gone() -> None:
    with BulletWorld(pile()) as world:
        world.remove("die")
        world.add(Body("die", BALL, Pose((0.2, 0.0, 0.5))))
        world.launch("die", (1.0, 0.0, 0.0))
        tick = world.advance(24)
        assert tick.names == ("upper", "lower", "die")
        # a tenth of a second at 1 m/s, falling g t^2 / 2
        assert world.pose("die").position == pytest.approx((0.3, 0.0, 0.5 - GRAVITY * 0.005), rel=1e-6)


def test_an_empty_world_ticks() -> None:
    with BulletWorld() as world:
        tick = world.advance(5, contacts=True)
        assert (tick.step, tick.names, tick.poses.shape, tick.contacts) == (5, (), (0, 7), ())


def test_a_doubled_name_at_the_start_closes_the_world_and_says_so() -> None:
    with pytest.raises(ValueError, match="there is a body named 'die' already"):
        BulletWorld([*pile(), pile()[-1]])


# -- the mass frame of pieces whose mass is elsewhere --------------------------------------------------------


def test_the_bent_piece_is_one_whose_mass_frame_is_neither_central_nor_axis_aligned() -> None:
    assert np.linalg.norm(BENT.centre_of_mass) > 2e-3
    assert abs(BENT.inertia - np.diag(np.diag(BENT.inertia))).max() > 0.05 * BENT.inertia.max()


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("shape", [DIE, BALL, BENT], ids=["box", "ball", "polycube"])
def test_a_pose_comes_back_as_it_went_in(shape: Piece, turn: tuple[float, float, float]) -> None:
    put = Pose((0.12, -0.34, 0.56), quaternion_of_rpy(*turn))
    with BulletWorld([Body("piece", shape, put)]) as world:
        got = world.pose("piece")
    assert got.position == pytest.approx(put.position, abs=1e-15)
    assert angle_between(got.orientation, put.orientation) < 1e-14


@pytest.mark.parametrize("shape", [DIE, BENT, BALL], ids=["box", "polycube", "ball"])
def test_the_inertia_in_bullet_is_the_pieces(shape: Piece) -> None:
    """Twice the energy of a spin, in six directions, is the whole tensor."""
    turn = Pose((0, 0, 0), quaternion_of_rpy(0.3, -0.7, 2.1))
    inertia = turn.matrix @ shape.inertia @ turn.matrix.T
    for axis in [*np.eye(3), (1, 1, 0), (0, 1, 1), (1, 0, 1)]:
        with BulletWorld([Body("piece", shape, turn)]) as world:
            world.set_gravity((0.0, 0.0, 0.0))
            world.push("piece", (0, 0, 0), torque=(1e-3 * axis[0], 1e-3 * axis[1], 1e-3 * axis[2]))
            world.advance()
            kinetic, _ = world.energy()
        # an impulse L = M dt of torque on a body at rest leaves it with L I^-1 L / 2
        impulse = 1e-3 / 240 * np.array(axis)
        assert kinetic == pytest.approx(0.5 * impulse @ np.linalg.solve(inertia, impulse), rel=1e-3)


@pytest.mark.parametrize("shape", [BRICK, BENT], ids=["brick", "bent"])
def test_the_pose_of_one_body_is_that_of_all_to_the_bit(shape: Piece) -> None:
    with BulletWorld([Body("it", shape, Pose((0.0, 0.0, 0.5)))]) as world:
        world.launch("it", (0.3, -0.2, 0.1), (3.0, 1.0, -2.0))
        for _ in range(20):
            row = world.advance().poses[0]
            pose = world.pose("it")
            assert (*pose.position, *pose.orientation) == (*row.tolist(),)


def test_the_mass_frame_holds_the_inertia() -> None:
    frame = bullet_body.mass_frame(BENT)
    assert frame.axes @ np.diag(frame.moments) @ frame.axes.T == pytest.approx(BENT.inertia, rel=1e-9)
    assert np.linalg.det(frame.axes) == pytest.approx(1.0)


def test_a_spinning_bent_piece_flies_its_centre_of_mass_along_a_parabola() -> None:
    start = Pose((0, 0, 1), quaternion_of_rpy(0.3, -0.7, 2.1))
    with BulletWorld([Body("piece", BENT, start)], rate=480) as world:
        origin = start.apply(BENT.centre_of_mass)
        world.launch("piece", (1.0, 0.5, 2.0), (6.0, -4.0, 9.0))
        for _ in range(24):
            tick = world.advance(10)
            seconds = tick.step / world.rate
            expected = origin + np.array([1.0, 0.5, 2.0]) * seconds + [0, 0, -0.5 * GRAVITY * seconds**2]
            assert world.pose("piece").apply(BENT.centre_of_mass) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("shape", [BRICK, BENT], ids=["brick", "polycube"])
def test_a_free_spin_keeps_its_angular_momentum(shape: Piece) -> None:
    """Read from poses alone: the momentum I w in the world after half a second of tumbling."""
    with BulletWorld(
        [Body("piece", shape, Pose((0, 0, 0), quaternion_of_rpy(0.3, -0.7, 2.1)))], rate=960
    ) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        world.launch("piece", (0.0, 0.0, 0.0), (2.0, -3.0, 4.0))
        momenta = [_momentum(world, shape) for _ in range(24) if world.advance(20)]
    drift = max(np.linalg.norm(momentum - momenta[0]) for momentum in momenta) / np.linalg.norm(momenta[0])
    assert drift < 0.02


def _momentum(world: BulletWorld, shape: Piece) -> np.ndarray:
    before = world.pose("piece")
    world.advance()
    after = world.pose("piece")
    change = after.matrix @ before.matrix.T
    skew = 0.5 * (change - change.T)
    spin = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) * world.rate
    return np.asarray(after.matrix @ shape.inertia @ after.matrix.T @ spin)


# -- surfaces ------------------------------------------------------------------------------------------------


def rough(friction: float, restitution: float = 0.0) -> Material:
    return wood(friction, restitution=restitution)


@pytest.mark.parametrize(("one", "other"), [(0.2, 0.8), (0.9, 0.1), (0.5, 0.5)])
def test_a_mixed_pair_slides_at_the_geometric_mean_of_its_frictions(one: float, other: float) -> None:
    block, mean = piece(rough(one), box=(40, 40, 10)), math.sqrt(one * other)

    def gone(angle: float) -> float:
        with BulletWorld(on_slope(block, angle, 0.0, rough(other))) as world:
            world.settle()
            before = world.pose("piece").position
            world.advance(world.rate)
            return math.dist(before, world.pose("piece").position)

    assert gone(0.98 * math.atan(mean)) < 2e-4
    assert gone(1.02 * math.atan(mean)) > 2e-3


@pytest.mark.parametrize("rate", [240, 960])
@pytest.mark.parametrize(("one", "other"), [(0.5, 0.5), (0.8, 0.8), (0.4, 0.9), (0.3, 0.3)])
@pytest.mark.parametrize("shape", [{"sphere": 15}, {"box": (20, 20, 20)}, {"cylinder": (15, 30)}], ids=str)
def test_a_dropped_piece_bounces_to_e_squared_of_its_height(
    shape: dict[str, object], one: float, other: float, rate: int
) -> None:
    """Within 12 % of the speed: contacts give a little, which takes from the bounce; long steps add to it."""
    dropped, height = piece(rough(0.4, one), **shape), 0.5
    rest = float(dropped.extents[2]) / 2
    with BulletWorld(
        [table(rough(0.4, other)), Body("piece", dropped, Pose((0, 0, rest + height)))], rate=rate
    ) as world:
        world.advance(round(math.sqrt(2 * height / GRAVITY) * rate) + 2)
        top = max(world.pose("piece").position[2] - rest for _ in range(rate // 2) if world.advance())
    assert math.sqrt(top / height) == pytest.approx(math.sqrt(one * other), rel=0.12)


def test_a_piece_without_restitution_does_not_bounce() -> None:
    ball = piece(rough(0.4, 0.0), sphere=15)
    with BulletWorld([table(rough(0.4, 0.9)), Body("ball", ball, Pose((0, 0, 0.515)))]) as world:
        world.advance(90)
        assert max(world.pose("ball").position[2] for _ in range(120) if world.advance()) < 0.0155


def test_soft_impacts_do_not_bounce() -> None:
    ball = piece(rough(0.4, 0.9), sphere=15)
    with BulletWorld([table(rough(0.4, 0.9)), Body("ball", ball, Pose((0, 0, 0.0154)))]) as world:
        # 0.4 mm of fall ends at 0.09 m/s, under the 0.1 m/s at which wood starts to ring
        assert TUNING.restitution_speed > math.sqrt(2 * GRAVITY * 4e-4)
        world.advance(12)
        assert max(world.pose("ball").position[2] for _ in range(60) if world.advance()) < 0.01505


def test_a_ball_rolls_down_a_slope_at_five_sevenths() -> None:
    angle = math.radians(10.0)
    with BulletWorld(on_slope(BALL, angle, 0.0, wood())) as world:
        places = [np.array(world.pose("piece").position)]
        for _ in range(2):
            world.advance(60)
            places.append(np.array(world.pose("piece").position))
    first, second = (float(np.linalg.norm(b - a)) for a, b in pairwise(places))
    # s = a t^2 / 2 over equal quarters of a second: the second is a t^2 longer
    assert (second - first) * 16 == pytest.approx(5 / 7 * GRAVITY * math.sin(angle), rel=0.02)


# -- scale ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("millimetres", "rate"), [(10, 480), (30, 240), (1000, 30), (10000, 15)])
def test_steps_are_as_long_as_the_pieces_size_asks(millimetres: float, rate: int) -> None:
    cube = Body("cube", piece(wood(), box=(millimetres,) * 3), Pose((0, 0, 0)))
    assert Scale.of([table(), cube]).rate == rate


def test_fixed_bodies_do_not_set_the_scale() -> None:
    assert Scale.of(pile()[1:]) == Scale.of(pile())


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.2, 0.1), (-0.31, 0.07)])
@pytest.mark.parametrize("under", [False, True], ids=["on the table", "on a block"])
def test_a_ball_lies_still_where_it_is_level(place: tuple[float, float], under: bool) -> None:
    block = Body("block", piece(wood(), box=(80, 80, 20)), Pose((*place, 0.010)))
    start = Pose((*place, 0.035 if under else 0.015))
    bodies = (table(), *((block,) if under else ()), Body("ball", BALL, start))
    with BulletWorld(bodies) as world:
        world.settle()
        world.advance(4 * world.rate)
        assert math.dist(world.pose("ball").position[:2], place) < 1e-4


# -- falls ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("shape", [{"sphere": 15}, {"box": (40, 40, 20)}, {"cylinder": (15, 30)}], ids=str)
def test_a_bounce_does_not_hang_on_where_a_step_ends(shape: dict[str, object]) -> None:
    """A contact found before it touches takes the gap off the rebound: of short steps that was all of it."""
    shares = [rebound_from(float(height), shape) for height in np.linspace(0.1, 0.6, 9)]
    assert min(shares) > 0.45
    assert max(shares) < 0.55


def rebound_from(height: float, shape: dict[str, object]) -> float:
    """The share of its speed with which a piece of restitution 0.5 jumps up again that falls flat from a height."""
    material = rough(0.4, 0.5)
    falling = piece(material, **shape)
    place = (0.0, 0.0, height + float(falling.extents[2]) / 2)
    with BulletWorld([table(material), Body("piece", falling, Pose(place))]) as world:
        steps = math.ceil((math.sqrt(2 * height / GRAVITY) + 0.03) * world.rate)
        fastest = max(float(world.motion("piece")[0][2]) for _ in range(steps) if world.advance())
    return fastest / math.sqrt(2 * GRAVITY * height)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "height"),
    [({"cylinder": (20, 8)}, 8), ({"ring": (20, 12, 8)}, 8), ({"cylinder": (12, 2)}, 2)],
    ids=str,
)
def test_a_high_stack_of_what_is_round_stands_still(shape: dict[str, object], height: float) -> None:
    """Points between the parts of two discs have any normal; what those turn them by is no climbing over corners."""
    round_ = piece(wood(), **shape)
    stack = [Body(f"{n}", round_, Pose((0.0, 0.0, height * (n + 0.5) / 1e3))) for n in range(20)]
    with BulletWorld([table(), *stack], tuning=PLAY) as world:
        world.settle()
        before = world.read().poses
        after = world.advance(world.rate // 2)
    assert after.poses[:, :3] == pytest.approx(before[:, :3], abs=1e-3)
    assert after.speeds.max() < 0.05


def test_a_stack_that_lands_is_settled_as_one_that_never_moved() -> None:
    """`settle` takes whole steps, whatever the last one was taken in."""
    with BulletWorld([table(), Body("brick", BRICK, Pose((0.0, 0.0, 0.0075)))]) as world:
        world.launch("brick", (0.0, 0.0, -2.0))
        world.run()
        world.settle()
        world.run(24)
        assert world.pose("brick").position[2] == pytest.approx(0.0075, abs=1e-4)
        assert world.speed("brick") < 1e-3


def test_what_struck_and_left_within_a_step_is_told_until_one_of_the_two_is_gone() -> None:
    material = rough(0.4, 0.5)
    ball = piece(material, sphere=15)
    with BulletWorld([table(material), Body("ball", ball, Pose((0.0, 0.0, 0.4)))]) as world:
        for _ in range(world.rate):
            world.run()
            if world.motion("ball")[0][2] > 0.5:
                break
        struck = world.contacts()
        assert {(contact.a, contact.b) for contact in struck} == {("ball", "table")}
        assert world.contacts(["ball"])
        with world.snapshot().restored() as again:
            assert again.contacts(["ball"]) == world.contacts(["ball"])
        world.remove("table")
        assert world.contacts() == ()
