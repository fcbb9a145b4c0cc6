"""A film as numbered pictures and sound: all of it in a folder of its own, or nothing."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
from needs import need
from PIL import Image

import teeter

RECORDING = Path(__file__).resolve().parent / "recordings" / "wonky-2.teeter"
SMALL = {"size": (96, 54), "fps": 4, "quality": "low", "cards": False, "workers": 1}


@pytest.mark.slow
def test_pictures_are_those_of_the_film_and_the_sound_is_as_long(tmp_path: Path) -> None:
    need("OpenGL")
    told = []
    made = teeter.video(
        RECORDING,
        tmp_path / "frames" / "%04d.png",
        progress=lambda *pair: told.append(pair),
        **SMALL,  # type: ignore[arg-type]
    )
    folder = tmp_path / "frames"
    numbers = range(1, made.frames + 1)
    assert sorted(path.name for path in folder.iterdir()) == [
        *(f"{number:04d}.png" for number in numbers),
        "sound.wav",
    ]
    assert told[-1] == (made.frames, made.frames)
    pictures = [np.asarray(Image.open(folder / f"{number:04d}.png")) for number in numbers]
    assert {picture.shape for picture in pictures} == {(54, 96, 4)}
    assert len({picture.tobytes() for picture in pictures}) > made.frames / 2
    strip = tmp_path / "strip.png"
    teeter.video(RECORDING, strip, strip=made.frames, table="none", **SMALL)  # type: ignore[arg-type]
    film = np.concatenate(pictures, axis=1)
    np.testing.assert_array_equal(film, np.asarray(Image.open(strip)))
    # transparent but for what stands there, which looks as on its table, and for black shadows
    teeter.video(RECORDING, strip, strip=made.frames, force=True, **SMALL)  # type: ignore[arg-type]
    opacity, there = film[..., 3], film[..., 3] == 255
    assert (opacity == 0).mean() > 0.6
    assert there.mean() > 0.02
    shade = film[(opacity > 60) & (opacity < 140)]
    assert len(shade) > 200
    assert np.median(shade[:, :3]) == 0
    np.testing.assert_array_equal(film[there, :3], np.asarray(Image.open(strip))[there])
    with wave.open(str(folder / "sound.wav")) as sound:
        assert (sound.getframerate(), sound.getnchannels()) == (48_000, 2)
        assert sound.getnframes() == round(made.seconds * 48_000)
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
    assert np.abs(samples).max() > 1000


@pytest.mark.slow
def test_nothing_is_left_of_what_is_broken_off(tmp_path: Path) -> None:
    need("OpenGL")

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teeter.video(RECORDING, tmp_path / "frames" / "%04d.png", progress=stop, **SMALL)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("frames/%d.png", "name numbered pictures like"),
        ("frames/%05d-%05d.png", "name numbered pictures like"),
        ("frames/%s.png", "name numbered pictures like"),
        ("frames/%05d.jpg", "name numbered pictures like"),
        ("full/%05d.png", "is there already"),
        ("none/where/%05d.png", "there is no folder"),
        ("film.mp4", "--table none: .mp4 is not transparent"),
    ],
)
def test_what_cannot_be_numbered_is_refused(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("kept")
    with pytest.raises(teeter.TeeterError, match=told):
        teeter.video(RECORDING, tmp_path / name, table="none")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
