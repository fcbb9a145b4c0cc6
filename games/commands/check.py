"""`teeter check`: would it topple, and with `--noise`, how surely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from teeter.games.api.arguments import LIMITS, friction_range_fault, out_of_range
from teeter.games.commands.console import (
    OK,
    SCENE,
    TOPPLES,
    UNSURE,
    Engine,
    Force,
    Json,
    Workers,
    bar,
    check_outputs,
    exit_on_interrupt,
    plain_table,
    print_json,
    refuse,
    say,
    stages,
    suffix_fault,
)
from teeter.games.commands.scene_request import SceneRequest
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from teeter.games.api.checker import Checker
    from teeter.games.api.results import CheckResult, NoiseResult, StepsResult
    from teeter.scenes.scene import Scene

EXIT = {"stands": OK, "topples": TOPPLES, "unsure": UNSURE}
SAMPLES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(SceneRequest):
    """Everything `teeter check` is asked, as typed: millimetres, degrees, seconds."""

    scene: Annotated[str | None, SCENE] = None
    scenes: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Check all scenes in a folder and below, or matching `'designs/*.obj'`: one table and exit code.",
        ),
    ] = None
    time: Annotated[float | None, typer.Option(help="Simulate for exactly this many seconds.")] = None
    noise: Annotated[
        float | None,
        typer.Option(
            help="Estimate how likely it is to stand with every piece misplaced at random: standard deviation, mm."
        ),
    ] = None
    tilt_noise: Annotated[float | None, typer.Option(help="The same for the table's slope, degrees.")] = None
    friction_range: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="The same for friction, uniform over a range: `0.3:0.5`."),
    ] = None
    samples: Annotated[int | None, typer.Option(help="Most noisy copies to judge; 200 by default.")] = None
    until: Annotated[
        float | None, typer.Option(help="Stop once the 95 % interval is this narrow: `0.02` is 2 %.")
    ] = None
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain which piece tips over which edge, and by how much.")
    ] = False
    steps: Annotated[
        bool, typer.Option("--steps", help="Check every step of building it, up to the first that falls.")
    ] = False
    order: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Building order for --steps, comma-separated; else the file's."),
    ] = None
    seed: Annotated[int, typer.Option(help="Random seed of the disturbances and the noise.")] = 0
    workers: Workers = None
    engine: Engine = None
    witness: Annotated[
        bool,
        typer.Option("--witness", help="Ask a second engine too: `stands` and `topples` then need both."),
    ] = False
    picture: Annotated[Path | None, typer.Option(help="Draw the verdict with its forces to this PNG.")] = None
    record: Annotated[Path | None, typer.Option(help="Record the deciding trial as a replay.")] = None
    certificate: Annotated[
        Path | None, typer.Option(help="Write an exact proof of the force balance to this JSON file.")
    ] = None
    compas: Annotated[
        Path | None, typer.Option(help="Write blocks, interfaces and forces as a COMPAS assembly (.json).")
    ] = None
    page: Annotated[
        Path | None, typer.Option(help="Write a web page that shows, explains and proves the verdict.")
    ] = None
    data: Annotated[
        bool,
        typer.Option(
            "--data",
            help="With --json: add contact points with forces, interfaces, poses at rest and the trial.",
        ),
    ] = False
    force: Force = False
    as_json: Json = False

    @property
    def is_noisy(self) -> bool:
        """Whether anything shall vary."""
        return self.noise is not None or self.tilt_noise is not None or self.friction_range is not None


def run(request: CheckRequest) -> int:
    """Would it topple? Exit code 0: stands, 1: topples, 3: unsure, 2: bad input."""
    validate(request)
    if request.scenes is not None:
        from teeter.games.commands import check_scenes

        return check_scenes.run(request.scenes, request, checker_of(request), as_json=request.as_json)
    if request.steps:
        return _steps(request)
    result = verdict_on(request)
    noise = noise_on(result, request) if request.is_noisy else None
    if request.picture is not None:
        result.picture(request.picture, force=request.force)
    if request.record is not None:
        result.record(request.record, force=request.force)
    if request.compas is not None:
        result.compas(request.compas, force=request.force)
    from teeter.games.api.results import explained, panel
    from teeter.models.files import whole_or_nothing

    why = explained(result.verdict) if request.explain else None
    proof = None
    if request.certificate is not None or request.page is not None:
        proof = result.certificate()
    if request.certificate is not None:
        with whole_or_nothing(request.certificate, force=request.force) as part:
            part.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")
    if request.page is not None and proof is not None:
        from teeter.games.api.verdict_pages import fallen_copies, verdict_page

        shown: dict[str, Any] = {}
        if noise is not None:
            copies = fallen_copies(result.loaded.assembly, result.verdict, noise.chance)
            shown = {"noise": str(noise), "copies": copies}
        sentences = explained(result.verdict)["sentences"]
        verdict_page(result.verdict, request.page, sentences, proof, force=request.force, **shown)
    if request.as_json:
        more: dict[str, Any] = {} if why is None else {"explain": why}
        if proof is not None and request.certificate is not None:
            more["certificate"] = {"claim": proof["claim"], "why": proof.get("why")}
        if noise is not None:
            more["noise"] = noise.to_json()
        if result.loaded.fitted:
            more["fitted"] = list(result.loaded.fitted)
        print_json(result.to_json(data=request.data) | more)
    else:
        for line in result.loaded.fitted:
            say(line)
        Console().print(panel(result.verdict, result.loaded, noise))
        for sentence in () if why is None else why["sentences"]:
            Console().print(f" {sentence}", markup=False, highlight=False)
        if proof is not None and request.certificate is not None:
            said = f"{request.certificate} proves that it {proof['claim']}"
            say(f" no certificate: {proof['why']}" if proof["claim"] is None else f" {said}")
        if request.page is not None:
            say(f" wrote {request.page}")
    return EXIT[result.word]


def _steps(request: CheckRequest) -> int:
    """The steps of a scene, as JSON or as a table. Exit code 0: stands after all of them, 1: falls, 3: unsure."""
    from teeter.games.api.scene import PublicScene

    scene = PublicScene(_load(request))
    order = None if request.order is None else [name.strip() for name in request.order.split(",")]
    with bar("steps") as progress:
        result = checker_of(request).steps(
            scene, order, settle_mm=request.settle, drop=request.drop, progress=progress
        )
    if request.as_json:
        print_json({"teeter": teeter_version(), "scene": scene.name} | result.to_json())
    else:
        _print_steps(result)
    return EXIT[result.word]


def _print_steps(result: StepsResult) -> None:
    console = Console()
    table = plain_table("step", "piece", "verdict", "tilt margin", right=("step", "tilt margin"))
    for step in result.steps:
        tilt = "" if step.tilt_deg is None or step.word != "stands" else f"{step.tilt_deg:.2f} degrees"
        table.add_row(str(step.number), step.piece, step.word, tilt)
    console.print(table)
    for sentence in result.sentences:
        console.print(sentence, markup=False, highlight=False)


def verdict_on(request: CheckRequest) -> CheckResult:
    """The verdict on the scene of a request."""
    from teeter.engine.topple.stages import telling
    from teeter.games.api.scene import PublicScene

    scene = PublicScene(_load(request))
    with stages() as tell, telling(tell):
        return checker_of(request).check(
            scene, settle_mm=request.settle, drop=request.drop, time=request.time, witness=request.witness
        )


def _load(request: CheckRequest) -> Scene:
    scene = request.loaded(request.scene or "")
    _check_outputs(request, scene.files)
    return scene


def checker_of(request: CheckRequest) -> Checker:
    """The conditions of a request."""
    return request.checker(engine=request.engine, seed=request.seed, workers=request.workers)


def noise_on(result: CheckResult, request: CheckRequest) -> NoiseResult:
    """How surely a scene stands under the noise that was asked for."""
    from teeter.engine.workers import Interrupted
    from teeter.games.api.scene import PublicScene

    try:
        with bar("noisy copies") as progress:
            return checker_of(request).noise(
                PublicScene(result.loaded),
                position_mm=request.noise or 0.0,
                tilt_noise_deg=request.tilt_noise or 0.0,
                friction_range=None
                if request.friction_range is None
                else friction_of(request.friction_range),
                samples=SAMPLES if request.samples is None else request.samples,
                until=request.until,
                progress=progress,
            )
    except Interrupted as stop:
        exit_on_interrupt(stop, f"; until then: {stop.done}")


def friction_of(words: str) -> tuple[float, float] | None:
    """The two ends of a range `LOW:HIGH`; None when it is none."""
    try:
        low, high = (float(word) for word in words.split(":"))
    except ValueError:
        return None
    return None if friction_range_fault("", (low, high)) else (low, high)


def validate(request: CheckRequest) -> None:
    """Refuse what makes no sense, all of it in one message."""
    wrong = out_of_range(
        (
            ("--time", "time", request.time),
            *request.limited(),
            ("--workers", "workers", request.workers),
            ("--seed", "seed", request.seed),
            ("--noise", "position_mm", request.noise),
            ("--tilt-noise", "tilt_noise_deg", request.tilt_noise),
            ("--samples", "samples", request.samples),
            ("--until", "until", request.until),
        )
    )
    if request.friction_range is not None and friction_of(request.friction_range) is None:
        low, high = LIMITS["friction"]
        wrong.append(
            f"--friction-range = {request.friction_range}: must be two numbers such as 0.3:0.5, "
            f"from {low:g} to {high:g}, the smaller one first"
        )
    if not request.is_noisy and (request.samples is not None or request.until is not None):
        wrong.append(
            "--samples and --until say how often to try: give --noise, --tilt-noise or --friction-range too"
        )
    alone = ("picture", "record", "certificate", "compas", "page", "time", "witness", "explain", "is_noisy")
    if (request.scene is None) == (request.scenes is None):
        wrong.append("give a scene, or --scenes with a folder of them")
    whole = (*alone, "steps", "order", "data", "drop")
    if request.scenes is not None and (others := [name for name in whole if getattr(request, name)]):
        names = ", ".join("--" + name.replace("is_noisy", "noise") for name in others)
        wrong.append(f"--scenes is a table of verdicts: leave out {names}, or check one scene")
    if request.steps and (others := [name for name in alone if getattr(request, name)]):
        names = ", ".join("--" + name.replace("is_noisy", "noise") for name in others)
        wrong.append(f"--steps is a table of verdicts: leave out {names}, or check one step without --steps")
    if request.data and not request.as_json:
        wrong.append("--data adds to what --json prints: give --json too")
    if request.order is not None and not request.steps:
        wrong.append("--order is that of --steps: give --steps too")
    wrong += request.faults()
    if wrong:
        refuse("; ".join(wrong))
    _check_outputs(request, (Path(request.scene or ""),))


def _check_outputs(request: CheckRequest, inputs: Sequence[Path]) -> None:
    """Before anything is simulated: what cannot be written is said at once. inputs: the files that are read."""
    for path, suffix, what in ((request.picture, ".png", "picture"), (request.page, ".html", "page")):
        if wrong := suffix_fault(f"--{what}", path, f"{what}s", suffix):
            refuse(wrong)
    asked = (request.picture, request.page, request.certificate, request.compas, request.record)
    check_outputs(asked, force=request.force, inputs=inputs)
