"""Stable poses beside closed forms and trimesh's; every step of an assembly order."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

import teeter
from teeter.engine.geometry.rotation import matrix_of
from teeter.games.cli import app
from teeter.models.build import build_mesh
from teeter.models.material import material_named
from teeter.models.piece import Array
from teeter.models.stable_poses import stable_poses


def run_teeter(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def poses(shape: dict[str, Any], **more: Any) -> tuple[teeter.PoseResult, ...]:
    return teeter.poses(
        teeter.build([{"id": "a", "shape": shape, "position": [0, 0, 500]} | more], drop=True)
    )


def seen(a: float, b: float, h: float) -> float:
    """Share of the sphere that a rectangle covers whose middle is h away."""
    return math.asin(a * b / math.sqrt((a * a + 4 * h * h) * (b * b + 4 * h * h))) / math.pi


def test_a_box_lies_on_each_of_its_faces() -> None:
    found = poses({"box": [20, 30, 60]})
    assert sum(pose.share for pose in found) == pytest.approx(1)
    sizes = {30.0: (20, 30), 15.0: (20, 60), 10.0: (30, 60)}
    assert len(found) == 6
    for pose in found:
        assert pose.height_mm is not None
        a, b = sizes[round(pose.height_mm, 6)]
        assert pose.margin_deg == pytest.approx(math.degrees(math.atan(a / 2 / pose.height_mm)))
        assert pose.share == pytest.approx(seen(a, b, pose.height_mm))
        assert pose.area_mm2 == pytest.approx(a * b)
        down = np.abs(matrix_of(pose.quaternion) @ (np.array([20, 30, 60]) / 2 * np.eye(3)))
        assert down[2].max() == pytest.approx(pose.height_mm)


def test_a_tetrahedron_lies_on_its_four_faces() -> None:
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.02
    mesh = trimesh.convex.convex_hull(corners)
    found = stable_poses(build_mesh(mesh, "tetrahedron", material_named("beech"))[0])
    assert [pose.share for pose in found] == pytest.approx([0.25] * 4)
    for pose in found:
        assert pose.margin == pytest.approx(math.atan(math.sqrt(2)))


def test_a_cone_stands_on_its_base_and_rolls_on_its_side() -> None:
    """Its centre of mass lies at a quarter of its height."""
    radius, height = 20.0, 40.0
    rolling, base = poses({"cone": [radius, 0, height]})
    assert base.margin_deg == pytest.approx(math.degrees(math.atan(radius / (height / 4))), rel=1e-6)
    assert base.height_mm == pytest.approx(height / 4, rel=1e-3)
    assert base.share == pytest.approx((1 - (height / 4) / math.hypot(height / 4, radius)) / 2, rel=2e-3)
    assert (rolling.margin_deg, rolling.height_mm) == (None, None)
    assert rolling.share == pytest.approx(1 - base.share)


def test_a_cylinder_a_ball_and_a_weighted_box() -> None:
    side, *ends = poses({"cylinder": [20, 60]})
    assert side.margin_deg is None
    for end in ends:
        assert end.margin_deg == pytest.approx(math.degrees(math.atan(20 / 30)), rel=1e-6)
    (ball,) = poses({"sphere": 20})
    assert ball.margin_deg is None
    assert ball.share == pytest.approx(1)
    weighted = poses({"box": [20, 20, 60]}, centre_of_mass=[0, 0, -20])
    upright = next(pose for pose in weighted if pose.height_mm == pytest.approx(10))
    assert upright.margin_deg == pytest.approx(45)
    # the other end: 50 mm high
    assert min(pose.margin_deg or 90 for pose in weighted) == pytest.approx(math.degrees(math.atan(10 / 50)))


def test_an_egg_does_not_stand_on_its_tip() -> None:
    (side,) = teeter.poses("egg_on_tip")
    assert (side.margin_deg, side.height_mm) == (None, None)
    assert side.share == pytest.approx(1)


@pytest.mark.parametrize(
    ("shape", "off", "down"),
    [
        ({"sphere": 20}, (0, 0, -5), (0, 0, -1)),
        ({"sphere": 20}, (3, 4, -5), (3, 4, -5)),
        ({"cylinder": [10, 100]}, (4, 0, 10), (1, 0, 0)),
        ({"cylinder": [10, 100]}, (-3, -4, -10), (-3, -4, 0)),
    ],
)
def test_what_rolls_comes_to_rest_with_its_heavy_side_down(
    shape: dict[str, Any], off: tuple[float, ...], down: tuple[float, ...]
) -> None:
    """A ball's centre of mass is straight below its middle, that of a roller too, its axis level: to 0.01 degrees."""
    rolling = poses(shape, centre_of_mass=list(off))[0]
    assert rolling.margin_deg is None
    assert sunk(matrix_of(rolling.quaternion), np.array(down)) < 0.01


def sunk(rotation: Array, down: Array) -> float:
    """Degrees between a direction of the piece and straight down."""
    turned = rotation @ down
    return math.degrees(math.atan2(np.linalg.norm(turned[:2]), -turned[2]))


