"""What Tower Topple is made of."""

from teeter.games.core.clauses import clauses_in
from teeter.games.game import Game
from teeter.games.tower_topple import rules, rules_turns, state

GAME = Game(
    name="tower-topple",
    title="Pappy's Tower Topple",
    summary="pull a brick, lay it on top, do what is stamped on it; gather points before the tower topples",
    modes=state.MODES,
    clauses=clauses_in("teeter.games.tower_topple"),
    rules=rules,
    told_scores=rules_turns.told_scores,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="teeter.games.tower_topple.judge:ToppleJudge",
    bot_class="teeter.games.tower_topple.bot:ToppleSkill",
    screen_class="teeter.games.tower_topple.screen:ToppleDetails",
    observation_class="teeter.games.tower_topple.observation:ToppleObservation",
)
