"""The options of `teeter sweep`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from teeter.games.commands.console import SCENE, Engine, Force, Json, Workers


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """Everything `teeter sweep` is asked, as typed. x, y: mm; yaw: degrees; each a number or `FROM:TO:COUNT`."""

    scene: Annotated[str | None, SCENE] = None
    piece: Annotated[
        str | None, typer.Option(metavar="NAME", help="The piece that is tried in many places.")
    ] = None
    x: Annotated[
        str | None, typer.Option(metavar="FROM:TO:COUNT", help="Where, in mm: a number, or so many between.")
    ] = None
    y: Annotated[str | None, typer.Option(metavar="FROM:TO:COUNT", help="The same across.")] = None
    yaw: Annotated[str, typer.Option(metavar="FROM:TO:COUNT", help="Turned by, in degrees.")] = "0"
    samples: Annotated[
        int | None, typer.Option(help="So many places at random between the ends, instead of the grid.")
    ] = None
    keep_height: Annotated[
        bool,
        typer.Option("--keep-height", help="Leave the piece at its height; else it is let down from above."),
    ] = False
    noise: Annotated[
        float | None,
        typer.Option(
            help="With the share of copies that stand, misplaced at random by so many mm, in each place."
        ),
    ] = None
    copies: Annotated[int, typer.Option(help="Noisy copies to judge in each place.")] = 200
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0
    tilt_direction: Annotated[float, typer.Option(help="Downhill side of --tilt, degrees from +x.")] = 0.0
    friction: Annotated[float | None, typer.Option(help="Coefficient of friction of every pair.")] = None
    scenes: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Judge many scene files instead: 'folder/*.toml'.")
    ] = None
    margins: Annotated[bool, typer.Option(help="With the tilt margin of what stands.")] = True
    best: Annotated[int, typer.Option(help="Name so many of the safest.")] = 5
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Table to write, .csv or .parquet; one that is there already is gone on with."
        ),
    ] = None
    page: Annotated[Path | None, typer.Option(help="Write a page for browsers with the map, .html.")] = None
    workers: Workers = None
    dask: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Address of a dask scheduler to work on instead.")
    ] = None
    dask_timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a worker of the cluster when there is none.")
    ] = 60.0
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="K/N", help="A part of an array job: `3/64` is the third of 64; see teeter merge."
        ),
    ] = None
    engine: Engine = None
    seed: Annotated[int, typer.Option(help="Of the small disturbances and the places at random.")] = 0
    force: Force = False
    as_json: Json = False
