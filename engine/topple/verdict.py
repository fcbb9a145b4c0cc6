"""The verdict: statics and dynamics asked separately, and `unsure` when they differ.

Two methods because each is blind somewhere: a force balance knows nothing of gaps, drops and rocking on curves;
a simulation knows nothing of how far a standing scene is from falling.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.topple.perturbation import TRIALS, Dynamics, at_poses, running_trials, settle_undisturbed
from engine.topple.trial import Trial
from engine.world import Assembly, Vector, tilted_gravity

if TYPE_CHECKING:
    from engine.topple.balance.statics import Statics
    from engine.topple.contact.detection import Contacts

Word = Literal["stands", "topples", "unsure"]
Pose = Literal["declared", "rest"]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. settle: metres of gap and overlap to close first. tilt: radians of table and supports,
    downhill towards `tilt_direction` (radians from +x, counter-clockwise). friction: of every pair. time:
    seconds to simulate, None until decided. seed: of the disturbances. workers: processes for the dynamics,
    None for all cores."""

    settle: float = 0.0
    tilt: float = 0.0
    tilt_direction: float = 0.0
    friction: float | None = None
    time: float | None = None
    seed: int = 0
    workers: int | None = None

    @property
    def gravity(self) -> Vector:
        """Gravity (m/s^2) in the frame of the tilted table."""
        return tilted_gravity(self.tilt, self.tilt_direction)


