"""Between two frames: straight lines for positions, great arcs for orientations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALL_ANGLE = 1e-6
"""Radians, below which the arc is the chord to the last bit and the division by its sine is avoided."""


def between(first: Array, second: Array, share: float) -> Array:
    """Poses (n, 7) at a share from 0 (`first`) to 1 (`second`) of the way, quaternions of unit length.

    A body that is absent (NaN) in the first is absent; one that is absent in the second only stays where it was.
    """
    until = np.where(np.isnan(second), first, second)
    position = first[:, :3] + share * (until[:, :3] - first[:, :3])
    return np.hstack([position, slerp(first[:, 3:], until[:, 3:], share)])


def slerp(first: Array, second: Array, share: float) -> Array:
    """Quaternions (n, 4) on the shorter great arc, at constant angular speed (Shoemake 1985, section 3.3)."""
    a, b = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (first, second))
    b = np.where((a * b).sum(axis=1, keepdims=True) < 0.0, -b, b)
    chord, sum_ = (np.linalg.norm(q, axis=1, keepdims=True) for q in (a - b, a + b))
    angle = 2.0 * np.arctan2(
        chord, sum_
    )  # of the arc, 0 to pi/2; exact where acos would lose half the digits
    is_small = angle < SMALL_ANGLE
    sine = np.where(is_small, 1.0, np.sin(angle))
    left = np.where(is_small, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    right = np.where(is_small, share, np.sin(share * angle) / sine)
    mixed = left * a + right * b
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
