"""A game on true physics: inputs, checkpoints, undo; recorded and played again; by bots and headless."""

from __future__ import annotations

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rules_labs import LABS

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.record.reader import load
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.core.errors import IllegalAction
from teeter.games.core.rules import Action, Need, Take, Wait
from teeter.games.crazy_tower.state import NothingFits
from teeter.games.play.playback import verify
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.play.table import SHOVE_SPEED
from teeter.games.players.bots import Bot, bots_of, lay, play
from teeter.games.registry import GAMES
from teeter.games.wonky.state import PlayCard
from teeter.models.material import pair_coefficient

BY_NAME = {game.name: game for game in GAMES}


def session_of(name: str, players: tuple[str, ...] = ("Ana", "Ben"), **options: object) -> Session:
    return begin(BY_NAME[name], players, 1, options)[0]


def poses(session: Session) -> dict[str, tuple[float, ...]]:
    return {
        name: (*body.pose.position, *body.pose.orientation)
        for name, body in session.table.scene().bodies.items()
    }


def with_block(session: Session) -> str:
    """Play a block card, take its block, and lift it a little; the block's name."""
    card = next(each.action for each in session.choices if isinstance(each.action, PlayCard))
    session.act(card)
    session.act(session.choices[0].action)
    held = session.need.pieces[0]
    start = session.table.bodies[held].pose
    for step in range(40):
        x, y, z = start.position
        session.aim(packed(Pose((x, y, z + 0.0005 * step), start.orientation)))
    return held


@pytest.fixture
def wonky() -> Any:
    session = session_of("wonky")
    yield session
    session.close()


# -- inputs and checkpoints --------------------------------------------------------------------------------------


def test_ALL_8_a_refused_action_moves_nothing(wonky: Session) -> None:
    before = poses(wonky)
    with pytest.raises(IllegalAction, match="a card comes first"):
        wonky.act(Take(wonky.need.player, "small_green"))
    assert poses(wonky) == before
    assert wonky.table.hand.held is None


def test_the_supply_cannot_be_moved_until_a_hand_takes_it(wonky: Session) -> None:
    assert all(wonky.table.bodies[block.id].fixed for block in wonky.state.stock.blocks)
    held = with_block(wonky)
    assert not wonky.table.bodies[held].fixed
    assert wonky.table.hand.held == held


def test_ALL_6_a_take_back_restores_every_pose(wonky: Session) -> None:
    before = poses(wonky)
    held = with_block(wonky)
    assert poses(wonky)[held][2] > before[held][2] + 0.01
    take_back: Action = wonky.choices[0].action
    wonky.act(take_back)
    after = poses(wonky)
    assert wonky.table.hand.held is None
    assert after.keys() == before.keys()
    assert max(float(np.abs(np.subtract(after[name], before[name])).max()) for name in after) < 1e-5
    assert wonky.need.wait is Wait.ACTION


def test_a_block_let_go_on_the_table_begins_a_tower_and_counts_to_three(wonky: Session) -> None:
    held = with_block(wonky)
    start = wonky.table.hand.target
    for step in range(300):
        part = min(1.0, step / 240)
        x, y = (value * (1.0 - part) for value in start.position[:2])
        wonky.aim(packed(Pose((x, y, start.position[2]), start.orientation)))
    wonky.release()
    assert wonky.need.wait is Wait.COUNT
    released = wonky.table.step
    wonky.settle()
    assert wonky.state.tower == (held,)
    assert wonky.table.step >= released + 3 * wonky.table.rate
    after: Wait = wonky.need.wait
    assert after == Wait.ACTION
    assert wonky.checkpoint.state == wonky.state


def test_WK_05_a_first_block_let_go_beside_the_middle_is_laid_again(wonky: Session) -> None:
    held = with_block(wonky)
    cards = wonky.state.hands
    wonky.release()
    wonky.settle()
    assert (wonky.state.tower, wonky.state.hands, wonky.table.hand.held) == ((), cards, held)


