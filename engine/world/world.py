"""The world as everyone but its engine sees it: named bodies, poses, contacts, an integer clock.

`engine.worlds.new_world` makes one; what stands on a world knows this file only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from teeter.engine.load import Load
from teeter.engine.pose import Pose, vector_of
from teeter.engine.settings import TUNING, Tuning
from teeter.engine.world.body import DOWN, Body, Contact, Scale, Tick, Vector
from teeter.engine.world.rolling import RollingResistance, Wound


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(ABC):
    """A world at one moment, as a value that can be pickled: any number of equal worlds can be made from it.

    Poses alone would not do: what holds a tower still is the forces in its contacts, and where its friction last
    stuck. A world put together from poses alone finds other ones, and a tower rebuilt so 200 times wanders by
    centimetres. Never restore one from a file that came from elsewhere.
    """

    step: int
    scale: Scale
    tuning: Tuning
    gravity: Vector
    wound: Wound = field(default=({}, {}, 0), kw_only=True)
    """How far pairs that resist rolling have wound up."""

    def at_step(self, step: int) -> Self:
        """Returns the same moment with the clock set to another step."""
        return replace(self, step=step)

    @abstractmethod
    def restored(self) -> World:
        """Returns a fresh world that goes on from here; all of them go on alike. Raises RuntimeError when the engine
        cannot read it."""


class World(ABC):
    """What a session, a check or a test may ask of a world. All units SI, all frames piece frames.

    A world is a context manager that closes itself: simulators are freed by hand. bodies: put in at once, in order.
    rate: steps per second, one of `settings.RATES`; by default what suits the size of the pieces. Raises ValueError for
    a doubled name or an unknown rate.
    """

    scale: Scale
    """How the world is made non-dimensional."""
    gravity: Vector
    """Gravity in m/s^2."""

    def __init__(
        self,
        bodies: Iterable[Body] = (),
        *,
        rate: int | None = None,
        scale: Scale | None = None,
        tuning: Tuning = TUNING,
    ) -> None:
        listed = tuple(bodies)
        self.scale, self.tuning, self._step = scale or Scale.of(listed, rate), tuning, 0
        self._bodies: dict[str, Any] = {}
        self._loads: dict[str, tuple[Load, ...]] = {}
        self._share = 1.0
        self._rolling = RollingResistance()
        self._open()
        self.set_gravity(DOWN)
        try:
            for body in listed:
                self.add(body)
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _open(self) -> None:
        """Make the simulator, without a body in it."""

    @property
    def step(self) -> int:
        """Steps taken since the world was made."""
        return self._step

    @property
    def rate(self) -> int:
        """Steps per simulated second."""
        return self.scale.rate

    @property
    def names(self) -> tuple[str, ...]:
        """All bodies, fixed ones too, in the order they were added."""
        return tuple(self._bodies)

    @abstractmethod
    def add(self, body: Body) -> None:
        """Put a body into the world, at rest. Raises ValueError when the name is taken."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a body out. Raises KeyError for an unknown name."""

    def advance(self, steps: int = 1, *, contacts: bool | Iterable[str] = False) -> Tick:
        """Take steps, then read the poses; contacts of all bodies or of the named ones only when asked, because
        reading them is slow."""
        self.run(steps)
        return self.read(contacts=contacts)

    @abstractmethod
    def run(self, steps: int = 1) -> None:
        """Take steps and read nothing: what a loop does between two frames."""

    def wait(self, steps: int) -> None:
        """Let time pass in which nothing moves."""
        self._check()
        self._step += steps

    @abstractmethod
    def settle(self, stages: int = 1) -> None:
        """Let a scene that was put together at rest find its contact forces; stops what moves. Takes
        `Tuning.settle_steps` steps, in which gravity grows in so many equal stages to what it is."""

    def _take_weight(self, stages: int) -> None:
        """Take the steps of `settle`."""
        whole, begun, steps = self.gravity, self.step, self.tuning.settle_steps
        for stage in range(1, stages + 1):
            self._share = stage / stages
            x, y, z = (self._share * value for value in whole)
            self.set_gravity((x, y, z))
            self.run(begun + round(stage * steps / stages) - self.step)

    def _take_loads(self, body: Body) -> None:
        """Remember what acts on a body that is put in."""
        if not body.fixed and (forces := tuple(load for load in body.loads if load.is_force)):
            self._loads[body.name] = forces
        self._rolling.add(body)

    def _pull(self) -> None:
        """Apply the loads of the bodies during the next step, as much of them as there is of gravity."""
        for name, loads in self._loads.items():
            pose = self.pose(name)
            for load in loads:
                x, y, z = (self._share * value for value in load.force)
                self.push(name, (x, y, z), vector_of(pose.apply(np.array(load.point))))

    def _resist(self) -> None:
        """Turn what rolls by its resistance during the next step."""
        if self._rolling.is_needed:
            turns = {body.name: (pose.matrix, spin) for body, pose, _, spin in self._motions()}
            for name, torque in self._rolling.torques(self.contacts(), turns, self.rate).items():
                self._turn(name, torque)

    def _turn(self, name: str, torque: NDArray[np.float64]) -> None:
        """Apply a torque (3,) in N m during the next step."""
        self.push(name, (0.0, 0.0, 0.0), torque=vector_of(torque))

    @abstractmethod
    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        """Returns the present state without taking a step."""

    @abstractmethod
    def contacts(self, names: Iterable[str] | None = None) -> tuple[Contact, ...]:
        """Returns the contacts that carry force, of all bodies or of the named ones, without reading any pose."""

    @abstractmethod
    def pose(self, name: str) -> Pose:
        """Returns where a body is now. Raises KeyError for an unknown name."""

    @abstractmethod
    def speed(self, name: str) -> float:
        """Returns how fast the fastest point of a body is at most, m/s. Raises KeyError for an unknown name."""

    @abstractmethod
    def push(
        self, name: str, force: Vector, point: Vector | None = None, torque: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        """Apply a force (N, at a point or the centre of mass) and a torque (N m) during the next step."""

    @abstractmethod
    def launch(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Give a body a velocity (m/s, of its centre of mass) and a spin (rad/s) from now on."""

    @abstractmethod
    def set_friction(self, name: str, times: float) -> None:
        """The friction of a body with every other, as a multiple of that of the materials, from now on; a snapshot does
        not keep it."""

    @abstractmethod
    def set_gravity(self, gravity: Vector) -> None:
        """Gravity in m/s^2; tilting a table is turning gravity."""

    def energy(self) -> tuple[float, float]:
        """Returns kinetic energy, and potential energy in the present gravity, of the free bodies in joules."""
        kinetic = potential = 0.0
        for body, pose, velocity, spin in self._motions():
            piece, local = body.piece, pose.matrix.T @ spin
            kinetic += 0.5 * piece.mass * float(velocity @ velocity)
            kinetic += 0.5 * float(local @ piece.inertia @ local)
            potential -= piece.mass * float(np.dot(self.gravity, pose.apply(piece.centre_of_mass)))
        return kinetic, potential

    def motion(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the velocity (3,) of a free body's centre of mass in m/s and its spin (3,) in rad/s. Raises KeyError
        for one that is not in the world or does not move."""
        for body, _, velocity, spin in self._motions():
            if body.name == name:
                return velocity, spin
        raise KeyError(f"no free body is named {name!r} in this world")

    @abstractmethod
    def _motions(self) -> Iterable[tuple[Body, Pose, NDArray[np.float64], NDArray[np.float64]]]:
        """Yields each free body with its pose, the velocity (3,) of its centre of mass in m/s and its spin (3,) in
        rad/s."""

    def isolated(self, body: Body) -> World:
        """Returns a world of this kind with one of these bodies only, at the same step, moving as it does here."""
        world = type(self)([body], scale=self.scale, tuning=self.tuning)
        world.set_gravity(self.gravity)
        world.wait(self.step)
        world.follow(self, body.name)
        return world

    @abstractmethod
    def follow(self, other: World, name: str) -> None:
        """Put a body where it is in another world of this kind and scale, moving as it does there."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Returns the world as it is now."""

    @abstractmethod
    def _check(self) -> None:
        """Raises RuntimeError when the world is closed."""

    def _check_new(self, name: str) -> None:
        """Raises ValueError when the name of a body is taken."""
        if name in self._bodies:
            raise ValueError(f"there is a body named {name!r} already; names are unique")

    @abstractmethod
    def close(self) -> None:
        """Free the simulator. A closed world raises RuntimeError when used; closing twice is fine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
