"""The scaffold of the long runs: they wait until they are asked for, and what they measured is printed and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
LONG = """
import pytest

@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 1])
def test_long(row, seed):
    row("A table", seed=seed, share=seed / 3)
    assert seed != 2

def test_short():
    pass
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"), "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    soak: long\n", "utf-8")
    (folder / "test_it.py").write_text(LONG, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    # a run inside a run is no worker of the outer one
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    # what the conftest imports
    env["PYTHONPATH"] = f"{TESTS}{os.pathsep}{TESTS.parent}"
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env)


def test_long_runs_wait_until_they_are_named(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert "1 passed, 2 deselected" in done.stdout, done.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_what_they_measured_is_printed_and_kept_failed_or_not(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    done = run(tmp_path, "-m", "soak", "--tables", str(tmp_path / "tables"), *workers)
    table = "| seed | share |\n|------|-------|\n| 1    | 0.333 |\n| 2    | 0.667 |\n"
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert table in done.stdout
    assert (tmp_path / "tables" / "a_table.md").read_text("utf-8") == f"# A table\n\n{table}"
