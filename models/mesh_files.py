"""Reading mesh files: where each node's triangles are, and no more.

trimesh reads all formats but glTF, which is read here because files come from anywhere: every count is checked
against the bytes that are there before anything is made of it, no file outside the file's folder is opened, and a
node's material groups stay one piece.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import struct
import zipfile
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from models.errors import MeshFileError
from models.extras import install_line
from models.piece import Array, Ints
from models.polygons import cut_alike, cut_obj_alike, cut_off_alike


@dataclass(frozen=True, slots=True)
class MeshKind:
    """A kind of mesh file. unit: metres, what its numbers are taken for. up: the axis that points up. is_said: the
    format says both, so that nobody is asked."""

    unit: float
    up: str
    is_said: bool


KINDS = {
    ".glb": MeshKind(1.0, "y", is_said=True),
    ".gltf": MeshKind(1.0, "y", is_said=True),
    ".obj": MeshKind(1e-3, "z", is_said=False),
    ".stl": MeshKind(1e-3, "z", is_said=False),
    ".3mf": MeshKind(1e-3, "z", is_said=True),
    ".ply": MeshKind(1e-3, "z", is_said=False),
    ".off": MeshKind(1e-3, "z", is_said=False),
}
"""Every kind that is read, by the ending of its name."""
_CAD = "export it from the CAD program as .stl or .3mf, every part a body of its own"
_MODELLER = "open it in Blender and export it as .glb"
ELSEWHERE = {
    **dict.fromkeys((".step", ".stp", ".iges", ".igs", ".brep", ".sldprt", ".sldasm", ".ipt", ".iam"), _CAD),
    **dict.fromkeys((".fcstd", ".f3d", ".3dm", ".dwg", ".dxf", ".skp", ".ifc", ".x_t", ".sat"), _CAD),
    **dict.fromkeys(
        (".dae", ".blend", ".fbx", ".3ds", ".x3d", ".wrl", ".abc", ".max", ".ma", ".c4d"), _MODELLER
    ),
    ".scad": "run: openscad -o scene.stl FILE",
    **dict.fromkeys(
        (".gcode", ".xyz", ".pcd", ".las", ".e57"), "it holds no solids; make a mesh of it first, as .stl"
    ),
}
"""How to get from kinds that are not read to one that is."""
GLTF = tuple(suffix for suffix in KINDS if suffix.startswith(".gl"))
UNSAID = tuple(suffix for suffix, kind in KINDS.items() if not kind.is_said)
"""Kinds that say neither their unit nor which axis is up."""
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From glTF's axes, Y up, to ours, Z up: a quarter turn about x."""
COMPONENTS: dict[int, str] = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
"""Number types by their glTF code: indices are the unsigned ones, positions floats."""
TRIANGLES = 4
OBJECT = {
    kind: [re.compile(rb"^[ \t]*%b(?=[ \t\r\n])" % word, re.MULTILINE) for word in words]
    for kind, words in (("obj", (b"o", b"g")), ("stl", (b"solid",)))
}
"""How objects begin in formats of lines."""
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
MAX_BYTES = 100_000_000
MAX_BODIES = 5000
"""Objects or nodes of a file: more than any table holds, counted before a mesh is made of the first."""
MAX_TRIANGLES = 400_000
"""In all nodes together, instances counted each time."""
SINGLE_PRECISION = 2.0**-23
"""Relative error of coordinates stored with 24 bits, as most files do."""
FILE_UNITS = {
    "micron": 1e-6,
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
    "in": 0.0254,
    "millimeter": 1e-3,
    "centimeter": 1e-2,
    "meter": 1.0,
    "inch": 0.0254,
    "foot": 0.3048,
}
"""Metres, of the units a 3MF file or a mesh of trimesh may name."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshNode:
    """A mesh somewhere in a file.

    name: as the file has it, perhaps empty. key: the same for nodes that share one mesh. vertices, faces:
    (n, 3) in the file's unit and axes, (f, 3). matrix: (4, 4), from the mesh to the file's world. fixed: the
    file says that it is a support. unit: metres, where the file itself names its unit.
    """

    name: str
    key: Hashable
    vertices: Array
    faces: Ints
    matrix: Array
    fixed: bool = False
    unit: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GivenMeshes:
    """Meshes that a script has, read like a file that says neither unit nor axis."""

    nodes: list[MeshNode]
    stem: str
    suffix: str = ".stl"


def read_nodes(path: Path) -> list[MeshNode]:
    """Returns the meshes of a file in its order. Raises MeshFileError, in words without the file's name, or OSError."""
    _check_size(path)
    return _read_gltf(path) if path.suffix.lower() in GLTF else _read_other(path)


