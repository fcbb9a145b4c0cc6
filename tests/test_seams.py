"""What tells the rules what happened: judges, the held piece, the referee, the hand and the bots, each from both sides.

Careless changes in these places once went unnoticed; every test here fails with one of them.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from test_judge_bausack import AREA, BAUSACK, NOTHING
from test_judge_bausack import body as piece_of_bausack
from test_judge_bausack import position as bausack
from test_judge_bausack import scene as bausack_scene
from test_judge_crazy_tower import BLOCK, CARD_LAYS, CARD_MM, GROUND, JUDGE, body, laying, scene
from test_rules_bausack import LAST
from test_rules_wonky import add
from test_rules_wonky import after as wonky_after
from test_rules_wonky import position as wonky

from teeter.engine.events import Moved, Touched
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.bausack import judge as bausack_judge
from teeter.games.bausack.rules import apply, outcome
from teeter.games.core.events import Condition, Measured, Met, Nudged
from teeter.games.core.rules import Handicap
from teeter.games.game import stock_of
from teeter.games.play.checkpoints import Referee
from teeter.games.play.held_piece import Handling, HeldPiece, handling_of
from teeter.games.players.bots import TREMOR, bots_of
from teeter.games.wonky.game import GAME as WONKY
from teeter.games.wonky.state import PlayCard

RATE = 240


# -- judges --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("touching", "found"), [("card_01-green_o4", CARD_LAYS[1:]), ("card_01-red_i1", ()), ("", CARD_LAYS[1:])]
)
def test_CT_12_the_block_it_touches_is_one_of_the_highest_floor(
    touching: str, found: tuple[Condition, ...]
) -> None:
    """CT-12: a card that reaches down to a block of a lower floor has not touched the floor below it."""
    state = laying("card_06 green_o4 / card_02 red_i1", "card_01", card="card_01")
    second, cube = body("card_02", 0, 0, 18), body("red_i1", 0, 0, 20)
    there = scene(GROUND, BLOCK, second, cube, body("card_01", 0, 0, 36), touching=touching)
    asked = (Condition.CARD_TOUCHES_BLOCK,)
    assert JUDGE.broken(state, "card_01", asked, NOTHING, there) == found


def test_CT_50_cards_count_for_the_height_of_the_tower() -> None:
    """CT-50: 20 mm above a card on which no block lies, not above the blocks below it."""
    state = laying("card_06 green_o4 / card_02", "card_01", card="card_01")
    top = CARD_MM + 16 + CARD_MM
    there = scene(GROUND, BLOCK, body("card_02", 0, 0, CARD_MM + 16), body("card_01", 0, 0, top + 25))
    assert JUDGE.height(state, "card_01", there) == pytest.approx(25.0)


def test_BS_02_the_area_is_that_of_the_builder() -> None:
    """BS-02, BS-18: a foundation that was pushed on to Ben is laid in Ben's area, while the turn is Ana's."""
    state = replace(bausack("", "", piece="base_1"), turn=0, actor=1)
    areas = bausack_judge.areas(state)
    for seat, found in ((0, (AREA,)), (1, ())):
        there = bausack_scene(
            piece_of_bausack("base_1", areas[seat].x, areas[seat].y), touching="base_1-table"
        )
        assert BAUSACK.broken(state, "base_1", (AREA,), NOTHING, there) == found


# -- rules ---------------------------------------------------------------------------------------------------------


def test_BS_21_the_last_reading_decides_not_the_best() -> None:
    """BS-21: Ana's tower was the tallest so far, and has lost its top since."""
    earlier = replace(LAST, heights_mm=(90.0, 40.0, 30.0), best_mm=(90.0, 40.0, 30.0))
    won = outcome(apply(earlier, Measured(2, (30.0, 45.0, 30.0))))
    assert won is not None
    assert won.winners == ("Ben",)


@pytest.mark.parametrize(("direction", "next_seat"), [(1, 1), (-1, 2)])
def test_WK_10_the_player_who_is_next_draws_whichever_way_play_runs(direction: int, next_seat: int) -> None:
    """WK-10, WK-09: a combo card hits the next player, who is the right neighbour while play runs the other way."""
    cards = ("combo_draw", "pass")
    state = replace(wonky(" ".join(cards), "pass", "pass", tower=2), direction=direction)
    free = next(block.id for block in state.stock.blocks if block.id not in state.tower)
    after = wonky_after(state, PlayCard(state.seats[0].name, "combo_draw"), *add(free))
    gained = [len(later) - len(hand) for hand, later in zip(state.hands, after.hands, strict=True)]
    assert after.turn == next_seat
    assert gained[1:] == [int(seat == next_seat) for seat in (1, 2)]


# -- the piece in the hand -----------------------------------------------------------------------------------------


