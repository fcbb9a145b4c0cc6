"""Builders against closed forms: size, mass, centre of mass, inertia, and the convex parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from trimeshes import trimesh_of

from teeter.models.build import build
from teeter.models.convex import merge_cells, part_volume
from teeter.models.errors import ModelError
from teeter.models.material import material_named
from teeter.models.outline import convex_pieces, signed_area, triangulate
from teeter.models.piece import Detail, Piece
from teeter.models.shapes import Box, Sphere
from teeter.models.spec import PieceSpec, parse

DENSITY = 690.0
MM = 1e-3
L_OUTLINE = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]]
STAR = [
    [math.cos(k * math.pi / 5) * (20, 9)[k % 2], math.sin(k * math.pi / 5) * (20, 9)[k % 2]]
    for k in range(10)
]
COMB = [
    [0, 0],
    [50, 0],
    [50, 30],
    [40, 30],
    [40, 10],
    [30, 10],
    [30, 30],
    [20, 30],
    [20, 10],
    [10, 10],
    [10, 30],
    [0, 30],
]
# corners on straight sides, too
TEE = [[0, 0], [10, 0], [20, 0], [20, 10], [30, 10], [30, 20], [15, 20], [-10, 20], [-10, 10], [0, 10]]
I3 = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
L4 = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]]
O4 = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
T4 = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]]
V5 = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 2, 0]]
RING = [[x, y, 0] for x in range(3) for y in range(3) if (x, y) != (1, 1)]
SCREW = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]


def regular(sides: int, radius: float) -> list[tuple[float, float]]:
    return [
        (radius * math.cos(2 * math.pi * k / sides), radius * math.sin(2 * math.pi * k / sides))
        for k in range(sides)
    ]


def made(shape: dict[str, Any], **more: Any) -> Piece:
    return build(parse({"shape": shape, **more}, "test"))


def box_inertia(mass: float, x: float, y: float, z: float) -> NDArray[np.float64]:
    return np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * mass / 12


def prism_bulk(
    points: Sequence[Any], height: float
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass, centre and inertia by Green's theorem over the outline, about the outline's own origin; SI."""
    p = np.array(points) * MM
    q = np.roll(p, -1, axis=0)
    c = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    if c.sum() < 0:
        return prism_bulk(points[::-1], height)
    area = c.sum() / 2
    centre = ((p + q) * c[:, None]).sum(axis=0) / (6 * area)
    xx = (c * (p[:, 0] ** 2 + p[:, 0] * q[:, 0] + q[:, 0] ** 2)).sum() / 12 - area * centre[0] ** 2
    yy = (c * (p[:, 1] ** 2 + p[:, 1] * q[:, 1] + q[:, 1] ** 2)).sum() / 12 - area * centre[1] ** 2
    cross = p[:, 0] * q[:, 1] + 2 * p[:, 0] * p[:, 1] + 2 * q[:, 0] * q[:, 1] + q[:, 0] * p[:, 1]
    xy = (c * cross).sum() / 24 - area * centre[0] * centre[1]
    h = height * MM
    zz = area * h * h / 12
    inertia = np.array([[yy + zz, -xy, 0], [-xy, xx + zz, 0], [0, 0, xx + yy]]) * h * DENSITY
    return area * h * DENSITY, centre, inertia


