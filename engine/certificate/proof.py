"""Contact forces in balance, for certificates: found in floating point by a cone program as far inside the cones as can
be, rounded, and mended until they hold exactly. `motion` finds the other proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import csc_matrix

from teeter.engine.certificate import checker
from teeter.engine.certificate.checker import Contact, Vector
from teeter.engine.topple.contact.patches import axes_across
from teeter.models.errors import TeeterError
from teeter.models.piece import Array

FINE = 10**12
"""Parts to which quaternions, forces and velocities are rounded."""
INTERIOR = 1e-7
"""Of the mean weight, or of the fastest speed: a solution this far inside its cones survives rounding."""
DEPTHS = (0.1, 1e-3, 1e-5)
"""Of the mean weight: no force counts as further inside its cone. The less counts the fewer are left on theirs for the
sake of others, until what is left there can be nowhere else; the more, the further inside are all."""


class NoCertificateError(TeeterError):
    """A verdict that cannot be proven exactly; the message says why."""


def text(value: float, parts: int) -> str:
    """Returns a number as a fraction of so many parts."""
    return str(Fraction(round(float(value) * parts), parts))


def texts(values: Iterable[float], parts: int) -> list[str]:
    """Returns numbers as fractions of so many parts."""
    return [text(value, parts) for value in values]


@dataclass(frozen=True, eq=False)
class System:
    """The equilibrium of the free bodies in world axes. columns: unit forces along x, y, z at one contact point after
    the other, each as the exact entries of the wrenches (six rows a free body) that it exerts. frames: (k, 3, 3) unit
    normal and two tangents of every point. friction: (k,), NaN where nothing tells the normal. centres: of mass.
    pairs: the free bodies of every point, None for one that is fixed."""

    names: tuple[str, ...]
    centres: tuple[Vector, ...]
    pairs: tuple[tuple[int | None, int | None], ...]
    columns: list[dict[int, Fraction]]
    load: list[Fraction]
    frames: Array
    friction: Array

    @classmethod
    def of(cls, scene: dict[str, Any], contacts: Sequence[Contact]) -> System:
        """Returns the system of a rounded scene and its contacts."""
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
            for axis in unit:
                entries: dict[int, Fraction] = {}
                for name, sign in ((upper, Fraction(1)), (lower, Fraction(-1))):
                    if name in number:
                        at = 6 * number[name]
                        force = sign * axis
                        moment = checker.cross(point - centres[number[name]], force)
                        entries |= {at + k: part for k, part in enumerate((*force, *moment)) if part}
                columns.append(entries)
        normals = np.array([[float(part) for part in contact[3]] for contact in contacts]).reshape(-1, 3)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        frames = np.stack([normals, *axes_across(normals)], axis=1)
        squares = [math.nan if contact[4] is None else float(contact[4]) for contact in contacts]
        friction = np.sqrt(np.array(squares))
        pairs = tuple((number.get(contact[0]), number.get(contact[1])) for contact in contacts)
        return cls(tuple(number), tuple(centres), pairs, columns, load, frames, friction)

    def world_matrix(self) -> Array:
        """(6 n, 3 k), the columns in floats."""
        matrix = np.zeros((len(self.load), len(self.columns)))
        for column, entries in enumerate(self.columns):
            for row, value in entries.items():
                matrix[row, column] = float(value)
        return matrix

    def matrix(self) -> Array:
        """(6 n, 3 k), forces in the frames of the points."""
        world = self.world_matrix()
        turned = np.einsum("rkj,kij->rki", world.reshape(len(world), -1, 3), self.frames)
        return np.ascontiguousarray(turned.reshape(world.shape))

    @property
    def loads(self) -> Array:
        """(6 n,) newtons and newton metres, in floats."""
        return np.array([float(part) for part in self.load])


def forces_of(system: System) -> list[list[str]]:
    """Exact forces that balance every piece, each strictly inside its cone or zero."""
    count = len(system.friction)
    if not count:
        raise NoCertificateError("nothing touches anything: there are no contact forces")
    matrix, load = system.matrix(), system.loads
    mean = float(np.abs(load[2::6]).mean()) or float(np.abs(load).mean())
    length = max(float(np.abs(matrix).max()), 1e-9)
    scale = np.tile([1.0, 1.0, 1.0, length, length, length], len(system.names))
    matrix, load = matrix / scale[:, None], load / scale / mean
    solution, active = _strictly_inside(matrix, load, system.friction)
    values = np.einsum("ki,kij->kj", solution * mean, system.frames)
    exact = [[Fraction(round(part * FINE), FINE) for part in force] for force in values]
    for k in np.flatnonzero(~active):
        exact[k] = [Fraction(0)] * 3
    # forces of contacts without friction lie along their normals: they are not mended
    usable = np.repeat(active & (system.friction > 1e-6), 3)
    _mend(system, exact, usable)
    return [[str(part) for part in force] for force in exact]


def _strictly_inside(matrix: Array, load: Array, friction: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Contact forces (k, 3) that balance the load, each strictly inside its cone or zero, and which are not zero."""
    for most in DEPTHS:
        active = np.ones(len(friction), dtype=np.bool_)
        for _ in range(3):
            found = _interior(matrix, load, friction, active, most)
            if found is None:
                break
            solution, inside = found
            deep = inside > INTERIOR
            if (deep | ~active).all():
                return solution, active
            active &= deep
    raise NoCertificateError("no contact forces strictly inside their cones were found, as at the limit")


