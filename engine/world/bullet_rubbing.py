"""What is to be added to bodies in Bullet that turn on others, from what Bullet says of them: see `world.rubbing`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from teeter.engine.geometry.vectors import ZERO, Vector, dot, inverse, plus, rotated, scaled
from teeter.engine.settings import UNITS_PER_PIECE
from teeter.engine.world.bullet_body import BulletBody, friction_of
from teeter.engine.world.faces import face_radius, is_round
from teeter.engine.world.rubbing import (
    ROLLING,
    SETTING_OFF,
    SLIPPING,
    Point,
    Pressing,
    Turning,
    climbing,
    middle_of,
    torsion,
)

Said = tuple[Any, Any]
"""What Bullet says of a mass frame: (position, quaternion), (velocity, spin)."""


@dataclass(frozen=True, slots=True, eq=False)
class Rubbing:
    """What Bullet knows: bodies by their handles, where they are and how they move, the contact points of one, what a
    contact point looks like. rate: steps a second. Everything in Bullet's units."""

    bodies: Mapping[int, BulletBody]
    state: Callable[[BulletBody], Said]
    points: Callable[[BulletBody], Sequence[Any]]
    rate: int

    @property
    def slipping(self) -> float:
        """The speed, units a second, below which contact points are where they should be."""
        return SLIPPING * UNITS_PER_PIECE * self.rate

    def missing(
        self, items: Iterable[BulletBody], parts: int, before: int
    ) -> Iterator[tuple[BulletBody, Vector, Vector, Vector]]:
        """Yields bodies with a force, the point where it acts, and a torque, for one of so many parts of a step.
        before: parts of that of which the contacts are, for one of which they turned what is round."""
        time, since = 1.0 / (self.rate * parts), 1.0 / (self.rate * before)
        done: set[tuple[int, int]] = set()
        known: dict[int, Turning] = {}
        for item in items:
            touches = self._touching(item)
            if not touches:
                continue
            body, is_rolling = self._turning(item, known, time), is_round(item.body.piece)
            heavy = item.body.piece.mass / item.scale.mass * self.rate * before
            blow = ROLLING * self.slipping * heavy if is_rolling else math.inf
            pressings, touching = [], []
            for other, points in touches:
                pair = min(item.handle, other.handle), max(item.handle, other.handle)
                if pair in done and not is_rolling:
                    continue
                below = self._turning(other, known, time)
                points = [point for point in points if not is_spent(point, body, below, since)]
                if not points:
                    continue
                touching.append(other)
                pressing = pressing_of(points, item, other, body, below)
                pressings.append(pressing)
                if pair not in done:
                    done.add(pair)
                    torque, force = torsion(body, below, pressing, self.slipping, time, blow)
                    yield item, force, pressing.middle, torque
                    yield other, scaled(force, -1.0), pressing.middle, scaled(torque, -1.0)
            if is_rolling and pressings:
                axis = rotated(item.upright, body.orientation)
                torques = climbing(body, axis, pressings, self.slipping)
                for other, torque in zip(touching, torques, strict=True):
                    torque = scaled(torque, parts / before)
                    yield item, ZERO, body.centre, torque
                    yield other, ZERO, body.centre, scaled(torque, -1.0)

    def slipping_items(self, items: Iterable[tuple[BulletBody, float]]) -> list[BulletBody]:
        """Returns those of some bodies that move so fast, m/s, that their contact points may be behind: none where all
        are boxes and balls."""
        if not any(item.is_hull for item in self.bodies.values()):
            return []
        bodies = []
        for item, speed in items:
            share = SETTING_OFF if is_round(item.body.piece) else 1.0
            if speed > share * self.slipping * item.scale.length:
                bodies.append(item)
        return bodies

    def _touching(self, item: BulletBody) -> list[tuple[BulletBody, list[Any]]]:
        """Returns what a body presses on, with the contact points; boxes only where they press on a hull."""
        touches: dict[int, list[Any]] = {}
        for point in self.points(item):
            if point[9] > 0.0:
                touches.setdefault(point[2], []).append(point)
        pairs = [(self.bodies[handle], points) for handle, points in touches.items()]
        return [pair for pair in pairs if item.is_hull or pair[0].is_hull]

    def _turning(self, item: BulletBody, known: dict[int, Turning], time: float) -> Turning:
        """Returns how a body moves, with its moments in Bullet's units."""
        if item.handle not in known:
            (place, orientation), (velocity, spin) = self.state(item)
            # contact points are where they were found, before the last part of a step
            before = plus(place, velocity, -time)
            moments = None if item.body.fixed else item.scaled_moments
            known[item.handle] = Turning(before, velocity, spin, orientation, moments)
        return known[item.handle]


def is_spent(point: Sequence[Any], body: Turning, other: Turning, time: float) -> bool:
    """Returns whether a contact point that Bullet says presses was left out of the last part of a step, of such a time:
    what is hard is not solved before it touches, and keeps the force of its last blow. What is solved ahead of that
    comes on by all of its gap."""
    if point[8] <= 0.0:
        return False
    coming = plus(other.at(point[5]), body.at(point[5]), -1.0)
    return bool(time * dot(coming, point[7]) < 0.5 * point[8])


def pressing_of(
    points: Sequence[Any], item: BulletBody, other: BulletBody, body: Turning, below: Turning
) -> Pressing:
    """Returns contact points of a body on another as Bullet reports them, in its units."""
    spots = [Point(p[5], p[7], p[9], plus(scaled(p[11], p[10]), p[13], p[12])) for p in points]
    middle, normal, force = middle_of(spots)

    def radius() -> float:
        faces = _face(item, body, scaled(normal, -1.0)), _face(other, below, normal)
        return min(faces) / item.scale.length

    reach = min(item.radius, other.radius) / item.scale.length
    friction = friction_of(item.body.piece) * friction_of(other.body.piece)
    return Pressing(spots, middle, normal, force, reach, radius, friction)


def _face(item: BulletBody, body: Turning, way: Vector) -> float:
    """Returns the mean radius, metres, of the face that a body turns in a direction of the world. The answer is kept
    for a direction of its piece, so that one is rounded, and turned about the axis of what is round."""
    x, y, z = rotated(way, inverse(body.orientation))
    if not item.is_plain:
        x, y, z = (item.axes @ (x, y, z)).tolist()
    if is_round(item.body.piece):
        x, y = math.hypot(x, y), 0.0
    return face_radius(item.body.piece, round(x, 2) + 0.0, round(y, 2) + 0.0, round(z, 2) + 0.0)
