"""The pictures of a film, drawn in order: by this process, or shared out among several, each with its own OpenGL.

A picture depends on its number alone, so the film is the same whoever draws it.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
from collections.abc import Generator
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from engine.view.errors import ViewError
from engine.view.stage import Stage
from engine.view.video.film import Film, Shot

Pixels = NDArray[np.uint8]
Layout = Literal["yuv420p", "rgb24"]

WORTH = 90
"""Pictures from which on it pays to start processes."""
MOST_WORKERS = 8
AHEAD = 3
"""Pictures that each process may be ahead of the encoder."""
PATIENCE = 5.0
"""Seconds between two looks whether a silent process still lives."""


class Painter:
    """Draws shots of one film. Close it when done."""

    def __init__(self, film: Film, layout: Layout = "yuv420p") -> None:
        self.stage = Stage(film.bodies, size=film.recipe.size, quality=film.recipe.quality)
        self._layout = layout
        self._reformatter = VideoReformatter()

    def paint(self, shot: Shot) -> Pixels:
        """A picture: (h * 3/2, w) bytes of `yuv420p` (BT.709), or (h, w, 3) of `rgb24`."""
        self.stage.aim(shot.camera)
        self.stage.show(shot.frame)
        self.stage.write(shot.panels)
        pixels = self.stage.pixels()
        if self._layout == "rgb24":
            return np.ascontiguousarray(pixels[:, :, 2::-1])
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="bgra")
        turned = self._reformatter.reformat(
            frame,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
        )
        return np.asarray(turned.to_ndarray(), dtype=np.uint8)

    def close(self) -> None:
        """Give the buffers back."""
        self.stage.close()


def pictures(film: Film, layout: Layout = "yuv420p", *, workers: int | None = None) -> Generator[Pixels]:
    """Every picture of a film in order; the same array again where nothing has changed.

    workers: processes to draw with, None for as many as pay. Raises ViewError.
    """
    is_new = film.unlike()
    fresh = np.flatnonzero(is_new).tolist()
    if workers is None:
        workers = min(os.cpu_count() or 1, MOST_WORKERS) if len(fresh) >= WORTH else 1
    drawn = _here(film, layout, fresh) if workers == 1 else _shared(film, layout, fresh, workers)
    try:
        last: Pixels | None = None
        for new in is_new:
            if new or last is None:
                last = next(drawn)
            yield last
    finally:
        drawn.close()


def _here(film: Film, layout: Layout, numbers: list[int]) -> Generator[Pixels]:
    painter = Painter(film, layout)
    try:
        for number in numbers:
            yield painter.paint(film.shot(number))
    finally:
        painter.close()


def _shared(film: Film, layout: Layout, numbers: list[int], workers: int) -> Generator[Pixels]:
    """Pictures drawn by processes in turn: the first draws the first, the second the second, and so on."""
    context = multiprocessing.get_context("spawn")
    lanes: list[tuple[Any, Any]] = []
    try:
        for lane in range(workers):
            box = context.Queue(AHEAD)
            process = context.Process(
                target=_work, args=(film, layout, numbers[lane::workers], box), daemon=True
            )
            process.start()
            lanes.append((process, box))
        for order in range(len(numbers)):
            yield _received(*lanes[order % workers])
    finally:
        for process, box in lanes:
            process.terminate()
            process.join()
            box.close()


def _received(process: Any, box: Any) -> Pixels:
    while True:
        with suppress(queue.Empty):
            got = box.get(timeout=PATIENCE)
            if isinstance(got, str):
                raise ViewError(got)
            found: Pixels = got
            return found
        if not process.is_alive():
            raise ViewError(
                f"a drawing process ended by itself (exit code {process.exitcode}); try --workers 1"
            )


def _work(film: Film, layout: Layout, numbers: list[int], box: Any) -> None:
    """What a process does: its share of the pictures, into its box."""
    # the parent stops everybody; software GL needs no threads of its own where every core has a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        painter = Painter(film, layout)
        for number in numbers:
            box.put(painter.paint(film.shot(number)))
    except ViewError as error:
        box.put(str(error))
