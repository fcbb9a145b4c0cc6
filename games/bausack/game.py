"""What Bausack is made of."""

from teeter.games.bausack import rules, state
from teeter.games.core.clauses import clauses_in
from teeter.games.game import Game

GAME = Game(
    name="bausack",
    title="Bausack",
    summary="bid for odd pieces or push them on to others; the last tower standing wins",
    modes=state.MODES,
    clauses=clauses_in("teeter.games.bausack"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="teeter.games.bausack.judge:BausackJudge",
    bot_class="teeter.games.bausack.bot:BausackSkill",
    screen_class="teeter.games.bausack.screen:BausackDetails",
    observation_class="teeter.games.bausack.observation:BausackObservation",
    score_word="pieces standing",
)
