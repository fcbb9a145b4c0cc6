"""How long everybody takes for a verdict on the tower of 54 bricks, in the same run, one after another."""

from __future__ import annotations

import contextlib
import io
import time
from dataclasses import dataclass

from engine.bench.peers import (
    HAS_CRA,
    HAS_MUJOCO,
    SOLVERS,
    complete,
    cra_assembly,
    find_interfaces,
    mujoco_says,
)
from engine.bench.rigs import tower, wood
from engine.topple.statics import stands
from engine.topple.trial import DOWN
from engine.topple.verdict import check, with_friction
from engine.world import Assembly

FRICTION = 0.4
NEAREST = 10
"""Neighbours that compas-cra's finder looks at in the tower: the fewest with which it finds all 192 interfaces."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of the fastest of the rounds; None for a peer that is not installed. finder: of compas-cra's interfaces,
    which rbe and cra both need and which their times contain."""

    statics: float
    both: float
    mujoco: float | None
    finder: float | None
    rbe: float | None
    cra: float | None


def times(rounds: int = 3) -> Times:
    """Time a verdict by statics, by both methods, by 3 s of MuJoCo, and by both solvers of compas-cra (once: they take
    seconds). Raises RuntimeError when somebody lets the tower fall."""
    scene = with_friction(Assembly("tower", tower()), FRICTION)
    statics, both, mujoco = [], [], []
    for _ in range(rounds):
        started = time.perf_counter()
        if stands(scene) is not True:
            raise RuntimeError("the tower of the benchmark must stand")
        statics.append(time.perf_counter() - started)
        both.append(check(scene).wall)
        if HAS_MUJOCO:
            mujoco.append(mujoco_says(scene).seconds)
    finder, rbe, cra = _cra_times(scene) if HAS_CRA else (None, None, None)
    return Times(min(statics), min(both), min(mujoco, default=None), finder, rbe, cra)


def _cra_times(scene: Assembly) -> tuple[float, float, float]:
    with contextlib.redirect_stdout(io.StringIO()):
        problem = cra_assembly(scene)
        started = time.perf_counter()
        find_interfaces(problem, NEAREST)
        found = time.perf_counter() - started
        complete(problem, scene, DOWN)
        solved = {}
        for name, solve in SOLVERS.items():
            started = time.perf_counter()
            if solve(problem, wood(FRICTION).friction)[0] is not True:
                raise RuntimeError(f"{name} of compas-cra lets the tower fall")
            solved[name] = time.perf_counter() - started
    return found, found + solved["rbe"], found + solved["cra"]
