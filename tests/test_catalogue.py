"""The pieces of the four games: what there is, and that every one is a sound solid with sound convex parts."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from trimeshes import trimesh_of

from teeter.models.bricks import draw
from teeter.models.build import build
from teeter.models.catalogue import catalogue, games
from teeter.models.convex import part_volume
from teeter.models.piece import Detail
from teeter.models.shapes import Arch, Box, Cone, Cylinder, Drilled, Ring, Sphere, Turned
from teeter.models.spec import PieceSpec

Array = NDArray[np.float64]
EVERY = {name: spec for game in games() for name, spec in catalogue(game).items()}
FINE = Detail(outline=288, turn=3.0)
"""Curves drawn so finely that parts may be held against them."""
MARGIN = 0.03
"""mm. Bullet's own margin is 0.02 at this size; discs have the area of the circle, half of a sagitta outside."""
COLOURS = ("red", "yellow", "green", "purple")
CELLS = 5


def tables(game: str) -> dict[str, Any]:
    return tomllib.loads(
        resources.files("teeter.models").joinpath(f"{game}.toml").read_text(encoding="utf-8")
    )


every_piece = pytest.mark.parametrize("name", list(EVERY))


@every_piece
def test_the_picture_is_closed_and_wound_outward(name: str) -> None:
    mesh = trimesh_of(build(EVERY[name]))
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0


@every_piece
def test_mass_and_inertia(name: str) -> None:
    piece = build(EVERY[name].model_copy(update={"bevel": 0.0}))
    density = piece.material.density_kg_m3
    assert piece.mass == pytest.approx(trimesh_of(piece).volume * density, rel=0.01)
    mesh = trimesh.Trimesh(piece.visual.vertices, piece.visual.faces)
    mesh.density = density
    size = np.linalg.norm(piece.extents)
    assert np.abs(mesh.center_mass - piece.centre_of_mass).max() < 2e-3 * size
    moments = np.linalg.eigvalsh(piece.inertia)
    assert np.allclose(np.linalg.eigvalsh(mesh.moment_inertia), moments, rtol=0.015)
    assert moments[0] > 0
    assert moments[0] + moments[1] >= moments[2]


@every_piece
def test_bevels_are_in_the_picture_only(name: str) -> None:
    spec = EVERY[name]
    soft, sharp = build(spec), build(spec.model_copy(update={"bevel": 0.0}))
    assert soft.mass == sharp.mass
    # equal, not the same: what was built long ago may be built again
    assert np.array_equal(soft.surface.corners, sharp.surface.corners)
    assert np.array_equal(soft.surface.edges, sharp.surface.edges)
    assert len(soft.surface.facets) == len(sharp.surface.facets)
    assert all(
        np.array_equal(one.vertices, other.vertices)
        for one, other in zip(soft.parts, sharp.parts, strict=True)
    )
    before, after = trimesh_of(sharp), trimesh_of(soft)
    assert 0.95 * before.volume < after.volume <= before.volume * (1 + 1e-9)
    assert (after.bounds[1] <= before.bounds[1] + 1e-9).all()
    assert (after.bounds[0] >= before.bounds[0] - 1e-9).all()


@every_piece
def test_parts_are_convex_and_cover_the_piece(name: str) -> None:
    piece = build(EVERY[name])
    for part in piece.parts:
        if part.kind == "hull":
            assert len(ConvexHull(part.vertices).vertices) == len(part.vertices)
            assert len(part.vertices) <= 256
    is_turned = isinstance(EVERY[name].shape, (Turned, Cone, Ring, Drilled, Arch))
    covered = sum(map(part_volume, piece.parts)) / piece.volume
    assert (0.97 if is_turned else 0.99) <= covered <= 1 + 1e-6
    # Bullet's URDF reader fails at about 90
    assert len(piece.parts) <= 64


@pytest.mark.parametrize("name", {spec.shape: name for name, spec in EVERY.items()}.values())
@pytest.mark.sampled(6)
def test_parts_lie_inside_the_piece(name: str) -> None:
    spec = EVERY[name].model_copy(update={"bevel": 0.0})
    if isinstance(spec.shape, (Box, Sphere)):
        return
    piece = build(spec, detail=FINE)
    triangles = piece.visual.triangles * 1e3
    rng = np.random.default_rng(1)
    points = []
    for part in piece.parts:
        faces = part.vertices[ConvexHull(part.vertices).simplices]
        points += [part.vertices, np.einsum("fk,fkd->fd", rng.dirichlet([1, 1, 1], len(faces)), faces)]
    sample = np.concatenate(points) * 1e3
    sample = sample[rng.permutation(len(sample))[:100]]
    outside = sample[turns_round(sample, triangles) < 0.5]
    assert max((distance(point, triangles) for point in outside), default=0.0) <= MARGIN


