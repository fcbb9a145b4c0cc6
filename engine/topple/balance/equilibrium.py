"""The equilibrium of rigid pieces under contact forces as matrices, and whether it exists.

Unknown is one force per contact point: normal n >= 0 and tangential (t1, t2), |t| <= mu n (Coulomb). Six
balance equations per free piece (Livesley 1978; Whiting, Ochsendorf & Durand 2009, eq. 1; Kao et al. 2022,
eq. 4) read

    B f + g = 0                                                                                        (1)

with g the weights, and what else acts (`engine.load`). The dual unknown is a virtual velocity v (linear, angular) of
every free piece, and B^T v
is how fast the surfaces part and slide at the contact points. By conic duality (Livesley 1978, section 4: the
theorem of virtual power) either (1) has a solution within the cones, or there is a v with B^T v in the dual
cone (no piece moves into another) for which gravity has positive power: a mechanism. We solve for v: fewer
unknowns, and the forces come back as the multipliers. Sliding is associated here: a sliding piece also lifts
by mu, so friction may be too kind in wedged states (Kao et al. 2022), never too strict.

Lengths are in units of the median piece size and forces of the median weight, so millimetres and metres
decide alike.

The cone programs are solved by Clarabel's interior point method. All have the form: minimise q.x so that
A x + s = b, with s in a product of cones; rows of contact points come first (a half-line where there is no
friction, else a second-order cone, exact Coulomb friction), then the rows of the case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

import clarabel
import numpy as np
from scipy.sparse import coo_array, csc_array, csc_matrix, csr_array, hstack, vstack

from teeter.engine.topple.contact.arrays import Array, Bools, Ints, crossed, expand, starts_of
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.features import reach
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import DOWN, Assembly, Body, Vector
from teeter.models.material import pair_coefficient


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """Equation (1), without dimensions.

    names: the n free pieces. matrix: B, (6 n, 3 k); rows per piece force x, y, z then torque about the centre
    of mass; columns per contact point n, t1, t2. friction: (k,). frames: (k, 3, 3), rows normal (towards
    `first`), t1, t2. first, second: (k,) free pieces of each point, -1 for a fixed one; contacts: where they
    come from. weights: (n,). centres: (n, 3), of mass. radii: (n,), from there to the farthest point. down:
    (3,) unit. length: metres and force: newtons of one unit. sizes: (n,) of the forces on each piece: its weight or,
    where it bears `MUCH` times that, what it bears; what is out of balance is measured by them. are_convex: all free
    pieces: none hooks into another. pulled: (m,) pieces that forces other than weights act on; pulls: (m, 3), these;
    arms: (m, 3), from the centre of mass to where they act.
    """

    names: tuple[str, ...]
    matrix: csc_array
    friction: Array
    frames: Array
    first: Ints
    second: Ints
    contacts: Contacts
    weights: Array
    centres: Array
    radii: Array
    down: Array
    length: float
    force: float
    sizes: Array
    are_convex: bool
    pulled: Ints
    pulls: Array
    arms: Array

    @property
    def acting(self) -> Array:
        """The wrenches (6 n,) of all that acts on the pieces but the contacts: weights and other loads."""
        total = self.load(self.down)
        if len(self.pulled):
            wrenches = wrenches_at(self.arms, np.zeros(3), self.pulls)
            np.add.at(total.reshape(-1, 6), self.pulled, wrenches)
        return total

    def load(self, direction: Array) -> Array:
        """Returns the wrenches (6 n,) of weights that pull along `direction` (3,)."""
        wrench = np.zeros((len(self.names), 6))
        wrench[:, :3] = self.weights[:, None] * direction
        return wrench.reshape(-1)


def balance_of(
    assembly: Assembly, contacts: Contacts, *, gravity: Vector = DOWN, friction: float | None = None
) -> Balance:
    """Equation (1) of an assembly. friction: overrides every pair's; else the geometric mean of the
    materials'.

    gravity: m/s^2; only its direction decides what stands. Raises ValueError for zero gravity or negative
    friction.
    """
    pull = float(np.linalg.norm(gravity))
    if not 0 < pull < np.inf:
        raise ValueError(f"gravity is {gravity}: statics needs a direction to pull in")
    if friction is not None and not 0 <= friction < np.inf:
        raise ValueError(f"friction is {friction}: it must be zero or more, and finite")
    free = assembly.free
    number = free_numbers(contacts.fixed)
    first, second = number[contacts.first], number[contacts.second]
    weights = np.array([body.piece.mass for body in free]) * pull
    length = float(median([body.piece.extents.mean() for body in free])) if len(free) else 1.0
    force = float(median(weights)) if len(free) else 1.0
    pulled, pulls, at = _pulls(free)
    pressed = weights + np.bincount(pulled, np.maximum(pulls @ gravity / pull, 0.0), len(free))
    bears = borne_by(pressed, first, second, -(contacts.normals @ np.asarray(gravity)) / pull)
    sizes = np.where(bears > MUCH * weights, bears, weights)
    if not np.array_equal(sizes, weights):
        force = float(sizes.max())
    centres = np.array([body.centre_of_mass for body in free]).reshape(-1, 3) / length
    frames = np.stack([contacts.normals, *axes_across(contacts.normals)], axis=1)
    return Balance(
        names=tuple(body.name for body in free),
        matrix=contact_matrix(frames, contacts.points / length, centres, first, second),
        friction=pair_friction(assembly, contacts.first, contacts.second)
        if friction is None
        else np.full(len(contacts.points), friction),
        frames=frames,
        first=first,
        second=second,
        contacts=contacts,
        weights=weights / force,
        centres=centres,
        radii=np.array([reach(body.piece) for body in free]) / length,
        down=np.asarray(gravity) / pull,
        length=length,
        force=force,
        sizes=np.maximum(sizes / force, 1e-6),
        are_convex=all(len(body.piece.parts) == 1 for body in free),
        pulled=pulled,
        pulls=pulls / force,
        arms=at / length - centres[pulled],
    )


def _pulls(free: Sequence[Body]) -> tuple[Ints, Array, Array]:
    """Returns the forces on pieces besides weights: whose (m,), newtons (m, 3), and where (m, 3)."""
    pulls = [(at, body, load) for at, body in enumerate(free) for load in body.loads if load.is_force]
    places = [body.pose.apply(np.array(load.point)) for _, body, load in pulls]
    return (
        np.array([at for at, _, _ in pulls], dtype=np.int64),
        np.array([load.force for _, _, load in pulls]).reshape(-1, 3),
        np.array(places).reshape(-1, 3),
    )


def borne_by(weights: Array, first: Ints, second: Ints, rises: Array) -> Array:
    """Returns about what each free piece bears (n,), its own weight included: as if all that carry a piece bore alike.

    first, second: (k,) free pieces of the contact points, -1 for a fixed one. rises: (k,) upward parts of normals.
    """
    count = len(weights)
    above, below = np.where(rises > 0, (first, second), (second, first))
    carry = (np.abs(rises) > LEVEL) & (above >= 0)
    above, below = np.divmod(np.unique(above[carry] * (count + 1) + below[carry] + 1), count + 1)
    share = 1.0 / np.maximum(np.bincount(above, minlength=count), 1)
    free = below > 0
    above, below = above[free], below[free] - 1
    bears = weights
    for _ in range(count):
        more = weights + np.bincount(below, share[above] * bears[above], count)
        if np.array_equal(more, bears):
            break
        bears = more
    return bears


def free_numbers(fixed: Bools) -> Ints:
    """Returns the number of each body among the free ones, -1 for a fixed one."""
    return np.where(fixed, -1, np.cumsum(~fixed) - 1)


def pair_friction(assembly: Assembly, first: Ints, second: Ints) -> Array:
    """Returns the coefficients of pairs of bodies: the geometric mean of the two materials'."""
    frictions = np.array([body.piece.material.friction for body in assembly.bodies])
    mean: Array = pair_coefficient(frictions[first], frictions[second])
    return mean


