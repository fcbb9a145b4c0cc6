"""Leagues: whether the strengths of the computer players are ordered, and whether a saboteur is worth having."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable

import pytest
from soak_games import played, towers_of

from teeter.games.core.setup import STYLES
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, bots_of, play
from teeter.games.registry import game_named

LEAGUES: dict[str, dict[str, object]] = {
    "wonky": {},
    "bausack": {"pieces": 30},
    "crazy-tower": {},
    "tower-topple": {"rounds": 1},
}
"""The options of quick games."""
THOUGHT, MOST_S = {"bausack": 48, "tower-topple": 12}, 1.0
"""Turns of a game whose thinking is measured, 16 of others, and seconds of processor that the median may take: hurried,
nobody waits for more. Bausack begins with foundations."""
LADDER = (("expert", "steady"), ("steady", "clumsy"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 101))
@pytest.mark.parametrize("pair", LADDER, ids="-".join)
@pytest.mark.parametrize("name", LEAGUES)
def test_the_stronger_wins(row: Callable[..., None], name: str, pair: tuple[str, str], seed: int) -> None:
    """Both begin in turn."""
    players = [f"bot:{style}" for style in (pair if seed % 2 else pair[::-1])]
    game = played(name, players, seed, LEAGUES[name])
    row(
        f"League {name}: {pair[0]} against {pair[1]}",
        seed=seed,
        begins=players[0][4:],
        wins=", ".join(game.winners) or "nobody",
        turns=game.turns,
        s_a_turn=game.median,
        highest=max([*game.heights, *map(len, towers_of(game.state))], default=0),
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 101))
def test_CT_08_a_saboteur_against_steady_architects(row: Callable[..., None], seed: int) -> None:
    """CT-08: a steady saboteur wins 35 to 65 of a hundred."""
    game = played("crazy-tower", ["bot:steady"] * 3, seed, {"mode": "saboteur"})
    saboteur = game.state.seats[game.state.saboteur].name
    row(
        "Crazy Tower: a steady saboteur against steady architects",
        seed=seed,
        wins="saboteur" if saboteur in game.winners else "architects",
        turns=game.turns,
        s_a_turn=game.median,
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 61))
def test_WK_17_experts_reach_the_ninth_block(row: Callable[..., None], seed: int) -> None:
    """WK-17: at least one game of five ends with it, and not nearly all."""
    game = played("wonky", ["bot:expert"] * 2, seed, {})
    row(
        "Wonky by two experts",
        seed=seed,
        turns=game.turns,
        stood_at_falls=" ".join(map(str, game.heights)),
        highest=max([*game.heights, *map(len, towers_of(game.state))], default=0),
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("name", LEAGUES)
def test_how_long_a_bot_thinks(row: Callable[..., None], name: str) -> None:
    """Of processor time, all that it is asked in a turn: what the hand and the physics take is watched, not waited
    for."""
    session, _ = begin(game_named(name), [f"bot:{style}" for style in STYLES], 1, LEAGUES[name])
    turns: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def timed(bot: Bot, question: str) -> None:
        ask = getattr(bot, question)

        def asked(session: Session, need: object) -> object:
            begun = time.process_time()
            try:
                return ask(session, need)
            finally:
                turns[bot.style][number[0]] += time.process_time() - begun

        setattr(bot, question, asked)

    number, last, bots = [0], "", bots_of(session, 1)
    for bot in bots.values():
        for question in ("choose", "place", "pull", "answer"):
            timed(bot, question)
    while session.outcome is None and number[0] < THOUGHT.get(name, 16):
        number[0] += session.need.player != last
        last = session.need.player
        play(session, bots, session.turns + 1)
    session.close()
    medians = {style: statistics.median(seconds.values()) for style, seconds in turns.items()}
    for style in STYLES:
        row(
            "How long bots think",
            game=name,
            style=style,
            turns=len(turns[style]),
            median_s=medians[style],
            longest_s=max(turns[style].values()),
        )
    assert max(medians.values()) <= MOST_S
