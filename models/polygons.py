"""Polygons of a mesh file that are not flat: no file says where they are cut, so it must not hang on their order.

Two pieces that share a warped face list its corners from different starts, and readers cut from the first: the
triangles then gape or overlap. Here the cut starts at the corner with the smallest coordinates, the same for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from models.piece import Array, Ints

FLAT = 1e-6
"""Of a polygon's size: corners no farther off its plane are in it, and any cut gives the same face."""
_CORNERS = re.compile(rb"^[ \t]*v[ \t]", re.MULTILINE)
_POLYGONS = re.compile(rb"^[ \t]*f(?:[ \t]+[-\d/]+){4,}[ \t]*$", re.MULTILINE)


def cut_obj_alike(text: bytes) -> bytes:
    """Returns the text of an .obj file whose warped polygons begin with the corner of the smallest coordinates."""
    text = text.replace(b"\r\n", b"\n").replace(b"\\\n", b" ")
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
        found = cut_alike(polygons, corners)
    except (ValueError, IndexError):
        return text
    if found is None:
        return text
    head = [b"OFF", b"%d %d 0" % (count, len(found))]
    rows = [b"3 %d %d %d" % (a, b, c) for a, b, c in found.tolist()]
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


def cut_alike(polygons: Iterable[Array], corners: Array) -> Ints | None:
    """Returns triangles (n, 3) of polygons, warped ones cut from the corner of the smallest coordinates, others from
    their first; None where no polygon is warped."""
    fans, any_warped = [], False
    for polygon in polygons:
        order = np.asarray(polygon, dtype=np.int64).ravel()
        if len(order) > 3 and not is_flat(corners[order]):
            any_warped, order = True, np.roll(order, -start_of(corners[order]))
        fans += [(order[0], order[k], order[k + 1]) for k in range(1, len(order) - 1)]
    return np.array(fans, dtype=np.int64) if any_warped else None


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
