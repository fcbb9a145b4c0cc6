"""Scene events from ticks: every kind, its threshold from both sides, and the order. Driven by the scripted
world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scripted_world import Hold, Keyframes, ScriptedWorld, hold

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.event_detector import EventDetector, Thresholds, farthest, steps_of
from teeter.engine.events import Dropped, Moved, Parted, Rested, SceneEvent, Touched
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body, Tick
from teeter.engine.world.bullet import BulletWorld

RATE = 240
BRICK = piece(wood(), box=(75, 25, 15))
BEAM = piece(wood(), box=(75, 25, 40))
LIGHT = 0.1
"""Newtons: far below the impulse threshold for many steps."""


def at(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
    return Pose((x / 1e3, y / 1e3, z / 1e3), quaternion_of_rpy(0.0, 0.0, math.radians(yaw)))


def about(number: float) -> Any:
    """A number that equals what lies near it, to stand in an event."""
    return pytest.approx(number)


def bodies() -> list[Body]:
    return [
        table(),
        Body("a", BRICK, at(0, 0, 7.5)),
        Body("b", BRICK, at(0, 0, 22.5)),
        Body("c", BEAM, at(100, 0, 20)),
    ]


def events(
    paths: Mapping[str, Keyframes] | None = None,
    holds: Sequence[Hold] = (),
    steps: int = 40,
    rate: int = RATE,
    every: int = 1,
) -> list[SceneEvent]:
    world = ScriptedWorld(bodies(), paths=paths, holds=holds, rate=rate)
    detector = EventDetector(bodies(), rate)
    seen: list[SceneEvent] = []
    while world.step < steps:
        seen += detector.see(world.advance(every, contacts=True))
    return seen


def of(kind: type, found: list[SceneEvent]) -> list[SceneEvent]:
    return [event for event in found if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("rate", "steps", "counts"),
    [(240, 2, False), (240, 3, True), (480, 5, False), (480, 6, True), (960, 11, False), (960, 12, True)],
)
def test_ALL_3_a_touch_counts_when_force_holds_for_12_5_ms_at_any_rate(
    rate: int, steps: int, counts: bool
) -> None:
    found = of(Touched, events(holds=[hold("a", "b", 5, 5 + steps, LIGHT)], rate=rate))
    assert found == ([Touched(5 + steps - 1, "a", "b", about(LIGHT * steps / rate))] if counts else [])


def test_ALL_3_a_touch_counts_at_once_when_its_impulse_is_past_the_threshold() -> None:
    hard = 1.01 * Thresholds().impulse * RATE
    assert of(Touched, events(holds=[hold("a", "b", 5, 6, hard)])) == [
        Touched(5, "a", "b", about(1.01 * Thresholds().impulse))
    ]
    assert of(Touched, events(holds=[hold("a", "b", 5, 6, hard / 1.02)])) == []


def test_ALL_3_a_graze_again_and_again_is_no_touch() -> None:
    grazes = [hold("a", "b", start, start + 2, LIGHT) for start in range(1, 38, 3)]
    assert of(Touched, events(holds=grazes)) == []


def test_points_of_one_pair_add_up() -> None:
    half = 0.6 * Thresholds().impulse * RATE
    two = [hold("a", "b", 5, 6, half), hold("a", "b", 5, 6, half)]
    assert len(of(Touched, events(holds=two))) == 1


def test_a_touch_parts_when_no_force_is_seen_for_the_dwell() -> None:
    found = events(holds=[hold("a", "b", 5, 15, LIGHT)])
    assert of(Parted, found) == [Parted(14 + 3, "a", "b")]


def test_a_gap_shorter_than_the_dwell_is_neither_a_parting_nor_a_new_touch() -> None:
    found = events(holds=[hold("a", "b", 5, 15, LIGHT), hold("a", "b", 17, 40, LIGHT)])
    assert len(of(Touched, found)) == 1
    assert of(Parted, found) == []


def test_ticks_without_contacts_leave_touches_as_they_were() -> None:
    world = ScriptedWorld(bodies(), holds=[hold("a", "b", 0, 10, LIGHT)])
    detector = EventDetector(bodies(), RATE)
    for _ in range(8):
        detector.see(world.advance(contacts=True))
    for _ in range(12):
        assert not detector.see(world.advance())
    assert detector.touching == (("a", "b"),)
    assert detector.see(world.advance(contacts=True)) == (Parted(21, "a", "b"),)


def test_pairs_whose_contacts_were_not_read_are_left_alone() -> None:
    world = ScriptedWorld(bodies(), holds=[hold("a", "b", 0, 10, LIGHT), hold("c", "table", 0, 10, LIGHT)])
    detector = EventDetector(bodies(), RATE)
    for _ in range(9):
        detector.see(world.advance(contacts=True))
    parted = [event for _ in range(9) for event in detector.see(world.advance(contacts=("c",)), among=("c",))]
    assert parted == [Parted(12, "c", "table")]
    assert detector.touching == (("a", "b"),)


def test_a_body_taken_out_parts_from_all_it_touched() -> None:
    world = ScriptedWorld(bodies(), holds=[hold("a", "b", 0, 99, LIGHT), hold("a", "table", 0, 99, LIGHT)])
    detector = EventDetector(bodies(), RATE)
    for _ in range(9):
        detector.see(world.advance(contacts=True))
    world.remove("b")
    assert detector.see(world.advance(contacts=True)) == (Parted(10, "a", "b"),)
    assert detector.touching == (("a", "table"),)


@pytest.mark.parametrize(
    ("to", "mm"),
    [
        (at(0.9, 0, 7.5), None),
        (at(1.1, 0, 7.5), 1.1),
        (at(0, 0, 8.6), 1.1),
        # the far corner of a 75 x 25 x 15 mm brick is 39.5 mm from its axis
        (at(0, 0, 7.5, yaw=1.4), None),
        (at(0, 0, 7.5, yaw=1.5), 2 * math.hypot(37.5, 12.5) * math.sin(math.radians(0.75))),
    ],
)
def test_moved_tells_how_far_a_corner_went_once(to: Pose, mm: float | None) -> None:
    found = of(Moved, events({"a": [(5, at(0, 0, 7.5)), (6, to), (9, at(0, 0, 7.5)), (12, to)]}))
    assert found == ([] if mm is None else [Moved(6, "a", about(mm))])


@pytest.mark.parametrize(
    ("name", "start", "lower", "counts"),
    [
        ("b", at(0, 0, 22.5), 7.9, False),
        ("b", at(0, 0, 22.5), 8.1, True),
        ("c", at(100, 0, 20), 12.4, False),
        ("c", at(100, 0, 20), 12.6, True),
    ],
)
def test_ALL_4_dropped_is_lower_than_half_the_smallest_side_and_8_mm(
    name: str, start: Pose, lower: float, counts: bool
) -> None:
    x, y, z = start.position
    to = Pose((x, y, z - lower / 1e3))
    found = of(Dropped, events({name: [(5, start), (6, to), (8, start), (10, to)]}))
    assert found == ([Dropped(6, name, about(lower))] if counts else [])


def test_ALL_4_drops_count_from_the_last_rest() -> None:
    low, lower = at(0, 0, 15.5), at(0, 0, 8.5)
    path = {"b": [(1, at(0, 0, 22.5)), (2, low), (9, low), (10, lower)]}
    assert len(of(Dropped, events(path))) == 1
    world, detector = ScriptedWorld(bodies(), paths=path), EventDetector(bodies(), RATE)
    detector.rest(world.advance(5))
    assert of(Dropped, [event for _ in range(20) for event in detector.see(world.advance())]) == []


def test_ALL_2_rested_when_nothing_is_faster_than_1_mm_s_for_the_dwell_once() -> None:
    dwell = steps_of(Thresholds().rest.time, RATE)
    path = [(10, at(0, 0, 22.5)), (20, at(5, 0, 22.5))]
    found = of(Rested, events({"b": path}, steps=3 * dwell))
    assert found == [Rested(21 + dwell, ("a", "b", "c"))]


@pytest.mark.parametrize(("speed", "rests"), [(0.99, True), (1.01, False)])
def test_ALL_2_rest_is_slower_than_1_mm_s(speed: float, rests: bool) -> None:
    seconds = 2.0
    path = {"c": [(0, at(100, 0, 20)), (480, at(100 + speed * seconds, 0, 20))]}
    assert bool(of(Rested, events(path, steps=400))) is rests


@pytest.mark.parametrize(("amplitude", "rests"), [(0.04, True), (0.06, False)])
def test_ALL_2_what_jitters_within_0_1_mm_is_at_rest(amplitude: float, rests: bool) -> None:
    path = {"c": [(step, at(100 + amplitude * (-1) ** step, 0, 20)) for step in range(400)]}
    found = of(Rested, events(path, steps=300))
    assert bool(found) is rests


def test_rest_is_told_again_after_a_new_reference() -> None:
    world, detector = ScriptedWorld(bodies()), EventDetector(bodies(), RATE)
    told = []
    for _ in range(2):
        told += [event.step for _ in range(200) for event in detector.see(world.advance())]
        detector.rest(world.read())
    assert told == [121, 321]


def test_one_tick_tells_its_events_in_the_order_of_kind_and_name() -> None:
    down = {body.name: [(4, body.pose), (5, Pose((0.5, 0.0, -0.1)))] for body in reversed(bodies()[1:])}
    hard = [hold(name, "table", 5, 6, 5.0) for name in ("c", "a", "b")]
    found = [event for event in events(down, hard) if event.step == 5]
    assert [
        (type(event).__name__, getattr(event, "piece", None) or getattr(event, "a", None)) for event in found
    ] == [
        *(("Touched", name) for name in "abc"),
        *(("Moved", name) for name in "abc"),
        *(("Dropped", name) for name in "abc"),
    ]


def test_a_rebuilt_world_goes_on_without_touches_told_twice() -> None:
    holds = [hold("a", "b", 0, 999, LIGHT), hold("a", "table", 0, 999, LIGHT)]
    detector = EventDetector(bodies(), RATE)
    first = ScriptedWorld(bodies(), holds=holds)
    assert len([event for _ in range(9) for event in detector.see(first.advance(contacts=True))]) == 2
    second = ScriptedWorld(bodies(), holds=holds)
    detector.rest(second.read(contacts=True))
    assert [event for _ in range(9) for event in detector.see(second.advance(contacts=True))] == []
    assert detector.touching == (("a", "b"), ("a", "table"))


def test_a_tick_is_seen_once_and_in_order() -> None:
    world, detector = ScriptedWorld(bodies()), EventDetector(bodies(), RATE)
    tick = world.advance(4)
    detector.see(tick)
    with pytest.raises(ValueError, match="tick 4 is not after tick 4"):
        detector.see(tick)


def test_a_body_nobody_told_of_is_named_with_the_remedy() -> None:
    world, detector = ScriptedWorld(bodies()), EventDetector(bodies(), RATE)
    extra = Body("d", BRICK, at(0, 100, 7.5))
    world.add(extra)
    with pytest.raises(
        ValueError, match=r"'d' is not followed by this detector; tell it with EventDetector.add"
    ):
        detector.see(world.advance())
    detector.add(extra)
    assert detector.see(world.advance()) == ()


@pytest.mark.parametrize(
    ("seconds", "rate", "steps"), [(0.0125, 240, 3), (0.0125, 60, 1), (0.0, 240, 1), (0.5, 480, 240)]
)
def test_durations_become_steps_rounded_up(seconds: float, rate: int, steps: int) -> None:
    assert steps_of(seconds, rate) == steps


def test_the_farthest_corner_of_a_turned_box_agrees_with_the_corners_themselves() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        quaternions = rng.standard_normal((2, 4))
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        places, extents = rng.standard_normal((2, 3)), rng.random(3)
        before, after = (
            np.concatenate([place, turn])[None] for place, turn in zip(places, quaternions, strict=True)
        )
        corners = 0.5 * extents * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        ends = [
            Pose(tuple(row[:3]), tuple(row[3:])).apply(corners)
            for row in (before[0].tolist(), after[0].tolist())
        ]
        expected = np.linalg.norm(ends[1] - ends[0], axis=1).max()
        assert farthest(before, after, extents[None]) == pytest.approx([expected])


def test_a_brick_dropped_on_bullet_touches_drops_and_rests() -> None:
    falling = [table(), Body("brick", BRICK, at(0, 0, 47.5))]
    with BulletWorld(falling) as world:
        detector = EventDetector(falling, world.rate)
        found = [event for _ in range(360) for event in detector.see(world.advance(contacts=True))]
    kinds = [type(event) for event in found]
    assert kinds[:2] == [Moved, Dropped]
    # 40 mm of free fall take sqrt(2 h / g) = 0.0903 s
    touched = next(event for event in found if isinstance(event, Touched))
    assert touched.step == pytest.approx(0.0903 * world.rate, abs=2)
    assert kinds[-1] is Rested
    assert detector.touching == (("brick", "table"),)


def test_equal_ticks_give_equal_events() -> None:
    def run() -> list[SceneEvent]:
        falling = [
            table(),
            *(Body(f"brick.{n}", BRICK, at(3 * n, 2 * n, 30 * n + 20, 10 * n)) for n in range(3)),
        ]
        with BulletWorld(falling) as world:
            detector = EventDetector(falling, world.rate)
            return [event for _ in range(240) for event in detector.see(world.advance(contacts=True))]

    assert run() == run()


def test_no_free_bodies_rest() -> None:
    detector = EventDetector([table()], RATE)
    world = ScriptedWorld([table()])
    found = [event for _ in range(200) for event in detector.see(world.advance(contacts=True))]
    assert found == [Rested(121, ())]
    assert isinstance(world.read(), Tick)
