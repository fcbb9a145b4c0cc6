"""Where two bodies touch on curved surfaces and round edges, exactly.

Detection finds such contacts on facets, roughly; here they are found again on the surfaces that the facets approximate
(`rounds`, `rims`): on flat faces in closed form, on edges along the edge, between two curved surfaces where the gap is
narrowest.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import shapely

from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.edges import DIP, flattened
from teeter.engine.topple.contact.features import Features, departure, of_bodies, sagitta
from teeter.engine.topple.contact.narrowest import narrowest
from teeter.engine.topple.contact.rims import (
    Rim,
    Touch,
    chords_of,
    on_edges,
    on_plane,
    on_rim,
    on_round,
    rims_of,
)
from teeter.engine.topple.contact.rounds import Round, rounds_of
from teeter.engine.world.body import Body

LEVEL = 1e-9
"""A normal less across an axis than this lies along it; metres off the axis, a point less off lies on it."""
ZOOMS = 9
ALONG = np.linspace(0.0, 1.0, 17)
"""Where an edge is looked at first; next to the lowest place it is looked at closely."""
SAME_CIRCLE = 0.51
"""Of the spacing of points round a circle: one so near to them lies on the same circle, found twice."""
APART = 0.08
"""Of the smaller piece's size: points nearer to each other are one."""
ON_LINE = 0.3
"""Of that: as near to a line is on it."""
SAME_WAY = float(np.cos(np.radians(3.0)))
"""Of the angle between normals along a line of contact."""
FLAT = 1e-4
"""Curvature times the smaller piece's size: below this two surfaces touch along a line."""


@dataclass(frozen=True, slots=True, eq=False)
class RollingPoint:
    """A contact point. normal: away from the second body. mobility: see `rolling.RollingContacts`. gap: metres between
    the surfaces, negative inside each other. spacing: metres to the next one of many round a circle; 0 where alone."""

    place: Array
    normal: Array
    mobility: Array
    gap: float
    spacing: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of two bodies: its curved surfaces and rims, and all its flat facets and edges, in the world.

    straight: (e,) numbers of the edges that are no part of a rim.
    """

    rounds: tuple[Round, ...]
    rims: tuple[Rim, ...]
    scene: Features
    straight: Ints
    room: float


def touching_on_curves(upper: Body, lower: Body, gap: float) -> list[RollingPoint]:
    """Returns the contact points of two bodies on curved surfaces or rims of either, the nearest ones within `gap`."""
    size = min(float(body.piece.extents.min()) for body in (upper, lower))
    one, other = _side(upper), _side(lower)
    # foreign meshes are round to their sagitta only, and pieces are let down on their parts
    room = gap + one.room + other.room
    touches: list[RollingPoint] = []
    for mine, theirs, sign in ((one, other, -1.0), (other, one, 1.0)):
        # sign: the gradient of `mine` points away from the second body where `mine` is the second
        for surface in mine.rounds:
            points = [*_on_faces(surface, theirs, room), *_on_edges(surface, theirs, room, size)]
            touches += [replace(point, normal=sign * point.normal) for point in points]
        for rim in mine.rims:
            touches += [_rolling(touch, -sign, size) for touch in _touches(rim, theirs, room)]
    for rim in one.rims:
        crossings = [touch for edge in other.rims for touch in on_rim(rim, edge, room)]
        touches += [_rolling(touch, 1.0, size) for touch in crossings]
    if one.rounds and other.rounds:
        # from the side of more bands: a whole sphere is one, and looked at in five places along its profile
        mine, theirs, sign = (one, other, 1.0) if len(one.rounds) >= len(other.rounds) else (other, one, -1.0)
        box = theirs.scene.vertices.min(axis=0), theirs.scene.vertices.max(axis=0)
        for touch in narrowest(mine.rounds, theirs.rounds, box, room, size):
            normal = sign * touch.normal
            mobility = _mobility(touch.second, normal)
            touches.append(RollingPoint(touch.place, normal, mobility, touch.gap, touch.spacing))
    nearest = min((abs(point.gap) for point in touches), default=0.0)
    return _distinct([point for point in touches if abs(point.gap) <= nearest + gap], APART * size)


def _side(body: Body) -> _Side:
    rounds = tuple(surface.placed(body.pose) for surface in rounds_of(body.piece))
    rims = tuple(rim.placed(body.pose) for rim in rims_of(body.piece))
    straight = np.flatnonzero(~chords_of(body.piece))
    return _Side(rounds, rims, of_bodies([body]), straight, sagitta(body.piece) + departure(body.piece))


def _touches(rim: Rim, theirs: _Side, gap: float) -> list[Touch]:
    """Where a rim touches flat faces, curved surfaces and straight edges of the other body."""
    scene, contacts = theirs.scene, []
    for facet in np.flatnonzero(~scene.facet_curved).tolist():
        base = scene.vertices[scene.facet_start[facet]]
        touches = on_plane(rim, base, scene.normals[facet], gap)
        if touches:
            flat, polygon = flattened(scene, np.array([touch.place for touch in touches]), facet)
            near = shapely.distance(polygon, shapely.points(flat)) <= gap
            contacts += [touch for touch, is_near in zip(touches, near, strict=True) if is_near]
    for surface in theirs.rounds:
        contacts += on_round(rim, surface, gap)
    return contacts + on_edges(rim, scene.edges[theirs.straight], scene.edge_into[theirs.straight], gap)


def _rolling(touch: Touch, sign: float, size: float) -> RollingPoint:
    """A touch of a rim as a contact point. sign: of the normal, which is to point away from the second body."""
    turns = touch.bend * size > FLAT
    mobility = np.outer(touch.along, touch.along) / touch.bend if turns else np.zeros((3, 3))
    return RollingPoint(touch.place, sign * touch.normal, mobility, touch.gap, touch.spacing)


def _distinct(points: list[RollingPoint], apart: float) -> list[RollingPoint]:
    """Returns points without those that are nearly others, or another circle's beside those of a circle."""
    places, kept, alone = np.array([point.place for point in points]), list[int](), list[RollingPoint]()
    for at, point in enumerate(points):
        room = SAME_CIRCLE * point.spacing or apart
        if (np.linalg.norm(places[kept] - point.place, axis=1) <= room).any():
            continue
        if not point.spacing:
            if any(_is_between(point, one, other, apart) for one, other in combinations(alone, 2)):
                continue
            alone.append(point)
        kept.append(at)
    return [points[at] for at in kept]


