"""Sentences of the rules from which who plays by the letter might gain, each played through a session."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scripted_world import hold
from test_hostile_hands import go
from test_play_crazy_tower import piece as lying
from test_session_scripted import FOREVER, Played

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE
from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.bausack.state import Phase
from teeter.games.core.events import CountElapsed, Fell, Removed
from teeter.games.core.rules import Input, Take, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.rules import start as crazy_start
from teeter.games.crazy_tower.state import CrazyReason, Decline, Floor, Pull, Sort, TurnStage
from teeter.games.game import stock_of
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, bots_of, lay, play, pull
from teeter.games.registry import game_named
from teeter.games.tower_topple.game import GAME as TOPPLE
from teeter.games.tower_topple.rules import start as topple_start
from teeter.games.tower_topple.state import Leave, Print, Task
from teeter.games.tower_topple.state import Sort as Owed
from teeter.games.wonky.state import PlayCard

NAMES = ["Ana", "Ben", "Cem"]


# -- Tower Topple ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_TT_25_a_gift_to_all_others_pays_its_puller_nothing_under_a_demand() -> None:
    """TT-25, TT-17: Ana owes an edge brick, draws one right below the top row and lays it."""
    fresh = topple_start(NAMES, 1, {"bricks": "exact"}, stock_of(TOPPLE))
    brick, gift = fresh.tower[-2][0], Print.ALL_OTHERS_GAIN_ONE
    bricks = tuple(
        replace(each, colour="", print=gift) if each.id == brick else each for each in fresh.bricks
    )
    session = Session(TOPPLE, TOPPLE.judge, replace(fresh, bricks=bricks, owed=(Task(Owed.EDGE),)))
    bot = Bot("steady", "tower-topple", 1)
    session.act(Take("Ana", brick))
    pull(session, bot, session.need)
    lay(session, bot, session.need)
    session.settle()
    assert brick in session.state.tower[-1]
    assert (session.state.scores, session.state.turn) == ((0, 1, 1), 1)
    session.close()


@pytest.mark.slow
def test_TT_24_a_brick_that_was_loosened_is_left_where_it_has_come_to_be() -> None:
    session, _ = begin(TOPPLE, ("Ana", "Ben"), 1, {"bricks": "exact"})
    brick = session.state.tower[-2][0]
    before = session.table.bodies[brick]
    way = 0.01 * before.pose.matrix[:, int(before.piece.extents.argmax())]
    session.act(Take("Ana", brick))
    x, y, z = (np.asarray(session.table.hand.target.position) + way).tolist()
    go(session, x, y, z, speed=0.05)
    session.act(Leave("Ana"))
    session.settle()
    assert (session.need.wait, session.table.hand.held, session.state.turn) == (Wait.ACTION, None, 0)
    moved = np.subtract(session.table.bodies[brick].pose.position, before.pose.position)
    assert moved == pytest.approx(way, abs=2e-3)
    session.close()


def test_TT_01_people_who_came_in_pairs_are_seated_in_even_teams() -> None:
    """TT-01: nine people, two pairs among them: three threes, whose members pull in turn."""
    names = ("Ana+Ben", "Cem", "Dora", "Eli+Finn", "Gus", "Hal", "Ida")
    session, _ = begin(TOPPLE, names, 1, {"mode": "3"})
    teams = [{member.name for member in seat.members} for seat in session.state.seats]
    assert [len(team) for team in teams] == [3, 3, 3]
    assert set.union(*teams) == {name for each in names for name in each.split("+")}
    for pair in ({"Ana", "Ben"}, {"Eli", "Finn"}):
        assert [team for team in teams if pair <= team], pair
    assert session.need.member == "Ana"
    assert session.need.player == session.state.seats[0].name
    session.close()


def topple_with(played: Played, other: str) -> None:
    """While somebody pulls, another brick falls on the table beside the tower."""
    session = played.session
    now, pose = session.table.step, session.table.bodies[other].pose
    x, y, _ = pose.position
    played.paths[other] = [(now, pose), (now + 20, Pose((x + 0.2, y, 0.008), pose.orientation))]
    played.holds.append(hold(other, TABLE, now + 20, FOREVER))
    for _ in range(40):
        if session.table.hand.held is None:
            break
        session.aim(packed(session.table.hand.target))


@pytest.mark.parametrize(
    ("mode", "loses"), [("1", 0), ("1", 4), ("2", 0), ("2", 4), ("3", 0), ("4", 0), ("4", 4)]
)
def test_TT_04_who_topples_on_purpose_in_the_last_round_pays_for_it_in_every_version(
    mode: str, loses: int
) -> None:
    """TT-04, TT-07: Ana leads by three points, or by a topple less, and pushes the tower over."""
    options: dict[str, object] = {"mode": mode, "rounds": 1, **({"topple_loses": loses} if loses else {})}
    fresh = topple_start(NAMES, 1, options, stock_of(TOPPLE))
    played = Played(TOPPLE, replace(fresh, scores=(5, 2, 2), topples=(0, 1, 2)))
    session = played.session
    session.act(Take("Ana", fresh.tower[3][1]))
    topple_with(played, fresh.tower[4][0])
    session.settle()
    assert [type(given) for given in played.heard].count(Fell) == 1
    assert session.outcome is not None
    assert session.state.scores == (5 - loses, 2, 2)
    # without points it is topples that count: she has as many as Ben now
    pointless = ("Ana", "Ben")
    winners = pointless if mode == "3" else ("Ben", "Cem") if loses else ("Ana",)
    assert session.outcome.winners == winners
    told = ("topples", (1, 1, 2)) if mode == "3" else ("points", (5 - loses, 2, 2))
    assert TOPPLE.scoring(session.state) == told
    session.close()


def test_TT_07_what_has_fallen_is_seen_before_the_tower_is_set_up_again() -> None:
    fresh = topple_start(NAMES, 1, {"rounds": 2}, stock_of(TOPPLE))
    played = Played(TOPPLE, fresh)
    session = played.session
    brick, other = fresh.tower[3][1], fresh.tower[4][0]
    at = session.table.bodies[other].pose.position
    seen = []
    session.before_tidying = lambda: seen.append(session.table.bodies[other].pose.position)
    session.act(Take("Ana", brick))
    assert not seen
    topple_with(played, other)
    session.settle()
    assert session.state.round == 2
    assert seen == [pytest.approx((at[0] + 0.2, at[1], 0.008))]
    session.close()


# -- Crazy Tower -------------------------------------------------------------------------------------------------


def pulling(told: list[Input], lower: str = "card_01", x: float = 0, y: float = 0) -> Session:
    """Ana has covered a remove box and holds the only block of the lower floor, green like Cem, which lies at x, y on
    the card. With it Cem would hold five points and lose to Ben, who holds three."""
    fresh = crazy_start(NAMES, 1, {"colours": "red,yellow,green"}, stock_of(CRAZY))
    box = next(c.id for c in fresh.stock.cards if Sort.REMOVE.mark in "".join(c.boxes) and c.id != lower)
    state = replace(
        fresh,
        floors=(Floor(lower, ("green_o4",)), Floor(box, ("red_i1",))),
        hands=(("red_o4",), ("yellow_i3",), ("green_i1",)),
        deck=tuple(name for name in fresh.deck if name != box),
        stage=TurnStage.BOXES,
        boxes=(Sort.REMOVE,),
    )
    session = Session(CRAZY, CRAZY.judge, state, tell=[lambda before, given, after: told.append(given)])
    under = lying("green_o4", x, y, 2.1)
    for body in (lying(lower, 0, 0, 0), under, lying(box, x, y, 18.2), lying("red_i1", x + 24, y, 20.3)):
        session.table.put(body)
    session.table.run_to_rest()
    session._checkpoints.add(session.state)
    session.act(Pull("Ana", "green_o4"))
    return session


def test_CT_05_a_block_whose_pulling_brings_the_tower_down_is_given_to_nobody() -> None:
    """CT-05, CT-22: out at once, as a cloth from under a table that is laid; what lay on it comes down."""
    told: list[Input] = []
    session = pulling(told)
    x, y, z = session.table.hand.target.position
    go(session, x + 0.2, y, z, speed=2.0)
    session.settle()
    assert [type(given) for given in told[-2:]] == [Removed, Fell]
    assert session.outcome is not None
    assert session.outcome.reason is CrazyReason.COLLAPSE
    assert session.outcome.winners == ("Cem",)
    assert session.state.hands[2] == ("green_i1",)
    assert "green_o4" in [each.piece for each in session.state.fallen]
    session.close()


def test_CT_05_a_block_that_was_pulled_at_is_left_where_it_has_come_to_be() -> None:
    """CT-05: it may be declined until the block is out; what was moved stays moved."""
    session = pulling([])
    x, y, z = session.table.hand.target.position
    go(session, x + 0.01, y, z, speed=0.05)
    session.act(Decline("Ana"))
    session.settle()
    assert (session.need.wait, session.state.turn, session.table.hand.held) == (Wait.ACTION, 1, None)
    assert session.table.bodies["green_o4"].pose.position[0] == pytest.approx(x + 0.01, abs=2e-3)
    session.close()


def test_CT_05_CT_04_a_block_that_was_pulled_onto_a_red_box_goes_back() -> None:
    """ALL-9: what lies against the rules with nothing fallen goes back, whoever was to take it away."""
    session = pulling([], "card_04", 8, 8)
    x, y, z = session.table.hand.target.position
    go(session, x + 0.01, y, z, speed=0.05)
    session.act(Decline("Ana"))
    session.settle()
    assert (session.need.wait, session.state.turn, session.table.hand.held) == (Wait.ACTION, 1, None)
    assert session.table.bodies["green_o4"].pose.position[0] == pytest.approx(x, abs=2e-4)
    session.close()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("challenge", [9, 13, 19])
def test_CT_39_CT_43_CT_49_challenges_as_a_calm_hand_meets_them(
    row: Callable[..., None], challenge: int, seed: int
) -> None:
    """CT-39, CT-43, CT-49: with the colours that are the default."""
    options: dict[str, object] = {"mode": "solo", "challenge": challenge}
    session, _ = begin(CRAZY, ("bot:steady",), seed, options)
    why = play(session, bots_of(session, seed))
    left, outcome = session.left_s, session.outcome
    row(
        "Crazy Tower alone: challenges 9, 13 and 19",
        challenge=challenge,
        seed=seed,
        laid=sum(len(floor.blocks) for floor in session.state.floors),
        of=7 * sum(map(len, session.state.colours)),
        left_s="" if left is None else left,
        ends=why if outcome is None else outcome.reason.text,
    )
    session.close()
    assert outcome is not None, why


def test_CT_49_wrists_that_stay_together_turn_a_block_slowly_and_not_far() -> None:
    """CT-49: a quarter to either side and no further, a radian a second; height is free."""
    session, _ = begin(CRAZY, ("Ana",), 1, {"mode": "solo", "challenge": 19})
    session.act(Take("Ana", "red_l4"))
    held, rate = session.table.bodies["red_l4"], session.table.rate
    x, y, z = held.pose.position
    go(session, x, y, z + 0.3)
    begun = math.atan2(held.pose.matrix[1, 0], held.pose.matrix[0, 0])
    goal = quaternion_of_rpy(0.0, 0.0, begun + math.radians(170.0))
    turned = []
    for _ in range(2 * rate):
        session.aim(packed(Pose((x, y, z + 0.3), goal)))
        matrix = session.table.world.pose("red_l4").matrix
        turned.append((math.atan2(matrix[1, 0], matrix[0, 0]) - begun) % math.tau)
    assert turned[rate // 2] == pytest.approx(0.5, abs=0.1)
    assert turned[-1] == pytest.approx(math.pi / 2, abs=0.02)
    assert session.table.world.pose("red_l4").position[2] == pytest.approx(z + 0.3, abs=2e-3)
    session.close()


# -- Wonky and Bausack -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_WK_05_a_first_block_far_off_the_middle_is_laid_again_and_costs_no_cards() -> None:
    """WK-05, WK-14: 105 mm off, and nothing fell."""
    told, story, game = list[Input](), list[str](), game_named("wonky")
    tell = [
        lambda before, given, after: told.append(given),
        lambda before, given, after: story.extend(game.rules.tell(before, given, after)),
    ]
    session, _ = begin(game, ("Ana", "Ben"), 1, {}, tell=tell)
    session.act(next(each.action for each in session.choices if isinstance(each.action, PlayCard)))
    session.act(session.choices[0].action)
    (held,) = session.need.pieces
    cards, z = session.state.hands, session.table.hand.target.position[2]
    go(session, 0.105, 0.0, z + 0.02)
    go(session, 0.105, 0.0, z + 0.001)
    session.release()
    session.settle()
    assert not [given for given in told if isinstance(given, Fell)]
    assert [given.broken != () for given in told if isinstance(given, CountElapsed)] == [True]
    assert (session.state.tower, session.state.hands, session.table.hand.held) == ((), cards, held)
    assert story[-1] == "Ana lays the block again."
    go(session, 0.0, 0.0, z + 0.02)
    go(session, 0.0, 0.0, z + 0.001)
    session.release()
    session.settle()
    assert (session.state.tower, session.need.wait) == ((held,), Wait.ACTION)
    session.close()


@pytest.mark.parametrize(
    ("above", "winners"),
    [
        ((0.016, 0.032), ("Ana", "Ben")),
        ((0.4, 0.6), ("Ben",)),
        ((0.6, 0.4), ("Ana",)),
        ((0.0, 0.0), ("Ana", "Ben")),
    ],
)
def test_BS_21_the_thread_is_read_to_the_millimetre_and_equal_is_shared(
    above: tuple[float, float], winners: tuple[str, ...]
) -> None:
    """BS-21: two cubes on bases of 15 mm, by so many millimetres higher than they are."""
    fresh: Any = BAUSACK.rules.start(("Ana", "Ben"), 1, {"tallest": True}, stock_of(BAUSACK))
    towers = (("base_1",), ("base_2",))
    played = Played(BAUSACK, replace(fresh, towers=towers, supply=(), phase=Phase.MEASURE))
    session = played.session
    for (name,), more in zip(towers, above, strict=True):
        base = session.table.bodies[name]
        x, y, _ = base.pose.position
        session.table.put(base.at(Pose((x, y, 0.0075 + 1e-3 * more), base.pose.orientation)))
    session.answer(yes=True)
    assert np.round(session.state.heights_mm, 3).tolist() == [15.0 + more for more in above]
    assert session.outcome is not None
    assert session.outcome.winners == winners
    session.close()
