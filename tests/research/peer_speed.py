"""How fast, beside others in the same run: MuJoCo awake, MuJoCo's 3 s, both solvers of compas-cra, MuJoCo's renderer.

python tests/research/peer_speed.py        # two minutes on two cores, quiet
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from peer_oracles import (
    AS_IT_COMES,
    HAS_CRA,
    HAS_MUJOCO,
    SOLVERS,
    complete,
    cra_assembly,
    find_interfaces,
    mjcf,
    mujoco_says,
)

from teeter.engine.bench.drawing import ALONE, PROCESS_TIMEOUT_S, drawing
from teeter.engine.bench.rigs import tower, wood
from teeter.engine.bench.speed import once
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.verdict import check, with_friction
from teeter.engine.world.body import DOWN, Assembly, Body

# one light with a shadow, as here; in a process of its own, because each opens OpenGL in its way
_PEER = """
import json, os, sys, time
os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco
from peer_oracles import mjcf
from teeter.engine.bench.rigs import tower
light = '<worldbody><light pos="-0.4 -0.6 1" dir="0.4 0.6 -1" castshadow="true"/>'
model = mujoco.MjModel.from_xml_string(mjcf(tower()).replace("<worldbody>", light))
model.vis.global_.offwidth, model.vis.global_.offheight = 1280, 720
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 720, 1280)
camera = mujoco.MjvCamera()
camera.lookat[:], camera.distance, camera.elevation = (0, 0, 0.13), 0.75, -20
best = 0.0
for _ in range(int(sys.argv[1])):
    started = time.process_time()
    for turn in range(4):
        camera.azimuth = 60 + 3 * turn
        renderer.update_scene(data, camera)
        renderer.render()
    best = max(best, 4 / (time.process_time() - started))
print(json.dumps(best))
"""


@dataclass(frozen=True, slots=True)
class SimulationSpeed:
    """Simulated seconds per second: median of the rounds. ratio: ours over MuJoCo's, round by round; median."""

    teeter: float
    mujoco: float
    ratio: float


def pace(bodies: Sequence[Body], seconds: float = 2.0, rounds: int = 5) -> SimulationSpeed:
    """Time a tower awake in both, in turns. MuJoCo runs at 240 Hz with its default solver and reads poses at 60 Hz; its
    contacts lie open anyway. Raises ImportError without it."""
    pairs = [(once(bodies, seconds), _mujoco(bodies, seconds)) for _ in range(rounds)]
    ours, theirs = zip(*pairs, strict=True)
    ratio = float(np.median([a / b for a, b in pairs]))
    return SimulationSpeed(float(np.median(ours)), float(np.median(theirs)), ratio)


def _mujoco(bodies: Sequence[Body], seconds: float) -> float:
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf(bodies, tuning=replace(AS_IT_COMES, step=1.0 / 240.0)))
    data = mujoco.MjData(model)
    for _ in range(24):
        mujoco.mj_step(model, data)
    started = time.perf_counter()
    for step in range(round(seconds * 240)):
        mujoco.mj_step(model, data)
        if step % 4 == 0:
            np.array(data.qpos)
    return seconds / (time.perf_counter() - started)


FRICTION = 0.4
NEAREST = 10
"""Neighbours that compas-cra's finder looks at in the tower: the fewest with which it finds all 192 interfaces."""


@dataclass(frozen=True, slots=True)
class PeerTimes:
    """Seconds of the fastest of the rounds; None for a peer that is not installed. finder: of compas-cra's interfaces,
    which rbe and cra both need and which their times contain."""

    statics: float
    both: float
    mujoco: float | None
    finder: float | None
    rbe: float | None
    cra: float | None


def peer_times(rounds: int = 3) -> PeerTimes:
    """Time a verdict by statics, by both methods, by 3 s of MuJoCo, and by both solvers of compas-cra (once: they take
    seconds). Raises RuntimeError when somebody lets the tower fall."""
    scene = with_friction(Assembly("tower", tower()), FRICTION)
    statics, both, mujoco = [], [], []
    for _ in range(rounds):
        started = time.perf_counter()
        if stands(scene) is not True:
            raise RuntimeError("the tower of the benchmark must stand")
        statics.append(time.perf_counter() - started)
        both.append(check(scene).wall)
        if HAS_MUJOCO:
            mujoco.append(mujoco_says(scene).seconds)
    finder, rbe, cra = _cra_times(scene) if HAS_CRA else (None, None, None)
    return PeerTimes(min(statics), min(both), min(mujoco, default=None), finder, rbe, cra)


def _cra_times(scene: Assembly) -> tuple[float, float, float]:
    with contextlib.redirect_stdout(io.StringIO()):
        problem = cra_assembly(scene)
        started = time.perf_counter()
        find_interfaces(problem, NEAREST)
        found = time.perf_counter() - started
        complete(problem, scene, DOWN)
        solved = {}
        for name, solve in SOLVERS.items():
            started = time.perf_counter()
            if solve(problem, wood(FRICTION).friction)[0] is not True:
                raise RuntimeError(f"{name} of compas-cra lets the tower fall")
            solved[name] = time.perf_counter() - started
    return found, found + solved["rbe"], found + solved["cra"]


def drawn_by_mujoco(rounds: int = 4) -> float:
    """Returns pictures a second of processor time. Raises CalledProcessError where it finds no OpenGL."""
    found = subprocess.run(
        [sys.executable, "-c", _PEER, str(rounds)],
        capture_output=True,
        text=True,
        timeout=PROCESS_TIMEOUT_S,
        check=True,
        env={**os.environ, **ALONE, "PYTHONPATH": str(Path(__file__).parent)},
    )
    return float(json.loads(found.stdout.strip().splitlines()[-1]))


def main() -> None:
    """Print every pair; a peer that is not installed raises ImportError."""
    for name, seed in (("exact", None), ("scattered", 1)):
        awake = pace(tower(seed))
        print(f"54 {name} bricks, awake: {awake.teeter:.1f} x real time")
        print(f"  MuJoCo: {awake.mujoco:.1f} x, ratio {awake.ratio:.2f}")
    found = peer_times()
    print(f"54 bricks: statics {found.statics * 1e3:.0f} ms, both methods {found.both:.2f} s")
    if found.mujoco is not None:
        print(f"  MuJoCo, 3 s: {found.mujoco:.2f} s, {found.mujoco / found.both:.1f} x both")
    for name, seconds in (("rbe", found.rbe), ("cra", found.cra)):
        if seconds is not None:
            print(f"  compas-cra {name}: {seconds:.1f} s, {seconds / found.statics:.0f} x statics")
    ours, theirs = drawing("medium"), drawn_by_mujoco()
    print(f"pictures a second: {ours:.1f}, MuJoCo's renderer {theirs:.1f}: ratio {ours / theirs:.1f}")


if __name__ == "__main__":
    main()
