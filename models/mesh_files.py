"""Reading mesh files: where each node's triangles are, and no more.

trimesh reads .obj, .stl, .ply and .off, once their counts have been looked at: files come from anywhere.

No file says where a polygon that is not flat is cut. Two pieces that share a warped face list its corners from
different starts, and readers cut from the first: the triangles then gape or overlap. Here the cut starts at the corner
with the smallest coordinates, the same for both.
"""

import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from teeter.models.errors import MeshFileError
from teeter.models.gltf_file import read_gltf
from teeter.models.mesh_node import UNITS, MeshNode, check_bytes, check_corners, check_counts, check_parts
from teeter.models.piece import Array, Ints
from teeter.models.threemf_file import read_3mf


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


@dataclass(frozen=True, slots=True, eq=False)
class GivenMeshes:
    """Meshes that a script has, read like a file that says neither unit nor axis."""

    nodes: list[MeshNode]
    stem: str
    suffix: str = ".stl"


def read_nodes(path: Path, aside: list[tuple[str, str]] | None = None) -> list[MeshNode]:
    """Returns the meshes of a file in its order. aside: as for `read_3mf`. Raises MeshFileError, in words without the
    file's name, or OSError."""
    check_bytes(path.stat().st_size)
    kind = path.suffix.lower()
    nodes = (
        read_gltf(path) if kind in GLTF else read_3mf(path, aside) if kind == ".3mf" else _read_other(path)
    )
    check_parts(nodes)
    return nodes


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
    data = path.read_bytes()
    check_counts(data, kind)
    options: dict[str, Any] = {"split_objects": True, "skip_materials": True} if kind == "obj" else {}
    try:
        alike = {"obj": cut_obj_alike, "off": cut_off_alike}.get(kind)
        source = io.BytesIO(alike(data) if alike else data)
        scene = trimesh.load_scene(source, file_type=kind, process=False, **options)
    except ImportError as error:
        if error.name == "charset_normalizer":  # trimesh would guess at the letters with it
            raise MeshFileError(f"cannot be read as {path.suffix}: holds text that is not UTF-8") from None
        raise MeshFileError(f"cannot be read as {path.suffix}: {error}") from None
    except Exception as error:  # the readers raise whatever a broken file leads them to
        raise MeshFileError(f"cannot be read as {path.suffix}: {error or type(error).__name__}") from None
    return _nodes_in(scene, kind, path.stem)


def nodes_of(source: object, name: str) -> list[MeshNode]:
    """Returns the meshes of a `trimesh.Scene`, a `trimesh.Trimesh`, or corners (n, 3) and triangles (f, 3).

    name: of a mesh that has none. Raises MeshFileError for anything else.
    """
    import trimesh

    if isinstance(source, tuple | list) and len(source) == 2:
        try:
            corners, faces = np.asarray(source[0], dtype=float), np.asarray(source[1])
        except (TypeError, ValueError):
            corners = faces = np.zeros(0)
        if corners.shape[1:] != (3,) or faces.shape[1:] != (3,) or faces.dtype.kind not in "iu":
            raise MeshFileError("must be corners (n, 3) and triangles (f, 3) of whole numbers")
        source = trimesh.Trimesh(corners, faces.astype(np.int64), process=False)
    if isinstance(source, trimesh.Trimesh):
        source = trimesh.Scene(dict[str, trimesh.parent.Geometry]({name: source}))
    if not isinstance(source, trimesh.Scene):
        kinds = "a trimesh.Scene, a trimesh.Trimesh, or corners and triangles"
        raise MeshFileError(f"is no scene: give the name of a file, {kinds} (found {type(source).__name__})")
    nodes = _nodes_in(source, "given", name)
    check_parts(nodes)
    return nodes


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
            check_corners(vertices, faces, kind)
            unit = UNITS.get(str(mesh.units).removesuffix("s")) if kind == "given" else None
            label = stem if len(scene.geometry) == 1 and kind != "given" else str(name)
            nodes.append(MeshNode(label, key, vertices, faces, np.asarray(matrix, dtype=float), unit=unit))
    return nodes


def _cut_ply_alike(raw: Any, corners: Array, faces: Ints) -> Ints:
    """The triangles of a .ply file, its warped polygons cut where all agree. raw: its elements, as trimesh has them."""
    try:
        lists = raw["face"]["data"]
        names = getattr(getattr(lists, "dtype", None), "names", None) or tuple(lists)
        column = lists[next(name for name in names if name in ("vertex_indices", "vertex_index"))]
        # of binary files each list comes with its length, `f0`
        polygons = column["f1"] if getattr(column.dtype, "names", None) else column
        triangles, any_warped = cut_alike(polygons, corners)
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
        return faces
    return triangles if any_warped else faces


FLAT = 1e-6
"""Of a polygon's size: corners no farther off its plane are in it, and any cut gives the same face."""
_CORNERS = re.compile(rb"^[ \t]*v[ \t]", re.MULTILINE)
_RELATIVE = re.compile(rb"^[ \t]*[flp][ \t][^#\n]*-", re.MULTILINE)
_POLYGONS = re.compile(rb"^[ \t]*f(?:[ \t]+[-\d/]+){4,}[ \t]*$", re.MULTILINE)


