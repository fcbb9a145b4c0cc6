"""What Crazy Tower is made of."""

from teeter.games.core.clauses import clauses_in
from teeter.games.core.rules import NO_HANDICAP, Handicap, Handicaps
from teeter.games.crazy_tower import rules, state
from teeter.games.game import Game


class CrazyHandicaps(Handicaps[state.State]):
    """CT-37 to CT-50: those of the solo challenge that is played."""

    def of(self, state: state.State) -> Handicap:
        """The challenge's handicap."""
        return NO_HANDICAP if state.challenge is None else state.challenge.handicap

    def limit_s(self, state: state.State) -> float:
        """CT-37 to CT-39: the challenge's clock."""
        return 0.0 if state.challenge is None else state.challenge.limit_s

    def spins(self, before: state.State, after: state.State) -> bool:
        """CT-47: after every new floor card, and not after one that is put back."""
        return bool(before.card) and not after.card


GAME = Game(
    name="crazy-tower",
    title="Crazy Tower",
    summary="add blocks and floor cards to one tower; lay your last block before it collapses",
    modes=state.MODES,
    clauses=clauses_in("teeter.games.crazy_tower"),
    rules=rules,
    house=state.House,
    state=state.State,
    read_stock=state.read_stock,
    judge_class="teeter.games.crazy_tower.judge:CrazyJudge",
    bot_class="teeter.games.crazy_tower.bot:CrazySkill",
    screen_class="teeter.games.crazy_tower.screen:CrazyDetails",
    observation_class="teeter.games.crazy_tower.observation:CrazyObservation",
    score_word="points left",
    handicaps=CrazyHandicaps(),
    challenge_mode=state.SOLO,
)