def held_over(*pairs: tuple[str, str], moved: float = 0.0, risen: float = 0.0) -> HeldPiece:
    """A held brick of 75 mm, that lay with its neighbours when it was taken and has come so far aside and up (mm)
    since."""
    start = SimpleNamespace(
        pose=Pose((0.0, 0.0, 0.1)), piece=SimpleNamespace(extents=np.array([0.075, 0.025, 0.015]))
    )
    table = SimpleNamespace(bodies={"b": start}, touching=(("A", "a"), ("a", "b"), ("b", "c")))
    held = HeldPiece("b", cast(Any, table), cast(Any, None))
    table.bodies = {"b": SimpleNamespace(pose=Pose((moved / 1e3, 0.0, 0.1 + risen / 1e3)), piece=start.piece)}
    table.touching = pairs
    return held


@pytest.mark.parametrize(
    ("pairs", "moved", "is_out"),
    [
        ((), 46.0, True),
        ((), 44.0, False),
        ((("a", "b"),), 80.0, False),
        ((("b", "c"),), 80.0, False),
        ((("b", TABLE),), 80.0, True),
        ((("a", "c"),), 80.0, True),
    ],
)
def test_TT_24_a_brick_is_out_when_it_has_come_far_enough_and_touches_no_other(
    pairs: tuple[tuple[str, str], ...], moved: float, is_out: bool
) -> None:
    """TT-24: 45 mm are six tenths of its length; one of the lowest row may still lie on the table."""
    assert held_over(*pairs, moved=moved).is_out() == is_out


def test_ALL_6_a_touch_is_told_once_and_only_of_what_lies() -> None:
    """ALL-6: what it lay with is no first touch, nor is what belongs to the supply."""
    held = held_over()
    assert held.met(Touched(5, "a", "b", 0.1), ("a", "d"), False) is None
    assert held.met(Touched(5, "b", "e", 0.1), ("a", "d"), False) is None
    assert held.met(Touched(5, "a", "d", 0.1), ("a", "d"), False) is None, "others touch each other"
    assert held.nudged(Moved(5, "d", 2.0), ("a", "d")) is None, "it has met nothing that it could push"
    assert held.met(Touched(6, "b", "d", 0.1), ("a", "d"), False) == Met(6, "b", "d")
    assert held.met(Touched(7, "b", "d", 0.1), ("a", "d"), False) is None
    assert held.nudged(Moved(8, "d", 2.0), ("a", "d")) == Nudged(8, "d", 2.0)
    assert held.nudged(Moved(8, "e", 2.0), ("a", "d")) is None


def test_TT_24_a_pulled_brick_meets_what_it_lay_with_when_it_moves() -> None:
    """TT-24, ALL-6: the first time only."""
    held = held_over()
    lying = ("A", "a", "b", "c")
    assert held.met(Moved(5, "b", 1.0), lying, False) is None
    assert held.met(Moved(5, "a", 1.0), lying, True) is None, "another has moved"
    assert held.met(Moved(5, "b", 1.0), lying, True) == Met(5, "b", "a")
    assert held.met(Moved(6, "b", 2.0), lying, True) is None
    other = held_over()
    assert other.met(Touched(5, "b", "d", 0.1), (*lying, "d"), True) == Met(5, "b", "d")
    assert other.met(Moved(6, "b", 1.0), (*lying, "d"), True) is None, "it has met one already"


@pytest.mark.parametrize("ground", [TABLE, FLOOR])
def test_BS_08_a_held_piece_lands_only_after_it_was_lifted(ground: str) -> None:
    """BS-08: what others do on the table is seen at once."""
    held = held_over()
    own, others = Touched(5, "b", ground, 0.1), Touched(5, "a", ground, 0.1)
    assert not held.sees_landing(own)
    assert held.sees_landing(others)
    assert not held.sees_landing(Touched(5, "a", "b", 0.1))
    assert not held.sees_landing(Touched(5, "a", "c", 0.1))
    held.is_lifted = True
    assert held.sees_landing(own)
    assert not held.sees_landing(Touched(5, "a", "b", 0.1)), "on a piece, not on the ground"


@pytest.mark.parametrize(
    ("risen", "pairs", "is_lifted"),
    [(2.1, (), True), (2.1, (("a", "b"),), False), (1.9, (), False), (1.9, (("a", "b"),), False)],
)
def test_BS_08_a_piece_is_lifted_when_it_has_risen_and_touches_nothing(
    risen: float, pairs: tuple[tuple[str, str], ...], is_lifted: bool
) -> None:
    """BS-08: by 2 mm, and for good: what it touches later is a landing."""
    held = held_over(*pairs, risen=risen)
    held.follow()
    assert held.is_lifted == is_lifted
    cast(Any, held._table).bodies["b"].pose = Pose((0.0, 0.0, 0.1))
    held.follow()
    assert held.is_lifted == is_lifted


# -- the referee ---------------------------------------------------------------------------------------------------


