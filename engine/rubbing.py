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

import numpy as np

from teeter.models.piece import Array

SLIPPING = 0.0015
"""Of the median piece a step (0.01 m/s at the games' size): what turns slower at its rim keeps its contact points, and
they hold it."""
ROLLING = 4.0
"""Times that speed: what rolls slower comes to rest on a flat of its polygon, as wood does on a table."""
SETTING_OFF = 0.2
"""Times that speed: what is slower lies still."""
ON_END = 0.7
"""Cosine between its axis and what presses on a round piece, from which on that is an end face: the side of a cone, up
to a right angle at its tip, is none."""
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
MOST_OF_SPIN = 0.5
"""Share of a spin that may be taken in a step: forces are those of the step before."""


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """A body as it moves. centre, velocity, spin (3,); inverse (3, 3): of its inertia, in the world; zero for one that
    is fixed."""

    centre: Array
    velocity: Array
    spin: Array
    inverse: Array

    def at(self, point: Array) -> Array:
        """Returns the velocity of a point of it (3,)."""
        return np.asarray(self.velocity + cross(self.spin, point - self.centre))


@dataclass(frozen=True, slots=True, eq=False)
class Pressing:
    """The contact points of a body on another. points (n, 3); normals (n, 3), towards the body; forces (n,) along them;
    frictions (n, 3), of either sign. reach: distance from its middle that no point of the face they share has; radius:
    the mean distance of its points, which takes long to find. friction: mu."""

    points: Array
    normals: Array
    forces: Array
    frictions: Array
    reach: float
    radius: Callable[[], float]
    friction: float

    def is_across(self, axis: Array) -> bool:
        """Returns whether it presses on the curved side about an axis (3,), and not on an end. Between the parts of two
        discs that lie on each other Bullet finds points with any normal, so that what they turn is noise."""
        return abs(float(middle_of(self.points, self.normals, self.forces)[1] @ axis)) < ON_END

    def torque(self, body: Turning) -> Array:
        """Returns what the normal forces turn the body by (3,)."""
        return np.asarray(cross(self.points - body.centre, self.forces[:, None] * self.normals).sum(axis=0))


def cross(first: Array, second: Array) -> Array:
    """Returns the cross products of vectors (..., 3); numpy's takes five times as long for a few."""
    return np.asarray(first[..., NEXT] * second[..., LAST] - first[..., LAST] * second[..., NEXT])


def middle_of(points: Array, normals: Array, forces: Array) -> tuple[Array, Array]:
    """Returns where contact points press in the mean (3,), and their mean normal (3,)."""
    weights = forces / forces.sum()
    normal = weights @ normals
    return weights @ points, normal / np.linalg.norm(normal)


def torsion(
    body: Turning, other: Turning, pressing: Pressing, slipping: float, step: float
) -> tuple[Array, Array, Array]:
    """Returns what is missing on a body which turns on another: a torque (3,), a force (3,), the point (3,) at which it
    acts. What turns as it slides is braked less along its way.

    slipping: speed below which nothing is missing. step: for how long it will act.
    """
    middle, normal = middle_of(pressing.points, pressing.normals, pressing.forces)
    spin = float((body.spin - other.spin) @ normal)
    if abs(spin) * pressing.reach <= slipping:
        return np.zeros(3), np.zeros(3), middle
    radius = pressing.radius()
    rubbing = abs(spin) * radius
    if rubbing <= slipping:
        return np.zeros(3), np.zeros(3), middle
    sliding = body.at(middle) - other.at(middle)
    sliding -= (sliding @ normal) * normal
    speed, most = float(np.linalg.norm(sliding)), pressing.friction * float(pressing.forces.sum())
    wanted = most * radius * rubbing / math.hypot(rubbing, speed)
    given = abs(float(cross(pressing.points - middle, pressing.frictions).sum(axis=0) @ normal))
    give = float(normal @ (body.inverse + other.inverse) @ normal)
    missing = min(max(wanted - given, 0.0), MOST_OF_SPIN * abs(spin) / (give * step))
    along = sliding / max(speed, 1e-12)
    # mean radius 2/3 R: an evenly pressed disc that slides slowly is braked by 3/4 of its speed over that of its rim
    excess = abs(float(pressing.frictions.sum(axis=0) @ along)) - most * speed / math.hypot(
        1.5 * rubbing, speed
    )
    return -math.copysign(missing, spin) * normal, max(excess, 0.0) * along, middle


def climbing(body: Turning, axis: Array, pressings: Sequence[Pressing], slipping: float) -> Array:
    """Returns the torques (n, 3), one for each contact, that take back what normal forces turn a round body by, about
    its axis (3,).

    What rolls slowly may be stopped by the flats of its polygon, but nothing sets off by itself.
    """
    turned = np.array(
        [pressing.torque(body) @ axis if pressing.is_across(axis) else 0.0 for pressing in pressings]
    )
    radius = max(
        float(np.linalg.norm(cross(each.points - body.centre, axis), axis=1).max()) for each in pressings
    )
    spin = float(body.spin @ axis)
    is_slow = abs(spin) * radius <= ROLLING * slipping
    if is_slow and turned.sum() * spin <= 0.0:
        return np.zeros((len(pressings), 3))
    return -turned[:, None] * axis
