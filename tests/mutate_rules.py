"""Spoil the rules one condition at a time and see whether a test notices.

    python tests/mutate_rules.py wonky              the rules in games/wonky
    python tests/mutate_rules.py core/setup.py      single files
    python tests/mutate_rules.py seams              what tells the rules: judges, games/play, games/players, bots
    python tests/mutate_rules.py seams --sample 60  so many of them, drawn by lot (--seed)
    python tests/mutate_rules.py                    all rules, and games/core

Every mutant runs in a fork of this process with the module's source changed in memory: nothing on disk is
spoiled, and several people can share a working tree. It runs the quick tests of the game, the clause tests
first, up to the first failure; the conformance of other games is left out. A mutant of the seams that the quick
tests let pass has to pass the slow ones too. Survivors are listed with file and line, and so are the mutants that
took too long; exit 1 when there are survivors that `mutants_explained.toml` does not name. Tools from PyPI do not
fit: mutmut works on a rewritten copy, with settings in pyproject.toml; cosmic-ray rewrites the files in place.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parent.parent
RULES = ROOT / "games"
CORE = RULES / "core"
FOLDERS = sorted(path.parent for path in RULES.glob("*/game.py"))
EXPLAINED = Path(__file__).parent / "mutants_explained.toml"
"""By file: mutants that change nothing anybody could notice, and why."""
PLAYED = (
    *("test_seams.py", "test_session_scripted.py", "test_session_undo.py", "test_session.py"),
    *("test_session_handicaps.py", "test_session_bausack.py", "test_table_isolation.py"),
)
"""The tests of games/play, quick ones first."""
PATIENCE, GRACE = 4, 20
"""A mutant that takes so many times as long as the rules as they are, and seconds more, loops for ever.

It counts as noticed, and is listed.
"""

SKIP_FILES = {"__init__.py", "story.py", "game.py", "screen.py", "observation.py"}
"""Texts for people, which the golden transcripts compare word by word, and what is no rules."""

NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
EDGE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}

Mutant = tuple[int, int, str]
"""The number of a node, which of its changes, and a word on what is done and where."""


def mutants(tree: ast.Module) -> Iterator[Mutant]:
    """All that can be spoiled in a module."""
    for number, node in enumerate(ast.walk(tree)):
        for at, (word, _) in enumerate(changes(node)):
            yield number, at, f"{getattr(node, 'lineno', 0)}: {word}"


def spoiled(tree: ast.Module, mutant: Mutant) -> ast.Module:
    """A copy of a module with that change."""
    number, at, _ = mutant
    copied = copy.deepcopy(tree)
    target = next(each for index, each in enumerate(ast.walk(copied)) if index == number)
    list(changes(target))[at][1](target)
    return ast.fix_missing_locations(copied)


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """What can be spoiled about a node."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield f"never: {ast.unparse(node.test)}", lambda n: setattr(n, "test", ast.Constant(False))
        if not isinstance(node, ast.While):
            yield f"always: {ast.unparse(node.test)}", lambda n: setattr(n, "test", ast.Constant(True))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for table in (NEGATED, EDGE):
            other = table.get(type(node.ops[0]))
            if other is not None:
                yield (
                    f"{ast.unparse(node)} with {other.__name__}",
                    partial(_set_op, other),
                )
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        for at, op in enumerate(node.ops):
            for other in dict.fromkeys((NEGATED[type(op)], EDGE.get(type(op), NEGATED[type(op)]))):
                yield f"{ast.unparse(node)} with {other.__name__} at {at}", _operator_at(at, other)
    if isinstance(node, ast.BoolOp):
        yield f"and/or swapped: {ast.unparse(node)}", _swap_bool
        for at in range(len(node.values)):
            yield f"without {ast.unparse(node.values[at])}: {ast.unparse(node)}", _drop_value(at)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield f"without {type(node.op).__name__}: {ast.unparse(node)}", lambda n: _become(n, n.operand)  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS and not _has_text(node):
        yield f"{ast.unparse(node)} turned", lambda n: setattr(n, "op", SUMS[type(n.op)]())  # type: ignore[attr-defined]
    if isinstance(node, ast.comprehension):
        for at, test in enumerate(node.ifs):
            yield f"without the filter {ast.unparse(test)}", partial(_pop, "ifs", at)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} + 1", lambda n: setattr(n, "value", n.value + 1)  # type: ignore[attr-defined]
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"not {node.value}", lambda n: setattr(n, "value", not n.value)  # type: ignore[attr-defined]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield f"deleted: {ast.unparse(node)}", lambda n: setattr(n, "value", ast.Constant(None))
    if isinstance(node, ast.Call) and len(node.keywords) > 1:
        for at, keyword in enumerate(node.keywords):
            if keyword.arg and getattr(node.func, "id", "") == "replace":
                yield f"replace() without {keyword.arg}", partial(_pop, "keywords", at)


