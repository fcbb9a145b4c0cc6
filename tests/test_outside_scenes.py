"""The test scenes of other engines: statics gives the right answer, and a certificate proves it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import engine.bench.outside_scenes as outside
from engine.certificate.checker import check
from engine.certificate.maker import certify
from engine.certificate.proof import NoCertificateError
from engine.topple.balance.statics import analyse
from engine.world import Assembly

STANDING: dict[str, Callable[[], Assembly]] = {
    "Kapla tower of two floors": lambda: outside.kapla_tower(floors=2),
    "Jenga stack of 10 layers": lambda: outside.jenga_stack(10),
    "pyramid of base 6": lambda: outside.pyramid(6),
    "pyramid whose top weighs 300 times as much": lambda: outside.pyramid(3, top_times=300.0),
    "Siconos column": lambda: outside.siconos_stack("column"),
    "Siconos wall": lambda: outside.siconos_stack("wall"),
}
LARGE: dict[str, Callable[[], Assembly]] = {
    "Kapla tower": outside.kapla_tower,
    "Jenga stack of 30 layers": outside.jenga_stack,
    "pyramid of base 12": lambda: outside.pyramid(12),
    "Siconos pyramid": lambda: outside.siconos_stack("pyramid"),
}


def proven(assembly: Assembly) -> str:
    stands = analyse(assembly, margins=False, loads=False).stands
    assert stands is not None
    assert check(certify(assembly, stands)) == ("stands" if stands else "topples")
    return "stands" if stands else "topples"


@pytest.mark.parametrize("name", STANDING)
def test_stacks_of_other_engines_stand(name: str) -> None:
    assert proven(STANDING[name]()) == "stands"


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_stacks_of_other_engines_stand(name: str) -> None:
    assert proven(LARGE[name]()) == "stands"


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("degrees", [3.0, 10.0, 20.0, 30.0, 40.0])
def test_a_box_on_a_slope_slides_where_its_friction_ends(mu: float, degrees: float) -> None:
    expected = "stands" if math.tan(math.radians(degrees)) < mu else "topples"
    assert proven(outside.friction_slope(mu, degrees)) == expected


def test_the_critical_slope_has_no_certificate_either_way() -> None:
    critical = math.degrees(math.atan(0.5))
    assert proven(outside.friction_slope(0.49, critical)) == "topples"
    assert proven(outside.friction_slope(1.0, critical)) == "stands"
    for stands in (True, False):
        with pytest.raises(NoCertificateError, match="limit|round"):
            certify(outside.friction_slope(0.5, critical), stands)
