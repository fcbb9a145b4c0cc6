"""What Tower Topple is made of."""

from __future__ import annotations

from games.core.clauses import clauses_in
from games.game import Game
from games.tower_topple import rules, state

GAME = Game(
    name="tower-topple",
    title="Pappy's Tower Topple",
    summary="pull a brick, lay it on top, do what is stamped on it; gather points before the tower topples",
    modes=state.MODES,
    clauses=clauses_in("games.tower_topple"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="games.tower_topple.judge:ToppleJudge",
    bot_class="games.tower_topple.bot:ToppleSkill",
    screen_class="games.tower_topple.screen:ToppleDetails",
    observation_class="games.tower_topple.observation:ToppleObservation",
)
