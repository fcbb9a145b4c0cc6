"""Workers: asked, polled, timed out, replaced when they die; and many inputs answered in order."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.workers import Worker, WorkerDiedError

FORKED = """
import os, pathlib, signal, sys, time
from engine.workers import WorkerError, in_order

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
