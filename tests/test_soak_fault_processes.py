"""Processes that die, two that want the same file, a scheduler that goes away, a jumping clock: the result stands."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_cli_sweep import process, rows_of, until

from teeter.engine.record.reader import load
from teeter.games.play.playback import verify

ROOT = Path(__file__).resolve().parent.parent
RECORDING = str(ROOT / "tests" / "recordings" / "wonky-2.teeter")
SWEEP = (
    *("sweep", "bridge", "--piece", "counterweight", "--y=0", "--x=-44:44:23", "--yaw", "0:45:4"),
    *("--out", "table.csv"),
)
WORKING: dict[str, tuple[tuple[str, ...], str]] = {
    "check": (("check", "tower", "--workers", "2", "--json"), ""),
    "check --noise": (
        ("check", "bridge", "--noise", "3", "--samples", "300", "--workers", "2", "--json"),
        "",
    ),
    "sweep": ((*SWEEP, "--workers", "2"), "table.csv"),
    "video": (
        ("video", RECORDING, "-o", "film.mp4", "--to", "4", "--size", "320x240", "--workers", "2"),
        "film.mp4",
    ),
}
"""By name: a command with worker processes, and what it makes; without a file its JSON."""
CLOCK = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
"""Debian's libfaketime: `apt install libfaketime`."""


