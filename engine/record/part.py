"""The recording while a game runs: a folder of files that only grow, a commit after each checkpoint, and the lock that
lets one process at a time write it.

`hashes.jsonl` gets its line last, after everything else is on the disk. The line says how long the other files were,
so what a crash tore off lies beyond the last line, and reading stops there.
"""

import contextlib
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.record.format import (
    EVENTS,
    HASHES,
    JOURNAL,
    MAX_BYTES,
    MAX_BYTES_OF,
    MAX_CHECKPOINTS,
    MAX_FRAMES,
    MAX_TEXT_BYTES,
    MAX_TRACK_BYTES,
    META,
    Contents,
    RecordError,
    is_digest,
)
from teeter.engine.record.meta import read as read_meta
from teeter.models.system import ALONE, KEEPS_OPEN_FILES, NO_LINK, lock

SUFFIX = ".part"
TRACK = "track.bin"
"""Records of a step and float32 poses (bodies, 7), one after the other."""
STATES = "states.bin"
"""Records of a step and float64 poses (bodies, 7)."""
COMMITS = "hashes.jsonl"
GROWING = (JOURNAL, EVENTS, TRACK, STATES)
BUFFER = 1 << 20
"""Bytes that may wait in memory between checkpoints."""


def folder_of(path: Path) -> Path:
    """Returns the folder into which a recording grows, of its file's name or of its own. Raises RecordError for a path
    that names no file, such as `.` or `/`."""
    if not (name := path.name.removesuffix(SUFFIX)):
        raise RecordError(path, "names no recording: name its file, such as game.teeter")
    return path.with_name(name + SUFFIX)


@dataclass(frozen=True, slots=True)
class Commit:
    """A checkpoint that is on the disk. lengths: of each growing file in bytes, up to here."""

    step: int
    digest: str
    lengths: dict[str, int]

    def line(self) -> bytes:
        """Returns the line of `hashes.jsonl`."""
        data = {"lengths": self.lengths, "sha256": self.digest, "step": self.step}
        return json.dumps(data, sort_keys=True).encode("ascii") + b"\n"


def record_type(kind: str, bodies: int) -> np.dtype[Any]:
    """Returns the layout of a record of `TRACK` (kind `<f4`) or `STATES` (kind `<f8`)."""
    return np.dtype([("step", "<i8"), ("poses", kind, (bodies, 7))])


def read(folder: Path, *, meta: bytes | None = None) -> Contents:
    """Returns what a folder holds up to its last commit. Raises RecordError for a folder that is no recording.

    meta: given by a writer that closes. Then all of the folder is read, the end after the last commit too, and
    this text stands for `meta.json`.
    """
    file = str(folder)
    is_complete = meta is not None
    if not (folder / META).is_file():
        raise RecordError(
            file, f"is a folder without {META}: a recording is a .teeter file or its .teeter.part folder"
        )
    meta = meta or _bytes(folder, META, MAX_BYTES_OF[META])
    bodies = len(read_meta(meta, file).bodies)
    commits = commits_of(folder)
    ends = commits[-1].lengths if commits else dict.fromkeys(GROWING, 0)
    if is_complete:
        ends = {name: _size(folder, name) for name in GROWING}
    track = _records(folder, TRACK, ends[TRACK], record_type("<f4", bodies))
    states = _records(folder, STATES, ends[STATES], record_type("<f8", bodies))
    track = _thinned(track)
    return Contents(
        meta=meta,
        journal=_bytes(folder, JOURNAL, MAX_TEXT_BYTES, ends[JOURNAL]),
        events=_bytes(folder, EVENTS, MAX_BYTES_OF[EVENTS], ends[EVENTS]),
        steps=np.array(track["step"], dtype="<i8"),
        poses=np.array(track["poses"], dtype="<f4", order="F"),
        state_steps=np.array(states["step"], dtype="<i8"),
        state_poses=np.array(states["poses"], dtype="<f8", order="C"),
        hashes=tuple((commit.step, commit.digest) for commit in commits),
        is_complete=is_complete,
    )


