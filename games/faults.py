"""Faults of this program: the file that reports one, and what goes on in spite of it.

A command that meets a fault leaves. What is only shown or said beside a game (a panel, a lesson, a hint, the story) is
left out instead, said to be so, and reported once:

    with left_out("the tutorial"):
        tutorial.step(client, grip)
    facts = or_else("the facts", lambda: details.items(client), ())
"""

import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

MOST_REPORTS = 20
"""Of one process: a program that fails at every turn does not fill a disk."""
SHOWN_S = 10.0
"""Seconds for which a fault is shown after it came last."""
MAX_SAID = 200
"""Characters of an error that are said in a line."""


def teeter_version() -> str:
    """The installed version of teeter."""
    from importlib.metadata import PackageNotFoundError, version  # ten milliseconds, and few commands ask

    try:
        return version("teeter")
    except PackageNotFoundError:
        return "unknown"


def write_report(error: BaseException, what: str = "") -> Path | None:
    """Write what a report needs to a file of its own. what: what it happened to. Returns the file, None where none can
    be written."""
    report = "".join(
        (
            f"teeter {teeter_version()}, Python {sys.version.split()[0]}, {sys.platform}\n",
            f"arguments: {sys.argv[1:]!r}\n",
            f"fault in: {what}\n\n" if what else "\n",
            *traceback.format_exception(error),
        )
    )
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="teeter-crash-", suffix=".txt", encoding="utf-8", errors="replace", delete=False
        ) as file:
            file.write(report)
    except OSError:
        return None
    return Path(file.name)


def one_line(error: BaseException) -> str:
    """Returns an error in one short line of plain letters."""
    words = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return ascii(words[:MAX_SAID])[1:-1]


def interrupt_behind(error: BaseException) -> KeyboardInterrupt | None:
    """Returns the interrupt that an error came of, as one in the middle of an import; None where there was none."""
    behind = error.__cause__ or error.__context__
    if behind is None or isinstance(behind, KeyboardInterrupt):
        return behind
    return interrupt_behind(behind)


@dataclass(frozen=True, slots=True)
class SurvivedFault:
    """One fault that was survived. what: what was left out. said: the error. file: its report, None for none."""

    what: str
    said: str
    file: Path | None

    @property
    def brief(self) -> str:
        """For everybody at the table."""
        return f"Internal error in {self.what}; the game goes on."

    @property
    def line(self) -> str:
        """For who can report it."""
        report = f"with {self.file}" if self.file is not None else f"({self.said})"
        return f"{self.brief} Please report it {report}"


class FaultLog:
    """The faults that this process has survived: each once, however often it comes."""

    def __init__(self) -> None:
        self._noted: dict[tuple[str, type[BaseException], str, int], SurvivedFault] = {}
        self._last: tuple[float, SurvivedFault] | None = None

    @property
    def noted(self) -> tuple[SurvivedFault, ...]:
        """Every one, in order."""
        return tuple(self._noted.values())

    def recent(self) -> SurvivedFault | None:
        """Returns the one that came last, if it came in the last seconds."""
        if self._last is None or time.monotonic() - self._last[0] > SHOWN_S:
            return None
        return self._last[1]

    def note(self, what: str, error: Exception) -> None:
        """Take note of a fault. Raises what is none: an interrupt, and memory that has run out."""
        if (interrupt := interrupt_behind(error)) is not None:
            raise interrupt
        if isinstance(error, MemoryError):
            raise error
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        # what it says may change with every picture; where it comes from does not
        key = (what, type(error), *places[-1])
        if key not in self._noted and len(self._noted) < MOST_REPORTS:
            self._noted[key] = SurvivedFault(what, one_line(error), write_report(error, what))
        self._last = time.monotonic(), self._noted.get(key) or SurvivedFault(what, one_line(error), None)

    def clear(self) -> None:
        """Forget all of them."""
        self._noted.clear()
        self._last = None


FAULTS = FaultLog()
"""Those of this process."""


@contextmanager
def left_out(what: str) -> Iterator[None]:
    """What fails within is left out, and noted. what: what it is for, in words for people."""
    try:
        yield
    except Exception as error:
        FAULTS.note(what, error)


def or_else(what: str, find: Callable[[], T], otherwise: U) -> T | U:
    """Returns what is found, or else something instead, and notes the fault. what: as for `left_out`."""
    try:
        return find()
    except Exception as error:
        FAULTS.note(what, error)
        return otherwise
