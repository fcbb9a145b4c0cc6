"""From the tables of a file to bodies in their places: drop placement of those without a height, and overlaps."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from teeter.engine.geometry.carried import Floating, floating
from teeter.engine.geometry.convex import ConvexSolid, bounds_of, overlap, slack_of, solids_at
from teeter.engine.geometry.drop import drop
from teeter.engine.geometry.rotation import Array, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.tolerances import MAX_OVERLAP
from teeter.engine.world.body import TABLE, Body
from teeter.models.ballast import weighted
from teeter.models.build import build, piece_of
from teeter.models.catalogue import find
from teeter.models.errors import ModelError
from teeter.models.material import MAX_DENSITY, Material, material_named
from teeter.models.meshes import solid_of_mesh
from teeter.models.piece import Piece
from teeter.models.shapes import Box, Mesh
from teeter.models.spec import PieceSpec
from teeter.scenes.reading import Written
from teeter.scenes.scene import Draft, Fault, SceneError, quote
from teeter.scenes.schema import OF_MATERIAL, SURFACE, PieceTable, TableTop

MM = 1e-3
GRAM = 1e-3
TABLE_THICKNESS_MM = 30.0
"""Only seen, never felt."""
LARGEST_TABLE_MM = 1e6
TABLE_MARGIN_MM = 100.0
"""Of a table beyond the pieces it is made to reach."""
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
    spoilt: dict[str, tuple[Fault, ...]] = {}
    for one in written:
        table = one.table
        # a mesh that is no solid is read once, however many pieces want it
        mesh = table.shape.model_dump_json() if isinstance(table.shape, Mesh) else None
        try:
            if mesh in spoilt:
                here = (replace(fault, table=one.place, line=one.line) for fault in spoilt[mesh])
                raise SceneError(here)
            piece = _piece(one, folder, default, Fault(file, "", one.place, line=one.line))
        except SceneError as refused:
            faults += refused.faults
            if mesh is not None:
                spoilt[mesh] = refused.faults
            continue
        falls = len(table.position) == 2
        kept = table if one.mesh is None else None
        drafts.append(Draft(table.id, one.place, one.line, piece, pose_of(table), table.fixed, falls, kept))
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


def reaching(
    table: TableTop, drafts: Sequence[Draft], top: float, file: str, is_floor: bool = False
) -> TableTop:
    """Returns the table, so large that it is under every piece, unless its size is given.

    It keeps its size when a piece reaches below its top: beside a table things may stand lower than on it. is_floor: no
    free piece may, and one that does overlaps it. Raises SceneError when a piece lies farther off than a table can
    reach.
    """
    boxes = [bounds_of(solids_at(draft.piece, draft.pose)) for draft in drafts]
    lower = [
        draft
        for draft, (low, _) in zip(drafts, boxes, strict=True)
        if not draft.falls and low[2] < top - MAX_OVERLAP
    ]
    is_beside = bool(lower) and not (is_floor and any(not draft.fixed for draft in lower))
    if "size" in table.model_fields_set or is_beside:
        return table
    reach = np.max(
        [np.maximum(np.abs(low), np.abs(high))[:2] for low, high in boxes] or [np.zeros(2)], axis=0
    )
    needed = [math.ceil(2 * side / MM) + 2 * TABLE_MARGIN_MM for side in reach]
    if max(needed) > LARGEST_TABLE_MM:
        problem = (
            f"pieces lie {max(reach):.4g} m from the origin, where no table reaches: move them nearer to it"
        )
        raise SceneError.of(file, problem)
    # a piece inside the usual table leaves it as it is, so that what was recorded on it holds
    width, depth = (
        float(more) if 2 * side / MM > usual else usual
        for side, more, usual in zip(reach, needed, table.size, strict=True)
    )
    size = (width, depth)
    return table if size == table.size else table.model_copy(update={"size": size})


def grown(table: Body, drafts: Sequence[Draft], file: str) -> Body:
    """Returns a table, larger where more pieces need it. Raises SceneError as `reaching` does."""
    width, depth, thickness = (float(side) for side in table.piece.extents)
    surface = {key: getattr(table.piece.material, key) for key in SURFACE}
    top = TableTop.model_construct(_fields_set=set(), size=(width / MM, depth / MM), **surface)
    larger = reaching(top, drafts, table.pose.position[2] + thickness / 2, file)
    return table if larger is top else table_body(larger, table.pose.position[2] + thickness / 2)


def table_body(table: TableTop, top: float = 0.0) -> Body:
    """Returns the table: a fixed box whose top lies at height `top`, metres."""
    material = material_named("table").model_copy(update={key: getattr(table, key) for key in SURFACE})
    shape = Box(box=(*table.size, TABLE_THICKNESS_MM))
    piece = build(PieceSpec(model=TABLE, shape=shape, material=material))
    return Body(TABLE, piece, Pose((0.0, 0.0, top - TABLE_THICKNESS_MM * MM / 2)), fixed=True)


def _piece(one: Written, folder: Path, default: Material, blank: Fault) -> Piece:
    """The piece of a table. Raises SceneError with `blank` filled in when it makes none."""
    table = one.table
    try:
        spec = _spec(table, default)
        if isinstance(table.shape, Mesh):
            _check_mesh(table.shape.mesh, folder, blank)

        def made(spec: PieceSpec) -> Piece:
            if one.mesh is None:
                return build(spec, folder=folder)
            return piece_of(solid_of_mesh(*one.mesh, table.id), table.id, spec.material, spec.colour)

        piece = made(spec)
        if table.mass is not None:
            density = table.mass * GRAM / piece.volume
            if density > MAX_DENSITY:
                problem = f"would make a density of {density:.3g} kg/m3; at most {MAX_DENSITY:g} is allowed"
                raise SceneError([replace(blank, key="mass", value=quote(table.mass), problem=problem)])
            material = spec.material.model_copy(update={"density_kg_m3": density})
            piece = made(spec.model_copy(update={"material": material}))
        return _weighted(piece, table, blank)
    except ModelError as error:
        key, value = ("shape", table.shape.model_dump()) if table.shape else ("model", table.model)
        if one.mesh is not None:
            key, value = "mesh", "..."
        problem = "; ".join(str(error).splitlines())
        raise SceneError([replace(blank, key=key, value=quote(value), problem=problem)]) from None


def _weighted(piece: Piece, table: PieceTable, blank: Fault) -> Piece:
    """The piece with its mass where its table says. Raises SceneError."""
    point, inertia = table.centre_of_mass, table.inertia
    if point is None and inertia is None:
        return piece
    centre = None if point is None else (point[0] * MM, point[1] * MM, point[2] * MM)
    key: str = "centre_of_mass"
    value: tuple[float, ...] | None = point
    try:
        loaded = weighted(piece, centre)
        if inertia is None:
            return loaded
        key, value = "inertia", inertia
        xx, yy, zz, xy, xz, yz = (moment * GRAM * MM**2 for moment in inertia)
        return weighted(piece, centre, (xx, yy, zz, xy, xz, yz))
    except ModelError as error:
        raise SceneError([replace(blank, key=key, value=quote(value), problem=str(error))]) from None


def _spec(table: PieceTable, default: Material) -> PieceSpec:
    if table.model is not None:
        spec = find(table.model)
    else:
        assert table.shape is not None
        spec = PieceSpec(shape=table.shape, material=table.material or default)
    material = table.material or spec.material
    own = {key: getattr(table, key) for key in OF_MATERIAL}
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
        raise SceneError([replace(blank, key="shape.mesh", value=quote(name), problem=problem)])


def lowest(drafts: Sequence[Draft]) -> float:
    """Returns the height of the lowest point of all pieces that have a height, metres; 0 when none has."""
    lows = [bounds_of(solids_at(draft.piece, draft.pose))[0][2] for draft in drafts if not draft.falls]
    return float(min(lows, default=0.0))


Overlapping = tuple[Draft, Draft | Body, float, float]
"""A piece, what it overlaps, by how much, and how much is allowed, metres."""


class Builder:
    """A scene being built, piece by piece: bodies with their convex solids and bounding boxes."""

    def __init__(self, bodies: Sequence[Body] = ()):
        self.bodies: list[Body] = []
        self._drafts: list[Draft | None] = []
        self._parts: list[tuple[ConvexSolid, ...]] = []
        self._low: list[Array] = []
        self._high: list[Array] = []
        self.deepest = 0.0
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

    def overlaps(self, settle: float, since: int = 0, excused: Collection[str] = ()) -> list[Overlapping]:
        """Returns pairs that overlap by too much, the later one first: by how much, and how much is allowed, metres.

        settle: what is allowed at least. since: pairs of bodies before this index are taken as known. Stops after
        `MAX_LISTED_OVERLAPS` and one. `deepest` is from now on the deepest overlap that is allowed by size alone.
        """
        overlaps: list[Overlapping] = []
        low, high = np.array(self._low), np.array(self._high)
        least = max(MAX_OVERLAP, settle)
        for index in range(since, len(self.bodies)):
            draft = self._drafts[index]
            assert draft is not None
            shared = np.minimum(high[:index], high[index]) - np.maximum(low[:index], low[index])
            for other in np.flatnonzero(np.all(shared > least, axis=1)):
                one, two = self.bodies[index], self.bodies[other]
                is_free = (one.fixed and two.fixed) or one.name in excused or two.name in excused
                depth = 0.0 if is_free else overlap(one, two, least)
                allowed = max(least, min(slack_of(one), slack_of(two)))
                if depth > allowed + _ROUNDING:
                    overlaps.append((draft, self._drafts[other] or two, depth, allowed))
                elif depth > least + _ROUNDING:
                    self.deepest = max(self.deepest, depth)
                if len(overlaps) > MAX_LISTED_OVERLAPS:
                    return overlaps
        return overlaps

    def in_the_air(self, settle: float, since: int = 0) -> list[tuple[Draft, Floating]]:
        """Returns the lowest of the pieces that nothing carries within `settle` metres, and how they float.

        since: bodies before this index are taken as known. What is over nothing at all is judged, not refused.
        """
        drafts = {draft.id: draft for draft in self._drafts[since:] if draft is not None}
        return [
            (drafts[group.names[0]], group)
            for group in floating(self.bodies)
            if group.names[0] in drafts and settle + _ROUNDING < group.gap < math.inf
        ]

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
    drafts: Sequence[Draft],
    builder: Builder,
    settle: float,
    file: str,
    *,
    is_whole: bool,
    drop: bool,
    excused: Collection[str] = (),
) -> tuple[tuple[Body, ...], list[Fault]]:
    """Returns all bodies in order, and the faults of how they lie.

    is_whole: False when faults were found before, so that pieces are missing: nothing is dropped then, and what they
    would carry is no fault. settle: metres of gaps and overlaps to allow. drop: what floats is to fall.
    excused: pieces whose faults are none.
    """
    faults: list[Fault] = []
    since = len(builder.bodies)
    for draft in drafts:
        if draft.falls and not is_whole:
            continue
        if builder.place(draft) is None and draft.id not in excused:
            problem = f"there is nothing below to let it down on{_end_of(builder)}: give a height, [x, y, z]"
            faults.append(Fault(file, problem, draft.place, "position", line=draft.line))
    pairs = builder.overlaps(settle, since, excused)
    faults += [_overlap(*pair, file) for pair in pairs[:MAX_LISTED_OVERLAPS]]
    if len(pairs) > MAX_LISTED_OVERLAPS:
        faults.append(Fault(file, "there are more overlaps: is the scene in the right unit?"))
    for draft in builder.under_the_table():
        if draft.id in excused:
            continue
        problem = f"lies under the table ({LOWEST_REMEDY})"
        faults.append(Fault(file, problem, draft.place, line=draft.line))
    if is_whole and not drop:
        aloft = [one for one in builder.in_the_air(settle, since) if not {*one[1].names} <= {*excused}]
        faults += [_floats(draft, group, file) for draft, group in aloft[:MAX_LISTED_OVERLAPS]]
    return tuple(builder.bodies), faults


def _end_of(builder: Builder) -> str:
    table = next((body for body in builder.bodies if body.name == TABLE), None)
    if table is None:
        return ""
    width, depth = (float(side) / MM for side in table.piece.extents[:2])
    return f" (the table of {width:.6g} x {depth:.6g} mm ends before it; --table SIZE makes it larger)"


def _floats(draft: Draft, group: Floating, file: str) -> Fault:
    many = len(group.names) - 1
    what = "nothing carries it" if not many else f"nothing carries it and {many} more that it touches"
    gap = group.gap / MM
    remedy = f"--settle {math.ceil(gap * 100 - 1e-4) / 100:g} lets it down, --drop lets it fall"
    if group.over == TABLE:
        remedy += f", {LOWEST_REMEDY}"
    problem = f"{what}: it floats {gap:.2f} mm over {_named(str(group.over))} ({remedy})"
    return Fault(file, problem, draft.place, line=draft.line)


def _named(name: str) -> str:
    return "the table" if name == TABLE else f'"{name}"'


def _overlap(draft: Draft, other: Draft | Body, depth: float, allowed: float, file: str) -> Fault:
    remedy = "--settle MM allows more"
    what = other.place if isinstance(other, Draft) else _named(other.name)
    if not isinstance(other, Draft) and other.name == TABLE:
        remedy += f", {LOWEST_REMEDY}"
    problem = f"overlaps {what} by {depth / MM:.2f} mm; at most {allowed / MM:.3g} mm is allowed ({remedy})"
    return Fault(file, problem, draft.place, line=draft.line)
