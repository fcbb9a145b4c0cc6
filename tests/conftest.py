"""Options of the test run, soak tests only when asked for, and the tables that long runs print."""

from __future__ import annotations

import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import needs
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.path.append(str(Path(__file__).parent / "research"))

# what a shell without job control starts in the background ignores interrupts, and hands that on: tests send some
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROWS: dict[str, list[tuple[str, dict[str, str]]]] = {}
"""By the title of a table: the test that told a row, and its cells."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--remake-golden",
        action="store_true",
        help="write tests/golden/*.txt anew instead of comparing with them",
    )
    parser.addoption(
        "--tables", type=Path, help="write the tables of soak tests as Markdown into this folder"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Soak tests take many minutes: they run only when `-m` names them, as `make soak` does. Of a `sampled` test's
    parameters all but every n-th are such."""
    seen: Counter[str] = Counter()
    for item in items:
        if (mark := item.get_closest_marker("sampled")) is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % mark.args[0]:
                item.add_marker(pytest.mark.soak)
            seen[name] += 1
    if "soak" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("soak")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    needs.settled(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    needs.settled(report)
    return report


@pytest.fixture(autouse=True)
def _no_fault_is_survived() -> Iterator[None]:
    """What a game goes on in spite of is a fault all the same; tests of that clear the log."""
    from teeter.games.faults import FAULTS

    yield
    noted = FAULTS.noted
    FAULTS.clear()
    assert not noted, "\n".join(fault.line for fault in noted)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of pages."""
    from chromium import started

    with started() as found:
        yield found


@pytest.fixture
def row(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """`row(title, **cells)` adds a row to a table that is printed after the run, failed or not."""

    def tell(title: str, **cells: object) -> None:
        record_property("row", (title, {name: _cell(value) for name, value in cells.items()}))

    return tell


def _in_order(told: tuple[str, dict[str, str]]) -> str:
    """By the name of the test, its numbers as numbers."""
    return re.sub(r"\d+", lambda found: found[0].zfill(9), told[0])


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Heard by the process that prints, whichever worker ran the test."""
    if report.when == "teardown":
        for name, told in report.user_properties:
            if name == "row":
                title, cells = cast(tuple[str, dict[str, str]], told)
                ROWS.setdefault(title, []).append((report.nodeid, cells))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    folder = config.option.tables
    for title, rows in sorted(ROWS.items()):
        lines = markdown([cells for _, cells in sorted(rows, key=_in_order)])
        terminalreporter.section(title)
        terminalreporter.write_line("\n".join(lines))
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            name = re.sub("[^a-z0-9]+", "_", title.lower()).strip("_") + ".md"
            text = "\n".join((f"# {title}", "", *lines))
            (folder / name).write_text(text + "\n", encoding="utf-8")


def markdown(rows: list[dict[str, str]]) -> list[str]:
    """A table as lines of Markdown, columns in the order in which they first come."""
    heads = list(dict.fromkeys(name for cells in rows for name in cells))
    table = [heads, *([cells.get(head, "") for head in heads] for cells in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(heads))]
    shown = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in table
    ]
    return [shown[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *shown[1:]]
