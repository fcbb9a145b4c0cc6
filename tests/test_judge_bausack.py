"""The judge of Bausack: every clause about how a piece lies, from both sides, without physics."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from teeter.engine.geometry.convex import deepest, solids_at
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.engine.world.bullet import BulletWorld
from teeter.games.bausack import judge as bausack
from teeter.games.bausack.game import GAME
from teeter.games.bausack.rules import start
from teeter.games.bausack.state import Phase, State
from teeter.games.core.events import Condition
from teeter.games.game import stock_of
from teeter.games.judge import places
from teeter.games.judge.judge import TableScene
from teeter.models.build import build
from teeter.models.catalogue import find

NAMES = ("Ana", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana")
BAUSACK = GAME.judge
NOTHING = TableScene({})
OWN, CLEAR, AREA = Condition.ON_OWN_TOWER, Condition.CLEAR_OF_OTHER_TOWERS, Condition.IN_OWN_AREA


def game(players: int = 3, **options: object) -> State:
    return start(NAMES[:players], 1, options, stock_of(GAME))


def position(*towers: str, piece: str = "cube", phase: Phase = Phase.SETTLE, **more: Any) -> State:
    """Towers of Ana, Ben, ..., foundations first, and a piece of Ana's on its way."""
    state = game(len(towers))
    stacks = tuple(tuple(tower.split()) for tower in towers)
    away = {piece, *(each for tower in stacks for each in tower)}
    supply = tuple(each for each in state.supply if each not in away)
    return replace(state, towers=stacks, supply=supply, piece=piece, phase=phase, **more)


def body(name: str, x: float = 0.0, y: float = 0.0, low: float = 0.0, *turns: float) -> Body:
    """A piece turned by roll, pitch and yaw (degrees), centred over x and y (mm), its lowest point at `low` (mm)."""
    piece = build(find(f"bausack/{name}"))
    roll, pitch, yaw = (math.radians(turn) for turn in (*turns, 0.0, 0.0, 0.0)[:3])
    pose = places.laid(piece, Pose((0.0, 0.0, 0.0), quaternion_of_rpy(roll, pitch, yaw)).matrix)
    return Body(name, piece, pose.then(Pose((x / 1e3, y / 1e3, low / 1e3))))


def scene(*bodies: Body, touching: str = "") -> TableScene:
    """A scene with a table. touching: pairs such as `cube-table`, separated by blanks."""
    pairs = [sorted(pair.split("-")) for pair in touching.split()]
    listed = (places.table(2000, 2000), *bodies)
    return TableScene({each.name: each for each in listed}, frozenset((one, other) for one, other in pairs))


# -- the layout --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [pytest.param(game(2), marks=pytest.mark.soak), game(8), game(3, pieces=7)])
def test_a_layout_has_every_piece_of_the_supply_and_no_overlap(state: State) -> None:
    """BS-01: in the middle, outside every player's area, on a table that has room for all areas."""
    bodies = BAUSACK.layout(state)
    assert {each.name for each in bodies if not each.fixed} == set(state.supply)
    for one, other in combinations(bodies, 2):
        assert deepest(solids_at(one.piece, one.pose), solids_at(other.piece, other.pose)) <= 2e-5
    areas = bausack.areas(state)
    for each in bodies[1:]:
        low, high = places.bounds(each.piece, each.pose)
        assert low[2] == pytest.approx(0.0, abs=1e-9) or each.name == "ball"
        for area in areas:
            assert low[1] * 1e3 > area.y + area.side / 2 or high[1] * 1e3 < area.y - area.side / 2
        assert each.fixed or BAUSACK.home(state, each.name).pose == each.pose


@pytest.mark.parametrize("players", range(2, 9))
def test_areas_lie_on_the_table_side_by_side_and_clockwise(players: int) -> None:
    """BS-01, BS-22, ALL-5: 610 mm each, from the near side on the right round to the far side on the right.

    The table reaches 40 mm beyond them.
    """
    state = game(players)
    areas, table = bausack.areas(state), BAUSACK.layout(state)[0]
    assert len(areas) == players
    for area in areas:
        assert area.side == 610
    # the rows of the supply are a little broader than the one area at each side of a table of two
    broad = max(max(area.x for area in areas) + 305, 310)
    deep = max(area.y for area in areas) + 305
    assert table.piece.extents[:2] * 500 == pytest.approx([broad + 40, deep + 40])
    for one, other in combinations(areas, 2):
        assert abs(one.x - other.x) >= 610 - 1e-6 or abs(one.y - other.y) >= 610
    for side in (1.0, -1.0):
        facing = [area.x for area in areas if area.y * side > 0]
        assert sum(facing) == pytest.approx(0.0, abs=1e-6), "in the middle of the side"
    angles = [math.atan2(area.y, area.x) for area in areas]
    turns = [(one - other) % math.tau for one, other in zip(angles, [*angles[1:], angles[0]], strict=True)]
    assert sum(turns) == pytest.approx(math.tau)


