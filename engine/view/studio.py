"""The room pieces are shown in: one warm sun with a soft shadow, a pale sky, a warm bounce from the table.

A white matte surface that faces the sun comes out just below white.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Triple = tuple[float, float, float]

# towards the sun, before it is made a unit: in front on the left, high enough for short shadows
_SUN = (-0.42, -0.55, 0.85)
SUN: Triple = tuple(part / math.hypot(*_SUN) for part in _SUN)  # type: ignore[assignment]
SUN_LIGHT: Triple = (3.45, 3.22, 2.95)
SKY_LIGHT: Triple = (0.50, 0.52, 0.55)
GROUND_LIGHT: Triple = (0.33, 0.28, 0.245)
# part of the height of what is shown that is the width of a shadow's soft edge
PENUMBRA = 0.016
# part of its radius within which surfaces darken each other
OCCLUSION_REACH = 0.22


def sun_axes() -> NDArray[np.float64]:
    """(3, 3): right, forward and up of the sun's eye as rows."""
    forward = -np.array(SUN)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.array([right, forward, np.cross(right, forward)])
