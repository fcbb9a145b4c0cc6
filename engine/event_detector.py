"""Ticks in, scene events out: what happened in the world, as physical facts. Knows no game and no simulator.

A fact is judged by numbers with a name (`Thresholds`), counted in steps, so that the same ticks always give
the same events in the same order. What was meant by it (placed, nudged, fell, collapsed) is for the session
to say.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from teeter.engine.events import Dropped, Moved, Parted, Rested, SceneEvent, Touched
from teeter.engine.geometry.rotation import matrices_of
from teeter.engine.tolerances import FALL_DROP, REST, RestTolerance, has_fallen, is_at_rest
from teeter.engine.world.body import Body, Contact, Tick
from teeter.models.piece import Array

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What counts. Lengths in metres, times in seconds, for pieces of the games' size.

    ALL-3 asks for the first two, ALL-4 for `drop`, ALL-2 for `rest`.
    """

    dwell: float = 0.0125
    """Force held this long is a touch, and its absence this long a parting: three steps of a 240 Hz world,
    where a graze lasts one or two."""
    impulse: float = 5e-3
    """N s. A contact that has carried more is a touch at once: a 20 g brick stopped from 0.25 m/s."""
    move: float = 1e-3
    """A corner of the bounding box this far from the last rest has moved: far more than a resting tower
    creeps."""
    drop: float = FALL_DROP
    """A centre lower by more than this, and by half the piece's smallest side, has dropped."""
    rest: RestTolerance = REST
    """What lies still, and how long before that is believed."""


THRESHOLDS = Thresholds()


def steps_of(seconds: float, rate: int) -> int:
    """Returns a duration in steps, rounded up, at least one."""
    # the allowance keeps 0.0125 s at 240 steps a second from becoming four
    return max(1, math.ceil(seconds * rate - 1e-6))


@dataclass(slots=True)
class _Press:
    """Force between a pair: the steps it was first and last seen, what it has carried, whether it is a
    touch."""

    first: int
    last: int
    impulse: float
    is_touch: bool = False


