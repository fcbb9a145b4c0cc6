"""The judge of Crazy Tower: every clause about how a piece lies, from both sides of its threshold, without physics."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from rules_crazy_tower import position

from teeter.engine.geometry.convex import deepest, solids_at
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.engine.world.bullet import BulletWorld
from teeter.games.core.events import Condition
from teeter.games.crazy_tower import judge
from teeter.games.crazy_tower.judge import CrazyJudge
from teeter.games.crazy_tower.state import SOLO, HandPhase, State
from teeter.games.judge import places
from teeter.games.judge.judge import TableScene
from teeter.models.build import build
from teeter.models.catalogue import find

CARD_MM, CUBE_MM = 2.0, 16.0
LAYS = (Condition.ON_HIGHEST_FLOOR, Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)
SIDEWAYS = (Condition.ON_HIGHEST_FLOOR, Condition.ON_ITS_SIDE)
JUDGE = CrazyJudge()
NOTHING = TableScene({})


def body(name: str, x: float = 0.0, y: float = 0.0, low: float = 0.0, *turns: float) -> Body:
    """A piece turned by roll, pitch and yaw (degrees), centred over x and y (mm), its lowest point at `low` (mm)."""
    piece = build(find(f"crazy_tower/{name}"))
    roll, pitch, yaw = (math.radians(turn) for turn in (*turns, 0.0, 0.0, 0.0)[:3])
    pose = places.laid(piece, Pose((0.0, 0.0, 0.0), quaternion_of_rpy(roll, pitch, yaw)).matrix)
    return Body(name, piece, pose.then(Pose((x / 1e3, y / 1e3, low / 1e3))))


def scene(*bodies: Body, touching: str = "") -> TableScene:
    """A scene with a table. touching: pairs such as `red_i1-table`, separated by blanks."""
    pairs = [sorted(pair.split("-")) for pair in touching.split()]
    listed = (places.table(1200, 1000), *bodies)
    return TableScene({each.name: each for each in listed}, frozenset((one, other) for one, other in pairs))


def laying(floors: str, piece: str, **more: Any) -> State:
    """A state in which a piece was just let go."""
    return position(floors, hand=HandPhase.SETTLE, held=piece, **more)


GROUND = body("card_06")
"""Its boxes: `.-..#  ..###  #..##  #....  #..#.`"""
ONE = laying("card_06", "red_i1")


def broken(
    block: Body, conditions: tuple[Condition, ...] = LAYS, state: State = ONE
) -> tuple[Condition, ...]:
    return JUDGE.broken(state, block.name, conditions, NOTHING, scene(GROUND, block))


# -- the layout --------------------------------------------------------------------------------------------------

LAYOUTS = [
    position("card_01"),
    position("card_01", players=2),
    position("card_01", players=4),
    position("card_01", players=1, mode=SOLO, options={"challenge": 1, "colour_count": 4}),
]


@pytest.mark.parametrize("state", LAYOUTS)
def test_a_layout_has_all_blocks_and_the_first_card_and_no_overlap(state: State) -> None:
    """CT-02, CT-08: the first card in the centre, blocks beside it, the stack in no one's way."""
    bodies = JUDGE.layout(state)
    assert [each.name for each in bodies[:2]] == [TABLE, "card_01"]
    assert {each.name for each in bodies[2:]} == {block.id for block in state.stock.blocks}
    assert bodies[1].pose.position == (0.0, 0.0, 0.001)
    stack = JUDGE.home(state, "card_21")
    x, y, _ = stack.pose.position
    assert x > 0.3, "on the right"
    assert y < -0.3, "and near"
    for one, other in combinations((*bodies, stack), 2):
        assert deepest(solids_at(one.piece, one.pose), solids_at(other.piece, other.pose)) <= 2e-5
    reach = bodies[0].piece.extents[:2] / 2
    for each in (*bodies[1:], stack):
        low, high = places.bounds(each.piece, each.pose)
        assert np.all(low[:2] > -reach)
        assert np.all(high[:2] < reach)
        assert low[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("state", "sides"),
    [
        (LAYOUTS[3], "near"),
        (LAYOUTS[1], "near far"),
        (LAYOUTS[0], "near left far"),
        (LAYOUTS[2], "near left far right"),
    ],
)
def test_players_sit_clockwise(state: State, sides: str) -> None:
    """ALL-5: near, left, far, right; two sit opposite each other."""
    ways = {"near": (0, -1), "left": (-1, 0), "far": (0, 1), "right": (1, 0)}
    for colours, side in zip(state.colours, sides.split(), strict=True):
        where = np.array(JUDGE.home(state, f"{colours[0]}_o4").pose.position[:2])
        assert where @ ways[side] > 0.15, (colours[0], side)


