"""The light pieces stand in, and what each quality level spends on it.

One warm sun with a soft shadow, a pale sky, a warm bounce from the table. A white matte surface that faces the sun
comes out just below white.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Triple = tuple[float, float, float]
Quality = Literal["low", "medium", "high"]

# towards the sun, before it is made a unit: in front on the left, high enough for short shadows
_SUN = (-0.42, -0.55, 0.85)
SUN: Triple = tuple(part / math.hypot(*_SUN) for part in _SUN)  # type: ignore[assignment]
SUN_LIGHT: Triple = (3.45, 3.22, 2.95)
SKY_LIGHT: Triple = (0.50, 0.52, 0.55)
GROUND_LIGHT: Triple = (0.33, 0.28, 0.245)
# width of a shadow's soft edge, as a fraction of the height of what is shown
PENUMBRA = 0.016
# how far surfaces darken each other, as a fraction of the radius of what is shown
OCCLUSION_REACH = 0.22


def sun_axes() -> NDArray[np.float64]:
    """Returns (3, 3): right, forward and up of a camera at the sun, as rows."""
    forward = -np.array(SUN)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.array([right, forward, np.cross(right, forward)])


@dataclass(frozen=True, slots=True)
class QualityLevel:
    """What a quality level spends.

    shadow: side of the shadow map in texels. taps: of the shadow filter, a square number or 5. samples: per pixel
    (multisampling). occlusion: taps of the ambient occlusion, 0 for none. coarse: pixels of the picture that one of
    the occlusion covers, along each side. anisotropy: of decals; above 1 it is expensive without a graphics card.
    smooth_edges: edges are smoothed along their lines instead of multisampled.
    """

    shadow: int
    taps: int
    samples: int
    occlusion: int
    coarse: int
    anisotropy: int
    smooth_edges: bool

    @property
    def side(self) -> int:
        """Taps along a side of the shadow filter."""
        return 3 if self.taps == 5 else math.isqrt(self.taps)


QUALITY_LEVELS: dict[Quality, QualityLevel] = {
    "low": QualityLevel(
        shadow=512, taps=4, samples=0, occlusion=0, coarse=3, anisotropy=1, smooth_edges=False
    ),
    "medium": QualityLevel(
        shadow=768, taps=5, samples=0, occlusion=8, coarse=4, anisotropy=1, smooth_edges=True
    ),
    "high": QualityLevel(
        shadow=2048, taps=25, samples=4, occlusion=24, coarse=2, anisotropy=4, smooth_edges=False
    ),
}
