"""Exported pieces: read back by trimesh and pygltflib, and held to the rules of glTF 2.0."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
import pytest
import trimesh
from trimeshes import trimesh_of

from teeter.models.build import build
from teeter.models.errors import ModelError
from teeter.models.export import corner_normals, export_glb, glb_of
from teeter.models.files import OutputError
from teeter.models.piece import Piece
from teeter.models.spec import parse

SIZES = {5126: 4, 5125: 4, 5123: 2}
WIDTHS = {"SCALAR": 1, "VEC3": 3}


def piece(shape: dict[str, object], **more: object) -> Piece:
    return build(parse({"shape": shape, "material": "beech", **more}, "test"))


PIECES = {
    "box": piece({"box": [75, 25, 15]}),
    "painted": piece({"cylinder": [20, 15]}, colour="red"),
    "ball": piece({"sphere": 20}, material="alder"),
    "card": piece({"box": [85, 85, 2]}, material="grey_board"),
    "prism": piece(
        {"prism": {"points": [[0, 0], [40, 0], [40, 10], [10, 10], [10, 30], [0, 30]], "height": 20}}
    ),
}


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The document and the buffer, by the container's own rules."""
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    text_length, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    assert text_length % 4 == 0
    document = json.loads(data[20 : 20 + text_length])
    binary_length, kind = struct.unpack_from("<II", data, 20 + text_length)
    assert kind == 0x004E4942
    assert 28 + text_length + binary_length == length
    return document, data[28 + text_length :]


def values(document: dict[str, Any], binary: bytes, number: int) -> np.ndarray[Any, Any]:
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    width = WIDTHS[accessor["type"]]
    size = SIZES[accessor["componentType"]]
    assert view.get("byteOffset", 0) % size == 0
    assert accessor["count"] * width * size <= view["byteLength"]
    kind = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
    found = np.frombuffer(binary, kind, accessor["count"] * width, view["byteOffset"])
    return found.reshape(-1, width) if width > 1 else found


@pytest.mark.parametrize("name", PIECES)
def test_file_keeps_the_rules_of_gltf(name: str) -> None:
    document, binary = parts(glb_of(PIECES[name]))
    assert document["asset"]["version"] == "2.0"
    assert document["buffers"][0]["byteLength"] <= len(binary) < document["buffers"][0]["byteLength"] + 4
    for view in document["bufferViews"]:
        assert view["byteOffset"] + view["byteLength"] <= document["buffers"][0]["byteLength"]
    primitive = document["meshes"][0]["primitives"][0]
    points = values(document, binary, primitive["attributes"]["POSITION"])
    normals = values(document, binary, primitive["attributes"]["NORMAL"])
    indices = values(document, binary, primitive["indices"])
    accessor = document["accessors"][primitive["attributes"]["POSITION"]]
    assert np.array_equal(np.float32(accessor["min"]), points.min(axis=0))
    assert np.array_equal(np.float32(accessor["max"]), points.max(axis=0))
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    assert indices.max() == len(points) - 1
    assert len(indices) % 3 == 0
    shading = document["materials"][0]["pbrMetallicRoughness"]
    assert all(0 <= value <= 1 for value in shading["baseColorFactor"])
    assert 0 <= shading["roughnessFactor"] <= 1
    assert shading["metallicFactor"] == 0


@pytest.mark.parametrize("name", PIECES)
def test_trimesh_reads_the_piece_back(name: str, tmp_path: Path) -> None:
    made = PIECES[name]
    export_glb(made, tmp_path / "piece.glb")
    scene = trimesh.load_scene(tmp_path / "piece.glb")
    assert list(scene.geometry) == [made.model]
    mesh: Any = scene.to_geometry()
    mesh.merge_vertices(merge_norm=True)
    assert mesh.is_watertight
    # y up: what was z is y, what was y is -z
    assert np.allclose(mesh.extents, made.extents[[0, 2, 1]], atol=1e-7)
    assert mesh.volume == pytest.approx(trimesh_of(made).volume, rel=1e-4)
    heights = np.sort(mesh.vertices[:, 1])
    assert heights[-1] == pytest.approx(made.extents[2] / 2, abs=1e-7)


def test_pygltflib_reads_node_and_material(tmp_path: Path) -> None:
    export_glb(PIECES["painted"], tmp_path / "piece.glb")
    gltf = pygltflib.GLTF2().load(str(tmp_path / "piece.glb"))
    assert gltf.nodes[0].name == PIECES["painted"].model
    assert gltf.nodes[0].extras["mass_kg"] == pytest.approx(PIECES["painted"].mass)
    red, green, blue, _ = gltf.materials[0].pbrMetallicRoughness.baseColorFactor
    assert red > 3 * green
    assert red > 3 * blue


def test_the_same_piece_gives_the_same_bytes() -> None:
    assert glb_of(PIECES["ball"]) == glb_of(PIECES["ball"])


def test_bad_targets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"exported as \.glb"):
        export_glb(PIECES["box"], tmp_path / "piece.stl")
    with pytest.raises(OutputError, match="cannot be written"):
        export_glb(PIECES["box"], tmp_path / "none" / "piece.glb")


def test_a_cube_is_flat_and_a_pole_is_round() -> None:
    cube = trimesh.creation.box((1, 1, 1))
    flat = corner_normals(cube.vertices, cube.faces)
    assert np.allclose(flat, cube.face_normals[:, None])
    pole = trimesh.creation.cylinder(1.0, 2.0, sections=24)
    normals = corner_normals(pole.vertices, pole.faces)
    side = np.abs(pole.face_normals[:, 2]) < 0.5
    points = pole.vertices[pole.faces[side]]
    radial = points * (1, 1, 0) / np.linalg.norm(points[..., :2], axis=2, keepdims=True)
    assert np.einsum("fkd,fkd->fk", normals[side], radial).min() > 0.999
    assert np.allclose(np.abs(normals[~side][..., 2]), 1)


def test_corners_without_a_normal_still_have_one() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    normals = corner_normals(points, np.array([[0, 1, 2]]))
    assert np.allclose(np.linalg.norm(normals, axis=2), 1)
