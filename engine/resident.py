"""How a body of ours lies in Bullet: piece frame here, principal mass frame and units of the scale there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import urdf
from engine.pose import Pose, matrix_of, quaternion_of
from engine.rotation import turned
from engine.settings import Scale
from engine.world import Body

Array = NDArray[np.float64]


class Resident:
    """A body in Bullet. handle: Bullet's number for it, -1 until it is in. radius: metres, bounds the piece around
    its centre of mass. is_box: made of boxes alone."""

    __slots__ = ("_axes", "_centre", "_is_plain", "_scale", "body", "handle", "is_box", "radius")

    def __init__(self, body: Body, scale: Scale) -> None:
        frame = urdf.mass_frame(body.piece)
        self.body = body
        self.handle = -1
        self._scale = scale
        self._centre = frame.centre
        self._axes = frame.axes
        self.is_box = all(part.kind == "box" for part in body.piece.parts)
        self._is_plain = bool(np.array_equal(frame.axes, np.eye(3)) and not frame.centre.any())
        # the half diagonal of the bounding box bounds every point; the centre of mass may lie off its middle
        self.radius = float(np.linalg.norm(body.piece.extents) / 2 + np.linalg.norm(frame.centre))

    def inwards(self, pose: Pose) -> tuple[list[float], tuple[float, ...]]:
        """Position (units) and quaternion of the mass frame for a pose of the piece frame."""
        if self._is_plain:
            return [value / self._scale.length for value in pose.position], pose.orientation
        centre = pose.apply(self._centre) / self._scale.length
        return [float(value) for value in centre], quaternion_of(pose.matrix @ self._axes)

    def outwards(
        self, place: tuple[Array, Array], motion: tuple[Array, Array]
    ) -> tuple[Array, Array, Array, Array]:
        """Position and quaternion of the piece frame, velocity of the centre of mass, angular velocity; SI.

        place, motion: what Bullet says of the mass frame. Moved back by half a step, because Bullet's positions run
        half a step ahead of its velocities (position Verlet).
        """
        half = 0.5 / self._scale.rate
        v, w = np.array(motion[0]) * self._scale.length, np.array(motion[1])
        q = turned(np.array(place[1]), -half * w)
        centre = np.array(place[0]) * self._scale.length - half * v
        if self._is_plain:
            return centre, q, v, w
        matrix = matrix_of((q[0], q[1], q[2], q[3])) @ self._axes.T
        return centre - matrix @ self._centre, np.array(quaternion_of(matrix)), v, w
