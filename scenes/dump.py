"""Writing scenes as TOML that `scenes.load` reads back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from teeter.engine.pose import Pose
from teeter.engine.world.body import Assembly, Body
from teeter.models.catalogue import find
from teeter.models.errors import ModelError
from teeter.models.material import Material, materials
from teeter.scenes.assemble import MM, pose_of
from teeter.scenes.loads import pair_tables_of, tables_of
from teeter.scenes.scene import Fault, Scene, SceneError
from teeter.scenes.schema import FORMAT, SURFACE, Expect, PieceTable, TableTop, tables_of_all

WHAT, WHERE = {"model", "shape"}, {"id", "position", "rotation", "quaternion", "fixed"}
"""Keys of a piece that are written before its material, and as it is now; all others are written as they were."""
DIGITS = 9
"""Decimals of a millimetre that are written: below an atom, above what turning metres into mm leaves over."""


def dump(what: Scene | Assembly, *, comment: str = "") -> str:
    """A scene as TOML text, poses as they are now. comment: lines put on top.

    Pieces are written as their file had them, or by their catalogue id. Mesh paths stay relative to the
    scene's folder. Raises SceneError naming every piece that TOML cannot describe (those of a mesh scene).
    """
    scene = what if isinstance(what, Scene) else None
    assembly = scene.assembly if scene else what
    assert isinstance(assembly, Assembly)
    table = assembly.table
    top = table.pose.position[2] + float(table.piece.extents[2]) / 2 if table else 0.0
    rows: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for body in assembly.pieces:
        try:
            rows.append(_row(body, scene.written.get(body.name) if scene else None, top))
        except ModelError:
            problem = (
                "comes from a mesh, which no scene file holds: keep the scene as .glb, or write .xml or .urdf"
            )
            faults.append(Fault(assembly.name, problem, f'piece "{body.name}"'))
    if faults:
        raise SceneError(faults)
    title = scene.title if scene else assembly.name
    head = compose(title, table_of(table), rows, scene.head.expect if scene else None, comment)
    more: list[str] = []
    for key, said in tables_of_all(scene.head).items() if scene else ():
        more += ["", f"[{key}]", *pairs(said.model_dump())]
    for row in tables_of(assembly.bodies):
        more += ["", "[[load]]", *pairs(row)]
    for row in pair_tables_of(assembly.bodies):
        more += ["", "[[pair]]", *pairs(row)]
    return head + "".join(f"{line}\n" for line in more)


def compose(
    title: str,
    table: TableTop | None,
    rows: Iterable[Mapping[str, Any]],
    expect: Expect | None = None,
    comment: str = "",
) -> str:
    """The text of a scene file from its tables. table: None for none. rows: the keys of each `[[piece]]`."""
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += [f"teeter = {FORMAT}", f"name = {_value(title)}"]
    if table is None:
        lines.append("table = false")
    elif table != TableTop():
        lines += ["", "[table]", *pairs(_changed(table, TableTop()))]
    if expect is not None:
        lines += ["", "[expect]", *pairs(_changed(expect, Expect.model_construct()))]
    for row in rows:
        lines += ["", "[[piece]]", *pairs(row)]
    return "\n".join(lines) + "\n"


def _changed(model: TableTop | Expect, default: TableTop | Expect) -> dict[str, Any]:
    """The keys of a table that differ from what is meant when they are left out."""
    plain = default.model_dump()
    return {key: value for key, value in model.model_dump().items() if value != plain.get(key)}


def table_of(body: Body | None) -> TableTop | None:
    """Returns the table top as a scene file tells of it; None where there is none."""
    if body is None:
        return None
    width, depth = (round(float(side) / MM, DIGITS) for side in body.piece.extents[:2])
    return TableTop(size=(width, depth), **{key: getattr(body.piece.material, key) for key in SURFACE})


def _row(body: Body, written: PieceTable | None, top: float) -> dict[str, Any]:
    known = written or _from_catalogue(body)
    row: dict[str, Any] = {"id": body.name}
    row |= known.model_dump(exclude_none=True, include=WHAT)
    if known.material is not None:
        row["material"] = _material(known.material)
    row |= known.model_dump(exclude_none=True, exclude={*WHAT, *WHERE, "material"})
    row |= _pose(body.pose, known, top)
    if body.fixed:
        row["fixed"] = True
    return row


def _from_catalogue(body: Body) -> PieceTable:
    spec = find(body.piece.model)
    material = None if body.piece.material == spec.material else body.piece.material
    return PieceTable(id=body.name, model=spec.model, position=(0.0, 0.0), material=material)


def _pose(pose: Pose, known: PieceTable, top: float) -> dict[str, Any]:
    x, y, z = pose.position
    row: dict[str, Any] = {"position": [round(value / MM, DIGITS) for value in (x, y, z - top)]}
    if pose.orientation == pose_of(known).orientation:
        row |= known.model_dump(exclude_none=True, include={"rotation", "quaternion"})
    else:
        row["quaternion"] = pose.orientation
    return row


def _material(material: Material) -> str | dict[str, Any]:
    if materials().get(material.name) == material:
        return material.name
    values = {"friction": material.friction} | material.model_dump(exclude={"name"}, exclude_defaults=True)
    return {"density": values.pop("density_kg_m3"), **values}


def pairs(table: Mapping[str, Any]) -> list[str]:
    """The lines of a TOML table."""
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the one control character that JSON lets through
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(pairs(value)) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value)
