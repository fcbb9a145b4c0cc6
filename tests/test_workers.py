"""Workers: asked, polled, timed out, replaced when they die, gone with their parent; many inputs answered in order."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from teeter.engine.workers import Failed, Questioner, Worker, WorkerDiedError
from teeter.games.server.client import FRAMES, PhysicsClient
from teeter.games.server.messages import Broken, GameUpdate, Plan, TableView, Tilt, Waits

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60.0
ENTRY = "test_workers:adder"

FORKED = """
import os, pathlib, signal, sys, time
from teeter.engine.workers import WorkerError, in_order

def dies_once(number):
    mark = pathlib.Path(sys.argv[1])
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02 if number % 3 == 0 else 0.0)
    return number * number

def dies(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number

def refuses(number):
    if number == 2:
        raise ValueError(f"not {number}")
    return number

with in_order(dies_once, range(20), workers=2) as answers:
    assert list(answers) == [number * number for number in range(20)]
assert pathlib.Path(sys.argv[1]).exists()
try:
    with in_order(dies, range(8), workers=2) as answers:
        list(answers)
except WorkerError as error:
    print(error)
seen = []
try:
    with in_order(refuses, range(8), workers=3) as answers:
        for answer in answers:
            seen.append(answer)
except ValueError as error:
    print(error, seen)
with in_order(dies_once, iter(int, 1), workers=2) as endless:
    print(next(endless))
"""
"""In an interpreter of its own: where other threads run, nothing is forked, and what dies is the test's process."""


def adder() -> Callable[[list[int], Any], int]:
    """Returns what answers in the process: it adds what it was told to what it is asked, and has some bad habits."""
    told: list[int] = []

    def answer(news: list[int], question: Any) -> int:
        told.extend(news)
        if question == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if question == "sleep":
            time.sleep(600.0)
        if question == "refuse":
            raise ValueError("not that")
        return sum(told) + int(question)

    return answer


def until(found: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if seen := found():
            return seen
        time.sleep(0.01)
    raise AssertionError(f"waited in vain for {what}")


@pytest.fixture
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "tests"), str(ROOT))))


def test_answers_come_in_order_and_the_dead_are_replaced(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FORKED, str(tmp_path / "died")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert "3 times over 3" in told[0]
    # what was answered before the refusal is kept, what an endless list still held is dropped
    assert told[1:] == ["not 2 [0, 1]", "0"]


def test_a_worker_is_asked_polled_and_raises_what_it_met() -> None:
    worker = Worker(math.sqrt, start_method="spawn")
    try:
        worker.ask(9.0)
        with pytest.raises(ValueError, match="still answering"):
            worker.ask(4.0)
        assert worker.poll(30.0)
        assert worker.result() == 3.0
        worker.ask(-1.0)
        with pytest.raises(ValueError, match="domain"):
            worker.result()
        assert not worker.poll()
    finally:
        worker.close()


def test_a_worker_that_thinks_for_too_long_is_closed_and_one_that_dies_says_so() -> None:
    worker = Worker(time.sleep, start_method="spawn")
    worker.ask(600.0)
    assert not worker.poll(0.1)
    worker._process.kill()
    assert worker.poll(30.0)
    with pytest.raises(WorkerDiedError, match="without an answer"):
        worker.result()
    with pytest.raises(WorkerDiedError, match="is gone"):
        worker.ask(0.0)
    worker.close()


@pytest.mark.usefixtures("_importable")
def test_questions_are_answered_one_at_a_time_and_only_the_last_waits() -> None:
    questions: Questioner[Any, Any] = Questioner("adder", ENTRY, PATIENCE_S)
    questions.tell(10)
    first = questions.ask(1)
    questions.ask(2)
    last = questions.ask(3)
    assert until(questions.poll, "an answer") == [(first, 11)]
    assert until(questions.poll, "an answer") == [(last, 13)]
    assert not questions.is_busy
    refused = questions.ask("refuse")
    ((number, answer),) = until(questions.poll, "a refusal")
    assert number == refused
    assert isinstance(answer, Failed)
    assert str(answer) == "not that"
    questions.close()


@pytest.mark.usefixtures("_importable")
def test_a_process_that_dies_is_said_so_and_its_successor_knows_what_it_knew() -> None:
    questions: Questioner[Any, Any] = Questioner("adder", ENTRY, PATIENCE_S)
    questions.tell(10)
    questions.ask("die")
    ((_, answer),) = until(questions.poll, "its death")
    assert isinstance(answer, Failed)
    assert "died" in str(answer)
    number = questions.ask(1)
    assert until(questions.poll, "an answer") == [(number, 11)]
    assert questions._worker is not None
    questions._worker._process.kill()
    questions._worker._process.join()
    number = questions.ask(2)
    (answered,) = until(questions.poll, "an answer of its successor")
    assert answered == (number, 12)
    questions.close()


@pytest.mark.usefixtures("_importable")
def test_a_question_that_takes_too_long_is_given_up() -> None:
    questions: Questioner[Any, Any] = Questioner("adder", ENTRY, 0.5)
    questions.ask("sleep")
    ((_, answer),) = until(questions.poll, "the end of patience")
    assert isinstance(answer, Failed)
    assert "no answer within 0.5 s" in str(answer)
    assert not questions.is_busy
    questions.close()


@pytest.mark.usefixtures("_importable")
def test_a_worker_ends_when_its_parent_is_killed() -> None:
    script = (
        "import os, signal\n"
        "from teeter.engine.workers import Questioner\n"
        f"one = Questioner('adder', {ENTRY!r}, 60.0)\n"
        "one.ask(1)\n"
        "while not one.poll(): pass\n"
        "print(one._worker._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"if __name__ == '__main__':\n  exec({script!r})"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pid = int(done.stdout)
    until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid), "the end of the orphan")


def _is_zombie(pid: int) -> bool:
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_a_window_hears_as_many_views_as_a_film_has_and_that_the_physics_died() -> None:
    physics = PhysicsClient(plan := Plan("sandbox", ("Ana",), scene="arch"))
    physics.begin(plan)
    heard: list[Any] = []

    def hears(kind: type) -> bool:
        heard.extend(physics.news())
        return any(isinstance(each, kind) for each in heard)

    until(lambda: hears(Waits), "the first turn")
    assert any(isinstance(each, GameUpdate) for each in heard)
    heard.clear()
    physics.send(Tilt(2.0, 0.0))
    until(lambda: any(isinstance(each, Waits) for each in list(physics._received)), "the end of the tilt")
    views = [each for each in physics.news() if isinstance(each, TableView)]
    last = views[-1]
    seconds = (last.step - views[0].step) / last.rate
    # of two that are nearer than those of a film one is kept
    assert len(views) <= 2 * FRAMES * seconds + 3, "too many views for a window that looked away"
    assert last.step > last.rate / 10
    pid = physics._process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    said = until(lambda: [each for each in physics.news() if isinstance(each, Broken)], "its death")
    assert "died" in said[0].why
    assert physics.news() == []
    physics.close()
