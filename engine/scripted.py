"""The shipped fake: a `World` that moves as it was told and remembers what was asked of it. Loads no
simulator.

For tests of everything that stands on a world. Forces, launches and gravity do nothing here but to be
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

from engine.geometry.rotation import angle_between
from engine.pose import Pose
from engine.settings import GRAVITY, RATES, TUNING
from engine.world import Body, Contact, Tick, Vector

Array = NDArray[np.float64]
Path = Sequence[tuple[int, Pose]]


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
    """A contact between two bodies that carries `force` newtons, `a` lying on `b`."""
    normal = (0.0, 0.0, 1.0 if a < b else -1.0)
    contact = Contact(min(a, b), max(a, b), (0.0, 0.0, 0.0), normal, 0.0, force, (0.0, 0.0, 0.0))
    return Hold(contact, start, stop)


class ScriptedWorld:
    """A `World` that plays back a script.

    paths: for each body the steps at which it is somewhere; straight between them, still before and after.
    Entries from before a body was added are passed over, so a body that is taken out and put back
    lies where it was put until its next entry. holds: contacts; shown only while both bodies are there. rate:
    steps per second. Raises ValueError for a doubled name, an unknown rate, and a path that is not in order.
    """

    def __init__(
        self,
        bodies: Iterable[Body] = (),
        *,
        paths: Mapping[str, Path] | None = None,
        holds: Iterable[Hold] = (),
        rate: int = 240,
    ) -> None:
        if rate not in RATES:
            raise ValueError(f"a rate of {rate} steps per second is not allowed; choose one of {RATES}")
        self.calls: list[Call] = []
        self._rate, self._step, self._is_closed = rate, 0, False
        self._paths = {name: tuple(path) for name, path in (paths or {}).items()}
        for name, path in self._paths.items():
            if any(later[0] <= earlier[0] for earlier, later in pairwise(path)):
                raise ValueError(f"the path of {name!r} is not in order; its steps must increase")
        self._holds = tuple(holds)
        self._gravity: Vector = (0.0, 0.0, -GRAVITY)
        self._bodies: dict[str, tuple[int, Body]] = {}
        for body in bodies:
            self._put(body)

    @classmethod
    def of_ticks(cls, bodies: Iterable[Body], ticks: Sequence[Tick], rate: int = 240) -> ScriptedWorld:
        """A world that plays back ticks, such as a recorded run; the contacts of a tick hold until the
        next."""
        paths: dict[str, list[tuple[int, Pose]]] = {}
        holds = []
        for number, tick in enumerate(ticks):
            for name, row in zip(tick.names, tick.poses.tolist(), strict=True):
                pose = Pose((row[0], row[1], row[2]), (row[3], row[4], row[5], row[6]))
                paths.setdefault(name, []).append((tick.step, pose))
            stop = ticks[number + 1].step if number + 1 < len(ticks) else tick.step + 1
            holds += [Hold(contact, tick.step, stop) for contact in tick.contacts or ()]
        return cls(bodies, paths=paths, holds=holds, rate=rate)

    # -- what a World does
    # -------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """Steps taken since the world was made."""
        return self._step

    @property
    def rate(self) -> int:
        """Steps per simulated second."""
        return self._rate

    @property
    def names(self) -> tuple[str, ...]:
        """All bodies, fixed ones too, in the order they were added."""
        return tuple(self._bodies)

    def add(self, body: Body, velocity: Vector = (0.0, 0.0, 0.0), spin: Vector = (0.0, 0.0, 0.0)) -> None:
        """Put a body into the world. Raises ValueError when the name is taken."""
        self._call("add", body, velocity, spin)
        self._put(body)

    def remove(self, name: str) -> None:
        """Take a body out. Raises KeyError for an unknown name."""
        self._find(name)
        self._call("remove", name)
        del self._bodies[name]

    def advance(self, steps: int = 1, *, contacts: bool | Iterable[str] = False) -> Tick:
        """Take steps along the script and read the result."""
        self._call("advance", steps)
        self._step += steps
        return self.read(contacts=contacts)

    def settle(self) -> None:
        """Take as many steps as settling takes in the real world."""
        self._call("settle")
        self._step += TUNING.settle_steps

    def read(self, *, contacts: bool | Iterable[str] = False) -> Tick:
        """The present state; speeds are those of the last step."""
        self._check()
        free = [body for _, body in self._bodies.values() if not body.fixed]
        poses = np.zeros((len(free), 7))
        speeds = np.zeros(len(free))
        for row, body in enumerate(free):
            pose = self._at(body.name, self._step)
            poses[row] = (*pose.position, *pose.orientation)
            speeds[row] = self._speed(body)
        asked = contacts if isinstance(contacts, bool) else frozenset(contacts)
        found = None if asked is False else self._contacts(None if asked is True else asked)
        return Tick(self._step, tuple(body.name for body in free), poses, speeds, found)

    def pose(self, name: str) -> Pose:
        """Where a body is now. Raises KeyError for an unknown name."""
        self._find(name)
        return self._at(name, self._step)

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

    def set_gravity(self, gravity: Vector) -> None:
        """Recorded; counts in `energy` only."""
        self._call("set_gravity", gravity)
        self._gravity = gravity

    def energy(self) -> tuple[float, float]:
        """Kinetic energy (of translation along the script) and potential energy of the free bodies in
        joules."""
        self._check()
        kinetic = potential = 0.0
        for _, body in self._bodies.values():
            if not body.fixed:
                now, before = (self._centre(body, step) for step in (self._step, self._step - 1))
                velocity = (now - before) * self._rate
                kinetic += 0.5 * body.piece.mass * float(velocity @ velocity)
                potential -= body.piece.mass * float(np.dot(self._gravity, now))
        return kinetic, potential

    def close(self) -> None:
        """A closed world raises RuntimeError when used; closing twice is fine."""
        self._is_closed = True

    # -- the script
    # --------------------------------------------------------------------------------------------

    def _check(self) -> None:
        if self._is_closed:
            raise RuntimeError("this world is closed; make a new one")

    def _call(self, method: str, *arguments: Any) -> None:
        self._check()
        self.calls.append(Call(self._step, method, arguments))

    def _put(self, body: Body) -> None:
        if body.name in self._bodies:
            raise ValueError(f"there is a body named {body.name!r} already; names are unique")
        self._bodies[body.name] = (self._step, body)

    def _find(self, name: str) -> Body:
        self._check()
        if name not in self._bodies:
            raise KeyError(f"no body is named {name!r} in this world")
        return self._bodies[name][1]

    def _at(self, name: str, step: int) -> Pose:
        """Where the script has a body after a step."""
        added, body = self._bodies[name]
        keys = [key for key in self._paths.get(name, ()) if key[0] >= added]
        if not keys or keys[0][0] > added:
            keys.insert(0, (added, body.pose))
        later = bisect_right([key[0] for key in keys], step)
        if later in (0, len(keys)):
            return keys[max(0, later - 1)][1]
        (start, first), (stop, second) = keys[later - 1], keys[later]
        return between(first, second, (step - start) / (stop - start))

    def _centre(self, body: Body, step: int) -> Array:
        return self._at(body.name, step).apply(body.piece.centre_of_mass)

    def _speed(self, body: Body) -> float:
        """A bound on the speed of the fastest point, as the real world gives it."""
        now, before = self._at(body.name, self._step), self._at(body.name, self._step - 1)
        gone = np.subtract(now.position, before.position)
        turn = angle_between(before.orientation, now.orientation)
        return float(np.linalg.norm(gone) + turn * np.linalg.norm(body.piece.extents) / 2) * self._rate

    def _contacts(self, names: frozenset[str] | None) -> tuple[Contact, ...]:
        for name in names or ():
            self._find(name)
        here = [
            # as in the real world, friction is told only when all contacts are read
            item.contact if names is None else replace(item.contact, friction=None)
            for item in self._holds
            if item.start <= self._step < item.stop
            and {item.contact.a, item.contact.b} <= self._bodies.keys()
            and (names is None or names & {item.contact.a, item.contact.b})
        ]
        return tuple(sorted(here, key=lambda contact: (contact.a, contact.b, contact.point)))


def between(first: Pose, second: Pose, share: float) -> Pose:
    """The pose a share of the way from one to the other; exact at both ends."""
    if share in (0.0, 1.0):
        return second if share else first
    a, b = np.array(first.orientation), np.array(second.orientation)
    mixed = a * (1.0 - share) + (b if a @ b >= 0 else -b) * share
    mixed /= np.linalg.norm(mixed)
    place = np.array(first.position) * (1.0 - share) + np.array(second.position) * share
    x, y, z = (float(value) for value in place)
    return Pose((x, y, z), (float(mixed[0]), float(mixed[1]), float(mixed[2]), float(mixed[3])))
