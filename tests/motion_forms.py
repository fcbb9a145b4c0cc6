"""What is right in the bench of motion where no formula is short enough to stand beside it: integrations of their own,
which share nothing with the worlds but gravity. By the name of a row."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from teeter.engine.settings import GRAVITY

Array = NDArray[np.float64]

# -- what turns ---------------------------------------------------------------------------------------------------


def turned(arm: Callable[[float], float], size: tuple[float, float], friction: float, spin: float) -> float:
    """Degrees until friction has stopped a spinning brick, of so many metres, its lever arm given by the angle so
    far."""
    angle, step, inertia = 0.0, 1e-3, (size[0] ** 2 + size[1] ** 2) / 12
    while spin > 0.0:
        spin -= step * friction * GRAVITY * arm(angle) / inertia
        angle += step * max(spin, 0.0)
    return math.degrees(angle)


def brick_turned_on_another() -> tuple[float, float]:
    """Pressed at the corners of what the two share alone, and evenly over it."""
    grid = (np.arange(250) + 0.5) / 250 - 0.5
    x, y = (each.ravel() for each in np.meshgrid(0.075 * grid, 0.025 * grid))

    def mean_radius(angle: float) -> float:
        above = np.abs(x * math.cos(angle) - y * math.sin(angle)) < 0.0125
        return float(np.hypot(x, y)[above].mean())

    arms: tuple[Callable[[float], float], ...] = (lambda _: math.hypot(0.0125, 0.0125), mean_radius)
    low, high = (turned(arm, (0.075, 0.025), 0.4, 8.0) for arm in arms)
    return 0.85 * low, 1.15 * high


def slide_with_spin(speed: float = 0.4, spin: float = 30.0) -> float:
    """Over an evenly pressed disc: it goes farther than without spin, because friction then points elsewhere."""
    radius, friction = 0.02, 0.3
    rings, turns = np.meshgrid((np.arange(40) + 0.5) / 40, 2 * np.pi * (np.arange(60) + 0.5) / 60)
    across, up = (radius * np.sqrt(rings) * way(turns) for way in (np.cos, np.sin))
    gone, step = 0.0, 1e-4
    while speed > 1e-3:
        along, aside = speed - spin * up, spin * across
        size = np.maximum(np.hypot(along, aside), 1e-9)
        speed -= step * friction * GRAVITY * float((along / size).mean())
        torque = float(((across * aside - up * along) / size).mean())
        spin -= step * friction * GRAVITY * torque / (radius**2 / 2)
        gone += step * speed
    return gone


def racket_flip() -> float:
    """Euler's equations by the midpoint rule."""
    x, y, z = 0.075, 0.025, 0.015
    moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    spin, flips, time, step = np.array([0.4, 20.0, 0.4]), 0, 0.0, 1e-4
    while flips < 2:
        before = spin[1]
        half = spin + 0.5 * step * np.cross(moments * spin, spin) / moments
        spin = spin + step * np.cross(moments * half, half) / moments
        time += step
        flips += int(before * spin[1] < 0.0)
    return time


# -- what tips over -----------------------------------------------------------------------------------------------


def swing(start: float, end: float, pull: float) -> float:
    """Seconds in which what is let go at an angle from its balance, radians, reaches another:
    angle'' = pull sin(angle)."""
    time, step, speed, angle = 0.0, 1e-5, 0.0, start
    while angle < end:
        speed += step * pull * math.sin(angle)
        angle += step * speed
        time += step
    return time


WIDE, HIGH = 0.02, 0.08
SLENDER, PULL = math.atan(WIDE / HIGH), 1.5 * GRAVITY / math.hypot(WIDE, HIGH)
"""Of the block that rocks and topples: 4/3 m R^2 lean'' = m g R sin(lean)."""


def rocks(share: float) -> float:
    """From a share of its slenderness back on its face (Housner 1963)."""
    return swing((1 - share) * SLENDER, SLENDER, PULL)


def topples(beyond: float) -> float:
    """From so many degrees past its balance to 60."""
    return swing(math.radians(beyond), math.pi / 3, PULL)


def ladder() -> float:
    """2/3 L lean'' = g sin(lean), from 15 to 45 degrees; it leaves its wall at two thirds of its height."""
    return swing(math.radians(15.0), math.pi / 4, 1.5 * GRAVITY / 0.2)


def cone_swing() -> float:
    """A cone on its side across a slope of 5 degrees: 3/40 m h^2 (1 + 5 cos^2) of its turning squared is its energy."""
    radius, high = 0.015, 0.04
    cosine = high / math.hypot(radius, high)
    pull = 5 * GRAVITY * math.sin(math.radians(5.0)) * cosine / (high * (1 + 5 * cosine**2))
    return swing(math.pi / 2, math.pi, pull)


