"""Between frames: straight lines and great arcs, held against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_record_roundtrip import RATE, meta

from teeter.engine.geometry.rotation import slerp
from teeter.engine.record.reader import Replay, between

SHARES = st.floats(0, 1)


def about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """The quaternion (1, 4) of a turn about a unit axis."""
    return np.array([[*(math.sin(angle / 2) * axis), math.cos(angle / 2)]])


@given(st.floats(-3.1, 3.1), SHARES, st.integers(0, 99), st.sampled_from([-1, 1]))
def test_a_turn_about_an_axis_goes_evenly(angle: float, share: float, seed: int, sign: int) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    found = slerp(about(axis, 0.0), sign * about(axis, angle), share)
    assert np.allclose(found, about(axis, share * angle), atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-7, 1.9e-6, 2.1e-6, 1e-4])
def test_small_turns_lose_no_digits(angle: float) -> None:
    axis = np.array([0.6, 0.0, 0.8])
    found = slerp(about(axis, 0.0), about(axis, angle), 0.25)
    assert np.allclose(found[0, :3], axis * math.sin(angle / 8), rtol=1e-9, atol=1e-25)


def test_the_shorter_way_is_taken() -> None:
    z = np.array([0.0, 0.0, 1.0])
    half = slerp(about(z, math.radians(170)), about(z, math.radians(-170)), 0.5)
    assert np.allclose(np.abs(half), np.abs(about(z, math.pi)), atol=1e-12)


def test_half_a_turn_is_some_turn_of_unit_length() -> None:
    z = np.array([0.0, 0.0, 1.0])
    assert np.linalg.norm(slerp(about(z, 0.0), about(z, math.pi), 0.3)) == pytest.approx(1.0)


def test_absent_bodies() -> None:
    here, gone = np.array([[1.0, 2, 3, 0, 0, 0, 1]]), np.full((1, 7), np.nan)
    assert np.array_equal(between(here, gone, 0.7), here)
    assert np.isnan(between(gone, here, 0.7)).all()
    assert np.isnan(between(gone, gone, 0.7)).all()


def replay(steps: list[int], rows: NDArray[np.float64]) -> Replay:
    poses = np.asarray(rows, dtype=np.float32).reshape(len(steps), 1, 7)
    head = meta(("slab",))
    return Replay(Path("x"), head, (), (), np.array(steps, dtype=np.int64), poses, (), is_complete=True)


def test_a_screw_is_followed() -> None:
    """Five turns a second in frames of 1/60 s: the arcs are exact, the positions straight between frames."""
    z, steps = np.array([0.0, 0.0, 1.0]), list(range(0, 241, 4))
    turn = 2 * math.pi * 5 / RATE
    rows = np.array([[0.01 * step, 0.2, -0.001 * step, *about(z, turn * step)[0]] for step in steps])
    seen = replay(steps, rows)
    for seconds in np.linspace(0, 1, 97):
        step = seconds * RATE
        row = seen.frame_at(seconds)[0]
        assert np.allclose(row[:3], [0.01 * step, 0.2, -0.001 * step], atol=1e-6)
        assert abs(row[3:] @ about(z, turn * step)[0]) == pytest.approx(1.0, abs=1e-6)


def test_before_the_first_and_after_the_last_frame() -> None:
    rows = np.array([[1.0, 0, 0, 0, 0, 0, 1], [2.0, 0, 0, 0, 0, 0, 1]])
    seen = replay([10, 20], rows)
    assert [seen.pose_at(step)[0, 0] for step in (-5, 9, 10, 12.5, 20, 99)] == [1, 1, 1, 1.25, 2, 2]
    assert replay([5], rows[:1]).pose_at(0)[0, 0] == 1
    assert np.isnan(replay([], rows[:0]).pose_at(3)).all()
    assert replay([], rows[:0]).seconds == 0
