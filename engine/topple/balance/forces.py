"""The contact forces of least squares: forces are not unique, this solution is.

    minimise |f|^2 / 2   so that   B f + g = 0,   f in the Coulomb cones                                  (3)

Its dual is to minimise |P(B^T v)|^2 / 2 + g.v over v, with P the projection onto the cones; f = P(B^T v).
That is smooth, convex and small (6 unknowns a piece), and semismooth Newton's method (Qi & Sun 1993; the
projection's derivative: Kanno, Martins & Pinto da Costa 2006) solves it to rounding in a few steps.
"""

import clarabel
import numpy as np
from scipy.sparse import csc_array, csc_matrix, csr_array, diags_array, eye_array, vstack

from teeter.engine.topple.balance.equilibrium import SOLVED, Balance, contact_rows, forces_of, solver_settings
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.errors import StaticsError

RESIDUAL = 1e-9
"""Out-of-balance force, in median weights, at which the solution is final."""
MAX_STEPS = 60
QUICK_STEPS = 15
"""Of the attempt to show that the pieces can be held: an arch of 40 stones at its limit takes 13."""
RUNAWAY = 1e4
"""Virtual velocities beyond this are those of a fall: there is nothing to find."""
DAMPING = 1e-2
"""Of the Newton matrix, times the error: enough to pass the places where it is singular."""


def least_squares(balance: Balance) -> Array:
    """Solves (3): newtons (k, 3) in the world on the first body of each contact point; the second feels the opposite.

    Raises StaticsError when there is no solution or none can be found: ask `stands` first.
    """
    gravity = balance.acting
    solution = newton(balance, gravity)
    forces = _interior_point(balance, gravity) if solution is None else solution
    left = np.abs(balance.matrix @ forces.reshape(-1) + gravity).max(initial=0.0)
    if left > 1e-5 * max(float(balance.weights.max(initial=0.0)), 1.0):
        raise StaticsError("no contact forces balance the pieces")
    return in_world(balance, forces)


def in_world(balance: Balance, forces: Array) -> Array:
    """Returns forces (k, 3) given as n, t1, t2 without dimensions, as newtons in the world."""
    world: Array = np.einsum("ki,kij->kj", forces, balance.frames) * balance.force
    return world


def out_of_balance(balance: Balance, forces: Array, load: Array) -> float:
    """Returns what `fall` would have to beat: the sum of the wrenches that these forces (k, 3) and a load (6 n,) leave,
    each over its piece's size. The forces lie within their cones, so nothing falls faster than this."""
    left = np.abs(balance.matrix @ forces.reshape(-1) + load).reshape(-1, 6)
    return float((left.sum(axis=1) / balance.sizes).sum())


def project(x: Array, friction: Array) -> tuple[Array, Array]:
    """Nearest points (k, 3) of the Coulomb cones |t| <= mu n to x (k, 3), and the projection's derivative (k,
    3, 3)."""
    normal, tangent = x[:, 0], x[:, 1:]
    slip = np.linalg.norm(tangent, axis=1)
    inside = slip <= friction * normal
    outside = ~inside & (friction * slip <= -normal)
    rim = ~inside & ~outside
    unit = tangent / np.where(slip > 0, slip, 1.0)[:, None]
    root = np.sqrt(1 + friction**2)
    ray = np.concatenate([np.ones((len(x), 1)), friction[:, None] * unit], axis=1) / root[:, None]
    along = np.einsum("ij,ij->i", x, ray)
    point = np.where(inside[:, None], x, np.where(rim[:, None], along[:, None] * ray, 0.0))
    slope = np.zeros((len(x), 3, 3))
    slope[inside] = np.eye(3)
    across = np.stack([-unit[:, 1], unit[:, 0]], axis=1)[rim]
    slope[rim] = ray[rim][:, :, None] * ray[rim][:, None, :]
    bend = (along * friction / root / np.where(slip > 0, slip, 1.0))[rim]
    slope[rim, 1:, 1:] += bend[:, None, None] * across[:, :, None] * across[:, None, :]
    return point, slope


def nearest(x: Array, friction: Array) -> Array:
    """Returns the points of `project` alone."""
    normal, tangent = x[:, 0], x[:, 1:]
    slip = np.sqrt(tangent[:, 0] ** 2 + tangent[:, 1] ** 2)
    along = np.maximum(normal + friction * slip, 0.0) / (1 + friction**2)
    onto = np.empty_like(x)
    onto[:, 0] = along
    onto[:, 1:] = (along * friction / np.where(slip > 0, slip, 1.0))[:, None] * tangent
    point: Array = np.where((slip <= friction * normal)[:, None], x, onto)
    return point


