"""Contacts on curved surfaces with how the point of contact moves when one piece rolls on the other.

The second derivative of the gap at the point of contact is the relative curvature; rolling is its inverse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.tolerances import TOUCH_AT_REST
from engine.topple.contact.arrays import Array
from engine.topple.contact.curves import touching_on_curves
from engine.topple.contact.detection import Contacts
from engine.world import Assembly, magnification


@dataclass(frozen=True, slots=True, eq=False)
class RollingContacts:
    """All contacts of an assembly, those on curved surfaces too.

    mobility: (k, 3, 3) metres: of contact point c, where the pieces turn against each other by a small rotation w, the
    point moves by mobility @ (w x normal) as they roll; zero on flat faces, corners and across edges.
    """

    contacts: Contacts
    mobility: Array


def with_curves(assembly: Assembly, contacts: Contacts) -> RollingContacts | None:
    """Returns the contacts with those on curved surfaces; None where a surface is round about no axis."""
    bodies = {body.name: body for body in assembly.bodies}
    number = {name: at for at, name in enumerate(contacts.names)}
    first, second, points = [], [], []
    for upper, lower in contacts.curved:
        found = touching_on_curves(
            bodies[upper], bodies[lower], TOUCH_AT_REST.gap * magnification(assembly.bodies)
        )
        if not found:
            return None
        first += [number[upper]] * len(found)
        second += [number[lower]] * len(found)
        points += found
    old = len(contacts.points)
    mobility = np.zeros((old + len(points), 3, 3))
    if not points:
        return RollingContacts(contacts, mobility)
    mobility[old:] = [point.mobility for point in points]
    # each is a patch of its own
    patch = np.arange(len(points)) + contacts.patch.max(initial=-1) + 1
    whole = replace(
        contacts,
        first=np.append(contacts.first, first),
        second=np.append(contacts.second, second),
        points=np.concatenate([contacts.points, [point.place for point in points]]),
        normals=np.concatenate([contacts.normals, [point.normal for point in points]]),
        patch=np.append(contacts.patch, patch),
    )
    return RollingContacts(whole, mobility)