def commits_of(folder: Path) -> list[Commit]:
    """Returns the commits whose data is there, up to the first line that is torn or asks for more than the files
    have."""
    text = _commit_lines(folder)
    sizes = {name: _size(folder, name) for name in GROWING}
    commits: list[Commit] = []
    last = dict.fromkeys(GROWING, 0)
    for line in text.split(b"\n")[:-1]:
        commit = _commit(line)
        if commit is None or any(not last[name] <= commit.lengths[name] <= sizes[name] for name in GROWING):
            break
        last = commit.lengths
        commits.append(commit)
    return commits


def is_kept(path: Path, step: float) -> bool:
    """Whether the record of a game has a checkpoint at a step or later, or is packed. path: of its file."""
    folder = folder_of(path)
    return not folder.is_dir() or any(commit.step >= step for commit in commits_of(folder)[-1:])


def _commit_lines(folder: Path) -> bytes:
    """Returns the text of `COMMITS`, a line for each checkpoint."""
    text = _bytes(folder, COMMITS, 4 * MAX_BYTES_OF[HASHES]) if (folder / COMMITS).exists() else b""
    if (count := text.count(b"\n")) > MAX_CHECKPOINTS:
        raise RecordError(folder, f"{COMMITS} has {count} checkpoints; at most {MAX_CHECKPOINTS} are allowed")
    return text


def ends_of(folder: Path) -> dict[str, int]:
    """Returns where the last commit ends in each growing file and in `COMMITS`, bytes; all 0 before the first."""
    commits = commits_of(folder)
    if not commits:
        return dict.fromkeys((*GROWING, COMMITS), 0)
    lines = _commit_lines(folder).split(b"\n")[: len(commits)]
    return {**commits[-1].lengths, COMMITS: sum(len(line) + 1 for line in lines)}


def _commit(line: bytes) -> Commit | None:
    try:
        data = json.loads(line)
        step, digest, lengths = data["step"], data["sha256"], data["lengths"]
        whole = all(type(number) is int for number in [step, *(lengths[name] for name in GROWING)])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    lengths = {name: lengths[name] for name in GROWING} if whole else {}
    return Commit(step, digest, lengths) if whole and is_digest(digest) else None


def _size(folder: Path, name: str) -> int:
    path = folder / name
    if not path.exists():
        return 0
    if path.is_symlink() or not path.is_file():
        raise RecordError(folder, f"{name} is not a plain file: a recording has no links or devices")
    return path.stat().st_size


def _bytes(folder: Path, name: str, limit: int, length: int | None = None) -> bytes:
    """Returns the first bytes of a file, all without a length."""
    length = _size(folder, name) if length is None else length
    if length > limit:
        raise RecordError(folder, f"{name} has {length} bytes; at most {limit} are allowed")
    if length == 0:
        return b""
    try:
        with (folder / name).open("rb") as stream:
            return stream.read(length)
    except OSError as error:
        raise RecordError(folder, f"{name} cannot be read: {error.strerror or error}") from None


def _records(folder: Path, name: str, length: int, layout: np.dtype[Any]) -> NDArray[Any]:
    """Returns the records of a file, left on the disk until they are used."""
    count = length // layout.itemsize
    if length % layout.itemsize or (name == STATES and length > MAX_BYTES):
        problem = (
            f"{name} has {length} bytes, must be whole records of {layout.itemsize} and at most {MAX_BYTES}"
        )
        raise RecordError(folder, problem)
    if count == 0:
        return np.zeros(0, dtype=layout)
    try:
        return np.memmap(folder / name, dtype=layout, mode="r", shape=(count,))
    except OSError as error:
        raise RecordError(folder, f"{name} cannot be read: {error.strerror or error}") from None


def _thinned(track: NDArray[Any]) -> NDArray[Any]:
    """Returns every second, third, ... frame and the last one, as many as the limits allow."""
    stride = max(math.ceil(track.nbytes / MAX_TRACK_BYTES), math.ceil(len(track) / MAX_FRAMES))
    if stride <= 1:
        return track
    kept = np.append(np.arange(0, len(track) - 1, stride), len(track) - 1)
    return np.asarray(track[kept])