def test_a_swapped_block_keeps_its_place() -> None:
    """CT-07: swapping moves no block."""
    near = JUDGE.home(position("card_01", players=4), "red_o4").pose.position
    swapped = position("card_01", "yellow_o4", "red_o4", None, None, players=4)
    assert JUDGE.home(swapped, "red_o4").pose.position == near


@pytest.mark.slow
@pytest.mark.parametrize("state", LAYOUTS[2:])
def test_a_layout_rests_in_bullet(state: State) -> None:
    """CT-08, CT-14: blocks laid out flat stay where they are."""
    bodies = JUDGE.layout(state)
    with BulletWorld(bodies) as world:
        world.settle()
        world.advance(3 * world.rate)
        for each in bodies:
            shift = np.subtract(world.pose(each.name).position, each.pose.position)
            assert np.linalg.norm(shift) < 1e-3, each.name


# -- blocks --------------------------------------------------------------------------------------------------------


def test_a_footprint_is_the_true_outline() -> None:
    """CT-03: an angled block covers its own squares and not the corner between them."""
    corner = judge.footprint(body("red_v5", low=CARD_MM), GROUND)
    assert corner.area == pytest.approx(5 * CUBE_MM**2)
    assert corner.convex_hull.area > corner.area * 1.2


@pytest.mark.parametrize(("lift", "area"), [(0.0, 256.0), (0.49, 256.0), (0.51, 0.0)])
def test_only_what_is_near_the_card_lies_on_it(lift: float, area: float) -> None:
    """CT-03."""
    assert judge.footprint(body("red_i1", low=CARD_MM + lift), GROUND).area == pytest.approx(area)


def test_a_footprint_of_a_leaning_block_is_a_strip_along_its_edge() -> None:
    """CT-03: half a millimetre up at 5 degrees; the card's own pose does not matter."""
    block = body("red_i3", 0, 0, CARD_MM, 0, 5)
    slope = math.tan(math.radians(5))
    width = judge.NEAR_MM / slope + judge.NEAR_MM * slope
    assert judge.footprint(block, GROUND).area == pytest.approx(width * CUBE_MM)
    away = Pose((0.3, -0.2, 0.1), quaternion_of_rpy(0.3, 0.2, 2.0))
    carried = [each.at(each.pose.then(away)) for each in (block, GROUND)]
    assert judge.footprint(*carried).area == pytest.approx(width * CUBE_MM)


def test_a_footprint_reaches_half_a_millimetre_above_and_below_the_card() -> None:
    """CT-03: a bar that pokes through the plane of the card at 45 degrees is cut along both."""
    bar = body("red_i3", 0, 0, 0, 0, 45)
    height = 1e3 * float(bar.pose.position[2])
    sunk = body("red_i3", 0, 0, CARD_MM - height, 0, 45)
    width = CUBE_MM * math.sqrt(2) + 2 * judge.NEAR_MM
    assert judge.footprint(sunk, GROUND).area == pytest.approx(width * CUBE_MM)


@pytest.mark.parametrize(("over", "red"), [(2.3, False), (2.5, True)])
def test_a_red_box_is_covered_by_more_than_15_per_cent(over: float, red: bool) -> None:
    """CT-04: box r4c1 is red, r4c2 white; 15 % of 16 mm are 2.4."""
    found = broken(body("red_i1", -16 - over, -16, CARD_MM))
    assert found == ((Condition.COVERS_NO_RED_BOX,) if red else ())


