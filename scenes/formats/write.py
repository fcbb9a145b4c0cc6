"""Writing scenes for other programs: MJCF, URDF, glTF. Poses, sizes, masses, centres of mass and inertias are kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of, rpy_of
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import TABLE, Body
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.cut import hull_faces
from teeter.models.errors import ModelError
from teeter.models.export import Y_UP, GltfWriter
from teeter.models.files import OutputError, check_output, whole_or_nothing
from teeter.models.hulls import convex_hull
from teeter.models.material import material_named
from teeter.models.piece import Array, Part, Piece
from teeter.models.shapes import MAX_HULL_CORNERS, Box, Cylinder, Shape, Sphere
from teeter.scenes.assemble import GRAM, MM
from teeter.scenes.dump import dump, table_of
from teeter.scenes.loads import refuse_loads
from teeter.scenes.scene import Scene, SceneError, quote
from teeter.scenes.schema import PieceTable, TableTop

WRITTEN = (".toml", ".glb", ".xml", ".mjcf", ".urdf")
SAME_VOLUME = 1e-6
"""Relative: a piece as large as its hull is convex."""
Solid = tuple[str, Mapping[str, list[float]], Array, Array]
"""kind (`box`, `cylinder`, `sphere`, `mesh`), sizes or corners in metres, place (3,) and turn (3, 3) in the piece."""


def mjcf_of(scene: Scene) -> str:
    """Returns a scene as MJCF. MuJoCo takes the larger friction of a pair, teeter the geometric mean."""
    root = Element("mujoco", model=scene.title)
    SubElement(root, "compiler", angle="radian")
    SubElement(root, "option", gravity=_text([0, 0, -GRAVITY]))
    assets = Element("asset")
    world = SubElement(root, "worldbody")
    for body in scene.assembly.bodies:
        pos, (x, y, z, w) = body.pose.position, body.pose.orientation
        element = SubElement(world, "body", name=body.name, pos=_text(pos), quat=_text((w, x, y, z)))
        if not body.fixed:
            SubElement(element, "freejoint")
        xx, yy, zz, xy, xz, yz = _moments(body)
        SubElement(
            element,
            "inertial",
            pos=_text(body.piece.centre_of_mass),
            mass=_text([body.piece.mass]),
            fullinertia=_text([xx, yy, zz, xy, xz, yz]),
        )
        for number, (kind, sizes, place, turn) in enumerate(_solids(scene, body)):
            geom = SubElement(element, "geom", type=kind, pos=_text(place), quat=_text(_wxyz(turn)))
            geom.set("friction", _text([body.piece.material.friction, 0.005, 0.0001]))
            geom.set("rgba", _text(_rgba(body)))
            if kind == "mesh":
                name = f"{body.name}.{number}"
                corners = np.array(sizes["corners"]).reshape(-1, 3)
                mesh = SubElement(assets, "mesh", name=name, vertex=_text(corners.ravel()))
                mesh.set("face", " ".join(str(corner) for corner in hull_faces(corners)[1].ravel().tolist()))
                geom.set("mesh", name)
            elif kind == "box":
                geom.set("size", _text(np.array(sizes["size"]) / 2))
            else:
                geom.set("size", _text([*sizes["radius"], *(half / 2 for half in sizes.get("length", []))]))
    if len(assets):
        root.insert(2, assets)
    return _document(root)


def urdf_of(scene: Scene, meshes: Path) -> tuple[str, dict[Path, str]]:
    """Returns a scene as URDF, and the mesh files that go with it. meshes: their folder, relative to the file.

    Pieces float from the link `world`, supports are fixed to it. Bullet multiplies the frictions of a pair, so each
    link has the square root.
    """
    root = Element("robot", name=scene.title or "scene")
    SubElement(root, "link", name="world")
    files: dict[Path, str] = {}
    for index, body in enumerate(scene.assembly.bodies):
        link = SubElement(root, "link", name=body.name)
        inertial = SubElement(link, "inertial")
        SubElement(inertial, "origin", xyz=_text(body.piece.centre_of_mass))
        SubElement(inertial, "mass", value=_text([body.piece.mass]))
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        SubElement(
            inertial,
            "inertia",
            {key: _text([value]) for key, value in zip(keys, _moments(body), strict=True)},
        )
        for number, (kind, sizes, place, turn) in enumerate(_solids(scene, body)):
            for tag in ("visual", "collision"):
                solid = SubElement(link, tag)
                SubElement(solid, "origin", xyz=_text(place), rpy=_text(rpy_of(turn)))
                geometry = SubElement(solid, "geometry")
                if kind == "mesh":
                    path = meshes / f"{index}.{number}.obj"
                    files[path] = _obj(np.array(sizes["corners"]).reshape(-1, 3))
                    SubElement(geometry, "mesh", filename=path.as_posix())
                else:
                    SubElement(geometry, kind, {key: _text(values) for key, values in sizes.items()})
                if tag == "visual":
                    paint = SubElement(solid, "material", name=_colour(body))
                    SubElement(paint, "color", rgba=_text(_rgba(body)))
        contact = SubElement(link, "contact")
        SubElement(contact, "lateral_friction", value=_text([body.piece.material.friction**0.5]))
        joint = SubElement(
            root, "joint", name=f"{body.name}.joint", type="fixed" if body.fixed else "floating"
        )
        SubElement(joint, "parent", link="world")
        SubElement(joint, "child", link=body.name)
        SubElement(joint, "origin", xyz=_text(body.pose.position), rpy=_text(rpy_of(body.pose.matrix)))
    return _document(root), files


def glb_of(scene: Scene) -> bytes:
    """Returns the pieces of a scene as a `.glb` file; the table is left out, as the reader puts one under."""
    writer = GltfWriter()
    bodies = scene.assembly.pieces
    nodes: list[dict[str, Any]] = [{"name": scene.title, "children": list(range(1, len(bodies) + 1))}]
    for body in bodies:
        x, y, z, w = body.pose.orientation
        extras: dict[str, Any] = {"mass_kg": body.piece.mass, "material": body.piece.material.name}
        node: dict[str, Any] = {
            "name": body.name,
            "mesh": writer.mesh(sharp(body), Y_UP),
            "translation": [float(value) for value in Y_UP @ np.array(body.pose.position)],
            "rotation": [x, z, -y, w],
            "extras": extras | ({"fixed": True} if body.fixed else {}),
        }
        nodes.append(node)
    return writer.finish(nodes, scene.title)


def tabled(scene: Scene) -> Scene:
    """Returns the scene with a table of a scene file for each convex piece that comes from a mesh."""
    written = dict(scene.written)
    for body in scene.assembly.bodies:
        piece = body.piece
        if (
            body.name == TABLE
            or body.name in written
            or len(piece.parts) != 1
            or _shape(scene, body) is not None
        ):
            continue
        hull = convex_hull(piece.parts[0].vertices)
        corners = piece.parts[0].vertices[hull.vertices] / MM
        if len(corners) > MAX_HULL_CORNERS or abs(hull.volume - piece.volume) > SAME_VOLUME * piece.volume:
            continue
        row: dict[str, Any] = {"id": body.name, "shape": {"hull": corners.tolist()}, "position": [0.0, 0.0]}
        row |= {"material": piece.material, "mass": piece.mass / GRAM}
        if piece.off_middle is not None:
            row["centre_of_mass"] = (piece.centre_of_mass / MM).tolist()
            row["inertia"] = [moment / (GRAM * MM**2) for moment in _moments(body)]
        written[body.name] = PieceTable.model_validate(row)
    return replace(scene, written=written)


def write_scene(
    scene: Scene, path: Path, *, force: bool = False, inputs: Iterable[Path] = ()
) -> tuple[Path, ...]:
    """Write a scene as `.toml`, `.glb`, `.xml` (MJCF) or `.urdf`; meshes of a `.urdf` in a folder beside it.

    Returns the files written. Raises SceneError for another ending or what a format cannot say, and OutputError.
    """
    kind = path.suffix.lower()
    if kind not in WRITTEN:
        problem = f"scenes are written as {', '.join(WRITTEN)}"
        raise SceneError.of(str(path), problem, value=quote(path.suffix), key="ending")
    files: dict[Path, str | bytes] = {}
    if kind != ".toml":
        refuse_loads(scene, f"a {kind} file")
    if kind == ".toml":
        files[path] = dump(tabled(scene))
    elif kind == ".glb":
        files[path] = glb_of(scene)
    else:
        taken = [body.name for body in scene.assembly.bodies if body.name == "world"]
        if taken:
            raise SceneError.of(
                scene.name, "MJCF and URDF keep this name for the world: rename it", 'piece "world"'
            )
        if kind == ".urdf":
            text, meshes = urdf_of(scene, Path(f"{path.stem}_meshes"))
            files |= {path.parent / name: content for name, content in meshes.items()}
            files[path] = text
        else:
            files[path] = mjcf_of(scene)
    _write(files, path, force, tuple(inputs))
    return tuple(files)


def _write(files: Mapping[Path, str | bytes], path: Path, force: bool, inputs: tuple[Path, ...]) -> None:
    """All files, the scene's own last. Raises OutputError before any is written."""
    check_output(path, force=force, inputs=inputs)
    for folder in {one.parent for one in files} - {path.parent}:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder}: is no folder, where the meshes would be; choose another name")
        for one in files:
            if one.parent == folder and folder.is_dir():
                check_output(one, force=force, inputs=inputs)
    for one, content in files.items():
        try:
            one.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"{one.parent}: cannot be made: {error.strerror or error}") from None
        with whole_or_nothing(one, force=force) as part:
            part.write_bytes(content if isinstance(content, bytes) else content.encode())


