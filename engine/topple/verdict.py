"""The verdict: statics and dynamics asked separately, and `unsure` when they differ.

Two methods because each is blind somewhere: a force balance knows nothing of gaps, drops and rocking on curves;
a simulation knows nothing of how far a standing scene is from falling.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from teeter.engine.geometry.carried import ROUNDING, Floating, beyond_table, floating, seated
from teeter.engine.geometry.wind import with_wind
from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.perturbation import (
    TRIALS,
    Dynamics,
    at_poses,
    let_fall,
    running_trials,
    settle_undisturbed,
)
from teeter.engine.topple.stages import stage
from teeter.engine.topple.trial import Trial
from teeter.engine.world.body import Assembly, Vector, tilted_gravity
from teeter.engine.worlds import ENGINES, Engine, EngineError, engine_in_use, installed_engines, using
from teeter.models.errors import Untrue

if TYPE_CHECKING:
    from teeter.engine.topple.balance.answer import Statics
    from teeter.engine.topple.contact.detection import Contacts
    from teeter.engine.topple.one_pose import Missing

Word = Literal["stands", "topples", "unsure"]
Pose = Literal["declared", "rest"]
STILL: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. settle: metres of gap and overlap to close first. drop: let fall first what nothing carries.
    tilt: radians of table and supports,
    downhill towards `tilt_direction` (radians from +x, counter-clockwise). friction: of every pair. time:
    seconds to simulate, None until decided. seed: of the disturbances. workers: processes for the dynamics,
    None for all cores. engine: that simulates (`engine.worlds.ENGINES`), the one in use when None. witness: ask another
    engine too. acceleration: m/s^2 that pieces feel along the table, as it is accelerated the other way. wind: pascals,
    along the direction it blows in. is_safe: forces have their safety margin: one disturbance is enough. is_brief:
    only the word is asked: where forces balance, the first fall that is certain settles it."""

    settle: float = 0.0
    drop: bool = False
    tilt: float = 0.0
    tilt_direction: float = 0.0
    friction: float | None = None
    time: float | None = None
    seed: int = 0
    workers: int | None = None
    engine: str | None = None
    witness: bool = False
    acceleration: Vector = STILL
    wind: Vector = STILL
    is_safe: bool = False
    is_brief: bool = False

    @property
    def gravity(self) -> Vector:
        """Gravity (m/s^2) in the frame of the tilted table, and what else every piece feels in proportion to its
        mass."""
        x, y, z = tilted_gravity(self.tilt, self.tilt_direction)
        along, across, _ = self.acceleration
        return x + along, y + across, z


DEFAULTS = CheckOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Verdict(Untrue):
    """What a check found. word: the verdict. pose: which poses statics was computed on. settled: metres, the
    largest move of the pieces as they settled. wall: seconds the check took. judged: the pieces as statics saw them.
    options: how it was checked. engine: that simulated. witness: the verdict with another engine, if that was asked.
    missing: what statics wants where pieces stood in the simulation and it finds no forces. edges: two pieces whose
    edges have to meet exactly, where forces balance what falls in the simulation. loose: what nothing carried, and was
    not let down or dropped. off_table: pieces that reach past the edge of the table at its height, or lie beside it."""

    asked = "word"

    scene: str
    word: Word
    pose: Pose
    settled: float
    statics: Statics
    dynamics: Dynamics
    wall: float
    judged: Assembly
    options: CheckOptions = DEFAULTS
    engine: Engine = ENGINES[0]
    witness: Verdict | None = None
    missing: Missing | None = None
    edges: tuple[str, str] | None = None
    loose: tuple[Floating, ...] = ()
    off_table: tuple[str, ...] = ()


def contacts_of(verdict: Verdict) -> Contacts:
    """Returns the contacts that statics used."""
    return _contacts_of(verdict.judged, verdict.pose)


@lru_cache(maxsize=1)
def _contacts_of(assembly: Assembly, pose: Pose) -> Contacts:
    """Kept for what is asked after the verdict: of two pieces that fit on a curve they take half a second."""
    from teeter.engine.topple.contact.detection import contacts_at_rest, find_contacts

    return (find_contacts if pose == "declared" else contacts_at_rest)(assembly)


def check(assembly: Assembly, options: CheckOptions = DEFAULTS) -> Verdict:
    """Asks both methods about one assembly, and another engine when a witness is wanted; deterministic but for `wall`.

    Raises EngineError when an engine that is asked for is not installed.
    """
    with using(options.engine):
        verdict = replace(_by_both_methods(assembly, options), engine=engine_in_use())
    if not options.witness:
        return verdict
    other = next((engine for engine in installed_engines() if engine != verdict.engine), None)
    if other is None:
        raise EngineError(
            f"a witness is another engine, and {verdict.engine} is the only one that is installed"
        )
    with using(other):
        witness = replace(_by_both_methods(assembly, options), engine=other)
    word = verdict.word if verdict.word == witness.word else "unsure"
    return replace(verdict, word=word, witness=witness, wall=verdict.wall + witness.wall)


