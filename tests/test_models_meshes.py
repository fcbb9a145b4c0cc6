"""Foreign meshes: what is refused and how it is said, formats and units, decomposition and its memory."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from models import convex, mesh_files, meshes
from models.build import build, build_mesh
from models.convex import cache_folder, decompose, part_volume
from models.errors import MeshError, MissingExtraError
from models.material import material_named
from models.meshes import checked
from models.piece import MassProperties
from models.spec import parse

BEECH = material_named("beech")


def box(**change: Any) -> trimesh.Trimesh:
    mesh = trimesh.creation.box([0.06, 0.03, 0.015])
    return trimesh.Trimesh(
        change.get("vertices", mesh.vertices), change.get("faces", mesh.faces), process=False
    )


def open_box() -> trimesh.Trimesh:
    return box(faces=box().faces[:-1])


def half_turned_box() -> trimesh.Trimesh:
    faces = box().faces.copy()
    faces[3] = faces[3][::-1]
    return box(faces=faces)


def two_boxes(apart: float, turned: bool = False) -> Any:
    beside = trimesh.creation.box([0.06, 0.03, 0.01 if turned else 0.015])
    beside.apply_translation([apart, 0, 0])
    if turned:
        beside.invert()
    return trimesh.util.concatenate([box(), beside])


def joined(mesh: Any) -> trimesh.Trimesh:
    mesh.merge_vertices()
    loose = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    loose.unmerge_vertices()
    return loose


def flat_box() -> trimesh.Trimesh:
    return box(vertices=box().vertices * [1, 1, 0])


def with_nan() -> trimesh.Trimesh:
    vertices = box().vertices.copy()
    vertices[2, 1] = np.nan
    return box(vertices=vertices)


def angle() -> trimesh.Trimesh:
    """An angle that narrows upwards: concave, and no straight prism."""
    outline = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]]
    mesh = build(parse({"shape": {"prism": {"points": outline, "height": 16}}}, "test")).visual.trimesh()
    narrow = np.where(mesh.vertices[:, 2:] > 0, 0.9, 1.0)
    return trimesh.Trimesh(
        mesh.vertices * np.c_[narrow, narrow, np.ones_like(narrow)], mesh.faces, process=False
    )


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory for decompositions of one's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "teeter" / "convex"


@pytest.fixture
def two_halves(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A decomposition that costs nothing and counts its calls."""
    calls = []

    def halves(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        calls.append(len(faces))
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        middle = (low + high) / 2
        return [
            np.array(trimesh.creation.box(bounds=bounds).vertices)
            for bounds in ([low, [middle[0], *high[1:]]], [[middle[0], *low[1:]], high])
        ]

    monkeypatch.setattr(convex, "_run", halves)
    return calls


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        (trimesh.Trimesh(), "node: the mesh has no triangles"),
        (open_box(), "node: the mesh is not watertight: open 3 edges, one at ["),
        (half_turned_box(), "node: some faces of the mesh are inside out: recalculate its normals outward"),
        (two_boxes(0.06), "node: the mesh is 2 separate bodies: unite them, or give each a mesh of its own"),
        (
            joined(two_boxes(0.06)),
            "node: the mesh is not one solid: more than two faces meet in 4 edges, one",
        ),
        (two_boxes(0.09, turned=True), "node: some faces of the mesh are inside out: recalculate its"),
        (flat_box(), "has no volume: give it thickness"),
        (with_nan(), "node: a coordinate is not a finite number: export the mesh again"),
        (box(vertices=box().vertices * 1e-5), "mm is no size for a piece: check the unit or the scale"),
        (box(vertices=box().vertices * 1e5), "mm is no size for a piece: check the unit or the scale"),
    ],
    ids=lambda value: "" if isinstance(value, trimesh.Trimesh) else value[:40],
)
def test_what_is_no_solid_is_refused(mesh: Any, message: str) -> None:
    with pytest.raises(MeshError, match=re.escape(message)):
        build_mesh(mesh, "node", BEECH)


def test_too_many_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "MAX_TRIANGLES", 11)
    with pytest.raises(MeshError, match="node: 12 triangles are too many: at most 11 a piece"):
        build_mesh(box(), "node", BEECH)


def test_a_mesh_that_is_inside_out_is_turned() -> None:
    piece, _ = build_mesh(box(faces=box().faces[:, ::-1]), "node", BEECH)
    assert math.isclose(piece.volume, 0.06 * 0.03 * 0.015)
    assert piece.visual.trimesh().volume > 0


def test_a_hollow_is_taken_out() -> None:
    inner = trimesh.creation.box([0.04, 0.02, 0.01])
    inner.invert()
    solid: Any = trimesh.util.concatenate([box(), inner])
    assert len(checked(solid.vertices, solid.faces, "node")[0]) == 16
    assert math.isclose(
        MassProperties.of(solid.vertices, solid.faces).volume, 0.06 * 0.03 * 0.015 - 0.04 * 0.02 * 0.01
    )


