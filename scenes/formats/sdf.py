"""SDF, Gazebo's format: worlds and models, their links, nested models and frames.

Static models, all in them, and links fixed to `world`, are supports. A pair rubs with the smaller `mu` of its two
surfaces in Gazebo (ODE); here all have the least.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.settings import GRAVITY
from teeter.models.errors import ModelError
from teeter.models.piece import Array
from teeter.scenes.formats.description import (
    SLANT,
    BodyPart,
    Described,
    FileReader,
    FormatError,
    Mass,
    RigidBody,
    check_count,
    placed,
    turned_by,
)
from teeter.scenes.formats.gazebo import GAZEBO_MU, filled, least_friction, use_least_friction
from teeter.scenes.formats.sdf_solids import solids_of, true
from teeter.scenes.formats.urdf import Meshes
from teeter.scenes.formats.welding import Joint, welded
from teeter.scenes.formats.xml import MAX_ELEMENTS, beside, numbers, read_xml

MAX_INCLUDES = 10
MAX_FRAMES = 200
"""One relative to the other."""
WORLD = "world"
FRICTIONS = ("ode/mu", "ode/mu2", "bullet/friction", "bullet/friction2")
USUAL_MASS = 1.0
"""kg of a link that gives none, as SDF has it."""


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
        self._called: dict[str, str] = {}
        self._mus: set[float] = set()
        self._depth = self._elements = self._solids = 0
        self._blows = False
        self._read: dict[Path, Element] = {}
        self._meshes: Meshes = {}

    def described(self, root: Element) -> Described:
        """Raises FormatError."""
        self._refuse(root)
        world = root.find("world")
        if world is not None:
            self._gravity(world)
            self._models(world, np.eye(4), "", False)
            title = world.get("name", "")
        else:
            models = root.findall("model")
            if not models:
                raise self._fault("has neither a <world> nor a <model>: put what it holds into one")
            for model in models:
                self._model(model, np.eye(4), "", None, False)
            title = models[0].get("name", "")
        for link in self._links if self._mus else ():  # else what is welded to it would speak for it
            link.friction = GAZEBO_MU if link.friction is None else link.friction
        known = self._called
        joints = [
            replace(j, parent=known.get(j.parent, j.parent), child=known.get(j.child, j.child))
            for j in self._joints
        ]
        bodies = welded(self._links, joints, self._file, self._notes, WORLD)
        ground, friction = self._ground
        friction = use_least_friction(bodies, friction, {*self._mus}, self._notes)
        return Described(title, bodies, ground, friction, has_table=world is None, notes=self._notes)

    def _refuse(self, root: Element) -> None:
        """Raises FormatError for what changes where things are, or what touches, and is not read."""
        self._blows |= any(
            any(numbers(wind.text, 3, (0, 0, 0), self._file, "<linear_velocity>"))
            for wind in root.findall("world/wind/linear_velocity")
        )
        slips = [slip for kind in ("slip1", "slip2") for slip in root.iter(kind)]
        masks = {(mask.text or "").strip() for mask in root.iter("collide_bitmask")}
        tags = {f"<{element.tag}>" for element in root.iter()} & {
            "<population>",
            "<road>",
            "<placement_frame>",
        }
        held = {
            "placement_frame": any(model.get("placement_frame") for model in root.iter("model")),
            "a joint between models": root.find("world/joint") is not None,
            "<state>": root.find("world/state") is not None,
            "<collide_without_contact>": any(true(e.text) for e in root.iter("collide_without_contact")),
            "<collide_bitmask>": bool(masks - {"65535", "0xffff", "0xFFFF"}),
            "<slip1> or <slip2>": any(numbers(e.text, 1, (0,), self._file, f"<{e.tag}>")[0] for e in slips),
            "<enable_wind> in a wind": self._blows and any(true(e.text) for e in root.iter("enable_wind")),
        }
        unread = sorted(tags) + [what for what, is_held in held.items() if is_held]
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

    def _models(self, owner: Element, matrix: Array, prefix: str, is_static: bool) -> None:
        """The models in a world or a model, which makes them static."""
        scope = self._scope(owner)
        for model in owner.findall("model"):
            at = matrix @ scope.matrix(model.get("name", ""), self._file)
            self._model(model, at, prefix, None, is_static)
        for include in owner.findall("include"):
            self._include(include, matrix, scope, prefix, is_static)

    def _include(self, include: Element, matrix: Array, scope: _Scope, prefix: str, is_static: bool) -> None:
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
            self._refuse(self._read[inner])
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
        self._model(model, matrix @ scope.matrix(base, self._file) @ own, prefix, include, is_static)
        self._folder, self._depth = outer, self._depth - 1

    def _model(
        self, model: Element, matrix: Array, prefix: str, include: Element | None, is_static: bool
    ) -> None:
        """matrix: of the model in the world. include: what may rename it and make it static. is_static: what it is
        in is."""
        name = model.get("name", "")
        is_static = is_static or true(model.findtext("static"))
        if include is not None:
            name = include.findtext("name") or name
            is_static = is_static or true(include.findtext("static"))
        scope = self._scope(model)
        links = model.findall("link")
        inner = f"{prefix}{name}::"
        for link in links:
            own = link.get("name", "")
            called = self._called[inner + own] = f"{prefix}{name}" if len(links) == 1 else inner + own
            self._link(link, called, matrix @ scope.matrix(own, self._file), is_static)
        for joint in model.findall("joint"):
            kind = joint.get("type", "")
            parent, child = (joint.findtext(end) or "" for end in ("parent", "child"))
            ends = [end if end == WORLD else inner + end for end in (parent.strip(), child.strip())]
            self._joints.append(Joint(joint.get("name", ""), kind, *ends))
        self._tell(model, name)
        self._models(model, matrix, inner, is_static)

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
        is_static = is_static or true(link.findtext("kinematic"))
        if not is_static and link.find("gravity") is not None and not true(link.findtext("gravity")):
            raise self._fault(
                "is free of gravity in it, which is not simulated: make its model static, or leave it out",
                place,
            )
        parts, mus, filling = [], [], []
        inertial = link.find("inertial")
        for solid in link.findall("collision"):
            base, at = self._pose(solid)
            if base:
                raise self._fault(
                    f'a pose relative to "{base}" within a link is not read: give it in the frame of the link',
                    place,
                )
            self._solids += 1
            check_count(self._solids, self._file, "<collision>")
            pieces = solids_of(solid, at, self._folder, self._file, place, self._meshes)
            mu = self._friction(solid, place)
            mus.append(mu)
            if pieces is None:
                self._plane(solid, matrix @ at, mu, is_static, place)
            else:
                parts += pieces
                filling += [] if is_static else self._filling(inertial, solid, pieces, place)
        given = {mu for mu in mus if mu is not None}
        self._mus |= given
        least = min(given | {GAZEBO_MU} if None in mus else given) if given else None
        body = RigidBody(name, matrix, parts, is_static, friction=least)
        if not is_static:
            body.masses = filling or self._masses(inertial, place)
            body.usual = None if body.masses else USUAL_MASS
        else:  # holds what it is welded to, whatever that weighs
            self._joints.append(Joint("static", "fixed", WORLD, name))
        self._links.append(body)

    def _friction(self, solid: Element, place: str) -> float | None:
        found = [(name, solid.findtext(f"surface/friction/{name}")) for name in FRICTIONS]
        given = {
            name: numbers(text, 1, (1,), self._file, place)[0] for name, text in found if text is not None
        }
        return least_friction(given, FRICTIONS[:2], place, self._notes)

    def _filling(
        self, inertial: Element | None, solid: Element, parts: list[BodyPart], place: str
    ) -> list[Mass]:
        """The masses of the solids of a collision where Gazebo works them out; of water unless a density is given."""
        if inertial is None or not true(inertial.get("auto")):
            return []
        if inertial.find("mass") is not None:
            raise self._fault(
                "has a mass, and auto, which skips or scales it by Gazebo's version: leave one out", place
            )
        text = solid.findtext("density") or inertial.findtext("density")
        (density,) = numbers(text, 1, (1000,), self._file, place)
        try:
            return [filled(part, density) for part in parts]
        except ModelError as error:
            raise self._fault("; ".join(str(error).splitlines()), place) from None

    def _masses(self, inertial: Element | None, place: str) -> list[Mass]:
        if inertial is None or inertial.find("mass") is None:
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
