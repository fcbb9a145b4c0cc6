"""Bausack in the registry."""

from __future__ import annotations

from games.rules.base import Game, Take, TakeBack
from games.rules.bausack import clauses, game, state
from games.rules.events import Fell, HitNeighbour, Measured, Met, Nudged, Placed, Released, Rested

GAME = Game(
    name="bausack",
    title="Bausack",
    summary="bid for odd pieces or push them on to others; the last tower standing wins",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=game,
    house=state.House,
    state=state.State,
    actions=(
        Take,
        TakeBack,
        state.Build,
        state.Push,
        state.Bid,
        state.Pass,
        state.Accept,
        state.PassOn,
    ),
    events=(Met, Nudged, Released, Placed, Rested, Fell, HitNeighbour, Measured),
    read_stock=state.read_stock,
    score_word="pieces standing",
)
