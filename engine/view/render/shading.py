"""How pieces look: the light they stand in, the surfaces they have, and what each quality level spends.

One warm sun with a soft shadow, a pale sky, a warm bounce from the table: white card that faces the sun comes out just
below white. Colours in files are sRGB; light is computed with linear ones. Wood and card are shaded with
tileable noise. No graphics library.
"""

import hashlib
import math
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from teeter.models.piece import Array, Piece

Bytes = NDArray[np.uint8]
Triple = tuple[float, float, float]
Quality = Literal["low", "medium", "high"]
TableTop = Literal["wood", "felt", "linen", "none"]
TABLE_TOPS: tuple[TableTop, ...] = ("wood", "felt", "linen", "none")
"""What lies on the table; `table.frag` knows them by their numbers. none: neither table nor room, but shadows."""
MAX_SIDE_PX = 8192
"""Of a picture."""

# towards the sun, before it is made a unit: in front on the left, high enough for short shadows
_SUN = (-0.42, -0.55, 0.85)
SUN: Triple = tuple(part / math.hypot(*_SUN) for part in _SUN)  # type: ignore[assignment]
SUN_LIGHT: Triple = (3.45, 3.22, 2.95)
SKY_LIGHT: Triple = (0.575, 0.60, 0.645)
GROUND_LIGHT: Triple = (0.43, 0.365, 0.315)
WINDOW: Triple = (-0.549, -0.549, 0.629)
"""Towards the window that polished surfaces mirror: high on the left."""
FLOOR_DEPTH_M = 0.72
"""From the top of the table to the floor of the room."""
# width of a shadow's soft edge, as a fraction of the height of what is shown
PENUMBRA = 0.016
# how far surfaces darken each other, as a fraction of the radius of what is shown
OCCLUSION_REACH = 0.22
# metres from what casts it in which a shadow fades: some thicknesses of a piece
CONTACT_REACH_M = 0.15


def sun_axes() -> Array:
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
        shadow=2048, taps=25, samples=4, occlusion=24, coarse=2, anisotropy=8, smooth_edges=False
    ),
}


TEXTURE_SIDE_PX = 512
# metres that one tile of the fibre texture covers, along and across the grain
FIBRE_TILE = (0.12, 0.04)


@dataclass(frozen=True, slots=True)
class Finish:
    """A kind of surface.

    All 0 to 1. roughness: from mirror to chalk (the alpha of GGX is its square). coat: strength of the clear lacquer.
    grain: how much the wood shows through. fibre: speckle of card. variety: how much pieces differ.
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
MAX_CARD_M = 0.004
"""What of board is not thicker is a card."""
# metres from the heart of the tree at which a piece is cut, min and max: along, sideways, outward
CUT_RANGE = ((-0.5, -0.05, 0.02), (0.5, 0.05, 0.08))


@dataclass(frozen=True, slots=True)
class SurfaceMaterial:
    """The surface of one body. albedo: linear colour. offset: where in the tree the piece was cut, metres. kind: names
    that the shader of pieces asks for: lacquer, worn edges, the edge of a card."""

    albedo: Triple
    finish: Finish
    offset: Triple
    kind: tuple[str, ...]


def srgb_of(colour: str) -> Triple:
    """Returns a colour `#rrggbb` as red, green and blue, 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (red, green, blue)