@pytest.mark.parametrize("high", [1.0, 100.0])
@pytest.mark.parametrize("lean", [0.0, 3.0])
def test_CT_04_a_block_is_refused_where_it_would_cover_a_red_box_straight_below(
    lean: float, high: float
) -> None:
    """CT-04: also over a floor that leans; where the block would lie by hand, there the judge sees the red box."""
    card = body("card_06", 0, 0, 0, 0, lean)
    normal, flat = card.pose.matrix[:, 2], LAYS[2:]
    thick = (float(card.piece.extents[2]) + CUBE_MM / 1e3) / 2
    for x in range(-36, 37, 8):
        for y in range(-36, 37, 8):
            low = np.asarray(card.pose.position) + thick * normal
            z = float(low[2] - normal[:2] @ (np.array([x, y]) / 1e3 - low[:2]) / normal[2])
            lying = body("red_i1").at(Pose((x / 1e3, y / 1e3, z), card.pose.orientation))
            there = JUDGE.meets(ONE, "red_i1", flat[0], scene(card, lying), None)
            held = body("red_i1", x, y, high + 6.0)
            refused = JUDGE.refuses(ONE, "red_i1", flat, {"card_06": card, "red_i1": held})
            assert refused == (None if there else flat[0]), (x, y)


def test_CT_02_a_row_of_blocks_lies_in_the_middle_before_its_player() -> None:
    """CT-02: with as much room to its left as to its right, and gaps of one width."""
    state = position("card_01")
    for colour in ("red", "green"):
        row = [JUDGE.home(state, block.id) for block in state.stock.blocks if block.colour == colour]
        ends = sorted(
            tuple(float(value[0]) * 1e3 for value in places.bounds(each.piece, each.pose)) for each in row
        )
        assert ends[0][0] == pytest.approx(-ends[-1][1], abs=1e-6)
        gaps = [right[0] - left[1] for left, right in pairwise(ends)]
        assert gaps == pytest.approx([places.GAP_MM] * len(gaps), abs=1e-6)


def test_the_first_row_of_marks_is_the_far_one() -> None:
    """CT-04: r1c5 is red and at the far right, r5c5 white."""
    assert broken(body("red_i1", 32, 32, CARD_MM)) == (Condition.COVERS_NO_RED_BOX,)
    assert broken(body("red_i1", 32, -32, CARD_MM)) == ()


@pytest.mark.parametrize(("lean", "flat"), [(9.9, True), (10.1, False)])
@pytest.mark.parametrize("name", ["red_o4", "red_i3", "red_i1"])
def test_a_block_is_flat_within_10_degrees(name: str, lean: float, flat: bool) -> None:
    """CT-14."""
    found = broken(body(name, 0, -16, CARD_MM, lean), (Condition.LAID_FLAT,))
    assert found == (() if flat else (Condition.LAID_FLAT,))


def test_flat_is_measured_from_the_card_and_not_from_the_table() -> None:
    """CT-14: on a card that leans by 12 degrees a block that lies on it is flat, one that is level is not."""
    turn = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(math.radians(12), 0.0, 0.0))
    card, block = body("card_06"), body("red_o4", 0, 0, CARD_MM)
    state = laying("card_06", "red_o4")
    tilted = scene(card.at(card.pose.then(turn)), block.at(block.pose.then(turn)))
    assert JUDGE.broken(state, "red_o4", (Condition.LAID_FLAT,), NOTHING, tilted) == ()
    level = scene(card.at(card.pose.then(turn)), block)
    assert JUDGE.broken(state, "red_o4", (Condition.LAID_FLAT,), NOTHING, level) == (Condition.LAID_FLAT,)


