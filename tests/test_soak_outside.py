"""The field's own scenes for ten simulated minutes, in every engine: the table of engine/bench/README.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.bench.outside import QUICK, SCENES, cells_of, measure, runners

PROCESSOR_S = 1200.0
"""Seconds after which an engine is broken off."""


@pytest.mark.parametrize("engine", sorted(runners()))
def test_every_engine_runs_a_scene_and_tells_what_it_cost(engine: str) -> None:
    found = measure("N1 slope, mu 0.5, 26 degrees", engine, 1.0)
    assert found.collapsed is None
    assert found.simulated == pytest.approx(1.0, abs=0.1)
    assert found.version[0].isdigit()
    assert found.cost > 0.0
    assert cells_of(found)["stands"] == "1 s"


def test_the_quick_ones_are_scenes() -> None:
    assert set(QUICK) <= SCENES.keys()


@pytest.mark.soak
@pytest.mark.parametrize("engine", sorted(runners()))
@pytest.mark.parametrize("scene", SCENES)
def test_ten_minutes(scene: str, engine: str, row: Callable[..., None]) -> None:
    found = measure(scene, engine, 600.0, PROCESSOR_S)
    row("outside scenes", **{"scene": scene, "engine": f"{engine} {found.version}", **cells_of(found)})
    if engine == "bullet, tuned" and scene in STANDING:
        assert found.collapsed is None


STANDING = ("K1 Kapla tower, 102 blocks", "S2 Siconos column", "S2 Siconos wall", "B1 cube on a cube")
"""Where ours must stand; the others are named in the table with what is wrong."""
