"""What nobody foresaw is no verdict: exit code 70, one line and a file with the traceback, through the real command."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BROKEN = """
import sys
import teeter.games.commands.{module} as module
def run(*args, **named):
    raise {fault}
module.{function} = run
sys.argv = ["teeter", *{words!r}]
from teeter.games.cli import main, program
main(program())
"""


def broken(
    words: tuple[str, ...], module: str, function: str, fault: str, temporary: Path
) -> tuple[int, str, str]:
    """The real command, in which one function raises what it should not."""
    script = BROKEN.format(words=words, module=module, function=function, fault=fault)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={"TMPDIR": str(temporary), "PATH": "/usr/bin:/bin", "HOME": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "module", "function", "fault"),
    [
        (("check", "arch"), "check", "verdict_on", "KeyError('edge 3')"),
        (("check", "arch", "--json"), "check", "verdict_on", "RecursionError('deep')"),
        (
            ("probe", "tower"),
            "probe",
            "_validate",
            "ValueError('edge 3 of the piece borders 1 faces\\x1b[31m, \\u00e9')",
        ),
        (("verify", "game.teeter"), "recordings", "bar", "LookupError()"),
        (("play", "wonky", "--headless"), "play", "options_of", "AssertionError()"),
    ],
)
def test_an_uncaught_error_exits_with_70_and_one_line_that_names_a_report(
    words: tuple[str, ...], module: str, function: str, fault: str, tmp_path: Path
) -> None:
    code, out, error = broken(words, module, function, fault, tmp_path)
    assert code == 70
    if "--json" in words:
        assert json.loads(out)["errors"] == [error.removeprefix("teeter: ")[:-1]]
    else:
        assert out == ""
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert error.isascii()
    assert error[:-1].isprintable()
    found = re.fullmatch(r"teeter: internal error, no verdict: .*; please report it with (.*)\n", error)
    assert found, error
    report = Path(found[1]).read_text()
    assert "Traceback (most recent call last)" in report
    assert repr(words[0]) in report


def test_memory_that_runs_out_is_no_fault_to_report(tmp_path: Path) -> None:
    found = broken(("verify", "game.teeter"), "recordings", "bar", "MemoryError()", tmp_path)
    assert found == (70, "", "teeter: out of memory, no verdict\n")
    assert not list(tmp_path.glob("teeter-crash*"))


def test_without_a_place_for_the_report_the_line_still_comes(tmp_path: Path) -> None:
    script = "import tempfile\ntempfile.tempdir = '/nowhere/at/all'\n" + BROKEN.format(
        words=("check", "arch"), module="check", function="verdict_on", fault="KeyError()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
    assert done.stderr == "teeter: internal error, no verdict: KeyError; please report it\n"


def test_ctrl_c_before_a_command_runs_is_130_too() -> None:
    script = (
        "import teeter.games.cli as cli\n"
        "def interrupted(*args, **named): raise KeyboardInterrupt\n"
        "cli.main(interrupted)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "teeter: stopped\n")
    assert done.returncode == 128 + signal.SIGINT
