"""What Wonky is made of."""

from __future__ import annotations

from games.core.clauses import clauses_in
from games.game import Game
from games.wonky import rules, state

GAME = Game(
    name="wonky",
    title="Wonky",
    summary="play cards, add lopsided blocks; be the first without cards, or lay the ninth block",
    modes=state.MODES,
    clauses=clauses_in("games.wonky"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="games.wonky.judge:WonkyJudge",
    bot_class="games.wonky.bot:WonkySkill",
    screen_class="games.wonky.screen:WonkyDetails",
    observation_class="games.wonky.observation:WonkyObservation",
    score_word="cards left",
)
