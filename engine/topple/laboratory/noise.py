"""How surely a scene stands: the share of noisy copies of it that do.

A sample is the scene as a builder's hand might leave it: every free piece a little beside its place and turned a
little, the table not quite level, the surfaces smoother or rougher. Where statics has a safety margin it decides a
sample, else the simulation does. Random numbers are common: a piece's noise depends on the seed, the number of the
sample and the piece's name alone, so that two designs are compared with identical noise.
"""

import math
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of, quaternion_of_rpy
from teeter.engine.pose import Pose, vector_of
from teeter.engine.topple.balance.safety_margin import safe_verdict
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.perturbation import one_trial
from teeter.engine.topple.trial import TrialTask, limits_of
from teeter.engine.topple.verdict import with_friction
from teeter.engine.workers import Interrupted, in_order
from teeter.engine.world.body import DOWN, Assembly, Body, Vector
from teeter.engine.worlds import by_this_engine

CONFIDENCE = 1.959963984540054
"""Standard deviations of a normal distribution that hold 95 %."""
SAMPLES_PER_LOOK = 50
"""Samples between two looks at the interval: looking after each would stop at lucky moments too often."""
MAX_TILT = math.radians(80.0)
TABLE_KEY, FRICTION_KEY = 1, 2
"""Streams of random numbers that belong to no piece; a piece's is the CRC-32 of its name, after these."""

Method = Literal["statics", "dynamics"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Noise:
    """What varies between samples. position: metres, standard deviation along x and along y of every free piece; its
    yaw varies so that a point at half the piece's length moves as much. tilt: radians, standard deviation of the
    table's slope along x and along y. friction: least and greatest coefficient of all pairs, evenly between; None
    leaves the materials'. seed: of everything.

    Raises ValueError for numbers that are negative or not finite.
    """

    position: float = 0.0
    tilt: float = 0.0
    friction: tuple[float, float] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        low, high = self.friction or (0.0, 0.0)
        for name, value in (
            ("position", self.position),
            ("tilt", self.tilt),
            ("friction", low),
            ("friction", high),
        ):
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"noise of {name} is {value}: it must be zero or more, and finite")
        if low > high:
            raise ValueError(f"the friction goes from {low} to {high}: the smaller one comes first")


@dataclass(frozen=True, slots=True)
class Sample:
    """One noisy copy. first: the piece that goes first when it falls. judge: which method decided."""

    stands: bool
    first: str | None
    judge: Method


@dataclass(frozen=True, slots=True, eq=False)
class Chance:
    """The share of samples that stood, with its 95 % interval by Wilson (1927). first: how often each piece
    went first, most often first. judged: samples that each method decided. stopped: the interval was narrow
    enough before all samples were taken. fallen: the numbers of the samples that did not stand."""

    noise: Noise
    samples: int
    stood: int
    low: float
    high: float
    first: dict[str, int]
    judged: dict[Method, int]
    stopped: bool
    fallen: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        """Of the samples that stood."""
        return self.stood / self.samples


