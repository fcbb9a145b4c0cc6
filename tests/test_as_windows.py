"""What Python has on no Windows is taken away (`as_windows`): everything loads, plays, locks and ends without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEETER = "import sys; from teeter.games.__main__ import main; sys.argv[0] = 'teeter'; main()"
HOLD = """
from pathlib import Path
from teeter.engine.record.part import FileLock, FolderLock
from teeter.engine.topple.laboratory.results_table import ResultsTable
folder = Path({folder!r})
locks = ResultsTable(folder / "rows.csv"), FolderLock(folder), FileLock(folder / "a.teeter")
print("held", flush=True)
input()
"""
TRY = """
from pathlib import Path
from teeter.engine.record.part import FileLock, FolderLock
from teeter.engine.topple.laboratory.results_table import ResultsTable
folder = Path({folder!r})
for lock, file in ((ResultsTable, "rows.csv"), (FolderLock, "."), (FileLock, "a.teeter")):
    try:
        lock(folder / file)
    except Exception as error:
        print(type(error).__name__)
    else:
        print("free")
"""


def command(code: str, *words: str | Path) -> list[str]:
    return [sys.executable, "-c", code, *map(str, words)]


def bare(scratch: Path) -> dict[str, str]:
    """The environment of a Python without them, whose console has an old code page."""
    scratch.mkdir(exist_ok=True)
    return os.environ | {
        "PYTHONPATH": str(ROOT / "tests" / "as_windows"),
        "PYTHONIOENCODING": "cp1252",
        "TMPDIR": str(scratch),
    }


def run(code: str, *words: str | Path, scratch: Path) -> str:
    done = subprocess.run(command(code, *words), env=bare(scratch), capture_output=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr).decode("cp1252")
    return done.stdout.decode("cp1252").replace("\r\n", "\n")


def test_what_is_missing_is_missing(tmp_path: Path) -> None:
    code = """
import os, signal, multiprocessing
from teeter.models import system
assert system.fcntl is None and system.KEEPS_OPEN_FILES and not system.NO_LINK
assert not hasattr(os, "fork") and not hasattr(os, "geteuid") and not hasattr(signal, "SIGALRM")
assert multiprocessing.get_all_start_methods() == ["spawn"]
"""
    run(code, scratch=tmp_path / "tmp")


@pytest.mark.slow
def test_every_module_loads(tmp_path: Path) -> None:
    names = [
        "teeter." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for part in ("models", "engine", "scenes", "games")
        for path in sorted((ROOT / part).rglob("*.py"))
        if path.stem not in ("__init__", "__main__")
    ]
    assert len(names) > 300
    run(f"import importlib\nfor name in {names!r}: importlib.import_module(name)", scratch=tmp_path / "tmp")


@pytest.mark.slow
def test_a_verdict_a_game_and_its_proof(tmp_path: Path) -> None:
    scratch, replay, rows = tmp_path / "tmp", tmp_path / "game.teeter", tmp_path / "rows.csv"
    told = run(TEETER, "check", "two_bricks", "--workers", "2", scratch=scratch)
    assert "STANDS" in told
    assert "\\u" not in told
    assert told.startswith("+-")
    bots = ("--players", "bot:steady,bot:clumsy", "--seed", "3", "--turns", "2", "--headless")
    run(TEETER, "play", "wonky", *bots, "--record", replay, scratch=scratch)
    assert "agrees" in run(TEETER, "verify", replay, scratch=scratch)
    sweep = ("sweep", "two_bricks", "--piece", "slab", "--x=0:5:3", "--y=0", "-o", rows)
    first = run(TEETER, *sweep, scratch=scratch)
    assert run(TEETER, *sweep, scratch=scratch) == first
    assert len(rows.read_text("utf-8").splitlines()) == 4
    assert not list(scratch.iterdir()), "something temporary is left"
    assert not list(tmp_path.glob("*.part*"))


def test_locks_keep_other_processes_out_until_their_process_ends(tmp_path: Path) -> None:
    folder, scratch = tmp_path / "folder", tmp_path / "tmp"
    folder.mkdir()
    (folder / "a.teeter").write_bytes(b"zip")
    hold, attempt = (text.format(folder=str(folder)) for text in (HOLD, TRY))
    with subprocess.Popen(
        command(hold), env=bare(scratch), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert run(attempt, scratch=scratch).split() == ["SweepError", "RecordError", "RecordError"]
        holder.kill()
    assert run(attempt, scratch=scratch).split() == ["free"] * 3
