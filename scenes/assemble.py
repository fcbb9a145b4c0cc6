"""From the tables of a file to bodies in their places: drop placement of those without a height, and overlaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.geometry.convex import ConvexSolid, bounds_of, overlap, solids_at
from engine.geometry.drop import drop
from engine.geometry.rotation import Array, quaternion_of_rpy
from engine.pose import Pose
from engine.tolerances import MAX_OVERLAP
from engine.world import TABLE, Body
from models.build import build
from models.catalogue import find
from models.errors import ModelError
from models.material import MAX_DENSITY, Material, material_named
from models.piece import Piece
from models.shapes import Box, Mesh
from models.spec import PieceSpec
from scenes.reading import Written
from scenes.scene import Draft, Fault, SceneError, shown
from scenes.schema import PieceTable, TableTop

MM = 1e-3
GRAM = 1e-3
TABLE_THICKNESS_MM = 30.0
"""Only seen, never felt."""
MAX_LISTED_OVERLAPS = 20
"""Overlaps listed one by one: a scene in the wrong unit has them by the thousand."""
LOWEST_REMEDY = "--table lowest puts the table under everything"
_ROUNDING = 1e-9


def drafts_of(
    written: tuple[Written, ...], folder: Path, file: str, default: Material
) -> tuple[list[Draft], list[Fault]]:
    """Returns the pieces of a file, built, and what kept others from it. default: the material of those without."""
    drafts: list[Draft] = []
    faults: list[Fault] = []
    for one in written:
        table = one.table
        try:
            piece = _piece(table, folder, default, Fault(file, "", one.place, line=one.line))
        except SceneError as refused:
            faults += refused.faults
            continue
        falls = len(table.position) == 2
        drafts.append(Draft(table.id, one.place, one.line, piece, pose_of(table), table.fixed, falls, table))
    return drafts, faults


def pose_of(table: PieceTable) -> Pose:
    """Returns the pose a table declares, metres; at height 0 of a piece that is still to be dropped."""
    x, y, z = (*table.position, 0.0)[:3]
    if table.quaternion is not None:
        length = math.hypot(*table.quaternion)
        qx, qy, qz, qw = (value / length for value in table.quaternion)
        turn = (qx, qy, qz, qw)
    else:
        roll, pitch, yaw = (math.radians(angle) for angle in table.rotation or (0.0, 0.0, 0.0))
        turn = quaternion_of_rpy(roll, pitch, yaw)
    return Pose((x * MM, y * MM, z * MM), turn)


def table_body(table: TableTop, top: float = 0.0) -> Body:
    """Returns the table: a fixed box whose top lies at height `top`, metres."""
    material = material_named("table").model_copy(update={"friction": table.friction})
    shape = Box(box=(*table.size, TABLE_THICKNESS_MM))
    piece = build(PieceSpec(model=TABLE, shape=shape, material=material))
    return Body(TABLE, piece, Pose((0.0, 0.0, top - TABLE_THICKNESS_MM * MM / 2)), fixed=True)


def _piece(table: PieceTable, folder: Path, default: Material, blank: Fault) -> Piece:
    """The piece of a table. Raises SceneError with `blank` filled in when it makes none."""
    try:
        spec = _spec(table, default)
        if isinstance(table.shape, Mesh):
            _check_mesh(table.shape.mesh, folder, blank)
        piece = build(spec, folder=folder)
        if table.mass is None:
            return piece
        density = table.mass * GRAM / piece.volume
        if density > MAX_DENSITY:
            problem = f"would make a density of {density:.3g} kg/m3; at most {MAX_DENSITY:g} is allowed"
            raise SceneError([replace(blank, key="mass", value=shown(table.mass), problem=problem)])
        material = spec.material.model_copy(update={"density_kg_m3": density})
        return build(spec.model_copy(update={"material": material}), folder=folder)
    except ModelError as error:
        key, value = ("shape", table.shape.model_dump()) if table.shape else ("model", table.model)
        problem = "; ".join(str(error).splitlines())
        raise SceneError([replace(blank, key=key, value=shown(value), problem=problem)]) from None


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


def _check_mesh(name: str, folder: Path, blank: Fault) -> None:
    """A scene from somewhere else must not read files from anywhere: a mesh lies beside or below it."""
    path, problem = folder / name, ""
    if not name.isprintable():
        problem = "has control characters: rename the file"
    elif Path(name).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        problem = "lies outside the folder of the scene: copy the mesh beside the scene"
    elif not path.is_file():
        problem = "there is no such file beside the scene"
    if problem:
        raise SceneError([replace(blank, key="shape.mesh", value=shown(name), problem=problem)])


def lowest(drafts: Sequence[Draft]) -> float:
    """Returns the height of the lowest point of all pieces that have a height, metres; 0 when none has."""
    lows = [bounds_of(solids_at(draft.piece, draft.pose))[0][2] for draft in drafts if not draft.falls]
    return float(min(lows, default=0.0))


class Builder:
    """A scene being built, piece by piece: bodies with their convex solids and bounding boxes."""

    def __init__(self, bodies: Sequence[Body] = ()):
        self.bodies: list[Body] = []
        self._drafts: list[Draft | None] = []
        self._parts: list[tuple[ConvexSolid, ...]] = []
        self._low: list[Array] = []
        self._high: list[Array] = []
        for body in bodies:
            self._keep(body, None)

    def place(self, draft: Draft) -> Body | None:
        """Put a piece in, dropping it onto the others if it has no height; None when nothing lies below it."""
        body = Body(draft.id, draft.piece, draft.pose, draft.fixed)
        if draft.falls:
            parts = solids_at(body.piece, body.pose)
            height = drop(parts, self._below(parts))
            if height is None:
                return None
            x, y, z = body.pose.position
            body = body.at(Pose((x, y, z - height), body.pose.orientation))
        self._keep(body, draft)
        return body

    def overlaps(self, allowed: float, since: int = 0) -> list[tuple[Draft, Draft | Body, float]]:
        """Returns pairs that overlap by more than `allowed` metres, the later one first, and by how much.

        since: pairs of bodies before this index are taken as known. Stops after `MAX_LISTED_OVERLAPS` and one.
        """
        found: list[tuple[Draft, Draft | Body, float]] = []
        low, high = np.array(self._low), np.array(self._high)
        for index in range(since, len(self.bodies)):
            draft = self._drafts[index]
            assert draft is not None
            shared = np.minimum(high[:index], high[index]) - np.maximum(low[:index], low[index])
            for other in np.flatnonzero(np.all(shared > allowed, axis=1)):
                one, two = self.bodies[index], self.bodies[other]
                depth = 0.0 if one.fixed and two.fixed else overlap(one, two, allowed)
                if depth > allowed + _ROUNDING:
                    found.append((draft, self._drafts[other] or two, depth))
                if len(found) > MAX_LISTED_OVERLAPS:
                    return found
        return found

    def under_the_table(self) -> list[Draft]:
        """Returns the free pieces wholly under the table, too deep to overlap it."""
        table = next((index for index, body in enumerate(self.bodies) if body.name == TABLE), None)
        if table is None:
            return []
        low, high = self._low[table], self._high[table]
        return [
            draft
            for draft, body, top in zip(self._drafts, self.bodies, self._high, strict=True)
            if draft and not body.fixed and top[2] <= low[2] + MAX_OVERLAP
            if np.all(np.abs(np.array(body.pose.position) - (low + high) / 2)[:2] < (high - low)[:2] / 2)
        ]

    def _keep(self, body: Body, draft: Draft | None) -> None:
        parts = solids_at(body.piece, body.pose)
        low, high = bounds_of(parts)
        self.bodies.append(body)
        self._drafts.append(draft)
        self._parts.append(parts)
        self._low.append(low)
        self._high.append(high)

    def _below(self, falling: tuple[ConvexSolid, ...]) -> list[ConvexSolid]:
        low, high = bounds_of(falling)
        if not self.bodies:
            return []
        meets = np.minimum(np.array(self._high), high) - np.maximum(np.array(self._low), low)
        return [
            part for index in np.flatnonzero(np.all(meets[:, :2] > 0, axis=1)) for part in self._parts[index]
        ]


def put_together(
    drafts: Sequence[Draft], builder: Builder, allowed: float, file: str, *, is_whole: bool
) -> tuple[tuple[Body, ...], list[Fault]]:
    """Returns all bodies in order, and the faults of how they lie. allowed: metres of overlap.

    is_whole: False when faults were found before, so that pieces are missing: nothing is dropped then.
    """
    faults: list[Fault] = []
    since = len(builder.bodies)
    for draft in drafts:
        if draft.falls and not is_whole:
            continue
        if builder.place(draft) is None:
            problem = "there is nothing below to let it down on: give a height, [x, y, z]"
            faults.append(Fault(file, problem, draft.place, "position", line=draft.line))
    pairs = builder.overlaps(allowed, since)
    faults += [_overlap(*pair, allowed, file) for pair in pairs[:MAX_LISTED_OVERLAPS]]
    if len(pairs) > MAX_LISTED_OVERLAPS:
        faults.append(Fault(file, "there are more overlaps: is the scene in the right unit?"))
    for draft in builder.under_the_table():
        problem = f"lies under the table ({LOWEST_REMEDY})"
        faults.append(Fault(file, problem, draft.place, line=draft.line))
    return tuple(builder.bodies), faults


def _overlap(draft: Draft, other: Draft | Body, depth: float, allowed: float, file: str) -> Fault:
    remedy = "--settle MM allows more"
    if isinstance(other, Draft):
        what = other.place
    elif other.name == TABLE:
        what = "the table"
        remedy += f", {LOWEST_REMEDY}"
    else:
        what = f'"{other.name}"'
    problem = f"overlaps {what} by {depth * 1e3:.2f} mm; at most {allowed * 1e3:g} mm is allowed ({remedy})"
    return Fault(file, problem, draft.place, line=draft.line)
