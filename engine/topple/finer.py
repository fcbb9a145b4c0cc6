"""Pieces whose convex parts have the true curve where they touch, for trials.

A simulated cylinder has 64 sides whose corners stick out by a hundredth of a millimetre, so a board that would rock on
it tips off a corner and lies down on a side, three degrees away: more than a trial allows. Here the corners of the
parts that are touched lie on the surface that the sides approximate (`contact.rounds`), with more of them close to
where it is touched.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teeter.engine.tolerances import TOUCH_AT_REST
from teeter.engine.topple.contact.arrays import Array, across
from teeter.engine.topple.contact.curves import touching_on_curves
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.contact.features import departure, sagitta
from teeter.engine.topple.contact.rims import rims_of
from teeter.engine.topple.contact.rounds import Round, rounds_of
from teeter.engine.world.body import Assembly, Body, magnification
from teeter.models.hulls import convex_hull, near_points
from teeter.models.piece import Part

FINE = np.radians(0.2)
"""Between neighbouring corners: a tenth of what a trial lets a piece turn by."""
AROUND = np.arange(-30, 31) * FINE
"""To both sides of the contact: over two of the usual facets."""
SPREAD, COUNT = np.radians(4.0), 600
"""Of corners around a contact on a surface that bulges both ways, evenly spread like the seeds of a sunflower: 0.3
degrees apart."""
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
SOME = 5
"""Of the points round a circle of contact: corners around one in so many overlap."""
APPROACHES = 4
SAME = 1e-7
"""Of a part's size: corners so little outside a side lie on it."""
CLOSE = 1e-4
"""Of a part's size: corners nearer to each other are one; a fifth of a degree apart they are ten times as far."""


def with_true_curves(assembly: Assembly) -> Assembly:
    """Returns the assembly with pieces that touch on convex curves finer there; the same one where none do."""
    corners: dict[str, list[Array]] = {}
    bodies = {body.name: body for body in assembly.bodies}
    gap = TOUCH_AT_REST.gap * magnification(assembly.bodies)
    for upper, lower in find_contacts(assembly).curved:
        found = touching_on_curves(bodies[upper], bodies[lower], gap)
        touches = [touch for at, touch in enumerate(found) if at % SOME == 0 or not touch.spacing]
        for name in (upper, lower):
            body = bodies[name]
            room = gap + sagitta(body.piece) + departure(body.piece)
            for touch in touches:
                place = (touch.place - body.pose.position) @ body.pose.matrix
                corners.setdefault(name, []).extend(_corners(body, place, room))
    finer = {name: _finer(bodies[name], np.concatenate(new)) for name, new in corners.items() if new}
    if not finer:
        return assembly
    return Assembly(assembly.name, tuple(finer.get(body.name, body) for body in assembly.bodies))


def _corners(body: Body, place: Array, room: float) -> list[Array]:
    """Corners (n, 3) on the curves of a piece around a place (3,) on them, in its frame."""
    corners = []
    for surface in rounds_of(body.piece):
        if abs(float(surface.near(place[None], room)[0])) <= room:
            second = surface.distance(place)[2]
            if np.linalg.eigvalsh(second)[0] >= -1e-6 * np.abs(second).max():
                corners.append(_along(surface, place) if surface.centre is None else _around(surface, place))
    for rim in rims_of(body.piece):
        spoke = rim.nearest(place)
        if rim.radius > 0 and np.linalg.norm(rim.at(spoke[None])[0] - place) <= room:
            spokes = _turned(spoke, rim.axis)
            corners.append(rim.at(spokes[rim.has(spokes)]))
    return corners


def _along(surface: Round, place: Array) -> Array:
    """Both ends of the straight lines of a cylinder or cone beside a place."""
    out = surface.spoke(place)
    spokes = np.array([spoke for spoke in _turned(out, surface.axis) if surface.goes(spoke)]).reshape(-1, 3)
    lines = [surface.origin + radius * spokes + height * surface.axis for radius, height in surface.ends]
    return np.concatenate(lines)


def _around(surface: Round, place: Array) -> Array:
    """Points around a place, evenly spread."""
    _, normal, second = surface.distance(place)
    radius = 1.0 / float(np.abs(second).max())
    one, other = across(normal)
    seeds = np.arange(COUNT)
    away, angles = radius * np.sin(SPREAD * np.sqrt(seeds / COUNT)), GOLDEN * seeds
    ways = np.cos(angles)[:, None] * one + np.sin(angles)[:, None] * other
    points = list(place + away[:, None] * ways)
    for _ in range(APPROACHES):
        distances = [surface.distance(point) for point in points]
        points = [
            point - value * gradient for point, (value, gradient, _) in zip(points, distances, strict=True)
        ]
    near = np.array(points)
    there: Array = near[np.isfinite(surface.near(near, 1e-3 * radius))]
    return there


def _turned(spoke: Array, axis: Array) -> Array:
    turned: Array = np.cos(AROUND)[:, None] * spoke + np.sin(AROUND)[:, None] * np.cross(axis, spoke)
    return turned


def _finer(body: Body, corners: Array) -> Body:
    """A body whose hulls have more corners: each those that lie outside it by as little as facets do."""
    piece = body.piece
    room = 2.0 * (sagitta(piece) + departure(piece))
    parts = tuple(_wider(part, corners, room, rounds_of(piece)) for part in piece.parts)
    return replace(body, piece=replace(piece, parts=parts))


def _apart(new: Array, known: Array, least: float) -> Array:
    """Returns corners without those that nearly meet others, or known ones: engines in 32 bits find no hull of them."""
    whole = np.concatenate([known, new])
    first, second = np.array(sorted(near_points(whole).query_pairs(least)), dtype=np.int64).reshape(-1, 2).T
    lost = np.zeros(len(whole), dtype=np.bool_)
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        lost[other] = lost[other] or not lost[one]
    return new[~lost[len(known) :]]


def _wider(part: Part, corners: Array, room: float, surfaces: tuple[Round, ...]) -> Part:
    if part.kind != "hull":
        return part
    on_curves = part.vertices.copy()
    for surface in surfaces:
        away = surface.near(on_curves, room)
        for row in np.flatnonzero(np.abs(away) <= room):
            on_curves[row] -= away[row] * surface.distance(on_curves[row])[1]
    size = float(np.ptp(on_curves, axis=0).max())
    planes = convex_hull(on_curves / size).equations
    outside = size * (corners / size @ planes[:, :3].T + planes[:, 3]).max(axis=1)
    new = _apart(corners[(outside > SAME * size) & (outside <= room)], on_curves, CLOSE * size)
    return replace(part, vertices=np.concatenate([on_curves, new])) if len(new) else part
