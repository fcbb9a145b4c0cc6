"""The surfaces of all bodies of an assembly as flat arrays in the world, ready for vectorised contact detection."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import shapely

from teeter.engine.topple.contact.arrays import Array, Bools, Ints, boxes, starts_of
from teeter.engine.world.body import Body
from teeter.models.hulls import convex_hull, near_points, pairs_within
from teeter.models.piece import Piece, Surface

MATCH = 1e-7
"""Points closer than this part of the piece's diagonal are the same point of its surface (builders round
less)."""
LOOSER = (10.0, 100.0, 1000.0)
"""Times `MATCH`, for edges of foreign meshes between faces that are not quite flat; what fits none is no edge."""


AT_ONCE = 2_000_000
"""Pairs of a point and a box that are looked at together."""
MOST_LOOKED_AT = 500
"""Corners, of those of a curved surface, whose distances from the parts are measured."""


@dataclass(frozen=True, eq=False)
class Features:
    """Facets, edges, corners and curved samples, of one piece (piece frame) or of many bodies (world).
    Metres.

    vertices: (v, 3), the ring corners of all facets, facet after facet. ring_start: (r + 1,) into vertices;
    ring_facet: (r,) the facet of a ring; the first ring of a facet is its outline, the others are holes.
    facet_start: (f + 1,) into vertices. normals: (f, 3). facet_curved: (f,). edges: (e, 2, 3). edge_into: (e,
    2, 3), unit, from the edge into each of its two faces. edge_normals: (e, 2, 3), of those faces.
    edge_curved: (e,), one of the faces is curved. corners: (c, 3). spoke_start: (c + 1,) into spokes: (s, 3),
    unit, along the surface edges that leave a corner. samples: (j, 3), points on curved facets. ray_start: (j
    + 1,) into rays: the spokes of the samples. facet_body, edge_body, corner_body, sample_body: owner of
    each, all zero for one piece. planes: of facets that were asked for, two axes (3, 2) and the facet along them.
    """

    vertices: Array
    ring_start: Ints
    ring_facet: Ints
    facet_start: Ints
    normals: Array
    facet_curved: Bools
    edges: Array
    edge_into: Array
    edge_normals: Array
    edge_curved: Bools
    corners: Array
    spoke_start: Ints
    spokes: Array
    samples: Array
    ray_start: Ints
    rays: Array
    facet_body: Ints
    edge_body: Ints
    corner_body: Ints
    sample_body: Ints
    planes: dict[int, tuple[Array, shapely.Polygon]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def facet_boxes(self) -> tuple[Array, Array]:
        """Lower and upper corners (f, 3) of the boxes around the facets."""
        return boxes(self.vertices, self.facet_start)

    def body_boxes(self, count: int) -> tuple[Array, Array]:
        """Returns lower and upper corners of the boxes around the `count` bodies."""
        start = np.searchsorted(self.facet_body, np.arange(count))
        low, high = self.facet_boxes
        return np.minimum.reduceat(low, start), np.maximum.reduceat(high, start)


ARRAYS = tuple(array for array in fields(Features) if array.init)


@lru_cache(maxsize=1024)
def of_piece(piece: Piece) -> Features:
    """Returns the features of a piece in its own frame; cached, because a tower repeats few pieces many times."""
    surface = piece.surface
    rings = [ring for facet in surface.facets for ring in facet.rings]
    ring_facet = np.array([i for i, facet in enumerate(surface.facets) for _ in facet.rings], dtype=np.int64)
    ring_start = starts_of([len(ring) for ring in rings])
    vertices = np.concatenate(rings).reshape(-1, 3)
    eps = MATCH * float(np.linalg.norm(piece.extents))
    tails, heads, owner = _segments(vertices, ring_start, ring_facet)
    normals = np.array([facet.normal for facet in surface.facets])
    curved = np.array([facet.curved for facet in surface.facets], dtype=np.bool_)
    into, faces, is_edge = _edge_faces(surface.edges, tails, heads, normals[owner], owner, eps)
    into, faces = into[is_edge], faces[is_edge]
    corners, samples = surface.corners.reshape(-1, 3), surface.curved.reshape(-1, 3)
    spoke_start, spokes = _spokes(corners, tails, heads, eps)
    ray_start, rays = _rays(surface, samples, _spokes(samples, tails, heads, eps), eps)
    return Features(
        vertices=vertices,
        ring_start=ring_start,
        ring_facet=ring_facet,
        facet_start=starts_of([sum(len(ring) for ring in facet.rings) for facet in surface.facets]),
        normals=normals,
        facet_curved=curved,
        edges=surface.edges.reshape(-1, 2, 3)[is_edge],
        edge_into=into,
        edge_normals=normals[faces],
        edge_curved=curved[faces[:, 0]] | curved[faces[:, 1]],
        corners=corners,
        spoke_start=spoke_start,
        spokes=spokes,
        samples=samples,
        ray_start=ray_start,
        rays=rays,
        facet_body=np.zeros(len(normals), dtype=np.int64),
        edge_body=np.zeros(len(into), dtype=np.int64),
        corner_body=np.zeros(len(surface.corners), dtype=np.int64),
        sample_body=np.zeros(len(surface.curved), dtype=np.int64),
    )


POINTS = ("vertices", "edges", "corners", "samples")
DIRECTIONS = ("normals", "edge_into", "edge_normals", "spokes", "rays")
STARTS = ("ring_start", "facet_start", "spoke_start", "ray_start")
OWNERS = ("facet_body", "edge_body", "corner_body", "sample_body")


def of_bodies(bodies: Sequence[Body]) -> Features:
    """Returns the features of all bodies where they are in the world; owners index into `bodies`."""
    features = [of_piece(body.piece) for body in bodies]
    rotations = np.array([body.pose.matrix for body in bodies])
    shifts = np.array([body.pose.position for body in bodies])

    def turned(name: str) -> list[Array]:
        every = [getattr(one, name) for one in features]
        return [
            (own.reshape(-1, 3) @ turn.T).reshape(own.shape)
            for own, turn in zip(every, rotations, strict=True)
        ]

    def moved(name: str) -> list[Array]:
        return [own + shift for own, shift in zip(turned(name), shifts, strict=True)]

    arrays = _gathered(features, range(len(bodies)))
    arrays |= {name: np.concatenate(moved(name)) for name in POINTS}
    arrays |= {name: np.concatenate(turned(name)) for name in DIRECTIONS}
    return Features(**arrays)


def together(one: Features, other: Features, count: int) -> Features:
    """Returns the features of some bodies and of others, which are numbered from `count` on."""
    whole = Features(**_gathered([one, other], [0, count]))
    # known already, where a piece is added to a tower again and again
    low, high = (np.concatenate(bounds) for bounds in zip(one.facet_boxes, other.facet_boxes, strict=True))
    whole.__dict__["facet_boxes"] = low, high
    return whole


def _gathered(parts: Sequence[Features], firsts: Sequence[int]) -> dict[str, Any]:
    """The arrays of some features one after the other; their bodies are numbered from `firsts` on."""
    facets = np.cumsum([0] + [len(part.normals) for part in parts])
    bases: dict[str, Sequence[int]] = {"ring_facet": facets.tolist()} | dict.fromkeys(OWNERS, firsts)
    arrays: dict[str, Any] = {}
    for array in ARRAYS:
        every = [getattr(part, array.name) for part in parts]
        if array.name in bases:
            every = [own + base for own, base in zip(every, bases[array.name], strict=False)]
        arrays[array.name] = _joined(every) if array.name in STARTS else np.concatenate(every)
    return arrays


def repeated(one: Features, shifts: Array) -> Features:
    """Returns the features of a body as those of many, shifted by (n, 3) metres each."""
    arrays: dict[str, Any] = {}
    count, number = len(shifts), np.arange(len(shifts))
    for array in ARRAYS:
        own = getattr(one, array.name)
        whole = np.tile(own, (count, *(1,) * (own.ndim - 1)))
        if array.name in POINTS:
            whole = whole + np.repeat(shifts, len(own), axis=0).reshape(-1, *(1,) * (own.ndim - 2), 3)
        elif array.name in STARTS:
            whole = np.append(0, np.tile(own[1:], count) + np.repeat(number * own[-1], len(own) - 1))
        elif array.name in OWNERS:
            whole = np.repeat(number, len(own))
        elif array.name == "ring_facet":
            whole = whole + np.repeat(number * len(one.normals), len(own))
        arrays[array.name] = whole
    return Features(**arrays)


@lru_cache(maxsize=1024)
def sagitta(piece: Piece) -> float:
    """Returns how far the true curved surface bulges beyond the planar facets that stand for it, metres; 0 when flat.

    Facets a distance d apart whose normals differ by t lie on a curve of radius d / t; the corners of a
    triangle lie up to d from its centre, so the curve rises d t / 2 above it (a quarter of that above a long
    strip).
    """
    facets = [facet for facet in piece.surface.facets if facet.curved]
    if len(facets) < 2:
        return 0.0
    centres = np.array([facet.rings[0].mean(axis=0) for facet in facets])
    normals = np.array([facet.normal for facet in facets])
    # the nearest other facet by its centre is a neighbour across a short chord
    gaps, near = near_points(centres).query(centres, k=2)
    cosine = np.einsum("ij,ij->i", normals, normals[np.asarray(near)[:, 1]])
    return float(np.max(np.asarray(gaps)[:, 1] * np.arccos(np.clip(cosine, -1.0, 1.0))) / 2)


@lru_cache(maxsize=1024)
def departure(piece: Piece) -> float:
    """Returns how far the curved surface stands out of the convex parts, on which pieces are let down, metres."""
    rings = [facet.rings[0] for facet in piece.surface.facets if facet.curved]
    if not rings:
        return 0.0
    points = np.unique(np.concatenate(rings).round(9), axis=0)
    points = points[:: max(1, len(points) // MOST_LOOKED_AT)]
    outside = np.full(len(points), np.inf)
    for part in piece.parts:
        if part.radius is not None:
            away = np.linalg.norm(points - part.centre, axis=1) - part.radius
        else:
            planes = convex_hull(part.vertices).equations
            away = (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)
        outside = np.minimum(outside, away)
    return max(float(outside.max()), 0.0)


@lru_cache(maxsize=1024)
def reach(piece: Piece) -> float:
    """Returns the metres from the centre of mass to the farthest point of the surface."""
    return float(np.linalg.norm(of_piece(piece).vertices - piece.centre_of_mass, axis=1).max())


def corners_of(body: Body) -> Array:
    """Returns the corners (n, 3) of a body's facets in the world."""
    return body.pose.apply(of_piece(body.piece).vertices)


