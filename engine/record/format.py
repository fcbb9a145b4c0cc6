"""The format of a recording: names and limits of its parts, its lines of JSON, its arrays, what can be wrong with it.

The limits are checked before anything is read. numpy reads the header of an array as Python (a literal) and, when
allowed, unpickles: here a header of `.npy` bytes either matches one pattern or is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from teeter.models.errors import TeeterError, quote

FORMAT = 2
"""The newest format version this code reads, and the one it writes. It grows when files look otherwise, and when
the same inputs come out otherwise: older recordings then show the track they hold, and older code verifies them."""
LAST_TO_VERIFY = {1: "teeter 0.1.0 before its release, as of commit 2cd4f0d"}
"""By format: what simulates a recording of it as it was simulated when it was made."""

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
"""Of the journal, unpacked: an hour of the hand at 240 steps a second without a pause."""
MAX_BYTES_OF = {"events.jsonl": 8_000_000, "meta.json": 20_000_000, "hashes.json": 20_000_000}
"""Of the other texts, unpacked: ten thousands of turns; a hull of a hundred corners for each of 5000 bodies."""
MAX_LINE_BYTES = 200_000
"""Of a line of journal or events; the longest there are, of heights and falls, have some thousands."""
MAX_VALUES = 1_000_000
"""In a JSON text, by its commas and brackets: parsed, a value of two bytes takes up to a hundred."""
MAX_CHECKPOINTS = 100_000
MAX_TRACK_BYTES = 100_000_000
"""Of the track, unpacked: 18 minutes of motion of 57 bodies at 60 frames a second. A longer one is thinned evenly when
it is packed, because a viewer goes smoothly from frame to frame anyway."""
MAX_FRAMES = 300_000
"""Of the track: 83 minutes of motion at 60 frames a second. A longer one is thinned too."""
MAX_BODIES = 5000
MAX_STEPS = 2**53
"""Steps that a float64 holds exactly."""

MAX_BITS = 256
"""Of a whole number: a seed may have so many."""
MAX_DIGITS = 80

MEANING = (
    "this journal, from this seed, gives exactly these pictures and this result.",
    "It proves physics and rules, not who sat there.",
)
"""What it means that a recording is verified, in words for people."""

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
        raise ValueError(f"an entry needs a `type` in words, this one has {quote(entry.get('type'))}")
    if "step" in entry:
        raise ValueError("an entry has no `step` of its own: it is given beside it")
    try:
        text = _ENCODER.encode({"step": step, **entry})
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the entry {entry['type']!r} is not JSON: {error}") from None
    return text.encode("ascii") + b"\n"


def parse(text: bytes, file: str, place: str) -> Any:
    """Returns a JSON value. Raises RecordError for anything that is none, infinite numbers and deep nests included, and
    before it is read for more than `MAX_VALUES`."""
    if len(text) > MAX_VALUES and (count := sum(map(text.count, (b",", b"[", b"{")))) > MAX_VALUES:
        raise RecordError(file, f"has {count} commas and brackets; at most {MAX_VALUES} are allowed", place)
    try:
        return _DECODER.decode(text.decode("utf-8"))
    except RecursionError:
        problem = "is nested too deeply"
    except KeyError as error:
        problem = f"has the key {quote(error.args[0])} twice"
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start})"
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error}"
    except ValueError:
        problem = f"is not JSON: a number in it is infinite, NaN, or of more than {MAX_BITS} bits"
    raise RecordError(file, problem, place)


def is_step(value: object) -> TypeGuard[int]:
    """Returns whether a value read from JSON is the number of a step."""
    return type(value) is int and 0 <= value <= MAX_STEPS


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _finite(word: str) -> float:
    value = float(word)
    return value if math.isfinite(value) else _refuse(word)


def _whole(word: str) -> int:
    # more digits are not even read: their number counts
    return int(word) if len(word) <= MAX_DIGITS and abs(int(word)) < 2**MAX_BITS else _refuse(word)


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object of JSON, each of whose keys stands once: of two values another program might read the other.
    Raises KeyError with one that does not."""
    if len(found := dict(pairs)) < len(pairs):
        raise KeyError(next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1))
    return found


# made once: a game writes and reads hundreds of thousands of lines
_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(
    object_pairs_hook=each_once, parse_constant=_refuse, parse_float=_finite, parse_int=_whole
)


GRID = np.array([2.0**-15] * 3 + [2.0**-13] * 4)
"""Of the track, metres (0.03 mm) and quaternion components: most bits of a float32 are zero, which packs to little."""
BAND = np.array([2.8e-5] * 3 + [2e-4] * 4)
"""A body whose every value is this near to the row that stands in the track keeps that row: what trembles at rest, or
is pressed a little, packs to nothing. Together the track is never further from the truth than 0.05 mm (the
diagonal of a cube of 0.028 mm) and 0.05 degrees (quaternions 4e-4 apart differ by twice that)."""
BLOCK = 250_000
"""Poses that are looked at together: what is computed of a whole track takes many times its room."""
UNIT = 0.01
"""How far from 1 the length of a quaternion may be: rounding is far below, what is no rotation far above."""

