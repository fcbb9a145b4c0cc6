"""SDF, Gazebo's format: worlds and models, their links, nested models and frames.

Static models, and links fixed to `world`, are supports. A pair rubs with the smaller `mu` of its two surfaces in Gazebo
(ODE); here with their geometric mean.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.settings import GRAVITY
from teeter.models.piece import Array
from teeter.scenes.assemble import MM
from teeter.scenes.formats.description import (
    SLANT,
    BodyPart,
    Described,
    FileReader,
    FormatError,
    Mass,
    RigidBody,
    capsule,
    check_count,
    placed,
    turned_by,
    use_least_friction,
)
from teeter.scenes.formats.urdf import Meshes, mesh_parts
from teeter.scenes.formats.welding import Joint, welded
from teeter.scenes.formats.xml import MAX_ELEMENTS, beside, numbers, read_xml

MAX_INCLUDES = 10
MAX_FRAMES = 200
"""One relative to the other."""
WORLD = "world"


@dataclass(slots=True, eq=False)
class _Scope:
    """What frames of a model or world are called. raw: name to (parent's name, matrix), parents "" being the scope's
    own frame."""

    raw: dict[str, tuple[str, Array]] = field(default_factory=dict)

    def matrix(self, name: str, file: str) -> Array:
        """Where a frame is in the scope's own. Raises FormatError."""
        seen: list[str] = []
        matrix = np.eye(4)
        while name not in ("", "__model__", WORLD):
            if name in seen or name not in self.raw or len(seen) == MAX_FRAMES:
                problem = "leads back to itself" if name in seen else "is not there"
                problem = f"hangs on more than {MAX_FRAMES} others" if len(seen) == MAX_FRAMES else problem
                raise FormatError.of(file, f'the frame "{name[:60]}" {problem}')
            seen.append(name)
            name, own = self.raw[name]
            matrix = own @ matrix
        return matrix


def read(path: Path, file: str) -> Described:
    """Raises FormatError."""
    root = read_xml(path, file)
    if root.tag != "sdf":
        raise FormatError.of(file, f"its root is <{root.tag[:40]}>, not <sdf>")
    return _Reader(path.parent, file).described(root)


class _Reader(FileReader):
    def __init__(self, folder: Path, file: str) -> None:
        super().__init__(file)
        self._folder = folder
        self._links: list[RigidBody] = []
        self._joints: list[Joint] = []
        self._mus: set[float] = set()
        self._depth = self._elements = self._solids = 0
        self._read: dict[Path, Element] = {}
        self._meshes: Meshes = {}

    def described(self, root: Element) -> Described:
        """Raises FormatError."""
        self._refuse(root)
        world = root.find("world")
        if world is not None:
            self._gravity(world)
            self._models(world, np.eye(4), "")
            title = world.get("name", "")
        else:
            models = root.findall("model")
            if not models:
                raise self._fault("has neither a <world> nor a <model>: put what it holds into one")
            for model in models:
                self._model(model, np.eye(4), "", None)
            title = models[0].get("name", "")
        bodies = welded(self._links, self._joints, self._file, WORLD)
        ground, friction = self._ground
        friction = use_least_friction(bodies, friction, {*self._mus}, self._notes)
        return Described(title, bodies, ground, friction, has_table=world is None, notes=self._notes)

    def _refuse(self, root: Element) -> None:
        """Raises FormatError for what changes where things are, or what touches, and is not read."""
        unread = [
            f"<{tag}>"
            for tag in ("population", "road", "placement_frame")
            if next(root.iter(tag), None) is not None
        ]
        unread += ["placement_frame" for model in root.iter("model") if model.get("placement_frame")][:1]
        unread += [
            "a joint between models" for world in root.findall("world") if world.find("joint") is not None
        ]
        unread += [
            "<collide_without_contact>" for e in root.iter("collide_without_contact") if _true(e.text)
        ][:1]
        masks = {(mask.text or "").strip() for mask in root.iter("collide_bitmask")}
        unread += ["<collide_bitmask>"] if masks - {"65535", "0xffff", "0xFFFF"} else []
        if unread:
            raise self._fault(f"holds {', '.join(unread)}, which is not read: leave it out")

    def _gravity(self, world: Element) -> None:
        gravity = numbers(world.findtext("gravity"), 3, (0, 0, -GRAVITY), self._file, "<gravity>")
        if max(abs(gravity[0]), abs(gravity[1])) > SLANT or not gravity[2] < 0:
            raise self._fault(
                f"is {gravity} in it: it must point down, along -z (--tilt tilts a scene)",
                "<gravity>",
            )

    def _pose(self, element: Element) -> tuple[str, Array]:
        """The frame a pose is relative to, and its matrix."""
        pose = element.find("pose")
        if pose is None:
            return "", np.eye(4)
        place = f"<pose> of {element.tag} {element.get('name', '')!r}"
        if pose.get("rotation_format") == "quat_xyzw":
            x, y, z, *turn = numbers(pose.text, 7, (0, 0, 0, 0, 0, 0, 1), self._file, place)
            if not np.linalg.norm(turn) > 0:
                raise self._fault("has a quaternion of length 0: 0 0 0 1 is no turn", place)
            a, b, c, d = (np.array(turn) / np.linalg.norm(turn)).tolist()
            matrix = placed((x, y, z), matrix_of((a, b, c, d)))
        else:
            x, y, z, *angles = numbers(pose.text, 6, (0,) * 6, self._file, place)
            if pose.get("degrees", "false") in ("true", "1"):
                angles = np.radians(angles).tolist()
            matrix = placed((x, y, z), turned_by(*angles))
        return pose.get("relative_to") or pose.get("frame") or "", matrix

    def _scope(self, owner: Element) -> _Scope:
        scope = _Scope()
        for element in owner:
            if element.tag in ("link", "model", "frame"):
                base, matrix = self._pose(element)
                if element.tag == "frame" and not base:
                    base = element.get("attached_to", "")
                scope.raw[element.get("name", "")] = (base, matrix)
        for joint in owner.findall("joint"):
            base, matrix = self._pose(joint)
            scope.raw.setdefault(joint.get("name", ""), (base or joint.findtext("child", ""), matrix))
        return scope

    def _models(self, owner: Element, matrix: Array, prefix: str) -> None:
        """The models in a world or a model."""
        scope = self._scope(owner)
        for model in owner.findall("model"):
            self._model(model, matrix @ scope.matrix(model.get("name", ""), self._file), prefix, None)
        for include in owner.findall("include"):
            self._include(include, matrix, scope, prefix)

    def _include(self, include: Element, matrix: Array, scope: _Scope, prefix: str) -> None:
        uri = (include.findtext("uri") or "").strip()
        if uri.rstrip("/").endswith(("/ground_plane", "/sun")) and uri.startswith("model://"):
            # Gazebo's own, in every empty world
            self._grounds += [(0.0, None)] if uri.rstrip("/").endswith("ground_plane") else []
            return
        inner = beside(
            self._folder,
            uri if uri.endswith((".sdf", ".world")) else f"{uri.rstrip('/')}/model.sdf",
            self._file,
        )
        if self._depth >= MAX_INCLUDES:
            raise self._fault(f"includes models more than {MAX_INCLUDES} deep: put some into one file")
        if inner not in self._read:
            self._read[inner] = read_xml(inner, self._file)
        self._elements += sum(1 for _ in self._read[inner].iter())
        if self._elements > MAX_ELEMENTS:
            raise self._fault(
                f"comes to more than {MAX_ELEMENTS} elements with what it includes: leave some out",
            )
        model = self._read[inner].find("model")
        if model is None:
            raise self._fault(f"includes {uri!r}, which holds no <model>")
        if include.find("pose") is None:
            base, own = self._pose(model)
        else:
            base, own = self._pose(include)
        outer, self._folder, self._depth = self._folder, inner.parent, self._depth + 1
        self._model(model, matrix @ scope.matrix(base, self._file) @ own, prefix, include)
        self._folder, self._depth = outer, self._depth - 1

    def _model(self, model: Element, matrix: Array, prefix: str, include: Element | None) -> None:
        """matrix: of the model in the world. include: what may rename it and make it static."""
        name = model.get("name", "")
        is_static = _true(model.findtext("static"))
        if include is not None:
            name = include.findtext("name") or name
            is_static = is_static or _true(include.findtext("static"))
        scope = self._scope(model)
        links = model.findall("link")
        inner = f"{prefix}{name}::"
        known = {
            link.get("name", ""): f"{prefix}{name}" if len(links) == 1 else f"{inner}{link.get('name', '')}"
            for link in links
        }
        for link in links:
            at = matrix @ scope.matrix(link.get("name", ""), self._file)
            self._link(link, known[link.get("name", "")], at, is_static)
        for joint in model.findall("joint"):
            kind = joint.get("type", "")
            parent, child = (joint.findtext(end) or "" for end in ("parent", "child"))
            ends = [
                end if end == WORLD else known.get(end, f"{inner}{end}")
                for end in (parent.strip(), child.strip())
            ]
            self._joints.append(Joint(joint.get("name", ""), kind, *ends))
        self._tell(model, name)
        self._models(model, matrix, inner)

    def _tell(self, model: Element, name: str) -> None:
        """Notes on what is not read."""
        tags = sorted(
            {e.tag for e in model.iter() if e.tag in ("plugin", "sensor", "battery", "gripper", "actor")}
        )
        if tags:
            self._notes.append(f'model "{name}": {", ".join(f"<{tag}>" for tag in tags)} are not read')

    def _link(self, link: Element, name: str, matrix: Array, is_static: bool) -> None:
        place = f'link "{name}"'
        check_count(len(self._links) + 1, self._file, "links")
        is_static = is_static or _true(link.findtext("kinematic"))
        if not is_static and link.find("gravity") is not None and not _true(link.findtext("gravity")):
            raise self._fault(
                "is free of gravity in it, which is not simulated: make its model static, or leave it out",
                place,
            )
        parts, mus = [], []
        solids = link.findall("collision")
        for solid in solids:
            base, at = self._pose(solid)
            if base:
                raise self._fault(
                    f'a pose relative to "{base}" within a link is not read: give it in the frame of the link',
                    place,
                )
            self._solids += 1
            check_count(self._solids, self._file, "<collision>")
            pieces = self._parts(solid, at, place)
            mu = solid.findtext("surface/friction/ode/mu")
            if mu is not None:
                mus.append(numbers(mu, 1, (1,), self._file, place)[0])
            if pieces is None:
                self._plane(solid, matrix @ at, mus[-1] if mus else None, is_static, place)
            else:
                parts += pieces
        self._mus.update(mus)
        body = RigidBody(name, matrix, parts, is_static, friction=min(mus, default=None))
        body.density = self._density(link, place)
        is_light = is_static or not parts or body.density is not None
        body.masses = [] if is_light else self._masses(link, place)
        if not solids and not is_static:
            self._notes.append(f"{place} has no <collision> and is left out")
        self._links.append(body)

    def _density(self, link: Element, place: str) -> float | None:
        """Of a link whose mass Gazebo works out itself, kg/m3; water's where none is given."""
        inertial = link.find("inertial")
        if inertial is None or not _true(inertial.get("auto")):
            return None
        usual = inertial.findtext("density") or "1000"
        densities = {
            numbers(solid.findtext("density") or usual, 1, (1000,), self._file, place)[0]
            for solid in link.findall("collision")
        }
        if len(densities) > 1:
            raise self._fault("has solids of several densities: give it a mass and an inertia", place)
        return densities.pop() if densities else None

    def _masses(self, link: Element, place: str) -> list[Mass]:
        inertial = link.find("inertial")
        if inertial is None or inertial.find("mass") is None:
            self._tell_massless(place)
            return []
        (mass,) = numbers(inertial.findtext("mass"), 1, (1,), self._file, place)
        tensor = inertial.find("inertia")
        inertia = None
        if tensor is not None:
            xx, xy, xz, yy, yz, zz = (
                numbers(tensor.findtext(key), 1, (default,), self._file, place)[0]
                for key, default in (("ixx", 1), ("ixy", 0), ("ixz", 0), ("iyy", 1), ("iyz", 0), ("izz", 1))
            )
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)
        return [Mass(mass, np.zeros(3), inertia).moved(self._pose(inertial)[1])]

    def _plane(self, solid: Element, at: Array, mu: float | None, is_static: bool, place: str) -> None:
        normal = numbers(solid.findtext("geometry/plane/normal"), 3, (0, 0, 1), self._file, place)
        up = at[:3, :3] @ np.array(normal) / max(float(np.linalg.norm(normal)), 1e-300)
        if not is_static or abs(up[2] - 1) > SLANT:
            raise self._fault("is a plane that is not static and level: --tilt tilts a scene", place)
        self._ground_at(float(at[2, 3]), mu, place)

    def _parts(self, solid: Element, at: Array, place: str) -> list[BodyPart] | None:
        """The solids of a collision; None for a plane."""
        geometry = solid.find("geometry")
        if geometry is None or not len(geometry):
            return []
        form = geometry[0]

        def of(key: str, count: int, default: Iterable[float]) -> list[float]:
            return numbers(form.findtext(key), count, tuple(default), self._file, place)

        if form.tag == "plane":
            return None
        if form.tag == "empty":
            return []
        if form.tag == "box":
            return [BodyPart(at, {"box": [side / MM for side in of("size", 3, (1, 1, 1))]})]
        if form.tag == "sphere":
            return [BodyPart(at, {"sphere": of("radius", 1, (1,))[0] / MM})]
        if form.tag in ("cylinder", "capsule"):
            radius, length = of("radius", 1, (1,))[0], of("length", 1, (1,))[0]
            round_ends = capsule(radius, length)
            return [
                BodyPart(
                    at, round_ends if form.tag == "capsule" else {"cylinder": [radius / MM, length / MM]}
                )
            ]
        if form.tag == "polyline" and len(form.findall("point")) >= 3:
            points = [numbers(e.text, 2, (0, 0), self._file, place) for e in form.findall("point")]
            return [_extruded(np.array(points), of("height", 1, (1,))[0], at)]
        if form.tag == "mesh":
            mesh = beside(self._folder, (form.findtext("uri") or "").strip(), self._file)
            return mesh_parts(mesh, of("scale", 3, (1, 1, 1)), at, self._file, place, self._meshes)
        raise self._fault(f"has a <{form.tag[:40]}>, which no piece can be: use a mesh", place)


def _extruded(points: Array, height: float, at: Array) -> BodyPart:
    """A prism that stands on its polygon's plane."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    corners = ((points - middle) / MM).tolist()
    return BodyPart(at @ placed((*middle, height / 2)), {"prism": {"points": corners, "height": height / MM}})


def _true(text: str | None) -> bool:
    return (text or "").strip().lower() in ("1", "true")
