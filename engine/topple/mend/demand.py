"""What a mended scene has to hold: contact forces that balance it with something in hand, by statics.

Without a margin in degrees it is that of `balance.safety_margin`: every contact area narrower on all sides and a tenth
less friction, so that the simulation will not differ. Edges and corners that pieces stand on have no width to lose.
With a margin it is equilibrium on a table tilted by that, in every direction. Directions in which a scene once fell are
asked first: most scenes fall in few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from teeter.engine.topple.balance.equilibrium import UNBALANCED, Balance, balance_of, fall
from teeter.engine.topple.balance.margins import horizontal, tilt_of
from teeter.engine.topple.balance.rolled import rest_under
from teeter.engine.topple.balance.safety_margin import FRICTION_FACTOR, safety_margin_of, widened
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.balance.wedging import called_up, can_wedge
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import Assembly, Vector

ON_CURVES = 0.5
"""Degrees of tilt that are clear of `unsure` where pieces touch on curves."""
NARROWEST = 0.25
"""Of the middle side of the thinnest piece, by which a contact area is narrowed at most on each side."""
ALIKE = math.radians(2.0)
"""Directions nearer to each other than this are one."""
EXACT = 1e-6
"""Degrees by which a margin may fall short."""


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What is asked of a scene. gravity: m/s^2. margin: degrees of further tilt, None: clear of `unsure`. narrower:
    metres that contact areas lose then. directions: level unit vectors (2,) towards which scenes fell."""

    gravity: Vector
    margin: float | None
    narrower: float
    directions: list[Array] = field(default_factory=list)

    @classmethod
    def on(cls, assembly: Assembly, gravity: Vector, margin: float | None) -> Demand:
        """Returns what is asked of an assembly and of what becomes of it. A piece that is thin bears on a narrow area:
        that is narrowed by a part of it at most, so that some is left."""
        thinnest = min((float(np.sort(body.piece.extents)[1]) for body in assembly.free), default=np.inf)
        return cls(gravity, margin, min(safety_margin_of(assembly), NARROWEST * thinnest))

    def strict(self, contacts: Contacts) -> Contacts:
        """Returns the contacts that may be relied on."""
        if self.margin is not None:
            return contacts
        narrow = widened(contacts, -self.narrower)
        if not len(contacts.points):
            return contacts
        starts = np.append(True, contacts.patch[1:] != contacts.patch[:-1])
        number = np.cumsum(starts) - 1
        # an edge or a corner: not an area that has become too narrow
        thin = np.bincount(number)[number] < 3
        return narrow.joined(replace(contacts, patch=number).some(thin))

    def balance(self, assembly: Assembly, strict: Contacts) -> Balance:
        """Returns the equilibrium that is asked for. strict: contacts that may be relied on."""
        balance = balance_of(assembly, strict, gravity=self.gravity)
        return replace(balance, friction=balance.friction / self.friction_factor)

    @property
    def friction_factor(self) -> float:
        """How many times the friction that is relied on there is."""
        return FRICTION_FACTOR if self.margin is None else 1.0

    def pulls(self, balance: Balance) -> list[Array]:
        """Returns the directions (3,) gravity is asked in: as it is, and as it was where scenes fell."""
        directions = [balance.down]
        if self.margin is not None:
            angle, (east, north) = math.radians(self.margin), horizontal(balance.down)
            directions += [
                math.cos(angle) * balance.down + math.sin(angle) * (a * east + b * north)
                for a, b in self.directions
            ]
        return directions

    def holds(self, assembly: Assembly, *, follow: bool = False) -> bool:
        """Returns whether an assembly holds what is asked. follow: pieces that roll far before they fall, to where
        they do, which takes long."""
        if follow:
            assembly = rest_under(assembly, self.gravity) or assembly
        contacts = find_contacts(assembly)
        return contacts.meet and (
            self.holds_on_curves(assembly, contacts, follow=follow)
            if contacts.curved
            else self.fall_of(self.balance(assembly, self.strict(contacts))) is None
        )

    def holds_on_curves(self, assembly: Assembly, contacts: Contacts, *, follow: bool = False) -> bool:
        """Returns the same where pieces touch on curves."""
        statics = analyse(assembly, gravity=self.gravity, contacts=contacts, loads=False, follow=follow)
        needed = max(self.margin or 0.0, ON_CURVES)
        return bool(statics.stands_by_itself) and (statics.tilt_deg or 0.0) >= needed - EXACT

    def fall_of(self, balance: Balance) -> Array | None:
        """Returns a motion (6 n,) in which it falls, as it is or tilted by the margin; None where it holds what is
        asked. Without motion where only friction that must be there before would hold it."""
        try:
            for down in self.pulls(balance):
                if (motion := _falls(replace(balance, down=down))) is not None:
                    return motion
            if self.margin is None:
                return None
            margin = tilt_of(balance)
            if margin.degrees >= self.margin - EXACT:
                return None
            return self._learn(balance, math.radians(margin.direction))
        except StaticsError:
            return np.zeros(6 * len(balance.names))

    def _learn(self, balance: Balance, towards: float) -> Array:
        """Keep a direction in which it falls; returns how."""
        way = np.array([math.cos(towards), math.sin(towards)])
        if not any(way @ known > math.cos(ALIKE) for known in self.directions):
            self.directions.append(way)
        east, north = horizontal(balance.down)
        angle = math.radians(self.margin or 0.0)
        down = math.cos(angle) * balance.down + math.sin(angle) * (way[0] * east + way[1] * north)
        motion = _falls(replace(balance, down=down))
        return np.zeros(6 * len(balance.names)) if motion is None else motion


def _falls(balance: Balance) -> Array | None:
    """Returns a motion in which it falls, None where it stands as pieces do that are set down one on another."""
    if not balance.names:
        return None
    answer = fall(balance, balance.friction)
    if answer.value > UNBALANCED:
        return answer.x
    if not can_wedge(balance) or fall(balance, np.zeros_like(balance.friction)).value <= UNBALANCED:
        return None
    return None if called_up(balance)[0] else np.zeros(6 * len(balance.names))
