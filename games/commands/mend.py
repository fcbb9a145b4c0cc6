"""`teeter mend`: what must be changed so that it stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from teeter.games.api.arguments import out_of_range
from teeter.games.commands.console import (
    OK,
    TOPPLES,
    UNSURE,
    Engine,
    Force,
    Json,
    SceneName,
    SceneOut,
    Workers,
    check_outputs,
    print_json,
    refuse,
    say,
    suffix_fault,
)
from teeter.games.commands.scene_request import SceneRequest
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from teeter.games.api.mend import MendResult
    from teeter.scenes.scene import Scene


KINDS = ("move", "turn", "remove", "place", "add_mass", "friction", "prop")


@dataclass(frozen=True, slots=True, kw_only=True)
class MendRequest(SceneRequest):
    """Everything `teeter mend` is asked, as typed."""

    scene: SceneName
    margin: Annotated[
        float | None,
        typer.Option(help="Safety margin: degrees the table may tilt further, in any direction."),
    ] = None
    piece: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Change only this piece. Repeatable.")
    ] = None
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave this piece as it is. Repeatable.")
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            autocompletion=lambda: list(KINDS),
            help=f"Only this kind of change: {', '.join(KINDS[:-1])} or {KINDS[-1]}. Repeatable.",
        ),
    ] = None
    push: Annotated[float | None, typer.Option(help="Withstand a push at the top, in N.")] = None
    push_direction: Annotated[float, typer.Option(help="Direction of --push, degrees from +x.")] = 0.0
    best: Annotated[
        int | None,
        typer.Option(help="List at most this many changes.", show_default="3; 1 of more than 16 pieces"),
    ] = None
    apply: Annotated[int | None, typer.Option(help="Write the scene after this change to --out.")] = None
    out: SceneOut = None
    picture: Annotated[
        Path | None, typer.Option(help="Draw the first change, or the one of --apply, to this PNG.")
    ] = None
    page: Annotated[Path | None, typer.Option(help="Write the changes as a web page (.html).")] = None
    seed: Annotated[int, typer.Option(help="Random seed of the disturbances.")] = 0
    workers: Workers = None
    engine: Engine = None
    force: Force = False
    as_json: Json = False


def run(request: MendRequest) -> int:
    """What must change so that it stands? Exit code 0: it stands, or a change was found after which it does; 1: no
    change found, 3: unsure, 2: bad input."""
    _validate(request)
    scene = request.loaded(request.scene)
    outputs = (request.out, request.picture, request.page)
    check_outputs(outputs, force=request.force, inputs=(Path(request.scene), *scene.files))
    result = _mend(request, scene)
    if request.apply is not None and result.changes:
        _write(request, result, scene)
    if result.changes:
        shown = result.changes[min(request.apply or 1, len(result.changes)) - 1]
        if request.picture is not None:
            shown.picture(request.picture, force=request.force)
        if request.page is not None:
            shown.page(request.page, force=request.force)
    if request.as_json:
        print_json({"teeter": teeter_version()} | result.to_json())
    else:
        _print(request, result)
    if result.stands or result.changes:
        return OK
    return TOPPLES if result.complete else UNSURE


def _mend(request: MendRequest, scene: Scene) -> MendResult:
    from teeter.games.api.scene import PublicScene

    checker = request.checker(engine=request.engine, seed=request.seed, workers=request.workers)
    return checker.mend(
        PublicScene(scene),
        margin_deg=request.margin,
        kinds=request.kind or (),
        pieces=request.piece or (),
        keep=request.keep or (),
        best=request.best if request.best is not None or request.apply in (None, 1) else request.apply,
        push_n=request.push,
        push_direction_deg=request.push_direction,
    )


def _write(request: MendRequest, result: MendResult, scene: Scene) -> None:
    from teeter.scenes.formats.write import write_scene

    number, count = request.apply or 0, len(result.changes)
    if number > count:
        refuse(f"--apply {number}: there {'is' if count == 1 else 'are'} {count} to choose from")
    assert request.out is not None
    after = result.changes[number - 1].scene.loaded
    write_scene(after, request.out, force=request.force, inputs=scene.files)


def _print(request: MendRequest, result: MendResult) -> None:
    console = Console()
    reason = " ".join(text for text in (result.why, result.none_because) if text)
    console.print(f"{result.scene}: {reason}", markup=False, highlight=False)
    for number, change in enumerate(result.changes, start=1):
        console.print(f" {number}. {change.sentence}", markup=False, highlight=False)
    if result.unchecked:
        also = "; ".join(result.unchecked)
        console.print(f" By forces alone, not simulated: {also}. --best 3 checks them.", highlight=False)
    if result.tried:
        console.print(
            f" {result.tried} change{'s' * (result.tried != 1)} tried in {result.searched_s:.1f} s.",
            highlight=False,
        )
    for path in (request.out, request.picture, request.page):
        if path is not None:
            say(f" wrote {path}" if result.changes else f" not written, for there is no change: {path}")


def _validate(request: MendRequest) -> None:
    """Refuse what makes no sense, all of it in one message."""
    wrong = out_of_range(
        (
            *request.limited(),
            ("--margin", "margin_deg", request.margin),
            ("--push", "push_n", request.push),
            ("--push-direction", "direction_deg", request.push_direction),
            ("--best", "best", request.best),
            ("--apply", "best", request.apply),
            ("--seed", "seed", request.seed),
            ("--workers", "workers", request.workers),
        )
    )
    if (request.apply is None) != (request.out is None):
        wrong.append("--apply says which change to write, --out where: give both or neither")
    most = 3 if request.best is None else request.best
    if request.apply is not None and not 0 < request.apply <= most:
        wrong.append(f"--apply {request.apply}: must be from 1 to {most}, as many as are told")
    if request.drop:
        wrong.append("--drop lets pieces fall first: mend works on where they are")
    kinds = (
        ("--out", request.out, "scenes", ".toml"),
        ("--picture", request.picture, "pictures", ".png"),
        ("--page", request.page, "pages", ".html"),
    )
    wrong += [fault for row in kinds if (fault := suffix_fault(*row))]
    wrong += request.faults()
    if wrong:
        refuse("mend: " + "; ".join(wrong))
