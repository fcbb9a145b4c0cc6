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

from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy.sparse import coo_array, csc_array, csc_matrix, csr_array, diags_array, eye_array, vstack

from teeter.engine.topple.balance.equilibrium import SOLVED, Balance, contact_rows, forces_of, solver_settings
from teeter.engine.topple.contact.arrays import Array, expand
from teeter.engine.topple.errors import StaticsError

SOFTEST = -7.0
"""Decades: of the springs' stiffness, from 1 on, each started from the last."""
STEPS = (0.5, 0.35)
"""Decades, the widest between two; if the solution is lost on the first path the second is tried."""
NARROWEST, MAX_LOST = 0.1, 2
"""Decades; and how many softer springs may leave it unsolved."""
LEVEL, SURE, STEADY = 4, 5.0, 0.9
"""What springs carry for good: no less than so much of what they did in the last steps, and many times `HELD`."""
HELD = 1e-4
"""Part of a weight: when the springs carry less of every piece the contacts carry it."""
NEARLY_HELD = -5.0
"""Decades: the stiffness at which a search starts from a neighbour's displacements, in at most `QUICK_STEPS`."""
MAX_STEPS, QUICK_STEPS = 25, 12
BLOCK = ((0, 0, 0), (1, 0, 1), (2, 0, 2), (1, 1, 3), (1, 2, 4), (2, 1, 4), (2, 2, 5))
"""Of a contact's derivative (3, 3): row, column, and where it stands among the six numbers that are not zero and not
said twice: sliding presses nothing, and its own part is symmetric."""
STUCK = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
"""Those of a contact that holds in every direction."""
WIDE = 80
"""Of the band of a matrix, on either side: wider ones are solved as sparse ones."""
FEW_MOTIONS, MANY_COLUMNS = 24, 900
"""Of B: a few pieces that touch all along curves. It is multiplied as it is then: nearly all products are of the same
few entries, and adding them up one by one takes three times as long."""
LEAPS = (1.0, 0.5, 0.3, 0.7, 0.9, 0.2)
"""Parts of Newton's step that are taken where none lessens the error."""
CONVERGED = 1e-8
"""Of the forces out of balance, over the weights."""
PARALLEL_COSINE = np.cos(np.radians(0.1))
"""Contact normals this much along each other belong to parallel planes."""
LESS_FRICTION = 0.8
"""Of the friction: what that holds without squeezing is held. Nearer to its limit friction pushes others aside."""
FROM_BELOW = 0.1
"""A fixed face whose normal rises less than this does not carry: between two of those a piece is squeezed."""


@dataclass(frozen=True, slots=True)
class Wedge:
    """Pieces that stand only if wedged tight: the pair that must be pressed together hardest, and the newtons that it
    takes at least, when all contacts together are pressed as little as possible."""

    between: tuple[str, str]
    clamping_n: float


def can_wedge(balance: Balance) -> bool:
    """Returns whether a piece may be squeezed: its contact planes are not parallel, or a fixed one is not below it."""
    normals = balance.contacts.normals
    if not len(normals):
        return False
    towards_free = np.where(balance.first >= 0, 1.0, -1.0) * (normals @ balance.down)
    fixed = (balance.first < 0) | (balance.second < 0)
    is_parallel = np.abs(normals @ normals[0]).min() > PARALLEL_COSINE
    return not is_parallel or bool((towards_free[fixed] > -FROM_BELOW).any())


def unsqueezed(balance: Balance) -> Balance | None:
    """Returns a balance of convex pieces without the contacts that might squeeze one, and with a fifth less friction:
    what that can hold is called up. None where it is no other, and where pieces rest on each other in a circle."""
    contacts, count = balance.contacts, len(balance.names)
    rises = -(contacts.normals @ balance.down)
    level = np.abs(contacts.normals @ contacts.normals[int(np.abs(rises).argmax())]) > PARALLEL_COSINE
    above, below = np.where(rises > 0, (balance.first, balance.second), (balance.second, balance.first))
    free = level & (above >= 0) & (below >= 0)
    rests_on = coo_array((np.ones(free.sum()), (above[free], below[free])), shape=(count, count))
    # where none rests on itself, over others, the weights alone tell how hard each is pressed
    if level.all() or not balance.are_convex:
        return None
    from scipy.sparse.csgraph import connected_components  # slow to load, as scipy's other solvers below

    if connected_components(rests_on, connection="strong")[0] < count:
        return None
    kept = ("first", "second", "points", "normals", "patch")
    fewer = replace(
        balance,
        matrix=balance.matrix[:, np.flatnonzero(np.repeat(level, 3))],
        friction=LESS_FRICTION * balance.friction[level],
        frames=balance.frames[level],
        first=balance.first[level],
        second=balance.second[level],
        contacts=replace(contacts, **{name: getattr(contacts, name)[level] for name in kept}),
    )
    return None if can_wedge(fewer) else fewer


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """How contacts answer a load. held: they carry it without having been pressed together before. displacements:
    (6 n,) backwards, of the last springs; carried: what these carry, times their displacements. is_followed: found from
    the displacements under another load, beside which there may be other answers."""

    held: bool
    displacements: Array
    carried: float
    is_followed: bool = False


