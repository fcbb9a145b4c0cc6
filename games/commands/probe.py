"""`teeter probe`: which piece can come out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from teeter.games.api.arguments import piece_fault
from teeter.games.commands.console import OK, Json, SceneName, Unit, Up, bar, plain_table, print_json, refuse
from teeter.games.commands.standard_input import scene_of
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from rich.table import Table

    from teeter.games.api.results import ProbeResult
    from teeter.scenes.scene import Scene

MOST_NAMED = 3
"""Candidates named below the table, at most."""


def run(
    scene: SceneName,
    piece: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Probe this piece. Repeatable; all pieces by default."),
    ] = None,
    unit: Unit = None,
    up: Up = None,
    as_json: Json = False,
) -> int:
    """Which piece can come out? What it carries, how hard it is to pull, whether the rest stands without it."""
    from teeter.engine.topple.errors import NotStandingError
    from teeter.games.api.functions import probe
    from teeter.games.api.scene import PublicScene
    from teeter.scenes.load import load

    opened, pieces = PublicScene(load(scene_of(scene), unit=unit, up=up)), tuple(piece or ())
    loaded = opened.loaded
    _validate(loaded, pieces)
    with bar("probing") as progress:
        try:
            results = probe(opened, pieces or None, progress=progress)
        except NotStandingError as error:
            refuse(f"{error}; see `teeter check {scene}`")
    if as_json:
        print_json(to_json(loaded.name, results))
        return OK
    console = Console()
    console.print(table_of(loaded.name, results))
    console.print(advice(results, is_all=len(results) == len(loaded.assembly.free)))
    return OK


def _validate(scene: Scene, pieces: tuple[str, ...]) -> None:
    """Refuse names that are no free piece of the scene, all in one message."""
    wrong = [fault for name in pieces if (fault := piece_fault(scene, name))]
    if wrong:
        refuse(f"{scene.name}: " + "; ".join(wrong))
    if not scene.assembly.free:
        refuse(f"{scene.name}: every piece is fixed, so there is nothing to pull out")


def to_json(scene: str, results: dict[str, ProbeResult]) -> dict[str, Any]:
    """What was found as `teeter probe --json` prints it: newtons; `pull_n` is null for what is stuck."""
    return {
        "teeter": teeter_version(),
        "scene": scene,
        "pieces": {
            name: {
                "load_n": round(one.load_n, 5),
                "pull_n": None if one.pull_n is None else round(one.pull_n, 5),
                "stands_without": one.stands_without,
                "loose": one.loose,
            }
            for name, one in results.items()
        },
    }


def best_first(results: dict[str, ProbeResult]) -> list[str]:
    """The names by how safe a pull is: what the rest stands without, then what is loose, then by force."""

    def rank(name: str) -> tuple[bool, bool, float]:
        one = results[name]
        return not one.stands_without, not one.loose, math.inf if one.pull_n is None else one.pull_n

    return sorted(results, key=rank)


def table_of(scene: str, results: dict[str, ProbeResult]) -> Table:
    """The pieces as people read them, the safest pull first."""
    title = f"Which piece can come out of {escape(scene)}?"
    table = plain_table("piece", "carries", "pull", "without it", "", right=("carries", "pull"), title=title)
    for name in best_first(results):
        one = results[name]
        table.add_row(
            escape(name),
            _newtons(one.load_n),
            "[red]stuck[/red]" if one.pull_n is None else _newtons(one.pull_n),
            "[green]stands[/green]" if one.stands_without else "[red]topples[/red]",
            "[green]loose[/green]" if one.loose else "",
        )
    return table


def advice(results: dict[str, ProbeResult], *, is_all: bool = True) -> str:
    """One sentence: the best candidates. is_all: whether every piece was asked about."""
    safe = [
        name
        for name in best_first(results)
        if results[name].stands_without and results[name].pull_n is not None
    ]
    if not safe:
        return _none_because(results, "No piece" if is_all else "None of the pieces asked about")
    # the loose come first; beside them the others are no candidates
    named = [name for name in safe if results[name].loose is results[safe[0]].loose][:MOST_NAMED]
    force = _newtons(max(results[name].pull_n or 0.0 for name in named))
    words = [f"[bold]{escape(name)}[/bold]" for name in named]
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    loose = "loose: " if results[named[0]].loose else ""
    return f"Pull out {listed}, {loose}at most {force}, and the rest stands."


def _none_because(results: dict[str, ProbeResult], none: str) -> str:
    """One sentence where no pull is safe: what is stuck brings nothing down, because it does not come out."""
    stuck = [one.pull_n is None for one in results.values()]
    if all(stuck):
        return f"{none} can be pulled out."
    if any(stuck):
        return "What is stuck cannot be pulled out, and every other piece brings others down."
    return f"{none} comes out without bringing others down."


def _newtons(force: float) -> str:
    return f"{force:.2f} N"
