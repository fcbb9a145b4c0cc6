"""Bots asked by turns until a game ends or is broken off, without a table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from teeter.engine.record.writer import Recorder
from teeter.games.core.errors import SetupError
from teeter.games.core.rules import Need, Wait
from teeter.games.play.session import Session
from teeter.games.players import bots
from teeter.games.players.bots import MOST_TRIES, Bot, bots_of, play, play_out, skill_of
from teeter.games.registry import game_named


class Game:
    """A session that wants one thing after the other, and a player of it, who writes down what is done.

    script: what is waited for and for which piece, such as `HAND a`, from the first to the last; it ends after that.
    """

    def __init__(self, script: list[str], *, ends: bool = True) -> None:
        self.script, self.ends, self.turns = script, ends, 0
        self.done: list[str] = []
        self.asked = 0
        self.is_closed = False

    @property
    def need(self) -> Need:
        self.asked += 1
        assert self.asked < 20_000, "nothing moves the game on"
        wait, *pieces = self.script[len(self.done) % len(self.script)].split()
        return Need(Wait[wait], "Ana", tuple(pieces))

    @property
    def outcome(self) -> str | None:
        return "over" if self.ends and len(self.done) == len(self.script) else None

    def act(self, action: str) -> None:
        self.turns += 1
        self.done.append(action)

    def settle(self) -> None:
        self.done.append("settled")

    def answer(self, yes: object = "no player asked") -> None:
        self.done.append(f"answered {yes}")

    def close(self) -> None:
        self.is_closed = True

    def summary(self, why: str) -> dict[str, Any]:
        return {"reason": why}


@pytest.fixture(autouse=True)
def hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands do nothing but tell the game that they did, and a referee knows no game."""
    monkeypatch.setattr(bots, "lay", lambda game, player, need: game.done.append(f"laid {need.pieces[0]}"))
    monkeypatch.setattr(bots, "pull", lambda game, player, need: game.done.append("pulled"))
    monkeypatch.setattr(bots, "referees", lambda game, need: f"{need.pieces} as the referee sees it")


ANA = cast(Bot, SimpleNamespace(choose=lambda session, need: "chose"))


def played(game: Game, *most: int) -> str:
    return play(cast(Session, game), {"Ana": ANA}, *most)


def test_every_wish_of_a_game_is_met_until_it_is_over() -> None:
    game = Game(["ACTION", "PULL a", "HAND a", "REST a", "ANSWER b", "COUNT b", "ACTION"])
    assert played(game) == ""
    assert game.done == [
        "chose",
        "pulled",
        "laid a",
        "settled",
        "answered ('b',) as the referee sees it",
        "settled",
        "chose",
    ]


def test_a_game_that_does_not_end_is_broken_off() -> None:
    endless = Game(["ACTION", "REST"], ends=False)
    assert played(endless, 7) == "broken off after 7 turns"
    assert endless.done.count("chose") == 7
    assert played(Game(["ACTION", "REST"], ends=False), 1) == "broken off after 1 turn"
    assert played(Game(["ACTION"], ends=False)) == "broken off after 2000 turns"


def test_ALL_9_a_piece_is_laid_so_often_and_no_oftener() -> None:
    """ALL-9: by one player in a row; the last try may be the one that succeeds."""
    why = f"broken off after 0 turns: a piece was laid against the rules {MOST_TRIES} times running"
    for ends in (["REST"], ["HAND b"], ["ACTION"]):
        assert played(Game(["HAND a"] * (MOST_TRIES - 1) + ends)) == ""
    vain = Game(["HAND a"], ends=False)
    assert played(vain) == why
    assert len(vain.done) == MOST_TRIES
    settling = Game(["HAND a", "REST"], ends=False)
    assert played(settling) == why
    assert settling.done.count("laid a") == MOST_TRIES
    assert played(Game(["HAND a"] * MOST_TRIES)) == ""
    assert played(Game(["HAND a"] * (MOST_TRIES - 1) + ["HAND b"] * (MOST_TRIES - 1))) == ""


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_game_played_out_is_closed_and_so_is_its_record(
    monkeypatch: pytest.MonkeyPatch, is_recorded: bool
) -> None:
    session = cast(Any, Game(["ACTION", "REST"]))
    session.state = SimpleNamespace(seats=[SimpleNamespace(name="Ana"), SimpleNamespace(name="Ben")])
    session.game = SimpleNamespace(rules=SimpleNamespace(scores=lambda state: (3, 5)))
    monkeypatch.setattr(bots, "bots_of", lambda session, seed: {"Ana": ANA})
    told: list[Any] = []
    recorder = SimpleNamespace(
        close=lambda summary, is_private: told.append((summary, is_private)),
        leave=lambda: told.append("left"),
    )
    found = play_out(session, cast(Recorder, recorder) if is_recorded else None, 1, 20)
    assert found == {"reason": "", "players": ["Ana", "Ben"], "scores": {"Ana": 3, "Ben": 5}}
    assert session.is_closed
    assert told == ([({"reason": ""}, False), "left"] if is_recorded else [])


def test_bots_of_one_style_tremble_each_in_its_own_way() -> None:
    """The seed of a game and the number of the player; people are no bots."""
    members = [SimpleNamespace(name=name, bot=bot) for name, bot in (("a", "bold"), ("b", ""), ("c", "bold"))]
    session = SimpleNamespace(
        state=SimpleNamespace(
            seats=[SimpleNamespace(members=members[:1]), SimpleNamespace(members=members[1:])]
        ),
        game=SimpleNamespace(name="wonky"),
        handling=SimpleNamespace(shakes=1.0),
    )
    found = bots_of(cast(Session, session), 5)
    assert {name: bot.tremor.seed for name, bot in found.items()} == {"a": 5, "c": 7}


def test_no_bot_plays_in_the_sandbox() -> None:
    with pytest.raises(SetupError, match="no computer player plays Sandbox"):
        skill_of(game_named("sandbox"))


@pytest.mark.parametrize("question", ["choose", "place", "pull"])
def test_ALL_7_a_bot_draws_the_same_lot_at_the_same_step_whoever_has_asked_it_before(question: str) -> None:
    """ALL-7: a game that is gone on with by fresh bots goes on as the one that was never left."""
    drawn: list[float] = []

    def draw(bot: Bot, session: Session, need: Need) -> None:
        drawn.append(bot.random.random())

    need = Need(Wait.ACTION, "Ana")
    skill = cast(Any, SimpleNamespace(choose=draw, place=draw, pull=draw))

    def asked(bot: Bot, step: int) -> float:
        bot._skill = skill
        getattr(bot, question)(SimpleNamespace(tries=0, table=SimpleNamespace(step=step)), need)
        return drawn[-1]

    bot, fresh = Bot("bold", "wonky", 5), Bot("bold", "wonky", 5)
    first = asked(bot, 100)
    assert asked(bot, 200) != first
    assert asked(bot, 100) == asked(fresh, 100) == first
    assert asked(Bot("bold", "wonky", 6), 100) != first