def _set_op(other: type[ast.cmpop], node: ast.AST) -> None:
    setattr(node, "ops", [other()])  # noqa: B010 - a field that only some nodes have


def _pop(field: str, at: int, node: ast.AST) -> None:
    getattr(node, field).pop(at)


def _operator_at(at: int, other: type[ast.cmpop]) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        node.ops[at] = other()  # type: ignore[attr-defined]

    return change


def _drop_value(at: int) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        node.values.pop(at)  # type: ignore[attr-defined]
        if len(node.values) == 1:  # type: ignore[attr-defined]
            _become(node, node.values[0])  # type: ignore[attr-defined]

    return change


def _swap_bool(node: ast.AST) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()  # type: ignore[attr-defined]


def _become(node: ast.AST, other: ast.AST) -> None:
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


def _has_text(node: ast.AST) -> bool:
    return any(
        isinstance(each, (ast.JoinedStr, ast.Tuple)) or isinstance(getattr(each, "value", None), str)
        for each in ast.walk(node)
    )


class Spoiler(importlib.abc.MetaPathFinder):
    """Imports one module from a spoiled tree instead of its file."""

    def __init__(self, module: str, path: Path, code: CodeType) -> None:
        self.module, self.path, self.code = module, path, code

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the spoiled module."""
        if name != self.module:
            return None
        code = self.code

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return code

        return importlib.machinery.ModuleSpec(name, Loader(name, str(self.path)), origin=str(self.path))


class Verdict(Enum):
    """What came of a mutant."""

    SURVIVED = "survived"
    FAILED = "failed"
    TIMEOUT = "timeout"


def verdict(path: Path, tree: ast.Module, patience: float = 3600, marks: str = "not slow") -> Verdict:
    """Run the tests in a fork with the module spoiled; patience in seconds. marks: which tests."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(_run(path, tree, marks))
        except BaseException as error:  # a fork must never return into its parent's code
            print(f"{path.name}: {error!r}", file=sys.stderr)
            os._exit(1)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return Verdict.FAILED if os.waitstatus_to_exitcode(status) else Verdict.SURVIVED
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return Verdict.TIMEOUT


def _run(path: Path, tree: ast.Module, marks: str) -> int:
    import pytest

    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    sys.meta_path.insert(0, Spoiler(module, path, compile(tree, str(path), "exec")))
    # a mutant may draw cards for ever; better a MemoryError than a machine that swaps
    import resource

    most = (8 if is_seam(path) else 2) << 30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    options = [
        "-q",
        "-x",
        "-m",
        f"{marks} and not soak",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore:Module already imported",
        "-k",
        " and ".join(f"not {word}" for word in ("test_speed", "simulator", *other_games(path))),
    ]
    return int(pytest.main([*options, *tests_of(path)]))


def other_games(path: Path) -> list[str]:
    """The games, as the conformance suite names them, that have no need of a file; two small ones try the base."""
    needed = {path.parent.name} if path.parent != CORE else {"wonky", "sandbox"}
    games = {each.name for each in FOLDERS} - needed
    return [f"{game.replace('_', '-')}-" for game in sorted(games)]


def is_seam(path: Path) -> bool:
    """Whether a file tells the rules what happened, or plays by them."""
    return path.parent.name in ("play", "players", "judge") or path.name[:3] in ("bot", "jud")


def tests_of_seam(path: Path) -> list[str]:
    """The tests for a judge, a bot, or what plays a game."""
    game = path.parent.name
    if path.parent.name == "play":
        names = list(PLAYED)
    elif path.parent.name == "judge":
        names = [*sorted(each.name for each in (ROOT / "tests").glob("test_judge_*.py")), *PLAYED]
    elif path.parent.name == "players":
        names = [
            "test_seams.py",
            "test_players_ahead.py",
            "test_play_bausack.py",
            *PLAYED,
            "test_players_finish.py",
        ]
    elif path.name.startswith("jud"):
        names = [f"test_judge_{game}.py", "test_seams.py", f"test_play_{game}.py"]
    else:
        names = [f"test_play_{game}.py", "test_players_ahead.py", "test_players_finish.py"]
    return [str(ROOT / "tests" / name) for name in names if (ROOT / "tests" / name).exists()]


