"""MJCF, MuJoCo's own format, by MuJoCo's compiler: defaults, classes, frames, angles and includes are its business.

Bodies without a joint are welded to what they hang on; those that hang on the world are supports. A pair rubs with the
larger friction of its two geoms in MuJoCo, or with that of the higher priority; here with their geometric mean.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.settings import GRAVITY
from teeter.models.errors import MeshFileError
from teeter.models.extras import install_line
from teeter.models.mesh_node import check_bytes, check_counts
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
    straight,
)
from teeter.scenes.formats.xml import beside, read_xml
from teeter.scenes.reading import MAX_PIECES

REMEDY = "MJCF is read by MuJoCo's own compiler: "
MAX_SIZE = 1e6
UNITS = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30}
MAX_MEMORY = 256 * 2.0**20
"""Bytes: MuJoCo's own examples have up to 100 MB, of which compiling takes little."""
MOST_USER = 1000
GROWING: dict[str, dict[str, float]] = {
    "size": {
        "memory": MAX_MEMORY,
        **dict.fromkeys(("njmax", "nconmax", "nstack"), MAX_SIZE),
        **{
            f"nuser_{kind}": MOST_USER
            for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
        },
        **dict.fromkeys(("nuserdata", "nkey"), MOST_USER),
    },
    "texture": {"width": 4096, "height": 4096},
    "hfield": {"nrow": MOST_USER, "ncol": MOST_USER},
    "mesh": {"params": 100},
    "user": {"dim": MOST_USER},
}
"""Attributes by which a short file asks for much memory or time, and the most that each may be."""
SAME_GRAVITY = 0.02
"""m/s2: programs round it to 9.8 or have the standard value."""
ELASTIC = ("composite", "flexcomp", "flex", "deformable", "skin")
OTHER_FILES = ("texture", "hfield")
"""What names files that no piece is made of."""