def sync(folder: Path) -> None:
    """Bring the names in a folder to the disk, where a system lets folders be opened for that."""
    if KEEPS_OPEN_FILES:
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class Stream:
    """Appends to a new file, or with a length to what is left of one cut there. Every method may raise OSError.

    The buffer is its own: what could not be written is kept and reported, not lost twice.
    """

    def __init__(self, path: Path, length: int | None = None) -> None:
        self._file = path.open("xb" if length is None else "ab", buffering=0)
        if length is not None:
            self._file.truncate(length)
        self._waiting = bytearray()
        self._is_dirty = False
        self.length = length or 0
        """Bytes given so far, waiting ones too."""

    def add(self, data: bytes) -> None:
        """Append; written out when the buffer is full."""
        self._waiting += data
        self.length += len(data)
        if len(self._waiting) > BUFFER:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system: safe from the end of this process."""
        while self._waiting:
            count = self._file.write(self._waiting)
            del self._waiting[:count]
            self._is_dirty = True

    def sync(self) -> None:
        """Bring everything to the disk: safe from the end of the machine."""
        self.flush()
        if self._is_dirty:
            os.fsync(self._file.fileno())
            self._is_dirty = False

    def close(self) -> None:
        """Let the file go; what still waits is dropped. Closing twice is fine."""
        self._waiting.clear()
        self._file.close()


LOCK = "lock"
"""The file in the folder; it holds the number of the process that writes."""
_HELD: set[tuple[int, int]] = set()
"""Device and inode of the locks of this process: the kernel refuses a lock to other processes only."""


class FolderLock:
    """Keeps other writers out of a folder until it is released, or the process ends, however it ends.

    The kernel holds the lock for this process alone: a worker that outlives its parent does not keep it. Where the file
    system knows no locks, the folder is written without one.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock. Raises RecordError when somebody writes the folder, OSError when it is not there."""
        path = folder / LOCK
        # looked at before it is opened: closing a second descriptor would give up the lock that this process has
        if _key(path) in _HELD:
            raise being_recorded(folder, str(os.getpid()))
        # a folder from elsewhere may hold a link by this name, to what would be overwritten with a number
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | ALONE | NO_LINK, 0o644)
        self._key = _key(self._file)
        if not _locked(self._file, of_process=True):
            holder = os.read(self._file, 32).decode("ascii", "replace").strip()
            os.close(self._file)
            raise being_recorded(folder, holder)
        _HELD.add(self._key)
        # the one who had it may have packed the folder and removed it meanwhile
        if _key(path) != self._key:
            self.release()
            raise RecordError(folder, "was closed by another process a moment ago: resume the file beside it")
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode("ascii"))

    def release(self) -> None:
        """Let others write. Releasing twice is fine."""
        if self._key in _HELD:
            _HELD.discard(self._key)
            os.close(self._file)


class FileLock:
    """Keeps others from going on with one file at the same time under another of its names, until it is released."""

    def __init__(self, file: Path) -> None:
        """Take the lock. Raises RecordError when somebody goes on with the file, OSError when it is not there."""
        self._file: int | None = os.open(file, os.O_RDONLY | ALONE | NO_LINK)
        # held by the open file: other locks are lost whenever a file is read and closed
        if not _locked(self._file):
            self.release()
            raise being_recorded(file, "")

    def release(self) -> None:
        """Let others go on with it. Releasing twice is fine."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _locked(file: int, *, of_process: bool = False) -> bool:
    """Whether a file is ours now, or its file system knows no locks."""
    try:
        return lock(file, of_process=of_process)
    except OSError:
        return True


def check_free(folder: Path) -> None:
    """Raise RecordError when somebody writes this folder; fine for a folder that is not there."""
    with contextlib.suppress(OSError):
        FolderLock(folder).release()


def being_recorded(folder: Path, holder: str) -> RecordError:
    """What is told to the second writer of a folder."""
    who = f"process {holder}" if holder.isdigit() else "another process"
    problem = f"is being recorded by {who}: wait until it ends, or name another file with --record"
    return RecordError(folder, problem)


def _key(file: Path | int) -> tuple[int, int]:
    """Device and inode; (0, 0) for a file that is not there."""
    try:
        there = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return there.st_dev, there.st_ino
