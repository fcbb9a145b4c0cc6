"""A mesh somewhere in a file, and how much a file may hold: refused before anything is made of it."""

import re
import struct
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from teeter.models.errors import MeshFileError
from teeter.models.hulls import alike_rows, groups_of
from teeter.models.piece import Array, Ints

MAX_BYTES = 100_000_000
MAX_BODIES = 5000
"""Objects, nodes or parts of a file: more than any table holds."""
MAX_TRIANGLES = 400_000
"""In all nodes together, instances counted each time."""
FEWEST_FACES = 4
"""Of a solid."""
SINGLE_PRECISION = 2.0**-23
"""Relative error of coordinates stored with 24 bits, as most files do."""
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From glTF's axes, Y up, to ours, Z up: a quarter turn about x."""
UNITS = {
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
"""Metres, of the units that a 3MF file or a mesh of trimesh may name."""


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


def check_bytes(size: float) -> None:
    """Raises MeshFileError when a file has too many bytes."""
    if size > MAX_BYTES:
        raise MeshFileError(f"has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read")


def check_triangles(count: int, place: str = "") -> None:
    """Raises MeshFileError when a file has too many triangles. place: where it says how many."""
    if count > MAX_TRIANGLES:
        if place:
            raise MeshFileError(f"{place}: there are {count} triangles; at most {MAX_TRIANGLES} are allowed")
        raise MeshFileError(f"has more than {MAX_TRIANGLES} triangles")


def check_bodies(count: int, what: str, place: str) -> None:
    """Raises MeshFileError when a file has too many bodies. what: they are called. place: of the first too many."""
    if count > MAX_BODIES:
        raise MeshFileError(f"{place}: there are {count} {what}; at most {MAX_BODIES} are allowed")


def check_parts(nodes: Sequence[MeshNode]) -> None:
    """Raises MeshFileError for too many triangles, or when they make too many parts that share no corner."""
    triangles = sum(len(node.faces) for node in nodes)
    check_triangles(triangles)
    if triangles <= FEWEST_FACES * MAX_BODIES:
        return
    parts: dict[Hashable, int] = {}
    count = 0
    for node in nodes:
        if node.key not in parts:
            _, corners = merged_corners(node.vertices, node.faces)
            a, b, c = corners.T
            groups = groups_of(
                int(corners.max(initial=-1)) + 1, np.concatenate([a, b]), np.concatenate([b, c])
            )
            parts[node.key] = len(np.unique(groups[corners]))
        count += parts[node.key]
        check_bodies(count, "parts or more", f'node "{node.name[:60]}"')


def merged_corners(vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    """Returns the mesh with corners at the same place, as files round it, made one; faces that vanish are left out."""
    grain = 4 * SINGLE_PRECISION * max(float(np.abs(vertices).max(initial=0.0)), np.finfo(float).tiny)
    rounded = np.round(vertices / grain)
    first, kind = alike_rows(rounded)
    corners = kind[faces]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    return vertices[first], corners.astype(np.int64)


OBJECTS = {
    kind: [re.compile(rb"^[ \t]*%b(?=[ \t\r\n])" % word, re.MULTILINE) for word in words]
    for kind, words in (("obj", (b"o", b"g")), ("stl", (b"solid",)))
}
"""How objects begin in formats of lines."""
_FACE = re.compile(rb"^[ \t]*f[ \t]", re.MULTILINE)
_CORNER = re.compile(rb"^[ \t]*v[ \t]", re.MULTILINE)
_ELEMENT = re.compile(rb"^element[ \t]+(\w+)[ \t]+(\d+)", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*")
LONGEST_HEAD = 100_000
"""Bytes in which a file says how much it holds."""
STL_HEAD, STL_FACET = 84, 50
LONGEST_NUMBER = 18


def check_counts(data: bytes, kind: str) -> None:
    """Raises MeshFileError, with its place, for more objects or triangles than a file may hold. kind: its ending."""
    for heading in OBJECTS.get(kind, ()):
        match = next(islice(heading.finditer(data), MAX_BODIES, None), None)
        if match is not None:
            line = data.count(b"\n", 0, match.start()) + 1
            check_bodies(len(heading.findall(data)), "objects", f"line {line}")
    if kind == "stl":
        _check_stl(data)
    elif kind == "obj":
        # each corner that a polygon has more than three is a triangle more, which needs a place in the file
        check_triangles(sum(1 for _ in _FACE.finditer(data)), "its lines that begin with f")
        check_triangles(sum(1 for _ in _CORNER.finditer(data)) // 3, "its lines that begin with v")
    elif kind == "ply":
        head = data[:LONGEST_HEAD].partition(b"end_header")[0].replace(b"\r", b"\n")
        for name, count in _ELEMENT.findall(head):
            triangles = _number(count) // (3 if name == b"vertex" else 1)
            check_triangles(triangles, f"its head, element {name[:20].decode()}")
    elif kind == "off":
        words = _COMMENT.sub(b"", data[:LONGEST_HEAD]).split(maxsplit=4)
        counts = [word for word in words[:4] if word.isdigit()]
        for word, corners in zip(counts, (3, 1), strict=False):
            check_triangles(_number(word) // corners, "its head")


def _check_stl(data: bytes) -> None:
    """Of a binary file, whose length fits its count, or of one in words."""
    count = struct.unpack_from("<I", data, STL_HEAD - 4)[0] if len(data) >= STL_HEAD else 0
    if len(data) == STL_HEAD + STL_FACET * count:
        check_triangles(count, "its head")
    else:
        check_triangles(data.count(b"endloop"), "its facets")


def _number(word: bytes) -> int:
    """A count; of more digits than any file has bytes, one that is too large."""
    return int(word[:LONGEST_NUMBER])


def check_corners(corners: Array, faces: Ints, kind: str) -> None:
    """Raises MeshFileError where a corner has not three numbers, or a triangle one that is not there."""
    fault = "corners have no three numbers" if corners.shape[1:] != (3,) else ""
    wrong = np.argwhere((faces < 0) | (faces >= len(corners)))
    if not fault and len(wrong):
        triangle, at = wrong[0].tolist()
        fault = f"triangle {triangle} has corner {faces[triangle, at]}, of {len(corners)} counted from 0"
    if fault:
        raise MeshFileError(f"cannot be read{'' if kind == 'given' else f' as .{kind}'}: {fault}")
