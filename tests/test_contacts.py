"""Contact finding: counts, places, normals; what does not count; curves, gaps and overlaps."""

from __future__ import annotations

import math
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from statics_scenes import box, piece, pose, pyramid, scene, table, tower

from teeter.engine.topple.contact import patches
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.world.body import Assembly, Body

CUBE = (40.0, 40.0, 40.0)


def between(contacts: Contacts, a: str, b: str) -> Any:
    """Points (mm) between two bodies, after checking that the normals lead towards the first."""
    i, j = contacts.names.index(a), contacts.names.index(b)
    there = (contacts.first == i) & (contacts.second == j)
    back = (contacts.first == j) & (contacts.second == i)
    return np.round(contacts.points[there | back] * 1e3, 6)


def test_a_box_on_the_table_touches_at_four_corners() -> None:
    found = find_contacts(scene(box("a", (60, 30, 15), pose(5, 6, 7.5))))
    assert sorted(map(tuple, between(found, "a", "table"))) == [
        (-25, -9, 0), (-25, 21, 0), (35, -9, 0), (35, 21, 0),
    ]  # fmt: skip
    up = found.normals * np.where(found.first == 1, 1, -1)[:, None]
    assert np.allclose(up, [0, 0, 1])
    assert found.meet


def test_every_joint_of_the_tower_is_found_once() -> None:
    found = find_contacts(tower(18))
    # 12 on the table, 9 crossings of 4 points in each of 17 layers, 2 side joints of 4 in each row
    assert len(found.points) == 12 + 17 * 36 + 18 * 8
    assert len(np.unique(found.patch)) == 3 + 17 * 9 + 18 * 2
    assert found.meet


def test_pieces_that_only_share_an_edge_do_not_touch() -> None:
    """A wall's kitty-corner bricks: their edges run along each other, but either may slide off."""
    found = find_contacts(scene(box("low", CUBE, pose(20, 0, 20)), box("high", CUBE, pose(-20, 0, 60))))
    assert len(between(found, "low", "high")) == 0
    assert found.floating == ("high",)


POINT_CASES = {
    # the second body on a fixed cube 40 high; rolled by 45 degrees it stands on an edge
    "edge on face": (
        box("b", CUBE, pose(0, 0, 40 + 20 * math.sqrt(2), roll=45)),
        [(-20, 0, 40), (20, 0, 40)],
    ),
    "edge over the rim": (
        box("b", CUBE, pose(15, 0, 40 + 20 * math.sqrt(2), roll=45)),
        [(-5, 0, 40), (20, 0, 40)],
    ),
    "corner on face": (
        box(
            "b",
            CUBE,
            pose(0, 0, 40 + 20 * math.sqrt(3), roll=45, pitch=math.degrees(math.atan(1 / math.sqrt(2)))),
        ),
        [(0, 0, 40)],
    ),
}


@pytest.mark.parametrize("name", POINT_CASES)
def test_edges_and_corners_on_faces(name: str) -> None:
    body, expected = POINT_CASES[name]
    found = find_contacts(Assembly("", (box("a", CUBE, pose(0, 0, 20), fixed=True), body)))
    assert np.allclose(sorted(map(tuple, between(found, "a", "b"))), expected, atol=1e-3)
    assert np.allclose(np.abs(found.normals[:, 2]), 1)


def test_edges_across_each_other() -> None:
    low = box("a", CUBE, pose(0, 0, 0, roll=45), fixed=True)
    high = box("b", CUBE, pose(0, 0, 40 * math.sqrt(2), roll=45, yaw=90))
    found = find_contacts(Assembly("", (low, high)))
    assert np.allclose(between(found, "a", "b"), [[0, 0, 20 * math.sqrt(2)]], atol=1e-6)
    assert np.allclose(np.abs(found.normals), [[0, 0, 1]])


