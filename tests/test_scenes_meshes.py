"""Mesh scenes: written with trimesh or by hand, read back as pieces."""

from __future__ import annotations

import base64
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from trimesh.transformations import compose_matrix, rotation_matrix, translation_matrix

from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.errors import MeshError
from teeter.models.export import export_glb
from teeter.models.meshes import read_mesh, solids_of
from teeter.scenes.dump import dump
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

FORMATS = ["stl", "obj", "ply", "3mf"]


def block(size: tuple[float, float, float], centre: tuple[float, float, float]) -> trimesh.Trimesh:
    mesh: trimesh.Trimesh = trimesh.creation.box(size)
    mesh.apply_translation(centre)
    return mesh


def stack() -> list[trimesh.Trimesh]:
    """Three blocks in mm, Z up, that share corners where they touch."""
    return [block((60, 30, 20), (0, 0, 10)), block((60, 30, 20), (0, 0, 30)), block((30, 30, 20), (0, 0, 50))]


def free(assembly: Assembly) -> dict[str, Body]:
    return {body.name: body for body in assembly.bodies if body.name != TABLE}


def message_of(path: Path, **options: Any) -> str:
    with pytest.raises(SceneError) as caught:
        load(path, **options)
    return str(caught.value)


def gltf(folder: Path, change: Callable[[dict[str, Any]], object] = lambda head: None) -> Path:
    """A block of 0.06 x 0.02 x 0.03 m (Y up) in glTF written out by hand, with a change to its head."""
    mesh = trimesh.creation.box((0.06, 0.02, 0.03))
    faces, corners = mesh.faces.astype("<u2").tobytes(), mesh.vertices.astype("<f4").tobytes()
    head: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "block", "mesh": 0, "translation": [0, 0.01, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(corners)},
            {"buffer": 0, "byteOffset": len(corners), "byteLength": len(faces)},
        ],
        "buffers": [{"byteLength": 168, "uri": "data:;base64," + base64.b64encode(corners + faces).decode()}],
    }
    change(head)
    path = folder / "test.gltf"
    path.write_text(json.dumps(head))
    return path


# what is read


@pytest.mark.parametrize("suffix", FORMATS[:3])
def test_touching_solids_of_one_mesh_are_pieces_in_millimetres(tmp_path: Path, suffix: str) -> None:
    trimesh.util.concatenate(stack()).export(tmp_path / f"stack.{suffix}")
    bodies = free(load(tmp_path / f"stack.{suffix}").assembly)
    assert list(bodies) == ["stack.1", "stack.2", "stack.3"]
    heights = [body.pose.position[2] for body in bodies.values()]
    assert heights == pytest.approx([0.01, 0.03, 0.05], abs=1e-9)
    assert bodies["stack.3"].piece.extents == pytest.approx([0.03, 0.03, 0.02])
    assert bodies["stack.1"].piece.material.name == "beech"
    assert not any(body.fixed for body in bodies.values())


@pytest.mark.parametrize("suffix", FORMATS)
def test_named_objects_keep_their_names(tmp_path: Path, suffix: str) -> None:
    scene = trimesh.Scene()
    for name, mesh in zip(("low", "mid", "top"), stack(), strict=True):
        scene.add_geometry(mesh, node_name=name, geom_name=name)
    scene.export(tmp_path / f"stack.{suffix}")
    bodies = free(load(tmp_path / f"stack.{suffix}", material="alder").assembly)
    expected = {"obj": {"low", "mid", "top"}, "3mf": {"low", "mid", "top"}}
    assert set(bodies) == expected.get(suffix, {"stack.1", "stack.2", "stack.3"})
    if suffix == "obj":
        assert list(bodies) == ["low", "mid", "top"], "in the order of the file"
    if suffix in expected:
        assert bodies["top"].pose.position == pytest.approx((0, 0, 0.05))
    assert {body.piece.material.name for body in bodies.values()} == {"alder"}


def test_a_3mf_file_names_its_unit(tmp_path: Path) -> None:
    mesh = block((2, 2, 2), (0, 0, 1))
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in mesh.vertices)
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in mesh.faces)
    model = (
        '<?xml version="1.0"?><model unit="inch" '
        'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
        f'<object id="1" type="model"><mesh><vertices>{corners}</vertices>'
        f"<triangles>{faces}</triangles></mesh>"
        '</object></resources><build><item objectid="1"/></build></model>'
    )
    with zipfile.ZipFile(tmp_path / "cube.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", model)
    (body,) = free(load(tmp_path / "cube.3mf").assembly).values()
    assert body.piece.extents == pytest.approx([0.0508] * 3)
    (body,) = free(load(tmp_path / "cube.3mf", unit="mm").assembly).values()
    assert body.piece.extents == pytest.approx([0.002] * 3)


