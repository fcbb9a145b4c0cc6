"""Mended scenes asked again: by the other engine, and beside a search that tries places one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mend_scenes import ANYWHERE, SHARES, better, scene_of, toppling

import teeter
from teeter.engine.topple.mend.changes import effort_of
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.topple.mend.search import candidates
from teeter.engine.world.body import DOWN
from teeter.engine.worlds import engine_in_use, installed_engines

TOPPLING = (
    "bridge_bare",
    "card_frame_flat",
    "harmonic_outside",
    "leaning_tower_past",
    "overhang_outside",
    "slope_above",
    "tower_gone",
)
"""Shipped scenes that fall by statics, of pieces with flat faces."""
RANDOM = 33
"""Random stacks that topple, each with its first change."""
NEAR = 1.05
"""Times the effort of a move that trying places finds."""

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("scene", [*TOPPLING, *(f"random {seed}" for seed in range(RANDOM))])
def test_what_was_written_stands_in_the_other_engine(
    scene: str, tmp_path: Path, row: Callable[..., None]
) -> None:
    is_random = scene.startswith("random ")
    given = scene_of(toppling(int(scene.split()[1])), scene) if is_random else teeter.load(scene)
    started = time.process_time()
    found = teeter.mend(given, best=1 if is_random else 20, workers=1)
    seconds = time.process_time() - started
    other = next(engine for engine in installed_engines() if engine != engine_in_use())
    falls = []
    for number, change in enumerate(found.changes, 1):
        file = tmp_path / f"{number}.toml"
        file.write_text(change.scene.to_toml(), encoding="utf-8")
        if not teeter.Checker(engine=other, workers=1).check(file).stands:
            falls.append(change.sentence)
    row(
        "mended scenes checked by the other engine",
        scene=scene,
        pieces=len(given.ids),
        changes=len(found.changes),
        stand=len(found.changes) - len(falls),
        places=found.tried,
        seconds=round(seconds, 1),
    )
    assert found.changes or found.none_because
    assert not falls


@pytest.mark.parametrize("ten", range(30))
def test_hardly_any_move_is_missed(ten: int, row: Callable[..., None]) -> None:
    found_some = far = wrong = 0
    started = time.process_time()
    searching = 0.0
    for seed in range(10 * ten, 10 * ten + 10):
        assembly = toppling(seed)
        demand = Demand.on(assembly, DOWN, None)
        before = time.process_time()
        changes, bounds = candidates(assembly, demand, kinds=["move"], workers=1)
        searching += time.process_time() - before
        effort = effort_of(assembly, changes[0]) if changes else bounds.reach
        tried = better(assembly, demand, effort, SHARES if changes else ANYWHERE)
        nearest = min((effort_of(assembly, each) for each in tried), default=effort)
        found_some += bool(changes)
        far += bool(changes) and NEAR * nearest < effort
        wrong += not changes and nearest < effort
    row(
        "moves beside a brute search",
        scenes=f"{10 * ten} to {10 * ten + 9}",
        mended=found_some,
        more_effort_by_5_percent=far,
        none_but_there_is=wrong,
        seconds_each=round(searching / 10, 1),
        seconds=round(time.process_time() - started),
    )
    assert far <= 1
    assert not wrong
