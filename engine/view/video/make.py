"""From a recording to a file: frames drawn in order, by this process or shared out among several, and encoded.

A frame depends on its number alone, so the film is the same whoever draws it.
"""

import math
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from teeter.engine.record.reader import Replay
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.render.decals import decal_area, decal_picture
from teeter.engine.view.render.device import is_open
from teeter.engine.view.render.png import save_png
from teeter.engine.view.render.shading import fibres, rings
from teeter.engine.view.render.stage import Stage, files_colours
from teeter.engine.view.video import encode, sequence
from teeter.engine.view.video.captions import Telling
from teeter.engine.view.video.film import LOOPS, Film, Recipe, Shot, film_of, is_sequence
from teeter.engine.workers import can_start, end_with_parent
from teeter.engine.world.body import Body

Pixels = NDArray[np.uint8]
PixelFormat = Literal["yuv420p", "rgb24", "rgba"]

MIN_FRAMES_TO_SHARE = 90
"""Frames from which on it pays to start processes."""
MAX_WORKERS = 8
AHEAD = 3
"""Frames that each process may be ahead of the encoder: as many places it has to put them."""
POLL_INTERVAL_S = 5.0
"""Seconds between two checks whether a silent process still lives."""
Progress = Callable[[int, int], None]
"""Hears how many frames are done, of how many."""


def check_file(
    path: Path, workers: int | None, size: tuple[int, int] = (2, 2), *, force: bool = False
) -> None:
    """Raises ViewError for a number of processes that nobody wants, None leaves it open; and as `encode.check_path`."""
    if workers is not None and not 1 <= workers <= 64:
        raise ViewError(f"--workers {workers}: 1 to 64 processes")
    if is_sequence(path):
        sequence.check(path)
    else:
        encode.check_path(path, size, force=force)


def make(
    replay: Replay,
    bodies: Sequence[Body],
    telling: Telling,
    recipe: Recipe,
    path: Path,
    *,
    progress: Progress = lambda done, of: None,
    workers: int | None = None,
    force: bool = False,
) -> Film:
    """Writes a video (mp4, webm), a loop (gif, webp), a still (png) or numbered pictures with sound (frames/%05d.png)
    of a recording; the name says which.

    bodies: of the recording, with their pieces. workers: processes to draw with, None for as many as pay. force: a file
    that is there may be replaced. Raises ViewError; then, and when it is interrupted, nothing is left at `path`.
    """
    is_many = is_sequence(path)
    pictures: PixelFormat = "rgba" if recipe.table == "none" else "rgb24"
    check_file(path, workers, recipe.size, force=force)
    suffix = path.suffix.lower()
    if suffix in encode.STILLS and not is_many:
        film = replace(film_of(replay, bodies, telling, replace(recipe, cards=False)), is_still=True)
        # the first frame, or several evenly spaced ones
        numbers = np.linspace(0, len(film) - 1, film.pictures).round().astype(int)
        with closing(_here(film, pictures, numbers.tolist())) as stills:
            save_png(np.concatenate(list(stills), axis=1), path, force=force)
        return film
    film = film_of(replay, bodies, telling, recipe)

    def tell(done: int) -> None:
        progress(done, len(film))

    if suffix in LOOPS:
        with frames_of(film, pictures, workers=workers) as drawn:
            encode.write_loop(path, recipe, drawn, len(film), tell, force=force)
        return film
    with frames_of(film, pictures if is_many else "yuv420p", workers=workers) as drawn:
        # the processes that draw have begun
        sound = None
        if recipe.sound:
            from teeter.engine.view.sound import soundtrack

            sound = soundtrack(film, replay, encode.RATE)
        if is_many:
            sequence.write(path, drawn, sound, tell)
        else:
            encode.write_video(path, recipe, drawn, len(film), sound, tell, force=force)
    return film