@pytest.mark.parametrize("turns", [(90, 0, 0), (0, 90, 0), (180, 0, 45)])
def test_the_single_cube_is_flat_on_every_face(turns: tuple[float, float, float]) -> None:
    """CT-14, CT-43: it has no side to stand on and is asked to lie flat."""
    assert broken(body("red_i1", 0, -16, CARD_MM, *turns), (Condition.LAID_FLAT,)) == ()
    assert broken(body("red_i1", 0, -16, CARD_MM, *turns), (Condition.ON_ITS_SIDE,)) == (
        Condition.ON_ITS_SIDE,
    )


@pytest.mark.parametrize(
    ("name", "turns", "stands"),
    [
        ("red_v5", (90, 0, 0), True),
        ("red_v5", (0, 90, 0), True),
        ("red_v5", (0, 0, 30), False),
        ("red_i3", (0, 90, 0), True),
        ("red_i3", (90, 0, 0), False),
        ("red_l4", (90 + 9.9, 0, 0), True),
        ("red_l4", (90 + 10.1, 0, 0), False),
        ("red_l4", (45, 0, 0), False),
    ],
)
def test_a_block_on_its_side_is_upright_within_10_degrees(
    name: str, turns: tuple[float, float, float], stands: bool
) -> None:
    """CT-43: CT-14 inverted; a bar stands on its end, a block that leans halfway is neither."""
    state = laying("card_06", name)
    found = broken(body(name, 0, 0, CARD_MM, *turns), SIDEWAYS, state)
    assert found == (() if stands else (Condition.ON_ITS_SIDE,))


@pytest.mark.parametrize(("x", "lies"), [(42.5 + 7.93, True), (42.5 + 7.95, False)])
def test_a_block_may_overhang_but_not_lie_beside_the_card(x: float, lies: bool) -> None:
    """CT-11, CT-15: the card ends 42.5 mm from its middle, the block 8 mm from its own; 1 mm2 is 0.0625 mm wide."""
    found = broken(body("red_i1", x, -32, CARD_MM))
    assert found == (() if lies else (Condition.ON_HIGHEST_FLOOR,))


def test_a_block_on_other_blocks_does_not_lie_on_the_floor() -> None:
    """CT-11."""
    assert broken(body("red_i1", 0, -16, CARD_MM + CUBE_MM), LAYS[:2]) == (Condition.ON_HIGHEST_FLOOR,)


def test_a_block_goes_on_the_floor_it_is_put_back_on() -> None:
    """CT-20: the target counts, not the highest floor; what it lies on is named."""
    above = body("card_01", 0, 40, CARD_MM + CUBE_MM)
    block = body("red_i1", 0, -32, CARD_MM)
    after = scene(GROUND, above, block, body("green_o4", 0, 20, CARD_MM))
    floors = "card_06 green_o4 / card_01"
    asked = (Condition.ON_NAMED_FLOOR, Condition.LAID_FLAT)
    for target, found in (("card_06", ()), ("card_01", (Condition.ON_NAMED_FLOOR,))):
        state = laying(floors, "red_i1", target=target)
        assert JUDGE.broken(state, "red_i1", asked, NOTHING, after) == found
    assert JUDGE.where(laying(floors, "red_i1"), "red_i1", after) == "card_06"


def test_a_block_lies_where_most_of_it_lies_or_nowhere() -> None:
    """CT-11."""
    aside = body("card_01", 85, 0)
    state = laying("card_06 / card_01", "red_i3")
    for x, card in ((41, "card_06"), (44, "card_01"), (300, "")):
        block = body("red_i3", x, -32, CARD_MM)
        assert JUDGE.where(state, "red_i3", scene(GROUND, aside, block)) == card
    assert JUDGE.where(state, "card_02", scene(GROUND, aside)) == ""


@pytest.mark.parametrize(("aside", "covered"), [(7.9, True), (8.1, False)])
def test_a_box_is_covered_by_half(aside: float, covered: bool) -> None:
    """CT-05: the remove box r1c2 lies 16 mm left and 32 mm up; its left neighbour is covered by the rest."""
    block = body("red_i1", -16 - aside, 32, CARD_MM)
    found = JUDGE.covers(ONE, "red_i1", scene(GROUND), scene(GROUND, block))
    assert found == (("card_06.r1c2",) if covered else ("card_06.r1c1",))


