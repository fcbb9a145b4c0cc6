"""Symmetric assemblies are asked in fewer directions, with the same margins; what only looks symmetric is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statics_scenes import box, pose, scene, tower
from test_statics_growth import wall

from teeter.engine.topple.balance.boundary import nearest_boundary
from teeter.engine.topple.balance.equilibrium import MAX_PULL, Balance, SupportFunction, balance_of
from teeter.engine.topple.balance.margins import bearings, push_loads, push_of, tilt_of
from teeter.engine.topple.balance.reached import nearest_reached
from teeter.engine.topple.balance.symmetry import symmetries_of
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly

EAST, NORTH = np.eye(3)[:2]


def turned(assembly: Assembly, yaw: float) -> Assembly:
    by = pose(0, 0, 0, yaw=yaw)
    bodies = [body if body.fixed else body.at(body.pose.then(by)) for body in assembly.bodies]
    return replace(assembly, bodies=tuple(bodies))


def lopsided() -> Assembly:
    """A wall with one brick out of place by a quarter of a millimetre."""
    assembly = wall(3, 5)
    return replace(
        assembly,
        bodies=tuple(
            body.at(replace(body.pose, position=tuple(np.add(body.pose.position, (2.5e-4, 0, 0)))))
            if body.name == "4.0"
            else body
            for body in assembly.bodies
        ),
    )


def uneven() -> Assembly:
    """A stack of two beside one another, one of them slippery."""
    return scene(
        box("left", (20, 20, 10), pose(-20, 0, 5), 0.2),
        box("right", (20, 20, 10), pose(20, 0, 5), 0.6),
        box("top", (60, 20, 10), pose(0, 0, 15)),
    )


def of(assembly: Assembly) -> Balance:
    return balance_of(assembly, find_contacts(assembly))


def tilting(balance: Balance) -> Array:
    return np.stack([balance.load(EAST), balance.load(NORTH)], axis=1)


def count(balance: Balance, loads: Array) -> int:
    return len(symmetries_of(balance, EAST, NORTH, loads))


@pytest.mark.parametrize("yaw", [0.0, 30.0])
@pytest.mark.parametrize("assembly", [tower(4), wall(3, 5)], ids=["tower", "wall"])
def test_towers_and_walls_have_three(assembly: Assembly, yaw: float) -> None:
    balance = of(turned(assembly, yaw))
    assert count(balance, tilting(balance)) == 3


def test_a_push_counts_as_part_of_it() -> None:
    """Seen from the piece that is pushed: beside the middle of a wall only the mirror along it is left."""
    for high, symmetries in ((4, 3), (5, 1)):
        assembly = wall(4, high)
        balance = of(assembly)
        name, loads = push_loads(balance, assembly)
        at = balance.centres[balance.names.index(name)] - balance.centres.mean(axis=0)
        assert (abs(at[0]) < 1e-9) == (symmetries == 3)
        assert count(balance, loads) == symmetries


def test_what_differs_in_place_friction_or_weight_is_not_symmetric() -> None:
    moved = of(lopsided())
    assert count(moved, tilting(moved)) == 1
    rough = of(uneven())
    assert count(rough, tilting(rough)) == 1
    even = of(wall(3, 5))
    heavy = replace(even, weights=even.weights * np.where(np.arange(len(even.weights)) == 0, 1.01, 1.0))
    assert count(heavy, tilting(heavy)) == 1
    aslant = replace(even, down=np.array([0.1, 0.0, -1.0]) / np.hypot(0.1, 1.0))
    assert count(aslant, tilting(aslant)) == 0


def asked_everywhere(balance: Balance, loads: Array) -> tuple[float, int]:
    """The distance found without symmetries, and in how many queries."""
    ask = SupportFunction(balance.matrix, balance.friction, balance.load(balance.down), loads)
    return _counted(ask, balance, np.zeros((0, 2, 2)))


def reached_everywhere(balance: Balance, loads: Array) -> float:
    """The same, of the loads that are reached."""
    ask = SupportFunction(balance.matrix, balance.friction, balance.load(balance.down), loads)
    angles = bearings(balance, EAST, NORTH)
    return nearest_reached(balance, loads, nearest_boundary(ask, MAX_PULL, angles), angles, ()).distance


def _counted(ask: SupportFunction, balance: Balance, images: Array) -> tuple[float, int]:
    queries = 0

    def query(direction: Array) -> tuple[float, Array, Array]:
        nonlocal queries
        queries += 1
        return ask(direction)

    found = nearest_boundary(query, MAX_PULL, bearings(balance, EAST, NORTH), images=images)
    return found.distance, queries


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "assembly",
    [tower(6), turned(tower(6), 30.0), wall(3, 5), turned(wall(3, 6), 17.0), lopsided(), uneven()],
    ids=["tower", "turned tower", "wall", "turned wall", "lopsided", "uneven"],
)
def test_margins_are_those_found_without(assembly: Assembly) -> None:
    balance = of(assembly)
    loads = tilting(balance)
    distance, queries = asked_everywhere(balance, loads)
    reached = reached_everywhere(balance, loads)
    assert np.tan(np.radians(tilt_of(balance).degrees)) == pytest.approx(reached, rel=2e-3)
    same = symmetries_of(balance, EAST, NORTH, loads)
    found = _counted(
        SupportFunction(balance.matrix, balance.friction, balance.load(balance.down), loads),
        balance,
        np.array([each.plane for each in same]),
    )
    assert found[0] == pytest.approx(distance, rel=1e-4)
    assert found[1] < queries if len(same) else found[1] == queries
    name, loads = push_loads(balance, assembly)
    weight = float(balance.weights[balance.names.index(name)]) * balance.force
    newtons = push_of(balance, assembly).newtons
    assert newtons == pytest.approx(reached_everywhere(balance, loads) * weight, rel=5e-3)


def test_the_support_function_is_the_same_in_the_images() -> None:
    """Of loads that act on every piece, and of those on one."""
    assembly = turned(tower(5), 30.0)
    balance = of(assembly)
    for loads in (tilting(balance), push_loads(balance, assembly)[1]):
        ask = SupportFunction(balance.matrix, balance.friction, balance.load(balance.down), loads)
        direction = np.array([np.cos(0.9), np.sin(0.9)])
        value = ask(direction)[0]
        same = symmetries_of(balance, EAST, NORTH, loads)
        assert len(same) == 3
        assert [ask(each.plane @ direction)[0] for each in same] == pytest.approx([value] * 3, rel=1e-5)