def cells_bulk(cells: list[list[int]], edge: float) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Mass, centre and inertia as a sum over cubes (parallel axes)."""
    a = edge * MM
    each = DENSITY * a**3
    places = (np.array(cells) + 0.5) * a
    centre = places.mean(axis=0)
    inertia = np.zeros((3, 3))
    for arm in places - centre:
        inertia += each * a * a / 6 * np.eye(3) + each * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return each * len(cells), centre, inertia


def same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())


def test_box() -> None:
    piece = made({"box": [75, 25, 15]})
    mass = DENSITY * 0.075 * 0.025 * 0.015
    assert math.isclose(piece.mass, mass)
    same(piece.inertia, box_inertia(mass, 0.075, 0.025, 0.015))
    assert not piece.centre_of_mass.any()
    (part,) = piece.parts
    assert part.kind == "box"
    same(part.half_extents, [0.0375, 0.0125, 0.0075])
    same(np.ptp(part.vertices, axis=0), piece.extents)


@pytest.mark.parametrize(("radius", "height"), [(20, 15), (5, 90), (40, 2)])
def test_cylinder(radius: float, height: float) -> None:
    piece = made({"cylinder": [radius, height]})
    r, h = radius * MM, height * MM
    mass = DENSITY * math.pi * r * r * h
    assert math.isclose(piece.mass, mass)
    across = mass * (3 * r * r + h * h) / 12
    same(piece.inertia, np.diag([across, across, mass * r * r / 2]))
    same(piece.extents, [2 * r, 2 * r, h])
    assert {part.kind for part in piece.parts} == {"hull"}
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume)


@pytest.mark.parametrize("sectors", [1, 4, 6, 8, 16])
def test_a_disc_is_cut_into_as_many_sectors_as_asked(sectors: int) -> None:
    spec = parse({"shape": {"cylinder": [20, 15]}}, "test")
    piece = build(spec, detail=Detail(sectors=sectors))
    assert len(piece.parts) == sectors
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume)
    rim = np.linalg.norm(np.concatenate([part.vertices for part in piece.parts])[:, :2], axis=1)
    assert rim.max() - 0.02 < 0.02 * 0.001


def test_a_fine_outline_stays_within_a_hundredth_of_a_millimetre() -> None:
    piece = made({"cylinder": [40, 15]})
    (end,) = [facet for facet in piece.surface.facets if facet.normal[2] > 0.9]
    (ring,) = end.rings
    middles = (ring + np.roll(ring, -1, axis=0)) / 2
    assert 0.04 - np.linalg.norm(middles[:, :2], axis=1).min() < 1e-5


def test_sphere() -> None:
    piece = made({"sphere": 20})
    mass = DENSITY * 4 / 3 * math.pi * 0.02**3
    assert math.isclose(piece.mass, mass)
    same(piece.inertia, np.eye(3) * 0.4 * mass * 0.02**2)
    same(piece.extents, [0.04] * 3)
    (part,) = piece.parts
    assert (part.kind, part.radius) == ("sphere", 0.02)


@pytest.mark.parametrize(
    ("points", "pieces"),
    [
        ([[0, 0], [30, 0], [0, 40]], 1),
        (regular(6, 20), 1),
        (regular(5, 12), 1),
        (L_OUTLINE, 2),
        (L_OUTLINE[::-1], 2),
        (COMB, 4),
        (TEE, 2),
        (STAR, 4),
    ],
)
def test_prism(points: Sequence[Any], pieces: int) -> None:
    piece = made({"prism": {"points": points, "height": 16}})
    mass, centre, inertia = prism_bulk(points, 16)
    flat = np.array(points) * MM
    middle = (flat.min(axis=0) + flat.max(axis=0)) / 2
    assert math.isclose(piece.mass, mass)
    same(piece.inertia, inertia)
    np.testing.assert_allclose(piece.centre_of_mass, [*(centre - middle), 0], atol=1e-12)
    same(piece.extents, [*np.ptp(flat, axis=0), 0.016])
    assert len(piece.parts) == pieces
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume)


def test_a_hexagon_by_its_textbook_formula() -> None:
    piece = made({"prism": {"points": regular(6, 20), "height": 10}})
    a, h = 0.02, 0.01
    mass = DENSITY * 1.5 * math.sqrt(3) * a * a * h
    same(piece.inertia, mass * np.diag([5 * a * a / 24 + h * h / 12] * 2 + [5 * a * a / 12]))


@pytest.mark.parametrize(
    ("cells", "boxes"),
    [([[5, -3, 2]], 1), (I3, 1), (O4, 1), (L4, 2), (T4, 2), (V5, 2), (RING, 4), (SCREW, 2)],
)
def test_polycube(cells: list[list[int]], boxes: int) -> None:
    piece = made({"polycube": {"cells": cells, "edge": 16}})
    mass, centre, inertia = cells_bulk(cells, 16)
    low, high = np.min(cells, axis=0) * 0.016, (np.max(cells, axis=0) + 1) * 0.016
    assert math.isclose(piece.mass, mass)
    same(piece.inertia, inertia)
    np.testing.assert_allclose(piece.centre_of_mass, centre - (low + high) / 2, atol=1e-12)
    same(piece.extents, high - low)
    assert [part.kind for part in piece.parts] == ["box"] * boxes
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume)
    same(piece.volume, trimesh_of(piece).volume)


@pytest.mark.parametrize("cells", [I3, L4, T4, V5, RING, SCREW])
def test_merged_cells_cover_each_cell_once(cells: list[Any]) -> None:
    covered = [
        tuple((low + step).astype(int).tolist())
        for low, size in merge_cells(map(tuple, cells))
        for step in np.ndindex(*size.astype(int).tolist())
    ]
    assert sorted(covered) == sorted(map(tuple, cells))


def test_cells_that_touch_along_an_edge_are_refused() -> None:
    # the two ends of this chain of cells meet along one edge only
    cells = [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 2], [1, 1, 2], [1, 1, 1], [1, 1, 0]]
    with pytest.raises(ModelError, match=r"polycube\.cells: some cells touch only along an edge"):
        made({"polycube": {"cells": cells, "edge": 16}})


@pytest.mark.parametrize("points", [L_OUTLINE, COMB, TEE, STAR, regular(7, 3)])
def test_triangles_and_convex_pieces_fill_an_outline(points: Sequence[Any]) -> None:
    points = [(x, y) for x, y in points]
    for loops in (triangulate(points), convex_pieces(points)):
        areas = [signed_area([points[i] for i in loop]) for loop in loops]
        assert min(areas) > 0
        assert math.isclose(sum(areas), signed_area(points))
    for loop in convex_pieces(points):
        turned = [
            signed_area([points[i] for i in (loop[k - 2], loop[k - 1], loop[k])]) for k in range(len(loop))
        ]
        assert min(turned) >= 0


def test_material_and_colour_make_the_mass_and_the_look() -> None:
    shape = {"box": [10, 10, 10]}
    light, heavy = made(shape, material="alder"), made(shape, material={"density": 900, "friction": 0.1})
    assert math.isclose(light.mass, 450e-6)
    assert math.isclose(heavy.mass, 900e-6)
    same(heavy.inertia, light.inertia * 2)
    assert light.surface is heavy.surface
    assert made(shape, colour="red").colour == made(shape, colour="#B3282D").colour == "#b3282d"
    assert light.colour is None


def test_the_same_spec_gives_the_same_piece() -> None:
    spec = PieceSpec(model="a/b", shape=Box(box=(1, 2, 3)), material=material_named("beech"))
    assert build(spec) is build(spec.model_copy())


def test_a_piece_cannot_be_bent() -> None:
    piece = made({"box": [10, 10, 10]})
    for array in (piece.inertia, piece.extents, piece.surface.edges, piece.parts[0].vertices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_ball_is_drawn_as_trimesh_draws_one_to_the_bit() -> None:
    visual = build(PieceSpec(shape=Sphere(sphere=15.0)), detail=Detail(ball=2)).visual
    expected = trimesh.creation.icosphere(subdivisions=2, radius=0.015)
    centred = expected.vertices - (expected.vertices.min(axis=0) + expected.vertices.max(axis=0)) / 2
    assert np.array_equal(visual.faces, expected.faces)
    assert np.array_equal(visual.vertices, centred)
