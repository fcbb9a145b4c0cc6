"""How bots let go of a piece where the plain way fails, and which of Wonky's cards they play."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.core.events import Condition
from teeter.games.core.rules import Choice, Need, Take
from teeter.games.game import stock_of
from teeter.games.judge.judge import TableScene
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, bots_of, play
from teeter.games.registry import game_named
from teeter.games.tower_topple import bot as topple_bot
from teeter.games.tower_topple import judge
from teeter.games.tower_topple.judge import OpenRow
from teeter.games.tower_topple.state import Phase, State
from teeter.games.wonky import bot as wonky_bot
from teeter.games.wonky.state import PlayCard
from teeter.models.build import build
from teeter.models.catalogue import find

BRICK = build(find("tower_topple/brick"))


def test_WK_12_a_block_is_dropped_only_after_a_foul() -> None:
    assert (
        wonky_bot.WonkySkill().height(cast(Session, SimpleNamespace(state=SimpleNamespace(fouls=0)))) is None
    )
    assert (
        wonky_bot.WonkySkill().height(cast(Session, SimpleNamespace(state=SimpleNamespace(fouls=1))))
        == wonky_bot.DROPPED
    )


def test_ALL_9_what_lay_against_the_rules_is_laid_beside_its_place_the_next_time() -> None:
    """ALL-9: a tower that sways takes it every time to where it may not lie; a bot that aims there again and again
    never ends its turn."""
    game, lay = game_named("tower-topple"), list[tuple[float, ...]]()
    state = game.rules.start(["bot:expert", "bot:steady"], 1, {}, stock_of(game))
    fallen = state.tower[3][0]
    state = replace(state, tower=state.tower[:3], fallen=(fallen,), phase=Phase.GATHER)

    class Swaying(judge.ToppleJudge):
        def broken(self, state: State, piece: str, *told: Any) -> tuple[Condition, ...]:
            lay.append(told[2].bodies[piece].pose.position[:2])
            return () if math.dist(lay[0], lay[-1]) > 0.002 else (Condition.BESIDE_ITS_ROW,)

    session = Session(game, Swaying(), state)
    play(session, bots_of(session, 1), 2)
    assert 3 < len(lay) < 20, "a little beside it at first"
    assert fallen in session.state.tower[-1]
    assert not session.tries
    session.close()


@pytest.mark.parametrize(
    ("tower", "hand", "played"),
    [
        ((), ("small_green", "pass", "large_blue"), "large_blue"),
        (("large_blue", "large_green", "medium_blue"), ("large_purple", "small_green"), "small_green"),
        (("large_blue", "large_green", "medium_blue"), ("small_green", "pass"), "pass"),
        (("large_blue",), ("pass", "small_green", "medium_blue"), "medium_blue"),
        # WK-16: it may not be the last
        (("large_blue",), ("pass", "small_green"), "pass"),
    ],
)
def test_wide_blocks_come_first_then_small_ones_and_an_action_card_before_the_last_block(
    tower: tuple[str, ...], hand: tuple[str, ...], played: str
) -> None:
    game = game_named("wonky")
    state = replace(
        game.rules.start(["Ana", "Ben"], 1, {}, stock_of(game)), tower=tower, hands=(hand, ("large_green",))
    )
    session = SimpleNamespace(
        state=state,
        choices=game.rules.legal(state),
        table=SimpleNamespace(bodies={body.name: body for body in game.judge.layout(state)}),
    )
    choice = wonky_bot._card(cast(Session, session))
    assert isinstance(choice, PlayCard)
    assert choice.card == played


@pytest.mark.parametrize(
    ("along", "across", "pushed"),
    [
        (0.0, 41.0, -(41.0 - topple_bot.BORNE_MM)),
        (0.0, -41.0, 41.0 - topple_bot.BORNE_MM),
        (0.0, 25.0, None),
        (0.0, 0.0, None),
        (45.0, 41.0, None),
    ],
)
def test_TT_24_a_brick_beyond_the_edge_is_pushed_over_the_bricks_below(
    monkeypatch: pytest.MonkeyPatch, along: float, across: float, pushed: float | None
) -> None:
    below = tuple(Body(f"below.{at}", BRICK, Pose((0.0, 0.025 * (at - 1), 0.0))) for at in range(3))
    own = {1: Body("own", BRICK, Pose((0.0165, 0.0, 0.015), (0.0, 0.0, 0.5**0.5, 0.5**0.5)))}
    row = OpenRow(1, below, own)
    way = np.array([*row.along, 0.0])
    left = np.array([-row.along[1], row.along[0], 0.0])
    place = 1e-3 * (along * way + across * left) + (0.0, 0.0, 0.015)
    held = Body("held", BRICK, Pose((float(place[0]), float(place[1]), float(place[2]))))
    monkeypatch.setattr(judge, "open_row_of", lambda state, scene: row)
    table = SimpleNamespace(bodies={"held": held}, scene=lambda: None)
    session = SimpleNamespace(state=None, table=table, need=SimpleNamespace(pieces=("held",)))
    found = topple_bot.ToppleSkill().slide(cast(Session, session))
    if pushed is None:
        assert found is None
    else:
        assert found == pytest.approx(1e-3 * pushed * left, abs=1e-9)


@pytest.mark.parametrize("aslant", [0.0, 6.0, 9.0, 12.0, 26.0, 40.0, -9.0, -26.0])
def test_TT_24_a_bot_lays_along_bricks_that_a_knock_has_turned(aslant: float) -> None:
    """TT-24: at right angles to the row below; where its own bricks lie further askew, along them."""
    below = tuple(Body(f"below.{at}", BRICK, Pose((0.0, 0.025 * (at - 1), 0.0))) for at in range(3))
    turn = math.radians(90.0 + aslant) / 2
    own = {1: Body("own", BRICK, Pose((0.0, 0.0, 0.015), (0.0, 0.0, math.sin(turn), math.cos(turn))))}
    row = OpenRow(1, below, own)
    way = topple_bot._across(row)
    turned = math.atan2(way[1], way[0])
    laid = Body(
        "laid", BRICK, Pose((0.0, 0.0, 0.015), (0.0, 0.0, math.sin(turned / 2), math.cos(turned / 2)))
    )
    after = TableScene({"laid": laid})
    assert judge._is_across(row, "laid", after)


@pytest.mark.parametrize(
    ("loose", "borne", "moved", "chosen"),
    [
        ("", "abc", {"a": 9.0, "b": 1e-3, "c": 1e-4}, "b"),  # the first that comes out calmly
        (
            "c",
            "a",
            {"a": math.inf, "b": 1e-4, "c": 1e-3},
            "c",
        ),  # what bears nothing is no question of balance
        ("", "a", {"a": 9e-3, "b": 1e-3, "c": 1e-4}, "a"),  # one that is borne, though it drags
        (
            "",
            "a",
            {"a": math.inf, "b": 8e-3, "c": 3e-3},
            "c",
        ),  # none that is borne comes out: the calmest of the rest
        ("", "", {"a": math.inf, "b": 8e-3, "c": 1e-3}, "c"),
        ("", "", {}, "a"),
    ],
)
def test_TT_06_no_brick_is_drawn_untried_while_another_comes_out(
    monkeypatch: pytest.MonkeyPatch, loose: str, borne: str, moved: dict[str, float], chosen: str
) -> None:
    takes = [Take("Ana", name) for name in "abc"]

    def drawn(session: Session, name: str, way: object, most: float) -> float:
        found = moved.get(name, math.inf)
        return found if found <= most else math.inf

    monkeypatch.setattr(topple_bot, "_ranked", lambda *_, **__: (takes, set(loose)))
    monkeypatch.setattr(topple_bot, "assembly_of", lambda _: None)
    monkeypatch.setattr(topple_bot, "way_out", lambda *_: None)
    monkeypatch.setattr(topple_bot, "bears", lambda _, piece: piece in borne)
    monkeypatch.setattr(topple_bot, "drawn", drawn)
    session = cast(Session, SimpleNamespace(choices=[Choice(take, "") for take in takes]))
    steady = cast(Bot, SimpleNamespace(style="steady"))
    assert topple_bot.ToppleSkill().choose(steady, session, cast(Need, None)) == Take("Ana", chosen)


@pytest.mark.parametrize(("own_at", "is_off"), [(0.0, False), (-30.0, True)])
def test_TT_24_a_slot_off_the_tower_is_entered_from_beside_the_row(
    monkeypatch: pytest.MonkeyPatch, own_at: float, is_off: bool
) -> None:
    """A neighbour was pushed to the edge: the brick comes as high as it, and is not lowered to the table."""
    below = tuple(Body(f"below.{at}", BRICK, Pose((0.0, 0.0254 * (at - 1), 0.1))) for at in range(3))
    turn = (0.0, 0.0, 0.5**0.5, 0.5**0.5)
    own = {
        0: Body("left", BRICK, Pose((-0.025, 0.0, 0.115), turn)),
        1: Body("centre", BRICK, Pose((-1e-3 * own_at, 0.0, 0.115), turn)),
    }
    row = OpenRow(1, below, own)
    slot = row.pose(2, BRICK.extents)
    monkeypatch.setattr(judge, "open_row_of", lambda state, scene: row)
    monkeypatch.setattr(judge, "slots", lambda state, scene: (slot,))
    bodies = {body.name: body for body in (*below, *own.values(), Body("held", BRICK, slot))}
    table = SimpleNamespace(bodies=bodies, scene=lambda: SimpleNamespace(bodies=bodies))
    need = SimpleNamespace(pieces=("held",))
    session = cast(Session, SimpleNamespace(state=None, table=table, need=need))
    found = topple_bot.ToppleSkill().place(cast(Bot, None), session, cast(Need, need))
    assert found.position[:2] == slot.position[:2]
    assert found.position[2] == pytest.approx(0.115)
    bodies["held"] = Body("held", BRICK, found)
    assert topple_bot.ToppleSkill().height(session) == (topple_bot.ABOVE if is_off else None)


@pytest.mark.parametrize("end", [0.0, 180.0])
@pytest.mark.parametrize(("askew", "laid"), [(5.0, 5.0), (14.0, 7.0), (-14.0, -7.0)])
def test_TT_24_beside_a_brick_that_lies_askew_one_is_laid_less_so(
    end: float, askew: float, laid: float
) -> None:
    below = tuple(Body(f"below.{at}", BRICK, Pose((0.0, 0.0254 * (at - 1), 0.0))) for at in range(3))
    turn = quaternion_of_rpy(0.0, 0.0, math.radians(90.0 + askew + end))
    row = OpenRow(1, below, {1: Body("own", BRICK, Pose((0.0, 0.0, 0.015), turn))})
    x, y = topple_bot._across(row)
    assert math.degrees(math.atan(-x / y)) == pytest.approx(laid)
    assert np.array([x, y]) @ row.along > 0.9


@pytest.mark.slow
def test_TT_24_a_brick_that_leaves_the_tower_in_peace_is_out() -> None:
    """Nothing has happened since its last touch, and nothing will while it is held in the air."""
    game = game_named("tower-topple")
    state = game.rules.start(["bot:steady", "bot:steady"], 7, {"rounds": 1}, stock_of(game))
    session = Session(game, game.judge, state)
    play(session, bots_of(session, 7), 4)
    assert sum(bool(name) for row in session.state.tower[18:] for name in row) >= 3
    session.close()


@pytest.mark.soak
def test_a_match_against_a_clumsy_hand_comes_to_its_end() -> None:
    """It leaves the bricks of the open row where none fits between them and the edge."""
    game = game_named("tower-topple")
    state = game.rules.start(["bot:clumsy", "bot:steady"], 2, {}, stock_of(game))
    session = Session(game, game.judge, state)
    why = play(session, bots_of(session, 2))
    assert why == ""
    assert session.outcome is not None
    session.close()
