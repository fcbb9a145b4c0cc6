"""Turned, sawn and swollen shapes: closed forms, profiles, and what wrong ones say."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from trimeshes import trimesh_of

from teeter.models.bevel import _rounded_box, _swollen
from teeter.models.build import build
from teeter.models.builders import build_box
from teeter.models.catalogue import catalogue
from teeter.models.convex import part_volume
from teeter.models.errors import CatalogueError
from teeter.models.outline import bored, trace
from teeter.models.piece import Detail, Piece
from teeter.models.shapes import Box
from teeter.models.spec import parse

DENSITY = 690.0


def made(shape: dict[str, Any], **more: Any) -> Piece:
    return build(parse({"shape": shape, **more}, "test"))


def turned(profile: list[list[Any]], **more: Any) -> Piece:
    return made({"turned": {"profile": profile, **more}})


@pytest.mark.parametrize(
    ("shape", "volume", "height"),
    [
        # volume in mm3; height of the centre of mass over the middle, mm
        ({"cone": [20, 0, 40]}, math.pi * 400 * 40 / 3, -10),
        ({"cone": [0, 20, 40]}, math.pi * 400 * 40 / 3, 10),
        (
            {"cone": [20, 10, 30]},
            math.pi * 30 * (400 + 200 + 100) / 3,
            30 * (400 + 400 + 300) / (4 * 700) - 15,
        ),
        ({"ring": [20, 10, 15]}, math.pi * 300 * 15, 0),
        ({"turned": {"profile": [[0, 0], [12, 0], [12, 30], [0, 30]], "bore": 4}}, math.pi * 128 * 30, 0),
        ({"turned": {"profile": [[0, 0], [20, 0], [0, 20, "round"]]}}, math.pi * 2 / 3 * 8000, 7.5 - 10),
        ({"turned": {"profile": [[0, -20], [0, 20, 20]]}}, math.pi * 4 / 3 * 8000, 0),
        # a napkin ring: a ball of 20 bored by 12 has the volume of a ball of 16
        ({"turned": {"profile": [[0, -20], [0, 20, 20]], "bore": 12}}, math.pi * 4 / 3 * 16**3, 0),
        ({"turned": {"profile": [[16.5, -6], [16.5, 6, 6], [16.5, -6, 6]]}}, 2 * math.pi**2 * 16.5 * 36, 0),
        ({"arch": {"box": [60, 30, 30], "radius": 15}}, 60 * 30 * 30 - math.pi * 225 / 2 * 30, None),
        ({"drilled": {"box": [30, 30, 30], "radius": 8}}, 27000 - math.pi * 64 * 30, 0),
        ({"hull": [[0, 0, 0], [30, 0, 0], [30, 30, 0], [0, 30, 0], [15, 15, 30]]}, 9000, -7.5),
    ],
)
def test_volume_and_centre(shape: dict[str, Any], volume: float, height: float) -> None:
    piece = made(shape)
    assert piece.volume * 1e9 == pytest.approx(volume, rel=2e-4)
    assert piece.mass == pytest.approx(volume * 1e-9 * DENSITY, rel=2e-4)
    if height is not None:
        assert piece.centre_of_mass * 1e3 == pytest.approx([0, 0, height], abs=2e-3)
    assert trimesh_of(piece).volume * 1e9 == pytest.approx(volume, rel=0.01)


def test_inertia_of_a_cone_and_a_ring() -> None:
    mass, r, h = made({"cone": [20, 0, 40]}).mass, 0.02, 0.04
    across = 3 / 20 * mass * r * r + 3 / 80 * mass * h * h
    np.testing.assert_allclose(
        made({"cone": [20, 0, 40]}).inertia,
        np.diag([across, across, 0.3 * mass * r * r]),
        rtol=1e-6,
        atol=1e-15,
    )
    ring = made({"ring": [20, 10, 15]})
    square = 0.02**2 + 0.01**2
    across = ring.mass * (3 * square + 0.015**2) / 12
    np.testing.assert_allclose(
        ring.inertia, np.diag([across, across, ring.mass * square / 2]), rtol=1e-6, atol=1e-15
    )


def test_inertia_of_an_arch_and_a_drilled_block() -> None:
    for shape in (
        {"arch": {"box": [60, 30, 40], "radius": 18}},
        {"drilled": {"box": [60, 40, 15], "radius": 8}},
    ):
        piece = made(shape)
        mesh = trimesh_of(piece)
        mesh.density = DENSITY
        np.testing.assert_allclose(piece.centre_of_mass, mesh.center_mass, atol=1e-5)
        np.testing.assert_allclose(np.diag(piece.inertia), np.diag(mesh.moment_inertia), rtol=2e-3)


def test_surface_of_a_turned_piece() -> None:
    """A cup: two flat undersides no, one; a lip with a hole in it; curves for the rest; rims for edges."""
    surface = turned([[0, 0], [15, 0], [15, 30], [12, 30], [12, 5], [0, 5]]).surface
    flat = [facet for facet in surface.facets if not facet.curved]
    assert sorted((len(facet.rings), round(facet.normal[2])) for facet in flat) == [(1, -1), (1, 1), (2, 1)]
    sides = len(flat[0].rings[0])
    # outer foot, outer lip, inner lip; the bottom of the hollow is a hollow corner
    assert len(surface.edges) == 3 * sides
    assert len(surface.corners) == 0
    area = sum(float(np.linalg.norm(cross_sum(ring))) for facet in surface.facets for ring in facet.rings[:1])
    holes = sum(
        float(np.linalg.norm(cross_sum(ring))) for facet in surface.facets for ring in facet.rings[1:]
    )
    expected = math.pi * (2 * 225 + 2 * 15 * 30 + 2 * 12 * 25)
    assert (area - holes) * 1e6 == pytest.approx(expected, rel=1e-3)


def cross_sum(ring: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0) / 2)


def test_a_hole_is_a_hole() -> None:
    """No part of a ring reaches inside its hole, and tangents touch the hole's circle."""
    for shape, radius in (({"ring": [20, 10, 15]}, 10), ({"drilled": {"box": [30, 30, 30], "radius": 8}}, 8)):
        nearest = []
        for part in made(shape).parts:
            corners = part.vertices[:, :2] * 1e3
            low = corners[np.argsort(np.hypot(*corners.T))[:4]]
            nearest.append(np.linalg.norm(low.mean(axis=0)))
        assert np.array(nearest) == pytest.approx(radius, abs=1e-6)


