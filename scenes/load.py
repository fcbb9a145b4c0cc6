"""Loading scenes: from a TOML file, a mesh file, or by the name of a shipped scene."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.models.errors import MeshFileError, ModelError
from teeter.models.material import Material, material_named
from teeter.models.mesh_files import ELSEWHERE, GLTF, KINDS, UNSAID, GivenMeshes, files_of, nodes_of
from teeter.models.shapes import Mesh
from teeter.scenes.assemble import MM, Builder, drafts_of, grown, lowest, put_together, reaching, table_body
from teeter.scenes.content import Content, LoadOptions, unit_name
from teeter.scenes.given import as_table
from teeter.scenes.loads import loaded, paired, rubbed
from teeter.scenes.reading import GivenText, Sheet, place_of, plain, read, sheet_of
from teeter.scenes.scene import UNITS, Draft, Fault, Scene, SceneError, UnitAskedError, nearest, quote
from teeter.scenes.schema import FORMAT, PieceTable, TableTop, tables_of_all

SHIPPED = Path(__file__).resolve().parent
MESHES = tuple(KINDS)
TURNED = (*UNSAID, *GLTF)
"""Mesh files whose axis that points up may be given: those that do not say, and glTF, where it is y, because many
programs write what has z up as it is."""
FORMATS = {
    **dict.fromkeys((".xml", ".mjcf"), "mjcf"),
    ".urdf": "urdf",
    **dict.fromkeys((".sdf", ".world"), "sdf"),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), "usd"),
    ".json": "compas",
}
"""Scenes of other programs, which say their unit and which axis is up: the module that reads each."""
_REGULAR = "only the bodies of mesh files are regrouped; in scene files every piece is one"
REFUSED = {
    "mesh": {"--up": f"{{}} files say which axis is up; only {', '.join(TURNED)} files take it"},
    "format": dict.fromkeys(
        ("--fit", "--up", "--unit"), "{} files say what they are in, and are not fitted: leave it out"
    ),
    "scene": {
        "--fit": "only mesh files are fitted; the pieces of scene files are regular",
        "--unite": _REGULAR,
        "--split": _REGULAR,
        "--unit": "only mesh files have a unit; scene files are in mm",
        "--up": "only mesh files have another axis up; in scene files it is z",
    },
}
"""Options that say nothing about files of a kind, and what is told of them."""
MAX_SETTLE_MM = 1000.0
MAX_FIT_MM = 100.0

Source = Path | GivenMeshes | GivenText
GIVEN = "mesh"
"""How messages, and pieces without a name, call what a script gives instead of a file."""
TableChoice = str | float | tuple[float, float]
"""`lowest`, `none`, or a size in mm: one of both sides, two, or as words, `600x400`."""
Progressed = Callable[[int, int], None]
"""Told how much of the work is done, and of how much."""

LEAST = 1e-3
"""Metres that some piece of a scene in mm measures at least."""


def shipped() -> tuple[str, ...]:
    """The names of the scenes that come with teeter, sorted."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load(
    path_or_name: str | Path | object,
    *,
    settle_mm: float = 0.0,
    table: TableChoice | None = None,
    fixed: Iterable[str] = (),
    material: str | None = None,
    unit: str | None = None,
    fit_mm: float = 0.0,
    up: str | None = None,
    drop: bool = False,
    excused: Iterable[str] = (),
    unite: Iterable[str] = (),
    split: bool = False,
    progress: Progressed | None = None,
) -> Scene:
    """Load a scene. Raises SceneError with all its faults.

    path_or_name: a scene or mesh file; a bare name such as `arch` that is no file means a shipped scene. Also meshes
    themselves: a `trimesh.Scene`, a `trimesh.Trimesh`, or corners and triangles, as of a file that says no unit.
    settle_mm: gaps and overlaps to allow, mm. table: `none`, `lowest` to put it under everything, or its size in mm,
    `600x400`; by default as the file says, for meshes at z = 0, and reaching under everything. fixed: names, with
    wildcards, of pieces that are supports. material: of pieces that name none. unit: of the numbers in a mesh file, one
    of mm, cm, m, in. fit_mm: of a mesh file, by how much corners may be off the planes, cylinders, spheres and cones
    that they become; 0: they stay. up: the axis that points up in a mesh file but 3MF; by default z, in glTF y.
    drop: take pieces that nothing carries, which are to fall. excused: pieces that will be taken out, and whose faults
    are none. unite: names, with wildcards, of nodes of a mesh file that are one piece. split: cut what is not convex in
    it into convex blocks, each a piece. progress: told how many meshes of a mesh file are made, and of how many.
    """
    path, file = _source(path_or_name)
    choice, size = _table_of(table, file)
    options = LoadOptions(
        settle_mm,
        choice,
        tuple(fixed),
        material,
        unit,
        fit_mm,
        up,
        drop,
        size,
        frozenset(excused),
        tuple(unite),
        split,
    )
    try:
        scene = _load(path, file, options, progress)
        if options.table == "lowest":
            _ask_for_axis(path, file, options)
        return scene
    except SceneError as refused:
        hint = _other_way_up(path, file, options, refused)
        if not hint:
            raise
        hinted = Fault(file, hint)  # before faults that may be too many to be shown
        is_unit = isinstance(refused, UnitAskedError)
        raise SceneError([*refused.faults, hinted] if is_unit else [hinted, *refused.faults]) from None