def newton(
    balance: Balance, gravity: Array, *, steps: int = MAX_STEPS, limit: float = np.inf
) -> Array | None:
    """Semismooth Newton with a line search on the dual of (3): forces (k, 3) as n, t1, t2; None when it does not get
    there. steps: at most. limit: velocities beyond which it is given up."""
    matrix, transposed, by_rows = balance.matrix, balance.matrix.T.tocsr(), balance.matrix.tocsr()
    count, size = len(balance.friction), matrix.shape[0]
    v = np.zeros(size)

    def dual(at: Array) -> tuple[float, Array, Array, Array]:
        point, slope = project((transposed @ at).reshape(-1, 3), balance.friction)
        flat = point.reshape(-1)
        return float(flat @ flat / 2 + gravity @ at), matrix @ flat + gravity, point, slope

    value, out, point, _ = dual(v)
    slope, damping = np.tile(np.eye(3), (count, 1, 1)), 0.0
    columns = np.repeat(np.arange(3 * count).reshape(-1, 1, 3), 3, axis=1).reshape(-1)
    for _ in range(steps):
        error = float(np.abs(out).max(initial=0.0))
        if error <= RESIDUAL:
            return point
        # rows of three entries each: scipy spends most of its time on turning blocks into rows
        blocks = csr_array((slope.reshape(-1), columns, 3 * np.arange(3 * count + 1)), shape=(3 * count,) * 2)
        # damped while far away: for a moment a piece may have too few pressed contacts to be held
        step = -_solved(by_rows @ (blocks @ transposed), max(1e-10, damping * error), out)
        slant = float(out @ step)
        length = 1.0
        while True:
            trial = dual(v + length * step)
            if trial[0] <= value + 1e-4 * length * slant + 1e-14 * abs(value):
                break
            length /= 2
            if length < 1e-6:
                return None
        v = v + length * step
        if np.abs(v).max(initial=0.0) > limit:
            return None
        damping = DAMPING
        value, out, point, slope = trial
    return None


def _interior_point(balance: Balance, gravity: Array) -> Array:
    """Problem (3) as it stands, by Clarabel: slower and less exact, but it copes with degenerate contacts."""
    rows, cones, rough = contact_rows(balance.matrix, balance.friction)
    size, count = balance.matrix.shape[0], rows.shape[0]
    weight = np.ones((int(rough.sum()), 3))
    weight[:, 0] = 1 / balance.friction[rough] ** 2
    quadratic = diags_array(np.concatenate([np.ones(int((~rough).sum())), weight.reshape(-1)]))
    constraints = vstack([-rows.T, -eye_array(count)])
    b = np.concatenate([-gravity, np.zeros(count)])
    solver = clarabel.DefaultSolver(
        csc_matrix(quadratic),
        np.zeros(count),
        csc_matrix(constraints),
        b,
        [clarabel.ZeroConeT(size), *cones],
        solver_settings(refine=True),
    )
    result = solver.solve()
    if str(result.status) not in SOLVED:
        raise StaticsError(f"no contact forces balance the pieces ({result.status})")
    return forces_of(np.array(result.x), balance.friction, rough)


def carried(balance: Balance, forces: Array) -> dict[str, float]:
    """Returns the newtons each free piece carries from above: the sum of the net forces with which its neighbours press
    it down."""
    contacts = balance.contacts
    low, high = np.minimum(contacts.first, contacts.second), np.maximum(contacts.first, contacts.second)
    pairs, row = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    sign = np.where(contacts.first == low, 1.0, -1.0)
    down = np.bincount(row.reshape(-1), sign * (forces @ balance.down), pairs.shape[1])
    pressed = np.where(down > 0, *pairs)
    total = np.bincount(pressed, np.abs(down), len(contacts.names))[~contacts.fixed]
    return dict(zip(balance.names, total.tolist(), strict=True))


FEW_ROWS = 60
"""Of ten pieces: as quickly solved in full, and scipy's sparse solvers take a fourteenth of a second to load."""


def _solved(hessian: csr_array, damping: float, right: Array) -> Array:
    """Returns x (n,) of (H + damping) x = right for a symmetric H; the sum is positive definite."""
    size = len(right)
    if size <= FEW_ROWS:
        full = hessian.toarray()
        full.flat[:: size + 1] += damping
        return np.linalg.solve(full, right)
    from scipy.sparse.linalg import splu

    damped = csc_array(hessian + damping * eye_array(size))
    solution = splu(damped, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(right)
    return np.asarray(solution)
