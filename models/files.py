"""Files that are written: only where they can be, whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from models.errors import TeeterError


class OutputError(TeeterError):
    """A file that cannot be written; the message names it and says why."""


def output_fault(path: Path) -> str:
    """Returns why no file can be written at a path; empty when nothing stands against it."""
    if path.is_dir():
        return "is a folder; name a file"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        return "cannot be written: permission denied"
    return ""


def check_output(path: Path) -> None:
    """Raises OutputError when no file can be written at a path: before the work, not after it."""
    fault = output_fault(path)
    if fault:
        raise OutputError(f"{path}: {fault}")


@contextmanager
def whole_or_nothing(path: Path, errors: tuple[type[Exception], ...] = (OSError,)) -> Iterator[Path]:
    """A path beside `path` to write to, which becomes it when all went well and vanishes otherwise.

    Raises OutputError in place of what is listed in `errors`.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    except errors as error:
        raise OutputError(
            f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def first_free(named: Callable[[int], Path]) -> Path:
    """Returns the first of numbered paths, from 1, where no file is, nor one being written (`.part`)."""
    paths = map(named, count(1))
    return next(
        path for path in paths if not path.exists() and not path.with_name(path.name + ".part").exists()
    )
