"""While the hand holds something, on the scripted world: what is pushed or falls meanwhile, and what can then be undone
or counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scripted_world import hold
from test_play_crazy_tower import position
from test_session_scripted import Played, Script

from teeter.engine.hand import packed, unpacked
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE
from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.bausack.state import Phase as BausackPhase
from teeter.games.core.events import Fell, Met, Nudged, Removed
from teeter.games.core.rules import Handicap, Take, TakeBack, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.state import Floor, NothingFits
from teeter.games.game import stock_of
from teeter.games.play.held_piece import Handling
from teeter.games.play.table import STRIDE_STEPS
from teeter.games.registry import game_named
from teeter.games.wonky.state import Phase

DIZZY = 17
"""The challenge in which the player spins round after every floor card."""


def pushed_by(script: Script, mm: float) -> str:
    """The held block touches the topmost of the tower and pushes it along, so far; the name of the pushed one."""
    session = script.session
    top, held, now = session.state.tower[-1], session.need.pieces[0], session.table.step
    lying = session.table.bodies[top].pose
    x, y, z = lying.position
    script.holds.append(hold(held, top, now + 4, now + 40))
    script.paths[top] = [(now + 20, lying), (now + 21, Pose((x + mm / 1e3, y, z), lying.orientation))]
    for _ in range(40):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose(held)))
    return top


@pytest.mark.parametrize(("mm", "is_foul"), [(0.9, False), (1.5, True)])
def test_WK_12_a_tower_block_that_is_pushed_along_is_a_foul_and_everything_goes_back(
    mm: float, is_foul: bool
) -> None:
    """WK-12: one millimetre is allowed. The same block is then to be taken again, or another that the card admits."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(2, Wait.HAND)
    before, lain = session.state, dict(session.checkpoint.moment.bodies)
    script.heard.clear()
    held = before.held
    top = pushed_by(script, mm)
    assert [type(given) for given in script.heard] == ([Met, Nudged] if is_foul else [Met])
    if is_foul:
        nudge = script.heard[1]
        assert isinstance(nudge, Nudged)
        assert nudge.piece == top
        assert nudge.mm == pytest.approx(mm)
    assert session.state.fouls == int(is_foul)
    assert session.state.tower == before.tower
    assert session.table.hand.held == (None if is_foul else held)
    if is_foul:
        assert session.state.phase is Phase.ADD
        assert session.table.bodies[top].pose == lain[top].pose
        assert session.table.bodies[held].pose == lain[held].pose
        assert Take(session.need.player, held) in [choice.action for choice in session.choices]
        assert session.checkpoint.state == session.state
    session.close()


def test_WK_12_who_hits_a_tower_hard_touches_and_pushes_it_in_one_moment() -> None:
    """WK-12, ALL-6: the touch comes first, then the foul; and one foul is all, however many blocks were pushed."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(3, Wait.HAND)
    held, tower, now = session.need.pieces[0], session.state.tower, session.table.step
    script.holds.append(hold(held, tower[-1], now + 17, now + 40, force=100.0))
    for name in tower:
        lying = session.table.bodies[name].pose
        x, y, z = lying.position
        script.paths[name] = [(now + 17, lying), (now + 18, Pose((x + 1.5e-3, y, z), lying.orientation))]
    script.heard.clear()
    for _ in range(24):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose(held)))
    assert [type(given) for given in script.heard] == [Met, Nudged]
    assert session.state.fouls == 1
    assert session.state.tower == tower
    session.close()


def test_CT_20_what_falls_while_a_block_is_carried_stays_where_it_fell() -> None:
    """CT-20: the hand lets go of its block, and nothing is put back but by the player."""
    lying, block = "green_o4", "red_i1"
    played = Played(CRAZY, position(Floor("card_01", (lying,))))
    session = played.session
    first = session.checkpoint
    session.act(Take("Ana", block))
    now, pose = session.table.step, session.table.bodies[lying].pose
    x, y, z = pose.position
    low = Pose((x, y, z - 0.03), pose.orientation)
    played.paths[lying] = [(now + 20, pose), (now + 21, low)]
    for _ in range(60):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose(block)))
    falls = [given for given in played.heard if isinstance(given, Fell)]
    assert [given.pieces for given in falls] == [(lying,)]
    assert session.table.hand.held is None
    assert session.checkpoint is first, "while things move there is no moment to come back to"
    session.settle()
    assert [each.piece for each in session.state.fallen] == [lying]
    assert session.checkpoint.moment.bodies[lying].pose == low
    assert session.checkpoint.moment.bodies[block].pose == session.judge.home(session.state, block).pose
    assert played.heard.count(falls[0]) == 1
    session.close()


def test_ALL_6_a_card_that_was_played_stays_played_and_moves_nothing() -> None:
    """ALL-6, WK-04: the moment to come back to is the one with the card on the pile."""
    script = Script(fall_at=-1)
    session = script.session
    first = session.checkpoint
    session.act(session.choices[0].action)
    assert session.need.wait is Wait.ACTION
    assert session.state != first.state
    assert session.checkpoint.state == session.state
    assert session.checkpoint.moment is first.moment
    assert session.table.step == first.step
    session.close()


def test_only_what_a_player_chooses_with_an_empty_hand_counts_as_a_turn() -> None:
    """A card and a block are two; taking the block back is none, nor is its release."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(0, Wait.HAND)
    assert session.turns == 2
    session.undo()
    assert isinstance(script.heard[-1], TakeBack)
    assert session.turns == 2
    script.until(1, Wait.ACTION)
    assert session.turns == 3, "the block was taken once more"
    assert session.summary("left")["turns"] == 3
    session.close()


