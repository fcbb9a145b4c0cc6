"""Wonky in the registry."""

from __future__ import annotations

from games.rules.base import Game, Take, TakeBack
from games.rules.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from games.rules.wonky import clauses, game, state

GAME = Game(
    name="wonky",
    title="Wonky",
    summary="play cards, add lopsided blocks; be the first without cards, or lay the ninth block",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=game,
    house=state.House,
    state=state.State,
    actions=(state.PlayCard, state.DrawCards, state.KeepCard, Take, TakeBack),
    events=(Met, Nudged, Released, CountElapsed, Rested, Fell),
    read_stock=state.read_stock,
    score_word="cards left",
)
