"""What can go wrong with pictures, said so that people know what to do."""

from __future__ import annotations

from models.errors import TeeterError

DEBIAN_PACKAGES = ("libegl1", "libgl1")
INSTALL_LINE = "sudo apt-get update && sudo apt-get install --yes " + " ".join(DEBIAN_PACKAGES)
"""What a bare Debian or Ubuntu needs for pictures without a screen; the drivers come along by dependency."""


class ViewError(TeeterError, RuntimeError):
    """A picture cannot be made; the message says why and, for a missing driver, how to install one."""


def no_graphics(reason: str) -> ViewError:
    """The error for a machine that cannot draw at all."""
    return ViewError(
        f"no OpenGL for pictures without a screen: {reason}\n"
        f"On Debian or Ubuntu this installs what is missing:\n    {INSTALL_LINE}"
    )


def no_screen(reason: str) -> ViewError:
    """The error for a machine that draws, but has no screen for a window."""
    return ViewError(
        f"no window can be opened: {reason}\n"
        "A window needs a desktop (DISPLAY is set there). Without one, `xvfb-run teeter ...` makes a screen nobody "
        "sees (sudo apt-get install --yes xvfb xauth), and `teeter play --headless` plays games of bots."
    )
