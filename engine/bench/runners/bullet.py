"""Bullet as pybullet's users meet it."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pybullet
from numpy.typing import NDArray

from engine.bench.runners.runner import Rig, corners_of, half_extents_of, mass_frame_pose


class BulletAsItComes:
    """Bullet with what pybullet sets: multibodies, 240 steps a second, 50 iterations."""

    settings = "createMultiBody, 240 steps/s, 50 iterations"
    rate = 240
    elsewhere = 0.0

    def __init__(self, rig: Rig) -> None:
        self.version = version("pybullet")
        self._client = client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*rig.gravity, physicsClientId=client)
        self._handles = []
        for body in rig.bodies:
            half = half_extents_of(body)
            shape = pybullet.createCollisionShape(
                **(
                    {"shapeType": pybullet.GEOM_MESH, "vertices": corners_of(body).tolist()}
                    if half is None
                    else {"shapeType": pybullet.GEOM_BOX, "halfExtents": half.tolist()}
                ),
                physicsClientId=client,
            )
            mass = 0.0 if body.fixed else body.piece.mass
            handle = pybullet.createMultiBody(mass, shape, -1, *mass_frame_pose(body), physicsClientId=client)
            # a pair has the product
            friction = body.piece.material.friction**0.5
            pybullet.changeDynamics(handle, -1, lateralFriction=friction, physicsClientId=client)
            if body.name in rig.launched:
                pybullet.resetBaseVelocity(handle, rig.launched[body.name], physicsClientId=client)
            self._handles += [] if body.fixed else [handle]

    def run(self, steps: int) -> None:
        """Simulate."""
        for _ in range(steps):
            pybullet.stepSimulation(self._client)

    def places(self) -> NDArray[np.float64]:
        """Returns the centres of mass (n, 3), metres."""
        place = pybullet.getBasePositionAndOrientation
        return np.array([place(handle, self._client)[0] for handle in self._handles])

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        points = pybullet.getContactPoints(physicsClientId=self._client)
        return max((-point[8] for point in points), default=0.0)

    def close(self) -> None:
        """Free the simulator."""
        pybullet.disconnect(self._client)
