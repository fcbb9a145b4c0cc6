"""Wonky judged on scenes made by hand: the free blocks, a block put on the tower, and what has fallen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import FLOOR, TABLE, Assembly, Body
from teeter.engine.world.bullet import BulletWorld
from teeter.games.core.events import Condition
from teeter.games.game import stock_of
from teeter.games.judge.judge import TableScene
from teeter.games.wonky import judge
from teeter.games.wonky.game import GAME
from teeter.games.wonky.rules_turn import conditions
from teeter.games.wonky.state import Phase, State

JUDGE = GAME.judge

BASE, HELD, FREE = "large_blue", "small_green", "medium_purple"
START: State = GAME.rules.start(["Ana", "Ben"], 1, {}, stock_of(GAME))
LATER = replace(START, tower=(BASE,), held=HELD, phase=Phase.COUNT)
"""One block stands, another has just been let go."""
FIRST = replace(START, held=HELD, phase=Phase.COUNT)
"""A block has just been let go to begin a tower."""


def pair(one: str, other: str) -> tuple[str, str]:
    return (min(one, other), max(one, other))


def supply(*without: str) -> TableScene:
    """All blocks where they lie before the first turn."""
    bodies = {body.name: body for body in JUDGE.layout(START) if body.name not in without}
    return TableScene(bodies, frozenset(pair(TABLE, name) for name in bodies if name != TABLE))


def put(scene: TableScene, name: str, place: tuple[float, float, float], *on: str) -> TableScene:
    """The scene with the centre of a block elsewhere, millimetres, touching nothing but these."""
    x, y, z = (value / 1e3 for value in place)
    body = JUDGE.home(START, name).at(Pose((x, y, z)))
    kept = {touch for touch in scene.touching if name not in touch}
    return TableScene({**scene.bodies, name: body}, frozenset(kept | {pair(name, other) for other in on}))


def standing() -> TableScene:
    """The large block in the middle of the table, its centre 23.75 mm up; the small one is in the hand."""
    return put(supply(HELD), BASE, (0, 0, 23.75), TABLE)


def missed(state: State, scene: TableScene, asked: Iterable[Condition] = ()) -> tuple[Condition, ...]:
    return JUDGE.broken(state, HELD, tuple(asked) or conditions(state), supply(HELD), scene)


def test_WK_05_the_free_blocks_stand_in_a_row_around_the_middle() -> None:
    """Upright on the table, with room for a hand between neighbours."""
    blocks = [body for body in JUDGE.layout(START) if body.name != TABLE]
    assert [body.name for body in blocks] == [block.id for block in START.stock.blocks]
    ends = [
        (x - width / 2, x + width / 2)
        for x, width in ((body.pose.position[0], float(body.piece.extents[0])) for body in blocks)
    ]
    assert ends[0][0] == pytest.approx(-ends[-1][1])
    gaps = [right[0] - left[1] for left, right in pairwise(ends)]
    assert gaps == pytest.approx([judge.GAP_MM / 1e3] * (len(blocks) - 1))
    for body in blocks:
        assert body.pose.position[1] == pytest.approx(judge.SUPPLY_MM / 1e3)
        assert body.pose.position[2] == pytest.approx(float(body.piece.extents[2]) / 2)


def test_WK_01__nine_blocks_stand_in_a_row_on_the_far_side_of_the_table() -> None:
    """WK-01, WK-05: each on a flat face, clear of each other and of the middle, where the tower begins."""
    bodies = JUDGE.layout(START)
    assert [body.name for body in bodies] == [TABLE, *(block.id for block in START.stock.blocks)]
    table, *blocks = bodies
    assert table.fixed
    found = find_contacts(Assembly("blocks", bodies))
    assert (found.overlaps, found.floating, found.curved) == ((), (), ())
    assert analyse(Assembly("blocks", bodies), margins=False, loads=False).stands
    for block in blocks:
        x, y, z = block.pose.position
        assert 1e3 * math.hypot(x, y) > judge.CENTRE_MM + 100
        assert y == blocks[0].pose.position[1] > 0
        assert z == pytest.approx(block.piece.extents[2] / 2)
        assert abs(x) + 0.03 < table.piece.extents[0] / 2
        assert JUDGE.home(LATER, block.name) == block
    gaps = np.diff([block.pose.position[0] for block in blocks])
    assert gaps.min() > 0.05


@pytest.mark.parametrize(
    ("x", "y", "fails"), [(0, 0, False), (70, 70, False), (0, 100.5, True), (-71, 71, True)]
)
def test_WK_05__a_tower_begins_in_the_centre(x: float, y: float, fails: bool) -> None:
    """WK-05: within 100 mm of the middle of the table."""
    scene = put(supply(HELD), HELD, (x, y, 15.5), TABLE)
    assert missed(FIRST, scene) == ((Condition.IN_THE_CENTRE,) if fails else ())


def test_WK_05__a_tower_begins_on_the_table() -> None:
    """WK-05: not on a free block that lies in the middle, nor in the air."""
    on_free = put(put(supply(HELD), FREE, (0, 0, 20), TABLE), HELD, (0, 0, 56), FREE)
    assert missed(FIRST, on_free) == (Condition.IN_THE_CENTRE,)
    assert missed(FIRST, put(supply(HELD), HELD, (0, 0, 30))) == (Condition.IN_THE_CENTRE,)


@pytest.mark.parametrize(("above", "fails"), [(0.6, False), (0.4, True), (0.0, True), (-10.0, True)])
def test_WK_11__the_new_block_is_the_highest_of_the_tower(above: float, fails: bool) -> None:
    """WK-11: by more than half a millimetre, and higher than every block, not only the last."""
    scene = put(standing(), HELD, (30, 0, 23.75 + above), BASE)
    assert missed(LATER, scene) == ((Condition.HIGHEST_OF_THE_TOWER,) if fails else ())
    taller = replace(LATER, tower=(BASE, FREE, "small_blue"))
    scene = put(put(scene, FREE, (0, 0, 23.75), BASE), "small_blue", (0, 40, 10), BASE)
    assert missed(taller, scene) == ((Condition.HIGHEST_OF_THE_TOWER,) if fails else ())


def test_WK_11__free_blocks_do_not_count_for_height() -> None:
    """WK-11: the highest of the tower, not of the table."""
    scene = put(put(standing(), HELD, (0, 0, 64), BASE), FREE, (300, 0, 500))
    assert missed(LATER, scene) == ()


@pytest.mark.parametrize(
    ("touched", "fails"),
    [((BASE,), False), ((BASE, TABLE), True), ((BASE, FREE), True), ((FLOOR,), True), ((), False)],
)
def test_WK_11__the_new_block_touches_blocks_of_the_tower_only(touched: tuple[str, ...], fails: bool) -> None:
    """WK-11: no table, no free block; WK-13: in the air for an instant as it rocks, it touches nothing else."""
    scene = put(standing(), HELD, (0, 0, 64), *touched)
    assert missed(LATER, scene) == ((Condition.TOUCHES_TOWER_ONLY,) if fails else ())


def test_WK_11__what_is_missed_comes_in_the_order_asked() -> None:
    """WK-11: a block that ended beside the tower misses both."""
    scene = put(standing(), HELD, (60, 0, 15.5), TABLE)
    assert missed(LATER, scene) == conditions(LATER)
    assert missed(LATER, scene, reversed(conditions(LATER))) == conditions(LATER)[::-1]


@pytest.mark.parametrize(("down", "fell"), [(0.0, False), (23.6, False), (23.9, True)])
def test_ALL_4__a_tower_block_fell_that_lies_lower_by_half_its_size(down: float, fell: bool) -> None:
    """ALL-4, WK-14: a large block measures 47.5 mm each way."""
    before = put(standing(), BASE, (0, 0, 100), FREE)
    after = put(before, BASE, (0, 0, 100 - down), FREE)
    assert JUDGE.fallen(LATER, "", before, after) == ((BASE,) if fell else ())


def test_ALL_4__a_small_tower_block_may_sink_by_half_its_size() -> None:
    """ALL-4, WK-14: 15.5 mm, which is more than 8."""
    state = replace(LATER, tower=(BASE, "small_blue"))
    before = put(standing(), "small_blue", (0, 0, 65), BASE)
    for down, fell in ((15.3, ()), (15.7, ("small_blue",))):
        assert JUDGE.fallen(state, "", before, put(before, "small_blue", (0, 0, 65 - down), BASE)) == fell


@pytest.mark.parametrize("ground", [TABLE, FLOOR])
def test_WK_14__a_tower_block_on_the_table_fell(ground: str) -> None:
    """WK-14, ALL-4: but for the lowest, which stood there; several are told in order; free blocks never fall."""
    state = replace(LATER, tower=(BASE, "small_blue", FREE))
    before = put(put(standing(), "small_blue", (0, 0, 65), BASE), FREE, (0, 0, 100), "small_blue")
    after = put(put(before, "small_blue", (0, 0, 65), ground), FREE, (0, 0, 100), ground)
    assert JUDGE.fallen(state, "", before, before) == ()
    assert JUDGE.fallen(state, "", before, after) == (FREE, "small_blue")
    free = put(put(before, "medium_blue", (0, 300, -500), FLOOR), "small_purple", (300, 0, 500))
    assert JUDGE.fallen(state, "", before, free) == ()


@pytest.mark.parametrize(
    ("state", "on", "fell"),
    [
        (LATER, TABLE, True),
        (LATER, FLOOR, True),
        (LATER, BASE, False),
        (FIRST, TABLE, False),
        (FIRST, FLOOR, True),
        (replace(LATER, phase=Phase.CARRY), TABLE, False),
    ],
)
def test_WK_14__the_block_let_go_fell_when_it_is_down(state: State, on: str, fell: bool) -> None:
    """WK-14, ALL-4: on the table beside a tower; the first stands there, and one in the hand may touch it."""
    before = standing()
    after = put(before, HELD, (80, 0, 15.5), on)
    assert JUDGE.fallen(state, HELD, before, after) == ((HELD,) if fell else ())


def test_a_wonky_block_covers_nothing_and_has_one_place() -> None:
    """WK-05: there are no boxes, and there is one tower."""
    scene = put(standing(), HELD, (0, 0, 64), BASE)
    assert JUDGE.covers(LATER, HELD, standing(), scene) == ()
    assert JUDGE.where(LATER, HELD, scene) == ""


def at_rest(bodies: dict[str, Body], seconds: float = 3.0) -> TableScene:
    """What has become of a scene after the count to three."""
    with BulletWorld(bodies.values()) as world:
        world.settle()
        tick = world.advance(round(seconds * world.rate), contacts=True)
        now = {name: bodies[name].at(world.pose(name)) for name in bodies}
    return TableScene(
        now, frozenset(pair(touch.a, touch.b) for touch in tick.contacts or () if touch.force > 0)
    )


@pytest.mark.slow
def test_WK_01__the_free_blocks_come_to_rest_where_they_are() -> None:
    """WK-01, WK-14: none sinks by a millimetre, each stands on the table alone."""
    before = supply()
    after = at_rest(dict(before.bodies))
    for name, body in before.bodies.items():
        now = after.bodies[name].pose.position
        assert now == pytest.approx(body.pose.position, abs=1e-3)
        assert body.fixed or after.touched_by(name) == (TABLE,)


@pytest.mark.slow
def test_WK_11__a_block_set_on_another_is_in_order_in_the_real_world() -> None:
    """WK-11, WK-05, WK-14: on a cap it rocks and stands; let go beside the tower it is a fall."""
    before = at_rest(dict(standing().bodies))
    assert JUDGE.broken(replace(LATER, tower=()), BASE, (Condition.IN_THE_CENTRE,), before, before) == ()
    low = JUDGE.home(START, BASE).piece
    top = (low.centre_of_mass[:2] * 1e3).tolist()
    after = at_rest(dict(put(before, HELD, (*top, 47.5 + 15.6)).bodies))
    assert missed(LATER, after) == ()
    assert JUDGE.fallen(LATER, HELD, before, after) == ()
    beside = at_rest(dict(put(before, HELD, (60, 0, 30)).bodies))
    assert missed(LATER, beside) == conditions(LATER)
    assert JUDGE.fallen(LATER, HELD, before, beside) == (HELD,)
