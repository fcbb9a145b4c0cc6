"""The three cone programs of statics, in velocities, solved by Clarabel's interior point method.

All have the form: minimise q.x so that A x + s = b, with s in a product of cones; rows of contact points come
first (a half-line where there is no friction, else a second-order cone, exact Coulomb friction), then the
rows of the case.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy.sparse import csc_array, csc_matrix, diags_array, eye_array, hstack, vstack

from engine.topple.equilibrium import Balance
from engine.topple.ragged import Array, Bools

MAX_PULL = 1000.0
"""Loads beyond this many times the weight count as unlimited: a table tilted by 89.94 degrees."""
FLAT = 1e-9
"""A friction coefficient below this is none at all."""


GOOD = ("Solved", "AlmostSolved")
"""Clarabel's answers that can be used; see `settings` for how close the second one is."""


class StaticsError(RuntimeError):
    """The solver gave up: the contacts are so badly scaled that a force balance cannot be decided."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """value: of the objective. x: the unknowns. z: multipliers of the rows."""

    value: float
    x: Array
    z: Array


class Program:
    """A cone program that is solved for several right-hand sides; the factorisation's layout is kept between
    them.
    """

    def __init__(self, q: Array, rows: csc_array, b: Array, cones: list[object]) -> None:
        self._data = (csc_matrix((len(q), len(q))), q, csc_matrix(rows), cones)
        self._fast = clarabel.DefaultSolver(*self._data[:3], b, cones, settings(refine=False))

    def solve(self, b: Array) -> Answer:
        """The optimum for a right-hand side. Raises StaticsError."""
        self._fast.update(b=b)
        result = self._fast.solve()
        if str(result.status) not in GOOD:
            # iterative refinement costs a third of the time and is seldom needed
            careful = clarabel.DefaultSolver(*self._data[:3], b, self._data[3], settings(refine=True))
            result = careful.solve()
        if str(result.status) not in GOOD:
            raise StaticsError(f"the force balance could not be decided ({result.status})")
        return Answer(float(result.obj_val), np.array(result.x), np.array(result.z))


def parting(matrix: csc_array, friction: Array) -> tuple[csc_array, list[object], Bools]:
    """The rows -S B^T of the contact points and their cones; which points have friction (their three rows
    come last).

    matrix: B (n, 3 k). S divides the normal rows by mu, which turns Coulomb's cone and its dual into the
    standard one.
    """
    rough = friction > FLAT
    smooth = matrix[:, np.flatnonzero(np.repeat(~rough, 3) & (np.arange(3 * len(rough)) % 3 == 0))]
    scale = np.ones((int(rough.sum()), 3))
    scale[:, 0] /= friction[rough]
    grip = matrix[:, np.flatnonzero(np.repeat(rough, 3))] @ diags_array(scale.reshape(-1))
    rows = -hstack([smooth, grip]).T.tocsc()
    cones: list[object] = [clarabel.SecondOrderConeT(3)] * int(rough.sum())
    if not rough.all():
        cones = [clarabel.NonnegativeConeT(int((~rough).sum())), *cones]
    return rows, cones, rough


def forces_of(z: Array, friction: Array, rough: Bools) -> Array:
    """Contact forces (k, 3) as n, t1, t2 from the multipliers of the rows of `parting`."""
    forces = np.zeros((len(rough), 3))
    smooth = int((~rough).sum())
    forces[~rough, 0] = z[:smooth]
    forces[rough] = z[smooth : smooth + 3 * int(rough.sum())].reshape(-1, 3)
    forces[rough, 0] /= friction[rough]
    return forces


def fall(balance: Balance, friction: Array) -> Answer:
    """The fastest fall: the greatest power of gravity over motions in which no contact is violated.

    maximise g.v so that B^T v in K*, |v_i| <= 1 / weight_i for every component. The value (>= 0) is the sum
    of the out-of-balance wrenches, each relative to its piece's weight, that the best contact forces leave:
    zero exactly when the pieces can stand. x: the motion (6 n,). Always solvable.
    """
    limit = np.repeat(1.0 / np.maximum(balance.weights, 1e-6), 6)
    return fall_within(balance.matrix, friction, balance.load(balance.down), -limit, limit)


def fall_within(matrix: csc_array, friction: Array, load: Array, least: Array, most: Array) -> Answer:
    """The same for any unknowns (n,) of motion: maximise load.v so that B^T v in K*, least <= v <= most.

    matrix: B (n, 3 k). z: multipliers of the rows of `parting`, then of the limits.
    """
    size = matrix.shape[0]
    rows, cones, _ = parting(matrix, friction)
    unit = eye_array(size, format="csc")
    rows = vstack([rows, unit, -unit]).tocsc()
    b = np.concatenate([np.zeros(rows.shape[0] - 2 * size), most, -least])
    answer = Program(-load, rows, b, [*cones, clarabel.NonnegativeConeT(2 * size)]).solve(b)
    return Answer(-answer.value, answer.x, answer.z)


class Support:
    """Support function of the loads that can be carried in addition to the weights.

    The loads h in R^2 (times the two wrenches `loads`) for which equation (1) has a solution form a convex
    set, the shadow of a slice of a convex cone. For a direction a the farthest such load is the dual of

        minimise -g.v + MAX_PULL |r|   so that   B^T v in K*,   loads^T v + r = a                       (2)

    v is the mechanism that starts there and a.h <= value a supporting line. r keeps the problem solvable
    where the set is unbounded.
    """

    def __init__(self, balance: Balance, loads: Array) -> None:
        rows, cones, _ = parting(balance.matrix, balance.friction)
        size, points = balance.matrix.shape[0], rows.shape[0]
        tie = csc_array(np.vstack([loads.T, np.zeros((3, size))]))
        slack = csc_array(np.array([[0, 1.0, 0], [0, 0, 1.0], [-1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]]))
        top = hstack([rows, csc_array((points, 3))])
        self._points = points
        self._size = size
        whole = vstack([top, hstack([tie, slack])]).tocsc()
        q = np.concatenate([-balance.load(balance.down), [MAX_PULL, 0.0, 0.0]])
        kinds = [*cones, clarabel.ZeroConeT(2), clarabel.SecondOrderConeT(3)]
        self._program = Program(q, whole, np.zeros(whole.shape[0]), kinds)

    def __call__(self, direction: Array) -> tuple[float, Array, Array]:
        """For a unit direction (2,): the value, the load h (2,) there, the velocities (6 n,). Raises
        StaticsError.
        """
        b = np.zeros(self._points + 5)
        b[self._points : self._points + 2] = direction
        answer = self._program.solve(b)
        return answer.value, -answer.z[self._points : self._points + 2], answer.x[: self._size]


def settings(*, refine: bool) -> clarabel.DefaultSettings:
    """Clarabel's settings, one thread. refine: iterative refinement of every linear solve."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.presolve_enable = False
    settings.iterative_refinement_enable = refine
    if not refine:
        # short of the usual 1e-8 the tenfold will do: the careful run is seldom needed
        settings.reduced_tol_feas = settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = 1e-7
    return settings
