"""`teeter check SCENE --steps`: whether it stands after every step of putting it together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from games.commands.console import OK, TOPPLES, UNSURE, bar, plain_table, print_json
from games.faults import teeter_version

if TYPE_CHECKING:
    from games.api.checker import Checker
    from games.api.results import StepsResult
    from games.api.scene import PublicScene

EXIT = {"stands": OK, "topples": TOPPLES, "unsure": UNSURE}


def run(
    checker: Checker, scene: PublicScene, order: str | None, settle_mm: float, *, drop: bool, as_json: bool
) -> int:
    """The steps of a scene, as JSON or as a table. Exit code 0: stands after all of them, 1: falls, 3: unsure."""
    listed = None if order is None else [name.strip() for name in order.split(",")]
    with bar("steps") as progress:
        found = checker.steps(scene, listed, settle_mm=settle_mm, drop=drop, progress=progress)
    if as_json:
        print_json({"teeter": teeter_version(), "scene": scene.name} | found.to_json())
    else:
        _print(found)
    return EXIT[found.word]


def _print(found: StepsResult) -> None:
    console = Console()
    table = plain_table("step", "piece", "verdict", "tilt margin", right=("step", "tilt margin"))
    for step in found.steps:
        tilt = "" if step.tilt_deg is None or step.word != "stands" else f"{step.tilt_deg:.2f} degrees"
        table.add_row(str(step.number), step.piece, step.word, tilt)
    console.print(table)
    for sentence in found.sentences:
        console.print(sentence, markup=False, highlight=False)
