"""The proof of a verdict: forces, or a motion, in exact fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from teeter.engine.topple.verdict import Verdict


def certificate_of(verdict: Verdict) -> dict[str, Any]:
    """Returns the certificate of a verdict's force balance, or why there is none."""
    from teeter.engine.certificate.checker import VERSION
    from teeter.engine.certificate.maker import certify
    from teeter.engine.certificate.proof import NoCertificateError
    from teeter.engine.topple import words

    statics = verdict.statics
    try:
        if statics.stands is None:
            raise NoCertificateError(statics.why or "the force balance says nothing")
        if verdict.pose != "declared":
            raise NoCertificateError(
                "the faces do not meet as declared: the pieces were judged where they came to rest"
            )
        if any(load.is_force for body in verdict.judged.free for load in body.loads):
            raise NoCertificateError(
                "forces other than weights act on the pieces, and a certificate has none"
            )
        if statics.wedged is not None:
            raise NoCertificateError(
                f"forces hold it only if it is wedged tight: {words.clamped(statics.wedged)}"
            )
        claim = "stands" if statics.stands else "topples"
        if verdict.word != claim:
            raise NoCertificateError(
                f"by the force balance alone it {claim}, and the verdict is {verdict.word}"
            )
        return certify(verdict.judged, statics.stands, verdict.options.gravity)
    except NoCertificateError as why:
        return {"certificate": VERSION, "scene": verdict.scene, "claim": None, "why": str(why)}
