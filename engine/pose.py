"""Poses: where a piece frame is in the world. Metres, unit quaternions xyzw, Z up, right-handed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from teeter.engine.geometry.rotation import Array, matrix_of, quaternion_of


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (metres) and orientation (unit quaternion xyzw) of a piece frame in the world."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @property
    def matrix(self) -> Array:
        """The rotation as a (3, 3) matrix: world = matrix @ local + position."""
        return matrix_of(self.orientation)

    @classmethod
    def of(cls, position: Array, matrix: Array) -> Pose:
        """A pose from a (3,) position and a (3, 3) rotation matrix."""
        x, y, z = (float(value) for value in position)
        return cls((x, y, z), quaternion_of(matrix))

    @classmethod
    def of_row(cls, row: Iterable[float]) -> Pose:
        """A pose from its seven numbers: metres and xyzw."""
        x, y, z, a, b, c, d = row
        return cls((x, y, z), (a, b, c, d))

    @property
    def row(self) -> tuple[float, ...]:
        """Its seven numbers: metres and xyzw."""
        return *self.position, *self.orientation

    def apply(self, points: Array) -> Array:
        """Points (n, 3) or (3,) of the piece frame, in the world."""
        return np.asarray(points @ self.matrix.T + np.asarray(self.position))

    def then(self, outer: Pose) -> Pose:
        """This pose carried along by `outer`: first this, then the outer motion."""
        return Pose.of(outer.apply(np.asarray(self.position)), outer.matrix @ self.matrix)


def vector_of(point: Array) -> tuple[float, float, float]:
    """Returns a point (3,) as a tuple."""
    x, y, z = point.tolist()
    return x, y, z
