"""The test scenes of other engines: statics gives the right answer, and a certificate proves it."""

from __future__ import annotations

import math
from collections.abc import Callable

import outside_scenes as outside
import pytest
from peer_scenes import kapla_tower, pyramid

from teeter.engine.certificate.checker import check
from teeter.engine.certificate.maker import certify
from teeter.engine.certificate.proof import NoCertificateError
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import Assembly

STANDING: dict[str, Callable[[], Assembly]] = {
    "Kapla tower of two floors": lambda: kapla_tower(floors=2),
    "Jenga stack of 10 layers": lambda: outside.jenga_stack(10),
    "pyramid of base 6": lambda: pyramid(6),
    "pyramid whose top weighs 300 times as much": lambda: pyramid(3, top_times=300.0),
    "Siconos column": lambda: outside.siconos_stack("column"),
    "Siconos wall": lambda: outside.siconos_stack("wall"),
    "arch of 25 stones": outside.ipc_arch,
    "Box3D's arch": outside.box3d_arch,
    "pyramid 40 km away": outside.far_pyramid,
    "cube on a cube": outside.cube_on_a_cube,
}
LARGE: dict[str, Callable[[], Assembly]] = {
    "Kapla tower": kapla_tower,
    "Jenga stack of 30 layers": outside.jenga_stack,
    "pyramid of base 12": lambda: pyramid(12),
    "Siconos pyramid": lambda: outside.siconos_stack("pyramid"),
    "PEEL's cards": outside.peel_cards,
    "arch of 101 stones": lambda: outside.ipc_arch(101),
    "Keva block of 40": outside.keva_block,
}
BALANCED: dict[str, Callable[[], Assembly]] = {
    "tent of two cards": lambda: outside.ipc_cards(1),
    "card house of 4 storeys": outside.ipc_cards,
    "pyramid of base 20": lambda: pyramid(20),
    "Keva block of 198": lambda: outside.keva_block(2, 13),
}
"""Too large, or edge on edge, where nothing tells the normal: statics alone tells."""


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
@pytest.mark.sampled(9)
def test_large_stacks_of_other_engines_stand(name: str) -> None:
    assert proven(LARGE[name]()) == "stands"


@pytest.mark.parametrize("name", BALANCED)
def test_what_has_no_certificate_has_a_balance_of_forces(name: str) -> None:
    assert analyse(BALANCED[name](), margins=False, loads=False).stands


def test_a_tent_of_two_cards_slides_where_its_feet_no_longer_hold_the_thrust() -> None:
    # moments about a foot: the thrust of the other card at the top, a length high, against its own weight
    least = math.tan(math.radians(25.0)) / 2 - 0.05 / 2.5 / 2
    assert analyse(outside.ipc_cards(1, 1.01 * least), margins=False, loads=False).stands
    assert not analyse(outside.ipc_cards(1, 0.99 * least), margins=False, loads=False).stands


@pytest.mark.parametrize("stones", [25, 101])
def test_an_arch_closes_and_stands_on_level_feet(stones: int) -> None:
    arch = outside.ipc_arch(stones)
    tops = [float(body.pose.position[2]) for body in arch.free]
    assert len(tops) == stones
    assert tops == pytest.approx(tops[::-1], abs=1e-6)
    lowest = [body.pose.apply(body.piece.parts[0].vertices)[:, 2] for body in (arch.free[0], arch.free[-1])]
    for heights in lowest:
        assert sorted(heights)[:4] == pytest.approx([0.0] * 4, abs=1e-6)


def test_the_cube_on_the_wall_holds_twice_its_weight() -> None:
    assembly, (pressed, _, weight) = outside.cube_on_a_wall()
    assert analyse(assembly, gravity=(pressed, 0.0, weight), margins=False, loads=False).stands
    assert not analyse(assembly, gravity=(0.49 * pressed, 0.0, weight), margins=False, loads=False).stands
    (cube,) = assembly.free
    assert cube.piece.mass * pressed == pytest.approx(20.0)


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


@pytest.mark.parametrize(("friction", "stands"), [(0.7, True), (0.0075, True), (0.007, False)])
def test_a_roller_hangs_between_two_pads_while_their_friction_carries_it(
    friction: float, stands: bool
) -> None:
    """The wall presses by what pushes the roller too. Of the pad's 30 N its foot may take mu times its weight."""
    roller, gravity = outside.pinched_roller()
    pressed = 2 * 30.0 - 2 * friction * 2.0 * 9.81 + 0.045 * 15.0
    assert stands is (friction * pressed > 0.045 * 9.81)
    assert analyse(roller, gravity=gravity, friction=friction, margins=False, loads=False).stands is stands