def lost_in_glb(scene: Scene) -> str:
    """Returns what a `.glb` of a scene does not tell its reader; empty when that is nothing."""
    usual = material_named("beech")
    stuffs = [body.piece.material for body in scene.assembly.pieces]
    is_loaded = any(body.piece.off_middle is not None for body in scene.assembly.free)
    lost = ["masses"] if any(one.density_kg_m3 != usual.density_kg_m3 for one in stuffs) else []
    lost += ["frictions"] if any(one.friction != usual.friction for one in stuffs) else []
    lost += ["centres of mass"] if is_loaded else []
    rolls = [one.rolling_mm != usual.rolling_mm for one in stuffs]
    lost += (
        ["resistances to rolling"]
        if any(rolls) or any(body.rolling for body in scene.assembly.bodies)
        else []
    )
    table = table_of(next((body for body in scene.assembly.bodies if body.name == TABLE), None))
    lost += [] if table in (None, TableTop()) else ["the table's size and friction"]
    return ", ".join(lost)


def faceted(scene: Scene) -> tuple[str, ...]:
    """Returns the pieces with curves that MJCF and URDF do not know: they are written with flat faces."""
    return tuple(
        body.name
        for body in scene.assembly.bodies
        if any(kind == "mesh" for kind, *_ in _solids(scene, body))
        if any(facet.curved for facet in body.piece.surface.facets)
    )


