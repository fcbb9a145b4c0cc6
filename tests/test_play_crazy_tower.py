"""Crazy Tower played by bots on true physics: where blocks and cards may lie, and a whole game."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from engine.pose import Pose
from engine.world import Body
from games.core.events import Condition
from games.core.rules import Input
from games.crazy_tower import judge
from games.crazy_tower.bot import GAIN, _gain
from games.crazy_tower.bot_places import card_place, levels_of, orientations, special, would_stand
from games.crazy_tower.bot_places import places as places_of
from games.crazy_tower.game import GAME
from games.crazy_tower.rules import faults, start
from games.crazy_tower.state import Floor, Sort, State
from games.game import stock_of
from games.judge import places
from games.judge.judge import TableScene
from games.play.session import Session
from games.players.bots import Bot, play
from models.build import build
from models.catalogue import find

TABLE = places.table(600, 600)
FLAT = (Condition.ON_HIGHEST_FLOOR, Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)


def position(*floors: Floor, **options: object) -> State:
    """A solo game whose tower has these floors; all that does not lie in it is in the hand or the stack."""
    state = start(["Ana"], 1, {"mode": "solo", **options}, stock_of(GAME))
    laid = {name for floor in floors for name in (floor.card, *floor.blocks)}
    hands = (tuple(block for block in state.hands[0] if block not in laid),)
    deck = tuple(card.id for card in state.stock.cards if card.id not in laid)
    return replace(state, floors=floors, hands=hands, deck=deck)


def piece(name: str, x: float, y: float, low: float) -> Body:
    """A piece as authored, centred over x and y, its lowest point at `low`; millimetres."""
    shape = build(find(f"crazy_tower/{name}"))
    return Body(name, shape, Pose((x / 1e3, y / 1e3, low / 1e3 + float(shape.extents[2]) / 2)))


def scene(*bodies: Body) -> TableScene:
    return TableScene({body.name: body for body in (TABLE, *bodies)})


@pytest.mark.parametrize(("shape", "ways"), [("i1", 1), ("i3", 2), ("o4", 1), ("t4", 4), ("l4", 8)])
def test_a_block_lies_flat_in_as_many_ways_as_it_has_outlines(shape: str, ways: int) -> None:
    assert len(orientations(build(find(f"crazy_tower/red_{shape}")))) == ways


@pytest.mark.parametrize("card", ["card_01", "card_04", "card_12", "card_20"])
@pytest.mark.parametrize("name", ["red_i1", "red_v5", "red_l4"])
def test_every_place_meets_the_conditions_and_is_clear_of_what_lies_there(card: str, name: str) -> None:
    floor, lying = piece(card, 0, 0, 0), piece("green_o4", 20, 20, 2)
    state, there = position(Floor(card, ("green_o4",))), scene(floor, lying)
    found = places_of(state, there, name)
    assert found == sorted(found, key=lambda each: -each.worth)
    for each in found:
        block = Body(name, build(find(f"crazy_tower/{name}")), each.pose)
        assert GAME.judge.broken(state, name, FLAT, there, scene(floor, lying, block)) == ()
        one, other = judge.footprint(block, floor), judge.footprint(lying, floor)
        assert one.distance(other) > 0.9
        assert would_stand([floor, lying], TABLE, block)


@pytest.mark.parametrize(
    ("card", "sort"),
    [("card_01", None), ("card_04", Sort.REMOVE), ("card_10", Sort.AGAIN), ("card_16", Sort.EXCHANGE)],
)
def test_a_card_has_one_sort_of_special_box_at_most(card: str, sort: Sort | None) -> None:
    assert special(piece(card, 0, 0, 0)) is sort


@pytest.mark.parametrize("gain", [0.0, 10.0])
def test_a_box_that_pays_is_covered(gain: float) -> None:
    """The cube has no other reason to lie on the one box that plays again."""
    state, there = position(Floor("card_10")), scene(piece("card_10", 0, 0, 0))
    best = places_of(state, there, "red_i1", gain)[0]
    assert best.boxes == (1 if gain else 0)


def test_only_who_races_goes_for_boxes() -> None:
    """A lonely player has no use for them."""
    there = scene(piece("card_10", 0, 0, 0))
    race = replace(start(["Ana", "Ben"], 1, {}, stock_of(GAME)), floors=(Floor("card_10"),))
    for style, state, gain in (
        ("steady", race, GAIN[Sort.AGAIN]),
        ("clumsy", race, 0.0),
        ("steady", position(Floor("card_10")), 0.0),
    ):
        session = SimpleNamespace(state=state, table=SimpleNamespace(scene=lambda: there))
        assert _gain(Bot(style, "crazy-tower", 1), cast(Session, session)) == gain


def test_a_full_card_has_no_place() -> None:
    blocks = [("green_v5", -16, -16), ("red_o4", 20, 20), ("yellow_o4", 20, -20), ("purple_o4", -20, 20)]
    lying = [piece(name, x, y, 2) for name, x, y in blocks]
    state = position(Floor("card_01", tuple(name for name, *_ in blocks)), colour_count=4)
    assert places_of(state, scene(piece("card_01", 0, 0, 0), *lying), "red_v5") == []


def test_a_challenge_wants_blocks_on_their_side() -> None:
    state = position(Floor("card_01"), challenge=13)
    there = scene(piece("card_01", 0, 0, 0))
    upright = (Condition.ON_ITS_SIDE,)
    for each in places_of(state, there, "red_v5"):
        block = Body("red_v5", build(find("crazy_tower/red_v5")), each.pose)
        assert (
            GAME.judge.broken(state, "red_v5", upright, there, scene(piece("card_01", 0, 0, 0), block)) == ()
        )


def test_a_level_tips_where_its_load_leaves_the_hull() -> None:
    floors = (Floor("card_01", ("red_o4",)), Floor("card_02"))
    there = scene(piece("card_01", 0, 0, 0), piece("red_o4", 0, 0, 2), piece("card_02", 0, 0, 18))
    (level,) = levels_of(position(*floors), there)
    inside, outside = level.tilt(1.0, np.array([[0.015, 0.0, 0.02], [0.018, 0.0, 0.02]]))
    assert inside > 0 > outside


def test_a_card_lies_level_over_the_blocks_below() -> None:
    state = position(Floor("card_01", ("red_i1", "green_i1", "yellow_i1")))
    blocks = [piece(name, x, y, 2) for name, x, y in [("red_i1", 30, 0), ("green_i1", -10, 20)]]
    blocks.append(piece("yellow_i1", -10, -20, 2))
    first = piece("card_01", 0, 0, 0)
    pose = card_place(state, scene(first, *blocks), "card_02")
    card = Body("card_02", build(find("crazy_tower/card_02")), pose)
    assert places.bounds(card.piece, pose)[0][2] == pytest.approx(0.018)
    assert np.linalg.norm(pose.position[:2]) < 0.012
    assert would_stand([first, *blocks], TABLE, card)


def sound(before: Any, given: Input, after: Any) -> None:
    assert faults(after) == ()


@pytest.mark.slow
def test_steady_mostly_meets_the_first_challenge_with_one_colour() -> None:
    """Seven of ten games are won (seeds 1 to 10): whether the last floors stand hangs on tenths of a millimetre."""
    won = 0
    for seed in (1, 4, 7):
        state = start(["Ana"], seed, {"mode": "solo", "colour_count": 1}, stock_of(GAME))
        session = Session(GAME, GAME.judge, state, tell=[sound])
        why = play(session, {"Ana": Bot("steady", "crazy-tower", seed)}, 60)
        assert all(np.isfinite(body.pose.position).all() for body in session.table.bodies.values())
        session.close()
        assert why == ""
        assert session.outcome is not None
        assert len(session.state.floors) >= 3
        won += "Ana" in session.outcome.winners
    assert won >= 2
