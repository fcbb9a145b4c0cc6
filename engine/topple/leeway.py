"""Whether a force balance is far enough from its limit to be believed without a simulation.

The rule. Statics alone decides a scene whose faces meet, when its answer has leeway:

* it stands, if it does so with every contact area narrower by a leeway on all sides, and without any friction; where
  all contacts lie in parallel planes, so that nothing can be wedged, the friction over `GRIP` may help;
* it falls, if it does so with every contact area wider by the leeway on all sides and with `GRIP` times the
  friction, and if what falls has room: carried on along the mechanism it meets nothing it did not touch before,
  until it has come down or turned as far as a simulation calls fallen.

Everything else is near the limit, or wedged, or rocks, or may be caught half-way: there the simulation decides.
A line or a point of contact has no width, so what only stands on those never stands clearly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray

from engine.pose import Pose, angle_between
from engine.settings import magnification
from engine.topple.conic import StaticsError, fall
from engine.topple.contacts import Contacts, find_contacts
from engine.topple.equilibrium import GRAVITY, Balance, balance_of
from engine.topple.features import of_piece
from engine.topple.margins import mechanism, weakest
from engine.topple.overlap import overlaps_of
from engine.topple.patches import axes_across
from engine.topple.ragged import Array, Ints, pairs_of_boxes
from engine.topple.statics import UNBALANCED, held
from engine.topple.trial import LIMITS
from engine.world import Assembly, Body, Vector

LEEWAY = 5e-4
"""Metres, for pieces of the games' size, at least: so near the limit the give of simulated contacts decides which way
a scene goes."""
LEAN = 0.01
"""Of the height of what stands there, at least: the give adds up from floor to floor. Ten bricks with a leeway of 1.0
mm still fell in the simulation, at a height of 150 mm."""
GRIP = 1.1
"""Times the friction: the simulation's friction is right to about a per cent."""
PARALLEL = math.cos(math.radians(0.1))
"""Contact normals this much along each other belong to parallel planes."""
TRAVEL = 2e-3 * 1.3 ** np.arange(16)
"""Metres the fastest point is carried along the mechanism, step by step, to see whether it is caught."""
CAUGHT = 2e-4
"""Metres of overlap that would catch it."""


@dataclass(frozen=True, slots=True)
class Clear:
    """A verdict without doubt. stands, and who goes first if it does not."""

    stands: bool
    first: str | None


def clear(
    assembly: Assembly,
    *,
    gravity: Vector = GRAVITY,
    contacts: Contacts | None = None,
    balanced: bool | None = None,
) -> Clear | None:
    """The verdict of statics where it has leeway; None near the limit and where statics is silent.

    contacts: those already found. balanced: what `statics.stands` says, where that is known: it saves one question.
    """
    contacts = contacts or find_contacts(assembly)
    if not contacts.meet or contacts.curved:
        return None
    leeway = leeway_of(assembly)
    try:
        if balanced is not False and _holds(
            balance_of(assembly, widened(contacts, -leeway), gravity=gravity)
        ):
            return Clear(True, None)
        if balanced is True:
            return None
        wide = balance_of(assembly, widened(contacts, leeway), gravity=gravity)
        wide = replace(wide, friction=GRIP * wide.friction)
        answer = fall(wide, wide.friction)
    except StaticsError:
        return None
    if answer.value <= UNBALANCED or _is_caught(assembly, contacts, wide, answer.x):
        return None
    return Clear(False, weakest(wide, answer.x))


def leeway_of(assembly: Assembly) -> float:
    """Metres by which contact areas are varied: `LEEWAY`, or `LEAN` times the height."""
    free = assembly.free
    if not free:
        return LEEWAY
    heights = np.concatenate([body.pose.apply(of_piece(body.piece).vertices)[:, 2] for body in free])
    return max(LEEWAY * magnification(assembly.bodies), LEAN * float(np.ptp(heights)))


def _holds(narrow: Balance) -> bool:
    """Whether it stands without friction or, where nothing can be wedged, with a little less than there is."""
    if fall(narrow, np.zeros_like(narrow.friction)).value <= UNBALANCED:
        return True
    normals = narrow.contacts.normals
    is_parallel = len(normals) > 0 and np.abs(normals @ normals[0]).min() > PARALLEL
    return is_parallel and held(replace(narrow, friction=narrow.friction / GRIP)) is not None


