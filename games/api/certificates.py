"""Certificates for scripts: is it proven, and of which scene."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.games.api.arguments import ArgumentError, checked
from teeter.games.api.checker import Checker
from teeter.games.api.scene import AnyScene, loaded_of
from teeter.models.errors import TeeterError, Untrue, quote

if TYPE_CHECKING:
    from teeter.scenes.scene import Scene

MAX_BYTES = 50_000_000
"""Of a file: a certificate of 150 bodies, the most there are in one, has a few MB."""


MOST_NAMES = 12


class CertificateError(TeeterError):
    """A file that is no certificate."""


@dataclass(frozen=True, slots=True)
class CertificateResult(Untrue):
    """The answer of `teeter.verify_certificate`.

    proven: every force, or the motion, was checked in exact fractions. claim: stands or topples, None when refused.
    bodies: the free ones it is of. scene: the name of the one it was compared with, None when it was compared with
    none; then what is proven is proven of a scene like this, whatever the file is called. why: it was refused.
    """

    asked = "proven"

    proven: bool
    claim: str | None
    bodies: tuple[str, ...]
    scene: str | None
    why: str

    def __str__(self) -> str:
        if not self.proven:
            return self.why
        if self.scene is not None:
            return f"{self.scene} {self.claim}: the certificate is of its bodies and its gravity"
        names = ", ".join(self.bodies[:MOST_NAMES]) + (", ..." if len(self.bodies) > MOST_NAMES else "")
        return f"a scene like this {self.claim}: {names} (--scene compares it with yours)"


@checked
def verify_certificate(
    file: str | Path, scene: AnyScene | None = None, conditions: Checker | None = None
) -> CertificateResult:
    """Check what `teeter check --certificate` wrote, in exact fractions, with no solver.

    scene: the one it has to be of, whose bodies and gravity are compared; None: it is proven of a scene like the one
    in the file. conditions: under which the scene was checked. Raises TeeterError for what is no certificate.
    """
    from teeter.engine.certificate.checker import RefusedError, check

    if not isinstance(conditions, Checker | None):
        raise ArgumentError(f"conditions = {quote(conditions)}: must be a Checker")
    loaded = None if scene is None else loaded_of(scene)
    certificate = _read(Path(file))
    name = None if loaded is None else loaded.name
    if certificate.get("claim") is None:
        return CertificateResult(False, None, (), name, str(certificate.get("why") or "it claims nothing"))
    try:
        claim = check(certificate)
    except RefusedError as error:
        return CertificateResult(False, None, (), name, str(error))
    bodies = tuple(body["name"] for body in certificate["bodies"] if not body["fixed"])
    why = "" if loaded is None else _other_than(certificate, loaded, conditions or Checker())
    return CertificateResult(not why, None if why else claim, bodies, name, why)


def _other_than(certificate: Mapping[str, Any], loaded: Scene, conditions: Checker) -> str:
    from teeter.engine.certificate.maker import difference

    mismatch = difference(certificate, *conditions.asked(loaded))
    return f"it is of another scene than {loaded.name}: {mismatch}" if mismatch else ""


def _read(file: Path) -> dict[str, Any]:
    from teeter.engine.record.format import each_once

    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise CertificateError(f"{file}: has {size} bytes; certificates have at most {MAX_BYTES}")
        certificate = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=each_once)
    except OSError as error:
        raise CertificateError(f"{file}: cannot be read: {error.strerror or error}") from None
    except KeyError as error:
        raise CertificateError(f"{file}: has the key {quote(error.args[0])} twice") from None
    except (ValueError, RecursionError):
        raise CertificateError(f"{file}: is not a certificate: not valid JSON") from None
    if not isinstance(certificate, dict) or "certificate" not in certificate:
        words = "`teeter check SCENE --certificate FILE.json` writes one"
        raise CertificateError(f"{file}: is not a certificate: {words}")
    return certificate
