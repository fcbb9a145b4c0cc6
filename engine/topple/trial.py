"""One trial: a scene disturbed a little, let go in a fresh world, and watched.

A run that comes to rest and stays there is a witness: these forces do hold these pieces. A fall is only evidence,
because an iteration that is not finished leaves contacts too soft, friction too weak, and pumps what rocks. So a
trial runs quickly first, and what does not stand is run again, finely, in three ways, before it is believed; only where
a force balance has ruled out standing is a quick fall believed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng  # here, and not once more in every process that runs a trial

from teeter.engine.geometry.rotation import angles_between, lengths, matrix_of, quaternion_of
from teeter.engine.pose import Pose, vector_of
from teeter.engine.settings import RATES, REFERENCE_SIZE, TUNING, Tuning
from teeter.engine.tolerances import (
    FALL_DROP,
    FALL_ROTATION,
    REST_IN_TRIAL,
    RestTolerance,
    has_fallen,
    is_at_rest,
)
from teeter.engine.topple.grip import grip_of
from teeter.engine.topple.light_feet import sturdy
from teeter.engine.world.body import Assembly, Body, Scale, Tick, Vector, magnification, typical_size
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.piece import Array

Sink = Callable[[Tick, int], None]
"""Receives every reading of a run, and its steps a second. Where one run follows another the steps start again."""

READINGS_PER_S = 60
"""Readings a simulated second: enough to tell who moves first, cheap enough to do always."""


FINE_RATE_FACTORS = (2, 8)
"""Steps a second of the fine runs, times the usual rate. Contacts are stiffer by the square of it: tall columns
buckle on soft ones. At eight times the rate columns of 20 pieces stand that bear half a degree of tilt. The first
keeps the whole disturbance: simulated cylinders have edges, and what lies on one has to leave it while it settles."""
GENTLE_RATE_FACTOR = 16
"""The same for the last run, in which weight comes slowly: what stands 0.25 mm inside an edge is thrown over by a
thousandth of a millijoule, less than contacts give back when a tower springs into its loads all at once."""
SETTLING_DRAG = 33.0
"""Drag while the last run settles, 1/s: springs come to rest. Bullet cannot tell more drag from a full stop."""
WEIGHT_STAGES = 200
"""In which gravity grows meanwhile: pieces that are a little apart meet while they weigh nothing."""
EASING, EASED_STAGES = 0.25, 40
"""Seconds, and stages of gravity, in which the run before it settles where forces balance the pieces: let go all at
once, leaning towers of 20 sway for seconds before they are seen to rest."""
THIN_SKIN = 2e-5
"""`Tuning.skin` of that run: two skins press two boxes apart."""
FINE_ITERATIONS = (40, 100)
"""Iterations of the fine runs: the more, the fewer pieces there are."""
EASED_ITERATIONS = 30
"""Of that run at first: where forces balance the pieces with a degree in hand, as few do, in a third of the time."""
GENTLE_ITERATIONS, GENTLE_WORK = 2, 20_000
"""Iterations a piece of the last run, where that is more: thrust goes through an arch of 101 stones from one to the
next. No more than so many of all pieces together."""
SMALL_STEPS = 32, replace(TUNING, skin=THIN_SKIN, damping=12.0, warm_start=0.99, residual=1e-8)
"""The same, and contacts, for what has its safety margin by forces: half as long steps want a third of the iterations,
because less is new in each, and find the loads of 60 slabs that lean in half the time. What an iteration changes by
less than a micrometre a second is left: to go on shakes such towers, which rest after 1.0 s so, and 2.5 s else."""
SMALL_ITERATIONS, SMALL_LEAST = 2 / 3, 20
"""Iterations a piece of that run, and at least."""
MANY = 200
"""Free pieces beyond which quick runs take the fewest of those too: with fewer, walls of 410 and pyramids of 1240 boxes
buckle, and the fine run that is then needed costs more than both."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as standing. Lengths in metres, angles in radians, times in seconds, for pieces of the games'
    size; `scaled` gives those of a scene far outside it (lengths grow with size, times with its square root)."""

    nudge: float = 2e-5
    """Length of the disturbance of each piece."""
    turn: float = math.radians(0.02)
    """Angle of the disturbance of each piece."""
    settling: float = 0.5
    """Time in which the scene may find its rest; later moves count."""
    shift: float = 2e-3
    """Largest move of a centre after settling."""
    twist: float = math.radians(2.0)
    """Largest turn of a piece after settling."""
    drop: float = FALL_DROP
    """A centre that comes down by more than this, and by half the piece's smallest side, has fallen."""
    tumble: float = FALL_ROTATION
    """A piece that has turned by more than this has fallen over."""
    rest: RestTolerance = REST_IN_TRIAL
    """What lies still: a tower that creeps at a tenth of its speed moves 0.1 mm a second. Its time ends a trial."""
    aftermath: float = 1.0
    """Time a trial goes on after it has failed, to see what comes down."""
    late_aftermath: float | None = None
    """The same where it failed once it had settled, as what falls for want of iterations does; None: no other."""
    quick: float = 4.0
    """Time after which a quick run that has not come to rest is given up."""
    longest: float = 10.0
    """Time after which a trial is judged as it lies."""

    def scaled(self, times: float) -> Limits:
        """Returns the limits of a scene `times` as large as the games' pieces."""
        lengths = ("nudge", "shift", "drop")
        others = ("settling", "aftermath", "quick", "longest")
        larger = {name: getattr(self, name) * times for name in lengths}
        longer = {name: getattr(self, name) * math.sqrt(times) for name in others}
        return replace(self, rest=self.rest.scaled(times), **larger, **longer)

    @property
    def curt(self) -> Limits:
        """The limits of a run that tells no more than whether it stands."""
        return replace(self, aftermath=0.0)