def _table_of(
    table: TableChoice | None, file: str
) -> tuple[Literal["lowest", "none"] | None, tuple[float, float] | None]:
    """Where the table is put, and its size in mm where that is said. Raises SceneError."""
    if table is None or table == "lowest" or table == "none":
        return table, None  # type: ignore[return-value]  # words of other types are compared above
    sides = table.lower().split("x") if isinstance(table, str) else table
    try:
        numbers = [float(side) for side in (sides if isinstance(sides, list | tuple) else [sides])]
        if len(numbers) in (1, 2):
            return None, TableTop(size=(numbers[0], numbers[-1])).size
    except (TypeError, ValueError):
        pass
    problem = "must be lowest, none, or a size in mm such as 600 or 600x400"
    raise SceneError.of(file, problem, key="--table", value=str(table))


def _ask_for_axis(path: Source, file: str, options: LoadOptions) -> None:
    """Raises SceneError where pieces lie well on z = 0 with another axis up, and do not with the usual one: putting the
    table under everything would answer for a scene on its side."""
    as_it_is = replace(options, table=None)
    try:
        _load(path, file, as_it_is)
    except SceneError as refused:
        if hint := _other_way_up(path, file, as_it_is, refused):
            usual = KINDS[path.suffix.lower()].up
            problem = f"with {usual} up its pieces lie badly on z = 0; {hint} (--up {usual} says that this is meant)"
            raise SceneError.of(file, problem) from None


def _other_way_up(path: Source, file: str, options: LoadOptions, refused: SceneError) -> str:
    """The question whether another axis is up, when the pieces of a file would lie well so."""
    ending = path.suffix.lower()
    if ending not in TURNED or options.up is not None or options.table is not None:
        return ""
    asked = isinstance(refused, UnitAskedError)
    trial = replace(options, unit="m") if asked else options
    for up in "zyx" if asked else "zx" if ending in GLTF else "yx":
        try:
            _load(path, file, replace(trial, up=up))
        except SceneError:
            continue
        return "" if up == "z" and asked else f"is {up} up in it? its pieces lie well so: --up {up}"
    return ""


def _load(path: Source, file: str, options: LoadOptions, progress: Progressed | None = None) -> Scene:
    """The scene of a file. Raises SceneError."""
    table = options.table
    content = _content(path, file, options, progress)
    is_alone = len(content.drafts) == 1 and not content.ground
    if path.suffix.lower() in MESHES and table is None and options.size is None and is_alone:
        content = replace(content, drafts=[_on_the_table(content.drafts[0])])
    where = path if isinstance(path, Path) else None
    return replace(_scene(path.stem, content, options, file), path=where, files=_files(content, where))


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
    drop: bool = False,
    loads: Iterable[Mapping[str, Any]] = (),
    pairs: Iterable[Mapping[str, Any]] = (),
) -> Scene:
    """A scene from its `[[piece]]` tables, as a file would have them. Raises SceneError with all faults.

    A piece may also have a `pose`, a (4, 4) matrix in mm instead of position and rotation, and a `mesh`, a
    `trimesh.Trimesh` or corners and triangles in mm instead of model and shape, which lies where it is unless it is
    placed. has_table: on the usual table. settle_mm: gaps and overlaps to allow, mm. drop: take pieces that nothing
    carries. loads, pairs: `[[load]]` and `[[pair]]` tables. Meshes: paths from the current folder.
    """
    options = LoadOptions(settle_mm, drop=drop)
    tables = [as_table(piece, number, name) for number, piece in enumerate(pieces, start=1)]
    data: dict[str, Any] = {"teeter": FORMAT, "name": name, "piece": [plain(row) for row, _ in tables]}
    data |= {"load": [plain(row) for row in loads], "pair": [plain(row) for row in pairs]}
    sheet = sheet_of(data if has_table else data | {"table": False}, name)
    meshes = {
        place_of(number, row.get("id")): mesh for number, (row, mesh) in enumerate(tables, start=1) if mesh
    }
    written = tuple(replace(one, mesh=meshes.get(one.place)) for one in sheet.pieces)
    sheet = replace(sheet, pieces=written)
    content = _drawn_up(sheet, Path(), name, _default_material(options, name))
    return replace(_scene(name, content, options, name), files=_files(content))


