"""The settings of `engine.settings.Tuning`, one changed at a time, and what each does to towers, edges and slopes.

python tests/research/tuning.py            # prints the table of engine/README.md; takes about ten minutes
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Any

from teeter.engine.bench.accuracy import bisect, come_to_rest, shapes, stand_still
from teeter.engine.bench.rigs import over_edge, tower
from teeter.engine.settings import TUNING, Tuning
from teeter.engine.world.body import Body
from teeter.engine.worlds import new_world

SEEDS = range(5)

VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as it is", {}),
    (
        "rigid: no compliance, split impulse, warm 1.0",
        {"rigid": True, "split_impulse": True, "warm_start": 1.0},
    ),
    ("no friction anchors", {"friction_anchor": False}),
    ("friction anchors taken back by half a step", {"friction_erp": 0.5}),
    ("warm start 1.0", {"warm_start": 1.0}),
    ("warm start 0.9", {"warm_start": 0.9}),
    ("stiffer: relaxation 6 steps", {"relaxation": 6.0}),
    ("softer: relaxation 26 steps", {"relaxation": 26.0}),
    ("damping 10", {"damping": 10.0}),
    ("damping 100", {"damping": 100.0}),
    ("10 iterations", {"iterations": 10}),
    ("40 iterations", {"iterations": 40}),
    ("no skin", {"skin": 0.0}),
    ("not settled first", {"settle_steps": 0}),
)


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table. Lengths in mm; rests: uneven towers at rest within 5 s."""

    sink: float
    shift: float
    late: float
    rests: int
    growth: float
    edge: float


def measure(tuning: Tuning) -> Result:
    """Everything the table tells of one configuration."""
    still = stand_still(tower(), 15.0, tuning)
    rests = [come_to_rest(tower(seed), 6.0, tuning) for seed in SEEDS]
    return Result(
        sink=still.sink_mm,
        shift=still.shift_mm,
        late=still.late_mm,
        rests=sum(1 for rest in rests if rest.rest_s is not None and rest.rest_s <= 5.0 and not rest.fell),
        growth=max(rest.growth_mj for rest in rests),
        edge=max(abs(_edge(name, yaw, tuning)) for name in EDGES for yaw in (0.0, 17.0, 45.0)),
    )


EDGES = ("box", "cylinder", "triangular prism")


def _edge(name: str, yaw: float, tuning: Tuning) -> float:
    """Where a piece tips over an edge, in mm from the true point; infinite when it always or never does."""
    shape = shapes()[name]

    def stays(inside: float) -> bool:
        return _is_level(over_edge(shape, inside, math.radians(yaw)), tuning)

    try:
        return 1e3 * bisect(stays, -3e-3, 6e-3, 1e-5)
    except ValueError:
        return math.inf


def _is_level(bodies: tuple[Body, ...], tuning: Tuning) -> bool:
    with new_world(bodies, tuning=tuning) as world:
        world.settle()
        before = world.pose("piece").matrix
        world.run(2 * world.rate)
        return bool((before.T @ world.pose("piece").matrix)[2, 2] > math.cos(math.radians(2.0)))


def row(name: str, result: Result) -> str:
    """A line of Markdown."""
    return (
        f"| {name} | {result.sink:.2f} | {result.shift:.3f} | {result.late:.4f} | {result.rests} of {len(SEEDS)} "
        f"| {result.growth:.2f} | {result.edge:.3f} |"
    )


def main() -> None:
    """Print the table, line by line as it is measured."""
    out = sys.stdout
    out.write("| settings | exact: sinks mm | then shifts mm | last third mm | uneven: at rest in 5 s ")
    out.write("| energy grows mJ | worst edge mm |\n|---|---|---|---|---|---|---|\n")
    for name, changes in VARIANTS:
        out.write(row(name, measure(replace(TUNING, **changes))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
