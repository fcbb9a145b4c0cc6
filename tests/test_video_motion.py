"""What is read from a track: carries, collapses, what is put elsewhere, blows; and the clock made of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from video_lab import DROP, GRAB, LAID, LANDS, NAMES, SET_OFF, TELLING, TIDY, bodies, recorded

from teeter.engine.record.motion import Collapse, Motion, impacts_of, motion_of
from teeter.engine.record.reader import Replay
from teeter.engine.settings import GRAVITY
from teeter.engine.view.video.film import Recipe, film_of
from teeter.engine.view.video.pace import CARRY_SPEED, QUIET_S, SLOW_SPEED, highlight, timing_of
from teeter.engine.view.video.pace import TIDY_S as TIDY_TIME

FRAME = 1 / 60


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    return recorded(tmp_path_factory.mktemp("motion") / "lab.teeter")


@pytest.fixture(scope="module")
def motion(replay: Replay) -> Motion:
    return motion_of(replay, [0.04] * len(NAMES))


def test_the_hand_is_found_with_the_piece_that_follows_it(motion: Motion) -> None:
    (carry,) = motion.carries
    assert NAMES[carry.body] == "block"
    assert carry.begin == pytest.approx(GRAB, abs=FRAME)
    assert carry.end == pytest.approx(LAID, abs=FRAME)


def test_a_fall_is_a_collapse_and_neither_carrying_nor_tidying_is(motion: Motion) -> None:
    (collapse,) = motion.collapses
    assert NAMES[collapse.first] == "block"
    assert SET_OFF <= collapse.begin <= SET_OFF + 0.05
    assert collapse.crash == pytest.approx(LANDS, abs=2 * FRAME)
    assert collapse.end == pytest.approx(LANDS, abs=2 * FRAME)


def test_what_comes_down_and_is_set_up_again_at_once_is_a_collapse_too(replay: Replay) -> None:
    """As a tower is for the next round, while the next player's hand makes the first bricks slide."""
    times = np.arange(SET_OFF - 1.0, LANDS + 2.0, FRAME)
    poses = np.array([replay.frame_at(seconds) for seconds in times], dtype=np.float32)
    block, spare = NAMES.index("block"), NAMES.index("spare")
    poses[times > LANDS + 0.2, block] = poses[0, block]
    poses[:, spare, 0] += np.clip(0.2 * (times - LANDS - 0.2), 0.0, 0.05)
    steps = np.round(times * replay.meta.rate).astype(np.int64)
    (collapse,) = motion_of(replace(replay, steps=steps, poses=poses), [0.04] * len(NAMES)).collapses
    assert NAMES[collapse.first] == "block"
    assert SET_OFF <= collapse.begin < collapse.crash <= LANDS + 2 * FRAME


def test_what_sways_for_long_before_it_falls_sets_off_when_it_falls(replay: Replay) -> None:
    """As a tower does from the moment a brick was pulled."""
    times = np.arange(LAID + 1.0, LANDS + 1.0, FRAME)
    poses = np.array([replay.frame_at(seconds) for seconds in times], dtype=np.float32)
    block = NAMES.index("block")
    poses[:, block, 0] += np.where(times < SET_OFF, 0.006 * np.sin(2 * np.pi * 2 * times), 0.0)
    steps = np.round(times * replay.meta.rate).astype(np.int64)
    motion = motion_of(replace(replay, steps=steps, poses=poses), [0.04] * len(NAMES))
    assert (motion.speeds[:, block] > 0.05).mean() > 0.4, "it is fast all the time"
    (collapse,) = motion.collapses
    assert SET_OFF - 0.5 <= collapse.begin <= SET_OFF + 0.05


def test_a_true_film_shows_nothing_on_its_way_to_where_it_is_put(replay: Replay) -> None:
    """Its one interval is a picture of pieces in mid-air; a film that takes time over it lets them be followed."""
    lively = Recipe(begin=TIDY - 0.1 - FRAME / 2, end=TIDY + 0.1, fps=60, cards=False)
    seen = {}
    for recipe in (lively, replace(lively, pace="true")):
        film = film_of(replay, bodies(), TELLING, recipe)
        seen[recipe.pace] = film.poses[:, film.names.index("spare"), 0]
    assert set(np.round(seen["true"].astype(float), 3)) == {0.2, -0.2}
    assert len(set(np.round(seen["lively"], 3))) > 20


def test_what_is_put_elsewhere_has_no_speed(motion: Motion) -> None:
    interval = motion.at(TIDY - 0.01)
    assert [NAMES[body] for body in np.flatnonzero(motion.put[interval])] == ["spare"]
    assert motion.put.sum() == 1
    assert motion.speeds[:, NAMES.index("spare")].max() == 0.0


def test_a_blow_has_the_impulse_of_the_stopped_mass_and_its_time(replay: Replay, motion: Motion) -> None:
    extents = np.array([body.piece.extents for body in bodies()])
    masses = [body.piece.mass for body in bodies()]
    impacts = impacts_of(replay, motion, extents, masses)
    # laid down gently, then fallen: the eased way of the hand is no blow
    (blow,) = impacts
    assert NAMES[blow.body] == "block"
    assert NAMES[blow.other] == "base"
    assert blow.seconds == pytest.approx(LANDS, abs=FRAME)
    assert blow.impulse == pytest.approx(masses[1] * (2 * GRAVITY * DROP) ** 0.5, rel=0.15)


