"""Memory that a simulator has freed, given back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Give back what lies free between what is in use. Bullet's worlds come and go in blocks of megabytes, and glibc
    keeps them: of a process that plays fifty games, 60 MB. Nothing where there is no glibc."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
