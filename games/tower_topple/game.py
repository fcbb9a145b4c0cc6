"""What Tower Topple is made of."""

from __future__ import annotations

from games.core.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested
from games.core.rules import Take, TakeBack
from games.game import Game
from games.tower_topple import clauses, rules, state

GAME = Game(
    name="tower-topple",
    title="Pappy's Tower Topple",
    summary="pull a brick, lay it on top, do what is stamped on it; gather points before the tower topples",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=rules,
    house=state.House,
    state=state.State,
    actions=(Take, TakeBack, state.Leave),
    events=(RefereeAnswer, Met, Nudged, Removed, Released, Placed, Rested, Fell),
    read_stock=state.read_stock,
    judge_class="games.tower_topple.judge:ToppleJudge",
    bot_class="games.tower_topple.bot:ToppleSkill",
    screen_class="games.tower_topple.screen:ToppleDetails",
    observation_class="games.tower_topple.observation:ToppleObservation",
)
