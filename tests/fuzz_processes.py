"""Put damaged files and odd arguments through the real command, a process for each.

    python tests/fuzz_processes.py                          so many of each kind (--count, from --begin on)
    python tests/fuzz_processes.py glb words --count 500    some kinds
    python tests/fuzz_processes.py glb --begin 17 --count 1 --keep DIR    one again, and what it was made of
    python tests/fuzz_processes.py --scenes                 scenes that ask for too much: seconds and megabytes
    python tests/fuzz_processes.py --lines                  command lines from standard input, as lists in JSON

A process that has loaded everything forks for each input, so that exit codes, words, time, memory and files are real
and an input costs milliseconds. What is expected: exit code 2 and at most twenty short lines without control
characters, nothing written; or, of an input that is sound after all, a result. Never a traceback, a crash, more than
`MAX_CPU_S` seconds or more than `MAX_MEMORY` bytes. Prints a line of JSON for each kind; exit 1 when anything broke.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
MAX_CPU_S = 10
MAX_MEMORY = 1 << 30
"""Bytes of a process that refuses, at their highest."""
MAX_WALL_S = 120
"""Nothing takes this long, however busy the machine."""
ALIVE_S = 1.0
"""Odd arguments may ask for hours of work: what has used the processor for so many seconds is interrupted."""
MAX_LINES, MAX_CHARACTERS = 21, 320
"""A line has 300 characters, and who says it."""
RESULTS = {0, 1, 3}
BAD_INPUT, STOPPED = 2, 130

Tree = dict[str, bytes]
"""Files by their path below a folder."""


@dataclass(frozen=True)
class Trial:
    """What is tried: a command, or a function that reads; in a folder with some files.

    may_change: files that the command is asked to write, whatever comes of it. may_last: it is interrupted if it does.
    """

    arguments: Sequence[str]
    files: Tree = field(default_factory=dict)
    call: Callable[[], object] | None = None
    may_change: frozenset[str] = frozenset()
    may_last: bool = False


@dataclass(frozen=True)
class Ended:
    """How a process ended. code: negative for a signal. out, said: what it printed, and on standard error.

    memory: bytes at their highest. before, after: its folder. scratch: what it left in the temporary one.
    """

    code: int
    out: str
    said: str
    cpu_s: float
    memory: int
    before: Tree
    after: Tree
    scratch: Tree
    was_stopped: bool


def is_told_as_json(end: Ended) -> bool:
    """Whether what was printed is why there is no answer, for who asked with --json."""
    try:
        told = json.loads(end.out)
    except ValueError:
        return False
    return isinstance(told, dict) and set(told) == {"teeter", "exit", "errors"} and told["exit"] == end.code


def faults_of(trial: Trial, end: Ended) -> list[str]:
    """What is wrong with the end of a process, a line each."""
    faults = []
    if "Traceback" in end.said or "internal error" in end.said:
        faults.append(f"an uncaught error: {' '.join(end.said.split())[-300:]}")
    expected = {*RESULTS, BAD_INPUT} | ({STOPPED} if end.was_stopped else set())
    if end.code not in expected:
        faults.append(f"exit code {end.code}")
    if end.cpu_s > MAX_CPU_S:
        faults.append(f"{end.cpu_s:.1f} s of the processor")
    if end.memory > MAX_MEMORY:
        faults.append(f"{end.memory >> 20} MB")
    if end.scratch:
        faults.append(f"left in the temporary folder: {sorted(end.scratch)}")
    if end.code == BAD_INPUT:
        if end.out and not is_told_as_json(end):
            faults.append(f"refused, and yet printed: {end.out[:200]!r}")
        lines = end.said.splitlines()
        if not 1 <= len(lines) <= MAX_LINES:
            faults.append(f"{len(lines)} lines")
        if odd := [line for line in lines if len(line) > MAX_CHARACTERS or not line.isprintable()]:
            faults.append(f"a line that no terminal should see: {odd[0][:400]!r}")
        names = (set(end.before) | set(end.after)) - trial.may_change
        if changed := sorted(name for name in names if end.before.get(name) != end.after.get(name)):
            faults.append(f"refused, and yet written: {changed}")
    return faults


def run(trial: Trial, folder: Path) -> Ended:
    """Forks a process for a trial and waits for its end."""
    here, scratch, out, said = (folder / name for name in ("here", "tmp", "out", "said"))
    for each in (here, scratch):
        each.mkdir()
    for name, data in trial.files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(data)
    before = tree_of(here)
    child = os.fork()
    if child == 0:
        _become(trial, here, scratch, (out, said))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return Ended(
        code=code,
        out=_text(out),
        said=_text(said),
        cpu_s=used.ru_utime + used.ru_stime,
        memory=used.ru_maxrss * 1024,
        before=before,
        after=tree_of(here),
        scratch=tree_of(scratch),
        was_stopped=trial.may_last and code == STOPPED,
    )


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace") if file.exists() else ""


def tree_of(folder: Path) -> Tree:
    """Everything in a folder; folders have a slash at their end and no content."""
    return {
        path.relative_to(folder).as_posix() + ("/" if path.is_dir() else ""): (
            b"" if path.is_dir() else path.read_bytes()
        )
        for path in folder.rglob("*")
        if path.is_dir() or path.is_file()
    }


def _become(trial: Trial, here: Path, scratch: Path, streams: tuple[Path, Path]) -> NoReturn:
    """In the fork: does what the command does when a shell starts it, in that folder, and never comes back."""
    code = 1
    try:
        os.chdir(here)
        os.environ |= {"TMPDIR": str(scratch), "HOME": str(scratch.parent), "COLUMNS": "100"}
        os.environ |= {"XDG_DATA_HOME": str(here), "XDG_CONFIG_HOME": str(here), "XDG_CACHE_HOME": str(here)}
        tempfile.tempdir = None
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, file in enumerate(streams, start=1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        os.setsid()
        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (size + 2 * MAX_MEMORY, size + 2 * MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S + 1, MAX_CPU_S + 3))
        signal.signal(signal.SIGALRM, _interrupt if trial.may_last else signal.SIG_DFL)
        signal.alarm(MAX_WALL_S)
        if trial.may_last:
            signal.signal(signal.SIGPROF, _interrupt)
            signal.setitimer(signal.ITIMER_PROF, ALIVE_S)
        code = _exit_code(trial)
    except BaseException:
        traceback.print_exc()
    finally:
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _interrupt(number: int, frame: object) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _exit_code(trial: Trial) -> int:
    from teeter.games.__main__ import main

    sys.argv = ["teeter", *trial.arguments]
    try:
        if trial.call is None:
            main()
        else:
            _refusing(trial.call)
    except SystemExit as left:
        if left.code is None or isinstance(left.code, int):
            return left.code or 0
        print(left.code, file=sys.stderr)
        return 1
    return 0


def _refusing(call: Callable[[], object]) -> None:
    """Calls a reader that no command reaches without a window, and refuses what it refuses."""
    import typer

    from teeter.games.commands.console import exit_on_crash, refuse
    from teeter.models.errors import TeeterError

    try:
        call()
    except (TeeterError, OSError) as error:
        try:
            refuse(str(error))
        except typer.Exit as left:
            sys.exit(left.exit_code)
    except Exception as error:
        exit_on_crash(error)


def warm() -> None:
    """Loads what the commands load, so that no fork has to."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from importlib import import_module

    for name in (
        *(
            "teeter.games.cli",
            "teeter.games.api.functions",
            "teeter.games.api.pages",
            "teeter.games.registry",
        ),
        *(
            "teeter.games.play.playback",
            "teeter.games.players.bots",
            "teeter.engine.topple.laboratory.sweep",
            "teeter.scenes.load",
        ),
        *(
            "teeter.engine.topple.laboratory.results_table",
            "teeter.engine.topple.laboratory.probe",
            "lxml.etree",
        ),
        *(
            "teeter.engine.certificate.checker",
            "teeter.engine.record.gltf",
            "teeter.engine.view.video.film",
            "teeter.games.present.settings",
        ),
        *(
            "teeter.games.__main__",
            "teeter.scenes.meshes",
            "teeter.models.fit",
            "pydantic.type_adapter",
            "typer.rich_utils",
        ),
        *("rich.markdown", "teeter.engine.certificate.maker", "teeter.games.commands.console"),
        *(
            "trimesh",
            "scipy.optimize",
            "scipy.spatial",
            "rich.progress",
            "rich.table",
            "teeter.engine.workers",
        ),
    ):
        import_module(name)


