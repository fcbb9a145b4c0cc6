"""The steps of a world in Bullet: where it is asked how its bodies move, and made to step as finely as they need. The
only file that imports pybullet.

* What Bullet says is half a part of a step ahead of what it was asked for: see the notes of `world.bullet`.
* Bullet's own substeps divide forces by the wrong time, and its continuous collision ignores compounds: what is fast is
  stepped in parts from here (`world.pace`). What it forgets of spins is pushed (`world.spin`, `world.rubbing`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from teeter.engine.geometry.vectors import nudged, plus, scaled
from teeter.engine.process import suppress_stderr
from teeter.engine.settings import UNITS_PER_PIECE, Tuning
from teeter.engine.world.body import Contact, Scale, Vector
from teeter.engine.world.bullet_body import (
    BulletBody,
    compliance,
    contact_of,
    outwards,
    solver_settings,
    step_settings,
)
from teeter.engine.world.bullet_rubbing import Rubbing, Said
from teeter.engine.world.faces import is_round
from teeter.engine.world.pace import (
    PARTS,
    ROLLING_PARTS,
    WHOLE,
    Pace,
    Parts,
    Shapes,
    parts_of_step,
    shapes_of,
)
from teeter.engine.world.spin import gyroscopic_torque, is_braked
from teeter.models.piece import Array

with suppress_stderr():
    # it greets on standard error when it is imported, in the middle of whatever a command reports there
    import pybullet as pybullet

_idle: list[int] = []
"""Connections whose worlds are closed: one that is made anew costs as much as a hundred steps, one that is reset is
empty all the same."""


def _connected() -> int:
    try:
        return _idle.pop()
    except IndexError:
        return int(pybullet.connect(pybullet.DIRECT))


STANDING = 1e-3
"""Units a step: what moves less stays where it is when the parts of a step change."""
BLOW = 0.13
"""Of the median piece a step (1 m/s at the games' size): what changes a speed by so much in a part of a step does not
go on. Nothing that rests does, but what is 24 times lighter than what lies on it."""
ANY_GAP = 1e30
"""Units up to which contact points are solved: as Bullet begins."""


class BulletSteps:
    """A simulator of Bullet, and how it steps. bodies: of its world, by name. names: by Bullet's numbers, kept by the
    world. gravity: m/s^2."""

    def __init__(self, scale: Scale, tuning: Tuning, bodies: Mapping[str, BulletBody]) -> None:
        self.scale, self.tuning = scale, tuning
        self.pace = Pace.of(scale)
        self.gravity: Vector = (0.0, 0.0, 0.0)
        self.names: dict[int, str] = {}
        self._bodies = bodies
        self._client: int = _connected()
        self._pushes: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self._shapes: Shapes | None = None
        self._free: list[BulletBody] | None = None
        self._fixed: list[BulletBody] = []
        self._fixed_places: tuple[Array, Array, Array, Array]
        self.configure()

    def call(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Call one of Bullet's functions. Raises RuntimeError when the simulator was freed."""
        self.check()
        return function(*args, physicsClientId=self._client, **named)

    def check(self) -> None:
        """Raises RuntimeError when the simulator was freed."""
        if self._client < 0:
            raise RuntimeError("this world is closed; make a new one")

    def close(self) -> None:
        """Free the simulator."""
        if self._client >= 0:
            pybullet.resetSimulation(physicsClientId=self._client)
            _idle.append(self._client)
            self._client = -1

    def configure(self) -> None:
        """Tell Bullet how to solve, as after a step in as many parts as the last one."""
        settings = solver_settings(self.tuning, self.scale, self.pace.parts)
        self.call(pybullet.setPhysicsEngineParameter, **settings)

    @property
    def free(self) -> list[BulletBody]:
        """The bodies that can move."""
        if self._free is None:
            self._free = [item for item in self._bodies.values() if not item.body.fixed]
        return self._free

    # -- what moves, and where ---------------------------------------------------------------------------------

    def changed(self) -> None:
        """Bodies came or went, or move otherwise than Bullet moved them."""
        self._shapes, self._free, self.pace.fastest = None, None, math.inf

    def said(self, item: BulletBody) -> Said:
        """Returns what Bullet says of a mass frame, in its units."""
        place = self.call(pybullet.getBasePositionAndOrientation, item.handle)
        return place, self.call(pybullet.getBaseVelocity, item.handle)

    def states(self, items: Sequence[BulletBody]) -> tuple[Array, Array, Array, Array]:
        """Returns positions and quaternions of the piece frames, velocities of the centres of mass, spins; a row each,
        SI."""
        self.check()
        client, place, motion = self._client, pybullet.getBasePositionAndOrientation, pybullet.getBaseVelocity
        states = [(place(item.handle, client), motion(item.handle, client)) for item in items]
        return outwards(items, states, self.scale, self.pace.parts)

    def speeds(self, items: Iterable[BulletBody]) -> list[float]:
        """Returns how fast the fastest point of each body is at most, m/s."""
        self.check()
        motion, client, length = pybullet.getBaseVelocity, self._client, self.scale.length
        said = [(item.radius, motion(item.handle, client)) for item in items]
        return [length * math.hypot(*speed) + radius * math.hypot(*spin) for radius, (speed, spin) in said]

    def points(self, item: BulletBody) -> Sequence[Any]:
        """Returns the contact points of a body, with Bullet's numbers."""
        points: Sequence[Any] = self.call(pybullet.getContactPoints, item.handle)
        return points

    def pressing(self, item: BulletBody) -> set[Contact]:
        """Returns those that carry force. Asked for one body, Bullet may swap the two and the normal, but not the
        friction, and does not tell."""
        pressing = [point for point in self.points(item) if point[9] > 0.0]
        return {contact_of(point, self.names, self.scale, False) for point in pressing}

    def put(
        self, item: BulletBody, position: Any, orientation: Any, velocity: Any, spin: Any, share: float
    ) -> None:
        """Put a body where it is a share of half a step after it was at a place with such a motion; Bullet's units."""
        time = 0.5 * share / self.scale.rate
        place, turned = plus(position, velocity, time), nudged(orientation, scaled(spin, time))
        self.call(pybullet.resetBasePositionAndOrientation, item.handle, place, turned)
        self.call(pybullet.resetBaseVelocity, item.handle, velocity, spin)

    def ahead(self, items: Sequence[BulletBody], share: float) -> None:
        """Move what moves by a share of half a step."""
        for item in items:
            (position, orientation), (velocity, spin) = self.said(item)
            if math.hypot(*velocity) + math.hypot(*spin) >= STANDING * self.scale.rate:
                self.put(item, position, orientation, velocity, spin, share)

    def push(self, function: Callable[..., Any], *args: Any) -> None:
        """Apply a force or a torque, by Bullet's function for it, during the next step: Bullet forgets it after one of
        its own."""
        self.call(function, *args)
        self._pushes.append((function, args))

    # -- steps -------------------------------------------------------------------------------------------------

    def take(self, note: Callable[[], None] | None) -> None:
        """Take a step. note: is called after every part of it but the last."""
        if self.pace.is_quiet:
            self._keep_turning([self._bodies[name] for name in self.pace.spinning])
            self.call(pybullet.stepSimulation)
            self.pace.go_on(self._gain)
        else:
            self._take_lively(note)
        self._pushes.clear()

    def take_whole(self) -> None:
        """From now on whole steps, of bodies that do not move."""
        self._change_parts(1)
        self.configure()
        for item in self.free:
            self._harden(item, 0)
        self.pace.passing = frozenset()

    @property
    def _gain(self) -> float:
        """m/s that a fall adds in a step."""
        return math.hypot(*self.gravity) / self.scale.rate

    def _take_lively(self, note: Callable[[], None] | None) -> None:
        """Take a step in which something may move fast: in as many parts as `pace` asks for."""
        free, pace = self.free, self.pace
        speeds = self.speeds(free)
        pace.passing = frozenset()
        is_slow = pace.look(max(speeds, default=0.0), self._gain)
        if len(self._bodies) == 1 and self._pushes and pace.parts == 1:
            # a piece in a hand, simulated alone: it meets nothing, however fast it is
            self._keep_turning(free if speeds[0] > pace.quiet else ())
            self.call(pybullet.stepSimulation)
            pace.fastest = math.inf
            return
        wanted, striking = (WHOLE, []) if is_slow else self._parts_of_step(free)
        before, parts = pace.parts, wanted.count
        fast = [item for item, speed in zip(free, speeds, strict=True) if speed > pace.quiet]
        if 2 * parts < before and not (is_slow or wanted.flying) and self._are_struck(fast, parts):
            parts = next(count for count in PARTS if 2 * count >= before)
        self._change_parts(parts)
        for item, speed in zip(free, speeds, strict=True):
            self._harden(item, self._hardness(item, parts, speed))
        # in parts Bullet brakes by so much less, and what comes down spins no longer freely
        turning = self._keep_turning(fast) if parts == 1 else []
        pace.fly(wanted.clear, wanted.slow, self._gain, [item.body.name for item in turning])
        items = {item.handle: item for item in self._bodies.values()}
        rubbing = Rubbing(items, self.said, self.points, self.scale.rate)
        moving = enumerate(zip(free, speeds, strict=True))
        slipping = rubbing.slipping_items(item for row, item in moving if row not in wanted.flying)
        if slipping or self._pushes:
            # what is pushed may be fast after this step, however slow or far off it was before
            pace.fastest = math.inf
        is_rolling = any(is_round(item.body.piece) for item in slipping)
        rubs = []
        for part in range(parts):
            for function, args in self._pushes if part else ():
                self.call(function, *args)
            # what rolls meets another corner of its polygon in every part; for the rest once a step will do
            if is_rolling or part == 0:
                rubs = list(rubbing.missing(slipping, parts if is_rolling else 1, parts if part else before))
            self._rub(rubs)
            self.call(pybullet.stepSimulation)
            if part == 0 and parts != before:
                # warm starting is as ever again: see `_change_parts`
                settings = step_settings(self.tuning, self.scale, parts)
                self.call(pybullet.setPhysicsEngineParameter, **settings)
            if part < parts - 1:
                self._remember(striking)
                if note:
                    note()

    def _are_struck(self, items: Iterable[BulletBody], parts: int) -> bool:
        """Returns whether a body is pressed so hard that in one of so many parts of a step its speed would change
        by `BLOW`. Bullet begins each with the force of the last one: one that is eight times as long with eight times a
        blow that is over, of which its iterations do not take back all."""
        blow = BLOW * UNITS_PER_PIECE * self.scale.rate**2 * parts / self.scale.mass
        return any(point[9] > blow * item.body.piece.mass for item in items for point in self.points(item))

    def _remember(self, items: Sequence[BulletBody]) -> None:
        """Keep the contacts of bodies with others on which they press for the first time in a step."""
        known, names = {(contact.a, contact.b) for contact in self.pace.passing}, self.names
        self.pace.passing |= {
            contact_of(point, names, self.scale, False)
            for item in items
            for point in self.points(item)
            if point[9] > 0.0
            and known.isdisjoint([(names[point[1]], names[point[2]]), (names[point[2]], names[point[1]])])
        }

    def _parts_of_step(self, free: list[BulletBody]) -> tuple[Parts, list[BulletBody]]:
        """Returns what `pace` says of the next step, and what may strike something in it."""
        if self._shapes is None:
            self._fixed = [item for item in self._bodies.values() if item.body.fixed]
            self._fixed_places = self.states(self._fixed)
            items = [*free, *self._fixed]
            self._shapes = shapes_of([i.body for i in items], [i.radius for i in items], self.scale)
        items = [*free, *self._fixed]
        both = zip(self.states(free), self._fixed_places, strict=True)
        positions, turns, velocities, spins = (np.concatenate(column) for column in both)
        step, gravity = 1.0 / self.scale.rate, math.hypot(*self.gravity)
        parts = parts_of_step(self._shapes, positions, turns, velocities, spins, step, gravity)
        return parts, [items[row] for row in parts.striking.tolist()]

    def _change_parts(self, parts: int) -> None:
        """Take steps in so many parts from now on."""
        before, self.pace.parts = self.pace.parts, parts
        if parts == before:
            return
        self.ahead(self.free, 1 / parts - 1 / before)
        settings = step_settings(self.tuning, self.scale, parts)
        # the impulses of the last step are those of a longer or a shorter time
        settings["warmStartingFactor"] *= before / parts
        self.call(pybullet.setPhysicsEngineParameter, **settings)

    def _hardness(self, item: BulletBody, parts: int, speed: float) -> int:
        """Returns what `_harden` is to make of a body: what flies bounces as in parts once it strikes, because Bullet
        keeps what it knew of a pair when the two came near."""
        if speed <= self.pace.quiet:
            return 0
        return parts if parts > 1 or not self.points(item) else 0

    def _harden(self, item: BulletBody, parts: int) -> None:
        """What moves fast gives in a part of a step as in a whole one, so that it jumps up as high. parts: 0 for what
        is slow.

        Nor does it bounce before it touches: Bullet takes the gap, over the time of a part, off the speed of a rebound.
        What rolls, though, has to meet the next corner of its polygon early.
        """
        if item.hardness != parts:
            item.hardness = parts
            settings = compliance(self.tuning, self.scale.rate, max(parts, 1))
            is_rolling = is_round(item.body.piece) and parts <= ROLLING_PARTS
            settings["contactProcessingThreshold"] = ANY_GAP if parts == 0 or is_rolling else 0.0
            self.call(pybullet.changeDynamics, item.handle, -1, **settings)

    def _rub(self, missing: Iterable[tuple[BulletBody, Vector, Vector, Vector]]) -> None:
        """Add what the contact points of hulls that turn leave out."""
        for item, force, at, torque in missing:
            if any(force):
                self.call(pybullet.applyExternalForce, item.handle, -1, force, at, pybullet.WORLD_FRAME)
            if any(torque):
                self.call(pybullet.applyExternalTorque, item.handle, -1, torque, pybullet.WORLD_FRAME)

    def _keep_turning(self, items: Iterable[BulletBody]) -> list[BulletBody]:
        """Add the torques that Bullet forgets, for a whole step: see `world.spin`. Returns whom."""
        turning, step = [], 1.0 / self.scale.rate
        for item in items:
            (_, orientation), (_, spin) = self.said(item)
            if is_braked(spin, step):
                turning.append(item)
                torque = gyroscopic_torque(item.scaled_moments, orientation, spin, step)
                self.call(pybullet.applyExternalTorque, item.handle, -1, torque, pybullet.WORLD_FRAME)
        return turning
