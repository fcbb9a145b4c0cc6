"""Spoil the rules one condition at a time and see whether a test notices.

    python tests/mutate_rules.py wonky              the rules in games/wonky
    python tests/mutate_rules.py core/setup.py      single files
    python tests/mutate_rules.py seams              what tells the rules: judges, games/play, games/players
    python tests/mutate_rules.py bots               what the bots of each game like: no rule hangs on it
    python tests/mutate_rules.py seams --sample 60  so many of them, drawn by lot (--seed)
    python tests/mutate_rules.py                    all rules, and games/core

The tests are collected once, and run once to learn which of them reach which line. Then every mutant runs in a fork
whose functions get the spoiled code in memory, with only the tests that reach what was spoiled, up to the first that
fails: the quickest first, and those that noticed other mutants of the function. Nothing on disk is spoiled, and a
mutant costs a second or two. Survivors are listed with file and line, and so are the mutants that took too long; exit
1 when there are survivors. What `mutants_explained.toml` names is not tried. Tools from PyPI do not fit: mutmut works
on a rewritten copy, with settings in pyproject.toml; cosmic-ray rewrites the files in place.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = ROOT / "games"
CORE = RULES / "core"
FOLDERS = sorted(path.parent for path in RULES.glob("*/game.py"))
EXPLAINED = Path(__file__).parent / "mutants_explained.toml"
"""By file: mutants that change nothing anybody could notice, and why. `not True: LINE` is meant in that line alone."""
PLAYED = (
    *("test_seams.py", "test_session_scripted.py", "test_session_undo.py", "test_session.py"),
    *("test_session_handicaps.py", "test_session_bausack.py", "test_session_resume.py"),
    *("test_session_held.py", "test_session_settling.py", "test_checkpoints.py"),
    *("test_table_isolation.py", "test_table_friction.py", "test_table_scripted.py", "test_recordings.py"),
)
"""The tests that play through games/play."""
KEPT = (
    *("test_games_kept.py", "test_record_roundtrip.py", "test_record_verified.py", "test_video_finding.py"),
    *("test_replay_viewer.py", "test_replay_orders.py", "test_replay_told.py"),
)
"""The tests of what is recorded and shown again."""
SKIP_FILES = {"__init__.py", "story.py", "game.py", "screen.py", "observation.py"}
"""Texts for people, which the golden transcripts compare word by word, and what is no rules."""


def kind_of(path: Path) -> str:
    """`bots`: what a bot likes, whose strength the soak measures; `seams`: what tells the rules; or `rules`."""
    if path.name.startswith("bot") and path.parent in FOLDERS:
        return "bots"
    is_seam = path.parent.name in ("play", "players", "judge") or path.name.startswith("judge")
    return "seams" if is_seam else "rules"


def tests_of(path: Path) -> set[str]:
    """The test files that may notice a change of a file: its own or those of its game, and what every game must do."""
    game = path.parent.name
    if kind_of(path) == "rules":
        own = {
            each.name for each in (ROOT / "tests").glob(f"test_rules_{'' if game == 'core' else game}*.py")
        }
        names = {"test_rules_base.py", "test_rules_golden.py", "test_rules_conformance.py", *own}
    elif game == "play":
        names = {"test_hints.py", "test_preview.py"} if path.name == "preview.py" else {*PLAYED, *KEPT}
    elif game == "judge":
        names = {*(each.name for each in (ROOT / "tests").glob("test_judge_*.py")), *PLAYED}
    elif game == "players":
        own = {each.name for each in (ROOT / "tests").glob("test_players_*.py")}
        names = {*PLAYED, *own, "test_play_bausack.py", "test_wonky_height.py"}
    elif kind_of(path) == "seams":
        names = {
            "test_seams.py",
            f"test_judge_{game}.py",
            f"test_play_{game}.py",
            "test_session_handicaps.py",
            f"test_session_{game}.py",
            "test_recordings.py",
        }
    else:
        names = {f"test_play_{game}.py", "test_seams.py", "test_players_ahead.py", "test_players_finish.py"}
    return {name for name in names if (ROOT / "tests" / name).exists()}


def chosen(names: Sequence[str]) -> list[Path]:
    """The files to spoil."""
    kinds = [name for name in names if name in ("seams", "bots")] or ["rules"]
    everywhere = [RULES / "play", RULES / "players", RULES / "judge", *FOLDERS]
    roots = [root for name in names for root in (everywhere if name in kinds else [RULES / name])]
    files = [
        path
        for root in roots or [CORE, *FOLDERS]
        for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])
        if path.name not in SKIP_FILES
    ]
    return [path for path in dict.fromkeys(files) if path in roots or kind_of(path) in kinds]


def explained(name: str) -> str:
    """Why a mutant makes no difference; empty when nobody has said so."""
    file, _, rest = name.partition(":")
    number, _, word = rest.partition(": ")
    reasons = tomllib.loads(EXPLAINED.read_text(encoding="utf-8")).get(file, {})
    if not reasons:
        return ""
    line = (RULES / file).read_text(encoding="utf-8").splitlines()[int(number) - 1].strip()
    return str(reasons.get(f"{word}: {line}", reasons.get(word, "")))


def lot(path: Path, word: str, seed: int) -> str:
    """What decides whether a mutant is drawn: the same however the lines and the files around it change."""
    return hashlib.sha256(f"{seed} {path.relative_to(RULES).as_posix()} {word}".encode()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="games or files below games (default: all rules)")
    parser.add_argument(
        "--like", action="append", default=[], help="of those drawn, what has this in its name"
    )
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, drawn by lot (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not outlive a fork
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from mutation_runner import Mutant, run
    from mutations import mutations

    everything = [
        Mutant(path, mutation)
        for path in chosen(options.names)
        for mutation in mutations(ast.parse(path.read_text(encoding="utf-8")))
    ]
    drawn = sorted(everything, key=lambda each: lot(each.path, each.mutation.word, options.seed))[
        : options.sample or None
    ]
    drawn = [each for each in drawn if not options.like or any(word in each.name for word in options.like)]
    if options.list:
        print("".join(f"{each.name}\n" for each in drawn) + f"{len(drawn)} mutants")
        return 0
    tried = [each for each in drawn if not explained(each.name)]
    found = run(tried, {path: tests_of(path) for path in {each.path for each in tried}}) if tried else []
    if found is None:
        return 2
    print("".join(f"survived  {mutant.name}\n" for mutant in found), end="")
    print(f"{len(drawn)} mutants, {len(tried) - len(found)} noticed, {len(found)} survived", end="")
    print(f", {len(drawn) - len(tried)} explained and not tried")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
