"""Our worlds, as `check` and as play use them; and Rapier's world as it comes."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from peer_runner import Rig, Runner

from teeter.engine.settings import PACKAGES, PLAY, TUNING, Tuning
from teeter.engine.world.body import Scale
from teeter.engine.world.world import World
from teeter.engine.worlds import Engine, maker_of


class WorldRunner(Runner):
    """A `World`, settled as `check` and play do it."""

    def __init__(self, rig: Rig, engine: Engine, tuning: Tuning = TUNING) -> None:
        self._begin(rig, maker_of(engine)(rig.bodies, tuning=tuning))
        self.version = version(PACKAGES[engine])
        way = "as in play" if tuning is PLAY else "as in check"
        self.settings = f"{way}, {self.rate} steps/s"

    def _begin(self, rig: Rig, world: World) -> None:
        self._world = world
        self.rate = world.rate
        world.set_gravity(rig.gravity)
        world.settle()
        for name, velocity in rig.launched.items():
            world.launch(name, velocity)

    def run(self, steps: int) -> None:
        """Simulate."""
        self._world.run(steps)

    def places(self) -> NDArray[np.float64]:
        """Returns the middles (n, 3), metres."""
        return self._world.read().poses[:, :3].copy()

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        return max((-contact.distance for contact in self._world.contacts()), default=0.0)

    def close(self) -> None:
        """Free the simulator."""
        self._world.close()


class RapierAsItComes(WorldRunner):
    """Rapier with its defaults, in metres; nothing sleeps, so that creep shows."""

    def __init__(self, rig: Rig) -> None:
        from teeter.engine.world.rapier import RapierWorld

        class Defaults(RapierWorld):
            def _configure(self) -> None:
                self._world.set_num_threads(1)
                self._world.integration_parameters.dt = 1.0 / self.rate

            def settle(self, stages: int = 1) -> None:
                """Its users let go at once."""

        self._begin(rig, Defaults(rig.bodies, scale=Scale(1.0, 1.0, 60)))
        self.version = version("rapier3d")
        self.settings = f"defaults, {self.rate} steps/s"
