"""Linear algebra in one thread while teeter computes: its matrices are small, and threads that wait for each other take
twenty times as long where the cores have something else to do."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from teeter.models.system import after_fork

VARIABLE = "OPENBLAS_NUM_THREADS"
_lock = threading.Lock()
_limits = ExitStack()
_inside = 0
"""Calls under way, in all threads."""


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
                _limits.close()


def _limit() -> None:
    import scipy.linalg  # noqa: F401  # it has an OpenBLAS of its own
    from threadpoolctl import threadpool_limits

    _limits.enter_context(threadpool_limits(1, user_api="blas"))
    os.environ[VARIABLE] = "1"
    _limits.callback(os.environ.pop, VARIABLE, None)


def _renew_lock() -> None:
    """A child process may have been forked while another thread held the lock."""
    global _lock
    _lock = threading.Lock()


after_fork(_renew_lock)
