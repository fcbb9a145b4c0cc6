"""How fast: simulated seconds per second, beside MuJoCo on the same towers in the same run."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.bench.rigs import piece, table, tower, wood
from engine.bullet import BulletWorld
from engine.pose import Pose
from engine.topple.conic import fall
from engine.topple.contacts import find_contacts
from engine.topple.equilibrium import GRAVITY as DOWN
from engine.topple.equilibrium import balance_of
from engine.topple.statics import stands, tilt_margin
from engine.world import TABLE, Assembly, Body

FRAMES = 60


@dataclass(frozen=True, slots=True)
class Pace:
    """Simulated seconds per second: median of the rounds. ratio: ours over the peer's, round by round; median."""

    teeter: float
    mujoco: float | None
    ratio: float | None


def pace(bodies: Sequence[Body], seconds: float = 2.0, rounds: int = 5) -> Pace:
    """Time a tower awake: poses at 60 Hz, and the contacts play needs (those of the table) every step.

    MuJoCo runs at 240 Hz with its default solver and reads poses at 60 Hz; its contacts lie open anyway.
    """
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_teeter(bodies, seconds))
        peer = _mujoco(bodies, seconds)
        if peer is not None:
            theirs.append(peer)
    if not theirs:
        return Pace(float(np.median(ours)), None, None)
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Pace(float(np.median(ours)), float(np.median(theirs)), float(np.median(ratios)))


def _teeter(bodies: Sequence[Body], seconds: float) -> float:
    with BulletWorld(bodies) as world:
        world.settle()
        started = time.perf_counter()
        steps = round(seconds * world.rate)
        for step in range(steps):
            world.run()
            world.contacts((TABLE,))
            if step % (world.rate // FRAMES) == 0:
                world.read()
        return seconds / (time.perf_counter() - started)


def _mujoco(bodies: Sequence[Body], seconds: float) -> float | None:
    try:
        import mujoco
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(mjcf(bodies))
    data = mujoco.MjData(model)
    for _ in range(24):
        mujoco.mj_step(model, data)
    started = time.perf_counter()
    for step in range(round(seconds * 240)):
        mujoco.mj_step(model, data)
        if step % 4 == 0:
            np.array(data.qpos)
    return seconds / (time.perf_counter() - started)


def mjcf(bodies: Sequence[Body]) -> str:
    """A scene of boxes as MuJoCo's XML, at 240 Hz."""
    lines = ['<mujoco><option timestep="0.004166666666666667"/><worldbody>']
    for body in bodies:
        (x, y, z), (a, b, c, d) = body.pose.position, body.pose.orientation
        half = body.piece.extents / 2
        friction = f"{body.piece.material.friction} 1e-4 1e-5"
        joint = "" if body.fixed else "<freejoint/>"
        lines.append(
            f'<body pos="{x} {y} {z}" quat="{d} {a} {b} {c}">{joint}<geom type="box" '
            f'size="{half[0]} {half[1]} {half[2]}" mass="{body.piece.mass}" friction="{friction}"/></body>'
        )
    return "".join([*lines, "</worldbody></mujoco>"])


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
    found = []
    for wanted in sizes:
        scene = pyramid(wanted)
        times = []
        for _ in range(3):
            started = time.perf_counter()
            balance = balance_of(scene, find_contacts(scene), gravity=DOWN, friction=None)
            fall(balance, balance.friction)
            times.append(time.perf_counter() - started)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found.append((len(scene.free), min(times) / len(scene.free), memory))
    return found


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
