"""A loaded scene: bodies where they start, and what the file said of them; or every fault that keeps it from loading.

A `Fault` names place and remedy, a `SceneError` carries them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from teeter.engine.geometry.convex import bounds_of, solids_at
from teeter.engine.pose import Pose
from teeter.engine.world.body import Assembly, Body
from teeter.models.errors import LONGEST_VALUE, TeeterError, closest, shortened
from teeter.models.piece import Array, Piece
from teeter.scenes.schema import FORMAT, Head, PieceTable

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
"""Metres in each unit that a mesh file may be in."""
MAX_LINES, MAX_LINE = 20, 300
"""Faults that a message tells, and characters of each."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a scene.

    file: as the caller named it. problem: what is wrong and what is allowed instead. table: the TOML table
    or mesh node, such as `piece[3] "slab"` (counted from one). key: the key in that table. value: the wrong
    value as written. line: of the file, from one, where it is known.
    """

    file: str
    problem: str
    table: str = ""
    key: str = ""
    value: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        file = self.file if len(self.file) <= MAX_LINE // 2 else f"...{self.file[-MAX_LINE // 2 :]}"
        place = [f"{file}:{self.line}" if self.line else file]
        if self.table:
            place.append(self.table)
        if self.key:
            place.append(self.key if self.value is None else f"{self.key} = {self.value}")
        text = ": ".join([*place, self.problem])
        text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
        return text if len(text) <= MAX_LINE else text[: MAX_LINE - 4] + " ..."


class SceneError(TeeterError, ValueError):
    """A scene that cannot be loaded: `faults` is everything found wrong, `str()` a line for each of the first."""

    def __init__(self, faults: Iterable[Fault]):
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[:MAX_LINES]]
        if len(self.faults) > MAX_LINES:
            lines.append(f"... and {len(self.faults) - MAX_LINES} more")
        super().__init__("\n".join(lines))

    @classmethod
    def of(
        cls,
        file: str,
        problem: str,
        table: str = "",
        key: str = "",
        value: str | None = None,
        line: int | None = None,
    ) -> Self:
        """Returns the error of one fault."""
        return cls([Fault(file, problem, table, key, value, line)])

    def __reduce__(self) -> tuple[type[SceneError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class UnitAskedError(SceneError):
    """The size of a scene makes its unit doubtful."""


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when something like the word is known, else nothing."""
    close = closest(word, known)
    return f"; did you mean {close!r}?" if close else ""


def numbered(name: str, count: int) -> list[str]:
    """Returns the names of so many parts of one thing: its own for a single one."""
    return [name] if count == 1 else [f"{name}.{k + 1:0{len(str(count))}}" for k in range(count)]


def quote(value: object) -> str:
    """A value as a message repeats it, shortened; strings in double quotes, as TOML has them."""
    return shortened(f'"{value}"' if isinstance(value, str) else _toml_like(value))