@pytest.mark.parametrize("kind", ["model", "support", "solidsupport", "other"])
def test_what_3mf_says_is_no_part_of_the_model_is_left_out_and_told(tmp_path: Path, kind: str) -> None:
    """By itself, and within a group; nothing else can be told of a mesh that is one shape: there it is refused."""
    mesh = block((20, 20, 20), (0, 0, 10))
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in mesh.vertices)
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in mesh.faces)
    solid = f"<mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh>"
    model = (
        '<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
        f'<object id="1">{solid}</object><object id="2" name="prop" type="{kind}">{solid}</object>'
        '<object id="3"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 40 0 0"/>'
        '<component objectid="2" transform="1 0 0 0 1 0 0 0 1 80 0 0"/></components></object></resources>'
        '<build><item objectid="1"/><item objectid="3"/>'
        '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 120 0 0"/></build></model>'
    )
    with zipfile.ZipFile(tmp_path / "cubes.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", model)
    scene = load(tmp_path / "cubes.3mf")
    is_part = kind == "model"
    assert [body.pose.position[0] for body in scene.assembly.free] == pytest.approx(
        [0, 0.04, 0.08, 0.12][: 4 if is_part else 2]
    )
    told = f'node "prop": of type "{kind}", no part of the model, and left out'
    assert list(scene.fitted) == ([] if is_part else [told, told])
    if not is_part:
        with pytest.raises(MeshError, match=f'"prop" is of type "{kind}", no part of the model: take it out'):
            read_mesh(tmp_path / "cubes.3mf")


def test_a_sheet_with_a_notch_is_no_table_of_what_stands_in_it(tmp_path: Path) -> None:
    """An L of three squares of 1 m, and a block in the square that is missing, or on one that is there."""
    flat = [
        (x, -y)
        for a, b in ((-1, -1), (0, -1), (-1, 0))
        for x, y in ((a, b), (a + 1, b), (a + 1, b + 1), (a, b + 1))
    ]
    faces = [
        (at + first, at + second, at + third)
        for at in (0, 4, 8)
        for first, second, third in ((0, 1, 2), (0, 2, 3))
    ]
    for x, is_read in ((-0.5, True), (0.5, False)):
        scene = trimesh.Scene()
        scene.add_geometry(
            trimesh.Trimesh([(x, 0, z) for x, z in flat], faces, process=False), node_name="floor"
        )
        cube = trimesh.creation.box((0.2, 0.2, 0.2))
        scene.add_geometry(cube.apply_translation((x, 0.1, -0.5)), node_name="cube")
        scene.export(tmp_path / "floor.glb")
        if is_read:
            assert list(free(load(tmp_path / "floor.glb").assembly)) == ["cube"]
        else:
            assert 'node "floor": is a flat sheet' in message_of(tmp_path / "floor.glb")


