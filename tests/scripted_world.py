"""The fake: a `World` that moves as it was told and remembers what was asked of it. Loads no simulator.

For tests of everything that stands on a world, whole games too. Forces, launches and gravity do nothing here but to be
recorded in `calls`: the script alone moves bodies and presses them together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.motions import between
from teeter.engine.pose import Pose
from teeter.engine.settings import TUNING, Tuning
from teeter.engine.world.body import Body, Contact, Scale, Tick, Vector
from teeter.engine.world.world import Snapshot, World

Array = NDArray[np.float64]
Keyframes = Sequence[tuple[int, Pose]]
"""Steps, increasing, and where a body is at each."""


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked of the world: before which step, which method, with which arguments."""

    step: int
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """A contact that is there after the steps `start`, `start + 1` ... `stop - 1`."""

    contact: Contact
    start: int
    stop: int


def hold(a: str, b: str, start: int, stop: int, force: float = 1.0) -> Hold:
    """Returns a contact between two bodies that carries `force` newtons, `a` lying on `b`."""
    normal = (0.0, 0.0, 1.0 if a < b else -1.0)
    contact = Contact(min(a, b), max(a, b), (0.0, 0.0, 0.0), normal, 0.0, force, (0.0, 0.0, 0.0))
    return Hold(contact, start, stop)


@dataclass(frozen=True, slots=True, eq=False)
class ScriptedSnapshot(Snapshot):
    """A `Snapshot` of a `ScriptedWorld`: the bodies where they are, and the script."""

    bodies: tuple[Body, ...]
    paths: Mapping[str, Keyframes]
    holds: Sequence[Hold]

    def restored(self) -> ScriptedWorld:
        world = ScriptedWorld(paths=self.paths, holds=self.holds, scale=self.scale)
        world._step, world.gravity = self.step, self.gravity
        for body in self.bodies:
            world._put(body)
        return world


