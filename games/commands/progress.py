"""A progress bar on standard error, for whatever takes longer than a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 1.0
"""Seconds before the bar appears."""

Told = Callable[[int, int], None]
"""Called with how many are done, of how many."""


@contextmanager
def bar(words: str) -> Iterator[Told]:
    """Something to tell how far the work is: a bar on a terminal, once it takes longer than a moment."""
    started = time.perf_counter()
    # without its thread, which would keep the work from forking its processes
    progress = Progress(
        TextColumn(words),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
    task = progress.add_task("")
    showing = False

    def told(done: int, total: int) -> None:
        nonlocal showing
        if not showing and progress.console.is_terminal and time.perf_counter() - started > PATIENCE:
            showing = True
            progress.start()
        progress.update(task, completed=done, total=total, refresh=showing)

    try:
        yield told
    finally:
        if showing:
            progress.stop()
