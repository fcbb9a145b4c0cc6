"""Incremental statics answers like the whole force balance, for every candidate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from statics_scenes import box, piece, pose, pyramid, scene, tower

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body, tilted_gravity
from teeter.scenes.load import load


def holed() -> Assembly:
    """A tower of bricks with some taken out: near its limit in several rows."""
    gone = {f"brick.{k:02d}" for k in (1, 3, 10, 16, 18, 27, 32, 39, 42)}
    return replace(tower(16), bodies=tuple(body for body in tower(16).bodies if body.name not in gone))


def candidates(assembly: Assembly, size: tuple[float, float, float], count: int, seed: int) -> list[Body]:
    """Pieces laid on pieces of the tower, most of them on the highest; some beside, some across two."""
    rng = np.random.default_rng(seed)
    shape = piece(density=1500.0, box=size)
    tops = np.array(
        [
            body.pose.position[2] + (np.abs(body.pose.matrix) @ body.piece.extents)[2] / 2
            for body in assembly.free
        ]
    )
    found = []
    for number in range(count):
        height = tops.max() if rng.random() < 0.75 else rng.choice(tops)
        below = assembly.free[int(rng.choice(np.flatnonzero(np.abs(tops - height) < 1e-6)))]
        x, y = np.array(below.pose.position[:2]) + rng.uniform(-0.9, 0.9, 2) * np.array(size[:2]) / 1e3
        yaw = float(rng.choice([0.0, math.pi / 2, rng.uniform(0.0, math.pi)]))
        at = Pose((float(x), float(y), float(height) + size[2] / 2e3), quaternion_of_rpy(0.0, 0.0, yaw))
        found.append(Body(f"new.{number}", shape, at))
    return found


TOWERS: list[tuple[str, Callable[[], Assembly], tuple[float, float, float], int]] = [
    ("tower with holes", holed, (75, 25, 15), 60),
    ("pyramid", lambda: pyramid(28), (30, 15, 30), 60),
    ("arch", lambda: load("arch").assembly, (30, 20, 40), 60),
    ("bridge", lambda: load("bridge").assembly, (30, 20, 10), 60),
    ("leaning tower", lambda: load("leaning_tower").assembly, (40, 30, 30), 60),
    ("overhang", lambda: load("overhang_inside").assembly, (30, 20, 10), 60),
    ("tower that falls", lambda: load("leaning_tower_past").assembly, (30, 20, 10), 10),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("make", "size", "count"), [each[1:] for each in TOWERS], ids=[t[0] for t in TOWERS])
def test_it_answers_like_the_whole_balance(
    make: Callable[[], Assembly], size: tuple[float, float, float], count: int
) -> None:
    known = IncrementalStatics(make())
    answers: Counter[tuple[bool | None, str]] = Counter()
    bodies = candidates(known.tower, size, count, seed=3)
    together = IncrementalStatics(make()).adding_each(bodies)
    for body, one_of_many in zip(bodies, together, strict=True):
        added = known.adding(body)
        assert added == one_of_many, body
        assert added.stands is stands(known.with_piece(body)), body
        answers[added.stands, added.proof] += 1
    short = sum(number for (_, way), number in answers.items() if way != "whole")
    assert short >= count // 2 or count == 10, answers


@pytest.mark.parametrize("degrees", [4.0, 14.0])
def test_it_answers_like_the_whole_balance_on_a_tilted_table(degrees: float) -> None:
    answers: Counter[bool | None] = Counter()
    for way in (0.3, 2.0):
        pull = tilted_gravity(math.radians(degrees), way)
        known = IncrementalStatics(pyramid(15), gravity=pull)
        for body in candidates(known.tower, (30, 15, 30), 20, seed=4):
            added = known.adding(body)
            assert added.stands is stands(known.with_piece(body), gravity=pull), body
            answers[added.stands] += 1
    assert len(answers) == 2, answers


def test_contacts_of_the_whole_are_those_found_together() -> None:
    known = IncrementalStatics(holed())
    for body in candidates(known.tower, (75, 25, 15), 12, seed=8):
        kept, together = known.contacts(body), find_contacts(known.with_piece(body))
        assert kept.floating == together.floating
        assert kept.overlaps == together.overlaps

        def rows(contacts: object) -> list[tuple[float, ...]]:
            c = contacts
            each = np.column_stack([c.first, c.second, c.points * 1e3, c.normals])  # type: ignore[attr-defined]
            return sorted(map(tuple, (each.round(6) + 0.0).tolist()))

        assert np.allclose(rows(kept), rows(together), atol=1e-5)


def test_a_fall_that_was_seen_is_known_the_next_time() -> None:
    """A plank over the edge carries a counterweight only so far: the mechanism is the tower's, not the piece's."""
    plank = box("plank", (100, 20, 10), pose(20, 0, 25))
    block = box("block", (40, 40, 20), pose(0, 0, 10))
    known = IncrementalStatics(scene(block, plank))
    ways = []
    for x in (60.0, 61.0, 59.0):
        body = box("new", (10, 10, 40), pose(x, 0, 50))
        added = known.adding(body)
        assert added.stands is stands(known.with_piece(body)) is False
        ways.append(added.proof)
    assert ways == ["whole", "fall", "fall"]


def test_of_pieces_asked_together_each_is_told_what_it_lies_in() -> None:
    known = IncrementalStatics(scene(box("0", (40, 40, 20), pose(0, 0, 10))))
    bodies = [box("new", (20, 20, 10), pose(x, 0, z)) for x, z in ((0, 25), (0, 20), (300, 5), (0, 5))]
    above, half_in, beside, inside = known.adding_each(bodies)
    assert [above.stands, beside.stands, above.overlaps, beside.overlaps] == [True, True, (), ()]
    assert [(each.first, each.second) for each in half_in.overlaps] == [("0", "new")]
    assert half_in.overlaps[0].depth == pytest.approx(0.005)
    assert inside.overlaps[0].first == "0"
    assert inside.overlaps != half_in.overlaps
    with pytest.raises(ValueError, match="0 cannot be added"):
        known.adding_each([*bodies, box("0", (20, 20, 10), pose(0, 0, 25))])


def test_pieces_that_touch_nothing_or_round_things() -> None:
    known = IncrementalStatics(scene(box("a", (40, 40, 20), pose(0, 0, 10))))
    apart = known.adding(box("b", (40, 40, 20), pose(0, 0, 50)))
    assert (apart.stands, apart.touches) == (False, False)
    ball = known.adding(Body("b", piece(sphere=10.0), pose(0, 0, 30)))
    assert (ball.stands, ball.touches, ball.proof) == (None, True, "curved")
    assert "curved surface" in (ball.why or "")
    inside = known.adding(box("b", (40, 40, 20), pose(0, 0, 25)))
    assert inside.overlaps[0].depth == pytest.approx(0.005, abs=1e-6)
    assert known.adding(box("b", (40, 40, 20), pose(300, 0, 10))).stands


def test_an_empty_table_is_a_tower_too() -> None:
    known = IncrementalStatics(scene())
    assert known.adding(box("b", (40, 40, 20), pose(0, 0, 10))).stands
    assert known.adding(box("b", (40, 40, 20), pose(0, 0, 15))).stands is False


@pytest.mark.parametrize(
    "body", [box("a", (9, 9, 9), pose(0, 0, 50)), box("c", (9, 9, 9), pose(0, 0, 50), fixed=True)]
)
def test_what_cannot_be_added_is_refused(body: Body) -> None:
    with pytest.raises(ValueError, match="free piece"):
        IncrementalStatics(scene(box("a", (40, 40, 20), pose(0, 0, 10)))).adding(body)