def _interior(
    matrix: Array, load: Array, friction: Array, active: NDArray[np.bool_], most: float
) -> tuple[Array, Array] | None:
    """Contact forces (k, 3) as normal and tangents that balance the load, and how far inside its cone each is; the sum
    of these depths, none counted beyond `most` mean weights, is as large as can be. None where none are found."""
    points = np.flatnonzero(active)
    many, rows = len(points), matrix.shape[0]
    chosen = matrix[:, (3 * points[:, None] + np.arange(3)).reshape(-1)]
    # unknowns: 3 forces a point, then a depth a point
    cap = np.hstack([np.zeros((many, 3 * many)), np.eye(many)])
    cone = np.hstack([-np.eye(3 * many), np.zeros((3 * many, many))])
    along = 3 * np.arange(many)
    cone[along, along], cone[along, 3 * many + np.arange(many)] = -np.maximum(friction[points], 1e-9), 1.0
    blocks = [np.hstack([chosen, np.zeros((rows, many))]), cap, -cap, cone]
    right = [-load, np.full(many, most), np.zeros(many), np.zeros(3 * many)]
    cones = [clarabel.ZeroConeT(rows), clarabel.NonnegativeConeT(2 * many)]
    cones += [clarabel.SecondOrderConeT(3)] * many
    aim = np.concatenate([np.zeros(3 * many), -np.ones(many)])
    answer = solved(aim, np.vstack(blocks), np.concatenate(right), cones)
    if answer is None:
        return None
    forces, depth = np.zeros((len(friction), 3)), np.zeros(len(friction))
    forces[points] = answer[: 3 * many].reshape(-1, 3)
    depth[points] = answer[3 * many :]
    return forces, depth


def solved(aim: Array, matrix: Array, right: Array, cones: list[Any]) -> Array | None:
    """The optimum of a cone program, None where there is none."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    size = len(aim)
    solver = clarabel.DefaultSolver(csc_matrix((size, size)), aim, csc_matrix(matrix), right, cones, settings)
    result = solver.solve()
    return np.array(result.x) if str(result.status) in ("Solved", "AlmostSolved") else None


def _mend(system: System, forces: list[list[Fraction]], usable: NDArray[np.bool_]) -> None:
    """Change a few of the forces by next to nothing, so that every row balances exactly."""
    missing = [-part for part in system.load]
    for entries, part in zip(system.columns, chain.from_iterable(forces), strict=True):
        for row, value in entries.items() if part else ():
            missing[row] -= value * part
    open_columns = np.flatnonzero(usable)
    _, triangle, order = qr(system.world_matrix()[:, open_columns], mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > 1e-9 * diagonal[0]).sum()) if len(diagonal) else 0
    basis = [int(open_columns[k]) for k in order[:rank]]
    for column, change in _solution([system.columns[k] for k in basis], missing).items():
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
    solution: dict[int, Fraction] = {}
    for row, column in reversed(done):
        rest = values[row] - sum(
            (value * solution.get(at, Fraction(0)) for at, value in rows[row].items() if at != column),
            Fraction(0),
        )
        solution[column] = rest / rows[row][column]
    return solution
