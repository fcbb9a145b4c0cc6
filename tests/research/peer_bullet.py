"""Bullet as pybullet's users meet it."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from peer_runner import Rig, Runner, corners_of, half_extents_of, mass_frame_pose
from pybullet_utils import bullet_client


class BulletAsItComes(Runner):
    """Bullet with what pybullet sets: multibodies, 240 steps a second, 50 iterations."""

    settings = "createMultiBody, 240 steps/s, 50 iterations"
    rate = 240

    def __init__(self, rig: Rig) -> None:
        self.version = version("pybullet")
        self._client = bullet = bullet_client.BulletClient(bullet_client.pybullet.DIRECT)
        bullet.setGravity(*rig.gravity)
        self._handles = []
        for body in rig.bodies:
            half = half_extents_of(body)
            shape = (
                bullet.createCollisionShape(bullet.GEOM_MESH, vertices=corners_of(body).tolist())
                if half is None
                else bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half.tolist())
            )
            mass = 0.0 if body.fixed else body.piece.mass
            handle = bullet.createMultiBody(mass, shape, -1, *mass_frame_pose(body))
            # a pair has the product
            bullet.changeDynamics(handle, -1, lateralFriction=body.piece.material.friction**0.5)
            if body.name in rig.launched:
                bullet.resetBaseVelocity(handle, rig.launched[body.name])
            self._handles += [] if body.fixed else [handle]

    def run(self, steps: int) -> None:
        """Simulate."""
        step = self._client.stepSimulation
        for _ in range(steps):
            step()

    def places(self) -> NDArray[np.float64]:
        """Returns the centres of mass (n, 3), metres."""
        place = self._client.getBasePositionAndOrientation
        return np.array([place(handle)[0] for handle in self._handles])

    def penetration(self) -> float:
        """Returns the deepest contact, metres."""
        return max((-point[8] for point in self._client.getContactPoints()), default=0.0)

    def close(self) -> None:
        """Free the simulator."""
        self._client.disconnect()