@pytest.mark.parametrize("ball", [trimesh.creation.uv_sphere, lambda: trimesh.creation.icosphere(3)])
def test_an_ellipsoid_of_facets_lies_on_its_two_broad_sides(ball: Callable[[], trimesh.Trimesh]) -> None:
    mesh = ball().apply_scale([0.020, 0.012, 0.006])
    turn = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
    for matrix in (np.eye(4), turn):
        beech = material_named("beech")
        found = stable_poses(build_mesh(mesh.copy().apply_transform(matrix), "ellipsoid", beech)[0])
        assert [pose.share for pose in found] == pytest.approx([0.5, 0.5], abs=0.02)
        off = sorted(sunk(pose.rotation, matrix[:3, 2]) for pose in found)
        assert off == pytest.approx([0, 180], abs=0.01)


def test_a_lying_egg_of_facets_rolls_all_round() -> None:
    """Its facets keep 26 places apart; the ellipsoid lies on a circle."""
    mesh = trimesh.creation.icosphere(3).apply_scale([0.020, 0.020, 0.040])
    (found,) = stable_poses(build_mesh(mesh, "egg", material_named("beech"))[0])
    assert found.margin is None
    assert found.share == pytest.approx(1)
    assert sunk(found.rotation, np.array([0.0, 0.0, 1.0])) == pytest.approx(90, abs=0.01)


def test_a_torus_lies_on_a_circle() -> None:
    """Of the radius of its middle line, its centre of mass as high as its tube is thick."""
    found = stable_poses(
        build_mesh(trimesh.creation.torus(0.030, 0.008), "torus", material_named("beech"))[0]
    )
    assert [pose.share for pose in found] == pytest.approx([0.5, 0.5])
    for pose in found:
        assert pose.height == pytest.approx(0.008)
        assert pose.margin == pytest.approx(math.atan(30 / 8), rel=1e-4)


def test_polyhedra_beside_trimesh() -> None:
    rng, beech = np.random.default_rng(5), material_named("beech")
    for _ in range(20):
        mesh = trimesh.convex.convex_hull(rng.normal(size=(12, 3)) * [30, 20, 10])
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
        found = stable_poses(build_mesh(mesh.copy().apply_scale(1e-3), "hull", beech)[0])
        shares = mesh.compute_stable_poses()[1]
        assert [pose.share for pose in found] == pytest.approx(sorted(shares, reverse=True), abs=1e-5)


def test_what_the_margin_says_the_check_says_too() -> None:
    for pose in poses({"prism": {"points": [[0, 0], [50, 0], [0, 30]], "height": 40}}):
        assert pose.margin_deg is not None
        turn = list(pose.rotation_deg)
        piece = {"id": "a", "shape": {"prism": {"points": [[0, 0], [50, 0], [0, 30]], "height": 40}}}
        found = teeter.check(
            teeter.build([piece | {"rotation": turn, "position": [0, 0]}]), friction=3, workers=1
        )
        assert found.statics.tilt_deg == pytest.approx(pose.margin_deg, rel=1e-5)


def test_poses_by_the_command() -> None:
    code, out, _ = run_teeter("poses", "bridge", "--piece", "deck", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["piece"], len(told["poses"])) == ("deck", 6)
    assert "69.44 degrees" in run_teeter("poses", "bridge", "--piece", "deck")[1]
    code, _, err = run_teeter("poses", "bridge")
    assert code == 2
    assert "bridge has 3 pieces: name one with --piece" in err


def test_the_first_step_that_falls_is_the_last_one_told() -> None:
    code, out, _ = run_teeter("check", "bridge", "--steps", "--order", "pier,deck,counterweight", "--json")
    told = json.loads(out)
    assert code == 1
    assert (told["falls_at"], told["total"]) == (2, 3)
    assert [step["verdict"] for step in told["steps"]] == ["stands", "topples"]
    assert any("deck tips over the edge at x = 20.0 mm of pier" in line for line in told["sentences"])
    code, out, _ = run_teeter("check", "two_bricks", "--steps")
    assert code == 0
    assert "It stands after every step, least firmly after step" in " ".join(out.split())


def test_what_hangs_in_the_air_falls_in_its_step() -> None:
    found = teeter.steps("bridge", ["deck", "pier", "counterweight"], workers=1)
    assert not found.stands
    assert found.steps[-1].piece == "deck"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--steps", "--order", "pier,deck"), "the order leaves out counterweight"),
        (
            ("--steps", "--order", "pier,deck,dock,counterweight"),
            "there is no piece 'dock'; did you mean 'deck'?",
        ),
        (("--steps", "--order", "pier,deck,deck,counterweight"), "the order names a piece twice"),
        (("--order", "pier"), "give --steps too"),
        (("--steps", "--noise", "1", "--explain"), "leave out --explain, --noise"),
    ],
)
def test_orders_that_are_none(words: tuple[str, ...], told: str) -> None:
    code, _, err = run_teeter("check", "bridge", *words)
    assert code == 2
    assert told in err