def test_tops_of_a_tent_touch_along_their_edges() -> None:
    lean, half, length = math.radians(20), 1.0, 60.0
    # the inner top corner of a card: up by half its length, inwards by half its thickness
    reach = length / 2 * math.sin(lean) + half * math.cos(lean)
    bodies = [
        box("l", (2, 40, length), pose(-reach, 0, 100, pitch=20), fixed=True),
        box("r", (2, 40, length), pose(reach, 0, 100, pitch=-20)),
    ]
    found = find_contacts(Assembly("", tuple(bodies)))
    assert len(found.points) == 2
    assert np.allclose(np.abs(found.normals), [[1, 0, 0]])


def test_a_hole_carries_nothing_but_its_rim_does() -> None:
    """A ring of cubes around an empty place: the contact polygon is its hull, as strong as the ring."""
    ring = [[x, y, 0] for x in range(3) for y in range(3) if (x, y) != (1, 1)]
    found = find_contacts(scene(Body("ring", piece(polycube={"cells": ring, "edge": 20.0}), pose(0, 0, 10))))
    assert len(found.points) == 4


def test_a_peg_in_a_hole_touches_its_walls() -> None:
    ring = [[x, y, 0] for x in range(3) for y in range(3) if (x, y) != (1, 1)]
    holed = Body("ring", piece(polycube={"cells": ring, "edge": 20.0}), pose(0, 0, 10))
    found = find_contacts(scene(holed, box("peg", (20, 20, 60), pose(0, 0, 30))))
    assert len(between(found, "peg", "table")) == 4
    assert len(between(found, "peg", "ring")) == 16
    assert found.meet


def test_a_rod_in_its_hole_is_not_compared_plane_by_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    """It touches in hundreds of planes: each by each took half a minute."""
    compare = Mock(wraps=patches._is_one_plane)
    monkeypatch.setattr(patches, "_is_one_plane", compare)
    holed = Body("holed", piece(drilled={"box": [20, 20, 10], "radius": 5}), pose(0, 0, 5))
    found = find_contacts(scene(holed, Body("rod", piece(cylinder=(5, 20)), pose(0, 0, 10))))
    planes = len(np.unique(found.patch))
    assert planes > 100
    assert compare.call_count < 10 * planes


def test_outlines_that_only_touch_do_not_bear() -> None:
    """A bar over a notch of exactly its width lies on the block behind the notch alone."""
    around = [[0, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]
    bar = box("bar", (20, 40, 20), pose(0, 0, 30))
    found = find_contacts(
        scene(Body("block", piece(polycube={"cells": around, "edge": 20.0}), pose(0, 0, 10)), bar)
    )
    assert sorted(map(tuple, between(found, "bar", "block")[:, :2])) == [
        (-10, 0),
        (-10, 20),
        (10, 0),
        (10, 20),
    ]


def test_a_bridge_on_two_feet_touches_in_both() -> None:
    cells = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [2, 0, 1], [2, 0, 0]]
    found = find_contacts(scene(Body("arch", piece(polycube={"cells": cells, "edge": 20.0}), pose(0, 0, 20))))
    assert sorted(map(tuple, between(found, "arch", "table")[:, :2])) == [
        (-30, -10),
        (-30, 10),
        (30, -10),
        (30, 10),
    ]


@pytest.mark.parametrize(
    ("gap", "touches"), [(0.0, True), (0.019, True), (-0.019, True), (0.021, False), (0.5, False)]
)
def test_two_hundredths_of_a_millimetre_count_as_touching(gap: float, touches: bool) -> None:
    found = find_contacts(scene(box("a", CUBE, pose(0, 0, 20 + gap))))
    assert (len(found.points) == 4) is touches
    assert found.floating == (() if touches else ("a",))


@pytest.mark.parametrize(("degrees", "points"), [(0.045, 4), (0.06, 2), (1.0, 2)])
def test_faces_within_a_twentieth_degree_count_as_parallel(degrees: float, points: int) -> None:
    lift = 20 * math.cos(math.radians(degrees)) + 20 * math.sin(math.radians(degrees))
    found = find_contacts(scene(box("a", CUBE, pose(0, 0, lift, roll=degrees))), gap=1e-4)
    assert len(found.points) == points