def turns_round(points: Array, triangles: Array) -> Array:
    """How often a closed mesh goes round each point: 1 inside, 0 outside (van Oosterom and Strackee 1983)."""
    found = np.empty(len(points))
    for row, point in enumerate(points):
        a, b, c = np.moveaxis(triangles - point, 1, 0)
        x, y, z = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        dots = [np.einsum("fd,fd->f", first, second) for first, second in ((a, b), (b, c), (c, a))]
        above = np.einsum("fd,fd->f", a, np.cross(b, c))
        found[row] = np.arctan2(above, x * y * z + dots[0] * z + dots[1] * x + dots[2] * y).sum() / (
            2 * np.pi
        )
    return found


def distance(point: Array, triangles: Array) -> float:
    """From a point to a mesh, mm."""
    near = trimesh.triangles.closest_point(triangles, np.repeat(point[None], len(triangles), axis=0))
    return float(np.linalg.norm(near - point, axis=1).min())


# what the rule books say is in the box


def test_ct_01_blocks() -> None:
    """CT-01: seven different shapes in four colours; CT-23: a block is worth its cubes."""
    blocks = {name: spec for name, spec in catalogue("crazy_tower").items() if spec.shape.key() == "polycube"}
    assert Counter(spec.colour for spec in blocks.values()) == dict.fromkeys(COLOURS, 7)
    for colour in COLOURS:
        cells = [spec.shape.polycube.cells for spec in blocks.values() if spec.colour == colour]  # type: ignore[attr-defined]
        assert sorted(map(len, cells)) == [1, 3, 3, 4, 4, 4, 5]
        assert len({min(oriented(each)) for each in cells}) == 7
        assert all(z == 0 for each in cells for _, _, z in each)
    for name, spec in blocks.items():
        shape = spec.shape.polycube  # type: ignore[attr-defined]
        assert spec.value == len(shape.cells)
        assert shape.edge == 16
        assert spec.bevel == 0.5
        assert {part.kind for part in build(spec).parts} == {"box"}, name


def test_ct_02_cards() -> None:
    """CT-02: 21 cards of grey board, three all white, six of each special box, 12 to 16 white boxes on those."""
    cards, pieces = tables("crazy_tower")["card"], catalogue("crazy_tower")
    assert len(cards) == 21
    assert len({tuple(card["boxes"]) for card in cards}) == 19
    kinds: Counter[str] = Counter()
    for card in cards:
        assert build(pieces[f"crazy_tower/{card['id']}"]).extents == pytest.approx([0.085, 0.085, 0.002])
        assert [len(row) for row in card["boxes"]] == [CELLS] * CELLS
        boxes = Counter("".join(card["boxes"]))
        assert set(boxes) <= set(".#-+x")
        special = sum(boxes[mark] for mark in "-+x")
        kinds["".join(mark for mark in "-+x" if boxes[mark]) or "white"] += 1
        assert (boxes["."], special) == (25, 0) or (12 <= boxes["."] <= 16 and special == 1)
    assert kinds == {"white": 3, "-": 6, "+": 6, "x": 6}


@pytest.mark.parametrize("card", tables("crazy_tower")["card"], ids=lambda card: str(card["id"]))
def test_ct_02_a_card_admits_three_blocks(card: dict[str, Any]) -> None:
    """CT-02: three blocks of different shapes lie on it side by side, none on a red box."""
    free = {(x, y) for y, row in enumerate(card["boxes"]) for x, mark in enumerate(row) if mark != "#"}
    shapes = [
        spec.shape.polycube.cells  # type: ignore[attr-defined]
        for spec in catalogue("crazy_tower").values()
        if spec.colour == "red"
    ]
    fits = [placements(cells, free) for cells in shapes]
    assert any(
        not (a & b or a & c or b & c)
        for first, second, third in combinations(fits, 3)
        for a in first
        for b in second
        if not a & b
        for c in third
    )


def oriented(cells: tuple[tuple[int, int, int], ...]) -> set[tuple[tuple[int, int], ...]]:
    """The flat block turned and turned over, each time pushed into the corner."""
    found = set()
    for flip in (1, -1):
        flat = [(flip * x, y) for x, y, _ in cells]
        for _ in range(4):
            flat = [(-y, x) for x, y in flat]
            low = tuple(min(values) for values in zip(*flat, strict=True))
            found.add(tuple(sorted((x - low[0], y - low[1]) for x, y in flat)))
    return found


