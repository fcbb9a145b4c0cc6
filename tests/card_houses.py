"""Houses of cards whose feet are cut level and whose heads are cut upright, so that all faces meet."""

from __future__ import annotations

import math

import numpy as np

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.equilibrium import UNBALANCED, balance_of, fall
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body

LENGTH, WIDTH, LEAN_DEG = 100.0, 60.0, 70.0
"""mm and degrees to the ground."""


def card_house(levels: int, friction: float, thickness: float = 2.0, yaw: float = 0.0) -> Assembly:
    """Tents of two cards side by side, a roof card from each to the next, and a level less on those. Thickness in mm,
    yaw of the whole in degrees."""
    angle, material = math.radians(LEAN_DEG), wood(friction)
    top = LENGTH * math.sin(angle)
    rise, run = thickness / 2 / math.cos(angle), thickness / 2 / math.sin(angle)
    foot = -top / math.tan(angle)
    leaning = [
        (foot + run, 0.0),
        (0.0, top - rise),
        (0.0, top),
        (-rise / math.tan(angle), top),
        (foot - run, 0.0),
    ]
    pitch = 2 * (run - foot) + 1.0
    turned = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(yaw)))
    upright = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
    roof = piece(material, box=(pitch - 0.2, WIDTH, thickness))
    bodies = [table(material)]
    for level in range(levels):
        base, count = level * (top + thickness), levels - level
        for tent in range(count):
            across = (tent - (count - 1) / 2) * pitch
            for side, mirror in (("left", 1.0), ("right", -1.0)):
                ring = np.array([(across + mirror * x, base + z) for x, z in leaning])
                middle = (ring.min(axis=0) + ring.max(axis=0)) / 2
                card = piece(material, prism={"points": (ring - middle).tolist(), "height": WIDTH})
                at = Pose((middle[0] / 1e3, 0.0, middle[1] / 1e3), upright)
                bodies.append(Body(f"{side}.{level}.{tent}", card, at.then(turned)))
            if tent:
                at = Pose(((across - pitch / 2) / 1e3, 0.0, (base + top + thickness / 2) / 1e3))
                bodies.append(Body(f"roof.{level}.{tent}", roof, at.then(turned)))
    return Assembly(f"{levels} levels", tuple(bodies))


def least_friction(levels: int, thickness: float = 2.0) -> float:
    """The friction at which forces begin to hold such a house, to a ten-thousandth."""
    house = card_house(levels, 0.5, thickness)
    contacts = find_contacts(house)

    def holds(friction: float) -> bool:
        balance = balance_of(house, contacts, friction=friction)
        return fall(balance, balance.friction).value <= UNBALANCED

    low, high = 0.0, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
