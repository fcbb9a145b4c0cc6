"""Plays samples through Panda3D's OpenAL; silent where there is no sound device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.process import suppress_stderr

MAX_SOUNDS = 24
"""At once; a collapse has hundreds of impacts, and nobody hears them apart."""


class Speaker:
    """Plays samples (n,) from -1 to 1, mono. volume: 0 to 1."""

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

    def play(self, samples: NDArray[np.float32], rate: int) -> None:
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