def wrenches_at(points: Array, centre: Array, forces: Array) -> Array:
    """Returns the wrenches (..., 6) about `centre` of forces (..., 3) at points (..., 3)."""
    return np.concatenate([forces, crossed(points - centre, forces)], axis=-1)


def contact_matrix(frames: Array, points: Array, centres: Array, first: Ints, second: Ints) -> csc_array:
    """Returns B of equation (1): +force on the first body of a point, -force on the second."""
    values, rows, columns = [], [], []
    for body, sign in ((first, 1.0), (second, -1.0)):
        mine = np.flatnonzero(body >= 0)
        owner = body[mine]
        wrench = sign * wrenches_at(points[mine][:, None], centres[owner][:, None], frames[mine])
        # lever arms that cancel leave rounding; dropping it keeps the matrix sparse
        significant = np.abs(wrench) > 1e-13
        row = 6 * owner[:, None, None] + np.arange(6)
        column = 3 * mine[:, None, None] + np.arange(3)[:, None]
        values.append(wrench[significant])
        rows.append(np.broadcast_to(row, wrench.shape)[significant])
        columns.append(np.broadcast_to(column, wrench.shape)[significant])
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return coo_array(entries, shape=(6 * len(centres), 3 * len(points))).tocsc()


MUCH = 1000.0
"""Times its weight: what bears more is judged by that."""
LEVEL = 0.1
"""A normal that rises less than this carries nothing."""
MAX_PULL = 1000.0
"""Loads beyond this many times the weight count as unlimited: a table tilted by 89.94 degrees."""
LARGE = 600
"""Unknowns of motion beyond which it pays to scale them."""
UNBALANCED = 1e-6
"""Out-of-balance force, relative to a piece's weight, that still counts as balanced (the solver reaches 1e-8)."""
FRICTIONLESS = 1e-9
"""A friction coefficient below this is none at all."""


