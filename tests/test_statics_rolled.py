"""How far the table tilts under pieces that roll far before they fall, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.balance.symmetry import ShapeSymmetry
from teeter.engine.topple.finer import with_true_curves
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly, Body
from teeter.models.build import build
from teeter.models.catalogue import find

LYING = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
UPSIDE_DOWN = quaternion_of_rpy(math.pi, 0.0, 0.0)
LEVEL = (0.0, 0.0, 0.0, 1.0)


def body(
    name: str, height: float, turn: Any = LEVEL, mu: float = 0.5, fixed: bool = False, **shape: Any
) -> Body:
    return Body(name, piece(wood(mu), **shape), Pose((0.0, 0.0, height / 1e3), turn), fixed)


def dome(mu: float) -> Assembly:
    shape = build(find("bausack/hemisphere"))
    upside_down = Pose((0.0, 0.0, float(shape.extents[2]) / 2), UPSIDE_DOWN)
    return Assembly("dome", (table(wood(mu**2 / shape.material.friction)), Body("dome", shape, upside_down)))


def board(half: float, mu: float, radius: float = 15.0) -> Assembly:
    """A board over a fixed cylinder."""
    log = body("log", radius, LYING, mu, fixed=True, cylinder=(radius, 60))
    lies = body("board", 2 * radius + half, mu=mu, box=(120, 40, 2 * half))
    return Assembly("board", (table(wood(mu)), log, lies))


def board_tilts(half: float, mu: float, radius: float = 15.0) -> float:
    """It rests at psi - half / radius tan(psi), psi the slope where it touches: until that falls, or it slides."""
    psi = min(math.atan(mu), math.acos(math.sqrt(half / radius)))
    return math.degrees(psi - half / radius * math.tan(psi))


def ball_in_bowl() -> Assembly:
    """A ball of radius 10 in a fixed bowl of radius 30 whose rim is 30 degrees up."""
    low, sagitta = 20 - 30 * (1 - math.cos(math.radians(30))), 30 * (1 - math.cos(math.radians(15)))
    profile = [[0, 0], [25, 0], [25, 20], [15, 20], [0, low, -sagitta]]
    bowl = Body("bowl", piece(wood(), turned={"profile": profile}), Pose((0.0, 0.0, 0.01)), fixed=True)
    return Assembly("bowl", (table(), bowl, body("ball", low + 10, sphere=10.0)))


ROLLS_FAR = {
    "a dome on its curve: three eighths of its radius": (dome(0.9), math.degrees(math.asin(3 / 8))),
    "a dome that slides first": (dome(0.3), math.degrees(math.atan(0.3))),
    "a board on a cylinder slides": (board(8, 0.4), board_tilts(8, 0.4)),
    "a board on a cylinder rolls off": (board(8, 2.0), board_tilts(8, 2.0)),
    "a ball in a bowl leaves over its rim": (ball_in_bowl(), 30.0),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if "rim" not in name else pytest.param(name, marks=pytest.mark.soak) for name in ROLLS_FAR]
)
def test_what_rolls_far_is_followed_to_where_it_falls(name: str) -> None:
    scene, degrees = ROLLS_FAR[name]
    found = analyse(scene, loads=False)
    assert (found.stands, found.tilt_at_least) == (True, False)
    # a rim is touched a tenth of a millimetre before it is reached
    assert found.tilt_deg == pytest.approx(degrees, rel=2.5e-2 if "rim" in name else 5e-3)
    assert found.weakest == scene.free[0].name


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("half", [19.0, 18.0, 15.0, 10.0])
def test_a_board_has_the_margin_of_the_closed_form_near_where_it_has_none(half: float) -> None:
    """What its roll loses in steps counts tenfold where the board is nearly as thick as the cylinder."""
    found = analyse(board(half, 1.5, 20.0), loads=False)
    assert found.tilt_deg == pytest.approx(board_tilts(half, 1.5, 20.0), rel=4e-3)


ROLLS: dict[str, dict[str, Any]] = {
    "a disc on its edge": {"cylinder": (20, 8)},
    "a capsule on its side": {"turned": {"profile": [[0, 0], [10, 10, 2.93], [10, 30], [0, 40, 2.93]]}},
}


@pytest.mark.parametrize("name", ROLLS)
def test_what_lies_on_its_round_side_stands_and_has_no_margin(name: str) -> None:
    shape = ROLLS[name]
    made = piece(wood(), **shape)
    lies = body("it", float(made.extents[0]) * 500, LYING, **shape)
    found = analyse(Assembly(name, (table(), lies)), loads=False)
    assert (found.stands, found.rolls, found.tilt_deg) == (True, ("it",), 0.0)


def test_parts_lie_on_the_curve_they_touch_on() -> None:
    scene = board(8, 0.4)
    finer = with_true_curves(scene)
    before, after = (
        next(each for each in bodies if each.name == "log").piece.parts
        for bodies in (scene.bodies, finer.bodies)
    )
    touched = [
        part for old, part in zip(before, after, strict=True) if len(part.vertices) > len(old.vertices)
    ]
    # the sectors on both sides of the top
    assert len(touched) == 2
    for part in touched:
        radii = np.linalg.norm(part.vertices[:, :2], axis=1)
        assert radii[radii > 0] == pytest.approx(0.015, abs=1e-7)
    alone = Assembly("plain", (table(), body("box", 10, box=(20, 20, 20))))
    assert with_true_curves(alone) is alone


@pytest.mark.slow
def test_a_board_stands_on_a_cylinder_in_the_simulation_too() -> None:
    assert check(board(8, 0.4), CheckOptions(workers=1)).word == "stands"


@pytest.mark.slow
def test_a_block_stands_on_a_dome_in_the_simulation_too() -> None:
    """Half its height is six tenths of the radius. It slides off where psi - 0.6 tan(psi) ends, at psi = atan(mu)."""
    shape = build(find("bausack/hemisphere"))
    radius, mu = float(shape.extents[2]) * 1e3, 0.5
    support = Body("dome", shape, Pose((0.0, 0.0, radius / 2e3)), fixed=True)
    block = body("block", 1.6 * radius, mu=mu, box=(60, 60, 1.2 * radius))
    found = check(Assembly("block on dome", (table(wood(mu)), support, block)), CheckOptions(workers=1))
    psi = math.atan(math.sqrt(mu * shape.material.friction))
    assert found.word == "stands"
    assert found.statics.tilt_deg == pytest.approx(math.degrees(psi - 0.6 * math.tan(psi)), rel=2e-2)


def rocker(height: float) -> Assembly:
    """Half a ball of radius 20 and a cylinder on it, of one weight."""
    profile = [[0, 0], [20, 20, "round"], [20, 20 + height], [0, 20 + height]]
    shape = piece(wood(0.8), turned={"profile": profile})
    lies = Body("rocker", shape, Pose((0.0, 0.0, float(shape.extents[2]) / 2)))
    return Assembly("rocker", (table(wood(0.8)), lies))


@pytest.mark.parametrize("height", [10.0, 13.5, 14.0])
def test_what_rolls_over_onto_its_side_has_fallen(height: float) -> None:
    """Its centre of mass lies d under that of the ball. On its side it rests, under a larger tilt than any before."""
    d = (20**2 / 4 - height**2 / 2) / (2 * 20 / 3 + height)
    found = analyse(rocker(height), loads=False)
    assert found.tilt_deg == pytest.approx(math.degrees(math.asin(d / 20)), rel=5e-3, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("tilt", "word"), [(3.0, "stands"), (4.5, "stands"), (7.0, "topples")])
def test_what_rocks_is_judged_where_it_rests_on_a_table_that_was_tilted(tilt: float, word: str) -> None:
    """It leans by asin(20 sin(tilt) / d) from upright, and has the rest of its margin in hand there."""
    found = check(rocker(10.0), CheckOptions(workers=1, tilt=math.radians(tilt)))
    assert found.word == word
    if word == "stands":
        assert found.pose == "rest"
        leans = math.asin(20 * math.sin(math.radians(tilt)) / (50 / (70 / 3)))
        leant = math.acos(found.judged.free[0].pose.matrix[2, 2])
        assert math.degrees(leant) == pytest.approx(math.degrees(leans) - tilt, abs=0.1)
        left = math.degrees(math.asin(50 / (70 / 3) / 20)) - tilt
        assert found.statics.tilt_deg == pytest.approx(left, abs=0.05)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("rod", "mu"), [(5.0, 0.4), (5.0, 0.8)])
def test_a_ring_hangs_on_a_rod_as_a_pendulum(rod: float, mu: float) -> None:
    """Across the rod it finds rest at every tilt; along it slides, or tips over its rim, 7.5 wide and 18 up."""
    hung = body("ring", 100 + rod - 18, LYING, mu, ring=(30, 18, 15))
    found = analyse(
        Assembly("hung", (table(), body("rod", 100, LYING, mu, fixed=True, cylinder=(rod, 80)), hung)),
        loads=False,
    )
    tips = math.degrees(min(math.atan(mu), math.atan(7.5 / 18)))
    assert found.tilt_deg == pytest.approx(tips, rel=6e-3)
    assert (found.tilt_direction_deg or 0.0) % 180.0 == pytest.approx(90.0, abs=5.0)


def shifted(assembly: Assembly, name: str, x: float) -> Assembly:
    bodies = [
        each.at(Pose((x, 0.0, each.pose.position[2]), each.pose.orientation)) if each.name == name else each
        for each in assembly.bodies
    ]
    return Assembly(assembly.name, tuple(bodies))


def prism(*corners: tuple[float, float]) -> Assembly:
    shape = piece(wood(), prism={"points": [list(corner) for corner in corners], "height": 10.0})
    return Assembly("prism", (table(), Body("prism", shape, Pose((0.0, 0.0, 0.005)))))


SIXTY = math.radians(60)
TRIANGLE = [(20 * math.cos(2 * k * SIXTY), 20 * math.sin(2 * k * SIXTY)) for k in range(3)]


@pytest.mark.parametrize(
    ("made", "alike", "unlike"),
    [
        (
            lambda: board(10.0, 1.5),
            [(0, 180), (30, 150), (30, -30), (30, 210)],
            [(0, 90), (30, 60), (0, -45)],
        ),
        (lambda: shifted(board(10.0, 1.5), "board", 0.004), [(30, -30)], [(0, 180), (30, 150), (30, 210)]),
        (lambda: shifted(board(10.0, 1.5), "log", 0.004), [(30, -30)], [(0, 180), (30, 150), (30, 210)]),
        (lambda: rocker(10.0), [(0, 10), (0, 180), (33, 101)], []),
        (lambda: shifted(dome(0.5), "dome", 0.1), [(0, 10), (33, 101)], []),
        (lambda: prism(*TRIANGLE), [(0, 120), (10, -10), (10, 130)], [(0, 60), (10, 190), (10, 100)]),
        # a kite is its own mirror along one line, a parallelogram is turned by a half
        (lambda: prism((-20, 0), (0, -10), (30, 0), (0, 10)), [(40, -40)], [(0, 180), (0, 90)]),
        (lambda: prism((-20, -10), (10, -10), (20, 10), (-10, 10)), [(40, 220)], [(40, -40), (40, 140)]),
    ],
)
def test_directions_are_alike_where_every_body_is_its_own_image(
    made: Callable[[], Assembly], alike: list[tuple[float, float]], unlike: list[tuple[float, float]]
) -> None:
    shapes = ShapeSymmetry(made())
    assert all(shapes.are_alike(*np.radians(pair)) for pair in alike)
    assert not any(shapes.are_alike(*np.radians(pair)) for pair in unlike)


def test_the_edge_of_a_small_table_counts() -> None:
    """Who rolls off to one side does so there alone."""
    (wide, lies) = rocker(10.0).bodies
    small = Body("table", piece(wood(0.8), box=(200, 60, 10)), Pose((0.0, 0.0, -0.005)), fixed=True)
    assert ShapeSymmetry(Assembly("wide", (wide, lies))).are_alike(0.0, 1.0)
    assert not ShapeSymmetry(Assembly("small", (small, lies))).are_alike(0.0, 1.0)
    assert ShapeSymmetry(Assembly("small", (small, lies))).are_alike(0.5, -0.5)


@pytest.mark.parametrize(
    "scene", [lambda: board(12.0, 1.5), lambda: shifted(board(12.0, 1.5), "board", 0.002)]
)
def test_what_is_like_another_direction_is_as_if_it_were_followed(
    scene: Callable[[], Assembly], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = analyse(scene(), loads=False)
    monkeypatch.setattr(ShapeSymmetry, "are_alike", lambda self, one, other: one == other)
    every = analyse(scene(), loads=False)
    assert found.tilt_deg == pytest.approx(every.tilt_deg, rel=1e-6)
