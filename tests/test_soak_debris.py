"""The wreck of a tower that is swept down, beside that of a run eight times finer with twice the iterations: not
brick by brick, a fall is chaotic, but as distributions over many towers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import ks_2samp

from teeter.engine.bench.reading import WIDE
from teeter.engine.bench.rigs import table, tower
from teeter.engine.settings import PLAY, REFERENCE_RATE, Tuning
from teeter.engine.world.body import Scale
from teeter.engine.worlds import Engine, installed_engines, new_world, using
from teeter.models.piece import Array

SEEDS = range(24)
SPEED, FROM_ROW = 0.8, 6
"""m/s at which everything from a row on sets out sideways, as from the sweep of a hand."""
SECONDS = 2.0
"""From then until nothing moves."""
FINER = replace(
    PLAY,
    iterations=2 * PLAY.iterations,
    settle_iterations=2 * PLAY.settle_iterations,
    settle_steps=8 * PLAY.settle_steps,
)


@dataclass(frozen=True)
class Way:
    """How towers fall. grip: times the friction of each brick and of the table, of a pair the square of it."""

    engine: Engine
    tuning: Tuning = PLAY
    rate: int = REFERENCE_RATE
    grip: float = 1.0


CONVERGED = Way("bullet", FINER, 8 * REFERENCE_RATE)
WAYS = {
    "converged": CONVERGED,
    "bullet in play": Way("bullet"),
    "rapier": Way("rapier"),
}
SLIPPERY = Way("bullet", grip=0.7)
AS_SOFT = Way(
    "bullet", replace(FINER, damping=PLAY.damping / 8, relaxation=8 * PLAY.relaxation), 8 * REFERENCE_RATE
)
"""As fine as CONVERGED, whose contacts are 64 times as stiff as in play: with those of play."""
HERE = [name for name, way in WAYS.items() if way.engine in installed_engines()]
FINEST = {"height": 1.0, "distance": 5.0, "lean": 1.0}
"""What is measured, and in what it is counted: mm, mm from the middle, degrees between the flat side and level. By
less contacts of another softness differ, whatever happened."""
LIMITS = {"height": 0.1, "distance": 0.08, "lean": 0.14}
"""How far apart distributions may be, by Kolmogorov and Smirnov."""
TITLE = "Wrecks of towers that were swept down"


@dataclass(frozen=True)
class Wrecks:
    """rows: a row a tower and a column a brick, for each of FINEST. fastest: m/s at the end. seconds: of processor time
    a fall."""

    rows: dict[str, Array]
    fastest: float
    seconds: float


def fallen(way: Way, seed: int) -> tuple[Array, float]:
    """Returns what FINEST names (3, bricks) once a tower has fallen, and how fast the fastest brick still is."""
    bodies = (table(size=WIDE), *tower(seed)[1:])
    names = [body.name for body in bodies[1:]]
    with (
        using(way.engine),
        new_world(bodies, scale=Scale.of(bodies, way.rate), tuning=way.tuning) as world,
    ):
        for body in bodies:
            world.set_friction(body.name, way.grip)
        world.settle()
        angle = float(np.random.default_rng(seed).uniform(0.0, 2 * math.pi))
        for name in names[3 * FROM_ROW :]:
            world.launch(name, (SPEED * math.cos(angle), SPEED * math.sin(angle), 0.0))
        world.run(round(SECONDS * way.rate))
        poses = [world.pose(name) for name in names]
        fastest = max(world.speed(name) for name in names)
    x, y, z = np.array([pose.position for pose in poses]).T
    up = np.array([pose.matrix[2, 2] for pose in poses])
    return np.array(
        [1e3 * z, 1e3 * np.hypot(x, y), np.degrees(np.arccos(np.abs(up).clip(0.0, 1.0)))]
    ), fastest


@cache
def wrecks(way: Way) -> Wrecks:
    """Returns those of all seeds."""
    begun = time.process_time()
    falls = [fallen(way, seed) for seed in SEEDS]
    seconds = (time.process_time() - begun) / len(SEEDS)
    rows = np.array([measured for measured, _ in falls])
    counted = {what: np.round(rows[:, at] / unit) * unit for at, (what, unit) in enumerate(FINEST.items())}
    return Wrecks(counted, max(fast for _, fast in falls), seconds)


def apart(one: Array, other: Array) -> float:
    """Returns the distance of Kolmogorov and Smirnov between all bricks of each."""
    return float(ks_2samp(one.ravel(), other.ravel()).statistic)


def chance(one: Array, other: Array, rounds: int = 999) -> float:
    """Returns how often the two would be as far apart if it made no difference which is which: bricks of a tower hang
    together, so whole towers change sides."""
    rng, found = np.random.default_rng(1), apart(one, other)
    swaps = rng.integers(0, 2, (rounds, len(one), 1), dtype=np.int8).astype(bool)
    more = sum(apart(np.where(swap, other, one), np.where(swap, one, other)) >= found for swap in swaps)
    return (1 + more) / (1 + rounds)


def compared(row: Callable[..., None], who: str, found: Wrecks) -> dict[str, float]:
    """Tells a row. Returns how far apart they are, by what is measured."""
    right = wrecks(CONVERGED).rows
    far = {what: apart(found.rows[what], right[what]) for what in FINEST}
    cells = {
        what: " ".join(f"{value:.0f}" for value in np.percentile(values, (25, 50, 75)))
        + f"; {far[what]:.3f}, {chance(values, right[what]):.3f}"
        for what, values in found.rows.items()
    }
    lean = found.rows["lean"]
    cells["lying, upright"] = f"{100 * (lean < 5).mean():.0f}, {100 * (lean > 85).mean():.0f} %"
    farthest = f"{found.rows['distance'].max():.0f} mm"
    row(TITLE, **{"quartiles; KS, p": who}, **cells, farthest=farthest, s_a_fall=f"{found.seconds:.1f}")
    return far


@pytest.mark.soak
@pytest.mark.parametrize("who", HERE)
def test_wrecks_are_those_of_a_converged_run(row: Callable[..., None], who: str) -> None:
    found = wrecks(WAYS[who])
    far = compared(row, who, found)
    # one brick in a thousand may still slide
    assert found.fastest < 0.3
    assert all(far[what] <= limit for what, limit in LIMITS.items()), far


@pytest.mark.soak
def test_fewer_bricks_stay_upright_on_soft_contacts(row: Callable[..., None]) -> None:
    found = wrecks(AS_SOFT)
    compared(row, "converged, as soft as in play", found)
    upright = [float((each.rows["lean"] > 85).mean()) for each in (found, wrecks(CONVERGED))]
    assert upright[0] < upright[1]


@pytest.mark.soak
def test_half_the_friction_is_told_apart(row: Callable[..., None]) -> None:
    far = compared(row, "bullet in play, half the friction", wrecks(SLIPPERY))
    assert all(far[what] > limit for what, limit in LIMITS.items()), far
