"""Reading 3MF: a zip of XML. Objects are meshes, or made of other objects, each at a place; what is built is counted
before a mesh is made of the first.

Units, matrices and parts in other files are as the 3MF Core Specification 1.3 and its Production Extension 1.1 say.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from teeter.models.errors import MeshFileError
from teeter.models.mesh_node import UNITS, MeshNode, check_bodies, check_bytes, check_corners, check_triangles
from teeter.models.piece import Array

PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
KNOWN = (PRODUCTION, "http://schemas.microsoft.com/3dmanufacturing/material/2015/02")
"""Extensions that are read, or leave shapes alone."""
MAX_ENTRIES, MAX_DEPTH = 10_000, 100
MAX_USES = 50_000
"""Of objects by others and by what is built, however far down: groups are more than what they hold."""
ENTRY = b"PK\x01\x02"
"""How each entry of a zip's directory begins."""
MODEL = "3d/3dmodel.model"
ASIDE = ("support", "solidsupport", "other")
"""Types of objects that are no part of the model."""
Key = tuple[str, str]
"""An object: the file in the archive, and its id there."""


@dataclass(slots=True)
class _Object:
    name: str
    kind: str = ""
    corners: list[float] = field(default_factory=list)
    faces: list[int] = field(default_factory=list)
    parts: list[tuple[Key, Array]] = field(default_factory=list)


@dataclass(slots=True)
class _Content:
    """What has been read of an archive. items: what is built, where, and under which name."""

    objects: dict[Key, _Object] = field(default_factory=dict)
    items: list[tuple[Key, Array, str]] = field(default_factory=list)
    unit: float = UNITS["millimeter"]
    corners: int = 0
    triangles: int = 0
    components: int = 0


def read_3mf(path: Path, aside: list[tuple[str, str]] | None = None) -> list[MeshNode]:
    """Returns what a file builds, in its order. aside: takes the name and type of what is no part of the model, which
    is refused without it. Raises MeshFileError, or OSError."""
    try:
        count = path.read_bytes().count(ENTRY)
        if count > MAX_ENTRIES:
            raise MeshFileError(f"its archive has {count} entries; at most {MAX_ENTRIES} are allowed")
        with zipfile.ZipFile(path) as archive:
            check_bytes(sum(entry.file_size for entry in archive.infolist()))
            content = _read(archive)
    except MeshFileError:
        raise
    except KeyError as error:
        raise MeshFileError(f"cannot be read as .3mf: {error.args[0]!r} is missing") from None
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(expat.ExpatError, ValueError, OverflowError, LookupError),
    ) as error:
        raise MeshFileError(f"cannot be read as .3mf: {' '.join(str(error).split())[:150]}") from None
    return _nodes(content, path.stem, [] if aside is None else aside, may_leave=aside is not None)


def _read(archive: zipfile.ZipFile) -> _Content:
    names = {name.strip("/").lower(): name for name in archive.namelist()}
    if MODEL not in names:
        raise MeshFileError(f"cannot be read as .3mf: it has no {MODEL}")
    content = _Content()
    waiting, seen = [names[MODEL]], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name.strip("/").lower() not in names:
            continue  # an object in it is missed when it is built
        seen.add(name)
        reader = _Reader(name, content, is_root=len(seen) == 1)
        with archive.open(names[name.strip("/").lower()]) as stream:
            reader.read(stream)
        waiting += reader.others
    return content