def test_there_is_a_floor_for_what_leaves_the_table(wonky: Session) -> None:
    assert {TABLE, FLOOR} <= wonky.table.bodies.keys()
    block = wonky.table.bodies["small_green"]
    wonky.table.put(replace(block, fixed=False, pose=Pose((0.9, 0.0, 0.1))))
    wonky.table.run_to_rest()
    assert wonky.table.bodies["small_green"].pose.position[2] == pytest.approx(-0.72 + 0.015, abs=0.02)


def test_a_push_lasts_half_a_second_and_a_table_that_is_tilted_on_lets_a_block_slide(wonky: Session) -> None:
    def place() -> tuple[float, ...]:
        return wonky.table.bodies["small_green"].pose.position

    block = wonky.table.bodies["small_green"]
    height = float(block.piece.extents[2])
    wonky.table.put(replace(block, fixed=False, pose=Pose((0.0, 0.0, 0.5 * height))))
    wonky.table.run_to_rest()
    friction = GRAVITY * pair_coefficient(
        block.piece.material.friction, wonky.table.bodies[TABLE].piece.material.friction
    )
    faster = 0.1 / block.piece.mass - friction
    wonky.table.shove("small_green", 0.1, math.pi / 2)
    # faster and faster until the finger is as fast as it gets, at that for the rest of half a second, then slower
    rest = 0.5 - SHOVE_SPEED / faster
    way = SHOVE_SPEED * rest + 0.5 * SHOVE_SPEED**2 * (1.0 / faster + 1.0 / friction)
    assert place()[1] == pytest.approx(way, rel=0.1)
    # a newton flings it hardly farther
    wonky.table.shove("small_green", 1.0, -math.pi / 2)
    assert -0.15 < place()[1] < 0.05
    before = place()
    wonky.table.tilt(math.radians(5.0), 0.0)
    assert place() == pytest.approx(before, abs=1e-3)
    wonky.table.tilt(math.radians(30.0), 0.0)
    assert place()[0] > before[0] + 0.05


# -- bots, records ---------------------------------------------------------------------------------------------


def played(name: str, path: Path | None, turns: int, seed: int = 3, **options: object) -> Session:
    game = BY_NAME[name]
    lab = next(each for each in LABS if each.game is game)
    faults: list[str] = []
    session, recorder = begin(
        game,
        ("bot:steady", "bot:clumsy"),
        seed,
        options,
        path=path,
        tell=[lambda before, given, after: faults.extend(lab.faults(after))],
    )
    bots = {seat.name: Bot(seat.members[0].bot, name, seed) for seat in session.state.seats}
    play(session, bots, turns)
    assert faults == []
    assert all(np.isfinite(row).all() for row in poses(session).values())
    if recorder is not None:
        recorder.close(session.summary())
    session.close()
    return session


@pytest.mark.slow
def test_a_recorded_game_of_wonky_agrees_when_it_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "game.teeter"
    played("wonky", path, 8)
    found = verify(path)
    assert (found.agrees, found.difference) == (True, None)
    assert found.steps > 2000
    replay = load(path)
    assert replay.is_complete
    assert len(replay.checkpoints) >= 4


@pytest.mark.slow
def test_a_journal_edited_in_one_number_is_reported_with_the_step(tmp_path: Path) -> None:
    path, other = tmp_path / "game.teeter", tmp_path / "edited.teeter"
    played("wonky", path, 3)
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as edited:
        for name in whole.namelist():
            data = whole.read(name)
            if name == "journal.jsonl":
                lines = data.decode().splitlines()
                row = max(number for number, line in enumerate(lines) if '"hand"' in line)
                entry = json.loads(lines[row])
                entry["target"][0] += 3000
                lines[row] = json.dumps(entry)
                data = ("\n".join(lines) + "\n").encode()
            edited.writestr(name, data)
    assert verify(path).agrees
    found = verify(other)
    assert not found.agrees
    assert found.difference is not None
    assert "differ" in found.why


