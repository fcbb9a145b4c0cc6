"""The equilibrium of rigid pieces under contact forces as matrices, and whether it exists.

Unknown is one force per contact point: normal n >= 0 and tangential (t1, t2), |t| <= mu n (Coulomb). Six
balance equations per free piece (Livesley 1978; Whiting, Ochsendorf & Durand 2009, eq. 1; Kao et al. 2022,
eq. 4) read

    B f + g = 0                                                                                        (1)

with g the weights. The dual unknown is a virtual velocity v (linear, angular) of every free piece, and B^T v
is how fast the surfaces part and slide at the contact points. By conic duality (Livesley 1978, section 4: the
theorem of virtual power) either (1) has a solution within the cones, or there is a v with B^T v in the dual
cone (no piece moves into another) for which gravity has positive power: a mechanism. We solve for v: fewer
unknowns, and the forces come back as the multipliers. Sliding is associated here: a sliding piece also lifts
by mu, so friction may be too kind in wedged states (Kao et al. 2022), never too strict.

Lengths are in units of the median piece size and forces of the median weight, so millimetres and metres
decide alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csc_array

from engine.topple.contacts import Contacts
from engine.topple.features import reach
from engine.topple.patches import axes_across
from engine.topple.ragged import Array, Ints
from engine.world import Assembly

GRAVITY = (0.0, 0.0, -9.81)
"""m/s^2."""


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """Equation (1), without dimensions.

    names: the n free pieces. matrix: B, (6 n, 3 k); rows per piece force x, y, z then torque about the centre
    of mass; columns per contact point n, t1, t2. friction: (k,). frames: (k, 3, 3), rows normal (towards
    `first`), t1, t2. first, second: (k,) free pieces of each point, -1 for a fixed one; contacts: where they
    come from. weights: (n,). centres: (n, 3), of mass. radii: (n,), from there to the farthest point. down:
    (3,) unit. length: metres and force: newtons of one unit.
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

    def load(self, direction: Array) -> Array:
        """The wrenches (6 n,) of weights that pull along `direction` (3,)."""
        wrench = np.zeros((len(self.names), 6))
        wrench[:, :3] = self.weights[:, None] * direction
        return wrench.reshape(-1)


def balance_of(
    assembly: Assembly,
    contacts: Contacts,
    *,
    gravity: tuple[float, float, float] = GRAVITY,
    friction: float | None = None,
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
    number = np.full(len(assembly.bodies), -1, dtype=np.int64)
    number[~contacts.fixed] = np.arange(len(free))
    first, second = number[contacts.first], number[contacts.second]
    weights = np.array([body.piece.mass for body in free]) * pull
    length = float(np.median([body.piece.extents.mean() for body in free])) if len(free) else 1.0
    force = float(np.median(weights)) if len(free) else 1.0
    centres = np.array([body.pose.apply(body.piece.centre_of_mass) for body in free]).reshape(-1, 3) / length
    frames = np.stack([contacts.normals, *axes_across(contacts.normals)], axis=1)
    return Balance(
        names=tuple(body.name for body in free),
        matrix=_matrix(frames, contacts.points / length, centres, first, second),
        friction=_pair_friction(assembly, contacts, friction),
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
    )


def _pair_friction(assembly: Assembly, contacts: Contacts, override: float | None) -> Array:
    """The coefficient (k,) of every contact point: the geometric mean of the two materials'."""
    if override is not None:
        return np.full(len(contacts.points), override)
    each = np.array([body.piece.material.friction for body in assembly.bodies])
    mean: Array = np.sqrt(each[contacts.first] * each[contacts.second])
    return mean


def wrenches_at(points: Array, centre: Array, forces: Array) -> Array:
    """The wrenches (..., 6) about `centre` of forces (..., 3) at points (..., 3)."""
    return np.concatenate([forces, np.cross(points - centre, forces)], axis=-1)


def _matrix(frames: Array, points: Array, centres: Array, first: Ints, second: Ints) -> csc_array:
    """B of equation (1): +force on the first body of a point, -force on the second."""
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
