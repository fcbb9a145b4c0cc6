"""Statics against closed forms: stacks, overhangs, slopes, edges, arch, tent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from statics_scenes import (
    G,
    arch,
    box,
    card_tent,
    harmonic,
    overhang,
    piece,
    pose,
    pyramid,
    scene,
    stack,
    table,
    tower,
)

import teeter
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.statics import analyse, stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body


def tan(degrees: float | None) -> float:
    assert degrees is not None
    return math.tan(math.radians(degrees))


@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize("yaw", [0.0, 17.0, 45.0, 90.0])
def test_a_stack_tips_where_its_diagonal_stands_upright(count: int, yaw: float) -> None:
    """tan = w / (n h), over the long face, or atan mu when it slides first."""
    size, mu = (40.0, 60.0, 30.0), 0.9
    found = analyse(stack(count, size, mu, yaw))
    assert tan(found.tilt_deg) == pytest.approx(min(40 / (count * 30), mu), rel=1e-5)
    if 40 / (count * 30) < mu:
        assert found.tilt_direction_deg is not None
        assert found.tilt_direction_deg % 180 == pytest.approx(yaw % 180, abs=1e-3)
        assert found.weakest == f"b{count - 1}"
    assert found.needs_friction is False


@pytest.mark.parametrize("mu", [0.2, 0.35, 0.5])
@pytest.mark.parametrize("yaw", [0.0, 22.5, 45.0])
def test_a_flat_block_slides_at_the_friction_angle(mu: float, yaw: float) -> None:
    block = box("b", (60, 60, 10), pose(0, 0, 5, yaw=yaw), mu)
    found = analyse(scene(block, mu=mu))
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan(mu)), rel=1e-5)
    assert found.push_mode == "slide"
    assert found.push_n == pytest.approx(mu * block.piece.mass * G, rel=1e-5)


@pytest.mark.parametrize("mu", [0.2, 0.35, 0.5])
@pytest.mark.parametrize("way", [0.0, 22.5, 45.0, 100.0])
@pytest.mark.parametrize(("part", "expected"), [(0.999, True), (1.001, False)])
def test_tilted_gravity(mu: float, way: float, part: float, expected: bool) -> None:
    slope, yaw = part * math.atan(mu), math.radians(way)
    gravity = (G * math.sin(slope) * math.cos(yaw), G * math.sin(slope) * math.sin(yaw), -G * math.cos(slope))
    assert stands(scene(box("b", (60, 60, 10), pose(0, 0, 5), mu), mu=mu), gravity=gravity) is expected


@pytest.mark.parametrize(("width", "mode"), [(20.0, "topple"), (90.0, "slide")])
def test_a_push_topples_the_slender_and_slides_the_squat(width: float, mode: str) -> None:
    """F h = W w / 2 about the edge, or F = mu W."""
    block = box("b", (width, width, 60), pose(0, 0, 30), 0.4)
    found = analyse(scene(block))
    assert found.push_mode == mode
    assert found.push_piece == "b"
    assert found.push_n == pytest.approx(block.piece.mass * G * min(width / 2 / 60, 0.4), rel=1e-5)


@pytest.mark.parametrize("count", [1, 8, 24])
def test_a_column_that_tips_as_one_topples_however_tall(count: int) -> None:
    """F H = W w / 2 about the edge of a foot that is narrower than what it carries."""
    foot = box("foot", (15, 15, 30), pose(0, 0, 15), 0.9)
    blocks = [box(f"b{at:02}", (30, 30, 30), pose(0, 0, 45 + 30 * at), 0.9) for at in range(count)]
    found = analyse(scene(foot, *blocks, mu=0.9))
    weight = sum(body.piece.mass for body in (foot, *blocks)) * G
    assert found.push_n == pytest.approx(weight * 7.5 / (30 * (count + 1)), rel=1e-4)
    assert found.push_mode == "topple"


@pytest.mark.parametrize("sides", [3, 5, 6, 9])
def test_a_prism_tips_over_the_side_nearest_its_axis(sides: int) -> None:
    ring = [
        [20 * math.cos(2 * math.pi * k / sides), 20 * math.sin(2 * math.pi * k / sides)] for k in range(sides)
    ]
    height = 120.0
    xs, ys = zip(*ring, strict=True)
    middle = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
    body = Body("p", piece(prism={"points": ring, "height": height}), pose(*middle, height / 2))
    found = analyse(scene(body))
    assert tan(found.tilt_deg) == pytest.approx(20 * math.cos(math.pi / sides) / (height / 2), rel=1e-5)
    # the downhill side is the normal of a side of the polygon
    assert found.tilt_direction_deg is not None
    assert (found.tilt_direction_deg / (180 / sides)) % 2 == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize(("beyond", "expected"), [(-0.01, True), (0.01, False)])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_harmonic_overhang(count: int, beyond: float, expected: bool) -> None:
    blocks = harmonic(count, beyond)
    reach = blocks.bodies[-1].pose.position[0] * 1e3 / 75 + 0.5
    assert reach == pytest.approx(sum(1 / k for k in range(1, count + 1)) / 2, abs=1e-3)
    assert stands(blocks) is expected


@pytest.mark.parametrize(("beyond", "expected"), [(-0.01, True), (0.01, False)])
def test_three_blocks_with_a_counterweight_reach_one_length(beyond: float, expected: bool) -> None:
    places = [(beyond, 0), (37.5 + beyond, 1), (-37.5 + beyond, 1)]
    assert stands(overhang(places)) is expected


@pytest.mark.parametrize(("shift", "expected"), [(-0.005, True), (0.012, False)])
def test_four_blocks_with_counterweights_reach_further(shift: float, expected: bool) -> None:
    """(15 - 4 sqrt 2) / 8 = 1.16789 lengths (Paterson & Zwick 2009): one below, two, one across."""
    places = [(0.02055, 0), (-0.39238, 1), ((15 - 4 * math.sqrt(2)) / 8 - 0.5, 1), (-0.29606, 2)]
    assert stands(overhang([(75 * (x + shift), level) for x, level in places])) is expected


SHAPES: dict[str, dict[str, Any]] = {
    "box": {"box": [40.0, 40.0, 20.0]},
    "cylinder": {"cylinder": [20.0, 20.0]},
    "hexagon": {
        "prism": {"points": [[20, 0], [10, 17], [-10, 17], [-20, 0], [-10, -17], [10, -17]], "height": 20.0}
    },
    "wedge": {"prism": {"points": [[0, 0], [40, 0], [0, 30]], "height": 20.0}},
    "ell": {"polycube": {"cells": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "edge": 20.0}},
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("yaw", [0.0, 17.0, 45.0, 73.0])
def test_a_piece_over_the_edge_falls_when_its_centre_passes_it(name: str, yaw: float) -> None:
    shape = piece(**SHAPES[name])
    for beyond, expected in ((-0.01, True), (0.01, False)):
        centre = pose(0, 0, 10, yaw=yaw).apply(shape.centre_of_mass)[0] * 1e3
        body = Body("b", shape, pose(beyond - centre, 0, 10, yaw=yaw))
        assert stands(Assembly("", (table(size=(500, 500), x=-250), body))) is expected


@pytest.mark.parametrize(
    ("ratio", "expected"), [(0.104, False), (0.106, False), (0.1085, True), (0.111, True)]
)
def test_semicircular_arch(ratio: float, expected: bool) -> None:
    """Thickness over radius 0.1075 (Heyman 1969 for radial cuts); 40 stones come within half a percent."""
    assert stands(arch(40, ratio)) is expected


def test_an_arch_hands_its_weight_down_both_sides() -> None:
    found = analyse(arch(11, 0.15))
    half = [found.loads[f"voussoir.{k:02d}"] for k in range(11)]
    stone = arch(11, 0.15).bodies[1].piece.mass * G
    assert half[:5] == pytest.approx([stone * (4.5 - k) for k in range(5)], rel=1e-6)
    assert half[::-1] == pytest.approx(half, rel=1e-6)
    assert found.needs_friction


@pytest.mark.parametrize("mu", [0.3, 0.4, 0.6])
def test_a_card_tent_stands_up_to_its_angle(mu: float) -> None:
    """Steeper than atan(1 / (2 mu)) from the table; leaning at most atan(2 mu)."""
    limit = math.degrees(math.atan(2 * mu))
    assert stands(card_tent(limit - 0.3, mu))
    assert stands(card_tent(limit + 0.3, mu)) is False
    assert stands(card_tent(limit - 0.3, mu), friction=mu * 0.95) is False
    assert analyse(card_tent(limit - 0.3, mu), margins=False).needs_friction


def test_the_tower() -> None:
    found = analyse(tower(18))
    # over the ends of the bottom row 37.5 / (18 x 7.5); over its side two bricks stay behind
    assert found.tilt_direction_deg is not None
    assert found.tilt_direction_deg % 180 == pytest.approx(90, abs=1e-6)
    assert 1925 / 7275 < tan(found.tilt_deg) < 37.5 / 135
    assert found.weakest in {"brick.51", "brick.52", "brick.53"}
    brick = tower(1).bodies[1].piece.mass * G
    assert found.loads["brick.01"] == pytest.approx(17 * brick, rel=0.5)
    assert sum(found.loads[f"brick.{k:02d}"] for k in range(3)) == pytest.approx(51 * brick, rel=1e-6)


def test_a_pyramid_tips_over_its_face() -> None:
    """15 deep and 13 rows high: the topmost brick and all below it lean alike, so the whole wall tips."""
    found = analyse(pyramid(91), loads=False)
    height = sum((13 - row) * 15 * (row + 0.5) for row in range(13)) / 91
    assert tan(found.tilt_deg) == pytest.approx(7.5 / height, rel=1e-3)


def test_a_wedged_piece_cannot_be_tilted_out() -> None:
    walls = [
        box(f"w{k}", (20, 100, 200) if x else (60, 20, 200), pose(x, y, 100), fixed=True)
        for k, (x, y) in enumerate([(40, 0), (-40, 0), (0, 40), (0, -40)])
    ]
    found = analyse(scene(*walls, box("b", (60, 60, 60), pose(0, 0, 30))))
    assert found.stands
    assert found.tilt_deg == 90
    assert found.push_n is None


@pytest.mark.parametrize(
    ("assembly", "first"),
    [
        (scene(box("up", (40, 40, 40), pose(0, 0, 80))), "up"),
        (scene(box("a", (40, 40, 40), pose(0, 0, 20)), box("b", (40, 40, 40), pose(25, 0, 60))), "b"),
        (Assembly("", (box("b", (40, 40, 40), pose(0, 0, 0)),)), "b"),
    ],
    ids=["floating", "past the edge", "no table"],
)
def test_what_does_not_stand(assembly: Assembly, first: str) -> None:
    found = analyse(assembly)
    assert found.stands is False
    assert found.tilt_deg == 0
    assert found.weakest == first
    assert found.push_n is None
    assert found.mechanism[first][0][2] < 0


def test_nothing_to_fall() -> None:
    assert analyse(Assembly("", (table(),))).tilt_deg == 90


def test_curved_contact_is_not_judged_by_forces_alone() -> None:
    ball = scene(Body("ball", piece(sphere=20.0), pose(0, 0, 20)))
    assert stands(ball) is None
    found = analyse(ball, curves=False)
    assert found.stands is None
    assert found.why == "ball and table touch on a curved surface: a force balance says nothing about rocking"


@pytest.mark.parametrize("friction", [-0.1, math.nan, math.inf])
def test_negative_friction_is_refused(friction: float) -> None:
    with pytest.raises(ValueError, match="it must be zero or more"):
        analyse(tower(1), friction=friction)


def test_no_gravity_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a direction"):
        analyse(tower(1), gravity=(0, 0, 0))


def test_friction_is_the_geometric_mean_of_the_pair() -> None:
    found = analyse(scene(box("b", (60, 60, 10), pose(0, 0, 5), 0.2), mu=0.8))
    assert tan(found.tilt_deg) == pytest.approx(0.4, rel=1e-5)


def test_contacts_may_be_handed_in() -> None:
    assembly = tower(3)
    assert analyse(assembly, contacts=find_contacts(assembly)) == analyse(assembly)


@pytest.mark.parametrize("foot", [4.0, 2.0, 1.0, 0.5])
def test_a_heavy_block_on_light_feet_tips_over_their_outer_edges(foot: float) -> None:
    """Each foot bears up to three million times its weight, and hands on what tips the block."""
    centres = [(30.0, 0.0), (-15.0, math.sqrt(675.0)), (-15.0, -math.sqrt(675.0))]
    feet = [box(f"foot{i}", (foot,) * 3, pose(x, y, foot / 2)) for i, (x, y) in enumerate(centres)]
    found = analyse(scene(*feet, box("block", (100.0, 100.0, 100.0), pose(0, 0, foot + 50))))
    assert found.stands
    assert found.needs_friction is False
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan((15 + foot / 2) / (50 + foot))), rel=1e-4)
    assert found.tilt_direction_deg == pytest.approx(180.0, abs=0.1)
    weight = 1e-3 * 700.0 * G
    for each in feet:
        assert found.loads[each.name] == pytest.approx(weight / 3, rel=1e-6)


def test_what_is_far_too_heavy_for_a_foot_beside_its_middle_still_falls() -> None:
    feet = [
        box(f"foot{i}", (1.0, 1.0, 1.0), pose(x, y, 0.5))
        for i, (x, y) in enumerate([(30, 0), (10, 9), (10, -9)])
    ]
    assert analyse(scene(*feet, box("block", (100.0, 100.0, 100.0), pose(0, 0, 51)))).stands is False


@pytest.mark.parametrize(
    ("aside", "thick", "mode"),
    [(0, 4, "slide"), (10, 4, "slide"), (25, 4, "slide"), (20, 20, "slide"), (0, 200, "topple")],
)
def test_a_push_that_turns_a_slab_on_the_table_topples_nothing(aside: float, thick: float, mode: str) -> None:
    """Its weight lies aside, so that it turns as it slides. Towards +x it would topple at W (30 + aside) / thick."""
    slab = {"id": "a", "shape": {"box": [60, 60, thick]}, "mass": 100, "centre_of_mass": [aside, 0, 0]}
    scene = teeter.build([{**slab, "position": [0, 0, thick / 2]}])
    found = analyse(scene.loaded.assembly)
    assert found.push_mode == mode
    assert found.push_n is not None
    # the surface's bound: towards any side it slides, or topples over the nearer edge
    friction = math.prod(body.piece.material.friction for body in scene.loaded.assembly.bodies) ** 0.5
    assert found.push_n <= 0.1 * GRAVITY * min(friction, (30 - aside) / thick) + 1e-6
