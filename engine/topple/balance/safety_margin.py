"""Whether a force balance is far enough from its limit to be believed without a simulation.

Statics alone decides a scene whose faces meet when its answer has a safety margin:

* it stands, if it does so with every contact area narrower by the margin on all sides, and without any friction; where
  nothing can be wedged, the friction over `FRICTION_FACTOR` may help;
* it falls, if it does so with every contact area wider by the margin on all sides and with `FRICTION_FACTOR` times the
  friction, and if what falls is not caught: carried on along the mechanism it meets nothing it did not touch before,
  until it has come down or turned as far as a simulation calls fallen.

Everything else is near the limit, or wedged, or rocks, or may be caught half-way: there the simulation decides.
A line or a point of contact has no width, so what only stands on those never stands clearly.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.tolerances import has_fallen
from teeter.engine.topple.balance.equilibrium import UNBALANCED, Balance, balance_of, fall
from teeter.engine.topple.balance.margins import mechanism_of, weakest
from teeter.engine.topple.balance.rolled import carried_on
from teeter.engine.topple.balance.statics import feasible_forces
from teeter.engine.topple.balance.wedging import can_wedge
from teeter.engine.topple.contact.arrays import Array, Ints, pairs_of_boxes
from teeter.engine.topple.contact.detection import Contacts, find_contacts, overlaps_of
from teeter.engine.topple.contact.features import corners_of
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.trial import LIMITS
from teeter.engine.world.body import DOWN, Assembly, Body, Vector, magnification

MIN_MARGIN = 5e-4
"""Metres, for pieces of the games' size, at least: so near the limit the compliance of simulated contacts
decides which way a scene goes."""
MARGIN_PER_HEIGHT = 0.01
"""Of the height of what stands there, at least: compliance adds up from floor to floor. Ten bricks with a margin of 1.0
mm still fell in the simulation, at a height of 150 mm."""
FRICTION_FACTOR = 1.1
"""Times the friction: the simulation's friction is right to about a per cent."""
TRAVELS = 2e-3 * 1.3 ** np.arange(16)
"""Metres the fastest point is carried along the mechanism, step by step, to see whether it is caught."""
CAUGHT_OVERLAP = 2e-4
"""Metres of overlap that would catch it."""


@dataclass(frozen=True, slots=True)
class SafeVerdict:
    """A verdict with a safety margin. stands, and who goes first if it does not."""

    stands: bool
    first: str | None


def safe_verdict(
    assembly: Assembly,
    *,
    gravity: Vector = DOWN,
    contacts: Contacts | None = None,
    balanced: bool | None = None,
) -> SafeVerdict | None:
    """Returns the verdict of statics where it has a safety margin; None near the limit and where statics is silent.

    contacts: those already found. balanced: what `statics.stands` says, where that is known: it saves one question.
    """
    contacts = contacts or find_contacts(assembly)
    if not contacts.meet or contacts.curved:
        return None
    margin = safety_margin_of(assembly)
    try:
        if balanced is not False and _holds(
            balance_of(assembly, widened(contacts, -margin), gravity=gravity)
        ):
            return SafeVerdict(True, None)
        if balanced is True:
            return None
        wide = balance_of(assembly, widened(contacts, margin), gravity=gravity)
        wide = replace(wide, friction=FRICTION_FACTOR * wide.friction)
        answer = fall(wide, wide.friction)
    except StaticsError:
        return None
    if answer.value <= UNBALANCED or _is_caught(assembly, contacts, wide, answer.x):
        return None
    return SafeVerdict(False, weakest(wide, answer.x))


def safety_margin_of(assembly: Assembly) -> float:
    """Returns the metres by which contact areas are varied: `MIN_MARGIN`, or `MARGIN_PER_HEIGHT` times the height."""
    free = assembly.free
    if not free:
        return MIN_MARGIN
    heights = np.concatenate([corners_of(body)[:, 2] for body in free])
    return max(MIN_MARGIN * magnification(assembly.bodies), MARGIN_PER_HEIGHT * float(np.ptp(heights)))


def _holds(narrow: Balance) -> bool:
    """Returns whether it stands without friction or, where nothing can be wedged, with a little less than there is."""
    if fall(narrow, np.zeros_like(narrow.friction)).value <= UNBALANCED:
        return True
    return (
        len(narrow.friction) > 0
        and not can_wedge(narrow)
        and feasible_forces(replace(narrow, friction=narrow.friction / FRICTION_FACTOR)) is not None
    )


def widened(contacts: Contacts, by: float) -> Contacts:
    """Contacts whose areas reach further on all sides by so many metres; negative: less far, and lines,
    points and strips that are too narrow are gone."""
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
    """Whether pieces that go on along the mechanism run into something they did not touch before, or have
    come to the end of the steps, before one of them has fallen."""
    motion = mechanism_of(balance, velocities)
    times = magnification(assembly.bodies)
    hinged = CAUGHT_OVERLAP * times + 2 * safety_margin_of(assembly)
    touching = {
        frozenset(pair) for pair in zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
    }
    for travel in TRAVELS * times:
        bodies = tuple(
            body if body.fixed else body.at(carried_on(body, *motion[body.name], float(travel)))
            for body in assembly.bodies
        )
        corners = [corners_of(body) for body in bodies]
        extent = (
            np.array([points.min(axis=0) for points in corners]),
            np.array([points.max(axis=0) for points in corners]),
        )
        first, second = pairs_of_boxes(*extent, 0.0)
        known = np.array(
            [frozenset(pair) in touching for pair in zip(first, second, strict=True)], dtype=np.bool_
        )
        # what hinges on a widened contact goes into the other piece by a little; what rocks onto its face, by more
        for mine, depth in ((~known, CAUGHT_OVERLAP * times), (known, hinged)):
            if overlaps_of(bodies, extent, first[mine], second[mine], depth):
                return True
        if any(map(partial(_has_fallen, times=times, down=balance.down), assembly.bodies, bodies)):
            return False
    return True


def _has_fallen(before: Body, after: Body, *, times: float, down: Array) -> bool:
    """By the measures of a trial."""
    lowered = float((np.subtract(after.pose.position, before.pose.position)) @ down)
    is_down = has_fallen(lowered, float(before.piece.extents.min()), LIMITS.drop * times)
    return bool(is_down) or angle_between(before.pose.orientation, after.pose.orientation) > LIMITS.tumble