def linear_of(colour: str) -> Triple:
    """Returns the linear colour of an sRGB colour `#rrggbb` (IEC 61966-2-1)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in srgb_of(colour)
    )
    return (red, green, blue)


def finish_of(piece: Piece) -> Finish:
    """Returns the finish of a piece: card is matte in any colour, wood with a colour is painted."""
    name = piece.material.finish
    return FINISHES["painted" if name == "natural" and piece.colour is not None else name]


def grain_axes(piece: Piece) -> Array:
    """Returns (3, 3): along the grain and two directions across as rows, in the piece frame; right-handed.

    The grain runs along the longest side, as a joiner cuts it. Where that is level the last direction is up: the planks
    of a table lie side by side, whichever way it is longer.
    """
    x, y, z = np.eye(3)
    return np.array(((x, y, z), (y, -x, z), (z, x, y))[int(np.argmax(piece.extents))])


def material_of(piece: Piece, name: str) -> SurfaceMaterial:
    """Returns the material of a piece; `name` seeds what differs between pieces of one kind."""
    finish = finish_of(piece)
    generator = np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    x, y, z = generator.uniform(*CUT_RANGE).tolist()
    is_card = finish.fibre > 0 and float(piece.extents[2]) < MAX_CARD_M
    if is_card:
        # of card it is known how deep below its face a place of its edge lies
        z = 0.0
    shade = 1 + SHADE * finish.variety * generator.uniform(-1, 1)
    warmth = WARMTH * finish.variety * generator.uniform(-1, 1)
    red, green, blue = linear_of(piece.colour or piece.material.colour)
    albedo = (red * (shade + warmth), green * shade, blue * (shade - warmth))
    is_box = len(piece.parts) == 1 and piece.parts[0].half_extents is not None
    kinds = {"COAT": finish.coat > 0, "CARD": is_card, "WORN": is_box and not is_card}
    return SurfaceMaterial(albedo, finish, (x, y, z), tuple(name for name, holds in kinds.items() if holds))


def _noise(generator: np.random.Generator, shape: tuple[int, int], blur: tuple[float, float]) -> Array:
    """Returns (h, w) tileable Gaussian noise, mean 0, deviation 1. blur: pixels along each axis."""
    down, right = (_blurring(side, width) for side, width in zip(shape, blur, strict=True))
    spectrum = np.fft.rfft2(generator.standard_normal(shape)) * down[:, None]
    smooth = np.fft.irfft2(spectrum * right[: spectrum.shape[1]], shape)
    smooth -= smooth.mean()
    return np.asarray(smooth / smooth.std())


def _blurring(side: int, width: float) -> Array:
    """Returns (side,): the spectrum of a Gaussian. width: its deviation, pixels."""
    return np.asarray(np.exp(-2 * (np.pi * np.fft.fftfreq(side) * width) ** 2))


def _bytes(*channels: Array) -> Bytes:
    return np.clip(np.stack(channels, axis=-1) * 255 + 0.5, 0, 255).astype(np.uint8)


@cache
def fibres() -> Bytes:
    """Returns (512, 512, 4), x along the grain: fibre tone, ray flecks, soft figure, speckle of card.

    Flecks are the short dark dashes of beech; 0.5 is neutral for tone, figure and speckle.
    """
    generator = np.random.default_rng(7)
    shape = (TEXTURE_SIDE_PX, TEXTURE_SIDE_PX)
    tone = 0.6 * _noise(generator, shape, (0.7, 22)) + 0.4 * _noise(generator, shape, (2.5, 60))
    dashes = _noise(generator, shape, (1.0, 6.0))
    figure = _noise(generator, shape, (9.0, 70.0))
    speckle = 0.7 * _noise(generator, shape, (0.6, 0.6)) + 0.3 * _noise(generator, shape, (4.0, 4.0))
    flecks = np.clip((dashes - 1.55) * 1.1, 0, 1)
    return _bytes(0.5 + 0.17 * tone, flecks, 0.5 + 0.17 * figure, 0.5 + 0.17 * speckle)


@cache
def rings() -> Bytes:
    """Returns (1, 512, 4): tone across the annual rings of 16 years, 0 early wood to 1 late wood, in every channel.

    A ring begins pale and darkens slowly towards its sharp end; years differ in width and depth.
    """
    generator = np.random.default_rng(11)
    years = generator.uniform(0.6, 1.4, 16)
    edges = np.concatenate([[0.0], np.cumsum(years)]) / years.sum()
    depth = generator.uniform(0.45, 1.0, 16)
    place = (np.arange(TEXTURE_SIDE_PX) + 0.5) / TEXTURE_SIDE_PX
    year = np.searchsorted(edges, place, side="right") - 1
    within = (place - edges[year]) / np.diff(edges)[year]
    tone = depth[year] * within**3
    smooth = np.real(np.fft.ifft(np.fft.fft(tone) * _blurring(TEXTURE_SIDE_PX, 1.6)))[None, :]
    return _bytes(smooth, smooth, smooth, smooth)