def test_TT_07_BS_08_what_has_fallen_is_told_once_and_the_moved_piece_every_time() -> None:
    """TT-07, BS-08: until the next act begins."""
    down = ["x", "y"]
    judge = SimpleNamespace(fallen=lambda state, piece, before, after, is_lifted: tuple(sorted(down)))
    table = SimpleNamespace(scene=lambda: None, step=7)
    referee = Referee(cast(Any, judge), cast(Any, SimpleNamespace(table=table, before=None)))

    def told(piece: str) -> tuple[str, ...]:
        fell = referee.fell(None, piece)
        return () if fell is None else fell.pieces

    assert told("x") == ("x", "y")
    assert told("x") == ("x",), "picked up, and dropped again"
    assert told("") == ()
    down.append("z")
    assert told("") == ("z",)
    referee.begin()
    assert told("") == ("x", "y", "z")


# -- the hand ------------------------------------------------------------------------------------------------------


def test_CT_47_every_new_card_makes_dizzy_not_only_the_first() -> None:
    """CT-47: the wobble wears off, and comes back with the next card."""
    handling = Handling(Handicap(wobble_s=5.0), 0.0, 1, spins=lambda before, after: after > before)
    handling.taken(0, Pose((0.0, 0.0, 0.1)))

    def wobble(step: int) -> float:
        return max(float(np.abs(handling.swaying(step + each, RATE)).max()) for each in range(0, RATE, 10))

    assert wobble(RATE) == 0.0
    for card in (1, 2, 3):
        begun = 20 * RATE * card
        handling.follow(card - 1, card, begun)
        assert wobble(begun) > 0.002
        assert not handling.swaying(begun - RATE // 4, RATE).any(), "not before it was turned up"
        assert not handling.swaying(begun, RATE).any(), "nor does it begin with a leap"
        handling.follow(card, card, begun + 3 * RATE)
        assert wobble(begun + 6 * RATE) == 0.0, "five seconds, and no longer for what is no new card"


def test_CT_47_nobody_wobbles_in_a_challenge_without_spinning() -> None:
    handling = Handling(Handicap(), 0.0, 1, spins=lambda before, after: after > before)
    handling.taken(0, Pose((0.1, -0.2, 0.05)))
    handling.follow(1, 2, RATE)
    assert not handling.swaying(2 * RATE, RATE).any()
    wish = packed(Pose((0.1, -0.2, 0.05)))
    assert handling.of(wish, 2 * RATE, RATE) == wish


def test_CT_41_the_swaying_sets_in_when_a_piece_is_taken_up_and_not_at_once() -> None:
    handling = Handling(Handicap(sway_mm=8.0, sway_period_s=5.0, sway_axes=2), 0.0, 1)
    handling.taken(1000, Pose((0.1, -0.2, 0.05)))
    assert not handling.swaying(1000, RATE).any()
    assert np.abs(handling.swaying(1002, RATE)).max() < 1e-4
    later = [float(np.abs(handling.swaying(1000 + step, RATE)).max()) for step in range(5 * RATE)]
    assert max(later) == pytest.approx(0.008, rel=0.01)


def test_CT_39_what_rests_as_the_minute_ends_has_rested_within_it() -> None:
    """CT-37 to CT-39: a step later it has not."""
    handling = Handling(Handicap(), 0.0, 1, limit_s=60.0)
    handling.taken(100, Pose((0.1, -0.2, 0.05)))
    assert [handling.is_late(100 + 60 * RATE + more, RATE) for more in (-1, 0, 1)] == [False, False, True]


def test_a_hand_shakes_by_20_millimetres_at_most_and_in_every_game_otherwise() -> None:
    states = [WONKY.rules.start(("Ana", "Ben"), seed, {}, stock_of(WONKY)) for seed in (1, 2)]
    wish = packed(Pose((0.1, -0.2, 0.05)))
    ways = []
    for state in states:
        handling = handling_of(WONKY, state, 0.02)
        handling.taken(0, Pose((0.1, -0.2, 0.05)))
        ways.append([handling.of(wish, step, RATE) for step in range(10)])
    assert ways[0] != ways[1]
    assert handling_of(WONKY, states[0], 0.0).is_plain
    for tremor in (-0.001, 0.0201):
        with pytest.raises(ValueError, match="a hand shakes by 0 to 20 mm"):
            handling_of(WONKY, states[0], tremor)


@pytest.mark.parametrize("shakes", [1.0, 2.0])
def test_CT_40_the_tremor_of_a_bot_is_doubled_too(shakes: float) -> None:
    """CT-40: of every style that trembles at all."""
    names = ("clumsy", "bold")
    seats = [SimpleNamespace(members=(SimpleNamespace(name=name, bot=name),)) for name in names]
    session = SimpleNamespace(
        state=SimpleNamespace(seats=seats),
        game=SimpleNamespace(name="crazy-tower"),
        handling=SimpleNamespace(shakes=shakes),
    )
    bots = bots_of(cast(Any, session), 1)
    assert {name: bot.tremor.size for name, bot in bots.items()} == {
        name: shakes * TREMOR[name] for name in names
    }
    assert min(TREMOR[name] for name in names) > 0.0