def files_of(path: Path) -> list[Path]:
    """Returns the files that a mesh is read from: its own, and those that a glTF of two files names beside it."""
    if path.suffix.lower() != ".gltf":
        return [path]
    try:
        buffers = json.loads(path.read_bytes())["buffers"]
        names = [str(one["uri"]) for one in buffers if not str(one.get("uri", "data:")).startswith("data:")]
    except (OSError, LookupError, TypeError, AttributeError, ValueError, RecursionError):
        return [path]
    return [path, *(path.parent / unquote(name) for name in names)]


def _read_other(path: Path) -> list[MeshNode]:
    """Formats that trimesh reads."""
    import trimesh

    kind = path.suffix.lower().removeprefix(".")
    for heading in OBJECT.get(kind, ()):
        _check_count(path, heading)
    options: dict[str, Any] = {"split_objects": True, "skip_materials": True} if kind == "obj" else {}
    try:
        alike = {"obj": cut_obj_alike, "off": cut_off_alike}.get(kind)
        source = io.BytesIO(alike(path.read_bytes())) if alike else path
        scene = trimesh.load_scene(source, file_type=kind, process=False, **options)
    except ImportError as error:
        if error.name == "charset_normalizer":  # trimesh would guess at the letters with it
            raise MeshFileError(f"cannot be read as {path.suffix}: holds text that is not UTF-8") from None
        remedy = f"install them with: {install_line(extra='mesh')}"
        raise MeshFileError(f"needs packages to read {path.suffix} ({error}): {remedy}") from None
    except Exception as error:  # the readers raise whatever a broken file leads them to
        raise MeshFileError(f"cannot be read as {path.suffix}: {error or type(error).__name__}") from None
    return _nodes_in(scene, kind, path.stem)


def nodes_of(given: object, name: str) -> list[MeshNode]:
    """Returns the meshes of a `trimesh.Scene`, a `trimesh.Trimesh`, or corners (n, 3) and triangles (f, 3).

    name: of a mesh that has none. Raises MeshFileError for anything else.
    """
    import trimesh

    if isinstance(given, tuple | list) and len(given) == 2:
        try:
            corners, faces = np.asarray(given[0], dtype=float), np.asarray(given[1])
        except (TypeError, ValueError):
            corners = faces = np.zeros(0)
        if corners.shape[1:] != (3,) or faces.shape[1:] != (3,) or faces.dtype.kind not in "iu":
            raise MeshFileError("must be corners (n, 3) and triangles (f, 3) of whole numbers")
        given = trimesh.Trimesh(corners, faces.astype(np.int64), process=False)
    if isinstance(given, trimesh.Trimesh):
        given = trimesh.Scene(dict[str, trimesh.parent.Geometry]({name: given}))
    if not isinstance(given, trimesh.Scene):
        kinds = "a trimesh.Scene, a trimesh.Trimesh, or corners and triangles"
        raise MeshFileError(f"is no scene: give the name of a file, {kinds} (found {type(given).__name__})")
    return _nodes_in(given, "given", name)


def _nodes_in(scene: Any, kind: str, stem: str) -> list[MeshNode]:
    """The meshes of a `trimesh.Scene`, in the order of the file."""
    import trimesh

    nodes = []
    # trimesh takes the objects of a .obj from the end of its list
    keys = reversed(scene.geometry) if kind == "obj" else scene.geometry
    order = {key: number for number, key in enumerate(keys)}
    # the graph's own order changes from run to run
    for name in sorted(scene.graph.nodes_geometry, key=lambda name: (order[scene.graph[name][1]], str(name))):
        matrix, key = scene.graph[name]
        mesh = scene.geometry[key]
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
            if kind == "ply":
                faces = _cut_ply_alike(mesh.metadata.get("_ply_raw"), vertices, faces)
            if vertices.shape[1:] != (3,) or faces.min() < 0 or faces.max() >= len(vertices):
                raise MeshFileError(
                    f"cannot be read as .{kind}: corners have no three numbers, or are not there"
                )
            unit = FILE_UNITS.get(str(mesh.units).removesuffix("s")) if kind in ("3mf", "given") else None
            label = stem if len(scene.geometry) == 1 and kind != "given" else str(name)
            nodes.append(MeshNode(label, key, vertices, faces, np.asarray(matrix, dtype=float), unit=unit))
    if sum(len(node.faces) for node in nodes) > MAX_TRIANGLES:
        raise MeshFileError(f"has more than {MAX_TRIANGLES} triangles")
    return nodes


def _check_count(path: Path, heading: re.Pattern[bytes]) -> None:
    """Raises MeshFileError, with its line, for the first object that is too many."""
    text = path.read_bytes()
    found = next(islice(heading.finditer(text), MAX_BODIES, None), None)
    if found is not None:
        line, count = text.count(b"\n", 0, found.start()) + 1, len(heading.findall(text))
        raise MeshFileError(f"line {line}: there are {count} objects; at most {MAX_BODIES} are allowed")


