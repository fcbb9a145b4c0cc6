"""Killed and interrupted commands: exit codes, no process left, no file left but what was said to be kept."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from needs import need

ROOT = Path(__file__).resolve().parent.parent
WAIT_S = 30.0
LEAVING_S = 0.5
"""Seconds in which Python leaves when all is done."""
COMMANDS = {
    "check": ("check", "tower", "--workers", "2"),
    "noise": ("check", "bridge", "--noise", "3", "--samples", "400", "--workers", "2"),
    "sweep": (
        *("sweep", "bridge", "--piece", "counterweight", "--y=0", "--x=-44:44:43", "--yaw", "0:45:4"),
        *("--workers", "2", "--out", "table.csv"),
    ),
    "video": ("video", str(ROOT / "tests" / "recordings" / "wonky-2.teeter"), "-o", "film.mp4"),
    "play": ("play", "wonky", "--headless", "--seed", "3", "--record", "game.teeter"),
    "export": ("export", str(ROOT / "tests" / "recordings" / "wonky-2.teeter"), "-o", "game.glb"),
}
KEPT = ("table.csv", "game.teeter", "game.teeter.part")
"""What is to be found again after an interrupt: finished rows, and the game so far."""


@dataclass(frozen=True)
class End:
    """How a command ended. left: processes of its session that lived on; files: what it left beside what is kept.
    took: seconds that it lived on."""

    code: int
    error: str
    left: str
    files: list[str]
    took: float


def caught(words: tuple[str, ...], number: signal.Signals, after_s: float, home: Path) -> End:
    """Sends a signal as late as that, or as early as this machine needs to catch the command at work."""
    if words[0] == "video":
        need("OpenGL")
    for attempt in range(5):
        (home / str(attempt)).mkdir()
        if (found := end(words, number, after_s / 2**attempt, home / str(attempt))) is not None:
            return found
    raise AssertionError(f"{words} was done before it could be told to stop")


def end(words: tuple[str, ...], number: signal.Signals, after_s: float, home: Path) -> End | None:
    """Starts the real command in a session of its own and sends it a signal; None where it was done before, with an
    answer."""
    temporary = home / "tmp"
    temporary.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "teeter", *words],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # what a shell without job control starts in the background ignores interrupts, and hands that on
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    with running:
        try:
            code = running.wait(after_s)
            assert running.stderr is not None
            assert code in (0, 1, 3), running.stderr.read()
            return None
        except subprocess.TimeoutExpired:
            running.send_signal(number)
        told = time.monotonic()
        code, left = running.wait(WAIT_S), "?"
        took = time.monotonic() - told
        need("ps")
        deadline = time.monotonic() + WAIT_S
        while left and time.monotonic() < deadline:
            time.sleep(0.1)
            left = subprocess.run(
                ["ps", "-s", str(running.pid), "-o", "pid=,args="],
                capture_output=True,
                text=True,
                check=False,
            ).stdout.strip()
        assert running.stderr is not None
        error = running.stderr.read()
    files = [path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()]
    strays = [name for name in files if not name.startswith((".cache", *KEPT))]
    return End(code, error, left, strays, took)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number", "after_s"),
    [
        ("check", signal.SIGINT, 1.0),
        ("noise", signal.SIGTERM, 2.5),
        ("sweep", signal.SIGINT, 3.0),
        ("video", signal.SIGTERM, 4.0),
        ("play", signal.SIGTERM, 4.0),
    ],
)
def test_a_signal_ends_everything_quietly(
    command: str, number: signal.Signals, after_s: float, tmp_path: Path
) -> None:
    found = caught(COMMANDS[command], number, after_s, tmp_path)
    assert found.code == 128 + number
    assert "Traceback" not in found.error
    assert len(found.error.splitlines()) <= 1
    assert (found.left, found.files) == ("", [])


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after_s", [0.0, 0.02])
def test_a_signal_waits_until_a_library_is_loaded(
    number: signal.Signals, after_s: float, tmp_path: Path
) -> None:
    """An interrupt within the initialisation of Panda3D ends the process with a segmentation fault."""
    need("OpenGL")
    running = subprocess.Popen(
        [sys.executable, "-m", "teeter", "check", "two_bricks", "--workers", "1", "--picture", "out.png"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    maps = Path(f"/proc/{running.pid}/maps")
    while "panda3d/core." not in maps.read_text():
        assert running.poll() is None
        time.sleep(0.002)
    time.sleep(after_s)
    running.send_signal(number)
    _, error = running.communicate(timeout=WAIT_S)
    assert (running.returncode, error) == (128 + number, "teeter: stopped\n")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["noise", pytest.param("video", marks=pytest.mark.soak)])
def test_a_killed_command_leaves_no_process_and_the_next_one_sweeps_up(command: str, tmp_path: Path) -> None:
    found = caught(COMMANDS[command], signal.SIGKILL, 3.0, tmp_path)
    assert found.left == ""
    temporary = max(tmp_path.iterdir()) / "tmp"
    words = [sys.executable, "-m", "teeter", "check", "two_bricks"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    assert subprocess.run(words, env=environment, capture_output=True, check=False).returncode == 0
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("cwd", [".", "models"])
def test_folders_of_the_names_of_ours_hide_nothing(cwd: str, tmp_path: Path) -> None:
    """A project with packages of these names of its own, in the current folder and on the path."""
    for part in ("models", "games", "engine", "scenes"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").write_text("raise RuntimeError('not ours')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = "import teeter; print(teeter.check('two_bricks', workers=1).word)"
    for command in (["-c", words], ["-m", "teeter", "check", "two_bricks"]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path / cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "stands" in done.stdout.lower()


MORE_COMMANDS = {
    "probe": ("probe", "tower"),
    "demo": ("demo", "--out", "made"),
    "page": ("check", "bridge", "--workers", "2", "--page", "page.html"),
    "picture": ("check", "arch", "--workers", "2", "--picture", "arch.png"),
    "record": ("check", "tower_gone", "--workers", "2", "--record", "trial.teeter"),
    "sheet": ("models", "bausack", "--sheet", "sheet.png"),
    "still": ("video", str(ROOT / "tests" / "recordings" / "wonky-2.teeter"), "-o", "still.png"),
    "replayed": ("verify", str(ROOT / "tests" / "recordings" / "bausack-2.teeter")),
    "bench": ("bench",),
    "listing": ("rules", "wonky"),
}
WHOLE = ("made/", "game.glb", "page.html", "arch.png", "trial.teeter", "sheet.png", "still.png")
"""What may be there when the signal came after it was written, and is whole then: nothing is written in place."""
OURS = re.compile(rf'"{ROOT}/(?!\.venv)')
"""A line of a trace that is of teeter itself."""
FATAL = ("Fatal Python error: init_", "Could not import runpy module")
"""How what Python says of an interrupt begins that came before it had loaded itself."""
TRIALS = 10


@pytest.mark.soak
@pytest.mark.parametrize("command", [*COMMANDS, *MORE_COMMANDS])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_every_command_at_random_moments(
    command: str, number: signal.Signals, tmp_path: Path, row: Callable[..., None]
) -> None:
    """Ten of each signal for each command, four of them while Python and the packages are loaded."""
    random_state = random.Random(f"{command} {number.name}")
    words = (COMMANDS | MORE_COMMANDS)[command]
    bad, ends = [], []
    for trial in range(TRIALS):
        home = tmp_path / str(trial)
        home.mkdir()
        moment = random_state.uniform(0.05, 0.6) if trial < 4 else random_state.uniform(0.6, 12.0)
        found = end(words, number, moment, home)
        ends.append("done before" if found is None else str(found.code))
        if found is None:
            continue
        # Python itself is ended in its first and last moments; a shell says the same of both
        codes = {128 + number, -number}
        # nothing can be told to Python any more when it leaves, all being done
        codes |= {0} if found.took < LEAVING_S else set()
        # while Python itself is loaded an interrupt is a fatal error of it, or lost by it, before a line of ours
        codes |= {1} if found.error.startswith(FATAL) else set()
        codes |= {0} if "_get_module_lock" in found.error else set()
        if number == signal.SIGKILL:
            codes -= {128 + number}
        is_right = found.code in codes
        strays = [name for name in found.files if not name.startswith(WHOLE) or name.endswith(".part")]
        has_strays = strays and number != signal.SIGKILL
        if found.left or has_strays or not is_right or OURS.search(found.error):
            bad.append((round(moment, 2), found))
    row(
        "Faults: signals at random moments",
        command=command,
        signal=number.name,
        times=TRIALS,
        ended=", ".join(f"{ends.count(each)} x {each}" for each in sorted(set(ends))),
        bad=len(bad),
    )
    assert not bad
