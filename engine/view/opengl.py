"""Which OpenGL this machine has, and the errors that say what to do when it has none.

The driver is asked in a process of its own, which a broken one may take down.
"""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from teeter.models.errors import TeeterError


def debian_packages(group: str) -> dict[str, str]:
    """Returns Debian's packages of a group of `debian.toml`, with what each is for."""
    text = resources.files("teeter.engine.view").joinpath("debian.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)[group])


INSTALL_LINE = f"sudo apt-get update && sudo apt-get install --yes {' '.join(debian_packages('run'))}"
"""What a bare Debian or Ubuntu needs for pictures without a screen; the drivers come along by dependency."""


class ViewError(TeeterError, RuntimeError):
    """A picture cannot be made; the message says why and, for a missing driver, how to install one."""


def no_graphics(reason: str) -> ViewError:
    """Returns the error for a machine that cannot draw at all."""
    return ViewError(
        f"no OpenGL for pictures without a screen: {reason}\n"
        f"On Debian or Ubuntu this installs what is missing:\n    {INSTALL_LINE}"
    )


def no_screen(reason: str) -> ViewError:
    """Returns the error for a machine that can draw but has no screen for a window."""
    return ViewError(
        f"no window can be opened: {reason}\n"
        "A window needs a desktop (DISPLAY is set there). Without one, `xvfb-run teeter ...` makes a screen nobody "
        "sees (sudo apt-get install --yes xvfb xauth), and `teeter play --headless` plays games of bots."
    )


Kind = Literal["gpu", "software", "none"]
# a cold start of a software driver on a busy machine takes a few seconds
PROBE_TIMEOUT_S = 60.0
# names of drivers that compute on the processor
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swr", "software", "microsoft basic render")
_PROBE = """
import json
from teeter.engine.view.opengl import ViewError
try:
    from teeter.engine.view.render.device import device
    found = device()
    print(json.dumps({"name": found.renderer, "version": found.version}))
except (ViewError, ImportError) as error:
    print(json.dumps({"missing": str(error)}))
"""


@dataclass(frozen=True, slots=True)
class Renderer:
    """What draws. name, version: from the driver. remedy: what to do when there is none."""

    kind: Kind
    name: str = ""
    version: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        if self.kind == "none":
            return self.remedy if self.remedy.startswith("no OpenGL") else f"no OpenGL: {self.remedy}"
        return f"{'GPU' if self.kind == 'gpu' else 'software GL'}: {self.name} (OpenGL {self.version})"


@cache
def describe() -> Renderer:
    """Returns the renderer of this machine. Never raises, and opens nothing in this process."""
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE],
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Renderer("none", remedy=f"asking the driver failed ({type(error).__name__}); {INSTALL_LINE}")
    return _read(probe.returncode, probe.stdout, probe.stderr)


def _read(code: int, out: str, err: str) -> Renderer:
    """Returns what the probe found, from its exit code and output."""
    if code < 0:
        return Renderer(
            "none", remedy=f"the driver crashed (signal {-code}); install a sound one: {INSTALL_LINE}"
        )
    try:
        report = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        report = {"missing": err.strip().splitlines()[-1] if err.strip() else f"exit code {code}"}
    if said := report.get("missing"):
        return Renderer(
            "none", remedy=said if INSTALL_LINE in said else f"{said}; to install a driver: {INSTALL_LINE}"
        )
    return Renderer(kind_of(report["name"]), report["name"], report["version"])


def kind_of(name: str) -> Kind:
    """Returns whether a renderer of this name is a graphics card or computes on the processor."""
    return "software" if any(word in name.lower() for word in SOFTWARE) else "gpu"
