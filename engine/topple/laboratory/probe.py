"""The probe: what each piece carries, how hard it is to pull out, and whether the rest would stand without it.

Every pull is a run of its own, in a world rebuilt from one snapshot of the scene at rest, at twice the usual rate: a
sliding piece loses and finds contact points all the time, and at the usual rate it loses part of its load with them,
so that a brick in the middle of a tower of 54 seems to need a third less force than its friction.
"""

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from teeter.engine.event_detector import pressing
from teeter.engine.geometry.drop import is_blocked
from teeter.engine.hand import GRIP, Hand, packed
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, RATES, REFERENCE_RATE, TUNING
from teeter.engine.topple.balance.statics import analyse, stands
from teeter.engine.topple.contact.detection import Contacts, contacts_at_rest, find_contacts, unheld
from teeter.engine.topple.errors import NotStandingError
from teeter.engine.topple.perturbation import at_poses, settle_undisturbed
from teeter.engine.topple.resting import at_rest, friction_ratios, resting
from teeter.engine.topple.trial import READINGS_PER_S, TrialTask, limits_of, run_quickly, run_trial
from teeter.engine.workers import Interrupted, in_order
from teeter.engine.world.body import DOWN, Assembly, Body, Scale, magnification
from teeter.engine.world.world import Snapshot, World
from teeter.engine.worlds import new_world
from teeter.models.piece import Array

Progress = Callable[[int, int], None]

STRENGTH = 2.0
"""Times the friction of all pieces, at the least, with which the hand pulls: a piece has two sides that rub."""
LOOSE = 2.0
"""A piece is loose when its pull is at most this many times its own weight times its friction."""
PULL_SPEED = 0.06
"""m/s at which a hand pulls that feels for a force."""
ONSET_S = 0.05
"""Seconds in which it gets so fast: what is jerked rocks, and rubs unevenly."""
SLIDE_DISTANCE = 3e-3
"""Metres of sliding over which the force is read."""
MEDIAN_WINDOW_S = 0.025
"""Seconds of the moving median over the force: one spike of the solver does not count."""
MAX_PULL_TIME_S = 0.2
"""Seconds the hand pulls with all its force before it gives up."""
REGAIN_TIME_S = 0.25
"""In which the contacts of a piece whose friction was set anew bear their loads again; at once they bear a half."""
RESTING_TIME_S, MORE_ITERATIONS = 0.5, 100
"""Seconds a settled world runs before its snapshot is taken; iterations of one that moves by more than a trial may."""
LOAD_STEPS = 24
"""Steps over which contact forces are averaged."""
SWAY_TIME_S = 0.5
"""Seconds to see whether what balances on paper stays up when the piece is suddenly gone."""
MAX_SWAY = 4e-3
"""Metres a centre may swing then: a tower of 18 rows that loses a brick at its foot rocks by 2.5 mm."""
MAX_GROWTH = 1e-4
"""Metres it may be further off in the second half of that time than in the first: a fall grows."""
BRICK_LIKE = 1.2
"""A piece this much longer than wide is pulled lengthways, and crossways only where it is stuck lengthways."""
GRAZE = 5e-4
"""Metres that another piece may reach into the way of a piece without blocking it."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What the probe found of one piece. load: newtons carried from above. pull: newtons to slide it out sideways, None
    when the hand is not strong enough or something is in its way. loose: it takes at most twice the friction of its own
    weight."""

    load: float
    pull: float | None
    stands_without: bool
    loose: bool


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A scene at rest, as every pull begins from it. rested: its poses. balanced: the assembly statics is asked about,
    None where it is silent; contacts: those it is asked with; exact: its faces meet as declared; sunk: they were made
    to meet. loads: newtons. friction: by how much that of a piece is multiplied for its pull. times: how much larger
    than the games' pieces it is. strength: newtons of the hand that pulls."""

    snapshot: Snapshot
    rested: Assembly
    balanced: Assembly | None
    contacts: Contacts
    exact: bool
    sunk: bool
    loads: dict[str, float]
    friction: dict[str, float]
    times: float
    strength: float

    def riders(self, name: str) -> Array:
        """Returns which free pieces (n,) lie on nothing but one, or on others that do: they ride along with it."""
        contacts, pairs = self.contacts, self.contacts.touching
        own = contacts.names.index(name)
        held = unheld(contacts.names, contacts.fixed, *pairs.T)
        left = unheld(contacts.names, contacts.fixed, *pairs[(pairs != own).all(axis=1)].T)
        riding = {*left} - {*held} | {name}
        return np.array([body.name in riding for body in self.rested.free])