LIMITS = Limits()


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One run. Names in `fell` are sorted; poses (n, 7): where the free bodies were at the end.

    sink, shift: metres (sink is positive downwards); turn: radians; simulated: seconds; moved_at: step at which
    `first_to_move` was seen more than the limits away from its start. grip: the most friction of a contact at rest,
    over what Coulomb allows it; 0 where nothing rests or the engine does not tell. is_narrowed: friction was
    `within_cones`. is_cut: it failed, and what came down then was not waited for.
    """

    stands: bool
    simulated: float
    sink: float
    shift: float
    turn: float
    first_to_move: str | None
    moved_at: int | None
    fell: tuple[str, ...]
    names: tuple[str, ...]
    poses: Array
    grip: float = 0.0
    is_narrowed: bool = False
    is_cut: bool = False


def limits_of(assembly: Assembly) -> Limits:
    """Returns the limits a scene is judged by. The speed at rest grows with the square root of the size of its pieces,
    above that of a brick: larger things sway longer and faster before they are still."""
    slower = math.sqrt(max(1.0, typical_size(assembly.bodies) / REFERENCE_SIZE))
    limits = LIMITS.scaled(magnification(assembly.bodies))
    return replace(limits, rest=replace(limits.rest, speed=LIMITS.rest.speed * slower))


def disturbed(assembly: Assembly, limits: Limits, seed: tuple[int, int], share: float = 1.0) -> Assembly:
    """Moves every free body by a share of `limits.nudge` and rotates it by one of `limits.turn`, in directions of its
    own."""
    nudge, angle = share * limits.nudge, share * limits.turn
    rng = default_rng(seed)
    bodies = []
    for body in assembly.bodies:
        if not body.fixed:
            direction, axis = _random_direction(rng), _random_direction(rng)
            position = np.asarray(body.pose.position) + nudge * direction
            half = 0.5 * angle
            quaternion = (*(math.sin(half) * axis).tolist(), math.cos(half))
            turn = matrix_of((quaternion[0], quaternion[1], quaternion[2], quaternion[3]))
            orientation = quaternion_of(turn @ body.pose.matrix) if angle else body.pose.orientation
            body = body.at(Pose(vector_of(position), orientation))
        bodies.append(body)
    return Assembly(assembly.name, tuple(bodies))


def _random_direction(rng: Generator) -> Array:
    vector = rng.standard_normal(3)
    return np.asarray(vector / np.linalg.norm(vector))


@dataclass(frozen=True, slots=True, eq=False)
class TrialTask:
    """One trial to run: a value, so that it can be sent to another process."""

    assembly: Assembly
    limits: Limits
    seed: tuple[int, int]
    time: float | None
    gravity: Vector
    share: float = 1.0
    """Of the disturbance, in the fine runs but the first."""
    has_room: bool = True
    """For a share of the disturbance; where a force balance has less in hand, the fine runs with one are in vain."""
    is_safe: bool = False
    """Forces balance it with their safety margin: where a quick fall is one of soft contacts, the shortest steps are
    taken before others."""


def _unseen(tick: Tick, rate: int) -> None:
    """Discards a reading."""


def run_trial(task: TrialTask, sink: Sink = _unseen) -> Trial:
    """Runs one disturbed scene from start to verdict."""
    quick = run_quickly(replace(task, limits=task.limits.curt), sink)
    return quick if quick.stands else run_finely(task, sink)


def run_quickly(task: TrialTask, sink: Sink = _unseen) -> Trial:
    """Runs a trial at the usual rate: what stands stands, what falls may do so for want of iterations."""
    assembly, limits, time = task.assembly, task.limits, task.time
    if not assembly.free:
        return Trial(True, 0.0, 0.0, 0.0, 0.0, None, None, (), (), np.zeros((0, 7)))
    start = sturdy(disturbed(assembly, limits, task.seed).bodies, task.gravity)
    many = len(assembly.free) > MANY
    tuning = replace(TUNING, iterations=FINE_ITERATIONS[0]) if many else TUNING
    with new_world(start, tuning=tuning) as world:
        longest = limits.quick if time is None else time
        return _run(world, assembly, limits, longest, time is None, task.gravity, sink)


def run_finely(task: TrialTask, sink: Sink = _unseen) -> Trial:
    """The runs that decide whether a fall is one: the first that stands, else the last that was let go at once. What
    fell while it was put down may lie by then: nothing of that is told or shown."""
    assembly, limits, gravity = task.assembly, task.limits, task.gravity
    whole, less = (
        sturdy(disturbed(assembly, limits, task.seed, share).bodies, gravity) for share in (1.0, task.share)
    )
    scale = Scale.of(whole)
    fewest, most = FINE_ITERATIONS
    tuning = replace(TUNING, iterations=min(most, max(fewest, 2400 // len(assembly.free))))

    def run(
        start: tuple[Body, ...], rate: int, tuning: Tuning, limits: Limits, sink: Sink, stages: int = 1
    ) -> Trial:
        seconds = limits.quick if task.time is None else task.time
        with new_world(start, scale=replace(scale, rate=rate), tuning=tuning) as world:
            return _run(world, assembly, limits, seconds, task.time is None, gravity, sink, stages)

    first, second = (min(times * scale.rate, max(RATES)) for times in FINE_RATE_FACTORS)
    trial = run(whole, first, tuning, limits.curt if task.has_room else limits, sink)
    if trial.stands or not task.has_room:
        return trial

    def put_down(times: int, tuning: Tuning, limits: Limits) -> Trial:
        rate, seen = times * scale.rate, list[Tick]()
        # one reading short of the settling, so that what sank in it is seen
        eased = _eased(tuning, rate, round(limits.settling * rate) - rate // READINGS_PER_S)
        found = run(less, rate, eased, limits.curt, lambda tick, _: seen.append(tick), WEIGHT_STAGES)
        for tick in seen if found.stands else ():
            sink(tick, rate)
        return found

    if task.is_safe and task.time is None:
        times, small = SMALL_STEPS
        count = max(SMALL_LEAST, round(SMALL_ITERATIONS * len(assembly.free)))
        # with a margin nothing teeters: rest is believed as soon as games believe it
        rest = replace(limits.rest, time=0.5 * limits.rest.time)
        brief = replace(limits, rest=rest, quick=limits.settling + 2 * limits.rest.time)
        found = put_down(times, replace(small, iterations=count), brief)
        if found.stands:
            return found
    if task.share < 1.0:
        for count, asked in ((EASED_ITERATIONS, limits.curt), (tuning.iterations, limits)):
            eased = _eased(replace(tuning, iterations=count), second, round(EASING * second))
            if (trial := run(less, second, eased, asked, sink, EASED_STAGES)).stands:
                return trial
    elif (trial := run(less, second, tuning, limits, sink)).stands:
        return trial
    if task.time is None:
        count = len(assembly.free)
        many = max(tuning.iterations, min(GENTLE_ITERATIONS * count, GENTLE_WORK // count))
        gentle = replace(tuning, skin=THIN_SKIN, iterations=many)
        found = put_down(GENTLE_RATE_FACTOR, gentle, replace(limits, quick=limits.longest))
        if found.stands:
            return found
    return trial


def _eased(tuning: Tuning, rate: int, steps: int) -> Tuning:
    """Returns a tuning with which a world settles so many steps against a drag."""
    drag = SETTLING_DRAG / rate
    return replace(tuning, settling_damping=drag, settle_steps=steps, settle_iterations=tuning.iterations)


def _run(
    world: World,
    assembly: Assembly,
    limits: Limits,
    seconds: float,
    may_end: bool,
    gravity: Vector,
    sink: Sink,
    stages: int = 1,
) -> Trial:
    """Settle, with weight that comes in `stages`, and step until the trial is over or the time is up. may_end: stop
    once it is decided."""
    watch = _TrialMonitor(assembly.free, limits, world.rate, gravity)
    world.set_gravity(gravity)
    world.settle(stages)
    stride, end = max(1, world.rate // READINGS_PER_S), round(seconds * world.rate)
    tick = world.read()
    sink(tick, world.rate)
    while tick.step < end:
        tick = world.advance(min(stride, end - tick.step))
        sink(tick, world.rate)
        if watch.see(tick) and may_end:
            break
    trial = watch.trial(tick)
    return replace(trial, grip=grip_of(world, assembly)) if trial.stands else trial


START, SETTLED, LAST, ANCHOR = range(4)
"""What a reading is compared with."""


class _TrialMonitor:
    """Follows one run: how far the pieces went, who went first, whether it is over."""

    def __init__(self, free: tuple[Body, ...], limits: Limits, rate: int, gravity: Vector) -> None:
        self.limits, self.rate = limits, rate
        self.names = tuple(body.name for body in free)
        self.start = np.array([body.pose.row for body in free])
        self.smallest = np.array([float(body.piece.extents.min()) for body in free])
        self.reach = np.array([0.5 * float(np.linalg.norm(body.piece.extents)) for body in free])
        self.down = np.asarray(gravity) / np.linalg.norm(gravity)
        self.last = 0
        # poses at the start, once settled, at the last reading, and since when nothing has got far
        self.before = np.stack([self.start] * 4)
        self.has_settled = False
        self.sink = self.shift = self.turn = 0.0
        self.first: str | None = None
        self.moved_at: int | None = None
        self.resting_since: int | None = None
        self.failed_at: int | None = None

    def see(self, tick: Tick) -> bool:
        """Takes in a reading; returns whether the trial is over."""
        poses, seconds = tick.poses, tick.step / self.rate
        lowered = (poses[:, :3] - self.start[:, :3]) @ self.down
        if seconds > self.limits.settling and not self.has_settled:
            self.before[SETTLED], self.has_settled = poses, True
        # all at once: for a few pieces a call costs more than its arithmetic
        away, turned = _moves(self.before, poses)
        far = np.maximum(away[START] / self.limits.shift, turned[START] / self.limits.twist)
        if self.first is None and far.max() > 1.0:
            self.first, self.moved_at = self.names[int(far.argmax())], tick.step
        if seconds <= self.limits.settling:
            self.sink = max(self.sink, float(lowered.max()))
        else:
            self.shift = max(self.shift, float(away[SETTLED].max()))
            self.turn = max(self.turn, float(turned[SETTLED].max()))
        has_failed = self.shift > self.limits.shift or self.turn > self.limits.twist
        if self.failed_at is None and (has_failed or bool(self._fallen(lowered, turned[START]).any())):
            self.failed_at = tick.step
        self._follow_rest(tick, (away + turned * self.reach).max(axis=1))
        return self._is_over(tick.step)

    def _follow_rest(self, tick: Tick, moved: Array) -> None:
        """Since when nothing has got far. Distance over time, not the solver's velocities: those of
        hulls jump by millimetres a second from step to step while nothing moves."""
        limits = self.limits
        slow = limits.rest.speed * (tick.step - self.last) / self.rate
        rest = replace(limits.rest, speed=slow)
        is_resting = is_at_rest(float(moved[LAST]), lambda: float(moved[ANCHOR]), rest)
        if not is_resting or self.resting_since is None:
            self.before[ANCHOR] = tick.poses
            self.resting_since = tick.step if is_resting else None
        self.before[LAST], self.last = tick.poses, tick.step

    def _fallen(self, lowered: Array, turned: Array) -> Array:
        is_down = has_fallen(lowered, self.smallest, self.limits.drop)
        return np.asarray(is_down | (turned > self.limits.tumble))

    @property
    def _aftermath(self) -> float:
        is_late = (self.failed_at or 0) / self.rate > self.limits.settling
        late = self.limits.late_aftermath if is_late else None
        return self.limits.aftermath if late is None else late

    def _is_over(self, step: int) -> bool:
        if self.failed_at is not None:
            return (step - self.failed_at) / self.rate >= self._aftermath
        if self.resting_since is None or step / self.rate <= self.limits.settling:
            return False
        return (step - self.resting_since) / self.rate >= self.limits.rest.time

    def trial(self, last: Tick) -> Trial:
        """Returns the result, after the last reading."""
        lowered = (last.poses[:, :3] - self.start[:, :3]) @ self.down
        fallen = self._fallen(lowered, _moves(self.start, last.poses)[1])
        fell = tuple(sorted(name for name, is_down in zip(self.names, fallen, strict=True) if is_down))
        is_resting = self.resting_since is not None
        stands = self.failed_at is None and not fell and is_resting
        return Trial(
            stands=stands,
            simulated=last.step / self.rate,
            sink=self.sink,
            shift=self.shift,
            turn=self.turn,
            first_to_move=None if stands else self.first,
            moved_at=None if stands else self.moved_at,
            fell=fell,
            names=self.names,
            poses=last.poses,
            is_cut=self.failed_at is not None and self._aftermath == 0.0,
        )


def _moves(before: Array, after: Array) -> tuple[Array, Array]:
    """Returns how far centres moved (..., n) in metres, and how far pieces turned (..., n) in radians, between poses
    (..., n, 7)."""
    return lengths(after[..., :3] - before[..., :3]), angles_between(before[..., 3:], after[..., 3:])
