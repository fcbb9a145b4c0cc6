"""Whole games by drag at a real window; what is done stands in `window_drag`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from window_drag import PLANS
from window_driver import play_out

TITLE = "Whole games by drag"
LEAST_DRAGS = {"bausack": 4, "crazy-tower": 4, "tower-topple": 2, "wonky": 7}
"""Pieces that a careful player lays by drag before such a game can be over: all four that are in play; more floors than
fall by themselves; one brick, and another that may topple the tower; and the cards of a hand less those that ask for no
block."""


def played(game: str, folder: Path) -> dict[str, object]:
    """Returns what was told of a game."""
    said = play_out("window_drag:whole_game", game, str(folder / f"{game}.teeter"), seconds=2400.0)
    told: dict[str, object] = json.loads(
        next(line for line in reversed(said.splitlines()) if line[:1] == "{")
    )
    return told


@pytest.mark.soak
@pytest.mark.parametrize("game", PLANS)
def test_a_whole_game_by_drag(game: str, tmp_path: Path, row: Callable[..., None]) -> None:
    found = played(game, tmp_path)
    row(TITLE, **found)
    assert int(str(found["drags"])) >= LEAST_DRAGS[game]
