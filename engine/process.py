"""What libraries do to the process behind Python's back, put right: suppress standard error, trim the heap, load no
tools that nobody uses."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def suppress_stderr() -> Iterator[None]:
    """Drops what is written to file descriptor 2 inside; exceptions pass. For imports, not for work."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # the process has no standard error: nothing to protect
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def trim_heap() -> None:
    """Returns free memory to the system. Bullet's worlds come and go in blocks of megabytes, and glibc keeps them: of a
    process that plays fifty games, 60 MB. Does nothing where there is no glibc."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def load_no_tools() -> None:
    """Keeps numpy's Fortran compiler and its test tools out of what numpy says it holds. scipy copies all of that when
    it is imported, which would load them: a tenth of a second. For processes of our own alone, before scipy is loaded.
    """
    with suppress(ImportError):
        import numpy

        tools = {"f2py", "testing", "ma", "polynomial", "rec", "char", "core", "ctypeslib"}
        numpy.__all__ = [name for name in numpy.__all__ if name not in tools]
        getattr(numpy, "__numpy_submodules__", set()).difference_update(tools)
