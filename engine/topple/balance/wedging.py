"""Whether the forces of a balance are called up, or have to be there before: pieces that stand only if wedged tight.

A force balance may count on contacts that squeeze a piece though nothing squeezes it (Livesley 1978; Kao et al. 2022).
So forces are coupled with the motion that calls them up, as between pieces that touch without force until their
weights come: a contact presses in so far as the pieces approach there, rubs in so far as they slide, and friction is
limited by that pressure alone,

    B f(B^T v) + g = s W v,   f_n = max(x_n, 0),   f_t = x_t min(1, mu f_n / |x_t|)                    (4)

with v the (negative) displacements. Sliding does not lift here (it is not associated), unlike everywhere else in
statics. Springs hold every piece a little, with stiffness s times its weight W; as s goes to nought either their part
of the weights goes to nought too, and the contacts carry, or it does not, and what they hold slides.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy.sparse import bsr_array, csc_array, csc_matrix, diags_array, eye_array, vstack
from scipy.sparse.linalg import splu

from engine.topple.balance.equilibrium import SOLVED, Balance, contact_rows, forces_of, solver_settings
from engine.topple.contact.arrays import Array
from engine.topple.errors import StaticsError

STIFFNESSES = 10.0 ** -np.arange(0.0, 7.5, 0.5)
"""Of the springs, one after the other, each started from the last."""
HELD = 1e-4
"""Part of a weight: when the springs carry less of every piece the contacts carry it."""
MAX_STEPS = 40
CONVERGED = 1e-9
"""Of the forces out of balance, over the weights."""
PARALLEL_COSINE = np.cos(np.radians(0.1))
"""Contact normals this much along each other belong to parallel planes."""
FROM_BELOW = 0.1
"""A fixed face whose normal rises less than this does not carry: between two of those a piece is squeezed."""


@dataclass(frozen=True, slots=True)
class Wedge:
    """Pieces that stand only if wedged tight: the pair that must be pressed together hardest, and the newtons that it
    takes at least, when all contacts together are pressed as little as possible."""

    first: str
    second: str
    newtons: float


def can_wedge(balance: Balance) -> bool:
    """Returns whether a piece may be squeezed: its contact planes are not parallel, or a fixed one is not below it."""
    normals = balance.contacts.normals
    if not len(normals):
        return False
    towards_free = np.where(balance.first >= 0, 1.0, -1.0) * (normals @ balance.down)
    fixed = (balance.first < 0) | (balance.second < 0)
    is_parallel = np.abs(normals @ normals[0]).min() > PARALLEL_COSINE
    return not is_parallel or bool((towards_free[fixed] > -FROM_BELOW).any())


def called_up(balance: Balance) -> tuple[bool, Array]:
    """Solves (4): whether the contacts hold every piece without having been pressed together before; and the
    displacements (6 n,) with which they give way."""
    springs = np.repeat(np.maximum(balance.weights, 1e-6), 6)
    gravity = balance.load(balance.down)
    v, held = np.zeros(len(springs)), False
    for stiffness in STIFFNESSES:
        v = _balanced(balance, gravity, stiffness * springs, v)
        held = bool(stiffness * np.abs(v).max(initial=0.0) <= HELD)
        if held:
            break
    return held, -v


def clamping(balance: Balance) -> Wedge:
    """Returns what must be pressed together: minimise the sum of all normal forces, so that the pieces are balanced.

    Raises StaticsError when no forces balance them.
    """
    rows, cones, rough = contact_rows(balance.matrix, balance.friction)
    size, count = balance.matrix.shape[0], rows.shape[0]
    cost = np.zeros(count)
    smooth = int((~rough).sum())
    cost[:smooth], cost[smooth::3] = 1.0, 1.0 / balance.friction[rough]
    solver = clarabel.DefaultSolver(
        csc_matrix((count, count)),
        cost,
        csc_matrix(vstack([-rows.T, -eye_array(count)])),
        np.concatenate([-balance.load(balance.down), np.zeros(count)]),
        [clarabel.ZeroConeT(size), *cones],
        solver_settings(refine=True),
    )
    result = solver.solve()
    if str(result.status) not in SOLVED:
        raise StaticsError(f"the clamping force could not be found ({result.status})")
    normal = forces_of(np.array(result.x), balance.friction, rough)[:, 0]
    contacts = balance.contacts
    pairs, row = np.unique(np.stack([contacts.first, contacts.second]), axis=1, return_inverse=True)
    pressed = np.bincount(row.reshape(-1), normal)
    # equal ones differ by rounding: the first by number is told
    hardest = int(np.flatnonzero(pressed >= (1 - 1e-4) * pressed.max())[0])
    first, second = (contacts.names[at] for at in pairs[:, hardest])
    return Wedge(first, second, float(pressed[hardest]) * balance.force)


def _balanced(balance: Balance, gravity: Array, springs: Array, v: Array) -> Array:
    """Newton's method on (4), damped; the friction limit follows the pressure in the derivative too."""
    matrix, transposed = balance.matrix, balance.matrix.T.tocsr()
    count = len(balance.friction)

    def residual(at: Array) -> tuple[Array, Array]:
        forces, slope = _response((transposed @ at).reshape(-1, 3), balance.friction)
        return matrix @ forces.reshape(-1) + gravity + springs * at, slope

    out, slope = residual(v)
    for _ in range(MAX_STEPS):
        size = float(np.linalg.norm(out))
        if size <= CONVERGED * float(np.linalg.norm(gravity)):
            break
        blocks = bsr_array((slope, np.arange(count), np.arange(count + 1)), shape=(3 * count, 3 * count))
        step = -splu(csc_array(matrix @ (blocks @ transposed) + diags_array(springs))).solve(out)
        length = 1.0
        while True:
            trial, trial_slope = residual(v + length * step)
            if np.linalg.norm(trial) < (1 - 1e-4 * length) * size or length < 1e-3:
                break
            length /= 2
        v, out, slope = v + length * step, trial, trial_slope
    return v


def _response(x: Array, friction: Array) -> tuple[Array, Array]:
    """Contact forces (k, 3) called up by approaching and sliding x (k, 3), and their derivative (k, 3, 3)."""
    normal = np.maximum(x[:, 0], 0.0)
    slip = np.linalg.norm(x[:, 1:], axis=1)
    limit = friction * normal
    slides = slip > limit
    unit = x[:, 1:] / np.where(slip > 0, slip, 1.0)[:, None]
    rubbing = np.where(slides[:, None], limit[:, None] * unit, x[:, 1:])
    forces = np.concatenate([normal[:, None], rubbing], axis=1)
    pressed = x[:, 0] > 0
    slope = np.zeros((len(x), 3, 3))
    slope[:, 0, 0] = pressed
    slope[:, 1:, 1:] = np.eye(2)
    part = (limit / np.where(slip > 0, slip, 1.0))[slides, None, None]
    across = np.eye(2) - unit[slides][:, :, None] * unit[slides][:, None, :]
    slope[slides, 1:, 1:] = part * across
    slope[slides, 1:, 0] = (friction * pressed)[slides, None] * unit[slides]
    return forces, slope