SOLVED = ("Solved", "AlmostSolved")
"""Clarabel's answers that can be used; see `solver_settings` for how close the second one is."""


@dataclass(frozen=True, slots=True, eq=False)
class ConeSolution:
    """value: of the objective. x: the unknowns. z: multipliers of the rows."""

    value: float
    x: Array
    z: Array


@lru_cache(maxsize=64)
def _nothing(size: int) -> csc_matrix:
    return csc_matrix((size, size))


class Program:
    """A cone program that is solved for several right-hand sides; the factorisation's layout is kept between
    them."""

    def __init__(self, q: Array, rows: csc_array | csc_matrix, b: Array, cones: list[object]) -> None:
        whole = rows if isinstance(rows, csc_matrix) else csc_matrix(rows)
        self._data = (_nothing(len(q)), q, whole, cones)
        self._fast = clarabel.DefaultSolver(*self._data[:3], b, cones, solver_settings(refine=False))

    def solve(self, b: Array) -> ConeSolution:
        """Returns the optimum for a right-hand side. Raises StaticsError."""
        self._fast.update(b=b)
        result = self._fast.solve()
        if str(result.status) not in SOLVED:
            # iterative refinement costs a third of the time and is seldom needed
            careful = clarabel.DefaultSolver(*self._data[:3], b, self._data[3], solver_settings(refine=True))
            result = careful.solve()
        if str(result.status) not in SOLVED:
            raise StaticsError(f"the force balance could not be decided ({result.status})")
        return ConeSolution(float(result.obj_val), np.array(result.x), np.array(result.z))


def contact_rows(matrix: csc_array, friction: Array) -> tuple[csc_array, list[object], Bools]:
    """Returns the rows -S B^T of the contact points and their cones; which points have friction (their three rows
    come last).

    matrix: B (n, 3 k). S divides the normal rows by mu, which turns Coulomb's cone and its dual into the
    standard one.
    """
    rows, scale, cones, rough = _turns(friction)
    begin = matrix.indptr.astype(np.int64)
    counts = np.diff(begin)[rows]
    owner, entry = expand(begin[rows], counts)
    entries = (-matrix.data[entry] * scale[owner], matrix.indices[entry], starts_of(counts))
    turned = csr_array(entries, shape=(len(rows), matrix.shape[0])).tocsc()
    return turned, cones, rough


def _turns(friction: Array) -> tuple[Ints, Array, list[object], Bools]:
    """Returns which columns of B are rows of a program, in turn, and what they are multiplied by; the cones; and which
    points have friction."""
    rough = friction > FRICTIONLESS
    rows = np.concatenate([3 * np.flatnonzero(~rough), np.flatnonzero(np.repeat(rough, 3))])
    scale = np.ones((len(rough), 3))
    scale[rough, 0] /= friction[rough]
    cones: list[object] = [clarabel.SecondOrderConeT(3)] * int(rough.sum())
    if not rough.all():
        cones = [clarabel.NonnegativeConeT(int((~rough).sum())), *cones]
    return rows, scale.reshape(-1)[rows], cones, rough


def forces_of(z: Array, friction: Array, rough: Bools) -> Array:
    """Contact forces (k, 3) as n, t1, t2 from the multipliers of the rows of `contact_rows`."""
    forces = np.zeros((len(rough), 3))
    smooth = int((~rough).sum())
    forces[~rough, 0] = z[:smooth]
    forces[rough] = z[smooth : smooth + 3 * int(rough.sum())].reshape(-1, 3)
    forces[rough, 0] /= friction[rough]
    return forces


