"""Crazy Tower in the registry."""

from __future__ import annotations

from games.rules.base import Game, Take, TakeBack
from games.rules.crazy_tower import clauses, game, state, stock
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested, TimeUp

GAME = Game(
    name="crazy-tower",
    title="Crazy Tower",
    summary="add blocks and floor cards to one tower; lay your last block before it collapses",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=game,
    house=state.House,
    state=state.State,
    actions=(
        Take,
        TakeBack,
        state.RevealCard,
        state.NothingFits,
        state.PutBack,
        state.GiveBack,
        state.Pull,
        state.Decline,
        state.Swap,
    ),
    events=(Met, Nudged, Released, Placed, Rested, Fell, Removed, RefereeAnswer, TimeUp),
    read_stock=stock.read_stock,
    score_word="points left",
)
