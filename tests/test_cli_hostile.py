"""Odd arguments through the real command: one line for each fault, nothing that a terminal would obey, exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
ESCAPE = "\x1b[31mred\x1b]0;title\x07"
BRIDGE = ("sweep", "bridge", "--piece", "counterweight")


def teeter(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "teeter", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


LINES: dict[str, tuple[str, ...]] = {
    "file": ("check", f"{ESCAPE}.toml"),
    "without": ("check", "arch", "--without", ESCAPE),
    "long": ("check", "x" * 3000),
    "game": ("play", ESCAPE),
    "players": ("play", "wonky", "--headless", "--players", f"{ESCAPE},bot:steady"),
    "range": (*BRIDGE, "--x=1e308:-1e308:3", "--y=0"),
    "cluster": (*BRIDGE, "--x=0", "--y=0", "--dask", "nonsense"),
    "video": ("video", ESCAPE, "-o", "x.mp4"),
    "long command": ("x" * 3000,),
    "long option": ("check", "arch", "--" + "x" * 3000),
    "one too many": ("check", "arch", "x" * 3000),
    "turned round": ("check", "arch", "\u202eabc"),
}
MOST_LINES = {"long command": 9, "long option": 9, "one too many": 9, "turned round": 9}
"""Where the usage is shown too, in a box; of others two."""


@pytest.fixture(scope="module")
def ended() -> dict[str, dict[str, Any]]:
    """How each line ends, in a process of its own that is forked from one that has loaded everything."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "fuzz_processes.py"), "--lines"],
        input=json.dumps(list(LINES.values())),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(LINES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", LINES)
def test_bad_arguments_are_refused_in_a_short_line(name: str, ended: dict[str, dict[str, Any]]) -> None:
    found = ended[name]
    assert (found["code"], found["out"], found["faults"]) == (2, "", [])
    assert 1 <= len(found["said"].splitlines()) <= MOST_LINES.get(name, 2)


def test_many_faults_are_counted_not_listed(tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    piece = '[[piece]]\nid = "p{}"\nshape = {{ box = [1, 2, -3] }}\n'
    file.write_text("teeter = 1\n" + "".join(map(piece.format, range(60))))
    lines = teeter("check", str(file)).stderr.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... and 100 more"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_names_in_other_letters_never_break_a_command(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "名.toml"
    piece = 'teeter = 1\n[[piece]]\nid = "梁"\nshape = { box = [60, 30, 15] }\nposition = [0, 0]\n'
    file.write_text(piece, encoding="utf-8")
    done = teeter("check", str(file), PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    done = teeter("probe", str(file), "--piece", "脚", PYTHONIOENCODING=encoding)
    assert done.returncode == 2
    assert "\\u811a" in done.stderr


def test_a_current_folder_that_was_removed_is_named(tmp_path: Path) -> None:
    """The system names no file then, though the one that is asked for is there."""
    record = ROOT / "tests" / "recordings" / "wonky-2.teeter"
    words = 'mkdir gone; cd gone; rmdir ../gone; exec "$0" -m teeter verify "$1"'
    done = subprocess.run(
        ["sh", "-c", words, sys.executable, str(record)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = "teeter: the current folder was removed: change to one that exists\n"
    assert (done.returncode, done.stderr) == (2, said)
