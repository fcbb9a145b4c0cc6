"""Edges that carry a scene only while they meet exactly.

Where two parallel edges touch, as at the top of two leaning cards, every plane that separates the two wedges is a
possible contact plane, and statics takes the middle one. But edges that are a hair out of line touch along a face: of
two cards the higher one then slides up the other, unless friction holds it there. So what forces can balance may still
fall from the least disturbance, and blunt edges decide how little is enough.
"""

from dataclasses import replace

import numpy as np

from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.edges import separating
from teeter.engine.topple.contact.features import Features, of_bodies
from teeter.engine.world.body import Assembly, Vector


def meeting_exactly(assembly: Assembly, contacts: Contacts, gravity: Vector) -> tuple[str, str] | None:
    """Returns the first two bodies whose edges no longer hold once they touch along a face of either; None where none
    of them matters. gravity: m/s^2. For scenes that stand as they are."""
    scene = of_bodies(assembly.bodies)
    for patch in np.unique(contacts.patch):
        rows = np.flatnonzero(contacts.patch == patch)
        for normal in _other_normals(scene, contacts, rows):
            normals = contacts.normals.copy()
            normals[rows] = normal
            if stands(assembly, gravity=gravity, contacts=replace(contacts, normals=normals)) is False:
                return contacts.names[contacts.first[rows[0]]], contacts.names[contacts.second[rows[0]]]
    return None


def _other_normals(scene: Features, contacts: Contacts, rows: Ints) -> tuple[Array, ...]:
    """Returns the two normals that a contact of edge along edge may turn to, none for other contacts."""
    if len(rows) != 2:
        return ()
    ends, owners = contacts.points[rows], (contacts.first[rows[0]], contacts.second[rows[0]])
    unit = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    one, other = (_along(scene, int(owner), ends, unit) for owner in owners)
    if one is None or other is None:
        return ()
    pair = separating(scene.edge_normals[one], scene.edge_normals[other], unit, TOUCH_DECLARED.angle)
    return () if pair is None else (pair[0], pair[2])


def _along(scene: Features, body: int, ends: Array, unit: Array) -> int | None:
    """Returns the edge of a body that a contact's two points (2, 3) lie on."""
    mine = np.flatnonzero(scene.edge_body == body)
    start, along = scene.edges[mine, 0], scene.edges[mine, 1] - scene.edges[mine, 0]
    along /= np.linalg.norm(along, axis=1)[:, None]
    offset = ends.mean(axis=0) - start
    aside = np.linalg.norm(offset - np.einsum("ij,ij->i", offset, along)[:, None] * along, axis=1)
    fits = (np.abs(along @ unit) > np.cos(TOUCH_DECLARED.angle)) & (aside <= TOUCH_DECLARED.gap)
    edges = mine[fits]
    return int(edges[0]) if len(edges) else None
