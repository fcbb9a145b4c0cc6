"""A display that goes away: X11 ends the process then, so the last words are said from within its error handler."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable

_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_kept: list[object] = []
"""The handlers that X11 holds on to."""
EXIT = 2


def say_when_lost(words: Callable[[], str]) -> None:
    """When the display goes away, write what `words` gives to standard error and leave with exit code 2.

    Without X11 it does nothing: elsewhere a lost window is an event like any other.
    """
    name = ctypes.util.find_library("X11")
    if name is None:
        return

    def handler(display: int) -> int:
        os.write(2, f"teeter: {words()}\n".encode())
        sys.stdout.flush()
        os._exit(EXIT)

    made = _Handler(handler)
    _kept.append(made)
    ctypes.CDLL(name).XSetIOErrorHandler(made)
