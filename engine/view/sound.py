"""What blows sound like: modal synthesis, pitched by size and material, as loud as the impulse. No sound library.

A struck piece rings in its modes; each is a damped sine. The lowest comes from bending, f = 1.028 h / L^2 sqrt(E/rho)
for a free bar (Euler and Bernoulli), which for stubby pieces is capped by half the travel of sound along it; the others
stand to it as a free bar's do (1 : 2.756 : 5.404 : 8.933). A blow lasts T = 2.87 (m^2 / (R E^2 v))^(1/5) (Hertz 1881);
modes faster than that are hardly excited. Wood takes up about a fiftieth of a swing's energy in a radian, card a fifth.
What is struck on the table also knocks on it: that is the thud below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.piece import Piece

Samples = NDArray[np.float32]

RATE = 48_000
RATIOS = (1.0, 2.756, 5.404, 8.933)
"""Of the modes of a free bar."""
LONGEST = 0.45
"""Seconds after which nothing is heard of a blow."""
LOUD = 0.02
"""Newton seconds that give a peak of about 1."""
TABLE_MODES = ((96.0, 0.8, 0.055), (171.0, 1.0, 0.045), (262.0, 0.7, 0.035), (418.0, 0.4, 0.022))
"""Of a table top: hertz, strength, seconds to fall to 1/e."""
HIGHEST = 12_000.0
"""Hertz: above that a small loudspeaker, and an ear, makes nothing of it."""


@dataclass(frozen=True, slots=True)
class Substance:
    """How a material swings. stiffness: pascal, along the grain as a bar bends; loss: part of a swing's energy taken
    up in a radian; hardness: pascal, across, where two surfaces meet."""

    stiffness: float
    loss: float
    hardness: float


WOOD = Substance(stiffness=11.0e9, loss=0.030, hardness=0.9e9)
CARD = Substance(stiffness=2.0e9, loss=0.20, hardness=0.15e9)


@dataclass(frozen=True, slots=True)
class Mode:
    """A damped sine. frequency: hertz. decay: seconds to fall to 1/e. strength: of the swing, before the blow's."""

    frequency: float
    decay: float
    strength: float


def substance_of(piece: Piece) -> Substance:
    """Card is matte, everything else is wood."""
    return CARD if piece.material.finish == "matte" else WOOD


def modes_of(piece: Piece) -> tuple[Mode, ...]:
    """How a piece rings: lower for longer, thinner, heavier and softer ones."""
    long, _, thin = sorted((float(side) for side in piece.extents), reverse=True)
    substance = substance_of(piece)
    density = max(piece.mass / max(float(np.prod(piece.extents)), 1e-12), 50.0)
    speed = math.sqrt(substance.stiffness / density)
    bending = 1.028 * thin / long**2 * speed
    # a stubby piece does not bend; what is heard of it is mostly how it rocks on its contact, far below its own modes
    stubby = 0.055 * speed / long
    lowest = 1.0 / math.hypot(1.0 / bending, 1.0 / stubby)
    found = []
    for number, ratio in enumerate(RATIOS):
        frequency = lowest * ratio
        if frequency < HIGHEST:
            decay = 1.0 / (math.pi * frequency * substance.loss)
            found.append(Mode(frequency, min(decay, 0.12), 0.8**number))
    return tuple(found) or (Mode(HIGHEST, 0.002, 1.0),)


def lasting(piece: Piece, impulse: float) -> float:
    """Seconds that a blow lasts, by Hertz, as of a corner rounded by a twelfth of the piece's smallest side."""
    radius = max(float(piece.extents.min()) / 12, 2e-4)
    speed = max(impulse / max(piece.mass, 1e-6), 1e-3)
    hardness = substance_of(piece).hardness
    return 2.87 * float((piece.mass**2 / (radius * hardness**2 * speed)) ** 0.2)


def struck(piece: Piece, impulse: float, *, on_table: bool = False) -> Samples:
    """The sound (n,) of a piece that is struck with an impulse in newton seconds, at `RATE`; 1 is loud.

    on_table: the table is what struck it, and sounds too. The same blow always sounds the same.
    """
    # blows that differ by less than can be heard share their samples
    level = round(8 * math.log2(max(impulse, 1e-6)))
    extents = tuple(round(float(side), 4) for side in sorted(piece.extents))
    return _sound(_Key(extents, round(piece.mass, 4), substance_of(piece) is CARD, level, on_table), piece)


@dataclass(frozen=True, slots=True)
class _Key:
    extents: tuple[float, ...]
    mass: float
    is_card: bool
    level: int
    on_table: bool


_made: dict[_Key, Samples] = {}
MOST_KEPT = 512
"""Sounds that are remembered."""


def _sound(key: _Key, piece: Piece) -> Samples:
    if key not in _made:
        if len(_made) >= MOST_KEPT:
            _made.clear()
        samples = _synthesised(piece, 2.0 ** (key.level / 8), key.on_table)
        samples.flags.writeable = False
        _made[key] = samples
    return _made[key]


def _synthesised(piece: Piece, impulse: float, on_table: bool) -> Samples:
    times = np.arange(round(LONGEST * RATE)) / RATE
    blow = lasting(piece, impulse)
    found = np.zeros(len(times))
    for mode in modes_of(piece):
        phase = 2 * math.pi * mode.frequency * times
        found += mode.strength * _excited(mode.frequency, blow) * np.exp(-times / mode.decay) * np.sin(phase)
    # the click: the air that the stopping surface pushes
    found += 0.5 * np.where(times < blow, np.sin(2 * math.pi * times / blow), 0.0)
    if on_table:
        knock = np.zeros(len(times))
        for frequency, strength, decay in TABLE_MODES:
            knock += strength * np.exp(-times / decay) * np.sin(2 * math.pi * frequency * times)
        found += 0.55 * knock
    # a blow does not begin between two samples, and does not end with a step
    found[:4] *= np.linspace(0.0, 1.0, 4)
    found[-480:] *= np.linspace(1.0, 0.0, 480)
    return np.asarray(impulse / LOUD * found, dtype=np.float32)


@lru_cache(maxsize=4096)
def _excited(frequency: float, blow: float) -> float:
    """How much of a mode a half sine of a force excites: its spectrum, 1 for slow modes."""
    x = 2 * frequency * blow
    if abs(x - 1) < 1e-6:
        return math.pi / 4
    return abs(math.cos(math.pi * x / 2) / (1 - x * x))
