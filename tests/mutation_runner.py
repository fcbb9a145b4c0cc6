"""Run the tests that reach a mutant in a fork whose functions are spoiled in memory, until one notices."""

from __future__ import annotations

import ast
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from traceback import format_exception
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, NoReturn

import pytest
from mutations import Mutation, spoiled

ROOT = Path(__file__).resolve().parent.parent
PATIENCE, GRACE_S = 4, 20
"""A test that takes so many times as long as with the code as it is, and seconds more, loops for ever.

Its mutant counts as noticed, and is listed.
"""
EAGER = 10.0
"""A test that noticed one mutant of a function runs before all that take a tenth of its time, two a twentieth."""
MEMORY = 8 << 30
"""A mutant may draw cards for ever: better a MemoryError than a machine that swaps."""


@dataclass(frozen=True)
class Mutant:
    """A change of a file."""

    path: Path
    mutation: Mutation

    @property
    def name(self) -> str:
        """File below games, line and what is done."""
        return f"{self.path.relative_to(ROOT / 'games')}:{self.mutation.first_line}: {self.mutation.word}"


@dataclass(frozen=True)
class Reached:
    """What the tests did with the code as it is. seconds: by the number of a test. failed: names of tests.

    lines: by file and line, the numbers of the tests that reach it.
    """

    seconds: dict[int, float]
    failed: list[str]
    lines: dict[str, dict[int, list[int]]]

    def tests(self, mutant: Mutant, allowed: set[int]) -> list[int]:
        """The tests that reach what is spoiled; of what imports run, all that reach the file."""
        lines = self.lines.get(str(mutant.path), {})
        spoiled_lines = range(mutant.mutation.first_line, mutant.mutation.last_line + 1)
        found = {number for line in spoiled_lines for number in lines.get(line, ())}
        if not _is_in_function(mutant):
            found = {number for numbers in lines.values() for number in numbers}
        return sorted(found & allowed)


def run(mutants: Sequence[Mutant], allowed: dict[Path, set[str]]) -> list[Mutant] | None:
    """Returns the mutants that nobody noticed; None where tests fail as the code is.

    allowed: by file that is spoiled, the test files that may notice. What the quick tests let pass has to pass the
    slow ones too.
    """
    for marks in ("not slow and not soak", "slow and not soak"):
        files = sorted(set().union(*(allowed[mutant.path] for mutant in mutants)))
        with tempfile.NamedTemporaryFile() as file:
            child = os.fork()
            if child == 0:
                _collect(mutants, files, allowed, marks, Path(file.name))
            os.waitpid(child, 0)
            told = Path(file.name).read_text()
        if not told:
            return None
        mutants = [mutants[number] for number in json.loads(told)]
        if not mutants:
            break
        print(f"{len(mutants)} pass the tests that are {marks}", flush=True)
    return list(mutants)


def _collect(
    mutants: Sequence[Mutant], files: Sequence[str], allowed: dict[Path, set[str]], marks: str, out: Path
) -> NoReturn:
    """In a fork of its own, because pytest is made to be run once: writes the numbers of those that survived."""
    runner = _Runner(mutants, allowed)
    options = ["-qq", "-s", "--no-header", "-m", marks, "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-p", "no:cov", "-k", "not test_speed and not simulator"]
    code = pytest.main([*options, *(str(ROOT / "tests" / name) for name in files)], plugins=[runner])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        runner.survivors = list(range(len(mutants)))
    if runner.survivors is not None:
        out.write_text(json.dumps(runner.survivors))
    sys.stdout.flush()
    os._exit(0)


