"""The command `teeter`, and `python -m games`. Nothing is loaded before it is known what to do when a signal comes."""

from __future__ import annotations

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
    from games import cli

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _leave)
    cli.main()


def _leave_while_loading(number: int, frame: object) -> NoReturn:
    """Leave at once: nothing is written yet, and an import cannot be broken off cleanly."""
    os._exit(EXIT_CODES[signal.Signals(number)])


def _leave(number: int, frame: object) -> NoReturn:
    """Leave as after any other end, so that workers are closed and no half-written file stays."""
    raise SystemExit(EXIT_CODES[signal.Signals(number)])


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
