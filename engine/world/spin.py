"""What turns freely: the torque that Bullet forgets.

Where nothing touches a body its angular momentum is constant, so its spin is not. Bullet takes an implicit step for
that (`computeGyroscopicImpulseImplicit_Body`), which is stable and brakes: a brick at 20 rad/s loses a tenth of its
energy in a second. The torques here lead to the spin with which angular momentum stays what it was, by the implicit
midpoint rule, which keeps the energy too.

Plain arithmetic on purpose: a few bodies fly at a time, and arrays of three cost ten times as much.
"""

from __future__ import annotations

from teeter.engine.geometry.vectors import Quaternion, Vector, cross, dot, inverse, rotated, turned

SWEEPS = 4
"""Of the fixed point: each gains two digits at 20 rad/s and 240 steps a second."""
BRAKED = 0.05
"""Of spin^2 times a step, rad^2/s: what turns slower than that (3.5 rad/s at 240 steps a second) Bullet brakes by less
than 1 % of its energy in a second."""


def is_braked(spin: Vector, step: float) -> bool:
    """Returns whether a body with a spin, rad/s, needs the torques here."""
    return dot(spin, spin) * step > BRAKED


def gyroscopic_torque(moments: Vector, orientation: Quaternion, spin: Vector, step: float) -> Vector:
    """Returns the torque to be added during a step of Bullet of so many seconds.

    moments: of inertia about the principal axes; orientation: quaternion of those axes, half a step ahead of the spin,
    as Bullet has it; spin: rad/s. In any consistent units.
    """
    local, half = rotated(spin, inverse(orientation)), 0.5 * step
    (i, j, k), (x, y, z) = moments, local
    momentum = turned((i * x, j * y, k * z), local, -half)
    ahead = local
    for _ in range(SWEEPS):
        a, b, c = turned(momentum, ahead, -half)
        ahead = turned((a / i, b / j, c / k), ahead, half)
    (a, b, c), (p, q, r) = ahead, _bullets_change(moments, local, step)
    missing = i * (a - x - p) / step, j * (b - y - q) / step, k * (c - z - r) / step
    return rotated(missing, orientation)


def _bullets_change(moments: Vector, local: Vector, step: float) -> Vector:
    """Returns by how much Bullet changes the spin of a free body in a step, in its own axes."""
    (i, j, k), (x, y, z) = moments, local
    turning = a, b, c = i * x, j * y, k * z
    # columns of the Jacobian, and Cramer's rule
    first = (i, step * (i * z - c), step * (b - i * y))
    second = (step * (c - j * z), j, step * (j * x - a))
    third = (step * (k * y - b), step * (a - k * x), k)
    torque = cross(local, turning)
    normal = cross(second, third)
    share = -step / dot(first, normal)
    return (
        share * dot(torque, normal),
        share * dot(torque, cross(third, first)),
        share * dot(torque, cross(first, second)),
    )
