"""Drake: compliant hydroelastic contact, which spreads over the whole face."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pydrake.all as drake
from numpy.typing import NDArray
from peer_runner import Rig, Runner, corners_of, half_extents_of, mass_frame_pose

from teeter.engine.world.body import Body, typical_size

MODULUS = 1e7
"""Pascal, as in Drake's examples of hard things; with a tenth of it pieces sink ten times as deep."""


class DrakeRunner(Runner):
    """Drake's multibody plant at a thousand steps a second, its default."""

    def __init__(self, rig: Rig) -> None:
        self.version = version("drake")
        builder = drake.DiagramBuilder()
        config = drake.MultibodyPlantConfig(time_step=0.001, contact_model="hydroelastic_with_fallback")
        self.rate = 1000
        self.settings = f"hydroelastic {MODULUS:g} Pa, {config.discrete_contact_approximation}, 1000 steps/s"
        plant, _ = drake.AddMultibodyPlant(config, builder)
        hint = typical_size(rig.bodies)
        self._links = [_put(plant, body, hint) for body in rig.bodies]
        plant.mutable_gravity_field().set_gravity_vector(rig.gravity)
        plant.Finalize()
        diagram = builder.Build()
        self._simulator = drake.Simulator(diagram)
        self._plant = plant
        self._context = plant.GetMyMutableContextFromRoot(self._simulator.get_mutable_context())
        for link, body in zip(self._links, rig.bodies, strict=True):
            if link is None:
                continue
            place, (x, y, z, w) = mass_frame_pose(body)
            pose = drake.RigidTransform(drake.RotationMatrix(drake.Quaternion([w, x, y, z])), place)
            plant.SetFreeBodyPose(self._context, link, pose)
            speed = rig.launched.get(body.name, (0.0, 0.0, 0.0))
            velocity = drake.SpatialVelocity(np.zeros(3), speed)
            plant.SetFreeBodySpatialVelocity(context=self._context, body=link, V_JpJc=velocity)
        self._simulator.Initialize()

    def run(self, steps: int) -> None:
        """Simulate."""
        self._simulator.AdvanceTo(self._simulator.get_context().get_time() + steps / self.rate)

    def places(self) -> NDArray[np.float64]:
        """Returns the centres of mass (n, 3), metres."""
        links = [link for link in self._links if link is not None]
        return np.array(
            [self._plant.EvalBodyPoseInWorld(self._context, link).translation() for link in links]
        )

    def penetration(self) -> float:
        """Returns zero: in this model faces share a volume everywhere, and the sinking tells how deep."""
        return 0.0


def _put(plant: Any, body: Body, hint: float) -> Any:
    """Adds a body, fixed ones to the world; returns its link, None for fixed ones."""
    half = half_extents_of(body)
    shape = drake.Box(*(2.0 * half)) if half is not None else drake.Convex(corners_of(body).T, body.name)
    surface = drake.ProximityProperties()
    drake.AddCompliantHydroelasticProperties(hint, MODULUS, surface)
    friction = body.piece.material.friction
    drake.AddContactMaterial(properties=surface, friction=drake.CoulombFriction(friction, friction))
    if body.fixed:
        place, (x, y, z, w) = mass_frame_pose(body)
        pose = drake.RigidTransform(drake.RotationMatrix(drake.Quaternion([w, x, y, z])), place)
        plant.RegisterCollisionGeometry(plant.world_body(), pose, shape, body.name, surface)
        return None
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (body.piece.inertia / body.piece.mass).tolist()
    inertia = drake.SpatialInertia(body.piece.mass, np.zeros(3), drake.UnitInertia(xx, yy, zz, xy, xz, yz))
    link = plant.AddRigidBody(body.name, inertia)
    plant.RegisterCollisionGeometry(link, drake.RigidTransform(), shape, body.name, surface)
    return link