@pytest.mark.parametrize(
    ("profile", "count"),
    [
        ([[0, 0], [15, 0], [15, 20], [0, 20]], 4),
        ([[0, 0], [15, 18, "round"], [0, 42, "round"]], 4),
        # a foot, a waist, a head: the waist touches nothing and stays whole
        ([[0, 0], [15, 0], [15, 5], [6, 5], [6, 25], [15, 25], [15, 30], [0, 30]], 9),
    ],
)
def test_few_parts(profile: list[list[Any]], count: int) -> None:
    piece = turned(profile)
    assert len(piece.parts) == count
    assert sum(map(part_volume, piece.parts)) == pytest.approx(piece.volume, rel=0.015)


def test_a_profile_draws_nothing_outside_the_wood() -> None:
    steps: Any = ((0.0, 0.0), (15.0, 0.0), (5.0, 20.0, "hollow"), (15.0, 40.0, "hollow"), (0.0, 40.0))
    fine, coarse = trace(steps, 0.5), trace(steps, 12, 22.5)
    for r, z in coarse:
        assert r <= np.interp(z, fine[1:-1, 1], fine[1:-1, 0]) + 1e-9
    assert len(bored(fine, 4.9)) == 1
    assert len(bored(fine, 5.1)) == 2


FAULTS = {
    "unknown builder": ("{ whittled = [1, 2] }", "shape: give exactly one shape of: box,"),
    "zero radius": (
        "{ ring = [10, 0, 5] }",
        "shape.ring[1]: Input should be greater than or equal to 0.01 (got 0)",
    ),
    "no radius at all": ("{ cone = [0, 0, 5] }", "shape.cone: both radii are 0"),
    "on the axis": ("{ turned = { profile = [[0, 0], [0, 9]] } }", "never leaves the axis"),
    "crossing": (
        "{ turned = { profile = [[0, 0], [9, 0], [3, 9], [9, 9], [3, 0.5], [0, 9]] } }",
        "shape.turned.profile: the profile crosses or touches itself near [",
    ),
    "wrong way": ("{ turned = { profile = [[0, 9], [9, 9], [9, 0], [0, 0]] } }", "runs the wrong way round"),
    "negative radius": ("{ turned = { profile = [[0, 0], [-9, 0], [0, 9]] } }", "profile[1]"),
    "steep arc": (
        "{ turned = { profile = [[0, 0], [9, 0], [9, 4, 3], [0, 4]] } }",
        "rises at most half of that",
    ),
    "what is it": ('{ turned = { profile = [[0, 0], [9, 0], [9, 4, "bent"], [0, 4]] } }', "profile[2]"),
    "wide hole": ("{ ring = [10, 12, 5] }", "the hole of radius 12 is wider than its piece (radius 10)"),
    "wide bore": (
        "{ turned = { profile = [[0, 0], [9, 0], [9, 9], [0, 9]], bore = 9 } }",
        "bore: the hole of radius 9 is wider than its piece (radius 9)",
    ),
    "bore cuts": (
        "{ turned = { profile = [[0, 0], [9, 0], [4, 9], [9, 18], [0, 18]], bore = 5 } }",
        "cuts the piece in two",
    ),
    "wide arch": (
        "{ arch = { box = [30, 10, 20], radius = 15 } }",
        "the opening of radius 15 is wider than its piece",
    ),
    "wide drill": (
        "{ drilled = { box = [30, 10, 20], radius = 5 } }",
        "the hole of radius 5 is wider than its piece",
    ),
    "flat hull": ("{ hull = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [9, 9, 0]] }", "lie in one plane"),
    "idle corner": (
        "{ hull = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9], [1, 1, 1]] }",
        "corner 4, [1.0, 1.0, 1.0], is no corner",
    ),
    "steep cap": (
        "{ wonky = { edge = 30, sagitta = 9 } }",
        "a cap rises at most a quarter of the edge, 7.5 (got 9",
    ),
}


