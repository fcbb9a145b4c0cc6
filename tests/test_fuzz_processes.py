"""Damaged files and odd arguments through the real command, a process each: a sentence, exit code 2, nothing written.

`python tests/fuzz_processes.py KIND --begin SEED --count 1 --keep DIR` shows again what a test found.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fuzz_inputs import KINDS
from fuzz_processes import BAD_INPUT, Ended, Trial, faults_of

TESTS = Path(__file__).resolve().parent
QUICK = 6
"""Inputs of a kind with all tests; thousands more are read in process by `test_fuzz_readers` and `test_fuzz_scenes`."""
MANY, PART = 7200, 600
"""Inputs of a kind in the soak, 100,800 together; so many by one process that forks."""


def fuzzed(kind: str, begin: int, count: int) -> dict[str, Any]:
    command = [
        sys.executable,
        str(TESTS / "fuzz_processes.py"),
        kind,
        "--begin",
        str(begin),
        "--count",
        str(count),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_some_inputs_of_every_kind() -> None:
    command = [sys.executable, str(TESTS / "fuzz_processes.py"), "--count", str(QUICK)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["kind"] for each in found] == list(KINDS), done.stderr
    assert [each["broken"] for each in found if each["broken"]] == []
    assert sum(each["refused"] for each in found) > len(KINDS) * QUICK / 2


@pytest.mark.soak
@pytest.mark.parametrize("begin", range(0, MANY, PART))
@pytest.mark.parametrize("kind", KINDS)
def test_many_inputs(kind: str, begin: int, row: Callable[..., None]) -> None:
    found = fuzzed(kind, begin, PART)
    broken = found.pop("broken")
    row("Fuzzed processes", **found, broken=len(broken))
    assert broken == []


SOUND = Ended(
    BAD_INPUT, "", "teeter: x.toml: is no scene\n", 0.1, 100 << 20, {"a": b"1"}, {"a": b"1"}, {}, False
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"code": 0, "said": "", "after": {"a": b"2"}}, None),
        ({"code": 1, "said": "Traceback (most recent call last):\n"}, "an uncaught error"),
        ({"code": 70, "said": "teeter: internal error, no verdict\n"}, "exit code 70"),
        ({"code": -11, "said": ""}, "exit code -11"),
        ({"code": 130, "said": "teeter: stopped\n"}, "exit code 130"),
        ({"cpu_s": 11.0}, "11.0 s of the processor"),
        ({"memory": 2 << 30}, "2048 MB"),
        ({"out": "stands"}, "refused, and yet printed"),
        ({"said": ""}, "0 lines"),
        ({"said": "a\n" * 30}, "30 lines"),
        ({"said": "x" * 400 + "\n"}, "a line that no terminal should see"),
        ({"said": "\x1b[31mred\n"}, "a line that no terminal should see"),
        ({"after": {"a": b"1", "b": b""}}, "refused, and yet written: ['b']"),
        ({"after": {}}, "refused, and yet written: ['a']"),
        ({"scratch": {"teeter-1/x": b""}}, "left in the temporary folder"),
    ],
)
def test_what_counts_as_broken(changes: dict[str, Any], words: str | None) -> None:
    found = faults_of(Trial(("check", "a")), replace(SOUND, **changes))
    if words is None:
        assert found == []
    else:
        assert any(words in each for each in found), found
