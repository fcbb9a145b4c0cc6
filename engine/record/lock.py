"""One process at a time writes a recording: the lock of its folder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from engine.record.format import RecordError

LOCK = "lock"
"""The file in the folder; it holds the number of the process that writes."""
BUSY = (errno.EACCES, errno.EAGAIN)

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
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._key = _key(self._file)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in BUSY:
                holder = os.pread(self._file, 32, 0).decode("ascii", "replace").strip()
                os.close(self._file)
                raise being_recorded(folder, holder) from None
        _HELD.add(self._key)
        # the one who had it may have packed the folder and removed it meanwhile
        if _key(path) != self._key:
            self.release()
            raise RecordError(folder, "was closed by another process a moment ago: resume the file beside it")
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode("ascii"), 0)

    def release(self) -> None:
        """Let others write. Releasing twice is fine."""
        if self._key in _HELD:
            _HELD.discard(self._key)
            os.close(self._file)


def check_free(folder: Path) -> None:
    """Raise RecordError when somebody writes this folder; fine for a folder that is not there."""
    with contextlib.suppress(OSError):
        FolderLock(folder).release()


def being_recorded(folder: Path, holder: str) -> RecordError:
    """What is told to the second writer of a folder."""
    who = f"process {holder}" if holder.isdigit() else "another process"
    problem = f"is being recorded by {who}: wait until it ends, or fork the game with --record FILE"
    return RecordError(folder, problem)


def _key(file: Path | int) -> tuple[int, int]:
    """Device and inode; (0, 0) for a file that is not there."""
    try:
        there = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return there.st_dev, there.st_ino
