"""What operating systems do differently: flags and locks of files, whose a file is, what follows a fork."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ALONE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
"""Opens a file as bytes, and for no process that is started."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Opens no link, where a system can be told."""
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Does not wait for the other end of a pipe, where there are such files."""
KEEPS_OPEN_FILES = fcntl is None
"""Whether a file that is open can neither be removed nor replaced, as on Windows."""
LOCKED_BYTE = 1 << 30
"""Which byte is locked where locks are of bytes, and keep others from reading them: far behind what is in the files."""
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


def lock(file: int, *, of_process: bool = False) -> bool:
    """Lock a file that is open, until it is closed, or its process ends, however it ends. Returns False where another
    has it; raises OSError where the file system knows no locks.

    of_process: processes that are forked have no part in it; but it is lost when any descriptor of the file is closed
    here. Else it is that of the open file. On Windows, where nothing is forked, both are one.
    """
    try:
        if fcntl is None:
            _lock_byte(file)
        elif of_process:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in BUSY:
            return False
        raise
    return True


def _lock_byte(file: int) -> None:
    import msvcrt

    here = os.lseek(file, 0, os.SEEK_CUR)
    try:
        os.lseek(file, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    finally:
        os.lseek(file, here, os.SEEK_SET)


def user() -> int:
    """Returns whose files this process makes, as `st_uid` says it; 0 where systems do not say."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def after_fork(begin_anew: Callable[[], None]) -> None:
    """Have something called in every process that is forked from this one, where there are such."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin_anew)
