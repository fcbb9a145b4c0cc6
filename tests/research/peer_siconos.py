"""Siconos, a nonsmooth time stepper with exact Coulomb friction, in a process of the system's Python."""

from __future__ import annotations

import json
import math
import os
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_runner import Rig, Runner, half_extents_of, hulls_of, mass_frame_pose

from teeter.engine.world.body import Body, typical_size

PYTHON = "/usr/bin/python3"
"""Debian's, for which python3-siconos is built."""
STEP_S = 0.01
"""Of its examples, for boxes of a metre; smaller ones fall faster."""
WORKER = Path(__file__).with_name("siconos_worker.py")


@lru_cache(maxsize=1)
def installed() -> str | None:
    """Returns the version of the system's Siconos; None when there is none."""
    asked = ["dpkg-query", "--showformat=${Version}", "--show", "python3-siconos"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return found.partition("+")[0] or None


class SiconosRunner(Runner):
    """A rig in units of its typical piece. All pairs have the friction of the first free body."""

    def __init__(self, rig: Rig) -> None:
        self.version = installed() or ""
        self._length = typical_size(rig.bodies)
        self.rate = round(1.0 / (STEP_S * math.sqrt(self._length)))
        self.settings = f"Moreau-Jean, Gauss-Seidel to 1e-8 or 1000 iterations, {self.rate} steps/s"
        # its small systems gain nothing from threads, which wait for each other where others need the cores
        self._process = subprocess.Popen(
            [PYTHON, "-I", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        mass = rig.free[0].piece.mass
        self._shells: float | None = None
        self._answer = self._ask(
            json.dumps(
                {
                    "gravity": [value / self._length for value in rig.gravity],
                    "friction": rig.free[0].piece.material.friction,
                    "step": 1.0 / self.rate,
                    "bodies": [self._body(body, rig, mass) for body in rig.bodies],
                }
            )
        )

    @property
    def elsewhere(self) -> float:
        """Seconds of processor time of its process."""
        return float(self._answer["spent"])

    def run(self, steps: int) -> None:
        """Simulate."""
        self._answer = self._ask(str(steps))

    def places(self) -> NDArray[np.float64]:
        """Returns the centres of mass (n, 3), metres."""
        return np.array(self._answer["places"]) * self._length

    def penetration(self) -> float:
        """Returns by how much the deepest contact is deeper than it was at first, metres: shells overlap."""
        deepest = float(self._answer["deepest"])
        self._shells = deepest if self._shells is None else self._shells
        return max(0.0, deepest - self._shells) * self._length

    def close(self) -> None:
        """End its process."""
        self._process.kill()
        self._process.communicate()

    def _ask(self, line: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"Siconos ended with exit status {self._process.wait()}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def _body(self, body: Body, rig: Rig, mass: float) -> dict[str, Any]:
        (place, (x, y, z, w)), half = mass_frame_pose(body), half_extents_of(body)
        shape = (
            {"hulls": [(hull / self._length).tolist() for hull in hulls_of(body)]}
            if half is None
            else {"half": (half / self._length).tolist()}
        )
        return {
            **shape,
            "position": [value / self._length for value in place],
            "orientation": [w, x, y, z],
            "velocity": [value / self._length for value in rig.launched.get(body.name, (0.0, 0.0, 0.0))],
            "mass": body.piece.mass / mass,
            "inertia": (body.piece.inertia / (mass * self._length**2)).tolist(),
            "fixed": body.fixed,
        }
