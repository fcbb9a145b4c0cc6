"""What all commands share: consoles, exit codes, and one way to report bad input."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

OK, TOPPLES, BAD_INPUT, UNSURE = 0, 1, 2, 3
CRASHED = 70
"""A fault of the program, as in sysexits.h: no verdict."""
STOPPED = 130
"""By Ctrl-C, as shells say it."""


def teeter_version() -> str:
    """The installed version of teeter."""
    return version("teeter")


def refuse(message: str) -> NoReturn:
    """Report bad input on standard error and leave with exit code 2."""
    sys.stderr.write(f"teeter: {message}\n")
    raise typer.Exit(BAD_INPUT)


def stopped() -> NoReturn:
    """Leave because of Ctrl-C."""
    sys.stderr.write("teeter: stopped\n")
    sys.exit(STOPPED)


def crashed(error: Exception) -> NoReturn:
    """Leave because of a fault of the program: one line, and a file with what a report needs."""
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")[:200]
    report = "".join(
        (
            f"teeter {teeter_version()}, Python {sys.version.split()[0]}, {sys.platform}\n",
            f"arguments: {sys.argv[1:]!r}\n\n",
            *traceback.format_exception(error),
        )
    )
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="teeter-crash-", suffix=".txt", encoding="utf-8", errors="replace", delete=False
        ) as file:
            file.write(report)
        where = f"please report it with {file.name}"
    except OSError:
        where = "please report it"
    sys.stderr.write(f"teeter: internal error, no verdict: {_plain(what)}; {where}\n")
    sys.exit(CRASHED)


def _plain(text: str) -> str:
    """Text that any terminal can print: control and foreign characters escaped."""
    return "".join(each if " " <= each <= "~" else ascii(each)[1:-1] for each in text)


def one_thread_each() -> None:
    """Keep the linear algebra of a process to one thread: several processes share the cores. Before numpy is loaded."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def reports(command: Callable[P, R]) -> Callable[P, R]:
    """A command whose expected errors become one clear message and exit code 2, never a traceback."""

    @wraps(command)
    def guarded(*args: P.args, **named: P.kwargs) -> R:
        try:
            return command(*args, **named)
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            stopped()
        except Exception as error:
            if not _is_expected(error):
                raise
            refuse(str(error))

    return guarded


def _is_expected(error: Exception) -> bool:
    """Whether an error is about the input: one of our own, or the file system's."""
    from models.errors import TeeterError

    return isinstance(error, (TeeterError, OSError))


def print_json(value: Any) -> None:
    """Print a result as JSON, one document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")
