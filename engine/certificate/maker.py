"""Making stability certificates: a solution found in floating point, rounded, and mended until it holds exactly.

The scene is rounded first (positions and corners to a nanometre, rotations as rational quaternions), and everything is
computed from the rounded scene. What a certificate says is decided by `engine.certificate.checker` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import coo_array, csc_matrix

from engine.certificate import checker
from engine.certificate.checker import Contact, Vector
from engine.settings import GRAVITY
from engine.topple.balance.statics import curved_reason
from engine.topple.contact.detection import find_contacts
from engine.world import Assembly, Body
from engine.world import Vector as Direction
from models.errors import TeeterError

Array = NDArray[np.float64]

NANOMETRE = 10**9
"""Parts of a metre, or of a kilogram, to which the scene is rounded."""
FINE = 10**12
"""Parts to which quaternions, forces and velocities are rounded."""
MAX_BODIES = 150
"""Free bodies: the exact solution of more takes minutes."""
INTERIOR = 1e-7
"""Of the mean weight, or of the fastest speed: a solution this far inside its cones survives rounding."""


class NoCertificateError(TeeterError):
    """A verdict that cannot be proven exactly; the message says why."""


def certify(assembly: Assembly, stands: bool, gravity: Direction = (0.0, 0.0, -GRAVITY)) -> dict[str, Any]:
    """Returns a certificate that an assembly stands, or that it topples, checked once already.

    gravity: m/s^2. Raises NoCertificateError at the limit, where no solution is strictly inside its cones; where
    pieces touch on curved surfaces; and for more than `MAX_BODIES` free bodies.
    """
    if not 0 < len(assembly.free) <= MAX_BODIES:
        raise NoCertificateError(
            f"there are {len(assembly.free)} free pieces: certificates are made for 1 to {MAX_BODIES}"
        )
    found = find_contacts(assembly)
    if found.curved:
        raise NoCertificateError(curved_reason(found))
    scene = _rounded(assembly, gravity)
    scene["planes"] = _planes(scene)
    try:
        contacts = checker.contacts_of(scene)
    except checker.RefusedError as why:
        raise NoCertificateError(f"the rounded scene has no clear contacts: {why}") from None
    system = _System.of(scene, contacts)
    proof = {"claim": "stands", "forces": _forces(system)} if stands else _motion(system)
    certificate = {**scene, **proof}
    certificate["digest"] = checker.digest_of(certificate)
    try:
        checker.check(certificate)
    except checker.RefusedError as why:
        raise NoCertificateError(f"rounding spoils the proof: {why}") from None
    return certificate


def _rounded(assembly: Assembly, gravity: Direction) -> dict[str, Any]:
    return {
        "certificate": checker.VERSION,
        "scene": assembly.name,
        "gravity": _texts(gravity, NANOMETRE),
        "bodies": [_body(body) for body in assembly.bodies],
    }


def _body(body: Body) -> dict[str, Any]:
    piece = body.piece
    if any(part.kind == "sphere" for part in piece.parts):
        raise NoCertificateError(f"{body.name} is round: certificates are made for polyhedra")
    return {
        "name": body.name,
        "fixed": body.fixed,
        "mass": _text(piece.mass, NANOMETRE),
        "centre": _texts(piece.centre_of_mass, FINE),
        "friction": _text(piece.material.friction, FINE),
        "position": _texts(body.pose.position, NANOMETRE),
        "rotation": _texts(body.pose.orientation, FINE),
        "parts": [[_texts(corner, NANOMETRE) for corner in part.vertices] for part in piece.parts],
    }


def _text(value: float, parts: int) -> str:
    return str(Fraction(round(float(value) * parts), parts))


def _texts(values: Iterable[float], parts: int) -> list[str]:
    return [_text(value, parts) for value in values]


# -- planes between polyhedra ----------------------------------------------------------------------------------------


def _planes(scene: dict[str, Any]) -> list[dict[str, Any]]:
    """A plane for every two polyhedra that are close: the axis of greatest separation (Gottschalk et al. 1996)."""
    solids: list[tuple[dict[str, Any], int, list[Vector], Array, Array]] = []
    for body in scene["bodies"]:
        for part, corners in enumerate(body["parts"]):
            exact = checker.placed(body, corners)
            rough = np.array(exact, dtype=float)
            solids.append((body, part, exact, rough, np.array([rough.min(axis=0), rough.max(axis=0)])))
    found = []
    touch = 2 * float(checker.TOUCH)
    axes: dict[int, tuple[Array, Array]] = {}
    for (k, one), (m, other) in combinations(enumerate(solids), 2):
        if one[0] is other[0] or (one[0]["fixed"] and other[0]["fixed"]):
            continue
        if (one[4][0] - other[4][1] > touch).any() or (other[4][0] - one[4][1] > touch).any():
            continue
        for each in (k, m):
            if each not in axes:
                axes[each] = _axes_of(solids[each][3])
        normal = _separating(one[3], other[3], axes[k], axes[m])
        axis = checker.vector(_texts(normal, NANOMETRE))
        low = min(axis @ corner for corner in one[2])
        high = max(axis @ corner for corner in other[2])
        found.append(
            {
                "between": [one[0]["name"], one[1], other[0]["name"], other[1]],
                "normal": [str(part) for part in axis],
                "offset": str((low + high) / 2),
            }
        )
    return found


def _axes_of(corners: Array) -> tuple[Array, Array]:
    """The unit face normals and edge directions of a convex hull."""
    from scipy.spatial import ConvexHull

    whole = ConvexHull(corners - corners.mean(axis=0))
    normals = np.unique(np.round(whole.equations[:, :3], 10), axis=0)
    edges = np.concatenate([whole.simplices[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    lines = corners[edges[:, 0]] - corners[edges[:, 1]]
    lines /= np.linalg.norm(lines, axis=1)[:, None]
    lines *= np.sign(lines[np.arange(len(lines)), np.argmax(np.abs(lines), axis=1)])[:, None]
    return normals, np.unique(np.round(lines, 10), axis=0)


def _separating(one: Array, other: Array, mine: tuple[Array, Array], theirs: tuple[Array, Array]) -> Array:
    """The unit direction from the second polyhedron to the first along which they are farthest apart."""
    across = np.cross(mine[1][:, None], theirs[1][None]).reshape(-1, 3)
    lengths = np.linalg.norm(across, axis=1)
    across = across[lengths > 1e-6] / lengths[lengths > 1e-6][:, None]
    # faces first: where several axes tell the same, a face lies in the contact
    candidates = np.concatenate([-mine[0], theirs[0], across, -across])
    gaps = (one @ candidates.T).min(axis=0) - (other @ candidates.T).max(axis=0)
    best = int(np.flatnonzero(gaps >= gaps.max() - 1e-9)[0])
    found: Array = candidates[best]
    return found


# -- equilibrium and motion ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _System:
    """The equilibrium of the free bodies in world axes. columns: three unit forces (x, y, z) at every contact point,
    each as the exact entries of the wrenches (six rows a free body) that it exerts. frames: (k, 3, 3) unit normal and
    two tangents of every point. friction: (k,)."""

    names: tuple[str, ...]
    columns: list[list[dict[int, Fraction]]]
    load: list[Fraction]
    frames: Array
    friction: Array

    @classmethod
    def of(cls, scene: dict[str, Any], contacts: Sequence[Contact]) -> _System:
        free = [body for body in scene["bodies"] if not body["fixed"]]
        number = {body["name"]: k for k, body in enumerate(free)}
        centres = [checker.placed(body, [body["centre"]])[0] for body in free]
        gravity = checker.vector(scene["gravity"])
        load: list[Fraction] = []
        for body in free:
            load += [*(Fraction(body["mass"]) * gravity), *([Fraction(0)] * 3)]
        columns = []
        unit = [Vector(Fraction(int(a == b)) for b in range(3)) for a in range(3)]
        for upper, lower, point, _, _ in contacts:
            three = []
            for axis in unit:
                entries: dict[int, Fraction] = {}
                for name, sign in ((upper, Fraction(1)), (lower, Fraction(-1))):
                    if name in number:
                        at = 6 * number[name]
                        force = sign * axis
                        moment = checker.cross(point - centres[number[name]], force)
                        entries |= {at + k: part for k, part in enumerate((*force, *moment)) if part}
                three.append(entries)
            columns.append(three)
        normals = np.array([[float(part) for part in each[3]] for each in contacts]).reshape(-1, 3)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        helper = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
        first = np.cross(helper, normals)
        first /= np.linalg.norm(first, axis=1)[:, None]
        frames = np.stack([normals, first, np.cross(normals, first)], axis=1)
        friction = np.sqrt(np.array([float(each[4]) for each in contacts]))
        return cls(tuple(number), columns, load, frames, friction)

    def matrix(self) -> Array:
        """(6 n, 3 k), forces in the frames of the points."""
        rows, columns, values = [], [], []
        for point, three in enumerate(self.columns):
            for axis, entries in enumerate(three):
                for row, value in entries.items():
                    rows.append(row)
                    columns.append(3 * point + axis)
                    values.append(float(value))
        shape = (6 * len(self.names), 3 * len(self.columns))
        world = coo_array((values, (rows, columns)), shape=shape).toarray()
        turned = np.einsum("rkj,kij->rki", world.reshape(shape[0], -1, 3), self.frames)
        return np.ascontiguousarray(turned.reshape(shape))

    @property
    def loads(self) -> Array:
        """(6 n,) newtons and newton metres, in floats."""
        return np.array([float(part) for part in self.load])


def _forces(system: _System) -> list[list[str]]:
    """Exact forces that balance every piece, each strictly inside its cone or zero."""
    count = len(system.columns)
    if not count:
        raise NoCertificateError("nothing touches anything: there are no contact forces")
    matrix, load = system.matrix(), system.loads
    mean = float(np.abs(load[2::6]).mean()) or float(np.abs(load).mean())
    length = max(float(np.abs(matrix).max()), 1e-9)
    scale = np.tile([1.0, 1.0, 1.0, length, length, length], len(system.names))
    matrix, load = matrix / scale[:, None], load / scale / mean
    active = np.ones(count, dtype=np.bool_)
    for _ in range(3):
        found, inside = _interior(matrix, load, system.friction, active)
        deep = inside > INTERIOR
        if (deep | ~active).all():
            break
        active &= deep
    else:
        raise NoCertificateError("it stands at the limit: no contact forces are strictly inside their cones")
    values = np.einsum("ki,kij->kj", found * mean, system.frames)
    exact = [[Fraction(round(part * FINE), FINE) for part in force] for force in values]
    for k in np.flatnonzero(~active):
        exact[k] = [Fraction(0)] * 3
    # forces of contacts without friction lie along their normals: they are not mended
    usable = np.repeat(active & (system.friction > 1e-6), 3)
    _mend(system, exact, usable)
    return [[str(part) for part in force] for force in exact]


def _interior(matrix: Array, load: Array, friction: Array, active: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Contact forces (k, 3) as normal and tangents that balance the load, and how far inside its cone each is; the sum
    of these depths, none counted beyond a tenth of the mean weight, is as large as can be."""
    points = np.flatnonzero(active)
    many, rows = len(points), matrix.shape[0]
    chosen = matrix[:, (3 * points[:, None] + np.arange(3)).reshape(-1)]
    # unknowns: 3 forces a point, then a depth a point
    size = 4 * many
    blocks, right, cones = [np.hstack([chosen, np.zeros((rows, many))])], [-load], [clarabel.ZeroConeT(rows)]
    cap = np.hstack([np.zeros((many, 3 * many)), np.eye(many)])
    blocks += [cap, -cap]
    right += [np.full(many, 0.1), np.zeros(many)]
    cones.append(clarabel.NonnegativeConeT(2 * many))
    cone = np.zeros((3 * many, size))
    for k in range(many):
        mu = float(friction[points[k]])
        cone[3 * k, 3 * k], cone[3 * k, 3 * many + k] = -max(mu, 1e-9), 1.0
        cone[3 * k + 1, 3 * k + 1] = cone[3 * k + 2, 3 * k + 2] = -1.0
    blocks.append(cone)
    right.append(np.zeros(3 * many))
    cones += [clarabel.SecondOrderConeT(3)] * many
    aim = np.concatenate([np.zeros(3 * many), -np.ones(many)])
    answer = _solved(aim, np.vstack(blocks), np.concatenate(right), cones)
    if answer is None:
        raise NoCertificateError("no contact forces balance the rounded scene")
    forces, depth = np.zeros((len(friction), 3)), np.zeros(len(friction))
    forces[points] = answer[: 3 * many].reshape(-1, 3)
    depth[points] = answer[3 * many :]
    return forces, depth


