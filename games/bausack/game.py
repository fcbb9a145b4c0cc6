"""What Bausack is made of."""

from __future__ import annotations

from games.bausack import clauses, rules, state
from games.core.events import Fell, HitNeighbour, Measured, Met, Nudged, Placed, Released, Rested
from games.core.rules import Take, TakeBack
from games.game import Game

GAME = Game(
    name="bausack",
    title="Bausack",
    summary="bid for odd pieces or push them on to others; the last tower standing wins",
    modes=state.MODES,
    clauses=clauses.CLAUSES,
    rules=rules,
    house=state.House,
    state=state.State,
    actions=(
        Take,
        TakeBack,
        state.Build,
        state.Push,
        state.Bid,
        state.Pass,
        state.Accept,
        state.PassOn,
    ),
    events=(Met, Nudged, Released, Placed, Rested, Fell, HitNeighbour, Measured),
    read_stock=state.read_stock,
    judge_class="games.bausack.judge:BausackJudge",
    bot_class="games.bausack.bot:BausackSkill",
    screen_class="games.bausack.screen:BausackDetails",
    observation_class="games.bausack.observation:BausackObservation",
    score_word="pieces standing",
)
