"""What people ask of a video, checked, before anything heavy begins."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

from engine.view.opengl import ViewError
from engine.view.render.lighting import QUALITY_LEVELS, Quality
from engine.view.video.director import CAMERAS, CameraName
from engine.view.video.pace import PaceName

MIN_SIDE_PX, MAX_SIDE_PX = 16, 4096
"""Pixels along a side."""
MAX_FPS = 120
MAX_SPEED, MIN_SPEED = 32.0, 1 / 32
MAX_FRAMES = 400_000
"""Nearly four hours at 30 a second."""
CHAT_BYTES = 8_000_000
"""What common messengers take without a second thought."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A video to be made. size: pixels. fps: frames a second. begin, end: seconds of the recording, None for its
    ends. captions: whether texts stand over the frames. cards: whether it opens with a title and ends with the
    result. max_bytes: of the file, 0 for no limit. strip: frames side by side, for stills; 1 for one.
    """

    size: tuple[int, int] = (1280, 720)
    fps: int = 30
    quality: Quality = "medium"
    camera: CameraName = "director"
    pace: PaceName = "lively"
    speed: float = 1.0
    slow_fall: bool = False
    begin: float | None = None
    end: float | None = None
    captions: bool = True
    cards: bool = True
    hand: bool = True
    sound: bool = True
    max_bytes: int = 0
    strip: int = 1

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise ViewError("; ".join(faults))


def _faults(recipe: Recipe) -> list[str]:
    """Returns everything that is wrong with a recipe, in sentences."""
    width, height = recipe.size
    found = []
    if not all(MIN_SIDE_PX <= side <= MAX_SIDE_PX for side in recipe.size):
        found.append(f"--size {width}x{height}: {MIN_SIDE_PX} to {MAX_SIDE_PX} pixels a side")
    if not 1 <= recipe.fps <= MAX_FPS:
        found.append(f"--fps {recipe.fps}: 1 to {MAX_FPS} frames a second")
    if recipe.quality not in QUALITY_LEVELS:
        found.append(f'--quality "{recipe.quality}": use one of {", ".join(QUALITY_LEVELS)}')
    if recipe.camera not in CAMERAS:
        found.append(f'--camera "{recipe.camera}": use one of {", ".join(CAMERAS)}')
    if recipe.pace not in get_args(PaceName):
        found.append(f'--pace "{recipe.pace}": use one of {", ".join(get_args(PaceName))}')
    if not (math.isfinite(recipe.speed) and MIN_SPEED <= recipe.speed <= MAX_SPEED):
        found.append(f"--speed {recipe.speed:g}: {MIN_SPEED:g} to {MAX_SPEED:g}")
    if not 1 <= recipe.strip <= 64:
        found.append(f"--strip {recipe.strip}: 1 to 64 frames")
    for name, value in (("--from", recipe.begin), ("--to", recipe.end)):
        if value is not None and not (math.isfinite(value) and value >= 0):
            found.append(f"{name} {value:g}: seconds from the beginning, not negative")
    if recipe.begin is not None and recipe.end is not None and recipe.begin >= recipe.end:
        found.append(f"--from {recipe.begin:g} must come before --to {recipe.end:g}")
    return found


def preset(name: str) -> Recipe:
    """Returns a recipe for a purpose. Raises ViewError for an unknown one."""
    known = {
        "web": Recipe(),
        "phone": Recipe(size=(1080, 1920)),
        "chat": Recipe(size=(854, 480), fps=24, max_bytes=CHAT_BYTES),
    }
    if name not in known:
        raise ViewError(f'--preset "{name}": use one of {", ".join(known)}')
    return known[name]


def size_of(text: str) -> tuple[int, int]:
    """Returns `1280x720` as a pair. Raises ViewError."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        raise ViewError(f'--size "{text}": write width x height in pixels, such as 1280x720')
    return int(parts[0]), int(parts[1])


def between(recipe: Recipe, seconds: float) -> Recipe:
    """Returns the recipe with the ends of a recording of so many seconds filled in. Raises ViewError when nothing is
    left."""
    begin = recipe.begin or 0.0
    end = seconds if recipe.end is None else min(recipe.end, seconds)
    if seconds <= 0.0:
        raise ViewError("the recording has no frames: nothing happened in it")
    if begin >= seconds:
        raise ViewError(f"--from {begin:g}: the recording is {seconds:.1f} seconds long")
    if end <= begin:
        raise ViewError(f"--to {end:g} must come after --from {begin:g}")
    return replace(recipe, begin=begin, end=end)