def test_one_block_covers_many_boxes_of_a_turned_and_shifted_card() -> None:
    """CT-03, CT-05: names go with the card and not with the table."""
    away = Pose((0.01, 0.02, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(130)))
    card, block = body("card_06"), body("red_i3", 0, 32, CARD_MM)
    after = scene(card.at(card.pose.then(away)), block.at(block.pose.then(away)))
    found = JUDGE.covers(laying("card_06", "red_i3"), "red_i3", after, after)
    assert found == ("card_06.r1c2", "card_06.r1c3", "card_06.r1c4")


def test_a_box_that_was_covered_is_not_covered_anew() -> None:
    """CT-05..07: a block that pushed another off a box does not wake it again; a bare graze did not cover it."""
    state = laying("card_06 green_i1", "red_i1")
    block = body("red_i1", -16, 32, CARD_MM)
    for x, found in ((-16, ()), (-25, ("card_06.r1c2",))):
        before = scene(GROUND, body("green_i1", x, 32, CARD_MM))
        assert JUDGE.covers(state, "red_i1", before, scene(GROUND, block)) == found


def test_cards_and_put_backs_cover_nothing() -> None:
    """CT-05..07, CT-20."""
    after = scene(GROUND, body("red_i1", -16, 32, CARD_MM), body("card_01", 0, 0, 18))
    back = laying("card_06", "red_i1", target="card_06")
    assert JUDGE.covers(back, "red_i1", scene(GROUND), after) == ()
    assert JUDGE.covers(ONE, "card_01", scene(GROUND), after) == ()
    flat = scene(GROUND, body("card_01", 0, 0, CARD_MM))
    assert JUDGE.covers(ONE, "card_01", scene(GROUND), flat) == ()


# -- cards ---------------------------------------------------------------------------------------------------------

CARD_LAYS = (Condition.CARD_ON_TOP, Condition.CARD_TOUCHES_BLOCK)
BLOCK = body("green_o4", 0, 0, CARD_MM)


def card_broken(
    card: Body, touching: str, conditions: tuple[Condition, ...] = CARD_LAYS
) -> tuple[Condition, ...]:
    state = laying("card_06 green_o4", "card_01", card="card_01")
    return JUDGE.broken(state, "card_01", conditions, NOTHING, scene(GROUND, BLOCK, card, touching=touching))


def test_a_card_lies_on_blocks_of_the_floor_below_wherever_it_is() -> None:
    """CT-10, CT-12, CT-16: offset, and turned."""
    assert card_broken(body("card_01", 30, -20, 18, 0, 0, 30), "card_01-green_o4") == ()


@pytest.mark.parametrize(
    ("touching", "found"),
    [
        ("card_01-green_o4", ()),
        ("card_01-card_06", (Condition.CARD_TOUCHES_BLOCK,)),
        ("card_01-green_o4 card_01-table", (Condition.CARD_ON_TOP,)),
        ("card_01-red_v5", CARD_LAYS),
    ],
)
def test_a_card_must_touch_a_block(touching: str, found: tuple[Condition, ...]) -> None:
    """CT-12: of the floor below; CT-10: neither on the table nor on blocks of the supply."""
    assert card_broken(body("card_01", 0, 0, 18), touching) == found


@pytest.mark.parametrize(("lean", "lies"), [(29.9, True), (30.1, False), (180, False)])
def test_a_card_does_not_lean_and_lies_face_up(lean: float, lies: bool) -> None:
    """CT-10."""
    card = body("card_01", 0, 0, 18, lean)
    assert card_broken(card, "card_01-green_o4") == (() if lies else (Condition.CARD_ON_TOP,))


@pytest.mark.parametrize(("low", "lies"), [(1.1, True), (0.9, False)])
def test_a_card_is_higher_than_the_highest_floor(low: float, lies: bool) -> None:
    """CT-10: its centre over the plane of the highest card's top, which is 2 mm up."""
    found = card_broken(body("card_01", 90, 0, low), "card_01-green_o4")
    assert found == (() if lies else (Condition.CARD_ON_TOP,))


