"""Hands that try whatever is forbidden, for thousands of turns: nobody loses, draws cards or gains by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_hands import HostileHand

GAMES: dict[str, tuple[int, dict[str, object]]] = {
    "bausack": (3, {"pieces": 14}),
    "wonky": (3, {}),
    "crazy-tower": (3, {}),
    "tower-topple": (3, {"rounds": 2}),
}
"""Players and options."""
TURNS = 2000


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["bausack", "wonky", "crazy-tower"])
def test_a_few_turns_of_a_hostile_hand(name: str, tmp_path: Path) -> None:
    players, options = GAMES[name]
    found = HostileHand(name, players, 1, options, tmp_path).run(10)
    assert not found.holes, "\n".join(found.holes)
    assert found.acts.total() > 5


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_hostile_hands(row: Callable[..., None], name: str, tmp_path: Path) -> None:
    players, options = GAMES[name]
    found = HostileHand(name, players, 1000, options, tmp_path).run(TURNS)
    row(
        "Hostile hands",
        game=name,
        turns=found.turns,
        games=found.games,
        **{kind.replace(" ", "_"): count for kind, count in sorted(found.acts.items())},
        refused=found.refused,
        ends="; ".join(f"{why}: {count}" for why, count in sorted(found.ends.items())),
        holes=len(found.holes),
    )
    assert not found.holes, "\n".join(found.holes)
