"""What a world holds and tells, as values: bodies, their scale, contacts, where all are at a step."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median

import numpy as np
from numpy.typing import NDArray

from teeter.engine.load import Load
from teeter.engine.pose import Pose
from teeter.engine.settings import (
    GRAVITY,
    HUMAN_SIZES,
    RATES,
    REFERENCE_RATE,
    REFERENCE_SIZE,
    UNITS_PER_PIECE,
)
from teeter.models.piece import Piece

Vector = tuple[float, float, float]
DOWN: Vector = (0.0, 0.0, -GRAVITY)
"""Gravity on a level table, m/s^2."""

TABLE = "table"
FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Body:
    """A piece with a name and a pose. `fixed`: an immovable support. loads: what acts on it besides its weight.
    rolling: other bodies by name and the resistance to rolling on them in metres, where it is not the materials'."""

    name: str
    piece: Piece
    pose: Pose
    fixed: bool = False
    loads: tuple[Load, ...] = ()
    rolling: tuple[tuple[str, float], ...] = ()

    @property
    def centre_of_mass(self) -> NDArray[np.float64]:
        """(3,) in the world, metres."""
        return self.pose.apply(self.piece.centre_of_mass)

    def at(self, pose: Pose) -> Body:
        """Returns the same body elsewhere."""
        return replace(self, pose=pose)

    def rubbing(self, friction: float) -> Body:
        """Returns the same body with another coefficient of friction."""
        return replace(self, piece=_rubbing(self.piece, friction))


@lru_cache(maxsize=1024)
def _rubbing(piece: Piece, friction: float) -> Piece:
    """The same one every time: what is kept by piece, its features and hulls, is made once."""
    return replace(piece, material=piece.material.model_copy(update={"friction": friction}))


@dataclass(frozen=True, slots=True)
class Assembly:
    """Bodies at rest or about to be: what a check, a game start or a rebuild begins from.

    The table is a fixed body named `table`; an assembly may lack one. Names are unique; order is the file's.
    """

    name: str
    bodies: tuple[Body, ...]

    @property
    def free(self) -> tuple[Body, ...]:
        """The bodies that can move."""
        return tuple(body for body in self.bodies if not body.fixed)

    @property
    def pieces(self) -> tuple[Body, ...]:
        """The bodies but the table."""
        return tuple(body for body in self.bodies if body.name != TABLE)

    @property
    def table(self) -> Body | None:
        """The table, where there is one."""
        return next((body for body in self.bodies if body.name == TABLE), None)

    def only(self, names: Container[str]) -> Assembly:
        """Returns the same with some bodies alone."""
        return replace(self, bodies=tuple(body for body in self.bodies if body.name in names))

    def without(self, names: Container[str]) -> Assembly:
        """Returns the same without some bodies."""
        return replace(self, bodies=tuple(body for body in self.bodies if body.name not in names))


@dataclass(frozen=True, slots=True)
class Scale:
    """How a world is made non-dimensional. length: metres a unit; mass: kilograms a unit; rate: steps a second.

    Lengths and masses are those of the median free piece. Time follows from sqrt(length / g): a stone arch a
    hundred times larger moves ten times slower, so its steps may be ten times longer; the rate is the nearest
    of `RATES`. In these units a scene of 10 mm pieces and one of 10 m pieces are the same numbers.
    """

    length: float
    mass: float
    rate: int

    @classmethod
    def of(cls, bodies: Iterable[Body], rate: int | None = None) -> Scale:
        """Returns the scale of a scene. Raises ValueError for a rate that is not one of `RATES`."""
        listed = tuple(bodies)
        free = tuple(body for body in listed if not body.fixed) or listed
        size = float(median([median_size(body.piece) for body in free])) if free else REFERENCE_SIZE
        mass = float(median([body.piece.mass for body in free])) if free else 0.02
        if rate is None:
            wanted = REFERENCE_RATE * math.sqrt(REFERENCE_SIZE / size)
            rate = min(RATES, key=lambda allowed: abs(math.log(allowed / wanted)))
        elif rate not in RATES:
            raise ValueError(f"a rate of {rate} steps per second is not allowed; choose one of {RATES}")
        return cls(size / UNITS_PER_PIECE, mass, rate)

    @property
    def size(self) -> float:
        """Metres of the median piece."""
        return self.length * UNITS_PER_PIECE

    @property
    def finer(self) -> Scale:
        """The same with twice the steps a second, as many as there may be."""
        return replace(self, rate=min(2 * self.rate, max(RATES)))


@lru_cache(maxsize=1024)
def median_size(piece: Piece) -> float:
    """Returns the size of a piece in metres: the cube root of its bounding box's volume."""
    return float(np.cbrt(np.prod(piece.extents)))


def typical_size(bodies: Iterable[Body]) -> float:
    """Returns the median size of the free pieces in metres; that of a brick when there are none."""
    sizes = [median_size(body.piece) for body in bodies if not body.fixed]
    return float(median(sizes)) if sizes else REFERENCE_SIZE


def magnification(bodies: Iterable[Body]) -> float:
    """Returns how much larger than the games' pieces a scene is: 1 within `HUMAN_SIZES`, proportional outside."""
    size = typical_size(bodies)
    return size / min(max(size, HUMAN_SIZES[0]), HUMAN_SIZES[1])


def tilted_gravity(angle: float, direction: float) -> Vector:
    """Returns gravity (m/s^2) in the frame of a table tilted by an angle, downhill towards a direction; radians, the
    direction counter-clockwise from +x."""
    along = GRAVITY * math.sin(angle)
    return along * math.cos(direction), along * math.sin(direction), -GRAVITY * math.cos(angle)


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact point between two bodies, `a` before `b` by name.

    point: metres, in the world. normal: unit, from `b` towards `a`. distance: metres, negative when they
    overlap. force: newtons, along the normal. friction: newtons, the tangential force on `a`; None where only the
    contacts of named bodies were asked for, and from an engine that does not tell it.
    """

    a: str
    b: str
    point: Vector
    normal: Vector
    distance: float
    force: float
    friction: Vector | None


@dataclass(frozen=True, slots=True, eq=False)
class Tick:
    """The world after a step. names: the free bodies, in the order they were added.

    poses: (n, 7) metres and xyzw, of the piece frames. speeds: (n,) m/s, the fastest point of each body
    (bound by its bounding sphere). contacts: sorted by names then position; None when the caller did not ask.
    """

    step: int
    names: tuple[str, ...]
    poses: NDArray[np.float64]
    speeds: NDArray[np.float64]
    contacts: tuple[Contact, ...] | None = None