def _toml_like(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(quote(item) for item in value[:10]) + ("]" if len(value) <= 10 else ", ...")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {quote(item)}" for key, item in list(value.items())[:10]) + " }"
    if isinstance(value, int) and abs(value) >= 10**LONGEST_VALUE:
        return "an integer of very many digits"  # str() of such a number may itself be refused
    return str(value)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A piece about to take its place. falls: its height is still to be found by drop placement.

    place: how messages call it. written: its table in the file; None when it comes from a mesh.
    """

    id: str
    place: str
    line: int | None
    piece: Piece
    pose: Pose
    fixed: bool = False
    falls: bool = False
    written: PieceTable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Where things start.

    name: the file's name without ending. title: its `name` key, else the name. path: None when not from a file.
    assembly: SI poses, the table first if there is one. dropped: ids of the pieces whose height was found by drop
    placement. head: what the file says beside its pieces. settle_mm: the gaps and overlaps that were allowed, also
    of pieces by their size, which are closed first. written: the tables of the pieces, by id, as `scenes.dump`
    needs them; pieces from a mesh have none. fitted: what was made of each mesh, or is not as another program has
    it. files: all that was read for it, its own file and its meshes. unit, up: of the file, as it was read. ground:
    the node that is the table, if any. left_out: what could be no piece, and need not. has_own_size: the table's
    size was given, so that it does not grow.
    """

    name: str
    title: str
    path: Path | None
    assembly: Assembly
    dropped: tuple[str, ...]
    head: Head
    settle_mm: float
    written: Mapping[str, PieceTable]
    fitted: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    unit: str = "mm"
    up: str = "z"
    ground: str = ""
    left_out: tuple[str, ...] = ()
    has_own_size: bool = False

    @classmethod
    def of(cls, assembly: Assembly) -> Scene:
        """Returns a scene of no file."""
        return cls(assembly.name, assembly.name, None, assembly, (), Head(teeter=FORMAT), 0.0, {})

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of all pieces, in order; the table is none."""
        return tuple(body.name for body in self.assembly.pieces)


def read_from(scene: Scene) -> dict[str, Any]:
    """What a scene was read as, as `check --json` prints it under `read`: millimetres and grams."""
    pieces, table = scene.assembly.pieces, scene.assembly.table
    bounds = [_bounds_of(body) for body in pieces]
    size = np.max([high for _, high in bounds], axis=0) - np.min([low for low, _ in bounds], axis=0)
    return {
        "pieces": len(scene.assembly.free),
        "supports": len(pieces) - len(scene.assembly.free),
        "size_mm": [round(1e3 * float(side), 3) for side in size],
        "mass_g": round(1e3 * sum(body.piece.mass for body in scene.assembly.free), 3),
        "unit": scene.unit,
        "up": scene.up,
        "table": table
        and {
            "size_mm": [round(1e3 * float(side), 3) for side in table.piece.extents[:2]],
            "top_mm": round(1e3 * (table.pose.position[2] + 0.5 * float(table.piece.extents[2])), 3),
        },
        "closed_mm": round(scene.settle_mm, 3),
        "loads": [load.name for body in pieces for load in body.loads],
    }


def _bounds_of(body: Body) -> tuple[Array, Array]:
    """The corners (3,) of a body's bounding box: that of its convex parts, whose round sides have corners that stick
    out, within its own."""
    low, high = bounds_of(solids_at(body.piece, body.pose))
    half = np.abs(body.pose.matrix) @ body.piece.extents / 2
    return np.maximum(low, body.pose.position - half), np.minimum(high, body.pose.position + half)


def read_in_words(scene: Scene) -> str:
    """What a scene was read as, in a line."""
    facts = read_from(scene)
    count, supports, table = facts["pieces"], facts["supports"], facts["table"]
    parts = [f"{count} piece{'s' * (count != 1)}"]
    parts += [f"{supports} support{'s' * (supports != 1)}"] if supports else []
    parts += [" x ".join(map(_digits, facts["size_mm"])) + " mm", _weight(facts["mass_g"])]
    text = ", ".join(parts) + f"; in {scene.unit}, {scene.up} up; "
    if table is None:
        return f"{text}no table"
    width, depth = table["size_mm"]
    name = f" ({scene.ground})" if scene.ground else ""
    height = f" at z = {table['top_mm']:.4g} mm" if table["top_mm"] else ""
    text += f"table {_digits(width)} x {_digits(depth)} mm{height}{name}"
    return f"{text}; gaps and overlaps up to {scene.settle_mm:.3g} mm closed" if scene.settle_mm else text


def _digits(mm: float) -> str:
    return f"{mm:.4g}" if mm < 1e4 else f"{mm:.0f}"


def _weight(grams: float) -> str:
    return (
        f"{grams:.4g} g"
        if grams < 1e3
        else f"{grams / 1e3:.4g} kg"
        if grams < 1e6
        else f"{_digits(grams / 1e6)} t"
    )


def without(scene: Scene, ids: Iterable[str]) -> Scene:
    """Returns the scene with some pieces taken out. Raises SceneError naming every id that it does not have."""
    known = scene.ids
    gone = set(ids) - {*scene.left_out}
    faults = [
        Fault(scene.name, f"there is no piece {name!r} to take out{nearest(name, known)}")
        for name in sorted(gone - set(known))
    ]
    if not faults and gone == set(known):
        faults = [Fault(scene.name, "no piece would be left: take out fewer")]
    if faults:
        raise SceneError(faults)
    return replace(
        scene,
        assembly=scene.assembly.without(gone),
        dropped=tuple(name for name in scene.dropped if name not in gone),
        written={name: table for name, table in scene.written.items() if name not in gone},
    )
