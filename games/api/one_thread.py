"""Linear algebra in one thread while teeter computes: its matrices are small, and threads that wait for each other take
twenty times as long where the cores have something else to do."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from teeter.models.system import after_fork

VARIABLE = "OPENBLAS_NUM_THREADS"
_lock = threading.Lock()
_inside = 0
"""Calls under way, in all threads."""
_over: threading.Event | None = None
"""What the thread that holds the limit waits for."""
_holder: threading.Thread | None = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Until the end of the last of all blocks; then it is as it was. Processes that are started meanwhile keep to one
    thread too."""
    global _inside
    with _lock:
        if not _inside and VARIABLE not in os.environ:
            _limit()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _free()


def _limit() -> None:
    """Only the thread that limited OpenBLAS may free it, and the first call may end long before the last: a thread
    of its own does both."""
    import scipy.linalg  # noqa: F401  # it has an OpenBLAS of its own
    import threadpoolctl  # noqa: F401

    global _over, _holder
    begun, _over = threading.Event(), threading.Event()
    _holder = threading.Thread(target=_hold, args=(begun, _over), name="one-thread", daemon=True)
    _holder.start()
    begun.wait()


def _hold(begun: threading.Event, over: threading.Event) -> None:
    from threadpoolctl import threadpool_limits

    try:
        with threadpool_limits(1, user_api="blas"):
            os.environ[VARIABLE] = "1"
            begun.set()
            over.wait()
    finally:
        os.environ.pop(VARIABLE, None)
        begun.set()


def _free() -> None:
    global _over, _holder
    if _over is not None and _holder is not None:
        _over.set()
        _holder.join()
        _over = _holder = None


def _renew_lock() -> None:
    """A child process may have been forked while another thread held the lock."""
    global _lock
    _lock = threading.Lock()


after_fork(_renew_lock)
