"""Rolling resistance: the couple that stops what rolls, up to a length b times the force that presses it on.

As in the simulation of grains (Iwashita and Oda 1998; Ai et al. 2011, model C): a spring winds up with the angle that
two bodies roll on each other, and slips where it would turn them by more than b N. Flat faces, edges and corners
do not roll.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from teeter.models.piece import MM, Array, Piece

Pairs = dict[tuple[str, str], Array]
Wound = tuple[Pairs, Pairs, int]
"""By pair of names the angle (3,), radians, that each has rolled since it stuck, and the sum (3,) of what pressed the
first in all parts of the last step but its last; how many those were."""
# bodies and contacts of `engine.world`, which imports this
Body = Any
Contact = Any

STIFFNESS, DAMPING = 0.2, 0.5
"""Of the springs, in units of the lighter body's moment of inertia and of one step: a log of 30 mm rolls 0.8 degrees
before it is held by all of a resistance of 2 mm, and as stiff a spring as that does not swing up."""
UPRIGHT = 0.3
"""Cosine: an axis that is more along the normal than this does not roll."""
WIDE = 0.2
"""Of the smaller body's size: what touches over more to both sides touches with a face."""


def rolling_between(one: Body, other: Body) -> float:
    """Returns the rolling resistance of two bodies in metres: what is given for the pair, else the larger one of their
    materials', as the softer of two surfaces yields."""
    for name, length in (*one.rolling, *((other.name, b) for name, b in other.rolling if name == one.name)):
        if name == other.name:
            return float(length)
    return float(MM * max(body.piece.material.rolling_mm for body in (one, other)))


def resists(bodies: Iterable[Body]) -> bool:
    """Returns whether any two of them may resist rolling."""
    return any(body.rolling or body.piece.material.rolling_mm > 0 for body in bodies)


@lru_cache(maxsize=1024)
def roll_axes(piece: Piece) -> tuple[bool, Array]:
    """Returns whether a piece rolls about all axes, as a ball does; and the axes (n, 3) about which it does, in its
    frame."""
    # imported here because the surfaces of pieces are needed for this alone
    from teeter.engine.topple.contact.rounds import rounds_of

    surfaces = rounds_of(piece)
    bulges = any(surface.bend > 0 for surface in surfaces)
    return bulges, np.array([surface.axis for surface in surfaces]).reshape(-1, 3)


class RollingResistance:
    """Of the bodies of a world: how far each pair has rolled since it stuck, (3,) radians."""

    def __init__(self) -> None:
        self._bodies: dict[str, Body] = {}
        self._wound: Pairs = {}
        self._pressed: Pairs = {}
        self._parts = 0
        self.is_needed = False

    def add(self, body: Body) -> None:
        """Takes a body in."""
        self._bodies[body.name] = body
        self.is_needed = resists(self._bodies.values())

    def remove(self, name: str) -> None:
        """Forgets a body."""
        self._bodies.pop(name, None)
        self._wound = {pair: wound for pair, wound in self._wound.items() if name not in pair}
        self.is_needed = resists(self._bodies.values())

    @property
    def wound(self) -> Wound:
        """All that the next torques depend on besides the bodies."""
        return dict(self._wound), dict(self._pressed), self._parts

    def rewind(self, wound: Wound) -> None:
        """Takes over what another one was at."""
        self._wound, self._pressed, self._parts = dict(wound[0]), dict(wound[1]), wound[2]

    def note(self, contacts: Iterable[Contact]) -> None:
        """Take note of what presses in a part of a step but its last: what rolls pounds on its corners."""
        self._parts += 1
        for contact in contacts:
            pair, press = (contact.a, contact.b), contact.force * np.array(contact.normal)
            self._pressed[pair] = self._pressed.get(pair, 0.0) + press

    def torques(
        self, contacts: Iterable[Contact], turns: Mapping[str, tuple[Array, Array]], rate: int
    ) -> dict[str, Array]:
        """Returns the torque (3,) in N m on each free body during the next of `rate` steps a second. contacts: of the
        last one. turns: of the free bodies, axes (3, 3) and spin (3,) rad/s."""
        pairs: dict[tuple[str, str], list[Contact]] = {}
        for contact in contacts:
            pairs.setdefault((contact.a, contact.b), []).append(contact)
        torques: dict[str, Array] = {}
        wound: Pairs = {}
        for pair, points in sorted(pairs.items()):
            torque = self._torque(pair, points, turns, rate, wound)
            if torque is not None:
                for name, sign in zip(pair, (1.0, -1.0), strict=True):
                    if name in turns:
                        torques[name] = torques.get(name, np.zeros(3)) + sign * torque
        self._wound, self._pressed, self._parts = wound, {}, 0
        return torques

    def _torque(
        self,
        pair: tuple[str, str],
        points: list[Contact],
        turns: Mapping[str, tuple[Array, Array]],
        rate: int,
        wound: Pairs,
    ) -> Array | None:
        """Returns the torque on the first of a pair; None where it does not roll or resist."""
        one, other = (self._bodies[name] for name in pair)
        free = [body for body in (one, other) if body.name in turns]
        length = rolling_between(one, other)
        if length <= 0 or not free:
            return None
        press = np.array([point.normal for point in points]).T @ [point.force for point in points]
        force = float(np.linalg.norm(press))
        along = self._axes((one, other), points, press / force, turns) if force > 0 else None
        if along is None:
            return None
        still = np.zeros(3)
        spin = turns[one.name][1] if one.name in turns else still
        spin = along @ (spin - (turns[other.name][1] if other.name in turns else still))
        inertia = min(float(np.linalg.eigvalsh(body.piece.inertia)[0]) for body in free)
        angle = along @ self._wound.get(pair, still) + spin / rate
        mean = (press + self._pressed.get(pair, still)) / (1 + self._parts)
        stiffness, most = STIFFNESS * inertia * rate**2, length * float(np.linalg.norm(mean))
        if (size := stiffness * float(np.linalg.norm(angle))) > most:
            angle = angle * (most / size)
        wound[pair] = angle
        torque = -stiffness * angle - DAMPING * inertia * rate * spin
        size = float(np.linalg.norm(torque))
        return torque if size <= most else torque * (most / size)

    def _axes(
        self,
        pair: tuple[Body, Body],
        points: list[Contact],
        normal: Array,
        turns: Mapping[str, tuple[Array, Array]],
    ) -> Array | None:
        """Returns the projection (3, 3) onto the axes about which a pair rolls; None where it does not."""
        flat = np.eye(3) - np.outer(normal, normal)
        places = np.array([point.point for point in points])
        spread = np.linalg.svd((places - places.mean(axis=0)) @ flat, compute_uv=False)
        size = min(float(body.piece.extents.min()) for body in pair)
        if len(spread) > 1 and spread[1] > WIDE * size:
            return None
        projection = None
        for body in pair:
            bulges, own = roll_axes(body.piece)
            axes = own @ (turns[body.name][0] if body.name in turns else body.pose.matrix).T
            lying = axes[np.abs(axes @ normal) <= UPRIGHT] @ flat
            if bulges:
                return flat
            if len(lying):
                unit = lying[0] / np.linalg.norm(lying[0])
                projection = np.outer(unit, unit)
        return projection