def probe(
    assembly: Assembly,
    names: Iterable[str] | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Probed]:
    """Probe the named pieces, or all; fixed ones are skipped. In the assembly's order; deterministic.

    workers: processes to use, None for all cores; the result is the same for any number. progress: told how many pieces
    are done, of how many. Raises ValueError for a name that is no piece, NotStandingError for a scene that falls by
    itself, Interrupted with the pieces so far.
    """
    known = {body.name for body in assembly.bodies}
    asked = known if names is None else set(names)
    if unknown := sorted(asked - known):
        raise ValueError(f"there is no piece {unknown[0]!r} to probe")
    chosen = [body.name for body in assembly.free if body.name in asked]
    if not chosen:
        return {}
    settled = settle(assembly, _slides_all(assembly))
    probes: dict[str, Probed] = {}
    count = min(workers or os.cpu_count() or 1, len(chosen))
    try:
        with in_order(partial(probe_piece, settled), chosen, count) as answers:
            for name, one in zip(chosen, answers, strict=True):
                probes[name] = one
                if progress is not None:
                    progress(len(probes), len(chosen))
    except KeyboardInterrupt as stop:
        raise Interrupted(probes) from stop
    return probes


def _slides_all(assembly: Assembly) -> float:
    """Returns newtons that slide whatever friction alone holds; no less than those of a person's hand."""
    friction = max(body.piece.material.friction for body in assembly.bodies)
    weight = GRAVITY * sum(body.piece.mass for body in assembly.free)
    return max(GRIP.force, STRENGTH * friction * weight)


def settle(assembly: Assembly, strength: float = GRIP.force) -> Settled:
    """Lets a scene come to rest and takes a snapshot. strength: newtons of the hand that will pull. Raises
    NotStandingError when it falls."""
    settled = settle_undisturbed(assembly)
    if not settled.stands:
        raise NotStandingError(f"{assembly.name} does not stand by itself, so there is nothing to pull out")
    rested = at_poses(assembly, settled.names, settled.poses)
    scale, times = Scale.of(rested.bodies), magnification(rested.bodies)
    level = at_rest(rested)
    place, contacts, is_exact = _to_balance(assembly, rested, level, times)
    statics = analyse(place, margins=False, contacts=contacts)
    # as many steps over the slide for large pieces as for bricks, whose rate may be lower
    fine = next(rate for rate in RATES if rate * math.sqrt(times) >= 2 * REFERENCE_RATE or rate == max(RATES))
    scale = replace(scale, rate=max(scale.finer.rate, fine))
    with _lying_still(rested, scale, times) as world:
        snapshot = world.snapshot()
        loads = statics.loads if statics.stands else _pressing(world, rested)
        # where faces meet exactly the simulation shares loads as rigid pieces do; its micrometres would only blur them
        friction = {} if level is None or is_exact else friction_ratios(level, world.contacts())
    # without an answer for rigid pieces, and for those that meet exactly, the loads of least squares stand
    rest = None if level is None or is_exact else resting(level)
    return Settled(
        snapshot=snapshot,
        rested=rested,
        balanced=place if statics.stands else None,
        contacts=contacts,
        exact=is_exact,
        sunk=place is level,
        loads=loads if rest is None else rest.loads,
        friction=friction,
        times=times,
        strength=strength,
    )


