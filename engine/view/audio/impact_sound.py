"""The sound of impacts: modal synthesis, pitched by size and material, as loud as the impulse. No sound library.

A piece that is hit rings in its vibration modes; each is a damped sine. The lowest comes from bending,
f = 1.028 h / L^2 sqrt(E/rho) for a free bar (Euler and Bernoulli), which for stubby pieces is capped by half the travel
of sound along it; the others have the ratios of a free bar (1 : 2.756 : 5.404 : 8.933). An impact lasts
T = 2.87 (m^2 / (R E^2 v))^(1/5) (Hertz 1881); modes faster than that are hardly excited. Wood takes up about a fiftieth
of the energy of vibration per radian, card a fifth. What lands on the table also makes the table sound.
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
"""Samples a second."""
MODE_RATIOS = (1.0, 2.756, 5.404, 8.933)
"""Frequencies of the modes of a free bar, in multiples of the lowest."""
DURATION_S = 0.45
"""After it nothing is heard of an impact."""
FULL_SCALE_IMPULSE_NS = 0.02
"""The impulse whose peak is about 1."""
TABLE_MODES = ((96.0, 0.8, 0.055), (171.0, 1.0, 0.045), (262.0, 0.7, 0.035), (418.0, 0.4, 0.022))
"""Of a table top: hertz, strength, seconds to fall to 1/e."""
TABLE_PART, CLICK_PART = 0.55, 0.5
"""How loud the table and the click are, beside the piece."""
MAX_FREQUENCY_HZ = 12_000.0
"""Higher ones are lost on small loudspeakers."""
MAX_CACHED = 512
"""Sounds that are remembered."""
_cached: dict[tuple[object, ...], Samples] = {}


@dataclass(frozen=True, slots=True)
class Substance:
    """How a material vibrates.

    stiffness: pascal, along the grain, in bending. loss: fraction of the energy taken up per radian. hardness: pascal,
    across the grain, where two surfaces meet.
    """

    stiffness: float
    loss: float
    hardness: float


WOOD = Substance(stiffness=11.0e9, loss=0.030, hardness=0.9e9)
CARD = Substance(stiffness=2.0e9, loss=0.20, hardness=0.15e9)


@dataclass(frozen=True, slots=True)
class VibrationMode:
    """A damped sine. frequency: hertz. decay: seconds to fall to 1/e. strength: relative, before excitation."""

    frequency: float
    decay: float
    strength: float


def substance_of(piece: Piece) -> Substance:
    """Returns the substance of a piece: card is matte, everything else is wood."""
    return CARD if piece.material.finish == "matte" else WOOD


def modes_of(piece: Piece) -> tuple[VibrationMode, ...]:
    """Returns the modes of a piece: lower for longer, thinner, heavier and softer ones."""
    long, _, thin = sorted((float(side) for side in piece.extents), reverse=True)
    substance = substance_of(piece)
    density = max(piece.mass / max(float(np.prod(piece.extents)), 1e-12), 50.0)
    speed = math.sqrt(substance.stiffness / density)
    bending = 1.028 * thin / long**2 * speed
    # a stubby piece hardly bends; what is heard is mostly its rocking on the contact, far below its own modes
    stubby = 0.055 * speed / long
    lowest = 1.0 / math.hypot(1.0 / bending, 1.0 / stubby)
    found = []
    for number, ratio in enumerate(MODE_RATIOS):
        frequency = lowest * ratio
        if frequency < MAX_FREQUENCY_HZ:
            decay = 1.0 / (math.pi * frequency * substance.loss)
            found.append(VibrationMode(frequency, min(decay, 0.12), 0.8**number))
    return tuple(found) or (VibrationMode(MAX_FREQUENCY_HZ, 0.002, 1.0),)


def contact_time(piece: Piece, impulse: float) -> float:
    """Returns the seconds an impact lasts (Hertz), on a corner rounded by a twelfth of the smallest side."""
    radius = max(float(piece.extents.min()) / 12, 2e-4)
    speed = max(impulse / max(piece.mass, 1e-6), 1e-3)
    hardness = substance_of(piece).hardness
    return 2.87 * float((piece.mass**2 / (radius * hardness**2 * speed)) ** 0.2)


def impact_samples(piece: Piece, impulse: float, *, on_table: bool = False) -> Samples:
    """Returns the sound (n,) of an impact on a piece, at `RATE`; 1 is full scale.

    impulse: newton seconds. on_table: the piece hits the table, which sounds too. The same impact always sounds the
    same.
    """
    # impacts whose difference cannot be heard share their samples
    level = round(8 * math.log2(max(impulse, 1e-6)))
    extents = tuple(round(float(side), 4) for side in sorted(piece.extents))
    key = (extents, round(piece.mass, 4), substance_of(piece) is CARD, level, on_table)
    if key not in _cached:
        if len(_cached) >= MAX_CACHED:
            _cached.clear()
        samples = _synthesised(piece, 2.0 ** (level / 8), on_table)
        samples.flags.writeable = False
        _cached[key] = samples
    return _cached[key]


def partials_of(piece: Piece, duration: float, *, on_table: bool) -> tuple[VibrationMode, ...]:
    """Returns what rings after an impact of so many seconds, as loud as it is excited."""
    found = [
        VibrationMode(mode.frequency, mode.decay, mode.strength * _excited(mode.frequency, duration))
        for mode in modes_of(piece)
    ]
    if on_table:
        found += [VibrationMode(hertz, decay, TABLE_PART * part) for hertz, part, decay in TABLE_MODES]
    return tuple(found)


def _synthesised(piece: Piece, impulse: float, on_table: bool) -> Samples:
    times = np.arange(round(DURATION_S * RATE)) / RATE
    duration = contact_time(piece, impulse)
    found = np.zeros(len(times))
    for mode in partials_of(piece, duration, on_table=on_table):
        phase = 2 * math.pi * mode.frequency * times
        found += mode.strength * np.exp(-times / mode.decay) * np.sin(phase)
    # the click: air pushed by the stopping surface
    found += CLICK_PART * np.where(times < duration, np.sin(2 * math.pi * times / duration), 0.0)
    # neither begin nor end with a step
    found[:4] *= np.linspace(0.0, 1.0, 4)
    found[-480:] *= np.linspace(1.0, 0.0, 480)
    return np.asarray(impulse / FULL_SCALE_IMPULSE_NS * found, dtype=np.float32)


@lru_cache(maxsize=4096)
def _excited(frequency: float, duration: float) -> float:
    """Returns how much a half sine of force excites a mode: its spectrum, 1 for slow modes."""
    x = 2 * frequency * duration
    if abs(x - 1) < 1e-6:
        return math.pi / 4
    return abs(math.cos(math.pi * x / 2) / (1 - x * x))