def _motion(system: _System) -> dict[str, Any]:
    """A motion that every contact strictly allows and in which gravity does work."""
    matrix, load = system.matrix(), system.loads
    rows, count = matrix.shape[0], len(system.columns)
    power = load / np.abs(load).max()
    limits = np.vstack([np.eye(rows), -np.eye(rows)])
    best, answer = 0.0, np.zeros(0)
    # first the most that gravity can gain, then, at half of that, as far inside the dual cones as can be
    for share in (0.0, 0.5):
        # unknowns: the motion, then how far inside it is
        gain = share * best
        cone = np.zeros((3 * count, rows + 1))
        for k in range(count):
            cone[3 * k, :rows] = -matrix[:, 3 * k]
            cone[3 * k, rows] = 1.0 if share else 0.0
            for t in (1, 2):
                cone[3 * k + t, :rows] = -system.friction[k] * matrix[:, 3 * k + t]
        block = np.hstack([limits, np.zeros((2 * rows, 1))])
        ends = np.vstack(
            [np.append(np.zeros(rows), 1.0), np.append(np.zeros(rows), -1.0), np.append(-power, 0.0)]
        )
        right = np.concatenate([np.ones(2 * rows), [1.0, 0.0, -gain], np.zeros(3 * count)])
        cones = [clarabel.NonnegativeConeT(2 * rows + 3), *([clarabel.SecondOrderConeT(3)] * count)]
        aim = np.append(-power, 0.0) if not share else np.append(np.zeros(rows), -1.0)
        solved = _solved(aim, np.vstack([block, ends, cone]), right, cones)
        if solved is None:
            raise NoCertificateError("no motion of the rounded scene was found")
        answer = solved
        best = float(power @ answer[:rows])
        if best <= INTERIOR:
            raise NoCertificateError(
                "it is at the limit: gravity gains nothing in any motion of the rounded scene"
            )
    if answer[rows] <= INTERIOR:
        raise NoCertificateError("pieces are wedged: no motion parts all contacts at once")
    exact = [_texts(each, FINE) for each in answer[:rows].reshape(-1, 3)]
    motion = {name: [exact[2 * k], exact[2 * k + 1]] for k, name in enumerate(system.names)}
    return {"claim": "topples", "motion": motion}


