"""What impacts sound like, live and in films: modal synthesis, pitched by size and material, as loud as the impulse.

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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.process import suppress_stderr
from engine.record.motion import Impact, impacts_of
from engine.record.reader import Replay
from engine.world import FLOOR, TABLE
from models.piece import Piece

if TYPE_CHECKING:
    from engine.view.video.film import Film

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
MAX_FREQUENCY_HZ = 12_000.0
"""Higher ones are lost on small loudspeakers."""
PEAK = 0.85
"""Of the loudest sample of a film."""
MAX_GAIN = 12.0
"""A film of nothing but gentle impacts is not amplified to a collapse."""
KNEE = 0.5
"""From here on loud impacts are pressed together, so that a collapse does not make all else inaudible."""
STEREO_WIDTH = 0.8
"""How far to a side an impact at the edge of the frame is heard."""
MAX_SOUNDS = 24
"""At once, live; a collapse has hundreds of impacts, and nobody hears them apart."""


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
    long, _, thin = sorted(piece.extents.tolist(), reverse=True)
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
    return _synthesised(piece, 2.0 ** (level / 8), on_table)


@lru_cache(maxsize=512)
def _synthesised(piece: Piece, impulse: float, on_table: bool) -> Samples:
    times = np.arange(round(DURATION_S * RATE)) / RATE
    duration = contact_time(piece, impulse)
    found = np.zeros(len(times))
    for mode in modes_of(piece):
        strength = mode.strength * _excited(mode.frequency, duration)
        found += strength * np.exp(-times / mode.decay) * np.sin(2 * math.pi * mode.frequency * times)
    # the click: air pushed by the stopping surface
    found += 0.5 * np.where(times < duration, np.sin(2 * math.pi * times / duration), 0.0)
    if on_table:
        for frequency, strength, decay in TABLE_MODES:
            found += 0.55 * strength * np.exp(-times / decay) * np.sin(2 * math.pi * frequency * times)
    # neither begin nor end with a step
    found[:4] *= np.linspace(0.0, 1.0, 4)
    found[-480:] *= np.linspace(1.0, 0.0, 480)
    samples = np.asarray(impulse / FULL_SCALE_IMPULSE_NS * found, dtype=np.float32)
    samples.flags.writeable = False
    return samples


def _excited(frequency: float, duration: float) -> float:
    """Returns how much a half sine of force excites a mode: its spectrum, 1 for slow modes."""
    x = 2 * frequency * duration
    if abs(x - 1) < 1e-6:
        return math.pi / 4
    return abs(math.cos(math.pi * x / 2) / (1 - x * x))


def soundtrack(film: Film, replay: Replay, rate: int = RATE) -> Samples:
    """Returns the sound (n, 2) of a film, from -1 to 1, as long as it: every impact at the sample at which its frame is
    seen."""
    bodies = {body.name: body for body in film.bodies}
    found = np.zeros((round(film.seconds * rate), 2), dtype=np.float32)
    begin, end = film.timing.moments[0], film.timing.moments[-1]
    for impact in film_impacts(film, replay):
        body = bodies.get(replay.meta.names[impact.body])
        if body is None or not begin <= impact.seconds <= end:
            continue
        other = replay.meta.names[impact.other] if impact.other >= 0 else ""
        samples = impact_samples(body.piece, impact.impulse, on_table=other in (TABLE, FLOOR))
        at = round(film.screen(impact.seconds) * rate)
        part = samples[: max(len(found) - at, 0)]
        found[at : at + len(part)] += part[:, None] * _panned(film, impact, at / rate)
    return _levelled(found)


def film_impacts(film: Film, replay: Replay) -> tuple[Impact, ...]:
    """Returns the impacts of the recording that a film shows."""
    masses = {body.name: float(body.piece.mass) for body in film.bodies if body.name != TABLE}
    extents = {body.name: body.piece.extents for body in film.bodies}
    names = replay.meta.names
    sizes = np.array([extents.get(name, np.zeros(3)) for name in names]).reshape(-1, 3)
    return impacts_of(replay, film.motion, sizes, [masses.get(name, 0.0) for name in names])


def _panned(film: Film, impact: Impact, seconds: float) -> Samples:
    """Returns how loud an impact is on the left and on the right: where it is in the frame, with constant power."""
    camera = film.shot(min(int(seconds * film.recipe.fps), len(film) - 1)).camera
    right, forward, _ = camera.axes @ np.subtract(impact.place, camera.eye)
    side = right / max(forward, 1e-3) / math.tan(math.radians(camera.fov) / 2)
    aspect = film.recipe.size[0] / film.recipe.size[1]
    angle = (1 + STEREO_WIDTH * max(-1.0, min(1.0, side / aspect))) * math.pi / 4
    return np.array([math.cos(angle), math.sin(angle)], dtype=np.float32)


def _levelled(sound: Samples) -> Samples:
    """Returns the sound normalised: loud impacts pressed together, the loudest at `PEAK`."""
    size = np.abs(sound)
    over = np.maximum(size - KNEE, 0.0)
    sound = np.sign(sound) * np.where(size > KNEE, KNEE + 0.5 * np.log1p(2 * over), size).astype(np.float32)
    loudest = float(np.abs(sound).max(initial=0.0))
    if loudest > 0.0:
        sound = sound * np.float32(min(PEAK / loudest, MAX_GAIN))
    return np.asarray(np.clip(sound, -1.0, 1.0), dtype=np.float32)


class Speaker:
    """Plays samples (n,) from -1 to 1, mono, through OpenAL; silent where there is no device. volume: 0 to 1."""

    def __init__(self, volume: float = 1.0) -> None:
        core.load_prc_file_data("teeter sound", "audio-library-name p3openal_audio")
        with suppress_stderr():
            self._manager = core.AudioManager.create_AudioManager()
        self.volume = volume
        self._playing: list[Any] = []

    @property
    def is_silent(self) -> bool:
        """Returns whether there is no device, or the volume is 0."""
        return self.volume <= 0.0 or not self._manager.is_valid()

    def play(self, samples: Samples, rate: int) -> None:
        """Plays samples once, now. rate: samples a second."""
        self._playing = [sound for sound in self._playing if sound.status() == core.AudioSound.PLAYING]
        if self.is_silent or len(self._playing) >= MAX_SOUNDS or not len(samples):
            return
        wave = np.clip(samples * self.volume, -1.0, 1.0)
        source = core.UserDataAudio(rate, 1, True)
        source.append((wave * 32767.0).astype("<i2").tobytes())
        source.done()
        sound = self._manager.get_sound(source)
        sound.play()
        self._playing.append(sound)

    def step(self) -> None:
        """Keeps sounds going; call it once a frame."""
        self._manager.update()
