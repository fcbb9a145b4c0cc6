"""Questions answered by other processes: started, asked, polled, waited for, and replaced when they die.

`Worker` is one process that answers one question at a time; `Questioner` puts questions to one and keeps only the last
of those that wait; `in_order` asks many inputs the same question with several of them. Knows nothing of what is asked.
"""

import multiprocessing
import os
import reprlib
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, Literal, TypeVar

from teeter.engine.scratch import scratch_folder
from teeter.models.errors import TeeterError

Q = TypeVar("Q")
R = TypeVar("R")

AHEAD = 4
"""Inputs under way or answered ahead of the one that is waited for, per process: enough that none idles behind a slow
one, few enough that stopping early costs little."""
PARCEL = 8
"""Inputs that an executor or a cluster is sent together: a parcel takes long against a message."""
MAX_DEATHS = 3
"""Processes that may die over one input before it is given up."""


class WorkerError(TeeterError):
    """Processes died again and again while working, or the cluster cannot be reached."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of many answers. done: those found until then, as the call would have returned them."""

    def __init__(self, done: Any) -> None:
        super().__init__()
        self.done = done


class WorkerDiedError(WorkerError):
    """A process ended without an answer: killed, out of memory, or crashed in native code."""


_parent_ends: set[Connection] = set()
"""This process's ends of all pipes: a forked worker closes its copies, so that it hears when this process is gone."""


