"""The probe: what each piece carries, how hard it is to pull out, and whether the rest would stand without it.

Every pull is a run of its own, in a world rebuilt from one snapshot of the scene at rest, at twice the usual rate: a
sliding piece loses and finds contact points all the time, and at the usual rate it loses part of its load with them,
so that a brick in the middle of a tower of 54 seems to need a third less force than its friction.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.bullet import BulletWorld
from engine.hand import GRIP, Hand, packed
from engine.pose import Pose
from engine.settings import GRAVITY, RATES, Scale, magnification
from engine.snapshot import Snapshot
from engine.topple.contacts import Contacts, find_contacts
from engine.topple.shake import at_poses, can_fork, let_down
from engine.topple.statics import analyse, stands
from engine.topple.trial import DOWN, FRAMES, Task, limits_of, run_quickly, run_trial
from engine.topple.verdict import REST_ANGLE, REST_GAP
from engine.world import Assembly, Body, pressing

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

LOOSE = 2.0
"""A piece is loose when its pull is at most this many times its own weight times its friction."""
FEEL_SPEED = 0.06
"""m/s at which a hand pulls that feels for a force."""
SLIDE = 3e-3
"""Metres of sliding over which the force is read."""
SMOOTHING = 0.025
"""Seconds of the moving median over the force: one spike of the solver does not count."""
PATIENCE = 0.2
"""Seconds the hand pulls with all its force before it gives up."""
RESTING = 0.5
"""Seconds a settled world runs before its snapshot is taken."""
READING = 24
"""Steps over which contact forces are averaged."""
SHORT = 0.5
"""Seconds to see whether what balances on paper stays up when the piece is suddenly gone."""
SWAY = 4e-3
"""Metres a centre may swing then: a tower of 18 rows that loses a brick at its foot rocks by 2.5 mm."""
CALM = 1e-4
"""Metres it may be further off in the second half of that time than in the first: a fall grows."""
BRICK_LIKE = 1.2
"""A piece this much longer than wide is pulled lengthways only."""
GRAZE = 5e-4
"""Metres that another piece may reach into the way of a piece without blocking it."""


class NotStandingError(ValueError):
    """The scene does not stand by itself, so there is nothing to pull out."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What the probe found of one piece. load: newtons carried from above. pull: newtons to slide it out sideways, None
    when the hand cannot. loose: it takes at most twice the friction of its own weight. stuck: there is no pull."""

    load: float
    pull: float | None
    stands_without: bool
    loose: bool
    stuck: bool


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A scene at rest, as every pull begins from it. rested: its poses. balanced: the assembly statics is asked about,
    None where it is silent; exact: its faces meet as declared. loads: newtons. times: how much larger than the games'
    pieces it is."""

    snapshot: Snapshot
    rested: Assembly
    balanced: Assembly | None
    exact: bool
    loads: dict[str, float]
    times: float


def probe(
    assembly: Assembly,
    names: Iterable[str] | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Probed]:
    """Probe the named pieces, or all; fixed ones are skipped. In the assembly's order; deterministic.

    workers: processes to use, None for all cores; the result is the same for any number. progress: told how many pieces
    are done, of how many. Raises ValueError for a name
    that is no piece, NotStandingError for a scene that falls by itself.
    """
    known = {body.name for body in assembly.bodies}
    asked = known if names is None else set(names)
    if unknown := sorted(asked - known):
        raise ValueError(f"there is no piece {unknown[0]!r} to probe")
    chosen = [body.name for body in assembly.free if body.name in asked]
    if not chosen:
        return {}
    settled = settle(assembly)
    found: dict[str, Probed] = {}
    with _mapping(workers or os.cpu_count() or 1, len(chosen)) as run:
        for name, one in zip(chosen, run(partial(probe_piece, settled), chosen), strict=True):
            found[name] = one
            if progress is not None:
                progress(len(found), len(chosen))
    return found


@contextmanager
def _mapping(workers: int, tasks: int) -> Iterator[Callable[..., Iterable[Probed]]]:
    """A `map` over several processes, or the plain one where there is no use or no way for more."""
    count = min(workers, tasks)
    if count > 1 and can_fork():
        with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("fork")) as pool:
            yield pool.map
    else:
        yield map


