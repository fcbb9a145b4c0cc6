"""Exit codes are answers: whatever cuts a command off, it leaves with the right one, or with one that is no answer."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import trimesh
from test_signals import FATAL

from teeter.engine.record import archive
from teeter.engine.record.reader import load
from teeter.games.cli import app
from teeter.games.commands import demo
from teeter.games.health import findings
from teeter.games.play.recording import begin
from teeter.games.players.bots import play_out
from teeter.games.registry import game_named

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
NO_ANSWER = {2, 70, *(128 + number for number in range(1, 65))}
PROGRAM = shutil.which("teeter", path=str(Path(sys.executable).parent)) or "teeter"

SCENE = """teeter = 1
name = "edge"
[[piece]]
id = "under"
shape = { box = [40, 40, 20] }
material = "beech"
position = [0, 0, 10]
[[piece]]
id = "over"
shape = { box = [40, 40, 20] }
material = "beech"
position = [%s, 0, 30]
"""

DOCTOR = 0 if all(not each.fix or not each.is_needed for each in findings()) else 1
"""What is right on this machine."""
COMMANDS: dict[str, tuple[tuple[str, ...], int]] = {
    "stands": (("check", "stands.toml", "--workers", "1"), 0),
    "topples": (("check", "topples.toml", "--workers", "1"), 1),
    "unsure": (("check", "unsure.toml", "--workers", "1", "--json"), 3),
    "bad": (("check", "nosuch.toml"), 2),
    "agrees": (("verify", "honest.teeter"), 0),
    "differs": (("verify", "lifted.teeter"), 1),
    "not comparable": (("verify", "elsewhere.teeter", "--json"), 3),
    "made before": (("verify", "before.teeter"), 3),
    "proven": (("verify-certificate", "proof.json"), 0),
    "refused": (("verify-certificate", "forged.json"), 1),
    "doctor": (("doctor",), DOCTOR),
}
OTHERS: dict[str, tuple[tuple[str, ...], int]] = {
    "no recording": (("verify", "no.teeter"), 2),
    "steps": (("check", "stands.toml", "--steps", "--workers", "1"), 0),
    "a folder": (("check", "--scenes", "*s.toml", "--workers", "1"), 1),
    "mended": (("mend", "topples.toml", "--kind", "move", "--workers", "1"), 0),
    "not mended": (
        ("mend", "topples.toml", "--piece", "under", "--kind", "remove", "--workers", "1"),
        1,
    ),
    "designed": (("design", "tower", "--pieces", "stands.toml", "--workers", "1"), 0),
    "not designed": (("design", "bridge", "--pieces", "stands.toml", "--gap", "9000", "--workers", "1"), 1),
    "probe": (("probe", "stands.toml"), 0),
    "sweep": (
        (
            "sweep",
            "stands.toml",
            "--piece",
            "over",
            "--x=0:5:2",
            "--y=0",
            "--workers",
            "1",
            "--out",
            "OUT.csv",
        ),
        0,
    ),
    "merge": (("merge", "rows.csv", "--out", "OUT.csv"), 0),
    "poses": (("poses", "block.stl"), 0),
    "convert": (("convert", "stands.toml", "OUT.glb"), 0),
    "schema": (("schema", "check"), 0),
    "scenes": (("scenes",), 0),
    "games": (("games",), 0),
    "rules": (("rules", "wonky"), 0),
    "models": (("models", "wonky"), 0),
    "a model": (("models", "export", "tower_topple/brick", "-o", "OUT.glb"), 0),
    "a picture": (("video", "honest.teeter", "-o", "OUT.png", "--size", "64x36"), 0),
    "export": (("export", "honest.teeter", "-o", "OUT.glb"), 0),
    "play": (("play", "wonky", "--headless", "--turns", "1", "--record", "OUT.teeter"), 0),
    "play at nothing": (("play", "nosuch", "--host"), 2),
    "view nothing": (("view", "nosuch.toml"), 2),
    "replay nothing": (("replay", "nosuch.teeter"), 2),
    "a demo in a file": (("demo", "--out", "stands.toml"), 2),
    "bench": (("bench", "--accuracy", "--motion", "--nosuch"), 2),
}
"""Tried in a part of these ways. `OUT` is a name of its own."""


@dataclass(frozen=True)
class Cut:
    """A way to be cut off. before: words before those of the command. shell: what is appended in a shell. prepare: is
    called in the process before it starts."""

    before: tuple[str, ...] = (PROGRAM,)
    shell: str = ""
    env: dict[str, str] = field(default_factory=dict)
    prepare: Callable[[], object] | None = None


def _limit(kind: int, amount: int) -> Callable[[], object]:
    return lambda: resource.setrlimit(kind, (amount, amount))


UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Where files may not grow: Python keeps half a compiled module, and everybody who comes later fails on it."""
PYTHON = sys.executable
CUTS: dict[str, Cut] = {
    "whole": Cut(),
    "python -m teeter": Cut((PYTHON, "-m", "teeter")),
    "python -m teeter.games": Cut((PYTHON, "-m", "teeter.games")),
    "python -m teeter.games.cli": Cut((PYTHON, "-m", "teeter.games.cli")),
    "no standard output": Cut(shell=">&-"),
    "no standard error": Cut(shell="2>&-"),
    "no standard input": Cut(shell="<&-"),
    "no stream at all": Cut(shell="<&- >&- 2>&-"),
    "full output": Cut(shell=">/dev/full"),
    "full error": Cut(shell="2>/dev/full"),
    "all full": Cut(shell=">/dev/full 2>/dev/full"),
    "reader gone at once": Cut(shell="| true"),
    "reader of a line": Cut(shell="| head -1"),
    "reader of a byte": Cut(shell="2>&1 | head -c 1"),
    "no packages": Cut((PYTHON, "-S", "-m", "teeter.games")),
    "no packages, isolated": Cut((PYTHON, "-S", "-m", "teeter")),
    "optimised": Cut((PYTHON, "-OO", "-m", "teeter")),
    "warnings are errors": Cut((PYTHON, "-W", "error", "-m", "teeter")),
    "no home": Cut(env={"HOME": "/nonexistent", "XDG_DATA_HOME": "/nonexistent", "TMPDIR": "/nonexistent"}),
    "ascii": Cut(env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}),
    "little memory": Cut(prepare=_limit(resource.RLIMIT_AS, 400_000_000)),
    "hardly any memory": Cut(prepare=_limit(resource.RLIMIT_AS, 120_000_000)),
    "no time": Cut(prepare=_limit(resource.RLIMIT_CPU, 1)),
    "few files": Cut(prepare=_limit(resource.RLIMIT_NOFILE, 12)),
    "no file may grow": Cut(env=UNCOMPILED, prepare=_limit(resource.RLIMIT_FSIZE, 0)),
}
MUST_ANSWER = {
    "whole",
    "python -m teeter",
    "python -m teeter.games",
    "python -m teeter.games.cli",
    "no standard output",
    "no standard error",
    "no standard input",
    "no stream at all",
    "full error",
    "reader gone at once",
    "reader of a line",
    "reader of a byte",
    "optimised",
    "ascii",
}
"""What takes away no more than the words."""


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("codes")
    for name, offset in (("stands", "5"), ("topples", "25"), ("unsure", "20.0")):
        (folder / f"{name}.toml").write_text(SCENE % offset)
    record(folder)
    trimesh.creation.box((30, 30, 30)).export(folder / "block.stl")
    rows = tuple(word.replace("OUT", "rows") for word in OTHERS["sweep"][0])
    assert run(rows, CUTS["whole"], folder)[0] == 0
    shutil.copy(ROOT / "tests" / "recordings" / "format-1" / "wonky-2.teeter", folder / "before.teeter")
    proof = folder / "proof.json"
    certify = ("check", "stands.toml", "--workers", "1", "--certificate", str(proof))
    assert run(certify, CUTS["whole"], folder)[0] == 0
    # a force that no friction holds
    (folder / "forged.json").write_text(proof.read_text().replace('"over"', '"above"', 1))
    return folder


