"""The bench of motion in MuJoCo, as it comes and as its manual has it for stacks: the table of PEERS.md.

python tests/research/peer_motion.py        # two minutes on one core
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import mujoco
import numpy as np
from peer_oracles import AS_IT_COMES, RECOMMENDED, MujocoSettings, mjcf
from peer_runner import Array

from teeter.engine import worlds
from teeter.engine.bench.motion import EXPERIMENTS
from teeter.engine.pose import Pose
from teeter.engine.settings import TUNING
from teeter.engine.world.body import DOWN, Assembly, Body, Vector

SETTLING_S = 0.25
"""Simulated before what lies is stopped: contacts find their depth."""
SETTINGS = {"as it comes": AS_IT_COMES, "recommended": RECOMMENDED}


class MujocoWorld:
    """What the bench of motion asks of a `World`. Everything SI, as there; a pair has the larger friction of the two,
    as MuJoCo mixes them."""

    def __init__(self, bodies: Sequence[Body], tuning: MujocoSettings) -> None:
        self.free = Assembly("bench", tuple(bodies)).free
        self._fixed = {body.name: body.pose for body in bodies if body.fixed}
        self._rows = {body.name: row for row, body in enumerate(self.free)}
        self._model = mujoco.MjModel.from_xml_string(mjcf(bodies, DOWN, tuning))
        self._data = mujoco.MjData(self._model)
        self.rate, self.step, self.gravity = round(1.0 / tuning.step), 0, DOWN

    def __enter__(self) -> MujocoWorld:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def read(self) -> MujocoWorld:
        """Returns what has `names`."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Of the free bodies."""
        return tuple(self._rows)

    def run(self, steps: int = 1) -> None:
        """Simulate."""
        mujoco.mj_step(self._model, self._data, steps)
        self.step += steps

    def settle(self) -> None:
        """Let contacts find their forces, then stop everything."""
        mujoco.mj_step(self._model, self._data, round(SETTLING_S * self.rate))
        self._data.qvel[:] = 0.0

    def set_gravity(self, gravity: Vector) -> None:
        """m/s^2."""
        self.gravity = gravity
        self._model.opt.gravity[:] = gravity

    def pose(self, name: str) -> Pose:
        """Returns where a piece is."""
        if name in self._fixed:
            return self._fixed[name]
        x, y, z, w, i, j, k = self._data.qpos[7 * self._rows[name] :][:7].tolist()
        return Pose((x, y, z), (i, j, k, w))

    def _middle(self, name: str) -> Array:
        """Returns the centre of mass (3,) seen from the origin of a piece, along the world's axes."""
        return np.asarray(self.pose(name).matrix @ self.free[self._rows[name]].piece.centre_of_mass)

    def motion(self, name: str) -> tuple[Array, Array]:
        """Returns the velocity (3,) of the centre of mass and the spin (3,); MuJoCo's are those of the origin, and
        about the body's axes."""
        row = self._data.qvel[6 * self._rows[name] :][:6]
        spin = self.pose(name).matrix @ row[3:]
        return row[:3] + np.cross(spin, self._middle(name)), spin

    def launch(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Give a body a velocity of its centre of mass and a spin."""
        row = self._data.qvel[6 * self._rows[name] :][:6]
        row[:3] = velocity - np.cross(spin, self._middle(name))
        row[3:] = self.pose(name).matrix.T @ spin

    def energy(self) -> tuple[float, float]:
        """Returns kinetic and potential energy of the free bodies, joules."""
        kinetic = potential = 0.0
        for body in self.free:
            velocity, spin = self.motion(body.name)
            local = self.pose(body.name).matrix.T @ spin
            kinetic += 0.5 * body.piece.mass * float(velocity @ velocity)
            kinetic += 0.5 * float(local @ body.piece.inertia @ local)
            place = np.add(self.pose(body.name).position, self._middle(body.name))
            potential -= body.piece.mass * float(np.dot(self.gravity, place))
        return kinetic, potential


@contextmanager
def in_mujoco(tuning: MujocoSettings) -> Iterator[None]:
    """New worlds are MuJoCo's inside the block."""
    maker = lambda bodies, **_: MujocoWorld(tuple(bodies), tuning)  # noqa: E731
    with patch.object(worlds, "maker_of", lambda _: maker):
        yield


def main() -> None:
    """Print a row of Markdown for every experiment."""
    print(f"| MuJoCo {mujoco.__version__} | right | {' | '.join(SETTINGS)} |")
    print("|---|" + "---|" * (1 + len(SETTINGS)))
    for what, experiment in EXPERIMENTS.items():
        cells = []
        for tuning in SETTINGS.values():
            with in_mujoco(tuning):
                found = experiment(TUNING)
            cells.append(f"{found.value:.3g}" if found.holds else f"**{found.value:.3g}**")
        print(f"| {what} | {found.low:.3g} to {found.high:.3g} | {' | '.join(cells)} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