_SHA256 = re.compile("[0-9a-f]{64}")
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([^'\\]{1,8})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,12}, ?)*(?:\d{1,12})?)\), \} *\n"
)


def npy_of(array: NDArray[Any]) -> bytes:
    """Returns an array as `.npy` bytes; the memory order is kept. Raises ValueError for an array of objects."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def array_of(
    data: bytes | memoryview, dtype: str, shape: tuple[int | None, ...], file: str, place: str
) -> NDArray[Any]:
    """Returns a read-only array from `.npy` bytes.

    dtype: the only one allowed, such as `<f4`. shape: the only one allowed, None for any length. Raises
    RecordError for everything else; nothing is allocated for a size that the data does not have.
    """
    size = int.from_bytes(data[8:10], "little")
    header = _HEADER.fullmatch(data, 10, 10 + size)
    if data[: len(_MAGIC)] != _MAGIC or header is None:
        raise RecordError(file, "is not a plain array (.npy 1.0 without pickles)", place)
    lengths = tuple(int(length) for length in header[3].split(b",") if length.strip())
    kind = header[1].decode("latin-1")
    fits = len(lengths) == len(shape) and all(
        allowed in (None, length) for allowed, length in zip(shape, lengths, strict=True)
    )
    if kind != dtype or not fits:
        allowed = ", ".join("n" if length is None else str(length) for length in shape)
        problem = f"is {quote(kind)} of shape {quote(lengths)}, must be {dtype!r} of shape ({allowed})"
        raise RecordError(file, problem, place)
    body, needed = len(data) - 10 - size, math.prod(lengths) * np.dtype(dtype).itemsize
    if body != needed:
        raise RecordError(file, f"has {body} bytes of data, shape {quote(lengths)} needs {needed}", place)
    flat: NDArray[Any] = np.frombuffer(data, dtype=dtype, offset=10 + size)
    return flat.reshape(lengths, order="F" if header[2] == b"True" else "C")


def on_grid(poses: NDArray[np.float64], held: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns poses (n, 7) as the track keeps them: on the grid, and a row of `held` where it is within the band of it.

    NaN stays NaN.
    """
    near = (np.abs(poses - held) < BAND).all(axis=-1, keepdims=True)
    return np.where(near, held, np.round(poses / GRID) * GRID).astype(np.float32)


def pose_fault(poses: NDArray[Any]) -> tuple[tuple[int, ...], str] | None:
    """Returns the place (indices of the row) and the words of the first wrong row of poses (..., 7), None if all are
    right.

    Right is a row of finite numbers with a unit quaternion, or one of seven NaN: the body is absent.
    """
    length = np.sqrt(np.einsum("...i,...i->...", poses[..., 3:], poses[..., 3:], dtype=np.float64))
    is_finite = np.isfinite(poses).all(axis=-1)
    right = (is_finite & (np.abs(length - 1.0) <= UNIT)) | np.isnan(poses).all(axis=-1)
    if right.all():
        return None
    place = tuple(int(index) for index in np.argwhere(~right)[0])
    row = poses[place].tolist()
    if is_finite[place]:
        return place, f"{quote(row[3:])} is not a unit quaternion xyzw"
    return place, f"{quote(row)} is not seven finite numbers (or seven NaN for absent)"


def check_poses(poses: NDArray[Any], file: str, place: str) -> None:
    """Raises RecordError for the first row of poses (n, bodies, 7) that is neither a pose nor absent."""
    rows = max(1, BLOCK // max(1, poses.shape[1]))
    for begin in range(0, len(poses), rows):  # in slices: the masks of a long track would outgrow it
        fault = pose_fault(poses[begin : begin + rows])
        if fault:
            (frame, body), words = fault
            raise RecordError(file, f"poses[{begin + frame}, {body}] = {words}", place)


def check_steps(steps: NDArray[np.int64], file: str, place: str) -> None:
    """Raises RecordError for the first of the steps (n,) that is out of range or before the one ahead of it."""
    wrong = np.flatnonzero((steps < 0) | (steps > MAX_STEPS))
    if wrong.size:
        first = int(wrong[0])
        problem = f"steps[{first}] = {steps[first]}, must be from 0 to {MAX_STEPS}"
        raise RecordError(file, problem, place)
    back = np.flatnonzero(steps[1:] < steps[:-1])
    if back.size:
        first = int(back[0]) + 1
        problem = f"steps[{first}] = {steps[first]} comes after {steps[first - 1]}: steps never run backwards"
        raise RecordError(file, problem, place)


def is_digest(value: object) -> TypeGuard[str]:
    """Returns whether a value is a SHA-256 in 64 lower-case hex digits."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def state_digest(names: Sequence[str], poses: NDArray[np.float64]) -> str:
    """Returns the SHA-256 (64 hex digits) of bodies and where they are, whatever order they come in.

    poses: (n, 7) metres and xyzw, a row for each name. Equal digests mean equal poses,
    bit for bit. Hashed are, in the order of the names, the length of the
    name's UTF-8 (4 bytes), the name, and its row as seven float64; all numbers little-endian. Two zeros of
    different sign differ. Raises ValueError when rows and names do not match or a name stands twice.
    """
    rows = np.asarray(poses, dtype="<f8")
    if rows.shape != (len(names), 7):
        raise ValueError(f"poses have the shape {rows.shape}; {len(names)} names need ({len(names)}, 7)")
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice: a body has one pose")
    total = hashlib.sha256()
    for place in sorted(range(len(names)), key=names.__getitem__):
        name = names[place].encode("utf-8")
        total.update(len(name).to_bytes(4, "little") + name + rows[place].tobytes())
    return total.hexdigest()
