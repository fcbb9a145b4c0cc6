"""From the `[[piece]]` tables of a file to pieces at poses."""

from __future__ import annotations

import math
from pathlib import Path

from engine.pose import Pose, quaternion_of_rpy
from engine.world import TABLE, Body
from models.build import build
from models.catalogue import find
from models.errors import ModelError
from models.material import Material, material_named
from models.piece import Piece
from models.shapes import Box, Mesh
from models.spec import PieceSpec
from scenes.faults import Fault, shown
from scenes.reading import Written
from scenes.scene import Draft
from scenes.schema import PieceTable, Table

MM = 1e-3
GRAM = 1e-3
TABLE_THICKNESS = 30.0
"""Millimetres; only seen, never felt."""
DENSEST = 25_000.0
"""kg/m3; as `models.material` has it: heavier than osmium is a slip of units."""


def drafts_of(
    written: tuple[Written, ...], folder: Path, file: str, default: Material
) -> tuple[list[Draft], list[Fault]]:
    """The pieces of a file, built, and what kept others from it. default: the material of those without."""
    drafts: list[Draft] = []
    faults: list[Fault] = []
    for one in written:
        table = one.table
        try:
            piece = _piece(table, folder, default)
        except _Refused as refused:
            faults.append(
                Fault(file, refused.problem, one.place, refused.key, shown(refused.value), one.line)
            )
            continue
        falls = len(table.position) == 2
        drafts.append(Draft(table.id, one.place, one.line, piece, pose_of(table), table.fixed, falls, table))
    return drafts, faults


def pose_of(table: PieceTable) -> Pose:
    """The pose a table declares, metres; at height 0 when the piece is to be let down."""
    x, y, z = (*table.position, 0.0)[:3]
    if table.quaternion is not None:
        length = math.hypot(*table.quaternion)
        qx, qy, qz, qw = (value / length for value in table.quaternion)
        turn = (qx, qy, qz, qw)
    else:
        roll, pitch, yaw = (math.radians(angle) for angle in table.rotation or (0.0, 0.0, 0.0))
        turn = quaternion_of_rpy(roll, pitch, yaw)
    return Pose((x * MM, y * MM, z * MM), turn)


def table_body(table: Table, top: float = 0.0) -> Body:
    """The table: a fixed box whose top lies at height `top`, metres."""
    material = material_named("table").model_copy(update={"friction": table.friction})
    shape = Box(box=(*table.size, TABLE_THICKNESS))
    piece = build(PieceSpec(model=TABLE, shape=shape, material=material))
    return Body(TABLE, piece, Pose((0.0, 0.0, top - TABLE_THICKNESS * MM / 2)), fixed=True)


class _Refused(Exception):  # noqa: N818 - it never leaves this module
    """Why a table makes no piece: the key, its value, the problem."""

    def __init__(self, key: str, value: object, problem: str):
        super().__init__(problem)
        self.key, self.value, self.problem = key, value, problem


def _piece(table: PieceTable, folder: Path, default: Material) -> Piece:
    key, value = ("model", table.model) if table.model is not None else ("shape", _brief(table))
    try:
        spec = _spec(table, default)
        if table.model is None and isinstance(spec.shape, Mesh):
            _check_mesh(spec.shape.mesh, folder)
        piece = build(spec, folder=folder)
        if table.mass is None:
            return piece
        density = table.mass * GRAM / piece.volume
        if density > DENSEST:
            problem = f"would make a density of {density:.3g} kg/m3; at most {DENSEST:g} is allowed"
            raise _Refused("mass", table.mass, problem)
        material = spec.material.model_copy(update={"density_kg_m3": density})
        return build(spec.model_copy(update={"material": material}), folder=folder)
    except ModelError as error:
        raise _Refused(key, value, "; ".join(str(error).splitlines())) from None


def _brief(table: PieceTable) -> object:
    return table.shape.model_dump() if table.shape is not None else None


def _spec(table: PieceTable, default: Material) -> PieceSpec:
    if table.model is not None:
        spec = find(table.model)
    else:
        assert table.shape is not None
        spec = PieceSpec(shape=table.shape, material=table.material or default)
    material = table.material or spec.material
    own = {"friction": table.friction, "restitution": table.restitution}
    material = material.model_copy(update={key: value for key, value in own.items() if value is not None})
    return spec.model_copy(update={"material": material, "colour": table.colour or spec.colour})


def _check_mesh(name: str, folder: Path) -> None:
    """A scene from somewhere else must not read files from anywhere: a mesh lies beside or below it."""
    path = folder / name
    if Path(name).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        raise _Refused(
            "shape.mesh", name, "lies outside the folder of the scene: copy the mesh beside the scene"
        )
    if not path.is_file():
        raise _Refused("shape.mesh", name, "there is no such file beside the scene")
