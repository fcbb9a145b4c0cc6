"""What turns freely: the torque that Bullet forgets.

Where nothing touches a body its angular momentum is constant, so its spin is not. Bullet takes an implicit step for
that (`computeGyroscopicImpulseImplicit_Body`), which is stable and brakes: a brick at 20 rad/s loses a tenth of its
energy in a second. The torques here lead to the spin with which angular momentum stays what it was, by the implicit
midpoint rule, which keeps the energy too.
"""

from __future__ import annotations

import numpy as np

from teeter.models.piece import Array

SWEEPS = 4
"""Of the fixed point: each gains two digits at 20 rad/s and 240 steps a second."""


def gyroscopic_torques(moments: Array, matrices: Array, spins: Array, step: float) -> Array:
    """Returns the torques (n, 3) to be added during a step of Bullet of so many seconds.

    moments (n, 3): of inertia about the principal axes; matrices (n, 3, 3): those axes, half a step ahead of the spins,
    as Bullet has them; spins (n, 3): rad/s. In any consistent units.
    """
    local = np.einsum("nji,nj->ni", matrices, spins)
    momentum = _turned(moments * local, -0.5 * step * local)
    ahead = local
    for _ in range(SWEEPS):
        half = 0.5 * step * ahead
        ahead = _turned(_turned(momentum, -half) / moments, half)
    missing = moments * (ahead - local - _bullets_change(moments, local, step)) / step
    return np.asarray(np.einsum("nij,nj->ni", matrices, missing))


def _bullets_change(moments: Array, local: Array, step: float) -> Array:
    """Returns by how much Bullet changes the spins (n, 3) of free bodies in a step, in their own axes."""
    turning = moments * local
    jacobian = step * (_crossing(local) * moments[:, None] - _crossing(turning))
    jacobian[:, range(3), range(3)] += moments
    torque = step * _cross(local, turning)
    return np.asarray(-np.linalg.solve(jacobian, torque[..., None])[..., 0])


def _crossing(vectors: Array) -> Array:
    """Returns the matrices (n, 3, 3) that multiply by a cross product with vectors (n, 3)."""
    return np.cross(vectors[:, None], -np.eye(3)[None])


def _cross(first: Array, second: Array) -> Array:
    """Cross products (n, 3) of rows, to the bit those of `np.cross`, which takes eight times as long for a few."""
    return np.asarray(first[:, [1, 2, 0]] * second[:, [2, 0, 1]] - first[:, [2, 0, 1]] * second[:, [1, 2, 0]])


def _turned(vectors: Array, rotations: Array) -> Array:
    """Returns vectors (n, 3) after rotations (n, 3), in radians."""
    angle = np.linalg.norm(rotations, axis=1, keepdims=True)
    axis = rotations / np.maximum(angle, 1e-12)
    along = (axis * vectors).sum(axis=1, keepdims=True) * axis
    return np.asarray(along + np.cos(angle) * (vectors - along) + np.sin(angle) * _cross(axis, vectors))