@pytest.mark.parametrize(
    ("height", "found"), [(20.0, ()), (19.9, (Condition.DROPPED_FROM_ABOVE,)), (None, ())]
)
def test_a_card_is_dropped_from_20_mm(height: float | None, found: tuple[Condition, ...]) -> None:
    """CT-50: or more, measured from the highest point of the tower; not judged when nobody measured."""
    state = laying(
        "card_06 green_o4", "card_01", card="card_01", players=1, mode=SOLO, options={"challenge": 20}
    )
    after = scene(GROUND, BLOCK, body("card_01", 0, 0, 18))
    asked = (Condition.DROPPED_FROM_ABOVE,)
    assert JUDGE.broken(state, "card_01", asked, NOTHING, after, released_height_mm=height) == found


def test_the_height_of_a_drop_is_taken_from_the_tower_to_the_lowest_corner() -> None:
    """CT-50."""
    state = laying("card_06 green_o4", "card_01", card="card_01")
    for turns in ((), (10.0,)):
        card = body("card_01", 0, 0, 18 + 25, *turns)
        assert JUDGE.height(state, card.name, scene(GROUND, BLOCK, card)) == pytest.approx(25.0)


def test_the_first_card_may_be_laid_anywhere_again() -> None:
    """CT-20: nothing is asked of it, and the table is its place."""
    state = replace(laying("card_06", "card_06"), floors=())
    after = scene(body("card_06", 50, 0), touching="card_06-table")
    assert JUDGE.broken(state, "card_06", (), NOTHING, after) == ()
    assert JUDGE.fallen(state, "card_06", NOTHING, after) == ()


# -- falls ---------------------------------------------------------------------------------------------------------

STANDING = "card_06-table card_06-green_o4 card_01-green_o4 card_01-red_i1"
TOWER = laying("card_06 green_o4 / card_01", "red_i1")
REST = (GROUND, BLOCK, body("card_01", 0, 0, 18))


def fallen(touching: str, *bodies: Body, piece: str = "red_i1") -> tuple[str, ...]:
    changed = {each.name: each for each in (*REST, body("red_i1", 0, 0, 20), *bodies)}
    return JUDGE.fallen(TOWER, piece, scene(*REST), scene(*changed.values(), touching=touching))


def test_a_standing_tower_has_not_fallen() -> None:
    """ALL-4: the ground card lies on the table by right."""
    assert fallen(STANDING) == ()


@pytest.mark.parametrize("name", ["green_o4", "card_01", "red_i1"])
def test_what_touches_the_table_fell(name: str) -> None:
    """ALL-4, CT-19: a block, a card, and the piece just let go, though the tower holds them too."""
    assert fallen(f"{STANDING} {name}-table") == (name,)


def test_what_touches_the_floor_or_is_below_the_table_fell() -> None:
    """ALL-4: off the edge, at rest or not, the first card too."""
    floor = Body("floor", places.table(3000, 3000).piece, Pose((0.0, 0.0, -0.7)), fixed=True)
    assert fallen(f"{STANDING} floor-red_i1", floor) == ("red_i1",)
    assert fallen("", body("red_i1", 0, 800, -300), body("card_06", 0, 900, -300)) == ("card_06", "red_i1")


@pytest.mark.parametrize(("sunk", "found"), [(7.9, ()), (8.1, ("card_01",))])
def test_what_lies_lower_by_8_mm_fell(sunk: float, found: tuple[str, ...]) -> None:
    """ALL-4: more than half its smallest dimension, at least 8 mm."""
    assert fallen(STANDING, body("card_01", 0, 0, 18 - sunk)) == found