def is_convex(piece: Piece) -> bool:
    """Returns whether the piece is one convex solid: two of those touch in one plane at most."""
    return len(piece.parts) == 1


def _joined(starts: list[Ints]) -> Ints:
    """Start arrays of consecutive blocks as the start array of the whole."""
    sizes = [one[-1] for one in starts]
    before = np.repeat(np.cumsum([0, *sizes[:-1]]), [len(one) - 1 for one in starts])
    return np.concatenate([[0], np.concatenate([one[1:] for one in starts]) + before]).astype(np.int64)


def _segments(vertices: Array, ring_start: Ints, ring_facet: Ints) -> tuple[Array, Array, Ints]:
    """Tail, head and facet of every directed ring segment."""
    following = np.arange(1, len(vertices) + 1)
    following[ring_start[1:] - 1] = ring_start[:-1]
    owner = np.repeat(ring_facet, np.diff(ring_start))
    return vertices, vertices[following], owner


def _edge_faces(
    edges: Array, tails: Array, heads: Array, normals: Array, owner: Ints, eps: float
) -> tuple[Array, Ints, Bools]:
    """For each edge the two directions into its faces (e, 2, 3), those faces (e, 2), and whether it has any.

    A ring runs counter-clockwise around its face (holes clockwise), so the face lies to the left: normal x
    along.
    """
    ends = edges.reshape(-1, 2, 3)
    along = heads - tails
    length = np.linalg.norm(along, axis=1)
    along = along / np.where(length > 0, length, 1.0)[:, None]
    rooms = [eps, *(eps * loose for loose in LOOSER)]
    lows, highs = np.minimum(tails, heads) - 2 * rooms[-1], np.maximum(tails, heads) + 2 * rooms[-1]
    edge, side = _in_boxes((ends[:, 0] + ends[:, 1]) / 2, lows, highs)
    middle = (ends[edge, 0] + ends[edge, 1]) / 2 - tails[side]
    reach = np.einsum("ij,ij->i", middle, along[side])
    aside = np.linalg.norm(middle - reach[:, None] * along[side], axis=1)
    tilt = np.abs(np.einsum("ij,ij->i", ends[edge, 1] - ends[edge, 0], normals[side]))
    # how much room each pair of an edge and a side needs, and the first in which an edge lies on two sides
    needs = np.max([aside, -reach, reach - length[side], tilt / 2], axis=0)
    pairs = np.zeros((len(ends), 2), dtype=np.int64)
    is_edge = np.zeros(len(ends), dtype=np.bool_)
    for room in rooms:
        on = needs <= room
        fits = np.flatnonzero((np.bincount(edge[on], minlength=len(ends)) >= 2) & ~is_edge)
        bounds = np.searchsorted(edge[on], fits), np.searchsorted(edge[on], fits, side="right") - 1
        pairs[fits] = side[on][np.stack(bounds, axis=1)]
        is_edge[fits] = True
    into = np.cross(normals[pairs], along[pairs])
    return into, owner[pairs], is_edge


