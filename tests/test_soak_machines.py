"""Nothing that differs between two runs of a machine changes a verdict, a table or a record."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SWEEP = ("sweep", "bridge", "--piece", "counterweight", "--y=0", "--x=-44:44:9", "--out", "table.csv")
GAMES = {
    "wonky": ("bot:steady,bot:clumsy", "4"),
    "bausack": ("bot:bold,bot:clumsy", "4"),
    "crazy-tower": ("bot:steady,bot:clumsy", "4"),
    "tower-topple": ("bot:steady,bot:clumsy", "4"),
}
RUNS: dict[str, tuple[dict[str, str], int]] = {
    "as it is": ({"PYTHONHASHSEED": "0"}, 1),
    "another hash seed": ({"PYTHONHASHSEED": "1"}, 1),
    "hash seed by lot, two workers": ({"PYTHONHASHSEED": "random"}, 2),
    "two threads of linear algebra": ({"OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "random"}, 2),
    "without asserts": ({"PYTHONOPTIMIZE": "1"}, 2),
    "another locale and time zone": ({"LC_ALL": "C", "TZ": "Pacific/Kiritimati"}, 2),
}


def run(folder: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "teeter", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout


def found(folder: Path, environment: dict[str, str], workers: int) -> dict[str, object]:
    """Verdicts, margins, a table and the records of games, by what was asked."""
    folder.mkdir()
    crew = ("--workers", str(workers))
    answers: dict[str, object] = {}
    for scene in ("arch", "tower_gone", "egg_in_eggcup"):
        answers[scene] = json.loads(run(folder, environment, "check", scene, "--json", *crew)) | {"wall_s": 0}
    noisy = ("check", "two_bricks", "--noise", "4", "--samples", "30", "--json", *crew)
    answers["noise"] = json.loads(run(folder, environment, *noisy)) | {"wall_s": 0}
    run(folder, environment, *SWEEP, *crew)
    answers["table"] = (folder / "table.csv").read_bytes()
    for game, (players, turns) in GAMES.items():
        record = folder / f"{game}.teeter"
        words = ("--players", players, "--turns", turns, "--seed", "5", "--record", str(record))
        run(folder, environment, "play", game, "--headless", *words)
        with zipfile.ZipFile(record) as packed:
            for name in sorted(packed.namelist()):
                answers[f"{game}: {name}"] = hashlib.sha256(packed.read(name)).hexdigest()
    return answers


@pytest.mark.soak
def test_the_same_verdicts_and_records_however_it_is_run(tmp_path: Path, row: Callable[..., None]) -> None:
    first: dict[str, object] = {}
    for number, (name, (environment, workers)) in enumerate(RUNS.items()):
        answers = found(tmp_path / str(number), environment, workers)
        first = first or answers
        differ = sorted(what for what in first if first[what] != answers.get(what))
        row("The same on every run", run=name, workers=workers, compared=len(answers), differ=len(differ))
        assert not differ, name