def test_gltf_is_metres_and_y_up_and_is_turned(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    scene.add_geometry(
        trimesh.creation.box((0.06, 0.02, 0.03)),
        node_name="a",
        transform=translation_matrix((0.1, 0.01, 0.2)) @ rotation_matrix(math.radians(30), (0, 1, 0)),
    )
    scene.export(tmp_path / "scene.glb")
    body = free(load(tmp_path / "scene.glb").assembly)["a"]
    # x stays, the file's y is our z, its z is our -y
    assert body.pose.position == pytest.approx((0.1, -0.2, 0.01), abs=1e-8)
    corners = body.pose.apply(body.piece.parts[0].vertices)
    assert np.ptp(corners[:, 2]) == pytest.approx(0.02, abs=1e-8)
    # a turn about the file's y is a turn about our z
    along = corners[corners[:, 0].argmax()] - body.pose.position
    width = 0.03 * math.cos(math.radians(30)) + 0.015 * math.sin(math.radians(30))
    assert along[0] == pytest.approx(width, abs=1e-8)


def test_a_scene_written_by_hand_is_read_as_trimesh_reads_it(tmp_path: Path) -> None:
    path = gltf(tmp_path)
    ours = free(load(path).assembly)["block"]
    theirs = trimesh.load_scene(path).to_mesh()
    assert ours.pose.position == pytest.approx((0, 0, 0.01))
    assert ours.piece.volume == pytest.approx(theirs.volume, rel=1e-6)


def test_nodes_inherit_their_parents_places_and_share_one_piece(tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        head["scenes"] = [{"nodes": [0]}]
        head["nodes"] = [
            {"translation": [0, 0.01, 0], "scale": [2, 2, 2], "children": [1, 2]},
            {"name": "a", "mesh": 0},
            {"name": "b", "mesh": 0, "translation": [0, 0.02, 0], "rotation": [0, 0.7071068, 0, 0.7071068]},
        ]

    bodies = free(load(gltf(tmp_path, change), table="lowest").assembly)
    assert bodies["a"].piece is bodies["b"].piece
    assert bodies["a"].piece.extents == pytest.approx([0.12, 0.04, 0.06], rel=1e-6)
    assert bodies["b"].pose.position == pytest.approx((0, 0, 0.05))
    # a quarter turn about the file's y, which is our z
    turn = bodies["b"].pose.matrix @ bodies["a"].pose.matrix.T
    assert turn @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("matrix", "extents"),
    [
        (compose_matrix(scale=(1, 2, 3)), (0.06, 0.04, 0.09)),
        (compose_matrix(scale=(-1, 1, 1)), (0.06, 0.02, 0.03)),
    ],
)
def test_stretched_and_mirrored_nodes_are_solid_pieces(
    tmp_path: Path, matrix: np.ndarray[Any, Any], extents: tuple[float, ...]
) -> None:
    node = {"name": "a", "mesh": 0, "matrix": matrix.T.ravel().tolist()}
    path = gltf(tmp_path, lambda head: head.update(nodes=[node]))
    body = free(load(path, table="lowest").assembly)["a"]
    low, high = (
        getattr(body.pose.apply(body.piece.parts[0].vertices), end)(axis=0) for end in ("min", "max")
    )
    assert high - low == pytest.approx([extents[0], extents[2], extents[1]], rel=1e-6)
    assert body.piece.volume > 0


def test_a_node_of_several_materials_is_one_piece(tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        halves = []
        for start in (0, 18):
            head["accessors"].append({**head["accessors"][1], "count": 18, "byteOffset": 2 * start})
            halves.append({"attributes": {"POSITION": 0}, "indices": len(head["accessors"]) - 1})
        head["meshes"] = [{"primitives": halves}]

    assert list(free(load(gltf(tmp_path, change)).assembly)) == ["block"]


def test_supports_by_extras_and_by_pattern(tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        one = head["nodes"][0]
        head["nodes"] = [
            {**one, "name": "base", "extras": {"fixed": True}},
            {**one, "name": "pier.left", "translation": [0, 0.03, 0], "extras": {"fixed": False}},
            {**one, "name": "deck", "translation": [0, 0.05, 0]},
        ]
        head["scenes"] = [{"nodes": [0, 1, 2]}]

    bodies = free(load(gltf(tmp_path, change), fixed=["pier*"]).assembly)
    assert {name: body.fixed for name, body in bodies.items()} == {
        "base": True,
        "pier.left": True,
        "deck": False,
    }


def test_doubled_and_missing_names_get_numbers(tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        one = head["nodes"][0]
        head["nodes"] = [
            {**one, "name": name, "translation": [0, 0.01 + 0.02 * level, 0]}
            for level, name in enumerate(["a", "a.2", "a", "a", ""])
        ]
        head["scenes"] = [{"nodes": [0, 1, 2, 3, 4]}]

    assert list(free(load(gltf(tmp_path, change)).assembly)) == ["a", "a.2", "a.3", "a.4", "test"]


@pytest.mark.parametrize(
    ("unit", "metres"), [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254), (None, 1e-3)]
)
def test_the_unit_may_be_given(tmp_path: Path, unit: str | None, metres: float) -> None:
    block((20, 20, 20), (0, 0, 10)).export(tmp_path / "cube.stl")
    body = free(load(tmp_path / "cube.stl", unit=unit).assembly)["cube"]
    assert body.piece.extents == pytest.approx([20 * metres] * 3)
    assert body.pose.position[2] == pytest.approx(10 * metres)


def test_the_table_may_be_put_under_everything(tmp_path: Path) -> None:
    two = trimesh.util.concatenate([block((20, 20, 20), (0, 0, -50)), block((20, 20, 20), (30, 0, 5))])
    two.export(tmp_path / "two.stl")
    assert 'node "two.1": lies under the table' in message_of(tmp_path / "two.stl")
    assert 'node "two.2": overlaps the table by 5.00 mm' in message_of(tmp_path / "two.stl")
    block((20, 20, 20), (0, 0, -50)).export(tmp_path / "cube.stl")
    table = load(tmp_path / "cube.stl", table="lowest").assembly.bodies[0]
    assert table.pose.position[2] == pytest.approx(-0.06 - 0.015)
    assert [body.name for body in load(tmp_path / "cube.stl", table="none").assembly.bodies] == ["cube"]


@pytest.mark.parametrize("centre", [(0, 0, -50), (0, 0, 5), (70, 30, 400), (5000, 0, 0)])
def test_a_mesh_alone_is_put_on_the_table(centre: tuple[float, float, float], tmp_path: Path) -> None:
    block((20, 20, 20), centre).export(tmp_path / "cube.stl")
    x, y, z = free(load(tmp_path / "cube.stl").assembly)["cube"].pose.position
    beside = abs(centre[0]) > 600
    assert (x, y, z) == pytest.approx((0 if beside else centre[0] / 1e3, centre[1] / 1e3, 0.01), abs=1e-7)


@pytest.mark.parametrize("model", ["bausack/base_1", "bausack/eggcup", "crazy_tower/red_l4"])
def test_what_teeter_exports_is_loaded_exactly(model: str, tmp_path: Path) -> None:
    export_glb(build(find(model)), tmp_path / "piece.glb")
    body = free(load(tmp_path / "piece.glb").assembly)[model]
    assert body.piece is build(find(model))
    assert body.pose.orientation == pytest.approx((0, 0, 0, 1))
    assert body.pose.position == pytest.approx((0, 0, body.piece.extents[2] / 2), abs=1e-6)


def test_a_mesh_under_the_name_of_another_piece_is_taken_as_it_is(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    scene.add_geometry(block((0.02, 0.03, 0.04), (0, 0, 0)), node_name="bausack/base_1")
    scene.export(tmp_path / "piece.glb")
    (body,) = free(load(tmp_path / "piece.glb").assembly).values()
    np.testing.assert_allclose(np.sort(body.piece.extents), [0.02, 0.03, 0.04], rtol=1e-6)


def test_names_are_ids_without_control_characters(tmp_path: Path) -> None:
    path = gltf(tmp_path, lambda head: head["nodes"][0].update(name="a\0b\x1b[31m\n" + "c" * 500))
    (name,) = load(path).ids
    assert name.startswith("a_b_[31m_ccc")
    assert len(name) == 100


def test_a_solid_with_a_cavity_stays_one_piece() -> None:
    outer, inner = trimesh.creation.box((4, 4, 4)), trimesh.creation.box((2, 2, 2))
    inner.invert()
    mesh: Any = trimesh.util.concatenate([outer, inner])
    assert len(solids_of(mesh.vertices, mesh.faces)) == 1


@pytest.mark.parametrize("shift", [(2, 0, 0), (2, 2, 0), (2, 2, 2), (2, 1, 0), (9, 0, 0)])
def test_solids_that_share_faces_edges_or_corners_are_told_apart(shift: tuple[float, float, float]) -> None:
    mesh: Any = trimesh.util.concatenate([block((2, 2, 2), (0, 0, 0)), block((2, 2, 2), shift)])
    solids = solids_of(mesh.vertices, mesh.faces)
    centres = np.array([vertices.mean(axis=0) for vertices, _ in solids])
    assert centres == pytest.approx(np.array([(0, 0, 0), shift], dtype=float))
    assert [len(faces) for _, faces in solids] == [12, 12]


@pytest.mark.parametrize("shift", [(2, 2, 2), (2, 1, 0), (9, 0, 0)])
def test_a_missing_triangle_of_one_of_several_solids_is_put_back(shift: tuple[float, float, float]) -> None:
    mesh: Any = trimesh.util.concatenate([block((2, 2, 2), (0, 0, 0)), block((2, 2, 2), shift)])
    solids = solids_of(mesh.vertices, mesh.faces[np.arange(24) != 13])
    assert [len(faces) for _, faces in solids] == [12, 12]
    assert [trimesh.Trimesh(*solid).volume for solid in solids] == pytest.approx([8, 8])


def test_several_hundred_blocks_of_one_mesh_load_quickly(tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        head["nodes"] = [
            {"name": f"n{row}.{level}", "mesh": 0, "translation": [0.07 * row, 0.01 + 0.02 * level, 0]}
            for row in range(20)
            for level in range(20)
        ]
        head["scenes"] = [{"nodes": list(range(400))}]

    bodies = free(load(gltf(tmp_path, change)).assembly)
    assert len({id(body.piece) for body in bodies.values()}) == 1


def test_mesh_pieces_cannot_be_written_as_a_scene_file(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match='piece "block": comes from a mesh, which no scene file holds'):
        dump(load(gltf(tmp_path)))


def test_who_loads_many_meshes_is_told_how_far_it_is(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    for name, mesh in zip(("low", "mid", "top"), stack(), strict=True):
        scene.add_geometry(mesh, node_name=name, geom_name=name)
    scene.export(tmp_path / "stack.obj")
    told: list[tuple[int, int]] = []
    load(tmp_path / "stack.obj", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
