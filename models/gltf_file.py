"""Reading glTF, .glb and .gltf: files come from anywhere, so every count is checked against the bytes that are there
before anything is made of it, no file outside the file's folder is opened, and a node's material groups stay one piece.
"""

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from teeter.models.errors import MeshFileError
from teeter.models.mesh_node import MAX_BODIES, MeshNode, check_bodies, check_bytes, check_triangles
from teeter.models.piece import Array, Ints

COMPONENTS: dict[int, str] = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
"""Number types by their glTF code: indices are the unsigned ones, positions floats."""
TRIANGLES = 4
MAX_NODES = 100_000
"""Most of them groups and bones."""
LINES_AND_POINTS = (0, 1, 2, 3)
HARMLESS = ("KHR_materials", "KHR_texture", "KHR_lights", "EXT_texture")
"""Beginnings of required extensions that leave the triangles alone."""
WITH_FALLBACK = (
    "KHR_draco_mesh",
    "EXT_meshopt",
    "KHR_meshopt",
    "KHR_xmp",
    "KHR_node_select",
    "KHR_node_hover",
)
"""Beginnings of extensions of nodes and meshes beside which the plain triangles hold, or are missed when read."""
INSTANCES = "EXT_mesh_gpu_instancing"
"""A node with this is a piece for each of its places."""
WIDTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


def read_gltf(path: Path) -> list[MeshNode]:
    """Returns all nodes with triangles, in the order of the tree. Raises MeshFileError, or OSError."""
    try:
        head, binary = _chunks(path.read_bytes())
        return _Reader(head, binary, path.parent).nodes()
    except MeshFileError:
        raise
    except RecursionError:
        raise MeshFileError("is not valid glTF: nested too deeply") from None
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, struct.error) as error:
        raise MeshFileError(f"is not valid glTF: {_in_words(error)}") from None


