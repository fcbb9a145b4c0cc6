"""What is said when the display goes away, and the process with it."""

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable

EXIT_DISPLAY_LOST = 2

_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_kept: list[object] = []
"""The handlers that X11 holds on to."""


def say_when_lost(words: Callable[[], str]) -> None:
    """When the display goes away, writes what `words` returns to standard error and exits with code 2.

    X11 ends the process when its display is lost, so this runs in its error handler. Without X11 it does nothing:
    elsewhere a lost window is an event like any other.
    """
    name = ctypes.util.find_library("X11")
    if name is None:
        return

    def handler(display: int) -> int:
        os.write(2, f"teeter: {words()}\n".encode())
        sys.stdout.flush()
        os._exit(EXIT_DISPLAY_LOST)

    made = _Handler(handler)
    _kept.append(made)
    ctypes.CDLL(name).XSetIOErrorHandler(made)
