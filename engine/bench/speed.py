"""How fast: simulated seconds per second, verdicts of statics, one more piece, growth with size."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from teeter.engine.bench.accuracy import READINGS_PER_S
from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.equilibrium import balance_of, fall
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.balance.safety_margin import safe_verdict
from teeter.engine.topple.balance.statics import stands, tilt_margin
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.laboratory.crowd import labels
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import DOWN, TABLE, Assembly, Body
from teeter.engine.worlds import new_world

T = TypeVar("T")


def pace(bodies: Sequence[Body], seconds: float = 2.0, rounds: int = 5) -> float:
    """Simulated seconds a second of a tower awake, the median of the rounds: poses at 60 Hz, and the contacts that play
    needs (those of the table) every step."""
    return float(np.median([once(bodies, seconds) for _ in range(rounds)]))


def once(bodies: Sequence[Body], seconds: float) -> float:
    """Simulated seconds a second, one round of `pace`."""
    with new_world(bodies) as world:
        world.settle()
        started = time.perf_counter()
        steps = round(seconds * world.rate)
        for step in range(steps):
            world.run()
            world.contacts((TABLE,))
            if step % (world.rate // READINGS_PER_S) == 0:
                world.read()
        return seconds / (time.perf_counter() - started)


def statics_time(rounds: int = 7) -> tuple[float, float]:
    """Seconds of a verdict by statics on 54 bricks, contacts found, and with the tilt margin as well; medians."""
    scene = Assembly("tower", tower())
    verdicts, tilts = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        if not stands(scene):
            raise RuntimeError("the tower of the benchmark must stand")
        verdicts.append(time.perf_counter() - started)
        started = time.perf_counter()
        tilt_margin(balance_of(scene, find_contacts(scene)))
        tilts.append(time.perf_counter() - started)
    return float(np.median(verdicts)), float(np.median(tilts))


def growth(sizes: Sequence[int] = (50, 100, 200, 400)) -> list[tuple[int, float, float]]:
    """Pyramids of about so many blocks: (pieces, seconds a piece of a verdict by statics, peak memory in MB)."""
    rows = []
    for wanted in sizes:
        scene = pyramid(wanted)
        times = []
        for _ in range(3):
            started = time.perf_counter()
            balance = balance_of(scene, find_contacts(scene), gravity=DOWN, friction=None)
            fall(balance, balance.friction)
            times.append(time.perf_counter() - started)
        rows.append((len(scene.free), min(times) / len(scene.free), _memory()))
    return rows


def _memory() -> float:
    """The most MB that this process has had; not a number where a system does not say."""
    try:
        import resource
    except ImportError:
        return math.nan
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def pyramid(pieces: int) -> Assembly:
    """A wall pyramid of at least so many blocks of 60 x 30 x 20 mm, 2 mm apart."""
    rows = next(rows for rows in range(1, 200) if rows * (rows + 1) // 2 >= pieces)
    block = piece(wood(), box=(60, 30, 20))
    bodies = [table(size=(4000, 800, 30))]
    for row in range(rows):
        for place in range(rows - row):
            x = (place - (rows - row - 1) / 2) * 0.062
            bodies.append(Body(f"block.{row:02}.{place:02}", block, Pose((x, 0.0, 0.02 * row + 0.01))))
    return Assembly(f"pyramid of {pieces}", tuple(bodies))


BODIES = 50
"""The table and 49 bricks: 50 pieces with the new one."""
SHOWN = 40
"""Candidates that the whole balance answers too."""


@dataclass(frozen=True, slots=True)
class Placing:
    """rate: verdicts a second of one core, contacts of the pieces found together; ratio: to those of the whole balance.
    agree: of those both answered, how many alike."""

    rate: float
    ratio: float
    agree: int
    asked: int


def placing(count: int = 300) -> Placing:
    """Lay a block of 40 x 20 x 15 mm on a tower of 49 bricks, in many places, some of which do not hold it."""
    bricks = tower()[:BODIES]
    known = IncrementalStatics(Assembly("tower", bricks))
    candidates = _candidates(bricks, count)
    answers, ours = timed(lambda: [added.stands for added in known.adding_each(candidates)])
    whole, theirs = timed(lambda: [stands(known.with_piece(body)) for body in candidates[:SHOWN]])
    agree = sum(one is other for one, other in zip(answers, whole, strict=False))
    return Placing(count / ours, theirs / SHOWN * count / ours, agree, SHOWN)


LABELS = 128
"""Stacks of four cubes."""


@dataclass(frozen=True, slots=True)
class Labelling:
    """Stacks a second of one core: by statics in a batch and one at a time, and by both methods. agree: of those that
    the batch is sure of, as many as one at a time is."""

    batch: float
    single: float
    full: float
    sure: int
    agree: int


def labelling(full: int = 8) -> Labelling:
    """Judge stacks of four cubes of 30 mm, each up to 12 mm beside the one below: a third of them falls."""
    stacks = [_stack(seed) for seed in range(LABELS)]
    quick, batch = timed(lambda: labels(stacks, [DOWN] * LABELS))
    slow, single = timed(lambda: [safe_verdict(stack) for stack in stacks[: LABELS // 4]])
    _, whole = timed(lambda: [check(stack, CheckOptions(workers=1)) for stack in stacks[:full]])
    pairs = [
        (one.stands, None if other is None else other.stands) for one, other in zip(quick, slow, strict=False)
    ]
    sure = sum(one is not None for one, _ in pairs)
    agree = sum(one is not None and one is other for one, other in pairs)
    return Labelling(LABELS / batch, LABELS / 4 / single, full / whole, sure, agree)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Returns what work returns, and the seconds of processor time it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _stack(seed: int) -> Assembly:
    rng = np.random.default_rng(seed)
    cube, x, y = piece(wood(), box=(30, 30, 30)), 0.0, 0.0
    bodies = [table()]
    for number in range(4):
        rotation = quaternion_of_rpy(0.0, 0.0, float(rng.uniform(0.0, np.pi / 2)))
        bodies.append(Body(f"cube.{number}", cube, Pose((x, y, 0.03 * number + 0.015), rotation)))
        x, y = x + float(rng.uniform(-0.012, 0.012)), y + float(rng.uniform(-0.012, 0.012))
    return Assembly(f"stack {seed}", tuple(bodies))


def _candidates(bricks: tuple[Body, ...], count: int) -> list[Body]:
    """Most of them somewhere on the highest row, the others over its sides and beside."""
    rng = np.random.default_rng(1)
    block = piece(wood(), box=(40, 20, 15))
    top = max(body.pose.position[2] for body in bricks) + 0.015
    candidates = []
    for _ in range(count):
        x, y = rng.uniform(-0.045, 0.045, 2)
        rotation = quaternion_of_rpy(0.0, 0.0, float(rng.uniform(0.0, np.pi)))
        candidates.append(Body("new", block, Pose((float(x), float(y), top), rotation)))
    return candidates