def test_an_empty_hand_lets_nothing_go_and_moves_nothing() -> None:
    script = Script(fall_at=-1)
    session = script.session
    script.until(1, Wait.ACTION)
    before, heard = session.state, len(script.heard)
    session.release()
    with pytest.raises(ValueError, match="the hand is empty"):
        session.aim(packed(Pose((0.1, 0.1, 0.1))))
    assert (session.state, len(script.heard)) == (before, heard)
    assert session.table.hand.held is None
    session.close()


def test_BS_13_a_piece_that_was_looked_at_lies_at_home_again_when_it_is_let_go() -> None:
    """BS-13: at once, and as if nobody had touched it: that is a moment to come back to."""
    played = Played(BAUSACK, BAUSACK.rules.start(("Ana", "Ben"), 1, {"pieces": 12}, stock_of(BAUSACK)))
    session = played.session
    take = next(choice.action for choice in session.choices if isinstance(choice.action, Take))
    session.act(take)
    now, home = session.table.step, session.judge.home(session.state, take.piece)
    x, y, z = home.pose.position
    played.paths[take.piece] = [(now, home.pose), (now + 40, Pose((x, y + 0.05, z), home.pose.orientation))]
    for _ in range(60):
        session.aim(packed(session.table.world.pose(take.piece)))
    assert session.table.bodies[take.piece].pose != home.pose
    session.release()
    assert session.need.wait is Wait.ACTION
    assert session.checkpoint.state == session.state
    assert session.table.bodies[take.piece].pose == home.pose
    assert session.table.bodies[take.piece].fixed
    assert take in [choice.action for choice in session.choices]
    session.close()