class EventDetector:
    """Turns the ticks of one world into scene events.

    bodies: those of the world; where they are now is the first rest reference. rate: steps per second of the
    world. Ask the world for contacts at every step where touches matter: a tick whose contacts were not read
    (None) tells nothing about touches and leaves them as they were; when contacts are read less often than
    every step, force seen at two readings in a row is taken to have held between them.
    """

    def __init__(self, bodies: Iterable[Body], rate: int, thresholds: Thresholds = THRESHOLDS) -> None:
        self.rate = rate
        self.thresholds = thresholds
        self._dwell = steps_of(thresholds.dwell, rate)
        self._rest_dwell = steps_of(thresholds.rest.time, rate)
        self._bodies: dict[str, Body] = {}
        self._reference: dict[str, Array] = {}
        self._presses: dict[Pair, _Press] = {}
        self._moved: set[str] = set()
        self._dropped: set[str] = set()
        self._step = -1
        self._read_at: int | None = None
        self._rest_since: int | None = None
        self._is_rested = False
        self._anchor: Tick | None = None
        for body in bodies:
            self.add(body)

    @property
    def touching(self) -> tuple[Pair, ...]:
        """The pairs that touch now, sorted."""
        return tuple(sorted(pair for pair, press in self._presses.items() if press.is_touch))

    def add(self, body: Body) -> None:
        """Follow one more body; where it is put is its rest reference. One of the same name is replaced."""
        self._bodies[body.name] = body
        self._reference[body.name] = np.array(body.pose.row)
        self._moved.discard(body.name)
        self._dropped.discard(body.name)

    def rest(self, tick: Tick) -> None:
        """Take a new rest reference: later moves and drops count from here, and rest is waited for anew.

        When the tick has contacts, the pairs that carry force in it are touching from now on, without an
        event; so a detector of a restored world, whose steps start again, goes on where the last one ended.
        """
        self._check(tick)
        self._reference.update(zip(tick.names, tick.poses.copy(), strict=True))
        self._moved.clear()
        self._dropped.clear()
        self._step, self._rest_since, self._is_rested = tick.step, None, False
        if tick.contacts is not None:
            forces = _forces(tick)
            self._read_at = tick.step
            self._presses = {pair: _Press(tick.step, tick.step, 0.0, True) for pair in forces}

    def expect_rest(self) -> None:
        """Tell the next rest even if it is the one already told: for who begins to wait only now."""
        self._rest_since, self._is_rested = None, False

    def see(self, tick: Tick, among: Iterable[str] | None = None) -> tuple[SceneEvent, ...]:
        """Returns what this tick shows, sorted: touched, parted, moved, dropped, rested; each kind by name.

        among: the bodies whose contacts were read, when not all were; touches of other pairs are left alone.
        Raises ValueError for a tick that is not later than the last, and for a body the detector does not
        follow.
        """
        self._check(tick)
        if tick.step <= self._step:
            raise ValueError(
                f"tick {tick.step} is not after tick {self._step}; ticks are seen once, in order"
            )
        self._step = tick.step
        touched, parted = self._touches(tick, None if among is None else frozenset(among))
        moved, dropped = self._moves(tick)
        return (*touched, *parted, *moved, *dropped, *self._rests(tick))

    def _check(self, tick: Tick) -> None:
        unknown = sorted(set(tick.names) - self._bodies.keys())
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is not followed by this detector; tell it with EventDetector.add(body)"
            )

    def _touches(self, tick: Tick, among: frozenset[str] | None) -> tuple[list[Touched], list[Parted]]:
        parted = self._gone(tick)
        if tick.contacts is None:
            return [], parted
        touched, forces = [], _forces(tick)
        since = tick.step - 1 if self._read_at is None else self._read_at
        for pair in sorted(forces):
            press = self._press(pair, tick.step, since, forces[pair])
            is_held = press.last - press.first + 1 >= self._dwell
            if not press.is_touch and (is_held or press.impulse > self.thresholds.impulse):
                press.is_touch = True
                touched.append(Touched(tick.step, *pair, press.impulse))
        for pair, press in sorted(self._presses.items()):
            if pair in forces or not (among is None or among.intersection(pair)):
                continue
            if not press.is_touch or tick.step - press.last >= self._dwell:
                del self._presses[pair]
                if press.is_touch:
                    parted.append(Parted(tick.step, *pair))
        self._read_at = tick.step
        return touched, sorted(parted)

    def _press(self, pair: Pair, step: int, since: int, force: float) -> _Press:
        """Returns the pair's record with this reading in: the first stands for one step, others for the time
        between."""
        press = self._presses.get(pair)
        if press is None:
            press = self._presses[pair] = _Press(step, step, force / self.rate)
        else:
            press.impulse += force * max(1, step - max(since, press.last)) / self.rate
            press.last = step
        return press

    def _gone(self, tick: Tick) -> list[Parted]:
        """Partings from bodies that were taken out of the world."""
        there = set(tick.names)
        gone = {name for name, body in self._bodies.items() if not body.fixed and name not in there}
        pairs = sorted(pair for pair in self._presses if gone.intersection(pair)) if gone else []
        return [Parted(tick.step, *pair) for pair in pairs if self._presses.pop(pair).is_touch]

    def _moves(self, tick: Tick) -> tuple[list[Moved], list[Dropped]]:
        """Who is further or lower than allowed for the first time since the last rest."""
        if not tick.names:
            return [], []
        before = np.array([self._reference[name] for name in tick.names])
        extents = np.array([self._bodies[name].piece.extents for name in tick.names])
        away = farthest(before, tick.poses, extents)
        lowered = before[:, 2] - tick.poses[:, 2]
        fallen = has_fallen(lowered, extents.min(axis=1), self.thresholds.drop)
        moved, dropped = [], []
        for row in np.flatnonzero((away > self.thresholds.move) | fallen):
            name = tick.names[row]
            if away[row] > self.thresholds.move and name not in self._moved:
                self._moved.add(name)
                moved.append(Moved(tick.step, name, 1e3 * float(away[row])))
            if fallen[row] and name not in self._dropped:
                self._dropped.add(name)
                dropped.append(Dropped(tick.step, name, 1e3 * float(lowered[row])))
        return sorted(moved), sorted(dropped)

    def _distance(self, before: Tick | None, after: Tick) -> float:
        """Returns how far the corner that moved most has moved between two ticks; metres, infinite with none before."""
        if before is None or before.names != after.names:
            return np.inf
        extents = np.array([self._bodies[name].piece.extents for name in after.names])
        return float(farthest(before.poses, after.poses, extents).max())

    def _rests(self, tick: Tick) -> tuple[Rested, ...]:
        """`Rested` once for each time that everything comes to rest."""
        since = tick.step
        speed, anchor = float(tick.speeds.max(initial=0.0)), self._anchor
        if not is_at_rest(speed, lambda: self._distance(anchor, tick), self.thresholds.rest):
            self._anchor, self._rest_since, self._is_rested = tick, None, False
            return ()
        if anchor is not None and speed >= self.thresholds.rest.speed:
            since = anchor.step
        if self._rest_since is None:
            self._rest_since = since
        if self._is_rested or tick.step - self._rest_since < self._rest_dwell:
            return ()
        self._is_rested = True
        return (Rested(tick.step, tuple(sorted(tick.names))),)


CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
"""(8, 3) of a box that reaches from -1 to 1."""


def farthest(before: Array, after: Array, extents: Array) -> Array:
    """Returns how far the corner of its bounding box that moved most has moved (n,), between poses (n, 7); metres.

    extents: (n, 3) metres, of the bounding boxes. A piece that turns on the spot moves too.
    """
    turned = matrices_of(after[:, 3:]) - matrices_of(before[:, 3:])
    turned *= 0.5 * extents[:, None, :]
    moves = (after[:, None, :3] - before[:, None, :3]) + CORNERS @ turned.swapaxes(1, 2)
    return np.asarray(np.sqrt((moves**2).sum(axis=2)).max(axis=1))


def _forces(tick: Tick) -> dict[Pair, float]:
    """Returns the newtons along the normals between each pair that carries any."""
    forces: dict[Pair, float] = {}
    for contact in tick.contacts or ():
        if contact.force > 0.0:
            pair = (contact.a, contact.b)
            forces[pair] = forces.get(pair, 0.0) + contact.force
    return forces


def pressing(contacts: Iterable[Contact]) -> dict[str, float]:
    """Returns the newtons with which each body is pressed down by others, friction on its sides included where it is
    told. contacts: of all bodies."""
    pairs: dict[tuple[str, str], float] = {}
    for contact in contacts:
        up = contact.force * contact.normal[2] + (0.0 if contact.friction is None else contact.friction[2])
        pairs[contact.a, contact.b] = pairs.get((contact.a, contact.b), 0.0) + up
    loads: dict[str, float] = {}
    for (one, other), up in sorted(pairs.items()):
        pressed = other if up > 0.0 else one
        loads[pressed] = loads.get(pressed, 0.0) + abs(up)
    return loads
