"""The same question asked of many inputs, by several processes, answered in order.

A process that dies (killed, out of memory) is replaced and its inputs are asked again; an input that kills three of
them is reported.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from engine.topple.errors import WorkerError
from engine.topple.shake import can_fork

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 4
"""Inputs in the hands of each process: enough that none waits, few enough that stopping early costs little."""
MOST_DEATHS = 3


@contextmanager
def in_order(ask: Callable[[T], R], inputs: Iterable[T], workers: int) -> Iterator[Iterator[R]]:
    """The answers of `ask` in the order of the inputs, while at most `workers` processes find them.

    Leaving the block early drops what is still being worked on. Iterating raises WorkerError when processes died
    `MOST_DEATHS` times over one input, and whatever `ask` raises.
    """
    if workers <= 1 or not can_fork():
        yield map(ask, inputs)
        return
    crew = _Crew(ask, workers)
    try:
        yield crew.answers(iter(inputs))
    finally:
        crew.leave()


class _Crew:
    """A pool that is made anew when it breaks. Knows nothing of what is asked."""

    def __init__(self, ask: Callable[[Any], Any], workers: int) -> None:
        self._ask, self._workers = ask, workers
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, mp_context=multiprocessing.get_context("fork"))

    def answers(self, inputs: Iterator[Any]) -> Iterator[Any]:
        """In the order of the inputs."""
        waiting: list[tuple[Any, Future[Any]]] = []
        deaths = 0
        while True:
            while len(waiting) < AHEAD * self._workers:
                try:
                    one = next(inputs)
                except StopIteration:
                    break
                waiting.append((one, self._hand_out(one)))
            if not waiting:
                return
            try:
                answer = waiting[0][1].result()
            except BrokenProcessPool:
                deaths += 1
                if deaths >= MOST_DEATHS:
                    raise WorkerError(
                        f"processes died {deaths} times over {waiting[0][0]!r}: is there enough memory? "
                        "--workers with a smaller number needs less"
                    ) from None
                self._pool.shutdown()
                self._pool = self._new_pool()
                waiting = [(one, self._hand_out(one)) for one, _ in waiting]
                continue
            deaths = 0
            waiting.pop(0)
            yield answer

    def _hand_out(self, one: Any) -> Future[Any]:
        try:
            return self._pool.submit(self._ask, one)
        except BrokenProcessPool as error:
            broken: Future[Any] = Future()
            broken.set_exception(error)
            return broken

    def leave(self) -> None:
        """Drop what is not begun; what runs ends first."""
        self._pool.shutdown(cancel_futures=True)
