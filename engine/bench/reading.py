"""What the bench of motion shares: a value beside what is right, and pieces on a wide table."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from teeter.engine.bench.rigs import table
from teeter.engine.pose import Pose
from teeter.engine.settings import Tuning
from teeter.engine.world.body import Body
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.material import Material
from teeter.models.piece import Piece

WIDE = (4000.0, 4000.0, 50.0)
"""Millimetres of a table that nothing leaves."""


@dataclass(frozen=True, slots=True)
class Reading:
    """value: what was measured. low, high: between which it is right."""

    value: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether it is right."""
        return self.low <= self.value <= self.high


Experiment = Callable[[Tuning], Reading]


def within(value: float, true: float, share: float) -> Reading:
    """A value that is right within a share of what is true."""
    return Reading(value, true * (1 - share), true * (1 + share))


def standing(shape: Piece, material: Material, tuning: Tuning, pose: Pose | None = None) -> World:
    """Returns a world with a piece named `piece` at rest on a wide table, or at a pose above it."""
    body = Body("piece", shape, pose or Pose((0.0, 0.0, float(shape.extents[2]) / 2)))
    world = new_world([table(material, WIDE), body], tuning=tuning)
    if pose is None:
        world.settle()
    return world


def seconds_until(world: World, is_over: Callable[[], bool], longest: float = 3.0) -> float:
    """Returns how long it takes until something is so, looked at after every step; infinity when it never is."""
    begun = world.step
    while world.step - begun < longest * world.rate:
        world.run()
        if is_over():
            return (world.step - begun) / world.rate
    return math.inf
