"""A `World` of rigid bodies in Bullet; every quirk of pybullet is met here or in `world.bullet_steps`.

What is done, and why (measurements in engine/README.md):

* `useMaximalCoordinates` on every body, fixed ones too: otherwise the multibody path runs, with no warm starting.
* Compliant, heavily damped contacts, warm starting just below one, friction anchors (`settings.Tuning`).
* Shapes come from URDF text (`world.bullet_body`): the only way to a compound of hulls with a mass frame of its own.
* Bullet's separating-axis test for hulls (`enableSAT`) stays off: between flat faces it takes two crossing edge
  *lines* for a contact, outside both pieces as often as not, and a piece then stands 3 mm beyond an edge.
* Hulls get one contact point a step, so a new scene is settled before it is let go: `settle` seeds the manifolds by
  tilting every hull a little each way, then lets all sink into their contacts, fully damped, with many iterations.
* `localInertiaDiagonal` alone would set the mass to zero: the inertia comes from the URDF and is never changed.
* Nothing sleeps: Bullet's sleeping freezes slow topples and is not woken when a neighbour is removed.
* A state restored into the world it came from does not repeat exactly. `BulletSnapshot.restored` makes a fresh world,
  and whoever wants to return to a moment goes on from a restored world too: then all go the same way.
* Bullet's integrator (semi-implicit Euler) is position Verlet read half a step late: positions here are moved back
  by v dt/2, and a launch moves the body ahead by v dt/2, which makes free fall and Coulomb stops second order. Of a
  step in parts it is half a part.
* What is fast is stepped finer: see `world.bullet_steps`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.geometry.rotation import even_directions
from teeter.engine.geometry.vectors import nudged
from teeter.engine.pose import Pose, vector_of
from teeter.engine.scratch import scratch_files, scratch_folder
from teeter.engine.world import bullet_body
from teeter.engine.world.body import Body, Contact, Tick, Vector
from teeter.engine.world.bullet_body import BulletBody, contact_of, outward, surface_settings
from teeter.engine.world.bullet_rubbing import Said
from teeter.engine.world.bullet_steps import BulletSteps, pybullet
from teeter.engine.world.pace import Pace
from teeter.engine.world.world import Snapshot, World
from teeter.models.piece import Array

HEAD_BYTES = 12
"""Of a state, before its first chunk."""
_BELOW = Pose((0.0, 0.0, -1000.0))


def _state_file() -> Path:
    """Where Bullet, which knows no other way, writes a state: a file for each thread."""
    return scratch_folder() / f"state-{threading.get_ident()}.bullet"


def _is_whole(data: bytes) -> bool:
    """Whether a state is there to its end: chunks of a head of 24 bytes, in which a length stands. Bullet does not say
    that a disk is full, and takes half a state for one in which the rest has not moved."""
    end = HEAD_BYTES
    while end < len(data):
        end += 24 + int.from_bytes(data[end + 4 : end + 8], "little")
    return end == len(data)


@dataclass(frozen=True, slots=True, eq=False)
class BulletSnapshot(Snapshot):
    """A `Snapshot` of a `BulletWorld`.

    slots: the bodies as they were added, in that order (their shapes depend on how they lay then), None where one was
    removed. data: Bullet's record of poses, velocities and contacts, which Bullet does not check. pace: of which the
    parts say how far ahead the poses are.
    """

    slots: tuple[Body | None, ...]
    data: bytes
    pace: Pace

    def restored(self) -> BulletWorld:
        world = BulletWorld(scale=self.scale, tuning=self.tuning)
        try:
            world._restore(self)
        except BaseException:
            world.close()
            raise
        return world


class BulletWorld(World):
    """A `World` on Bullet."""

    _bodies: dict[str, BulletBody]

    def _open(self) -> None:
        self._slots: list[str] = []
        self._known_loads: dict[str, tuple[Array, Array]] = {}
        self._steps = BulletSteps(self.scale, self.tuning, self._bodies)

    # -- what a World does -------------------------------------------------------------------------------------

    def add(self, body: Body) -> None:
        self._check_new(body.name)
        path = bullet_body.write(body.piece, self.scale, self.tuning, body.fixed, body.pose.matrix[2])
        item = BulletBody(body, self.scale)
        position, orientation = item.inwards(body.pose)
        item.handle = self._call(
            pybullet.loadURDF,
            str(path),
            basePosition=position,
            baseOrientation=orientation,
            useMaximalCoordinates=True,
            useFixedBase=body.fixed,
            flags=pybullet.URDF_USE_INERTIA_FROM_FILE,
        )
        # how it touches, and that nothing damps it in flight
        surface = surface_settings(self.tuning, self.rate, body.piece, body.fixed)
        self._call(pybullet.changeDynamics, item.handle, -1, **surface)
        self._bodies[body.name] = item
        self._steps.changed()
        self._steps.pace.notice(body.piece, self.rate)
        self._steps.names[item.handle] = body.name
        self._slots.append(body.name)
        self._take_loads(body)

    def remove(self, name: str) -> None:
        item = self._find(name)
        self._call(pybullet.removeBody, item.handle)
        del self._bodies[name], self._steps.names[item.handle]
        self._steps.changed()
        self._steps.pace.forget(name)
        self._loads.pop(name, None)
        self._known_loads.pop(name, None)
        self._rolling.remove(name)
        self._slots[self._slots.index(name)] = ""

    def run(self, steps: int = 1) -> None:
        note = (lambda: self._rolling.note(self._pressing())) if self._rolling.is_needed else None
        for _ in range(steps):
            self._pull()
            self._resist()
            self._steps.take(note)
        self._step += steps

    def _pull(self) -> None:
        """Apply the loads: forces through the centre of mass, what turns as a change of spin. Friction rows of Bullet
        leave torques from outside out: a block that is pushed at its top creeps away under it."""
        for name, loads in self._loads.items():
            item = self._find(name)
            if name not in self._known_loads:
                arms = (np.array([one.point for one in loads]) - item.centre) @ item.axes / self.scale.length
                self._known_loads[name] = arms, np.array([one.force for one in loads])
            said = (place, turn), _ = self._steps.said(item)
            axes = np.array(pybullet.getMatrixFromQuaternion(turn)).reshape(3, 3)
            arms, forces = self._known_loads[name]
            forces = self._share / (self.scale.mass * self.scale.length) * forces
            # numpy's own product takes ten times as long for a few rows
            (a, b, c), (x, y, z), turning = (arms @ axes.T).T, forces.T, np.empty_like(forces)
            turning[:, 0], turning[:, 1], turning[:, 2] = b * z - c * y, c * x - a * z, a * y - b * x
            self._spin(item, said, axes, turning.sum(axis=0) * self.scale.mass * self.scale.length**2)
            total = forces.sum(axis=0).tolist()
            self._steps.push(pybullet.applyExternalForce, item.handle, -1, total, place, pybullet.WORLD_FRAME)

    def _turn(self, name: str, torque: Array) -> None:
        item = self._find(name)
        said = self._steps.said(item)
        axes = np.array(pybullet.getMatrixFromQuaternion(said[0][1])).reshape(3, 3)
        self._spin(item, said, axes, torque)

    def _spin(self, item: BulletBody, said: Said, axes: Array, torque: Array) -> None:
        """Change a spin as a torque does in a step."""
        speed, spin = said[1]
        turning = np.array(spin) + axes @ ((axes.T @ torque) / item.moments) / self.rate
        self._call(pybullet.resetBaseVelocity, item.handle, speed, turning.tolist())
        self._steps.pace.fastest = math.inf

    def settle(self, stages: int = 1) -> None:
        """Let a scene that was put together at rest find its contact forces.

        Loads need hundreds of iterations to travel down a tower once, and hulls need their contact points found.
        Meanwhile everything is damped, so that nothing gathers speed from a support that is not there yet; what
        cannot stand goes on falling afterwards. Not for scenes with moving bodies: it would stop them.
        """
        free, pace = self._steps.free, self._steps.pace
        self._steps.take_whole()
        self._seed([item for item in free if any(part.kind == "hull" for part in item.body.piece.parts)])
        self._pace(self.tuning.settle_iterations, self.tuning.settling_damping, free)
        # nothing gathers speed
        pace.fastest = -math.inf
        self._take_weight(stages)
        pace.fastest = math.inf
        self._pace(self.tuning.iterations, 0.0, free)

    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        free = self._steps.free
        positions, quaternions, velocities, spins = self._steps.states(free)
        radii = np.array([item.radius for item in free])
        speeds = np.linalg.norm(velocities, axis=1) + np.linalg.norm(spins, axis=1) * radii
        poses = np.hstack([positions, quaternions])
        points = None if contacts is False else self.contacts(None if contacts is True else contacts)
        return Tick(self._step, tuple(item.body.name for item in free), poses, speeds, points)

    def contacts(self, names: Iterable[str] | None = None) -> tuple[Contact, ...]:
        asked = list(self._bodies if names is None else names)
        if names is None:
            contacts = self._pressing()
        else:
            contacts = {contact for name in asked for contact in self._steps.pressing(self._find(name))}
        contacts |= self._steps.pace.passed(contacts, asked)
        return tuple(sorted(contacts, key=lambda contact: (contact.a, contact.b, contact.point)))

    def _pressing(self) -> set[Contact]:
        points = self._call(pybullet.getContactPoints)
        return {contact_of(point, self._steps.names, self.scale, True) for point in points if point[9] > 0.0}

    def pose(self, name: str) -> Pose:
        item = self._find(name)
        return outward(item, self._steps.said(item), self._steps.pace.parts)

    def speed(self, name: str) -> float:
        return self._steps.speeds([self._find(name)])[0]

    def push(
        self, name: str, force: Vector, point: Vector | None = None, torque: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        item = self._find(name)
        unit = self.scale.mass * self.scale.length
        at = self._call(pybullet.getBasePositionAndOrientation, item.handle)[0]
        if point is not None:
            at = [value / self.scale.length for value in point]
        scaled = [value / unit for value in force]
        self._steps.push(pybullet.applyExternalForce, item.handle, -1, scaled, at, pybullet.WORLD_FRAME)
        pace = self._steps.pace
        pace.push(math.hypot(*force) / (item.body.piece.mass * self.rate))
        if any(torque):
            turning = [value / (unit * self.scale.length) for value in torque]
            self._steps.push(pybullet.applyExternalTorque, item.handle, -1, turning, pybullet.WORLD_FRAME)
            least = float(item.moments.min())
            pace.push(math.hypot(*torque) * item.radius / (least * self.rate))

    def launch(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> None:
        item = self._find(name)
        position, orientation = self._steps.said(item)[0]
        # positions run half a step ahead of velocities here: see the module's note on the integrator
        scaled = (np.array(velocity) / self.scale.length).tolist()
        self._steps.put(item, position, orientation, scaled, list(spin), 1.0 / self._steps.pace.parts)
        self._steps.changed()

    def follow(self, other: World, name: str) -> None:
        """Put a body where it is in another world of Bullet and this scale, moving as it does there."""
        if not isinstance(other, BulletWorld):
            raise TypeError(f"a world of Bullet follows one of the same kind, not a {type(other).__name__}")
        mine = self._find(name).handle
        place, motion = other._steps.said(other._find(name))
        self._call(pybullet.resetBasePositionAndOrientation, mine, *place)
        self._call(pybullet.resetBaseVelocity, mine, *motion)
        self._steps.changed()
        if other._steps.pace.parts != self._steps.pace.parts:
            share = 1 / self._steps.pace.parts - 1 / other._steps.pace.parts
            self._steps.ahead([self._find(name)], share)

    def snapshot(self) -> BulletSnapshot:
        with scratch_files():
            path = _state_file()
            path.unlink(missing_ok=True)
            self._call(pybullet.saveBullet, str(path))
            data = path.read_bytes()
            if not _is_whole(data):
                raise OSError("half of a state was written")
        slots = tuple(self._bodies[name].body if name else None for name in self._slots)
        moment, pace = (self._step, self.scale, self.tuning, self.gravity), replace(self._steps.pace)
        return BulletSnapshot(*moment, slots, data, pace, wound=self._rolling.wound)

    def _restore(self, snapshot: BulletSnapshot) -> None:
        # Bullet counts bodies as they come and finds them by that count: removed ones are stood in for, far below
        filler = next((body for body in snapshot.slots if body is not None), None)
        stand_ins = []
        for number, body in enumerate(snapshot.slots):
            if body is None and filler is not None:
                body = replace(filler, name=f"removed {number}", pose=_BELOW, fixed=True)
                stand_ins.append(body.name)
            if body is not None:
                self.add(body)
        for name in stand_ins:
            self.remove(name)
        with scratch_files():
            path = _state_file()
            path.write_bytes(snapshot.data)
        if self._bodies:
            try:
                self._call(pybullet.restoreState, fileName=str(path))
            except pybullet.error as error:
                raise RuntimeError(f"the snapshot of step {snapshot.step} cannot be restored") from error
        self.set_gravity(snapshot.gravity)
        self._steps.pace = replace(snapshot.pace)
        self._steps.configure()
        self._step = snapshot.step
        self._rolling.rewind(snapshot.wound)

    def set_friction(self, name: str, times: float) -> None:
        item = self._find(name)
        friction = times * bullet_body.friction_of(item.body.piece)
        self._call(pybullet.changeDynamics, item.handle, -1, lateralFriction=friction)
        # anchored contact points keep the friction they began with: lifted away for a moment, the body finds new ones
        place, motion = self._steps.said(item)
        self._call(pybullet.resetBasePositionAndOrientation, item.handle, *item.inwards(_BELOW))
        self._call(pybullet.performCollisionDetection)
        self._call(pybullet.resetBasePositionAndOrientation, item.handle, *place)
        self._call(pybullet.resetBaseVelocity, item.handle, *motion)

    def set_gravity(self, gravity: Vector) -> None:
        self.gravity = gravity
        self._steps.gravity = gravity
        self._steps.pace.push(0.0)
        self._call(pybullet.setGravity, *(value / self.scale.length for value in gravity))

    def _motions(self) -> Iterable[tuple[Body, Pose, Array, Array]]:
        free = self._steps.free
        for item, (x, y, z), (a, b, c, d), velocity, spin in zip(
            free, *self._steps.states(free), strict=True
        ):
            yield item.body, Pose((x, y, z), (a, b, c, d)), velocity, spin

    def close(self) -> None:
        self._steps.close()

    # -- what Bullet needs for it ------------------------------------------------------------------------------

    def _call(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        return self._steps.call(function, *args, **named)

    def _check(self) -> None:
        self._steps.check()

    def _pace(self, iterations: int, loss: float, items: list[BulletBody]) -> None:
        """Set the iterations a step, and the share of its speed a body loses in one."""
        self._call(pybullet.setPhysicsEngineParameter, numSolverIterations=iterations)
        # Bullet's damping is the share lost in a second; 1 is clipped by it to a full stop
        damping = 1.0 - (1.0 - loss) ** self.rate
        for item in items:
            self._call(
                pybullet.changeDynamics, item.handle, -1, linearDamping=damping, angularDamping=damping
            )

    def _seed(self, items: list[BulletBody]) -> None:
        """Fill the contact manifolds of hulls: tilt all of them a little, each about an axis of its own, ask for
        collisions, go round all axes, and put them back. Contact points stay; poses are exact again."""
        if not items:
            return
        places = [self._call(pybullet.getBasePositionAndOrientation, item.handle) for item in items]
        axes = [vector_of(axis) for axis in even_directions(self.tuning.seed_tilts) * self.tuning.seed_tilt]
        for tilt in range(len(axes)):
            for row, (item, (position, orientation)) in enumerate(zip(items, places, strict=True)):
                # neighbours tilt about different axes, so that no pair moves as one
                tilted = nudged(orientation, axes[(tilt + 5 * row) % len(axes)])
                self._call(pybullet.resetBasePositionAndOrientation, item.handle, position, tilted)
            self._call(pybullet.performCollisionDetection)
        for item, place in zip(items, places, strict=True):
            self._call(pybullet.resetBasePositionAndOrientation, item.handle, *place)

    def _find(self, name: str) -> BulletBody:
        try:
            return self._bodies[name]
        except KeyError:
            raise KeyError(f"no body is named {name!r} in this world") from None
