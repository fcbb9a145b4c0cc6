"""The temporary folder of a process, which nothing outlives."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

SCRATCH = "teeter-"
"""How names of temporary folders begin."""
LOCK = "lock"

_scratch: tuple[int, Path] | None = None
"""The process that owns the temporary folder, and the folder."""


def scratch_folder() -> Path:
    """Returns a temporary folder of this process alone.

    A forked process has its own inside its parent's, which goes with the parent however the child ended; what a killed
    parent left is removed when the next one makes its own.
    """
    global _scratch
    if _scratch is None:
        _sweep()
        _scratch = os.getpid(), _locked_folder()
        atexit.register(_remove_scratch)
    owner, folder = _scratch
    if owner != os.getpid():
        folder = folder / str(os.getpid())
        folder.mkdir(exist_ok=True)
    return folder


def _locked_folder() -> Path:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        if _take(folder):
            return folder


def _take(folder: Path) -> bool:
    """Take the lock of a temporary folder, which the kernel releases with this process; whether it was free."""
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return False
    return True


def _sweep() -> None:
    """Remove the temporary folders of processes that were killed."""
    for lock in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*/{LOCK}"):
        with suppress(OSError):
            if _take(lock.parent):
                shutil.rmtree(lock.parent, ignore_errors=True)


def _remove_scratch() -> None:
    if _scratch is not None and _scratch[0] == os.getpid():
        shutil.rmtree(_scratch[1], ignore_errors=True)
