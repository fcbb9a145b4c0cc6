"""Everything the rules refuse, as one small tree of errors.

RulesError
    SetupError          a game that cannot begin: players, mode, options
    MalformedAction     an input that is no input of this game at all (unknown piece, player, field)
    IllegalAction       a proper input at the wrong moment; it cites the clause that forbids it
"""

from __future__ import annotations

from collections.abc import Iterable

from teeter.models.errors import TeeterError, closest, quote


class RulesError(TeeterError):
    """Anything a caller or a player did that the rules do not accept."""


class SetupError(RulesError):
    """A game that cannot begin; the sentence says what is allowed."""


class MalformedAction(RulesError):  # noqa: N818 - the word of the field
    """Not an input of this game: a slip of a program or of a file, never of a player."""


class IllegalAction(RulesError):  # noqa: N818 - the word of the field
    """A wish the rules forbid (ALL-8): `CT-18: red already lies on this floor`."""

    def __init__(self, clause: str, sentence: str) -> None:
        super().__init__(f"{clause}: {sentence}")
        self.clause = clause
        self.sentence = sentence

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, str]]:
        """Copies and pickles (between processes) keep both parts."""
        return type(self), (self.clause, self.sentence)


def unknown(what: str, word: object, allowed: Iterable[str]) -> str:
    """The sentence for a word that is not in a list: the nearest one is suggested, all are named."""
    names = tuple(allowed)
    near = closest(str(word), names)
    hint = f"did you mean {near!r}? " if near else ""
    return f"unknown {what} {quote(word)}; {hint}allowed: {', '.join(names) or 'none'}"