def settle(assembly: Assembly) -> Settled:
    """Let a scene come to rest and take a snapshot. Raises NotStandingError when it falls."""
    let = let_down(assembly)
    if not let.stands:
        raise NotStandingError(f"{assembly.name} does not stand by itself, so there is nothing to pull out")
    rested = at_poses(assembly, let.names, let.poses)
    scale, times = Scale.of(rested.bodies), magnification(rested.bodies)
    finer = replace(scale, rate=min(2 * scale.rate, max(RATES)))
    contacts = find_contacts(assembly)
    exact, balanced = contacts.meet, assembly
    if not exact:
        contacts, balanced = _touching(rested, times), rested
    statics = analyse(balanced, margins=False, contacts=contacts)
    with BulletWorld(rested.bodies, scale=finer) as world:
        world.settle()
        world.run(round(RESTING * math.sqrt(times) * world.rate))
        snapshot = world.snapshot()
        loads = statics.loads if statics.stands else _pressing(world, rested)
    return Settled(snapshot, rested, balanced if statics.stands else None, exact, loads, times)


def _touching(rested: Assembly, times: float) -> Contacts:
    """The contacts of pieces at rest, which lie a little in each other."""
    return find_contacts(rested, REST_GAP * times, REST_ANGLE)


def _pressing(world: BulletWorld, assembly: Assembly) -> dict[str, float]:
    """Newtons with which each free piece is pressed down by its neighbours, averaged over a few steps."""
    loads = {body.name: 0.0 for body in assembly.free}
    for _ in range(READING):
        for name, load in pressing(world.advance(1, contacts=True).contacts or ()).items():
            if name in loads:
                loads[name] += load / READING
    return loads


def probe_piece(settled: Settled, name: str) -> Probed:
    """Probe one free piece of a scene at rest."""
    body = next(body for body in settled.rested.free if body.name == name)
    pulls = [pull_along(settled, body, way) for way in ways_out(settled.rested, body, settled.times)]
    pull = min((force for force in pulls if force is not None), default=None)
    rub = body.piece.material.friction * body.piece.mass * GRAVITY
    return Probed(
        load=settled.loads.get(name, 0.0),
        pull=pull,
        stands_without=_stands_without(settled, name),
        loose=pull is not None and pull <= LOOSE * rub,
        stuck=pull is None,
    )


def ways_out(assembly: Assembly, body: Body, times: float = 1.0) -> list[Array]:
    """The horizontal directions (3,) to pull a piece in: lengthways for a piece like a brick, both ways, else along
    both its sides; of these the ones with most room, up to the piece's own length."""
    matrix, extents = body.pose.matrix, body.piece.extents
    # leave out the axis that stands most upright; a stable sort, so that a cube is pulled along x first
    flat = sorted(range(3), key=lambda axis: abs(float(matrix[2, axis])))[:2]
    flat.sort(key=lambda axis: -float(extents[axis]))
    if extents[flat[0]] >= BRICK_LIKE * extents[flat[1]]:
        flat = flat[:1]
    ways = []
    for axis in flat:
        level = matrix[:, axis] * (1.0, 1.0, 0.0)
        level = level / np.linalg.norm(level)
        ways += [level, -level]
    rooms = [_room(assembly, body, way, times) for way in ways]
    most = max(rooms)
    return [way for way, room in zip(ways, rooms, strict=True) if room >= most - GRAZE * times]


def _room(assembly: Assembly, body: Body, way: Array, times: float) -> float:
    """Metres a piece can go along `way` before it meets the bounding box of another, at most its own length."""
    frame = np.stack([way, np.cross((0.0, 0.0, 1.0), way), (0.0, 0.0, 1.0)])
    low, high = _box(body, frame)
    room = float(high[0] - low[0])
    for other in assembly.bodies:
        start, end = _box(other, frame)
        beside = (start[1:] > high[1:] - GRAZE * times) | (end[1:] < low[1:] + GRAZE * times)
        if other.name != body.name and not beside.any() and end[0] > low[0] + GRAZE * times:
            room = min(room, max(0.0, float(start[0] - high[0])))
    return room


