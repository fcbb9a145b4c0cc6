"""Stacks with which other engines are tested, in ours and in theirs: who lets fall what stands, creep, and cost.

Every scene here stands: `tests/test_outside_scenes.py` proves it. An engine is a `Runner`; those that are not installed
are left out. Settings are written beside every figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.bench import outside_scenes as scenes
from engine.bench.peers import MujocoSettings, mjcf
from engine.settings import GRAVITY
from engine.world import DOWN, Assembly, Body, Scale, World, typical_size
from engine.worlds import PACKAGES, Engine, installed_engines, maker_of

Array = NDArray[np.float64]

SCENES: dict[str, Callable[[], Assembly]] = {
    "K1 Kapla tower, 102 blocks": scenes.kapla_tower,
    "B2 Jenga stack, 30 layers": scenes.jenga_stack,
    "B4 pyramid of base 12": lambda: scenes.pyramid(12),
    "S1 pyramid, top 300 x": lambda: scenes.pyramid(3, top_times=300.0),
    "S2 Siconos column": lambda: scenes.siconos_stack("column"),
    "S2 Siconos wall": lambda: scenes.siconos_stack("wall"),
    "N1 slope, mu 0.5, 26 degrees": lambda: scenes.friction_slope(0.5, 26.0),
    "B1 cube on a cube": lambda: scenes.siconos_stack("column", 2),
}
QUICK = ("K1 Kapla tower, 102 blocks", "S1 pyramid, top 300 x", "N1 slope, mu 0.5, 26 degrees")
"""What `teeter bench --outside` runs."""
QUICK_S = 10.0
"""Simulated by it, or as much as takes so many seconds of processor time:"""
QUICK_LIMIT_S = 5.0
SETTLED_SHARE = 0.1
"""Of the time, but at most a minute, after which a scene has settled."""
COLLAPSE = 0.5
"""Of a typical piece's size: whoever is this far from where it was has fallen or slid away."""


class Runner(Protocol):
    """An engine with a scene in it. settings: in words. rate: steps a second."""

    settings: str
    rate: int

    def __init__(self, bodies: Sequence[Body]) -> None: ...

    def run(self, steps: int) -> None:
        """Simulate."""

    def places(self) -> Array:
        """Returns where the free bodies are (n, 3), metres, whichever of their points that is."""

    def penetration(self) -> float:
        """Returns metres: the deepest contact."""


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


