"""`teeter check`: would it topple."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from games.commands import noise
from games.commands.console import OK, TOPPLES, UNSURE, one_thread_each, print_json, refuse, teeter_version
from games.commands.noise import NOTHING, Asked

if TYPE_CHECKING:
    from engine.topple.laboratory.noise import Chance
    from engine.topple.verdict import CheckOptions, Verdict
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
    noise: Asked = NOTHING
    explain: bool = False
    picture: Path | None = None
    record: Path | None = None


def run(request: Request, as_json: bool) -> int:
    """Check and print; the exit code. Raises SceneError or ModelError for bad input."""
    if request.noise.is_given:
        one_thread_each()
    validate(request)
    scene = scene_of(request)
    verdict = verdict_on(scene, request)
    chance = chance_on(scene, request) if request.noise.is_given else None
    _keep(scene, verdict, request)
    why = explained(verdict, options_of(request)) if request.explain else None
    if as_json:
        print_json(json_of(verdict, chance) | ({} if why is None else {"explain": why}))
    else:
        Console().print(panel(verdict, chance))
        for sentence in () if why is None else why["sentences"]:
            Console().print(f" {sentence}", markup=False, highlight=False)
    return EXIT[verdict.word]


def explained(verdict: Verdict, options: CheckOptions) -> dict[str, Any]:
    """Why, as JSON: which pieces would move, over which edge, and what is missing or to spare."""
    from engine.topple.balance.mechanism import explain
    from engine.topple.errors import StaticsError
    from engine.topple.verdict import contacts_of
    from engine.topple.words import to_json

    assert verdict.judged is not None  # `check` keeps the pieces
    why = None
    if verdict.statics.stands is not None:
        try:
            why = explain(verdict.judged, verdict.statics, contacts_of(verdict), gravity=options.gravity)
        except StaticsError as error:
            return {"sentences": [f"{error}."]}
    return to_json(why, verdict.statics)


def _keep(scene: Scene, verdict: Verdict, request: Request) -> None:
    """Write the picture and the replay that were asked for."""
    options = options_of(request)
    if request.picture is not None:
        from engine.topple.verdict import with_friction
        from engine.view.render.verdict_picture import picture

        friction = options.friction
        assembly = scene.assembly if friction is None else with_friction(scene.assembly, friction)
        picture(assembly, verdict, options, request.picture)
    if request.record is not None:
        from games.commands.check_record import record

        record(request.record, scene, verdict, options)


def verdict_on(scene: Scene, request: Request) -> Verdict:
    """The verdict on a scene that is already loaded."""
    from engine.topple.verdict import check

    return check(scene.assembly, options_of(request))


def options_of(request: Request) -> CheckOptions:
    """The options of a check, in SI units."""
    from engine.topple.verdict import CheckOptions

    return CheckOptions(
        settle=request.settle / 1e3,
        tilt=math.radians(request.tilt),
        tilt_direction=math.radians(request.tilt_direction),
        friction=request.friction,
        time=request.time,
        seed=request.seed,
        workers=request.workers,
    )


def chance_on(scene: Scene, request: Request) -> Chance:
    """How surely a scene stands under the noise that was asked for."""
    from engine.topple.verdict import with_friction

    assembly, options = scene.assembly, options_of(request)
    if options.friction is not None:
        assembly = with_friction(assembly, options.friction)
    workers = options.workers or os.cpu_count() or 1
    return noise.chance_of(assembly, request.noise, request.seed, options.gravity, workers)


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


def validate(request: Request) -> None:
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
    noise.validate(request.noise)
    if request.picture is not None:
        from engine.view.video.encode import check_path

        if request.picture.suffix.lower() != ".png":
            refuse(
                f'--picture {request.picture}: pictures are written as .png (got "{request.picture.suffix}")'
            )
        # before anything is simulated: what cannot be written is said at once
        check_path(request.picture)
    if request.record is not None and request.record.exists():
        refuse(f"--record {request.record}: is there already; choose another name, or move it away")


def json_of(verdict: Verdict, chance: Chance | None = None) -> dict[str, Any]:
    """The verdict as JSON."""
    from engine.topple.verdict import to_json

    found = to_json(verdict, teeter_version())
    if chance is not None:
        from engine.topple.laboratory.noise import to_json as noise_json

        found["noise"] = noise_json(chance)
    return found


def panel(verdict: Verdict, chance: Chance | None = None) -> Panel:
    """The verdict as people read it."""
    from engine.topple.words import headline, rows

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    for label, text in [*rows(verdict), *(noise.rows(chance) if chance is not None else [])]:
        grid.add_row(label, text)
    colour = COLOUR[verdict.word]
    title = Text.assemble(
        (f" {verdict.word.upper()} ", f"bold white on {colour}"), "  ", (verdict.scene, "bold")
    )
    return Panel(Group(headline(verdict), "", grid), title=title, title_align="left", border_style=colour)


def exit_with(code: int) -> None:
    """Leave with an exit code, quietly."""
    raise typer.Exit(code)
