"""Why pieces fell in games of bots that drop and drag them: every fall of every game has its cause.

Where a Wonky tower has come to rest leaning on its domes (by 1.4 to 7.2 degrees in one that was looked at), its
polygons hold what exact curves do not, statics has no balance for it, and how firmly it stood is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from soak_games import played

from teeter.engine.record.reader import load
from teeter.games.play.causes import causes_of

TABLES = (("bold", "clumsy"), ("clumsy", "bold"), ("steady", "clumsy", "bold"))
GAMES = [
    ("wonky", 502, ("bold", "clumsy")),
    ("wonky", 503, ("clumsy", "steady")),
    *(("wonky", seed, TABLES[seed % 3]) for seed in range(505, 535)),
    *(("tower-topple", seed, ("steady", "bold")) for seed in range(501, 509)),
    *(("crazy-tower", seed, ("bold", "clumsy")) for seed in range(501, 507)),
    *(("bausack", seed, ("bold", "clumsy")) for seed in range(501, 507)),
]
OPTIONS: dict[str, dict[str, object]] = {
    "tower-topple": {"rounds": 1, "mode": "2"},
    "bausack": {"pieces": 30},
}
TOLD = re.compile(r"\d mm\b|N would have held it|finely balanced|on the table|knocked over")
"""Of a cause: how far, what was missing where several gave way, or that it was no question of it."""


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seed", "players"), GAMES)
def test_every_fall_has_a_piece_and_a_distance(
    row: Callable[..., None], tmp_path: Path, name: str, seed: int, players: tuple[str, ...]
) -> None:
    options: dict[str, object] = OPTIONS.get(name, {})
    path = tmp_path / "game.teeter"
    played(name, [f"bot:{style}" for style in players], seed, options, path)
    causes = causes_of(load(path))
    assert causes
    for cause in causes:
        row(
            "Why pieces fell in games of bots",
            game=name,
            seed=seed,
            second=f"{cause.seconds:.1f}",
            fell=", ".join(cause.fell),
            why=cause.sentence,
        )
    assert all(cause.piece and TOLD.search(cause.sentence) for cause in causes), causes