def _scene(name: str, content: Content, options: LoadOptions, file: str) -> Scene:
    """The scene of a file's content, put together. Raises SceneError."""
    longest = max((float(draft.piece.extents.max()) for draft in content.drafts), default=LEAST)
    if content.unit == "mm" and options.unit is None and longest < LEAST:
        problem = f"its longest piece has {longest / MM:.2g} mm; lengths are in mm: is it written in metres?"
        raise SceneError.of(file, problem)
    # bytes of a file's name that are no UTF-8 come as halves of surrogates, which nothing can be written with
    name, title = (
        one.encode(errors="backslashreplace").decode() for one in (name, content.head.name or name)
    )
    builder = Builder()
    top = content.ground.height if content.ground else 0.0
    if options.table == "lowest":
        top = min(top, lowest(content.drafts)) if content.ground else lowest(content.drafts)
    chosen = content.head.table or (TableTop() if options.table == "lowest" or options.size else None)
    if chosen is not None and options.size:
        chosen = chosen.model_copy(update={"size": options.size})
    if chosen is not None and options.table != "none":
        builder = Builder([table_body(reaching(chosen, content.drafts, top, file, content.is_floor), top)])
    head = content.head
    bodies, dropped, written = _together(content, builder, options, file)
    bodies, faults = loaded(bodies, head.load, file, options.excused)
    bodies, more = paired(bodies, head.pair, file, options.excused)
    written = rubbed(written, bodies, head.pair)
    if faults := faults + more:
        raise SceneError(faults)
    assembly = Assembly(name, bodies)
    return Scene(
        name,
        title,
        None,
        assembly,
        dropped,
        head,
        max(options.settle_mm, builder.deepest / MM),
        written,
        content.fitted,
        unit=content.unit,
        up=content.up,
        ground=content.ground.name if content.ground else "",
        left_out=content.left_out,
        has_own_size=bool(options.size) or (chosen is not None and "size" in chosen.model_fields_set),
    )


def add(
    scene: Scene,
    path_or_name: str | Path | object,
    *,
    settle_mm: float | None = None,
    drop: bool = False,
    excused: Iterable[str] = (),
) -> Scene:
    """The scene with the pieces of another file put in; that file's table is left out.

    Pieces without a height are dropped onto the scene. settle_mm: as for `load`, the scene's own when None. drop,
    excused: as for `load`. What the scene expects no longer holds, and is left out. Raises SceneError.
    """
    options = LoadOptions(
        scene.settle_mm if settle_mm is None else settle_mm, drop=drop, excused=frozenset(excused)
    )
    path, file = _source(path_or_name)
    content = _content(path, file, options)
    taken = [draft for draft in content.drafts if draft.id in scene.ids]
    for draft in taken:
        problem = f'is taken by a piece of the scene "{scene.name}": choose another'
        content.faults.append(Fault(file, problem, draft.place, "id", quote(draft.id), draft.line))
    bodies = scene.assembly.bodies
    if not scene.has_own_size:
        bodies = tuple(grown(body, content.drafts, file) if body.name == TABLE else body for body in bodies)
    builder = Builder(bodies)
    bodies, dropped, written = _together(content, builder, options, file)
    bodies, faults = loaded(bodies, content.head.load, file, options.excused)
    bodies, more = paired(bodies, content.head.pair, file, options.excused)
    written = rubbed({**scene.written, **written}, bodies, content.head.pair)
    faults += more
    if tables_of_all(content.head):
        faults.append(
            Fault(file, "says how the table is accelerated, or of wind: the first file has to say that")
        )
    if faults:
        raise SceneError(faults)
    return replace(
        scene,
        assembly=Assembly(scene.assembly.name, bodies),
        dropped=scene.dropped + dropped,
        head=scene.head.without_expectation(),
        settle_mm=max(scene.settle_mm, options.settle_mm, builder.deepest / MM),
        written=written,
        files=scene.files + _files(content, path if isinstance(path, Path) else None),
        left_out=(*scene.left_out, *content.left_out),
    )


