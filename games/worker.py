"""A process of its own that is sent messages and sends messages back, and never makes the sender wait.

`ChildProcess` starts it, sends, polls and ends it. `Questioner` puts one question at a time to one, keeps only the last
of those that wait, and replaces a process that died or takes too long. A worker whose parent is gone ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from models.errors import TeeterError

STOP_TIMEOUT_S = 5.0
"""In which a process that was asked to stop has to stop."""
ORPHAN_TIMEOUT_S = 15.0
"""In which a process whose parent is gone has to end: enough to pack a recording."""
CONNECTION_LOST = (EOFError, OSError)
"""How a pipe says that the process at its other end is gone."""

Question = TypeVar("Question")
Reply = TypeVar("Reply")
Overrides = Callable[[Any, Any], bool]


class ChildProcess:
    """One process. entry: `module:function`, called there with its end of the pipe and the arguments, so that what it
    needs is loaded in it alone. overrides: whether a message makes the one before it pointless, which is dropped then.
    """

    def __init__(self, name: str, entry: str, *args: object, overrides: Overrides | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(
            target=_run, args=(entry, other, *args), daemon=True, name=f"teeter {name}"
        )
        self._process.start()
        other.close()
        self._overrides = overrides
        self._received: deque[Any] = deque()
        self._lock = threading.Lock()
        self._is_connected = True
        # so that the process never waits for a window that draws
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        try:
            while True:
                message = self._line.recv()
                with self._lock:
                    last = self._received[-1] if self._received else None
                    if last is not None and self._overrides is not None and self._overrides(message, last):
                        self._received.pop()
                    self._received.append(message)
        except CONNECTION_LOST:
            self._is_connected = False

    def send(self, message: object) -> None:
        """Send a message; one to a process that is gone is lost."""
        try:
            self._line.send(message)
        except CONNECTION_LOST:
            self._is_connected = False

    def poll(self) -> list[Any]:
        """Returns what was received since the last call."""
        with self._lock:
            found = list(self._received)
            self._received.clear()
        return found

    @property
    def is_dead(self) -> bool:
        """Whether the process is gone and everything it sent was polled."""
        return not self._is_connected and not self._received

    def close(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Give the process so long to end by itself, then end it."""
        self._process.join(timeout_s)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(STOP_TIMEOUT_S)
        self._line.close()


def _run(entry: str, line: Connection, *args: object) -> None:
    """What the process does."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    module, _, function = entry.partition(":")
    getattr(import_module(module), function)(line, *args)


def _end_with_parent() -> None:
    """End this process some time after its parent: the pipe has told it by then, unless it never looks."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    time.sleep(ORPHAN_TIMEOUT_S)
    os._exit(1)


class Failed(Exception):  # noqa: N818 - the outcome of a question, not a fault of the program
    """A question that was not answered; why, in words."""


class Questioner(Generic[Question, Reply]):
    """Puts questions to a process. entry: `module:function` as for `ChildProcess`, usually one that calls `answer_all`.

    The process starts with the first message. timeout_s: in which a question has to be answered.
    """

    def __init__(self, name: str, entry: str, timeout_s: float) -> None:
        self._name, self._entry, self._timeout_s = name, entry, timeout_s
        self._worker: ChildProcess | None = None
        self._told: list[object] = []
        self._number = 0
        self._asked: tuple[int, float] | None = None
        self._next: tuple[int, Question] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a question is being answered."""
        return self._asked is not None

    def tell(self, fact: object) -> None:
        """Send what later questions build on; a process that takes the place of this one is told it too."""
        self._told.append(fact)
        if self._worker is not None:
            self._worker.send((None, fact))

    def ask(self, question: Question) -> int:
        """Ask, or have it wait in place of the question that waits now; returns the number its answer will have."""
        self._number += 1
        self._next = (self._number, question)
        self._send_next()
        return self._number

    def _send_next(self) -> None:
        if self._asked is not None or self._next is None:
            return
        if self._worker is None:
            self._worker = ChildProcess(self._name, self._entry)
            for fact in self._told:
                self._worker.send((None, fact))
        number, question = self._next
        self._asked, self._next = (number, time.monotonic()), None
        self._worker.send((number, question))

    def poll(self) -> list[tuple[int, Reply | Failed]]:
        """Returns what was answered since the last call, each with the number of its question."""
        found: list[tuple[int, Reply | Failed]] = []
        if self._worker is not None:
            found = self._worker.poll()
            if found:
                self._asked = None
            elif self._asked is not None:
                number, since = self._asked
                if self._worker.is_dead:
                    found = [(number, Failed("the process that answers died"))]
                elif time.monotonic() - since > self._timeout_s:
                    found = [(number, Failed(f"no answer within {self._timeout_s:g} s"))]
                if found:
                    self._stop()
        self._send_next()
        return found

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.close(timeout_s=0.0)
        self._worker = self._asked = None

    def close(self) -> None:
        """End the process; what is asked is not answered."""
        self._next = None
        self._stop()


def answer_all(
    line: Connection,
    learn: Callable[[Any], None],
    answer: Callable[[Any], Any],
    refusals: tuple[type[Exception], ...] = (TeeterError, ValueError, RuntimeError),
) -> None:
    """Answer a `Questioner` until it is gone. refusals: errors that are told as `Failed`; others end the process."""
    try:
        while True:
            number, message = line.recv()
            if number is None:
                learn(message)
                continue
            try:
                line.send((number, answer(message)))
            except refusals as error:
                line.send((number, Failed(str(error))))
    except (*CONNECTION_LOST, KeyboardInterrupt):
        pass
