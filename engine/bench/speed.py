"""How fast: simulated seconds per second, beside MuJoCo on the same towers in the same run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.bullet import BulletWorld
from engine.world import TABLE, Body

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
