"""Vectors of three in plain arithmetic: for a few of them numpy takes ten times as long."""

from __future__ import annotations

import math

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


def dot(one: Vector, other: Vector) -> float:
    """Returns the scalar product."""
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def cross(one: Vector, other: Vector) -> Vector:
    """Returns the cross product."""
    (a, b, c), (x, y, z) = one, other
    return b * z - c * y, c * x - a * z, a * y - b * x


def plus(one: Vector, other: Vector, times: float = 1.0) -> Vector:
    """Returns one vector and so many times another."""
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2]


def scaled(vector: Vector, times: float) -> Vector:
    """Returns so many times a vector."""
    return times * vector[0], times * vector[1], times * vector[2]


def inverse(quaternion: Quaternion) -> Quaternion:
    """Returns the rotation back, of a unit quaternion xyzw."""
    x, y, z, w = quaternion
    return -x, -y, -z, w


def after(one: Quaternion, other: Quaternion) -> Quaternion:
    """Returns the rotation by a unit quaternion xyzw, and then by one, with w >= 0."""
    (x, y, z, w), (a, b, c, d) = one, other
    real = w * d - x * a - y * b - z * c
    sign = math.copysign(1.0, real)
    return (
        sign * (w * a + x * d + y * c - z * b),
        sign * (w * b - x * c + y * d + z * a),
        sign * (w * c + x * b - y * a + z * d),
        sign * real,
    )


def rotated(vector: Vector, quaternion: Quaternion) -> Vector:
    """Returns a vector after the rotation of a unit quaternion xyzw."""
    axis, scalar = quaternion[:3], quaternion[3]
    across = cross(axis, vector)
    again = cross(axis, across)
    return (
        vector[0] + 2.0 * (scalar * across[0] + again[0]),
        vector[1] + 2.0 * (scalar * across[1] + again[1]),
        vector[2] + 2.0 * (scalar * across[2] + again[2]),
    )


def turned(vector: Vector, spin: Vector, time: float) -> Vector:
    """Returns a vector after it turned with a spin, rad/s, for a time."""
    speed = math.sqrt(dot(spin, spin))
    if not speed:
        return vector
    half = 0.5 * speed * time
    share = math.sin(half) / speed
    return rotated(vector, (share * spin[0], share * spin[1], share * spin[2], math.cos(half)))


def nudged(quaternion: Quaternion, rotation: Vector) -> Quaternion:
    """Returns a quaternion xyzw after a small rotation, radians in the world; normalised. To the bit what
    `rotation.nudged` says."""
    (x, y, z, w), (a, b, c) = quaternion, scaled(rotation, 0.5)
    i, j, k = x + a * w + b * z - c * y, y + b * w + c * x - a * z, z + c * w + a * y - b * x
    real = w - a * x - b * y - c * z
    size = math.sqrt(i * i + j * j + k * k + real * real)
    return i / size, j / size, k / size, real / size
