"""Small rotations and even directions, for worlds that nudge what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def turned(quaternion: Array, rotation: Array) -> Array:
    """Quaternions xyzw (..., 4) turned by small rotation vectors (..., 3), radians in the world; normalised."""
    x, y, z, w = (quaternion[..., axis] for axis in range(4))
    a, b, c = (0.5 * rotation[..., axis] for axis in range(3))
    result = np.stack(
        [
            x + a * w + b * z - c * y,
            y + b * w + c * x - a * z,
            z + c * w + a * y - b * x,
            w - a * x - b * y - c * z,
        ],
        axis=-1,
    )
    return np.asarray(result / np.sqrt((result * result).sum(axis=-1, keepdims=True)))


def directions(count: int) -> Array:
    """Unit vectors (count, 3) spread evenly over the sphere (a Fibonacci lattice), the last opposite the first."""
    row = np.arange(count) + 0.5
    height, angle = 1.0 - 2.0 * row / count, np.pi * (3.0 - np.sqrt(5.0)) * row
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
