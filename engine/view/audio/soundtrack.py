"""The sound of a film: every impact at the sample at which its frame is seen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.record.motion import Impact, impacts_of
from engine.record.reader import Replay
from engine.view.audio.impact_sound import RATE, impact_samples
from engine.view.video.film import Film
from engine.world import FLOOR, TABLE, Body

Sound = NDArray[np.float32]

PEAK = 0.85
"""Of the loudest sample of a film."""
MAX_GAIN = 12.0
"""A film of nothing but gentle impacts is not amplified to a collapse."""
KNEE = 0.5
"""From here on loud impacts are pressed together, so that a collapse does not make all else inaudible."""
STEREO_WIDTH = 0.8
"""How far to a side an impact at the edge of the frame is heard."""


def soundtrack(film: Film, replay: Replay, rate: int = RATE) -> Sound:
    """Returns the sound (n, 2) of a film, from -1 to 1, as long as it."""
    bodies = {body.name: body for body in film.bodies}
    found = np.zeros((round(film.seconds * rate), 2), dtype=np.float32)
    begin, end = film.timing.moments[0], film.timing.moments[-1]
    for impact in film_impacts(film, replay):
        if not begin <= impact.seconds <= end:
            continue
        body = bodies.get(replay.meta.names[impact.body])
        if body is None:
            continue
        other = replay.meta.names[impact.other] if impact.other >= 0 else ""
        samples = impact_samples(body.piece, impact.impulse, on_table=other in (TABLE, FLOOR))
        at = round(film.screen(impact.seconds) * rate)
        room = len(found) - at
        if room > 0:
            left, right = _panned(film, impact, at / rate)
            part = samples[:room]
            found[at : at + len(part), 0] += left * part
            found[at : at + len(part), 1] += right * part
    return _levelled(found)


def film_impacts(film: Film, replay: Replay) -> tuple[Impact, ...]:
    """Returns the impacts of the recording that a film shows."""
    bodies: dict[str, Body] = {body.name: body for body in film.bodies}
    shown = [bodies.get(name) for name in replay.meta.names]
    extents = np.array([np.zeros(3) if body is None else body.piece.extents for body in shown]).reshape(-1, 3)
    masses = [0.0 if body is None or body.name == TABLE else float(body.piece.mass) for body in shown]
    return impacts_of(replay, film.motion, extents, masses)


def _panned(film: Film, impact: Impact, seconds: float) -> tuple[float, float]:
    """Returns how loud an impact is on the left and on the right: where it is in the frame, with constant power."""
    frame = min(int(seconds * film.recipe.fps), len(film) - 1)
    camera = film.shot(frame).camera
    right, forward, _ = camera.axes
    away = np.subtract(impact.place, camera.eye)
    depth = max(float(away @ forward), 1e-3)
    side = float(away @ right) / depth / math.tan(math.radians(camera.fov) / 2)
    aspect = film.recipe.size[0] / film.recipe.size[1]
    angle = (1 + STEREO_WIDTH * max(-1.0, min(1.0, side / aspect))) * math.pi / 4
    return math.cos(angle), math.sin(angle)


def _levelled(sound: Sound) -> Sound:
    """Returns the sound normalised: loud impacts pressed together, the loudest at `PEAK`."""
    size = np.abs(sound)
    over = np.maximum(size - KNEE, 0.0)
    sound = np.sign(sound) * np.where(size > KNEE, KNEE + 0.5 * np.log1p(2 * over), size).astype(np.float32)
    loudest = float(np.abs(sound).max(initial=0.0))
    if loudest > 0.0:
        sound = sound * np.float32(min(PEAK / loudest, MAX_GAIN))
    return np.asarray(np.clip(sound, -1.0, 1.0), dtype=np.float32)
