"""Which bricks of uneven towers are loose, by simulations with ever stiffer contacts and by rigid bricks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import pytest

from teeter.engine.bench.rigs import tower
from teeter.engine.event_detector import pressing
from teeter.engine.settings import GRAVITY, PLAY, REFERENCE_RATE
from teeter.engine.topple.resting import YIELDING, resting
from teeter.engine.world.body import Assembly, Body, Scale
from teeter.engine.worlds import new_world

SEEDS = range(12)
COUNTED_ROWS = 15
"""Of 18: under three more rows a brick that bears a share of them bears more than half its weight."""
KINDS = {
    "---": "none",
    "o--": "one edge",
    "--o": "one edge",
    "-o-": "middle",
    "o-o": "both edges",
    "oo-": "edge and middle",
    "-oo": "edge and middle",
}
"""By which bricks are loose: they bear less than half their weight."""
REST_S, READINGS = 1.5, 24


def patterns(free: tuple[Body, ...], loads: dict[str, float]) -> list[str]:
    """Which bricks of each row are loose."""
    is_loose = [loads.get(body.name, 0.0) < 0.5 * body.piece.mass * GRAVITY for body in free]
    marks = ["-o"[each] for each in is_loose]
    return ["".join(marks[3 * row : 3 * row + 3]) for row in range(COUNTED_ROWS)]


def by_rigid_bricks(bodies: tuple[Body, ...]) -> dict[str, float]:
    found = resting(Assembly("tower", bodies))
    assert found is not None
    return found.loads


def by_simulation(times: float) -> Callable[[tuple[Body, ...]], dict[str, float]]:
    """Loads with contacts so much stiffer: stiffness goes with the square of the rate."""

    def loads(bodies: tuple[Body, ...]) -> dict[str, float]:
        rate = round(REFERENCE_RATE * math.sqrt(times))
        total: Counter[str] = Counter()
        with new_world(bodies, scale=Scale.of(bodies, rate), tuning=PLAY) as world:
            world.settle()
            world.run(round(REST_S * rate))
            for _ in range(READINGS):
                total.update(pressing(world.advance(rate // REFERENCE_RATE, contacts=True).contacts or ()))
        return {name: load / READINGS for name, load in total.items()}

    return loads


def by_yielding(times: float) -> Callable[[tuple[Body, ...]], dict[str, float]]:
    """Loads of bricks that yield so many times as much as wood."""

    def loads(bodies: tuple[Body, ...]) -> dict[str, float]:
        found = resting(Assembly("tower", bodies), yielding=times * YIELDING)
        assert found is not None
        return found.loads

    return loads


METHODS = {
    **{f"simulated, stiffness x {times}": by_simulation(times) for times in (1, 4, 16, 64)},
    **{f"rigid bricks, yielding x {times}": by_yielding(times) for times in (64, 16, 4)},
    "rigid bricks": by_rigid_bricks,
}


@pytest.mark.soak
@pytest.mark.parametrize("method", METHODS)
def test_the_share_of_loose_bricks_stops_changing_as_contacts_get_stiffer(
    row: Callable[..., None], method: str
) -> None:
    """From the order of three heights: 1/3 both edges, 1/2 the middle, 1/6 one edge."""
    found: list[str] = []
    same = 0
    for seed in SEEDS:
        bodies = tower(seed)
        free = Assembly("tower", bodies).free
        one, rigid = patterns(free, METHODS[method](bodies)), patterns(free, by_rigid_bricks(bodies))
        same += sum(mine == its for mine, its in zip(one, rigid, strict=True))
        found += one
    kinds = Counter(KINDS.get(each, "all") for each in found)
    loose = sum(each.count("o") for each in found) / len(found)
    row(
        "Loose bricks of uneven towers",
        method=method,
        **{
            kind: f"{100 * kinds[kind] / len(found):.1f} %"
            for kind in ("none", "one edge", "middle", "both edges")
        },
        loose_a_row=f"{loose:.2f}",
        rows_like_rigid=f"{100 * same / len(found):.0f} %",
    )
    if method in ("rigid bricks", "simulated, stiffness x 64", "rigid bricks, yielding x 4"):
        assert loose == pytest.approx(4 / 3, abs=0.12)
        assert same >= 0.9 * len(found)