def test_a_node_is_moved_to_its_middle_and_says_where_that_was() -> None:
    mesh = box()
    mesh.apply_translation([1, 2, 3])
    piece, centre = build_mesh(mesh, "node", BEECH, "red")
    np.testing.assert_allclose(centre, [1, 2, 3])
    np.testing.assert_allclose(piece.visual.vertices + centre, mesh.vertices)
    assert (piece.model, piece.colour, piece.material) == ("node", "#b3282d", BEECH)


def test_split_corners_are_joined() -> None:
    loose = box()
    loose.unmerge_vertices()
    piece, _ = build_mesh(loose, "node", BEECH)
    assert len(piece.surface.facets) == 6
    assert len(piece.visual.vertices) == 8


def test_a_needle_of_a_triangle_does_no_harm() -> None:
    """A corner on an edge of the box, a hair beside it, as careless exports have."""
    mesh = box()
    face = mesh.faces[0]
    a, b = mesh.vertices[face[0]], mesh.vertices[face[1]]
    other = next(k for k, f in enumerate(mesh.faces) if k and {face[0], face[1]} <= set(f))
    third = next(c for c in mesh.faces[other] if c not in (face[0], face[1]))
    new = len(mesh.vertices)
    kept = [f for k, f in enumerate(mesh.faces.tolist()) if k not in (0, other)]
    faces = [*kept, [face[0], face[1], new], [face[1], face[2], new], [face[2], face[0], new]]
    faces.append([face[1], face[0], third])
    mid = (a + b) / 2 + 1e-10 * (mesh.vertices[face[2]] - a)
    piece, _ = build_mesh(box(vertices=np.vstack([mesh.vertices, mid]), faces=faces), "node", BEECH)
    assert len(piece.surface.facets) == 6
    assert len(piece.surface.edges) == 12


def test_a_tetrahedron_weighs_what_the_textbook_says() -> None:
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.01
    mesh = trimesh.Trimesh(corners + 0.5, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]], process=False)
    piece, centre = build_mesh(mesh, "node", BEECH)
    edge = 0.02 * math.sqrt(2)
    mass = 690 * edge**3 / (6 * math.sqrt(2))
    assert math.isclose(piece.mass, mass)
    np.testing.assert_allclose(piece.inertia, np.eye(3) * mass * edge**2 / 20, atol=1e-18)
    np.testing.assert_allclose(piece.centre_of_mass, 0, atol=1e-12)
    np.testing.assert_allclose(centre, 0.5)


def test_the_centre_of_mass_of_a_wedge_is_a_third_up() -> None:
    corners = [[0, 0, 0], [0.06, 0, 0], [0, 0, 0.03], [0, 0.02, 0], [0.06, 0.02, 0], [0, 0.02, 0.03]]
    piece, _ = build_mesh(trimesh.convex.convex_hull(np.array(corners)), "node", BEECH)
    np.testing.assert_allclose(piece.centre_of_mass, [0.02 - 0.03, 0, 0.01 - 0.015], atol=1e-12)


@pytest.mark.parametrize(
    ("suffix", "scale", "size"),
    [
        ("stl", 1, [0.06, 0.03, 0.015]),
        ("obj", 2, [0.12, 0.06, 0.03]),
        ("ply", 1, [0.06, 0.03, 0.015]),
        ("off", 0.5, [0.03, 0.015, 0.0075]),
        ("glb", 0.001, [0.06, 0.015, 0.03]),
        ("3mf", 1, [0.06, 0.03, 0.015]),
    ],
)
def test_formats(tmp_path: Path, suffix: str, scale: float, size: list[float]) -> None:
    """Numbers are mm; glTF is in metres, its y is up."""
    mesh = box(vertices=box().vertices * 1000)
    mesh.export(tmp_path / f"piece.{suffix}")
    spec = parse({"shape": {"mesh": f"piece.{suffix}", "scale": scale}}, "test")
    piece = build(spec, folder=tmp_path)
    np.testing.assert_allclose(piece.extents, size, rtol=1e-6)
    assert [part.kind for part in piece.parts] == ["box"]
    assert build(spec, folder=tmp_path) is piece


def test_a_mesh_file_that_changed_is_read_again(tmp_path: Path) -> None:
    spec = parse({"shape": {"mesh": "piece.stl"}}, "test")
    for size in (10, 20):
        trimesh.creation.box([size] * 3).subdivide_loop(1 if size > 10 else 0).convex_hull.export(
            tmp_path / "piece.stl"
        )
        piece = build(spec, folder=tmp_path)
    assert piece.extents.max() > 0.01


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("none.stl", None, "none.stl: there is no such mesh file"),
        ("piece.dwg", b"", 'piece.dwg: ".dwg" is not a known mesh format: use one of .3mf, .glb'),
        ("empty.stl", b"", "empty.stl: the mesh has no triangles"),
        ("cut.glb", b"glTF\x02\x00\x00\x00", "cut.glb: is not valid glTF"),
        ("words.ply", b"these are words\n", "words.ply: cannot be read as .ply"),
        ("words.obj", b"these are words\n", "words.obj: "),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, contents: bytes | None, message: str) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    with pytest.raises(MeshError, match=re.escape(message)):
        build(parse({"shape": {"mesh": name}}, "test"), folder=tmp_path)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_files, "MAX_BYTES", 10)
    (tmp_path / "big.stl").write_bytes(b"solid" * 9)
    with pytest.raises(MeshError, match=r"big.stl: has .* MB; at most .* MB are read"):
        build(parse({"shape": {"mesh": "big.stl"}}, "test"), folder=tmp_path)


