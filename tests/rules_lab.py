"""The laboratory of the rules tests: plays any registered game with made-up physics.

Each game brings a `Lab` (see `rules_wonky.py`): how to seat players at random, what its world may do, which
inputs to try, what must hold. From that every game gets the conformance suite, transcripts and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from teeter.games.core import codec
from teeter.games.core.events import CountElapsed, Placed, RefereeAnswer, Released, Removed, Rested
from teeter.games.core.rules import Action, Input, Need, Outcome, Wait
from teeter.games.game import Game, stock_of


class Table(NamedTuple):
    """What a game is started with."""

    players: Sequence[str]
    options: Mapping[str, object]


class Step(NamedTuple):
    """One input of a play-through."""

    before: Any
    given: Input
    after: Any


@dataclass(frozen=True)
class Golden:
    """One golden transcript. title: what is worth reading in it. calm: physics in which all goes well."""

    mode: str
    seed: int
    players: Sequence[str]
    options: Mapping[str, object] = field(default_factory=dict)
    title: str = ""
    calm: bool = False


def calm(state: Any, need: Need) -> Input:
    """The event of a world in which everything goes well."""
    step = state.step + 10
    piece = need.pieces[0] if need.pieces else ""
    events: dict[Wait, Input] = {
        Wait.HAND: Released(step, piece),
        Wait.PULL: Removed(step, piece),
        Wait.REST: Placed(step, piece) if piece else Rested(step, ()),
        Wait.COUNT: CountElapsed(step, piece),
    }
    if need.wait is Wait.ANSWER:
        assert need.question is not None
        return RefereeAnswer(step, need.question, need.pieces, False)
    return events[need.wait]


@dataclass(frozen=True)
class Lab:
    """What a game brings to its tests.

    table: players and options for a mode, at random.
    world: what the world does while the game waits; it may answer None while the game waits for an action.
    universe: well-formed actions worth trying, legal or not; exactly the legal ones must be accepted.
    events: events worth trying at any time; each is accepted or refused.
    faults: everything that is wrong with a state, in sentences; empty when sound.
    check: asserts what must hold between two states beyond `faults`.
    calm: the world in which all goes well.
    """

    game: Game
    table: Callable[[str, Random], Table]
    world: Callable[[Any, Need, Random], Input | None]
    universe: Callable[[Any], Iterable[Action]]
    events: Callable[[Any], Iterable[Input]]
    faults: Callable[[Any], tuple[str, ...]]
    check: Callable[[Any, Input, Any], None]
    goldens: tuple[Golden, ...]
    calm: Callable[[Any, Need], Input] = calm
    most_inputs: int = 3000
    """A play-through longer than this has got stuck; an endless game stops here."""


def kept(game: Game, state: Any) -> Any:
    """A state written as JSON and read again."""
    return codec.read(game.state, codec.write(game.state, state), "state")


def begin(lab: Lab, table: Table, seed: int, mode: str) -> Any:
    """The state before the first turn, with everything that is in the box."""
    return lab.game.rules.start(table.players, seed, {"mode": mode, **table.options}, stock_of(lab.game))


def moves(lab: Lab, state: Any, dice: Random, *, only_calm: bool = False) -> Iterator[Step]:
    """Play on from a state with random players and a random (or a calm) world, until the game is over."""
    rules = lab.game.rules
    for _ in range(lab.most_inputs):
        need = rules.needs(state)
        if need.wait is Wait.OVER:
            return
        given = _next(lab, state, need, dice, only_calm)
        after = rules.apply(state, given)
        yield Step(state, given, after)
        state = after
    assert lab.game.endless, f"no end after {lab.most_inputs} inputs"


def _next(lab: Lab, state: Any, need: Need, dice: Random, only_calm: bool) -> Input:
    choices = lab.game.rules.legal(state)
    if need.wait is Wait.ACTION:
        wild = not choices or (not only_calm and dice.random() < 0.03)
        surprise = lab.world(state, need, dice) if wild else None
        assert choices or surprise, "an action is asked for and none is legal"
        return surprise or dice.choice(choices).action
    if only_calm:
        return lab.calm(state, need)
    if choices and dice.random() < 0.05:
        return dice.choice(choices).action
    event = lab.world(state, need, dice)
    assert event is not None, f"the lab's world has no answer to {need.wait}"
    return event


def playthrough(lab: Lab, mode: str, seed: int) -> Iterator[Step]:
    """A whole game, everything in it drawn from the seed."""
    dice = Random(f"{lab.game.name}/{mode}/{seed}")
    return moves(lab, begin(lab, lab.table(mode, dice), seed, mode), dice)


def transcript(lab: Lab, golden: Golden) -> str:
    """A game as people would tell it."""
    rules = lab.game.rules
    state = begin(lab, Table(golden.players, golden.options), golden.seed, golden.mode)
    house = ", ".join(f"{key}={value}" for key, value in golden.options.items())
    title = next(mode.title for mode in lab.game.modes if mode.name == golden.mode)
    lines = [
        f"{title}, seed {golden.seed}{', ' + house if house else ''}",
        golden.title,
        "",
    ]
    lines += rules.opening(state)
    dice = Random(f"{lab.game.name}/{golden.mode}/{golden.seed}")
    for before, given, after in moves(lab, state, dice, only_calm=golden.calm):
        lines += rules.tell(before, given, after)
        state = after
    lines.append(ending(lab.game, state, rules.outcome(state)))
    return "\n".join(lines) + "\n"


def ending(game: Game, state: Any, outcome: Outcome | None) -> str:
    """The last line of a transcript: who won by which clause, and the scores."""
    scores = zip((seat.name for seat in state.seats), game.rules.scores(state), strict=True)
    standing = ", ".join(f"{name} {score}" for name, score in scores)
    if outcome is None:
        return f"\nNo end. {game.score_word.capitalize()}: {standing}."
    winners = " and ".join(outcome.winners) or "nobody"
    return f"\n{outcome.reason.clause}: {winners}. {game.score_word.capitalize()}: {standing}."


def golden_name(lab: Lab, golden: Golden) -> str:
    """The file of a golden transcript: `<game>_<mode>_<n>.txt`, numbered within its mode."""
    same_mode = [each for each in lab.goldens if each.mode == golden.mode]
    return f"{lab.game.name.replace('-', '_')}_{golden.mode}_{same_mode.index(golden) + 1}.txt"


def count_leaves(lab: Lab, state: Any, depth: int) -> int:
    """How many sequences of `depth` legal actions there are when the world stays calm (perft)."""
    rules = lab.game.rules
    need = rules.needs(state)
    while need.wait not in (Wait.ACTION, Wait.OVER):
        state = rules.apply(state, lab.calm(state, need))
        need = rules.needs(state)
    if depth == 0 or need.wait is Wait.OVER:
        return 1
    return sum(
        count_leaves(lab, rules.apply(state, choice.action), depth - 1) for choice in rules.legal(state)
    )
