"""Surfaces: closed, with the edges, corners and curves of the real piece; parts convex and full."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from trimeshes import trimesh_of

from teeter.models.build import build, build_mesh
from teeter.models.convex import part_volume
from teeter.models.material import material_named
from teeter.models.piece import Facet, Piece
from teeter.models.spec import parse

BEECH = material_named("beech")
TILT = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
L_OUTLINE = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]]
RING = [[x, y, 0] for x in range(3) for y in range(3) if (x, y) != (1, 1)]
# a floor without one corner, and a tower on its middle: they touch in one point of the upper face
PINCH = [[x, y, 0] for x in range(3) for y in range(3) if (x, y) != (0, 0)] + [[1, 1, 1]]


def made(shape: dict[str, Any]) -> Piece:
    return build(parse({"shape": shape}, "test"))


def imported(mesh: Any, transform: NDArray[np.float64] | None = None, single: bool = False) -> Piece:
    mesh = mesh.copy()
    if transform is not None:
        mesh.apply_transform(transform)
    if single:
        mesh = trimesh.Trimesh(mesh.vertices.astype(np.float32), mesh.faces, process=False)
    return build_mesh(mesh, "node", BEECH)[0]


def tetrahedron() -> trimesh.Trimesh:
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.01
    return trimesh.Trimesh(corners, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]], process=False)


def voussoir() -> Any:
    """A wedge stone of an arch: 10 degrees of a ring of 0.4 to 0.5 m, 0.2 m deep."""
    half = np.radians(5)
    flat = [
        [r * math.sin(a), r * math.cos(a)] for r, a in ((0.4, half), (0.4, -half), (0.5, -half), (0.5, half))
    ]
    corners = [[x, y, z] for z in (-0.1, 0.1) for x, y in flat]
    return trimesh.Trimesh(corners, ConvexHull(corners).simplices).convex_hull


def cylinder(sides: int) -> Any:
    return trimesh.creation.cylinder(radius=0.02, height=0.015, sections=sides)


def half_ball() -> Any:
    return trimesh.creation.icosphere(3, 0.02).slice_plane([0, 0, 0], [0, 0, 1], cap=True)


def stadium() -> Any:
    """A bar with round ends: flat sides run into the curves without an edge."""
    turns = np.linspace(-np.pi / 2, np.pi / 2, 17)
    right = np.c_[0.03 + 0.01 * np.cos(turns), 0.01 * np.sin(turns)]
    corners = np.concatenate(
        [np.c_[side, np.full(34, z)] for z in (0, 0.015) for side in [np.r_[right, -right]]]
    )
    return trimesh.convex.convex_hull(corners)


# made: facets of which curved, edges, corners
AUTHORED: dict[str, tuple[Any, ...]] = {
    "box": ({"box": [75, 25, 15]}, 6, 0, 12, 8),
    "disc": ({"cylinder": [20, 15]}, 146, 144, 288, 0),
    "ball": ({"sphere": 20}, 1280, 1280, 0, 0),
    "wedge": ({"prism": {"points": [[0, 0], [40, 0], [0, 3]], "height": 20}}, 5, 0, 9, 6),
    "L prism": ({"prism": {"points": L_OUTLINE, "height": 16}}, 8, 0, 17, 10),
    "straight corners": (
        {"prism": {"points": [[0, 0], [5, 0], [9, 0], [9, 9], [0, 9]], "height": 4}},
        6,
        0,
        12,
        8,
    ),
    "L cells": ({"polycube": {"cells": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "edge": 16}}, 8, 0, 17, 10),
    "ring": ({"polycube": {"cells": RING, "edge": 16}}, 10, 0, 20, 8),
    "pinch": ({"polycube": {"cells": PINCH, "edge": 16}}, 13, 0, 25, 14),
}
FOREIGN: dict[str, tuple[Any, ...]] = {
    "cube": (trimesh.creation.box([0.02] * 3), 6, 0, 12, 8),
    "cube of many triangles": (
        trimesh.creation.box([0.06, 0.03, 0.015]).subdivide().subdivide(),
        6,
        0,
        12,
        8,
    ),
    "tetrahedron": (tetrahedron(), 4, 0, 6, 4),
    "voussoir": (voussoir(), 6, 0, 12, 8),
    "icosahedron": (trimesh.creation.icosahedron(), 20, 0, 30, 12),
    "twelve sides": (cylinder(12), 14, 0, 36, 24),
    "round pole": (cylinder(32), 34, 32, 64, 0),
    "coarse pole": (cylinder(24), 26, 24, 48, 0),
    "ball": (trimesh.creation.icosphere(3, 0.02), 1280, 1280, 0, 0),
    "globe": (trimesh.creation.uv_sphere(0.02, count=[16, 32]), None, "all", 0, 0),
    "half ball": (half_ball(), None, "all but 1", None, 0),
    "stadium": (stadium(), 36, 32, 68, 0),
}
PIECES = {
    **{name: made(row[0]) for name, row in AUTHORED.items()},
    **{f"foreign {name}": imported(row[0]) for name, row in FOREIGN.items()},
    **{f"tilted {name}": imported(row[0], TILT, single=True) for name, row in FOREIGN.items()},
}
COUNTS = {
    **{name: row[1:] for name, row in AUTHORED.items()},
    **{f"{way} {name}": row[1:] for way in ("foreign", "tilted") for name, row in FOREIGN.items()},
}
every_piece = pytest.mark.parametrize("name", PIECES)


def ring_vector(ring: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0) / 2)


@every_piece
def test_counts(name: str) -> None:
    surface = PIECES[name].surface
    facets, curved, edges, corners = COUNTS[name]
    if facets is not None:
        assert len(surface.facets) == facets
    counts: dict[Any, int] = {"all": len(surface.facets), "all but 1": len(surface.facets) - 1}
    expected = counts.get(curved, curved)
    assert sum(facet.curved for facet in surface.facets) == expected
    if edges is not None:
        assert len(surface.edges) == edges
    assert len(surface.corners) == corners


@every_piece
def test_facets_close_the_surface(name: str) -> None:
    piece = PIECES[name]
    vectors = [np.sum([ring_vector(ring) for ring in facet.rings], axis=0) for facet in piece.surface.facets]
    area = sum(
        float(vector @ facet.normal) for vector, facet in zip(vectors, piece.surface.facets, strict=True)
    )
    assert math.isclose(area, trimesh_of(piece).area, rel_tol=1e-6)
    assert np.abs(np.sum(vectors, axis=0)).max() < 1e-9 * area
    # the divergence theorem: a third of position times area is the volume
    volume = sum(
        float(facet.rings[0][0] @ vector) / 3
        for vector, facet in zip(vectors, piece.surface.facets, strict=True)
    )
    assert math.isclose(volume, trimesh_of(piece).volume, rel_tol=1e-5)


@every_piece
def test_rings_are_planar_the_outline_first(name: str) -> None:
    size = np.linalg.norm(PIECES[name].extents)
    for facet in PIECES[name].surface.facets:
        assert math.isclose(np.linalg.norm(facet.normal), 1)
        for number, ring in enumerate(facet.rings):
            assert np.abs((ring - facet.rings[0][0]) @ facet.normal).max() < 3e-5 * size
            turned = float(ring_vector(ring - ring[0]) @ facet.normal)
            assert turned > 0 if number == 0 else turned < 0


@every_piece
def test_edges_are_convex(name: str) -> None:
    """Just outside an edge nothing of the piece is left; just inside there is."""
    piece = PIECES[name]
    size = float(np.linalg.norm(piece.extents))
    facets = piece.surface.facets
    for edge in piece.surface.edges:
        middle = edge.mean(axis=0)
        meeting = [
            facet
            for facet in facets
            if abs((middle - facet.rings[0][0]) @ facet.normal) < 1e-4 * size
            and any(_on_ring(ring, middle, 1e-4 * size) for ring in facet.rings)
        ]
        assert len(meeting) == 2
        first, second = meeting
        assert not (first.curved and second.curved)
        # on a convex edge each facet lies below the other's plane
        for facet, other in ((first, second), (second, first)):
            inward = np.cross(facet.normal, edge[1] - edge[0])
            inward *= math.copysign(1, _side(facet, edge, inward))
            assert inward @ other.normal < 0


def _on_ring(ring: NDArray[np.float64], point: NDArray[np.float64], tolerance: float) -> bool:
    a, b = ring, np.roll(ring, -1, axis=0)
    along = b - a
    t = np.clip(np.einsum("rd,rd->r", point - a, along) / np.einsum("rd,rd->r", along, along), 0, 1)
    return bool(np.linalg.norm(a + t[:, None] * along - point, axis=1).min() < tolerance)


def _side(facet: Facet, edge: NDArray[np.float64], inward: NDArray[np.float64]) -> float:
    """Positive when `inward` points from the edge into the facet: rings run with the facet on their left."""
    for ring in facet.rings:
        a, b = ring, np.roll(ring, -1, axis=0)
        for start, stop in zip(a, b, strict=True):
            if _on_ring(np.array([start, stop]), edge.mean(axis=0), 1e-4 * math.dist(start, stop)):
                return float(np.cross(facet.normal, stop - start) @ inward)
    raise AssertionError("the edge is no part of the ring")


@every_piece
def test_samples_lie_on_curves_and_not_on_the_rims_of_flat_faces(name: str) -> None:
    surface = PIECES[name].surface
    has_curve = any(facet.curved for facet in surface.facets)
    assert (len(surface.curved) > 0) == has_curve
    for facet in surface.facets:
        if not facet.curved and has_curve:
            off = (surface.curved - facet.rings[0][0]) @ facet.normal
            assert np.abs(off).min() > 1e-5


@every_piece
def test_parts_are_convex_and_fill_the_piece(name: str) -> None:
    piece = PIECES[name]
    for part in piece.parts:
        if part.kind == "hull":
            assert len(ConvexHull(part.vertices).vertices) == len(part.vertices)
    filled = sum(map(part_volume, piece.parts)) / piece.volume
    # of round foreign meshes only the outermost corners are kept
    assert 0.97 < filled < 1 + 1e-6
    if not piece.surface.curved.size or not name.startswith(("foreign", "tilted")):
        assert math.isclose(filled, 1, rel_tol=1e-5)


@every_piece
def test_the_origin_is_the_middle_of_the_bounding_box(name: str) -> None:
    piece = PIECES[name]
    bounds = trimesh_of(piece).bounds
    np.testing.assert_allclose(bounds.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(bounds[1] - bounds[0], piece.extents, rtol=1e-12)


def test_a_hole_that_reaches_the_outline_in_a_corner_stays_apart() -> None:
    (top,) = [
        facet for facet in PIECES["pinch"].surface.facets if facet.normal[2] > 0.9 and len(facet.rings) > 1
    ]
    assert [len(ring) for ring in top.rings] == [6, 4]


def test_a_foreign_cuboid_is_an_exact_box() -> None:
    piece = imported(trimesh.creation.box([0.06, 0.03, 0.015]).subdivide(), TILT, single=True)
    (part,) = piece.parts
    assert part.kind == "box"
    assert part.half_extents is not None
    assert part.rotation is not None
    np.testing.assert_allclose(np.sort(part.half_extents), [0.0075, 0.015, 0.03], rtol=1e-5)
    assert math.isclose(np.linalg.det(part.rotation), 1)


def test_a_straight_concave_prism_is_cut_exactly() -> None:
    piece = imported(trimesh_of(made({"prism": {"points": L_OUTLINE, "height": 16}})), TILT, single=True)
    assert len(piece.parts) == 2
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume, rel_tol=1e-5)
