"""MuJoCo, as it comes and as its manual has it for stacks."""

from __future__ import annotations

from importlib.metadata import version

import mujoco
import numpy as np
from numpy.typing import NDArray
from peer_oracles import MujocoSettings, mjcf
from peer_runner import Rig, Runner


class MujocoRunner(Runner):
    """MuJoCo with settings of `peers`."""

    def __init__(self, rig: Rig, tuning: MujocoSettings) -> None:
        self.version = version("mujoco-core")
        text = mjcf(rig.bodies, rig.gravity, tuning)
        self._model = mujoco.MjModel.from_xml_string(text)
        self._data = mujoco.MjData(self._model)
        for row, body in enumerate(rig.free):
            self._data.qvel[6 * row : 6 * row + 3] = rig.launched.get(body.name, (0.0, 0.0, 0.0))
        self.rate = round(1.0 / tuning.step)
        self.settings = (
            f"{tuning.cone}, impratio {tuning.impratio:g}, solref {tuning.compliance}, noslip {tuning.noslip}, "
            f"{self.rate} steps/s"
        )

    def run(self, steps: int) -> None:
        """Simulate."""
        mujoco.mj_step(self._model, self._data, steps)

    def places(self) -> NDArray[np.float64]:
        """Returns the middles (n, 3), metres."""
        return np.array(self._data.qpos).reshape(-1, 7)[:, :3]

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        return float(max(0.0, -np.array(self._data.contact.dist).min(initial=0.0)))
