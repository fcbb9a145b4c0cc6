"""How exact the physics is, against closed forms; and that no verdict hangs on size, order or place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from accuracy_bounds import slides_within, tips_within

from teeter.engine.bench import accuracy
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, Verdict, check
from teeter.engine.world.body import Assembly, Body, median_size
from teeter.scenes.load import load

SHAPES = accuracy.shapes()
QUIET = CheckOptions(workers=1)
RATES = (240, 480, 960)
FRICTIONS = (0.2, 0.4, 0.8)


# -- closed forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yaw", accuracy.YAWS)
@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.sampled(3)
def test_statics_tips_a_piece_over_an_edge_within_0_01_mm(shape: str, yaw: float) -> None:
    assert abs(accuracy.edge_statics(SHAPES[shape], yaw)) <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("yaw", accuracy.YAWS)
@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.sampled(3)
def test_dynamics_tips_a_piece_over_an_edge_within_0_10_mm(shape: str, yaw: float) -> None:
    assert tips_within(0.10, SHAPES[shape], yaw)


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("yaw", [0.0, 30.0])
def test_statics_slides_at_the_friction_angle_within_0_2_per_cent(friction: float, yaw: float) -> None:
    assert abs(accuracy.slide_statics(friction, yaw)) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("yaw", [0.0, 30.0])
def test_dynamics_slides_at_the_friction_angle_within_1_5_per_cent(friction: float, yaw: float) -> None:
    assert slides_within(1.5, friction, yaw)


@pytest.mark.slow
@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.sampled(3)
def test_every_shape_slides_at_the_friction_angle_within_1_5_per_cent(shape: str) -> None:
    # among hundreds of slopes one is where a round piece of four sectors sticks past its friction; which one hangs on
    # the last digits of the processor
    hold = [slides_within(1.5, 0.4, yaw, SHAPES[shape]) for yaw in (16.0, 17.0)]
    assert all(hold) or (any(hold) and slides_within(1.5, 0.4, 18.0, SHAPES[shape]))


@pytest.mark.parametrize("yaw", [0.0, 20.0])
@pytest.mark.parametrize("count", [1, 2, 5, 10])
def test_a_stack_tilts_until_atan_of_width_over_height_within_0_1_per_cent(count: int, yaw: float) -> None:
    assert abs(accuracy.tilt_stack(count, yaw)) <= 0.1


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    "miss",
    [accuracy.free_fall, accuracy.coulomb_stop, accuracy.slope_acceleration],
    ids=["free fall", "Coulomb stop", "slope"],
)
def test_motion_follows_its_closed_form_within_1_per_cent(miss: Callable[[int], float], rate: int) -> None:
    assert abs(miss(rate)) <= 1.0


# -- sameness ------------------------------------------------------------------------------------------------


@cache
def shipped(name: str) -> Assembly:
    return load(name).assembly


@cache
def plain(name: str) -> Verdict:
    return check(shipped(name), QUIET)


def of_size(name: str, metres: float) -> Assembly:
    """A shipped scene, its median piece as large as said."""
    size = float(np.median([median_size(body.piece) for body in shipped(name).free]))
    return scaled(shipped(name), metres / size)


def scaled(assembly: Assembly, times: float) -> Assembly:
    """The assembly with every length multiplied."""
    return Assembly(assembly.name, tuple(_scaled(body, times) for body in assembly.bodies))


def _scaled(body: Body, times: float) -> Body:
    piece = body.piece
    surface = replace(
        piece.surface,
        facets=tuple(
            replace(facet, rings=tuple(ring * times for ring in facet.rings))
            for facet in piece.surface.facets
        ),
        edges=piece.surface.edges * times,
        corners=piece.surface.corners * times,
        curved=piece.surface.curved * times,
    )
    parts = tuple(
        replace(
            part,
            centre=part.centre * times,
            vertices=part.vertices * times,
            half_extents=None if part.half_extents is None else part.half_extents * times,
            radius=None if part.radius is None else part.radius * times,
        )
        for part in piece.parts
    )
    larger = replace(
        piece,
        surface=surface,
        parts=parts,
        extents=piece.extents * times,
        volume=piece.volume * times**3,
        mass=piece.mass * times**3,
        centre_of_mass=piece.centre_of_mass * times,
        inertia=piece.inertia * times**5,
    )
    x, y, z = body.pose.position
    return replace(body, piece=larger, pose=Pose((x * times, y * times, z * times), body.pose.orientation))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "metres"),
    [
        pytest.param(name, metres, marks=[pytest.mark.soak] * (name == "tower" and metres in (0.1, 1.0)))
        for name in ("arch", "tower", "arch_thin", "overhang_outside")
        for metres in (0.01, 0.1, 1.0, 10.0)
    ],
)
@pytest.mark.sampled(8)
def test_the_verdict_and_the_tilt_are_the_same_at_any_size(name: str, metres: float) -> None:
    expected, found = plain(name), check(of_size(name, metres), QUIET)
    assert found.word == expected.word
    assert (found.statics.stands, found.dynamics.stands) == (
        expected.statics.stands,
        expected.dynamics.stands,
    )
    assert found.statics.tilt_deg == pytest.approx(expected.statics.tilt_deg, rel=0.01)


def reversed_order(assembly: Assembly) -> Assembly:
    return Assembly(assembly.name, assembly.bodies[::-1])


def carried(outer: Pose) -> Callable[[Assembly], Assembly]:
    def carry(assembly: Assembly) -> Assembly:
        return Assembly(assembly.name, tuple(body.at(body.pose.then(outer)) for body in assembly.bodies))

    return carry


def mirrored(assembly: Assembly) -> Assembly:
    """The scene in the plane y = 0. Pieces here are their own mirror images in their z: poses are enough."""
    flip_y, flip_z = np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0])
    return Assembly(
        assembly.name,
        tuple(
            body.at(Pose.of(flip_y @ body.pose.position, flip_y @ body.pose.matrix @ flip_z))
            for body in assembly.bodies
        ),
    )


def renamed(assembly: Assembly) -> Assembly:
    count = len(assembly.bodies)
    return Assembly(
        assembly.name, tuple(replace(body, name=f"{count - n:03d}") for n, body in enumerate(assembly.bodies))
    )


CHANGES = {
    "order": reversed_order,
    "names": renamed,
    "place": carried(Pose((0.713, -0.291, 0.5))),
    "mirror": mirrored,
    "yaw": carried(Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(37.0)))),
}
SAME = ["arch", "two_bricks", "bridge", "leaning_tower", "leaning_tower_past", "arch_thin"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("name", SAME)
def test_statics_does_not_hang_on_how_the_scene_is_written(name: str, change: str) -> None:
    expected, found = analyse(shipped(name)), analyse(CHANGES[change](shipped(name)))
    assert (found.stands, found.needs_friction) == (expected.stands, expected.needs_friction)
    for one, other in ((found.tilt_deg, expected.tilt_deg), (found.push_n, expected.push_n)):
        assert (one is None) == (other is None)
        # a margin of states that are only reached is found within a thousandth (`balance.reached`)
        assert one is None or one == pytest.approx(other, rel=3e-3, abs=1e-9)
    loads = [sorted(each.loads.values()) for each in (found, expected)]
    assert loads[0] == pytest.approx(loads[1], rel=1e-6, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"),
    [
        # every scene and every change comes in; every pair is for the soak
        pytest.param(name, change, marks=[pytest.mark.soak] * ((row + column) % 2))
        for row, name in enumerate(SAME)
        for column, change in enumerate(sorted(CHANGES))
    ],
)
@pytest.mark.sampled(8)
def test_the_verdict_does_not_hang_on_how_the_scene_is_written(name: str, change: str) -> None:
    found = check(CHANGES[change](shipped(name)), QUIET)
    assert (found.word, found.dynamics.stands) == (plain(name).word, plain(name).dynamics.stands)
