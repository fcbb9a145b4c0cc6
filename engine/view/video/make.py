"""From a recording to a file: the one function that commands call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.record.reader import Replay
from engine.view.video import encode
from engine.view.video.draw import Painter, pictures
from engine.view.video.film import Film, Telling, film_of
from engine.view.video.recipe import Recipe
from engine.world import Body

Progress = Callable[[int, int], None]
"""Hears how many pictures are done, of how many."""


def make(
    replay: Replay,
    bodies: Sequence[Body],
    telling: Telling,
    recipe: Recipe,
    path: Path,
    *,
    progress: Progress = lambda done, of: None,
    workers: int | None = None,
) -> Film:
    """Write a video (mp4, webm), a loop (gif, webp) or a still (png) of a recording; the suffix says which.

    bodies: of the recording, with their pieces. workers: processes to draw with, None for as many as pay. Raises
    ViewError; then, and when it is interrupted, nothing is left at `path`.
    """
    encode.check_path(path)
    encode.check_size(path, recipe.size)
    suffix = path.suffix.lower()
    if suffix in encode.STILLS:
        return _still(film_of(replay, bodies, telling, replace(recipe, cards=False)), path)
    film = film_of(replay, bodies, telling, recipe)

    def tell(done: int) -> None:
        progress(done, len(film))

    if suffix in encode.LOOPS:
        with closing(pictures(film, "rgb24", workers=workers)) as drawn:
            encode.write_loop(path, recipe, drawn, len(film), tell)
        return film
    with closing(pictures(film, workers=workers)) as drawn:
        # the processes that draw have begun
        sound = None
        if recipe.sound:
            from engine.view.video.soundtrack import soundtrack

            sound = soundtrack(film, replay, encode.RATE)
        encode.write_video(path, recipe, drawn, len(film), sound, tell)
    return film


def _still(film: Film, path: Path) -> Film:
    """The first picture of a film, or several evenly spaced ones side by side."""
    count = min(film.recipe.strip, len(film))
    numbers = [0] if count == 1 else np.linspace(0, len(film) - 1, count).round().astype(int).tolist()
    painter = Painter(film, "rgb24")
    try:
        encode.write_still(path, [painter.paint(film.shot(number)) for number in numbers])
    finally:
        painter.close()
    return film