def _lying_still(rested: Assembly, scale: Scale, times: float) -> World:
    """Returns a world in which a scene that stands has lain for a moment. A tower that leans buckles on contacts too
    soft: then at twice the rate, and with more iterations. Raises NotStandingError where that is of no help."""
    shift = limits_of(rested).shift
    for rate in (rate for rate in RATES if rate >= scale.rate):
        tuning = TUNING if rate == scale.rate else replace(TUNING, iterations=MORE_ITERATIONS)
        world = new_world(rested.bodies, scale=replace(scale, rate=rate), tuning=tuning)
        try:
            world.settle()
            start = world.read().poses[:, :3]
            world.run(round(RESTING_TIME_S * math.sqrt(times) * rate))
            if np.linalg.norm(world.read().poses[:, :3] - start, axis=1).max() <= shift:
                return world
        except BaseException:
            world.close()
            raise
        world.close()
    raise NotStandingError(f"{rested.name} stands, but too narrowly to be pulled at in a simulation")


def _to_balance(
    assembly: Assembly, rested: Assembly, level: Assembly | None, times: float
) -> tuple[Assembly, Contacts, bool]:
    """Returns what statics is asked about, its contacts, and whether its faces meet as declared: as declared if they do
    and hold, else where the pieces rest on each other, else where the simulation left them."""
    contacts = find_contacts(assembly)
    if contacts.meet and (level is None or stands(assembly, contacts=contacts)):
        return assembly, contacts, True
    place = rested if level is None else level
    return place, contacts_at_rest(place, times), False


def _pressing(world: World, assembly: Assembly) -> dict[str, float]:
    """Returns the newtons with which each free piece is pressed down by its neighbours, averaged over a few steps."""
    loads = {body.name: 0.0 for body in assembly.free}
    for _ in range(LOAD_STEPS):
        for name, load in pressing(world.advance(1, contacts=True).contacts or ()).items():
            if name in loads:
                loads[name] += load / LOAD_STEPS
    return loads


def probe_piece(settled: Settled, name: str) -> Probed:
    """Probe one free piece of a scene at rest."""
    body = next(body for body in settled.rested.free if body.name == name)
    pull = _easiest(settled, body, pull_directions(settled.rested, body, settled.times))
    if pull is None and _is_brick_like(body):
        pull = _easiest(settled, body, pull_directions(settled.rested, body, settled.times, crossways=True))
    rub = body.piece.material.friction * body.piece.mass * GRAVITY
    return Probed(
        load=settled.loads.get(name, 0.0),
        pull=pull,
        stands_without=_stands_without(settled, name),
        loose=pull is not None and pull <= LOOSE * rub,
    )


def _easiest(settled: Settled, body: Body, directions: list[Array]) -> float | None:
    """Returns the least newtons that slide a piece along one of `directions` (3,); None when it is stuck in all."""
    pulls = [pull_along(settled, body, direction) for direction in directions]
    return min((force for force in pulls if force is not None), default=None)


def _level_axes(body: Body) -> list[int]:
    """Returns the two axes of a piece that lie flattest, the longer one first."""
    matrix, extents = body.pose.matrix, body.piece.extents
    # leave out the axis that stands most upright; a stable sort, so that a cube is pulled along x first
    flat = sorted(range(3), key=lambda axis: abs(float(matrix[2, axis])))[:2]
    return sorted(flat, key=lambda axis: -float(extents[axis]))


def _is_brick_like(body: Body) -> bool:
    length, width = body.piece.extents[_level_axes(body)]
    return bool(length >= BRICK_LIKE * width)


def pull_directions(
    assembly: Assembly, body: Body, times: float = 1.0, *, crossways: bool = False
) -> list[Array]:
    """The horizontal directions (3,) to pull a piece in: lengthways for a piece like a brick, both ways, or crossways
    if asked, else along both its sides; of these the ones with most room, up to the piece's own length."""
    matrix, flat = body.pose.matrix, _level_axes(body)
    if _is_brick_like(body):
        flat = flat[1:] if crossways else flat[:1]
    directions = []
    for axis in flat:
        level = matrix[:, axis] * (1.0, 1.0, 0.0)
        level = level / np.linalg.norm(level)
        directions += [level, -level]
    clearances = [_clearance(assembly, body, direction, times) for direction in directions]
    enough = max(clearances) - GRAZE * times
    return [way for way, clearance in zip(directions, clearances, strict=True) if clearance >= enough]