def tried(kind: str, seeds: range, keep: Path | None) -> dict[str, object]:
    """Tries a kind with some seeds; counts how they ended, and lists what broke."""
    from fuzz_inputs import KINDS

    codes: Counter[int] = Counter()
    broken: list[str] = []
    longest = memory = 0.0
    for seed in seeds:
        trial = KINDS[kind](random.Random(f"{kind} {seed}"))
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            end = run(trial, folder)
            codes[end.code] += 1
            longest, memory = max(longest, end.cpu_s), max(memory, end.memory / 2**20)
            broken += [f"{kind} {seed}: {fault}" for fault in faults_of(trial, end)]
            if keep is not None:
                shutil.copytree(folder, keep / f"{kind}-{seed}", dirs_exist_ok=True)
                (keep / f"{kind}-{seed}" / "arguments").write_text(json.dumps(list(trial.arguments)))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return {
        "kind": kind,
        "inputs": len(seeds),
        "refused": codes.pop(BAD_INPUT, 0),
        "results": sum(codes.pop(code, 0) for code in sorted(RESULTS)),
        "stopped": codes.pop(STOPPED, 0),
        "others": dict(sorted(codes.items())),
        "longest_s": round(longest, 2),
        "memory_mb": round(memory),
        "broken": broken,
    }