def record(folder: Path) -> None:
    """A game of one turn; the same with all pieces lifted by half a metre; and that as if recorded elsewhere."""
    path = folder / "honest.teeter"
    session, recorder = begin(game_named("wonky"), ("bot:steady", "bot:bold"), 1, {}, path=path)
    play_out(session, recorder, 1, 1)
    honest = archive.read(path)
    poses = honest.poses.copy()
    poses[..., 2] += 0.5
    lifted = replace(honest, poses=poses)
    meta = json.dumps(json.loads(honest.meta) | {"platform": "vax VMS"}).encode()
    for name, contents in (("lifted", lifted), ("elsewhere", replace(lifted, meta=meta))):
        with (folder / f"{name}.teeter").open("wb") as stream:
            archive.write(contents, stream)


def run(words: tuple[str, ...], cut: Cut, folder: Path) -> tuple[int, str]:
    """The exit code and what stood on standard error, where that was left."""
    line = shlex.join((*cut.before, *words))
    script = f"{line} {cut.shell}; exit ${{PIPESTATUS[0]}}"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **cut.env},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        preexec_fn=cut.prepare,
    )
    return done.returncode, done.stderr


ALWAYS = ("topples", "differs")
"""Commands whose right answer is what a crash of Python looks like: cut off in every way in every run."""
OFTEN = [each for each in COMMANDS if each not in ALWAYS]