def called_up(balance: Balance, load: Array | None = None) -> tuple[bool, Array]:
    """Solves (4): whether the contacts hold every piece without having been pressed together before; and the
    displacements (6 n,) with which they give way. load: (6 n,); None for what acts."""
    springs = Springs(balance.matrix, balance.friction, springs_of(balance))
    response = springs.respond(balance.acting if load is None else load)
    return response.held, -response.displacements


def springs_of(balance: Balance) -> csc_array:
    """Returns the springs (6 n, 6 n) of stiffness 1: each as stiff as its piece is heavy."""
    return csc_array(diags_array(np.repeat(balance.sizes, 6)))


class Springs:
    """Equation (4) for several loads."""

    def __init__(self, matrix: csc_array, friction: Array, springs: csc_array) -> None:
        """matrix: B (n, 3 k) of any unknowns of motion; springs: (n, n)."""
        self._friction, self.own = friction, springs
        self._is_diagonal = springs.nnz == len(springs.diagonal())
        self._matrix, self._transposed = matrix, matrix.T.tocsr()
        self._stiffness = _Stiffness(matrix, springs)

    def respond(
        self, load: Array, start: Array | None = None, lost: Array | None = None, *, to_the_end: bool = False
    ) -> Response:
        """Solves (4) under a load (6 n,). start, lost: displacements under loads much like it, of which one was held
        and the other not, tried first. to_the_end: soften what gives way until contacts yield nothing beside it."""
        for near, begin in ((start, NEARLY_HELD), (lost, SOFTEST)):
            if near is None or to_the_end:
                continue
            v, is_solved = self._balanced(load, 10.0**begin, near, QUICK_STEPS)
            response = self._softened(load, STEPS[0], v, begin) if is_solved else None
            if response is not None:
                return replace(response, is_followed=True)
        for widest in STEPS:
            if (response := self._softened(load, widest, to_the_end=to_the_end)) is not None:
                return response
        # no path is found: what forces can balance is not said to fall
        return Response(True, np.zeros(len(load)), 0.0)

    def _softened(
        self,
        load: Array,
        widest: float,
        start: Array | None = None,
        begin: float = 0.0,
        *,
        to_the_end: bool = False,
    ) -> Response | None:
        """Follows the solution as the springs soften, in steps of so many decades; None where it is lost. start: the
        solution with springs of 10**begin, where that is known."""
        if start is None:
            # as if all contacts held in every direction
            stuck = np.tile(STUCK, len(self._friction))
            start = self._stiffness.solve(stuck, 10.0**begin, -load)
        v = np.zeros(len(load)) if start is None else start
        last, step, at, lost = begin, widest, begin, 0
        carried: list[float] = []
        while at >= SOFTEST:
            trial, is_solved = self._balanced(load, 10.0**at, v, MAX_STEPS)
            if not is_solved and step > NARROWEST:
                step /= 2
            elif not is_solved and (lost := lost + 1) > MAX_LOST:
                return None
            else:
                v = trial
                if is_solved:
                    last, step, lost = at, min(widest, 2 * step), 0
                    carried.append(10.0**at * float(np.abs(v).max(initial=0.0)))
                    if carried[-1] <= HELD:
                        return Response(True, v, 0.0)
                    steady = STEADY * max(carried[-LEVEL:])
                    if not to_the_end and len(carried) > LEVEL and carried[-1] > max(steady, SURE * HELD):
                        break
                else:
                    last = at
            at = last - step
        return Response(False, v, float(10.0**last * (v @ (self.own @ v))))

    def _balanced(self, load: Array, stiffness: float, v: Array, steps: int) -> tuple[Array, bool]:
        """Newton's method on (4), damped; the friction limit follows the pressure in the derivative too. Returns the
        displacements, and whether they solve it."""
        springs, enough = stiffness * self.own, CONVERGED * float(np.linalg.norm(load))
        diagonal = springs.diagonal()

        def residual(at: Array) -> tuple[Array, Array]:
            x = (self._transposed @ at).reshape(-1, 3)
            pulls = diagonal * at if self._is_diagonal else springs @ at
            return self._matrix @ _response(x, self._friction).reshape(-1) + load + pulls, x

        out, x = residual(v)
        leaps = 0
        for _ in range(steps):
            size = float(np.linalg.norm(out))
            if size <= enough:
                return v, True
            step = self._stiffness.solve(_slope(x, self._friction).reshape(-1), stiffness, -out)
            if step is None:
                return v, False
            length = 1.0
            while True:
                trial, trial_x = residual(v + length * step)
                if np.linalg.norm(trial) < (1 - 1e-4 * length) * size:
                    break
                length /= 2
                if length < 1e-3:
                    # between states of contacts that each lead to the other: any other one leads out
                    length = LEAPS[leaps % len(LEAPS)]
                    leaps += 1
                    trial, trial_x = residual(v + length * step)
                    break
            v, out, x = v + length * step, trial, trial_x
        return v, bool(np.linalg.norm(out) <= enough)