def cloth(speed: float = 3.0, friction: float = 0.3) -> tuple[float, float]:
    """Millimetres that a brick moves while the card below is drawn away, until both have stopped: mu g forwards until
    the card has left its middle, or all of it, mu g back on the table."""
    brick, card = 0.690 * 40 * 40 * 15, 0.645 * 160 * 85 * 2
    drag = friction * GRAVITY * (2 * brick + card) / card

    def carried(gap: float) -> float:
        ours, fast, ahead, along, step = 0.0, speed, 0.0, 0.0, 1e-5
        while ahead < gap and fast > ours:
            ours, fast = ours + step * friction * GRAVITY, fast - step * drag
            along, ahead = along + step * ours, ahead + step * (fast - ours)
        return 1e3 * (along + ours**2 / (2 * friction * GRAVITY))

    return 0.8 * carried(0.05), 1.2 * carried(0.07)


# -- a chimney that breaks as it falls ----------------------------------------------------------------------------


def across(x: float, z: float, lean: float) -> Array:
    """Where a place (x, z) is in the world, on something that has turned by so much over its edge at +x."""
    return np.array([x * math.cos(lean) + z * math.sin(lean), z * math.cos(lean) - x * math.sin(lean)])


def chimney(
    blocks: int = 8, block: tuple[float, float] = (0.02, 0.03), beyond: float = 10.0
) -> tuple[int, float]:
    """At which joint a stack of loose blocks breaks that was let go on its lower edge, degrees past its balance, and
    its lean, degrees, once that joint is open by half a degree. It turns as one until the force between what is above
    a joint and below leaves their faces."""
    (wide, high), whole, step, speed, past = block, blocks * block[1], 1e-4, 0.0, math.radians(beyond)
    lean = math.atan(wide / whole) + past
    while True:
        gain = 1.5 * GRAVITY / math.hypot(wide, whole) * math.sin(past)
        for joint in range(1, blocks):
            left = whole - joint * high
            _, up, place = carried(wide, joint * high, left, gain, speed, lean)
            if up < 0.0 or place < -wide:
                return joint, math.degrees(opened(block, (joint, blocks - joint), lean, speed))
        speed += step * gain
        lean, past = lean + step * speed, past + step * speed


def carried(
    wide: float, below: float, above: float, gain: float, speed: float, lean: float
) -> tuple[float, float, float]:
    """The force, for a unit of its mass, along and up the chimney, that the upper part gets from the lower one, and
    where it acts (x): what gives that part its weight and its share of the whole's turning."""
    x, z = -wide / 2, below + above / 2
    weight = GRAVITY * across(0.0, 1.0, lean) * (-1, 1)
    along, up = weight + gain * np.array([z, -x]) - speed**2 * np.array([x, z])
    return along, up, x - (above / 2 * along + gain * (wide**2 + above**2) / 12) / up


def opened(block: tuple[float, float], parts: tuple[int, int], lean: float, speed: float) -> float:
    """The lean at which a joint is open whose upper part begins to turn on its rear edge: a double pendulum."""
    (wide, high), (ours, others), step = block, parts, 1e-4
    below, above, upper, fast = ours * high, others * high, lean, speed
    inertia = (ours / 3 + others) * (wide**2 + below**2), others * (wide**2 + above**2) / 3
    while lean - upper < math.radians(0.5):
        hinge, arm = across(-wide, below, lean), across(wide / 2, above / 2, upper)
        both = others * float(hinge @ arm)
        aside = others * float(hinge[0] * arm[1] - hinge[1] * arm[0])
        weights = ours * across(-wide / 2, below / 2, lean)[0] + others * hinge[0], others * arm[0]
        torques = GRAVITY * np.array(weights) + aside * np.array([-(fast**2), speed**2])
        gains = np.linalg.solve([[inertia[0], both], [both, inertia[1]]], torques)
        speed, fast = speed + step * gains[0], fast + step * gains[1]
        lean, upper = lean + step * speed, upper + step * fast
    return lean


Form = Callable[[], float | tuple[float, float]]
"""Returns what is right, in the middle of a row's bounds, or the bounds."""
FORMS: dict[str, Form] = {
    "brick on another: 8 rad/s turn it, degrees": brick_turned_on_another,
    "disc that slides and spins, m": slide_with_spin,
    "flight: second tennis racket flip, s": racket_flip,
    **{f"block rocks back from {share:g}, s": partial(rocks, share) for share in (0.3, 0.6, 0.9)},
    **{f"block topples from {beyond:g} degrees, s": partial(topples, beyond) for beyond in (1.0, 5.0)},
    "ladder slips down a wall, s": ladder,
    "cone rolls to its lowest on 5 degrees, s": cone_swing,
    "brick whose cloth is drawn away, mm": cloth,
    "falling chimney breaks at, heights": lambda: chimney()[0] / 8,
    "falling chimney leans as it breaks, degrees": lambda: chimney()[1],
}