def _in_the_way(settled: Settled, body: Body, direction: Array) -> list[tuple[Body, float]]:
    """Returns what holds a piece, or what rides along with it, back however far it is drawn along `direction`: what is
    fixed there, what reaches under it, as a tray, and what is there both ways, as a ring. What stands beside it is
    pushed along. Each with the metres after which it is passed."""
    frame, graze, free = _frame(direction), GRAZE * settled.times, settled.rested.free
    riding = [other for other, rides in zip(free, settled.riders(body.name), strict=True) if rides]

    def holds(mover: Body, other: Body) -> bool:
        room, lowest = _past(mover, mover, direction), _box(mover, frame)[0][2] - graze
        return (
            _clearance(Assembly("", (other,)), mover, direction, settled.times) < room
            and is_blocked(mover, other, direction, room, graze)
            and (
                other.fixed
                or _box(other, frame)[0][2] < lowest
                or is_blocked(mover, other, -direction, room, graze)
            )
        )

    others = [other for other in settled.rested.bodies if other not in riding]
    return [
        (other, _past(mover, other, direction)) for mover in riding for other in others if holds(mover, other)
    ]


def _clearance(assembly: Assembly, body: Body, direction: Array, times: float) -> float:
    """Metres a piece can go along `direction` before it meets the bounding box of another, at most its own length."""
    frame = _frame(direction)
    low, high = _box(body, frame)
    clearance = float(high[0] - low[0])
    for other in assembly.bodies:
        start, end = _box(other, frame)
        beside = (start[1:] > high[1:] - GRAZE * times) | (end[1:] < low[1:] + GRAZE * times)
        if other.name != body.name and not beside.any() and end[0] > low[0] + GRAZE * times:
            clearance = min(clearance, max(0.0, float(start[0] - high[0])))
    return clearance


def _frame(direction: Array) -> Array:
    """Returns (3, 3): a level direction, across it, and up."""
    return np.stack([direction, np.cross((0.0, 0.0, 1.0), direction), (0.0, 0.0, 1.0)])


def _past(body: Body, other: Body, direction: Array) -> float:
    """Returns the metres along `direction` (3,) after which a body is past another; its own length past itself."""
    frame = _frame(direction)
    return float(_box(other, frame)[1][0] - _box(body, frame)[0][0])


def _box(body: Body, frame: Array) -> tuple[Array, Array]:
    """Returns the lowest and highest coordinates (3,) of a body's bounding box along the rows of a frame."""
    middle, half = frame @ body.pose.position, np.abs(frame @ body.pose.matrix) @ (0.5 * body.piece.extents)
    return np.asarray(middle - half), np.asarray(middle + half)


def pull_along(settled: Settled, body: Body, direction: Array) -> float | None:
    """Returns the newtons along `direction` (3,) that slide a piece; None when the hand is not strong enough, or it is
    kept in by what is in its way."""
    far = SLIDE_DISTANCE * settled.times
    ways = _in_the_way(settled, body, direction)
    # past its far side, and twice so far where it is pushed along
    out = max([far, *(2 * past for _, past in ways)])
    with settled.snapshot.restored() as world:
        if body.name in settled.friction:
            world.set_friction(body.name, settled.friction[body.name])
            world.run(round(REGAIN_TIME_S * math.sqrt(settled.times) * world.rate))
        hand = Hand(world, replace(GRIP, force=math.inf))
        hand.grab(body)
        forces, slid, shared = _drawn(world, hand, direction, settled, out)
        taken = [
            np.subtract(world.pose(each.name).position, each.pose.position) @ direction for each, _ in ways
        ]
    rate = settled.snapshot.scale.rate
    if slid[-1] < out or any(slid[-1] - along < past for along, (_, past) in zip(taken, ways, strict=True)):
        return None
    first = int(np.argmax(slid >= far)) + 1
    # what speeds pieces up is no resistance: a spring let go overshoots, and what lies on the piece is taken along
    resistance = forces[:first] - np.diff(shared[:first], n=2, prepend=(0.0, 0.0)) * rate**2
    window = min(len(resistance), round(MEDIAN_WINDOW_S * math.sqrt(settled.times) * rate))
    return float(np.median(np.lib.stride_tricks.sliding_window_view(resistance, window), axis=1).max())