def test_a_concave_mesh_is_decomposed(store: Path) -> None:
    pytest.importorskip("coacd")
    piece, _ = build_mesh(angle(), "angle", BEECH)
    assert len(piece.parts) > 1
    assert all(part.kind in ("hull", "box") for part in piece.parts)
    assert 0.98 < sum(map(part_volume, piece.parts)) / piece.volume < 1.1
    # the underside stays even
    lowest = np.array([part.vertices[:, 2].min() for part in piece.parts])
    assert np.ptp(lowest[lowest < -0.0075]) < 1e-6
    assert len(list(store.glob("*.npz"))) == 1


def test_a_decomposition_is_remembered(store: Path, two_halves: list[int]) -> None:
    mesh = angle()
    first = decompose(mesh.vertices, mesh.faces)
    moved = decompose(mesh.vertices + 1e-10, mesh.faces)
    assert two_halves == [len(mesh.faces)]
    for a, b in zip(first, moved, strict=True):
        np.testing.assert_array_equal(a, b)
    (entry,) = store.iterdir()
    with np.load(entry, allow_pickle=False) as saved:
        np.testing.assert_array_equal(saved["bounds"], [0, 8, 16])
        assert saved["corners"].shape == (16, 3)
    decompose(mesh.vertices * 1.01, mesh.faces)
    assert len(two_halves) == 2


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def _garbage(path: Path) -> None:
    path.write_bytes(b"garbage")


def _pickle(path: Path) -> None:
    np.savez(path, corners=np.array([{}], dtype=object), bounds=np.array([0, 8]))


def _not_finite(path: Path) -> None:
    np.savez(path, corners=np.full((8, 3), np.nan), bounds=np.array([0, 8]))


def _wrong_bounds(path: Path) -> None:
    np.savez(path, corners=np.zeros((8, 3)), bounds=np.array([0, 9]))


def _no_corners(path: Path) -> None:
    np.savez(path, bounds=np.array([0, 8]))


@pytest.mark.parametrize("damage", [_cut, _garbage, _pickle, _not_finite, _wrong_bounds, _no_corners])
def test_a_damaged_entry_is_made_anew(
    store: Path, two_halves: list[int], damage: Callable[[Path], None]
) -> None:
    mesh = angle()
    first = decompose(mesh.vertices, mesh.faces)
    (entry,) = store.iterdir()
    sound = entry.read_bytes()
    damage(entry)
    again = decompose(mesh.vertices, mesh.faces)
    assert len(two_halves) == 2
    np.testing.assert_array_equal(np.concatenate(first), np.concatenate(again))
    assert entry.read_bytes() == sound
    assert list(store.iterdir()) == [entry]


def test_a_folder_that_cannot_be_written_costs_no_piece(store: Path, two_halves: list[int]) -> None:
    store.parent.mkdir(parents=True)
    store.write_text("a file where the folder should be")
    assert len(decompose(angle().vertices, angle().faces)) == 2


def test_the_folder_of_the_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "teeter" / "convex"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "teeter" / "convex"


def test_without_coacd_a_concave_mesh_says_what_to_install(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingExtraError, match=re.escape('pip install "teeter[mesh]"')):
        build_mesh(angle(), "angle", BEECH)


def test_a_gltf_that_a_piece_names_goes_through_the_guarded_reader(tmp_path: Path) -> None:
    head = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "../outside.bin"}],
    }
    (tmp_path / "far.gltf").write_text(json.dumps(head))
    with pytest.raises(MeshError, match=r'far.gltf: refers to "../outside.bin" outside its folder'):
        build(parse({"shape": {"mesh": "far.gltf"}}, "test"), folder=tmp_path)


def test_a_mirrored_node_is_wound_outward_again(tmp_path: Path) -> None:
    mesh = trimesh.creation.box((0.04, 0.02, 0.01))
    scene = trimesh.Scene()
    scene.add_geometry(mesh, transform=np.diag([-1.0, 1.0, 1.0, 1.0]))
    scene.export(tmp_path / "mirrored.glb")
    piece = build(parse({"shape": {"mesh": "mirrored.glb"}}, "test"), folder=tmp_path)
    assert piece.extents * 1e3 == pytest.approx([40, 10, 20], abs=1e-3)
    assert piece.volume == pytest.approx(8e-6, rel=1e-5)
