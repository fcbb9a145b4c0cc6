"""A verdict as `teeter check --json` prints it: millimetres, degrees, newtons, seconds. `teeter schema` publishes these
types, and the type checker holds the functions to them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypedDict

from teeter.engine.topple.verdict import Pose, Verdict, Word
from teeter.engine.worlds import Engine

if TYPE_CHECKING:
    from teeter.engine.geometry.carried import Floating
    from teeter.engine.topple.balance.statics import LoadFactor, Statics
    from teeter.engine.topple.one_pose import Missing
    from teeter.engine.topple.perturbation import Dynamics


class PieceLoad(TypedDict):
    """Newtons that a piece carries from above."""

    load_n: float


class WedgedJson(TypedDict):
    """Where pieces have to be pressed together before, and how hard."""

    between: list[str]
    clamping_n: float


class StaticsJson(TypedDict):
    """What the force balance says; the words of `teeter.Statics`."""

    stands: bool | None
    needs_friction: bool | None
    tilt_deg: float | None
    tilt_direction_deg: float | None
    tilt_mode: Literal["topple", "slide"] | None
    push_n: float | None
    push_piece: str | None
    push_mode: Literal["topple", "slide"] | None
    twist_n_mm: float | None
    weakest: str | None
    tilt_at_least: bool
    push_at_least: bool
    pieces: dict[str, PieceLoad]
    wedged: WedgedJson | None
    rolls: list[str]
    why: str | None


class DynamicsJson(TypedDict):
    """What the trials found together; the words of `teeter.SimulationResult`."""

    stands: bool | None
    simulated_s: float
    sink_mm: float
    max_shift_mm: float
    max_turn_deg: float
    first_to_move: str | None
    fell: list[str]
    trials: list[bool]


class WitnessJson(TypedDict):
    """What another engine found."""

    engine: Engine
    verdict: Word
    stands: bool | None
    sink_mm: float
    max_shift_mm: float
    fell: list[str]
    trials: list[bool]


class MissingJson(TypedDict):
    """The force that statics wants where pieces stood in the simulation."""

    contact: list[str | None]
    force_n: float
    point_mm: list[float]


class FloatingJson(TypedDict):
    """Pieces in the air together."""

    pieces: list[str]
    over: str | None
    gap_mm: float | None


class LoadJson(TypedDict):
    """A load, and how many times as much of it the pieces carry."""

    load: str
    factor: float | None
    least: float | None
    stands: bool
    stands_without: bool


class VerdictJson(TypedDict):
    """What was found; `CheckJson` adds what was read."""

    teeter: str
    scene: str
    verdict: Word
    pose: Pose
    settled_mm: float
    statics: StaticsJson | None
    statics_why: str | None
    dynamics: DynamicsJson
    missing: MissingJson | None
    edges: list[str] | None
    floating: list[FloatingJson]
    off_table: list[str]
    loads: list[LoadJson]
    engine: Engine
    witness: WitnessJson | None
    wall_s: float


def to_json(verdict: Verdict, version: str) -> VerdictJson:
    """Returns the verdict as JSON. version: of teeter."""
    statics, witness = verdict.statics, verdict.witness
    return {
        "teeter": version,
        "scene": verdict.scene,
        "verdict": verdict.word,
        "pose": verdict.pose,
        "settled_mm": _mm(verdict.settled),
        "statics": None if statics.stands is None else _statics(statics),
        "statics_why": statics.why,
        "dynamics": _dynamics(verdict.dynamics),
        "missing": None if verdict.missing is None else _missing(verdict.missing),
        "edges": None if verdict.edges is None else list(verdict.edges),
        "floating": [_floating(group) for group in verdict.loose],
        "off_table": list(verdict.off_table),
        "loads": [_load(found) for found in statics.factors],
        "engine": verdict.engine,
        "witness": None if witness is None else _witness(witness),
        "wall_s": round(verdict.wall, 3),
    }


def _floating(group: Floating) -> FloatingJson:
    gap = None if group.over is None else _mm(group.gap)
    return {"pieces": list(group.names), "over": group.over, "gap_mm": gap}


def _load(found: LoadFactor) -> LoadJson:
    return {
        "load": found.name,
        "factor": _rounded(found.factor, 6),
        "least": _rounded(found.least, 6),
        "stands": found.stands,
        "stands_without": found.without,
    }


def _missing(missing: Missing) -> MissingJson:
    return {
        "contact": [missing.first, missing.second],
        "force_n": round(missing.force, 5),
        "point_mm": [_mm(value) for value in missing.point],
    }


def _dynamics(dynamics: Dynamics) -> DynamicsJson:
    return {
        "stands": dynamics.stands,
        "simulated_s": round(dynamics.simulated, 4),
        "sink_mm": _mm(dynamics.sink),
        "max_shift_mm": _mm(dynamics.shift),
        "max_turn_deg": round(math.degrees(dynamics.turn), 4),
        "first_to_move": dynamics.first_to_move,
        "fell": list(dynamics.fell),
        "trials": [trial.stands for trial in dynamics.trials],
    }


def _witness(witness: Verdict) -> WitnessJson:
    found = _dynamics(witness.dynamics)
    return {
        "engine": witness.engine,
        "verdict": witness.word,
        "stands": found["stands"],
        "sink_mm": found["sink_mm"],
        "max_shift_mm": found["max_shift_mm"],
        "fell": found["fell"],
        "trials": found["trials"],
    }


def _statics(statics: Statics) -> StaticsJson:
    wedged = statics.wedged
    return {
        "stands": statics.stands,
        "needs_friction": statics.needs_friction,
        "tilt_deg": _rounded(statics.tilt_deg),
        "tilt_direction_deg": _rounded(statics.tilt_direction_deg),
        "tilt_mode": statics.tilt_mode,
        "push_n": _rounded(statics.push_n),
        "push_piece": statics.push_piece,
        "push_mode": statics.push_mode,
        "twist_n_mm": _rounded(statics.twist_n_mm),
        "weakest": statics.weakest,
        "tilt_at_least": statics.tilt_at_least,
        "push_at_least": statics.push_at_least,
        "pieces": {name: {"load_n": round(load, 5)} for name, load in statics.loads.items()},
        "wedged": None
        if wedged is None
        else {"between": [wedged.first, wedged.second], "clamping_n": round(wedged.newtons, 5)},
        "rolls": list(statics.rolls),
        "why": statics.why,
    }


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return None if value is None else round(value, digits)


def _mm(metres: float) -> float:
    return round(metres * 1e3, 4)