class _Runner:
    """A plugin that has pytest collect, and runs what it likes itself."""

    def __init__(self, mutants: Sequence[Mutant], allowed: dict[Path, set[str]]) -> None:
        self.mutants, self.allowed = mutants, allowed
        self.survivors: list[int] | None = None
        self.items: list[pytest.Item] = []
        self.failed: list[str] = []
        self.noticed: dict[str, Counter[int]] = defaultdict(Counter)
        """By function: how many of its mutants a test noticed first. What noticed one will notice the next."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learns what reaches what, then tries the mutants."""
        if session.testsfailed:
            return True
        self.items = session.items
        reached = self._learn()
        for name in reached.failed:
            print(f"{name} fails as it is; mend it", file=sys.stderr)
        if reached.failed:
            return True
        self.survivors = []
        running: list[_Trial] = []
        for place, mutant in enumerate(self.mutants):
            names = self.allowed[mutant.path]
            may = {number for number, item in enumerate(self.items) if item.path.name in names}
            noticed = self.noticed[_function(mutant)]
            tests = sorted(
                reached.tests(mutant, may),
                key=lambda number: (reached.seconds[number] / (1.0 + EAGER * noticed[number]), number),
            )
            patience = {number: PATIENCE * reached.seconds[number] + GRACE_S for number in tests}
            running.append(self._begun(place, mutant, patience))
            while len(running) == (os.cpu_count() or 1):
                self._reap(running)
        while running:
            self._reap(running)
        self.survivors.sort()
        return True

    def _reap(self, running: list[_Trial]) -> None:
        """Takes the trials that have ended out of the list, or waits a little."""
        for trial in list(running):
            result = trial.result()
            if not result:
                continue
            running.remove(trial)
            mutant = self.mutants[trial.place]
            test = trial.noticed_by()
            if test is not None:
                self.noticed[_function(mutant)][test] += 1
            if result == "timeout":
                print(f"timeout  {mutant.name}", flush=True)
            if result == "survived" and self.survivors is not None:
                print(f"passed   {mutant.name}", flush=True)
                self.survivors.append(trial.place)
        time.sleep(0.01)

    def _learn(self) -> Reached:
        """Runs all tests in a fork, so that nothing they leave in memory hides a mutant."""
        with tempfile.NamedTemporaryFile() as file:
            child = os.fork()
            if child == 0:
                with _leaving():
                    Path(file.name).write_text(json.dumps(self._watched()))
            _, status = os.waitpid(child, 0)
            if status:
                raise RuntimeError("the tests of the code as it is crashed")
            told = json.loads(Path(file.name).read_text())
        lines = {
            path: {int(line): numbers for line, numbers in found.items()}
            for path, found in told["lines"].items()
        }
        seconds = {int(number): value for number, value in told["seconds"].items()}
        return Reached(seconds, told["failed"], lines)

    def _watched(self) -> dict[str, Any]:
        import coverage

        paths = {str(mutant.path) for mutant in self.mutants}
        watch = coverage.Coverage(data_file=None, include=sorted(paths), config_file=False)
        watch.set_option("run:disable_warnings", ["no-data-collected"])  # where no slow test reaches the file
        watch.start()
        seconds = {}
        for number in range(len(self.items)):
            watch.switch_context(str(number))
            begun = time.process_time()
            self._run_one(number, range(number + 1, number + 2))
            seconds[number] = time.process_time() - begun
        watch.stop()
        data = watch.get_data()
        lines = {
            path: {
                line: [int(context) for context in contexts if context]
                for line, contexts in data.contexts_by_lineno(path).items()
            }
            for path in paths
        }
        return {"seconds": seconds, "failed": self.failed, "lines": lines}

    def _run_one(self, number: int, following: Sequence[int]) -> None:
        item = self.items[number]
        after = self.items[following[0]] if following and following[0] < len(self.items) else None
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)

    def _begun(self, place: int, mutant: Mutant, patience: dict[int, float]) -> _Trial:
        """Runs tests in a fork with the code spoiled. patience: seconds of processor by the test."""
        # else each would seem to be noticed: the fork fails
        assert not patience or _module(mutant.path) in sys.modules, f"{mutant.name}: no such module"
        sys.stdout.flush()
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            with _leaving():
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                _spoil(mutant)
                tests = list(patience)
                for place, number in enumerate(tests):
                    signal.setitimer(signal.ITIMER_PROF, patience[number])
                    self._run_one(number, tests[place + 1 : place + 2])
                    if self.failed:
                        os.write(tell, str(number).encode())
                        os._exit(1)
        os.close(tell)
        return _Trial(place, child, told, sum(patience.values()))


