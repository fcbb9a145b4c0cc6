"""Tower Topple in the registry."""

from __future__ import annotations

from games.rules.base import Game, Take, TakeBack
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested
from games.rules.tower_topple import clauses, game, state

GAME = Game(
    name="tower-topple",
    title="Pappy's Tower Topple",
    summary="pull a brick, lay it on top, do what is stamped on it; gather points before the tower topples",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=game,
    house=state.House,
    state=state.State,
    actions=(Take, TakeBack, state.Leave),
    events=(RefereeAnswer, Met, Nudged, Removed, Released, Placed, Rested, Fell),
    read_stock=state.read_stock,
)
