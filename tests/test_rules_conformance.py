"""What every registered game keeps to, in every mode: 500 random play-throughs each with made-up physics."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from rules_lab import Lab, Step, begin, kept, moves, playthrough
from rules_labs import LABS, MODE_NAMES, MODES

from teeter.games.core import codec
from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import Measured, Met, Nudged
from teeter.games.core.rules import Action, Input, Wait
from teeter.games.registry import GAMES, clauses_of, game_named

PLAYTHROUGHS = 500
QUICK = 5
"""As many run at once, in batches of this size."""
GATE = 5
"""As many run with all tests; the others are left to `make soak`."""


def marks_of(first: int) -> list[pytest.MarkDecorator]:
    """When the batch from a seed on is run."""
    return [] if first == 0 else [pytest.mark.slow if first < GATE else pytest.mark.soak]


BATCHES = [
    pytest.param(first, marks=marks_of(first), id=f"from-{first}") for first in range(0, PLAYTHROUGHS, QUICK)
]
every_mode = pytest.mark.parametrize(("lab", "mode"), MODES, ids=MODE_NAMES)


@cache
def clause_ids(game: str) -> frozenset[str]:
    """Asked of every input that is refused, of which there are hundreds of thousands."""
    return frozenset(clause.id for clause in clauses_of(game_named(game)))


def refused(lab: Lab, state: Any, given: Input, *, malformed: bool = False) -> IllegalAction | None:
    """Assert that an input is refused with a clause of the game (ALL-8); None for a malformed one."""
    allowed = (IllegalAction, MalformedAction) if malformed else IllegalAction
    with pytest.raises(allowed) as caught:
        lab.game.rules.apply(state, given)
    error = caught.value
    if not isinstance(error, IllegalAction):
        return None
    assert error.clause in clause_ids(lab.game.name), error
    assert str(error) == f"{error.clause}: {error.sentence}"
    assert error.sentence
    assert not error.sentence.endswith(".")
    return error


def check_inputs(lab: Lab, state: Any, dice: Random, most: int) -> None:
    """Legal means accepted, everything else is refused with a clause."""
    rules = lab.game.rules
    legal = {choice.action: choice for choice in rules.legal(state)}
    for action in dice.sample(list(legal), min(most, len(legal))):
        rules.apply(state, action)
        assert legal[action].sentence
    others = [action for action in lab.universe(state) if action not in legal]
    for action in dice.sample(others, min(most, len(others))):
        refused(lab, state, action)
    events = list(lab.events(state))
    for event in dice.sample(events, min(most, len(events))):
        try:
            rules.apply(state, event)
        except (IllegalAction, MalformedAction):
            refused(lab, state, event, malformed=True)


def check_step(lab: Lab, step: Step, read_before: Any = None) -> Any:
    """One input: the invariants hold, JSON gives the same back, the same input the same state (ALL-7).

    read_before: the state before as JSON gave it back. Returns the state after as JSON gives it back.
    """
    game, (before, given, after) = lab.game, step
    read_after = kept(game, after)
    assert read_after == after
    assert lab.faults(after) == ()
    assert game.read_input(game.write_input(given)) == given
    assert game.rules.apply(before if read_before is None else read_before, given) == after
    lab.check(before, given, after)
    assert len(game.rules.scores(after)) == len(after.seats)
    # a touch after the first is no news, nor is a height that has not changed
    assert game.rules.tell(before, given, after) or isinstance(given, (Met, Measured))
    need = game.rules.needs(after)
    called = [game.rules.called(after, piece) for piece in need.pieces]
    assert all(called), need
    assert game.is_free_building or not re.search(r"[_.]\w", " ".join(called)), called
    seen = game.rules.seen_by(after, need.player)
    assert game.rules.legal(seen) == game.rules.legal(after)
    assert game.rules.needs(seen) == need
    if need.wait in (Wait.REST, Wait.COUNT, Wait.OVER):
        assert game.rules.legal(after) == ()
    return read_after


def check_out_of_turn(lab: Lab, state: Any) -> None:
    """Nobody plays out of turn."""
    for choice in lab.game.rules.legal(state)[:3]:
        for seat in state.seats:
            if seat.name != choice.action.player:
                refused(lab, state, type(choice.action)(*_other(choice.action, seat.name)))


def _other(action: Action, player: str) -> list[Any]:
    return [player, *(getattr(action, name) for name in type(action).__slots__ if name != "player")]


@pytest.mark.sampled(2)
@every_mode
@pytest.mark.parametrize("first", BATCHES)
def test_random_play(lab: Lab, mode: str, first: int) -> None:
    """ALL-2, ALL-7, ALL-8: random players, random physics; the game ends and keeps its rules all the way."""
    for seed in range(first, first + QUICK):
        dice = Random(seed)
        steps = []
        read_back = None
        for step in playthrough(lab, mode, seed):
            read_back = check_step(lab, step, read_back)
            # what could be tried is many times what is tried: drawn at every other step, twice as many
            if dice.random() < 0.5:
                check_inputs(lab, step.after, dice, most=8)
            if dice.random() < 0.1:
                check_out_of_turn(lab, step.after)
            steps.append(step)
        check_end(lab, steps)


def check_end(lab: Lab, steps: list[Step]) -> None:
    """A finished game has an outcome that cites its clause, and accepts nothing."""
    rules, final = lab.game.rules, steps[-1].after
    outcome = rules.outcome(final)
    assert all(rules.outcome(step.before) is None for step in steps)
    assert (outcome is None) == lab.game.endless
    if outcome is None:
        return
    assert outcome.reason.clause in {clause.id for clause in lab.game.clauses}
    assert outcome.reason.text
    assert set(outcome.winners) <= {seat.name for seat in final.seats}
    assert rules.needs(final).wait is Wait.OVER
    for step in steps[-30:]:
        error = refused(lab, final, step.given)
        assert error is not None
        assert error.clause == outcome.reason.clause


@pytest.mark.sampled(2)
@every_mode
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_thorough_inputs(lab: Lab, mode: str, every: int) -> None:
    """ALL-8: every input worth trying, at every fifth moment of a few games; in the soak at every moment."""
    for seed in range(3):
        for step in islice(playthrough(lab, mode, seed), seed % every, 150, every):
            check_inputs(lab, step.after, Random(0), most=10_000)
            check_out_of_turn(lab, step.after)


@every_mode
def test_same_seed_same_game(lab: Lab, mode: str) -> None:
    """ALL-7: seed and inputs are all there is to a game; resumed in the middle it goes the same way."""
    steps = list(playthrough(lab, mode, 5))
    assert steps == list(playthrough(lab, mode, 5))
    state = kept(lab.game, steps[len(steps) // 2].after)
    for step in steps[len(steps) // 2 + 1 :]:
        state = lab.game.rules.apply(state, step.given)
    assert state == steps[-1].after


@every_mode
def test_events_in_step_order(lab: Lab, mode: str) -> None:
    """ALL-2: an event from before the last one is refused as malformed; one of the same step is not."""
    for before, given, _ in playthrough(lab, mode, 1):
        if not isinstance(given, Action) and before.step > 0:
            early = type(given)(
                before.step - 1, *(getattr(given, name) for name in type(given).__slots__ if name != "step")
            )
            with pytest.raises(
                MalformedAction, match=f"step {before.step - 1} comes before step {before.step}"
            ):
                lab.game.rules.apply(before, early)
            return
    raise AssertionError("no event in the whole game")


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.game.name)
def test_bad_input(lab: Lab) -> None:
    """What no game accepts (unknown players, foreign actions, broken JSON) is told what is allowed."""
    game, mode = lab.game, lab.game.modes[0].name
    state = begin(lab, lab.table(mode, Random(1)), 1, mode)
    known = game.actions[0].__name__
    with pytest.raises(MalformedAction, match=rf"unknown input 'Action'; .*{known}"):
        game.rules.apply(state, Action(state.seats[0].name))
    for choice in game.rules.legal(state)[:1]:
        with pytest.raises(MalformedAction, match=rf"unknown player 'Zoe'; .*{state.seats[0].name}"):
            game.rules.apply(state, type(choice.action)(*_other(choice.action, "Zoe")))
    for text in (
        "",
        "{",
        "[]",
        "7",
        '{"type": "Nonsense"}',
        f'{{"type": "{known}"}}',
        '{"type": 3}',
        "[" * 100_000,
    ):
        with pytest.raises(MalformedAction, match=r"^input"):
            game.read_input(text)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.game.name)
def test_bad_setup(lab: Lab) -> None:
    """Wrong players, options and modes are told what is allowed."""
    game, stock = lab.game, None
    mode = game.modes[0]
    good = lab.table(mode.name, Random(1)).players
    with pytest.raises(SetupError, match=r"unknown mode 'warp'; .*allowed: "):
        game.rules.start(good, 1, {"mode": "warp"}, stock)
    with pytest.raises(SetupError, match=r"unknown option 'wrap'; .*allowed: .*mode"):
        game.rules.start(good, 1, {"wrap": "1"}, stock)
    with pytest.raises(SetupError, match="seed must be a whole number, not '1'"):
        game.rules.start(good, "1", {}, stock)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="0 given"):
        game.rules.start((), 1, {}, stock)
    with pytest.raises(SetupError, match="name is empty"):
        game.rules.start(("",), 1, {}, stock)


def test_every_game_has_a_laboratory() -> None:
    assert [lab.game for lab in LABS] == list(GAMES)


def test_registry() -> None:
    """Names are unique, the nearest is suggested, every clause has its ID once."""
    assert len({game.name for game in GAMES}) == len(GAMES)
    for game in GAMES:
        assert game_named(game.name) is game
        ids = [clause.id for clause in clauses_of(game)]
        assert len(set(ids)) == len(ids)
        assert all(clause.text for clause in clauses_of(game))
        assert codec.to_json(game.house, game.house()) == {
            field: getattr(game.house(), field) for field in vars(game.house)["__slots__"]
        }
    with pytest.raises(SetupError, match="unknown game 'wonki'; did you mean 'wonky'"):
        game_named("wonki")


def test_moves_stop_at_the_end() -> None:
    """The laboratory plays nothing on from a finished game."""
    lab = LABS[0]
    final = list(playthrough(lab, lab.game.modes[0].name, 2))[-1].after
    assert list(moves(lab, final, Random(0))) == []


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_rules_know_what_their_judge_tells_them_of_pushed_pieces(game: str) -> None:
    named = game_named(game)
    assert Nudged in named.rules.HANDLERS or not named.judge.minds_nudges