@pytest.mark.slow
@pytest.mark.parametrize("style", [pytest.param("bold", marks=pytest.mark.soak), "clumsy"])
def test_bots_of_every_style_play_wonky(style: str) -> None:
    game = BY_NAME["wonky"]
    session, _ = begin(game, (f"bot:{style}", "bot:steady"), 5, {})
    bots = {seat.name: Bot(seat.members[0].bot, "wonky", 5) for seat in session.state.seats}
    play(session, bots, 12)
    assert len(session.state.discard) >= 4
    session.close()


@pytest.mark.slow
def test_TT_05_a_short_game_of_tower_topple_pulls_and_lays_bricks() -> None:
    session = played("tower-topple", None, 4, mode="3", rounds=1, bricks="exact")
    state = session.state
    assert len(state.seen) >= 1
    bricks = [name for row in state.tower for name in row if name] + list(state.fallen) + [state.held]
    assert session.outcome is not None or len({name for name in bricks if name}) <= 54


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ValueError, match="steady, bold, clumsy"):
        Bot("wild", "wonky", 0)


def test_a_still_table_is_not_waited_for_until_patience_ends(wonky: Session) -> None:
    wonky.table.run_to_rest()
    step = wonky.table.step
    wonky.table.run_to_rest()
    assert wonky.table.step == step
    # a watch tells each rest once: here it is told already when the waiting begins
    for _ in range(60):
        wonky.table.advance()
    step = wonky.table.step
    wonky.table.run_to_rest()
    assert step < wonky.table.step < step + wonky.table.rate
    step = wonky.table.step
    wonky.table.put(wonky.judge.home(wonky.state, "small_green"))
    wonky.table.run_to_rest()
    assert wonky.table.step > step


class Heard(Bot):
    """A bot that says when it is asked."""

    def __init__(self, bot: Bot, name: str, asked: list[str]) -> None:
        self.__dict__.update(bot.__dict__)
        self._name, self._asked = name, asked

    def choose(self, session: Session, need: Need) -> Action:
        self._asked.append(self._name)
        return super().choose(session, need)


@pytest.mark.slow
def test_CT_51_TT_01_every_member_of_a_team_of_bots_plays_its_own_turns() -> None:
    session = session_of("crazy-tower", ("bot:steady+bot:bold",), mode="solo")
    bots, asked = bots_of(session, 3), list[str]()
    assert {name: bot.style for name, bot in bots.items()} == {"steady": "steady", "bold": "bold"}
    play(session, {name: Heard(bot, name, asked) for name, bot in bots.items()}, 4)
    assert asked[0] == "steady"
    assert set(asked) == {"steady", "bold"}
    session.close()


class OnItsSide(Bot):
    """A bot that stands blocks on their side."""

    def place(self, session: Session, need: Need) -> Pose:
        half = float(session.table.bodies[need.pieces[0]].piece.extents[1]) / 2
        return Pose((0.0, 0.0, 0.002 + half), quaternion_of_rpy(math.pi / 2, 0.0, 0.0))


def test_ALL_9_a_block_that_stands_on_its_side_is_laid_again_before_any_other() -> None:
    """ALL-9, CT-14: nothing fell; the block goes home, and only it may be taken up, or the referee is asked."""
    session = session_of("crazy-tower")
    session.act(Take("Ana", "red_v5"))
    lay(session, OnItsSide("steady", "crazy-tower", 1), session.need)
    session.settle()
    assert session.state.turn == 0
    assert session.state.floors[0].blocks == ()
    assert [choice.action for choice in session.choices] == [Take("Ana", "red_v5"), NothingFits("Ana")]
    with pytest.raises(IllegalAction, match="ALL-9: the red big corner is laid again first"):
        session.act(Take("Ana", "red_i1"))
    bot = Bot("steady", "crazy-tower", 1)
    session.act(Take("Ana", "red_v5"))
    lay(session, bot, session.need)
    session.settle()
    assert session.state.floors[0].blocks == ("red_v5",)
    assert session.state.turn == 1
    session.close()
