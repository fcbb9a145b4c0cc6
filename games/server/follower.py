"""How the hand of the physics follows where a person wants the held piece, and lays it; simulated time beside the
time on the wall."""

import time

import numpy as np

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.hand import Hand
from teeter.engine.motions import PULL_SPEED, Ending, Motion, between, glide, lower
from teeter.engine.pose import Pose

ARRIVED, ARRIVED_ANGLE = 5e-4, 0.01
"""Metres and radians from which a goal is as good as reached."""
CLOSE_BY = 0.004
"""Metres above its place from which a piece is lowered slowly."""
TOO_DEEP = 0.05
"""Metres below its place to which a piece is lowered until something carries it."""
SPEED = 0.6
"""m/s at most."""
TURNING = 5.0
"""rad/s at most."""
LAG = 0.05
"""Seconds by which the hand lags behind where it is wanted: it slows down before it arrives."""
RISE_FIRST = 0.0015
"""Metres that the hand may be too low while it goes sideways or turns; it rises first. Less than its air."""


class HandFollower:
    """A hand that goes to its goal as fast as a careful hand does, one target a step. start: where the hand is."""

    def __init__(self, start: Pose, rate: int, *, is_pulling: bool = False) -> None:
        self.pose = self.goal = start
        self._rate = rate
        self._speed = PULL_SPEED if is_pulling else SPEED

    @property
    def is_there(self) -> bool:
        """Whether the goal is reached."""
        return self.pose == self.goal

    @property
    def is_near(self) -> bool:
        """Whether the goal is reached, but for what nobody sees."""
        away = np.linalg.norm(np.subtract(self.pose.position, self.goal.position))
        turn = angle_between(self.pose.orientation, self.goal.orientation)
        return bool(away < ARRIVED and turn < ARRIVED_ANGLE)

    def step(self) -> Pose:
        """Where the hand wants to be after the next step."""
        here, there = np.asarray(self.pose.position), np.asarray(self.goal.position)
        displacement = there - here
        eager = 1.0
        if displacement[2] > RISE_FIRST:
            # over an obstacle, not through it
            eager = (RISE_FIRST / displacement[2]) ** 2
            displacement[:2] *= eager
        elif displacement[2] < 0.0 and float(np.hypot(displacement[0], displacement[1])) > RISE_FIRST:
            displacement[2] = 0.0
        part = 1.0 - np.exp(-1.0 / (LAG * self._rate))
        move = part * displacement
        length, longest = float(np.linalg.norm(move)), self._speed / self._rate
        if length > longest:
            move *= longest / length
        if float(np.linalg.norm(there - here)) < 2e-6:
            move = there - here
        x, y, z = (here + move).tolist()
        self.pose = Pose((x, y, z), self._turned(part * eager))
        return self.pose

    def _turned(self, part: float) -> tuple[float, float, float, float]:
        angle = angle_between(self.pose.orientation, self.goal.orientation)
        if angle < 1e-5:
            return self.goal.orientation
        part = min(part, TURNING / self._rate / angle)
        return between(self.pose, self.goal, part).orientation


def laying(hand: Hand, mass: float, gap: float) -> Motion:
    """The held piece is laid: down to its place, slowly at the end, until something carries it. mass: kg. gap: metres
    that are free below it."""
    held, (x, y, z) = hand.held, hand.target.position
    if gap > CLOSE_BY:
        yield from glide(hand, Pose((x, y, z - gap + CLOSE_BY), hand.target.orientation))
    if hand.held != held:
        return Ending.EMPTY
    return (yield from lower(hand, z - gap - TOO_DEEP, mass))


LATE_S = 0.25
"""Seconds behind the clock on the wall after which lost time is given up."""


class Clock:
    """Keeps simulated time beside wall-clock time."""

    def __init__(self) -> None:
        self.speed = 1.0
        self._wall, self._step = time.perf_counter(), 0

    def restart(self, step: int) -> None:
        """From here on."""
        self._wall, self._step = time.perf_counter(), step

    def wait(self, step: int, rate: int) -> None:
        """Sleep until a step is due."""
        due = self._wall + (step - self._step) / rate / self.speed
        ahead = due - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
        if ahead < -LATE_S or ahead > 1.0:
            self.restart(step)
