"""What a hand does with a piece, as targets step by step: carry, lower, draw. Each is a generator that looks at the
hand between two steps and returns how it went; whoever runs it moves the hand, acts and steps the world.
"""

import math
from collections.abc import Generator
from enum import Enum

import numpy as np

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.hand import Hand, Target, packed
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.models.piece import Array


class Ending(Enum):
    """How a motion ended."""

    DONE = "the piece is where it should be"
    CONTACT = "something carries the piece"
    EMPTY = "the hand has let go on the way"
    STUCK = "the piece does not follow: what holds it is stronger than the hand"


Motion = Generator[Target, None, Ending]

CARRY_SPEED = 0.5
"""m/s at most, halfway: an unhurried hand across a table."""
ROTATION_SPEED = 3.0
"""rad/s at most."""
LOWER_SPEED = 0.03
"""m/s: a 20 g piece meets what lies below with less than a millijoule."""
HOVER, SINK = 0.005, 0.02
"""Metres above its place where a carried piece is stopped, to be lowered from there; and below it, to which it may go
until something carries it."""
PULL_SPEED = 0.25
"""m/s: a brick is out in a third of a second. A tower has less time to go along than when it is drawn slowly."""
CARRIED_SHARE = 0.5
"""Share of its weight that something else must carry for a lowered piece to have arrived."""
CARRIED_STEPS = 4
"""Steps in a row: a graze does not count."""
STUCK_LAG = 0.012
"""Metres a piece may stay behind before it is called stuck: 4 N for a brick, which nobody pulls gently."""


def glide(hand: Hand, goal: Pose, speed: float = CARRY_SPEED) -> Motion:
    """Moves straight to a pose, smoothly: the speed rises and falls, `speed` (m/s) is the greatest. STUCK when the
    piece stays behind."""
    start = hand.target
    distance = float(np.linalg.norm(np.subtract(goal.position, start.position)))
    angle = angle_between(start.orientation, goal.orientation)
    # a smooth step is steepest in its middle, by 1.875
    seconds = 1.875 * max(distance / speed, angle / ROTATION_SPEED)
    steps = max(1, math.ceil(seconds * hand.world.rate))
    for step in range(1, steps + 1):
        yield packed(between(start, goal, smooth(step / steps)))
        if hand.held is None:
            return Ending.EMPTY
        if hand.lag[0] > STUCK_LAG:
            return Ending.STUCK
    return Ending.DONE


def carry(hand: Hand, goal: Pose, height: float) -> Motion:
    """Moves up to `height` (metres, of the piece frame), across while rotating, and down to the goal."""
    start = hand.target
    top = max(height, start.position[2], goal.position[2])
    for stop in (
        Pose((*start.position[:2], top), start.orientation),
        Pose((*goal.position[:2], top), goal.orientation),
        goal,
    ):
        ending = yield from glide(hand, stop)
        if ending is not Ending.DONE:
            return ending
    return Ending.DONE


def lower(hand: Hand, lowest: float, mass: float) -> Motion:
    """Moves straight down until something carries the piece (mass: kg), or to `lowest` (metres): DONE there."""
    x, y, z = hand.target.position
    met = 0
    while z > lowest:
        z = max(lowest, z - LOWER_SPEED / hand.world.rate)
        yield packed(Pose((x, y, z), hand.target.orientation))
        if hand.held is None:
            return Ending.EMPTY
        met = met + 1 if hand.force[2] < (1.0 - CARRIED_SHARE) * mass * GRAVITY else 0
        if met >= CARRIED_STEPS:
            return Ending.CONTACT
    return Ending.DONE


def draw(hand: Hand, displacement: Array, speed: float = PULL_SPEED) -> Motion:
    """Moves by a displacement (3,), metres, in a straight line without rotating: how a brick is pulled out or pushed
    through. STUCK when the piece stays behind."""
    start = hand.target
    length = float(np.linalg.norm(displacement))
    steps = max(1, math.ceil(length / speed * hand.world.rate))
    for step in range(1, steps + 1):
        position = np.asarray(start.position) + displacement * (step / steps)
        x, y, z = position.tolist()
        yield packed(Pose((x, y, z), start.orientation))
        if hand.held is None:
            return Ending.EMPTY
        if hand.lag[0] > STUCK_LAG:
            return Ending.STUCK
    return Ending.DONE


def wait(hand: Hand, seconds: float) -> Motion:
    """Holds the piece where it is wanted."""
    for _ in range(math.ceil(seconds * hand.world.rate)):
        yield packed(hand.target)
        if hand.held is None:
            return Ending.EMPTY
    return Ending.DONE


def between(start: Pose, end: Pose, part: float) -> Pose:
    """Returns the pose `part` (0 to 1) of the way, rotating evenly the short way round."""
    a, b = np.asarray(start.orientation), np.asarray(end.orientation)
    cosine = float(a @ b)
    if cosine < 0.0:
        b, cosine = -b, -cosine
    angle = math.acos(min(1.0, cosine))
    if angle < 1e-9:
        mixed = b
    else:
        mixed = (math.sin((1.0 - part) * angle) * a + math.sin(part * angle) * b) / math.sin(angle)
    x, y, z = (np.asarray(start.position) * (1.0 - part) + np.asarray(end.position) * part).tolist()
    q = mixed / np.linalg.norm(mixed)
    return Pose((x, y, z), (float(q[0]), float(q[1]), float(q[2]), float(q[3])))


def smooth(part: float) -> float:
    """Rises from 0 to 1 with no speed and no acceleration at either end (Flash and Hogan 1985)."""
    return part**3 * (10.0 - 15.0 * part + 6.0 * part**2)