@pytest.mark.parametrize(
    ("cut", "command"),
    [
        pytest.param(
            cut,
            command,
            # of the others every cut takes two, and soak all
            marks=[pytest.mark.soak] * (command in OFTEN and (OFTEN.index(command) - number) % 4 > 0),
        )
        for number, cut in enumerate(CUTS)
        for command in COMMANDS
    ],
)
@pytest.mark.sampled(8)
def test_a_command_that_is_cut_off_leaves_with_no_answer_that_is_not_its_own(
    cut: str, command: str, scenes: Path
) -> None:
    words, right = COMMANDS[command]
    if command == "doctor" and cut.startswith("no packages"):
        right = 1  # that something is missing is the doctor's answer
    code, error = run(words, CUTS[cut], scenes)
    assert code in ({right} if cut in MUST_ANSWER else {right, *NO_ANSWER}), error
    assert "Traceback" not in error


def test_no_command_is_left_out() -> None:
    tried = {words[0] for words, _ in (COMMANDS | OTHERS).values()}
    assert tried == {each.name for each in app.registered_commands}


def cut_off(command: str, cut: str, scenes: Path, out: Path) -> int:
    """The exit code of one of `OTHERS`, which is right or none; what it writes is whole or not there."""
    words, right = OTHERS[command]
    named = next((word for word in words if word.startswith("OUT.")), "")
    out.mkdir()
    words = tuple(word.replace("OUT", str(out / "OUT")) for word in words)
    code, error = run(words, CUTS[cut], scenes)
    assert code in ({right} if cut in MUST_ANSWER else {right, *NO_ANSWER}), (command, cut, error)
    assert "Traceback" not in error, (command, cut, error)
    left = sorted(each.name for each in out.iterdir())
    # rows and games are kept up to where it went
    kept = {"sweep": ("OUT.csv",), "play": ("OUT.teeter.part",)}.get(command, ())
    assert left == [named] * (right == 0 and bool(named)) if code == right else {*left} <= {named, *kept}, (
        left
    )
    return code


@pytest.mark.parametrize(
    ("cut", "command"),
    [
        *((cut, [*OTHERS][number % len(OTHERS)]) for number, cut in enumerate(CUTS)),
        # libraries that draw leave too little for those that compute, which then wait for ever
        ("little memory", "a picture"),
    ],
)
@pytest.mark.sampled(4)
def test_other_commands_that_are_cut_off(cut: str, command: str, scenes: Path, tmp_path: Path) -> None:
    """Each at least once, and each cut once."""
    cut_off(command, cut, scenes, tmp_path / "out")


@pytest.mark.soak
@pytest.mark.parametrize("command", OTHERS)
def test_other_commands_in_every_way(
    command: str, scenes: Path, tmp_path: Path, row: Callable[..., None]
) -> None:
    right = OTHERS[command][1]
    codes = [cut_off(command, cut, scenes, tmp_path / str(number)) for number, cut in enumerate(CUTS)]
    row(
        "Exit codes of commands that are cut off",
        command=" ".join(OTHERS[command][0]),
        cuts=len(codes),
        right=codes.count(right),
        none=", ".join(f"{codes.count(each)} x {each}" for each in sorted({*codes} - {right})),
    )


NEEDED_BY = {
    **dict.fromkeys(
        ("typer", "click", "rich", "numpy", "pydantic", "typing_extensions"), ("check", "topples.toml")
    ),
    "scipy": ("check", "dome"),
    "pybullet": ("check", "topples.toml", "--engine", "bullet"),
    "trimesh": ("check", "block.stl"),
    "manifold3d": ("convert", "block.stl", "out.glb"),
    "clarabel": ("check", "arch"),
    "shapely": ("check", "arch"),
    "av": ("video", "honest.teeter", "-o", "out.mp4", "--to", "0.1", "--size", "64x36"),
    "panda3d": ("video", "honest.teeter", "-o", "out.png", "--size", "64x36"),
    "websockets": ("play", "wonky", "--host", "127.0.0.1:0", "--players", "bot:steady,bot:bold"),
    "segno": ("play", "wonky", "--host", "127.0.0.1:0", "--players", "bot:steady,bot:bold"),
}
"""A command that cannot do without a package."""
WITHOUT = "import sys; sys.modules[{!r}] = None; sys.argv[0] = 'teeter'; from teeter.games.__main__ import main; main()"