def _in_words(error: Exception) -> str:
    """Returns what a glTF has wrong, of what Python says where the file is not as it must be."""
    match error:
        case json.JSONDecodeError():
            return f"its JSON is broken at line {error.lineno}, column {error.colno}"
        case UnicodeDecodeError():
            return "its JSON is not text in UTF-8"
        case KeyError(args=[str(key)]):
            return f'"{key}" is missing'
        case KeyError(args=[bytes()]):
            return "it has no JSON"
        case KeyError(args=[key, *_]):
            return f"{key!r} stands where it has no meaning"
        case IndexError():
            return "it names something by a number that it does not have"
        case struct.error():
            return "it is cut short"
        case TypeError() | AttributeError():
            return "a value is not of the kind that belongs there"
        case _:
            return "a number in it makes no sense"


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON head and the binary chunk of a file; a .gltf is all head."""
    if not data.startswith(b"glTF"):
        return _head(data), b""
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2 or length > len(data):
        raise MeshFileError(
            "is cut short: export or copy it again"
            if version == 2
            else f"is glTF {version}; version 2 is read"
        )
    chunks: dict[bytes, bytes] = {}
    place = 12
    while place + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, place)
        if place + 8 + size > length:
            raise MeshFileError("is cut short")
        chunks.setdefault(kind, data[place + 8 : place + 8 + size])
        place += 8 + size
    return _head(chunks[b"JSON"]), chunks.get(b"BIN\0", b"")


def _head(text: bytes) -> dict[str, Any]:
    head = json.loads(text)
    if not isinstance(head, dict) or not str(head["asset"]["version"]).startswith("2."):
        raise MeshFileError("is not glTF version 2")
    needed = [
        name
        for name in head.get("extensionsRequired", [])
        if not str(name).startswith((*HARMLESS, INSTANCES))
    ]
    if needed:
        raise MeshFileError(f"needs {', '.join(map(str, needed))}: export it again without compression")
    bodies = [number for number, node in enumerate(head.get("nodes", [])) if "mesh" in node]
    if len(bodies) > MAX_BODIES:
        check_bodies(len(bodies), "meshes", f"nodes[{bodies[MAX_BODIES]}]")
    if len(head.get("nodes", [])) > MAX_NODES:
        raise MeshFileError(f"has {len(head['nodes'])} nodes; at most {MAX_NODES} nodes are allowed")
    _check_shapes(head)
    _check_deformed(head)
    return head


def _check_deformed(head: dict[str, Any]) -> None:
    """Raises MeshFileError for meshes that are bent before they are shown: their triangles are not where they are."""
    morphed = any(
        "targets" in primitive for mesh in head.get("meshes", []) for primitive in mesh["primitives"]
    )
    skinned = any("skin" in node for node in head.get("nodes", []))
    if morphed or skinned:
        what = " and ".join(["morph targets"] * morphed + ["a skin on bones"] * skinned)
        raise MeshFileError(
            f"has {what}, which are not read: apply them (in Blender: Apply All) and export it again"
        )


def _check_shapes(head: dict[str, Any]) -> None:
    """Raises MeshFileError for an extension where it may change or multiply triangles, needed or only used."""
    nodes, meshes = head.get("nodes", []), head.get("meshes", [])
    primitives = [one for mesh in meshes for one in mesh.get("primitives", [])]
    holders = [*nodes, *meshes, *primitives, *head.get("accessors", []), *head.get("scenes", []), head]
    used = {str(name) for holder in holders for name in holder.get("extensions", {})}
    unknown = sorted(name for name in used - {INSTANCES} if not name.startswith(HARMLESS + WITH_FALLBACK))
    if unknown:
        remedy = "export it again without that"
        raise MeshFileError(
            f"uses {', '.join(unknown)}, which may change its shapes and is not read: {remedy}"
        )


class _Reader:
    def __init__(self, head: dict[str, Any], binary: bytes, folder: Path):
        self._head, self._folder = head, folder
        self._buffers: dict[int, bytes] = {}
        self._binary = binary
        self._meshes: dict[int, tuple[Array, Ints]] = {}

    def nodes(self) -> list[MeshNode]:
        nodes: list[MeshNode] = []
        triangles = 0
        for node, matrix in self._tree():
            if "mesh" not in node:
                continue
            key = int(node["mesh"])
            vertices, faces = self._mesh(key)
            places = self._places(node)
            check_bodies(len(nodes) + len(places), "meshes", f'node "{node.get("name", "")}"')
            triangles += len(places) * len(faces)
            check_triangles(triangles)
            if len(faces):
                extras = node.get("extras")
                fixed = isinstance(extras, dict) and extras.get("fixed") in (True, 1)
                name = str(node.get("name", ""))
                nodes += [MeshNode(name, key, vertices, faces, matrix @ place, fixed) for place in places]
        return nodes

    def _places(self, node: dict[str, Any]) -> Array:
        """Where a node's mesh is within it (n, 4, 4): once as it is, or at each of its instances."""
        from scipy.spatial.transform import Rotation

        instances = node.get("extensions", {}).get(INSTANCES)
        if instances is None:
            return np.eye(4)[None]
        read = {
            name: self._numbers(number, 4 if name == "ROTATION" else 3)
            for name, number in instances["attributes"].items()
            if name in ("TRANSLATION", "ROTATION", "SCALE")
        }
        counts = {len(values) for values in read.values()}
        if len(counts) != 1:
            raise MeshFileError(f"has {INSTANCES} without places, or with more of one kind than of another")
        matrices = np.tile(np.eye(4), (counts.pop(), 1, 1))
        if "ROTATION" in read and len(matrices):
            matrices[:, :3, :3] = Rotation.from_quat(read["ROTATION"].astype(np.float64)).as_matrix()
        matrices[:, :3, :3] *= read.get("SCALE", np.ones((1, 3)))[:, None, :]
        matrices[:, :3, 3] = read.get("TRANSLATION", 0.0)
        return matrices

    def _tree(self) -> Iterator[tuple[dict[str, Any], Array]]:
        """Every node of the scene with its matrix, parents before children."""
        nodes = self._head.get("nodes", [])
        scenes = self._head.get("scenes")
        if scenes:
            roots = scenes[int(self._head.get("scene", 0))].get("nodes", [])
        else:
            children = {child for node in nodes for child in node.get("children", [])}
            roots = [index for index in range(len(nodes)) if index not in children]
        waiting = [(int(root), np.eye(4)) for root in reversed(roots)]
        seen: set[int] = set()
        while waiting:
            index, outer = waiting.pop()
            if index in seen or index < 0:
                raise MeshFileError(f"is not valid glTF: node {index} has two parents, or is its own")
            seen.add(index)
            node = nodes[index]
            matrix = outer @ _matrix(node)
            yield node, matrix
            waiting += [(int(child), matrix) for child in reversed(node.get("children", []))]

    def _mesh(self, index: int) -> tuple[Array, Ints]:
        """Corners and triangles of a mesh, its primitives joined."""
        if index not in self._meshes:
            vertices, faces, count, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0, 0
            for primitive in self._head["meshes"][index]["primitives"]:
                mode = primitive.get("mode", TRIANGLES)
                if mode in LINES_AND_POINTS:
                    continue
                if mode != TRIANGLES:
                    raise MeshFileError("has triangle strips or fans: export it again as plain triangles")
                corners = self._numbers(primitive["attributes"]["POSITION"], 3).astype(np.float64)
                faces.append(self._faces(primitive, len(corners)) + count)
                vertices.append(corners)
                count += len(corners)
                triangles += len(faces[-1])
                check_triangles(max(count // 3, triangles))
            self._meshes[index] = np.concatenate(vertices), np.concatenate(faces)
        return self._meshes[index]

    def _faces(self, primitive: dict[str, Any], corners: int) -> Ints:
        if "indices" in primitive:
            indices = self._numbers(primitive["indices"], 1).astype(np.int64).ravel()
        else:
            indices = np.arange(corners, dtype=np.int64)
        if len(indices) % 3 or (len(indices) and indices.max() >= corners):
            raise MeshFileError(
                "is not valid glTF: triangles name corners that are not there: export it again"
            )
        return indices.reshape(-1, 3)

    def _numbers(self, index: int, width: int) -> np.ndarray[Any, Any]:
        """An accessor as (count, width) numbers, never more than its buffer holds."""
        accessor = self._head["accessors"][index]
        kind = np.dtype(COMPONENTS[accessor["componentType"]])
        if accessor["type"] != WIDTHS[width] or (width > 1) != (kind.kind == "f"):
            what = {1: "indices that are not whole numbers", 3: "positions that are not three floats each"}
            raise MeshFileError(
                f"has {what.get(width, 'rotations that are not four floats each')}: "
                "export it again without quantizing"
            )
        if "sparse" in accessor or "bufferView" not in accessor:
            raise MeshFileError("has sparse or compressed data: export it again without compression")
        view = self._head["bufferViews"][accessor["bufferView"]]
        item, count = kind.itemsize * width, int(accessor["count"])
        stride = int(view.get("byteStride", 0)) or item
        start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        data = self._buffer(int(view["buffer"]))
        if count < 0 or start < 0 or stride < item or start + (count - 1) * stride + item > len(data):
            raise MeshFileError(
                "is cut short: a buffer holds less than is said of it: export or copy it again"
            )
        if count == 0:
            return np.zeros((0, width))
        return np.ndarray((count, width), kind, data, start, (stride, kind.itemsize))

    def _buffer(self, index: int) -> bytes:
        if index not in self._buffers:
            address = self._head["buffers"][index].get("uri")
            self._buffers[index] = self._binary if address is None else self._outside(str(address))
        return self._buffers[index]

    def _outside(self, address: str) -> bytes:
        """A buffer in a data URI, or in a file beside the scene."""
        if address.startswith("data:"):
            try:
                return base64.b64decode(address.partition(",")[2], validate=True)
            except binascii.Error:
                raise MeshFileError("has a buffer that is not base64") from None
        path = self._folder / unquote(address)
        if not path.resolve().is_relative_to(self._folder.resolve()):
            raise MeshFileError(f'refers to "{address}" outside its folder: only files beside it are read')
        if not path.is_file():
            raise MeshFileError(f'refers to "{address}", which is not beside it')
        check_bytes(path.stat().st_size)
        return path.read_bytes()


def _matrix(node: dict[str, Any]) -> Array:
    """A node's own matrix (4, 4): written out in columns, or as translation, rotation (xyzw) and scale."""
    from scipy.spatial.transform import Rotation  # needed for mesh files alone, and slow to import

    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    result = np.eye(4)
    scale = np.array(node.get("scale", (1, 1, 1)), dtype=np.float64).reshape(3)
    result[:3, :3] = Rotation.from_quat(node.get("rotation", (0, 0, 0, 1))).as_matrix() * scale
    result[:3, 3] = np.array(node.get("translation", (0, 0, 0)), dtype=np.float64).reshape(3)
    return result