def ended(lines: Sequence[Sequence[str]]) -> list[dict[str, object]]:
    """How command lines end, each in an empty folder: code, out and said, megabytes, and their faults."""
    found = []
    for line in lines:
        trial = Trial(line)
        # no TemporaryDirectory: the fork would remove it at its exit
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            end = run(trial, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        faults = faults_of(trial, end)
        told = {"code": end.code, "out": end.out, "said": end.said, "memory_mb": end.memory >> 20}
        found.append({**told, "faults": faults})
    return found


def refused(kinds: Sequence[str]) -> Iterator[dict[str, object]]:
    """How scenes that ask for too much end, and what that takes. kinds: beginnings of their names; none: all."""
    from hostile_scenes import HOSTILE, files_of

    for name in [name for name in HOSTILE if name.startswith(tuple(kinds) or "")]:
        scene, files = files_of(name)
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            end = run(Trial(("check", scene), files), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        yield {
            "name": name,
            "kb": sum(map(len, files.values())) // 1000,
            "code": end.code,
            "cpu_s": round(end.cpu_s, 2),
            "memory_mb": end.memory >> 20,
            "said": end.said,
            "faults": faults_of(Trial(("check", scene)), end),
        }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", help="kinds of inputs (default: all)")
    parser.add_argument("--begin", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=100, help="inputs of each kind")
    parser.add_argument("--keep", type=Path, help="copy what was tried into this folder")
    parser.add_argument("--lines", action="store_true", help="read command lines from standard input")
    parser.add_argument(
        "--scenes", action="store_true", help="scenes that ask for too much, and what that takes"
    )
    options = parser.parse_args()
    warm()
    if options.lines:
        print(json.dumps(ended(json.load(sys.stdin))))
        return 0
    if options.scenes:
        for row in refused(options.kinds):
            print(json.dumps(row), flush=True)
        return 0
    from fuzz_inputs import KINDS

    is_sound = True
    for kind in options.kinds or KINDS:
        found = tried(kind, range(options.begin, options.begin + options.count), options.keep)
        print(json.dumps(found), flush=True)
        is_sound = is_sound and not found["broken"]
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