@pytest.mark.parametrize("package", NEEDED_BY)
@pytest.mark.sampled(6)
def test_a_package_that_is_missing_is_named_in_a_line(package: str, scenes: Path) -> None:
    code, error = run((WITHOUT.format(package), *NEEDED_BY[package]), Cut((PYTHON, "-c")), scenes)
    if code != 70:
        # it does without, or says so itself
        assert code in (0, 1, 2), error
        assert "Traceback" not in error
        return
    name = {"click": "typer"}.get(package, package).replace("_", "-")
    assert len(error.splitlines()) == 1, error
    assert f"has no package {name!r}" in error or f"pip install '{name}" in error
    assert "pip install" in error


@pytest.mark.parametrize("package", ["typer", "rich", "numpy", "pydantic"])
def test_the_doctor_does_without_what_it_looks_for(package: str, scenes: Path) -> None:
    words = (WITHOUT.format(package), "doctor", "--json")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [PYTHON, "-c", *words], cwd=scenes, env=env, capture_output=True, text=True, check=False
    )
    rows = {each["what"]: each for each in json.loads(done.stdout)["findings"]}
    if package in ("typer", "rich", "pydantic"):
        assert done.returncode == 1, done.stderr
        assert f"pip install '{package}" in rows[package]["fix"]
    assert {"teeter", "python", "scipy", "pyarrow (parquet)", "display"} <= {*rows}


def test_a_full_disk_is_told_on_the_stream_that_is_left(scenes: Path) -> None:
    code, error = run(COMMANDS["topples"][0], CUTS["full output"], scenes)
    assert (code, error) == (70, "teeter: the answer could not be written: No space left on device\n")


HIDDEN = ("rich", "typer", "json", "numpy", "scipy", "pydantic", "contextlib", "models", "engine")
OTHER_PROGRAMS = ("teeter.games", "teeter.games.cli")
"""They begin alike: of these a part is tried."""


@pytest.mark.parametrize(
    ("name", "program"),
    [
        *((name, "teeter") for name in HIDDEN),
        *((name, program) for name in ("rich", "engine") for program in OTHER_PROGRAMS),
    ],
)
@pytest.mark.sampled(3)
def test_what_lies_in_the_current_folder_is_no_package(
    name: str, program: str, tmp_path: Path, scenes: Path
) -> None:
    """`python -m` looks there first: a `rich.py` of somebody's is not taken for the package."""
    shutil.copy(scenes / "topples.toml", tmp_path)
    (tmp_path / f"{name}.py").write_text("raise SystemExit(0)\n")
    command = ("check", "topples.toml", "--workers", "1")
    code, error = run(command, Cut((PYTHON, "-m", program)), tmp_path)
    assert code == 1, error


HIDING = ("rich", "typer", "json", "numpy", "scipy", "models")
TEXTS = ("raise SystemExit(0)", "x = 1", "import nosuch", "raise MemoryError")


