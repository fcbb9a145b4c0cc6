"""URDF, the robots' format, by yourdfpy. One file is one robot, or a scene: links that float from the link `world`.

Fixed joints weld. What is welded to `world`, or has a mass of 0 as Bullet wants it, is a support. Bullet's friction of
a pair is the product of its `lateral_friction` values, so a piece gets the square; Gazebo's is the smaller `mu1`.
"""

import logging
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from teeter.models.errors import MeshFileError
from teeter.models.extras import install_line
from teeter.models.mesh_files import GLTF, KINDS, read_nodes
from teeter.models.mesh_node import Y_UP, MeshNode
from teeter.models.piece import Array
from teeter.scenes.assemble import MM
from teeter.scenes.formats.description import (
    BodyPart,
    Described,
    FileReader,
    FormatError,
    Mass,
    RigidBody,
    check_count,
    placed,
    straight,
)
from teeter.scenes.formats.gazebo import least_friction, use_least_friction
from teeter.scenes.formats.welding import Joint, welded
from teeter.scenes.formats.xml import beside, numbers, read_xml

REMEDY = "URDF is read by yourdfpy: "
WORLD = "world"
GAZEBO_MUS = ("mu1", "mu2")
"""Frictions along two directions."""


def read(path: Path, file: str) -> Described:
    """Raises FormatError."""
    root = read_xml(path, file)
    if root.tag != "robot":
        raise FormatError.of(file, f"its root is <{root.tag[:40]}>, not <robot>")
    if any(element.tag.startswith("{") for element in root.iter()):
        raise FormatError.of(
            file, "holds xacro, which is a language of its own: run `xacro FILE -o robot.urdf` first"
        )
    for kind in ("link", "link/collision", "link/visual", "joint"):
        check_count(len(root.findall(kind)), file, f"<{kind.rpartition('/')[2]}>")
    try:
        import yourdfpy
    except ImportError:
        raise FormatError.of(file, REMEDY + install_line(extra="urdf")) from None
    logging.getLogger("yourdfpy").setLevel(logging.CRITICAL)  # what it may say is said here
    try:
        robot = yourdfpy.URDF.load(
            str(path), build_scene_graph=False, load_meshes=False, load_collision_meshes=False
        ).robot
    except Exception as error:  # the library raises whatever a broken file leads it to
        raise FormatError.of(file, f"yourdfpy cannot read it: {error or type(error).__name__}") from None
    try:
        return _Reader(path.parent, file, root, robot).described()
    except (ValueError, TypeError, AttributeError) as error:  # yourdfpy takes values as they come
        if isinstance(error, FormatError):
            raise
        raise FormatError.of(
            file, f"has a value that is not of the kind that belongs there: {error}"
        ) from None


Meshes = dict[Path, list[MeshNode]]
"""Mesh files that have been read, which many links may name."""


def mesh_parts(
    path: Path,
    scale: list[float],
    matrix: Array,
    file: str,
    place: str,
    known: Meshes,
    only: str = "",
    is_centred: bool = False,
) -> list[BodyPart]:
    """Returns the solids of a mesh file, in metres. only: the one of this name, put about the origin where it is
    centred. Raises FormatError."""
    if path.suffix.lower() not in KINDS:
        problem = f"{path.name} is no mesh that is read ({', '.join(KINDS)}): write it as one of these"
        raise FormatError.of(file, problem, place)
    try:
        nodes = known[path] = known[path] if path in known else read_nodes(path)
    except MeshFileError as error:
        raise FormatError.of(file, f"{path.name} {error}", place) from None
    size = np.diag([*scale, 1.0])
    axes = placed((0, 0, 0), Y_UP) if path.suffix.lower() in GLTF else np.eye(4)
    if only:
        names, nodes = [node.name for node in nodes], [node for node in nodes if node.name == only]
        if len(nodes) != 1:
            there = ", ".join(f'"{name}"' for name in names[:9])
            problem = f'names {len(nodes) or "no"} submesh "{only}" in {path.name}: there are {there}'
            raise FormatError.of(file, problem, place)
        if is_centred:
            turn = axes @ nodes[0].matrix
            points = nodes[0].vertices @ turn[:3, :3].T + turn[:3, 3]
            size = size @ placed(-(points.min(axis=0) + points.max(axis=0)) / 2)
    return [straight(node.vertices, node.faces, matrix @ size @ axes @ node.matrix) for node in nodes]


