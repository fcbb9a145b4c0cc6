"""The placing hand: one hand, one piece, limited force. It never teleports a body. And what makes it miss.

The hand wants the held piece to be at a target pose and pulls it there with a critically damped spring, as strong as
fingers are and no stronger; so it carries, pushes and drags, and what is stuck stops it. Only the held piece collides.
The target is all that goes in: it is rounded to whole micrometres, so that a record of integers repeats a game.

Tremor and swaying are functions of the time alone, an arm goes by what was wanted step by step: so a record of what the
player wanted repeats what the hand did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.geometry.rotation import angle_between, rotation_vector
from teeter.engine.pose import Pose, vector_of
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Body
from teeter.engine.world.world import World
from teeter.models.piece import Array

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

    def grab(self, body: Body) -> None:
        """Close on a piece where it lies. body: its shape; the pose is read from the world."""
        if self._body is not None:
            raise ValueError(f"the hand holds {self._body.name!r}; one hand holds one piece at a time")
        if body.fixed:
            raise ValueError(f"{body.name!r} is fixed; a hand cannot take it")
        self._body, self._last, self._aimed, self._read = body, None, None, None
        self._target = unpacked(packed(self.world.pose(body.name)))
        self.force = np.zeros(3)

    def release(self) -> None:
        """Let go."""
        self._holding()
        self._body = None
        self.force = np.zeros(3)

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
        matrix = pose.matrix
        centre = piece.centre_of_mass @ matrix.T + np.asarray(pose.position)
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
        self.world.push(name, vector_of(self.force), torque=vector_of(self._torque))

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


ONSET_S = 0.5
"""Seconds in which swaying sets in after a hand has closed on a piece, so that it does not jerk."""


@dataclass(frozen=True, slots=True)
class Tremor:
    """Shaking of a human hand: band-limited noise, seeded. size: metres, root mean square along each axis.

    Physiological tremor lies between 8 and 12 Hz, slow drift below 3 Hz carries as much (Elble and Koller 1990).
    """

    size: float
    seed: int = 0

    def at(self, seconds: float) -> Array:
        """Returns the offset (3,) in metres at a time; the same for the same seed, whatever was asked before."""
        if self.size == 0.0:
            return np.zeros(3)
        rng = np.random.default_rng((self.seed, 0x7E))
        tones = np.concatenate([rng.uniform(8.0, 12.0, (3, 3)), rng.uniform(0.5, 3.0, (3, 3))], axis=1)
        phases = rng.uniform(0.0, 2.0 * np.pi, (3, 6))
        waves = np.sin(2.0 * np.pi * tones * seconds + phases)
        # six sines of equal size have a root mean square of sqrt(3) times one amplitude
        return np.asarray(self.size / math.sqrt(3.0) * waves.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Sway:
    """Slow swaying of whoever stands unsteadily. size: metres to either side. period: seconds. axes: 1 sideways, 2 also
    to and fro, at another pace, so that the way does not repeat itself with every period."""

    size: float
    period: float
    axes: int = 1

    def at(self, seconds: float) -> Array:
        """Returns the offset (3,) in metres at a time."""
        phase = 2.0 * math.pi * seconds / self.period
        shares = (
            math.sin(phase),
            math.sin(phase * (math.sqrt(5.0) - 1.0) / 2.0) if self.axes > 1 else 0.0,
            0.0,
        )
        return self.size * np.array(shares)


SHOULDER_HEIGHT = 0.55
"""Metres above the table at which somebody who stands at it and leans over has the shoulder."""
BALANCE_TIME_S = 0.1
"""Seconds: the time constant with which a body comes after its stiff arm, as a critically damped spring. Slow and even
movements it goes along with; what begins or ends quickly swings on an arc first."""


class StiffArm:
    """An arm held straight: the hand is on a sphere around the shoulder, and goes along arcs until the body has come
    after it. length: metres, from shoulder to hand. place (3,): where the hand is at first; the player stands at the
    near side of the table, along -y, the shoulder at `SHOULDER_HEIGHT`."""

    def __init__(self, length: float, place: Array) -> None:
        self.length = length
        self.shoulder = self._wanted = self._over(place)
        self._sped = self._behind = self._falling_behind = np.zeros(3)

    def at(self, wanted: Array, rate: int) -> Array:
        """Returns where the hand is (3,) after one more step in which it is wanted at a place (3,); rate: steps a
        second."""
        over, step = self._over(wanted), 1.0 / rate
        speed = (over - self._wanted) * rate
        # the step's exact solution, from what the body is behind and how much faster the shoulder has to be than it
        falling = self._falling_behind + speed - self._sped
        rush, fades = falling + self._behind / BALANCE_TIME_S, math.exp(-step / BALANCE_TIME_S)
        behind = (self._behind + rush * step) * fades
        self._falling_behind = (falling - rush * step / BALANCE_TIME_S) * fades
        self._behind, self._wanted, self._sped = behind, over, speed
        self.shoulder = over - behind
        arm = wanted - self.shoulder
        return np.asarray(self.shoulder + arm * (self.length / float(np.linalg.norm(arm))))

    def _over(self, place: Array) -> Array:
        """Returns where the shoulder has to be for the hand to be at a place; as near as it comes for one too high or
        low."""
        x, y, z = place.tolist()
        drop = min(max(SHOULDER_HEIGHT - z, -self.length), self.length)
        return np.array([x, y - math.sqrt(self.length**2 - drop**2), z + drop])


def onset(seconds: float) -> float:
    """Returns how much of the swaying has set in, 0 to 1, so long after a hand has closed."""
    part = min(1.0, max(0.0, seconds / ONSET_S))
    return part * part * (3.0 - 2.0 * part)
