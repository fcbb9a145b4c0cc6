"""How the command ends. Exit codes 0, 1 and 3 are answers: no closed stream, full disk or broken pipe makes one up, or
takes one away. Loads nothing but the standard library.
"""

import contextlib
import errno
import io
import os
import sys
from typing import Any, NoReturn

ANSWERS = (1, 3)
"""Exit codes that only a command that has its answer may leave with."""
CRASHED = 70
"""A fault of the program or of what it runs on, as in sysexits.h: no verdict."""
OUT_OF_MEMORY = "teeter: out of memory, no verdict\n"

_HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_answers: list[int] = []
_asked: list[bool] = []


class Output(io.FileIO):
    """Standard output or standard error. What cannot be written is dropped, and remembered: a reader that has gone, or
    a full disk, is no answer. failure: the first that was more than a reader who has read enough."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write what can be written."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if error.errno != errno.EPIPE and self.failure is None:
                self.failure = error
            return len(data)


def open_streams() -> None:
    """Put streams that never fail in the place of standard output and standard error. A closed one leads nowhere, and
    no file that is opened later takes its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for name, number in (("stdout", 1), ("stderr", 2)):
        before = getattr(sys, name)
        with contextlib.suppress(OSError, ValueError, AttributeError):
            before.flush()
        raw = Output(number, "w", closefd=False)
        # names are in any language; a terminal that cannot print them shows them escaped
        text = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=getattr(before, "encoding", None) or "utf-8",
            errors="backslashreplace",
            line_buffering=number == 2 or raw.isatty(),
        )
        setattr(sys, name, text)


def guard() -> None:
    """See to it that C code that calls `exit` (OpenBLAS does with 1, where it finds no memory) leaves with 70. Python's
    own end is `end`."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError, TypeError):  # not there, or not called so
        libc = ctypes.CDLL(None)
        libc.__cxa_atexit(ctypes.cast(libc._exit, ctypes.c_void_p), ctypes.c_void_p(CRASHED), None)


def end(code: int) -> NoReturn:
    """End the process at once with an exit code, when all that is temporary has been cleared away."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def ask() -> None:
    """Note that a command has begun: from now on it owes an answer."""
    _answers.clear()
    _asked[:] = [True]


def answer(code: int) -> int:
    """Returns the exit code of a command that has done what it was asked, and notes that it has."""
    _answers[:] = [code]
    return code


def code_of(error: SystemExit) -> int:
    """Returns the exit code to leave with: an answer that no command gave, or that could not be written, is none."""
    code = error.code
    final = code if isinstance(code, int) else 0 if code is None else CRASHED
    if final in (0, *ANSWERS) and _answers != [final] and (final or _asked):
        final = CRASHED
        files = hiding(error)
        why = f"; {files} may hide a package: take its folder out of PYTHONPATH" if files else ""
        sys.stderr.write(f"teeter: ended without an answer{why}\n")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    failure = raw.failure if isinstance(raw, Output) else None
    if failure is not None and final in (0, *ANSWERS):
        final = CRASHED
        sys.stderr.write(f"teeter: the answer could not be written: {failure.strerror}\n")
    return final


def hiding(error: BaseException) -> str:
    """Returns the files that may hide a package of Python or of teeter, of those that an error came of; empty for none:
    they lie in a folder that Python searches, beside neither."""
    own = {os.path.realpath(folder) for folder in (sys.prefix, sys.base_prefix, _HOME)}
    files = [
        getattr(module, "__file__", None) for name, module in sorted(sys.modules.items()) if "." not in name
    ]
    behind: BaseException | None = error
    while behind is not None:
        trace = behind.__traceback__
        while trace is not None:
            files.append(trace.tb_frame.f_code.co_filename)
            trace = trace.tb_next
        behind = behind.__cause__ or behind.__context__
    searched = {os.path.realpath(folder or os.curdir) for folder in sys.path} - own
    # where pip installs, of whatever environment
    searched = {
        folder for folder in searched if os.path.basename(folder) not in ("site-packages", "dist-packages")
    }
    paths = []
    for file in filter(None, files):
        if file.startswith("<"):
            continue
        folder = os.path.dirname(os.path.realpath(file))
        if os.path.basename(file) == "__init__.py":
            folder = os.path.dirname(folder)
        is_own = any(folder.startswith(prefix + os.sep) for prefix in own)
        if folder in searched and not is_own and os.path.basename(file) != "__main__.py":
            paths.append(os.path.realpath(file))
    return ", ".join(dict.fromkeys(paths))


PACKAGES = {"direct": "panda3d", "pybullet_utils": "pybullet", "pydantic_core": "pydantic", "click": "typer"}
"""Which package brings a module that is not called like it."""


def missing(error: BaseException) -> str:
    """Returns which package an error came of that is not here, and how to install it; empty for another error."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, ModuleNotFoundError) and behind.name:
            name = behind.name.partition(".")[0]
            package = PACKAGES.get(name, name).replace("_", "-")
            if not os.path.exists(os.path.join(_HOME, name)):
                from teeter.models.extras import install_line

                return (
                    f"{sys.executable} has no package {package!r}: install teeter with this Python's pip, or only this "
                    f"one: {install_line(package)} (teeter doctor lists all that is missing)"
                )
        behind = behind.__cause__ or behind.__context__
    return ""


def out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that it came of, is of memory that ran out; of libraries too that found no room."""
    while error is not None:
        if isinstance(error, MemoryError) or "failed to map segment" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def cannot_start(error: BaseException) -> NoReturn:
    """Leave because Python could not load the program: a package is missing, or a file hides it. Raises MemoryError
    where memory has run out."""
    files = hiding(error)
    if out_of_memory(error):
        raise MemoryError from None
    why = missing(error) if not files else ""
    if not why:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        why += f"; {files} may hide a package: take its folder out of PYTHONPATH" if files else ""
    sys.stderr.write(f"teeter: cannot start: {why}\n")
    raise SystemExit(CRASHED)
