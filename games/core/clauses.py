"""Clauses of the rule documents, and those all games share; what the rules can prove of them lives in `rules.py`."""

import tomllib
from dataclasses import dataclass
from enum import Enum
from importlib import resources


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a rule document in our words.

    `decision` is what we decided where the document is silent.
    """

    id: str
    text: str
    decision: str = ""


def clauses_in(package: str) -> tuple[Clause, ...]:
    """Returns the clauses in the `clauses.toml` of a package, in its order."""
    tables = tomllib.loads(resources.files(package).joinpath("clauses.toml").read_text(encoding="utf-8"))
    return tuple(Clause(name, **words) for name, words in tables.items())


class Cited(Enum):
    """Members are (clause, sentence): what a clause asks for or decides."""

    @property
    def clause(self) -> str:
        """The clause that says so."""
        return str(self.value[0])

    @property
    def text(self) -> str:
        """What it says, in words."""
        return str(self.value[1])


SHARED = clauses_in("teeter.games.core")
