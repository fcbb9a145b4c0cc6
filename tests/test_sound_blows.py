"""Sounds of blows: pitch by size, loudness by impulse, colour by material, and the sample they begin at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from video_lab import DROP, SET_OFF, TELLING, TOP, bodies, recorded

from engine.record.motion import Impact
from engine.view import sound as tracks
from engine.view.sound import FULL_SCALE_IMPULSE_NS, RATE, Samples, impact_samples, modes_of
from engine.view.video.film import Recipe, film_of
from models.build import build
from models.piece import Piece
from models.spec import parse


def piece(*sides: float, material: str = "beech") -> Piece:
    return build(parse({"shape": {"box": list(sides)}, "material": material}, "test"))


def centre_of(samples: Samples) -> float:
    """The middle of the spectrum, hertz."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    return float((np.fft.rfftfreq(len(samples), 1 / RATE) * power).sum() / power.sum())


def test_larger_pieces_of_one_shape_sound_lower() -> None:
    pitches = [modes_of(piece(5 * n, 3 * n, 2 * n))[0].frequency for n in (4, 8, 16, 32)]
    assert pitches == sorted(pitches, reverse=True)
    assert pitches[0] / pitches[-1] == pytest.approx(8.0, rel=0.01)


def test_longer_and_thinner_bars_sound_lower() -> None:
    assert modes_of(piece(150, 25, 15))[0].frequency < modes_of(piece(75, 25, 15))[0].frequency
    assert modes_of(piece(150, 25, 8))[0].frequency < modes_of(piece(150, 25, 15))[0].frequency


def test_a_slender_bar_rings_as_euler_and_bernoulli_say() -> None:
    bar = piece(600, 30, 6)
    density = bar.mass / float(np.prod(bar.extents))
    expected = 1.028 * 0.006 / 0.6**2 * (11.0e9 / density) ** 0.5
    assert modes_of(bar)[0].frequency == pytest.approx(expected, rel=0.02)


def test_a_blow_twice_as_hard_is_twice_as_loud() -> None:
    block = piece(75, 25, 15)
    peaks = [float(np.abs(impact_samples(block, impulse)).max()) for impulse in (0.005, 0.01, 0.02)]
    assert peaks[1] / peaks[0] == pytest.approx(2.0, rel=0.15)
    assert peaks[2] / peaks[1] == pytest.approx(2.0, rel=0.15)
    assert 0.3 < float(np.abs(impact_samples(block, FULL_SCALE_IMPULSE_NS)).max()) < 3.0


def test_card_is_duller_and_shorter_than_wood_and_the_table_adds_a_thud() -> None:
    wood, card = (
        impact_samples(piece(85, 85, 2), 0.01),
        impact_samples(piece(85, 85, 2, material="grey_board"), 0.01),
    )
    late = slice(RATE // 50, None)
    assert np.abs(card[late]).max() < np.abs(wood[late]).max()
    block = piece(75, 25, 15)
    assert centre_of(impact_samples(block, 0.01, on_table=True)) < 0.8 * centre_of(
        impact_samples(block, 0.01)
    )


def test_a_blow_begins_at_once_dies_away_and_is_always_the_same() -> None:
    sound = impact_samples(piece(30, 30, 30), 0.02)
    assert int(np.argmax(np.abs(sound) > 0.1 * np.abs(sound).max())) < 0.001 * RATE
    assert np.abs(sound[-RATE // 10 :]).max() < 0.01 * np.abs(sound).max()
    assert np.array_equal(sound, impact_samples(piece(30, 30, 30), 0.02))
    assert np.isfinite(sound).all()


def test_the_track_has_the_blow_at_the_sample_of_its_picture(tmp_path: Path) -> None:
    replay = recorded(tmp_path / "lab.teeter")
    for recipe in (
        Recipe(slow_fall=True),
        Recipe(pace="true", speed=2.0),
        Recipe(begin=7.0, end=9.5, cards=False),
    ):
        film = film_of(replay, bodies(), TELLING, recipe)
        sound = tracks.soundtrack(film, replay)
        assert len(sound) == round(film.seconds * RATE)
        loud = np.abs(sound).max(axis=1)
        onset = int(np.argmax(loud > 0.05)) / RATE
        assert loud.max() == pytest.approx(tracks.PEAK, abs=0.02)
        # the first picture that shows the block landed
        heights = film.poses[:, film.names.index("block"), 2]
        number = int(np.argmax((heights < TOP - DROP + 1e-4) & (film.moments > SET_OFF)))
        assert abs(onset - number / film.recipe.fps) <= 1 / film.recipe.fps


def test_pictures_and_sound_do_not_drift_apart_in_five_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = recorded(tmp_path / "lab.teeter")
    moments = np.linspace(0.5, 13.5, 9)
    blows = tuple(Impact(float(t), 1, 0, 0.05, (0.0, 0.0, 0.0)) for t in moments)
    monkeypatch.setattr(tracks, "film_impacts", lambda film, replay: blows)
    # slowed down to nearly five minutes, with blows all along
    film = film_of(replay, bodies(), TELLING, Recipe(pace="true", speed=1 / 20, cards=True, fps=24))
    assert film.seconds > 280
    sound = np.abs(tracks.soundtrack(film, replay)).max(axis=1)
    for moment in moments:
        number = int(np.argmax(film.moments >= moment))
        at = round(number / film.recipe.fps * RATE)
        window = sound[at - RATE : at + RATE // 2]
        onset = (at - RATE + int(np.argmax(window > 0.05))) / RATE
        assert abs(onset - number / film.recipe.fps) <= 1 / film.recipe.fps
