"""`TeeterError`, the root of all errors that tell a person what to do; and what can be wrong with a piece.

All of the latter are `ValueError`s, so a validator may raise them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

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


def nearest(word: str, choices: Iterable[str]) -> str:
    """A question such as `did you mean "beech"?`, or the choices themselves when nothing is near."""
    names = sorted(choices)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f'did you mean "{close[0]}"?'
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there are: {shown}" if names else "there are none"


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
