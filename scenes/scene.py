"""A loaded scene: bodies where they start, and what the file said about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.pose import Pose
from engine.world import TABLE, Assembly
from models.piece import Piece
from scenes.faults import Fault, SceneError, nearest
from scenes.schema import Expect, PieceTable


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A piece about to take its place. falls: its height is still to be found by letting it down.

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

    name: the file's name without ending. title: its `name` key, else the name. path: None when not from a
    file. assembly: SI poses, the table first if there is one. letdown: ids of the pieces whose height was
    found by letting them down. settle_mm: the gaps and overlaps that were allowed. written: the tables of the
    pieces, by id, as `scenes.dump` needs them; pieces from a mesh have none.
    """

    name: str
    title: str
    path: Path | None
    assembly: Assembly
    letdown: tuple[str, ...]
    expect: Expect | None
    settle_mm: float
    written: Mapping[str, PieceTable]

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of all pieces, in order; the table is none."""
        return tuple(body.name for body in self.assembly.bodies if body.name != TABLE)


def without(scene: Scene, ids: Iterable[str]) -> Scene:
    """The scene with some pieces taken out. Raises SceneError naming every id that it does not have."""
    gone = set(ids)
    known = scene.ids
    faults = [
        Fault(scene.name, f"there is no piece {name!r} to take out{nearest(name, known)}")
        for name in sorted(gone - set(known))
    ]
    if not faults and gone == set(known):
        faults = [Fault(scene.name, "no piece would be left")]
    if faults:
        raise SceneError(faults)
    bodies = tuple(body for body in scene.assembly.bodies if body.name not in gone)
    return replace(
        scene,
        assembly=Assembly(scene.assembly.name, bodies),
        letdown=tuple(name for name in scene.letdown if name not in gone),
        written={name: table for name, table in scene.written.items() if name not in gone},
    )
