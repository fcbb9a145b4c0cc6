"""A held piece simulated in isolation: a tower at rest costs nothing while a hand carries a piece past it.

Time stands still for everything else. That is the same as simulating all of it: nothing but the piece moves, and it
is put back into the world of the others before it can touch anything.
"""

import math
from collections.abc import Iterable

import numpy as np

from teeter.engine.event_detector import farthest
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.tolerances import REST_IN_FLIGHT
from teeter.engine.world.body import Body, Tick
from teeter.engine.world.world import World
from teeter.models.piece import Array

CLEARANCE = 2e-3
"""Metres of air around an isolated piece, more than any contact reaches."""
HAIR = 1e-9
"""Metres of rounding."""
START_CLEARANCE = 4e-3
"""Metres of air around one that is to be isolated: it would come and go with less."""


class Stillness:
    """Tells whether all but the held piece have lain still for a while. is_still: whether they do as this begins."""

    def __init__(self, tick: Tick, bodies: Iterable[Body], rate: int, is_still: bool) -> None:
        self._extents = {body.name: body.piece.extents for body in bodies}
        self._dwell = round(REST_IN_FLIGHT.time * rate)
        self._anchor = tick
        self._since = tick.step - self._dwell if is_still else tick.step

    def sees(self, tick: Tick, held: str) -> bool:
        """Returns whether all but `held` lie still, after one more look."""
        names = [name for name in tick.names if name != held]
        before = {name: row for row, name in enumerate(self._anchor.names)}
        if not all(name in before and name in self._extents for name in names):
            self._anchor, self._since = tick, tick.step
            return False
        if names:
            rows = [row for row, name in enumerate(tick.names) if name != held]
            extents = np.array([self._extents[name] for name in names])
            moved = farthest(self._anchor.poses[[before[name] for name in names]], tick.poses[rows], extents)
            if float(moved.max()) > REST_IN_FLIGHT.displacement:
                self._anchor, self._since = tick, tick.step
        return tick.step - self._since >= self._dwell


class Obstacles:
    """What an isolated piece may not come near: boxes around bodies that lie still."""

    def __init__(self, bodies: Iterable[Body]) -> None:
        boxes = [_box(body.pose, 0.5 * body.piece.extents) for body in bodies]
        self._low, self._high = (np.array(side) for side in zip(*boxes, strict=True))
        self._top = float(self._high[:, 2].max()) + HAIR

    def are_far(self, world: World, body: Body, force: Array, clearance: float = CLEARANCE) -> bool:
        """Returns whether a piece cannot come within `clearance` (metres) of any in the next step of a world that it
        is in, whatever its pose in `body`. force (3,): newtons, the hand's in that step."""
        pose, speed = world.pose(body.name), world.speed(body.name)
        half = 0.5 * body.piece.extents
        faster = float(np.linalg.norm(force / body.piece.mass - (0.0, 0.0, GRAVITY))) / world.rate
        clearance += (speed + faster) / world.rate
        if pose.position[2] - math.hypot(*half.tolist()) - clearance > self._top:
            # however it is turned: above everything
            return True
        low, high = _box(pose, half)
        is_near = (low - clearance < self._high).all(axis=1) & (high + clearance > self._low).all(axis=1)
        return not bool(is_near.any())


class IsolatedSimulation:
    """One piece, carried past others that lie still.

    home: the world with all of them. body: the piece. obstacles: the others. `world` has that piece alone, and its
    clock shows the same step.
    """

    def __init__(self, home: World, body: Body, obstacles: Obstacles) -> None:
        self._body, self._home, self._obstacles = body, home, obstacles
        self.world = home.isolated(body)

    def is_clear(self, force: Array) -> bool:
        """Returns whether the piece cannot reach anything in the next step. force (3,): newtons, the hand's in that
        step."""
        return self._obstacles.are_far(self.world, self._body, force)

    def advance(self) -> None:
        """Take one step; the piece is then in the world of the others where it is here, moving as it does."""
        self.world.run(1)
        self._home.wait(1)
        self._home.follow(self.world, self._body.name)

    def close(self) -> None:
        """Free the simulator."""
        self.world.close()


def _box(pose: Pose, half: Array) -> tuple[Array, Array]:
    """Returns the lower and the upper corner (3,) of the axis-parallel box around a piece's own; metres."""
    reach = np.abs(pose.matrix) @ half
    return np.subtract(pose.position, reach), np.add(pose.position, reach)
