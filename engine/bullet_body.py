"""Bodies, contacts and settings as Bullet has them: piece frame and SI here, mass frame and scaled units there. No
simulator is loaded here.

A pair's friction and restitution are the *product* of the bodies' values in Bullet, so each gets the square root, and
the pair the geometric mean of `models.material.pair_friction`. A pair adds dampings and puts stiffnesses in series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bullet_urdf import mass_frame
from engine.geometry.rotation import matrix_of, nudged, quaternion_of
from engine.pose import Pose
from engine.settings import Tuning
from engine.world import Body, Contact, Scale, Vector
from models.piece import Piece

Array = NDArray[np.float64]


class BulletBody:
    """A body in Bullet. handle: Bullet's number for it, -1 until it is in. centre (3,), axes (3, 3): the mass frame in
    the piece frame; is_plain: the two are the same. radius: metres, bounds the piece around its centre of mass."""

    __slots__ = ("axes", "body", "centre", "handle", "is_plain", "radius", "scale")

    def __init__(self, body: Body, scale: Scale) -> None:
        frame = mass_frame(body.piece)
        self.body = body
        self.handle = -1
        self.scale = scale
        self.centre = frame.centre
        self.axes = frame.axes
        self.is_plain = bool(np.array_equal(frame.axes, np.eye(3)) and not frame.centre.any())
        # the half diagonal of the bounding box bounds every point; the centre of mass may lie off its middle
        self.radius = float(np.linalg.norm(body.piece.extents) / 2 + np.linalg.norm(frame.centre))

    def inwards(self, pose: Pose) -> tuple[list[float], tuple[float, ...]]:
        """Position (units) and quaternion of the mass frame for a pose of the piece frame."""
        if self.is_plain:
            return [value / self.scale.length for value in pose.position], pose.orientation
        centre = pose.apply(self.centre) / self.scale.length
        return [float(value) for value in centre], quaternion_of(pose.matrix @ self.axes)


def outwards(
    bodies: Sequence[BulletBody], states: Sequence[tuple[Any, Any]], scale: Scale
) -> tuple[Array, Array, Array, Array]:
    """Returns positions (n, 3) and quaternions (n, 4) of the piece frames, velocities of the centres of mass (n, 3)
    and angular velocities (n, 3), in SI.

    states: what Bullet says of each mass frame, ((position, quaternion), (velocity, spin)). Moved back by half a step,
    because Bullet's positions run half a step ahead of its velocities (position Verlet).
    """
    half = 0.5 / scale.rate
    positions = np.array([place[0] for place, _ in states]).reshape(-1, 3)
    quaternions = np.array([place[1] for place, _ in states]).reshape(-1, 4)
    velocities = np.array([motion[0] for _, motion in states]).reshape(-1, 3) * scale.length
    spins = np.array([motion[1] for _, motion in states]).reshape(-1, 3)
    positions = positions * scale.length - half * velocities
    quaternions = nudged(quaternions, -half * spins)
    for row, item in enumerate(bodies):
        if not item.is_plain:
            x, y, z, w = quaternions[row]
            matrix = matrix_of((x, y, z, w)) @ item.axes.T
            positions[row] -= matrix @ item.centre
            quaternions[row] = quaternion_of(matrix)
    return positions, quaternions, velocities, spins


def contact_of(point: Sequence[Any], names: Mapping[int, str], scale: Scale, with_friction: bool) -> Contact:
    """Returns a contact point as Bullet reports it, in SI and with the bodies in order of their names.

    Plain arithmetic on purpose: play reads dozens of points every step, and arrays of three cost ten times as much.
    """
    first, second = names[point[1]], names[point[2]]
    unit = scale.mass * scale.length
    sign = 1.0 if first < second else -1.0
    friction: Vector | None = None
    if with_friction:
        # two forces along two directions, acting on Bullet's first body
        one, two, along, across = sign * unit * point[10], sign * unit * point[12], point[11], point[13]
        friction = (
            one * along[0] + two * across[0],
            one * along[1] + two * across[1],
            one * along[2] + two * across[2],
        )
    half, (ax, ay, az), (bx, by, bz), (nx, ny, nz) = 0.5 * scale.length, point[5], point[6], point[7]
    return Contact(
        min(first, second),
        max(first, second),
        (half * (ax + bx), half * (ay + by), half * (az + bz)),
        (sign * nx, sign * ny, sign * nz),
        point[8] * scale.length,
        point[9] * unit,
        friction,
    )


def solver_settings(tuning: Tuning, scale: Scale) -> dict[str, float]:
    """For `setPhysicsEngineParameter`."""
    return {
        "fixedTimeStep": 1.0 / scale.rate,
        "numSolverIterations": tuning.iterations,
        "numSubSteps": 0,
        "useSplitImpulse": int(tuning.split_impulse),
        "splitImpulsePenetrationThreshold": 0.0,
        "warmStartingFactor": tuning.warm_start,
        "frictionERP": tuning.friction_erp,
        "contactSlop": tuning.slop,
        "contactBreakingThreshold": tuning.breaking_threshold,
        "restitutionVelocityThreshold": tuning.restitution_speed / scale.length,
        "solverResidualThreshold": 1e-14,
        "deterministicOverlappingPairs": 1,
        "enableConeFriction": 1,
        "enableFileCaching": 0,
    }


def surface_settings(tuning: Tuning, rate: int, piece: Piece, is_fixed: bool) -> dict[str, float]:
    """For `changeDynamics`: friction, restitution, compliance; and that nothing damps a body in flight. rate: steps a
    second."""
    is_ball = any(part.kind == "sphere" for part in piece.parts)
    compliance: dict[str, float] = {}
    if not tuning.rigid:
        damping = tuning.damping * rate
        # a pair's stiffnesses in series and its dampings together: hence the four
        compliance = {
            "contactDamping": damping,
            "contactStiffness": 4.0 * damping * rate / tuning.relaxation,
        }
    return {
        "lateralFriction": piece.material.friction**0.5,
        "restitution": piece.material.restitution**0.5,
        "rollingFriction": tuning.rolling_ball if is_ball else 0.0,
        "spinningFriction": 0.0,
        "linearDamping": 0.0,
        "angularDamping": 0.0,
        # one of a pair is enough for an anchor, and a ball must not be anchored to the table
        "frictionAnchor": int(tuning.friction_anchor and not is_ball and not is_fixed),
        **compliance,
    }