@pytest.mark.parametrize(
    ("name", "text", "program"),
    [
        *((name, text, "teeter") for name in HIDING for text in TEXTS),
        *((name, "x = 1", program) for name in HIDING for program in OTHER_PROGRAMS),
    ],
)
@pytest.mark.sampled(5)
def test_a_file_that_hides_a_package_is_named(
    name: str, text: str, program: str, tmp_path: Path, scenes: Path
) -> None:
    """From a folder of PYTHONPATH, which is searched whatever teeter wants."""
    (tmp_path / f"{name}.py").write_text(f"{text}\n")
    cut = Cut((PYTHON, "-m", program), env={"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))})
    code, error = run(("check", "topples.toml", "--workers", "1"), cut, scenes)
    if code == 1 and not error:
        return  # what nobody asks for hides nothing
    assert code in (2, 70), error
    assert "Traceback" not in error
    assert error.startswith("teeter: ")
    # memory that has run out is told as such
    assert str(tmp_path / f"{name}.py") in error or (text == "raise MemoryError" and "out of memory" in error)


@pytest.mark.parametrize(
    "kb", [60_000, 130_000, 150_000, 160_500, 162_500, 164_000, 172_000, 210_000, 235_000]
)
@pytest.mark.sampled(2)
def test_memory_that_runs_out_while_loading_is_told_without_a_trace(kb: int, scenes: Path) -> None:
    cut = Cut(prepare=_limit(resource.RLIMIT_AS, 1024 * kb))
    code, error = run(COMMANDS["topples"][0], cut, scenes)
    assert code in {1, *NO_ANSWER}
    assert "Traceback" not in error


@pytest.mark.sampled(2)
@pytest.mark.parametrize("where", [("--headless", "--seed", "3"), ("--host", "127.0.0.1:0")])
def test_a_disk_that_fills_up_in_mid_game_ends_it_in_order(where: tuple[str, ...], tmp_path: Path) -> None:
    """A line says where the game is that was played so far; it is gone on with from there. By an engine that writes no
    temporary files."""
    path = tmp_path / "game.teeter"
    words = (
        "play",
        "wonky",
        "--players",
        "bot:steady,bot:bold",
        "--engine",
        "rapier",
        "--record",
        str(path),
        *where,
    )
    cut = Cut(env=UNCOMPILED | {"XDG_DATA_HOME": str(tmp_path)}, prepare=_limit(resource.RLIMIT_FSIZE, 5_000))
    code, error = run(words, cut, tmp_path)
    assert (code, len(error.splitlines())) == (2, 1), error
    assert f"{path}: cannot be written (File too large)" in error
    assert f"is safe in {path}.part" in error
    found = load(path.with_name("game.teeter.part"))
    assert found.checkpoints
    assert not path.exists()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGXCPU, signal.SIGHUP]
)
@pytest.mark.parametrize("after_s", [0.05, 0.4, 0.8])
@pytest.mark.sampled(2)
def test_a_signal_is_no_answer(number: signal.Signals, after_s: float, scenes: Path) -> None:
    process = subprocess.Popen(
        [PROGRAM, "check", "tower", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=scenes
    )
    time.sleep(after_s)
    process.send_signal(number)
    out, error = process.communicate(timeout=60)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    # while Python loads itself nothing of ours can answer for it
    is_bare = error == b"KeyboardInterrupt\n"
    is_pythons_own = not out and (is_bare or any(each.encode() in error for each in FATAL))
    assert code in {0, *NO_ANSWER} or is_pythons_own, error


def test_an_ignored_interrupt_stays_ignored(scenes: Path) -> None:
    """As under `nohup`, or in the background of a script."""
    process = subprocess.Popen(
        [PROGRAM, "check", "stands.toml", "--workers", "1"],
        stdout=subprocess.PIPE,
        cwd=scenes,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, _ = process.communicate()
    assert (process.returncode, b"STANDS" in out) == (0, True)


def test_a_demo_whose_replay_differs_is_no_success(
    scenes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def forged(path: Path, force: bool) -> str:
        shutil.copy(scenes / "lifted.teeter", path)
        return "a game"

    monkeypatch.setattr(demo, "_game", forged)
    for step, file in (("_video", "highlight.mp4"), ("_picture", "check.png"), ("_page", "game.html")):
        (tmp_path / file).touch()
        monkeypatch.setattr(demo, step, lambda *paths, file=file: ("made", tmp_path / file))
    monkeypatch.setattr(demo, "_check_outputs", lambda out, force: None)
    assert demo.run(tmp_path) == 70
    told = capsys.readouterr()
    assert "played again, it differs" in told.err
    assert "agree bit for bit" not in told.out


def test_a_worker_that_the_kernel_kills_is_no_answer(scenes: Path) -> None:
    """Every process that a check starts is killed as soon as it is there."""
    process = subprocess.Popen(
        [PROGRAM, "check", "tower", "--noise", "1", "--samples", "500", "--workers", "2", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=scenes,
    )
    killed = 0
    while process.poll() is None and killed < 200:
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
        for each in found.stdout.split():
            with_kill = subprocess.run(["kill", "-KILL", each], capture_output=True, check=False)
            killed += with_kill.returncode == 0
        time.sleep(0.05)
    _, error = process.communicate(timeout=120)
    assert process.returncode in ({0} if killed == 0 else {0, *NO_ANSWER}), error
    assert b"Traceback" not in error


def test_the_version_is_told() -> None:
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.count(".") == 2
    assert not done.stderr