def fall(balance: Balance, friction: Array) -> ConeSolution:
    """Returns the fastest fall: the greatest power of gravity over motions in which no contact is violated.

    maximise g.v so that B^T v in K*, |v_i| <= 1 / weight_i for every component. The value (>= 0) is the sum
    of the out-of-balance wrenches, each relative to its piece's weight, that the best contact forces leave:
    zero exactly when the pieces can stand. x: the motion (6 n,). Always solvable.
    """
    limit = np.repeat(1.0 / balance.sizes, 6)
    return fall_within(balance.matrix, friction, balance.acting, -limit, limit)


def fall_within(
    matrix: csc_array | Array, friction: Array, load: Array, low: Array, high: Array
) -> ConeSolution:
    """Solves the same for any unknowns (n,) of motion: maximise load.v so that B^T v in K*, low <= v <= high.

    matrix: B (n, 3 k). z: multipliers of the rows of `contact_rows`, then of the limits.
    """
    size = matrix.shape[0]
    if isinstance(matrix, np.ndarray):
        # full, of few unknowns: the same entries, in a third of the time
        turned, scale, cones, _ = _turns(friction)
        whole = np.concatenate([-matrix[:, turned] * scale, np.eye(size), -np.eye(size)], axis=1)
        filled = whole != 0.0
        entries = whole[filled], np.nonzero(filled)[1], starts_of(filled.sum(axis=1))
        rows = csc_matrix(entries, shape=whole.shape[::-1])
    else:
        sparse, cones, _ = contact_rows(matrix, friction)
        rows = csc_matrix(_with_limits(sparse))
    b = np.concatenate([np.zeros(rows.shape[0] - 2 * size), high, -low])
    answer = Program(-load, rows, b, [*cones, clarabel.NonnegativeConeT(2 * size)]).solve(b)
    return ConeSolution(-answer.value, answer.x, answer.z)


def _with_limits(rows: csc_array) -> csc_array:
    """Returns rows (m, n) with those of a unit matrix below, and of minus it."""
    count, size = rows.shape
    ends, number = np.repeat(rows.indptr[1:], 2), np.arange(size)
    data = np.insert(rows.data, ends, np.tile([1.0, -1.0], size))
    indices = np.insert(
        rows.indices, ends, np.stack([count + number, count + size + number], axis=1).reshape(-1)
    )
    start = rows.indptr + 2 * np.arange(size + 1)
    return csc_array((data, indices, start), shape=(count + 2 * size, size))


class SupportFunction:
    """Support function of the loads that can be carried in addition to the weights.

    The loads h in R^2 (times the two wrenches `loads`) for which equation (1) has a solution form a convex
    set, the shadow of a slice of a convex cone. For a direction a the farthest such load is the dual of

        minimise -g.v + MAX_PULL |r|   so that   B^T v in K*,   loads^T v + r = a                       (2)

    v is the mechanism that starts there and a.h <= value a supporting line. r keeps the problem solvable
    where the set is unbounded.
    """

    def __init__(self, matrix: csc_array, friction: Array, weights: Array, loads: Array) -> None:
        """matrix: B (n, 3 k) of any unknowns of motion. weights: (n,), their load. loads: (n, 2)."""
        rows, cones, _ = contact_rows(matrix, friction)
        size, points = matrix.shape[0], rows.shape[0]
        tie = csc_array(np.vstack([loads.T, np.zeros((3, size))]))
        slack = csc_array(np.array([[0, 1.0, 0], [0, 0, 1.0], [-1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]]))
        top = hstack([rows, csc_array((points, 3))])
        self._points = points
        self._size = size
        # motions of the order of one, however many pieces are pulled: 15 iterations in place of 22 for a wall of 1660
        self._scale = max(1.0, float(np.abs(loads).sum(axis=0).max())) if size > LARGE else 1.0
        whole = vstack([top, hstack([tie, slack])]).tocsc()
        q = np.concatenate([-weights, [MAX_PULL, 0.0, 0.0]])
        kinds = [*cones, clarabel.ZeroConeT(2), clarabel.SecondOrderConeT(3)]
        self._program = Program(q, whole, np.zeros(whole.shape[0]), kinds)

    def __call__(self, direction: Array) -> tuple[float, Array, Array]:
        """For a unit direction (2,): the value, the load h (2,) there, the velocities (6 n,). Raises
        StaticsError."""
        b = np.zeros(self._points + 5)
        b[self._points : self._points + 2] = self._scale * direction
        answer = self._program.solve(b)
        point, motion = -answer.z[self._points : self._points + 2], answer.x[: self._size]
        return answer.value / self._scale, point, motion / self._scale


def solver_settings(*, refine: bool) -> clarabel.DefaultSettings:
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
