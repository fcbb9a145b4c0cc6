"""What tests need of the machine, and the one way to leave them out where it is missing.

Each is a reason to skip, which pytest counts in its last line. Where CI is set nothing is left out: a skip fails.
"""

from __future__ import annotations

import ctypes
import os
import shutil

import pytest

from teeter.engine.view.opengl import INSTALL_LINE, describe

PACKAGES = {
    "Xvfb": "xvfb",
    "xdotool": "xdotool",
    "chromium": "chromium",
    "groff": "groff-base",
    "ps": "procps",
    "libatomic.so.1": "libatomic1",
}
"""What is looked for, and Debian's package that brings it."""
NO_OPENGL = "no OpenGL"
"""What every error without a driver says, in this process or in one that a test started."""


def need(*things: str) -> None:
    """Skips the test unless programs and libraries are here. things: keys of PACKAGES."""
    missing = [PACKAGES[thing] for thing in things if not _is_here(thing)]
    if missing:
        pytest.skip(f"sudo apt-get install --yes {' '.join(missing)}")


def _is_here(thing: str) -> bool:
    if thing == "OpenGL":
        return describe().kind != "none"
    if ".so" not in thing:
        return shutil.which(thing) is not None
    try:
        ctypes.CDLL(thing)
    except OSError:
        return False
    return True


def settled(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turns a failure for want of OpenGL into a skip where there is none, and in CI every skip into a failure."""
    if report.failed and NO_OPENGL in report.longreprtext and describe().kind == "none":
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {INSTALL_LINE}")
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"nothing is left out in CI: {why}"
