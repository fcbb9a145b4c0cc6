"""How many objects and triangles a mesh file holds, counted in its bytes: before one is made."""

from __future__ import annotations

import re
import struct
from itertools import islice

from models.mesh_node import MAX_BODIES, check_bodies, check_triangles

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
        found = next(islice(heading.finditer(data), MAX_BODIES, None), None)
        if found is not None:
            line = data.count(b"\n", 0, found.start()) + 1
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
