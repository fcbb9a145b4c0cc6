"""Videos as files: decoded again, compared with each other, and refused with a message and nothing left behind."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import SupportsIndex

import av
import numpy as np
import pytest
from typer.testing import CliRunner
from video_lab import TELLING, bodies, recorded

import teeter
from teeter.engine.record.reader import Replay
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.video.encode import bits
from teeter.engine.view.video.film import Recipe, film_of, preset
from teeter.engine.view.video.make import make
from teeter.games.cli import app

SMALL = Recipe(size=(160, 96), fps=12, quality="low", begin=7.6, end=9.0, cards=False)


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    return recorded(tmp_path_factory.mktemp("files") / "lab.teeter")


def decoded(path: Path) -> np.ndarray:
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


def boxes(path: Path) -> list[bytes]:
    """The outer boxes of an mp4 file, in order."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        found.append(kind)
        at += size
    return found


def test_an_mp4_plays_everywhere_and_again_the_same(replay: Replay, tmp_path: Path) -> None:
    first, second = tmp_path / "first.mp4", tmp_path / "second.mp4"
    film = make(replay, bodies(), TELLING, SMALL, first, workers=1)
    make(replay, bodies(), TELLING, SMALL, second, workers=2)
    assert boxes(first).index(b"moov") < boxes(first).index(b"mdat")
    with av.open(str(first)) as container:
        picture, sound = container.streams.video[0], container.streams.audio[0]
        assert (picture.codec_context.name, picture.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (picture.codec_context.width, picture.codec_context.height) == SMALL.size
        assert float(picture.average_rate or 0) == SMALL.fps
        assert (sound.codec_context.name, sound.codec_context.sample_rate) == ("aac", 48_000)
        assert abs(float(container.duration or 0) / 1e6 - film.seconds) <= 1 / SMALL.fps
    pictures = decoded(first)
    assert len(pictures) == len(film)
    # drawn by one process or by two, in whatever order they came: the same to the last bit
    assert np.array_equal(pictures, decoded(second))
    assert np.abs(np.diff(pictures.astype(int), axis=0)).max() > 50


def test_the_sound_is_decoded_where_the_block_lands(replay: Replay, tmp_path: Path) -> None:
    path = tmp_path / "fall.mp4"
    film = make(replay, bodies(), TELLING, SMALL, path, workers=1)
    with av.open(str(path)) as container:
        frames = list(container.decode(audio=0))
    start, base = frames[0].pts, frames[0].time_base
    assert start is not None
    assert base is not None
    begin = float(start * base)
    samples = np.abs(np.concatenate([frame.to_ndarray() for frame in frames], axis=1)).max(axis=0)
    onset = begin + int(np.argmax(samples > 0.3 * samples.max())) / 48_000
    heights = film.poses[:, film.names.index("block"), 2]
    landed = int(np.argmax(heights <= heights.min() + 1e-4)) / SMALL.fps
    assert abs(onset - landed) <= 1 / SMALL.fps


@pytest.mark.parametrize(("suffix", "codec"), [("webm", "vp9"), ("gif", "gif"), ("webp", "webp")])
def test_other_formats_hold_every_picture(replay: Replay, tmp_path: Path, suffix: str, codec: str) -> None:
    path = tmp_path / f"fall.{suffix}"
    film = make(replay, bodies(), TELLING, SMALL, path, workers=1)
    with av.open(str(path)) as container:
        assert codec in container.streams.video[0].codec_context.name
        if suffix != "webp":  # its decoder knows single pictures only
            assert sum(1 for _ in container.decode(video=0)) == len(film)
    if suffix == "webp":
        assert path.read_bytes().count(b"ANMF") >= 5


def test_a_still_and_a_strip(replay: Replay, tmp_path: Path) -> None:
    runner = CliRunner()
    for strip, width in ((1, 160), (3, 480)):
        path = tmp_path / f"{strip}.png"
        line = ["video", str(replay.path), "-o", str(path), "--size", "160x96", "--quality", "low"]
        found = runner.invoke(app, [*line, "--strip", str(strip), "--from", "7"])
        assert found.exit_code == 0, found.output
        head = path.read_bytes()[16:24]
        assert struct.unpack(">II", head) == (width, 96)
        assert f"{path}: {width} x 96," in found.stdout.replace("\n", "")
        found = runner.invoke(app, [*line, "--strip", str(strip), "--from", "7", "--force", "--json"])
        told = json.loads(found.stdout)
        assert (told["pictures"], told["size"], told["seconds"]) == (strip, [width, 96], 0.0)


def test_a_size_is_any_pair_of_whole_numbers(replay: Replay, tmp_path: Path) -> None:
    sizes: tuple[Iterable[SupportsIndex], ...] = [160, 96], np.array([160, 96])
    for number, size in enumerate(sizes):
        made = teeter.video(replay.path, tmp_path / f"{number}.png", size=size, quality="low", begin_s=7.0)
        assert (made.size, made.frames) == ((160, 96), 1)


def test_a_file_with_a_limit_keeps_it() -> None:
    chat = preset("chat")
    for seconds in (20, 120, 600):
        count = seconds * chat.fps
        assert (bits(chat, count) + 96_000) * seconds / 8 <= chat.max_bytes or bits(chat, count) == 40_000
    web = preset("web")
    assert (bits(web, 1800) + 96_000) * 60 / 8 <= 8e6


def test_a_film_tells_who_won_and_why(replay: Replay) -> None:
    from teeter.games.play.replays import telling_of

    outcome = {"ended": True, "winners": ["Ana", "Ben"], "reason": "the tower fell"}
    ended = replace(replay, meta=replay.meta.model_copy(update={"outcome": outcome}))
    assert telling_of(ended).result == "Ana and Ben win: the tower fell"


def test_names_are_hidden_when_asked(replay: Replay) -> None:
    from teeter.games.play.replays import telling_of

    told = telling_of(replay, anonymous=True)
    assert told.players == ("Player 1", "Player 2")
    assert "Ana" not in told.result
    film = film_of(replay, bodies(), told, SMALL)
    assert "Ana" not in str(film.panels)


LINE = ["--quality", "low", "--size", "160x96"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-o", "x.avi"], "use one of .mp4"),
        (["-o", "x"], "use one of .mp4"),
        (["-o", "no/such/x.mp4"], "no folder"),
        (["-o", "x.mp4", "--size", "0x0"], "pixels a side"),
        (["-o", "x.mp4", "--size", "100000x100000"], "pixels a side"),
        (["-o", "x.mp4", "--size", "161x97"], "even numbers"),
        (["-o", "x.mp4", "--size", "wide"], "1280x720"),
        (["-o", "x.mp4", "--fps", "0"], "frames a second"),
        (["-o", "x.mp4", "--speed", "0"], "--speed 0"),
        (["-o", "x.mp4", "--speed", "nan"], "--speed nan"),
        (["-o", "x.mp4", "--from", "99"], "seconds long"),
        (["-o", "x.mp4", "--from", "5", "--to", "5"], "must come before"),
        (["-o", "x.mp4", "--from", "-1"], "not negative"),
        (["-o", "x.mp4", "--camera", "drone"], "use one of director"),
        (["-o", "x.mp4", "--preset", "cinema"], "use one of web"),
        (["-o", "x.mp4", "--pace", "slow"], "use one of lively"),
        (["-o", "x.mp4", "--workers", "0"], "1 to 256"),
        (["-o", "x.png", "--strip", "0"], "1 to 64 frames"),
        (["-o", "x.mp4", "--strip", "3"], "--strip 3: only a single .png has pictures side by side"),
        (["-o", "x%03d.png", "--strip", "3"], "--strip 3: only a single .png has pictures side by side"),
    ],
)
def test_bad_requests_are_refused_with_nothing_written(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["video", str(replay.path), *LINE, *more])
    assert found.exit_code == 2
    assert words in found.output
    assert "Traceback" not in found.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spoil", ["foreign", "truncated", "missing"])
def test_foreign_and_broken_files_are_refused(replay: Replay, tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "bad.teeter"
    if spoil == "foreign":
        path.write_bytes(b"RIFF" + bytes(100))
    elif spoil == "truncated":
        path.write_bytes(replay.path.read_bytes()[:-200])
    before = sorted(tmp_path.iterdir())
    found = CliRunner().invoke(app, ["video", str(path), "-o", str(tmp_path / "x.mp4")])
    assert found.exit_code == 2
    assert "bad.teeter" in found.output
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_interrupted_leaves_no_file(replay: Replay, tmp_path: Path) -> None:
    path = tmp_path / "half.mp4"
    path.write_bytes(b"what was there before")

    def stop(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(replay, bodies(), TELLING, SMALL, path, progress=stop, workers=1, force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["half.mp4"]
    assert path.read_bytes() == b"what was there before"


def test_too_many_pictures_are_refused_before_any_is_drawn(replay: Replay, tmp_path: Path) -> None:
    with pytest.raises(ViewError, match="too many for a gif"):
        make(replay, bodies(), TELLING, Recipe(size=(4000, 4000), quality="low"), tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())
