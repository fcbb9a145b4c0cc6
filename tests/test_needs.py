"""Tests whose needs are missing are left out in one way, and counted; in CI they fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from teeter.models.extras import install_line

CONFTEST = """
from collections.abc import Generator
import needs, pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    needs.settled(report)
    return report
"""
TESTS = """
import needs, pytest
from window_driver import screen
def test_a_window():
    with screen():
        pass
def test_no_reason_of_ours():
    pytest.importorskip("no_such_package")
def test_opengl_is_here_and_the_fault_is_another():
    raise AssertionError("no OpenGL")
@pytest.mark.xfail(strict=True)
def test_known():
    raise AssertionError
"""


@pytest.mark.parametrize(
    ("ci", "line"), [("", "1 failed, 2 skipped, 1 xfailed"), ("true", "3 failed, 1 xfailed")]
)
def test_what_is_missing_is_counted_and_fails_in_ci(ci: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    here = Path(__file__).parent
    # no Xvfb is on this path
    env = os.environ | {"PATH": str(tmp_path), "CI": ci, "PYTHONPATH": f"{here}{os.pathsep}{here.parent}"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_some.py"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert line in done.stdout.splitlines()[-1], done.stdout
    assert "sudo apt-get install --yes xvfb xdotool" in done.stdout


@pytest.mark.parametrize(
    ("packages", "extra", "line"),
    [
        (("pyarrow",), "", r"pip install 'pyarrow[^']*>=17[^']*'"),
        ((), "rl", r"pip install 'gymnasium[^' ]+' 'pettingzoo[^' ]+'"),
        (("unheard-of",), "", "pip install 'unheard-of'"),
        ((), "unheard", r"pip install '\.\[unheard\]' in the folder of teeter"),
    ],
)
def test_the_line_that_installs_what_is_missing_asks_no_index_for_teeter(
    packages: tuple[str, ...], extra: str, line: str
) -> None:
    found = install_line(*packages, extra=extra)
    assert re.fullmatch(line, found), found
    assert "teeter[" not in found


def test_no_message_asks_an_index_for_teeter() -> None:
    root = Path(__file__).parent.parent
    for folder in ("engine", "games", "models", "scenes"):
        for path in (root / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"pip install '?teeter\b", text.partition('"""')[2].partition('"""')[2]), (
                path
            )
