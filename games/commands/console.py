"""What all commands share: consoles, exit codes, and one way to report bad input."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

OK, TOPPLES, BAD_INPUT, UNSURE = 0, 1, 2, 3


def teeter_version() -> str:
    """The installed version of teeter."""
    return version("teeter")


def refuse(message: str) -> NoReturn:
    """Report bad input on standard error and leave with exit code 2."""
    sys.stderr.write(f"teeter: {message}\n")
    raise typer.Exit(BAD_INPUT)


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
            sys.stderr.write("teeter: stopped\n")
            raise typer.Exit(130) from None
        except Exception as error:
            if not _is_expected(error):
                raise
            refuse(str(error))

    return guarded


def _is_expected(error: Exception) -> bool:
    """Whether an error is about the input: one of our own trees, or the file system's."""
    from engine.record.errors import RecordError
    from engine.topple.errors import ToppleError
    from engine.view.errors import ViewError
    from games.rules.errors import RulesError
    from models.errors import ModelError
    from scenes.faults import SceneError

    return isinstance(
        error, (ModelError, SceneError, RulesError, RecordError, ToppleError, ViewError, OSError)
    )


def print_json(value: Any) -> None:
    """Print a result as JSON, one document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")