def widened(contacts: Contacts, by: float) -> Contacts:
    """Contacts whose areas reach further on all sides by so many metres; negative: less far, and lines, points and
    strips that are too narrow are gone.
    """
    if not len(contacts.points):
        return contacts
    starts = np.flatnonzero(np.append(True, contacts.patch[1:] != contacts.patch[:-1]))
    normals, origins = contacts.normals[starts], contacts.points[starts]
    u, v = axes_across(normals)
    row = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(contacts.points))))
    offset = contacts.points - origins[row]
    flat = np.stack([np.einsum("ij,ij->i", offset, u[row]), np.einsum("ij,ij->i", offset, v[row])], axis=1)
    areas = shapely.buffer(_hulls(flat, row), by, join_style="mitre", cap_style="square")
    corners, owner = shapely.get_coordinates(areas, return_index=True)
    last = np.append(owner[1:] != owner[:-1], True) if len(owner) else np.zeros(0, dtype=np.bool_)
    corners, owner = corners[~last], owner[~last]
    return replace(
        contacts,
        first=contacts.first[starts][owner],
        second=contacts.second[starts][owner],
        points=origins[owner] + corners[:, :1] * u[owner] + corners[:, 1:] * v[owner],
        normals=normals[owner],
        patch=owner,
    )


def _hulls(flat: Array, row: Ints) -> NDArray[np.object_]:
    hulls: NDArray[np.object_] = shapely.convex_hull(shapely.multipoints(shapely.points(flat), indices=row))
    return hulls


def _is_caught(assembly: Assembly, contacts: Contacts, balance: Balance, velocities: Array) -> bool:
    """Whether pieces that go on along the mechanism run into something they did not touch before, or have come to the
    end of the steps, before one of them has fallen.
    """
    motion = mechanism(balance, velocities)
    times = magnification(assembly.bodies)
    touching = {
        frozenset(pair) for pair in zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
    }
    for travel in TRAVEL * times:
        bodies = tuple(
            body if body.fixed else body.at(carried_on(body, *motion[body.name], float(travel)))
            for body in assembly.bodies
        )
        corners = [body.pose.apply(of_piece(body.piece).vertices) for body in bodies]
        extent = (
            np.array([each.min(axis=0) for each in corners]),
            np.array([each.max(axis=0) for each in corners]),
        )
        first, second = pairs_of_boxes(*extent, 0.0)
        known = np.array(
            [frozenset(pair) in touching for pair in zip(first, second, strict=True)], dtype=np.bool_
        )
        # what hinges on a widened contact goes into the other piece by a little; what rocks onto its face, by more
        for mine, depth in ((~known, CAUGHT * times), (known, CAUGHT * times + 2 * leeway_of(assembly))):
            if overlaps_of(bodies, extent, first[mine], second[mine], depth):
                return True
        if any(map(partial(_has_fallen, times=times, down=balance.down), assembly.bodies, bodies)):
            return False
    return True


def _has_fallen(before: Body, after: Body, *, times: float, down: Array) -> bool:
    """By the measures of a trial."""
    lowered = float((np.subtract(after.pose.position, before.pose.position)) @ down)
    drop = max(LIMITS.drop * times, float(before.piece.extents.min()) / 2)
    return lowered > drop or angle_between(before.pose.orientation, after.pose.orientation) > LIMITS.tumble


def carried_on(body: Body, velocity: Vector, spin: Vector, time: float) -> Pose:
    """Where a body is after so many seconds of one steady screw motion (velocity of its centre of mass, m/s, and
    spin, rad/s): the exponential of the twist.
    """
    v, w = np.array(velocity) * time, np.array(spin) * time
    angle = float(np.linalg.norm(w))
    x, y, z = w
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-9:
        turn, shift = np.eye(3) + skew, v
    else:
        bend, rest = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
        turn = np.eye(3) + math.sin(angle) / angle * skew + bend * skew @ skew
        shift = v + bend * skew @ v + rest * skew @ skew @ v
    centre = body.pose.apply(body.piece.centre_of_mass)
    position = centre + shift + turn @ (np.asarray(body.pose.position) - centre)
    return Pose.of(position, turn @ body.pose.matrix)
