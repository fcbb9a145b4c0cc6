"""What Wonky is made of."""

from teeter.games.core.clauses import clauses_in
from teeter.games.game import Game
from teeter.games.wonky import rules, state

GAME = Game(
    name="wonky",
    title="Wonky",
    summary="play cards, add lopsided blocks; be the first without cards, or lay the ninth block",
    modes=state.MODES,
    clauses=clauses_in("teeter.games.wonky"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="teeter.games.wonky.judge:WonkyJudge",
    bot_class="teeter.games.wonky.bot:WonkySkill",
    screen_class="teeter.games.wonky.screen:WonkyDetails",
    observation_class="teeter.games.wonky.observation:WonkyObservation",
    score_word="cards left",
)
