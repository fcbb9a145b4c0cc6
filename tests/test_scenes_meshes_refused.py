"""Mesh files that are broken or hostile: one clear message each, and fast."""

from __future__ import annotations

import copy
import math
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from test_scenes_meshes import FORMATS, block, free, gltf, message_of, stack
from trimesh.transformations import rotation_matrix

from teeter.scenes.load import load
from teeter.scenes.scene import SceneError


def _set(*path: Any) -> Callable[[dict[str, Any]], object]:
    """A change of one entry of the head: keys, then the value."""

    def change(head: dict[str, Any]) -> None:
        place: Any = head
        for key in path[:-2]:
            place = place[key]
        place[path[-2]] = copy.deepcopy(path[-1])

    return change


REFUSED = [
    (_set("asset", "version", "1.0"), "is not glTF version 2"),
    (_set("asset", 3), "is not valid glTF: a value is not of the kind that belongs there"),
    (_set("nodes", 0, "mesh", 7), "is not valid glTF: it names something by a number that it does not have"),
    (
        _set("nodes", 0, "name", "table"),
        'node "table": name = "table": is reserved (table, floor, hand are not',
    ),
    (_set("nodes", 0, "children", [0]), "node 0 has two parents, or is its own"),
    (_set("nodes", []), "is not valid glTF: it names something by a number"),
    (_set("scenes", [{}]), "there are no triangles in it"),
    (_set("meshes", 0, "primitives", 0, "mode", 1), "there are no triangles in it"),
    (_set("meshes", 0, "primitives", 0, "mode", 5), "has triangle strips or fans"),
    (
        _set("extensionsRequired", ["KHR_draco_mesh_compression"]),
        "needs KHR_draco_mesh_compression: export it again",
    ),
    (_set("accessors", 0, "count", 10**12), "is cut short: a buffer holds less than is said of it"),
    (_set("accessors", 0, "count", -1), "is cut short"),
    (_set("accessors", 1, "count", 35), "triangles name corners that are not there"),
    (_set("accessors", 0, "byteOffset", -8), "is cut short"),
    (_set("accessors", 0, "count", 5), "triangles name corners that are not there"),
    (
        _set("accessors", 0, {"count": 8, "componentType": 5126, "type": "VEC3"}),
        "has sparse or compressed data",
    ),
    (_set("accessors", 0, "componentType", 5122), "is not valid glTF: 5122 stands where it has no meaning"),
    (_set("accessors", 0, "type", "VEC2"), "has positions that are not three floats each"),
    (_set("bufferViews", 0, "byteStride", 10**9), "is cut short"),
    (_set("buffers", 0, "uri", "../../etc/passwd"), 'refers to "../../etc/passwd" outside its folder'),
    (_set("buffers", 0, "uri", "%2e%2e/x.bin"), 'refers to "%2e%2e/x.bin" outside its folder'),
    (_set("buffers", 0, "uri", "x.bin"), 'refers to "x.bin", which is not beside it'),
    (_set("buffers", 0, "uri", "https://example.org/x.bin"), "which is not beside it"),
    (_set("buffers", 0, "uri", "data:;base64,!!"), "has a buffer that is not base64"),
    (_set("nodes", 0, "scale", [1, 0, 1]), 'node "block"'),
    (
        _set("nodes", 0, "translation", [math.nan, 0, 0]),
        "has coordinates that are not finite or far too large",
    ),
    (_set("nodes", 0, "translation", [1e300, 0, 0]), "has coordinates that are not finite or far too large"),
    (_set("nodes", 0, "rotation", [0, 0, 0, 0]), "is not valid glTF: a number in it makes no sense"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=[words[:50] for _, words in REFUSED])
def test_a_broken_gltf_is_one_message(tmp_path: Path, change: Callable[[Any], object], words: str) -> None:
    message = message_of(gltf(tmp_path, change))
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not valid glTF: its JSON is broken at line 1, column 1"),
        (b"[" * 100_000, "is not valid glTF: nested too deeply"),
        (b"[]", "is not glTF version 2"),
        (b"glTF", "is not valid glTF: it is cut short"),
        (struct.pack("<4sII", b"glTF", 1, 12), "is glTF 1; version 2 is read"),
        (struct.pack("<4sII", b"glTF", 2, 9999), "is cut short"),
        (struct.pack("<4sIII4s", b"glTF", 2, 20, 9999, b"JSON"), "is cut short"),
    ],
)
@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_what_is_no_gltf_at_all(tmp_path: Path, suffix: str, data: bytes, words: str) -> None:
    (tmp_path / f"x.{suffix}").write_bytes(data)
    assert words in message_of(tmp_path / f"x.{suffix}")


def test_a_glb_cut_anywhere_is_refused(tmp_path: Path) -> None:
    block((0.02, 0.02, 0.02), (0, 0.01, 0)).export(tmp_path / "whole.glb")
    data = (tmp_path / "whole.glb").read_bytes()
    for length in range(0, len(data), 37):
        (tmp_path / "cut.glb").write_bytes(data[:length])
        assert "cut.glb" in message_of(tmp_path / "cut.glb")