def placements(
    cells: tuple[tuple[int, int, int], ...], free: set[tuple[int, int]]
) -> list[set[tuple[int, int]]]:
    """Where a block fits on free boxes."""
    moved = [
        {(x + dx, y + dy) for x, y in flat}
        for flat in oriented(cells)
        for dx in range(CELLS)
        for dy in range(CELLS)
    ]
    return [boxes for boxes in moved if boxes <= free]


def test_wk_01_blocks() -> None:
    """WK-01: edges of 30, 38 and 46 mm in three colours; three flat faces, three caps that rise by so much."""
    blocks = catalogue("wonky")
    assert {name.partition("/")[2] for name in blocks} == {block["id"] for block in tables("wonky")["block"]}
    for name, spec in blocks.items():
        high = {"small": 31, "medium": 39.25, "large": 47.5}[name.partition("/")[2].partition("_")[0]]
        piece = build(spec)
        assert piece.extents == pytest.approx([high * 1e-3] * 3)
        assert sum(not facet.curved for facet in piece.surface.facets) == 3
        assert (piece.material.density_kg_m3, spec.bevel) == (650, 2.0)
        assert spec.colour == name.rpartition("_")[2]


def test_wk_02_cards() -> None:
    """WK-02: 54 cards."""
    assert sum(card["count"] for card in tables("wonky")["card"]) == 54


def test_bs_01_pieces() -> None:
    """BS-01: 70 pieces, no two alike but the eight bases; 24 red and smooth, 4 green."""
    pieces = catalogue("bausack")
    assert len(pieces) == 70
    alike = Counter(spec.shape for spec in pieces.values())
    assert sorted(alike.values())[-2:] == [1, 8]
    assert pieces["bausack/base_1"].shape == Box(box=(60, 30, 15))
    red = [spec for spec in pieces.values() if spec.colour == "red"]
    assert len(red) == 24
    assert {spec.material.friction for spec in red} == {0.32}
    assert sum(spec.colour == "green" for spec in pieces.values()) == 4
    assert {spec.material.friction for spec in pieces.values() if spec not in red} == {0.40}
    for spec in pieces.values():
        assert 0.0145 <= max(build(spec).extents) <= 0.0901


@pytest.mark.parametrize(("kind", "count"), [(Cylinder, 8), (Sphere, 1), (Box, 18)])
def test_bs_01_kinds(kind: type, count: int) -> None:
    assert sum(isinstance(spec.shape, kind) for spec in catalogue("bausack").values()) == count


def measures(bricks: tuple[PieceSpec, ...]) -> Array:
    return np.array([[*brick.shape.box, brick.material.density_kg_m3] for brick in bricks])  # type: ignore[attr-defined]


def test_tt_02_bricks() -> None:
    """TT-02: 54 bricks that differ as measured ones do, or all alike."""
    assert len(draw(7)) == len(draw(7, exact=True)) == tables("tower_topple")["tower"]["bricks"] == 54
    assert draw(7) == draw(7) != draw(8)
    assert {brick.model for brick in draw(7, exact=True)} == {"tower_topple/brick"}
    assert len({brick.model for brick in draw(7)}) == 54
    found = measures(tuple(brick for seed in range(30) for brick in draw(seed)))
    # a tapered brick counts with its mean height: 0.07 x sqrt(2 / pi) / 2 = 0.028 lower than its higher end
    assert found.mean(axis=0) == pytest.approx([75.03, 24.91, 14.81, 695], abs=0.03 * 53)
    assert found.mean(axis=0)[:3] == pytest.approx([75.03, 24.91, 14.81], abs=0.03)
    assert found.std(axis=0) == pytest.approx([0.275, 0.22, 0.155, 52], rel=0.1)
    low, high = found.min(axis=0), found.max(axis=0)
    assert (low >= [74.20, 24.20, 14.38, 560]).all()
    assert (high <= [75.85, 25.35, 15.20, 830]).all()


def test_tt_03_prints() -> None:
    """TT-03: two bricks of each colour, 23 printed, 23 plain."""
    data = tables("tower_topple")
    assert {row["colour"]: row["count"] for row in data["paint"]} == dict.fromkeys(
        ("blue", "green", "red", "yellow"), 2
    )
    assert sum(row["count"] for row in data["print"]) == 23