def test_all_faults_of_a_catalogue_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    rows = [f'[[piece]]\nid = "{name}"\nshape = {shape}\n' for name, (shape, _) in FAULTS.items()]
    (tmp_path / "models" / "mine.toml").write_text("\n".join(rows))
    with pytest.raises(CatalogueError) as caught:
        catalogue("mine")
    lines = str(caught.value).splitlines()
    for number, (name, (_, message)) in enumerate(FAULTS.items()):
        mine = [line for line in lines if f"piece[{number}]:" in line]
        assert all(line.startswith(str(tmp_path / "models" / "mine.toml")) for line in mine)
        assert any(message in line for line in mine), (name, mine)


def test_bevels_round_edges_and_leave_faces() -> None:
    soft = trimesh_of(made({"box": [60, 30, 15]}, bevel=1.0))
    assert soft.extents == pytest.approx([0.06, 0.03, 0.015])
    corner = np.abs(soft.vertices).sum(axis=1).max()
    # a sphere's corner lies 1 - 1/sqrt(3) of its radius within the cube's, along each axis
    assert corner == pytest.approx(0.0525 - 3 * (1 - 1 / math.sqrt(3)) * 1e-3, abs=1e-6)
    assert re.fullmatch(r"inline/box-[0-9a-f]{8}", made({"box": [60, 30, 15]}, bevel=1.0).model)


@pytest.mark.parametrize(("box", "bevel"), [((75, 25, 15), 0.7), ((30, 30, 30), 1.0), ((100, 20, 5), 2.0)])
def test_a_rounded_box_is_the_hull_of_balls_in_its_corners(
    box: tuple[float, float, float], bevel: float
) -> None:
    """As other convex solids are rounded; the same corners, to the hundredth of a micrometre."""
    solid = build_box(Box(box=box), Detail())
    made = _rounded_box(np.array(box) / 2e3, bevel / 1e3)
    hulled = _swollen(solid, bevel / 1e3)
    assert len(made.vertices) == len(hulled.vertices)
    assert np.all(np.asarray(cKDTree(hulled.vertices).query(made.vertices)[0]) < 1e-8)
    mesh = trimesh.Trimesh(made.vertices, made.faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(trimesh.Trimesh(hulled.vertices, hulled.faces).volume, rel=1e-6)