def test_a_piece_lies_on_its_steadiest_low_face() -> None:
    """BS-01: flat where it can, upright where it would roll, on its side or back where it cannot stand."""
    lows = {
        "slab_long": 15,
        "ramp": 14.6,
        "pole_long": 90,
        "hexagon": 26,
        "bottle": 60,
        "egg": 29.9,
        "lens": 15,
    }
    for name, height in lows.items():
        piece = build(find(f"bausack/{name}"))
        low, high = places.bounds(piece, places.steady(piece))
        assert (high - low)[2] * 1e3 == pytest.approx(height, abs=0.15), name


def test_a_ball_lies_on_a_saucer() -> None:
    """BS-01: nothing else keeps a ball on a table; it does not touch the table itself."""
    bodies = {each.name: each for each in BAUSACK.layout(game())}
    assert bodies["saucer.ball"].fixed
    assert 1e-3 < places.bounds(bodies["ball"].piece, bodies["ball"].pose)[0][2] < 3e-3


@pytest.mark.slow
def test_a_layout_rests_in_bullet() -> None:
    """BS-01: all 70 pieces stay where the supply keeps them."""
    bodies = BAUSACK.layout(game())
    with BulletWorld(bodies) as world:
        world.settle()
        world.advance(3 * world.rate)
        for each in bodies:
            shift = np.subtract(world.pose(each.name).position, each.pose.position)
            assert np.linalg.norm(shift) < 1e-3, each.name


# -- where a piece may lie ----------------------------------------------------------------------------------------


def test_a_foundation_lies_inside_the_own_area() -> None:
    """BS-02: to the millimetre, whatever it is and however it is turned."""
    state = position("", "", piece="base_1")
    area = bausack.areas(state)[0]
    edge = area.x + area.side / 2
    for x, found in ((edge - 30 + 0.9, ()), (edge - 30 + 1.1, (AREA,)), (edge - 15 + 0.9, (AREA,))):
        after = scene(body("base_1", x, area.y), touching="base_1-table")
        assert BAUSACK.broken(state, "base_1", (AREA, CLEAR), NOTHING, after) == found
    upright = scene(body("base_1", edge - 15 + 0.9, area.y, 0, 0, 0, 90), touching="base_1-table")
    assert BAUSACK.broken(state, "base_1", (AREA,), NOTHING, upright) == ()
    other = bausack.areas(state)[1]
    foreign = scene(body("base_1", other.x, other.y), touching="base_1-table")
    assert BAUSACK.broken(state, "base_1", (AREA,), NOTHING, foreign) == (AREA,)


def test_a_ball_as_foundation_is_measured_by_its_girth() -> None:
    """BS-02: any piece will do."""
    state = position("", "", piece="ball")
    area = bausack.areas(state)[0]
    for over, found in ((0.9, ()), (1.1, (AREA,))):
        ball = body("ball", area.x, area.y + area.side / 2 - 15 + over, 0, 40, 40, 40)
        assert BAUSACK.broken(state, "ball", (AREA,), NOTHING, scene(ball)) == found


@pytest.mark.parametrize(
    ("touching", "found"),
    [
        ("cube-base_1", ()),
        ("cube-tile", ()),
        ("", (OWN,)),
        ("cube-table", (OWN,)),
        ("cube-base_1 cube-table", (OWN,)),
        ("cube-base_1 cube-egg", (OWN,)),
        ("cube-base_2", (OWN, CLEAR)),
        ("cube-base_1 cube-base_2", (CLEAR,)),
        ("base_1-base_2 cube-base_1", ()),
    ],
)
def test_a_piece_lies_on_the_own_tower_and_clear_of_others(
    touching: str, found: tuple[Condition, ...]
) -> None:
    """BS-03, BS-05: what touches the foundation or a piece on it, and neither table nor supply nor other towers."""
    state = position("base_1 tile", "base_2")
    bodies = (body("base_1"), body("tile"), body("base_2"), body("egg"), body("cube", 0, 0, 15))
    assert BAUSACK.broken(state, "cube", (OWN, CLEAR), NOTHING, scene(*bodies, touching=touching)) == found


