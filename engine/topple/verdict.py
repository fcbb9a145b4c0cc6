"""The verdict: statics and dynamics asked separately, and `unsure` when they differ.

Two methods because each is blind somewhere: a force balance knows nothing of gaps, drops and rocking on curves;
a simulation knows nothing of how far a standing scene is from falling.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from teeter.engine.geometry.carried import ROUNDING, Floating, beyond_table, floating, seated
from teeter.engine.geometry.wind import with_wind
from teeter.engine.tolerances import TOUCH_DECLARED
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
from teeter.engine.world import Assembly, Vector, tilted_gravity
from teeter.engine.worlds import ENGINES, Engine, EngineError, engine_in_use, installed_engines, using
from teeter.models.errors import Untrue
from teeter.models.piece import Piece

if TYPE_CHECKING:
    from teeter.engine.topple.balance.statics import Statics
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
    along the direction it blows in."""

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
    not let down or dropped. off_table: pieces that have too little under them because the table ends there."""

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
    from teeter.engine.topple.contact.detection import contacts_at_rest, find_contacts

    return (find_contacts if verdict.pose == "declared" else contacts_at_rest)(verdict.judged)


def check(assembly: Assembly, options: CheckOptions = DEFAULTS) -> Verdict:
    """Asks both methods about one assembly, and another engine when a witness is wanted; deterministic but for `wall`.

    Raises EngineError when an engine that is asked for is not installed.
    """
    with using(options.engine):
        found = replace(_by_both_methods(assembly, options), engine=engine_in_use())
    if not options.witness:
        return found
    other = next((engine for engine in installed_engines() if engine != found.engine), None)
    if other is None:
        raise EngineError(
            f"a witness is another engine, and {found.engine} is the only one that is installed"
        )
    with using(other):
        witness = replace(_by_both_methods(assembly, options), engine=other)
    word = found.word if found.word == witness.word else "unsure"
    return replace(found, word=word, witness=witness, wall=found.wall + witness.wall)


def _by_both_methods(assembly: Assembly, options: CheckOptions) -> Verdict:
    started = time.perf_counter()
    assembly = as_asked(assembly, options)
    loose = floating(assembly.bodies)
    off_table = beyond_table(assembly.bodies, loose)
    settled, declared = 0.0, assembly
    settling: Trial | None = None
    if options.drop and loose:
        names = [name for group in loose for name in group.names]
        height = max((group.gap for group in loose if group.over is not None), default=0.0)
        settling, loose = let_fall(assembly, names, height, gravity=options.gravity), ()
    elif options.settle > 0.0:
        from teeter.engine.topple.contact.detection import find_contacts

        loose = tuple(group for group in loose if group.gap > options.settle + ROUNDING)
        assembly = seated(assembly, options.settle)
        if assembly is declared or not find_contacts(assembly).meet:
            stage("letting the pieces down")
            settling = settle_undisturbed(assembly, gravity=options.gravity)
    if settling is not None and settling.stands:
        assembly = at_poses(assembly, settling.names, settling.poses)
    settled = _largest_move(declared, assembly)
    with running_trials(
        assembly,
        seed=options.seed,
        time=options.time,
        gravity=options.gravity,
        workers=options.workers if options.workers is not None else min(TRIALS, os.cpu_count() or 1),
    ) as finish:
        # imported here because that takes a quarter of a second, which the trials need not wait for
        from teeter.engine.topple.balance.statics import analyse
        from teeter.engine.topple.contact.detection import find_contacts

        stage("force balance")
        contacts = find_contacts(assembly)
        judged = assembly
        pose: Pose = "declared" if settling is None and (contacts.meet or loose) else "rest"
        statics = (
            analyse(assembly, gravity=options.gravity, contacts=contacts) if pose == "declared" else None
        )
        if statics is not None and statics.stands is False and not loose:
            from teeter.engine.topple.one_pose import sunk

            if lower := sunk(assembly, options.gravity):
                judged, statics, pose = *lower, "rest"
        dynamics = finish(None) if statics is None else finish(statics.stands_by_itself, statics.tilt_deg)
    if statics is None:
        from teeter.engine.topple.one_pose import statics_at_rest

        reach = max(options.settle, TOUCH_DECLARED.gap)
        judged, statics = statics_at_rest(declared, contacts, dynamics, reach, options.gravity)
    if settled and statics.stands:
        # where statics has them the pieces touch; in the simulation they rest on its skins
        settled = _largest_move(declared, judged)
    if settling is not None and not settling.stands:
        # what does not come to rest by itself needs no disturbance to fall
        dynamics = replace(dynamics, stands=False, fell=tuple(sorted({*dynamics.fell, *settling.fell})))
    if loose:
        # however softly it lands: what nothing carries comes down
        down = {name for group in loose for name in group.names}
        fell = tuple(sorted({*dynamics.fell, *down}))
        dynamics = replace(dynamics, stands=False, first_to_move=loose[0].names[0], fell=fell)
    found = Verdict(
        scene=assembly.name,
        word="stands" if only_rolls(statics, dynamics) else joint(statics.stands_by_itself, dynamics.stands),
        pose=pose if settled == 0.0 else "rest",
        settled=settled,
        statics=statics,
        dynamics=dynamics,
        wall=0.0,
        judged=judged,
        options=options,
        loose=loose,
        off_table=off_table,
    )
    if statics.stands is False and dynamics.stands:
        from teeter.engine.topple.one_pose import missing_force

        found = replace(found, missing=missing_force(judged, statics, options.gravity))
    if statics.stands_by_itself and not dynamics.stands:
        from teeter.engine.topple.balance.sharp_edges import meeting_exactly

        found = replace(found, edges=meeting_exactly(judged, contacts_of(found), options.gravity))
    if any(options.acceleration) or any(body.loads for body in assembly.free):
        from teeter.engine.topple.load_factors import load_factors

        stage("how much of each load it carries")
        factors = load_factors(judged, contacts_of(found), statics, options.gravity, options.acceleration)
        found = replace(found, statics=replace(statics, factors=factors))
    return replace(found, wall=time.perf_counter() - started)


def joint(statics: bool | None, dynamics: bool | None) -> Word:
    """Joins the verdicts of both: what they agree on; dynamics alone when statics is silent; else unsure."""
    if dynamics is None or (statics is not None and statics != dynamics):
        return "unsure"
    return "stands" if dynamics else "topples"


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
    bodies = (replace(body, piece=_rubbed(body.piece, friction)) for body in assembly.bodies)
    return Assembly(assembly.name, tuple(bodies))


@lru_cache(maxsize=1024)
def _rubbed(piece: Piece, friction: float) -> Piece:
    """The same one every time: what is kept by piece, its features and hulls, is made once."""
    return replace(piece, material=piece.material.model_copy(update={"friction": friction}))


def _largest_move(before: Assembly, after: Assembly) -> float:
    moves = [
        math.dist(one.pose.position, other.pose.position)
        for one, other in zip(before.bodies, after.bodies, strict=True)
    ]
    return max(moves, default=0.0)
