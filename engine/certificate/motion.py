"""A motion that no contact opposes and in which gravity does work, for certificates that something topples.

Found in floating point as far inside the duals of the friction cones as can be, then rounded.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import clarabel
import numpy as np

from teeter.engine.certificate import checker
from teeter.engine.certificate.checker import Vector
from teeter.engine.certificate.proof import FINE, INTERIOR, NoCertificateError, System, solved
from teeter.models.piece import Array

SHALLOW = 1e-4
"""Depth beyond which a contact counts no more where as many as can be are to part."""


def motion_of(system: System) -> dict[str, Any]:
    """A motion that no contact opposes and in which gravity does work: strictly, except where bodies that are clamped
    to each other, or of which nothing tells how they press, move as one, which rounding does not spoil."""
    groups: list[int | None] = list(range(len(system.names)))
    for pair, friction in zip(system.pairs, system.friction, strict=True):
        if np.isnan(friction):
            _join(groups, pair)
    while True:
        motion, depth, parting = _parting(system, groups)
        if depth > INTERIOR:
            break
        # bodies of which no motion parts any point that they share move as one from now on
        free = {
            pair
            for pair, one in zip(system.pairs, parting, strict=True)
            if one is not None and one > INTERIOR
        }
        stuck = [pair for pair in dict.fromkeys(system.pairs) if pair not in free]
        joined = [_join(groups, pair) for pair in stuck]
        if not any(joined):
            raise NoCertificateError("pieces are wedged: no motion parts all contacts at once")
    twists = [
        [Fraction(round(float(part) * FINE), FINE) for part in twist] for twist in motion.reshape(-1, 6)
    ]
    exact = {}
    for k, name in enumerate(system.names):
        linear, spin = _of_group(twists, groups[k], system.centres, k)
        exact[name] = [[str(part) for part in linear], [str(part) for part in spin]]
    return {"motion": exact}


def _of_group(
    twists: Sequence[Sequence[Fraction]], group: int | None, centres: Sequence[Vector], body: int
) -> tuple[Vector, Vector]:
    """The velocity of a body's centre, and its spin, in a group that moves as one; nothing with what is fixed."""
    if group is None:
        still = Vector([Fraction(0)] * 3)
        return still, still
    linear, spin = Vector(twists[group][:3]), Vector(twists[group][3:])
    return linear + checker.cross(spin, centres[body] - centres[group]), spin


def _join(groups: list[int | None], pair: tuple[int | None, int | None]) -> bool:
    """Lets two bodies move as one from now on. Returns whether they did not before."""
    one, other = (None if body is None else groups[body] for body in pair)
    if one == other:
        return False
    kept, gone = (one, other) if other is not None else (other, one)
    groups[:] = [kept if group == gone else group for group in groups]
    return True


def _twists(system: System, groups: Sequence[int | None]) -> Array:
    """(6 n, 6 n): the motion of every body by the twists of the groups, each about the centre of its first body."""
    count = len(system.names)
    motions = np.zeros((6 * count, 6 * count))
    centres = np.array([[float(part) for part in centre] for centre in system.centres])
    for body, group in enumerate(groups):
        if group is None:
            continue
        x, y, z = centres[body] - centres[group]
        block = np.eye(6)
        block[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        motions[6 * body : 6 * body + 6, 6 * group : 6 * group + 6] = block
    return motions


def _parting(system: System, groups: Sequence[int | None]) -> tuple[Array, float, list[float | None]]:
    """The motion of the groups (6 n) that parts all contacts between them as far as can be while gravity gains half of
    what it could; how far; and where some do not part at all, how far each can (None within a group).

    Raises NoCertificateError when gravity gains nothing.
    """
    basis = _twists(system, groups)
    matrix, load = basis.T @ system.matrix(), basis.T @ system.loads
    of = [tuple(None if body is None else groups[body] for body in pair) for pair in system.pairs]
    between = np.array([one != other for one, other in of], dtype=np.bool_)
    rows, count = matrix.shape[0], int(between.sum())
    power = load / max(float(np.abs(load).max()), 1e-12)
    chosen = matrix.reshape(rows, -1, 3)[:, between].reshape(rows, -1)
    friction = system.friction[between]
    dual = -chosen.T * np.stack([np.ones(count), friction, friction], axis=1).reshape(-1, 1)
    first = np.tile([1.0, 0.0, 0.0], count)
    together = first[:, None]
    apart = np.zeros((3 * count, count))
    apart[3 * np.arange(count), np.arange(count)] = 1.0

    def depths(motion: Array) -> Array:
        # by the motion itself: what a large program says of them is less exact
        parts = (chosen.T @ motion[:rows]).reshape(-1, 3)
        return np.asarray(parts[:, 0] - friction * np.linalg.norm(parts[:, 1:], axis=1))

    # first the most that gravity can gain, then, at half of that, as far inside the dual cones as can be
    motion, best = _moved(dual, power, None, 0.0)
    if best <= INTERIOR:
        raise NoCertificateError(
            "it is at the limit: gravity gains nothing in any motion of the rounded scene"
        )
    motion, _ = _moved(dual, power, together, best / 2)
    depth = float(depths(motion).min(initial=1.0))
    parting: list[float | None] = [None] * len(between)
    if depth <= INTERIOR:
        motion, _ = _moved(dual, power, apart, best / 2)
        slacks = depths(motion)
        depth = float(slacks.min(initial=1.0))
        for number, value in zip(np.flatnonzero(between), slacks, strict=True):
            parting[int(number)] = float(value)
    return motion[:rows], depth, parting


def _moved(dual: Array, power: Array, inside: Array | None, gain: float) -> tuple[Array, float]:
    """A motion no faster than 1 in any part, which every contact allows, by depths (its last entries) that are as large
    as can be, and in which gravity gains so much at least; or, without depths, in which it gains the most. Returns what
    gravity gains too."""
    rows, depths = len(power), 0 if inside is None else inside.shape[1]
    count = len(dual) // 3
    eye, none = np.eye(rows), np.zeros((rows, depths))
    some, nothing = np.eye(depths), np.zeros((depths, rows))
    blocks = [
        np.hstack([eye, none]),
        np.hstack([-eye, none]),
        np.hstack([nothing, some]),
        np.hstack([nothing, -some]),
    ]
    blocks += [np.append(-power, np.zeros(depths))[None, :]]
    blocks += [np.hstack([dual, np.zeros((len(dual), 0)) if inside is None else inside])]
    right = np.concatenate(
        [
            np.ones(2 * rows),
            np.full(depths, 1.0 if depths == 1 else SHALLOW),
            np.zeros(depths),
            [-gain],
            np.zeros(len(dual)),
        ]
    )
    aim = np.append(-power, []) if inside is None else np.append(np.zeros(rows), -np.ones(depths))
    cones = [clarabel.NonnegativeConeT(2 * rows + 2 * depths + 1), *([clarabel.SecondOrderConeT(3)] * count)]
    answer = solved(aim, np.vstack(blocks), right, cones)
    if answer is None:
        raise NoCertificateError("no motion of the rounded scene was found")
    return answer, float(power @ answer[:rows])
