"""`teeter check --certificate` and `teeter verify-certificate`: verdicts that prove themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from games.commands.console import OK, TOPPLES, Json, print_json, refuse

if TYPE_CHECKING:
    from engine.topple.verdict import CheckOptions, Verdict

REFUSED = TOPPLES
"""As `teeter verify` says that a recording differs."""
MAX_BYTES = 200_000_000


def write_certificate(verdict: Verdict, options: CheckOptions, path: Path) -> dict[str, Any]:
    """Write the certificate of a verdict's force balance, or why there is none; returns what was written."""
    from engine.certificate.checker import VERSION
    from engine.certificate.maker import certify
    from engine.certificate.proof import NoCertificateError
    from engine.files import whole_or_nothing

    statics = verdict.statics
    try:
        if statics.stands is None or verdict.judged is None:
            raise NoCertificateError(statics.why or "the force balance says nothing")
        if verdict.pose != "declared":
            raise NoCertificateError(
                "the faces do not meet as declared: the pieces were judged where they came to rest"
            )
        found = certify(verdict.judged, statics.stands, options.gravity)
    except NoCertificateError as why:
        found = {"certificate": VERSION, "scene": verdict.scene, "claim": None, "why": str(why)}
    with whole_or_nothing(path) as part:
        part.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def certificate_row(found: dict[str, Any], path: Path) -> str:
    """A certificate in words."""
    if found["claim"] is None:
        return f"no certificate: {found['why']}"
    return f"{path} proves that it {found['claim']}"


def verify_certificate(
    file: Annotated[Path, typer.Argument(help="What `teeter check --certificate` wrote.")],
    as_json: Json = False,
) -> int:
    """Check a certificate in exact arithmetic. Exit code 0: proven, 1: refused, 2: bad input."""
    from engine.certificate.checker import RefusedError, check

    certificate = _read(file)
    claim, why = None, str(certificate.get("why", ""))
    if certificate.get("claim") is not None:
        try:
            claim, why = check(certificate), ""
        except RefusedError as error:
            why = str(error)
    if as_json:
        print_json({"proven": claim is not None, "claim": claim, "why": why or None})
    elif claim is not None:
        scene = str(certificate.get("scene", ""))
        Console().print(f"[green]proven[/green]: {ascii(scene)[1:-1]} {claim}", highlight=False)
    else:
        Console().print("[red]refused[/red]: ", end="")
        Console().print(ascii(why)[1:-1], highlight=False, markup=False)
    return OK if claim is not None else REFUSED


def _read(file: Path) -> dict[str, Any]:
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            refuse(f"{file}: has {size} bytes; certificates have at most {MAX_BYTES}")
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        refuse(f"{file}: cannot be read: {error.strerror or error}")
    except (ValueError, RecursionError):
        refuse(f"{file}: is not a certificate: not valid JSON")
    if not isinstance(found, dict) or "certificate" not in found:
        refuse(f"{file}: is not a certificate: `teeter check SCENE --certificate FILE.json` writes one")
    return found
