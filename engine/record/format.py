"""The format of a recording: names and limits of its parts, its lines of JSON, and what can be wrong with it.

The limits are checked before anything is read.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from models.errors import TeeterError

FORMAT = 1
"""The newest format version this code reads, and the one it writes."""

META = "meta.json"
JOURNAL = "journal.jsonl"
EVENTS = "events.jsonl"
TRACK = "track.npz"
STATES = "states.npz"
HASHES = "hashes.json"
ENTRIES = (META, JOURNAL, EVENTS, TRACK, STATES, HASHES)
"""Of the zip, in this order."""
STEPS = "steps.npy"
POSES = "poses.npy"

MAX_ENTRIES = 20
"""Of a zip; a recording has six."""
MAX_BYTES = 300_000_000
"""Of a recording, unpacked."""
MAX_TEXT_BYTES = 80_000_000
"""Of one text, unpacked. Parsed JSON takes up to 25 times its size. This is an hour of the hand at 240 steps a
second without a pause."""
MAX_TRACK_BYTES = 100_000_000
"""Of the track, unpacked: 18 minutes of motion of 57 bodies at 60 frames a second. A longer one is thinned evenly when
it is packed, because a viewer goes smoothly from frame to frame anyway."""
MAX_BODIES = 5000
MAX_STEPS = 2**53
"""Steps that a float64 holds exactly."""

LONGEST_VALUE = 60
"""Characters of a wrong value that a message repeats."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = LONGEST_VALUE
_SHORT.maxlist = _SHORT.maxtuple = 8

Entry = tuple[int, dict[str, Any]]
"""A step and the entry without it."""


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
    """Returns a value as a message repeats it: quoted, without control characters, shortened however deep it is."""
    text = _SHORT.repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """The parts of a recording, as bytes and arrays that are not looked into yet.

    steps: int64 (n,). poses: float32 (n, bodies, 7). state_steps: int64 (m,). state_poses: float64 (m, bodies, 7).
    hashes: the step and the SHA-256 of each checkpoint. is_complete: the recording was closed.
    """

    meta: bytes
    journal: bytes
    events: bytes
    steps: NDArray[np.int64]
    poses: NDArray[np.float32]
    state_steps: NDArray[np.int64]
    state_poses: NDArray[np.float64]
    hashes: tuple[tuple[int, str], ...]
    is_complete: bool


# -- lines of JSON: one object a line, with the `step` and the `type` of what happened ------------------------------


def line_of(step: int, entry: Mapping[str, Any]) -> bytes:
    """Returns the line of an entry, with its line feed; the same bytes for equal entries.

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
    """Returns the entries of a text of lines. Raises RecordError with the number of the first line that is wrong."""
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
    """Returns a JSON value. Raises RecordError for anything that is none, infinite numbers and deep nests included."""
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
    """Returns whether a value read from JSON is the number of a step."""
    return type(value) is int and 0 <= value <= MAX_STEPS


def _entry(line: bytes, file: str, where: str) -> Entry:
    data = parse(line, file, where)
    if not isinstance(data, dict):
        raise RecordError(file, f"is {shown(data)}, must be an object with step and type", where)
    step = data.pop("step", None)
    if not is_step(step):
        raise RecordError(file, f"step is {shown(step)}, must be an integer from 0 to {MAX_STEPS}", where)
    if not isinstance(data.get("type"), str):
        raise RecordError(file, f"type is {shown(data.get('type'))}, must be a word", where)
    return step, data


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


# made once: a game writes and reads hundreds of thousands of lines
_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse)
