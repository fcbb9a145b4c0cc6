"""Rotations: matrices, unit quaternions xyzw, and what lies between two of them. Radians throughout."""

from __future__ import annotations

import math

import numpy as np

from teeter.engine.geometry.vectors import cross
from teeter.models.piece import Array as Array

SMALL_ANGLE = 1e-6
"""Radians, below which the arc is the chord to the last bit and the division by its sine is avoided."""
ANTIPARALLEL = -1.0 + 1e-9
"""Cosine below which two directions count as opposite: 1 + cosine, by which one divides, has lost half its digits."""


def matrix_of(quaternion: tuple[float, float, float, float]) -> Array:
    """Returns the rotation matrix (3, 3) of a quaternion xyzw; it need not be normalised."""
    x, y, z, w = quaternion
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def matrices_of(quaternions: Array) -> Array:
    """Returns the rotation matrices (n, 3, 3) of unit quaternions xyzw (n, 4)."""
    both = quaternions.T.take(_FACTORS, axis=0)
    # each entry is twice the sum of two products, those of the diagonal that from 1
    matrices = both[0] * both[1]
    matrices += _SIGNS * (both[2] * both[3])
    matrices *= 2.0
    matrices[::4] = 1.0 - matrices[::4]
    return np.asarray(matrices.reshape(3, 3, len(quaternions)).transpose(2, 0, 1))


_FACTORS = np.array(
    [
        [1, 0, 0, 0, 0, 1, 0, 1, 0],
        [1, 1, 2, 1, 0, 2, 2, 2, 0],
        [2, 2, 1, 2, 2, 0, 1, 0, 1],
        [2, 3, 3, 3, 2, 3, 3, 3, 1],
    ]
)
"""Of the nine entries of a matrix, row by row: the components of the quaternion in their two products."""
_SIGNS = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0])[:, None]
"""Of the second product."""


def rotated(poses: Array, points: Array) -> Array:
    """Returns points (n, k, 3) rotated by the orientations of poses (n, 7), unit quaternions."""
    return np.asarray(points @ matrices_of(poses[:, 3:]).transpose(0, 2, 1))


def quaternion_of(matrix: Array) -> tuple[float, float, float, float]:
    """Returns the unit quaternion xyzw of a rotation matrix (3, 3), w >= 0 (Shepperd 1978: the largest term first)."""
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
    """Returns the quaternion xyzw of rotations about the fixed x, y, z axes, in this order (URDF's rpy); radians."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def rpy_of(m: Array) -> tuple[float, float, float]:
    """Returns the roll, pitch and yaw in radians of a rotation matrix (3, 3); see `quaternion_of_rpy`."""
    level = float(np.hypot(m[0, 0], m[1, 0]))
    pitch = float(np.arctan2(-m[2, 0], level))
    if level > 1e-12:
        return float(np.arctan2(m[2, 1], m[2, 2])), pitch, float(np.arctan2(m[1, 0], m[0, 0]))
    return 0.0, pitch, float(np.arctan2(-m[0, 1], m[1, 1]))


def rotation_vector(
    first: tuple[float, float, float, float], second: tuple[float, float, float, float]
) -> tuple[float, float, float]:
    """Returns axis times angle, radians in the world, of the rotation from one unit quaternion to the other, the
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
    """Returns the angle in radians of the rotation from one unit quaternion to the other, 0 to pi."""
    a, b, c, d = second
    chords = (math.dist(first, second), math.dist(first, (-a, -b, -c, -d)))
    # the half-angle's sine and cosine, in the order that takes the shorter way round (q and -q are one
    # rotation); atan2 stays exact for tiny angles, where acos would lose half the digits
    return 4.0 * math.atan2(min(chords), max(chords))


def angles_between(first: Array, second: Array) -> Array:
    """Returns the angles (...) in radians between unit quaternions (..., 4), row by row; exact for tiny ones."""
    chords = lengths(first - second), lengths(first + second)
    return np.asarray(4.0 * np.arctan2(np.minimum(*chords), np.maximum(*chords)))


def shortest_rotation(first: Array, second: Array) -> Array:
    """Returns the rotation (3, 3) by the smallest angle from one unit vector to another (Rodrigues).

    Opposite vectors, between which every half turn is as short, get the half turn about the axis that is most across
    them: x for z and -z.
    """
    cosine = float(first @ second)
    if cosine < ANTIPARALLEL:
        axis = np.eye(3)[int(np.argmin(np.abs(first)))]
        axis = axis - (axis @ first) * first
        # + 0.0: no negative zeros
        return np.asarray(2.0 * np.outer(axis, axis) / (axis @ axis) - np.eye(3) + 0.0)
    x, y, z = cross((*first.tolist(),), (*second.tolist(),))
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1.0 + cosine))


def continuous(turns: Array) -> Array:
    """Returns quaternions (n, 4) of unit length, each on the side of the one before it."""
    turns = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(turns * np.cumprod(np.concatenate([[1.0], flips]))[:, None])


def slerp(first: Array, second: Array, share: float | Array) -> Array:
    """Returns quaternions (n, 4) on the shorter great arc, at constant angular speed (Shoemake 1985, section 3.3).

    share: from 0 (`first`) to 1 (`second`), one for all rows or one per row (n, 1). `first` and `second` broadcast.
    """
    a, b = first / _length(first), second / _length(second)
    b = np.where((a * b).sum(axis=1, keepdims=True) < 0.0, -b, b)
    chord, sum_ = _length(a - b), _length(a + b)
    angle = 2.0 * np.arctan2(
        chord, sum_
    )  # of the arc, 0 to pi/2; exact where acos would lose half the digits
    is_small = angle < SMALL_ANGLE
    sine = np.where(is_small, 1.0, np.sin(angle))
    left = np.where(is_small, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    right = np.where(is_small, share, np.sin(share * angle) / sine)
    mixed = left * a + right * b
    return np.asarray(mixed / _length(mixed))


def _length(rows: Array) -> Array:
    return lengths(rows)[:, None]


def lengths(rows: Array) -> Array:
    """Returns the lengths (...) of vectors (..., k), in half the time of `numpy.linalg.norm`."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", rows, rows)))


def nudged(quaternion: Array, rotation: Array) -> Array:
    """Returns quaternions xyzw (..., 4) after small rotations (..., 3), vectors in radians in the world; normalised."""
    half = 0.5 * rotation
    one, two, three = (half.take(a, axis=-1) * quaternion.take(b, axis=-1) for a, b in _NUDGES)
    result = quaternion + one * _NUDGE_SIGNS + two * _NUDGE_SIGNS - three
    return np.asarray(result / np.sqrt((result * result).sum(axis=-1, keepdims=True)))


_NUDGES = np.array(
    [[[0, 1, 2, 0], [3, 3, 3, 0]], [[1, 2, 0, 1], [2, 0, 1, 1]], [[2, 0, 1, 2], [1, 2, 0, 2]]],
)
"""Of the three products that each component of a nudged quaternion gains: of the rotation, of the quaternion."""
_NUDGE_SIGNS = np.array([1.0, 1.0, 1.0, -1.0])


def even_directions(count: int) -> Array:
    """Returns unit vectors (count, 3) even over the sphere (a Fibonacci lattice), the last opposite the first."""
    row = np.arange(count) + 0.5
    height, angle = 1.0 - 2.0 * row / count, np.pi * (3.0 - np.sqrt(5.0)) * row
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