def _cut_ply_alike(raw: Any, corners: Array, faces: Ints) -> Ints:
    """The triangles of a .ply file, its warped polygons cut where all agree. raw: its elements, as trimesh has them."""
    try:
        lists = raw["face"]["data"]
        names = getattr(getattr(lists, "dtype", None), "names", None) or tuple(lists)
        column = lists[next(name for name in names if name in ("vertex_indices", "vertex_index"))]
        # of binary files each list comes with its length, `f0`
        polygons = column["f1"] if getattr(column.dtype, "names", None) else column
        found = cut_alike(polygons, corners)
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
        return faces
    return faces if found is None else found


def _check_size(path: Path) -> None:
    """Raises MeshFileError when a file, unpacked, has too many bytes; OSError when there is none."""
    size = path.stat().st_size
    if path.suffix.lower() == ".3mf":
        try:
            with zipfile.ZipFile(path) as archive:
                size = max(size, sum(entry.file_size for entry in archive.infolist()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise MeshFileError(f"cannot be read as .3mf: {error}") from None
    if size > MAX_BYTES:
        raise MeshFileError(f"has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read")


def _read_gltf(path: Path) -> list[MeshNode]:
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
        raise MeshFileError("is cut short" if version == 2 else f"is glTF {version}; version 2 is read")
    found: dict[bytes, bytes] = {}
    place = 12
    while place + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, place)
        if place + 8 + size > length:
            raise MeshFileError("is cut short")
        found.setdefault(kind, data[place + 8 : place + 8 + size])
        place += 8 + size
    return _head(found[b"JSON"]), found.get(b"BIN\0", b"")


def _head(text: bytes) -> dict[str, Any]:
    head = json.loads(text)
    if not isinstance(head, dict) or not str(head["asset"]["version"]).startswith("2."):
        raise MeshFileError("is not glTF version 2")
    needed = [name for name in head.get("extensionsRequired", []) if not str(name).startswith(HARMLESS)]
    if needed:
        raise MeshFileError(f"needs {', '.join(map(str, needed))}: export it again without compression")
    bodies = [number for number, node in enumerate(head.get("nodes", [])) if "mesh" in node]
    if len(bodies) > MAX_BODIES:
        place = f"nodes[{bodies[MAX_BODIES]}]"
        raise MeshFileError(f"{place}: there are {len(bodies)} meshes; at most {MAX_BODIES} are allowed")
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
    unknown = sorted(name for name in used if not name.startswith(HARMLESS + WITH_FALLBACK))
    if unknown:
        remedy = "export it again with every copy a node of its own, and without this extension"
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
        found: list[MeshNode] = []
        triangles = 0
        for node, matrix in self._tree():
            if "mesh" not in node:
                continue
            key = int(node["mesh"])
            vertices, faces = self._mesh(key)
            triangles += len(faces)
            if triangles > MAX_TRIANGLES:
                raise MeshFileError(f"has more than {MAX_TRIANGLES} triangles")
            if len(faces):
                extras = node.get("extras")
                fixed = isinstance(extras, dict) and extras.get("fixed") in (True, 1)
                found.append(MeshNode(str(node.get("name", "")), key, vertices, faces, matrix, fixed))
        return found

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
                if max(count / 3, triangles) > MAX_TRIANGLES:
                    raise MeshFileError(f"has more than {MAX_TRIANGLES} triangles")
            self._meshes[index] = np.concatenate(vertices), np.concatenate(faces)
        return self._meshes[index]

    def _faces(self, primitive: dict[str, Any], corners: int) -> Ints:
        if "indices" in primitive:
            indices = self._numbers(primitive["indices"], 1).astype(np.int64).ravel()
        else:
            indices = np.arange(corners, dtype=np.int64)
        if len(indices) % 3 or (len(indices) and indices.max() >= corners):
            raise MeshFileError("is not valid glTF: triangles name corners that are not there")
        return indices.reshape(-1, 3)

    def _numbers(self, index: int, width: int) -> np.ndarray[Any, Any]:
        """An accessor as (count, width) numbers, never more than its buffer holds."""
        accessor = self._head["accessors"][index]
        kind = np.dtype(COMPONENTS[accessor["componentType"]])
        if accessor["type"] != {1: "SCALAR", 3: "VEC3"}[width] or (width == 3) != (kind.kind == "f"):
            raise MeshFileError(
                "has positions that are not three floats each: export it again without quantizing"
            )
        if "sparse" in accessor or "bufferView" not in accessor:
            raise MeshFileError("has sparse or compressed data: export it again without compression")
        view = self._head["bufferViews"][accessor["bufferView"]]
        item, count = kind.itemsize * width, int(accessor["count"])
        stride = int(view.get("byteStride", 0)) or item
        start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        data = self._buffer(int(view["buffer"]))
        if count < 0 or start < 0 or stride < item or start + (count - 1) * stride + item > len(data):
            raise MeshFileError("is cut short: a buffer holds less than is said of it")
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
        _check_size(path)
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