def _drawn(
    world: World, hand: Hand, direction: Array, settled: Settled, out: float
) -> tuple[Array, Array, Array]:
    """Draw the held piece until it slid `out` metres or the hand gives up. Returns, by step, newtons and metres along,
    and the metres that it and its riders came along, each times its mass, kg."""
    name, start, times = hand.held or "", hand.target, settled.times
    free, strength = settled.rested.free, settled.strength
    row = [body.name for body in free].index(name)
    masses = np.array([body.piece.mass for body in free]) * settled.riders(name)
    begin = world.read().poses[:, :3] @ direction
    onset, stride = ONSET_S * math.sqrt(times) * world.rate, PULL_SPEED * math.sqrt(times) / world.rate
    forces: list[float] = []
    slid, shared, full_force_steps = [0.0], [0.0], 0
    while slid[-1] < out and full_force_steps < MAX_PULL_TIME_S * math.sqrt(times) * world.rate:
        steps = len(forces) + 1
        ahead = stride * (steps - 0.5 * onset if steps > onset else 0.5 * steps**2 / onset)
        x, y, z = (np.asarray(start.position) + direction * ahead).tolist()
        hand.move(packed(Pose((x, y, z), start.orientation)))
        hand.act()
        # the hand lifts what it holds; here what is below goes on carrying it, and all strength goes into the pull
        level = hand.force * (1.0, 1.0, 0.0)
        kept = level * min(1.0, strength / max(float(np.linalg.norm(level)), 1e-12))
        x, y, z = (kept - hand.force).tolist()
        world.push(name, (x, y, z))
        world.run(1)
        forces.append(float(kept @ direction))
        along = world.read().poses[:, :3] @ direction - begin
        slid.append(float(along[row]))
        shared.append(float(masses @ along))
        full_force_steps = full_force_steps + 1 if np.linalg.norm(kept) >= 0.99 * strength else 0
    return np.array(forces), np.array(slid[1:]), np.array(shared[1:])


def _stands_without(settled: Settled, name: str) -> bool:
    """Whether the other pieces stay up. A force balance that finds no forces is believed where faces meet exactly; at
    rest, where a piece may sink a tenth of a millimetre onto another, a run has to fall too."""
    left = settled.rested.without({name})
    if not left.free:
        return True
    word: bool | None = None
    balanced = None if settled.balanced is None else settled.balanced.without({name})
    if balanced is not None and settled.sunk:
        balanced = at_rest(balanced)
    if balanced is not None:
        word = stands(balanced, contacts=None if settled.exact else contacts_at_rest(balanced, settled.times))
    if word is False and settled.exact:
        return False
    task = TrialTask(left, limits_of(left), (0, 0), None, DOWN)
    if word is False:
        return run_quickly(task).stands
    return (word is True and _stays_without(settled, name)) or run_trial(task).stands


def _stays_without(settled: Settled, name: str) -> bool:
    """Returns whether little moves, and ever less, when a piece is suddenly gone; False proves nothing."""
    with settled.snapshot.restored() as world:
        world.remove(name)
        start, away = world.read().poses[:, :3], []
        stride, slower = max(1, world.rate // READINGS_PER_S), math.sqrt(settled.times)
        for _ in range(round(SWAY_TIME_S * slower * world.rate / stride)):
            moved = world.advance(stride).poses[:, :3] - start
            away.append(float(np.linalg.norm(moved, axis=1).max()))
    half = len(away) // 2
    grown = max(away[half:]) - max(away[:half])
    return max(away) <= MAX_SWAY * settled.times and grown <= MAX_GROWTH * settled.times
