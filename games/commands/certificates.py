"""Certificates: `teeter check --certificate` writes them, `teeter verify-certificate` checks them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from teeter.games.api.arguments import out_of_range
from teeter.games.commands.console import OK, TOPPLES, Json, print_json, refuse
from teeter.games.commands.scene_request import SceneRequest

REFUSED = TOPPLES
"""As `teeter verify` says that a recording differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRequest(SceneRequest):
    """Everything `teeter verify-certificate` is asked, as typed."""

    file: Annotated[Path, typer.Argument(help="Certificate written by `teeter check --certificate`.")]
    scene: Annotated[
        str | None,
        typer.Option(
            metavar="SCENE",
            help="Scene the certificate must belong to, read as by `teeter check` with the same options.",
        ),
    ] = None
    as_json: Json = False


def verify_certificate(request: CertificateRequest) -> int:
    """Check a certificate in exact arithmetic. Exit code 0: proven, 1: refused, 2: bad input.

    It proves its claim about the bodies it contains; with --scene, also that these are the bodies of that scene.
    """
    from teeter.games.api.certificates import verify_certificate as verify
    from teeter.games.api.checker import Checker
    from teeter.games.api.scene import PublicScene

    if wrong := out_of_range(request.limited()) + request.faults():
        refuse("; ".join(wrong))
    if request.scene is None and (said := _scene_options(request)):
        refuse(f"{', '.join(said)}: of which scene? Give --scene")
    scene = None if request.scene is None else PublicScene(request.loaded(request.scene))
    conditions = Checker(
        tilt_deg=request.tilt,
        tilt_direction_deg=request.tilt_direction,
        friction=request.friction,
        accelerate_g=request.accelerate,
        wind_pa=request.wind,
        direction_deg=request.direction,
    )
    result = verify(request.file, scene, conditions)
    if request.as_json:
        print_json({**asdict(result), "why": result.why or None})
    else:
        word = "[green]proven[/green]: " if result.proven else "[red]refused[/red]: "
        Console().print(word, end="")
        Console().print(ascii(str(result))[1:-1], highlight=False, markup=False, soft_wrap=True)
    return OK if result.proven else REFUSED


def _scene_options(request: CertificateRequest) -> list[str]:
    """Returns the options about a scene that were given."""
    from dataclasses import MISSING, fields

    options = [field for field in fields(SceneRequest) if getattr(request, field.name) != field.default]
    return [f"--{field.name.replace('_', '-')}" for field in options if field.default is not MISSING]