class Worker(Generic[Q, R]):
    """A process that calls `answer` with each question, one at a time, until it is closed.

    answer: runs in the process; with "spawn" it must be a function of a module. start_method: "fork" begins at once
    with all that is in memory (see `can_fork`), "spawn" with a fresh interpreter, on every system. Raises WorkerError
    in a process that may start none.
    """

    def __init__(
        self,
        answer: Callable[[Q], R],
        *,
        start_method: Literal["fork", "spawn"] = "fork",
        name: str = "worker",
    ) -> None:
        if not can_start():
            raise WorkerError(
                f"{multiprocessing.current_process().name} is a daemon of multiprocessing, which may start no process: "
                "use a concurrent.futures.ProcessPoolExecutor instead of a multiprocessing.Pool"
            )
        context = multiprocessing.get_context(start_method)
        scratch_folder()  # so that the worker's lies in it
        self.pipe, theirs = context.Pipe()
        _parent_ends.add(self.pipe)
        self._process: Any = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(theirs, answer), daemon=True, name=f"teeter {name}"
        )
        self._process.start()
        theirs.close()
        self.is_busy = False
        self._is_loading = start_method == "spawn"

    def ask(self, question: Q) -> None:
        """Sends a question without waiting for the answer. Raises ValueError while one is being answered,
        WorkerDiedError when the process is gone.
        """
        if self.is_busy:
            raise ValueError("the worker is still answering: take its result first")
        content = ForkingPickler.dumps(question)
        if self._is_loading:
            # what is large fills the pipe until somebody reads; that the process died tells `result`
            threading.Thread(target=_send, args=(self.pipe, content), daemon=True).start()
        else:
            try:
                self.pipe.send_bytes(content)
            except OSError as error:
                raise WorkerDiedError("the process is gone") from error
        self.is_busy, self._is_loading = True, False

    def poll(self, seconds: float = 0.0) -> bool:
        """Returns whether `result` would return or raise without waiting, after at most so many seconds."""
        return self.pipe.poll(seconds)

    def result(self) -> R:
        """Waits for the answer. Raises what `answer` raised, WorkerDiedError when the process ended instead."""
        try:
            is_answer, said = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerDiedError("the process ended without an answer") from error
        finally:
            self.is_busy = False
        if not is_answer:
            raise said
        answer: R = said
        return answer

    def close(self) -> None:
        """Kills the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        _parent_ends.discard(self.pipe)
        self.pipe.close()


def _send(pipe: Connection, content: memoryview) -> None:
    # a pipe that is closed meanwhile has no number any more
    with suppress(OSError, TypeError):
        pipe.send_bytes(content)


def _serve(pipe: Connection, answer: Callable[[Any], Any]) -> None:
    """The loop of the process."""
    end_with_parent()
    for end in _parent_ends:
        end.close()
    # an interrupt from the terminal reaches the whole group; the parent then closes its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        try:
            question = pipe.recv()
        except (EOFError, OSError):
            # the other end is gone
            return
        try:
            said = True, answer(question)
        except Exception as error:
            error.add_note(traceback.format_exc())
            said = False, error
        try:
            pipe.send(said)
        except OSError:
            return


def end_with_parent(grace_s: float = 0.0) -> None:
    """End this process when its parent is gone, or some time after it, whatever it is doing."""

    def wait_for_it() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        time.sleep(grace_s)
        os._exit(1)

    threading.Thread(target=wait_for_it, daemon=True).start()


class Failed(Exception):  # noqa: N818 - the outcome of a question, not a fault of the program
    """A question that was not answered; why, in words."""


class Questioner(Generic[Q, R]):
    """Puts questions to a process, one at a time, and never waits. entry: `module:function`, called once there, so that
    what it needs is loaded in it alone; returns what is called with the news since the last question and the question.

    The process starts with the first question. timeout_s: in which a question has to be answered.
    """

    def __init__(self, name: str, entry: str, timeout_s: float) -> None:
        self._name, self._entry, self._timeout_s = name, entry, timeout_s
        self._worker: Worker[tuple[list[object], Q], R] | None = None
        self._facts: list[object] = []
        self._known = self._number = 0
        self._asked: tuple[int, float] | None = None
        self._next: tuple[int, Q] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a question is being answered."""
        return self._asked is not None

    def tell(self, fact: object) -> None:
        """Add to what questions build on; a process that takes the place of this one is told it too."""
        self._facts.append(fact)

    def ask(self, question: Q) -> int:
        """Ask, or have it wait in place of the question that waits now; returns the number its answer will have."""
        self._number += 1
        self._next = (self._number, question)
        self._send_next()
        return self._number

    def _send_next(self) -> None:
        if self._asked is not None or self._next is None:
            return
        if self._worker is None:
            self._worker = Worker(partial(_answer, self._entry), start_method="spawn", name=self._name)
            self._known = 0
        number, question = self._next
        self._asked, self._next = (number, time.monotonic()), None
        news, self._known = self._facts[self._known :], len(self._facts)
        try:
            self._worker.ask((news, question))
        except WorkerDiedError:
            # it died since it answered last
            self._stop()
            self._next = (number, question)
            self._send_next()

    def poll(self) -> list[tuple[int, R | Failed]]:
        """Returns what was answered since the last call, with the number of its question."""
        answers: list[tuple[int, R | Failed]] = []
        if self._worker is not None and self._asked is not None:
            number, since = self._asked
            if self._worker.poll():
                answers = [(number, self._answer())]
                self._asked = None
            elif time.monotonic() - since > self._timeout_s:
                answers = [(number, Failed(f"no answer within {self._timeout_s:g} s"))]
                self._stop()
        self._send_next()
        return answers

    def _answer(self) -> R | Failed:
        assert self._worker is not None
        try:
            return self._worker.result()
        except WorkerDiedError:
            self._stop()
            return Failed("the process that answers died")
        except Exception as error:  # whatever it was, it is told in place of the answer
            return Failed(str(error))

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker = self._asked = None

    def close(self) -> None:
        """End the process; what is asked is not answered."""
        self._next = None
        self._stop()


def _answer(entry: str, asked: tuple[list[object], Any]) -> Any:
    """Answer in the process."""
    return _made(entry)(*asked)


@cache
def _made(entry: str) -> Callable[[list[object], Any], Any]:
    module, _, name = entry.partition(":")
    made: Callable[[list[object], Any], Any] = getattr(import_module(module), name)()
    return made


def can_start() -> bool:
    """Whether this process may start others: one of a `multiprocessing.Pool` may not."""
    return not multiprocessing.current_process().daemon


def can_fork() -> bool:
    """Whether workers can be forked: where the system can, and no other thread would be cut off half-way."""
    can = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return can and can_start()


