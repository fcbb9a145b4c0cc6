"""`TeeterError`, the root of all errors that tell a person what to do; and what can be wrong with a piece.

All of the latter are `ValueError`s, so a validator may raise them.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError


class TeeterError(Exception):
    """Anything that teeter refuses. The message is for people: what, where, the value found, what to do."""


class NoTruthValueError(TeeterError, TypeError):
    """A result was asked whether it is true: a verdict that says "topples" is as much a result as any other."""


class Untrue:
    """A result that is neither true nor false. asked: the attribute that answers what `if result:` seems to ask."""

    __slots__ = ()
    asked = ""

    def __bool__(self) -> bool:
        what = f"ask .{self.asked}" if self.asked else "ask one of its attributes"
        raise NoTruthValueError(f"{type(self).__name__} is neither true nor false: {what}")


class ModelError(TeeterError, ValueError):
    """Something about a piece cannot be used; the message is meant for the person who wrote it."""


class SpecError(ModelError):
    """A piece description with one or more faults.

    faults: one line each, `key: what is wrong (got value)`.
    """

    def __init__(self, where: str, faults: tuple[str, ...]) -> None:
        self.where = where
        self.faults = faults
        super().__init__("\n".join(f"{where}: {fault}" for fault in faults))


class UnknownModelError(ModelError):
    """No catalogue has a piece of this id."""


class UnknownMaterialError(ModelError):
    """No material has this name."""


class CatalogueError(ModelError):
    """A catalogue file is missing, is not TOML, or holds something that is not a piece."""


class MeshError(ModelError):
    """A mesh is not a closed solid of sensible size, or its file cannot be read."""


class MeshFileError(MeshError):
    """A mesh file cannot be read; the message does not name the file, which only the caller knows."""


LONGEST_VALUE = 60
"""Characters of a wrong value that a message repeats; a whole file pasted into one key helps nobody."""
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = LONGEST_VALUE
_SHORT.maxlist = _SHORT.maxtuple = 8


def quote(value: object) -> str:
    """A value as a message repeats it: quoted, without control characters, shortened however deep it is."""
    return shortened(_SHORT.repr(value))


def shortened(text: str) -> str:
    """A text as short as a message may repeat it."""
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def closest(word: str, names: Iterable[str]) -> str:
    """The name most like a word, in letters of any size and with or without its catalogue; empty when none is."""
    lower = {part: name for name in names for part in (name.rpartition("/")[2].lower(), name.lower())}
    close = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return lower[close[0]] if close else ""


def nearest(word: str, choices: Iterable[str]) -> str:
    """A question such as `did you mean "beech"?`, or the choices themselves when nothing is near."""
    names = sorted(choices)
    if close := closest(word, names):
        return f'did you mean "{close}"?'
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there are: {shown}" if names else "there are none"


WORDS = {
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "string_type": "must be text in quotes",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list",
    "model_type": "must be a table",
    "dict_type": "must be a table",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be {expected}",
    "too_long": "must have at most {max_length} entries, has {actual_length}",
    "too_short": "must have at least {min_length} entries, has {actual_length}",
    "string_too_long": "must have at most {max_length} letters",
}
"""What pydantic finds wrong in a file that a person wrote, by the type of the error."""


def words_of(fault: Mapping[str, Any]) -> str:
    """What is wrong, in the words of the files that people write. fault: one of `ValidationError.errors()`."""
    words = WORDS.get(fault["type"])
    return (
        str(fault["msg"]).removeprefix("Value error, ")
        if words is None
        else words.format(**fault.get("ctx", {}))
    )


def faults_of(error: ValidationError) -> tuple[str, ...]:
    """All faults pydantic found, one line each: `shape.box[1]: Input should be greater than ... (got -3)`."""
    return tuple(_line(fault["loc"], fault["msg"], fault["type"], fault["input"]) for fault in error.errors())


def _line(place: tuple[int | str, ...], message: str, kind: str, value: object) -> str:
    key = ""
    before: int | str | None = None
    for step in place:
        # after `shape` pydantic names the kind of shape it took, which nobody wrote at this place
        if before != "shape":
            key += f"[{step}]" if isinstance(step, int) else f".{step}"
        before = step
    message = message.removeprefix("Value error, ")
    if isinstance(value, (dict, list)):
        got = ", ".join(str(name) for name in value) if kind == "shape" else ""
    else:
        got = "" if kind in ("missing", "extra_forbidden", "value_error") else repr(value)
    return (f"{key.lstrip('.')}: " if key else "") + message + (f" (got {got})" if got else "")
