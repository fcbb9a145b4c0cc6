"""What the sandbox is made of."""

from __future__ import annotations

from games.core.clauses import clauses_in
from games.game import Game
from games.sandbox import rules

GAME = Game(
    name="sandbox",
    title="Sandbox",
    summary="free building with any piece, no end",
    modes=rules.MODES,
    clauses=clauses_in("games.sandbox"),
    rules=rules,
    house=rules.House,
    state=rules.State,
    read_stock=rules.read_stock,
    judge_class="games.sandbox.judge:SandboxJudge",
    screen_class="games.sandbox.screen:SandboxDetails",
    score_word="pieces",
    endless=True,
    is_free_building=True,
)