def test_a_piece_lies_on_the_tower_it_touches_its_own_first() -> None:
    """BS-11: several towers in one world, named by their owners."""
    state = position("base_1", "base_2", "base_3")
    bodies = [body(name) for name in ("base_1", "base_2", "base_3", "cube")]
    for touching, owner in (
        ("cube-base_1", "Ana"),
        ("cube-base_3", "Cem"),
        ("cube-base_1 cube-base_2", "Ana"),
        ("cube-table", ""),
    ):
        assert BAUSACK.where(state, "cube", scene(*bodies, touching=touching)) == owner
    assert BAUSACK.covers(state, "cube", NOTHING, scene(*bodies)) == ()


# -- collapse ------------------------------------------------------------------------------------------------------

BODIES = tuple(
    body(name, x, 0, low)
    for name, x, low in [
        ("base_1", 0, 0),
        ("tile", 0, 15),
        ("base_2", 200, 0),
        ("disc", 200, 15),
        ("egg", 400, 0),
        ("bell", 500, 0),
        ("cube", 0, 30),
    ]
)
STANDING = "base_1-table base_1-tile cube-tile base_2-table base_2-disc egg-table bell-table"
TWO = position("base_1 tile", "base_2 disc")


def fallen(touching: str, *bodies: Body, state: State = TWO, lifted: bool = True) -> tuple[str, ...]:
    changed = {each.name: each for each in (*BODIES, *bodies)}
    after = scene(*changed.values(), touching=f"{STANDING} {touching}")
    return BAUSACK.fallen(state, state.piece, scene(*BODIES), after, is_lifted=lifted)


def test_standing_towers_and_the_supply_have_not_fallen() -> None:
    """BS-02, BS-08: foundations touch the table by right, and it is where the supply lies."""
    assert fallen("") == ()


@pytest.mark.parametrize("name", ["tile", "disc", "cube"])
def test_a_piece_that_touches_the_table_has_fallen(name: str) -> None:
    """BS-08, BS-11: of any tower, though it also touches its tower; the placed one too."""
    assert fallen(f"{name}-table") == (name,)


def test_pieces_of_several_towers_fall_in_one_step() -> None:
    """BS-11: sorted by name. BS-08: in the step in which it happens, not when all lies still."""
    assert BAUSACK.is_instant
    assert fallen("tile-table disc-table") == ("disc", "tile")


def test_the_first_piece_is_a_foundation_while_it_is_placed() -> None:
    """BS-02: it may touch the table, tip and shift; only off the table's edge it is lost."""
    state = position("", "base_2 disc")
    assert fallen("cube-table", state=state) == ()
    assert fallen("cube-table", body("cube", 0, 0, 0, 90), state=state) == ()


@pytest.mark.parametrize(("low", "found"), [(-14, ()), (-16, ("cube",))])
def test_off_the_table_is_as_good_as_on_it(low: float, found: tuple[str, ...]) -> None:
    """BS-08: a piece whose centre is below the table's top has left it; a foundation likewise."""
    assert fallen("", body("cube", 0, 1100, low)) == found
    first = position("", "base_2 disc")
    assert fallen("", body("cube", 0, 1100, low), state=first) == found


def test_a_held_piece_counts_from_when_it_was_lifted() -> None:
    """BS-08: it lies on the table until then; in the hand of a player who only looks it belongs to no tower."""
    carried = position("base_1 tile", "base_2 disc", phase=Phase.CARRY)
    assert fallen("cube-table", state=carried, lifted=False) == ()
    assert fallen("cube-table", state=carried, lifted=True) == ("cube",)
    assert fallen("cube-table tile-table disc-table", state=carried, lifted=False) == ("disc", "tile")
    down = scene(*BODIES, touching=f"{STANDING} cube-table")
    assert BAUSACK.fallen(carried, "cube", scene(*BODIES), down) == ("cube",), (
        "who says nothing has lifted it"
    )
    looked_at = position("base_1 tile", "base_2 disc", phase=Phase.LOOK)
    assert fallen("cube-table", state=looked_at) == ()


def test_lying_on_the_supply_is_touching_the_table() -> None:
    """BS-08: the placed piece may touch none; another piece that leaves its tower for the supply has fallen."""
    assert fallen("cube-egg") == ("cube",)
    assert fallen("disc-egg") == ()
    off = STANDING.replace("base_2-disc", "disc-egg")
    after = scene(*BODIES, touching=off)
    assert BAUSACK.fallen(TWO, "cube", scene(*BODIES), after) == ("disc",)
    carried = STANDING.replace("base_1-tile", "")
    assert BAUSACK.fallen(TWO, "cube", scene(*BODIES), scene(*BODIES, touching=carried)) == ()