def chance(
    assembly: Assembly,
    noise: Noise,
    samples: int = 200,
    *,
    until: float | None = None,
    gravity: Vector = DOWN,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Chance:
    """Take samples and count. The same for any number of workers, and for those of an executor.

    until: stop as soon as the interval is at most this wide, looked at every `SAMPLES_PER_LOOK` samples. gravity:
    m/s^2, of the table before its own noise. progress: told how many samples are done, of how many at most. Raises
    ValueError for less than one sample and an `until` outside (0, 1); WorkerError when processes keep dying; after the
    first sample Interrupted, with a Chance of those so far.
    """
    if samples < 1:
        raise ValueError(f"{samples} samples: take at least one")
    if until is not None and not 0.0 < until < 1.0:
        raise ValueError(f"until is {until}: the interval's width lies between 0 and 1")
    taken: list[Sample] = []
    ask = by_this_engine(partial(sample, assembly, noise, gravity=gravity))
    try:
        with in_order(ask, range(samples), workers, executor) as results:
            for one in results:
                taken.append(one)
                if progress is not None:
                    progress(len(taken), samples)
                if until is not None and len(taken) % SAMPLES_PER_LOOK == 0 and _width(taken) <= until:
                    break
    except KeyboardInterrupt as stop:
        if not taken:
            raise
        raise Interrupted(counted(noise, taken, stopped=True)) from stop
    return counted(noise, taken, stopped=len(taken) < samples)


def counted(noise: Noise, taken: list[Sample], *, stopped: bool = False) -> Chance:
    """Returns the samples as a share with its interval."""
    stood = sum(one.stands for one in taken)
    first: dict[str, int] = {}
    judged: dict[Method, int] = {"statics": 0, "dynamics": 0}
    for one in taken:
        judged[one.judge] += 1
        if one.first is not None:
            first[one.first] = first.get(one.first, 0) + 1
    low, high = wilson(stood, len(taken))
    ordered = dict(sorted(first.items(), key=lambda item: (-item[1], item[0])))
    fallen = tuple(number for number, one in enumerate(taken) if not one.stands)
    return Chance(noise, len(taken), stood, low, high, ordered, judged, stopped, fallen)


def wilson(stood: int, samples: int) -> tuple[float, float]:
    """Returns the 95 % score interval of a share (Wilson 1927, eq. 5 solved for p)."""
    z2 = CONFIDENCE**2 / samples
    share = stood / samples
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2**2 / 4) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def _width(taken: list[Sample]) -> float:
    low, high = wilson(sum(one.stands for one in taken), len(taken))
    return high - low


def sample(
    assembly: Assembly, noise: Noise, number: int, *, gravity: Vector = DOWN, simulate: bool = False
) -> Sample:
    """Judge one noisy copy. simulate: by the simulation, whatever statics says."""
    copy, pull = noisy(assembly, noise, number, gravity)
    quick = None if simulate else safe_verdict(copy, gravity=pull)
    if quick is not None:
        return Sample(quick.stands, quick.first, "statics")
    task = TrialTask(copy, limits_of(copy), (noise.seed, number), None, pull)
    seen = one_trial(task, None if simulate else stands(copy, gravity=pull))
    return Sample(bool(seen.stands), seen.first_to_move, "dynamics")


def noisy(assembly: Assembly, noise: Noise, number: int, gravity: Vector) -> tuple[Assembly, Vector]:
    """Returns the noisy copy of that number, and gravity (m/s^2) as its table feels it. Fixed pieces stay."""
    bodies = tuple(body if body.fixed else _beside(body, noise, number) for body in assembly.bodies)
    copy = Assembly(assembly.name, bodies)
    if noise.friction is not None:
        low, high = noise.friction
        copy = with_friction(copy, low + (high - low) * float(_random(noise, number, FRICTION_KEY).random()))
    return copy, _tilted(gravity, noise, number)


def _beside(body: Body, noise: Noise, number: int) -> Body:
    if noise.position == 0.0:
        return body
    x, y, around = noise.position * _random(
        noise, number, 16 + zlib.crc32(body.name.encode())
    ).standard_normal(3)
    # the longest side as it lies, seen from above
    half = float((np.linalg.norm(body.pose.matrix[:2], axis=0) * body.piece.extents).max()) / 2
    yaw = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, float(around) / half)).matrix
    a, b, c = body.pose.position
    return body.at(Pose((a + float(x), b + float(y), c), quaternion_of(yaw @ body.pose.matrix)))


def _tilted(gravity: Vector, noise: Noise, number: int) -> Vector:
    """Gravity in the frame of a table whose slopes along x and y are off by a little."""
    if noise.tilt == 0.0:
        return gravity
    slopes = noise.tilt * _random(noise, number, TABLE_KEY).standard_normal(2)
    angle = min(float(np.linalg.norm(slopes)), MAX_TILT)
    if angle == 0.0:
        return gravity
    x, y = slopes / np.linalg.norm(slopes)
    # turn about the horizontal axis across the slope (Rodrigues)
    axis, pull = np.array([-y, x, 0.0]), np.array(gravity)
    return vector_of(
        pull * math.cos(angle)
        - np.cross(axis, pull) * math.sin(angle)
        + axis * (axis @ pull) * (1 - math.cos(angle))
    )


def _random(noise: Noise, number: int, key: int) -> np.random.Generator:
    return np.random.default_rng((noise.seed, number, key))
