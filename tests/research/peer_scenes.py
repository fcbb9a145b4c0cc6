"""Stacks with which other engines are tested, in ours and in theirs: who lets fall what stands, creep, and cost.

Scenes have the parameters of their sources, and nothing of ours was tuned to them. Each has its right answer:
`tests/test_outside_scenes.py` proves it. An engine is a `Runner`; those that are not installed are left out. Settings
are written beside every figure.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from peer_oracles import AS_IT_COMES, MujocoSettings
from peer_runner import Rig, Runner

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.pose import Pose
from teeter.engine.settings import PLAY
from teeter.engine.world.body import Assembly, Body, Vector, tilted_gravity, typical_size
from teeter.engine.worlds import installed_engines
from teeter.models.piece import Array

Maker = Callable[[], Assembly | tuple[Assembly, Vector]]
"""Gives the assembly of a scene, or with it a gravity of its own (m/s^2)."""

Box = tuple[str, tuple[float, float, float], tuple[float, float, float], float]
"""Name, size and centre in metres, kg."""


def of_boxes(name: str, boxes: Iterable[Box], friction: float, ground: float = 20.0) -> Assembly:
    """Level boxes on a square slab of so many metres whose top is at z = 0."""
    bodies = [table(wood(friction), (ground * 1e3, ground * 1e3, 200.0))]
    for label, size, centre, mass in boxes:
        density = mass / math.prod(size)
        shape = piece(wood(friction, density), box=tuple(1e3 * side for side in size))
        bodies.append(Body(label, shape, Pose(centre)))
    return Assembly(name, tuple(bodies))


def kapla_tower(friction: float = 0.5, floors: int = 6) -> Assembly:
    """The Kapla tower of SimBenchmark: 17 blocks of 10 kg a floor, 102 in all."""
    boxes: list[Box] = []
    for i in range(floors):
        boxes += [
            (f"base.{i}.{j}", (0.05, 0.25, 0.1), (0.2 * j, 0.0, 0.2 * i + 0.05), 10.0) for j in range(8)
        ]
        walls = [(0.4 * j + 0.1, -0.1) for j in range(4)] + [(0.4 * j + 0.3, 0.1) for j in range(3)]
        walls += [(0.1, 0.1), (1.3, 0.1)]
        boxes += [
            (f"wall.{i}.{k}", (0.2, 0.05, 0.1), (x, y, 0.2 * i + 0.15), 10.0)
            for k, (x, y) in enumerate(walls)
        ]
    return of_boxes("kapla", boxes, friction)


def pyramid(base: int, *, density: float = 100.0, top_times: float = 1.0, friction: float = 0.6) -> Assembly:
    """The pyramids of Box2D and Box3D: unit boxes, a row one shorter on every row. top_times: of the top box's mass,
    as in the high mass ratios of Solver2D and PEEL."""
    boxes: list[Box] = []
    for row in range(base):
        for k in range(base - row):
            mass = density * (top_times if row == base - 1 else 1.0)
            centre = (1.1 * k + 0.55 * row - 0.55 * (base - 1), 0.0, row + 0.5)
            boxes.append((f"box.{row}.{k}", (1.0, 1.0, 1.0), centre, mass))
    return of_boxes(f"pyramid.{base}", boxes, friction, 4.0 * base)


def level_slope(mu: float, degrees: float) -> tuple[Assembly, Vector]:
    """Newton's friction grid and rigid IPC's slope: a flat box at rest on an incline, seen from the slab, level under a
    gravity (m/s^2) that slopes."""
    bed = table(wood(mu), (4000.0, 4000.0, 50.0))
    block = Body("piece", piece(wood(mu), box=(400, 400, 100)), Pose((0.0, 0.0, 0.05)))
    return Assembly(f"level.{mu}.{degrees}", (bed, block)), tilted_gravity(math.radians(degrees), 0.0)


SCENES: dict[str, Maker] = {
    "K1 Kapla tower, 102 blocks": kapla_tower,
    "S1 pyramid, top 300 x": partial(pyramid, 3, top_times=300.0),
    "N1 slope, mu 0.5, 26 degrees": partial(level_slope, 0.5, 26.0),
}
"""All stand. `tests/outside_scenes.py` has the others."""
SETTLED_SHARE = 0.1
"""Of the time, but at most a minute, after which a scene has settled."""
COLLAPSE = 0.5
"""Of a typical piece's size: whoever is this far from where it was has fallen or slid away."""
LOOKS_PER_S = 10
"""A second of simulated time."""


