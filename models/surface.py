"""From triangles to the true outer surface: planar facets, real edges, real corners, samples on curves.

A triangle mesh of a solid goes in (metres, closed, wound outward); a `models.piece.Surface` comes out. Facets
that only stand for a curve are told by the builder, which knows; for a foreign mesh `curved_facets` judges.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from models.net import Flags, Ints, Net, angles_between, merge_coplanar, net_of
from models.piece import Array, Facet, Surface

# Two facets that meet at less than this turn may stand for a curve: a 24-sided cylinder turns 15 degrees a
# side.
SMOOTH_TURN = np.radians(15.5)
# A curve is drawn with at least this many facets; fewer are bends between flat faces.
CURVE_FACETS = 6
# A facet this many times broader than its smooth neighbours is the flat face a curve runs into.
FLAT_BREADTH = 3.0
# Where a flat face and a curve turn less than this, the curve runs out tangentially: there is no edge to
# feel.
TANGENT_TURN = np.radians(8)
# Cosine of the bend below which a side goes straight on.
STRAIGHT = float(np.cos(np.radians(0.05)))


def surface_of(
    vertices: Array,
    faces: Ints,
    *,
    curved: Flags | None = None,
    samples: Array | None = None,
    rounding: float = 0.0,
) -> Surface:
    """The surface of a closed, outward wound mesh.

    vertices, faces: (n, 3) metres and (f, 3). curved: (f,) which triangles stand for a curve; judged when
    None. samples: (j, 3) points on the curves; the default is `_samples`. rounding: metres, the error of the
    coordinates.
    """
    net = net_of(vertices, faces)
    facet_of = merge_coplanar(net, rounding)
    count = int(facet_of.max()) + 1
    doubled = net.normals * net.areas[:, None]
    sums = [np.bincount(facet_of, doubled[:, axis], count) for axis in range(3)]
    normals: Array = np.stack(sums, axis=1).astype(np.float64)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    borders = borders_of(net, facet_of, normals)
    if curved is None:
        is_curved = curved_facets(net, facet_of, normals, borders)
    else:
        is_curved = np.zeros(count, dtype=bool)
        is_curved[facet_of[curved]] = True
    facets = tuple(
        Facet(rings=rings, normal=normals[facet], curved=bool(is_curved[facet]))
        for facet, rings in enumerate(_rings(net, facet_of, normals, borders))
    )
    segments = _edges(net, borders, is_curved)
    corners = _corners(net, segments, borders)
    if samples is None:
        samples = _samples(net, facet_of, is_curved)
    return Surface(facets, net.vertices[segments].reshape(-1, 2, 3), net.vertices[corners], samples)


@dataclass(frozen=True, slots=True, eq=False)
class Borders:
    """The half-edges where facets meet.

    half: (b,) their numbers. facet, beside: (b,) the facets left and right. turn: (b,) radians between the
    two normals, positive where the solid is convex.
    """

    half: Ints
    facet: Ints
    beside: Ints
    turn: Array


def borders_of(net: Net, facet_of: Ints, normals: Array) -> Borders:
    """All half-edges between different facets."""
    face = np.arange(3 * len(net.faces)) // 3
    facet, beside = facet_of[face], facet_of[net.twin // 3]
    half = np.flatnonzero(facet != beside)
    facet, beside = facet[half], beside[half]
    along = np.diff(net.vertices[net.ends[half]], axis=1)[:, 0]
    outward = np.einsum("bd,bd->b", np.cross(normals[facet], normals[beside]), along)
    return Borders(half, facet, beside, np.copysign(angles_between(normals[facet], normals[beside]), outward))


def curved_facets(net: Net, facet_of: Ints, normals: Array, borders: Borders) -> Flags:
    """(n,) which facets of a foreign mesh stand for a curve.

    Facets chained by turns below `SMOOTH_TURN` form a patch. A patch of at least `CURVE_FACETS` is curved,
    except members much broader than their smooth neighbours: those are flat faces the curve runs into. So a
    32-sided cylinder has a curved side, and a cube, a wedge or a voussoir has none.
    """
    count = len(normals)
    smooth = np.abs(borders.turn) < SMOOTH_TURN
    facet, beside = borders.facet[smooth], borders.beside[smooth]
    links = coo_matrix((np.ones(len(facet)), (facet, beside)), shape=(count, count))
    patch = connected_components(links, directed=False)[1]
    lengths = np.linalg.norm(np.diff(net.vertices[net.ends[borders.half]], axis=1)[:, 0], axis=1)
    breadth = np.bincount(facet_of, net.areas, count) / np.bincount(borders.facet, lengths, count)
    typical = np.zeros(count)
    order = np.argsort(facet, kind="stable")
    numbers, first = np.unique(facet[order], return_index=True)
    for number, neighbours in zip(numbers, np.split(beside[order], first[1:]), strict=bool(len(numbers))):
        typical[number] = np.median(breadth[neighbours])
    curved: Flags = (np.bincount(patch)[patch] >= CURVE_FACETS) & (breadth <= FLAT_BREADTH * typical)
    return curved


def _rings(net: Net, facet_of: Ints, normals: Array, borders: Borders) -> list[tuple[Array, ...]]:
    """The outline and holes of each facet, corners on straight sides left out."""
    triangles = net.vertices[net.faces]
    is_triangle = (np.bincount(facet_of) == 1).tolist()
    face_of = np.zeros(len(normals), dtype=np.int64)
    face_of[facet_of] = np.arange(len(facet_of))
    start, stop = net.ends[borders.half].T
    along = net.vertices[stop] - net.vertices[start]
    along /= np.linalg.norm(along, axis=1)[:, None]
    order = np.argsort(borders.facet, kind="stable")
    first = np.searchsorted(borders.facet[order], np.arange(len(normals) + 1))
    result: list[tuple[Array, ...]] = []
    for facet, normal in enumerate(normals):
        if is_triangle[facet]:
            result.append((triangles[face_of[facet]],))
            continue
        members = order[first[facet] : first[facet + 1]].tolist()
        rings = []
        for loop in _loops(members, start, stop, along, normal):
            bend = [
                borders.beside[loop[k - 1]] != borders.beside[border]
                or along[loop[k - 1]] @ along[border] < STRAIGHT
                for k, border in enumerate(loop)
            ]
            rings.append(net.vertices[start[np.array(loop)[bend]]])
        rings.sort(key=lambda ring: -_area(ring, normal))
        result.append(tuple(rings))
    return result


def _loops(members: list[int], start: Ints, stop: Ints, along: Array, normal: Array) -> list[list[int]]:
    """Borders of one facet strung into closed loops, the facet on their left."""
    leaving = defaultdict(list)
    for border in members:
        leaving[int(start[border])].append(border)
    loops = []
    left = dict.fromkeys(members)
    while left:
        loop = [left.popitem()[0]]
        while True:
            choices = leaving[int(stop[loop[-1]])]
            # where loops touch in a corner, the sharpest turn to the right keeps outline and hole apart
            onward = (
                choices[0] if len(choices) == 1 else min(choices, key=partial(_turn, along, normal, loop[-1]))
            )
            if onward not in left:
                break
            del left[onward]
            loop.append(onward)
        loops.append(loop)
    return loops


def _turn(along: Array, normal: Array, first: int, second: int) -> float:
    """Radians from the direction of one border to that of another, positive to the left."""
    return float(np.arctan2(np.cross(along[first], along[second]) @ normal, along[first] @ along[second]))


def _area(ring: Array, normal: Array) -> float:
    """Signed area of a planar ring, positive counter-clockwise about the normal."""
    spokes = ring[1:] - ring[0]
    return float(np.cross(spokes[:-1], spokes[1:]).sum(axis=0) @ normal / 2)


def _edges(net: Net, borders: Borders, is_curved: Flags) -> Ints:
    """(m, 2) corner numbers of the real convex edges, pieces of one straight edge joined."""
    of_curve = is_curved[borders.facet].astype(int) + is_curved[borders.beside]
    real = (borders.turn > 0) & ((of_curve == 0) | ((of_curve == 1) & (borders.turn >= TANGENT_TURN)))
    chosen = np.flatnonzero(real & (borders.facet < borders.beside))
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for border in chosen.tolist():
        groups[int(borders.facet[border]), int(borders.beside[border])].append(border)
    ends = net.ends[borders.half]
    segments: list[tuple[int, int]] = []
    for group in groups.values():
        # two planes meet in one line, so pieces that follow each other are one edge
        onward = {int(ends[border, 0]): int(ends[border, 1]) for border in group}
        for start in set(onward) - set(onward.values()):
            stop = onward[start]
            while stop in onward:
                stop = onward[stop]
            segments.append((start, stop))
    return np.array(segments, dtype=np.int64).reshape(-1, 2)


def _corners(net: Net, segments: Ints, borders: Borders) -> Ints:
    """Corners where three or more real edges end and no concave edge begins.

    So a point of a cylinder's rim, where two pieces of the rim meet, is none, and neither is the tip of a
    cone.
    """
    ending = np.bincount(segments.ravel(), minlength=len(net.vertices))
    hollow = np.bincount(net.ends[borders.half[borders.turn < 0]].ravel(), minlength=len(net.vertices))
    return np.flatnonzero((ending >= 3) & (hollow == 0))


def _samples(net: Net, facet_of: Ints, is_curved: Flags) -> Array:
    """Corners that lie on curved facets only, and the middle of every curved facet without such a corner.

    Corners on the rim of a flat face are left out: a standing cylinder does not touch with its side.
    """
    curved = is_curved[facet_of]
    bound = np.zeros(len(net.vertices), dtype=bool)
    bound[net.faces[~curved]] = True
    free = np.zeros(len(net.vertices), dtype=bool)
    free[net.faces[curved]] = True
    free &= ~bound
    has_free = np.zeros(len(is_curved), dtype=bool)
    np.logical_or.at(has_free, facet_of, free[net.faces].any(axis=1))
    middles = net.vertices[net.faces].mean(axis=1) * net.areas[:, None]
    count = len(is_curved)
    area = np.bincount(facet_of, net.areas, count)
    middle = (
        np.stack([np.bincount(facet_of, middles[:, axis], count) for axis in range(3)], axis=1)
        / area[:, None]
    )
    return np.concatenate([net.vertices[free], middle[is_curved & ~has_free]])
