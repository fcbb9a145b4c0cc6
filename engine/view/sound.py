"""What impacts sound like, live and in films: modal synthesis, pitched by size and material, as loud as the impulse.

Both bodies ring in their vibration modes; each is a damped sine. The lowest of a piece comes from bending,
f = 1.028 h / L^2 sqrt(E/rho) for a free bar (Euler and Bernoulli), which for stubby pieces is capped by a part of the
travel of sound along it; a slender bar has the ratios of a free bar above it (1 : 2.756 : 5.404 : 8.933), a stubby
piece closer ones. An impact lasts T = 2.87 (m^2 / (R E^2 v))^(1/5) (Hertz 1881); modes faster than that are hardly
excited, so a gentle blow is duller than a hard one. Wood takes up about a hundredth of the energy of vibration per
radian, card a fifth. A click of noise begins it, table and floor have modes of their own, and a small room answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from teeter.engine.process import suppress_stderr
from teeter.engine.view.camera import Camera, Vector
from teeter.engine.world.body import FLOOR, TABLE
from teeter.models.piece import Piece

if TYPE_CHECKING:
    from teeter.engine.record.motion import Impact
    from teeter.engine.record.reader import Replay
    from teeter.engine.view.video.film import Film

Samples = NDArray[np.float32]

RATE = 48_000
"""Samples a second."""
BAR_RATIOS, BLOCK_RATIOS = (1.0, 2.756, 5.404, 8.933, 13.34), (1.0, 1.48, 2.07, 2.71, 3.52)
"""Frequencies of the modes of a free bar and of a cube, in multiples of the lowest."""
CAP, BLOCK_CAP = 0.055, 0.25
"""The lowest mode of what hardly bends, in travels of sound along it; and the part of that for a cube, which rocks on
the contact far below its own modes."""
DURATION_S = 0.40
"""After it nothing is heard of an impact."""
FULL_SCALE_IMPULSE_NS = 0.02
"""The impulse whose peak is about 1."""
SURFACES = {
    TABLE: (
        (96.0, 0.09, 0.030),
        (171.0, 0.13, 0.028),
        (262.0, 0.12, 0.026),
        (418.0, 0.12, 0.024),
        (620.0, 0.42, 0.026),
        (940.0, 0.36, 0.021),
        (1480.0, 0.28, 0.016),
        (2300.0, 0.18, 0.011),
    ),
    FLOOR: (
        (68.0, 0.16, 0.045),
        (127.0, 0.24, 0.040),
        (205.0, 0.22, 0.034),
        (540.0, 0.34, 0.024),
        (870.0, 0.22, 0.016),
    ),
}
"""Modes of a table top and of floor boards: hertz, strength, seconds to fall to 1/e."""
MAX_FREQUENCY_HZ = 12_000.0
"""Higher ones are lost on small loudspeakers."""
CLICK_S, CLICK_STRENGTH, CLICK_CONTACT_S = 0.0015, 1.1, 0.0006
"""Seconds to fall to 1/e, and strength, of the noise two surfaces make when they meet, in a contact of so many
seconds; a gentle one takes longer, and makes less of it."""
CLICK_SOFTNESS = 0.16
"""Of the time of contact: what of that noise is smoothed away. Roughness meets before the bodies do, so that much of a
click lies above 2 kHz."""
STRUCK_STRENGTH = 0.8
"""Of the modes of the piece that is struck; it lies on something."""
VARIANTS, JITTER = 5, 0.03
"""How many sounds a pair has, and how far their modes differ: no two blows of a real one are equal."""
ECHOES = (
    (0.0083, 0.0091),
    (0.0139, 0.0127),
    (0.0192, 0.0207),
    (0.0263, 0.0249),
    (0.0341, 0.0356),
    (0.0447, 0.0428),
    (0.0613, 0.0589),
    (0.0797, 0.0831),
    (0.1033, 0.1009),
    (0.1361, 0.1327),
    (0.1693, 0.1741),
)
"""Seconds after which the walls of the room answer, on the left and on the right."""
ECHO_STRENGTH, FIRST_ECHOES, TAIL = 0.126, 6, 0.3
"""Of the first, -18 dB; how many come from a wall directly, and how much of the others is left."""
PEAK = 0.85
"""Of the loudest sample of a film."""
MAX_GAIN = 12.0
"""A film of nothing but gentle impacts is not amplified to a collapse."""
KNEE, HOLD_S = 0.5, 0.006
"""From here on loud impacts are held back, so that a collapse does not make all else inaudible; and seconds before and
after for which."""
STEREO_WIDTH = 0.8
"""How far to a side an impact at the edge of the frame is heard."""
SLOW, SLOW_RING = 0.6, 1.5
"""The speed below which a film is slow motion, and how much longer pieces ring then."""
CREAK_S, CREAK_STRENGTH = 0.14, 0.006
"""Seconds of a creak, and its strength for half a newton."""
CREAK_HZ = ((430.0, 1.0), (910.0, 0.7), (1720.0, 0.4), (2900.0, 0.25))
TICK_S, TICK_HZ, TICK = 0.12, 1050.0, ((1.0, 0.16, 0.022), (2.76, 0.08, 0.009), (5.4, 0.03, 0.004))
"""Of a tick of a count, as of a small wooden bar: seconds, hertz of the first, and of its modes the ratio, the strength
and the seconds to fall to 1/e."""
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


WOOD = Substance(stiffness=11.0e9, loss=0.012, hardness=0.9e9)
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
    thin, _, long = sorted(piece.extents.tolist())
    substance = substance_of(piece)
    density = max(piece.mass / max(float(np.prod(piece.extents)), 1e-12), 50.0)
    speed = math.sqrt(substance.stiffness / density)
    # from 0 for a cube to 1 for a rod
    slender = 1.0 - thin / long
    bending = 1.028 * thin / long**2 * speed
    cap = CAP * (BLOCK_CAP + (1 - BLOCK_CAP) * slender**4) * speed / long
    lowest = 1.0 / math.hypot(1.0 / bending, 1.0 / cap)
    modes = []
    for number, (bar, block) in enumerate(zip(BAR_RATIOS, BLOCK_RATIOS, strict=True)):
        frequency = lowest * bar**slender * block ** (1 - slender)
        if frequency < MAX_FREQUENCY_HZ:
            decay = 1.0 / (math.pi * frequency * substance.loss)
            modes.append(VibrationMode(frequency, min(decay, 0.12), 0.8**number))
    return tuple(modes) or (VibrationMode(MAX_FREQUENCY_HZ, 0.002, 1.0),)


def contact_time(piece: Piece, impulse: float) -> float:
    """Returns the seconds an impact lasts (Hertz), on a corner rounded by a twelfth of the smallest side."""
    radius = max(float(piece.extents.min()) / 12, 2e-4)
    speed = max(impulse / max(piece.mass, 1e-6), 1e-3)
    hardness = substance_of(piece).hardness
    return 2.87 * float((piece.mass**2 / (radius * hardness**2 * speed)) ** 0.2)


def click_of(duration: float) -> tuple[float, float]:
    """Returns strength and softness, in seconds, of the click of a contact. duration: of the contact, seconds."""
    return CLICK_STRENGTH * min(CLICK_CONTACT_S / duration, 1.0) ** 1.2, CLICK_SOFTNESS * duration


def impact_samples(
    piece: Piece, impulse: float, on: Piece | str = "", *, variant: int = 0, ring: float = 1.0
) -> Samples:
    """Returns the sound (n,) of an impact on a piece, at `RATE`; 1 is full scale.

    impulse: newton seconds. on: what it strikes, which sounds too: a piece, or the name of table or floor. variant: of
    the sounds of the pair. ring: how much longer they sound than they do. The same impact always sounds the same.
    """
    # impacts whose difference in colour cannot be heard share their samples
    level = 2.0 ** (round(4 * math.log2(max(impulse, 1e-6))) / 4)
    sound = _synthesised(piece, level, on, variant % VARIANTS, ring)
    return np.asarray(impulse / FULL_SCALE_IMPULSE_NS * sound, dtype=np.float32)


def partials_of(piece: Piece, impulse: float, on: Piece | str = "") -> tuple[VibrationMode, ...]:
    """Returns what rings after an impact, each as loud as it is excited. on: as for `impact_samples`."""
    if isinstance(on, Piece):
        struck = [replace(mode, strength=STRUCK_STRENGTH * mode.strength) for mode in modes_of(on)]
    else:
        struck = [
            VibrationMode(frequency, decay, strength) for frequency, strength, decay in SURFACES.get(on, ())
        ]
    duration = contact_time(piece, impulse)
    return tuple(
        # about the spectrum of a half sine of force, without its gaps
        replace(mode, strength=mode.strength * (1.0 + (2 * mode.frequency * duration) ** 2) ** -0.75)
        for mode in (*modes_of(piece), *struck)
    )


@lru_cache(maxsize=512)
def _synthesised(piece: Piece, impulse: float, on: Piece | str, variant: int, ring: float) -> Samples:
    """Returns the sound (n,) of an impact of `FULL_SCALE_IMPULSE_NS` with the colour of one of another impulse."""
    generator = np.random.default_rng(variant)
    times = np.arange(round(DURATION_S * RATE)) / RATE
    duration = contact_time(piece, impulse)
    samples = np.zeros(len(times))
    for mode in partials_of(piece, impulse, on):
        frequency = mode.frequency * (1 + JITTER * generator.uniform(-1, 1))
        decay = ring * mode.decay
        heard = times[: round(8 * decay * RATE)]
        samples[: len(heard)] += (
            mode.strength * np.exp(-heard / decay) * np.sin(2 * math.pi * frequency * heard)
        )
    click = times[: round(6 * CLICK_S * RATE)]
    noise = generator.standard_normal(len(click)) * np.exp(-click / CLICK_S)
    strength, softness = click_of(duration)
    window = np.hanning(max(round(softness * RATE), 2) + 2)
    noise = np.gradient(np.convolve(noise, window, mode="same"))
    samples[: len(click)] += strength * noise / np.abs(noise).max()
    # neither begin nor end with a step
    samples[:4] *= np.linspace(0.0, 1.0, 4)
    samples[-480:] *= np.linspace(1.0, 0.0, 480)
    return samples.astype(np.float32)


@lru_cache(maxsize=64)
def creak_samples(level: int, variant: int) -> Samples:
    """Returns a creak (n,): wood that sticks and slips under load, some sixty times a second. level: of the force, in
    halves of a newton. variant: of its sounds."""
    generator = np.random.default_rng(variant)
    samples = np.zeros(round(CREAK_S * RATE))
    tail = np.arange(round(0.012 * RATE)) / RATE
    at = 0.0
    while at < CREAK_S - 0.012:
        begin, pitch = round(at * RATE), 1.0 + JITTER * generator.uniform(-1, 1)
        slip = sum(
            part * np.exp(-tail / 0.003) * np.sin(2 * math.pi * pitch * hertz * tail)
            for hertz, part in CREAK_HZ
        )
        samples[begin : begin + len(tail)] += generator.uniform(0.4, 1.0) * slip
        at += generator.uniform(0.011, 0.022)
    fade = np.minimum(1.0, np.minimum(np.arange(len(samples)), np.arange(len(samples))[::-1]) / (0.01 * RATE))
    return np.asarray(CREAK_STRENGTH * min(level, 8) * fade * samples, dtype=np.float32)


@lru_cache(maxsize=8)
def tick_samples(number: int) -> Samples:
    """Returns the tick (n,) of a count; each is a whole tone higher."""
    times, hertz = np.arange(round(TICK_S * RATE)) / RATE, TICK_HZ * 2.0 ** ((number - 1) / 6.0)
    modes = (
        part * np.exp(-times / fall) * np.sin(2 * math.pi * hertz * ratio * times)
        for ratio, part, fall in TICK
    )
    return np.asarray(sum(modes), dtype=np.float32)


def variant_of(*names: str) -> int:
    """Returns which of its sounds a pair of bodies makes."""
    return crc32(" ".join(names).encode())


def soundtrack(film: Film, replay: Replay, rate: int = RATE) -> Samples:
    """Returns the sound (n, 2) of a film, from -1 to 1, as long as it: every impact when its picture is seen."""
    pieces = {body.name: body.piece for body in film.bodies if body.name != TABLE}
    names, timing, size = replay.meta.names, film.timing, film.recipe.size
    track = np.zeros((round(film.seconds * rate), 2), dtype=np.float32)
    speeds = np.gradient(timing.moments, timing.screen)
    for impact in film_impacts(film, replay):
        name, other = names[impact.body], names[impact.other] if impact.other >= 0 else ""
        if name not in pieces or not timing.moments[0] <= impact.seconds <= timing.moments[-1]:
            continue
        is_slow = np.interp(impact.seen, timing.moments, speeds) < SLOW
        samples = impact_samples(
            pieces[name],
            impact.impulse,
            pieces.get(other, other),
            variant=variant_of(name, other),
            ring=SLOW_RING if is_slow else 1.0,
        )
        # slowed down, the way from frame to frame is long enough to see where it ends
        at = round(film.screen(impact.seen if is_slow else impact.seconds) * rate)
        camera = film.shot(min(int(at / rate * film.recipe.fps), len(film) - 1)).camera
        part = samples[: max(len(track) - at, 0), None]
        track[at : at + len(part)] += part * sides_of(impact.place, camera, size[0] / size[1])
    return _levelled(echoed(track, rate))


def film_impacts(film: Film, replay: Replay) -> tuple[Impact, ...]:
    """Returns the impacts of the recording that a film shows."""
    from teeter.engine.record.motion import impacts_of

    masses = {body.name: float(body.piece.mass) for body in film.bodies if body.name != TABLE}
    extents = {body.name: body.piece.extents for body in film.bodies}
    names = replay.meta.names
    sizes = np.array([extents.get(name, np.zeros(3)) for name in names]).reshape(-1, 3)
    return impacts_of(replay, film.motion, sizes, [masses.get(name, 0.0) for name in names])


def sides_of(place: Vector, camera: Camera, aspect: float) -> Samples:
    """Returns (2,): how loud an impact is on the left and on the right, by where it is in the picture; the same power
    everywhere. aspect: width by height."""
    right, forward, _ = camera.axes @ np.subtract(place, camera.eye)
    side = right / max(forward, 1e-3) / math.tan(math.radians(camera.fov) / 2)
    angle = (1 + STEREO_WIDTH * max(-1.0, min(1.0, side / aspect))) * math.pi / 4
    return np.array([math.cos(angle), math.sin(angle)], dtype=np.float32)


def echoed(sound: Samples, rate: int = RATE) -> Samples:
    """Returns a sound (n, 2) with the first answers of the room, later ones weaker, each side from its own walls."""
    echoes = sound.copy()
    for number, delays in enumerate(ECHOES):
        for side, delay in enumerate(delays):
            by = round(delay * rate)
            # a third of what a wall gives back comes from the other side
            heard = 0.67 * sound[:, side] + 0.33 * sound[:, 1 - side]
            strength = ECHO_STRENGTH * 0.87**number * (1.0 if number < FIRST_ECHOES else TAIL)
            echoes[by:, side] += np.float32(strength) * heard[: max(len(sound) - by, 0)]
    return echoes


def _levelled(sound: Samples) -> Samples:
    """Returns the sound normalised: loud impacts held back, the loudest at `PEAK`."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    around = 2 * round(HOLD_S * RATE) + 1
    size = maximum_filter1d(np.abs(sound).max(axis=1, initial=0.0), around, mode="nearest")
    over = np.maximum(size - KNEE, 0.0)
    gain = (KNEE + 0.5 * np.log1p(2 * over)) / (KNEE + over)
    sound = sound * uniform_filter1d(gain, around, mode="nearest")[:, None]
    loudest = float(np.abs(sound).max(initial=0.0))
    if loudest > 0.0:
        sound = sound * min(PEAK / loudest, MAX_GAIN)
    return np.asarray(np.clip(sound, -1.0, 1.0), dtype=np.float32)


class Speaker:
    """Plays samples (n, 2) from -1 to 1 through OpenAL; silent where there is no device. volume: 0 to 1."""

    def __init__(self, volume: float = 1.0) -> None:
        # what only works sounds out loads no audio library
        from panda3d import core

        self._core: Any = core
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
        self._playing = [sound for sound in self._playing if sound.status() == self._core.AudioSound.PLAYING]
        if self.is_silent or len(self._playing) >= MAX_SOUNDS or not len(samples):
            return
        wave = np.clip(samples * self.volume, -1.0, 1.0)
        source = self._core.UserDataAudio(rate, 2, True)
        source.append((wave * 32767.0).astype("<i2").tobytes())
        source.done()
        sound = self._manager.get_sound(source)
        sound.play()
        self._playing.append(sound)

    def step(self) -> None:
        """Keeps sounds going; call it once a frame."""
        self._manager.update()
