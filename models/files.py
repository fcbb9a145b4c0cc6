"""Files that are written: only where they can be, whole or not at all, and never over another one unasked."""

import errno
import os
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import combinations, count
from pathlib import Path

from teeter.models.errors import TeeterError
from teeter.models.system import ALONE


class OutputError(TeeterError):
    """A file that cannot be written; the message names it and says why."""


def output_fault(path: Path, *, force: bool = False, inputs: Iterable[Path] = ()) -> str:
    """Returns why no file can be written at a path; empty when nothing stands against it.

    What is there already stays, unless `force`; a link, a device or a pipe stays in any case, and so does what is read
    (`inputs`), under whatever name.
    """
    if path.is_dir():
        return "is a folder; name a file"
    if any(_is_one_file(path, other) for other in inputs):
        return "is what is read here; choose another name"
    if os.path.lexists(path):
        if not stat.S_ISREG(path.lstat().st_mode):
            return "is no plain file; choose another name"
        if not force:
            return "is there already; choose another name, or replace it with --force"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        return "cannot be written: permission denied"
    return ""


def check_output(path: Path, *, force: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Raises OutputError when no file can be written at a path: before the work, not after it. As `output_fault`."""
    fault = output_fault(path, force=force, inputs=inputs)
    if fault:
        raise OutputError(f"{path}: {fault}")


def same_output(paths: Sequence[Path]) -> tuple[Path, Path] | None:
    """Returns two of some outputs that are one file, or may be one where letters of either case are the same."""
    return next(
        (pair for pair in combinations(paths, 2) if _is_one_file(*pair) or _is_one_place(*pair)), None
    )


def _is_one_file(path: Path, other: Path) -> bool:
    """Whether two names lead to one file that is there, by links, letters of either case, or a mount."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def _is_one_place(path: Path, other: Path) -> bool:
    names = {unicodedata.normalize("NFC", file.name).casefold() for file in (path, other)}
    return len(names) == 1 and _is_one_file(path.absolute().parent, other.absolute().parent)


@contextmanager
def whole_or_nothing(
    path: Path,
    errors: tuple[type[Exception], ...] = (OSError,),
    *,
    force: bool = False,
    mode: int = 0o666,
    makes_folder: bool = False,
) -> Iterator[Path]:
    """A new, empty file beside `path` to write to, which becomes it when all went well and vanishes otherwise.

    force: what has come to be at `path` may be replaced. mode: as for `os.open`. makes_folder: with those above it.
    Raises OutputError in place of what is listed in `errors`.
    """
    # nobody knows the name before, so nobody can lay a link there
    part = path.with_name(f".teeter-{secrets.token_hex(8)}.part")
    try:
        if makes_folder:
            make_folder(path.parent)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | ALONE, mode))
        yield part
        take_place(part, path, force=force)
    except errors as error:
        raise OutputError(
            f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder with those above it. Raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        is_file = isinstance(error, (FileExistsError, NotADirectoryError))
        why = "a file is in its place" if is_file else error.strerror or error
        raise OutputError(f"{folder}: the folder cannot be made: {why}") from None


def check_new_folder(folder: Path) -> None:
    """Raises OutputError when no folder of files can be made at a path: one that is there stays, unless it is empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: is there already; choose another name")
    if not folder.absolute().parent.is_dir():
        raise OutputError(f"{folder}: there is no folder {folder.absolute().parent}")


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` to write to, which becomes it when all went well and vanishes otherwise. Raises
    OutputError in place of OSError."""
    part = folder.absolute().with_name(f".teeter-{secrets.token_hex(8)}.part")
    try:
        part.mkdir()
        yield part
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def take_place(part: Path, path: Path, *, force: bool = False) -> None:
    """Give a file its name in one step; of two that want the same name unasked, one gets it. Raises OSError."""
    if force:
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise FileExistsError(errno.EEXIST, "is no plain file", str(path))
        os.replace(part, path)
        return
    try:
        _link(part, path)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, "somebody else has just written it", str(path)) from None


def _link(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
        part.unlink()
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | ALONE))
        os.replace(part, path)


def first_free(named: Callable[[int], Path], taken: Collection[Path] = ()) -> Path:
    """Returns the first of numbered paths, from 1, where no file is, nor one being written (`.part`, or `taken`)."""
    for path in map(named, count(1)):
        if path not in taken and not path.exists() and not path.with_name(path.name + ".part").exists():
            return path
    raise AssertionError("numbers have no end")
