"""On PYTHONPATH this takes from Python, in every process that is started, what it has on no Windows: modules, calls and
flags. Only our own imports miss the modules, since libraries bring others for Windows.

Locks are of bytes as there: kept by the open file, refused at once, and never of bytes that others read. Files that are
open are still removed and replaced here, names may hold any letter, and line ends stay: that is not simulated.
"""

import builtins
import errno
import fcntl
import multiprocessing
import os
import signal
import sys
import types
from typing import Any

HIDDEN = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "readline"}
CALLS = ("fork", "geteuid", "pread", "pwrite", "fchmod", "register_at_fork", "getpgid", "killpg")
FLAGS = ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_DIRECTORY")
SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "setitimer", "ITIMER_REAL")

_import = builtins.__import__


def _without(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:
    if name in HIDDEN and str((globals or {}).get("__name__", "")).startswith("teeter"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _import(name, globals, *more, **named)


def _locking(file: int, mode: int, count: int) -> None:
    if os.lseek(file, 0, os.SEEK_CUR) < os.fstat(file).st_size:
        raise PermissionError(errno.EACCES, "a byte that others read must not be locked")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


msvcrt: Any = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK, msvcrt.locking = 2, _locking
for early in ("asyncio", "shutil", "subprocess", "tempfile"):
    __import__(early)
sys.modules["msvcrt"] = msvcrt
multiprocessing.get_all_start_methods = lambda: ["spawn"]
multiprocessing.set_start_method("spawn")
builtins.__import__ = _without
for where, names in ((os, (*CALLS, *FLAGS)), (signal, SIGNALS)):
    for each in names:
        vars(where).pop(each, None)
