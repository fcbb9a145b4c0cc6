"""Scene files that ask for too much, through the real command: refused in seconds, with little memory, by a sentence
that says where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_scenes import HOSTILE

pytestmark = pytest.mark.slow
TESTS = Path(__file__).resolve().parent
MAX_CPU_S, MAX_MEMORY_MB = 5, 450
"""Of the process itself, which has all packages loaded before it reads the file (some 150 MB)."""


@pytest.fixture(scope="module")
def ended(request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """How those end that are asked for in this run."""
    asked = " ".join(item.name for item in request.session.items if item.path == Path(__file__))
    names = [name for name in HOSTILE if f"[{name}]" in asked]
    done = subprocess.run(
        [sys.executable, str(TESTS / "fuzz_processes.py"), "--scenes", *names],
        capture_output=True,
        text=True,
        check=True,
    )
    return {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_scene_that_asks_for_too_much_is_refused_before_it_is_made(
    name: str, ended: dict[str, dict[str, Any]]
) -> None:
    end = ended[name]
    assert (end["code"], end["faults"]) == (2, [])
    assert HOSTILE[name][2] in end["said"]
    assert end["said"].startswith("teeter: x."), "it says where"
    assert end["cpu_s"] < MAX_CPU_S
    assert end["memory_mb"] < MAX_MEMORY_MB
