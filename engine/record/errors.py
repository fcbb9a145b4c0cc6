"""What can be wrong with a recording, and how values are repeated in messages."""

from __future__ import annotations

import reprlib

from models.errors import TeeterError

LONGEST_VALUE = 60
"""Characters of a wrong value that a message repeats."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = LONGEST_VALUE
_SHORT.maxlist = _SHORT.maxtuple = 8


class RecordError(TeeterError):
    """A recording that cannot be read or written.

    The message is one sentence for people: file, place in it, value found, what is allowed or what to do.
    """

    def __init__(self, file: object, problem: str, place: str = "") -> None:
        self.file = str(file)
        self.place = place
        self.problem = problem
        super().__init__(": ".join(part for part in (self.file, place, problem) if part))


def shown(value: object) -> str:
    """A value as a message repeats it: quoted, without control characters, shortened however deep it is."""
    text = _SHORT.repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."