class _Trial:
    """A fork that runs the tests of one mutant. patience: seconds of processor that it may take."""

    def __init__(self, place: int, pid: int, told: int, patience: float) -> None:
        self.place, self.pid = place, pid
        self._told = told
        self._end = time.monotonic() + 4 * patience + 60.0  # a busy machine; or it sleeps for ever

    def result(self) -> str:
        """`survived`, `failed` or `timeout`; empty while it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return "timeout" if code == -signal.SIGPROF else "failed" if code else "survived"
        if time.monotonic() < self._end:
            return ""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return "timeout"

    def noticed_by(self) -> int | None:
        """The number of the test that failed, once the fork has ended; None when no test did."""
        os.set_blocking(self._told, False)  # what a test started may still hold the other end
        try:
            told = os.read(self._told, 20)
        except BlockingIOError:
            told = b""
        os.close(self._told)
        return int(told) if told else None


class _leaving:  # noqa: N801 - used as a word
    """In a fork, which must never return into its parent's code: silent, and gone at the end of the block."""

    def __enter__(self) -> None:
        self.errors = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> NoReturn:
        if kind is not None:
            os.write(self.errors, "".join(format_exception(kind, error, trace)).encode())
        os._exit(1 if kind else 0)


# -- spoiling ------------------------------------------------------------------------------------------------------


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _is_in_function(mutant: Mutant) -> bool:
    return mutant.mutation.node in _in_functions(mutant.path)


@cache
def _in_functions(path: Path) -> frozenset[int]:
    """The numbers of the nodes that run when a function is called, not when the module is imported."""
    numbers = {id(node): number for number, node in enumerate(ast.walk(_tree(path)))}
    return frozenset(
        numbers[id(node)]
        for function in ast.walk(_tree(path))
        if isinstance(function, (ast.FunctionDef, ast.Lambda))
        for statement in (function.body if isinstance(function.body, list) else [function.body])
        for node in ast.walk(statement)
        if id(node) in numbers
    )


@cache
def _function(mutant: Mutant) -> str:
    """Where a mutant is: its file and the outermost definition that holds it, by their lines."""
    for place in _tree(mutant.path).body:
        if place.lineno <= mutant.mutation.first_line <= (place.end_lineno or 0):
            inner = place.body if isinstance(place, ast.ClassDef) else []
            for each in inner:
                if each.lineno <= mutant.mutation.first_line <= (each.end_lineno or 0):
                    place = each
            return f"{mutant.path}:{place.lineno}"
    return str(mutant.path)


def _spoil(mutant: Mutant) -> None:
    """Gives functions that are there the spoiled code, and modules the constants that follow from it.

    Everything that holds a function has it then, however it was imported; what is spoiled outside of functions is
    found by executing the module once more beside the real one.
    """
    code = compile(spoiled(_tree(mutant.path), mutant.mutation), str(mutant.path), "exec")
    codes = {(each.co_qualname, each.co_firstlineno): each for each in _codes(code)}
    for function in [each for each in gc.get_objects() if isinstance(each, FunctionType)]:
        own = function.__code__
        if own.co_filename == str(mutant.path):
            found = codes.get((own.co_qualname, own.co_firstlineno))
            if found is not None and found.co_freevars == own.co_freevars:
                function.__code__ = found
    if not _is_in_function(mutant):
        _replace_constants(mutant.path, code)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _module(path: Path) -> str:
    return ".".join(("teeter", *path.relative_to(ROOT).with_suffix("").parts))


def _replace_constants(path: Path, code: CodeType) -> None:
    """What a module spoiled outside of its functions holds, put into it and into those that took it from there."""
    name = _module(path)
    real, fresh = sys.modules[name], ModuleType(name)
    fresh.__file__ = str(path)
    sys.modules[name] = fresh  # dataclasses look their module up
    try:
        exec(code, vars(fresh))
    finally:
        sys.modules[name] = real
    for word, value in vars(fresh).items():
        old = vars(real).get(word)
        if isinstance(value, FunctionType) and isinstance(old, FunctionType):
            old.__defaults__, old.__kwdefaults__ = value.__defaults__, value.__kwdefaults__
        elif isinstance(value, type) and isinstance(old, type) and value.__module__ == name:
            _replace_members(old, value)
        elif not word.startswith("__") and old is not None and not isinstance(value, (type, ModuleType)):
            for module in list(sys.modules.values()):
                if isinstance(module, ModuleType) and vars(module).get(word) is old:
                    setattr(module, word, value)


def _replace_members(old: type, new: type) -> None:
    for word, value in vars(new).items():
        was = vars(old).get(word)
        if isinstance(value, FunctionType) and isinstance(was, FunctionType):
            was.__defaults__, was.__kwdefaults__ = value.__defaults__, value.__kwdefaults__
        elif isinstance(value, (int, float, str, tuple)) and not word.startswith("__"):
            setattr(old, word, value)
