"""The world as everyone but `engine.bullet` sees it: named bodies, poses, contacts, an integer clock.

Two worlds ship: `engine.bullet.BulletWorld` (the real one) and `engine.scripted.ScriptedWorld` (plays back
prepared ticks, for tests of everything that stands on a world).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from models.piece import Piece

Vector = tuple[float, float, float]

TABLE = "table"
FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Body:
    """A piece with a name and a pose. `fixed`: an immovable support."""

    name: str
    piece: Piece
    pose: Pose
    fixed: bool = False

    def at(self, pose: Pose) -> Body:
        """The same body elsewhere."""
        return replace(self, pose=pose)


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


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact point between two bodies, `a` before `b` by name.

    point: metres, in the world. normal: unit, from `b` towards `a`. distance: metres, negative when they
    overlap. force: newtons, along the normal. friction: newtons, the tangential force on `a`; None where only the
    contacts of named bodies were asked for.
    """

    a: str
    b: str
    point: Vector
    normal: Vector
    distance: float
    force: float
    friction: Vector | None


def pressing(contacts: Iterable[Contact]) -> dict[str, float]:
    """Newtons with which each body is pressed down by others, friction on its sides included. contacts: of all
    bodies, so that their friction is known."""
    pairs: dict[tuple[str, str], float] = {}
    for contact in contacts:
        assert contact.friction is not None  # all contacts were asked for
        up = contact.force * contact.normal[2] + contact.friction[2]
        pairs[contact.a, contact.b] = pairs.get((contact.a, contact.b), 0.0) + up
    loads: dict[str, float] = {}
    for (one, other), up in sorted(pairs.items()):
        pressed = other if up > 0.0 else one
        loads[pressed] = loads.get(pressed, 0.0) + abs(up)
    return loads


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


class World(Protocol):
    """What a session, a check or a test may ask of a world. All units SI, all frames piece frames."""

    @property
    def step(self) -> int:
        """Steps taken since the world was made."""

    @property
    def rate(self) -> int:
        """Steps per simulated second."""

    @property
    def names(self) -> tuple[str, ...]:
        """All bodies, fixed ones too, in the order they were added."""

    def add(self, body: Body, velocity: Vector = (0.0, 0.0, 0.0), spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Put a body into the world, at rest or launched. Raises ValueError when the name is taken."""

    def remove(self, name: str) -> None:
        """Take a body out. Raises KeyError for an unknown name."""

    def advance(self, steps: int = 1, *, contacts: bool | Iterable[str] = False) -> Tick:
        """Take steps and read the result; contacts only when asked, because reading them is slow."""

    def settle(self) -> None:
        """Let a scene that was put together at rest find its contact forces; stops what moves."""

    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        """The present state without taking a step."""

    def pose(self, name: str) -> Pose:
        """Where a body is now. Raises KeyError for an unknown name."""

    def push(
        self, name: str, force: Vector, point: Vector | None = None, torque: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        """Apply a force (N, at a point or the centre of mass) and a torque (N m) during the next step."""

    def launch(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Give a body a velocity (m/s, of its centre of mass) and a spin (rad/s) from now on."""

    def set_gravity(self, gravity: Vector) -> None:
        """Gravity in m/s^2; tilting a table is turning gravity."""

    def energy(self) -> tuple[float, float]:
        """Kinetic energy, and potential energy in the present gravity, of the free bodies in joules."""

    def close(self) -> None:
        """Free the simulator. A closed world raises RuntimeError when used; closing twice is fine."""