OVERLAPS = {
    "faces": (box("b", CUBE, pose(0, 0, 59, yaw=0)), 1.0),
    "turned": (box("b", CUBE, pose(0, 0, 59, yaw=30)), 1.0),
    "sideways": (box("b", CUBE, pose(39.5, 10, 20)), 0.5),
    "edge in face": (box("b", CUBE, pose(0, 0, 40 + 20 * math.sqrt(2) - 0.3, roll=45)), 0.3),
    "edge in edge": (box("b", CUBE, pose(20 + 20 * math.sqrt(2) - 0.2, 0, 20, yaw=45)), 0.2),
    "ball": (Body("b", piece(sphere=20.0), pose(0, 0, 59.75)), 0.25),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_overlaps_are_measured(name: str) -> None:
    body, depth = OVERLAPS[name]
    found = find_contacts(scene(box("a", CUBE, pose(0, 0, 20)), body))
    assert [(one.first, one.second) for one in found.overlaps if one.depth > 0.02e-3] == [("a", "b")]
    assert found.overlaps[0].depth * 1e3 == pytest.approx(depth, rel=0.02)
    assert not found.meet


CURVED = {
    "ball on the table": [Body("ball", piece(sphere=20.0), pose(0, 0, 20))],
    "ball on ball": [
        Body("a", piece(sphere=20.0), pose(0, 0, 20)),
        Body("b", piece(sphere=20.0), pose(0, 0, 60)),
    ],
    "lying cylinder": [Body("log", piece(cylinder=[15.0, 80.0]), pose(0, 0, 15, roll=90))],
    "lying cylinder, turned in itself": [
        Body("log", piece(cylinder=[15.0, 80.0]), pose(0, 0, 15, roll=90, pitch=7))
    ],
    "ball between two edges": [
        box("left", (40, 40, 30), pose(-30, 0, 15)),
        box("right", (40, 40, 30), pose(30, 0, 15)),
        Body("ball", piece(sphere=20.0), pose(0, 0, 30 + 20 * math.sqrt(3) / 2)),
    ],
    "box on a lying cylinder": [
        Body("log", piece(cylinder=[15.0, 80.0]), pose(0, 0, 15, roll=90), fixed=True),
        box("slab", (60, 20, 10), pose(0, 0, 35)),
    ],
}


@pytest.mark.parametrize("name", CURVED)
def test_curved_contact_is_named(name: str) -> None:
    found = find_contacts(scene(*CURVED[name]))
    assert found.curved
    assert found.curved[-1][0] == CURVED[name][-1].name
    assert found.overlaps == ()


@pytest.mark.parametrize("yaw", [0.0, 17.0])
def test_a_standing_cylinder_touches_flat(yaw: float) -> None:
    pole = Body("pole", piece(cylinder=[15.0, 80.0]), pose(0, 0, 40, yaw=yaw))
    found = find_contacts(scene(pole, box("cap", (20, 20, 10), pose(12, 0, 85))))
    assert found.curved == ()
    assert len(between(found, "pole", "table")) >= 16
    assert len(between(found, "pole", "cap")) > 4


def test_a_wall_beside_a_standing_cylinder_does_not_make_it_curved() -> None:
    pole = Body("pole", piece(cylinder=[15.0, 80.0]), pose(0, 0, 40))
    assert find_contacts(scene(pole, box("wall", CUBE, pose(35, 0, 20)))).curved == ()


def test_fixed_bodies_do_not_touch_each_other() -> None:
    found = find_contacts(scene(box("a", CUBE, pose(0, 0, 20), fixed=True)))
    assert len(found.points) == 0
    assert found.meet


@pytest.mark.parametrize("assembly", [Assembly("none", ()), Assembly("bare", (table(),))])
def test_nothing_touches_nothing(assembly: Assembly) -> None:
    assert len(find_contacts(assembly).points) == 0


def test_contacts_of_a_big_pyramid() -> None:
    found = find_contacts(pyramid(210))
    # 20 on the table; each of the 190 others lies on two
    assert len(found.points) == 4 * (20 + 2 * 190)
    assert found.meet