class _Reader(FileReader):
    def __init__(self, folder: Path, file: str, root: Element, robot: Any) -> None:
        super().__init__(file)
        self._folder, self._root, self._robot = folder, root, robot
        self._mus: set[float] = set()
        self._meshes: Meshes = {}

    def described(self) -> Described:
        robot, file = self._robot, self._file
        joints = [Joint(j.name, j.type, j.parent, j.child) for j in robot.joints]
        places = self._places(joints)
        links = [self._link(link, places[link.name]) for link in robot.links]
        if (count := len(self._root.findall("transmission"))) > 0:
            self._notes.append(f"{count} <transmission> are not read")
        if unread := {e.tag for e in self._root.findall("gazebo/*")} - {*GAZEBO_MUS, "material"}:
            self._notes.append(
                f"<gazebo>: {', '.join(f'<{tag}>' for tag in sorted(unread)[:9])} are not read"
            )
        mine = [link for link in links if link.name != WORLD or link.parts]
        bodies = welded(mine, joints, file, self._notes, WORLD)
        has_world = any(link.name == WORLD for link in robot.links)
        is_told = any(body.fixed for body in bodies)
        title = robot.name or ""
        friction = use_least_friction(bodies, None, self._mus, self._notes)
        return Described(
            title, bodies, None, friction, has_table=not (has_world and is_told), notes=self._notes
        )

    def _places(self, joints: list[Joint]) -> dict[str, Array]:
        """Where every link is when no joint has moved. Raises FormatError for a tree that is none."""
        origins = {
            j.child: (j.parent, np.eye(4) if j.origin is None else np.asarray(j.origin))
            for j in self._robot.joints
        }
        if len(origins) != len(joints):
            raise self._fault("a link has two parents: leave one of the two joints out")
        matrices: dict[str, Array] = {}
        for link in self._robot.links:
            chain: list[str] = []
            name = link.name
            while name in origins and name not in matrices:
                if len(chain) > len(joints):
                    raise self._fault(
                        f'link "{link.name}" is its own ancestor: leave a joint of the circle out'
                    )
                chain.append(name)
                name = origins[name][0]
            matrix = matrices.get(name, np.eye(4))
            matrices.setdefault(name, matrix)
            for child in reversed(chain):
                matrix = matrix @ origins[child][1]
                matrices[child] = matrix
        return matrices

    def _link(self, link: Any, matrix: Array) -> RigidBody:
        place = f'link "{link.name}"'
        solids = link.collisions or link.visuals
        if link.visuals and not link.collisions:
            self._notes.append(f"{place} has no <collision>: its <visual> is taken")
        parts = [part for solid in solids for part in self._parts(solid, place)]
        body = RigidBody(link.name, matrix, parts)
        inertial = link.inertial
        if inertial is not None and inertial.mass is not None:
            mass = float(inertial.mass)
            at = np.eye(4) if inertial.origin is None else np.asarray(inertial.origin)
            inertia = None if inertial.inertia is None else np.asarray(inertial.inertia, dtype=float)
            body.fixed = mass == 0
            body.masses = [Mass(mass, np.zeros(3), inertia).moved(at)] if mass else []
        elif parts and link.name != WORLD:
            body.usual = 0.0
        body.friction = self._friction(link.name, place)
        return body

    def _friction(self, name: str, place: str) -> float | None:
        """Of two surfaces of a link: Bullet's, else the least of Gazebo's."""
        mine = next((e for e in self._root.findall("link") if e.get("name") == name), None)
        bullet = None if mine is None else mine.find("contact/lateral_friction")
        told = [e for block in self._root.findall("gazebo") if block.get("reference") == name for e in block]
        mus: dict[str, float] = {}
        for mu in [e for e in told if e.tag in GAZEBO_MUS]:
            (value,) = numbers(mu.text or mu.get("value"), 1, (1.0,), self._file, place)
            mus[mu.tag] = min(value, mus.get(mu.tag, value))
        if bullet is not None:
            if mus:
                self._notes.append(f"{place} has frictions for Bullet and for Gazebo: Bullet's is read")
            (value,) = numbers(bullet.get("value"), 1, (0.5,), self._file, place)
            return float(value) ** 2
        least = least_friction(mus, GAZEBO_MUS, place, self._notes)
        self._mus |= set() if least is None else {least}
        return least

    def _parts(self, solid: Any, place: str) -> list[BodyPart]:
        at = np.eye(4) if solid.origin is None else np.asarray(solid.origin)
        form = solid.geometry
        if form.box is not None:
            return [BodyPart(at, {"box": [float(side) / MM for side in form.box.size]})]
        if form.cylinder is not None:
            return [
                BodyPart(
                    at, {"cylinder": [float(form.cylinder.radius) / MM, float(form.cylinder.length) / MM]}
                )
            ]
        if form.sphere is not None:
            return [BodyPart(at, {"sphere": float(form.sphere.radius) / MM})]
        if form.mesh is None:
            raise self._fault(
                "has a geometry that is not box, cylinder, sphere or mesh: use one of these",
                place,
            )
        scale = form.mesh.scale if form.mesh.scale is not None else 1.0
        sizes = np.broadcast_to(np.asarray(scale, dtype=float).ravel(), 3).tolist()
        path = beside(self._folder, form.mesh.filename, self._file)
        return mesh_parts(path, sizes, at, self._file, place, self._meshes)
