"""`teeter poses MESH`: the poses in which one piece stands, with their margins and shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from teeter.games.commands.console import OK, Json, SceneName, Unit, plain_table, print_json, refuse
from teeter.games.commands.standard_input import scene_of
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from teeter.games.api.results import PoseResult

LISTED = 40
"""Rows, at most; `--json` has all."""


def run(
    scene: SceneName,
    piece: Annotated[
        str | None, typer.Option(metavar="NAME", help="Piece to take from a scene with several.")
    ] = None,
    unit: Unit = None,
    as_json: Json = False,
) -> int:
    """List the stable poses of a piece on a level table: how far each may tilt and how likely it is."""
    from teeter.games.api.arguments import piece_fault
    from teeter.games.api.functions import poses
    from teeter.games.api.scene import PublicScene
    from teeter.scenes.load import load

    opened = PublicScene(load(scene_of(scene), unit=unit, drop=True))
    free = [body.name for body in opened.assembly.free]
    if piece is None and len(free) != 1:
        refuse(f"{opened.name} has {len(free)} pieces: name one with --piece ({', '.join(free[:6])})")
    if fault := piece_fault(opened.loaded, piece or free[0]):
        refuse(f"{opened.name}: {fault}")
    results = poses(opened, piece)
    if as_json:
        rows = [pose.to_json() for pose in results]
        print_json(
            {"teeter": teeter_version(), "scene": opened.name, "piece": piece or free[0], "poses": rows}
        )
        return OK
    _print(results)
    return OK


def _print(results: tuple[PoseResult, ...]) -> None:
    names = ("pose", "tips at", "share", "centre of mass at", "roll, pitch, yaw")
    table = plain_table(*names, right=names)
    for number, pose in enumerate(results[:LISTED], start=1):
        tips = "rolls" if pose.margin_deg is None else f"{pose.margin_deg:.2f} degrees"
        height = "" if pose.height_mm is None else f"{pose.height_mm:.2f} mm"
        turn = ", ".join(f"{round(angle, 6) + 0.0:.4g}" for angle in pose.rotation_deg)
        table.add_row(str(number), tips, f"{100 * pose.share:.2f} %", height, turn)
    console = Console()
    console.print(table)
    if len(results) > LISTED:
        console.print(f"and {len(results) - LISTED} more")
    console.print(
        "share: of all ways to be put down gently, turned at random. Friction is taken as enough to tip.",
        highlight=False,
    )
