"""What the sandbox is made of."""

from teeter.games.core.clauses import clauses_in
from teeter.games.game import Game
from teeter.games.sandbox import rules

GAME = Game(
    name="sandbox",
    title="Sandbox",
    summary="free building with any piece, no end",
    modes=rules.MODES,
    clauses=clauses_in("teeter.games.sandbox"),
    rules=rules,
    house=rules.House,
    state=rules.State,
    read_stock=rules.read_stock,
    judge_class="teeter.games.sandbox.judge:SandboxJudge",
    screen_class="teeter.games.sandbox.screen:SandboxDetails",
    score_word="pieces",
    endless=True,
    is_free_building=True,
)
