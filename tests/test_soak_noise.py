"""How surely: the rule by which statics decides alone, and the honesty of the interval, over many samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from noise_scenes import SCENES, at_edge

from teeter.engine.topple.laboratory.noise import Noise, chance, sample
from teeter.engine.world.body import Assembly

SAMPLES = 150


@pytest.mark.soak
@pytest.mark.parametrize(("name", "make", "mm", "deg"), SCENES, ids=[each[0] for each in SCENES])
def test_the_rule_changes_no_verdict_of_the_simulation(
    row: Callable[..., None], name: str, make: Callable[[], Assembly], mm: float, deg: float
) -> None:
    assembly, noise = make(), Noise(mm / 1e3, math.radians(deg), seed=7)
    ours = [sample(assembly, noise, number) for number in range(SAMPLES)]
    theirs = [sample(assembly, noise, number, simulate=True) for number in range(SAMPLES)]
    differ = sum(one.stands != other.stands for one, other in zip(ours, theirs, strict=True))
    row(
        "Samples that statics decides",
        scene=name,
        noise=f"{mm:g} mm, {deg:g} degrees",
        samples=SAMPLES,
        stood=sum(one.stands for one in theirs),
        statics=sum(one.judge == "statics" for one in ours),
        differ=differ,
    )
    assert differ == 0


@pytest.mark.soak
def test_the_interval_is_honest_over_200_repetitions(row: Callable[..., None]) -> None:
    """A brick near the table's edge: the true share is that of the normal distribution."""
    truth = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
    covered = 0
    for seed in range(200):
        found = chance(at_edge(1.0), Noise(position=1e-3, seed=1000 + seed), 100)
        covered += found.low <= truth <= found.high
    row("The 95 % interval", repetitions=200, samples=100, truth=truth, covers=covered / 200)
    assert 0.92 <= covered / 200 <= 0.98