def read(path: Path, file: str) -> Described:
    """Raises FormatError."""
    _scan(path, file, path.parent, _Total())
    try:
        import mujoco
    except ImportError:
        raise FormatError.of(file, REMEDY + install_line(extra="mjcf")) from None
    # else it prints its warnings, and writes them into a file in the current folder
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
    except (ValueError, RuntimeError, MemoryError) as error:  # mujoco.FatalError is a RuntimeError
        problem = " ".join(str(error).split())
        raise FormatError.of(file, f"MuJoCo cannot compile it: {problem}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    return _Reader(mujoco, model, data, file).described()


@dataclass(slots=True)
class _Total:
    """What a file comes to with all that it includes: counted before MuJoCo makes it."""

    files: set[Path] = field(default_factory=set)
    bodies: int = 0
    geoms: int = 0
    frames: int = 0
    mesh_bytes: int = 0


def _scan(path: Path, file: str, assets: Path, total: _Total) -> None:
    """Raises FormatError for files outside, for what grows, and for what is not rigid: before MuJoCo sees it."""
    if path.resolve() in total.files:
        raise FormatError.of(file, f"includes {path.name} twice: include it once")
    total.files.add(path.resolve())
    root = read_xml(path, file)
    if root.tag not in ("mujoco", "mujocoinclude"):
        kind = {"robot": "a URDF: call it .urdf", "sdf": "an SDF: call it .sdf"}.get(root.tag, "no MJCF")
        raise FormatError.of(file, f"its root is <{root.tag[:40]}>, so it is {kind}")
    folders = {"mesh": assets}
    for compiler in root.iter("compiler"):
        for key in ("assetdir", "meshdir"):
            if key in compiler.attrib:
                folders["mesh"] = assets / compiler.attrib[key]
    waiting = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag in ELASTIC:
            raise FormatError.of(file, f"holds <{element.tag}>, which is not rigid: leave it out")
        for key, most in GROWING.get(element.tag, {}).items():
            if _is_huge(value := element.get(key), most):
                what = f'{key}="{value}", more memory than a scene needs'
                raise FormatError.of(file, f"has <{element.tag}> with {what}: leave it out")
        if element.tag == "replicate":
            try:
                copies *= max(int(element.get("count", "1")), 1)
            except ValueError:
                copies = MAX_PIECES + 1
            if copies > MAX_PIECES:
                raise FormatError.of(
                    file, f"replicates a body more than {MAX_PIECES} times: a scene has no more pieces"
                )
        _count(element.tag, copies, total, file)
        name = element.get("file")
        if name and element.tag == "include":
            around = (
                assets if (assets / name).is_file() else path.parent
            )  # MuJoCo asks the main file's folder first
            inner = beside(around, name, file)
            _scan(inner, file, assets, total)
        elif name and element.tag in ("mesh", "model"):
            folder = folders["mesh"] if element.tag == "mesh" else path.parent
            if Path(name).is_absolute() or not (folder / name).resolve().is_relative_to(
                assets.resolve().parent
            ):
                raise FormatError.of(file, f"names {name!r}, which lies elsewhere: copy it beside the file")
            _check_mesh(folder / name, total, file)
        elif name and element.tag in OTHER_FILES and Path(name).is_absolute():
            raise FormatError.of(file, f"names {name!r}, which lies elsewhere: copy it beside the file")
        waiting += [(child, copies) for child in element]


def _count(tag: str, copies: int, total: _Total, file: str) -> None:
    """Raises FormatError for the first body or geom that is too many."""
    total.bodies += copies * (tag == "body")
    total.geoms += copies * (tag == "geom")
    total.frames += tag == "key"
    check_count(total.bodies, file, "bodies")
    check_count(total.geoms, file, "geoms")
    if total.frames * total.bodies > MAX_SIZE:
        raise FormatError.of(file, f"has {total.frames} keyframes, which are not read: leave them out")


def _check_mesh(path: Path, total: _Total, file: str) -> None:
    """Raises FormatError for a mesh that is too large for ours too; MuJoCo says which is not there."""
    if not path.is_file():
        return
    total.mesh_bytes += path.stat().st_size
    try:
        check_bytes(total.mesh_bytes)
        check_counts(path.read_bytes(), path.suffix.lower().removeprefix("."))
    except MeshFileError as error:
        raise FormatError.of(file, f"{path.name} {error}") from None


def _is_huge(text: str | None, most: float) -> bool:
    """Whether one of the numbers of an attribute is more than that, or none. Of memory the last letter is a unit."""
    try:
        return any(
            not float(word.rstrip("KMG")) * UNITS.get(word[-1:], 1.0) <= most for word in (text or "").split()
        )
    except ValueError:
        return True


class _Reader(FileReader):
    """A compiled model in its first pose."""

    def __init__(self, mujoco: Any, model: Any, data: Any, file: str) -> None:
        super().__init__(file)
        self._mujoco, self._model, self._data = mujoco, model, data
        self._frictions: set[float] = set()
        self._masks: list[tuple[int, int]] = []

    def described(self) -> Described:
        """Raises FormatError."""
        model = self._model
        self._check()
        fixed: list[RigidBody] = []
        free: dict[int, RigidBody] = {}
        for number in range(model.nbody):
            weld = int(model.body_weldid[number])
            matrix = self._frame(number if weld == 0 else weld)
            parts, friction = self._parts(number, matrix)
            if weld == 0:
                name = self._name("BODY", number)
                fixed += self._supports(number, name, matrix, parts, friction)
            else:
                body = free.setdefault(weld, RigidBody(self._name("BODY", weld), matrix, []))
                body.parts += parts
                if float(model.body_mass[number]) > 0:
                    body.masses.append(self._mass(number, matrix))
                rubs = [value for value in (body.friction, friction) if value is not None]
                body.friction = max(rubs, default=None)
        bodies = [body for body in free.values() if body.parts]
        for body in free.values():
            if not body.parts:
                self._notes.append(f'body "{body.name}" touches nothing and is left out')
        self._tell()
        height, friction = self._ground
        title = " ".join(model.names[: model.names.find(b"\0")].decode("utf-8", "replace").split())
        title = "" if title == "MuJoCo Model" else title
        return Described(title, [*fixed, *bodies], height, friction, notes=self._notes)

    def _name(self, kind: str, number: int) -> str:
        obj = getattr(self._mujoco.mjtObj, f"mjOBJ_{kind}")
        return self._mujoco.mj_id2name(self._model, obj, number) or f"{kind.lower()}.{number}"

    def _frame(self, number: int) -> Array:
        return placed(self._data.xpos[number], self._data.xmat[number].reshape(3, 3))

    def _check(self) -> None:
        """Raises FormatError for what carries, drives or lets pass and is not simulated."""
        model, faults = self._model, []
        kinds = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
        for joint in range(model.njnt):
            kind, body = kinds[int(model.jnt_type[joint])], self._name("BODY", int(model.jnt_bodyid[joint]))
            if kind != "free":
                name = self._name("JOINT", joint)
                faults.append(
                    f'body "{body}" hangs on the {kind} joint "{name}": joints that move are not simulated; weld it, '
                    "or leave it out"
                )
        held = {
            "actuators drive it": model.nu,
            "tendons pull at it": model.ntendon,
            "equality constraints hold it": model.neq,
            "pairs are excluded from contact": model.nexclude,
            "pairs of its own say how they touch": model.npair,
            "plugins act on it": model.nplugin,
        }
        faults += [
            f"{words} ({count}), which is not simulated: take them out"
            for words, count in held.items()
            if count
        ]
        gravity = model.opt.gravity
        if np.abs(gravity[:2]).max() > SLANT * 10 or not gravity[2] < 0:
            faults.append(
                f"gravity is {gravity.tolist()} in it: it must point down, along -z (--tilt tilts a scene)"
            )
        if np.any(model.body_gravcomp != 0):
            faults.append(
                "gravity is made up for on some of its bodies (gravcomp), which is not simulated: take it out"
            )
        if faults:
            raise self._fault("; ".join(faults[:5]))
        if model.nkey:
            self._notes.append(f"its {model.nkey} keyframes are not read: bodies lie where they are defined")
        if abs(float(gravity[2]) + GRAVITY) > SAME_GRAVITY:
            self._notes.append(
                f"its gravity of {-float(gravity[2]):g} m/s2 is not read: here it is {GRAVITY:g}"
            )

    def _parts(self, number: int, frame: Array) -> tuple[list[BodyPart], float | None]:
        """The solids of a body in a frame of the world, and their friction."""
        model, data, parts, rubs = self._model, self._data, [], []
        for geom in range(
            int(model.body_geomadr[number]), int(model.body_geomadr[number] + model.body_geomnum[number])
        ):
            masks = int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])
            if masks == (0, 0):
                continue
            self._masks.append(masks)
            at = placed(data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3))
            friction = float(model.geom_friction[geom, 0])
            self._frictions.add(friction)
            rubs.append(friction)
            made = self._part(geom, np.linalg.inv(frame) @ at, at, friction)
            parts += [made] if made is not None else []
        return parts, max(rubs, default=None)

    def _part(self, geom: int, matrix: Array, world: Array, friction: float) -> BodyPart | None:
        """A geom as a solid; None for a plane, which is the ground. Raises FormatError."""
        model = self._model
        kind = int(model.geom_type[geom])
        a, b, c = (float(value) / MM for value in model.geom_size[geom])
        name = f'geom "{self._name("GEOM", geom)}"'
        types = self._mujoco.mjtGeom
        if kind == types.mjGEOM_PLANE:
            if abs(world[2, 2] - 1) > SLANT:
                raise self._fault("is a plane that is not level: --tilt tilts a scene", name)
            self._ground_at(float(world[2, 3]), friction, name)
            return None
        if kind == types.mjGEOM_MESH:
            mesh = int(model.geom_dataid[geom])
            corner, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
            vertices = model.mesh_vert[corner : corner + int(model.mesh_vertnum[mesh])].astype(float)
            faces = model.mesh_face[face : face + int(model.mesh_facenum[mesh])].astype(np.int64)
            return straight(vertices, faces, matrix)
        if kind == types.mjGEOM_ELLIPSOID and abs(a - b) < 1e-9 * a:
            profile = [[0.0, -c], [a, 0.0, "round"], [0.0, c, "round"]]
            return BodyPart(matrix, {"turned": {"profile": profile}})
        shapes: dict[int, dict[str, Any]] = {
            int(types.mjGEOM_BOX): {"box": [2 * a, 2 * b, 2 * c]},
            int(types.mjGEOM_SPHERE): {"sphere": a},
            int(types.mjGEOM_CYLINDER): {"cylinder": [a, 2 * b]},
            int(types.mjGEOM_CAPSULE): capsule(a * MM, 2 * b * MM),
        }
        if kind not in shapes:
            names = {
                int(types.mjGEOM_ELLIPSOID): "an ellipsoid of three radii",
                int(types.mjGEOM_HFIELD): "a height field",
            }
            raise self._fault(f"is {names.get(kind, 'of a kind')} that no piece can be: use a mesh", name)
        return BodyPart(matrix, shapes[kind])

    def _supports(
        self, number: int, name: str, matrix: Array, parts: list[BodyPart], friction: float | None
    ) -> list[RigidBody]:
        """Fixed bodies: every geom of the world is one of its own."""
        if not parts:
            return []
        if number:
            return [RigidBody(name, matrix, parts, True, friction=friction)]
        model, bodies = self._model, []
        solids = [
            geom
            for geom in range(int(model.body_geomnum[0]))
            if int(model.geom_type[geom]) != self._mujoco.mjtGeom.mjGEOM_PLANE
            and (int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])) != (0, 0)
        ]
        for geom, part in zip(solids, parts, strict=True):
            rub = float(model.geom_friction[geom, 0])
            bodies.append(RigidBody(self._name("GEOM", geom), matrix, [part], True, friction=rub))
        return bodies

    def _mass(self, number: int, frame: Array) -> Mass:
        """Of a body alone, in a frame of the world."""
        turn = self._data.ximat[number].reshape(3, 3)
        inertia = turn @ np.diag(self._model.body_inertia[number]) @ turn.T
        mass = Mass(float(self._model.body_mass[number]), self._data.xipos[number].copy(), inertia)
        return mass.moved(np.asarray(np.linalg.inv(frame), dtype=np.float64))

    def _tell(self) -> None:
        """Notes on friction; raises FormatError where some geoms pass through others."""
        kinds = set(self._masks)
        pairs = [
            (one, other) for one in kinds for other in kinds if one != other or self._masks.count(one) > 1
        ]
        if any(not (a & d or c & b) for (a, b), (c, d) in pairs):
            problem = (
                "contype and conaffinity let some of its geoms pass through others, which is not simulated"
            )
            raise self._fault(problem)
        if len(self._frictions) > 1:
            self._notes.append(
                f"friction from {min(self._frictions):g} to {max(self._frictions):g}: MuJoCo takes the larger of a "
                "pair (or that of the higher priority), here it is their geometric mean; --friction sets one for all"
            )
