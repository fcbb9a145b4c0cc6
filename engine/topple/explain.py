"""Why: the mechanism of a verdict. Which pieces move, over which edge, and what is missing or to spare.

For what stands the mechanism is the dual solution of the force balance at its critical tilt. For what falls it is the
motion in which it begins to fall: of all accelerations that no contact forbids the one nearest to free fall (Gauss'
principle of least constraint, 1829). By the theorem of virtual power the weights' power over it tells how much is
missing: over the speed of a point it is the force there that stops the mechanism (or starts it), over the weights'
turning it is how far their centre of mass lies beyond the edge (or inside).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import clarabel
import numpy as np
from scipy.sparse import block_diag, csc_matrix

from engine.topple.conic import GOOD, StaticsError, fall, parting, settings
from engine.topple.contacts import Contacts
from engine.topple.equilibrium import GRAVITY, Balance, balance_of
from engine.topple.margins import mechanism as mechanism_of
from engine.topple.margins import weakest
from engine.topple.mechanism import Kind, Mechanism, vector_of
from engine.topple.ragged import Array
from engine.topple.statics import UNBALANCED, Statics
from engine.world import Assembly, Vector

MOST_FRICTION = 16.0
"""Times the friction there is: what does not hold with so much is not held by friction."""


@dataclass(frozen=True, slots=True)
class Why:
    """The mechanism of a verdict. stands: whether it is what would happen first, or what does.

    moves: the pieces that move as one with the weakest; others: those that move besides. kind: how; drops: nothing is
    below. against: the piece whose edge they tip over or on which they slide. edge: its two ends, metres. towards:
    degrees, the bearing in which they go, counter-clockwise from +x; None straight down. room: metres their centre of
    mass lies inside the edge, negative beyond it; None when they slide. force: newtons at `point` (metres, where they
    move fastest) that start the mechanism; negative: that are missing to stop it. friction_needed: times the friction
    there is, for what slides and does not stand; None when none would do.
    """

    stands: bool
    moves: tuple[str, ...]
    others: tuple[str, ...]
    kind: Kind
    against: str | None
    edge: tuple[Vector, Vector] | None
    towards: float | None
    room: float | None
    force: float
    point: Vector
    friction_needed: float | None


def explain(
    assembly: Assembly, statics: Statics, contacts: Contacts, *, gravity: Vector = GRAVITY
) -> Why | None:
    """The mechanism of what statics said of an assembly; None where it is silent or nothing can move it.

    statics: of the same assembly, contacts and gravity, with margins.
    """
    if statics.stands is None or statics.weakest is None or not statics.mechanism:
        return None
    balance = balance_of(assembly, contacts, gravity=gravity)
    velocities, first = statics.mechanism, statics.weakest
    if not statics.stands:
        begins = beginning(assembly, balance)
        velocities, first = mechanism_of(balance, begins), weakest(balance, begins) or first
    if not velocities:
        return None
    mechanism = Mechanism(assembly, velocities, contacts, np.array(gravity))
    moves = mechanism.as_one_with(first)
    others = tuple(name for name in mechanism.moving() if name not in moves)
    against, edge = mechanism.joint(moves)
    kind = mechanism.kind(moves, against)
    point, velocity = mechanism.fastest(moves)
    level = velocity[:2] if np.linalg.norm(velocity[:2]) > 1e-3 else mechanism.top_velocity(moves)[:2]
    towards = (
        round(math.degrees(math.atan2(level[1], level[0])), 6) % 360.0
        if np.linalg.norm(level) > 1e-3
        else None
    )
    needed = None
    if kind == "slides" and not statics.stands:
        needed = _friction_needed(balance)
    return Why(
        stands=statics.stands,
        moves=moves,
        others=others,
        kind=kind,
        against=against,
        edge=edge,
        towards=towards,
        room=mechanism.room(moves, against) if kind == "tips" else None,
        force=-mechanism.power() / float(np.linalg.norm(velocity)),
        point=vector_of(point),
        friction_needed=needed,
    )


def beginning(assembly: Assembly, balance: Balance) -> Array:
    """The accelerations (6 n,) with which it begins to fall, in the units of the balance with gravity 1.

    minimise v.M v / 2 - g.v so that B^T v in K*; friction is associated, as in all of statics. Raises StaticsError.
    """
    rows, cones, _ = parting(balance.matrix, balance.friction)
    inertia = []
    for body, weight in zip(assembly.free, balance.weights, strict=True):
        turn = body.pose.matrix
        about = turn @ body.piece.inertia @ turn.T / (body.piece.mass * balance.length**2)
        inertia += [weight * np.eye(3), weight * about]
    solver = clarabel.DefaultSolver(
        csc_matrix(block_diag(inertia)),
        -balance.load(balance.down),
        csc_matrix(rows),
        np.zeros(rows.shape[0]),
        cones,
        settings(refine=True),
    )
    result = solver.solve()
    if str(result.status) not in GOOD:
        raise StaticsError(f"how it begins to fall could not be found ({result.status})")
    return np.array(result.x)


def _friction_needed(balance: Balance) -> float | None:
    """The least multiple of the friction with which it stands, by bisection to a thousandth; None for none."""

    def holds(times: float) -> bool:
        try:
            return fall(balance, times * balance.friction).value <= UNBALANCED
        except StaticsError:
            return False

    low, high = 1.0, 2.0
    while not holds(high):
        low, high = high, 2 * high
        if high > MOST_FRICTION:
            return None
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