def _by_both_methods(assembly: Assembly, options: CheckOptions) -> Verdict:
    started = time.perf_counter()
    start = _put_down(as_asked(assembly, options), options)
    judged, statics, dynamics, pose = _answers(start, options)
    settled = _largest_move(start.declared, start.assembly)
    if settled and statics.stands:
        # where statics has them the pieces touch; in the simulation they rest on its skins
        settled = _largest_move(start.declared, judged)
    dynamics = _with_what_came_down_before(dynamics, start)
    verdict = Verdict(
        scene=start.assembly.name,
        word=_word(statics, dynamics),
        pose=pose if settled == 0.0 else "rest",
        settled=settled,
        statics=statics,
        dynamics=dynamics,
        wall=0.0,
        judged=judged,
        options=options,
        loose=start.loose,
        off_table=start.off_table,
    )
    return replace(_explain(verdict), wall=time.perf_counter() - started)


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """A scene before both methods are asked. declared: as it was given; assembly: where its pieces came to rest, if
    they were let down or dropped; settling: how they did. loose, off_table: as in a `Verdict`."""

    declared: Assembly
    assembly: Assembly
    loose: tuple[Floating, ...]
    off_table: tuple[str, ...]
    settling: Trial | None = None


def _put_down(declared: Assembly, options: CheckOptions) -> _Start:
    """Lets pieces down, or drops them, as far as that was asked for."""
    loose = floating(declared.bodies)
    start = _Start(declared, declared, loose, beyond_table(declared.bodies, loose))
    if any(options.gravity[:2]) and not loose:
        from teeter.engine.topple.balance.rolled import rest_under

        # a table is tilted slowly: what rocks on it rocks to where it rests
        start = replace(start, assembly=rest_under(declared, options.gravity) or declared)
    if options.drop and loose:
        names = [name for group in loose for name in group.names]
        height = max((group.gap for group in loose if group.over is not None), default=0.0)
        settling = let_fall(declared, names, height, gravity=options.gravity)
        start = replace(start, loose=(), settling=settling)
    elif options.settle > 0.0:
        from teeter.engine.topple.contact.detection import find_contacts

        left = tuple(group for group in loose if group.gap > options.settle + ROUNDING)
        lowered = seated(declared, options.settle)
        start = replace(start, assembly=lowered, loose=left)
        if lowered is declared or not find_contacts(lowered).meet:
            stage("letting the pieces down")
            start = replace(start, settling=settle_undisturbed(lowered, gravity=options.gravity))
    if start.settling is not None and start.settling.stands:
        return replace(start, assembly=at_poses(start.assembly, start.settling.names, start.settling.poses))
    return start


def _answers(start: _Start, options: CheckOptions) -> tuple[Assembly, Statics, Dynamics, Pose]:
    """Returns what both methods answer, the pieces as statics saw them, and which poses those are."""
    assembly, statics = start.assembly, None
    pose: Pose = "rest"
    with running_trials(
        assembly,
        seed=options.seed,
        time=options.time,
        gravity=options.gravity,
        trials=1 if options.is_safe else TRIALS,
        is_safe=options.is_safe,
        is_brief=options.is_brief,
        workers=options.workers if options.workers is not None else min(TRIALS, os.cpu_count() or 1),
    ) as finish:
        # imported here because that takes a quarter of a second, which the trials need not wait for
        from teeter.engine.topple.balance.statics import analyse

        stage("force balance")
        contacts = _contacts_of(assembly, "declared")
        if start.settling is None and (contacts.meet or start.loose):
            judged, pose = assembly, "declared"
            statics = analyse(assembly, gravity=options.gravity, contacts=contacts, declared=start.declared)
            if statics.stands is False and not start.loose:
                from teeter.engine.topple.one_pose import sunk

                lower = sunk(assembly, options.gravity)
                judged, statics, pose = (*lower, "rest") if lower else (judged, statics, pose)
        dynamics = finish(None) if statics is None else finish(statics.stands_by_itself, statics.tilt_deg)
    if statics is None:
        from teeter.engine.topple.one_pose import statics_at_rest

        reach = max(options.settle, TOUCH_DECLARED.gap)
        judged, statics = statics_at_rest(start.declared, contacts, dynamics, reach, options.gravity)
    return judged, statics, dynamics, pose


