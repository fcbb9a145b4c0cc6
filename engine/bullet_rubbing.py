"""What is to be added to bodies in Bullet that turn on others, from what Bullet says of them: see `engine.rubbing`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teeter.engine.bullet_body import BulletBody, friction_of
from teeter.engine.faces import face_radius, is_round
from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.rubbing import SETTING_OFF, SLIPPING, Pressing, Turning, climbing, middle_of, torsion
from teeter.engine.settings import UNITS_PER_PIECE
from teeter.models.piece import Array

Said = tuple[Any, Any]
"""What Bullet says of a mass frame: (position, quaternion), (velocity, spin)."""


@dataclass(frozen=True, slots=True, eq=False)
class Rubbing:
    """What Bullet knows: bodies by their handles, where they are and how they move, the contact points of one, what a
    contact point looks like. rate: steps a second; parts: of a step. Everything in Bullet's units."""

    bodies: Mapping[int, BulletBody]
    state: Callable[[BulletBody], Said]
    points: Callable[[BulletBody], Sequence[Any]]
    rate: int
    parts: int

    @property
    def slipping(self) -> float:
        """The speed, units a second, below which contact points are where they should be."""
        return SLIPPING * UNITS_PER_PIECE * self.rate

    def missing(self, items: Sequence[BulletBody]) -> Iterator[tuple[BulletBody, Array, Array, Array]]:
        """Yields bodies with a force (3,), the point (3,) where it acts, and a torque (3,)."""
        done: set[tuple[int, int]] = set()
        for item in items:
            touching = self._touching(item)
            if not touching:
                continue
            body, axes = self._turning(item)
            pressings = []
            for other, points in touching:
                below, others = self._turning(other)
                pressing = pressing_of(points, item, other, axes, others)
                pressings.append(pressing)
                pair = min(item.handle, other.handle), max(item.handle, other.handle)
                if pair not in done:
                    done.add(pair)
                    torque, force, at = torsion(body, below, pressing, self.slipping, self._time)
                    yield item, force, at, torque
                    yield other, -force, at, -torque
            if is_round(item.body.piece):
                axis = (axes @ item.axes.T)[:, 2]
                torques = climbing(body, axis, pressings, self.slipping)
                for (other, _), torque in zip(touching, torques, strict=True):
                    yield item, np.zeros(3), body.centre, torque
                    yield other, np.zeros(3), body.centre, -torque

    def slipping_items(self, items: Sequence[BulletBody], speeds: Sequence[float]) -> list[BulletBody]:
        """Returns those of some bodies that move so fast that their contact points may be behind: none where all are
        boxes and balls. speeds: m/s."""
        if not any(item.is_hull for item in self.bodies.values()):
            return []
        found = []
        for item, speed in zip(items, speeds, strict=True):
            share = SETTING_OFF if is_round(item.body.piece) else 1.0
            if speed > share * self.slipping * item.scale.length:
                found.append(item)
        return found

    @property
    def _time(self) -> float:
        return 1.0 / (self.rate * self.parts)

    def _touching(self, item: BulletBody) -> list[tuple[BulletBody, list[Any]]]:
        """Returns what a body presses on, with the contact points; boxes only where they press on a hull."""
        found: dict[int, list[Any]] = {}
        for point in self.points(item):
            if point[9] > 0.0:
                found.setdefault(point[2], []).append(point)
        pairs = [(self.bodies[handle], points) for handle, points in found.items()]
        return [pair for pair in pairs if item.is_hull or pair[0].is_hull]

    def _turning(self, item: BulletBody) -> tuple[Turning, Array]:
        """Returns how a body moves, and its principal axes (3, 3) in columns."""
        (place, orientation), (velocity, spin) = self.state(item)
        axes, inverse = matrix_of(orientation), np.zeros((3, 3))
        if not item.body.fixed:
            unit = item.scale.mass * item.scale.length**2
            inverse = axes @ np.diag(unit / item.moments) @ axes.T
        # contact points are where they were found, before the last part of a step
        before = np.array(place) - self._time * np.array(velocity)
        return Turning(before, np.array(velocity), np.array(spin), inverse), axes


def pressing_of(
    points: Sequence[Any], item: BulletBody, other: BulletBody, axes: Array, others: Array
) -> Pressing:
    """Returns contact points of a body on another as Bullet reports them, in its units. axes, others: the principal
    axes of the two, (3, 3) in columns."""
    rows = np.array(
        [
            (*p[5], *p[7], p[9], *(p[10] * a + p[12] * b for a, b in zip(p[11], p[13], strict=True)))
            for p in points
        ]
    )
    normals, forces = rows[:, 3:6], rows[:, 6]
    _, normal = middle_of(rows[:, :3], normals, forces)

    def radius() -> float:
        radii = (_face(item, item.axes @ axes.T @ -normal), _face(other, other.axes @ others.T @ normal))
        return min(radii) / item.scale.length

    reach = min(item.radius, other.radius) / item.scale.length
    friction = friction_of(item.body.piece) * friction_of(other.body.piece)
    return Pressing(rows[:, :3], normals, forces, rows[:, 7:], reach, radius, friction)


def _face(item: BulletBody, way: Array) -> float:
    """Returns the mean radius, metres, of the face that a body turns in a direction (3,) of its piece frame. The answer
    is kept for a direction, so that one is rounded, and turned about the axis of what is round."""
    x, y, z = way.tolist()
    if is_round(item.body.piece):
        x, y = math.hypot(x, y), 0.0
    return face_radius(item.body.piece, round(x, 2) + 0.0, round(y, 2) + 0.0, round(z, 2) + 0.0)
