"""Loading scenes: from a TOML file, a mesh file, or by the name of a shipped scene."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from engine.tolerances import MAX_OVERLAP
from engine.world import Assembly, Body
from models.errors import ModelError
from models.material import Material, material_named
from scenes.assemble import MM, Builder, drafts_of, lowest, put_together, table_body
from scenes.reading import Sheet, plain, read, sheet_of
from scenes.scene import Draft, Fault, Scene, SceneError, nearest, shown
from scenes.schema import FORMAT, Head, TableTop

SHIPPED = Path(__file__).resolve().parent
MESHES = (".glb", ".gltf", ".obj", ".stl", ".3mf", ".ply")
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
"""Metres in each unit that a mesh file may be in."""
MAX_SETTLE_MM = 1000.0

TableChoice = Literal["lowest", "none"]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a scene is loaded; see `load`."""

    settle_mm: float = 0.0
    table: TableChoice | None = None
    fixed: tuple[str, ...] = ()
    material: str | None = None
    unit: str | None = None

    @property
    def allowed(self) -> float:
        """Metres that pieces may overlap."""
        return max(MAX_OVERLAP, self.settle_mm * MM)


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, before it is put together."""

    head: Head
    drafts: list[Draft]
    faults: list[Fault]


def shipped() -> tuple[str, ...]:
    """The names of the scenes that come with teeter, sorted."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load(
    path_or_name: str | Path,
    *,
    settle_mm: float = 0.0,
    table: TableChoice | None = None,
    fixed: Iterable[str] = (),
    material: str | None = None,
    unit: str | None = None,
) -> Scene:
    """Load a scene. Raises SceneError with all its faults.

    path_or_name: a scene or mesh file; a bare name such as `arch` that is no file means a shipped scene.
    settle_mm: gaps and overlaps to allow, mm. table: `none`, or `lowest` to put it under everything; by
    default as the file says, for meshes at z = 0. fixed: names, with wildcards, of pieces that are supports.
    material: of pieces that name none. unit: of the numbers in a mesh file, one of mm, cm, m, in.
    """
    options = LoadOptions(settle_mm, table, tuple(fixed), material, unit)
    path, file = _find(path_or_name)
    return replace(_scene(path.stem, _content(path, file, options), options, file), path=path)


def build(
    pieces: Iterable[Mapping[str, Any]],
    *,
    name: str = "built",
    has_table: bool = True,
    settle_mm: float = 0.0,
) -> Scene:
    """A scene from its `[[piece]]` tables, as a file would have them. Raises SceneError with all faults.

    has_table: on the usual table. settle_mm: gaps and overlaps to allow, mm. Meshes: paths from the current
    folder.
    """
    options = LoadOptions(settle_mm)
    data: dict[str, Any] = {"teeter": FORMAT, "name": name, "piece": [plain(piece) for piece in pieces]}
    sheet = sheet_of(data if has_table else data | {"table": False}, name)
    return _scene(name, _drawn_up(sheet, Path(), name, _checked(options, name)), options, name)


def _scene(name: str, content: Content, options: LoadOptions, file: str) -> Scene:
    """The scene of a file's content, put together. Raises SceneError."""
    builder = Builder()
    top = lowest(content.drafts) if options.table == "lowest" else 0.0
    chosen = content.head.table or (TableTop() if options.table == "lowest" else None)
    if chosen is not None and options.table != "none":
        builder = Builder([table_body(chosen, top)])
    bodies, dropped, faults = _together(content, builder, options, file)
    if faults:
        raise SceneError(faults)
    written = {draft.id: draft.written for draft in content.drafts if draft.written is not None}
    assembly, head = Assembly(name, bodies), content.head
    return Scene(name, head.name or name, None, assembly, dropped, head.expect, options.settle_mm, written)


def add(
    scene: Scene,
    path_or_name: str | Path,
    *,
    settle_mm: float | None = None,
    fixed: Iterable[str] = (),
    material: str | None = None,
    unit: str | None = None,
) -> Scene:
    """The scene with the pieces of another file put in; that file's table is left out.

    Pieces without a height are dropped onto the scene. Options as for `load`; settle_mm is the scene's own
    when None. What the scene expects no longer holds, and is dropped. Raises SceneError.
    """
    settle = scene.settle_mm if settle_mm is None else settle_mm
    options = LoadOptions(settle, None, tuple(fixed), material, unit)
    path, file = _find(path_or_name)
    content = _content(path, file, options)
    taken = [draft for draft in content.drafts if draft.id in scene.ids]
    for draft in taken:
        problem = f'is taken by a piece of the scene "{scene.name}": choose another'
        content.faults.append(Fault(file, problem, draft.place, "id", shown(draft.id), draft.line))
    builder = Builder(scene.assembly.bodies)
    bodies, dropped, faults = _together(content, builder, options, file)
    if faults:
        raise SceneError(faults)
    more = {draft.id: draft.written for draft in content.drafts if draft.written is not None}
    return replace(
        scene,
        assembly=Assembly(scene.assembly.name, bodies),
        dropped=scene.dropped + dropped,
        expect=None,
        settle_mm=max(scene.settle_mm, settle),
        written={**scene.written, **more},
    )