def test_text_in_other_letters_asks_for_no_package(tmp_path: Path) -> None:
    path = tmp_path / "old.stl"
    path.write_bytes(b"solid \xff\xfe\nfacet normal 0 0 1\n")
    said = message_of(path)
    # with charset_normalizer, which other packages bring, trimesh reads the text, and finds nothing in it
    assert said.startswith((f"{path}: cannot be read as .stl", f"{path}: there are no triangles in it"))
    assert "charset" not in said


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    "data", [b"", b"nonsense", b"\0" * 500, b"solid x\nfacet\n", b"ply\nelement vertex 99999999999\n"]
)
def test_other_broken_files_are_one_message(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(data)
    assert message_of(path).startswith(str(path))


PLY = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
PLY += "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n90 0 0\n0 90 0\n"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("far.ply", PLY + "3 0 1 9\n", "triangle 0 has corner 9, of 3 counted from 0"),
        ("negative.ply", PLY + "3 0 1 -9\n", "triangle 0 has corner -9, of 3 counted from 0"),
        ("flat.ply", PLY + "3 0 1 2\n", "is a flat sheet, not a solid"),
        ("point.ply", PLY + "3 1 1 1\n", 'node "point": point/point'),
        ("flat.obj", "v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n", "cannot be read as .obj"),
        ("zip.3mf", "PK\x05\x06" + "\0" * 30, "cannot be read as .3mf"),
    ],
)
def test_corners_that_are_not_there(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    assert words in message_of(tmp_path / name)


def test_an_open_mesh_and_a_flat_one_are_named(tmp_path: Path) -> None:
    mesh = block((20, 20, 20), (0, 0, 10))
    mesh.update_faces(np.arange(len(mesh.faces)) > 1)
    mesh.export(tmp_path / "open.stl")
    assert 'node "open": open/open: the mesh is not watertight' in message_of(tmp_path / "open.stl")
    # no less beside a plate against which the cup is small
    cup = block((10, 10, 10), (0, 0, 20))
    cup.update_faces(cup.face_normals[:, 2] < 0.5)
    trimesh.util.concatenate([block((700, 700, 5), (0, 0, 0)), cup]).export(tmp_path / "cup.stl")
    assert "cup/cup: the mesh is not watertight: open 4 edges" in message_of(tmp_path / "cup.stl")


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.3mf", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", b"\0" * 110_000_000)
    assert "has 110 MB; at most 100 MB are read" in message_of(tmp_path / "bomb.3mf")


@pytest.mark.parametrize(
    ("suffix", "row", "words"),
    [
        ("obj", "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -3\n", "line 25001: there are 300000 objects"),
        ("obj", "g a\nf -1 -2 -3\n", "line 10001: there are 300000 objects"),
        ("stl", "solid a\nendsolid a\n", "line 10001: there are 300000 objects"),
    ],
)
def test_too_many_objects_are_refused_before_one_is_made(
    tmp_path: Path, suffix: str, row: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trimesh.load_scene", lambda *given, **more: pytest.fail("objects were made"))
    path = tmp_path / f"many.{suffix}"
    path.write_text(300_000 * row)
    assert message_of(path) == f"{path}: {words}; at most 5000 are allowed"


def test_too_many_nodes_are_refused_before_one_is_made(tmp_path: Path) -> None:
    path = tmp_path / "many.gltf"
    nodes = ",".join(['{"mesh":0}'] * 300_000)
    path.write_text(f'{{"asset":{{"version":"2.0"}},"nodes":[{{}},{nodes}]}}')
    assert message_of(path) == f"{path}: nodes[5001]: there are 300000 meshes; at most 5000 are allowed"


@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_a_scene_with_z_up_in_a_format_with_y_up_is_told_so(tmp_path: Path, suffix: str) -> None:
    """trimesh writes the axes that it was given; the same scene, turned, is three blocks on each other."""
    scene = trimesh.Scene()
    for mesh in stack():
        scene.add_geometry(mesh.apply_scale(1e-3))
    path = tmp_path / f"stack.{suffix}"
    if suffix == "glb":
        scene.export(path)
    else:
        for name, data in trimesh.exchange.gltf.export_gltf(scene).items():
            (tmp_path / (path.name if name.endswith(".gltf") else name)).write_bytes(data)
    hint = "is z up in it? its pieces lie well so: --up z"
    assert message_of(path).startswith(f"{path}: {hint}\n")
    assert "overlaps the table by" in message_of(path)
    with pytest.raises(
        SceneError, match=f"with y up its pieces lie badly on z = 0; {re.escape(hint)} .--up y says"
    ):
        load(path, table="lowest")
    assert len(free(load(path, up="z").assembly)) == 3
    assert load(path, table="none").ids
    turned = tmp_path / "turned.glb"
    scene.apply_transform(rotation_matrix(-math.pi / 2, (1, 0, 0))).export(turned)
    assert len(free(load(turned).assembly)) == 3
    # one that y being up does not explain says what overlaps what
    sunk = tmp_path / "sunk.glb"
    scene.apply_translation((0.0, -0.03, 0.3)).export(sunk)
    assert "overlaps the table by" in message_of(sunk)


def test_what_lies_lower_than_the_table_beside_it_is_refused(tmp_path: Path) -> None:
    """A bridge in mm with z up, written as glTF: 20 m of it are under a table 1.2 m wide, and beside it."""
    scene = trimesh.Scene()
    for name, size, place in (
        ("left", (20.0, 40.0, 20.0), (-40.0, 0.0, 10.0)),
        ("right", (20.0, 40.0, 20.0), (40.0, 0.0, 10.0)),
        ("deck", (100.0, 40.0, 10.0), (0.0, 0.0, 25.0)),
    ):
        scene.add_geometry(block(size, place), node_name=name, geom_name=name)
    path = tmp_path / "bridge.glb"
    scene.export(path)
    assert message_of(path).startswith(f"{path}: is z up in it? its pieces lie well so: --up z\n")
    assert 'node "left": overlaps the table by 20000.00 mm' in message_of(path)
    # a table of a size that is given ends where it ends
    assert load(path, table="1200x800").ids
    assert load(path, up="z", unit="mm").assembly.bodies[0].piece.extents[0] == 1.2
