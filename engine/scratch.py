"""The temporary folder of a process, which nothing outlives."""

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import parent_process
from multiprocessing.util import Finalize
from pathlib import Path

from teeter.models.errors import TeeterError
from teeter.models.system import ALONE, KEEPS_OPEN_FILES, NO_LINK, NO_WAIT, after_fork, lock, user

SCRATCH = "teeter-"
"""How names of temporary folders begin."""
LOCK = "owned"  # earlier versions take what holds a `lock` for theirs to remove
MARK = b"a temporary folder of teeter, removed when its process has ended\n"
"""What stands in the lock of a folder that is ours to remove, before its device and inode."""

LAST = -100
"""Among what is done at the end of a process: after the processes that it started have ended."""

_scratch: tuple[int, Path] | None = None
"""The process that owns the temporary folder, and the folder."""
_within: tuple[int, Path] | None = None
"""A worker, and its folder inside that of its parent."""
_making = threading.Lock()


def scratch_folder() -> Path:
    """Returns a temporary folder of this process alone, which its threads share.

    A worker has its own inside its parent's, which goes with the parent however the worker ended; what a killed
    process left is removed when the next one makes its own. A folder that something else has removed, as what cleans
    a system does, is made anew.
    """
    global _scratch, _within
    with _making:
        process = os.getpid()
        for kept in (_within, _scratch):
            if kept is not None and kept[0] == process and _is_ours(kept[1]):
                return kept[1]
        # a process that was forked and goes on by itself, as a daemon does, has no part in its parent's
        if _scratch is not None and _scratch[0] != process and parent_process() is not None:
            folder = _scratch[1] / str(process)
            with suppress(OSError):
                # what another process of this number left there is of no use
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(mode=0o700)
                _within = process, folder
                _remove_at_end(folder)
                return folder
        _sweep()
        _scratch = process, _locked_folder()
        return _scratch[1]


class ScratchError(TeeterError):
    """A temporary file that cannot be written whole; the message says where, and what to do."""


@contextmanager
def scratch_files() -> Iterator[None]:
    """Raises ScratchError in place of what goes wrong with temporary files: their disk is full, as a rule."""
    try:
        yield
    except OSError as error:
        why = f"a temporary file cannot be written ({error.strerror or error})"
        raise ScratchError(
            f"{tempfile.gettempdir()}: {why}: make room, or set TMPDIR to another folder"
        ) from error


def _is_ours(folder: Path) -> bool:
    """Whether a folder that this process made is still there, and not another's of its name."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == user()


def _remove_at_end(folder: Path, file: int | None = None) -> None:
    """Has a folder removed when this process ends; unlike `atexit`, a process of multiprocessing hears of it too. file:
    its lock, which is open."""
    Finalize(None, _remove, args=(folder, file), exitpriority=LAST)


def _remove(folder: Path, file: int | None) -> None:
    if KEEPS_OPEN_FILES and file is not None:
        os.close(file)
    shutil.rmtree(folder, ignore_errors=True)


def _renew_lock() -> None:
    global _making
    _making = threading.Lock()


# a thread of the parent may have held it
after_fork(_renew_lock)


def _locked_folder() -> Path:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | ALONE, 0o600)
        # held by the open file and not by the process, as POSIX locks are: no other thread that looks lets it go
        if not lock(file):  # another looks at it just now
            os.close(file)
            shutil.rmtree(folder, ignore_errors=True)
            continue
        os.write(file, _mark(folder))
        if (folder / LOCK).exists():
            _remove_at_end(folder, file)
            return folder


def _mark(folder: Path) -> bytes:
    """What stands in the lock of one folder: copied into another it says nothing of that."""
    status = folder.lstat()
    return MARK + b"%d %d\n" % (status.st_dev, status.st_ino)


def _sweep() -> None:
    """Remove the temporary folders of processes that were killed: those that this user made, with our mark."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        with suppress(OSError):
            if _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether a folder is ours, and its process is gone. Raises OSError where that cannot be seen."""
    status = folder.lstat()
    if status.st_uid != user() or not stat.S_ISDIR(status.st_mode):
        return False
    file = os.open(folder / LOCK, os.O_RDONLY | NO_LINK | ALONE | NO_WAIT)
    try:
        there = os.fstat(file)
        if there.st_uid != user() or not stat.S_ISREG(there.st_mode) or os.read(file, 200) != _mark(folder):
            return False
        return lock(file)
    finally:
        os.close(file)
