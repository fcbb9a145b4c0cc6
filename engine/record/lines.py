"""Entries as lines of JSON: one object a line, with the `step` and the `type` of what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeGuard

from engine.record.errors import RecordError, shown
from engine.record.limits import MOST_STEPS

Entry = tuple[int, dict[str, Any]]
"""A step and the entry without it."""


def line_of(step: int, entry: Mapping[str, Any]) -> bytes:
    """The line of an entry, with its line feed; the same bytes for equal entries.

    Raises ValueError for an entry without a `type` in words, with a `step` of its own, or that is not JSON.
    """
    if not isinstance(entry.get("type"), str):
        raise ValueError(f"an entry needs a `type` in words, this one has {shown(entry.get('type'))}")
    if "step" in entry:
        raise ValueError("an entry has no `step` of its own: it is given beside it")
    try:
        text = _ENCODER.encode({"step": step, **entry})
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the entry {entry['type']!r} is not JSON: {error}") from None
    return text.encode("ascii") + b"\n"


def entries_of(text: bytes, file: str, place: str) -> tuple[Entry, ...]:
    """The entries of a text of lines. Raises RecordError with the number of the first line that is wrong."""
    if text and not text.endswith(b"\n"):
        raise RecordError(file, "the last line is cut off: the file is damaged", place)
    found: list[Entry] = []
    last = 0
    for number, line in enumerate(text.split(b"\n")[:-1], start=1):
        where = f"{place}, line {number}"
        step, entry = _entry(line, file, where)
        if step < last:
            raise RecordError(file, f"step {step} comes after step {last}: steps never run backwards", where)
        last = step
        found.append((step, entry))
    return tuple(found)


def parse(text: bytes, file: str, place: str) -> Any:
    """A JSON value. Raises RecordError for anything that is none, infinite numbers and deep nests included."""
    try:
        return _DECODER.decode(text.decode("utf-8"))
    except RecursionError:
        problem = "is nested too deeply"
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start})"
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error}"
    except ValueError:
        problem = "is not JSON: a number in it is infinite, NaN, or of very many digits"
    raise RecordError(file, problem, place)


def is_step(value: object) -> TypeGuard[int]:
    """Whether a value read from JSON is the number of a step."""
    return type(value) is int and 0 <= value <= MOST_STEPS


def _entry(line: bytes, file: str, where: str) -> Entry:
    data = parse(line, file, where)
    if not isinstance(data, dict):
        raise RecordError(file, f"is {shown(data)}, must be an object with step and type", where)
    step = data.pop("step", None)
    if not is_step(step):
        raise RecordError(file, f"step is {shown(step)}, must be an integer from 0 to {MOST_STEPS}", where)
    if not isinstance(data.get("type"), str):
        raise RecordError(file, f"type is {shown(data.get('type'))}, must be a word", where)
    return step, data


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


# made once: a game writes and reads hundreds of thousands of lines
_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse)
