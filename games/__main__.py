"""The command `teeter`, and `python -m games`. Nothing is loaded before it is known what to do when a signal comes."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""By signal, as shells say it."""
PACKAGES = ("engine", "models", "scenes")


def main() -> None:
    """Entry point of the command."""
    for number in EXIT_CODES:
        signal.signal(number, _leave_while_loading)
    _refuse_foreign_packages()
    # names are in any language; a terminal that cannot print them shows them escaped
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    came: list[int] = []
    # registered first, it is called last: when all that is temporary has been cleared away
    atexit.register(_leave_as_told, came)
    from games import cli
    from games.commands.console import Terminated

    def interrupt(number: int, frame: object) -> NoReturn:
        came.append(number)
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        """An interrupt that came where Python drops exceptions, as in a callback, comes again a moment later."""
        error = unraisable.exc_type
        if not issubclass(error, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return

        def late(number: int, frame: object) -> NoReturn:
            raise error

        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    def note(number: int, frame: object) -> None:
        came.append(number)

    sys.unraisablehook = again
    for number in EXIT_CODES:
        signal.signal(number, interrupt)
    try:
        cli.main()
    finally:
        # what is being put away is put away; the exit code tells of the signal
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number in EXIT_CODES:
            signal.signal(number, note)


def _leave_as_told(came: list[int]) -> None:
    """Leave with the code of the first signal that came, whatever was made of it."""
    if came:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(EXIT_CODES[signal.Signals(came[0])])


def _leave_while_loading(number: int, frame: object) -> NoReturn:
    """Leave at once: nothing is written yet, and an import cannot be broken off cleanly."""
    os._exit(EXIT_CODES[signal.Signals(number)])


def _refuse_foreign_packages() -> None:
    """Leave with exit code 2 where another folder hides a package of teeter: their names are common words."""
    home = Path(__file__).resolve().parent.parent
    for name in PACKAGES:
        spec = find_spec(name)
        found = [Path(each).resolve() for each in (spec.submodule_search_locations or ())] if spec else []
        if home / name not in found[:1]:
            where = found[0] if found else spec and spec.origin
            sys.stderr.write(
                f"teeter: {where} hides teeter's own package {name!r}: take its folder out of PYTHONPATH, "
                "or run teeter from another one\n"
            )
            raise SystemExit(2)


if __name__ == "__main__":
    main()
