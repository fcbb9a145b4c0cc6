"""Leagues: whether the strengths of the computer players are ordered, and whether a saboteur is worth having."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from soak_games import played, towers_of

LEAGUES: dict[str, dict[str, object]] = {
    "wonky": {},
    "bausack": {"pieces": 30},
    "crazy-tower": {},
    "tower-topple": {"rounds": 1},
}
"""The options of quick games."""
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