def _files(content: Content, path: Path | None = None) -> tuple[Path, ...]:
    """The files that a scene was read from: its own, if any, and the meshes of its pieces."""
    folder = path.parent if path else Path()
    shapes = [draft.written.shape for draft in content.drafts if draft.written is not None]
    meshes = dict.fromkeys(folder / shape.mesh for shape in shapes if isinstance(shape, Mesh))
    return tuple(one.absolute() for file in filter(None, (path, *meshes)) for one in files_of(file))


def _together(
    content: Content, builder: Builder, options: LoadOptions, file: str
) -> tuple[tuple[Body, ...], tuple[str, ...], dict[str, PieceTable]]:
    """All bodies, and of the content which were dropped and what was written of each. Raises SceneError."""
    faults = list(content.faults)
    bodies, more = put_together(
        content.drafts,
        builder,
        options.settle_mm * MM,
        file,
        is_whole=not faults,
        drop=options.drop,
        excused=options.excused,
    )
    if faults or more:
        raise SceneError(faults + more)
    dropped = tuple(draft.id for draft in content.drafts if draft.falls)
    return bodies, dropped, {draft.id: draft.written for draft in content.drafts if draft.written is not None}


def _source(source: object) -> tuple[Source, str]:
    """The file or the meshes meant, and how messages call them."""
    if isinstance(source, str | Path):
        return _find(source)
    if isinstance(source, GivenText):
        return source, source.stem
    try:
        return GivenMeshes(nodes_of(source, GIVEN), GIVEN), GIVEN
    except MeshFileError as error:
        raise SceneError.of("what is given", str(error)) from None


def _find(path_or_name: str | Path) -> tuple[Path, str]:
    """The file meant, and how messages call it."""
    path, file = Path(path_or_name), str(path_or_name) or "''"
    name = file.removesuffix(".toml")
    try:
        if path.is_file():
            return path, file
        if not str(path_or_name):
            raise SceneError.of(file, "names no file; give a scene file or the name of a shipped scene")
        if path.is_dir():
            raise SceneError.of(file, "is a folder; give a scene file")
        if path.is_symlink():
            raise SceneError.of(file, "is a link that leads to no file")
        if name not in shipped() and path.exists():
            raise SceneError.of(file, "is not a regular file")
    except OSError as error:
        raise SceneError.of(file, f"there is no such file: {error.strerror}") from None
    if name in shipped():
        return SHIPPED / f"{name}.toml", f"{name}.toml"
    beside = [other.name for other in path.parent.glob("*") if other.suffix in (".toml", *MESHES, *FORMATS)]
    meant = nearest(path.name, beside) or nearest(name, shipped())
    there = " (`teeter scenes` lists those)" if not meant and path.name == file else ""
    raise SceneError.of(file, f"there is no such file, nor a shipped scene of this name{meant}{there}")