def _is_between(point: RollingPoint, one: RollingPoint, other: RollingPoint, apart: float) -> bool:
    """Returns whether a point lies on the line along which two surfaces touch between two known ends: it holds nothing
    that they do not hold, and somewhere on a line is not found as exactly as its ends."""
    if min(point.normal @ one.normal, point.normal @ other.normal) < SAME_WAY:
        return False
    along, away = other.place - one.place, point.place - one.place
    share = float(away @ along) / float(along @ along)
    return 0.0 < share < 1.0 and float(np.linalg.norm(away - share * along)) < ON_LINE * apart


def _on_faces(surface: Round, theirs: _Side, gap: float) -> list[RollingPoint]:
    """Points of a curved surface on flat faces: where its normal is against the face's."""
    scene, contacts = theirs.scene, []
    flat_facets = np.flatnonzero(~scene.facet_curved)
    middle, radius = surface.ball
    bases = scene.vertices[scene.facet_start[flat_facets]]
    away = np.einsum("ij,ij->i", middle - bases, scene.normals[flat_facets])
    for facet in flat_facets[np.abs(away) <= radius + 2 * gap].tolist():
        normal, base = scene.normals[facet], scene.vertices[scene.facet_start[facet]]
        for point in _facing(surface, normal, gap):
            height = float((point - base) @ normal)
            if abs(height) > gap:
                continue
            points, spacing = _all_round(surface, point, normal)
            flat, polygon = flattened(scene, points, facet)
            near = shapely.distance(polygon, shapely.points(flat)) <= gap
            for place in points[near]:
                _, gradient, second = surface.distance(place)
                mobility = _mobility(second, normal)
                place = place - height / 2 * normal
                contacts.append(RollingPoint(place, gradient, mobility, height, spacing))
    return contacts


