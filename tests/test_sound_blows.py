"""Sounds of blows: pitch by size, loudness by impulse, colour by material, and the sample they begin at."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from video_lab import DROP, LANDS, SET_OFF, TELLING, TOP, bodies, recorded

from teeter.engine.record.motion import Impact
from teeter.engine.record.reader import load
from teeter.engine.view import sound as tracks
from teeter.engine.view.camera import Camera
from teeter.engine.view.sound import (
    FULL_SCALE_IMPULSE_NS,
    RATE,
    Samples,
    creak_samples,
    impact_samples,
    modes_of,
)
from teeter.engine.view.video.film import Recipe, film_of
from teeter.engine.view.video.make import make
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.play.replays import bodies_of
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import parse


def piece(*sides: float, material: str = "beech") -> Piece:
    return build(parse({"shape": {"box": list(sides)}, "material": material}, "test"))


def power_of(samples: Samples) -> tuple[Samples, Samples]:
    """Frequencies and the energy at each."""
    return np.fft.rfftfreq(len(samples), 1 / RATE), np.abs(np.fft.rfft(samples)) ** 2


def centre_of(samples: Samples) -> float:
    """The middle of the spectrum, hertz."""
    frequencies, power = power_of(samples)
    return float((frequencies * power).sum() / power.sum())


def share(samples: Samples, low: float, high: float) -> float:
    """The part of the energy between two frequencies."""
    frequencies, power = power_of(samples)
    return float(power[(frequencies >= low) & (frequencies < high)].sum() / power.sum())


def decay_of(samples: Samples) -> float:
    """Seconds from the peak until a blow is 20 dB below it."""
    size = np.sqrt(np.convolve(samples.astype(float) ** 2, np.ones(96) / 96, "same"))
    first = int(np.argmax(size))
    return float(np.flatnonzero(size[first:] > 0.1 * size[first])[-1]) / RATE


def energy_db(samples: Samples) -> float:
    return float(10 * np.log10((samples.astype(float) ** 2).sum()))


def decoded(path: Path) -> Samples:
    """The sound (n, 2) of a film, as a player has it."""
    with av.open(str(path)) as container:
        return np.concatenate([frame.to_ndarray().T for frame in container.decode(audio=0)])


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
    # and a little brighter
    assert peaks[1] / peaks[0] == pytest.approx(2.0, rel=0.2)
    assert peaks[2] / peaks[1] == pytest.approx(2.0, rel=0.2)
    assert 0.3 < float(np.abs(impact_samples(block, FULL_SCALE_IMPULSE_NS)).max()) < 3.0


BLOWS = {
    "brick": (piece(75, 25, 15), 0.5),
    "brick, gently": (piece(75, 25, 15), 0.08),
    "small cube": (piece(40, 40, 40), 0.5),
    "large cube": (piece(60, 60, 60), 0.5),
    "beam": (piece(150, 25, 15), 0.5),
}
"""Pieces and metres a second."""


@pytest.mark.parametrize("name", BLOWS)
def test_wood_on_the_table_is_a_knock_and_no_drum(name: str) -> None:
    block, speed = BLOWS[name]
    on_table = impact_samples(block, block.mass * speed, TABLE)
    assert share(on_table, 0, 500) < 0.5
    assert share(on_table, 600, 4500) > 0.45
    assert 0.02 < decay_of(on_table) < 0.08
    on_wood = impact_samples(block, block.mass * speed, block)
    assert 0.015 < decay_of(on_wood) < 0.08
    assert share(on_wood, 500, 5000) > 0.8
    assert abs(energy_db(on_wood) - energy_db(on_table)) < 8


def test_card_table_and_floor_each_sound_their_own_way() -> None:
    wood, card = (
        impact_samples(piece(85, 85, 2), 0.01),
        impact_samples(piece(85, 85, 2, material="grey_board"), 0.01),
    )
    late = slice(RATE // 50, None)
    assert np.abs(card[late]).max() < np.abs(wood[late]).max()
    block = piece(75, 25, 15)
    centres = [centre_of(impact_samples(block, 0.01, on)) for on in (block, TABLE, FLOOR)]
    assert centres[0] > 1.5 * centres[1] > 1.8 * centres[2]


def test_a_harder_blow_is_brighter_and_pairs_differ_a_little() -> None:
    block = piece(40, 40, 40)
    gentle, hard = (centre_of(impact_samples(block, block.mass * speed, TABLE)) for speed in (0.08, 1.0))
    assert hard > 1.15 * gentle
    one, again, other = (impact_samples(block, 0.01, TABLE, variant=variant) for variant in (0, 0, 1))
    assert np.array_equal(one, again)
    assert centre_of(one) != centre_of(other)
    assert centre_of(one) == pytest.approx(centre_of(other), rel=0.2)


def test_a_blow_is_heard_where_it_is_seen_and_the_room_answers() -> None:
    camera = Camera((0, -1, 0.1), (0, 0, 0.1), 30)
    left, middle, right = (tracks.sides_of((x, 0, 0.1), camera, 16 / 9) for x in (-0.4, 0, 0.4))
    assert left[0] > 2 * left[1]
    assert right.tolist() == pytest.approx(left[::-1].tolist())
    assert middle[0] == pytest.approx(middle[1])
    assert np.linalg.norm([left, middle, right], axis=1).tolist() == pytest.approx([1, 1, 1])
    click = np.zeros((RATE // 10, 2), dtype=np.float32)
    click[0] = 1
    heard = np.abs(tracks.echoed(click))
    for side in (0, 1):
        loud = np.flatnonzero(heard[:, side] > 0.02)[1:] / RATE
        assert len(loud) == 6
        assert 0.008 <= loud.min() <= loud.max() <= 0.045
        assert 20 * np.log10(heard[1:, side].max()) == pytest.approx(-18, abs=1)


@pytest.mark.parametrize("name", BLOWS)
def test_a_blow_clicks_above_two_kilohertz(name: str) -> None:
    block, speed = BLOWS[name]
    sound = impact_samples(block, block.mass * speed, TABLE)[: RATE // 50]
    assert share(sound, 2000, RATE / 2) > 0.05


def test_wood_that_slips_creaks_louder_under_more_load() -> None:
    soft, loud = (creak_samples(level, 0) for level in (1, 4))
    assert energy_db(loud) - energy_db(soft) == pytest.approx(12.0, abs=0.5)
    assert share(loud, 300, 4000) > 0.8
    assert float(np.abs(loud).max()) < 0.3


def test_a_blow_begins_at_once_dies_away_and_is_always_the_same() -> None:
    sound = impact_samples(piece(30, 30, 30), 0.02)
    assert int(np.argmax(np.abs(sound) > 0.1 * np.abs(sound).max())) < 0.001 * RATE
    assert np.abs(sound[-RATE // 10 :]).max() < 0.01 * np.abs(sound).max()
    assert np.array_equal(sound, impact_samples(piece(30, 30, 30), 0.02))
    assert np.isfinite(sound).all()


def test_a_film_has_the_blow_on_the_table_at_its_moment_and_on_its_side(tmp_path: Path) -> None:
    """A block that is laid on the table, as the file has it after coding."""
    replay = load(Path(__file__).parent / "recordings" / "wonky-2.teeter")
    own = bodies_of(replay)
    contact = 6.519
    recipe = Recipe(
        size=(64, 36), fps=15, quality="low", pace="true", camera="front", cards=False, hand=False,
        captions=False, begin=contact - 0.3, end=contact + 0.5,
    )  # fmt: skip
    film = make(replay, own, TELLING, recipe, tmp_path / "blow.mp4", workers=1)
    sound = decoded(tmp_path / "blow.mp4")
    both = sound.mean(axis=1)
    loud = np.abs(both) > 0.1 * np.abs(both).max()
    assert int(np.argmax(loud)) / RATE == pytest.approx(film.screen(contact), abs=0.010)
    assert share(both, 0, 500) < 0.6
    column = replay.meta.names.index("medium_green")
    place = replay.frame_at(contact, (column,))[0, :3]
    camera = film.shot(0).camera
    sides = np.sqrt((sound.astype(float) ** 2).sum(axis=0))
    expected = tracks.sides_of((place[0], place[1], place[2]), camera, 16 / 9)
    assert (sides[0] > sides[1]) == (expected[0] > expected[1])
    assert abs(np.log(sides[0] / sides[1])) > 0.3 * abs(np.log(expected[0] / expected[1]))


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
        if not recipe.slow_fall:
            assert onset == pytest.approx(film.screen(LANDS), abs=0.010)
        # the first picture that shows the block landed
        heights = film.poses[:, film.names.index("block"), 2]
        number = int(np.argmax((heights < TOP - DROP + 1e-4) & (film.moments > SET_OFF)))
        assert abs(onset - number / film.recipe.fps) <= 1 / film.recipe.fps


def test_pictures_and_sound_do_not_drift_apart_in_five_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = recorded(tmp_path / "lab.teeter")
    moments = np.linspace(0.5, 13.5, 9)
    blows = tuple(Impact(float(t), float(t), 1, 0, 0.05, (0.0, 0.0, 0.0)) for t in moments)
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
