"""Rotations, beside scipy's and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from teeter.engine.geometry import vectors
from teeter.engine.geometry.rotation import (
    angle_between,
    angles_between,
    even_directions,
    matrices_of,
    nudged,
    rotation_vector,
    shortest_rotation,
    slerp,
)

Quaternion = tuple[float, float, float, float]


def quaternion(rotation: Rotation) -> Quaternion:
    x, y, z, w = (float(value) for value in rotation.as_quat())
    return x, y, z, w


@pytest.mark.parametrize("degrees", [0.0, 1e-7, 0.01, 30.0, 179.9])
def test_the_turn_from_one_pose_to_another(degrees: float) -> None:
    rng = np.random.default_rng(1)
    for start in Rotation.random(20, random_state=2):
        axis = rng.normal(size=3)
        turn = math.radians(degrees) * axis / np.linalg.norm(axis)
        first, second = quaternion(start), quaternion(Rotation.from_rotvec(turn) * start)
        opposite = (-second[0], -second[1], -second[2], -second[3])
        for end in (second, opposite):
            assert np.allclose(rotation_vector(first, end), turn, atol=1e-12)
            assert angle_between(first, end) == pytest.approx(math.radians(degrees), abs=1e-12)


def test_of_half_a_turn_either_way_round_is_short() -> None:
    assert np.allclose(rotation_vector((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0)), (0.0, 0.0, math.pi))


def unit(*xyz: float) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.array(xyz) / np.linalg.norm(xyz)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_shortest_rotation_between_directions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = unit(*rng.normal(size=3)), unit(*rng.normal(size=3))
    found = Rotation.from_matrix(shortest_rotation(first, second))
    assert np.allclose(found.apply(first), second, atol=1e-12)
    assert found.magnitude() == pytest.approx(math.acos(float(first @ second)), abs=1e-9)


@pytest.mark.parametrize("first", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1, 2, 3), (1e-5, 0, 1)])
def test_between_opposite_directions_it_is_half_a_turn(first: tuple[float, float, float]) -> None:
    start = unit(*first)
    matrix = shortest_rotation(start, -start)
    assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    assert np.allclose(matrix @ start, -start, atol=1e-12)
    assert np.array_equal(shortest_rotation(start, start), np.eye(3))


def test_half_a_turn_about_x_is_exact() -> None:
    assert np.array_equal(shortest_rotation(unit(0, 0, 1), unit(0, 0, -1)), np.diag([1.0, -1.0, -1.0]))


def test_slerp_goes_at_constant_speed_and_takes_one_share_for_each_row() -> None:
    first, last = np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, -1.0, 0.0]])
    shares = np.array([[0.0], [0.25], [1.0]])
    found = Rotation.from_quat(slerp(first, last, shares)).magnitude()
    assert found == pytest.approx([0.0, math.pi / 4, math.pi])
    assert np.allclose(slerp(first, last, 0.25)[0], slerp(first, last, shares)[1])


def test_even_directions_leave_no_gap() -> None:
    found = even_directions(32)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    assert np.abs(found.sum(axis=0)).max() < 0.5
    assert np.sort(found @ found.T, axis=1)[:, -2].min() > math.cos(math.radians(45))


def test_small_rotations_nudge() -> None:
    small = np.array([[1e-6, -2e-6, 3e-6]])
    found = Rotation.from_quat(nudged(np.array([[0.0, 0.0, 0.0, 1.0]]), small)).as_rotvec()
    assert np.allclose(found, small, atol=1e-15)


def test_one_is_nudged_in_plain_arithmetic_to_the_same_bit() -> None:
    luck = np.random.default_rng(3)
    turns = luck.normal(size=(200, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    small = 1e-2 * luck.normal(size=(200, 3))
    for turn, rotation, (x, y, z, w) in zip(turns, small, nudged(turns, small).tolist(), strict=True):
        (a, b, c, d), (i, j, k) = turn.tolist(), rotation.tolist()
        assert vectors.nudged((a, b, c, d), (i, j, k)) == (x, y, z, w)


def test_matrices_row_by_row_are_those_of_scipy() -> None:
    turns = Rotation.random(50, random_state=4)
    assert np.allclose(matrices_of(turns.as_quat()), turns.as_matrix(), atol=1e-14)


def test_angles_row_by_row_are_those_of_pairs() -> None:
    first, second = Rotation.random(30, random_state=3), Rotation.random(30, random_state=4)
    rows = angles_between(first.as_quat(), second.as_quat())
    pairs = [angle_between(quaternion(a), quaternion(b)) for a, b in zip(first, second, strict=True)]
    assert np.allclose(rows, pairs, atol=1e-12)
    assert np.allclose(rows, (second * first.inv()).magnitude(), atol=1e-9)