def _box(body: Body, frame: Array) -> tuple[Array, Array]:
    """The lowest and highest coordinates (3,) of a body's bounding box along the rows of a frame."""
    middle, half = frame @ body.pose.position, np.abs(frame @ body.pose.matrix) @ (0.5 * body.piece.extents)
    return np.asarray(middle - half), np.asarray(middle + half)


def pull_along(settled: Settled, body: Body, way: Array) -> float | None:
    """Newtons along `way` (3,) that slide a piece; None when all the hand's force does not move it."""
    with BulletWorld.rebuilt(settled.snapshot) as world:
        hand = Hand(world, replace(GRIP, force=math.inf))
        hand.grab(body)
        forces, slid = _drawn(world, hand, way, settled.times)
    rate = settled.snapshot.scale.rate
    if slid[-1] < SLIDE * settled.times:
        return None
    # what speeds the piece up is no resistance: a spring let go overshoots
    resistance = forces - body.piece.mass * np.diff(slid, n=2, prepend=(0.0, 0.0)) * rate**2
    window = min(len(resistance), round(SMOOTHING * math.sqrt(settled.times) * rate))
    return float(np.median(np.lib.stride_tricks.sliding_window_view(resistance, window), axis=1).max())


def _drawn(world: BulletWorld, hand: Hand, way: Array, times: float) -> tuple[Array, Array]:
    """Draw the held piece until it slid far enough or the hand gives up: newtons and metres along, by step."""
    name, start = hand.held or "", hand.target
    begin = np.asarray(world.pose(name).position)
    stride = FEEL_SPEED * math.sqrt(times) / world.rate
    forces: list[float] = []
    slid, tired = [0.0], 0
    while slid[-1] < SLIDE * times and tired < PATIENCE * math.sqrt(times) * world.rate:
        x, y, z = (np.asarray(start.position) + way * stride * (len(forces) + 1)).tolist()
        hand.move(packed(Pose((x, y, z), start.orientation)))
        hand.act()
        # the hand lifts what it holds; here what is below goes on carrying it, and all strength goes into the pull
        level = hand.force * (1.0, 1.0, 0.0)
        kept = level * min(1.0, GRIP.force / max(float(np.linalg.norm(level)), 1e-12))
        x, y, z = (kept - hand.force).tolist()
        world.push(name, (x, y, z))
        world.run(1)
        forces.append(float(kept @ way))
        slid.append(float((np.asarray(world.pose(name).position) - begin) @ way))
        tired = tired + 1 if np.linalg.norm(kept) >= 0.99 * GRIP.force else 0
    return np.array(forces), np.array(slid[1:])


def _stands_without(settled: Settled, name: str) -> bool:
    """Whether the other pieces stay up. A force balance that finds no forces is believed where faces meet exactly; at
    rest, where a piece may sink a tenth of a millimetre onto another, a run has to fall too."""
    left = _without(settled.rested, name)
    if not left.free:
        return True
    word: bool | None = None
    if settled.balanced is not None:
        balanced = _without(settled.balanced, name)
        word = stands(balanced, contacts=None if settled.exact else _touching(balanced, settled.times))
    if word is False and settled.exact:
        return False
    task = Task(left, limits_of(left), (0, 0), None, DOWN)
    if word is False:
        return run_quickly(task).stands
    return (word is True and _stays_without(settled, name)) or run_trial(task).stands


def _stays_without(settled: Settled, name: str) -> bool:
    """Whether little moves, and ever less, when a piece is suddenly gone; False proves nothing."""
    with BulletWorld.rebuilt(settled.snapshot) as world:
        world.remove(name)
        start, away = world.read().poses[:, :3], []
        stride, slower = max(1, world.rate // FRAMES), math.sqrt(settled.times)
        for _ in range(round(SHORT * slower * world.rate / stride)):
            moved = world.advance(stride).poses[:, :3] - start
            away.append(float(np.linalg.norm(moved, axis=1).max()))
    half = len(away) // 2
    grown = max(away[half:]) - max(away[:half])
    return max(away) <= SWAY * settled.times and grown <= CALM * settled.times


def _without(assembly: Assembly, name: str) -> Assembly:
    return replace(assembly, bodies=tuple(body for body in assembly.bodies if body.name != name))
