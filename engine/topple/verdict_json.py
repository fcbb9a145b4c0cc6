"""A verdict as `teeter check --json` prints it: millimetres, degrees, newtons, seconds. `teeter schema` publishes these
types.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.verdict import Pose, Verdict, Word
from teeter.engine.worlds import Engine
from teeter.models.errors import Untrue
from teeter.models.printed import as_json

if TYPE_CHECKING:
    from teeter.engine.geometry.carried import Floating
    from teeter.engine.topple.balance.answer import LoadFactor
    from teeter.engine.topple.one_pose import Missing
    from teeter.engine.topple.perturbation import Dynamics


@dataclass(frozen=True, slots=True)
class SimulationResult(Untrue):
    """What the trials found together; the worst of all. stands: None when they disagree. sink_mm: vertical move of the
    first half second; max_shift_mm, max_turn_deg: after it. trials: which of the small disturbances it survived."""

    asked = "stands"

    stands: bool | None
    simulated_s: float
    sink_mm: float
    max_shift_mm: float
    max_turn_deg: float
    first_to_move: str | None
    fell: tuple[str, ...]
    trials: tuple[bool, ...]


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
    statics: Statics | None
    statics_why: str | None
    dynamics: SimulationResult
    missing: MissingJson | None
    edges: list[str] | None
    floating: list[FloatingJson]
    off_table: list[str]
    loads: list[LoadJson]
    engine: Engine
    witness: WitnessJson | None
    wall_s: float


def to_json(verdict: Verdict, version: str) -> dict[str, Any]:
    """Returns a `VerdictJson`. version: of teeter."""
    statics, witness = verdict.statics, verdict.witness
    return {
        "teeter": version,
        "scene": verdict.scene,
        "verdict": verdict.word,
        "pose": verdict.pose,
        "settled_mm": _mm(verdict.settled),
        "statics": None if statics.stands is None else as_json(statics, 5),
        "statics_why": statics.why,
        "dynamics": as_json(simulation(verdict.dynamics), 4),
        "missing": None if verdict.missing is None else _missing(verdict.missing),
        "edges": None if verdict.edges is None else list(verdict.edges),
        "floating": [_floating(group) for group in verdict.loose],
        "off_table": list(verdict.off_table),
        "loads": [_load(factor) for factor in statics.factors],
        "engine": verdict.engine,
        "witness": None if witness is None else _witness(witness),
        "wall_s": round(verdict.wall, 3),
    }


def simulation(dynamics: Dynamics) -> SimulationResult:
    """Returns what the trials found, in mm and degrees."""
    return SimulationResult(
        dynamics.stands,
        dynamics.simulated,
        dynamics.sink * 1e3,
        dynamics.shift * 1e3,
        math.degrees(dynamics.turn),
        dynamics.first_to_move,
        dynamics.fell,
        tuple(trial.stands for trial in dynamics.trials),
    )


def _floating(group: Floating) -> FloatingJson:
    gap = None if group.over is None else _mm(group.gap)
    return {"pieces": list(group.names), "over": group.over, "gap_mm": gap}


def _load(factor: LoadFactor) -> LoadJson:
    return {
        "load": factor.name,
        "factor": as_json(factor.factor, 6),
        "least": as_json(factor.least, 6),
        "stands": factor.stands,
        "stands_without": factor.without,
    }


def _missing(missing: Missing) -> MissingJson:
    return {
        "contact": [missing.first, missing.second],
        "force_n": round(missing.force, 5),
        "point_mm": [_mm(value) for value in missing.point],
    }


def _witness(witness: Verdict) -> WitnessJson:
    result = as_json(simulation(witness.dynamics), 4)
    return {
        "engine": witness.engine,
        "verdict": witness.word,
        "stands": result["stands"],
        "sink_mm": result["sink_mm"],
        "max_shift_mm": result["max_shift_mm"],
        "fell": result["fell"],
        "trials": result["trials"],
    }


def _mm(metres: float) -> float:
    return round(metres * 1e3, 4)