class ScriptedWorld(World):
    """A `World` that plays back a script.

    paths: for each body the steps at which it is somewhere; straight between them, still before and after. Entries from
    before a body was added are passed over, so a body that is taken out and put back lies where it was put until its
    next entry. holds: contacts; shown only while both bodies are there. Both are read at every step, here and in the
    worlds restored from this one, so more may be written while it plays. tuning: ignored. Raises ValueError for a
    doubled name, an unknown rate, and a path that is not in order.
    """

    _bodies: dict[str, tuple[int, Body]]

    def __init__(
        self,
        bodies: Iterable[Body] = (),
        *,
        paths: Mapping[str, Keyframes] | None = None,
        holds: Sequence[Hold] = (),
        rate: int | None = None,
        scale: Scale | None = None,
        tuning: Tuning = TUNING,
    ) -> None:
        listed = tuple(bodies)
        self.calls: list[Call] = []
        self._is_closed = False
        self._paths, self._holds = paths if paths is not None else {}, holds
        for name, path in self._paths.items():
            if any(later[0] <= earlier[0] for earlier, later in pairwise(path)):
                raise ValueError(f"the path of {name!r} is not in order; its steps must increase")
        super().__init__(scale=scale or Scale.of(listed, rate), tuning=tuning)
        # what it is made with is no call
        self.calls.clear()
        for body in listed:
            self._put(body)

    # -- what a World does -------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Nothing is simulated."""

    def add(self, body: Body) -> None:
        self._call("add", body)
        self._put(body)

    def remove(self, name: str) -> None:
        self._find(name)
        self._call("remove", name)
        del self._bodies[name]

    def run(self, steps: int = 1) -> None:
        self._call("run", steps)
        self._step += steps

    def wait(self, steps: int) -> None:
        """Let time pass; what the script moves meanwhile moves."""
        self._call("wait", steps)
        self._step += steps

    def settle(self, stages: int = 1) -> None:
        """Take as many steps as settling takes in the real world."""
        self._call("settle")
        self._step += TUNING.settle_steps

    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        self._check()
        free = [body for _, body in self._bodies.values() if not body.fixed]
        poses = np.zeros((len(free), 7))
        speeds = np.zeros(len(free))
        for row, body in enumerate(free):
            pose = self._at(body.name, self._step)
            poses[row] = (*pose.position, *pose.orientation)
            speeds[row] = self.speed(body.name)
        found = None if contacts is False else self.contacts(None if contacts is True else contacts)
        return Tick(self._step, tuple(body.name for body in free), poses, speeds, found)

    def pose(self, name: str) -> Pose:
        self._find(name)
        return self._at(name, self._step)

    def contacts(self, names: Iterable[str] | None = None) -> tuple[Contact, ...]:
        self._check()
        asked = None if names is None else frozenset(names)
        for name in asked or ():
            self._find(name)
        here = [
            # as in the real world, friction is told only when all contacts are read
            item.contact if asked is None else replace(item.contact, friction=None)
            for item in self._holds
            if item.start <= self._step < item.stop
            and {item.contact.a, item.contact.b} <= self._bodies.keys()
            and (asked is None or asked & {item.contact.a, item.contact.b})
        ]
        return tuple(sorted(here, key=lambda contact: (contact.a, contact.b, contact.point)))

    def speed(self, name: str) -> float:
        """Returns a bound on the speed of the fastest point of a body in the last step, m/s, as the real world gives
        it."""
        body = self._find(name)
        now, before = self._at(name, self._step), self._at(name, self._step - 1)
        gone = np.subtract(now.position, before.position)
        angle = angle_between(before.orientation, now.orientation)
        return float(np.linalg.norm(gone) + angle * np.linalg.norm(body.piece.extents) / 2) * self.rate

    def push(
        self, name: str, force: Vector, point: Vector | None = None, torque: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        """Recorded; moves nothing."""
        self._find(name)
        self._call("push", name, force, point, torque)

    def launch(self, name: str, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Recorded; moves nothing."""
        self._find(name)
        self._call("launch", name, velocity, spin)

    def set_friction(self, name: str, times: float) -> None:
        """Recorded; nothing rubs here."""
        self._call("set_friction", name, times)

    def set_gravity(self, gravity: Vector) -> None:
        """Recorded; counts in `energy` only."""
        self._call("set_gravity", gravity)
        self.gravity = gravity

    def _motions(self) -> Iterable[tuple[Body, Pose, NDArray[np.float64], NDArray[np.float64]]]:
        """Yields what moves along the script, which knows no spin."""
        self._check()
        for name, (_, body) in self._bodies.items():
            if not body.fixed:
                now, before = (self._centre(body, step) for step in (self._step, self._step - 1))
                yield body, self._at(name, self._step), (now - before) * self.rate, np.zeros(3)

    def _alone(self, body: Body) -> ScriptedWorld:
        """Returns a world of the same script with one of these bodies only."""
        return replace(self.snapshot(), step=0, bodies=(body.at(self.pose(body.name)),)).restored()

    def follow(self, other: World, name: str) -> None:
        """Put a body where it is in another world, until its next entry in the script."""
        self._bodies[name] = (self._step, self._find(name).at(other.pose(name)))

    def snapshot(self) -> ScriptedSnapshot:
        self._check()
        bodies = tuple(body.at(self._at(name, self._step)) for name, (_, body) in self._bodies.items())
        return ScriptedSnapshot(
            self._step, self.scale, self.tuning, self.gravity, bodies, self._paths, self._holds
        )

    def close(self) -> None:
        self._is_closed = True

    # -- the script --------------------------------------------------------------------------------------------

    def _check(self) -> None:
        if self._is_closed:
            raise RuntimeError("this world is closed; make a new one")

    def _call(self, method: str, *arguments: Any) -> None:
        self._check()
        self.calls.append(Call(self._step, method, arguments))

    def _put(self, body: Body) -> None:
        self._check_new(body.name)
        self._bodies[body.name] = (self._step, body)

    def _find(self, name: str) -> Body:
        self._check()
        if name not in self._bodies:
            raise KeyError(f"no body is named {name!r} in this world")
        return self._bodies[name][1]

    def _at(self, name: str, step: int) -> Pose:
        """Returns where the script has a body after a step."""
        added, body = self._bodies[name]
        keys = [key for key in self._paths.get(name, ()) if key[0] >= added]
        if not keys or keys[0][0] > added:
            keys.insert(0, (added, body.pose))
        later = bisect_right([key[0] for key in keys], step)
        if later in (0, len(keys)):
            return keys[max(0, later - 1)][1]
        (start, first), (stop, second) = keys[later - 1], keys[later]
        return first if step == start else between(first, second, (step - start) / (stop - start))

    def _centre(self, body: Body, step: int) -> Array:
        return self._at(body.name, step).apply(body.piece.centre_of_mass)
