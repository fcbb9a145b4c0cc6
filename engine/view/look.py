"""How pieces look: albedo, roughness, coat and grain, read from material and colour. No graphics library.

Colours in files are what people see on a screen (sRGB); light is computed with linear ones.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.piece import Piece

Array = NDArray[np.float64]
Triple = tuple[float, float, float]
Quality = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Finish:
    """A kind of surface.

    All 0 to 1. roughness: from mirror to chalk (the alpha of GGX is its square). coat: strength of the clear
    lacquer above. grain: how much the wood shows through. fibre: speckle of card. variety: how much one piece
    differs from the next.
    """

    roughness: float
    coat: float
    grain: float
    fibre: float
    variety: float


FINISHES = {
    "natural": Finish(roughness=0.55, coat=0.0, grain=1.0, fibre=0.0, variety=1.0),
    "painted": Finish(roughness=0.40, coat=0.8, grain=0.22, fibre=0.0, variety=0.2),
    "matte": Finish(roughness=0.95, coat=0.0, grain=0.0, fibre=1.0, variety=0.2),
}
# how far pieces of one kind differ in lightness and from reddish to greenish, as parts of the albedo
SHADE, WARMTH = 0.10, 0.03
# metres from the heart of the tree at which a piece is cut, least and most: along, sideways, outward
CUT = ((-0.5, -0.05, 0.02), (0.5, 0.05, 0.08))


@dataclass(frozen=True, slots=True)
class Look:
    """The surface of one body. albedo: linear colour. offset: metres, where in the tree the piece was cut."""

    albedo: Triple
    finish: Finish
    offset: Triple


@dataclass(frozen=True, slots=True)
class Level:
    """What a quality level spends.

    shadow: side of the shadow map in texels. taps: of the shadow filter, a square number or 5. samples: of the
    multisampled picture. occlusion: taps of the ambient occlusion, 0 for none. coarse: how many pixels of the
    picture one of the occlusion covers, along each side. slant: samples of what is printed on a face seen at a
    slant; more than one is dear without a graphics card. smooth: edges are smoothed instead of multisampled.
    """

    shadow: int
    taps: int
    samples: int
    occlusion: int
    coarse: int
    slant: int
    smooth: bool

    @property
    def side(self) -> int:
        """Taps of the shadow filter along a side of its square."""
        return 3 if self.taps == 5 else math.isqrt(self.taps)


LEVELS: dict[Quality, Level] = {
    "low": Level(shadow=512, taps=4, samples=0, occlusion=0, coarse=3, slant=1, smooth=False),
    "medium": Level(shadow=768, taps=5, samples=0, occlusion=8, coarse=4, slant=1, smooth=True),
    "high": Level(shadow=2048, taps=25, samples=4, occlusion=24, coarse=2, slant=4, smooth=False),
}


def linear_of(colour: str) -> Triple:
    """Linear light of a colour `#rrggbb` (IEC 61966-2-1)."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (_linear(red), _linear(green), _linear(blue))


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def finish_of(piece: Piece) -> Finish:
    """Card is matte in any colour; a piece of wood that was given a colour is painted."""
    name = piece.material.finish
    return FINISHES["painted" if name == "natural" and piece.colour is not None else name]


def grain_axes(piece: Piece) -> Array:
    """(3, 3): along the grain and two directions across as rows, in the piece frame; right-handed.

    The grain runs along the longest side, as a joiner cuts it.
    """
    return np.roll(np.eye(3), int(np.argmax(piece.extents)), axis=1)


def look_of(piece: Piece, name: str) -> Look:
    """The look of a piece; `name` seeds what differs from one piece of a kind to the next."""
    finish = finish_of(piece)
    draw = np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    x, y, z = draw.uniform(*CUT)
    shade = 1 + SHADE * finish.variety * draw.uniform(-1, 1)
    warmth = WARMTH * finish.variety * draw.uniform(-1, 1)
    red, green, blue = linear_of(piece.colour or piece.material.colour)
    albedo = (red * (shade + warmth), green * shade, blue * (shade - warmth))
    return Look(albedo, finish, (float(x), float(y), float(z)))