def _with_what_came_down_before(dynamics: Dynamics, start: _Start) -> Dynamics:
    """What does not come to rest by itself needs no disturbance to fall; and what nothing carries comes down, however
    softly it lands."""
    if start.settling is not None and not start.settling.stands:
        fell = tuple(sorted({*dynamics.fell, *start.settling.fell}))
        dynamics = replace(dynamics, stands=False, fell=fell)
    if start.loose:
        fell = tuple(sorted({*dynamics.fell, *(name for group in start.loose for name in group.names)}))
        dynamics = replace(dynamics, stands=False, first_to_move=start.loose[0].names[0], fell=fell)
    return dynamics


def _explain(verdict: Verdict) -> Verdict:
    """Adds what a verdict says beyond its word: what statics misses, which edges meet, how much of each load it
    carries."""
    gravity, acceleration = verdict.options.gravity, verdict.options.acceleration
    if verdict.statics.stands_by_itself:
        from teeter.engine.topple.twist import bearing, twist_margin

        stage("force balance: twist margin")
        contacts = (bearing(verdict.judged) if verdict.pose == "rest" else None) or contacts_of(verdict)
        twist = twist_margin(verdict.judged, contacts, gravity)
        verdict = replace(
            verdict, statics=replace(verdict.statics, twist_n_mm=None if twist is None else 1e3 * twist)
        )
    if verdict.statics.stands is False and verdict.dynamics.stands:
        from teeter.engine.topple.one_pose import missing_force

        verdict = replace(verdict, missing=missing_force(verdict.judged, verdict.statics, gravity))
    if verdict.statics.stands_by_itself and not verdict.dynamics.stands:
        from teeter.engine.topple.balance.sharp_edges import meeting_exactly

        verdict = replace(verdict, edges=meeting_exactly(verdict.judged, contacts_of(verdict), gravity))
    if any(acceleration) and verdict.statics.tilt_deg:
        from teeter.engine.topple.balance.margins import tilt_while_accelerated

        stage("force balance: tilt margin")
        pull = tilted_gravity(verdict.options.tilt, verdict.options.tilt_direction)
        tilt = None
        with suppress(StaticsError):
            tilt = tilt_while_accelerated(verdict.judged, contacts_of(verdict), pull, acceleration)
        verdict = replace(verdict, statics=verdict.statics.tilted(tilt))
    if any(acceleration) or any(body.loads for body in verdict.judged.free):
        from teeter.engine.topple.load_factors import load_factors

        stage("how much of each load it carries")
        factors = load_factors(verdict.judged, contacts_of(verdict), verdict.statics, gravity, acceleration)
        verdict = replace(verdict, statics=replace(verdict.statics, factors=factors))
    return verdict


def joint(statics: bool | None, dynamics: bool | None) -> Word:
    """Joins the verdicts of both: what they agree on; dynamics alone when statics is silent; else unsure."""
    if dynamics is None or (statics is not None and statics != dynamics):
        return "unsure"
    return "stands" if dynamics else "topples"


def _word(statics: Statics, dynamics: Dynamics) -> Word:
    """By both; what settled elsewhere without falling, where statics is silent, may only have rolled to its rest."""
    if only_rolls(statics, dynamics):
        return "stands"
    if statics.stands is None and dynamics.stands is False and not dynamics.fell:
        return "unsure"
    return joint(statics.stands_by_itself, dynamics.stands)


def only_rolls(statics: Statics, dynamics: Dynamics) -> bool:
    """Whether nothing but pieces that may roll where they lie went anywhere in the simulation: balance that is neutral,
    from which any push takes them and out of which none falls."""
    rolls = {*statics.rolls}
    return bool(rolls) and all(
        trial.stands or (trial.first_to_move in rolls and rolls.issuperset(trial.fell))
        for trial in dynamics.trials
    )


def as_asked(assembly: Assembly, options: CheckOptions) -> Assembly:
    """Returns the assembly with the friction and in the wind that were asked for."""
    return with_wind(with_friction(assembly, options.friction), options.wind)


def with_friction(assembly: Assembly, friction: float | None) -> Assembly:
    """Returns the assembly with one coefficient of friction for every pair; as it is when that is None."""
    if friction is None:
        return assembly
    return Assembly(assembly.name, tuple(body.rubbing(friction) for body in assembly.bodies))


def _largest_move(before: Assembly, after: Assembly) -> float:
    moves = [
        math.dist(one.pose.position, other.pose.position)
        for one, other in zip(before.bodies, after.bodies, strict=True)
    ]
    return max(moves, default=0.0)
