"""Poses: where a piece frame is in the world. Metres, unit quaternions xyzw, Z up, right-handed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (metres) and orientation (unit quaternion xyzw) of a piece frame in the world."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @property
    def matrix(self) -> Array:
        """The rotation as a (3, 3) matrix: world = matrix @ local + position."""
        return matrix_of(self.orientation)

    @classmethod
    def of(cls, position: Array, matrix: Array) -> Pose:
        """A pose from a (3,) position and a (3, 3) rotation matrix."""
        x, y, z = (float(value) for value in position)
        return cls((x, y, z), quaternion_of(matrix))

    def apply(self, points: Array) -> Array:
        """Points (n, 3) or (3,) of the piece frame, in the world."""
        result: Array = points @ self.matrix.T + np.asarray(self.position)
        return result

    def then(self, outer: Pose) -> Pose:
        """This pose carried along by `outer`: first this, then the outer motion."""
        return Pose.of(outer.apply(np.asarray(self.position)), outer.matrix @ self.matrix)


def matrix_of(quaternion: tuple[float, float, float, float]) -> Array:
    """Rotation matrix (3, 3) of a quaternion xyzw; it need not be normalised."""
    x, y, z, w = quaternion
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def turns_of(quaternions: Array) -> Array:
    """(n, 3, 3) rotations of unit quaternions xyzw (n, 4)."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.asarray(np.moveaxis(np.array(rows), 2, 0))


def turned(poses: Array, points: Array) -> Array:
    """Points (n, k, 3) turned by the orientations of poses (n, 7), unit quaternions."""
    return np.asarray(points @ turns_of(poses[:, 3:]).transpose(0, 2, 1))


def quaternion_of(matrix: Array) -> tuple[float, float, float, float]:
    """Unit quaternion xyzw of a rotation matrix (3, 3), w >= 0 (Shepperd 1978: the largest term first)."""
    m = matrix
    terms = [
        m[0, 0] - m[1, 1] - m[2, 2],
        m[1, 1] - m[0, 0] - m[2, 2],
        m[2, 2] - m[0, 0] - m[1, 1],
        np.trace(m),
    ]
    largest = int(np.argmax(terms))
    if largest == 3:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + terms[3]])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.zeros(4)
        q[i] = 1 + terms[largest]
        q[j] = m[j, i] + m[i, j]
        q[k] = m[k, i] + m[i, k]
        q[3] = m[k, j] - m[j, k]
    q /= math.copysign(float(np.linalg.norm(q)), q[3] if q[3] != 0 else 1.0)
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def quaternion_of_rpy(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Quaternion xyzw of rotations about the fixed x, y, z axes, in this order (URDF's rpy); radians."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def rotation_vector(
    first: tuple[float, float, float, float], second: tuple[float, float, float, float]
) -> tuple[float, float, float]:
    """Axis times angle, radians in the world, of the rotation that leads from one unit quaternion to the other, the
    short way round. Plain arithmetic: a hand asks for it in every step."""
    (x, y, z, w), (a, b, c, d) = first, second
    # second * conjugate(first)
    i, j, k = w * a - x * d + y * c - z * b, w * b - y * d + z * a - x * c, w * c - z * d + x * b - y * a
    sine, cosine = math.hypot(i, j, k), w * d + x * a + y * b + z * c
    if sine == 0.0:
        return 0.0, 0.0, 0.0
    factor = math.copysign(2.0, cosine) * math.atan2(sine, abs(cosine)) / sine
    return factor * i, factor * j, factor * k


def angle_between(
    first: tuple[float, float, float, float], second: tuple[float, float, float, float]
) -> float:
    """The angle in radians of the rotation that leads from one unit quaternion to the other, 0 to pi."""
    a, b, c, d = second
    chords = (math.dist(first, second), math.dist(first, (-a, -b, -c, -d)))
    # the half-angle's sine and cosine, in the order that takes the shorter way round (q and -q are one
    # rotation); atan2 stays exact for tiny angles, where acos would lose half the digits
    return 4.0 * math.atan2(min(chords), max(chords))
