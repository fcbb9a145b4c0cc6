"""Foreign meshes: what is refused and how it is said, formats and units, decomposition and its memory."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from trimeshes import trimesh_of

from teeter.models import mesh_node, meshes
from teeter.models.build import build, build_mesh
from teeter.models.convex import decompose, part_volume
from teeter.models.errors import MeshError, MeshFileError
from teeter.models.material import material_named
from teeter.models.mesh_files import read_nodes
from teeter.models.meshes import checked
from teeter.models.piece import MassProperties
from teeter.models.spec import parse

BEECH = material_named("beech")


def box(**change: Any) -> trimesh.Trimesh:
    mesh = trimesh.creation.box([0.06, 0.03, 0.015])
    return trimesh.Trimesh(
        change.get("vertices", mesh.vertices), change.get("faces", mesh.faces), process=False
    )


def open_box() -> trimesh.Trimesh:
    return box(faces=box().faces[:-2])


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
    mesh = trimesh_of(build(parse({"shape": {"prism": {"points": outline, "height": 16}}}, "test")))
    narrow = np.where(mesh.vertices[:, 2:] > 0, 0.9, 1.0)
    return trimesh.Trimesh(
        mesh.vertices * np.c_[narrow, narrow, np.ones_like(narrow)], mesh.faces, process=False
    )


def equal_boxes() -> Any:
    """Side by side, the second inside out."""
    other = box()
    other.apply_translation([0.09, 0.0, 0.0])
    other.invert()
    return trimesh.util.concatenate([box(), other])


def thin_box() -> Any:
    """With a hollow that leaves walls of a millionth of it."""
    hollow = box(vertices=box().vertices * (1 - 1e-9))
    hollow.invert()
    return trimesh.util.concatenate([box(), hollow])


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        (trimesh.Trimesh(), "node: the mesh has no triangles"),
        (open_box(), "node: the mesh is not watertight: open 4 edges, one at ["),
        (two_boxes(0.06), "node: the mesh is 2 separate bodies: unite them, or give each a mesh of its own"),
        (
            joined(two_boxes(0.06)),
            "node: the mesh is not one solid: more than two faces meet in 4 edges, one",
        ),
        (two_boxes(0.09, turned=True), "node: some faces of the mesh are inside out: recalculate its"),
        (equal_boxes(), "node: some faces of the mesh are inside out: recalculate its"),
        (thin_box(), "has no volume: give it thickness"),
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


@pytest.mark.parametrize(
    "mesh", [half_turned_box(), box(faces=box().faces[1:]), box(faces=box().faces[[*range(12), 3]])]
)
def test_what_leaves_the_solid_as_it_is_is_mended(mesh: trimesh.Trimesh) -> None:
    piece, _ = build_mesh(mesh, "node", BEECH)
    assert math.isclose(piece.volume, 0.06 * 0.03 * 0.015)
    assert [part.kind for part in piece.parts] == ["box"]


def test_too_many_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "MAX_TRIANGLES", 11)
    with pytest.raises(MeshError, match="node: 12 triangles are too many: at most 11 a piece"):
        build_mesh(box(), "node", BEECH)


def test_a_mesh_that_is_inside_out_is_turned() -> None:
    piece, _ = build_mesh(box(faces=box().faces[:, ::-1]), "node", BEECH)
    assert math.isclose(piece.volume, 0.06 * 0.03 * 0.015)
    assert trimesh_of(piece).volume > 0


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
        ("piece.dwg", b"", 'piece.dwg: ".dwg" is not a known mesh format: export it from the CAD program'),
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
    monkeypatch.setattr(mesh_node, "MAX_BYTES", 10)
    (tmp_path / "big.stl").write_bytes(b"solid" * 9)
    with pytest.raises(MeshError, match=r"big.stl: has .* MB; at most .* MB are read"):
        build(parse({"shape": {"mesh": "big.stl"}}, "test"), folder=tmp_path)


def test_a_concave_mesh_is_cut_exactly_at_its_inward_corners() -> None:
    piece, _ = build_mesh(angle(), "angle", BEECH)
    assert len(piece.parts) == 2
    assert math.isclose(sum(map(part_volume, piece.parts)), piece.volume, rel_tol=1e-6)


def bowl() -> trimesh.Trimesh:
    """A block with a deep round hollow in its top, 60 mm wide."""
    hollow = trimesh.creation.icosphere(subdivisions=3, radius=0.02)
    hollow.apply_translation([0, 0, 0.015])
    left: trimesh.Trimesh = trimesh.boolean.difference([trimesh.creation.box([0.06, 0.06, 0.03]), hollow])
    return left


def test_parts_of_a_hollow_curve_lie_inside_the_wood() -> None:
    mesh = bowl()
    piece, centre = build_mesh(mesh, "bowl", BEECH)
    assert len(piece.parts) <= 64
    assert 0.97 < sum(map(part_volume, piece.parts)) / piece.volume < 1
    ball = np.linalg.norm(mesh.vertices - [0, 0, 0.015], axis=1).min()
    for part in piece.parts:
        # how far in front of one of its planes the middle of the hollow lies
        planes = ConvexHull(part.vertices + centre).equations
        assert (planes[:, :3] @ [0, 0, 0.015] + planes[:, 3]).max() > ball - 3e-4


@pytest.mark.parametrize(
    ("wall", "height", "sections"), [(1.0, 20.0, 64), (4.0, 4.0, 64), (2.0, 30.0, 128), (0.4, 20, 64)]
)
def test_a_thin_wall_that_is_bent_keeps_its_wood(wall: float, height: float, sections: int) -> None:
    """A tangent to its inner side would leave a sliver of it."""
    ring = trimesh.creation.annulus((50 - wall) / 1e3, 0.05, height / 1e3, sections=sections)
    piece, _ = build_mesh(ring, "ring", BEECH)
    corners = np.concatenate([part.vertices for part in piece.parts])
    assert 0.8 < sum(map(part_volume, piece.parts)) / piece.volume < 1
    np.testing.assert_allclose(np.ptp(corners, axis=0), [0.1, 0.1, height / 1e3], rtol=1e-3)


@pytest.mark.parametrize("radius", [10.0, 5.0])
def test_a_hole_is_not_filled_in_a_file_of_32_bits(radius: float) -> None:
    """Rounded corners make slivers, whose normals are noise."""
    bangle = trimesh.creation.torus(40, radius)
    bangle.vertices = bangle.vertices.astype(np.float32) / 1e3
    piece, _ = build_mesh(bangle, "bangle", BEECH)
    assert 0.8 < sum(map(part_volume, piece.parts)) / piece.volume < 1
    for part in piece.parts:
        planes = ConvexHull(part.vertices).equations
        assert planes[:, 3].max() > 0, "the middle is open"


def test_the_flat_floor_of_a_round_bowl_is_where_it_is_given() -> None:
    """Its edge turns by a few degrees only, as a curve does; what lies in the bowl lies on the floor."""
    angles = np.linspace(0, np.pi / 2, 13)
    line = [(0.02 + 0.037 * np.sin(a), 0.04 - 0.037 * np.cos(a)) for a in angles]
    around = [
        (0.0, 0.0),
        (0.02, 0.0),
        *((0.02 + 0.04 * np.sin(a), 0.04 - 0.04 * np.cos(a)) for a in angles[1:]),
    ]
    round_bowl = trimesh.creation.revolve([*around, *line[::-1], (0.0, 0.003)], sections=32)
    piece, centre = build_mesh(round_bowl, "bowl", BEECH)
    tops = []
    for part in piece.parts:
        *_, up, height = ConvexHull(part.vertices + centre).equations.T
        top, low = min(-height[up > 0.1] / up[up > 0.1]), max(-height[up < -0.1] / up[up < -0.1])
        level = ConvexHull(part.vertices + centre).equations[np.abs(up) <= 0.1]
        if top > low and (level[:, 3] <= 0).all():
            tops.append(top)
    assert max(tops) == pytest.approx(0.003, abs=2e-6)


def test_walls_too_thin_for_convex_parts_are_refused_and_a_cavity_is_not_cut_out() -> None:
    outer, inner = (trimesh.creation.icosphere(3, radius) for radius in (0.04, 0.0394))
    ball = trimesh.boolean.difference([outer, inner])
    piece, _ = build_mesh(ball, "ball", BEECH)
    assert len(piece.parts) == 1, "nothing gets in there"
    assert piece.volume == pytest.approx(outer.volume - inner.volume)
    above = trimesh.creation.box(
        [0.2, 0.2, 0.2], transform=trimesh.transformations.translation_matrix([0, 0, 0.1])
    )
    with pytest.raises(MeshError, match="cup: its walls are too thin for their curves: .* hold .* % of it"):
        build_mesh(trimesh.boolean.difference([ball, above]), "cup", BEECH)


def test_a_decomposition_is_the_same_every_time() -> None:
    mesh = bowl()
    first, again = (decompose(np.array(mesh.vertices), np.array(mesh.faces)) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


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


def test_an_obj_that_counts_back_names_the_corners_that_were_read_until_then(tmp_path: Path) -> None:
    """Two boxes that meet, and a curve after them; as some programs write them, and by numbers from the start."""

    def corners(x: float, z: float) -> str:
        spots = [(x + a, b, z + c) for c in (0, 20) for a, b in ((0, 0), (40, 0), (40, 40), (0, 40))]
        return "".join(f"v {a} {b} {c}\n" for a, b, c in spots)

    faces = [
        (-8, -5, -6, -7),
        (-4, -3, -2, -1),
        (-8, -7, -3, -4),
        (-7, -6, -2, -3),
        (-6, -5, -1, -2),
        (-5, -8, -4, -1),
    ]

    def file(name: str, first: tuple[int, int]) -> Path:
        text = ""
        for part, shift, x, z in (("low", first[0], 0, 0), ("up", first[1], 21, 20)):
            text += f"o {part}\n" + corners(x, z)
            text += "".join(
                "f " + " ".join(str(at + shift) for at in face) + "  # a face\n" for face in faces
            )
        (tmp_path / name).write_text(text + "o guide\n" + corners(19, 20) + "l -8 -7 -6\n")
        return tmp_path / name

    back, forth = (
        read_nodes(file(name, first)) for name, first in (("back.obj", (0, 0)), ("forth.obj", (9, 17)))
    )
    assert [node.name for node in back] == [node.name for node in forth] == ["low", "up"]
    for one, other in zip(back, forth, strict=True):
        assert one.vertices[one.faces].tolist() == other.vertices[other.faces].tolist()
    (tmp_path / "before.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n")
    with pytest.raises(MeshFileError, match="-4 counts back to before the first"):
        read_nodes(tmp_path / "before.obj")
