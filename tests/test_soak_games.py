"""How well the computer players play, and that every whole game ends, keeps its invariants and repeats bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from soak_games import played, towers_of, verified

SEEDS = range(1, 41)
VERIFIED = 25
"""Games of each kind that are played again in a fresh process: a hundred in all."""
DUELS = ("crazy-tower", "wonky", "bausack", "tower-topple")


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", DUELS)
def test_steady_against_clumsy(row: Callable[..., None], tmp_path: Path, name: str, seed: int) -> None:
    """Both begin in turn; in Tower Topple every printed version has its turn."""
    options: dict[str, object] = {"mode": "123"[seed % 3]} if name == "tower-topple" else {}
    players = ("bot:steady", "bot:clumsy") if seed % 2 else ("bot:clumsy", "bot:steady")
    path = tmp_path / "game.teeter" if seed <= VERIFIED else None
    game = played(name, players, seed, options, path)
    agrees = verified(path) if path else None
    row(
        f"Steady against clumsy: {name}",
        seed=seed,
        **options,
        begins=players[0][4:],
        wins=", ".join(game.winners) or "nobody",
        turns=game.turns,
        s_a_turn=game.median,
        verified={True: "yes", False: "NO", None: ""}[agrees],
        ends=game.reason,
    )
    assert agrees is not False


STYLES = ("bot:steady", "bot:bold", "bot:clumsy")
TABLES: dict[str, tuple[tuple[int, dict[str, object]], ...]] = {
    "crazy-tower": (
        (4, {"mode": "competitive"}),
        (3, {"mode": "saboteur"}),
        (4, {"mode": "saboteur"}),
        *(
            (1, dict[str, object](mode="solo", challenge=number))
            for number in (4, 5, 7, 10, 11, 12, 16, 17, 19, 20)
        ),
    ),
    "wonky": ((3, {}), (4, {}), (6, {})),
    "bausack": ((3, {}), (4, {}), (5, {})),
    "tower-topple": tuple((3, {"mode": mode, "rounds": 1}) for mode in "1234"),
}
"""Who sits down to what: players, and the options of the game."""


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 14))
@pytest.mark.parametrize("name", TABLES)
def test_every_mode_with_players_of_every_style(row: Callable[..., None], name: str, seed: int) -> None:
    tables = TABLES[name]
    seats, options = tables[seed % len(tables)]
    players = [STYLES[(seed + seat) % len(STYLES)] for seat in range(seats)]
    game = played(name, players, seed, options)
    row(
        f"Every mode: {name}",
        seed=seed,
        **{key: value for key, value in options.items() if key != "rounds"},
        players=", ".join(player[4:] for player in players),
        wins=", ".join(game.winners) or "nobody",
        turns=game.turns,
        s_a_turn=game.median,
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 11))
def test_crazy_tower_alone(row: Callable[..., None], seed: int) -> None:
    game = played("crazy-tower", ("bot:steady",), seed, {"mode": "solo"})
    row(
        "Crazy Tower alone, challenge 1",
        seed=seed,
        blocks=game.placed,
        wins=bool(game.winners),
        turns=game.turns,
        s_a_turn=game.median,
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 11))
def test_wonky_towers(row: Callable[..., None], seed: int) -> None:
    game = played("wonky", ("bot:steady", "bot:steady"), seed, {})
    row(
        "Wonky by two steady players",
        seed=seed,
        stood_at_falls=" ".join(map(str, game.heights)),
        mean=sum(game.heights) / max(1, len(game.heights)),
        turns=game.turns,
        s_a_turn=game.median,
        ends=game.reason,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 8))
@pytest.mark.parametrize("bricks", ["real", "exact"])
def test_tower_topple_rounds(row: Callable[..., None], bricks: str, seed: int) -> None:
    game = played("tower-topple", ("bot:steady", "bot:steady"), seed, {"rounds": 1, "bricks": bricks})
    row(
        f"Tower Topple by two steady players, {bricks} bricks",
        seed=seed,
        laid_before_the_topple=game.placed,
        falls_at=game.fell_at,
        turns=game.turns,
        s_a_turn=game.median,
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 8))
def test_bausack_towers(row: Callable[..., None], seed: int) -> None:
    game = played("bausack", ("bot:steady",) * 3, seed, {})
    towers = [*game.heights, *(len(tower) for tower in towers_of(game.state) if tower)]
    row(
        "Bausack by three steady players",
        seed=seed,
        pieces_of_towers=" ".join(map(str, towers)),
        turns=game.turns,
        s_in_all=sum(game.seconds),
        ends=game.reason,
    )