def test_towers_of_players_who_are_out_fall_no_more() -> None:
    """BS-09: their pieces lie where they fell until everything rests."""
    state = replace(TWO, out=(-1, 7))
    assert fallen("disc-table", state=state) == ()
    assert fallen("disc-table tile-table", state=state) == ("tile",)


@pytest.mark.parametrize("touching", ["cube-disc", "cube-disc disc-table", "cube-base_2"])
def test_lying_on_a_fallen_tower_is_lying_on_the_supply(touching: str) -> None:
    """BS-08, BS-09: the pieces of a player who is out are no tower any more, though they are not yet put away."""
    state = replace(TWO, out=(-1, 7))
    assert fallen(touching, state=state) == ("cube",)
    after = scene(*BODIES, touching=f"{STANDING} {touching}")
    assert BAUSACK.broken(state, "cube", (OWN, CLEAR), NOTHING, after) == (OWN,)


def test_a_piece_against_another_tower_is_told_with_its_owner() -> None:
    """BS-03: for pieces of towers, against towers that stand."""
    for touching, found in (
        ("cube-disc", ("cube", "Ben")),
        ("cube-tile", None),
        ("egg-tile", None),
        ("cube-disc disc-tile", ("cube", "Ben")),
    ):
        assert BAUSACK.hit(TWO, "cube", scene(*BODIES), scene(*BODIES, touching=touching)) == found
    out = replace(TWO, out=(-1, 7))
    for touching in ("cube-disc", "disc-tile"):
        assert BAUSACK.hit(out, "cube", scene(*BODIES), scene(*BODIES, touching=touching)) is None


@pytest.mark.parametrize(("moved", "found"), [("tile", ("tile", "Ben")), ("disc", ("disc", "Ana"))])
@pytest.mark.parametrize("piece", ["cube", ""])
def test_a_piece_that_was_pushed_against_another_tower_is_told_too(
    piece: str, moved: str, found: tuple[str, str]
) -> None:
    """BS-03: not only the piece just laid; of two towers that touch, the piece that has moved further."""
    pushed = [
        each.at(each.pose.then(Pose((0.004, 0.0, 0.0)))) if each.name == moved else each for each in BODIES
    ]
    after = scene(*pushed, touching=f"{STANDING} disc-tile")
    assert BAUSACK.hit(TWO, piece, scene(*BODIES), after) == found


def test_heights_are_measured_from_the_table() -> None:
    """BS-21: the highest point of a tower, in mm and in seat order; nothing for those without one."""
    state = position("base_1 tile ball", "base_2 disc", "", "base_3")
    out = replace(state, out=(-1, -1, -1, 5))
    bodies = scene(*BODIES, body("ball", 0, 0, 30, 30, 20), body("base_3"))
    assert BAUSACK.heights(out, bodies) == pytest.approx((60.0, 30.0, 0.0, 0.0))
    up = Pose((0.0, 0.0, 0.1))
    raised = TableScene({name: each.at(each.pose.then(up)) for name, each in bodies.bodies.items()})
    assert BAUSACK.heights(out, raised) == pytest.approx((60.0, 30.0, 0.0, 0.0))


def test_a_condition_of_another_game_is_refused() -> None:
    """BS-03: Bausack knows no red boxes."""
    with pytest.raises(ValueError, match="COVERS_NO_RED_BOX is no condition of Bausack"):
        BAUSACK.broken(TWO, "cube", (Condition.COVERS_NO_RED_BOX,), NOTHING, scene(*BODIES))


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
@pytest.mark.parametrize(("over", "found"), [(-0.5, ()), (0.5, ("cube",))])
def test_a_piece_over_the_edge_of_a_foundation_falls_in_bullet(over: float, found: tuple[str, ...]) -> None:
    """BS-03, BS-08: it lies on the own tower, or on the table; half a millimetre decides."""
    state = position("base_1", "base_2")
    after = settled(body("base_1"), body("base_2", 0, 200), body("cube", 30 + over, 0, 15))
    assert BAUSACK.fallen(state, "cube", NOTHING, after) == found
    assert (BAUSACK.broken(state, "cube", (OWN, CLEAR), NOTHING, after) == ()) is (found == ())


@pytest.mark.slow
def test_a_piece_that_bullet_lays_against_another_tower_hits_it() -> None:
    """BS-03, BS-11: a slab across two foundations."""
    state = position("base_1", "base_2", piece="slab_long")
    after = settled(body("base_1"), body("base_2", 65), body("slab_long", 32, 0, 15))
    assert BAUSACK.hit(state, "slab_long", NOTHING, after) == ("slab_long", "Ben")
    assert BAUSACK.heights(state, after) == pytest.approx((15.0, 15.0), abs=0.1)
