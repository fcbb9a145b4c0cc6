"""Loading scenes: from a TOML file, a mesh file, or by the name of a shipped scene."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from engine.geometry.convex import bounds_of, solids_at
from engine.pose import Pose
from engine.tolerances import MAX_OVERLAP
from engine.world import Assembly, Body
from models.errors import ModelError
from models.material import Material, material_named
from models.mesh_files import GLTF
from scenes.assemble import MM, Builder, drafts_of, lowest, put_together, table_body
from scenes.reading import Sheet, plain, read, sheet_of
from scenes.scene import Draft, Fault, Scene, SceneError, nearest, shown
from scenes.schema import FORMAT, Head, PieceTable, TableTop

SHIPPED = Path(__file__).resolve().parent
Z_UP = (
    "every piece overlaps the table: in a glTF file y is up, and this one seems to have z up; turn the scene by -90 "
    "degrees about x before it is written, or write a format in which z is up (.obj, .stl, .3mf, .ply)"
)
MESHES = (".glb", ".gltf", ".obj", ".stl", ".3mf", ".ply")
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
"""Metres in each unit that a mesh file may be in."""
MAX_SETTLE_MM = 1000.0
MAX_FIT_MM = 100.0

TableChoice = Literal["lowest", "none"]
Progressed = Callable[[int, int], None]
"""Told how much of the work is done, and of how much."""


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a scene is loaded; see `load`."""

    settle_mm: float = 0.0
    table: TableChoice | None = None
    fixed: tuple[str, ...] = ()
    material: str | None = None
    unit: str | None = None
    fit_mm: float = 0.0

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
    fitted: tuple[str, ...] = ()


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
    fit_mm: float = 0.0,
    progress: Progressed | None = None,
) -> Scene:
    """Load a scene. Raises SceneError with all its faults.

    path_or_name: a scene or mesh file; a bare name such as `arch` that is no file means a shipped scene.
    settle_mm: gaps and overlaps to allow, mm. table: `none`, or `lowest` to put it under everything; by
    default as the file says, for meshes at z = 0. fixed: names, with wildcards, of pieces that are supports.
    material: of pieces that name none. unit: of the numbers in a mesh file, one of mm, cm, m, in. fit_mm: of a mesh
    file, by how much corners may be off the planes, cylinders, spheres and cones that they become; 0: they stay.
    progress: told how many meshes of a mesh file are made, and of how many.
    """
    options = LoadOptions(settle_mm, table, tuple(fixed), material, unit, fit_mm)
    path, file = _find(path_or_name)
    content = _content(path, file, options, progress)
    if path.suffix.lower() in MESHES and table is None and len(content.drafts) == 1:
        content = replace(content, drafts=[_on_the_table(content.drafts[0])])
    try:
        return replace(_scene(path.stem, content, options, file), path=path)
    except SceneError:
        if path.suffix.lower() in GLTF and table is None and not content.faults and _is_z_up(content.drafts):
            raise SceneError([Fault(file, Z_UP)]) from None
        raise


def _is_z_up(drafts: list[Draft]) -> bool:
    """Whether every piece of a glTF file overlaps the table, and none would were z up in the file and not y."""
    table = table_body(TableTop())
    table_low, table_high = bounds_of(solids_at(table.piece, table.pose))
    boxes = [bounds_of(solids_at(draft.piece, draft.pose)) for draft in drafts]
    # z of the file is -y here
    return all(
        bool(np.all(np.minimum(high, table_high) - np.maximum(low, table_low) > MAX_OVERLAP))
        and high[1] <= MAX_OVERLAP
        for low, high in boxes
    )


def _on_the_table(draft: Draft) -> Draft:
    """The only piece of a file, let down onto the table wherever the file has it; over its middle, if it was beside."""
    x, y, z = draft.pose.position
    width, depth = (side * MM for side in TableTop().size)
    is_beside = abs(x) > width / 2 or abs(y) > depth / 2
    where = Pose((0.0, 0.0, z), draft.pose.orientation) if is_beside else draft.pose
    return draft if draft.fixed else replace(draft, pose=where, falls=True)


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
    bodies, dropped, written = _together(content, builder, options, file)
    assembly, head = Assembly(name, bodies), content.head
    return Scene(
        name,
        head.name or name,
        None,
        assembly,
        dropped,
        head.expect,
        options.settle_mm,
        written,
        content.fitted,
    )


def add(scene: Scene, path_or_name: str | Path, *, settle_mm: float | None = None) -> Scene:
    """The scene with the pieces of another file put in; that file's table is left out.

    Pieces without a height are dropped onto the scene. settle_mm: as for `load`, the scene's own when None. What the
    scene expects no longer holds, and is dropped. Raises SceneError.
    """
    options = LoadOptions(scene.settle_mm if settle_mm is None else settle_mm)
    path, file = _find(path_or_name)
    content = _content(path, file, options)
    taken = [draft for draft in content.drafts if draft.id in scene.ids]
    for draft in taken:
        problem = f'is taken by a piece of the scene "{scene.name}": choose another'
        content.faults.append(Fault(file, problem, draft.place, "id", shown(draft.id), draft.line))
    builder = Builder(scene.assembly.bodies)
    bodies, dropped, written = _together(content, builder, options, file)
    return replace(
        scene,
        assembly=Assembly(scene.assembly.name, bodies),
        dropped=scene.dropped + dropped,
        expect=None,
        settle_mm=max(scene.settle_mm, options.settle_mm),
        written={**scene.written, **written},
    )


def _together(
    content: Content, builder: Builder, options: LoadOptions, file: str
) -> tuple[tuple[Body, ...], tuple[str, ...], dict[str, PieceTable]]:
    """All bodies, and of the content which were dropped and what was written of each. Raises SceneError."""
    faults = list(content.faults)
    bodies, more = put_together(content.drafts, builder, options.allowed, file, is_whole=not faults)
    if faults or more:
        raise SceneError(faults + more)
    dropped = tuple(draft.id for draft in content.drafts if draft.falls)
    return bodies, dropped, {draft.id: draft.written for draft in content.drafts if draft.written is not None}


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
    there = " (`teeter scenes` lists those)" if not meant and path.name == file else ""
    raise SceneError([Fault(file, f"there is no such file, nor a shipped scene of this name{meant}{there}")])


def _content(path: Path, file: str, options: LoadOptions, progress: Progressed | None = None) -> Content:
    material = _checked(options, file)
    if path.suffix.lower() in MESHES:
        from scenes.meshes import read_meshes  # trimesh's loaders are slow to import

        unit, ground = UNITS[options.unit] if options.unit else None, None if options.table else 0.0
        drafts, faults, fitted = read_meshes(
            path, file, material, unit, options.fit_mm * MM, ground, progress
        )
        content = Content(Head(teeter=FORMAT), drafts, faults, fitted)
    elif path.suffix.lower() == ".toml" or path.suffix == "":
        if options.fit_mm:
            problem = "only mesh files are fitted; the pieces of scene files are regular"
            raise SceneError([Fault(file, problem, key="--fit", value=f"{options.fit_mm:g}")])
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
    if not (math.isfinite(options.fit_mm) and 0 <= options.fit_mm <= MAX_FIT_MM):
        problem = f"must be from 0 to {MAX_FIT_MM:g} mm"
        faults.append(Fault(file, problem, key="--fit", value=str(options.fit_mm)))
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
