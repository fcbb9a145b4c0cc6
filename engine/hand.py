"""The placing hand: one hand, one piece, limited force. It never teleports a body.

The hand wants the held piece to be at a target pose and pulls it there with a critically damped spring, as strong as
fingers are and no stronger; so it carries, pushes and drags, and what is stuck stops it. Only the held piece collides.
The target is all that goes in: it is rounded to whole micrometres, so that a record of integers repeats a game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.events import Grabbed, Released
from engine.geometry.rotation import angle_between, rotation_vector
from engine.pose import Pose
from engine.settings import GRAVITY
from engine.world import Body, Vector, World

Array = NDArray[np.float64]
Target = tuple[int, int, int, int, int, int, int]
"""x, y, z in micrometres, then the quaternion xyzw in millionths."""
Place = tuple[Array, tuple[float, float, float, float]]
"""Where a centre of mass is (3,), metres, and the orientation of its piece."""


@dataclass(frozen=True, slots=True)
class Grip:
    """What fingers can do. Forces in newtons, torques in newton metres, lengths in metres, rates per second.

    Tip pinch strength of adults is 40 to 70 N (Mathiowetz 1985); handling a light thing takes a tenth of it.
    """

    force: float = 6.0
    torque: float = 0.12
    stiffness: float = 300.0
    """Natural frequency of the spring, rad/s. At 240 steps a second a 20 g brick that does not move is then pulled at
    with 350 N for each metre its target is ahead, as a fingertip does (Hajian and Howe 1997: 200 to 500 N/m)."""
    slip: float = 0.03
    """A target this far from the piece has slipped out of the fingers: the piece is let go."""
    slip_angle: float = math.radians(60.0)

    def weakened(self, times: float) -> Grip:
        """Returns a grip that holds only a part as hard and lets go as much sooner (CT-46: no thumbs)."""
        return replace(
            self,
            force=self.force * times,
            torque=self.torque * times,
            slip=self.slip * times,
            slip_angle=self.slip_angle * times,
        )


GRIP = Grip()


class Hand:
    """One hand in one world. Call `act` before every step while it holds something.

    Raises ValueError for a second piece, a fixed one, or orders to an empty hand.
    """

    def __init__(self, world: World, grip: Grip = GRIP) -> None:
        self.world = world
        self.grip = grip
        self._body: Body | None = None
        self._read: tuple[int, Pose] | None = None
        self._target = Pose((0.0, 0.0, 0.0))
        self._last: Place | None = None
        self._aimed: Place | None = None
        self.force: Array = np.zeros(3)
        """Newtons (3,) that the hand put on the piece in the last step, its weight included."""
        self._torque: Array = np.zeros(3)

    @property
    def held(self) -> str | None:
        """The name of the piece in the hand."""
        return None if self._body is None else self._body.name

    @property
    def target(self) -> Pose:
        """Where the hand wants the held piece to be."""
        return self._target

    def grab(self, body: Body) -> Grabbed:
        """Close on a piece where it lies. body: its shape; the pose is read from the world."""
        if self._body is not None:
            raise ValueError(f"the hand holds {self._body.name!r}; one hand holds one piece at a time")
        if body.fixed:
            raise ValueError(f"{body.name!r} is fixed; a hand cannot take it")
        self._body, self._last, self._aimed, self._read = body, None, None, None
        self._target = unpacked(packed(self.world.pose(body.name)))
        self.force = np.zeros(3)
        return Grabbed(self.world.step, body.name)

    def release(self) -> Released:
        """Let go."""
        name = self._holding().name
        self._body = None
        self.force = np.zeros(3)
        return Released(self.world.step, name)

    def enter(self, world: World) -> None:
        """Go on, empty, in another world: the old one is gone."""
        self.world, self._body, self._read = world, None, None
        self.force = np.zeros(3)

    def move(self, target: Target) -> None:
        """Set where the held piece shall be from now on."""
        self._holding()
        self._target = unpacked(target)

    @property
    def lag(self) -> tuple[float, float]:
        """How far the piece is from its target: metres, radians."""
        pose = self._where(self._holding())
        away = math.dist(self._target.position, pose.position)
        return away, angle_between(pose.orientation, self._target.orientation)

    @property
    def has_slipped(self) -> bool:
        """Whether the piece is further from its target than fingers follow; the caller then releases it."""
        away, rotation = self.lag
        return away > self.grip.slip or rotation > self.grip.slip_angle

    def act(self) -> None:
        """Push the held piece towards its target during the next step; an empty hand does nothing."""
        if self._body is None:
            return
        piece, pose = self._body.piece, self._where(self._body)
        centre, matrix = pose.apply(piece.centre_of_mass), pose.matrix
        aim, rate = self._target.apply(piece.centre_of_mass), self.world.rate
        here, there = (centre, pose.orientation), (aim, self._target.orientation)
        # how much faster the target went than the piece since the last step: a moving target is not lagged behind
        (sped, spun), (moved, rotated) = _motion(self._aimed, there, rate), _motion(self._last, here, rate)
        behind, rest = sped - moved, spun - rotated
        self._last, self._aimed = here, there
        # the spring's force at the end of the coming step (backward Euler), so that no stiffness is too much for a step
        step, w = 1.0 / rate, self.grip.stiffness
        soft = 1.0 + 2.0 * w * step + (w * step) ** 2
        pull = (w * w * (aim - centre + step * behind) + 2.0 * w * behind) / soft
        rotation = np.array(rotation_vector(pose.orientation, self._target.orientation))
        twist = (w * w * (rotation + step * rest) + 2.0 * w * rest) / soft
        self.force = _limited(piece.mass * (pull + np.array([0.0, 0.0, GRAVITY])), self.grip.force)
        self._torque = _limited(matrix @ piece.inertia @ matrix.T @ twist, self.grip.torque)
        self.push()

    def push(self) -> None:
        """Push as in the last `act`: for a step that is taken in another world than that was done for."""
        name = self._holding().name
        self.world.push(name, _vector(self.force), torque=_vector(self._torque))

    def _where(self, body: Body) -> Pose:
        """Returns where the held piece is; read once a step, though it is asked for more often."""
        if self._read is None or self._read[0] != self.world.step:
            self._read = (self.world.step, self.world.pose(body.name))
        return self._read[1]

    def _holding(self) -> Body:
        if self._body is None:
            raise ValueError("the hand is empty")
        return self._body


def _motion(before: Place | None, now: Place, rate: int) -> tuple[Array, Array]:
    """Returns velocity and spin (3,) since the last step; none when there was no step yet."""
    if before is None:
        return np.zeros(3), np.zeros(3)
    return (now[0] - before[0]) * rate, np.array(rotation_vector(before[1], now[1])) * rate


def packed(pose: Pose) -> Target:
    """Returns a pose in whole micrometres and millionths."""
    x, y, z = (round(value * 1e6) for value in pose.position)
    a, b, c, d = (round(value * 1e6) for value in pose.orientation)
    return x, y, z, a, b, c, d


def unpacked(target: Target) -> Pose:
    """Returns the pose of a target."""
    x, y, z = (value * 1e-6 for value in target[:3])
    size = math.sqrt(sum(value * value for value in target[3:]))
    if size == 0.0:
        raise ValueError(f"the target {target} has no orientation: its quaternion is zero")
    a, b, c, d = (value / size for value in target[3:])
    return Pose((x, y, z), (a, b, c, d))


def _limited(vector: Array, limit: float) -> Array:
    size = float(np.linalg.norm(vector))
    return vector if size <= limit else vector * (limit / size)


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)
