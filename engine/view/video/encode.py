"""Frames and sound into a file. What is being written lies beside the file under another name until it is whole."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from teeter.engine.view.opengl import ViewError
from teeter.engine.view.video.film import LOOPS, Recipe
from teeter.models.files import check_output, whole_or_nothing

Pixels = NDArray[np.uint8]
Sound = NDArray[np.float32]

VIDEOS = (".mp4", ".webm")
STILLS = (".png",)
FORMATS = (*VIDEOS, *LOOPS, *STILLS)
RATE = 48_000
"""Samples a second."""
BITS = 930_000
"""A second of 1280 x 720 at 30 frames a second, at most: 7 MB a minute, and sound beside it."""
AUDIO_BITS, BLOCK = 96_000, 1024
"""Bits of sound a second, and how many samples are encoded together."""
MAX_LOOP_BYTES = 1_500_000_000
"""Bytes of the frames of a loop, which are all held at once."""
ERRORS = (OSError, av.error.FFmpegError)
"""How writing fails."""
BT709 = 1
LIMITED = 1


def check_path(path: Path, size: tuple[int, int] = (2, 2), *, force: bool = False) -> None:
    """Raises ViewError for a format that is not known or cannot hold a size, OutputError for a place that cannot be
    written to."""
    if path.suffix.lower() not in FORMATS:
        raise ViewError(f'{path}: cannot write "{path.suffix}"; use one of {", ".join(FORMATS)}')
    check_output(path, force=force)
    if path.suffix.lower() in VIDEOS and (size[0] % 2 or size[1] % 2):
        raise ViewError(f"--size {size[0]}x{size[1]}: videos need even numbers of pixels")


def write_video(
    path: Path,
    recipe: Recipe,
    frames: Iterator[Pixels],
    count: int,
    sound: Sound | None,
    progress: Callable[[int], None],
    *,
    force: bool = False,
) -> None:
    """Writes mp4 or webm. frames: `count` of `yuv420p`. sound: (n, 2) at `RATE`. progress: hears of each frame. force:
    a file that is there may be replaced."""
    suffix = path.suffix.lower()
    with whole_or_nothing(path, ERRORS, force=force) as part:
        options = {"movflags": "+faststart"} if suffix == ".mp4" else {}
        with av.open(str(part), "w", format=suffix[1:], options=options) as container:
            stream = _frame_stream(container, suffix, recipe, count)
            track = None if sound is None else _Track(container, suffix, sound)
            for number, pixels in enumerate(frames):
                frame = VideoFrame.from_ndarray(pixels, format="yuv420p")
                frame.pts, frame.time_base = number, Fraction(1, recipe.fps)
                frame.colorspace, frame.color_range = BT709, LIMITED
                container.mux(stream.encode(frame))
                if track is not None:
                    track.until((number + 1) / recipe.fps)
                progress(number + 1)
            container.mux(stream.encode(None))
            if track is not None:
                track.finish()
        _check_bytes(part, path, recipe)


def _check_bytes(part: Path, path: Path, recipe: Recipe) -> None:
    size = part.stat().st_size
    if recipe.max_bytes and size > recipe.max_bytes:
        limit = f"{recipe.max_bytes / 1e6:g} MB allow"
        raise ViewError(
            f"{path}: {size / 1e6:.1f} MB, more than {limit}: use --from, --to, --speed or a smaller --size"
        )


def _frame_stream(container: Any, suffix: str, recipe: Recipe, count: int) -> Any:
    name = "libx264" if suffix == ".mp4" else "libvpx-vp9"
    stream = container.add_stream(name, rate=recipe.fps)
    stream.width, stream.height = recipe.size
    stream.pix_fmt = "yuv420p"
    stream.time_base = Fraction(1, recipe.fps)
    codec = stream.codec_context
    codec.time_base = Fraction(1, recipe.fps)
    # one thread: the same frames give the same bytes, and the other cores draw
    codec.thread_count = 1
    codec.gop_size = 4 * recipe.fps
    codec.colorspace = codec.color_primaries = codec.color_trc = BT709
    codec.color_range = LIMITED
    limit = bits(recipe, count)
    if name == "libx264":
        stream.options = {
            "preset": "superfast" if recipe.quality == "low" else "veryfast",
            "crf": "20",
            "maxrate": str(limit),
            "bufsize": str(3 * limit),
            "profile": "high",
        }
        if recipe.quality == "low":
            # spreading the bits by how busy each part of a frame is costs an eighth of the time
            stream.options |= {"x264-params": "aq-mode=0"}
    else:
        codec.bit_rate = limit
        stream.options = {"deadline": "realtime", "cpu-used": "6", "crf": "32", "row-mt": "0"}
    return stream


def bits(recipe: Recipe, count: int) -> int:
    """Returns bits a second of the frames at most: more for larger ones, fewer where the file has a limit."""
    pixels = recipe.size[0] * recipe.size[1] / (1280 * 720)
    limit: float = BITS * pixels**0.8 * (recipe.fps / 30) ** 0.5
    if recipe.max_bytes:
        seconds = count / recipe.fps
        # a tenth for the container and for what the encoder overshoots
        limit = min(limit, max(recipe.max_bytes * 8 * 0.9 / seconds - AUDIO_BITS, 40_000))
    return round(limit)


class _Track:
    """The sound of a file, encoded along with the frames."""

    def __init__(self, container: Any, suffix: str, sound: Sound) -> None:
        self._container, self._sound, self._at = container, sound, 0
        codec = "aac" if suffix == ".mp4" else "libopus"
        self._stream = container.add_stream(codec, rate=RATE, layout="stereo")
        context = self._stream.codec_context
        context.bit_rate, context.thread_count = AUDIO_BITS, 1
        self._resampler = av.AudioResampler(format=context.format, layout="stereo", rate=RATE)

    def until(self, seconds: float) -> None:
        """Encodes up to a time, in whole blocks."""
        last = min(round(seconds * RATE), len(self._sound))
        while last - self._at >= BLOCK:
            self._put()

    def _put(self) -> None:
        samples = np.ascontiguousarray(self._sound[self._at : self._at + BLOCK].T)
        frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE, self._at, Fraction(1, RATE)
        self._at += BLOCK
        self._mux(frame)

    def _mux(self, frame: av.AudioFrame | None) -> None:
        for turned in self._resampler.resample(frame):
            self._container.mux(self._stream.encode(turned))

    def finish(self) -> None:
        """Encodes what is left."""
        while self._at < len(self._sound):
            self._put()
        self._mux(None)
        self._container.mux(self._stream.encode(None))


def write_loop(
    path: Path,
    recipe: Recipe,
    frames: Iterator[Pixels],
    count: int,
    progress: Callable[[int], None],
    *,
    force: bool = False,
) -> None:
    """Writes an animated gif or webp that repeats. frames: `count` of `rgb24`."""
    width, height = recipe.size
    if count * width * height * 3 > MAX_LOOP_BYTES:
        raise ViewError(
            f"{path}: {count} frames of {width} x {height} are too many for a {path.suffix[1:]}: "
            "use --from and --to, a smaller --size or fewer --fps, or write an .mp4"
        )
    with whole_or_nothing(path, ERRORS, force=force) as part:
        write = _write_gif if path.suffix.lower() == ".gif" else _write_webp
        write(part, recipe, frames, progress)
        _check_bytes(part, path, recipe)


def _write_gif(part: Path, recipe: Recipe, frames: Iterator[Pixels], progress: Callable[[int], None]) -> None:
    """Writes one palette for all frames, dithered in a fixed pattern, so that what stands still is stored once."""
    graph, (width, height) = av.filter.Graph(), recipe.size
    pixel_format, time_base = av.VideoFormat("rgb24"), Fraction(1, recipe.fps)
    source = graph.add_buffer(width=width, height=height, format=pixel_format, time_base=time_base)
    split, palette = graph.add("split"), graph.add("palettegen", "stats_mode=full")
    use = graph.add("paletteuse", "dither=bayer:bayer_scale=4:diff_mode=rectangle")
    sink = graph.add("buffersink")
    source.link_to(split)
    split.link_to(use, 0, 0)
    split.link_to(palette, 1, 0)
    palette.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    for number, pixels in enumerate(frames):
        frame = VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = number, Fraction(1, recipe.fps)
        source.push(frame)
        progress(number + 1)
    source.push(None)
    with av.open(str(part), "w", format="gif", options={"loop": "0"}) as container:
        stream: Any = container.add_stream("gif", rate=recipe.fps)
        stream.width, stream.height, stream.pix_fmt = *recipe.size, "pal8"
        with suppress(av.error.BlockingIOError, av.error.EOFError):
            while True:
                loose = sink.pull()
                loose.time_base = Fraction(1, recipe.fps)
                container.mux(stream.encode(loose))
        container.mux(stream.encode(None))


def _write_webp(
    part: Path, recipe: Recipe, frames: Iterator[Pixels], progress: Callable[[int], None]
) -> None:
    with av.open(str(part), "w", format="webp", options={"loop": "0"}) as container:
        stream: Any = container.add_stream("libwebp_anim", rate=recipe.fps)
        stream.width, stream.height, stream.pix_fmt = *recipe.size, "yuv420p"
        # below 90 what moved leaves a trail behind: the encoder keeps what differs by little
        stream.options = {"quality": "92", "compression_level": "4"}
        for number, pixels in enumerate(frames):
            frame = VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, recipe.fps)
            container.mux(stream.encode(frame))
            progress(number + 1)
        container.mux(stream.encode(None))
