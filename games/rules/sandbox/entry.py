"""The sandbox in the registry."""

from __future__ import annotations

from games.rules.base import Game, Take, TakeBack
from games.rules.events import Fell, Met, Placed, Released
from games.rules.sandbox import game

GAME = Game(
    name="sandbox",
    title="Sandbox",
    summary="free building with any piece, no end",
    modes=game.MODES,
    clauses=game.CLAUSES,
    rules=game,
    house=game.House,
    state=game.State,
    actions=(game.Bring, game.PutAway, Take, TakeBack),
    events=(Met, Released, Placed, Fell),
    read_stock=game.read_stock,
    score_word="pieces",
    endless=True,
)
