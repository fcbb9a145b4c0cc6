"""What Wonky is made of."""

from __future__ import annotations

from games.core.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from games.core.rules import Take, TakeBack
from games.game import Game
from games.wonky import clauses, rules, state

GAME = Game(
    name="wonky",
    title="Wonky",
    summary="play cards, add lopsided blocks; be the first without cards, or lay the ninth block",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=rules,
    house=state.House,
    state=state.State,
    actions=(state.PlayCard, state.DrawCards, state.KeepCard, Take, TakeBack),
    events=(Met, Nudged, Released, CountElapsed, Rested, Fell),
    read_stock=state.read_stock,
    judge_class="games.wonky.judge:WonkyJudge",
    bot_class="games.wonky.bot:WonkySkill",
    screen_class="games.wonky.screen:WonkyDetails",
    observation_class="games.wonky.observation:WonkyObservation",
    score_word="cards left",
)
