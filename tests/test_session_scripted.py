"""A whole game on the scripted world: a session needs no simulator, only what keeps the contract of a world."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from scripted_world import Hold, Keyframes, ScriptedWorld, hold
from test_play_crazy_tower import position

from teeter.engine.events import Dropped
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE
from teeter.games.core.events import CountElapsed, Fell, Placed, Question, RefereeAnswer
from teeter.games.core.rules import Input, Take, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.state import CrazyReason, Floor, HandPhase
from teeter.games.game import stock_of
from teeter.games.play.session import Session
from teeter.games.registry import game_named
from teeter.games.wonky.state import Phase, State

FOREVER = 10**9
CARRY_STEPS = 80


class Script:
    """One game of Wonky, in which every block goes where the script says. fall_at: this block, counted from 0, drops
    from the tower onto the table, so many steps after it was let go: the count to three is over after 720. It slides a
    little all the while, so that nothing rests before it falls."""

    def __init__(self, fall_at: int, fall_after: int = 60) -> None:
        self.paths: dict[str, Keyframes] = {}
        self.holds: list[Hold] = []
        self.heard: list[Input] = []
        self.laid, self.fall_at, self.fall_after = 0, fall_at, fall_after
        game = game_named("wonky")
        state: State = game.rules.start(("Ana", "Ben"), 1, {}, stock_of(game))
        self.session = Session(
            game,
            game_named("wonky").judge,
            state,
            tell=[lambda before, given, after: self.heard.append(given)],
            make_world=partial(ScriptedWorld, paths=self.paths, holds=self.holds),
        )

    def lay(self, held: str) -> None:
        """Carry the held block onto the tower and let go."""
        table, tower = self.session.table, self.session.state.tower
        height = sum(float(table.bodies[name].piece.extents[2]) for name in tower)
        start, half = table.bodies[held].pose, float(table.bodies[held].piece.extents[2]) / 2
        begin, end = table.step, table.step + CARRY_STEPS
        goal, beside = Pose((0.0, 0.0, height + half)), Pose((0.0, -0.1, half))
        below = tower[-1] if tower else TABLE
        if self.laid == self.fall_at:
            falls, slid = end + self.fall_after, Pose((0.0, -0.02, height + half))
            self.paths[held] = [(begin, start), (end, goal), (falls, slid), (falls + 40, beside)]
            self.holds += [hold(held, below, end, falls), hold(held, TABLE, falls + 40, FOREVER)]
        else:
            self.paths[held] = [(begin, start), (end, goal)]
            self.holds.append(hold(held, below, end, FOREVER))
        for _ in range(CARRY_STEPS):
            self.session.aim(packed(table.world.pose(held)))
        self.laid += 1
        self.session.release()

    def until(self, laid: int, wait: Wait) -> None:
        """Play until so many blocks were laid and the game waits for this."""
        session = self.session
        while self.laid < laid or session.need.wait is not wait:
            if session.need.wait is Wait.HAND:
                self.lay(session.need.pieces[0])
            elif session.need.wait is Wait.ACTION:
                session.act(session.choices[0].action)
            else:
                session.settle()

    def play(self, turns: int = 200) -> None:
        """Play until the game is over: the first thing that is legal, every time."""
        for _ in range(turns):
            need = self.session.need
            if need.wait is Wait.OVER:
                return
            if need.wait is Wait.HAND:
                self.lay(need.pieces[0])
            elif need.wait in (Wait.REST, Wait.COUNT):
                self.session.settle()
                if not self.session.state.tower:
                    # what fell was put away
                    self.paths.clear()
                    self.holds.clear()
            else:
                self.session.act(self.session.choices[0].action)
        raise AssertionError(f"the game is not over after {turns} inputs")


def test_a_whole_game_is_played_on_the_scripted_world() -> None:
    script = Script(fall_at=2)
    script.play()
    session = script.session
    assert isinstance(session.table.world, ScriptedWorld)
    falls = [given for given in script.heard if isinstance(given, Fell)]
    stood = [given for given in script.heard if isinstance(given, CountElapsed)]
    assert len(falls) == 1
    assert len(stood) == script.laid - 1
    assert not any(given.broken for given in stood)
    assert session.outcome is not None
    assert session.outcome.winners
    assert session.summary() == {
        "winners": list(session.outcome.winners),
        "reason": session.outcome.reason.text,
        "turns": session.turns,
        "ended": True,
    }
    session.close()


def test_a_game_that_was_broken_off_says_why_and_has_no_winner() -> None:
    session = Script(fall_at=-1).session
    assert session.summary("the window was closed") == {
        "winners": [],
        "reason": "the window was closed",
        "turns": 0,
        "ended": False,
    }
    session.close()


def test_WK_13_the_count_is_over_after_so_many_seconds_to_the_step() -> None:
    script = Script(fall_at=-1)
    session = script.session
    script.until(1, Wait.COUNT)
    let_go, seconds = session.table.step, session.need.seconds
    session.settle()
    counted = next(given for given in script.heard if isinstance(given, CountElapsed))
    assert counted.step == let_go + round(seconds * session.table.rate)
    session.close()


def test_WK_13_a_fall_after_the_count_is_the_next_players_and_counts_towards_no_nine() -> None:
    """WK-13, WK-14: still moving at three with nothing fallen is a success; what falls then falls to who is next."""
    script = Script(fall_at=2, fall_after=740)
    session = script.session
    script.until(3, Wait.COUNT)
    before, held = session.state, session.need.pieces[0]
    script.heard.clear()
    session.settle()
    counted, fall = script.heard
    assert isinstance(counted, CountElapsed)
    assert counted.broken == ()
    assert isinstance(fall, Fell)
    assert (fall.pieces, fall.step > counted.step) == ((held,), True)
    after = session.state
    assert after.turn != before.turn
    assert (after.tower, after.phase) == ((), Phase.RESTART)
    assert len(after.hands[after.turn]) >= len(before.hands[after.turn]) + 3, (
        "the next player has drawn three cards"
    )
    assert after.hands[before.turn] == before.hands[before.turn], "who laid it has not"
    assert session.table.bodies[held].fixed, "all blocks are free again, and at home"
    session.close()


@pytest.mark.parametrize("fall_after", [60, 400, 650])
def test_WK_14_a_fall_during_the_count_ends_it_at_once(fall_after: int) -> None:
    script = Script(fall_at=1, fall_after=fall_after)
    session = script.session
    script.until(2, Wait.COUNT)
    released, player = session.table.step, session.need.player
    script.heard.clear()
    session.settle()
    fall = script.heard[0]
    assert isinstance(fall, Fell)
    assert released + fall_after <= fall.step <= released + fall_after + 60
    assert session.need.player == player, "the player starts a new tower in the same turn"
    session.close()


def test_a_take_back_restores_the_scripted_world_too() -> None:
    script = Script(fall_at=-1)
    session = script.session
    while session.need.wait is not Wait.HAND:
        session.act(session.choices[0].action)
    held = session.need.pieces[0]
    home = session.checkpoint.moment.bodies[held].pose
    script.paths[held] = [
        (session.table.step, home),
        (session.table.step + CARRY_STEPS, Pose((0.0, 0.0, 0.2))),
    ]
    for _ in range(12):
        session.aim(packed(session.table.world.pose(held)))
    assert session.table.world.pose(held) != home
    script.paths.clear()
    session.undo()
    assert session.table.world.pose(held) == home
    assert session.table.hand.held is None
    session.close()


def drop(script: Script, top: str) -> None:
    """This block slides off the tower onto the table while another is carried; what is heard then is all."""
    session = script.session
    held, now = session.need.pieces[0], session.table.step
    script.paths[top] = [(now, session.table.bodies[top].pose), (now + 20, Pose((0.0, -0.1, 0.02)))]
    script.holds[:] = [each for each in script.holds if top not in (each.contact.a, each.contact.b)]
    script.holds.append(hold(top, TABLE, now + 20, FOREVER))
    script.heard.clear()
    for _ in range(40):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose(held)))


def test_WK_14_what_falls_while_a_block_is_carried_is_told_at_once() -> None:
    """WK-14: the block in the hand is let go, and the player begins anew."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(2, Wait.HAND)
    top = session.state.tower[-1]
    drop(script, top)
    assert [given.pieces for given in script.heard if isinstance(given, Fell)] == [(top,)]
    assert session.table.hand.held is None
    assert session.state.phase is Phase.RESTART
    session.close()