def measure(scene: str, engine: str, seconds: float = 600.0, limit: float = 1e9) -> StackRun:
    """Runs a scene; `limit`: seconds of processor time after which it is broken off."""
    assembly, (package, make) = SCENES[scene](), runners()[engine]
    far = COLLAPSE * typical_size(assembly.bodies)
    masses = np.array([body.piece.mass for body in assembly.free])
    started = time.process_time()
    runner = make(assembly.bodies)
    first = runner.places()
    frames, heights, deepest, collapsed, chunks = [first], [_height(first, masses)], 0.0, None, 0
    every = max(1, runner.rate // 10)
    while chunks * every < seconds * runner.rate and time.process_time() - started < limit:
        runner.run(every)
        chunks += 1
        frames.append(runner.places())
        heights.append(_height(frames[-1], masses))
        if chunks % 10 == 1:
            deepest = max(deepest, runner.penetration())
        if not float(np.linalg.norm(frames[-1] - first, axis=1).max()) < far:
            collapsed = chunks * every / runner.rate
            break
    simulated = chunks * every / runner.rate
    settled = frames[round(chunks * min(SETTLED_SHARE, 60.0 / simulated))]
    moved = float(np.linalg.norm(frames[-1] - frames[chunks // 2], axis=1).max())
    lowest = np.minimum.accumulate(np.array(heights))
    return StackRun(
        scene=scene,
        engine=engine,
        version=version(package),
        settings=runner.settings,
        simulated=simulated,
        collapsed=collapsed,
        creep=1e6 * moved / (simulated / 2) * 3600.0,
        sink=float(np.linalg.norm(settled - first, axis=1).max()),
        penetration=deepest,
        energy=GRAVITY * float((np.array(heights) - lowest).max()),
        cost=time.process_time() - started,
    )


def _height(places: Array, masses: Array) -> float:
    return float(places[:, 2] @ masses / masses.sum())


def runners() -> dict[str, tuple[str, Callable[[Sequence[Body]], Runner]]]:
    """Returns what can be run here: by its name, its package and what makes it."""
    found: dict[str, tuple[str, Callable[[Sequence[Body]], Runner]]] = {}
    for engine in installed_engines():
        found[f"{engine}, tuned"] = PACKAGES[engine], _ours(engine)
    if find_spec("pybullet") is not None:
        found["bullet, as it comes"] = "pybullet", BulletAsItComes
    found["rapier, as it comes"] = "rapier3d", RapierAsItComes
    if find_spec("mujoco") is not None:
        found["mujoco, recommended"] = "mujoco-core", lambda bodies: MujocoRunner(bodies, 0)
        found["mujoco, noslip"] = "mujoco-core", lambda bodies: MujocoRunner(bodies, 10)
    return found


def _ours(engine: Engine) -> Callable[[Sequence[Body]], Runner]:
    return lambda bodies: WorldRunner(bodies, engine)


class WorldRunner:
    """A `World`, settled as `check` does it."""

    def __init__(self, bodies: Sequence[Body], engine: Engine) -> None:
        self._world: World = maker_of(engine)(bodies)
        self._world.settle()
        self.rate = self._world.rate
        self.settings = f"as in play and check, {self.rate} steps/s"

    def run(self, steps: int) -> None:
        """Simulate."""
        self._world.run(steps)

    def places(self) -> Array:
        """Returns the middles (n, 3), metres."""
        return self._world.read().poses[:, :3].copy()

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        return max((-contact.distance for contact in self._world.contacts()), default=0.0)


class BulletAsItComes:
    """Bullet with what pybullet sets: multibodies, 50 iterations."""

    settings = "createMultiBody, 240 steps/s, 50 iterations"
    rate = 240

    def __init__(self, bodies: Sequence[Body]) -> None:
        import pybullet

        self._bullet: Any = pybullet
        self._client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*DOWN, physicsClientId=self._client)
        self._handles = []
        for body in bodies:
            half = (body.piece.extents / 2).tolist()
            shape = pybullet.createCollisionShape(
                pybullet.GEOM_BOX, halfExtents=half, physicsClientId=self._client
            )
            mass = 0.0 if body.fixed else body.piece.mass
            pose = body.pose.position, body.pose.orientation
            handle = pybullet.createMultiBody(mass, shape, -1, *pose, physicsClientId=self._client)
            friction = body.piece.material.friction**0.5
            pybullet.changeDynamics(handle, -1, lateralFriction=friction, physicsClientId=self._client)
            self._handles += [] if body.fixed else [handle]

    def run(self, steps: int) -> None:
        """Simulate."""
        for _ in range(steps):
            self._bullet.stepSimulation(self._client)

    def places(self) -> Array:
        """Returns the middles (n, 3), metres."""
        place = self._bullet.getBasePositionAndOrientation
        return np.array([place(handle, self._client)[0] for handle in self._handles])

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        points = self._bullet.getContactPoints(physicsClientId=self._client)
        return max((-point[8] for point in points), default=0.0)


class RapierAsItComes(WorldRunner):
    """Rapier with its defaults, in metres; nothing sleeps, so that creep shows."""

    settings = "defaults, 60 steps/s"
    rate = 60

    def __init__(self, bodies: Sequence[Body]) -> None:
        from engine.rapier import RapierWorld

        class Defaults(RapierWorld):
            def _configure(self) -> None:
                self._world.set_num_threads(1)
                self._world.integration_parameters.dt = 1.0 / self.rate

        self._world = Defaults(bodies, scale=Scale(1.0, 1.0, self.rate))


class MujocoRunner:
    """MuJoCo with what its manual recommends for stacks. noslip: iterations of its solver against creep."""

    def __init__(self, bodies: Sequence[Body], noslip: int) -> None:
        import mujoco

        tuning = replace(MujocoSettings(), noslip=noslip)
        self._mujoco: Any = mujoco
        self._model: Any = mujoco.MjModel.from_xml_string(mjcf(bodies, tuning=tuning))
        self._data: Any = mujoco.MjData(self._model)
        self.rate = round(1.0 / tuning.step)
        self.settings = (
            f"elliptic, impratio 10, solref {tuning.compliance}, noslip {noslip}, {self.rate} steps/s"
        )

    def run(self, steps: int) -> None:
        """Simulate."""
        self._mujoco.mj_step(self._model, self._data, steps)

    def places(self) -> Array:
        """Returns the middles (n, 3), metres."""
        return np.array(self._data.qpos).reshape(-1, 7)[:, :3]

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        return float(max(0.0, -np.array(self._data.contact.dist).min(initial=0.0)))


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
