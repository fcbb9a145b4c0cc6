"""Where curved surfaces touch, exactly, and how the point of contact moves when one rolls on the other.

Detection finds such contacts on facets, roughly; here they are found again on the surfaces that the facets approximate
(`rounds`): on flat faces in closed form, on edges along the edge, between two curved surfaces by Newton's method for
the narrowest gap. The second derivative of the gap there is the relative curvature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely

from engine.tolerances import TOUCH_AT_REST, TOUCH_DECLARED
from engine.topple.contact.arrays import Array
from engine.topple.contact.detection import Contacts
from engine.topple.contact.edges import DIP, flattened
from engine.topple.contact.features import Features, of_bodies, sagitta
from engine.topple.contact.rounds import Round, rounds_of
from engine.world import Assembly, Body, magnification

DIRECTIONS = 12
"""Points that stand for a circle of contact, as of a turned foot on a table."""
STEPS = 30
SWITCHES = 4
"""Times the narrowest gap may lie on another band of a turned piece than the one it was looked for on."""
ZOOMS = 9
CLOSE = 0.1
"""Of the smaller piece's size: where corners of coarse facets may lie from the true point of contact."""
ALONG = np.linspace(0.0, 1.0, 17)
"""Where an edge is looked at first; next to the lowest place it is looked at closely."""
MAX_SEEDS = 16
"""Rough points from which the narrowest gap is looked for."""
APART = 0.08
"""Of the smaller piece's size: points nearer to each other are one."""
FLAT = 1e-4
"""Curvature times the smaller piece's size: below this two surfaces touch along a line."""


@dataclass(frozen=True, slots=True, eq=False)
class RollingContacts:
    """All contacts of an assembly, those on curved surfaces too.

    mobility: (k, 3, 3) metres: of contact point c, where the pieces turn against each other by a small rotation w, the
    point moves by mobility @ (w x normal) as they roll; zero on flat faces, corners and across edges.
    """

    contacts: Contacts
    mobility: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """normal: away from the second body. gap: metres between the surfaces, negative inside each other."""

    place: Array
    normal: Array
    mobility: Array
    gap: float


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of two bodies: its curved surfaces near the contact, and all its flat facets and edges, in the world."""

    rounds: tuple[Round, ...]
    scene: Features
    room: float


def with_curves(assembly: Assembly, contacts: Contacts) -> RollingContacts | None:
    """Returns the contacts with those on curved surfaces; None where a surface is round about no axis."""
    bodies = {body.name: body for body in assembly.bodies}
    number = {name: at for at, name in enumerate(contacts.names)}
    first, second, points = [], [], []
    for upper, lower in contacts.curved:
        found = _between(bodies[upper], bodies[lower], TOUCH_AT_REST.gap * magnification(assembly.bodies))
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


def _between(upper: Body, lower: Body, gap: float) -> list[_Point]:
    """The contact points of two bodies on curved surfaces of either."""
    size = min(float(body.piece.extents.min()) for body in (upper, lower))
    one, other = _side(upper), _side(lower)
    # foreign meshes are round to their sagitta only
    room = gap + one.room + other.room
    found: list[_Point] = []
    for mine, theirs, sign in ((one, other, -1.0), (other, one, 1.0)):
        # sign: the gradient of `mine` points away from the second body where `mine` is the second
        for surface in mine.rounds:
            points = [*_on_faces(surface, theirs, room), *_on_edges(surface, theirs, room, size)]
            found += [replace(point, normal=sign * point.normal) for point in points]
    if one.rounds and other.rounds:
        found += _on_each_other(one, other, room, size)
    nearest = min((abs(point.gap) for point in found), default=0.0)
    return _distinct([point for point in found if abs(point.gap) <= nearest + gap], APART * size)


def _side(body: Body) -> _Side:
    rounds = tuple(each.placed(body.pose) for each in rounds_of(body.piece))
    return _Side(rounds, of_bodies([body]), sagitta(body.piece))


def _distinct(points: list[_Point], apart: float) -> list[_Point]:
    kept: list[_Point] = []
    for point in points:
        if all(float(np.linalg.norm(point.place - other.place)) > apart for other in kept):
            kept.append(point)
    return kept


def _on_faces(surface: Round, theirs: _Side, gap: float) -> list[_Point]:
    """Points of a curved surface on flat faces: where its normal is against the face's."""
    scene, found = theirs.scene, []
    for facet in np.flatnonzero(~scene.facet_curved).tolist():
        normal, base = scene.normals[facet], scene.vertices[scene.facet_start[facet]]
        for point in _facing(surface, normal, gap):
            height = float((point - base) @ normal)
            if abs(height) > gap:
                continue
            flat, polygon = flattened(scene, point[None], facet)
            if polygon.distance(shapely.Point(flat[0])) <= gap:
                _, gradient, second = surface.distance(point)
                mobility = _mobility(second, normal)
                found.append(_Point(point - height / 2 * normal, gradient, mobility, height))
    return found


