"""The pictures of a film, drawn in order: by this process, or shared out among several, each with its own OpenGL.

A picture depends on its number alone, so the film is the same whoever draws it.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from engine.view.device import is_open
from engine.view.errors import ViewError
from engine.view.faces import area_of, picture_of
from engine.view.grain import fibres, rings
from engine.view.stage import Stage
from engine.view.video.film import Film, Shot

Pixels = NDArray[np.uint8]
Layout = Literal["yuv420p", "rgb24"]

WORTH = 90
"""Pictures from which on it pays to start processes."""
MOST_WORKERS = 8
AHEAD = 3
"""Pictures that each process may be ahead of the encoder: as many places it has to put them."""
PATIENCE = 5.0
"""Seconds between two looks whether a silent process still lives."""


class Painter:
    """Draws shots of one film. Close it when done."""

    def __init__(self, film: Film, layout: Layout = "yuv420p") -> None:
        self.stage = Stage(film.bodies, size=film.recipe.size, quality=film.recipe.quality)
        self._layout = layout
        self._reformatter = VideoReformatter()
        # one for all pictures: memory that is new for each costs more than turning the colours
        self._card = VideoFrame(*film.recipe.size, "bgra")

    def paint(self, shot: Shot) -> Pixels:
        """A picture: (h * 3/2, w) bytes of `yuv420p` (BT.709), or (h, w, 3) of `rgb24`."""
        self.stage.aim(shot.camera)
        self.stage.show(shot.frame)
        self.stage.write(shot.panels)
        pixels = self.stage.pixels()
        if self._layout == "rgb24":
            return np.ascontiguousarray(pixels[:, :, 2::-1])
        height, width = pixels.shape[:2]
        rows = np.frombuffer(memoryview(self._card.planes[0]), np.uint8).reshape(height, -1)
        rows[:, : 4 * width].reshape(height, width, 4)[:] = pixels
        turned = self._reformatter.reformat(
            self._card,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
        )
        return np.asarray(turned.to_ndarray(), dtype=np.uint8)

    def close(self) -> None:
        """Give the buffers back."""
        self.stage.close()


class Pictures(Iterator[Pixels]):
    """Every picture of a film in order, each gone when the next one is asked for. Close it when done; drawing begins
    with it, not with the first picture."""

    def __init__(
        self, is_new: NDArray[np.bool_], drawn: Iterator[Pixels], stop: Callable[[], object]
    ) -> None:
        self._is_new, self._drawn, self._stop = iter(is_new.tolist()), drawn, stop
        self._last: Pixels | None = None

    def __next__(self) -> Pixels:
        """The next picture; the same array again where nothing has changed."""
        if next(self._is_new) or self._last is None:
            self._last = next(self._drawn)
        return self._last

    def close(self) -> None:
        """Stop drawing."""
        self._stop()


def pictures(film: Film, layout: Layout = "yuv420p", *, workers: int | None = None) -> Pictures:
    """The pictures of a film. workers: processes to draw with, None for as many as pay. Raises ViewError."""
    is_new = film.unlike()
    fresh = np.flatnonzero(is_new).tolist()
    if workers is None:
        workers = min(os.cpu_count() or 1, MOST_WORKERS) if len(fresh) >= WORTH else 1
    if workers == 1:
        here = _here(film, layout, fresh)
        return Pictures(is_new, here, here.close)
    lanes = _started(film, layout, fresh, workers)
    return Pictures(is_new, _shared(lanes, len(fresh)), partial(_stop, lanes))


def _here(film: Film, layout: Layout, numbers: list[int]) -> Generator[Pixels]:
    painter = Painter(film, layout)
    try:
        for number in numbers:
            yield painter.paint(film.shot(number))
    finally:
        painter.close()


class Lane:
    """A process that draws, and the memory it shares with this one, in which pictures take turns: sent through a pipe,
    each would be copied five times. places: the pictures."""

    def __init__(self, context: Any, film: Film, layout: Layout, numbers: list[int]) -> None:
        width, height = film.recipe.size
        places = (AHEAD, height, width, 3) if layout == "rgb24" else (AHEAD, height * 3 // 2, width)
        memory = context.RawArray("B", math.prod(places))
        self.places = _as_pictures(memory, places)
        self._free, self._done = context.Semaphore(AHEAD), context.Queue()
        self.process = context.Process(
            target=_work,
            args=(film, layout, numbers, memory, places, self._free, self._done),
            daemon=True,
        )
        self.process.start()

    def received(self) -> Pixels:
        """The next picture, once it is drawn. Raises ViewError."""
        while True:
            with suppress(queue.Empty):
                got = self._done.get(timeout=PATIENCE)
                if isinstance(got, str):
                    raise ViewError(got)
                return np.asarray(self.places[got])
            if not self.process.is_alive():
                code = self.process.exitcode
                raise ViewError(f"a drawing process ended by itself (exit code {code}); try --workers 1")

    def passed(self) -> None:
        """The picture that was received first is needed no more."""
        self._free.release()

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.join()
        self._done.close()


def _as_pictures(memory: Any, shape: tuple[int, ...]) -> Pixels:
    return np.frombuffer(memory, np.uint8).reshape(shape)


def _started(film: Film, layout: Layout, numbers: list[int], workers: int) -> list[Lane]:
    """Processes that draw in turn: the first draws the first, the second the second, and so on."""
    context: Any = multiprocessing.get_context(_way_to_start())
    if context.get_start_method() == "fork":
        _make_once(film)
    return [Lane(context, film, layout, numbers[lane::workers]) for lane in range(workers)]


def _shared(lanes: list[Lane], count: int) -> Iterator[Pixels]:
    for order in range(count):
        lane = lanes[order % len(lanes)]
        yield lane.received()
        lane.passed()


def _stop(lanes: list[Lane]) -> None:
    for lane in lanes:
        lane.stop()


def _make_once(film: Film) -> None:
    """What every process would make for itself: it is remembered, and copied with this one."""
    fibres(), rings()
    for body in film.bodies:
        if body.piece.face is not None and (area := area_of(body.piece)) is not None:
            picture_of(body.piece, area)


def _way_to_start() -> Literal["fork", "spawn"]:
    """A copy of this process has all modules loaded and the film read, which takes a second otherwise; but neither
    OpenGL nor threads outlive copying."""
    can_copy = sys.platform == "linux" and not is_open() and threading.active_count() == 1
    return "fork" if can_copy else "spawn"


def _work(
    film: Film, layout: Layout, numbers: list[int], memory: Any, shape: tuple[int, ...], free: Any, done: Any
) -> None:
    """What a process does: its share of the pictures, each to a place that is free."""
    # the parent stops everybody; software GL needs no threads of its own where every core has a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("LP_NUM_THREADS", "0")
    places = _as_pictures(memory, shape)
    try:
        painter = Painter(film, layout)
        for order, number in enumerate(numbers):
            pixels = painter.paint(film.shot(number))
            free.acquire()
            places[order % AHEAD] = pixels
            done.put(order % AHEAD)
    except ViewError as error:
        done.put(str(error))
