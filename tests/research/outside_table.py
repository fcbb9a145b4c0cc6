"""Runs the scenes of tests/outside_scenes.py in every engine and keeps the rows; prints the tables of
tests/research/PEERS.md.

PYTHONPATH=tests python tests/research/outside_table.py outside.csv 60 8    # seconds simulated, and processor's at most
PYTHONPATH=tests python tests/research/outside_table.py outside.csv print
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path

from outside_scenes import SCENES, is_right
from peer_scenes import StackRun, measure, runners


def read(path: Path) -> dict[tuple[str, str], StackRun]:
    """Returns the rows of a file by scene and engine; none when there is no file."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        found = [_row(cells) for cells in csv.DictReader(file)]
    return {(row.scene, row.engine): row for row in found}


def _row(cells: dict[str, str]) -> StackRun:
    words = ("scene", "engine", "version", "settings")
    numbers = {key: float(text) if text else None for key, text in cells.items() if key not in words}
    return StackRun(**{key: cells[key] for key in words}, **numbers)  # type: ignore[arg-type]


def write(path: Path, rows: Iterable[StackRun]) -> None:
    """All rows, numbers rounded to what means something."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(StackRun)], lineterminator="\n")
        table.writeheader()
        for row in rows:
            cells = asdict(row).items()
            table.writerow(
                {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in cells}
            )


def collect(path: Path, seconds: float, limit: float) -> None:
    """Runs what is not on file yet; every row is on file before the next is begun."""
    for scene, make in SCENES.items():
        for engine in runners():
            rows = read(path)
            if (scene, engine) not in rows:
                rows[scene, engine] = measure(scene, make, engine, seconds, limit)
                write(path, rows.values())


ENOUGH_S = 5.0
"""Simulated seconds from which standing tells something."""


def summary(rows: Iterable[StackRun]) -> str:
    """Returns an engine a line: by wrong answers, right ones, simulated seconds a second of processor time."""
    engines: dict[str, list[StackRun]] = {}
    for row in rows:
        engines.setdefault(row.engine, []).append(row)
    lines = []
    for engine, runs in engines.items():
        told = [run for run in runs if run.collapsed is not None or run.simulated >= ENOUGH_S]
        right, wrong = (sum(is_right(run) is so for run in told) for so in (True, False))
        stood = [run for run in told if run.collapsed is None]
        pace = sum(run.simulated for run in runs) / sum(run.cost for run in runs)
        creeps = sorted(run.creep for run in stood)
        text = (
            f"| {engine}, {runs[0].version} | {right} | {wrong} | {len(runs) - right - wrong} | "
            f"{sum(creep <= 1.0 for creep in creeps)} | {creeps[len(creeps) // 2]:.2g} | "
            f"{1e3 * max(run.energy for run in stood):.2g} | {1e3 * max(run.penetration for run in stood):.2g} | "
            f"{pace:.2g} x |"
        )
        lines.append((wrong, -right, -pace, text))
    head = (
        "| | right | wrong | too slow to tell | creep <= 1 um/h | creep in the middle, um/h | gains mJ/kg | deep mm "
        "| real time |\n"
    )
    return head + "|---" * 9 + "|\n" + "\n".join(text for *_, text in sorted(lines))


def matrix(rows: dict[tuple[str, str], StackRun]) -> str:
    """Returns a scene a line: creep in um/h, or when it fell; behind a slash the seconds simulated when fewer than
    60."""
    engines = list(dict.fromkeys(engine for _, engine in rows))
    lines = ["| | " + " | ".join(engines) + " |", "|---" * (len(engines) + 1) + "|"]
    for scene in SCENES:
        cells = []
        for engine in engines:
            run = rows.get((scene, engine))
            if run is None:
                cells.append("")
            elif run.collapsed is not None:
                cells.append(
                    f"{'' if is_right(run) else '**'}{run.collapsed:.1f} s{'' if is_right(run) else '**'}"
                )
            else:
                cells.append(f"{run.creep:.2g}" + ("" if run.simulated >= 59 else f" / {run.simulated:.0f}"))
        lines.append(f"| {scene} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[2] == "print":
        found = read(Path(sys.argv[1]))
        sys.stdout.write(summary(found.values()) + "\n\n" + matrix(found) + "\n")
    else:
        collect(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
