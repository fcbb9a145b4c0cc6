"""What every reader of somebody else's format gives: rigid bodies in SI units, Z up, and what else the file holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teeter.models.piece import Array, Ints
from teeter.scenes.assemble import MM
from teeter.scenes.reading import MAX_PIECES
from teeter.scenes.scene import SceneError

ROUNDING = 1e-7
"""Relative: single precision keeps as much, and what differs by less is the same."""
SLANT = 1e-6
"""Sine of the angle up to which a plane counts as level."""
SAME_HEIGHT = 1e-9
"""Metres, of two planes that are one ground."""
LARGEST = 1e6
"""Metres: beyond it a number is a slip, or not finite."""


class FormatError(SceneError):
    """A file of another format that cannot be read as a scene."""


def check_count(count: int, file: str, what: str) -> None:
    """Raises FormatError for more of something than a scene may have: before it is made."""
    if count > MAX_PIECES:
        raise FormatError.of(file, f"there are {count} {what} or more; at most {MAX_PIECES} are allowed")


@dataclass(frozen=True, slots=True, eq=False)
class BodyPart:
    """A solid of a body. matrix: (4, 4) from its frame to the body's, rigid. shape: as scene files have it, mm, about
    its centre; None: a mesh of vertices (n, 3) metres and faces (f, 3)."""

    matrix: Array
    shape: Mapping[str, Any] | None = None
    vertices: Array | None = None
    faces: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mass:
    """kg; centre (3,) metres, NaN where the file gives none, and inertia (3, 3) kg m^2 about it, None where it gives
    none, in the body's frame."""

    mass: float
    centre: Array
    inertia: Array | None

    def moved(self, matrix: Array) -> Mass:
        """Returns the same in a frame that `matrix` (4, 4) leads to."""
        turn = matrix[:3, :3]
        inertia = None if self.inertia is None else turn @ self.inertia @ turn.T
        return Mass(self.mass, turn @ self.centre + matrix[:3, 3], inertia)


@dataclass(slots=True, eq=False)
class RigidBody:
    """matrix: (4, 4) from its frame to the world. masses: of what it was welded from; none: `density` or the material
    says. friction: between two surfaces of it as scene files mean it; None: the material's. usual: kg of a link that
    gives no mass, once it is welded to one that does; None: it gives one."""

    name: str
    matrix: Array
    parts: list[BodyPart]
    fixed: bool = False
    masses: list[Mass] = field(default_factory=list)
    density: float | None = None
    friction: float | None = None
    usual: float | None = None


@dataclass(slots=True, eq=False)
class Described:
    """A file. ground: height of a level plane under everything, metres; None: there is none. has_table: without a
    ground, whether pieces stand on teeter's table. lowest: that table lies under everything. notes: what is told. unit,
    up: metres and the axis of the file, which was brought to metres and z."""

    title: str
    bodies: list[RigidBody]
    ground: float | None = None
    ground_friction: float | None = None
    has_table: bool = False
    lowest: bool = False
    notes: list[str] = field(default_factory=list)
    unit: float = 1.0
    up: str = "z"


def placed(position: Iterable[float], turn: Array | None = None) -> Array:
    """Returns the matrix (4, 4) of a place and a rotation matrix (3, 3)."""
    matrix = np.eye(4)
    matrix[:3, 3] = list(position)
    if turn is not None:
        matrix[:3, :3] = turn
    return matrix


def turned_by(roll: float, pitch: float, yaw: float) -> Array:
    """Returns the rotation matrix (3, 3) of angles in radians about the fixed x, y and z, in this order."""
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def capsule(radius: float, length: float) -> dict[str, Any]:
    """Returns the shape of a cylinder along z with round ends, from metres; length: of the cylinder."""
    r, half = radius / MM, length / MM / 2
    steps = [[0.0, -half - r], [r, -half, "round"], [r, half], [0.0, half + r, "round"]]
    return {"turned": {"profile": steps}}


def straight(vertices: Array, faces: Ints, matrix: Array) -> BodyPart:
    """Returns the part of a mesh; matrix: (4, 4), which may also scale, skew and mirror."""
    points = vertices @ matrix[:3, :3].T + matrix[:3, 3]
    turned = faces[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else faces
    return BodyPart(np.eye(4), None, points, turned)


class FileReader:
    """Reads one file: how messages call it, and what is to be told of it."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._notes: list[str] = []
        self._grounds: list[tuple[float, float | None]] = []

    def _fault(self, problem: str, place: str = "") -> FormatError:
        return FormatError.of(self._file, problem, place)

    def _ground_at(self, height: float, friction: float | None, place: str) -> None:
        """Take a level plane, metres high, for the ground. Raises FormatError for a second one elsewhere."""
        if self._grounds and abs(self._grounds[0][0] - height) > SAME_HEIGHT:
            raise self._fault("is a second ground at another height: leave one out, or make it a box", place)
        self._grounds.append((height, friction))

    @property
    def _ground(self) -> tuple[float | None, float | None]:
        """The height of the ground and its friction, where there is one."""
        return self._grounds[0] if self._grounds else (None, None)
