"""What the sandbox is made of."""

from __future__ import annotations

from games.core.events import Fell, Met, Placed, Released
from games.core.rules import Bring, PutAway, Take, TakeBack
from games.game import Game
from games.sandbox import rules

GAME = Game(
    name="sandbox",
    title="Sandbox",
    summary="free building with any piece, no end",
    modes=rules.MODES,
    clauses=rules.CLAUSES,
    rules=rules,
    house=rules.House,
    state=rules.State,
    actions=(Bring, PutAway, Take, TakeBack),
    events=(Met, Released, Placed, Fell),
    read_stock=rules.read_stock,
    judge_class="games.sandbox.judge:SandboxJudge",
    screen_class="games.sandbox.screen:SandboxDetails",
    score_word="pieces",
    endless=True,
    is_free_building=True,
)