def test_the_moved_piece_is_judged_by_where_it_ends() -> None:
    """ALL-4: off the tower it fell, on a lower floor it lies (ALL-9), however deep it came."""
    off = STANDING.replace("card_01-red_i1", "red_i1-red_v5")
    assert fallen(off) == ("red_i1",)
    before = scene(*REST, body("red_i1", 0, 0, 20))
    down = scene(*REST, body("red_i1", 30, 0, 2), touching="card_06-table card_06-red_i1 card_01-green_o4")
    assert JUDGE.fallen(TOWER, "red_i1", before, down) == ()
    assert JUDGE.fallen(TOWER, "", before, down) == ("red_i1",)


def test_a_card_and_a_block_can_fall_at_once() -> None:
    """CT-19: both are told, sorted."""
    both = "card_06-table card_06-green_o4 card_01-table card_01-red_i1 red_i1-table"
    assert fallen(both) == ("card_01", "red_i1")


def test_blocks_in_hands_and_in_the_supply_do_not_fall() -> None:
    """ALL-4: only what stands in the tower, or was just let go, can."""
    carried = position("card_06 green_o4 / card_01", hand=HandPhase.CARRY, held="red_i1")
    after = scene(*REST, body("red_i1"), body("red_v5", 200), touching="red_i1-table red_v5-table")
    assert JUDGE.fallen(carried, "red_i1", scene(*REST), after) == ()


def test_a_piece_that_was_not_there_before_cannot_have_sunk() -> None:
    """ALL-4: nor can one fall that is not in the scene."""
    after = scene(*REST[:2], touching="card_06-table card_06-green_o4")
    assert JUDGE.fallen(TOWER, "", scene(GROUND), after) == ()


def test_a_condition_of_another_game_is_refused() -> None:
    """CT-11: Crazy Tower knows no areas."""
    with pytest.raises(ValueError, match="IN_OWN_AREA is no condition of Crazy Tower"):
        broken(body("red_i1", low=CARD_MM), (Condition.IN_OWN_AREA,))


def test_a_piece_without_a_print_has_no_boxes() -> None:
    """CT-03."""
    assert judge.boxes(places.table(100, 100)) == {}


# -- on Bullet -----------------------------------------------------------------------------------------------------


def settled(*bodies: Body) -> TableScene:
    """What Bullet makes of a scene in three seconds."""
    listed = (places.table(1200, 1000), *bodies)
    with BulletWorld(listed) as world:
        world.settle()
        contacts = world.advance(3 * world.rate, contacts=True).contacts or ()
        lying = {each.name: each.at(world.pose(each.name)) for each in listed}
    return TableScene(lying, frozenset((min(each.a, each.b), max(each.a, each.b)) for each in contacts))


@pytest.mark.slow
def test_blocks_and_a_card_that_bullet_lays_are_judged_as_they_lie() -> None:
    """CT-03, CT-04, CT-05, CT-11, CT-12, CT-14, CT-19: what was put down lies, covers, and touches."""
    block, card = body("green_v5", 0, 0, CARD_MM), body("card_01", 5, 5, 18)
    after = settled(GROUND, block, card)
    state = laying("card_06", "green_v5")
    assert JUDGE.broken(state, "green_v5", LAYS, NOTHING, after) == ()
    assert JUDGE.covers(state, "green_v5", scene(GROUND), after) == (
        "card_06.r2c2",
        "card_06.r3c2",
        "card_06.r4c2",
        "card_06.r4c3",
        "card_06.r4c4",
    )
    state = laying("card_06 green_v5", "card_01", card="card_01")
    assert JUDGE.broken(state, "card_01", CARD_LAYS, NOTHING, after) == ()
    assert JUDGE.fallen(state, "card_01", scene(GROUND, block), after) == ()


@pytest.mark.slow
@pytest.mark.parametrize(("over", "found"), [(-0.5, ()), (0.5, ("red_i1",))])
def test_a_block_laid_over_the_edge_of_a_card_falls_in_bullet(over: float, found: tuple[str, ...]) -> None:
    """CT-15, ALL-4: it overhangs, or it tips onto the table; half a millimetre decides."""
    after = settled(GROUND, body("red_i1", 42.5 + over, 0, CARD_MM))
    assert JUDGE.fallen(ONE, "red_i1", scene(GROUND), after) == found