class _Reader:
    """Reads one model of an archive."""

    def __init__(self, file: str, content: _Content, *, is_root: bool) -> None:
        self._file, self._content, self._is_root = file.strip("/").lower(), content, is_root
        self._object = _Object("")
        self._depth = 0
        self._spaces: dict[str | None, str | None] = {}
        self.others: list[str] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartNamespaceDeclHandler = self._spaces.setdefault

    def read(self, stream: object) -> None:
        """Raises MeshFileError or ExpatError."""
        self._parser.ParseFile(stream)  # type: ignore[arg-type]  # what a zip opens is read as any file

    def _refuse_doctype(self, *_: object) -> None:
        raise MeshFileError(f"{self._place()}: has a DOCTYPE, which may hide entities: take it out")

    def _place(self) -> str:
        return f"{self._file}:{self._parser.CurrentLineNumber}"

    def _end(self, name: str) -> None:
        self._depth -= 1

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise MeshFileError(f"{self._place()}: has more than {MAX_DEPTH} elements within each other")
        match name.rpartition(" ")[2]:
            case "vertex":
                self._object.corners += [
                    float(attributes["x"]),
                    float(attributes["y"]),
                    float(attributes["z"]),
                ]
                self._content.corners += 1
                check_triangles(self._content.corners // 3)
            case "triangle":
                self._object.faces += [int(attributes["v1"]), int(attributes["v2"]), int(attributes["v3"])]
                self._content.triangles += 1
                check_triangles(self._content.triangles)
            case "object":
                kind = attributes.get("type", "")
                self._object = _Object(attributes.get("name", ""), kind if kind in ASIDE else "")
                self._content.objects[self._file, attributes["id"]] = self._object
                check_bodies(len(self._content.objects), "objects or more", self._place())
            case "component":
                self._object.parts.append((self._meant(attributes), _matrix(attributes)))
                self._content.components += 1
                _check_uses(self._content.components, self._place())
            case "item" if self._is_root:
                self._content.items.append(
                    (self._meant(attributes), _matrix(attributes), attributes.get("partnumber", ""))
                )
                check_bodies(len(self._content.items), "items or more", self._place())
            case "model":
                self._model(attributes)

    def _model(self, attributes: dict[str, str]) -> None:
        needed = attributes.get("requiredextensions", "").split()
        if unknown := [extension for extension in needed if self._spaces.get(extension) not in KNOWN]:
            raise MeshFileError(
                f"{self._place()}: needs the extension {', '.join(unknown)[:60]}, which is not read: export it without"
            )
        if self._is_root:
            unit = attributes.get("unit", "millimeter")
            if unit not in UNITS:
                raise MeshFileError(
                    f"{self._place()}: names the unit {unit[:40]!r} (known: {', '.join(UNITS)})"
                )
            self._content.unit = UNITS[unit]

    def _meant(self, attributes: dict[str, str]) -> Key:
        """The object that a component or an item names, which may stand in another file of the archive."""
        other = attributes.get(f"{PRODUCTION} path")
        if other is not None:
            self.others.append(posixpath.normpath(other))
        file = self._file if other is None else posixpath.normpath(other).strip("/").lower()
        return file, attributes["objectid"]


def _matrix(attributes: dict[str, str]) -> Array:
    """(4, 4); the file has it by columns, without the last row."""
    matrix = np.eye(4)
    if "transform" in attributes:
        matrix[:3] = np.array([float(word) for word in attributes["transform"].split()]).reshape(4, 3).T
    return matrix


def _check_uses(count: int, place: str) -> None:
    if count > MAX_USES:
        raise MeshFileError(
            f"{place}: objects are used {count} times or more; at most {MAX_USES} are allowed"
        )


def _nodes(content: _Content, stem: str, aside: list[tuple[str, str]], *, may_leave: bool) -> list[MeshNode]:
    """Every mesh of what is built. Raises MeshFileError."""
    known: dict[Key, _Count] = {}
    total = _Count()
    for number, (key, _, _) in enumerate(content.items, start=1):
        total = total.plus(_count(content, key, known))
        place = f"item {number} of what is built"
        _check_uses(total.uses, place)
        check_bodies(total.meshes, "objects or more", place)
        check_triangles(total.triangles, place)
    meshes = {}
    for key, one in content.objects.items():
        corners = np.array(one.corners).reshape(-1, 3)
        faces = np.array(one.faces, dtype=np.int64).reshape(-1, 3)
        check_corners(corners, faces, "3mf")
        meshes[key] = corners, faces
    is_alone = sum(1 for _, faces in meshes.values() if len(faces)) == 1
    solids = [solid for item in content.items for solid in _placed(content, *item)]
    aside += [(name, kind) for _, _, name, kind in solids if kind]
    nodes = [
        MeshNode(stem if is_alone else name, key, *meshes[key], matrix, unit=content.unit)
        for key, matrix, name, kind in solids
        if not kind
    ]
    if aside and not (may_leave and nodes):
        name, kind = aside[0]
        raise MeshFileError(f'object "{name[:60]}" is of type "{kind}", no part of the model: take it out')
    return nodes


@dataclass(frozen=True, slots=True)
class _Count:
    """What an object comes to, however often its parts are used."""

    uses: int = 0
    meshes: int = 0
    triangles: int = 0

    def plus(self, other: _Count) -> _Count:
        return _Count(self.uses + other.uses, self.meshes + other.meshes, self.triangles + other.triangles)


def _count(content: _Content, start: Key, known: dict[Key, _Count]) -> _Count:
    """What an object comes to. Raises MeshFileError for one that is not there, or is made of itself."""
    waiting, around = [start], set[Key]()
    while waiting:
        key = waiting[-1]
        if key not in content.objects:
            raise MeshFileError(f"names object {key[1][:40]!r}, which it does not have")
        one = content.objects[key]
        missing = [part for part, _ in one.parts if part not in known]
        if key in known or not missing:
            own = _Count(1, int(bool(one.faces)), len(one.faces) // 3)
            for part, _ in one.parts:
                own = own.plus(known[part])
            known[key] = own
            around.discard(waiting.pop())
            continue
        if key in around:
            raise MeshFileError(f"is not valid 3MF: object {key[1][:40]!r} is made of itself")
        around.add(key)
        waiting += dict.fromkeys(missing)
    return known[start]


def _placed(
    content: _Content, key: Key, matrix: Array, partnumber: str
) -> Iterator[tuple[Key, Array, str, str]]:
    """The meshes of an object, each with its place, and its name and type: its own, else of what it is part of."""
    waiting = [(key, matrix, partnumber, "", "")]
    while waiting:
        key, matrix, label, outer, kind = waiting.pop()
        one = content.objects[key]
        name, kind = label or one.name or outer, one.kind or kind
        if one.faces:
            yield key, matrix, name or key[1], kind
        waiting += [(part, matrix @ turn, "", name, kind) for part, turn in reversed(one.parts)]
