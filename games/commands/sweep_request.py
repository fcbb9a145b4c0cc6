"""The options of `teeter sweep`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from teeter.games.commands.console import SCENE, Engine, Force, Json, Unit, Up, Workers


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """Everything `teeter sweep` is asked, as typed. x, y: mm; yaw: degrees; each a number or `FROM:TO:COUNT`."""

    scene: Annotated[str | None, SCENE] = None
    piece: Annotated[str | None, typer.Option(metavar="NAME", help="Piece to try in many places.")] = None
    x: Annotated[
        str | None, typer.Option(metavar="FROM:TO:COUNT", help="Range along x, mm, or a single value.")
    ] = None
    y: Annotated[str | None, typer.Option(metavar="FROM:TO:COUNT", help="The same along y.")] = None
    yaw: Annotated[str, typer.Option(metavar="FROM:TO:COUNT", help="The same for its turn, degrees.")] = "0"
    samples: Annotated[int | None, typer.Option(help="Try this many random places instead of a grid.")] = None
    keep_height: Annotated[
        bool,
        typer.Option("--keep-height", help="Keep the piece at its height instead of lowering it from above."),
    ] = False
    noise: Annotated[
        float | None,
        typer.Option(help="Add the share of noisy copies that stand in each place: standard deviation, mm."),
    ] = None
    copies: Annotated[int, typer.Option(help="Number of noisy copies for each place.")] = 200
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0
    tilt_direction: Annotated[float, typer.Option(help="Downhill direction, degrees from +x.")] = 0.0
    friction: Annotated[float | None, typer.Option(help="Coefficient of friction between all pieces.")] = None
    scenes: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Judge many scene files instead: 'folder/*.toml'.")
    ] = None
    unit: Unit = None
    up: Up = None
    margins: Annotated[bool, typer.Option(help="Add the tilt margin of what stands.")] = True
    best: Annotated[int, typer.Option(help="List this many of the safest places.")] = 5
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Table to write (.csv or .parquet); one that was cut off is continued."
        ),
    ] = None
    page: Annotated[Path | None, typer.Option(help="Write the map as a web page (.html).")] = None
    workers: Workers = None
    dask: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Run on this dask scheduler instead.")
    ] = None
    dask_timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a worker while the cluster has none.")
    ] = 60.0
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="K/N", help="One part of an array job: `3/64` is the third of 64; see `teeter merge`."
        ),
    ] = None
    engine: Engine = None
    seed: Annotated[int, typer.Option(help="Random seed of the disturbances and the random places.")] = 0
    force: Force = False
    as_json: Json = False
