"""Making stability certificates: a solution found in floating point, rounded, and mended until it holds exactly.

The scene is rounded first (positions and corners to a nanometre, rotations as rational quaternions), and everything is
computed from the rounded scene. What a certificate says is decided by `engine.certificate.checker` alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from teeter.engine.certificate import checker
from teeter.engine.certificate.checker import Vector
from teeter.engine.certificate.motion import motion_of
from teeter.engine.certificate.proof import FINE, NoCertificateError, System, forces_of, text, texts
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.statics import curved_reason
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body
from teeter.engine.world.body import Vector as Direction
from teeter.models.errors import quote
from teeter.models.piece import Array

NANOMETRE = 10**9
"""Parts of a metre, or of a kilogram, to which the scene is rounded."""
MAX_BODIES = 150
"""Free bodies: the exact solution of more takes minutes."""
TRIED = 20
"""Planes between two polyhedra, the best ones: narrow faces fix none."""


def certify(assembly: Assembly, stands: bool, gravity: Direction = (0.0, 0.0, -GRAVITY)) -> dict[str, Any]:
    """Returns a certificate that an assembly stands, or that it topples, checked once already.

    gravity: m/s^2. Raises NoCertificateError at the limit, where no solution is strictly inside its cones; where
    pieces touch on curved surfaces; and for more than `MAX_BODIES` free bodies.
    """
    if not 0 < len(assembly.free) <= MAX_BODIES:
        raise NoCertificateError(
            f"there are {len(assembly.free)} free pieces: certificates are made for 1 to {MAX_BODIES}"
        )
    _refuse_curved(assembly)
    scene = _rounded(assembly, gravity)
    scene |= {"planes": _planes(scene), "claim": "stands" if stands else "topples"}
    try:
        contacts = checker.contacts_of(scene)
    except checker.RefusedError as why:
        raise NoCertificateError(f"the rounded scene has no clear contacts: {why}") from None
    system = System.of(scene, contacts)
    try:
        proof = {"forces": forces_of(system)} if stands else motion_of(system)
    except NoCertificateError as why:
        raise NoCertificateError(f"{why}{_edges_that_meet(scene)}") from None
    certificate = {**scene, **proof}
    certificate["digest"] = checker.digest_of(certificate)
    try:
        checker.check(certificate)
    except checker.RefusedError as why:
        raise NoCertificateError(f"rounding spoils the proof: {why}") from None
    return certificate


def _edges_that_meet(scene: dict[str, Any]) -> str:
    """Returns whose edges meet, in words to follow a reason; "" where none do."""
    try:
        contacts = checker.contacts_of(scene | {"claim": "topples"})
    except checker.RefusedError:
        return ""
    pairs = [contact[:2] for contact in contacts if contact[4] is None]
    return (
        f"; edges of {pairs[0][0]} and {pairs[0][1]} meet: nothing tells which way they press"
        if pairs
        else ""
    )


def _refuse_curved(assembly: Assembly) -> None:
    touches = find_contacts(assembly)
    if touches.curved:
        raise NoCertificateError(curved_reason(touches))


def difference(certificate: Mapping[str, Any], assembly: Assembly, gravity: Direction) -> str:
    """Returns in words where a certificate is not of an assembly under this gravity, the first place, "" where it is.
    certificate: one that was checked. Names of scenes prove nothing, and are not compared."""
    if pushed := [body.name for body in assembly.free if any(load.is_force for load in body.loads)]:
        return f"a force acts on {pushed[0]}, and a certificate has none"
    try:
        scene = _rounded(assembly, gravity)
        _refuse_curved(assembly)
    except NoCertificateError as why:
        return str(why)
    if certificate["gravity"] != scene["gravity"]:
        return f"its gravity is {_digits(certificate['gravity'])}, here it is {_digits(scene['gravity'])}"
    there = {body["name"]: body for body in certificate["bodies"]}
    here = {body["name"]: body for body in scene["bodies"]}
    for name in (*here, *there):
        if name not in there or name not in here:
            return f"{name} is {'only in' if name in there else 'not in'} the certificate"
        for key, value in here[name].items():
            if there[name][key] != value:
                said = (
                    "" if key == "parts" else f" is {_digits(there[name][key])}, here it is {_digits(value)}"
                )
                return f"the {'shape' if key == 'parts' else key} of {name}{said or ' is another'}"
    return ""


def _digits(value: Any) -> str:
    """Fractions as decimals, for people."""
    if isinstance(value, list):
        return f"({', '.join(map(_digits, value))})"
    try:
        return f"{float(Fraction(value)):g}" if isinstance(value, str) else str(value).lower()
    except (ValueError, ArithmeticError):
        return quote(value)


def _rounded(assembly: Assembly, gravity: Direction) -> dict[str, Any]:
    return {
        "certificate": checker.VERSION,
        "scene": assembly.name,
        "gravity": texts(gravity, NANOMETRE),
        "bodies": [_body(body) for body in assembly.bodies],
    }


def _body(body: Body) -> dict[str, Any]:
    piece = body.piece
    if any(part.kind == "sphere" for part in piece.parts):
        raise NoCertificateError(f"{body.name} is round: certificates are made for polyhedra")
    return {
        "name": body.name,
        "fixed": body.fixed,
        "mass": text(piece.mass, NANOMETRE),
        "centre": texts(piece.centre_of_mass, FINE),
        "friction": text(piece.material.friction, FINE),
        "position": texts(body.pose.position, NANOMETRE),
        "rotation": texts(body.pose.orientation, FINE),
        "parts": [[texts(corner, NANOMETRE) for corner in part.vertices] for part in piece.parts],
    }


@dataclass(frozen=True, eq=False)
class _Solid:
    """A convex part of a body in the world. exact, rough (n, 3): its corners."""

    body: dict[str, Any]
    part: int
    exact: list[Vector]
    rough: Array

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """The unit face normals and edge directions (k, 3)."""
        whole = ConvexHull(self.rough - self.rough.mean(axis=0))
        normals = np.unique(np.round(whole.equations[:, :3], 10), axis=0)
        edges = np.concatenate([whole.simplices[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
        lines = self.rough[edges[:, 0]] - self.rough[edges[:, 1]]
        lines /= np.linalg.norm(lines, axis=1)[:, None]
        lines *= np.sign(lines[np.arange(len(lines)), np.argmax(np.abs(lines), axis=1)])[:, None]
        return normals, np.unique(np.round(lines, 10), axis=0)


def _planes(scene: dict[str, Any]) -> list[dict[str, Any]]:
    """A plane for every two polyhedra that are close: the axis of greatest separation (Gottschalk et al. 1996)."""
    solids = []
    for body in scene["bodies"]:
        for part, corners in enumerate(body["parts"]):
            exact = checker.placed(body, corners)
            solids.append(_Solid(body, part, exact, np.array(exact, dtype=float)))
    planes = []
    touch = 2 * float(checker.TOUCH)
    for one, other in combinations(solids, 2):
        gaps = np.maximum(
            one.rough.min(axis=0) - other.rough.max(axis=0), other.rough.min(axis=0) - one.rough.max(axis=0)
        )
        if one.body is other.body or (one.body["fixed"] and other.body["fixed"]) or (gaps > touch).any():
            continue
        axis = _separating(one, other)
        planes.append(
            {
                "between": [one.body["name"], one.part, other.body["name"], other.part],
                "normal": [str(part) for part in axis],
            }
        )
    return planes


def _separating(one: _Solid, other: _Solid) -> Vector:
    """The direction from the second polyhedron to the first along which they are farthest apart, of those that a
    face or two edges fix."""
    (faces, lines), (other_faces, other_lines) = one.axes, other.axes
    across = np.cross(lines[:, None], other_lines[None]).reshape(-1, 3)
    lengths = np.linalg.norm(across, axis=1)
    across = across[lengths > 1e-6] / lengths[lengths > 1e-6][:, None]
    # faces first: where several axes tell the same, a face lies in the contact
    candidates = np.concatenate([-faces, other_faces, across, -across])
    gaps = (one.rough @ candidates.T).min(axis=0) - (other.rough @ candidates.T).max(axis=0)
    order = np.argsort(-np.round(gaps, 9), kind="stable")[:TRIED]
    tried = [checker.vector(texts(axis, NANOMETRE)) for axis in candidates[order]]
    return next((axis for axis in tried if checker.fixes(one.exact, other.exact, axis)), tried[0])