def ask_each(ask: Callable[[Q], R], parcel: Iterable[Q]) -> list[R]:
    """Returns the answers of a parcel."""
    return [ask(one) for one in parcel]


@contextmanager
def in_order(
    ask: Callable[[Q], R],
    inputs: Iterable[Q],
    workers: int,
    executor: Executor | None = None,
    parcel: int = PARCEL,
) -> Iterator[Iterator[R]]:
    """The answers of `ask` in the order of the inputs, found by at most `workers` processes where more than one helps.
    executor: whose workers find them instead, sent so many inputs in a parcel.

    Work begins before the first answer is taken; leaving the block drops what is unfinished. A process that dies
    (killed, out of memory) is replaced and its input asked again. Iterating raises WorkerError when `MAX_DEATHS`
    processes died over one input, and whatever `ask` raises.
    """
    if executor is not None:
        questions = list(inputs)
        parcels = [questions[at : at + parcel] for at in range(0, len(questions), parcel)]
        waiting = [executor.submit(ask_each, ask, one) for one in parcels]
        try:
            yield (answer for future in waiting for answer in future.result())
        finally:
            for future in waiting:
                future.cancel()
        return
    if workers <= 1 or not can_fork():
        yield map(ask, inputs)
        return
    pool = _Pool(ask, iter(inputs), workers)
    try:
        pool.hand_out()
        yield pool.answers()
    finally:
        pool.close()


@dataclass(slots=True, eq=False)
class _Question:
    """An input on its way through the pool."""

    value: Any
    deaths: int = 0
    answer: Future[Any] = field(default_factory=Future)


class _Pool:
    """Workers that are given the next input as soon as they are idle; made when first needed."""

    def __init__(self, ask: Callable[[Any], Any], inputs: Iterator[Any], workers: int) -> None:
        self._ask, self._inputs, self._size = ask, inputs, workers
        self._workers: list[Worker[Any, Any]] = []
        self._asked: dict[Worker[Any, Any], _Question] = {}
        self._waiting: list[_Question] = []

    def hand_out(self) -> None:
        """Gives inputs to idle workers, as far ahead as is worth it."""
        while len(self._asked) < self._size and len(self._waiting) < AHEAD * self._size:
            try:
                question = _Question(next(self._inputs))
            except StopIteration:
                return
            self._waiting.append(question)
            self._give(question)

    def _give(self, question: _Question) -> None:
        idle = next((worker for worker in self._workers if worker not in self._asked), None)
        if idle is None:
            idle = Worker(self._ask)
            self._workers.append(idle)
        self._asked[idle] = question
        try:
            idle.ask(question.value)
        except WorkerDiedError:
            self._replace(idle)

    def _replace(self, dead: Worker[Any, Any]) -> None:
        """Asks what a dead worker was asked of a fresh one; gives up after so many deaths."""
        question = self._asked.pop(dead)
        self._workers.remove(dead)
        dead.close()
        question.deaths += 1
        if question.deaths >= MAX_DEATHS:
            raise WorkerError(
                f"processes died {question.deaths} times over {reprlib.repr(question.value)}: is there enough memory? "
                "--workers with a smaller number needs less"
            )
        self._give(question)

    def answers(self) -> Iterator[Any]:
        """The answers in the order of the inputs."""
        self.hand_out()
        while self._waiting:
            while not self._waiting[0].answer.done():
                self._collect()
            first = self._waiting.pop(0)
            self.hand_out()
            yield first.answer.result()

    def _collect(self) -> None:
        """Waits until a worker has answered or died."""
        ready = wait([worker.pipe for worker in self._asked])
        for worker in [worker for worker in self._asked if worker.pipe in ready]:
            try:
                self._asked[worker].answer.set_result(worker.result())
            except WorkerDiedError:
                self._replace(worker)
                continue
            except Exception as error:
                self._asked[worker].answer.set_exception(error)
            del self._asked[worker]
        self.hand_out()

    def close(self) -> None:
        for worker in self._workers:
            worker.close()