class Painter:
    """Draws shots of one film. Close it when done."""

    def __init__(self, film: Film, pixel_format: PixelFormat = "yuv420p") -> None:
        self._film = film
        recipe = film.recipe
        self._pixel_format = pixel_format
        self._reformatter = VideoReformatter()
        # one for all frames: memory that is new for each costs more than converting the colours
        self._card = VideoFrame(*recipe.size, "bgra")
        self.stage = Stage(film.bodies, size=recipe.size, quality=recipe.quality, top=recipe.table)

    def paint(self, number: int) -> Pixels:
        """Returns a frame: (h * 3/2, w) bytes of `yuv420p` (BT.709), (h, w, 3) of `rgb24`, (h, w, 4) of `rgba`."""
        first, *others = self._film.exposures(number)
        pixels = self._drawn(first)
        if others:
            total, count = pixels.astype(np.uint16), 1 + len(others)
            for shot in others:
                total += self._drawn(shot)
            pixels = ((total + count // 2) // count).astype(np.uint8)
        if self._pixel_format != "yuv420p":
            return files_colours(pixels, has_opacity=self._pixel_format == "rgba")
        height, width = pixels.shape[:2]
        rows = np.frombuffer(memoryview(self._card.planes[0]), np.uint8).reshape(height, -1)
        rows[:, : 4 * width].reshape(height, width, 4)[:] = pixels
        to = {"dst_colorspace": Colorspace.ITU709, "dst_color_range": ColorRange.MPEG}
        converted = self._reformatter.reformat(self._card, format="yuv420p", **to)
        return np.asarray(converted.to_ndarray(), dtype=np.uint8)

    def _drawn(self, shot: Shot) -> Pixels:
        self.stage.aim(shot.camera)
        self.stage.show(shot.frame)
        self.stage.write(shot.panels)
        return self.stage.pixels()

    def close(self) -> None:
        """Frees the buffers."""
        self.stage.close()


@contextmanager
def frames_of(
    film: Film, pixel_format: PixelFormat = "yuv420p", *, workers: int | None = None
) -> Iterator[Iterator[Pixels]]:
    """Every frame of a film in order, each gone when the next one is asked for; the same array again where nothing has
    changed. Drawing begins at once.

    workers: processes to draw with, None for as many as pay. Raises ViewError.
    """
    is_new = film.unlike()
    fresh = np.flatnonzero(is_new).tolist()
    if workers is None:
        workers = min(os.cpu_count() or 1, MAX_WORKERS) if len(fresh) >= MIN_FRAMES_TO_SHARE else 1
    if workers == 1 or not can_start():
        with closing(_here(film, pixel_format, fresh)) as here:
            yield _repeated(is_new, here)
        return
    # the first draws the first, the second the second, and so on
    context: Any = multiprocessing.get_context(_start_method())
    if context.get_start_method() == "fork":
        _fill_caches(film)
    shares = [fresh[first::workers] for first in range(workers)]
    processes = [DrawingProcess(context, film, pixel_format, share) for share in shares]
    try:
        yield _repeated(is_new, _shared(processes, len(fresh)))
    finally:
        for process in processes:
            process.stop()


def _repeated(is_new: NDArray[np.bool_], drawn: Iterator[Pixels]) -> Iterator[Pixels]:
    last = next(drawn)
    yield last
    for is_drawn in is_new[1:].tolist():
        last = next(drawn) if is_drawn else last
        yield last


def _here(film: Film, pixel_format: PixelFormat, numbers: list[int]) -> Generator[Pixels]:
    painter = Painter(film, pixel_format)
    try:
        for number in numbers:
            yield painter.paint(number)
    finally:
        painter.close()


class DrawingProcess:
    """A process that draws, and the memory it shares with this one, in which frames take turns: sent through a pipe,
    each would be copied five times. places: the frames."""

    def __init__(self, context: Any, film: Film, pixel_format: PixelFormat, numbers: list[int]) -> None:
        width, height = film.recipe.size
        shapes = {"rgb24": (height, width, 3), "rgba": (height, width, 4)}
        places = (AHEAD, *shapes.get(pixel_format, (height * 3 // 2, width)))
        memory = context.RawArray("B", math.prod(places))
        self.places = _as_frames(memory, places)
        self._free, self._done = context.Semaphore(AHEAD), context.Queue()
        task = film, pixel_format, numbers, memory, places, self._free, self._done
        self.process = context.Process(target=_work, args=task, daemon=True)
        self.process.start()

    def received(self) -> Pixels:
        """Returns the next frame, once it is drawn. Raises ViewError."""
        while True:
            with suppress(queue.Empty):
                got = self._done.get(timeout=POLL_INTERVAL_S)
                if isinstance(got, str):
                    raise ViewError(got)
                return np.asarray(self.places[got])
            if not self.process.is_alive():
                code = self.process.exitcode
                raise ViewError(f"a drawing process ended by itself (exit code {code}); try --workers 1")

    def free(self) -> None:
        """Frees the place of the frame that was received first."""
        self._free.release()

    def stop(self) -> None:
        """Ends the process."""
        self.process.terminate()
        self.process.join()
        self._done.close()


def _as_frames(memory: Any, shape: tuple[int, ...]) -> Pixels:
    return np.frombuffer(memory, np.uint8).reshape(shape)


def _shared(processes: list[DrawingProcess], count: int) -> Iterator[Pixels]:
    for order in range(count):
        process = processes[order % len(processes)]
        yield process.received()
        process.free()


def _fill_caches(film: Film) -> None:
    """Makes what every process would make for itself: it is cached, and copied with this one."""
    fibres(), rings()
    for body in film.bodies:
        if body.piece.face is not None and (area := decal_area(body.piece)) is not None:
            decal_picture(body.piece, area)


def _start_method() -> Literal["fork", "spawn"]:
    """Returns how processes start. A copy of this one has all modules loaded and the film read, which takes a second
    otherwise; but neither OpenGL nor threads outlive copying."""
    can_copy = sys.platform == "linux" and not is_open() and threading.active_count() == 1
    return "fork" if can_copy else "spawn"


def _work(
    film: Film,
    pixel_format: PixelFormat,
    numbers: list[int],
    memory: Any,
    shape: tuple[int, ...],
    free: Any,
    done: Any,
) -> None:
    """Draws the share of a process, each frame to a place that is free."""
    end_with_parent()
    # the parent stops everybody; software GL needs no threads of its own where every core has a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.setdefault("LP_NUM_THREADS", "0")
    places = _as_frames(memory, shape)
    try:
        painter = Painter(film, pixel_format)
        for order, number in enumerate(numbers):
            pixels = painter.paint(number)
            free.acquire()
            places[order % AHEAD] = pixels
            done.put(order % AHEAD)
    except ViewError as error:
        done.put(str(error))
