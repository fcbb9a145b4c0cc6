"""MJCF, MuJoCo's own format, by MuJoCo's compiler: defaults, classes, frames, angles and includes are its business.

Bodies without a joint are welded to what they hang on; those that hang on the world, and mocap bodies, are supports. A
pair rubs with the larger friction of its two geoms in MuJoCo, or with that of the higher priority; here with that where
all pairs have the same, else with their geometric mean.
"""

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.settings import GRAVITY
from teeter.models.extras import install_line
from teeter.models.hulls import FlatError, convex_hull
from teeter.models.piece import Array, six_volumes
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
    placed,
    straight,
)
from teeter.scenes.formats.mjcf_scan import Total, scan

REMEDY = "MJCF is read by MuJoCo's own compiler: "
HOLLOW = 1e-4
"""Of the volume of its hull: what a convex mesh may lack."""
SAME_GRAVITY = 0.02
"""m/s2: programs round it to 9.8 or have the standard value."""


def read(path: Path, file: str) -> Described:
    """Raises FormatError."""
    scan(path, file, path.parent, Total())
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


class _Reader(FileReader):
    """A compiled model in its first pose."""

    def __init__(self, mujoco: Any, model: Any, data: Any, file: str) -> None:
        super().__init__(file)
        self._mujoco, self._model, self._data = mujoco, model, data
        self._frictions: set[float] = set()
        self._geoms: list[int] = []
        self._hollow: dict[int, str] = {}
        self._masks: list[tuple[int, int]] = []

    def described(self) -> Described:
        """Raises FormatError."""
        model = self._model
        self._check()
        fixed: list[RigidBody] = []
        free: dict[int, RigidBody] = {}
        for number in range(model.nbody):
            weld = self._owner(number)
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
                body.friction = min(rubs, default=None)
        bodies = [body for body in free.values() if body.parts]
        for body in free.values():
            if not body.parts:
                self._notes.append(f'body "{body.name}" touches nothing and is left out')
        self._tell()
        height, friction = self._ground
        if (same := self._same_friction()) is not None:
            friction = same
            for body in [*fixed, *bodies]:
                body.friction = same
        title = " ".join(model.names[: model.names.find(b"\0")].decode("utf-8", "replace").split())
        title = "" if title == "MuJoCo Model" else title
        return Described(title, [*fixed, *bodies], height, friction, notes=self._notes)

    def _name(self, kind: str, number: int) -> str:
        obj = getattr(self._mujoco.mjtObj, f"mjOBJ_{kind}")
        return self._mujoco.mj_id2name(self._model, obj, number) or f"{kind.lower()}.{number}"

    def _owner(self, number: int) -> int:
        """The body that it is part of; 0 where it is held."""
        weld = int(self._model.body_weldid[number])
        return 0 if self._model.body_mocapid[weld] >= 0 else weld

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
            "springs pull at joints (stiffness)": np.count_nonzero(model.jnt_stiffness),
            "joints are held by friction (frictionloss)": np.count_nonzero(model.dof_frictionloss),
        }
        faults += [
            f"{words} ({count}), which is not simulated: take them out"
            for words, count in held.items()
            if count
        ]
        for flag in ("contact", "constraint", "gravity"):
            if model.opt.disableflags & int(getattr(self._mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")):
                faults.append(f'<flag {flag}="disable"> is in it, which is not simulated: take it out')
        if np.any(model.opt.wind) and (model.opt.density or model.opt.viscosity):
            faults.append(
                f"a wind of {model.opt.wind.tolist()} m/s blows in it, which is not read: take it out (--wind PA "
                "blows on a scene)"
            )
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
            self._geoms.append(geom)
            at = placed(data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3))
            friction = float(model.geom_friction[geom, 0])
            self._frictions.add(friction)
            rubs.append(friction)
            made = self._part(geom, np.linalg.inv(frame) @ at, at, friction)
            parts += [made] if made is not None else []
        return parts, min(rubs, default=None)

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
            with suppress(FlatError):
                if six_volumes(vertices[faces]).sum() / 6 < (1 - HOLLOW) * convex_hull(vertices).volume:
                    self._hollow[mesh] = name
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
        """Notes on hulls; raises FormatError where some geoms pass through others."""
        if self._hollow:
            self._notes.append(
                f"{', '.join([*self._hollow.values()][:5])}: a mesh that is not convex touches as its convex hull in "
                "MuJoCo, and here as it is drawn: what lies in its hollows is not judged as there"
            )
        kinds = set(self._masks)
        pairs = [
            (one, other) for one in kinds for other in kinds if one != other or self._masks.count(one) > 1
        ]
        if any(not (a & d or c & b) for (a, b), (c, d) in pairs):
            problem = (
                "contype and conaffinity let some of its geoms pass through others, which is not simulated"
            )
            raise self._fault(problem)

    def _same_friction(self) -> float | None:
        """MuJoCo's friction of every two geoms that may touch, if it is one; else notes that a mean is taken. Raises
        FormatError where that may hold more than MuJoCo."""
        model, geoms = self._model, np.array(self._geoms, dtype=int)
        owner = np.array([self._owner(body) for body in model.geom_bodyid[geoms].tolist()])
        rank, size, rub = model.geom_priority[geoms], model.geom_condim[geoms], model.geom_friction[geoms, 0]
        if model.opt.enableflags & int(self._mujoco.mjtEnableBit.mjENBL_OVERRIDE):
            one, other = model.opt.o_friction[:2].tolist()
            if one != other:
                raise self._fault(
                    f"overrides friction by {one:g} and {other:g} along two directions: give one"
                )
            self._frictions, rub = {*self._frictions, one}, np.full(len(geoms), one)
        low, high, is_usual = math.inf, -math.inf, True
        for at in range(len(geoms)):
            rest = at + np.flatnonzero(owner[at:] != owner[at])
            if not len(rest):
                continue
            wins = np.sign(rank[rest] - rank[at])
            pair = [
                np.choose(wins + 1, [np.full(len(rest), own[at]), np.maximum(own[at], own[rest]), own[rest]])
                for own in (size, rub)
            ]
            mus = np.where(pair[0] == 1, 0.0, pair[1])
            low, high = min(low, float(mus.min())), max(high, float(mus.max()))
            is_usual = is_usual and not wins.any() and bool((pair[0] > 1).all())
        if low == high:
            if self._frictions != {low}:
                self._notes.append(
                    "MuJoCo takes the larger of a pair's frictions, that of the higher priority, or none for a condim "
                    f"of 1: {low:g} for every two that may touch, and so here"
                )
            return low
        if not is_usual:
            raise self._fault(
                f"priorities, or a condim of 1, give its pairs frictions from {low:g} to {high:g}; here every piece "
                "has one value, of which a pair has the geometric mean: give its geoms one priority and a condim of 3"
            )
        if len(self._frictions) > 1:
            self._notes.append(
                f"friction from {min(self._frictions):g} to {max(self._frictions):g}: MuJoCo takes the larger of a "
                "pair, here it is their geometric mean; --friction sets one for all"
            )
        return None