def sharp(body: Body) -> Piece:
    """Returns the piece as it is simulated, without the bevels of pictures."""
    try:
        spec = find(body.piece.model).model_copy(update={"bevel": 0.0, "face": None})
    except ModelError:
        return body.piece
    return replace(build(spec), material=body.piece.material, colour=body.piece.colour)


def _shape(scene: Scene, body: Body) -> Shape | None:
    """What a piece was described as; None for a mesh."""
    table = scene.written.get(body.name)
    if table is not None and table.shape is not None:
        return table.shape
    if body.name == TABLE:
        width, depth, height = (float(side) / MM for side in body.piece.extents)
        return Box(box=(width, depth, height))
    try:
        return find(body.piece.model).shape
    except ModelError:
        return None


def _solids(scene: Scene, body: Body) -> Iterator[Solid]:
    """The solids of a piece: itself where both formats have its shape, else its convex parts."""
    shape, nowhere = _shape(scene, body), np.zeros(3)
    if isinstance(shape, Box):
        yield "box", {"size": [side * MM for side in shape.box]}, nowhere, np.eye(3)
    elif isinstance(shape, Sphere):
        yield "sphere", {"radius": [shape.sphere * MM]}, nowhere, np.eye(3)
    elif isinstance(shape, Cylinder):
        radius, height = (value * MM for value in shape.cylinder)
        yield "cylinder", {"radius": [radius], "length": [height]}, nowhere, np.eye(3)
    else:
        yield from (_solid(part) for part in body.piece.parts)


def _solid(part: Part) -> Solid:
    if part.half_extents is not None:
        return "box", {"size": (2 * part.half_extents).tolist()}, part.centre, part.rotation
    if part.radius is not None:
        return "sphere", {"radius": [part.radius]}, part.centre, np.eye(3)
    corners = hull_faces(part.vertices)[0]
    return "mesh", {"corners": corners.ravel().tolist()}, np.zeros(3), np.eye(3)


def _colour(body: Body) -> str:
    return body.piece.colour or body.piece.material.colour


def _rgba(body: Body) -> tuple[float, ...]:
    """Red, green, blue and the opacity, 0 to 1."""
    return *(round(part / 255, 4) for part in bytes.fromhex(_colour(body)[1:])), 1.0


def _obj(corners: Array) -> str:
    lines = [f"v {_text(corner)}" for corner in corners]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in hull_faces(corners)[1].tolist()]
    return "# metres, Z up\no solid\n" + "\n".join(lines) + "\n"


def _moments(body: Body) -> tuple[float, float, float, float, float, float]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.piece.inertia.tolist()
    return xx, yy, zz, xy, xz, yz


def _wxyz(turn: Array) -> tuple[float, ...]:
    x, y, z, w = quaternion_of(turn)
    return w, x, y, z


def _text(values: Iterable[float] | Sequence[float]) -> str:
    """Numbers as they read back to the same."""
    return " ".join(repr(float(value)) for value in values)


def _document(root: Element) -> str:
    indent(root)
    return tostring(root, encoding="unicode") + "\n"
