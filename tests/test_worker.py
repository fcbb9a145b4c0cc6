"""Processes beside the program: they answer, refuse, die, take too long, and end when their parent is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from games.worker import ChildProcess, Failed, Questioner, answer_all

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60.0
ENTRY = "test_worker:answer"


def answer(line: Connection) -> None:
    """The process: it adds what it was told to what it is asked, and has some bad habits."""
    told: list[int] = []

    def reply(question: Any) -> Any:
        if question == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if question == "sleep":
            time.sleep(600.0)
        if question == "refuse":
            raise ValueError("not that")
        return sum(told) + question

    answer_all(line, told.append, reply)


def echo(line: Connection, greeting: str) -> None:
    line.send(greeting)
    while True:
        message = line.recv()
        if message == "end":
            return
        line.send(message)


def until(found: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if seen := found():
            return seen
        time.sleep(0.01)
    raise AssertionError(f"waited in vain for {what}")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "tests"), str(ROOT))))


def test_a_worker_says_and_hears_and_ends() -> None:
    worker = ChildProcess("echo", "test_worker:echo", "hello")
    assert until(worker.poll, "a greeting") == ["hello"]
    worker.send(7)
    assert until(worker.poll, "an echo") == [7]
    assert not worker.is_dead
    worker.send("end")
    until(lambda: worker.is_dead, "its end")
    worker.send("to nobody")
    worker.close()


def test_of_messages_that_override_each_other_the_last_is_polled() -> None:
    worker = ChildProcess("echo", "test_worker:echo", 0, overrides=lambda new, old: True)
    for number in range(1, 4):
        worker.send(number)
    worker.send("end")
    until(lambda: not worker._process.is_alive(), "its end")
    until(lambda: worker._received and worker._received[-1] == 3, "the last message")
    assert worker.poll() == [3]
    worker.close()


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


def test_a_process_that_dies_is_said_so_and_its_successor_knows_what_it_knew() -> None:
    questions: Questioner[Any, Any] = Questioner("adder", ENTRY, PATIENCE_S)
    questions.tell(10)
    questions.ask("die")
    ((_, answer),) = until(questions.poll, "its death")
    assert isinstance(answer, Failed)
    assert "died" in str(answer)
    number = questions.ask(1)
    assert until(questions.poll, "an answer") == [(number, 11)]
    questions.close()


def test_a_question_that_takes_too_long_is_given_up() -> None:
    questions: Questioner[Any, Any] = Questioner("adder", ENTRY, 0.5)
    questions.ask("sleep")
    ((_, answer),) = until(questions.poll, "the end of patience")
    assert isinstance(answer, Failed)
    assert "no answer within 0.5 s" in str(answer)
    assert not questions.is_busy
    questions.close()


def test_a_worker_ends_when_its_parent_is_killed() -> None:
    script = (
        "import os, signal, games.worker as worker\n"
        "one = worker.ChildProcess('echo', 'test_worker:echo', 'hello')\n"
        "while not one.poll(): pass\n"
        "print(one._process.pid, flush=True)\n"
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


def test_a_window_hears_that_the_physics_died() -> None:
    from games.ui.messages import Broken, Plan
    from games.ui.physics_client import PhysicsClient

    physics = PhysicsClient(Plan("sandbox", ("Ana",)))
    until(physics.news, "the first news")
    process = physics._worker._process
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    said = until(lambda: [each for each in physics.news() if isinstance(each, Broken)], "its death")
    assert "died" in said[0].why
    assert physics.news() == []
    physics.close()