class _Stiffness:
    """B D B^T + s W, for any D of k blocks (3, 3): where its entries are, and what they are made of. `BLOCK` says which
    of a block's are given."""

    def __init__(self, matrix: csc_array, springs: csc_array) -> None:
        size, columns = matrix.shape
        begin = matrix.indptr.astype(np.int64)
        count = np.diff(begin)
        value, row = matrix.data, matrix.indices
        # of every two columns of a contact point: their entries by each other
        point = np.repeat(np.arange(columns // 3), len(BLOCK))
        first, second, source = (np.tile(column, columns // 3) for column in np.array(BLOCK).T)
        first, second, source = 3 * point + first, 3 * point + second, len(STUCK) * point + source
        diagonal = springs.tocoo()
        own = diagonal.col.astype(np.int64) * size + diagonal.row
        self._ways: list[Array] | None = None
        if size <= FEW_MOTIONS and columns >= MANY_COLUMNS:
            whole = matrix.toarray()
            self._ways, unique = [whole[:, way::3].copy() for way in range(3)], np.arange(size**2)
        else:
            block, left = expand(begin[first], count[first])
            pair, right = expand(begin[second[block]], count[second[block]])
            left, source = left[pair], source[block[pair]]
            products = row[right].astype(np.int64) * size + row[left]
            unique = np.union1d(products, own)
            entries = (value[left] * value[right], (np.searchsorted(unique, products), source))
            shape = len(unique), len(STUCK) * (columns // 3)
            self._spread: csr_array = coo_array(entries, shape=shape).tocsr()
        self._springs = np.zeros(len(unique))
        self._springs[np.searchsorted(unique, own)] = diagonal.data
        start = np.searchsorted(unique, np.arange(size + 1) * size)
        self._pattern = csc_array((np.ones(len(unique)), unique % size, start), shape=(size, size))
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        self._order = reverse_cuthill_mckee(self._pattern.tocsr(), symmetric_mode=True)
        place = np.argsort(self._order)
        across, down = place[unique // size], place[unique % size]
        self._width = int(np.abs(across - down).max(initial=0))
        # in a band by columns, as LAPACK has it, one after the other
        self._at = (3 * self._width + 1) * across + 2 * self._width + down - across

    def _entries(self, slope: Array) -> Array:
        """Returns those of B D B^T, column by column."""
        if self._ways is None:
            return np.asarray(self._spread @ slope)
        press, one, other = self._ways
        a, b, c, d, e, f = slope.reshape(-1, len(STUCK)).T
        whole = (a * press + b * one + c * other) @ press.T
        whole += (d * one + e * other) @ one.T + (e * one + f * other) @ other.T
        return whole.T.reshape(-1)

    def solve(self, slope: Array, stiffness: float, right: Array) -> Array | None:
        """Returns x of (B D B^T + s W) x = right, for the entries (6 k,) of D; None where there is none."""
        entries = self._entries(slope) + stiffness * self._springs
        if self._width > WIDE:
            from scipy.sparse.linalg import splu

            self._pattern.data = entries
            return np.asarray(splu(self._pattern, permc_spec="MMD_AT_PLUS_A").solve(right))
        from scipy.linalg.lapack import dgbsv

        band = np.zeros((len(right), 3 * self._width + 1))
        band.reshape(-1)[self._at] = entries
        result, fails = dgbsv(self._width, self._width, band.T, right[self._order], overwrite_ab=True)[2:]
        if fails:
            return None
        solution: Array = np.empty_like(result)
        solution[self._order] = result
        return solution


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
        np.concatenate([-balance.acting, np.zeros(count)]),
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
    return Wedge((first, second), float(pressed[hardest]) * balance.force)


def _response(x: Array, friction: Array) -> Array:
    """Contact forces (k, 3) called up by approaching and sliding x (k, 3)."""
    normal = np.maximum(x[:, 0], 0.0)
    slip = np.sqrt(x[:, 1] ** 2 + x[:, 2] ** 2)
    share = np.minimum(1.0, friction * normal / np.where(slip > 0, slip, 1.0))
    response = np.empty_like(x)
    response[:, 0], response[:, 1], response[:, 2] = normal, share * x[:, 1], share * x[:, 2]
    return response


def _slope(x: Array, friction: Array) -> Array:
    """The derivative of `_response`, (k, 6) as in `BLOCK`."""
    slip = np.sqrt(x[:, 1] ** 2 + x[:, 2] ** 2)
    limit, pressed = friction * np.maximum(x[:, 0], 0.0), x[:, 0] > 0
    slides = slip > limit
    slope = np.empty((len(x), len(STUCK)))
    # nought and one where nothing slides: as stuck
    along, across = x[:, 1:].T / np.where(slides, slip, np.inf)
    part = np.divide(limit, slip, out=np.ones_like(slip), where=slides)
    pull = friction * pressed
    slope[:, 0], slope[:, 1], slope[:, 2] = pressed, pull * along, pull * across
    slope[:, 3], slope[:, 5] = part * (1.0 - along * along), part * (1.0 - across * across)
    slope[:, 4] = -part * along * across
    return slope
