"""Writing a recording as the game goes. It knows no game: entries are any JSON objects with a `type`."""

from __future__ import annotations

import contextlib
import operator
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teeter.engine.record import archive, part
from teeter.engine.record.format import (
    EVENTS,
    JOURNAL,
    MAX_BYTES_OF,
    MAX_LINE_BYTES,
    MAX_STEPS,
    MAX_TEXT_BYTES,
    META,
    RecordError,
    is_digest,
    line_of,
    on_grid,
    pose_fault,
)
from teeter.engine.record.meta import Meta, written
from teeter.engine.record.part import FileLock, FolderLock, Stream, check_free
from teeter.engine.record.reader import Replay, load
from teeter.models.files import take_place
from teeter.models.system import KEEPS_OPEN_FILES

NEW_META = f"{META}.new"


class Recorder:
    """Records into the folder `F.teeter.part` and packs it to `F.teeter` when closed.

    Steps of each kind of record never run backwards, and the journal goes on from the last checkpoint: ValueError
    otherwise, and for poses or entries that cannot be. A disk that is full or not writable is a RecordError; the
    folder then stays, loads up to the last checkpoint, and nothing more is recorded. As a context manager it closes
    without an outcome, or leaves the folder as it is when an exception ends the block.
    """

    def __init__(self, path: Path, meta: Meta, *, replaces: bool = False) -> None:
        """Begins a recording at `path`. Raises RecordError when it, or its folder, is there or cannot be made.

        replaces: the file may be there; closing then puts the new one in its place, in one step.
        """
        self._prepare(path, meta, replaces)
        text = written(meta)
        with self._disk():
            self._make(text)

    @classmethod
    def resume(cls, path: Path, *, replaces: bool = False) -> Self:
        """Goes on with the folder `F.teeter.part` from its last checkpoint; what stands after it is cut off.

        replaces: as when beginning. Raises RecordError when the folder does not load, another process records into it,
        or `path` is there already.
        """
        folder = part.folder_of(path)
        replay = load(folder)
        recorder = cls.__new__(cls)
        recorder._prepare(path, replay.meta, replaces)
        with recorder._disk():
            recorder._take_locks()
            # it may have grown until the lock was there
            recorder._reopen(load(folder))
        return recorder

    def _prepare(self, path: Path, meta: Meta, replaces: bool) -> None:
        self.path = path
        self.folder = part.folder_of(path)
        self._meta, self._replaces = meta, replaces
        self._places = {name: place for place, name in enumerate(meta.names)}
        self._kinds = {kind: part.record_type(kind, len(meta.bodies)) for kind in ("<f4", "<f8")}
        self._last = dict.fromkeys(("journal", "event", "frame", "checkpoint"), 0)
        self._held: NDArray[np.float32] = self._absent().astype(np.float32)
        self._framed: int | None = None  # the step of the last frame in the track
        self._still: int | None = None  # the step of a later frame that is the same, not in the track
        self._state = "open"
        self._streams: dict[str, Stream] = {}
        self._locks: list[FolderLock | FileLock] = []
        if not replaces and (path.exists() or path.is_symlink()):
            raise RecordError(path, "is there already: choose another name, or move it away")
        if path == self.folder:
            raise RecordError(path, f"ends in {part.SUFFIX} like the folder it grows in: choose another name")

    @property
    def is_open(self) -> bool:
        """Whether more can be recorded: not closed, not left, and the disk took all so far."""
        return self._state == "open"

    def journal(self, step: int, entry: Mapping[str, Any]) -> None:
        """Records an input that a re-simulation needs, such as `{"type": "grab", "piece": "brick.07"}`."""
        self._line("journal", JOURNAL, step, entry)

    def event(self, step: int, entry: Mapping[str, Any]) -> None:
        """Records something that came of it, such as `{"type": "touched", "a": "brick.07", "b": "table"}`."""
        self._line("event", EVENTS, step, entry)

    def frame(self, step: int, poses: Mapping[str, ArrayLike]) -> None:
        """Records what is seen at a step: a row of 7 (metres, xyzw) for each body that is there.

        Call it as often as a viewer shall see, 60 times a second. Frames in which nothing moved are left out but for
        one a second and the last one; two frames at one step are a jump, which no viewer smooths.
        """
        rows = self._rows(poses)
        step = self._step("frame", step)
        seen = on_grid(rows, self._held)
        is_same = self._framed is not None and np.array_equal(seen, self._held, equal_nan=True)
        if is_same and self._framed is not None and step - self._framed < self._meta.rate:
            self._still = step
            return
        if not is_same:
            self._end_still()
        self._held = seen
        self._write_frame(step)

    def checkpoint(self, step: int, poses: Mapping[str, ArrayLike], digest: str) -> None:
        """Records the state between two actions, everything at rest: float64 poses and the digest of the state.

        When this returns, the record up to here is on the disk and loads whatever happens to this process.
        """
        if not is_digest(digest):
            raise ValueError(f"the digest {digest!r} is not a SHA-256 in 64 hex digits")
        rows = self._rows(poses)
        step = self._step("checkpoint", step, at_least=self._last["journal"])
        self._last["journal"] = step
        self._end_still()
        record = np.zeros((), dtype=self._kinds["<f8"])
        record["step"], record["poses"] = step, rows
        with self._disk():
            self._streams[part.STATES].add(record.tobytes())
            lengths = {name: self._streams[name].length for name in part.GROWING}
            for name in part.GROWING:
                self._streams[name].sync()
            self._streams[part.COMMITS].add(part.Commit(step, digest, lengths).line())
            self._streams[part.COMMITS].sync()

    def close(self, outcome: Mapping[str, Any] | None = None, *, is_private: bool = False) -> None:
        """Ends the recording: pack it to `path` in one step and remove the folder. Closing twice is fine.

        outcome: how the game ended, any JSON object. Raises ValueError when it is not; the recording is then open.
        is_private: nobody else may read the file, because the game can go on: its seed tells what is hidden. A file
        that was there keeps its mode.
        """
        if self._state == "closed":
            return
        self._check_open()
        head = Meta.model_validate(
            {**dict(self._meta), "outcome": None if outcome is None else dict(outcome)}
        )
        text = written(head)
        self._end_still()
        with self._disk():
            for stream in self._streams.values():
                stream.sync()
                stream.close()
            self._pack(text, 0o600 if is_private else 0o666)
        self._state = "closed"

    def leave(self) -> None:
        """Stops without closing: the folder stays, and is resumed from its last checkpoint. Leaving twice is fine."""
        if self._state == "open":
            self._leave("it was left")

    def discard(self) -> None:
        """Gives the recording up: nothing of it stays."""
        if self._state != "closed":
            for stream in self._streams.values():
                stream.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            self._unlock()
            self._state = "closed"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._state == "open":
            self.close()
        elif self._state == "open":
            self._leave("the block it was recorded in ended with an error")

    def _make(self, text: bytes) -> None:
        try:
            # a game that goes on holds what is hidden from its players
            self.folder.mkdir(mode=0o700)
        except FileExistsError:
            check_free(self.folder)
            problem = (
                "holds an unfinished recording: replay or resume it, or move it away before recording anew"
            )
            raise RecordError(self.folder, problem) from None
        try:
            self._take_locks()
            for name in (*part.GROWING, part.COMMITS):
                self._streams[name] = Stream(self.folder / name)
            # last and whole: who looks meanwhile finds a recording, or none
            with (self.folder / NEW_META).open("xb") as head:
                head.write(text)
                head.flush()
                os.fsync(head.fileno())
            (self.folder / NEW_META).replace(self.folder / META)
            part.sync(self.folder)
            part.sync(self.folder.parent)
        except (OSError, RecordError):
            shutil.rmtree(self.folder, ignore_errors=True)  # nothing is in it yet
            self._unlock()
            raise

    def _take_locks(self) -> None:
        self._locks.append(FolderLock(self.folder))
        if self.path.exists():
            # it may have other names, with folders of their own
            self._locks.append(FileLock(self.path))

    def _reopen(self, replay: Replay) -> None:
        for name, length in part.ends_of(self.folder).items():
            self._streams[name] = Stream(self.folder / name, length)
        checkpoint = replay.checkpoints[-1].step if replay.checkpoints else 0
        self._last["checkpoint"] = self._last["journal"] = checkpoint
        self._last["event"] = replay.events[-1][0] if replay.events else 0
        if len(replay.steps):
            self._framed = self._last["frame"] = int(replay.steps[-1])
            self._held = replay.poses[-1].copy()

    def _pack(self, text: bytes, mode: int) -> None:
        """Packs the folder; the name of the result is there only when all of it is. mode: as for `os.open`."""
        whole = part.read(self.folder, meta=text)
        packed = self.folder / "packed"
        try:
            packed.unlink(missing_ok=True)
            with open(packed, "xb", opener=partial(os.open, mode=mode)) as stream:
                archive.write(whole, stream)
                stream.flush()
                if self.path.exists():
                    # what takes the place of a file may be read and written by the same people
                    os.chmod(packed, stat.S_IMODE(self.path.stat().st_mode))
                os.fsync(stream.fileno())
            if KEEPS_OPEN_FILES:
                self._unlock()
            take_place(packed, self.path, force=self._replaces)
        except OSError:
            packed.unlink(missing_ok=True)  # half of it would only take the room that is missing
            raise
        part.sync(self.path.parent)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._unlock()

    def _line(self, kind: str, name: str, step: int, entry: Mapping[str, Any]) -> None:
        line = line_of(operator.index(step), entry)
        self._step(kind, step)
        stream = self._streams[name]
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(f"the {kind} entry has {len(line)} bytes; at most {MAX_LINE_BYTES} are allowed")
        most = MAX_BYTES_OF.get(name, MAX_TEXT_BYTES)
        if stream.length + len(line) > most:
            raise RecordError(self.folder, f"{name} is full at {most} bytes: close and begin a new one")
        with self._disk():
            stream.add(line)

    def _step(self, kind: str, step: int, at_least: int = 0) -> int:
        self._check_open()
        step = operator.index(step)
        last = max(self._last[kind], at_least)
        if not last <= step <= MAX_STEPS:
            raise ValueError(f"{kind} at step {step} after step {last}: steps never run backwards")
        self._last[kind] = step
        return step

    def _rows(self, poses: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        rows = self._absent()
        unknown = [name for name in poses if name not in self._places]
        if unknown:
            raise ValueError(f"no body is called {unknown[0]!r}: name every body in the meta data")
        if poses:
            values = np.array([*poses.values()], dtype=np.float64)
            if values.shape != (len(poses), 7):
                raise ValueError(f"poses have the shape {values.shape}; each is a row of 7: metres and xyzw")
            rows[[self._places[name] for name in poses]] = values
        fault = pose_fault(rows)
        if fault:
            raise ValueError(f"the pose of {self._meta.names[fault[0][0]]!r} {fault[1]}")
        return rows

    def _absent(self) -> NDArray[np.float64]:
        return np.full((len(self._meta.bodies), 7), np.nan)

    def _end_still(self) -> None:
        """Puts the last of the frames that were left out into the track, so that rest ends where it ended."""
        if self._still is not None:
            self._write_frame(self._still)

    def _write_frame(self, step: int) -> None:
        record = np.zeros((), dtype=self._kinds["<f4"])
        record["step"], record["poses"] = step, self._held
        with self._disk():
            self._streams[part.TRACK].add(record.tobytes())
        self._framed, self._still = step, None

    def _check_open(self) -> None:
        if self._state == "closed":
            raise ValueError(f"the recording {self.path} is closed")
        if self._state != "open":
            raise RecordError(self.path, f"is not recorded any more: {self._state}")

    @contextlib.contextmanager
    def _disk(self) -> Iterator[None]:
        """Turns what goes wrong with the disk into a RecordError; after it nothing more is written."""
        try:
            yield
        except RecordError as error:
            self._state = error.problem
            raise
        except OSError as error:
            self._state = f"cannot be written ({error.strerror or error})"
            problem = f"{self._state}: make room or choose another folder"
            if self.folder.exists():
                problem += f"; what was recorded up to the last action is safe in {self.folder}"
            raise RecordError(self.path, problem) from None
        finally:
            if self._state not in ("open", "closed"):
                self._leave(self._state)

    def _leave(self, reason: str) -> None:
        """Lets the files go; the folder stays as it is."""
        self._state = reason
        for stream in self._streams.values():
            with contextlib.suppress(OSError):
                stream.flush()
            stream.close()
        self._unlock()

    def _unlock(self) -> None:
        while self._locks:
            self._locks.pop().release()