def test_a_true_clock_is_that_of_the_world(motion: Motion) -> None:
    timing = timing_of(motion, (2.0, 12.5), pace="true")
    times = np.linspace(0, timing.seconds, 50)
    assert timing.seconds == pytest.approx(10.5)
    assert np.allclose(timing.shown(times), 2.0 + times)
    fast = timing_of(motion, (2.0, 12.5), pace="true", speed=4.0)
    assert fast.seconds == pytest.approx(10.5 / 4)


def rate_at(motion: Motion, seconds: float, **how: object) -> float:
    """How fast a recording runs at a moment of it."""
    timing = timing_of(motion, (0.0, 14.0), **how)  # type: ignore[arg-type]
    early, late = timing.seen(np.array([seconds - 0.02, seconds + 0.02]))
    return 0.04 / float(late - early)


def test_a_lively_clock_hurries_where_nothing_happens_and_only_there(motion: Motion) -> None:
    assert rate_at(motion, 5.5) > 4 / QUIET_S * 0.8
    assert rate_at(motion, 1.3) == pytest.approx(CARRY_SPEED, rel=0.3)
    assert rate_at(motion, LANDS) == pytest.approx(1.0, rel=0.05)
    timing = timing_of(motion, (0.0, 14.0))
    begin, end = timing.seen(np.array([TIDY - FRAME, TIDY]))
    assert end - begin > 0.7 * TIDY_TIME


def test_slow_motion_begins_before_the_first_piece_sets_off(motion: Motion) -> None:
    assert rate_at(motion, SET_OFF, slow_fall=True) < 2 * SLOW_SPEED
    assert rate_at(motion, (SET_OFF + LANDS) / 2, slow_fall=True) == pytest.approx(SLOW_SPEED, rel=0.05)
    assert rate_at(motion, 1.3, slow_fall=True) == pytest.approx(CARRY_SPEED, rel=0.3)


@pytest.mark.parametrize("slow_fall", [False, True])
def test_the_screen_tells_the_moment_and_the_moment_the_screen(motion: Motion, slow_fall: bool) -> None:
    timing = timing_of(motion, (0.0, 14.0), slow_fall=slow_fall)
    assert (np.diff(timing.screen) > 0).all()
    screen = np.linspace(0, timing.seconds, 400)
    assert np.allclose(timing.seen(timing.shown(screen)), screen, atol=1e-9)


def test_a_highlight_has_its_length_and_the_largest_collapse_in_it(motion: Motion) -> None:
    begin, end = highlight(motion, 14.0, 4.0)
    timing = timing_of(motion, (begin, end), slow_fall=True)
    assert begin < SET_OFF < LANDS < end
    assert timing.seconds == pytest.approx(4.0, abs=0.3)
    calm = replace(motion, collapses=())
    assert highlight(calm, 14.0, 4.0)[1] == pytest.approx(14.0)
    assert highlight(motion, 14.0, 1e4) == (0.0, 14.0)


def test_of_two_collapses_the_larger_is_the_highlight(motion: Motion) -> None:
    large = Collapse(5.0, 5.2, 5.4, 0, (0, 1, 2))
    begin, end = highlight(replace(motion, collapses=(large, *motion.collapses)), 14.0, 2.0)
    assert begin < 5.0 < end < SET_OFF


@pytest.mark.parametrize(("begin", "end"), [(0.52, 0.92), (1.52, 2.52), (2.0, 8.0), (3.2, 5.0), (5.0, 7.0)])
def test_a_film_that_is_cut_shows_the_hand_of_the_whole(replay: Replay, begin: float, end: float) -> None:
    whole, cut = (
        film_of(replay, bodies(), TELLING, Recipe(pace="true", fps=25, cards=False, begin=first, end=last))
        for first, last in ((0.0, None), (begin, end))
    )
    hand = [name not in NAMES for name in whole.names]
    start = round(begin * 25)
    expected = whole.poses[start : start + len(cut), hand]
    np.testing.assert_allclose(cut.poses[:, hand], expected, atol=1e-6)
    # in the hand from 1 to 3 seconds; it comes and goes in less than half a second
    assert np.isnan(expected).all() == (begin > LAID + 0.5)


def test_the_hand_stands_still_while_the_result_of_a_cut_film_does(replay: Replay) -> None:
    film = film_of(replay, bodies(), TELLING, Recipe(pace="true", fps=20, begin=1.5, end=2.0))
    hand = film.poses[:, [name not in NAMES for name in film.names]]
    assert np.isfinite(hand).all()
    np.testing.assert_array_equal(hand[film.moments == 1.5], hand[0][None].repeat(49, axis=0))
    np.testing.assert_array_equal(hand[-20:], hand[-1][None].repeat(20, axis=0))