def _content(path: Source, file: str, options: LoadOptions, progress: Progressed | None = None) -> Content:
    material = _default_material(options, file)
    ending = path.suffix.lower()
    if ending in MESHES:
        from teeter.scenes.meshes import read_meshes  # trimesh's loaders are slow to import

        assert not isinstance(path, GivenText)
        _check_options("mesh", {"--up"} if ending in TURNED else set(), path, file, options)
        content = read_meshes(path, file, material, options, progress)
    elif ending in FORMATS:
        from teeter.scenes.formats.pieces import contents_of

        assert isinstance(path, Path)
        _check_options("format", {"--unit"} if FORMATS[ending] == "compas" else set(), path, file, options)
        if FORMATS[ending] in ("mjcf", "urdf", "usd") and any(
            "\ud800" <= one <= "\udfff" for one in str(path)
        ):
            problem = "has a path that is not UTF-8, which the library that reads it cannot open: rename it"
            raise SceneError.of(file, problem)
        reader = import_module(f"teeter.scenes.formats.{FORMATS[ending]}")
        try:
            unit = UNITS[options.unit] if options.unit else None
            described = reader.read(path, file, *([unit] if unit else []))
        except OSError as error:
            raise SceneError.of(file, f"cannot be read: {error.strerror or error}") from None
        content = Content(*contents_of(described, file, material))
        content = replace(content, unit=unit_name(unit or described.unit), up=described.up)
    elif ending in (".toml", ""):
        assert not isinstance(path, GivenMeshes)
        _check_options("scene", set(), path, file, options)
        content = _drawn_up(read(path, file), path.parent, file, material)
    else:
        known = ", ".join((".toml", *MESHES, *FORMATS))
        how = ELSEWHERE.get(ending)
        problem = f"{path.suffix} is not a kind of scene file" + (
            f": {how}" if how else f" (allowed: {known})"
        )
        raise SceneError.of(file, problem)
    content = _excuse(content, options.excused, file)
    return replace(content, drafts=_fix(content, options.fixed, file))


def _check_options(kind: str, taken: Collection[str], path: Source, file: str, options: LoadOptions) -> None:
    """Raises SceneError for the first option that files of a kind do not take. taken: those that this one does."""
    values = {
        "--fit": f"{options.fit_mm:g}" if options.fit_mm else None,
        "--unite": next(iter(options.unite), None),
        "--split": "" if options.split else None,
        "--unit": options.unit,
        "--up": options.up,
    }
    for key, problem in REFUSED[kind].items():
        if values[key] is not None and key not in taken:
            raise SceneError.of(file, problem.format(path.suffix), key=key, value=values[key] or None)


def _excuse(content: Content, names: frozenset[str], file: str) -> Content:
    """The content without the faults of pieces that will be taken out."""
    said = {
        fault: [name for name in names if fault.table.endswith(f" {quote(name)}")] for fault in content.faults
    }
    faults = [fault for fault in content.faults if not said[fault]]
    gone = {name for excused in said.values() for name in excused} - {draft.id for draft in content.drafts}
    if gone and not faults and not content.drafts:
        faults = [Fault(file, "no piece would be left")]
    return replace(content, faults=faults, left_out=tuple(sorted(gone)))


def _drawn_up(sheet: Sheet, folder: Path, file: str, material: Material) -> Content:
    """The pieces of a scene's tables. folder: where paths of meshes start."""
    drafts, faults = drafts_of(sheet.pieces, folder, file, material)
    return Content(sheet.head, drafts, [*sheet.faults, *faults])


def _default_material(options: LoadOptions, file: str) -> Material:
    """The default material. Raises SceneError for options that no file could make right."""
    faults = [
        Fault(file, f"must be from 0 to {most:g} mm", key=key, value=str(value))
        for key, value, most in (
            ("--settle", options.settle_mm, MAX_SETTLE_MM),
            ("--fit", options.fit_mm, MAX_FIT_MM),
        )
        if not 0 <= value <= most  # not of nan either
    ]
    if options.unit is not None and options.unit not in UNITS:
        faults.append(Fault(file, f"must be one of {', '.join(UNITS)}", key="--unit", value=options.unit))
    if options.up is not None and options.up not in ("x", "y", "z"):
        faults.append(Fault(file, "must be x, y or z", key="--up", value=options.up))
    try:
        material = material_named(options.material or "beech")
    except ModelError as error:
        raise SceneError(
            [*faults, Fault(file, str(error), key="--material", value=options.material)]
        ) from None
    if faults:
        raise SceneError(faults)
    return material


def _fix(content: Content, globs: Sequence[str], file: str) -> list[Draft]:
    """The drafts with those fixed that a pattern names; a pattern that names none is a fault."""
    names = [draft.id for draft in content.drafts] + ([content.ground.name] if content.ground else [])
    for glob in globs:
        if not fnmatch.filter(names, glob) and not content.faults:
            problem = f"there is no piece of this name{nearest(glob, names)}"
            content.faults.append(Fault(file, problem, key="--fixed", value=glob))
    return [
        replace(draft, fixed=draft.fixed or any(fnmatch.fnmatchcase(draft.id, glob) for glob in globs))
        for draft in content.drafts
    ]