def test_WK_14_a_block_that_fell_may_fall_again_in_a_later_turn() -> None:
    """WK-14: and is told again; no more than once in one act."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(2, Wait.HAND)
    top = session.state.tower[-1]
    drop(script, top)
    script.paths.clear()
    script.holds.clear()
    while session.need.wait is not Wait.HAND or len(session.state.tower) < 2:
        if session.need.wait is Wait.HAND:
            script.lay(session.need.pieces[0])
        elif session.need.wait is Wait.COUNT:
            session.settle()
        else:
            # a large block below, the same small one on it
            wanted = (top, "any_small") if session.state.tower else ("any_large",)
            actions = [each.action for each in session.choices]
            fit = [
                each
                for each in actions
                if {getattr(each, "card", ""), getattr(each, "piece", "")} & {*wanted}
            ]
            session.act((fit or actions)[0])
    assert session.state.tower[-1] == top
    drop(script, top)
    assert [given.pieces for given in script.heard if isinstance(given, Fell)] == [(top,)]
    session.close()


# -- other games, as far as the session is concerned -----------------------------------------------------------------


class Played:
    """A session of any game at a state, and what its rules hear."""

    def __init__(self, game: Any, state: Any) -> None:
        self.paths: dict[str, Keyframes] = {}
        self.holds: list[Hold] = []
        self.heard: list[Input] = []
        self.entries: list[dict[str, Any]] = []
        self.session = Session(
            game,
            game.judge,
            state,
            tell=[lambda before, given, after: self.heard.append(given)],
            journal=lambda step, entry: self.entries.append(entry),
            make_world=partial(ScriptedWorld, paths=self.paths, holds=self.holds),
        )


@pytest.mark.parametrize("yes", [True, False])
def test_CT_10_the_referee_answers_what_was_asked_and_nothing_else(yes: bool) -> None:
    """CT-10: then there is a checkpoint. An answer that nobody waits for is refused, and not written down."""
    played = Played(CRAZY, position(Floor("card_01"), hand=HandPhase.ASK))
    session, need = played.session, played.session.need
    session.answer(yes)
    step = session.table.step
    assert played.heard == [RefereeAnswer(step, Question.DOES_FIT, need.pieces, yes)]
    assert session.state.fits == yes
    assert session.checkpoint.state == session.state
    assert played.entries == [{"type": "answer", "yes": yes}]
    with pytest.raises(ValueError, match="the referee answers, and nothing was asked"):
        session.answer(yes)
    assert len(played.entries) == len(played.heard) == 1
    session.close()


def test_TT_06_a_brick_that_is_let_go_before_it_is_out_is_still_to_be_pulled() -> None:
    """TT-06: the rules hear nothing of it."""
    game = game_named("tower-topple")
    played = Played(game, game.rules.start(("Ana", "Ben"), 1, {"mode": "3"}, stock_of(game)))
    session = played.session
    session.act(next(each.action for each in session.choices if isinstance(each.action, Take)))
    need = session.need
    session.release()
    assert (session.need, session.table.hand.held) == (need, None)
    assert need.wait is Wait.PULL
    assert [type(given) for given in played.heard] == [Take]
    session.close()


def test_CT_39_a_tower_that_collapses_as_the_time_is_over_has_collapsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CT-39, CT-19: the game is over with the fall, and no other end follows."""
    block, lying = "red_i1", "green_o4"
    played = Played(CRAZY, position(Floor("card_01", (lying,)), challenge=9))
    session = played.session
    session.act(Take("Ana", block))
    monkeypatch.setattr(session.table, "aim", lambda target: (Dropped(session.table.step, lying, 20.0),))
    monkeypatch.setattr(session._referee, "fell", lambda *asked: Fell(session.table.step, ("card_01", lying)))
    monkeypatch.setattr(session.handling, "is_late", lambda step, rate: True)
    session.aim(packed(session.table.hand.target))
    assert session.outcome is not None
    assert session.outcome.reason is CrazyReason.CHALLENGE_COLLAPSE
    session.close()


def test_ALL_9_a_block_that_is_refused_goes_home_when_it_lies_still_and_no_sooner() -> None:
    """ALL-2, ALL-9: after ten seconds it is judged as it lies, and may still move; then it is waited for again."""
    block = "red_i1"
    played = Played(CRAZY, position(Floor("card_01")))
    session = played.session
    session.act(Take("Ana", block))
    start, rate = session.table.bodies[block].pose, session.table.rate
    begin, stop = session.table.step, session.table.step + 12 * rate
    x, y, z = start.position
    played.paths[block] = [(begin, start), (stop, Pose((x, y + 0.1, z), start.orientation))]
    session.release()
    session.settle()
    placed = played.heard[-1]
    assert isinstance(placed, Placed)
    assert placed.broken
    assert placed.step < stop < session.table.step
    assert session.table.bodies[block].pose == session.judge.home(session.state, block).pose
    session.close()
