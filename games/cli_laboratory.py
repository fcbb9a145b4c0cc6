"""The words and options of the commands that ask whether a scene stands. What they do is in `games.commands`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from games.commands.console import reports

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: teeter check scenes/arch.toml --without voussoir.05 --json")(reports(check))
    app.command(epilog="Example: teeter probe tower --piece brick.09.2 --piece brick.17.1")(reports(probe))
    app.command(
        epilog="Example: teeter sweep bridge --piece counterweight --x -60:60:25 --y -10:10:5 --plot map.png"
    )(reports(sweep))


def check(
    scene: Annotated[str, typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")],
    without: Annotated[
        Optional[list[str]], typer.Option(help="Take this piece out first. May be repeated.")
    ] = None,
    add: Annotated[Optional[Path], typer.Option(help="Put in the pieces of another scene file.")] = None,
    time: Annotated[Optional[float], typer.Option(help="Simulate exactly this many seconds.")] = None,
    settle: Annotated[
        float, typer.Option(help="Allow gaps and overlaps up to this many mm and close them first.")
    ] = 0.0,
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0,
    tilt_direction: Annotated[float, typer.Option(help="Downhill side of --tilt, degrees from +x.")] = 0.0,
    friction: Annotated[Optional[float], typer.Option(help="Coefficient of friction of every pair.")] = None,
    noise: Annotated[
        Optional[float],
        typer.Option(
            help="How surely: every piece is misplaced at random, by so many mm (standard deviation)."
        ),
    ] = None,
    tilt_noise: Annotated[
        Optional[float], typer.Option(help="The same for the table's slope, in degrees.")
    ] = None,
    friction_range: Annotated[
        Optional[str], typer.Option(help="The same for friction, anywhere from LOW to HIGH: `0.3:0.5`.")
    ] = None,
    samples: Annotated[Optional[int], typer.Option(help="Noisy copies to judge, at most; 200.")] = None,
    until: Annotated[
        Optional[float], typer.Option(help="Stop when the 95 % interval is no wider: `0.02` is 2 %.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which piece, over which edge, and how much is missing.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the small disturbances and of the noise.")] = 0,
    workers: Annotated[Optional[int], typer.Option(help="Processes to use; all cores when left out.")] = None,
    table: Annotated[Optional[str], typer.Option(help="Mesh scenes: `lowest` or `none`.")] = None,
    fixed: Annotated[
        Optional[list[str]], typer.Option(help="Pieces that are supports, by name or pattern.")
    ] = None,
    material: Annotated[Optional[str], typer.Option(help="Material of pieces that name none.")] = None,
    unit: Annotated[Optional[str], typer.Option(help="Unit of a mesh file: mm, cm, m or in.")] = None,
    picture: Annotated[
        Optional[Path], typer.Option(help="Draw the verdict, forces and all, into this PNG.")
    ] = None,
    record: Annotated[Optional[Path], typer.Option(help="Write the deciding trial as a replay.")] = None,
    as_json: Json = False,
) -> None:
    """Would it topple? Exit code 0: stands, 1: topples, 3: unsure, 2: bad input."""
    from games.commands.check import Request, run
    from games.commands.noise import Asked

    request = Request(
        scene=scene,
        without=tuple(without or ()),
        add=add,
        time=time,
        settle=settle,
        tilt=tilt,
        tilt_direction=tilt_direction,
        friction=friction,
        seed=seed,
        workers=workers,
        table=table,
        fixed=tuple(fixed or ()),
        material=material,
        unit=unit,
        noise=Asked(noise, tilt_noise, friction_range, samples, until),
        explain=explain,
        picture=picture,
        record=record,
    )
    raise typer.Exit(run(request, as_json))


def probe(
    scene: Annotated[str, typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")],
    piece: Annotated[
        Optional[list[str]], typer.Option(help="Probe this piece. May be repeated; all when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Which piece can come out: what it carries, how hard it pulls, whether the rest stands without it."""
    from games.commands.probe import Request, run

    raise typer.Exit(run(Request(scene, tuple(piece or ())), as_json))


def sweep(
    scene: Annotated[
        Optional[str], typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")
    ] = None,
    piece: Annotated[Optional[str], typer.Option(help="The piece that is tried in many places.")] = None,
    x: Annotated[Optional[str], typer.Option(help="Where, in mm: a number, or FROM:TO:COUNT.")] = None,
    y: Annotated[Optional[str], typer.Option(help="The same across.")] = None,
    yaw: Annotated[str, typer.Option(help="Turned by, in degrees: a number, or FROM:TO:COUNT.")] = "0",
    samples: Annotated[
        Optional[int], typer.Option(help="So many places at random between the ends, instead of the grid.")
    ] = None,
    keep_height: Annotated[
        bool,
        typer.Option("--keep-height", help="Leave the piece at its height; else it is let down from above."),
    ] = False,
    scenes: Annotated[
        Optional[str], typer.Option(help="Judge many scene files instead: 'folder/*.toml'.")
    ] = None,
    margins: Annotated[bool, typer.Option(help="With the tilt margin of what stands.")] = True,
    best: Annotated[int, typer.Option(help="Name so many of the safest.")] = 5,
    out: Annotated[
        Optional[Path],
        typer.Option(help="Table to write, .csv or .parquet; one that is there already is gone on with."),
    ] = None,
    plot: Annotated[Optional[Path], typer.Option(help="Map to draw, .png, .pdf or .svg.")] = None,
    workers: Annotated[Optional[int], typer.Option(help="Processes to use; all cores when left out.")] = None,
    dask: Annotated[
        Optional[str], typer.Option(help="Address of a dask scheduler to work on instead.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the small disturbances and the places at random.")] = 0,
    as_json: Json = False,
) -> None:
    """Where could this piece go, how safely; or which of many scenes stand."""
    from games.commands.sweep import Request, run

    request = Request(
        scene=scene,
        scenes=scenes,
        piece=piece,
        x=x,
        y=y,
        yaw=yaw,
        samples=samples,
        keep_height=keep_height,
        margins=margins,
        best=best,
        out=out,
        plot=plot,
        workers=workers,
        dask=dask,
        seed=seed,
    )
    raise typer.Exit(run(request, as_json))