def cut_obj_alike(text: bytes) -> bytes:
    """Returns the text of an .obj file whose warped polygons begin with the corner of the smallest coordinates."""
    text = _counted(text.replace(b"\r\n", b"\n").replace(b"\\\n", b" "))
    if not _POLYGONS.search(text):
        return text
    corners: list[Array] = []
    lines = text.split(b"\n")
    for row, line in enumerate(lines):
        if _CORNERS.match(line):
            corners.append(_corner(line))
        elif _POLYGONS.match(line):
            lines[row] = _begun(line.split(), corners)
    return b"\n".join(lines)


def _counted(text: bytes) -> bytes:
    """Returns the text of an .obj file whose elements name what they use by its number from the start. A number below
    zero counts back from what was read until then; trimesh counts back from the end of the file."""
    if not _RELATIVE.search(text):
        return text
    read = {b"v": 0, b"vt": 0, b"vn": 0}
    lines = text.split(b"\n")
    for row, line in enumerate(lines):
        word, *refs = line.split(b"#")[0].split() or [b""]
        if word in read:
            read[word] += 1
        elif word in (b"f", b"l", b"p"):
            lines[row] = b" ".join([word, *(_from_start(ref, *read.values()) for ref in refs)])
    return b"\n".join(lines)


def _from_start(ref: bytes, *read: int) -> bytes:
    """Returns `v/vt/vn` with numbers from the start. read: how many of each there are until then."""
    numbers = []
    for part, count in zip(ref.split(b"/"), read, strict=False):
        if part.startswith(b"-"):
            if int(part) < -count:
                raise ValueError(f"{ref.decode()} counts back to before the first")
            part = b"%d" % (count + 1 + int(part))
        numbers.append(part)
    return b"/".join(numbers)


def cut_off_alike(text: bytes) -> bytes:
    """Returns the text of an .off file with its warped polygons cut into triangles, as `cut_alike` does; the same text
    where none is warped, or where it is no such file."""
    lines = [line.split(b"#")[0].split() for line in text.replace(b"\r\n", b"\n").split(b"\n")]
    lines = [words for words in lines if words]
    try:
        if lines[0][0].upper() != b"OFF":
            return text
        rest = [lines[0][1:], *lines[1:]] if len(lines[0]) > 1 else lines[1:]
        count, faces = int(rest[0][0]), int(rest[0][1])
        corners = np.array([[float(word) for word in words[:3]] for words in rest[1 : 1 + count]])
        polygons = [
            np.array([int(word) for word in words[1 : 1 + int(words[0])]])
            for words in rest[1 + count : 1 + count + faces]
        ]
        triangles, any_warped = cut_alike(polygons, corners)
    except (ValueError, IndexError):
        return text
    if not any_warped:
        return text
    head = [b"OFF", b"%d %d 0" % (count, len(triangles))]
    rows = [b"3 %d %d %d" % (a, b, c) for a, b, c in triangles.tolist()]
    return b"\n".join([*head, *(b" ".join(words[:3]) for words in rest[1 : 1 + count]), *rows, b""])


def _corner(line: bytes) -> Array:
    try:
        return np.array([float(word) for word in line.split()[1:4]])
    except ValueError:
        return np.zeros(0)


def _begun(words: list[bytes], corners: list[Array]) -> bytes:
    """A face line, begun where all agree; as it is where it is flat or names corners that are not there."""
    plain, refs = b" ".join(words), words[1:]
    try:
        numbers = [int(ref.split(b"/")[0]) for ref in refs]
        points = [corners[number - 1 if number > 0 else len(corners) + number] for number in numbers]
    except (ValueError, IndexError):
        return plain
    if any(len(point) != 3 for point in points) or is_flat(np.array(points)):
        return plain
    first = start_of(np.array(points))
    return b" ".join([words[0], *refs[first:], *refs[:first]])


def cut_alike(polygons: Iterable[Array], corners: Array) -> tuple[Ints, bool]:
    """Returns triangles (n, 3) of polygons, warped ones cut from the corner of the smallest coordinates, others from
    their first; and whether any is warped."""
    fans, any_warped = [], False
    for polygon in polygons:
        order = np.asarray(polygon, dtype=np.int64).ravel()
        if len(order) > 3 and not is_flat(corners[order]):
            any_warped, order = True, np.roll(order, -start_of(corners[order]))
        fans += [(order[0], order[k], order[k + 1]) for k in range(1, len(order) - 1)]
    return np.array(fans, dtype=np.int64).reshape(-1, 3), any_warped


def is_flat(points: Array) -> bool:
    """Returns whether corners (n, 3) lie in one plane."""
    away = points - points.mean(axis=0)
    size = float(np.abs(away).max())
    if not 0 < size < np.inf:
        return True
    return bool(np.linalg.svd(away / size, compute_uv=False)[-1] <= FLAT)


def start_of(points: Array) -> int:
    """Returns the number of the corner with the smallest coordinates, x before y before z."""
    return int(np.lexsort(points.T[::-1])[0])
