"""From the rigid bodies of a description to the pieces of a scene.

A body that is one box, cylinder, ball or convex block becomes the table of a scene file, all others a mesh of their
solids, united.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.pose import Pose
from teeter.models.ballast import weighted
from teeter.models.build import build, build_mesh
from teeter.models.errors import MeshFileError, ModelError
from teeter.models.hulls import convex_hull, groups_of, pairs_within
from teeter.models.material import MAX_DENSITY, Material
from teeter.models.mesh_node import MeshNode, check_parts
from teeter.models.piece import Array, Ints, MassProperties, Piece, six_volumes
from teeter.models.shapes import MAX_HULL_CORNERS
from teeter.models.spec import parse
from teeter.scenes.assemble import GRAM, MM, drafts_of
from teeter.scenes.content import floor_of, is_over
from teeter.scenes.formats.description import (
    LARGEST,
    ROUNDING,
    SLANT,
    BodyPart,
    Described,
    FormatError,
    Mass,
    RigidBody,
    check_count,
    placed,
)
from teeter.scenes.reading import plain, sheet_of
from teeter.scenes.scene import Draft, Fault, SceneError
from teeter.scenes.schema import FORMAT, RESERVED, Head


def contents_of(
    described: Described, file: str, material: Material
) -> tuple[Head, list[Draft], list[Fault], tuple[str, ...]]:
    """Returns the head of the scene, its pieces, what kept others from being one, and what is to be told."""
    notes = list(described.notes)
    _check_amount(described.bodies, file)
    bodies = _named(described.bodies)
    sheets = [body for body in bodies if body.fixed and described.ground is None and _is_sheet(body)]
    floor = floor_of(np.concatenate([_faces(body) for body in sheets])) if sheets else None
    try:
        table = _ground(described, bodies)
    except ModelError as error:
        raise SceneError.of(file, str(error)) from None
    drafts: list[Draft] = []
    faults: list[Fault] = []
    for body in bodies:
        place = f'body "{body.name}"'
        try:
            if not np.abs(body.matrix).max() < LARGEST:
                raise ModelError("lies at a place that is no finite number, or too far off")
            drafts.append(_draft(body, file, place, material, notes))
            if floor is not None and not body.fixed and not is_over(floor, _faces(body).reshape(-1, 3)):
                raise ModelError(
                    f'does not lie over the sheet "{sheets[0].name}" as a whole, which is the ground without an edge '
                    "here: give the sheet thickness, or make it wider"
                )
        except SceneError as refused:
            faults += [replace(fault, file=file, table=place) for fault in refused.faults]
        except ModelError as error:
            faults.append(Fault(file, "; ".join(str(error).splitlines()), place))
    if described.has_table and described.ground is None and len(drafts) == 1 and not drafts[0].fixed:
        drafts = [replace(drafts[0], falls=True)]  # a model of its own: where its origin lies means nothing
    if not bodies:
        faults.append(Fault(file, "there is no solid in it that could be a piece"))
    if table is None:
        head = Head.model_validate({"teeter": FORMAT, "table": False})
    else:
        head = Head.model_validate({"teeter": FORMAT, "table": plain(table)})
    return head.model_copy(update={"name": described.title[:200]}), drafts, faults, tuple(notes)


def _check_amount(bodies: Sequence[RigidBody], file: str) -> None:
    """Raises FormatError for more bodies, solids, triangles or parts of meshes than a scene may have."""
    check_count(sum(max(len(body.parts), 1) for body in bodies), file, "solids")
    meshes = [
        MeshNode(body.name, (number, at), part.vertices, part.faces, part.matrix)
        for number, body in enumerate(bodies)
        for at, part in enumerate(body.parts)
        if part.vertices is not None and part.faces is not None
    ]
    try:
        check_parts(meshes)
    except MeshFileError as error:
        raise FormatError.of(file, str(error)) from None


def _named(bodies: Sequence[RigidBody]) -> list[RigidBody]:
    """The bodies under names that ids may be: printable, unique, no table, floor or hand."""
    taken: set[str] = set()
    copies = []
    for number, body in enumerate(bodies, start=1):
        name = "".join(letter if letter.isprintable() else "_" for letter in body.name[:90]).strip()
        name = name or f"body.{number}"
        is_top = name == "table" and _top(body) is not None
        trial, count = name, 1
        while trial in taken or (trial in RESERVED and not is_top):
            count += 1
            trial = f"{name}.{count}"
        taken.add(trial)
        copies.append(replace(body, name=trial))
    return copies


def _top(body: RigidBody) -> Array | None:
    """Where the top of a fixed, level box has its middle, if that is on the z axis, and its size; else None."""
    if not body.fixed or len(body.parts) != 1 or not body.parts[0].shape or "box" not in body.parts[0].shape:
        return None
    matrix = body.matrix @ body.parts[0].matrix
    size = np.array(body.parts[0].shape["box"]) * MM
    if np.abs(matrix[:3, :3] - np.eye(3)).max() > SLANT or np.abs(matrix[:2, 3]).max() > ROUNDING:
        return None
    return np.array([size[0], size[1], matrix[2, 3] + size[2] / 2])


def _ground(described: Described, bodies: list[RigidBody]) -> dict[str, Any] | None:
    """The `[table]` of the scene, whose top comes to lie at z = 0; a body that is it is taken out."""
    table: dict[str, Any] = {}
    top = described.ground
    friction = described.ground_friction
    for body in [body for body in bodies if body.name == "table"]:
        bodies.remove(body)
        width, depth, top = (float(value) for value in _top(body))  # type: ignore[union-attr]
        table["size"], friction = [round(width / MM, 6), round(depth / MM, 6)], body.friction
    for body in [body for body in bodies if body.fixed and _is_sheet(body)]:
        bodies.remove(body)
        height = _lowest(body)
        if top is not None and abs(top - height) > ROUNDING * max(1.0, abs(top)):
            raise ModelError(
                f'"{body.name}" is a second ground, at another height: leave one out, or turn it into a box'
            )
        top, friction = height, body.friction if friction is None else friction
    if top is None and not described.has_table:
        return None
    if top is None and described.lowest:
        top = min((_lowest(body) for body in bodies), default=0.0)
    if friction is not None:
        table["friction"] = friction
    if top:
        for at, body in enumerate(bodies):
            bodies[at] = replace(body, matrix=placed((0, 0, -top)) @ body.matrix)
        described.notes.append(f"the ground lies at z = {top / MM:.6g} mm in it and at 0 here")
    return table


def _is_sheet(body: RigidBody) -> bool:
    """Whether a body is a flat, level sheet, as programs draw the ground."""
    if any(part.vertices is None or len(part.vertices) < 3 for part in body.parts):
        return False
    heights = np.concatenate([_points(part) @ body.matrix[2, :3] + body.matrix[2, 3] for part in body.parts])
    widths = np.ptp(np.concatenate([_points(part) for part in body.parts]), axis=0)
    return bool(np.ptp(heights) <= SLANT * widths.max())


def _lowest(body: RigidBody) -> float:
    return min(float((_points(part) @ body.matrix[2, :3]).min() + body.matrix[2, 3]) for part in body.parts)


def _faces(body: RigidBody) -> Array:
    """The triangles (f, 3, 3) of a body where it lies."""
    corners = [
        (vertices[faces] @ part.matrix[:3, :3].T + part.matrix[:3, 3])
        for part in body.parts
        for vertices, faces in [_mesh(part)]
    ]
    return np.asarray(np.concatenate(corners) @ body.matrix[:3, :3].T + body.matrix[:3, 3])


def _points(part: BodyPart) -> Array:
    """Corners of a part in the frame of its body."""
    return _mesh(part)[0] @ part.matrix[:3, :3].T + part.matrix[:3, 3]


def _mesh(part: BodyPart) -> tuple[Array, Ints]:
    """The mesh of a part in its own frame. Raises ModelError."""
    if part.vertices is not None and part.faces is not None:
        return part.vertices, part.faces
    visual = build(parse({"shape": plain(part.shape)}, "shape")).visual
    return np.asarray(visual.vertices), np.asarray(visual.faces, dtype=np.int64)


def weighed(part: BodyPart, density: float) -> Mass:
    """Returns the mass of a solid of so many kg/m3, in the frame of its body. Raises ModelError."""
    if part.vertices is not None and part.faces is not None:
        with np.errstate(all="ignore"):  # of an open mesh, which is refused when it is made a piece
            own = MassProperties.of(part.vertices, part.faces)
            whole = Mass(abs(own.volume) * density, own.centre, own.inertia * np.sign(own.volume) * density)
    else:
        piece = build(parse({"shape": plain(part.shape)}, "shape"))
        mass = piece.volume * density
        whole = Mass(mass, piece.centre_of_mass, piece.inertia * (mass / piece.mass))
    return whole.moved(part.matrix)


def _draft(body: RigidBody, file: str, place: str, material: Material, notes: list[str]) -> Draft:
    """The piece of a body where it lies. Raises ModelError or SceneError."""
    own: dict[str, float] = {}
    if body.density is not None:
        own["density_kg_m3"] = body.density
    if body.friction is not None:
        own["friction"] = body.friction
    stuff = Material.model_validate({**material.model_dump(), **own, "name": ""}) if own else material
    shape, matrix = _shape(body)
    if shape is None:
        piece, centre = build_mesh(_united(body), f"mesh/{body.name}", stuff, is_compound=True)
        piece, _ = _with_mass(piece, body, placed(centre), place, notes)
        return Draft(body.name, place, None, piece, _pose(matrix @ placed(centre)), body.fixed)
    even = build(parse({"shape": plain(shape)}, "shape").model_copy(update={"material": stuff}))
    _, keys = _with_mass(even, body, np.linalg.inv(body.matrix) @ matrix, place, notes)
    pose = _pose(matrix)
    row = {
        "id": body.name,
        "shape": shape,
        "position": [value / MM for value in pose.position],
        "quaternion": list(pose.orientation),
        "fixed": body.fixed,
        **keys,
    }
    if body.friction is not None:
        row["friction"] = body.friction
    if body.density is not None and "mass" not in row:
        row["mass"] = even.mass / GRAM
    sheet = sheet_of({"teeter": FORMAT, "piece": [plain(row)]}, file)
    written = tuple(replace(one, place=place) for one in sheet.pieces)
    drafts, faults = drafts_of(written, Path(), file, material)
    if sheet.faults or faults:
        raise SceneError([*sheet.faults, *faults])
    return drafts[0]


def _pose(matrix: Array) -> Pose:
    return Pose.of(matrix[:3, 3], matrix[:3, :3])


def _shape(body: RigidBody) -> tuple[Mapping[str, Any] | None, Array]:
    """The shape of a body that is one solid, as scene files have it, and its frame; None: it needs a mesh."""
    if len(body.parts) != 1:
        return None, body.matrix
    part = body.parts[0]
    matrix = body.matrix @ part.matrix
    if part.shape is not None:
        return part.shape, matrix
    assert part.vertices is not None
    assert part.faces is not None
    corners = np.unique(part.vertices[np.unique(part.faces)], axis=0)
    if not 4 <= len(corners) <= MAX_HULL_CORNERS or not np.abs(corners).max() < LARGEST:
        return None, body.matrix
    hull = convex_hull(corners)
    volume = float(six_volumes(part.vertices[part.faces]).sum() / 6)
    if len(hull.vertices) < len(corners) or abs(abs(volume) - hull.volume) > 1e-6 * hull.volume:
        return None, body.matrix
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return {"hull": ((corners - middle) / MM).tolist()}, matrix @ placed(middle)


def _united(body: RigidBody) -> Any:
    """The mesh of all solids of a body, in its frame. Raises ModelError."""
    import trimesh

    meshes = []
    for part in body.parts:
        vertices, faces = _mesh(part)
        if not np.abs(vertices).max(initial=0.0) < LARGEST:
            raise ModelError("has coordinates that are not finite or far too large")
        meshes.append(trimesh.Trimesh(vertices, faces, process=False).apply_transform(part.matrix))
    if len(meshes) == 1:
        return meshes[0]
    _snap(meshes)
    try:
        return trimesh.boolean.union(meshes, engine="manifold")
    except Exception as error:  # the library raises whatever an open mesh leads it to
        raise ModelError(f"its solids cannot be united, one of them is not closed: {error}") from None


def _snap(meshes: Sequence[Any]) -> None:
    """Makes corners of several meshes one where single precision has moved them apart, so that shared faces match."""
    points = np.concatenate([mesh.vertices for mesh in meshes])
    grain = 10 * ROUNDING * float(np.abs(points).max(initial=0.0))
    group = groups_of(len(points), *pairs_within(points, points, grain))
    _, first = np.unique(group, return_index=True)
    ends = np.cumsum([len(mesh.vertices) for mesh in meshes])
    for mesh, place in zip(meshes, np.split(points[first[group]], ends[:-1]), strict=True):
        mesh.vertices = place


def _with_mass(
    piece: Piece, body: RigidBody, frame: Array, place: str, notes: list[str]
) -> tuple[Piece, dict[str, Any]]:
    """The piece with the mass of its body, and the keys that say so. frame: of the piece, in that of the body. Raises
    ModelError."""
    if not body.masses or body.fixed:
        return piece, {}  # what a support weighs nobody asks
    inverse = np.asarray(np.linalg.inv(frame), dtype=np.float64)
    whole = _tidy(_joined([mass.moved(inverse) for mass in body.masses]), float(piece.extents.max()))
    if not 0 < whole.mass < 1e12:
        raise ModelError(f"has a mass of {whole.mass:g} kg: it must be positive and finite")
    if whole.mass > MAX_DENSITY * piece.volume:
        density = whole.mass / piece.volume
        raise ModelError(f"has a density of {density:.3g} kg/m3; at most {MAX_DENSITY:g} is allowed")
    keys: dict[str, Any] = {"mass": whole.mass / GRAM}
    ratio = whole.mass / piece.mass
    stuff = piece.material.model_copy(update={"density_kg_m3": piece.material.density_kg_m3 * ratio})
    heavy = replace(piece, mass=whole.mass, inertia=piece.inertia * ratio, material=stuff)
    size = float(piece.extents.max())
    centre = None
    if np.abs(whole.centre - piece.centre_of_mass).max() > ROUNDING * size:
        centre = (float(whole.centre[0]), float(whole.centre[1]), float(whole.centre[2]))
        keys["centre_of_mass"] = [value / MM for value in centre]
        even, heavy = heavy, weighted(heavy, centre)
    else:
        even = heavy
    if (
        whole.inertia is None
        or np.abs(whole.inertia - heavy.inertia).max() < 1e-4 * np.abs(heavy.inertia).max()
    ):
        return heavy, keys
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = whole.inertia.tolist()
    try:
        heavy = weighted(even, centre, (xx, yy, zz, xy, xz, yz))
        keys["inertia"] = [value / (GRAM * MM**2) for value in (xx, yy, zz, xy, xz, yz)]
    except ModelError as error:
        notes.append(f"{place}: its inertia {error}; that of its shape is used")
    return heavy, keys


def _tidy(mass: Mass, size: float) -> Mass:
    """The same without what turning it to and fro has left: a part in 1e12."""
    inertia = mass.inertia
    if inertia is not None:
        inertia = _rounded(inertia, float(np.abs(inertia).max()))
    return Mass(mass.mass, _rounded(mass.centre, size), inertia)


def _rounded(values: Array, size: float) -> Array:
    grain = 10.0 ** (np.floor(np.log10(size)) - 12) if size > 0 else 1.0
    return np.asarray(np.round(values / grain) * grain + 0.0)


def _joined(masses: Sequence[Mass]) -> Mass:
    """Several masses as one."""
    total = sum(mass.mass for mass in masses)
    if len(masses) == 1 or not total > 0:
        return masses[0]
    centre = np.asarray(sum(mass.mass * mass.centre for mass in masses)) / total
    if any(mass.inertia is None for mass in masses):
        return Mass(total, centre, None)
    inertia = np.zeros((3, 3))
    for mass in masses:
        arm = mass.centre - centre
        assert mass.inertia is not None
        inertia += mass.inertia + mass.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Mass(total, centre, inertia)
