"""Turns between poses, beside scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine.pose import angle_between, rotation_vector

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
