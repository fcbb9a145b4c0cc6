"""`teeter bench`: how fast and how exact, measured here and now."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from teeter.games.commands.console import OK, Json, plain_table, print_json, stages

MARKS = {None: "", True: "[green]holds[/green]", False: "[red]does not hold[/red]"}


def run(
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="Benchmark accuracy against closed forms instead.")
    ] = False,
    motion: Annotated[
        bool, typer.Option("--motion", help="Benchmark motion instead: spin, flight, rolling, impacts.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Benchmark this machine."""
    # with it the simulator is loaded, which no help needs
    from teeter.games.commands import bench_rows

    rows: list[tuple[str, str, str, bool | None]] = []
    with stages(always=True) as tell:
        for what, make in bench_rows.of(accuracy=accuracy, motion=motion):
            tell(what)
            rows.append((what, *make()))
    if as_json:
        print_json([dict(zip(("what", "measured", "must", "holds"), row, strict=True)) for row in rows])
        return OK
    table = plain_table("measurement", "here", "should be", "")
    for what, text, must, holds in rows:
        table.add_row(what, text, must, MARKS[holds])
    Console().print(table)
    return OK
