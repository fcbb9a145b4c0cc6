"""Moments that a game can come back to, on the scripted world: which is the last checkpoint, and which only a moment in
between."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scripted_world import Keyframes, ScriptedWorld
from test_play_crazy_tower import position

from teeter.engine.events import Moved
from teeter.engine.hand import GRIP
from teeter.engine.pose import Pose
from teeter.engine.world.body import Scale
from teeter.games.core.events import Condition, Fell
from teeter.games.core.rules import Need, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.state import Floor
from teeter.games.game import stock_of
from teeter.games.play.checkpoints import Checkpoints, Referee
from teeter.games.play.table import STRIDE_STEPS
from teeter.games.wonky.game import GAME

STATE = GAME.rules.start(("Ana", "Ben"), 1, {}, stock_of(GAME))
BLOCK = "small_green"


def laid(paths: dict[str, Keyframes] | None = None) -> Checkpoints:
    make = partial(ScriptedWorld, paths={} if paths is None else paths)
    return Checkpoints(GAME.judge, STATE, GRIP, None, make)


def test_what_was_taken_up_and_put_back_is_as_if_it_never_was() -> None:
    kept = laid()
    first = kept.last
    back = kept.take(STATE, BLOCK)
    assert back is first.moment
    assert not kept.is_untouched
    kept.table.world.run(41)
    kept.come_back(back)
    assert kept.is_untouched
    assert kept.last.moment is first.moment
    assert kept.last.step == kept.table.step > first.step
    assert kept.table.step % STRIDE_STEPS == 0
    kept.table.close()


def test_who_comes_back_to_a_moment_in_between_is_not_at_the_checkpoint() -> None:
    """ALL-9: a piece is taken up from where it came to lie; put back, it lies there, and not where it was before."""
    paths: dict[str, Keyframes] = {}
    kept = laid(paths)
    first = kept.last
    kept.take(STATE, BLOCK)
    x, y, z = kept.table.bodies[BLOCK].pose.position
    now = kept.table.step
    paths[BLOCK] = [(now, kept.table.bodies[BLOCK].pose), (now + 4, Pose((x, y - 0.1, z)))]
    kept.table.world.run(42)
    between = kept.take(STATE, BLOCK)
    assert between is not first.moment
    assert between.bodies[BLOCK].pose.position == (x, y - 0.1, z)
    assert kept.table.bodies[BLOCK].pose.position == (x, y - 0.1, z), "it is taken up where it lies"
    kept.table.world.run(42)
    kept.come_back(between)
    assert not kept.is_untouched
    assert kept.last is first
    assert kept.table.bodies[BLOCK].pose.position == (x, y - 0.1, z)
    kept.table.close()


def test_time_that_has_passed_is_a_change_though_nothing_was_touched() -> None:
    kept = laid()
    assert kept.is_untouched
    kept.table.world.run(STRIDE_STEPS)
    assert not kept.is_untouched
    kept.add(STATE)
    assert kept.is_untouched
    kept.table.close()


def test_CT_10_a_card_that_is_taken_from_the_stack_comes_into_the_world_there() -> None:
    """CT-10: it was no body until then; from there on it is followed like any other."""
    state = position(Floor("card_01"))
    kept = Checkpoints(CRAZY.judge, state, GRIP, None, ScriptedWorld)
    card = state.deck[0]
    assert card not in kept.table.bodies
    kept.take(state, card)
    assert kept.table.bodies[card].pose == CRAZY.judge.home(state, card).pose
    assert not kept.table.bodies[card].fixed
    assert kept.table.advance() == ()
    kept.table.close()


@pytest.mark.parametrize("is_in_play", [True, False])
def test_WK_14_what_is_not_in_play_any_more_goes_home_and_the_rest_is_waited_for(is_in_play: bool) -> None:
    """WK-14, BS-09: what stood on it may fall."""
    other = "small_blue"
    standing = replace(STATE, tower=(BLOCK, other))
    kept = Checkpoints(GAME.judge, standing, GRIP, None, ScriptedWorld)
    begun = kept.table.step
    after = standing if is_in_play else replace(STATE, tower=(other,))
    kept.put_away(after)
    assert kept.table.bodies[BLOCK].fixed is not is_in_play
    assert not kept.table.bodies[other].fixed
    assert kept.table.bodies[BLOCK].pose == kept.table.world.pose(BLOCK)
    if is_in_play:
        assert kept.table.step == begun
        kept.put_away(STATE)
        assert kept.table.bodies[other].fixed
        assert kept.table.step == begun, "where nothing is left in play nothing is waited for"
    else:
        assert kept.table.bodies[BLOCK].pose == GAME.judge.home(STATE, BLOCK).pose
        assert kept.table.step >= begun + kept.table.rate // 4
        assert kept.table.remember().is_still
    kept.table.close()


def test_ALL_4_what_has_fallen_is_measured_from_the_last_checkpoint() -> None:
    """ALL-4: every checkpoint, and every piece that is taken up, begins anew."""
    state = GAME.rules.start(("Ana", "Ben"), 1, {}, stock_of(GAME))
    paths: dict[str, Keyframes] = {}
    standing = replace(state, tower=(BLOCK,))
    kept = Checkpoints(GAME.judge, standing, GRIP, None, partial(ScriptedWorld, paths=paths))
    referee = Referee(GAME.judge, kept)
    x, y, z = kept.table.bodies[BLOCK].pose.position
    now = kept.table.step
    paths[BLOCK] = [(now, kept.table.bodies[BLOCK].pose), (now + 4, Pose((x, y, z - 0.05)))]
    kept.table.world.run(8)
    assert referee.fell(standing, "") == Fell(now + 8, (BLOCK,))
    referee.begin()
    kept.add(standing)
    assert referee.fell(standing, "") is None
    kept.table.close()


def test_WK_12_what_has_crept_before_a_piece_is_taken_up_is_no_push() -> None:
    """WK-12: moves count from the grab."""
    other = "small_blue"
    paths: dict[str, Keyframes] = {}
    standing = replace(STATE, tower=(other,))
    kept = Checkpoints(GAME.judge, standing, GRIP, None, partial(ScriptedWorld, paths=paths))
    now, pose = kept.table.step, kept.table.bodies[other].pose
    x, y, z = pose.position
    crept, pushed = (Pose((x + far, y, z), pose.orientation) for far in (6e-4, 12e-4))
    paths[other] = [(now, pose), (now + 8, crept), (now + 40, crept), (now + 48, pushed)]
    while kept.table.step < now + 40:
        kept.table.advance()
    kept.take(standing, BLOCK)
    events = [event for _ in range(6) for event in kept.table.advance()]
    assert kept.table.bodies[other].pose == pushed
    assert not any(isinstance(event, Moved) for event in events)
    kept.table.close()


@pytest.mark.parametrize("is_fine", [True, False])
def test_a_game_with_arches_takes_twice_as_many_steps(is_fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME.judge), "is_fine", is_fine)
    kept = laid()
    scale = Scale.of(GAME.judge.layout(STATE))
    assert kept.table.rate == (scale.finer if is_fine else scale).rate
    kept.table.close()


def test_what_is_set_up_afresh_leaves_no_world_behind_and_the_clock_runs_on() -> None:
    """TT-07: the next round."""
    kept = laid()
    kept.take(STATE, BLOCK)
    old, step = kept.table.world, kept.table.step
    kept.set_up(STATE)
    assert kept.table.bodies[BLOCK].fixed
    assert kept.table.step > step
    with pytest.raises(RuntimeError, match="this world is closed"):
        old.read()
    kept.table.close()


@pytest.mark.parametrize(("conditions", "height"), [((Condition.DROPPED_FROM_ABOVE,), 25.0), ((), None)])
def test_CT_50_a_height_is_measured_where_the_rules_ask_for_it(
    conditions: tuple[Condition, ...], height: float | None
) -> None:
    asked: list[str] = []

    def measure(state: object, piece: str, scene: object) -> float:
        asked.append(piece)
        return 25.0

    judge = SimpleNamespace(height=measure)
    table = SimpleNamespace(scene=lambda: None)
    referee = Referee(cast(Any, judge), cast(Any, SimpleNamespace(table=table)))
    need = Need(Wait.HAND, "Ana", ("card_01", "card_02"), conditions)
    assert referee.height(None, need) == height
    assert asked == (["card_01"] if conditions else [])
