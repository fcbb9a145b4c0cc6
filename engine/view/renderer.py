"""Which OpenGL there is, found out in a process of its own, which a broken driver may take down."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Literal

from engine.view.errors import INSTALL_LINE, ViewError
from engine.view.look import Quality

Kind = Literal["gpu", "software", "none"]
# seconds; a cold start of a software driver on a busy machine takes a few
PATIENCE = 60.0
# how drivers that compute on the processor call themselves
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swr", "software", "microsoft basic render")
_PROBE = """
import json
from engine.view.errors import ViewError
try:
    from engine.view.device import device
    found = device()
    print(json.dumps({"name": found.renderer, "version": found.version}))
except (ViewError, ImportError) as error:
    print(json.dumps({"missing": str(error)}))
"""


@dataclass(frozen=True, slots=True)
class Renderer:
    """What draws. name, version: as the driver says. remedy: what to do when there is none."""

    kind: Kind
    name: str = ""
    version: str = ""
    remedy: str = ""

    @property
    def quality(self) -> Quality:
        """The quality level that runs smoothly on it."""
        return "high" if self.kind == "gpu" else "medium"

    def __str__(self) -> str:
        if self.kind == "none":
            return self.remedy if self.remedy.startswith("no OpenGL") else f"no OpenGL: {self.remedy}"
        return f"{'GPU' if self.kind == 'gpu' else 'software GL'}: {self.name} (OpenGL {self.version})"


@cache
def describe() -> Renderer:
    """The renderer of this machine. Never raises, and opens nothing in this process."""
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Renderer("none", remedy=f"asking the driver failed ({type(error).__name__}); {INSTALL_LINE}")
    return _read(probe.returncode, probe.stdout, probe.stderr)


def _read(code: int, out: str, err: str) -> Renderer:
    """What the probe found, from its exit code and output."""
    if code < 0:
        return Renderer(
            "none", remedy=f"the driver crashed (signal {-code}); install a sound one: {INSTALL_LINE}"
        )
    try:
        found = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        found = {"missing": err.strip().splitlines()[-1] if err.strip() else f"exit code {code}"}
    if "missing" in found:
        said = str(found["missing"])
        return Renderer(
            "none", remedy=said if INSTALL_LINE in said else f"{said}; to install a driver: {INSTALL_LINE}"
        )
    return Renderer(kind_of(found["name"]), found["name"], found["version"])


def kind_of(name: str) -> Kind:
    """Whether a renderer of this name is a graphics card or computes on the processor."""
    return "software" if any(word in name.lower() for word in SOFTWARE) else "gpu"


def require() -> Renderer:
    """The renderer, or ViewError with the line that installs one."""
    found = describe()
    if found.kind == "none":
        raise ViewError(str(found))
    return found