def started(*words: str, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "teeter", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def children_of(pid: int) -> list[int]:
    words = ["ps", "--ppid", str(pid), "-o", "pid="]
    return [
        int(word)
        for word in subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
    ]


def made(name: str, folder: Path, out: str) -> object:
    """What a command found: the bytes of its file, or its JSON without the time it took."""
    if file := WORKING[name][1]:
        path = folder / file
        return path.stat().st_size > 10_000 if path.suffix == ".mp4" else path.read_bytes()
    return json.loads(out) | {"wall_s": 0.0}


@pytest.mark.soak
@pytest.mark.parametrize("name", WORKING)
def test_a_worker_is_killed_at_a_random_moment(name: str, tmp_path: Path, row: Callable[..., None]) -> None:
    """Its work is done by another, with the same result; or a line says what died."""
    words = WORKING[name][0]
    chance = random.Random(name)
    whole = tmp_path / "whole"
    whole.mkdir()
    with started(*words, cwd=whole) as alone:
        out, _ = alone.communicate()
    expected = made(name, whole, out)
    ends: dict[str, int] = {}
    for trial in range(6):
        folder = tmp_path / str(trial)
        folder.mkdir()
        with started(*words, cwd=folder) as running:
            workers: list[int] = []
            end = time.monotonic() + 60
            while not workers and running.poll() is None and time.monotonic() < end:
                workers = children_of(running.pid)
                time.sleep(0.02)
            time.sleep(chance.uniform(0.0, 0.5))
            killed = running.poll() is None and bool(workers)
            if killed:
                try:
                    os.kill(chance.choice(children_of(running.pid) or workers), signal.SIGKILL)
                except ProcessLookupError:
                    killed = False
            out, error = running.communicate(timeout=300)
        assert "Traceback" not in error, error
        if running.returncode == 2:
            assert len(error.splitlines()) == 1, error
            word = "refused in a line"
        else:
            assert running.returncode == alone.returncode, error
            assert made(name, folder, out) == expected
            word = "the same result" if killed else "over before"
        ends[word] = ends.get(word, 0) + 1
    row("Faults: a worker is killed", command=name, times=6, **ends)
    assert "the same result" in ends or "refused in a line" in ends


@pytest.mark.soak
def test_two_processes_with_one_table(tmp_path: Path, row: Callable[..., None]) -> None:
    """One sweeps and the other is told so; or both do, and the table is the one that one of them makes."""
    (tmp_path / "alone").mkdir()
    with started(*SWEEP, "--workers", "1", cwd=tmp_path / "alone") as alone:
        alone.communicate()
    codes = []
    for trial in range(4):
        folder = tmp_path / str(trial)
        folder.mkdir()
        one = started(*SWEEP, "--workers", "1", cwd=folder)
        time.sleep(1.5 * trial)
        two = started(*SWEEP, "--workers", "1", cwd=folder)
        ends = [(each.communicate(timeout=300)[1], each.returncode) for each in (one, two)]
        codes += [code for _, code in ends]
        assert 0 in [code for _, code in ends], ends
        assert all(code == 0 or (code == 2 and len(said.splitlines()) == 1) for said, code in ends), ends
        assert (folder / "table.csv").read_bytes() == (tmp_path / "alone" / "table.csv").read_bytes()
    row("Faults: two processes with one file", command="sweep --out", times=4, exits=str(sorted(codes)))


@pytest.mark.soak
def test_two_processes_with_one_recording(tmp_path: Path, row: Callable[..., None]) -> None:
    codes = []
    words = ("play", "wonky", "--headless", "--turns", "4", "--record", "game.teeter", "--seed")
    for trial in range(4):
        folder = tmp_path / str(trial)
        folder.mkdir()
        one = started(*words, "3", cwd=folder)
        time.sleep(0.4 * trial)
        two = started(*words, "4", cwd=folder)
        ends = [(each.communicate(timeout=300)[1], each.returncode) for each in (one, two)]
        codes += [code for _, code in ends]
        assert sorted(code for _, code in ends) == [0, 2], ends
        assert verify(folder / "game.teeter").agrees
        assert [path.name for path in folder.iterdir()] == ["game.teeter"]
    row("Faults: two processes with one file", command="play --record", times=4, exits=str(sorted(codes)))


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_scheduler_that_goes_away(number: signal.Signals, tmp_path: Path, row: Callable[..., None]) -> None:
    """A line says so, finished rows are kept, and the same command goes on with them."""
    file, table = tmp_path / "scheduler.json", tmp_path / "table.csv"
    scheduler = ("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
    worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    where = ("--scheduler-file", str(file))
    with process(*scheduler, *where) as lost:
        until(file.exists)
        until(lambda: file.read_text().endswith("}"))
        address = json.loads(file.read_text())["address"]
        with process(*worker, *where, "--local-directory", str(tmp_path / "one")):
            sweep = started(*SWEEP, "--dask", address, cwd=tmp_path)
            until(lambda: table.exists() and len(rows_of(table)) >= 16)
            begun = time.monotonic()
            os.kill(lost.pid, number)
            _, error = sweep.communicate(timeout=120)
            took = time.monotonic() - begun
    kept = len(rows_of(table))
    row(
        "Faults: a scheduler goes away",
        by=number.name,
        exit=sweep.returncode,
        kept=kept,
        seconds=took,
        said=error.strip()[:90],
    )
    assert sweep.returncode == 2, error
    assert len(error.splitlines()) == 1, error
    assert kept >= 16
    with started(*SWEEP, "--workers", "2", cwd=tmp_path) as again:
        again.communicate()
    assert again.returncode == 0
    assert len(rows_of(table)) == 92


@pytest.mark.soak
@pytest.mark.skipif(not CLOCK.exists(), reason="needs libfaketime")
@pytest.mark.parametrize("jump", ["+30d", "-30d", "+0 x50"])
def test_a_clock_that_jumps(jump: str, tmp_path: Path, row: Callable[..., None]) -> None:
    """Forward, back, or faster, again and again while it works: the same verdict, a game that is the same bytes."""
    commands = {
        "check": ("check", "arch", "--workers", "2", "--json"),
        "play": ("play", "wonky", "--headless", "--turns", "3", "--record", "game.teeter", "--json"),
    }
    clock = tmp_path / "clock"
    told: dict[str, list[object]] = {name: [] for name in commands}
    for is_jumping in (False, True):
        for name, words in commands.items():
            folder = tmp_path / f"{name}-{is_jumping}"
            folder.mkdir()
            clock.write_text("+0")
            environment = {
                "LD_PRELOAD": str(CLOCK),
                "FAKETIME_TIMESTAMP_FILE": str(clock),
                "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1",
            }
            running = started(*words, cwd=folder, environment=environment if is_jumping else {})
            ends = time.monotonic() + 300
            while running.poll() is None and time.monotonic() < ends:
                time.sleep(0.1)
                clock.write_text("+0" if clock.read_text() == jump else jump)
            out, error = running.communicate(timeout=10)
            assert error == ""
            found = json.loads(out) | {"wall_s": 0.0}
            assert running.returncode == 0, found
            kept = [path.read_bytes() for path in sorted(folder.glob("*.teeter"))]
            told[name].append((found, kept))
            assert all(load(path).is_complete for path in folder.glob("*.teeter"))
            shutil.rmtree(folder)
    row(
        "Faults: the clock jumps",
        jump=jump,
        commands=len(commands),
        same=all(a == b for a, b in told.values()),
    )
    assert all(still == jumping for still, jumping in told.values())
