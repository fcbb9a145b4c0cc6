"""What Bausack is made of."""

from __future__ import annotations

from games.bausack import rules, state
from games.core.clauses import clauses_in
from games.game import Game

GAME = Game(
    name="bausack",
    title="Bausack",
    summary="bid for odd pieces or push them on to others; the last tower standing wins",
    modes=state.MODES,
    clauses=clauses_in("games.bausack"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="games.bausack.judge:BausackJudge",
    bot_class="games.bausack.bot:BausackSkill",
    screen_class="games.bausack.screen:BausackDetails",
    observation_class="games.bausack.observation:BausackObservation",
    score_word="pieces standing",
)