def _in_boxes(points: Array, lows: Array, highs: Array) -> tuple[Ints, Ints]:
    """Every pair of a point and a box around it, point after point."""
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    some = max(AT_ONCE // max(len(lows), 1), 1)
    for at in range(0, len(points), some):
        block = points[at : at + some, None]
        is_in = np.ones((len(block), len(lows)), dtype=np.bool_)
        for axis in range(3):
            is_in &= (block[..., axis] >= lows[:, axis]) & (block[..., axis] <= highs[:, axis])
        point, box = np.nonzero(is_in)
        found.append((point + at, box))
    one, other = zip(*found, strict=True)
    return np.concatenate(one), np.concatenate(other)


def _spokes(points: Array, tails: Array, heads: Array, eps: float) -> tuple[Ints, Array]:
    """Unit directions of the surface's edges away from each point, as a start array and (s, 3)."""
    if not len(points):
        return np.zeros(1, dtype=np.int64), np.zeros((0, 3))
    # where a hole cuts a fan of triangles some have a side without length
    real = np.linalg.norm(heads - tails, axis=1) > eps
    tails, heads = tails[real], heads[real]
    at, leaving = pairs_within(points, tails, eps)
    spokes = heads[leaving] - points[at]
    starts = starts_of(np.bincount(at, minlength=len(points)))
    return starts, spokes / np.linalg.norm(spokes, axis=1)[:, None]


def _rays(surface: Surface, samples: Array, spokes: tuple[Ints, Array], eps: float) -> tuple[Ints, Array]:
    """Spokes of the samples; one in the inside of a facet gets four directions in that facet's plane."""
    starts, directions = spokes
    rays = [directions[low:high] for low, high in pairwise(starts)]
    inside = np.flatnonzero(np.diff(starts) == 0)
    facets = [facet for facet in surface.facets if facet.curved]
    if len(inside) and facets:
        lows = np.array([facet.rings[0].min(axis=0) for facet in facets]) - eps
        highs = np.array([facet.rings[0].max(axis=0) for facet in facets]) + eps
        firsts = np.array([facet.rings[0][0] for facet in facets])
        normals = np.array([facet.normal for facet in facets])
        which, facet = _in_boxes(samples[inside], lows, highs)
        away = ((samples[inside[which]] - firsts[facet]) * normals[facet]).sum(axis=1)
        which, facet = which[np.abs(away) <= eps], facet[np.abs(away) <= eps]
        which, first = np.unique(which, return_index=True)
        for i, turned in zip(inside[which], np.linalg.svd(normals[facet[first], None])[2], strict=True):
            rays[i] = np.concatenate([turned[1:], -turned[1:]])
    return starts_of([len(one) for one in rays]), np.concatenate([np.zeros((0, 3)), *rays])
