"""A `World` of rigid bodies in Rapier, for a second opinion and where pybullet has no wheels; its quirks are met here.

What is done, and why (measurements in engine/README.md):

* Contacts are overdamped springs as quick as the steps, in units of the median piece: with Rapier's own 30 Hz, meant
  for metres and 60 steps a second, a tower of 18 rows sinks by 40 mm and falls.
* Rapier's simplified friction (a constraint for up to four contact points, and a twist) slides at atan(mu) whatever
  the direction; its Coulomb friction creeps below it.
* Contacts are neither recycled nor clustered: it costs a tenth of the time and halves the creep of a tower.
* Of a face only four corners make contact points: hulls with larger faces are cut (`world.rapier_body.cells`).
  Discs, which have many, slide 3 % early.
* Its continuous collision lets a tenth of what is thrown through a loose card: what is fast is stepped in parts, as in
  Bullet (`world.pace`), with contacts as soft as ever.
* Nothing sleeps. One thread, so that the order of the arithmetic is always the same.
* Rapier computes in 32 bits: a pose is rounded to some 1e-8 m near the origin. There are no friction anchors.
* It tells no friction of single contact points. Of its normal forces round things are helped to roll
  (`world.rapier_rubbing`): what they turned them back by in a part of a step is taken back in the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import rapier3d

from teeter.engine.geometry.vectors import plus
from teeter.engine.pose import Pose, vector_of
from teeter.engine.settings import UNITS_PER_PIECE
from teeter.engine.world.body import Body, Contact, Tick, Vector
from teeter.engine.world.faces import is_round
from teeter.engine.world.pace import Pace, Shapes, parts_of_step, shapes_of
from teeter.engine.world.rapier_body import colliders_of, isometry, mass_of, radius_of
from teeter.engine.world.rapier_rubbing import climbs
from teeter.engine.world.rubbing import SETTING_OFF, SLIPPING
from teeter.engine.world.world import Snapshot, World
from teeter.models.piece import Array

SUBSTEPS = 8
"""Of a step, or of a part of one: with fewer in a part falls gain energy. More of them creep more."""
STIFFNESS = 1.0
"""Natural frequency of contacts, in steps a second: twice that pumps tall stacks of evenly spaced pieces until they
fall, half of it lets a tower of 18 rows sink by 2 mm."""
DAMPING = 20.0
"""Damping ratio of contacts."""
SPEED_LIMIT = 1e6
"""Units a second, beyond whatever falls: Rapier stops at 400 by itself, four metres a second for a brick."""
STILL = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class RapierSnapshot(Snapshot):
    """A `Snapshot` of a `RapierWorld`. bodies: with Rapier's numbers of each. data: its record of everything else.
    pace: of which the parts say for how long the impulses of contacts act."""

    bodies: tuple[tuple[Body, int, int], ...]
    data: bytes
    pace: Pace

    def restored(self) -> RapierWorld:
        world = RapierWorld(scale=self.scale, tuning=self.tuning)
        try:
            world._world = rapier3d.PhysicsWorld.restore(self.data)
        except Exception as error:
            raise RuntimeError(f"the snapshot of step {self.step} cannot be restored") from error
        world.set_gravity(self.gravity)
        world._pace = replace(self.pace)
        world._configure()
        world._step = self.step
        for body, index, generation in self.bodies:
            world._register(body, rapier3d.RigidBodyHandle.from_raw_parts(index, generation))
        world._rolling.rewind(self.wound)
        return world


class RapierWorld(World):
    """A `World` on Rapier. tuning: Bullet's, of which only the settling is used."""

    _bodies: dict[str, Body]

    def _open(self) -> None:
        self._world = rapier3d.PhysicsWorld()
        self._is_closed = False
        self._handles: dict[str, rapier3d.RigidBodyHandle] = {}
        self._names: dict[rapier3d.ColliderHandle, str] = {}
        self._pushed: set[str] = set()
        self._pace = Pace.of(self.scale)
        self._shapes: Shapes | None = None
        self._free: list[tuple[rapier3d.RigidBodyHandle, float]] = []
        self._configure()

    def add(self, body: Body) -> None:
        self._check()
        self._check_new(body.name)
        kind = rapier3d.RigidBodyType.FIXED if body.fixed else rapier3d.RigidBodyType.DYNAMIC
        builder = rapier3d.RigidBodyBuilder(kind).can_sleep(False)
        if not body.fixed:
            builder = builder.additional_mass_properties(mass_of(body.piece, self.scale))
        material = body.piece.material
        colliders: list[rapier3d.Collider | rapier3d.ColliderBuilder] = []
        for part in body.piece.parts:
            for collider in colliders_of(part, self.scale.length):
                collider = collider.density(0.0).friction(material.friction**0.5)
                collider = collider.restitution(material.restitution**0.5)
                rule = rapier3d.CoefficientCombineRule.MULTIPLY
                colliders.append(collider.friction_combine_rule(rule).restitution_combine_rule(rule))
        self._register(body, self._world.add_body(builder, colliders))
        self._find(body.name).position = isometry(body.pose, self.scale)
        self._pace.fastest, self._shapes = math.inf, None
        self._pace.notice(body.piece, self.rate)

    def remove(self, name: str) -> None:
        self._find(name)
        del self._bodies[name]
        self._loads.pop(name, None)
        self._rolling.remove(name)
        self._world.remove_body(self._handles.pop(name))
        self._names = {handle: owner for handle, owner in self._names.items() if owner != name}
        self._pushed.discard(name)
        self._pace.forget(name)
        self._shapes = None

    def run(self, steps: int = 1) -> None:
        self._check()
        for _ in range(steps):
            self._pull()
            self._resist()
            pace = self._pace
            pace.passing = frozenset()
            parts, striking = self._parts_of_step()
            self._world.integration_parameters.dt = 1.0 / (self.rate * parts)
            struck: dict[tuple[str, str], set[Contact]] = {}
            for part in range(parts):
                self._climb()
                pace.parts = parts
                self._world.step()
                if part < parts - 1:
                    self._remember(striking, struck)
                    if self._rolling.is_needed:
                        self._rolling.note(self._points_of(self._world.narrow_phase.contact_pairs()))
            pace.passing = frozenset().union(*struck.values())
            if self._pushed:
                # what is pushed may be fast after this step, however slow or far off it was before
                pace.fastest = math.inf
            for name in sorted(self._pushed):
                item = self._find(name)
                item.reset_forces()
                item.reset_torques()
            self._pushed.clear()
        self._step += steps

    def settle(self, stages: int = 1) -> None:
        """Let loads find their way through a new scene while everything is damped."""
        self._damp(self.tuning.settling_damping)
        # nothing gathers speed
        self._pace.fastest = -math.inf
        self._take_weight(stages)
        self._pace.fastest = math.inf
        self._damp(0.0)

    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        self._check()
        free = tuple(body.name for body in self._bodies.values() if not body.fixed)
        poses = [self.pose(name) for name in free]
        rows = np.array([(*pose.position, *pose.orientation) for pose in poses]).reshape(-1, 7)
        speeds = np.array([self.speed(name) for name in free])
        points = None if contacts is False else self.contacts(None if contacts is True else contacts)
        return Tick(self._step, free, rows, speeds, points)

    def contacts(self, names: Iterable[str] | None = None) -> tuple[Contact, ...]:
        self._check()
        pairs = self._world.narrow_phase
        if names is None:
            listed = pairs.contact_pairs()
        else:
            colliders = [collider for name in names for collider in self._find(name).colliders]
            listed = [pair for collider in colliders for pair in pairs.contact_pairs_with(collider)]
        contacts = self._points_of(listed)
        contacts |= self._pace.passed(contacts, self._bodies if names is None else names)
        return tuple(sorted(contacts, key=lambda contact: (contact.a, contact.b, contact.point)))

    def _points_of(self, listed: Iterable[rapier3d.ContactPair]) -> set[Contact]:
        """Returns the contacts of pairs; a set: two bodies that were both asked for list their pair twice."""
        contacts: set[Contact] = set()
        for pair in listed:
            first, second = self._names.get(pair.collider1), self._names.get(pair.collider2)
            # pairs of a body that was removed stay until the next step
            if first is not None and second is not None and pair.has_any_active_contact:
                for manifold in pair.manifolds:
                    contacts.update(self._points(manifold, first, second, pair.collider1))
        return contacts

    def pose(self, name: str) -> Pose:
        item = self._find(name)
        (x, y, z), turn = item.translation, item.rotation
        length = self.scale.length
        size = math.sqrt(turn.i**2 + turn.j**2 + turn.k**2 + turn.w**2)
        return Pose(
            (x * length, y * length, z * length), (turn.i / size, turn.j / size, turn.k / size, turn.w / size)
        )

    def speed(self, name: str) -> float:
        item, piece = self._find(name), self._bodies[name].piece
        return math.hypot(*item.linvel) * self.scale.length + math.hypot(*item.angvel) * radius_of(piece)

    def push(self, name: str, force: Vector, point: Vector | None = None, torque: Vector = STILL) -> None:
        item, unit = self._find(name), self.scale.mass * self.scale.length
        self._pace.fastest = math.inf
        if self._bodies[name].fixed:
            return
        scaled = [value / unit for value in force]
        if point is None:
            item.add_force(scaled)
        else:
            item.add_force_at_point(scaled, [value / self.scale.length for value in point])
        item.add_torque([value / (unit * self.scale.length) for value in torque])
        self._pushed.add(name)

    def launch(self, name: str, velocity: Vector, spin: Vector = STILL) -> None:
        item = self._find(name)
        self._pace.fastest = math.inf
        item.linvel = rapier3d.Vec3(*(value / self.scale.length for value in velocity))
        item.angvel = rapier3d.Vec3(*spin)

    def set_friction(self, name: str, times: float) -> None:
        for handle in self._find(name).colliders:
            # a pair has the product of both bodies' values
            self._world.colliders[handle].friction = times * self._bodies[name].piece.material.friction ** 0.5

    def set_gravity(self, gravity: Vector) -> None:
        self._check()
        self.gravity = gravity
        self._pace.push(0.0)
        self._world.gravity = rapier3d.Vec3(*(value / self.scale.length for value in gravity))

    def _motions(self) -> Iterable[tuple[Body, Pose, Array, Array]]:
        self._check()
        for name, body in self._bodies.items():
            if not body.fixed:
                item = self._find(name)
                velocity = np.array([*item.linvel]) * self.scale.length
                yield body, self.pose(name), velocity, np.array([*item.angvel])

    def follow(self, other: World, name: str) -> None:
        """Put a body where it is in another world of Rapier and this scale, moving as it does there."""
        if not isinstance(other, RapierWorld):
            raise TypeError(f"a world of Rapier follows one of the same kind, not a {type(other).__name__}")
        mine, its = self._find(name), other._find(name)
        self._pace.fastest = math.inf
        mine.position, mine.linvel, mine.angvel = its.position, its.linvel, its.angvel

    def snapshot(self) -> RapierSnapshot:
        self._check()
        bodies = tuple(
            (body, self._handles[name].index, self._handles[name].generation)
            for name, body in self._bodies.items()
        )
        data = self._world.snapshot()
        moment, pace = (self._step, self.scale, self.tuning, self.gravity), replace(self._pace)
        return RapierSnapshot(*moment, bodies, data, pace, wound=self._rolling.wound)

    def close(self) -> None:
        self._is_closed = True
        self._world = rapier3d.PhysicsWorld()  # lets the old one go

    # -- what Rapier needs for it ------------------------------------------------------------------------------

    def _climb(self) -> None:
        """Take back what contacts turned round things by in the last part of a step."""
        since = 1.0 / (self.rate * self._pace.parts)
        slow = SLIPPING * UNITS_PER_PIECE * self.scale.length * self.rate
        unit = self.scale.mass * self.scale.length**2 / since
        rounds = [name for name, body in self._bodies.items() if not body.fixed and is_round(body.piece)]
        for name in [name for name in rounds if self.speed(name) > SETTING_OFF * slow]:
            pose, item = self.pose(name), self._find(name)
            velocity = vector_of(np.array([*item.linvel]) * self.scale.length)
            centre = vector_of(pose.apply(self._bodies[name].piece.centre_of_mass))
            centre = plus(centre, velocity, -since)
            motion = velocity, vector_of(np.array([*item.angvel]))
            for other, torque in climbs(name, pose, centre, motion, self.contacts((name,)), slow):
                if not self._bodies[other].fixed:
                    self._find(other).apply_torque_impulse([value / unit for value in torque])
                    self._pace.fastest = math.inf

    def _parts_of_step(self) -> tuple[int, list[str]]:
        """Returns in how many parts `pace` asks for the next step to be taken, and what may strike something in it."""
        pace, gain = self._pace, math.hypot(*self.gravity) / self.rate
        if pace.is_quiet:
            pace.go_on(gain)
            return 1, []
        bodies = list(self._bodies.values())
        if self._shapes is None:
            radii = [radius_of(body.piece) for body in bodies]
            self._shapes = shapes_of(bodies, radii, self.scale)
            self._free = [
                (self._handles[body.name], radius)
                for body, radius in zip(bodies, radii, strict=True)
                if not body.fixed
            ]
        rigid_bodies, length, fastest = self._world.rigid_bodies, self.scale.length, 0.0
        for handle, radius in self._free:
            item = rigid_bodies[handle]
            fastest = max(fastest, length * item.linvel.norm() + radius * item.angvel.norm())
        if pace.look(fastest, gain):
            return 1, []
        poses = [self.pose(body.name) for body in bodies]
        items = [self._find(body.name) for body in bodies]
        velocities = np.array([[*item.linvel] for item in items]) * self.scale.length
        wanted = parts_of_step(
            self._shapes,
            np.array([pose.position for pose in poses]),
            np.array([pose.orientation for pose in poses]),
            velocities,
            np.array([[*item.angvel] for item in items]),
            1.0 / self.rate,
            math.hypot(*self.gravity),
        )
        pace.fly(wanted.clear, wanted.slow, gain)
        return wanted.count, [bodies[row].name for row in wanted.striking.tolist()]

    def _remember(self, names: Iterable[str], struck: dict[tuple[str, str], set[Contact]]) -> None:
        """Add the contacts of bodies with others on which they press for the first time in a step."""
        colliders = [collider for name in names for collider in self._find(name).colliders]
        strikes: dict[tuple[str, str], set[Contact]] = {}
        for contact in self._points_of(
            pair for collider in colliders for pair in self._world.narrow_phase.contact_pairs_with(collider)
        ):
            if (contact.a, contact.b) not in struck:
                strikes.setdefault((contact.a, contact.b), set()).add(contact)
        struck.update(strikes)

    def _check(self) -> None:
        if self._is_closed:
            raise RuntimeError("this world is closed; make a new one")

    def _find(self, name: str) -> rapier3d.RigidBody:
        self._check()
        if name not in self._handles:
            raise KeyError(f"no body is named {name!r} in this world")
        return self._world.rigid_bodies[self._handles[name]]

    def _register(self, body: Body, handle: rapier3d.RigidBodyHandle) -> None:
        self._bodies[body.name], self._handles[body.name] = body, handle
        self._take_loads(body)
        for collider in self._world.rigid_bodies[handle].colliders:
            self._names[collider] = body.name

    def _configure(self) -> None:
        self._world.set_num_threads(1)
        settings = self._world.integration_parameters
        settings.dt = 1.0 / (self.rate * self._pace.parts)
        settings.num_solver_iterations = SUBSTEPS
        spring = rapier3d.SpringCoefficients(STIFFNESS * self.rate, DAMPING)
        settings.contact_softness = settings.static_contact_softness = spring
        settings.friction_model = rapier3d.FrictionModel.SIMPLIFIED
        settings.contact_clustering = settings.contact_recycling = False
        settings.normalized_max_linear_velocity = SPEED_LIMIT

    def _damp(self, loss: float) -> None:
        """Set the share of its speed that every body loses in a step."""
        self._check()
        left = max(1.0 - loss, 1e-9)
        damping = (left ** (-1.0 / SUBSTEPS) - 1.0) * SUBSTEPS * self.rate
        for name, body in self._bodies.items():
            if not body.fixed:
                item = self._find(name)
                item.linear_damping = item.angular_damping = damping

    def _points(
        self, manifold: rapier3d.ContactManifold, first: str, second: str, collider: rapier3d.ColliderHandle
    ) -> Iterable[Contact]:
        """Yields the points of a manifold that carry force. Rapier's normal points from its first body on."""
        sign = 1.0 if first < second else -1.0
        nx, ny, nz = manifold.data.normal
        unit = self.scale.mass * self.scale.length * self.rate * self._pace.parts
        place = self._world.colliders[collider].position
        # points that the solver did not take keep the impulse they had when it last did
        solved = {point.contact_id for point in manifold.data.solver_contacts}
        for number, point in enumerate(manifold.points):
            if point.impulse > 0.0 and number in solved:
                x, y, z = place.transform_point(point.local_p1)
                yield Contact(
                    min(first, second),
                    max(first, second),
                    (x * self.scale.length, y * self.scale.length, z * self.scale.length),
                    (-sign * nx, -sign * ny, -sign * nz),
                    point.dist * self.scale.length,
                    point.impulse * unit,
                    None,
                )
