"""Overlap, drop placement and faces to rest on, against closed forms."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
import trimesh
from numpy.typing import NDArray

from teeter.engine.geometry.convex import (
    ConvexSolid,
    bounds_of,
    deepest,
    depth,
    overlap,
    solids_at,
)
from teeter.engine.geometry.drop import drop, resting_faces, tipping_angle
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.judge.places import bounds
from teeter.models.build import build, build_mesh
from teeter.models.material import material_named
from teeter.models.shapes import Box, Cells, Cylinder, Polycube, Sphere
from teeter.models.spec import PieceSpec


def at(x: float, y: float, z: float, roll: float = 0, pitch: float = 0, yaw: float = 0) -> Pose:
    """A pose in mm and degrees."""
    turn = quaternion_of_rpy(*(math.radians(angle) for angle in (roll, pitch, yaw)))
    return Pose((x / 1e3, y / 1e3, z / 1e3), turn)


def one(shape: Any, pose: Pose) -> tuple[ConvexSolid, ...]:
    return solids_at(build(PieceSpec(shape=shape)), pose)


def box(size: tuple[float, float, float], pose: Pose) -> ConvexSolid:
    return one(Box(box=size), pose)[0]


def ball(radius: float, pose: Pose) -> ConvexSolid:
    return one(Sphere(sphere=radius), pose)[0]


def as_hull(solid: ConvexSolid) -> ConvexSolid:
    """The same box, measured as any other polytope is."""
    return replace(solid, axes=None, half=None)


CUBE = (40.0, 40.0, 40.0)
OVERLAPS = [
    ("boxes end to end", box(CUBE, at(0, 0, 0)), box(CUBE, at(39, 3, 5)), 1.0),
    (
        "a box on its corner edge",
        box(CUBE, at(0, 0, 0, yaw=45)),
        box(CUBE, at(45, 0, 0)),
        20 * math.sqrt(2) - 25,
    ),
    (
        "edge across edge",
        box(CUBE, at(0, 0, 0, roll=45)),
        box(CUBE, at(0, 0, 55, pitch=45)),
        40 * math.sqrt(2) - 55,
    ),
    ("balls", ball(20, at(0, 0, 0)), ball(30, at(30, 0, 20)), 50 - math.hypot(30, 20)),
    ("a ball on a face", ball(20, at(0, 3, 35)), box(CUBE, at(0, 0, 0)), 5.0),
    ("a ball on an edge", ball(20, at(30, 0, 30)), box(CUBE, at(0, 0, 0)), 20 - math.sqrt(200)),
    ("a ball on a corner", ball(20, at(30, 30, 30)), box(CUBE, at(0, 0, 0)), 20 - math.sqrt(300)),
    ("a ball within", ball(5, at(0, 0, 12)), box(CUBE, at(0, 0, 0)), 13.0),
    ("a small box within", box((2, 2, 2), at(0, 15, 0)), box(CUBE, at(0, 0, 0)), 6.0),
    ("touching", box(CUBE, at(0, 0, 0, yaw=30)), box(CUBE, at(0, 0, 40)), 0.0),
    ("apart", ball(20, at(0, 0, 0)), box(CUBE, at(60, 0, 0, yaw=10)), 0.0),
]


@pytest.mark.parametrize(
    ("first", "second", "mm"), [row[1:] for row in OVERLAPS], ids=[row[0] for row in OVERLAPS]
)
def test_overlap_is_the_closed_form_whichever_way_it_is_measured(
    first: ConvexSolid, second: ConvexSolid, mm: float
) -> None:
    ways = itertools.product((first, as_hull(first)), (second, as_hull(second)))
    depths = [depth(*pair) for pair in ways] + [depth(second, first)]
    assert depths == pytest.approx([mm / 1e3] * 5, abs=2e-7)


def test_overlap_of_boxes_agrees_between_separating_axes_and_expanding_polytope() -> None:
    draw = np.random.default_rng(1)
    for _ in range(60):
        poses = [at(*draw.uniform(-30, 30, 3), *draw.uniform(-180, 180, 3)) for _ in range(2)]
        first, second = (box(tuple(draw.uniform(10, 80, 3)), pose) for pose in poses)
        assert depth(as_hull(first), as_hull(second)) == pytest.approx(depth(first, second), abs=2e-7)


def test_a_shallow_overlap_is_only_bounded() -> None:
    first, second = as_hull(box(CUBE, at(0, 0, 0))), as_hull(box(CUBE, at(0, 0, 39.9)))
    assert 0 <= depth(first, second, ignore=2e-4) <= 2e-4


def test_overlap_of_pieces_is_that_of_their_deepest_parts() -> None:
    angle = one(Polycube(polycube=Cells(cells=((0, 0, 0), (1, 0, 0), (0, 0, 1)), edge=20.0)), at(0, 0, 0))
    assert len(angle) > 1
    slab = one(Box(box=(20, 20, 20)), at(10, 0, 8))
    assert deepest(angle, slab) == pytest.approx(2e-3, abs=2e-7)


ABOVE = 500.0
DROPS = [
    ("face on face", box(CUBE, at(0, 0, ABOVE)), box(CUBE, at(0, 0, 0)), 40.0),
    ("overhanging", box(CUBE, at(39, 0, ABOVE)), box(CUBE, at(0, 0, 0)), 40.0),
    ("the same box turned", box(CUBE, at(0, 0, ABOVE, yaw=45)), box(CUBE, at(0, 0, 0)), 40.0),
    ("edge on face", box(CUBE, at(0, 0, ABOVE, roll=45)), box(CUBE, at(0, 0, 0)), 20 + 20 * math.sqrt(2)),
    (
        "edge across edge",
        box(CUBE, at(0, 0, ABOVE, roll=45)),
        box(CUBE, at(0, 0, 0, pitch=45)),
        40 * math.sqrt(2),
    ),
    (
        "corner on face",
        box(CUBE, at(0, 0, ABOVE, roll=45, pitch=math.degrees(math.atan(1 / math.sqrt(2))))),
        box((90, 90, 40), at(0, 0, 0)),
        20 + 20 * math.sqrt(3),
    ),
    ("box on slope", box(CUBE, at(0, 0, ABOVE)), box((400, 90, 20), at(0, 0, 0, pitch=30)), None),
    ("ball on face", ball(20, at(5, 0, ABOVE)), box(CUBE, at(0, 0, 0)), 40.0),
    ("ball on edge", ball(20, at(30, 0, ABOVE)), box(CUBE, at(0, 0, 0)), 20 + math.sqrt(400 - 100)),
    ("ball on corner", ball(20, at(25, 25, ABOVE)), box(CUBE, at(0, 0, 0)), 20 + math.sqrt(400 - 50)),
    ("ball on slope", ball(20, at(0, 0, ABOVE)), box((400, 90, 20), at(0, 0, 0, pitch=60)), (10 + 20) / 0.5),
    ("edge on ball", box(CUBE, at(30, 0, ABOVE)), ball(20, at(0, 0, 0)), 20 + math.sqrt(400 - 100)),
    ("face on ball", box(CUBE, at(10, 0, ABOVE)), ball(20, at(0, 0, 0)), 40.0),
    ("ball on ball", ball(20, at(12, 16, ABOVE)), ball(30, at(0, 0, 0)), math.sqrt(2500 - 400)),
]


@pytest.mark.parametrize(
    ("upper", "lower", "height"), [row[1:] for row in DROPS], ids=[row[0] for row in DROPS]
)
def test_letdown_stops_at_the_closed_form(
    upper: ConvexSolid, lower: ConvexSolid, height: float | None
) -> None:
    if height is None:
        # the slab's top lies 10/cos(30) over its middle; the box meets it with the uphill lower edge
        height = 10 / math.cos(math.radians(30)) + 20 * math.tan(math.radians(30)) + 20
    fall = drop([upper], [lower])
    assert fall is not None
    assert ABOVE - fall * 1e3 == pytest.approx(height, abs=1e-9)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (box(CUBE, at(40, 0, ABOVE)), box(CUBE, at(0, 0, 0))),
        (box(CUBE, at(39.99, 0, ABOVE)), box(CUBE, at(0, 0, 0))),
        (box(CUBE, at(41, 0, ABOVE, yaw=0)), box(CUBE, at(0, 0, 0))),
        (box(CUBE, at(38, 38, ABOVE, yaw=45)), box(CUBE, at(0, 0, 0))),
        (ball(20, at(40, 0, ABOVE)), ball(20, at(0, 0, 0))),
        (ball(20, at(34.2, 34.2, ABOVE)), box(CUBE, at(0, 0, 0))),
    ],
)
def test_what_lies_beside_is_passed(upper: ConvexSolid, lower: ConvexSolid) -> None:
    assert drop([upper], [lower]) is None
    assert drop([lower], [upper]) is None


def test_letdown_agrees_with_rays_through_both_boxes() -> None:
    draw = np.random.default_rng(2)
    compared = 0
    for _ in range(60):
        upper = box(
            tuple(draw.uniform(10, 80, 3)),
            at(*map(float, (*draw.uniform(-30, 30, 2), ABOVE, *draw.uniform(0, 360, 3)))),
        )
        lower = box(
            tuple(draw.uniform(10, 80, 3)),
            at(*map(float, (*draw.uniform(-30, 30, 2), 0, *draw.uniform(0, 360, 3)))),
        )
        fall, seen = drop([upper], [lower]), _by_rays(upper, lower)
        if fall is not None and seen is not None:
            compared += 1
            assert fall <= seen + 1e-9
            assert fall == pytest.approx(seen, abs=3e-3)
    assert compared > 30


def _by_rays(upper: ConvexSolid, lower: ConvexSolid, count: int = 80) -> float | None:
    low, high = np.maximum(upper.low, lower.low), np.minimum(upper.high, lower.high)
    grid = np.stack(np.meshgrid(*(np.linspace(low[axis], high[axis], count) for axis in (0, 1))), -1).reshape(
        -1, 2
    )
    (bottom, over), (under, top) = _span(upper, grid), _span(lower, grid)
    both = (bottom <= over) & (under <= top)
    return float((bottom - top)[both].min()) if both.any() else None


def _span(solid: ConvexSolid, grid: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    free = (solid.offsets - grid @ solid.normals[:, :2].T) / solid.normals[:, 2]
    up = solid.normals[:, 2] > 0
    return free[:, ~up].max(axis=1), free[:, up].min(axis=1)


def test_concave_meshes_are_measured_on_their_surfaces() -> None:
    ring = trimesh.creation.annulus(0.02, 0.04, 0.02, sections=24)
    piece, _ = build_mesh(ring, "ring", material_named("beech"))
    peg = build(PieceSpec(shape=Cylinder(cylinder=(19.0, 60.0))))
    around = Body("ring", piece, Pose((0.0, 0.0, 0.0)))
    assert overlap(around, Body("peg", peg, at(0, 0, 0))) == 0.0
    assert overlap(around, Body("peg", peg, at(3, 0, 0))) == pytest.approx(2e-3, abs=3e-4)


def test_wood_that_no_part_holds_counts_when_overlaps_are_measured() -> None:
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.02)
    block = trimesh.creation.box([0.06, 0.06, 0.03])
    block.apply_translation([0, 0, -0.015])
    bowl, centre = build_mesh(trimesh.boolean.difference([block, ball]), "bowl", material_named("beech"))
    around = Body("bowl", bowl, Pose(tuple(centre)))
    inside, _ = build_mesh(ball, "ball", material_named("beech"))
    assert overlap(around, Body("ball", inside, at(0, 0, 0))) < 1e-6
    # pressed in, it meets the wood beside the tangents first
    assert overlap(around, Body("ball", inside, at(0, 0, -0.4))) == pytest.approx(4e-4, rel=0.1)


@pytest.mark.parametrize(
    ("shape", "lowest_mm", "degrees"),
    [
        (Box(box=(60, 40, 20)), 10.0, math.degrees(math.atan(20 / 10))),
        (Cylinder(cylinder=(20, 80)), 20.0, None),
        (Box(box=(10, 10, 100)), 5.0, 45.0),
    ],
)
def test_faces_to_rest_on_come_with_the_nearest_to_the_centre_first(
    shape: Any, lowest_mm: float, degrees: float | None
) -> None:
    faces = resting_faces(build(PieceSpec(shape=shape)))
    assert faces[0].height * 1e3 == pytest.approx(lowest_mm, rel=1e-2)
    assert np.all(np.diff([round(face.height, 6) for face in faces]) >= 0)
    for face in faces:
        assert np.allclose(face.rotation @ face.normal, [0, 0, -1], atol=1e-5)
    if degrees is not None:
        assert faces[0].tipping_angle() == pytest.approx(degrees)


@pytest.mark.parametrize(
    "shape",
    [Box(box=(60, 40, 20)), Cylinder(cylinder=(20, 80)), Sphere(sphere=15)],
    ids=["box", "pole", "ball"],
)
def test_the_bounds_of_a_piece_are_those_of_its_solids(shape: Any) -> None:
    pose, piece = at(10, -20, 30, 15, 40, 70), build(PieceSpec(shape=shape))
    for found, expected in zip(bounds(piece, pose), bounds_of(solids_at(piece, pose)), strict=True):
        assert np.array_equal(found, expected)


def test_a_piece_that_is_not_over_its_foot_has_no_tipping_angle() -> None:
    foot = shapely.box(-20, -20, 20, 20)
    assert tipping_angle(foot, shapely.Point(0, 0), 20) == pytest.approx(45)
    assert tipping_angle(foot, shapely.Point(10, 0), 10) == pytest.approx(45)
    assert tipping_angle(foot, shapely.Point(30, 0), 10) == 0
    assert tipping_angle(shapely.LineString([(-1, 0), (1, 0)]), shapely.Point(0, 0), 10) == 0
    assert tipping_angle(shapely.Polygon(), shapely.Point(0, 0), 10) == 0