def _together(
    content: Content, builder: Builder, options: LoadOptions, file: str
) -> tuple[tuple[Body, ...], tuple[str, ...], list[Fault]]:
    faults = list(content.faults)
    bodies, more = put_together(content.drafts, builder, options.allowed, file, is_whole=not faults)
    dropped = tuple(draft.id for draft in content.drafts if draft.falls)
    return bodies, dropped, faults + more


def _find(path_or_name: str | Path) -> tuple[Path, str]:
    """The file meant, and how messages call it."""
    path, file = Path(path_or_name), str(path_or_name)
    name = file.removesuffix(".toml")
    try:
        if path.is_file():
            return path, file
        if path.is_dir():
            raise SceneError([Fault(file, "is a folder; give a scene file")])
        if name not in shipped() and path.exists():
            raise SceneError([Fault(file, "is not a regular file")])
    except OSError as error:
        raise SceneError([Fault(file, f"there is no such file: {error.strerror}")]) from None
    if name in shipped():
        return SHIPPED / f"{name}.toml", f"{name}.toml"
    beside = [other.name for other in path.parent.glob("*") if other.suffix in (".toml", *MESHES)]
    meant = nearest(path.name, beside) or nearest(name, shipped())
    there = f" (shipped scenes: {', '.join(shipped())})" if not meant and path.name == file else ""
    raise SceneError([Fault(file, f"there is no such file, nor a shipped scene of this name{meant}{there}")])


def _content(path: Path, file: str, options: LoadOptions) -> Content:
    material = _checked(options, file)
    if path.suffix.lower() in MESHES:
        from scenes.meshes import read_meshes  # trimesh's loaders are slow to import

        drafts, faults = read_meshes(path, file, material, UNITS[options.unit] if options.unit else None)
        content = Content(Head(teeter=FORMAT), drafts, faults)
    elif path.suffix.lower() == ".toml" or path.suffix == "":
        if options.unit is not None:
            problem = "only mesh files have a unit; scene files are in mm"
            raise SceneError([Fault(file, problem, key="--unit", value=options.unit)])
        content = _drawn_up(read(path, file), path.parent, file, material)
    else:
        known = ", ".join((".toml", *MESHES))
        raise SceneError([Fault(file, f"{path.suffix} is not a kind of scene file (allowed: {known})")])
    return replace(content, drafts=_fix(content, options.fixed, file))


def _drawn_up(sheet: Sheet, folder: Path, file: str, material: Material) -> Content:
    """The pieces of a scene's tables. folder: where paths of meshes start."""
    drafts, faults = drafts_of(sheet.pieces, folder, file, material)
    return Content(sheet.head, drafts, [*sheet.faults, *faults])


def _checked(options: LoadOptions, file: str) -> Material:
    """The default material. Raises SceneError for options that no file could make right."""
    faults = []
    if not (math.isfinite(options.settle_mm) and 0 <= options.settle_mm <= MAX_SETTLE_MM):
        problem = f"must be from 0 to {MAX_SETTLE_MM:g} mm"
        faults.append(Fault(file, problem, key="--settle", value=str(options.settle_mm)))
    if options.table not in (None, "lowest", "none"):
        faults.append(Fault(file, "must be lowest or none", key="--table", value=str(options.table)))
    if options.unit is not None and options.unit not in UNITS:
        faults.append(Fault(file, f"must be one of {', '.join(UNITS)}", key="--unit", value=options.unit))
    material: Material | None = None
    try:
        material = material_named(options.material or "beech")
    except ModelError as error:
        faults.append(Fault(file, str(error), key="--material", value=options.material))
    if faults:
        raise SceneError(faults)
    return cast(Material, material)


def _fix(content: Content, globs: Sequence[str], file: str) -> list[Draft]:
    """The drafts with those fixed that a pattern names; a pattern that names none is a fault."""
    names = [draft.id for draft in content.drafts]
    for glob in globs:
        if not fnmatch.filter(names, glob) and not content.faults:
            problem = f"there is no piece of this name{nearest(glob, names)}"
            content.faults.append(Fault(file, problem, key="--fixed", value=glob))
    return [
        replace(draft, fixed=draft.fixed or any(fnmatch.fnmatchcase(draft.id, glob) for glob in globs))
        for draft in content.drafts
    ]