def tests_of(path: Path) -> list[str]:
    """The quick tests for a file: its own or those of its game first, then what every game must do."""
    if is_seam(path):
        return tests_of_seam(path)
    game = path.parent.name if path.parent != CORE else ""
    tests = [each.name for each in (ROOT / "tests").glob(f"test_rules_{game}*.py")]
    order = (f"test_rules_{game or 'base'}.py", "machine", "golden", "conformance")
    names = {"test_rules_base.py", "test_rules_golden.py", "test_rules_conformance.py", *tests}
    ranked = sorted(
        names, key=lambda name: (name != order[0], *(word in name for word in order[:0:-1]), name)
    )
    return [str(ROOT / "tests" / name) for name in ranked]


def chosen(names: Sequence[str]) -> list[Path]:
    """The files to spoil."""
    seams = [RULES / "play", RULES / "players", RULES / "judge", *FOLDERS]
    roots = [root for name in names for root in (seams if name == "seams" else [RULES / name])]
    files = [
        path
        for root in roots or [CORE, *FOLDERS]
        for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])
        if path.name not in SKIP_FILES
    ]
    named = {path for path in files if path in roots}
    wants_seams = "seams" in names
    return [path for path in dict.fromkeys(files) if path in named or is_seam(path) == wants_seams]


def explained(name: str) -> str:
    """Why a mutant makes no difference; empty when nobody has said so."""
    file, _, rest = name.partition(":")
    word = rest.partition(": ")[2]
    reasons = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))
    return str(reasons.get(file, {}).get(word, ""))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="games or files below games (default: all rules)")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, drawn by lot (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    # once for all forks; the rules themselves must not be imported here
    import hypothesis  # noqa: F401
    import pytest  # noqa: F401

    wholes = {path: ast.parse(path.read_text(encoding="utf-8")) for path in chosen(options.names)}
    everything = [(path, mutant) for path, whole in wholes.items() for mutant in mutants(whole)]
    drawn = random.Random(options.seed).sample(everything, options.sample) if options.sample else everything
    survivors: list[str] = []
    for path, whole in wholes.items():
        wanted = sorted(mutant for file, mutant in drawn if file == path)
        if options.list:
            print("".join(f"{path.relative_to(RULES)}:{word}\n" for *_, word in wanted), end="")
        elif wanted and not _spoil(path, whole, wanted, survivors):
            return 2
    if options.list:
        print(f"{len(drawn)} mutants")
        return 0
    known = [name for name in survivors if explained(name)]
    print(f"{len(drawn)} mutants, {len(drawn) - len(survivors)} noticed, {len(survivors)} survived", end="")
    print(f", {len(known)} of them explained" if known else "")
    return 1 if len(known) < len(survivors) else 0


def _spoil(path: Path, whole: ast.Module, wanted: Sequence[Mutant], survivors: list[str]) -> bool:
    """Try the mutants of a file. Returns whether its tests pass as it is, without which nothing is learnt."""
    stages = ("not slow", "slow") if is_seam(path) else ("not slow",)
    patience: dict[str, float] = {}
    for mutant in wanted:
        name, tree = f"{path.relative_to(RULES)}:{mutant[2]}", spoiled(whole, mutant)
        for marks in stages:
            if marks not in patience:
                begun = time.monotonic()
                if verdict(path, whole, marks=marks) is not Verdict.SURVIVED:
                    print(f"the tests of {path.relative_to(RULES)} fail as it is; mend them", file=sys.stderr)
                    return False
                patience[marks] = PATIENCE * (time.monotonic() - begun) + GRACE
            result = verdict(path, tree, patience[marks], marks)
            if result is not Verdict.SURVIVED:
                break
        if result is not Verdict.FAILED:
            print(f"{result.value}  {name}", flush=True)
        if result is Verdict.SURVIVED:
            survivors.append(name)
    return True


if __name__ == "__main__":
    sys.exit(main())