@dataclass(frozen=True, slots=True)
class StackRun:
    """How a scene went. simulated: seconds. collapsed: seconds until something fell, None when all stands. creep:
    micrometres an hour, of the piece that moves most in the second half of the time. sink: metres of the first part.
    penetration: metres. energy: joules a kilogram gained at most over an earlier moment, of height alone. cost: seconds
    of processor time."""

    scene: str
    engine: str
    version: str
    settings: str
    simulated: float
    collapsed: float | None
    creep: float
    sink: float
    penetration: float
    energy: float
    cost: float


def measure(scene: str, make: Maker, engine: str, seconds: float, limit: float = 1e9) -> StackRun:
    """Runs a scene of this name; `limit`: seconds of processor time after which it is broken off."""
    made = make()
    rig = Rig(made.bodies) if isinstance(made, Assembly) else Rig(made[0].bodies, made[1])
    far = COLLAPSE * typical_size(rig.bodies)
    masses = np.array([body.piece.mass for body in rig.free])
    started = time.process_time()
    runner = runners()[engine](rig)
    first = runner.places()
    frames, heights, deepest, collapsed, steps = [first], [_energy(first, masses, rig)], 0.0, None, 0
    every = max(1, runner.rate // LOOKS_PER_S)
    while steps < seconds * runner.rate and _spent(runner, started) < limit:
        for _ in range(every):
            runner.run(1)
            steps += 1
            if _spent(runner, started) >= limit:
                break
        frames.append(runner.places())
        heights.append(_energy(frames[-1], masses, rig))
        if len(frames) % LOOKS_PER_S == 2:
            deepest = max(deepest, runner.penetration())
        # written so that a place that is no number is far, too
        if not float(np.linalg.norm(frames[-1] - first, axis=1).max()) < far:
            collapsed = steps / runner.rate
            break
    simulated, cost, last = steps / runner.rate, _spent(runner, started), len(frames) - 1
    runner.close()
    settled = frames[round(last * min(SETTLED_SHARE, 60.0 / simulated))]
    moved = float(np.linalg.norm(frames[-1] - frames[last // 2], axis=1).max())
    lowest = np.minimum.accumulate(np.array(heights))
    return StackRun(
        scene=scene,
        engine=engine,
        version=runner.version,
        settings=runner.settings,
        simulated=simulated,
        collapsed=collapsed,
        creep=1e6 * moved / (simulated / 2) * 3600.0,
        sink=float(np.linalg.norm(settled - first, axis=1).max()),
        penetration=deepest,
        energy=float((np.array(heights) - lowest).max()),
        cost=cost,
    )


def _spent(runner: Runner, started: float) -> float:
    return time.process_time() - started + runner.elsewhere


def _energy(places: Array, masses: Array, rig: Rig) -> float:
    """Returns the potential energy of a kilogram, in joules."""
    return -float((places @ np.array(rig.gravity)) @ masses / masses.sum())


def runners() -> dict[str, Callable[[Rig], Runner]]:
    """Returns what makes the engines that can be run here, by their names."""
    from peer_ours import RapierAsItComes, WorldRunner
    from peer_siconos import SiconosRunner, installed

    found: dict[str, Callable[[Rig], Runner]] = {}
    for engine in installed_engines():
        found[f"{engine}, as we set it"] = partial(WorldRunner, engine=engine)
    if find_spec("pybullet") is not None:
        from peer_bullet import BulletAsItComes

        found["bullet, as in play"] = partial(WorldRunner, engine="bullet", tuning=PLAY)
        found["bullet, as it comes"] = BulletAsItComes
    found["rapier, as it comes"] = RapierAsItComes
    if find_spec("mujoco") is not None:
        from peer_mujoco import MujocoRunner

        found["mujoco, as it comes"] = partial(MujocoRunner, tuning=AS_IT_COMES)
        found["mujoco, recommended"] = partial(MujocoRunner, tuning=MujocoSettings())
        found["mujoco, noslip"] = partial(MujocoRunner, tuning=MujocoSettings(noslip=10))
    if installed() is not None:
        found["siconos"] = SiconosRunner
    if find_spec("pydrake") is not None:
        from peer_drake import DrakeRunner

        found["drake"] = DrakeRunner
    return found


def cells_of(found: StackRun) -> dict[str, str]:
    """Returns an outcome as it stands in a table."""
    stands = f"{found.simulated:.0f} s" if found.collapsed is None else f"falls at {found.collapsed:.1f} s"
    return {
        "stands": stands,
        "creep um/h": "" if found.collapsed is not None else f"{found.creep:.3g}",
        "settles mm": f"{1e3 * found.sink:.3g}",
        "deep mm": f"{1e3 * found.penetration:.2g}",
        "gains mJ/kg": f"{1e3 * found.energy:.2g}",
        "cost s": f"{found.cost:.1f}",
    }
