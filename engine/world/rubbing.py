"""What a few contact points leave out of a face that turns on another.

A hull has as many contact points as were found where it was a step ago, so a disc that spins soon stands on the middle
of its face alone, which rubs without a lever: it would spin for ever. And a round piece is a polygon in the simulation,
which climbs over every corner. Both are known better:

* Coulomb friction under even pressure turns a face back by mu N times the mean distance of its points from its middle
  (2/3 R for a disc), and less where it slides as it turns. What the points do not give of it is added.
* A normal force on a surface of revolution goes through its axis. What turns the piece about its axis is taken back.

Both hold for what turns and touches; what stands still is left alone. Whatever acts on a body, its opposite acts on the
other one. Any consistent units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from teeter.engine.geometry.vectors import (
    ZERO,
    Quaternion,
    Vector,
    cross,
    dot,
    inverse,
    plus,
    rotated,
    scaled,
)

SLIPPING = 0.0015
"""Of the median piece a step (0.01 m/s at the games' size): what turns slower at its rim keeps its contact points, and
they hold it."""
ROLLING = 4.0
"""Times that speed: what rolls slower comes to rest on a flat of its polygon, as wood does on a table; what
gets more in a part of a step was struck."""
SETTING_OFF = 0.2
"""Times that speed: what is slower lies still."""
ON_END = 0.7
"""Cosine between its axis and what presses on a round piece, from which on that is an end face: the side of a cone, up
to a right angle at its tip, is none."""
LEVEL = 0.1
"""The same cosine, up to which a piece lies on its side: it rolls about its axis, but for half a per cent."""
MOST_LEVER = 0.3
"""Of how far contact points are from the axis of a round piece: what normal forces pass it by, of twelve corners."""
MOST_OF_SPIN = 0.5
"""Share of a spin that may be taken in a step: forces are those of the step before."""


@dataclass(slots=True, eq=False)
class Turning:
    """A body as it moves. centre, velocity, spin; orientation: of its principal axes; moments: of inertia about them,
    None of one that is fixed."""

    centre: Vector
    velocity: Vector
    spin: Vector
    orientation: Quaternion
    moments: Vector | None

    def at(self, point: Vector) -> Vector:
        """Returns the velocity of a point of it."""
        return plus(self.velocity, cross(self.spin, plus(point, self.centre, -1.0)))

    def gives(self, axis: Vector) -> float:
        """Returns the spin about an axis that a torque of 1 about it gives in a second."""
        if self.moments is None:
            return 0.0
        (a, b, c), (i, j, k) = rotated(axis, inverse(self.orientation)), self.moments
        return a * a / i + b * b / j + c * c / k


@dataclass(frozen=True, slots=True)
class Point:
    """One contact point. normal: towards the body, force along it; friction: of either sign."""

    place: Vector
    normal: Vector
    force: float
    friction: Vector


@dataclass(slots=True, eq=False)
class Pressing:
    """The contact points of a body on another. middle: where they press in the mean; normal: the mean one; force: of
    all. reach: distance from its middle that no point of the face they share has; radius: the mean distance of its
    points, which takes long to find. friction: mu."""

    points: Sequence[Point]
    middle: Vector
    normal: Vector
    force: float
    reach: float
    radius: Callable[[], float]
    friction: float

    def is_across(self, axis: Vector) -> bool:
        """Returns whether it presses on the curved side about an axis, and not on an end. Between the parts of two
        discs that lie on each other Bullet finds points with any normal, so that what they turn is noise."""
        return abs(dot(self.normal, axis)) < ON_END

    def torque(self, body: Turning, axis: Vector, most: float) -> float:
        """Returns what the normal forces turn the body by, about an axis which they pass by so much at most: now and
        then Rapier finds a point beside the body."""
        points = ((plus(point.place, body.centre, -1.0), point) for point in self.points)
        levers = ((dot(cross(arm, point.normal), axis), point.force) for arm, point in points)
        return sum(force * lever for lever, force in levers if abs(lever) <= most)


def middle_of(points: Sequence[Point]) -> tuple[Vector, Vector, float]:
    """Returns where contact points press in the mean, their mean normal, and the sum of their forces."""
    force = sum(point.force for point in points)
    middle = normal = ZERO
    for point in points:
        middle = plus(middle, point.place, point.force / force)
        normal = plus(normal, point.normal, point.force / force)
    return middle, scaled(normal, 1.0 / math.hypot(*normal)), force


def torsion(
    body: Turning, other: Turning, pressing: Pressing, slipping: float, step: float, blow: float
) -> tuple[Vector, Vector]:
    """Returns what is missing on a body which turns on another: a torque, and a force at the middle of its contact.
    What turns as it slides is braked less along its way.

    slipping: speed below which nothing is missing. step: for how long it will act. blow: force from which on the body
    was struck, and slides otherwise than it did before.
    """
    normal = pressing.normal
    spin = dot(plus(body.spin, other.spin, -1.0), normal)
    if abs(spin) * pressing.reach <= slipping:
        return ZERO, ZERO
    radius = pressing.radius()
    rubbing = abs(spin) * radius
    if rubbing <= slipping:
        return ZERO, ZERO
    sliding = plus(body.at(pressing.middle), other.at(pressing.middle), -1.0)
    sliding = plus(sliding, normal, -dot(sliding, normal))
    speed, most = math.hypot(*sliding), pressing.friction * pressing.force
    wanted = most * radius * rubbing / math.hypot(rubbing, speed)
    turned, whole = 0.0, ZERO
    for point in pressing.points:
        turned += dot(cross(plus(point.place, pressing.middle, -1.0), point.friction), normal)
        whole = plus(whole, point.friction)
    give = body.gives(normal) + other.gives(normal)
    missing = min(max(wanted - abs(turned), 0.0), MOST_OF_SPIN * abs(spin) / (give * step))
    along = scaled(sliding, 1.0 / max(speed, 1e-12))
    # mean radius 2/3 R: an evenly pressed disc that slides slowly is braked by 3/4 of its speed over that of its rim
    excess = abs(dot(whole, along)) - most * speed / math.hypot(1.5 * rubbing, speed)
    if pressing.force > blow:
        excess = 0.0
    return scaled(normal, -math.copysign(missing, spin)), scaled(along, max(excess, 0.0))


def climbing(body: Turning, axis: Vector, pressings: Sequence[Pressing], slipping: float) -> list[Vector]:
    """Returns the torques, one for each contact, that take back what normal forces turn a round body by, about its
    axis.

    What rolls slowly may be stopped by the flats of its polygon, but nothing sets off by itself.
    """
    radius = max(
        math.hypot(*cross(plus(point.place, body.centre, -1.0), axis))
        for pressing in pressings
        for point in pressing.points
    )
    most = MOST_LEVER * radius
    turned = [each.torque(body, axis, most) if each.is_across(axis) else 0.0 for each in pressings]
    spin = dot(body.spin, axis)
    is_slow = abs(spin) * radius <= ROLLING * slipping
    if is_slow and sum(turned) * spin <= 0.0:
        return [ZERO] * len(pressings)
    return [
        scaled(_along(axis, each.normal), -torque) for each, torque in zip(pressings, turned, strict=True)
    ]


def _along(axis: Vector, normal: Vector) -> Vector:
    """Returns what a normal force beside an axis turns by, for each 1 about that: it turns about the line on which a
    piece rolls, the side of a cone."""
    across = dot(axis, normal)
    if abs(across) < LEVEL:
        return axis
    return scaled(plus(axis, normal, -across), 1.0 / (1.0 - across * across))