def _facing(surface: Round, normal: Array, gap: float) -> list[Array]:
    """Points of a surface where its outward normal is against a direction; of a line its ends, of a circle some."""
    level = normal - (normal @ surface.axis) * surface.axis
    length = float(np.linalg.norm(level))
    outs = [level / length, -level / length] if length > 1e-9 else _circle(surface)
    found = []
    for out in outs:
        wanted = -np.array([normal @ out, normal @ surface.axis])
        if surface.centre is None:
            if surface.normal @ wanted > 1 - 1e-9:
                found += [_at(surface, end, out) for end in surface.ends]
            continue
        place = surface.centre + surface.bend * wanted
        point = _at(surface, place, out)
        if place[0] >= -1e-9 and surface.covers(point, gap):
            found.append(point)
    return found


def _at(surface: Round, profile: Array, out: Array) -> Array:
    point: Array = surface.origin + profile[0] * out + profile[1] * surface.axis
    return point


def _circle(surface: Round) -> list[Array]:
    u, v = np.linalg.svd(surface.axis[None])[2][1:]
    angles = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    return [np.cos(angle) * u + np.sin(angle) * v for angle in angles]


def _on_edges(surface: Round, theirs: _Side, gap: float, size: float) -> list[_Point]:
    """Points of a curved surface on edges of the other body, rims of its flat faces too."""
    scene = theirs.scene
    found: list[_Point] = []
    if not len(scene.edges):
        return found
    along = scene.edges[:, 1] - scene.edges[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    places = scene.edges[:, :1] + ALONG[None, :, None] * along[:, None]
    step = ALONG[1] * float(lengths.max())
    low = np.abs(surface.near(places.reshape(-1, 3), gap + step)).reshape(len(lengths), -1).min(axis=1)
    near = np.flatnonzero(low <= gap + ALONG[1] * lengths)
    lowest = [(at, share) for at in near for share in _lowest(surface, scene.edges[at])]
    places = np.array([scene.edges[at, 0] + share * along[at] for at, share in lowest]).reshape(-1, 3)
    heights = surface.near(places, gap)
    for (at, share), point, height in zip(lowest, places, heights, strict=True):
        beside = np.linalg.norm(places - point, axis=1) < 1.5 * lengths[at]
        # of a rim in many straight pieces the one that comes nearest, not its neighbours' ends
        is_end = min(share, 1 - share) < 1e-3
        if abs(height) > gap or (is_end and (heights[beside] < height - 1e-4 * gap).any()):
            continue
        _, gradient, second = surface.distance(point)
        if np.any(scene.edge_into[at] @ gradient < -DIP):
            continue
        way = along[at] / lengths[at]
        bend = float(way @ second @ way)
        mobility = np.outer(way, way) / bend if bend * size > FLAT else np.zeros((3, 3))
        found.append(_Point(point - height / 2 * gradient, gradient, mobility, float(height)))
    return found


def _lowest(surface: Round, edge: Array) -> list[float]:
    """The places (0 to 1) along an edge that lie lowest over a surface; both ends where it lies along it."""

    def heights_at(shares: Array) -> Array:
        return surface.near(edge[0] + shares[:, None] * (edge[1] - edge[0]), np.inf)

    heights = heights_at(ALONG)
    if np.ptp(heights) <= 1e-3 * TOUCH_DECLARED.gap:
        return [0.0, 1.0]
    low, high = 0.0, 1.0
    for _ in range(ZOOMS):
        best = low + (high - low) * ALONG[int(np.argmin(heights))]
        step = (high - low) * ALONG[1]
        low, high = max(best - step, 0.0), min(best + step, 1.0)
        heights = heights_at(low + (high - low) * ALONG)
    return [float(best)]


def _on_each_other(one: _Side, other: _Side, gap: float, size: float) -> list[_Point]:
    """Points where two curved surfaces touch: where the sum of the distances to both is least."""
    found: list[_Point] = []
    for point in _seeds(one, other, gap, size):
        for _ in range(SWITCHES):
            pair = _nearest(one.rounds, point, gap), _nearest(other.rounds, point, gap)
            point = _narrowest(*pair, point, size)
            if pair[0].covers(point, gap) and pair[1].covers(point, gap):
                break
        mine, out, bent = pair[0].distance(point)
        theirs, back, other_bent = pair[1].distance(point)
        meets = abs(mine + theirs) <= gap and float(out @ back) < -1 + 1e-6
        if meets and pair[0].covers(point, gap) and pair[1].covers(point, gap):
            found.append(_Point(point, back, _mobility(bent + other_bent, back), mine + theirs))
    return found


def _nearest(rounds: tuple[Round, ...], point: Array, gap: float) -> Round:
    away = [abs(float(each.near(point[None], gap)[0])) for each in rounds]
    return rounds[int(np.argmin(away))]


def _narrowest(surface: Round, partner: Round, point: Array, size: float) -> Array:
    """Newton's method for the point between two surfaces at which their gap is least."""
    for _ in range(STEPS):
        mine, out, bent = surface.distance(point)
        theirs, back, other_bent = partner.distance(point)
        step = np.linalg.lstsq((bent + other_bent) * size, -(out + back) * size, rcond=1e-6)[0]
        step = step * min(1.0, 0.25 * size / max(float(np.linalg.norm(step)), 1e-300))
        point = point + step - (mine - theirs) / 2 * out
        if np.linalg.norm(step) <= 1e-9 * size:
            break
    return point


def _seeds(one: _Side, other: _Side, gap: float, size: float) -> list[Array]:
    """Corners of either body's curved facets that lie near the other's curved surface, not all of a crowd."""
    points, away = [], []
    for mine, theirs in ((one, other), (other, one)):
        low = theirs.scene.vertices.min(axis=0) - CLOSE * size
        high = theirs.scene.vertices.max(axis=0) + CLOSE * size
        every = np.concatenate([mine.scene.vertices, *(each.samples() for each in mine.rounds)])
        every = every[np.all((every >= low) & (every <= high), axis=1)]
        on = np.min([np.abs(each.near(every, gap)) for each in mine.rounds], axis=0) <= gap
        points.append(every[on])
        away.append(np.min([np.abs(each.near(every[on], gap)) for each in theirs.rounds], axis=0))
    every = np.concatenate([np.zeros((0, 3)), *points])
    distance = np.concatenate([np.zeros(0), *away])
    every, distance = every[distance <= CLOSE * size], distance[distance <= CLOSE * size]
    kept: list[Array] = []
    # first the nearest, then always the farthest from those taken
    best, apart = int(np.argmin(distance)) if len(every) else 0, np.full(len(every), np.inf)
    while len(kept) < MAX_SEEDS and apart.max(initial=0.0) > APART * size:
        kept.append(every[best])
        apart = np.minimum(apart, np.linalg.norm(every - every[best], axis=1))
        best = int(np.argmax(apart))
    return kept


def _mobility(second: Array, normal: Array) -> Array:
    """The inverse of a relative curvature (3, 3) across the normal, where it bends at all."""
    flat = np.eye(3) - np.outer(normal, normal)
    values, vectors = np.linalg.eigh(flat @ second @ flat)
    scale = max(float(np.abs(values).max()), 1e-300)
    inverse = np.where(np.abs(values) > 1e-6 * scale, 1.0 / np.where(values == 0, 1.0, values), 0.0)
    result: Array = (vectors * inverse) @ vectors.T
    return result
