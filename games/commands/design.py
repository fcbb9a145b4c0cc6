"""`teeter design`: what can be built of these pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from teeter.games.commands.console import (
    OK,
    TOPPLES,
    UNSURE,
    Engine,
    Force,
    Json,
    SceneOut,
    Workers,
    print_errors,
    print_json,
    refuse,
    say,
    suffix_fault,
)
from teeter.games.faults import teeter_version


def run(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="overhang, tower or bridge.")],
    pieces: Annotated[
        list[str],
        typer.Option(
            metavar="SUPPLY",
            help="Pieces to build with: a scene, or a model and a count such as tower_topple/brick:30. Repeatable.",
        ),
    ],
    margin: Annotated[
        float,
        typer.Option(
            help="Safety margin: degrees the table may tilt, in any direction. Under 0.5 it may be unsure."
        ),
    ] = 0.1,
    gap: Annotated[float | None, typer.Option(help="Width of the gap to bridge, mm.")] = None,
    single: Annotated[
        bool, typer.Option("--single", help="One piece per layer, without counterweights.")
    ] = False,
    out: SceneOut = None,
    workers: Workers = None,
    engine: Engine = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Design the longest overhang, a tall tower or a bridge from given boxes. Exit code 0: it stands; 1: these
    pieces do not reach or keep that, 3: it balances but the simulation disagrees, or no bridge was found, 2: bad input.

    A tower of up to 40 equal boxes is the tallest; of others it is as tall as was found. The boxes of an overhang all
    lie one way. A bridge is a deck on equal pairs, laid one on one from both sides; the deck lies on a tenth of its
    length at each end, or on a fiftieth where no bridge is found with that. Boxes that help nothing are left over."""
    from teeter.games.api.arguments import out_of_range
    from teeter.games.api.checker import Checker
    from teeter.games.api.design import NoDesignError, NoneFoundError
    from teeter.scenes.formats.write import write_scene

    if wrong := out_of_range([("--margin", "margin_deg", margin)]):
        refuse(wrong[0])
    if out is not None:
        _check_output(out, pieces, force)
    try:
        checker = Checker(engine=engine, workers=workers)
        result = checker.design(goal, pieces, margin_deg=margin, gap_mm=gap, single=single)
    except NoDesignError as error:
        Console(stderr=True).print(f"design: {error}", markup=False, highlight=False)
        code = UNSURE if isinstance(error, NoneFoundError) else TOPPLES
        print_errors(code, [str(error)])
        return code
    if out is not None:
        write_scene(result.scene.loaded, out, force=force)
    if as_json:
        print_json({"teeter": teeter_version()} | result.to_json())
    else:
        Console().print(str(result), markup=False, highlight=False)
        if out is not None:
            say(f" wrote {out}")
    return OK if result.check.word == "stands" else UNSURE


def _check_output(out: Path, pieces: list[str], force: bool) -> None:
    from teeter.games.api.design import supplied
    from teeter.models.files import check_output

    if wrong := suffix_fault("--out", out, "scenes", ".toml"):
        refuse(wrong)
    check_output(out, force=force, inputs=[path for source in pieces for path in supplied(source).files])
