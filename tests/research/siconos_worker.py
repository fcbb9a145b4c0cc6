"""Siconos in the system's Python (Debian's python3-siconos), driven by lines of JSON on standard input.

The first line is a rig in units of a typical piece, every further one a number of steps; each is answered by a line:
places of the free bodies, the deepest contact, seconds of processor time. Nothing of teeter is imported here.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.mechanics import collision
from siconos.mechanics.collision import bullet

ITERATIONS = 1000
TOLERANCE = 1e-8
"""Of its solver (nonsmooth Gauss-Seidel on exact Coulomb cones)."""


def contactors_of(body: dict[str, Any]) -> Any:
    """A box, or the hulls of corners; rounded by a fiftieth, as in Siconos' examples. A thin shell around them lets
    contacts be found before the first step, in which everything would fall by a millimetre."""
    contactors = collision.SiconosContactorSet()
    if "half" in body:
        sides = [2.0 * value for value in body["half"]]
        shapes = [(collision.SiconosBox(*sides), min(sides))]
    else:
        hulls = [np.array(corners) for corners in body["hulls"]]
        shapes = [(collision.SiconosConvexHull(hull), float(np.ptp(hull, axis=0).min())) for hull in hulls]
    for shape, least in shapes:
        shape.setInsideMargin(0.02 * least)
        shape.setOutsideMargin(0.004 * least)
        contactors.append(collision.SiconosContactor(shape))
    return contactors


class Simulation:
    """A rig: bodies with position, orientation (wxyz), velocity, mass, inertia, friction, and `half` or `hulls`."""

    def __init__(self, rig: dict[str, Any]) -> None:
        options = bullet.SiconosBulletOptions()
        self._manager = bullet.SiconosBulletCollisionManager(options)
        system = kernel.NonSmoothDynamicalSystem(0.0, 1e9)
        self.free: list[Any] = []
        self._kept: list[Any] = []
        for body in rig["bodies"]:
            contactors = contactors_of(body)
            self._kept.append(contactors)
            pose = [*body["position"], *body["orientation"]]
            if body["fixed"]:
                self._manager.insertStaticContactorSet(contactors, pose)
                continue
            speed = [*body["velocity"], 0.0, 0.0, 0.0]
            item = collision.RigidBodyDS(pose, speed, body["mass"], np.array(body["inertia"]))
            item.setContactors(contactors)
            force = np.array(rig["gravity"]) * body["mass"]
            self._kept.append(force)
            item.setFExtPtr(force)
            system.insertDynamicalSystem(item)
            self.free.append(item)
        law = kernel.NewtonImpactFrictionNSL(0.0, 0.0, rig["friction"], 3)
        self._manager.insertNonSmoothLaw(law, 0, 0)
        solver = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
        solver.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
        solver.dparam[numerics.SICONOS_DPARAM_TOL] = TOLERANCE
        problem = kernel.FrictionContact(3, solver)
        problem.setMaxSize(100000)
        problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
        problem.setKeepLambdaAndYState(True)
        self._simulation = kernel.TimeStepping(system, kernel.TimeDiscretisation(0.0, rig["step"]))
        self._simulation.insertIntegrator(kernel.MoreauJeanOSI(0.50001))
        self._simulation.insertNonSmoothProblem(problem)
        self._simulation.insertInteractionManager(self._manager)
        self._simulation.setNewtonOptions(kernel.SICONOS_TS_NONLINEAR)
        self._simulation.setNewtonMaxIteration(1)
        self._kept += [system, law, solver, problem]

    def run(self, steps: int) -> None:
        """Simulate."""
        for _ in range(steps):
            self._simulation.computeOneStep()
            self._simulation.clearNSDSChangeLog()
            self._simulation.nextStep()

    def deepest(self) -> float:
        """Returns the deepest contact, in units."""
        gaps = self._simulation.y(0, 0)
        return max(0.0, -float(np.min(gaps[0::3]))) if len(gaps) else 0.0


def main() -> None:
    """Answers line by line; what Siconos prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    simulation = Simulation(json.loads(sys.stdin.readline()))
    steps = 0
    while True:
        simulation.run(steps)
        places = [item.q()[:3].tolist() for item in simulation.free]
        found = {"places": places, "deepest": simulation.deepest() if steps else 0.0}
        answers.write(json.dumps({**found, "spent": time.process_time()}) + "\n")
        answers.flush()
        line = sys.stdin.readline()
        if not line:
            break
        steps = int(line)


if __name__ == "__main__":
    main()
