"""A game: one object with everything it is made of.

The rules and what they speak in are plain values. What needs numbers, pictures or a simulator (judge, bot, screen,
observation) is named by its class and loaded when it is first asked for, so that listing the games stays quick.
What stands in the box are the tables of `models/<name>.toml`; columns the rules do not know are for other readers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from importlib import import_module, resources
from operator import or_
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from teeter.games.core import codec
from teeter.games.core.clauses import Clause
from teeter.games.core.errors import MalformedAction, SetupError
from teeter.games.core.rules import NO_HANDICAPS, Action, Handicaps, Input, Rules
from teeter.games.core.setup import Mode, house_told

if TYPE_CHECKING:
    from teeter.games.judge.judge import Judge

S = TypeVar("S", default=Any)
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Game(Generic[S]):
    """What a game is made of; `registry.py` lists them. `Game` without a state is any game."""

    name: str
    title: str
    summary: str
    modes: tuple[Mode, ...]
    clauses: tuple[Clause, ...]
    rules: Rules[S]
    house: type
    state: type[S]
    read_stock: Callable[[Mapping[str, Any]], Any]
    """Catalogue tables to the `stock` that start() takes. Raises codec.MisfitError."""
    judge_class: str
    """`module:Class` of its `Judge`: what physics says, and what the rules are told."""
    bot_class: str = ""
    """`module:Class` of its `Skill`; empty: no computer player plays it."""
    screen_class: str = ""
    """`module:Class` of its `GameDetails`: panels, tutorial, colours, highlights."""
    observation_class: str = ""
    """`module:Class` of its `Observation`; empty: no agent learns it."""
    handicaps: Handicaps[S] = NO_HANDICAPS
    score_word: str = "points"
    """What `scores` counts."""
    told_scores: Callable[[S], tuple[str, tuple[int, ...]]] | None = None
    """What people are told instead, where that hangs on the house rules."""
    challenge_mode: str = ""
    """The mode in which numbered challenges (option `challenge`) are played; empty: there are none."""
    endless: bool = False
    """True for a game that has no end."""
    is_free_building: bool = False
    """True for a game that begins from a scene, takes pieces from files, and is saved as a scene, not recorded."""

    @property
    def catalogue(self) -> str:
        """The name of the catalogue of its pieces; a game may have none."""
        return self.name.replace("-", "_")

    @property
    def judge(self) -> Judge[S]:
        """What physics says, and what the rules are told."""
        judge: Judge[S] = _load(self.judge_class)
        return judge

    @property
    def has_bots(self) -> bool:
        """Whether computer players play it."""
        return bool(self.bot_class)

    def part(self, path: str, kind: type[P]) -> P:
        """Returns one of the parts above, of its kind; the kind's defaults when the game names none."""
        part = _load(path) if path else kind()
        if not isinstance(part, kind):
            raise TypeError(f"{self.name}: {path} is no {kind.__name__}")
        return part

    def scoring(self, state: S) -> tuple[str, tuple[int, ...]]:
        """Returns what is counted, and how much of it every seat has, as people are told."""
        if self.told_scores is not None:
            return self.told_scores(state)
        return self.score_word, tuple(self.rules.scores(state))

    @property
    def actions(self) -> tuple[type[Action], ...]:
        """The actions of its players, in the order of its rules."""
        return tuple(kind for kind in self.rules.HANDLERS if issubclass(kind, Action))

    @property
    def inputs(self) -> Any:
        """The union type of all that apply() takes."""
        return reduce(or_, self.rules.HANDLERS)

    def house_rules(self, state: S) -> str:
        """What is not played as printed, in a sentence; empty for nothing."""
        return house_told(getattr(state, "house", self.house))

    def opening(self, state: S) -> tuple[str, ...]:
        """Returns the first lines of the story, with what is not played as printed."""
        return (*self.rules.opening(state), *filter(None, [self.house_rules(state)]))

    def write_input(self, given: Input) -> str:
        """Returns an action or event as one line of JSON, with its `type`."""
        return codec.write(self.inputs, given)

    def read_input(self, text: str) -> Any:
        """Returns an action or event from JSON. Raises MalformedAction."""
        try:
            return codec.read(self.inputs, text, "input")
        except codec.MisfitError as error:
            raise MalformedAction(str(error)) from None


@cache
def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)()


@cache
def stock_of(game: Game) -> Any:
    """Returns the `stock` that the game's start() takes; a game without a catalogue gets an empty one.

    Raises SetupError with file and key for a catalogue that does not fit.
    """
    name = f"{game.catalogue}.toml"
    path = resources.files("teeter.models") / name
    try:
        return game.read_stock(tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {})
    except (tomllib.TOMLDecodeError, codec.MisfitError) as error:
        raise SetupError(f"{name}: {error}") from None
