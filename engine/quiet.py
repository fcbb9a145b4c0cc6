"""Silence for libraries that write to the process's standard output behind Python's back."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_output() -> Iterator[None]:
    """Everything written to file descriptor 1 inside is dropped, C's buffers included."""
    sys.stdout.flush()
    _flush()
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output: nothing to protect
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _flush() -> None:
    """Empty C's own buffers: they would be written at exit, long after the descriptor is back."""
    try:
        ctypes.CDLL(None).fflush(None)
    except (OSError, AttributeError):  # not a C library we know: the greeting stays, nothing else is lost
        return