def _facing(surface: Round, normal: Array, gap: float) -> list[Array]:
    """Points of a surface where its outward normal is against a direction; of a line its ends, of a circle one."""
    level = normal - (normal @ surface.axis) * surface.axis
    length = float(np.linalg.norm(level))
    # of a circle a spoke that it reaches
    one = surface.sector.middle if surface.sector else surface.spoke(surface.origin)
    outs = [level / length, -level / length] if length > LEVEL else [one]
    points = []
    for out in outs:
        wanted = -np.array([normal @ out, normal @ surface.axis])
        if surface.centre is None:
            if surface.normal @ wanted > 1 - 1e-9:
                points += [_at(surface, end, out) for end in surface.ends if surface.goes(out)]
            continue
        place = surface.centre + surface.bend * wanted
        point = _at(surface, place, out)
        if place[0] >= -1e-9 and surface.covers(point, gap):
            points.append(point)
    return points


def _at(surface: Round, profile: Array, out: Array) -> Array:
    point: Array = surface.origin + profile[0] * out + profile[1] * surface.axis
    return point


def _all_round(surface: Round, point: Array, normal: Array) -> tuple[Array, float]:
    """Returns points (n, 3) all round the axis of a surface that a face lies across, else the one; their spacing."""
    offset = point - surface.origin
    centre = surface.origin + (offset @ surface.axis) * surface.axis
    radius = float(np.linalg.norm(point - centre))
    if np.linalg.norm(np.cross(normal, surface.axis)) > LEVEL or radius <= LEVEL:
        return point[None], 0.0
    circle = Rim(centre, surface.axis, radius, np.zeros((2, 2)), surface.sector)
    return circle.at(circle.all_round[circle.has(circle.all_round)]), circle.spacing


def _on_edges(surface: Round, theirs: _Side, gap: float, size: float) -> list[RollingPoint]:
    """Points of a curved surface on edges of the other body, rims of its flat faces too."""
    scene = theirs.scene
    contacts: list[RollingPoint] = []
    middle, radius = surface.ball
    starts = scene.edges[theirs.straight, 0]
    along = scene.edges[theirs.straight, 1] - starts
    squares = np.einsum("ij,ij->i", along, along)
    shares = np.clip(np.einsum("ij,ij->i", middle - starts, along) / squares, 0.0, 1.0)
    away = np.linalg.norm(middle - starts - shares[:, None] * along, axis=1)
    # its points may lie a gap beyond it, and touch what is a gap away
    some = away <= radius + 2 * gap
    if not some.any():
        return contacts
    lengths = np.sqrt(squares)
    near_by, along, lengths = theirs.straight[some], along[some], lengths[some]
    edges, into = scene.edges[near_by], scene.edge_into[near_by]
    places = edges[:, :1] + ALONG[None, :, None] * along[:, None]
    step = ALONG[1] * float(lengths.max())
    low = np.abs(surface.near(places.reshape(-1, 3), gap + step)).reshape(len(lengths), -1).min(axis=1)
    near = np.flatnonzero(low <= gap + ALONG[1] * lengths)
    lowest = [(at, share) for at in near for share in _lowest(surface, edges[at])]
    places = np.array([edges[at, 0] + share * along[at] for at, share in lowest]).reshape(-1, 3)
    heights = surface.near(places, gap)
    for (at, share), point, height in zip(lowest, places, heights, strict=True):
        beside = np.linalg.norm(places - point, axis=1) < 1.5 * lengths[at]
        # of a rim in many straight pieces the one that comes nearest, not its neighbours' ends
        is_end = min(share, 1 - share) < 1e-3
        if abs(height) > gap or (is_end and (heights[beside] < height - 1e-4 * gap).any()):
            continue
        _, gradient, second = surface.distance(point)
        if np.any(into[at] @ gradient < -DIP):
            continue
        way = along[at] / lengths[at]
        bend = float(way @ second @ way)
        mobility = np.outer(way, way) / bend if bend * size > FLAT else np.zeros((3, 3))
        contacts.append(RollingPoint(point - height / 2 * gradient, gradient, mobility, float(height)))
    return contacts


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


def _mobility(second: Array, normal: Array) -> Array:
    """The inverse of a relative curvature (3, 3) across the normal, where it bends at all."""
    flat = np.eye(3) - np.outer(normal, normal)
    values, vectors = np.linalg.eigh(flat @ second @ flat)
    scale = max(float(np.abs(values).max()), 1e-300)
    inverse = np.where(np.abs(values) > 1e-6 * scale, 1.0 / np.where(values == 0, 1.0, values), 0.0)
    result: Array = (vectors * inverse) @ vectors.T
    return result
