"""`teeter check`: would it topple."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from games.commands.console import OK, TOPPLES, UNSURE, print_json, refuse, teeter_version

if TYPE_CHECKING:
    from engine.topple.verdict import Verdict
    from scenes.scene import Scene

EXIT = {"stands": OK, "topples": TOPPLES, "unsure": UNSURE}
COLOUR = {"stands": "green", "topples": "red", "unsure": "yellow"}
LONGEST = 3600.0


@dataclass(frozen=True, slots=True)
class Request:
    """Everything `teeter check` was asked, as typed: millimetres, degrees, seconds."""

    scene: str
    without: tuple[str, ...] = ()
    add: Path | None = None
    time: float | None = None
    settle: float = 0.0
    tilt: float = 0.0
    tilt_direction: float = 0.0
    friction: float | None = None
    seed: int = 0
    workers: int | None = None
    table: str | None = None
    fixed: tuple[str, ...] = ()
    material: str | None = None
    unit: str | None = None


def run(request: Request, as_json: bool) -> int:
    """Check and print; the exit code. Raises SceneError or ModelError for bad input."""
    verdict = verdict_of(request)
    if as_json:
        print_json(json_of(verdict))
    else:
        Console().print(panel(verdict))
    return EXIT[verdict.word]


def verdict_of(request: Request) -> Verdict:
    """The verdict on a request. Leaves with exit code 2 for numbers no check could use."""
    _validate(request)
    from engine.topple.verdict import Options, check

    options = Options(
        settle=request.settle / 1e3,
        tilt=math.radians(request.tilt),
        tilt_direction=math.radians(request.tilt_direction),
        friction=request.friction,
        time=request.time,
        seed=request.seed,
        workers=request.workers,
    )
    return check(scene_of(request).assembly, options)


def scene_of(request: Request) -> Scene:
    """The scene of a request, with pieces added and taken out."""
    from scenes.load import add, load
    from scenes.scene import without

    scene = load(
        request.scene,
        settle_mm=request.settle,
        table=request.table,  # type: ignore[arg-type]  # load refuses other words with a sentence
        fixed=request.fixed,
        material=request.material,
        unit=request.unit,
    )
    if request.add is not None:
        scene = add(scene, request.add, settle_mm=request.settle)
    return without(scene, request.without) if request.without else scene


def _validate(request: Request) -> None:
    """Refuse what is out of range, all of it in one message."""
    limits: list[tuple[str, float | None, float, float]] = [
        ("--time", request.time, 1e-3, LONGEST),
        ("--tilt", request.tilt, 0.0, 89.0),
        ("--tilt-direction", request.tilt_direction, -360.0, 360.0),
        ("--friction", request.friction, 0.0, 10.0),
        ("--workers", request.workers, 1, 256),
        ("--seed", request.seed, 0, 2**63 - 1),
    ]
    wrong = [
        f"{name} = {value:g}: must be from {least:g} to {most:g}"
        for name, value, least, most in limits
        if value is not None and not (math.isfinite(value) and least <= value <= most)
    ]
    if wrong:
        refuse("; ".join(wrong))


def json_of(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON."""
    from engine.topple.verdict import to_json

    return to_json(verdict, teeter_version())


def panel(verdict: Verdict) -> Panel:
    """The verdict as people read it."""
    from engine.topple.words import headline, rows

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    for label, text in rows(verdict):
        grid.add_row(label, text)
    colour = COLOUR[verdict.word]
    title = Text.assemble(
        (f" {verdict.word.upper()} ", f"bold white on {colour}"), "  ", (verdict.scene, "bold")
    )
    return Panel(Group(headline(verdict), "", grid), title=title, title_align="left", border_style=colour)


def exit_with(code: int) -> None:
    """Leave with an exit code, quietly."""
    raise typer.Exit(code)