DEFAULTS = CheckOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What a check found. word: the verdict. pose: which poses statics was computed on. settled: metres, the
    largest move of the pieces as they settled. wall: seconds the check took. judged: the pieces as statics saw them."""

    scene: str
    word: Word
    pose: Pose
    settled: float
    statics: Statics
    dynamics: Dynamics
    wall: float
    judged: Assembly | None = None


def contacts_of(verdict: Verdict) -> Contacts:
    """Returns the contacts that statics used. Raises ValueError for a verdict made without its pieces."""
    from engine.topple.contact.detection import contacts_at_rest, find_contacts

    if verdict.judged is None:
        raise ValueError(f"the verdict on {verdict.scene} does not hold its pieces")
    return (find_contacts if verdict.pose == "declared" else contacts_at_rest)(verdict.judged)


def check(assembly: Assembly, options: CheckOptions = DEFAULTS) -> Verdict:
    """Asks both methods about one assembly; deterministic but for `wall`."""
    started = time.perf_counter()
    if options.friction is not None:
        assembly = with_friction(assembly, options.friction)
    settled = 0.0
    settling: Trial | None = None
    if options.settle > 0.0:
        settling = settle_undisturbed(assembly, gravity=options.gravity)
        settled = _largest_move(assembly, settling)
        if settling.stands:
            assembly = at_poses(assembly, settling.names, settling.poses)
    with running_trials(
        assembly,
        seed=options.seed,
        time=options.time,
        gravity=options.gravity,
        workers=options.workers if options.workers is not None else min(TRIALS, os.cpu_count() or 1),
    ) as finish:
        # imported here because that takes a quarter of a second, which the trials need not wait for
        from engine.topple.balance.statics import analyse
        from engine.topple.contact.detection import find_contacts

        contacts = find_contacts(assembly)
        pose: Pose = "declared" if contacts.meet and settling is None else "rest"
        statics = (
            analyse(assembly, gravity=options.gravity, contacts=contacts) if pose == "declared" else None
        )
        dynamics = finish(statics is not None and statics.stands is False)
    if statics is None:
        statics = _at_rest(assembly, contacts, dynamics, options)
    if settling is not None and not settling.stands:
        # what does not come to rest by itself needs no disturbance to fall
        dynamics = replace(dynamics, stands=False, fell=tuple(sorted({*dynamics.fell, *settling.fell})))
    word = joint(statics.stands, dynamics.stands)
    judged = assembly if pose == "declared" else _rested(assembly, dynamics)
    return Verdict(
        assembly.name, word, pose, settled, statics, dynamics, time.perf_counter() - started, judged
    )


def joint(statics: bool | None, dynamics: bool | None) -> Word:
    """Joins the verdicts of both: what they agree on; dynamics alone when statics is silent; else unsure."""
    if dynamics is None or (statics is not None and statics != dynamics):
        return "unsure"
    return "stands" if dynamics else "topples"


def with_friction(assembly: Assembly, friction: float) -> Assembly:
    """Returns the assembly with one coefficient of friction for every pair."""
    bodies = []
    for body in assembly.bodies:
        material = body.piece.material.model_copy(update={"friction": friction})
        bodies.append(replace(body, piece=replace(body.piece, material=material)))
    return Assembly(assembly.name, tuple(bodies))


def _at_rest(assembly: Assembly, contacts: Contacts, dynamics: Dynamics, options: CheckOptions) -> Statics:
    """Statics where the pieces came to rest, when they do not meet as declared."""
    from engine.topple.balance.statics import Statics, analyse
    from engine.topple.contact.detection import contacts_at_rest

    resting = [trial for trial in dynamics.trials if trial.stands]
    if not resting:
        apart = ", ".join(contacts.floating[:3]) or " and ".join(
            (contacts.overlaps[0].first, contacts.overlaps[0].second) if contacts.overlaps else ()
        )
        return Statics(
            stands=None,
            why=f"the faces do not meet as declared ({apart}) and the pieces do not come to rest: "
            "there is nothing to balance",
        )
    rested = _rested(assembly, dynamics)
    return analyse(rested, gravity=options.gravity, contacts=contacts_at_rest(rested))


def _rested(assembly: Assembly, dynamics: Dynamics) -> Assembly:
    """Returns where the pieces came to rest in the first trial that stood; as they were when none did."""
    resting = next((trial for trial in dynamics.trials if trial.stands), None)
    return assembly if resting is None else at_poses(assembly, resting.names, resting.poses)


def _largest_move(assembly: Assembly, trial: Trial) -> float:
    starts = np.array([body.pose.position for body in assembly.free])
    return float(np.linalg.norm(trial.poses[:, :3] - starts, axis=1).max()) if len(starts) else 0.0


def to_json(verdict: Verdict, version: str) -> dict[str, Any]:
    """Returns the verdict as `teeter check --json` prints it: millimetres, degrees, newtons, seconds."""
    statics, dynamics = verdict.statics, verdict.dynamics
    return {
        "teeter": version,
        "scene": verdict.scene,
        "verdict": verdict.word,
        "pose": verdict.pose,
        "settled_mm": _mm(verdict.settled),
        "statics": None if statics.stands is None else _statics_json(statics),
        "statics_why": statics.why,
        "dynamics": {
            "stands": dynamics.stands,
            "simulated_s": round(dynamics.simulated, 4),
            "sink_mm": _mm(dynamics.sink),
            "max_shift_mm": _mm(dynamics.shift),
            "max_turn_deg": round(math.degrees(dynamics.turn), 4),
            "first_to_move": dynamics.first_to_move,
            "fell": list(dynamics.fell),
            "trials": [trial.stands for trial in dynamics.trials],
        },
        "wall_s": round(verdict.wall, 3),
    }


STATICS_KEYS = (
    *("stands", "needs_friction", "tilt_deg", "tilt_direction_deg"),
    *("push_n", "push_piece", "push_mode", "weakest"),
)
"""In the order in which they are printed."""


def _statics_json(statics: Statics) -> dict[str, Any]:
    found = {name: getattr(statics, name) for name in STATICS_KEYS}
    found = {name: round(value, 5) if isinstance(value, float) else value for name, value in found.items()}
    pieces = {name: {"load_n": round(load, 5)} for name, load in statics.loads.items()}
    return found | {"pieces": pieces, "why": statics.why}


def _mm(metres: float) -> float:
    return round(metres * 1e3, 4)
