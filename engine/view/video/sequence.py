"""A film as a folder of numbered pictures and its sound, for programs that cut or compose: `frames/%05d.png`."""

import re
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from teeter.engine.view.opengl import ViewError
from teeter.engine.view.render.png import png_of
from teeter.engine.view.video.encode import RATE, Pixels, Sound
from teeter.models.files import check_new_folder, whole_folder

NUMBER = re.compile(r"%0[1-9]d")
SOUND = "sound.wav"


def check(path: Path) -> None:
    """Raises ViewError for a name that numbers nothing, OutputError for a folder that is there already: pictures of two
    films are never mixed."""
    if path.suffix.lower() != ".png" or len(NUMBER.findall(path.name)) != 1 or path.name.count("%") != 1:
        raise ViewError(f"{path}: name numbered pictures like frames/%05d.png")
    check_new_folder(path.absolute().parent)


def write(path: Path, frames: Iterator[Pixels], sound: Sound | None, progress: Callable[[int], None]) -> None:
    """Writes the folder, or none. frames: (h, w, 3 or 4), numbered from 1. sound: (n, 2) at `RATE`, as `sound.wav`."""
    with whole_folder(path.absolute().parent) as part:
        for number, pixels in enumerate(frames, start=1):
            (part / (path.name % number)).write_bytes(png_of(pixels))
            progress(number)
        if sound is not None:
            with wave.open(str(part / SOUND), "wb") as file:
                file.setnchannels(sound.shape[1])
                file.setsampwidth(2)
                file.setframerate(RATE)
                file.writeframes(np.round(32767 * np.clip(sound, -1.0, 1.0)).astype("<i2").tobytes())
