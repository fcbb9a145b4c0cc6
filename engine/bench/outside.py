"""Stacks with which other engines are tested, in ours and in theirs: who lets fall what stands, creep, and cost.

Each scene has its right answer: `tests/test_outside_scenes.py` proves it. An engine is a `Runner`; those that are not
installed are left out. Settings are written beside every figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from engine.bench import outside_scenes as scenes
from engine.bench.peers import AS_IT_COMES, MujocoSettings
from engine.bench.runners.runner import Rig, Runner
from engine.settings import PLAY
from engine.world import Assembly, Vector, typical_size
from engine.worlds import installed_engines

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OutsideScene:
    """make: gives the assembly, or with it a gravity of its own (m/s^2). stands: the right answer. proof: of it."""

    make: Callable[[], Assembly | tuple[Assembly, Vector]]
    stands: bool = True
    proof: str = "certificate"

    def rig(self) -> Rig:
        """Returns what an engine is given."""
        made = self.make()
        return Rig(made.bodies) if isinstance(made, Assembly) else Rig(made[0].bodies, made[1])


SCENES: dict[str, OutsideScene] = {
    "K1 Kapla tower, 102 blocks": OutsideScene(scenes.kapla_tower),
    "P1 PEEL's cards, 5 storeys": OutsideScene(scenes.peel_cards),
    "R1 IPC's cards, 4 storeys": OutsideScene(scenes.ipc_cards, proof="force balance"),
    "R2 arch of 25 stones": OutsideScene(scenes.ipc_arch),
    "R2 arch of 101 stones": OutsideScene(partial(scenes.ipc_arch, 101)),
    "R3 slope, mu 0.49, 26.565 degrees": OutsideScene(
        partial(scenes.level_slope, 0.49, 26.565), False, "closed form"
    ),
    "R3 slope, mu 1, 26.565 degrees": OutsideScene(
        partial(scenes.level_slope, 1.0, 26.565), proof="closed form"
    ),
    "B2 Jenga stack, 30 layers": OutsideScene(scenes.jenga_stack),
    "B3 arch of 17 stones, 4 slabs": OutsideScene(scenes.box3d_arch),
    "B4 pyramid of base 20": OutsideScene(partial(scenes.pyramid, 20), proof="force balance"),
    "B4 1240 boxes": OutsideScene(partial(scenes.siconos_stack, "pyramid", 15, 0.6), proof="force balance"),
    "S1 pyramid, top 300 x": OutsideScene(partial(scenes.pyramid, 3, top_times=300.0)),
    "S1 pyramid, 40 km away": OutsideScene(scenes.far_pyramid),
    "S2 column": OutsideScene(partial(scenes.siconos_stack, "column")),
    "S2 wall": OutsideScene(partial(scenes.siconos_stack, "wall")),
    "S2 pyramid": OutsideScene(partial(scenes.siconos_stack, "pyramid")),
    "V1 Keva block of 40": OutsideScene(scenes.keva_block),
    "V1 Keva block of 198": OutsideScene(partial(scenes.keva_block, 2, 13), proof="force balance"),
    "G1 cube on a wall": OutsideScene(scenes.cube_on_a_wall, proof="closed form"),
    "N1 slope, mu 0.5, 26 degrees": OutsideScene(partial(scenes.level_slope, 0.5, 26.0), proof="closed form"),
    "B1 cube on a cube": OutsideScene(scenes.cube_on_a_cube),
}
QUICK = ("K1 Kapla tower, 102 blocks", "S1 pyramid, top 300 x", "N1 slope, mu 0.5, 26 degrees")
"""What `teeter bench --outside` runs."""
QUICK_S = 10.0
"""Simulated by it, or as much as takes so many seconds of processor time:"""
QUICK_LIMIT_S = 3.0
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

    @property
    def is_right(self) -> bool:
        """Whether it stood or fell as it should, for as long as it was simulated."""
        return (self.collapsed is None) is SCENES[self.scene].stands


def measure(scene: str, engine: str, seconds: float = 600.0, limit: float = 1e9) -> StackRun:
    """Runs a scene; `limit`: seconds of processor time after which it is broken off."""
    rig = SCENES[scene].rig()
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
    from engine.bench.runners.ours import RapierAsItComes, WorldRunner
    from engine.bench.runners.siconos import SiconosRunner, installed

    found: dict[str, Callable[[Rig], Runner]] = {}
    for engine in installed_engines():
        found[f"{engine}, as we set it"] = partial(WorldRunner, engine=engine)
    if find_spec("pybullet") is not None:
        from engine.bench.runners.bullet import BulletAsItComes

        found["bullet, as in play"] = partial(WorldRunner, engine="bullet", tuning=PLAY)
        found["bullet, as it comes"] = BulletAsItComes
    found["rapier, as it comes"] = RapierAsItComes
    if find_spec("mujoco") is not None:
        from engine.bench.runners.mujoco import MujocoRunner

        found["mujoco, as it comes"] = partial(MujocoRunner, tuning=AS_IT_COMES)
        found["mujoco, recommended"] = partial(MujocoRunner, tuning=MujocoSettings())
        found["mujoco, noslip"] = partial(MujocoRunner, tuning=MujocoSettings(noslip=10))
    if installed() is not None:
        found["siconos"] = SiconosRunner
    if find_spec("pydrake") is not None:
        from engine.bench.runners.drake import DrakeRunner

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
