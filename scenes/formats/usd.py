"""USD (.usd, .usda, .usdc, .usdz) by Pixar's own library: UsdPhysics bodies and colliders, or plain shapes.

Prims with a rigid body are pieces, their colliders one solid; colliders without one are supports, as kinematic bodies
are. A stage without any physics is read as a mesh scene: every shape a piece. Unit and up axis are the stage's. USD
does not say how the frictions of a pair are combined (PhysX: their mean); here it is their geometric mean.
Masses follow UsdPhysics: a body has those of its solids, or what it is given as a whole, shared as theirs.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from teeter.models.errors import ModelError
from teeter.models.extras import install_line
from teeter.models.mesh_node import MAX_BYTES, MAX_TRIANGLES, Y_UP
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
    placed,
    straight,
)
from teeter.scenes.formats.pieces import weighed
from teeter.scenes.formats.usd_size import check_size
from teeter.scenes.reading import MAX_PIECES

REMEDY = "USD is read by Pixar's library: "
SHEAR = 1e-6
"""Relative: how far from a pure turn and stretch a matrix may be."""
USUAL_DENSITY = 1000.0
"""kg/m3, which UsdPhysics gives what has neither a mass nor a density."""
AXES = {
    "X": np.eye(3)[[2, 1, 0]] * [[1], [1], [-1]],
    "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "Z": np.eye(3),
}
"""Turns that take z to the axis of a round shape."""


def read(path: Path, file: str) -> Described:
    """Raises FormatError."""
    try:
        from pxr import Tf, Usd, UsdGeom, UsdPhysics, UsdShade
    except ImportError:
        raise FormatError.of(file, REMEDY + install_line(extra="usd")) from None
    if path.stat().st_size > MAX_BYTES:
        raise FormatError.of(file, f"has more than {MAX_BYTES / 1e6:.0f} MB")
    try:
        check_size(path, file)
        stage = Usd.Stage.Open(str(path))
        _check_layers(stage, path, file)
        return _Reader(stage, file, (Usd, UsdGeom, UsdPhysics, UsdShade)).described()
    except Tf.ErrorException as error:
        # what the library says of its own source stands before the first colon
        said = " ".join(str(error).split())
        said = (said.partition(" : ")[2] or said).strip("'").replace(f"{path.absolute()}:", "line ")
        raise FormatError.of(file, f"is no USD that can be read: {said[:150]}") from None


def _check_layers(stage: Any, path: Path, file: str) -> None:
    """Raises FormatError for a stage that is made of files elsewhere, or lacks some."""
    around = path.resolve().parent.parent
    for layer in stage.GetUsedLayers():
        real = layer.realPath.partition("[")[0]
        if real and not Path(real).resolve().is_relative_to(around):
            raise FormatError.of(
                file, f"is made of {layer.identifier}, which lies elsewhere: copy it beside the file"
            )
    errors = [str(error) for error in stage.GetCompositionErrors()]
    if errors:
        raise FormatError.of(file, f"cannot be put together: {' '.join(errors[0].split())[:150]}")


class _Reader(FileReader):
    def __init__(self, stage: Any, file: str, modules: tuple[Any, Any, Any, Any]) -> None:
        self._usd, self._geom, self._physics, self._shade = modules
        super().__init__(file)
        self._stage = stage
        self._unit = float(self._geom.GetStageMetersPerUnit(stage))
        self._kilogram = float(self._physics.GetStageKilogramsPerUnit(stage))
        self._up = str(self._geom.GetStageUpAxis(stage)).lower()
        self._axes = Y_UP if self._up == "y" else np.eye(3)
        self._cache = self._geom.XformCache()
        self._frictions: set[float] = set()
        self._is_untold = False

    def described(self) -> Described:
        """Raises FormatError."""
        prims = list(self._stage.Traverse(self._usd.TraverseInstanceProxies()))
        has_physics = any(prim.HasAPI(self._physics.CollisionAPI) for prim in prims)
        self._check(prims)
        bodies: dict[str, RigidBody] = {}
        owners: dict[Any, str] = {}
        for prim in prims:
            solid = prim.IsA(self._geom.Gprim) and (not has_physics or self._collides(prim))
            if not solid or self._is_hidden(prim):
                continue
            owner = self._owner(prim) if has_physics else prim
            key = str((owner or prim).GetPath())
            if key not in bodies:
                is_fixed = has_physics and (owner is None or self._is_kinematic(owner))
                bodies[key] = self._body(owner or prim, is_fixed)
                if len(bodies) > MAX_PIECES:
                    raise self._fault(f"has more than {MAX_PIECES} bodies")
            self._take(prim, bodies[key], owner if has_physics else None)
            owners[prim.GetPath()] = key
        self._check_filters(prims, owners)
        solids = [body for body in bodies.values() if body.parts]
        for prim in prims:
            if prim.HasAPI(self._physics.RigidBodyAPI) and str(prim.GetPath()) not in bodies:
                self._notes.append(f"{prim.GetPath()} has no collider and is left out")
            elif prim.HasAPI(self._physics.RigidBodyAPI):
                self._balance(prim, bodies[str(prim.GetPath())])
        if self._is_untold:
            self._notes.append(f"what has neither a mass nor a density has USD's {USUAL_DENSITY:g} kg/m3")
        ground, friction = self._ground
        if len(self._frictions) > 1:
            self._notes.append(
                "frictions differ: how a pair combines them USD does not say; here by geometric mean"
            )
        title = str(self._stage.GetDefaultPrim().GetName()) if self._stage.HasDefaultPrim() else ""
        has_table = not any(body.fixed for body in solids)
        return Described(
            title, solids, ground, friction, has_table, notes=self._notes, unit=self._unit, up=self._up
        )

    def _check(self, prims: list[Any]) -> None:
        """Raises FormatError for joints, and for gravity that does not point down."""
        for prim in prims:
            if prim.IsA(self._physics.Joint):
                problem = (
                    "is a joint: joints are not simulated; leave it out, or make one body of what it joins"
                )
                raise self._fault(problem, str(prim.GetPath()))
            if prim.IsA(self._geom.PointInstancer):
                problem = "is a point instancer, which is not read: export its copies as prims of their own"
                raise self._fault(problem, str(prim.GetPath()))
            if prim.IsA(self._physics.Scene):
                scene = self._physics.Scene(prim)
                vector = np.array(scene.GetGravityDirectionAttr().Get() or (0, 0, 0), dtype=float)
                down = self._axes @ vector
                if np.linalg.norm(vector) > 0 and down[2] > -(1 - SLANT) * np.linalg.norm(vector):
                    raise self._fault(
                        f"has gravity along {vector.tolist()}: it must point down (--tilt tilts a scene)",
                        "",
                    )

    def _check_filters(self, prims: list[Any], owners: dict[Any, str]) -> None:
        """Raises FormatError where bodies pass through each other. owners: the body of every solid, by path."""
        pairs, groups = [], {}
        for prim in prims:
            if prim.HasAPI(self._physics.FilteredPairsAPI):
                for target in self._physics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                    these, those = (
                        {owner for path, owner in owners.items() if path.HasPrefix(end)}
                        for end in (prim.GetPath(), target)
                    )
                    pairs.append((prim.GetPath(), these, those))
        table = self._physics.CollisionGroup.ComputeCollisionGroupTable(self._stage)
        for name in table.GetGroups():
            group = self._physics.CollisionGroup(self._stage.GetPrimAtPath(name))
            query = group.GetCollidersCollectionAPI().ComputeMembershipQuery()
            groups[name] = {owner for path, owner in owners.items() if query.IsPathIncluded(path)}
            for other, those in groups.items():
                if not table.IsCollisionEnabled(name, other):
                    pairs.append((name, groups[name], those))
        for place, these, those in pairs:
            if these and those and len(these | those) > 1:
                problem = "lets bodies pass through each other, which is not simulated: take the filter out"
                raise self._fault(problem, str(place))

    def _collides(self, prim: Any) -> bool:
        """Whether a shape is a collider, by itself or under one that is."""
        while prim and not prim.IsPseudoRoot():
            if prim.HasAPI(self._physics.CollisionAPI):
                return bool(self._physics.CollisionAPI(prim).GetCollisionEnabledAttr().Get())
            if prim.HasAPI(self._physics.RigidBodyAPI):
                return False
            prim = prim.GetParent()
        return False

    def _is_hidden(self, prim: Any) -> bool:
        seen = self._geom.Imageable(prim)
        is_drawn = seen.ComputeVisibility() != "invisible" and seen.ComputePurpose() not in ("proxy", "guide")
        return not is_drawn and not self._collides(prim)

    def _owner(self, prim: Any) -> Any | None:
        """The body that a collider belongs to; None: the world."""
        while prim and not prim.IsPseudoRoot():
            if prim.HasAPI(self._physics.RigidBodyAPI):
                return prim
            prim = prim.GetParent()
        return None

    def _is_kinematic(self, prim: Any) -> bool:
        body = self._physics.RigidBodyAPI(prim)
        return bool(body.GetKinematicEnabledAttr().Get()) or body.GetRigidBodyEnabledAttr().Get() is False

    def _world(self, prim: Any) -> Array:
        """The matrix (4, 4) of a prim, metres and Z up; USD's vectors are rows."""
        matrix = np.array(self._cache.GetLocalToWorldTransform(prim), dtype=float).T
        matrix[:3, 3] *= self._unit
        return np.asarray(placed((0, 0, 0), self._axes) @ matrix, dtype=np.float64)

    def _body(self, prim: Any, is_fixed: bool) -> RigidBody:
        turn, _, origin = self._split(self._world(prim), prim)
        return RigidBody(str(prim.GetName()), placed(origin, turn), [], is_fixed)

    def _told(self, prim: Any, frame: Array) -> tuple[float, float, Array | None, Array | None]:
        """The mass and density that a prim is given, 0: none, and the centre and inertia, in a frame of the world."""
        if not prim.HasAPI(self._physics.MassAPI):
            return 0.0, 0.0, None, None
        api = self._physics.MassAPI(prim)
        mass, density = (max(0.0, float(one.Get() or 0)) for one in (api.GetMassAttr(), api.GetDensityAttr()))
        matrix = np.linalg.inv(frame) @ self._world(prim)
        centre = np.array(api.GetCenterOfMassAttr().Get(), dtype=float) * self._unit
        moments = np.array(api.GetDiagonalInertiaAttr().Get(), dtype=float) * self._kilogram * self._unit**2
        axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
        axes = axes @ _turn_of(api.GetPrincipalAxesAttr().Get())
        return (
            mass * self._kilogram,
            density * self._kilogram / self._unit**3,
            matrix[:3, :3] @ centre + matrix[:3, 3] if np.isfinite(centre).all() else None,
            axes @ np.diag(moments) @ axes.T if moments.any() else None,
        )

    def _weigh(self, prim: Any, body: RigidBody, owner: Any, of_material: float | None) -> None:
        """Add the mass of the last solid of a body: a mass goes before a density, and what is further in before what
        is around it. Raises FormatError."""
        around = prim.GetParent()
        while prim != owner and around != owner:
            mass, density, centre, _ = self._told(around, body.matrix)
            if mass or density or centre is not None:
                problem = "has a mass but is neither a body nor a solid: give it to one of them"
                raise self._fault(problem, str(around.GetPath()))
            around = around.GetParent()
        mass, density, centre, inertia = self._told(prim, body.matrix)
        whole, common = self._told(owner, body.matrix)[:2]
        density = density or common or of_material or 0.0
        self._is_untold |= not (mass or density or whole)
        with suppress(ModelError):  # said when the piece is built
            even = weighed(body.parts[-1], density or USUAL_DENSITY)
            if inertia is None and even.inertia is not None and mass and even.mass > 0:
                inertia = even.inertia * (mass / even.mass)
            body.masses.append(
                Mass(
                    mass or even.mass,
                    even.centre if centre is None else centre,
                    even.inertia if inertia is None else inertia,
                )
            )

    def _balance(self, prim: Any, body: RigidBody) -> None:
        """Give a body the mass, centre and inertia that it is given as a whole: they go before those of its solids."""
        mass, _, centre, inertia = self._told(prim, body.matrix)
        total = sum(one.mass for one in body.masses)
        if not total > 0:
            return
        if inertia is not None:
            inertia = inertia * (total / mass if mass else 1.0)
        if centre is not None or inertia is not None:
            middle = np.sum([one.mass * one.centre for one in body.masses], axis=0) / total
            body.masses = [Mass(total, middle if centre is None else centre, inertia)]
        share = mass / total if mass else 1.0
        body.masses = [
            Mass(one.mass * share, one.centre, None if one.inertia is None else one.inertia * share)
            for one in body.masses
        ]

    def _split(self, matrix: Array, prim: Any) -> tuple[Array, Array, Array]:
        """A matrix as turn, stretch along the own axes, and origin. Raises FormatError when it skews or mirrors."""
        linear = matrix[:3, :3]
        scale = np.linalg.norm(linear, axis=0)
        if not np.isfinite(matrix).all() or not (scale > 0).all():
            raise self._fault(
                "has a size of 0, or a place that is not finite: leave it out, or give it one",
                str(prim.GetPath()),
            )
        turn = linear / scale
        if np.abs(turn.T @ turn - np.eye(3)).max() > SHEAR or np.linalg.det(turn) < 0:
            raise self._fault(
                "is skewed or mirrored where it lies: bake it into its mesh", str(prim.GetPath())
            )
        return turn, scale, matrix[:3, 3]

    def _take(self, prim: Any, body: RigidBody, owner: Any | None) -> None:
        """Add a shape to its body, which another prim may be."""
        world = self._world(prim)
        friction, density = self._material(prim)
        if friction is not None:
            body.friction = friction if body.friction is None else min(body.friction, friction)
            self._frictions.add(friction)
        inverse = np.linalg.inv(body.matrix)
        if prim.IsA(self._geom.Mesh):
            body.parts.append(self._mesh(prim, inverse @ world))
        elif prim.IsA(self._geom.Plane):
            self._plane(prim, world, friction)
            return
        else:
            turn, scale, origin = self._split(world, prim)
            turn, shape = self._shape(prim, turn, scale * self._unit)
            body.parts.append(BodyPart(inverse @ placed(origin, turn), shape))
        if owner is not None and not body.fixed:
            self._weigh(prim, body, owner, density)

    def _shape(self, prim: Any, turn: Array, scale: Array) -> tuple[Array, dict[str, Any]]:
        """The frame and shape of a solid. Raises FormatError."""
        geom, place = self._geom, str(prim.GetPath())
        if prim.IsA(geom.Cube):
            return turn, {"box": (float(geom.Cube(prim).GetSizeAttr().Get()) * scale / MM).tolist()}
        if prim.IsA(geom.Sphere):
            self._even(scale, place)
            return turn, {"sphere": float(geom.Sphere(prim).GetRadiusAttr().Get()) * scale[0] / MM}
        kinds = {"Cylinder": geom.Cylinder, "Capsule": geom.Capsule, "Cone": geom.Cone}
        kind = next((name for name, one in kinds.items() if prim.IsA(one)), None)
        if kind is None:
            raise self._fault(f"is a {prim.GetTypeName()}, which no piece can be: use a mesh", place)
        solid = kinds[kind](prim)
        axes = AXES[str(solid.GetAxisAttr().Get())]
        along = np.abs(axes.T) @ scale  # stretches along the solid's x, y and z
        self._even(along if kind == "Capsule" else along[:2], place)
        radius, height = (float(of.Get()) for of in (solid.GetRadiusAttr(), solid.GetHeightAttr()))
        radius, height = radius * along[0], height * along[2]
        if kind == "Capsule":
            return turn @ axes, capsule(radius, height)
        numbers = [radius / MM, height / MM]
        return turn @ axes, {"cylinder": numbers} if kind == "Cylinder" else {
            "cone": [numbers[0], 0.0, numbers[1]]
        }

    def _even(self, scale: Array, place: str) -> None:
        if np.ptp(scale) > SHEAR * scale.max():
            raise self._fault("is round and stretched out of round: use a mesh", place)

    def _mesh(self, prim: Any, matrix: Array) -> BodyPart:
        """Raises FormatError."""
        mesh, place = self._geom.Mesh(prim), str(prim.GetPath())
        points = np.array(mesh.GetPointsAttr().Get() or [], dtype=float).reshape(-1, 3) * self._unit
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or [], dtype=np.int64)
        if counts.sum() > 3 * MAX_TRIANGLES:
            raise self._fault(f"has more than {MAX_TRIANGLES} triangles: use a coarser mesh", place)
        if (counts < 3).any() or counts.sum() != len(corners) or not len(corners):
            raise self._fault("has faces that name no corners: export it again", place)
        if corners.min() < 0 or corners.max() >= len(points):
            raise self._fault("has faces that name corners that are not there: export it again", place)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        triangles = [
            (corners[start], corners[start + at], corners[start + at + 1])
            for start, count in zip(starts.tolist(), counts.tolist(), strict=True)
            for at in range(1, count - 1)
        ]
        faces = np.array(triangles, dtype=np.int64)
        if str(mesh.GetOrientationAttr().Get()) == "leftHanded":
            faces = faces[:, ::-1]
        return straight(points, faces, matrix)

    def _plane(self, prim: Any, world: Array, friction: float | None) -> None:
        axis = "XYZ".index(str(self._geom.Plane(prim).GetAxisAttr().Get()))
        normal = world[:3, axis] / np.linalg.norm(world[:3, axis])
        if abs(abs(normal[2]) - 1) > SLANT:
            raise self._fault("is a plane that is not level: --tilt tilts a scene", str(prim.GetPath()))
        self._ground_at(float(world[2, 3]), friction, str(prim.GetPath()))

    def _material(self, prim: Any) -> tuple[float | None, float | None]:
        """Friction and density (kg/m3) of the physics material bound to a prim."""
        bound, _ = self._shade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not bound or not bound.GetPrim().HasAPI(self._physics.MaterialAPI):
            return None, None
        api = self._physics.MaterialAPI(bound.GetPrim())
        friction, density = api.GetStaticFrictionAttr().Get(), api.GetDensityAttr().Get()
        dense = float(density) * self._kilogram / self._unit**3 if density else None
        return (None if friction is None else float(friction)), dense


def _turn_of(quaternion: Any) -> Array:
    """The rotation matrix (3, 3) of USD's principal axes; none given is a quaternion of length 0."""
    from teeter.engine.geometry.rotation import matrix_of

    w, (x, y, z) = float(quaternion.GetReal()), (float(value) for value in quaternion.GetImaginary())
    length = float(np.sqrt(w * w + x * x + y * y + z * z))
    return matrix_of((x / length, y / length, z / length, w / length)) if length > 0 else np.eye(3)