def test_a_calm_hand_does_exactly_what_is_wanted() -> None:
    """To the last millionth of a turn, which calculating with it would lose in one wish of sixty."""
    handling = Handling(Handicap(), 0.0, 1)
    handling.taken(0, Pose((0.1, -0.2, 0.05)))
    luck = np.random.default_rng(1)
    turns = luck.normal(size=(1000, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    wishes = [packed(Pose((0.1, -0.2, 0.05), (a, b, c, d))) for a, b, c, d in turns.tolist()]
    assert any(packed(unpacked(wish)) != wish for wish in wishes)
    assert [handling.of(wish, step, 240) for step, wish in enumerate(wishes)] == wishes


def test_CT_47_who_has_spun_round_wobbles_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """CT-47: what the rules take is what makes the player spin: here the first thing of all."""
    played = Played(CRAZY, position(Floor("card_01"), challenge=DIZZY))
    session = played.session
    assert session.handling.swaying(session.table.step + 60, session.table.rate) == pytest.approx(np.zeros(3))
    monkeypatch.setattr(session.handling, "_spins", lambda before, after: after is session.state)
    session.act(Take("Ana", "red_i1"))
    begun, rate = session.table.step, session.table.rate
    ways = [session.handling.swaying(begun + step, rate) for step in range(7 * rate)]
    assert np.abs(ways[: 2 * rate]).max() > 0.003
    assert np.abs(ways[6 * rate :]).max() == pytest.approx(0.0)
    session.close()


def test_TT_07_TT_24_a_brick_that_is_drawn_out_is_told_at_once_and_in_the_hand_until_it_lies_on_top() -> None:
    """TT-24: nothing has to happen for it but that it is far enough out. TT-07: let go beside the tower and fallen
    alone, it is picked up at once."""
    game = game_named("tower-topple")
    played = Played(game, game.rules.start(("Ana", "Ben"), 1, {"mode": "3"}, stock_of(game)))
    session = played.session
    brick = played.session.state.tower[3][1]
    session.act(Take(session.need.player, brick))
    assert session.need.wait is Wait.PULL
    start, now = session.table.bodies[brick].pose, session.table.step
    length = float(session.table.bodies[brick].piece.extents.max())
    along = start.matrix[:, int(session.table.bodies[brick].piece.extents.argmax())]
    x, y, z = (np.asarray(start.position) + 0.7 * length * along).tolist()
    played.paths[brick] = [(now, start), (now + 70, Pose((x, y, z), start.orientation))]
    out = 0
    for _ in range(70):
        session.aim(packed(session.table.world.pose(brick)))
        waits: Wait = session.need.wait
        out = out or (waits == Wait.HAND) * session.table.step
    assert now + 60 < out <= now + 60 + STRIDE_STEPS, "when it has come six tenths of its length"
    assert [given for given in played.heard if isinstance(given, Removed)] == [Removed(out, brick)]
    assert session.table.hand.held == brick
    session.release()
    session.settle()
    fell = played.heard[-1]
    assert isinstance(fell, Fell)
    assert fell.pieces == (brick,)
    assert (session.need.wait, session.need.pieces) == (Wait.HAND, (brick,))
    assert session.table.hand.held == brick
    session.close()


def test_TT_06_a_brick_that_is_pushed_along_while_another_is_drawn_is_no_news() -> None:
    """TT-06: whoever draws may push; the rules are not told, where other games mind (ALL-6)."""
    game = game_named("tower-topple")
    played = Played(game, game.rules.start(("Ana", "Ben"), 1, {"mode": "3"}, stock_of(game)))
    session = played.session
    brick, other = session.state.tower[3][1], session.state.tower[4][1]
    now = session.table.step
    played.holds.append(hold(brick, other, now, now + 1000))
    session.act(Take(session.need.player, brick))
    for name, begin in ((brick, now), (other, now + 30)):
        pose = session.table.bodies[name].pose
        x, y, z = pose.position
        moved = Pose((x + 4e-3, y + 4e-3, z), pose.orientation)
        played.paths[name] = [(begin, pose), (begin + 20, moved)]
    for _ in range(80):
        session.aim(packed(session.table.world.pose(brick)))
    assert [type(given) for given in played.heard] == [Take, Met]
    session.close()


def test_CT_10_who_says_that_nothing_fits_takes_nothing_up() -> None:
    """CT-10: the blocks that the referee is asked about stay where they are."""
    played = Played(CRAZY, position(Floor("card_01")))
    session = played.session
    session.act(NothingFits("Ana"))
    assert session.need.wait is Wait.ANSWER
    assert session.need.pieces
    assert session.table.hand.held is None
    assert session.checkpoint.state == session.state
    session.answer(False)
    assert session.table.hand.held is None
    session.close()


@pytest.mark.parametrize(("steps", "is_fall"), [(2, False), (40, True)])
def test_ALL_3_BS_08_a_lifted_piece_that_grazes_the_table_has_not_fallen(steps: int, is_fall: bool) -> None:
    """ALL-3: not even when something else happens in that moment; one that stays there has (BS-08)."""
    fresh = BAUSACK.rules.start(("Ana", "Ben"), 1, {}, stock_of(BAUSACK))
    supply = tuple(name for name in fresh.supply if name not in ("base_1", "base_2", "cube"))
    towers = (("base_1",), ("base_2",))
    state = replace(fresh, towers=towers, supply=supply, phase=BausackPhase.PLACE, piece="cube")
    played = Played(BAUSACK, state)
    session = played.session
    session.act(Take("Ana", "cube"))
    now, start, base = (
        session.table.step,
        session.table.bodies["cube"].pose,
        session.table.bodies["base_1"].pose,
    )
    x, y, z = start.position
    a, b, c = base.position
    played.paths["cube"] = [(now, start), (now + 8, Pose((x, y, z + 0.003), start.orientation))]
    played.paths["base_1"] = [(now + 40, base), (now + 41, Pose((a + 2e-3, b, c), base.orientation))]
    played.holds.append(hold("cube", TABLE, now + 43, now + 43 + steps))
    for _ in range(80):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose("cube")))
    falls = [given.pieces for given in played.heard if isinstance(given, Fell)]
    assert falls == ([("cube",)] if is_fall else [])
    session.close()
