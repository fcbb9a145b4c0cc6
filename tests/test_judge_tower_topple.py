"""Tower Topple judged on scenes made by hand: the tower set up, a brick laid on top, and what has fallen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from rules_tower_topple import STOCK, b, position

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.record.reader import load
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import FLOOR, TABLE, Assembly, Body
from teeter.engine.world.bullet import BulletWorld
from teeter.games.core.events import Condition
from teeter.games.judge.judge import TableScene
from teeter.games.judge.places import outline
from teeter.games.play.recording import first_state
from teeter.games.tower_topple import judge
from teeter.games.tower_topple.game import GAME
from teeter.games.tower_topple.rules_rows import SLOTS, conditions, free_slots
from teeter.games.tower_topple.state import Phase, Print, State

JUDGE = GAME.judge

RECORDING = Path(__file__).parent / "recordings" / "tower-topple-2.teeter"
HELD = b(4)
SEEDS = range(1, 6)
ALL = (
    Condition.IN_TOP_ROW,
    Condition.FLAT_IN_ROW,
    Condition.ACROSS_THE_ROW_BELOW,
    Condition.BESIDE_ITS_ROW,
)
EXACT = {"bricks": "exact"}


def begun(seed: int = 1, **options: object) -> State:
    """A game before its first turn."""
    state: State = GAME.rules.start(["Ana", "Ben"], seed, options, STOCK)
    return state


def let_go(up: str = "", gone: str = "4", **more: Any) -> State:
    """Brick 4 has just been let go on the tower of exact bricks; `up` as in `position`, a dot for a free slot."""
    state = position(
        gone=gone + " " + up.replace(".", ""), held=HELD, phase=Phase.SETTLE, house=EXACT, **more
    )
    words = up.split()
    row: Any = tuple(b(int(word)) if word != "." else "" for word in words)
    return replace(state, tower=(*state.tower, row)) if words else state


def pair(one: str, other: str) -> tuple[str, str]:
    return (min(one, other), max(one, other))


def stacked(state: State, *without: str) -> TableScene:
    """The scene of `layout`, where every brick rests on all bricks of the row below."""
    bodies = {body.name: body for body in JUDGE.layout(state) if body.name not in without}
    floors = [(TABLE,), *([name for name in row if name] for row in state.tower)]
    touching = [pair(low, high) for at, row in enumerate(floors[1:]) for high in row for low in floors[at]]
    return TableScene(bodies, frozenset(touching))


def turned(pose: Pose, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Pose:
    """A pose turned in its own frame, degrees."""
    own = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(*map(math.radians, (roll, pitch, yaw))))
    return Pose.of(np.asarray(pose.position), pose.matrix @ own.matrix)


def shifted(pose: Pose, along: float = 0.0, left: float = 0.0, up: float = 0.0) -> Pose:
    """A pose shifted in its own frame, millimetres."""
    return Pose.of(pose.apply(np.array([along, left, up]) / 1e3), pose.matrix)


def put(scene: TableScene, body: Body, pose: Pose, on: Iterable[str]) -> TableScene:
    """The scene with a body elsewhere, resting on nothing but these."""
    kept = {touch for touch in scene.touching if body.name not in touch}
    return TableScene(
        {**scene.bodies, body.name: body.at(pose)}, frozenset(kept | {pair(body.name, o) for o in on})
    )


def laid(state: State, slot: str = "left", on: Iterable[str] = (), **how: float) -> TableScene:
    """Brick 4 laid into a free slot, shifted and turned; by default it rests on the row below."""
    before = stacked(state, HELD)
    pose = judge.slots(state, before)[free_slots(state).index(slot)]
    shifts = {key: how.pop(key, 0.0) for key in ("along", "left", "up")}
    below = on or [name for name in state.tower[-1 if "" not in state.tower[-1] else -2] if name]
    return put(before, JUDGE.home(state, HELD), turned(shifted(pose, **shifts), **how), below)


def missed(state: State, scene: TableScene, *asked: Condition) -> tuple[Condition, ...]:
    """The conditions that brick 4 does not meet."""
    return JUDGE.broken(state, HELD, asked or conditions(state), stacked(state, HELD), scene)


# -- the tower set up


def test_TT_02__the_tower_stands_as_the_rules_have_it() -> None:
    """TT-02: table and 54 bricks, eighteen rows turned by right angles, slots from the left along the bricks."""
    state = begun()
    bodies = JUDGE.layout(state)
    assert bodies[0].name == TABLE
    assert bodies[0].fixed
    assert [body.name for body in bodies[1:]] == [name for row in state.tower for name in row]
    place = {body.name: body.pose for body in bodies}
    for at, (left, centre, right) in enumerate(state.tower):
        x, y = (0, 1) if at % 2 == 0 else (1, 0)
        assert place[centre].position[:2] == pytest.approx((0.0, 0.0))
        assert abs(place[centre].matrix[x, 0]) == pytest.approx(1.0)
        to_the_left = np.cross([0, 0, 1], place[centre].matrix[:, 0])
        assert np.asarray(place[left].position) @ to_the_left == pytest.approx(0.0254)
        assert np.asarray(place[right].position) @ to_the_left == pytest.approx(-0.0254)
        assert place[left].position[x] == pytest.approx(0.0)
        assert abs(place[left].position[y]) == pytest.approx(0.0254)


def test_TT_02__real_bricks_overlap_nowhere_and_exact_ones_stand() -> None:
    """TT-02: every row begins on the thickest brick below."""
    for seed in SEEDS:
        found = find_contacts(Assembly("tower", JUDGE.layout(begun(seed))))
        assert (found.overlaps, found.floating) == ((), ())
    even = Assembly("tower", JUDGE.layout(begun(bricks="exact")))
    assert analyse(even, margins=False, loads=False).stands


def test_TT_02__bricks_differ_unless_the_option_makes_them_alike() -> None:
    """TT-02: another seed draws other bricks; the same seed the same ones."""
    first, again, other = (JUDGE.layout(begun(seed))[1:] for seed in (1, 1, 2))
    assert len({body.piece.mass for body in first}) == 54
    assert [body.piece for body in first] == [body.piece for body in again]
    assert {body.piece.mass for body in first} != {body.piece.mass for body in other}
    assert len({body.piece.mass for body in JUDGE.layout(begun(bricks="exact"))[1:]}) == 1


def test_TT_02__a_recording_of_an_earlier_version_has_the_bricks_it_names() -> None:
    """TT-02: what a seed draws is the same for ever; the models in a recording say what was drawn. TT-03: also for
    a player who does not see the prints."""
    meta = load(RECORDING).meta
    models = {body.id: body.model for body in meta.bodies if body.id != FLOOR}
    state = first_state(GAME, meta)
    for same in (state, GAME.rules.seen_by(state, meta.players[0])):
        assert {body.name: body.piece.model for body in JUDGE.layout(same)} == models


def test_TT_03__bricks_carry_their_colours_and_prints() -> None:
    """TT-03: also where a player may not see the print; TT-07: the same bricks in every round."""
    state = begun()
    bodies = {body.name: body.piece for body in JUDGE.layout(state)}
    assert sum(piece.colour is not None for name, piece in bodies.items() if name != TABLE) == 8
    assert sum(piece.face is not None for piece in bodies.values()) == 23
    add_three = next(brick.id for brick in state.bricks if brick.print is Print.ADD_THREE)
    face = bodies[add_three].face
    assert face is not None
    assert face.text == "+3"
    mixed = replace(state, tower=tuple(reversed(state.tower)), luck=7, round=2)
    for same in (mixed, GAME.rules.seen_by(state, "Ana")):
        sizes = {body.name: (body.piece.mass, *body.piece.extents) for body in JUDGE.layout(same)}
        assert sizes == {name: (piece.mass, *piece.extents) for name, piece in bodies.items()}


def test_TT_07__bricks_that_are_in_no_row_lie_beside_the_tower() -> None:
    """TT-07: each flat on the table at a place of its own, and `home` says where."""
    state = position(gone=" ".join(map(str, range(10, 55))), phase=Phase.GATHER)
    bodies = JUDGE.layout(state)
    found = find_contacts(Assembly("some", bodies))
    assert (found.overlaps, found.floating) == ((), ())
    aside = {body.name: body for body in bodies}[b(30)]
    assert aside.pose.position[2] == pytest.approx(aside.piece.extents[2] / 2)
    assert JUDGE.home(state, b(30)) == aside
    assert JUDGE.home(state, b(5)) == {body.name: body for body in bodies}[b(5)]


def test_TT_07__the_places_beside_the_tower_are_as_many_to_the_left_as_to_the_right() -> None:
    """TT-07: for all 54 bricks, behind the tower."""
    bodies = JUDGE.layout(replace(begun(bricks="exact"), tower=(), phase=Phase.TOPPLED))[1:]
    places = {body.pose.position[:2] for body in bodies}
    assert len(places) == 54
    assert sum(x for x, _ in places) == pytest.approx(0.0)
    assert all(y > 0.15 for _, y in places)


# -- a brick on top


@pytest.mark.parametrize("count", [0, 1, 2])
def test_TT_05__a_brick_in_any_slot_offered_meets_everything_and_is_called_by_it(count: int) -> None:
    """TT-05, TT-24: whatever lies in the row, a brick laid where `slots` says is in order."""
    for taken in combinations(range(3), count):
        words = [str(40 + slot) if slot in taken else "." for slot in range(3)]
        state = let_go(" ".join(words) if taken else "")
        assert len(judge.slots(state, stacked(state, HELD))) == 3 - count
        for slot in free_slots(state):
            scene = laid(state, slot)
            assert missed(state, scene, *ALL) == ()
            assert JUDGE.where(state, HELD, scene) == slot
            assert JUDGE.covers(state, HELD, scene, scene) == ()


@pytest.mark.parametrize(("slot", "shift", "named"), [("left", -12.0, "left"), ("left", -13.5, "centre")])
def test_TT_05__a_brick_lies_in_the_nearest_free_slot(slot: str, shift: float, named: str) -> None:
    """TT-05: one that is taken is no choice."""
    state = let_go()
    assert JUDGE.where(state, HELD, laid(state, slot, left=shift)) == named
    begun_row = let_go(". 40 .")
    assert JUDGE.where(begun_row, HELD, laid(begun_row, slot, left=shift)) == slot


@pytest.mark.parametrize("taken", [". . .", ". 40 .", "40 . 37"])
def test_TT_05__a_tower_that_stands_elsewhere_has_its_slots_with_it(taken: str) -> None:
    """TT-05: whatever has pushed it: all of it is 30 mm to the right and 20 mm nearer than it was set up."""
    state, way = let_go(taken if taken != ". . ." else ""), np.array([0.03, -0.02, 0.0])

    def moved(scene: TableScene) -> TableScene:
        bodies = {
            name: body if name == TABLE else body.at(Pose.of(body.pose.position + way, body.pose.matrix))
            for name, body in scene.bodies.items()
        }
        return TableScene(bodies, scene.touching)

    before = stacked(state, HELD)
    for here, there in zip(judge.slots(state, before), judge.slots(state, moved(before)), strict=True):
        assert there.position == pytest.approx(here.position + way)
        assert there.matrix == pytest.approx(here.matrix)
    for slot in free_slots(state):
        for left in (0.0, 3.8, 4.2):
            scene = laid(state, slot, left=left)
            assert JUDGE.where(state, HELD, moved(scene)) == JUDGE.where(state, HELD, scene)
            found = JUDGE.broken(state, HELD, ALL, moved(before), moved(scene))
            assert found == missed(state, scene, *ALL)


@pytest.mark.parametrize(("along", "fails"), [(9.8, False), (10.2, True), (-9.8, False), (-10.2, True)])
def test_TT_05__ends_stay_within_the_outline_of_the_tower(along: float, fails: bool) -> None:
    """TT-05: ten millimetres of a brick may stick out."""
    state = let_go()
    assert missed(state, laid(state, along=along)) == ((Condition.IN_TOP_ROW,) if fails else ())


@pytest.mark.parametrize(("shift", "fails"), [(9.8, False), (10.2, True)])
def test_TT_05__sides_stay_within_the_outline_of_the_tower(shift: float, fails: bool) -> None:
    """TT-05: sideways too; whether such a brick lies beside its row is another question."""
    state = let_go(". 40 .")
    scene = laid(state, "left", left=shift)
    assert missed(state, scene, Condition.IN_TOP_ROW) == ((Condition.IN_TOP_ROW,) if fails else ())


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize(("shift", "fails"), [(3.8, False), (4.2, True), (-3.8, False), (-4.2, True)])
def test_TT_05__the_first_brick_of_a_row_lies_in_a_slot(slot: str, shift: float, fails: bool) -> None:
    """TT-05: else two others would find no room beside it."""
    state = let_go()
    assert missed(state, laid(state, slot, left=shift)) == ((Condition.IN_TOP_ROW,) if fails else ())


def test_TT_05__a_brick_lies_on_the_topmost_full_row() -> None:
    """TT-05: not on bricks of its own row alone, nor on one further down; one brick is enough to lie on."""
    state = let_go("40 . .")
    for on, fails in (((b(40),), True), ((b(49),), True), ((b(40), b(52)), False), ((b(53),), False)):
        scene = laid(state, "centre", on)
        assert missed(state, scene, Condition.IN_TOP_ROW) == ((Condition.IN_TOP_ROW,) if fails else ())


def test_TT_06__once_a_row_is_full_it_is_the_one_to_lie_on() -> None:
    """TT-06: the next brick lies across it, and on the row that was topmost no longer."""
    state = let_go("40 37 34")
    full = stacked(state, HELD)
    pose = judge.slots(state, full)[1]
    assert pose.position[2] == pytest.approx((19 + 0.5) * 0.015)
    assert abs(pose.matrix[1, 0]) == pytest.approx(1.0)
    scene = laid(state, "centre")
    assert missed(state, scene) == ()
    lower = put(scene, scene.bodies[HELD], scene.bodies[HELD].pose, [b(52), b(53), b(54)])
    assert missed(state, lower) == (Condition.IN_TOP_ROW,)


@pytest.mark.parametrize("tilt", ["roll", "pitch"])
@pytest.mark.parametrize(("degrees", "fails"), [(2.9, False), (3.1, True), (90.0, True), (177.1, False)])
def test_TT_24__a_brick_lies_on_a_broad_face(tilt: str, degrees: float, fails: bool) -> None:
    """TT-24: within three degrees; which of the two faces is up does not matter."""
    state = let_go()
    turned: dict[str, Any] = {tilt: degrees}
    scene = laid(state, **turned)
    assert missed(state, scene, Condition.FLAT_IN_ROW) == ((Condition.FLAT_IN_ROW,) if fails else ())


@pytest.mark.parametrize(("degrees", "fails"), [(2.9, False), (3.1, True)])
def test_TT_24__a_brick_below_that_lies_on_its_side_does_not_say_what_is_flat(
    degrees: float, fails: bool
) -> None:
    """TT-24: the others of its row do."""
    state = let_go()
    scene = laid(state, "centre", pitch=degrees)
    scene = put(scene, scene.bodies[b(54)], turned(scene.bodies[b(54)].pose, roll=90.0), [b(51)])
    assert missed(state, scene, Condition.FLAT_IN_ROW) == ((Condition.FLAT_IN_ROW,) if fails else ())


def test_TT_24__on_a_tower_that_leans_a_flat_brick_leans_as_much() -> None:
    """TT-24: flat is what lies as the row below does, either face of whose bricks may be up."""
    state = let_go()
    scene = laid(state, "centre")
    for name, roll in zip(state.tower[-1], (2.5, 182.5, 2.5), strict=True):
        leaning = turned(scene.bodies[name].pose, roll=roll)
        scene = put(scene, scene.bodies[name], leaning, scene.touched_by(name))
    way = scene.bodies[state.tower[-1][0]].pose.matrix[:, 2]
    assert abs(way[2]) == pytest.approx(math.cos(math.radians(2.5)))
    brick = scene.bodies[HELD]
    lean = {
        sign * degrees: put(scene, brick, turned(brick.pose, pitch=sign * degrees), state.tower[-1])
        for sign in (-1, 1)
        for degrees in (0.4, 5.4, 5.6)
    }
    uphill = 1 if float(lean[5.4].bodies[HELD].pose.matrix[:, 2] @ way) > math.cos(math.radians(3)) else -1
    for degrees, fails in ((5.4, False), (5.6, True), (-0.4, False), (-5.4, True)):
        expected = (Condition.FLAT_IN_ROW,) if fails else ()
        assert missed(state, lean[uphill * degrees], Condition.FLAT_IN_ROW) == expected


@pytest.mark.parametrize(
    ("yaw", "fails"), [(9.8, False), (10.2, True), (-9.8, False), (-10.2, True), (180.0, False), (90.0, True)]
)
def test_TT_24__a_brick_lies_at_right_angles_to_the_row_below(yaw: float, fails: bool) -> None:
    """TT-24: within ten degrees, either end first."""
    state = let_go()
    assert missed(state, laid(state, "centre", yaw=yaw)) == (
        (Condition.ACROSS_THE_ROW_BELOW,) if fails else ()
    )


def test_TT_24__right_angles_are_taken_from_the_bricks_that_really_lie_below() -> None:
    """TT-24: a row that was turned by seven degrees asks for bricks turned as much."""
    state = let_go()
    scene = laid(state, "centre")
    for name in state.tower[-1]:
        scene = put(
            scene, scene.bodies[name], turned(scene.bodies[name].pose, yaw=7.0), scene.touched_by(name)
        )
    brick = scene.bodies[HELD]
    for yaw, fails in ((-3.2, True), (-2.8, False), (16.8, False), (17.2, True)):
        turned_too = put(scene, brick, turned(brick.pose, yaw=yaw), state.tower[-1])
        expected = (Condition.ACROSS_THE_ROW_BELOW,) if fails else ()
        assert missed(state, turned_too, Condition.ACROSS_THE_ROW_BELOW) == expected
    standing = put(scene, brick, turned(brick.pose, pitch=90.0), state.tower[-1])
    assert Condition.ACROSS_THE_ROW_BELOW in missed(state, standing)


def test_TT_24__a_row_that_was_knocked_aslant_is_gone_on_with_as_it_lies() -> None:
    """TT-24: by more than ten degrees no place beside its bricks would be at right angles; by less that is asked."""
    for slant, yaw, fails in (
        (27.0, 27.0, False),
        (27.0, 16.0, True),
        (27.0, 0.0, True),
        (9.0, 9.8, False),
        (9.0, 12.0, True),
    ):
        state = let_go("10 . .")
        scene = laid(state, "centre", yaw=yaw)
        for name in filter(None, state.tower[-1]):
            scene = put(
                scene, scene.bodies[name], turned(scene.bodies[name].pose, yaw=slant), scene.touched_by(name)
            )
        expected = (Condition.ACROSS_THE_ROW_BELOW,) if fails else ()
        assert missed(state, scene, Condition.ACROSS_THE_ROW_BELOW) == expected, (slant, yaw)


@pytest.mark.parametrize(("shift", "fails"), [(3.8, False), (4.2, True)])
def test_TT_24__the_gap_to_its_row_is_small(shift: float, fails: bool) -> None:
    """TT-24: four millimetres from where it belongs, away from its neighbour."""
    state = let_go(". 40 .")
    for slot, away in (("left", shift), ("right", -shift)):
        assert missed(state, laid(state, slot, left=away)) == ((Condition.BESIDE_ITS_ROW,) if fails else ())


@pytest.mark.parametrize(("shift", "fails"), [(1.2, False), (1.8, True)])
def test_TT_24__a_brick_does_not_lie_on_its_row(shift: float, fails: bool) -> None:
    """TT-24: seen from above it covers no other brick of its row; half a millimetre of air and one are allowed."""
    state = let_go("40 . .")
    scene = laid(state, "centre", [b(40), b(53)], left=shift)
    assert missed(state, scene) == ((Condition.BESIDE_ITS_ROW,) if fails else ())


@pytest.mark.parametrize(("room", "fails"), [(25.5, False), (25.3, True)])
def test_TT_24__two_bricks_leave_room_for_the_third(room: float, fails: bool) -> None:
    """TT-24, TT-05: the outer two of a row, when the centre is still to come; and none is asked for beside it."""
    state = let_go("40 . .")
    scene = laid(state, "right")
    left, brick = scene.bodies[b(40)], scene.bodies[HELD]
    gap = outline(left).distance(outline(brick))
    closer = put(scene, brick, shifted(brick.pose, left=gap - room), state.tower[-2])
    assert missed(state, closer) == ((Condition.BESIDE_ITS_ROW,) if fails else ())
    filled = let_go("40 41 .")
    assert missed(filled, laid(filled, "right", left=0.9)) == ()


# -- where bricks may be laid


def test_TT_05__a_slot_is_on_the_highest_brick_beneath_it() -> None:
    """TT-05: by the real height of the bricks, with nothing overlapping."""
    for seed in SEEDS:
        state = begun(seed)
        below = replace(state, tower=state.tower[:-1])
        scene = TableScene(
            {body.name: body for body in JUDGE.layout(below) if body.name != state.tower[-1][0]}
        )
        held = replace(below, held=state.tower[-1][0], phase=Phase.CARRY)
        piece = JUDGE.home(held, held.held).piece
        top = max(
            scene.bodies[name].pose.position[2] + scene.bodies[name].piece.extents[2] / 2
            for name in below.tower[-1]
        )
        poses = judge.slots(held, scene)
        assert [pose.position[2] for pose in poses] == pytest.approx([top + piece.extents[2] / 2] * 3)
        laid_all = [Body(f"new.{at}", piece, pose) for at, pose in enumerate(poses)]
        tower = tuple(body for name, body in scene.bodies.items() if name in str(below.tower))
        assert find_contacts(Assembly("tower", (*tower, *laid_all))).overlaps == ()


def test_TT_05__a_slot_follows_the_slope_of_a_brick_beneath_it() -> None:
    """TT-05: a brick below that leans by two degrees lifts the slot over its high end, wherever the tower stands."""
    state = let_go()
    scene = stacked(state, HELD)
    centre = scene.bodies[b(53)]
    leaning = put(scene, centre, turned(centre.pose, pitch=-2.0), [b(50)])
    rise = math.tan(math.radians(2.0))
    high, middle = [centre.pose.position[2] + 0.0075 + rise * reach for reach in (0.0375, 0.0125)]
    for move in (Pose((0.0, 0.0, 0.0)), Pose((0.02, -0.03, 0.0))):
        moved = TableScene({name: body.at(body.pose.then(move)) for name, body in leaning.bodies.items()})
        heights = [pose.position[2] - 0.0075 for pose in judge.slots(state, moved)]
        assert heights == pytest.approx([high, middle, 18 * 0.015], abs=2e-5)


@pytest.mark.parametrize(("beyond", "height"), [(0.01, 0.0), (-0.01, 15.0)])
def test_TT_05__a_brick_lies_on_what_is_beneath_it_and_on_nothing_beside_it(
    beyond: float, height: float
) -> None:
    """TT-05: to a hundredth of a millimetre, at its ends and at its sides."""
    low = JUDGE.home(begun(bricks="exact"), b(1)).at(Pose((0.0, 0.0, 0.0075)))
    for sign in (-1.0, 1.0):
        for away in ((75.0 + beyond, 0.0), (0.0, 25.0 + beyond)):
            pose = judge.lying(sign * np.array(away), judge.heading(0), low.piece.extents, [low])
            assert 1e3 * pose.position[2] == pytest.approx(height + 7.5)


def test_TT_05__slots_go_with_a_tower_that_was_moved_and_turned() -> None:
    """TT-05: the same slots by name, turned and shifted as the tower is."""
    state = let_go("40 . .")
    scene = stacked(state, HELD)
    move = Pose((0.02, -0.01, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(25.0)))
    bodies = {name: body.at(body.pose.then(move)) for name, body in scene.bodies.items()}
    for pose, other in zip(judge.slots(state, scene), judge.slots(state, TableScene(bodies)), strict=True):
        expected = pose.then(move)
        assert other.position == pytest.approx(expected.position)
        assert other.matrix == pytest.approx(expected.matrix)


def test_TT_05__either_end_of_a_brick_may_point_either_way() -> None:
    """TT-05: left stays left, whichever way round bricks below and beside were laid."""
    state = let_go("40 . .")
    scene = other = stacked(state, HELD)
    for name in (b(52), b(54), b(40)):
        other = put(other, other.bodies[name], turned(other.bodies[name].pose, yaw=180.0), ())
    for pose, same in zip(judge.slots(state, scene), judge.slots(state, other), strict=True):
        assert same.position == pytest.approx(pose.position)
        assert same.matrix == pytest.approx(pose.matrix)


@pytest.mark.parametrize(("up", "left"), [("", (0.0, 0.0254)), ("40 37 34", (-0.0254, 0.0))])
def test_TT_05__left_is_in_every_row_where_it_was_when_the_tower_was_set_up(
    up: str, left: tuple[float, float]
) -> None:
    """TT-05: rows point along x and y by turns, and left is counter-clockwise of that."""
    state = let_go(up)
    places = [pose.position[:2] for pose in judge.slots(state, stacked(state, HELD))]
    assert tuple(free_slots(state)) == SLOTS
    assert places == [pytest.approx(at, abs=1e-9) for at in (left, (0.0, 0.0), (-left[0], -left[1]))]


@pytest.mark.parametrize("inwards", [0.0, 2.0, 4.0])
def test_TT_05__slots_keep_clear_of_bricks_laid_askew(inwards: float) -> None:
    """TT-05: however far in a first brick lies, the two others find room and all is in order."""
    for first in range(3):
        words = ["40" if slot == first else "." for slot in range(3)]
        state = let_go(" ".join(words))
        scene = stacked(state, HELD)
        brick = scene.bodies[b(40)]
        scene = put(scene, brick, shifted(brick.pose, left=(first - 1) * inwards), scene.touched_by(b(40)))
        for slot, pose in zip(free_slots(state), judge.slots(state, scene), strict=True):
            after = put(scene, JUDGE.home(state, HELD), pose, state.tower[-2])
            assert outline(after.bodies[HELD]).distance(outline(after.bodies[b(40)])) > 0.4
            assert JUDGE.broken(state, HELD, ALL, scene, after) == ()
            assert JUDGE.where(state, HELD, after) == slot


@pytest.mark.parametrize(("from_left", "from_right", "middle"), [(5.0, 5.0, 0.0), (8.0, 2.0, -0.003)])
def test_TT_05__a_slot_too_narrow_is_offered_in_its_middle(
    from_left: float, from_right: float, middle: float
) -> None:
    """TT-05: two bricks that were pushed together leave a gap, not a fault."""
    state = let_go("40 . 42")
    scene = stacked(state, HELD)
    for name, push in ((b(40), -from_left), (b(42), from_right)):
        scene = put(scene, scene.bodies[name], shifted(scene.bodies[name].pose, left=push), state.tower[-2])
    (pose,) = judge.slots(state, scene)
    assert pose.position[:2] == pytest.approx((0.0, middle))


def test_TT_05__with_one_row_left_unfilled_it_is_built_on_the_table() -> None:
    """TT-05: when nothing but a broken row is left the table bears the next brick."""
    state = replace(let_go(), tower=((b(1), "", ""),))
    scene = stacked(state, HELD)
    poses = judge.slots(state, scene)
    assert [pose.position[2] for pose in poses] == pytest.approx([0.0075, 0.0075])
    after = put(scene, JUDGE.home(state, HELD), poses[0], [TABLE])
    assert JUDGE.broken(state, HELD, ALL, scene, after) == ()
    assert JUDGE.fallen(state, HELD, scene, after) == ()


def test_TT_05__with_a_single_row_left_it_is_built_on() -> None:
    """TT-05: a full row bears the next brick, also the one that stands on the table."""
    state = replace(let_go(), tower=((b(1), b(2), b(3)),))
    poses = judge.slots(state, stacked(state, HELD))
    assert [pose.position[2] for pose in poses] == pytest.approx([0.0225] * 3)
    assert [abs(pose.matrix[1, 0]) for pose in poses] == pytest.approx([1.0] * 3)
    scene = laid(state)
    assert missed(state, scene, *ALL) == ()
    beside = put(scene, scene.bodies[HELD], scene.bodies[HELD].pose, [TABLE])
    assert missed(state, beside) == (Condition.IN_TOP_ROW,)


@pytest.mark.parametrize("slot", ["centre", "right"])
def test_TT_05__a_row_is_still_built_on_when_a_brick_of_the_one_below_has_fallen(slot: str) -> None:
    """TT-05, TT-07: where more bricks make a topple, the fallen one is laid on top of what is left."""
    state = let_go("40 . .")
    state = replace(state, tower=(*state.tower[:-2], (b(52), "", b(54)), state.tower[-1]))
    scene = laid(state, slot)
    assert missed(state, scene, *ALL) == ()
    assert JUDGE.where(state, HELD, scene) == slot
    assert JUDGE.fallen(state, HELD, stacked(state, HELD), scene) == ()


# -- what has fallen


def test_ALL_4__a_brick_fell_that_lies_more_than_8_mm_lower() -> None:
    """ALL-4, TT-07: half its height is less than that; sinking, and lying still, is no fall."""
    state = begun(bricks="exact")
    before = stacked(state)
    name = state.tower[9][1]
    body = before.bodies[name]
    for down, fell in ((0.0, ()), (7.6, ()), (7.9, ()), (8.1, (name,))):
        after = put(before, body, shifted(body.pose, up=-down), before.touched_by(name))
        assert JUDGE.fallen(state, "", before, after) == fell


@pytest.mark.parametrize("ground", [TABLE, FLOOR])
def test_ALL_4__a_brick_fell_that_touches_the_table_or_the_floor(ground: str) -> None:
    """ALL-4, TT-07: but for those that stood on it at the last rest, and for the bottom row."""
    state = begun(bricks="exact")
    before = stacked(state)
    after, names = before, (state.tower[3][0], state.tower[1][2])
    assert JUDGE.fallen(state, "", before, before) == ()
    for name in names:
        after = put(after, after.bodies[name], after.bodies[name].pose, [ground])
    assert JUDGE.fallen(state, "", before, after) == tuple(sorted(names))
    assert JUDGE.fallen(state, "", after, after) == ()
    assert JUDGE.fallen(state, names[0], before, after) == tuple(sorted(names))


def test_TT_07__the_bottom_row_may_touch_the_table_at_any_time() -> None:
    """TT-07, ALL-4: even a brick that was held up by others at the last rest."""
    state = begun(bricks="exact")
    scene = stacked(state)
    name = state.tower[0][1]
    lifted = put(scene, scene.bodies[name], scene.bodies[name].pose, [state.tower[1][0]])
    assert JUDGE.fallen(state, "", lifted, scene) == ()


def test_ALL_4__while_no_brick_is_moved_none_is_told_to_have_fallen() -> None:
    """ALL-4: the brick moved is named by nothing, and lies on nothing."""
    state = let_go()
    scene = stacked(state, HELD)
    assert JUDGE.fallen(state, "", scene, scene) == ()


def test_TT_07__the_tower_is_new_with_the_round_and_never_within_one() -> None:
    """TT-07: not while it comes down, nor when the game is over."""
    state = begun()
    toppled = replace(state, tower=(), phase=Phase.TOPPLED)
    assert JUDGE.is_new(toppled, replace(state, round=2))
    assert not JUDGE.is_new(state, toppled)
    assert not JUDGE.is_new(toppled, toppled)
    assert not JUDGE.is_new(state, replace(state, tower=(*state.tower, (b(4), "", ""))))
    assert JUDGE.fallen(toppled, "", stacked(state), stacked(state)) == ()


def test_TT_24__nobody_is_told_of_bricks_that_are_pushed_along() -> None:
    """TT-24: neighbours may be dragged and pushed; as long as they lie as high none has fallen."""
    assert not JUDGE.minds_nudges
    state = begun(bricks="exact")
    before = stacked(state)
    name = state.tower[9][1]
    pushed = shifted(before.bodies[name].pose, along=20.0)
    after = put(before, before.bodies[name], pushed, before.touched_by(name))
    assert JUDGE.fallen(state, "", before, after) == ()


@pytest.mark.parametrize(
    ("on", "fell"),
    [
        ((TABLE,), True),
        ((FLOOR,), True),
        ((TABLE, b(53)), True),
        ((), True),
        ((b(10),), True),
        ((b(40),), False),
        ((b(53),), False),
    ],
)
def test_TT_07__the_brick_let_go_is_judged_by_where_it_ends(on: tuple[str, ...], fell: bool) -> None:
    """TT-07, ALL-4: on the table or off the top it fell; on its own row it lies amiss, which is no fall."""
    state = let_go("40 . .")
    before, after = stacked(state, HELD), laid(state, "centre", [b(53)])
    after = put(after, after.bodies[HELD], after.bodies[HELD].pose, on)
    assert JUDGE.fallen(state, HELD, before, after) == ((HELD,) if fell else ())


def test_TT_07__a_brick_in_the_hand_has_not_ended_anywhere() -> None:
    """TT-07, ALL-4: one pulled out of the bottom row slides over the table; one from above fell onto it, unless it
    is still held up by the hand."""
    for number, phase, on, fell in (
        (2, Phase.PULL, [TABLE], False),
        (5, Phase.PULL, [TABLE], True),
        (5, Phase.PULL, [], False),
        (5, Phase.CARRY, [TABLE], False),
        (5, Phase.SETTLE, [TABLE], True),
    ):
        gone = "" if phase is Phase.PULL else str(number)
        state = position(gone=gone, held=b(number), phase=phase, house=EXACT)
        before = stacked(state, b(number))
        after = put(before, JUDGE.home(state, b(number)), Pose((0.2, 0.0, 0.0075)), on)
        assert JUDGE.fallen(state, b(number), before, after) == ((b(number),) if fell else ())


# -- in the real world


@cache
def settled(seed: int) -> tuple[State, TableScene]:
    """The real tower of a seed when it has come to rest."""
    state = begun(seed)
    return state, at_rest({body.name: body for body in JUDGE.layout(state)})


def at_rest(bodies: dict[str, Body]) -> TableScene:
    """What has become of a scene when all has been slower than 1 mm/s twice, half a second apart, within ten."""
    quiet = 0
    with BulletWorld(bodies.values()) as world:
        world.settle()
        while quiet < 2:
            tick = world.advance(world.rate // 2, contacts=True)
            quiet = quiet + 1 if float(tick.speeds.max()) < 1e-3 else 0
            assert tick.step < 10 * world.rate
        now = {name: bodies[name].at(world.pose(name)) for name in bodies}
    return TableScene(
        now, frozenset(pair(touch.a, touch.b) for touch in tick.contacts or () if touch.force > 0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_TT_02__the_tower_set_up_comes_to_rest(seed: int) -> None:
    """TT-02, TT-07: uneven bricks sink onto the rows below, by less than 1 mm on each, and none has fallen."""
    state, after = settled(seed)
    before = {body.name: body for body in JUDGE.layout(state)}
    sunk = 0.0
    for row in state.tower:
        lower = [1e3 * (before[name].pose.position[2] - after.bodies[name].pose.position[2]) for name in row]
        assert max(lower) - sunk < 1.0
        sunk = float(np.mean(lower))
    assert JUDGE.fallen(state, "", TableScene(before, after.touching), after) == ()


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_TT_24__a_brick_put_on_top_lies_as_it_must_in_the_real_world(slot: str) -> None:
    """TT-05, TT-06, TT-24: where `slots` says, on real bricks; and TT-07: put beside the tower it fell."""
    state, rest = settled(1)
    piece = state.tower[15][0]
    tower: Any = tuple(tuple("" if name == piece else name for name in row) for row in state.tower)
    state = replace(state, tower=tower, held=piece, phase=Phase.SETTLE)
    before = TableScene({name: body for name, body in rest.bodies.items() if name != piece}, rest.touching)
    pose = judge.slots(state, before)[SLOTS.index(slot)]
    after = at_rest({**before.bodies, piece: rest.bodies[piece].at(shifted(pose, left=1.0, up=0.5))})
    assert JUDGE.broken(state, piece, ALL, before, after) == ()
    assert JUDGE.where(state, piece, after) == slot
    assert JUDGE.fallen(state, piece, before, after) == ()
    off = at_rest({**before.bodies, piece: rest.bodies[piece].at(Pose((0.2, 0.0, 0.01)))})
    assert Condition.IN_TOP_ROW in JUDGE.broken(state, piece, ALL, before, off)
    assert JUDGE.fallen(state, piece, before, off) == (piece,)


def test_outlines_are_in_millimetres() -> None:
    """TT-24: what gaps and laps are measured on."""
    brick = JUDGE.home(begun(bricks="exact"), b(1))
    assert shapely.area(outline(brick)) == pytest.approx(75 * 25)
