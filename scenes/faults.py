"""What can be wrong with a scene: a `Fault` names place and remedy, a `SceneError` carries them all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from models.errors import TeeterError

LONGEST_VALUE = 60
"""Characters of a wrong value that a message repeats; a whole file pasted into one key helps nobody."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a scene.

    file: as the caller named it. problem: what is wrong and what is allowed instead. table: the TOML table
    or mesh node, such as `piece[3] "slab"` (counted from one). key: the key in that table. value: the wrong
    value as written. line: of the file, from one, where it is known.
    """

    file: str
    problem: str
    table: str = ""
    key: str = ""
    value: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = [f"{self.file}:{self.line}" if self.line else self.file]
        if self.table:
            place.append(self.table)
        if self.key:
            place.append(self.key if self.value is None else f"{self.key} = {self.value}")
        return ": ".join([*place, self.problem])


class SceneError(TeeterError, ValueError):
    """A scene that cannot be loaded: `faults` is everything found wrong, `str()` gives one line for each."""

    def __init__(self, faults: Iterable[Fault]):
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when something like the word is known, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def shown(value: object) -> str:
    """A value as a message repeats it, shortened; strings in double quotes, as TOML has them."""
    text = f'"{value}"' if isinstance(value, str) else _toml_like(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def _toml_like(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(item) for item in value[:10]) + ("]" if len(value) <= 10 else ", ...")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {shown(item)}" for key, item in list(value.items())[:10]) + " }"
    if isinstance(value, int) and abs(value) >= 10**LONGEST_VALUE:
        return "an integer of very many digits"  # str() of such a number may itself be refused
    return str(value)