def _solved(aim: Array, matrix: Array, right: Array, cones: list[Any]) -> Array | None:
    """The optimum of a cone program, None where there is none."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    size = len(aim)
    solver = clarabel.DefaultSolver(csc_matrix((size, size)), aim, csc_matrix(matrix), right, cones, settings)
    result = solver.solve()
    return np.array(result.x) if str(result.status) in ("Solved", "AlmostSolved") else None


# -- exact mending ---------------------------------------------------------------------------------------------------


def _mend(system: _System, forces: list[list[Fraction]], usable: NDArray[np.bool_]) -> None:
    """Change a few of the forces by next to nothing, so that every row balances exactly."""
    missing = [-part for part in system.load]
    for three, force in zip(system.columns, forces, strict=True):
        for entries, part in zip(three, force, strict=True):
            if part:
                for row, value in entries.items():
                    missing[row] -= value * part
    flat = [entries for three in system.columns for entries in three]
    open_columns = np.flatnonzero(usable)
    rough = np.zeros((len(missing), len(open_columns)))
    for at, column in enumerate(open_columns.tolist()):
        for row, value in flat[column].items():
            rough[row, at] = float(value)
    _, triangle, order = qr(rough, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > 1e-9 * diagonal[0]).sum()) if len(diagonal) else 0
    basis = [int(open_columns[k]) for k in order[:rank]]
    for column, change in _solution([flat[k] for k in basis], missing).items():
        point, axis = divmod(basis[column], 3)
        forces[point][axis] += change


def _solution(columns: Sequence[dict[int, Fraction]], right: Sequence[Fraction]) -> dict[int, Fraction]:
    """The exact solution of a sparse system given by its columns, by elimination of the row with fewest entries.

    Raises NoCertificateError when there is none."""
    rows: dict[int, dict[int, Fraction]] = {k: {} for k in range(len(right))}
    for column, entries in enumerate(columns):
        for row, value in entries.items():
            rows[row][column] = value
    values = list(right)
    users: dict[int, set[int]] = {}
    for row, entries in rows.items():
        for column in entries:
            users.setdefault(column, set()).add(row)
    done: list[tuple[int, int]] = []
    left = set(rows)
    while left:
        row = min(left, key=lambda k: (len(rows[k]), k))
        left.discard(row)
        if not rows[row]:
            if values[row]:
                raise NoCertificateError("the contacts with friction cannot mend the rounded forces")
            continue
        column = min(rows[row], key=lambda k: (len(users[k]), k))
        pivot = rows[row][column]
        for other in sorted(users[column] & left):
            factor = rows[other][column] / pivot
            values[other] -= factor * values[row]
            for at, value in rows[row].items():
                now = rows[other].get(at, Fraction(0)) - factor * value
                if now:
                    rows[other][at] = now
                    users[at].add(other)
                else:
                    rows[other].pop(at, None)
                    users[at].discard(other)
        done.append((row, column))
    found: dict[int, Fraction] = {}
    for row, column in reversed(done):
        rest = values[row] - sum(
            (value * found.get(at, Fraction(0)) for at, value in rows[row].items() if at != column),
            Fraction(0),
        )
        found[column] = rest / rows[row][column]
    return found
