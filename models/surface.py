"""From triangles to the true outer surface: planar facets, real edges, real corners, samples on curves.

A triangle mesh of a solid goes in (metres, closed, wound outward); a `models.piece.Surface` comes out. It is held as
half-edges, and triangles in one plane are merged. Facets that only stand for a curve are told by the builder, which
knows; for a foreign mesh `curved_facets` judges.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

import numpy as np

from teeter.models.hulls import groups_of
from teeter.models.piece import Array, Facet, Flags, Ints, Surface

# Coplanar means: all corners within this part of the mesh's diagonal of the plane (60 mm: about 1 um) ...
PLANE_DISTANCE = 2e-5
# ... and normals within this angle, plus what rounding can do to a needle of a triangle.
PLANE_ANGLE = np.radians(0.05)


@dataclass(frozen=True, slots=True, eq=False)
class HalfEdgeMesh:
    """Half-edges of a closed triangle mesh: half-edge 3 f + k leads from corner k of face f to the next
    corner.

    twin: (3 f,) the half-edge along the same edge the other way. normals: (f, 3) unit. areas: (f,) m^2.
    """

    vertices: Array
    faces: Ints
    twin: Ints
    normals: Array
    areas: Array

    @property
    def ends(self) -> Ints:
        """(3 f, 2) the corners each half-edge leads from and to."""
        return np.asarray(self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2))


def half_edges_of(vertices: Array, faces: Ints) -> HalfEdgeMesh:
    """The half-edges of a closed, consistently wound mesh. Raises ValueError when it is not one."""
    ends = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    there = ends[:, 0] * len(vertices) + ends[:, 1]
    back = ends[:, 1] * len(vertices) + ends[:, 0]
    order, reverse = np.argsort(there), np.argsort(back)
    if not np.array_equal(there[order], back[reverse]) or np.any(np.diff(there[order]) == 0):
        raise ValueError("every edge must belong to exactly two faces, wound the same way")
    twin = np.empty_like(order)
    twin[order] = reverse
    corners = vertices[faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(doubled, axis=1)
    normals = doubled / np.maximum(size, np.finfo(float).tiny)[:, None]
    return HalfEdgeMesh(vertices, faces, twin, normals, size / 2)


def merge_coplanar(mesh: HalfEdgeMesh, rounding: float = 0.0) -> Ints:
    """(f,) the facet number of each triangle, numbered from 0; neighbours in one plane share a number."""
    count = len(mesh.faces)
    diagonal = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    longest = (
        np.linalg.norm(np.diff(mesh.vertices[mesh.ends], axis=1)[:, 0], axis=1).reshape(-1, 3).max(axis=1)
    )
    height = 2 * mesh.areas / longest
    # rounding moves a corner off the plane: the lower the triangle, the more its normal turns
    doubt = np.minimum((rounding + 1e-12 * diagonal) / np.maximum(height, 1e-300), np.pi)
    face = np.arange(3 * count) // 3
    other = face[mesh.twin]
    turn = angles_between(mesh.normals[face], mesh.normals[other])
    is_flat = turn <= PLANE_ANGLE + doubt[face] + doubt[other]
    label = groups_of(count, face[is_flat], other[is_flat])
    return _split_drifting(mesh, label, is_flat, doubt, PLANE_DISTANCE * diagonal + rounding)


def _split_drifting(mesh: HalfEdgeMesh, label: Ints, is_flat: Flags, doubt: Array, distance: float) -> Ints:
    """Grow facets anew from the largest triangle where a chain of small turns has left the plane."""
    largest = np.argsort(-mesh.areas, kind="stable")
    seed = np.empty(label.max() + 1, dtype=np.int64)
    seed[label[largest[::-1]]] = largest[::-1]
    fits = _lies_in(mesh, np.arange(len(label)), seed[label], doubt, distance)
    drifting = np.isin(label, label[~fits])
    if not drifting.any():
        return label
    label = label.copy()
    label[drifting] = -1
    next_label = int(label.max()) + 1
    for start in largest[drifting[largest]]:
        if label[start] >= 0:
            continue
        label[start] = next_label
        front = [int(start)]
        while front:
            halves = 3 * front.pop() + np.arange(3)
            beside = mesh.twin[halves[is_flat[halves]]] // 3
            beside = np.unique(beside[label[beside] < 0])
            inside = beside[_lies_in(mesh, beside, np.full(len(beside), start), doubt, distance)]
            label[inside] = next_label
            front.extend(inside.tolist())
        next_label += 1
    return np.asarray(np.unique(label, return_inverse=True)[1].astype(np.int64))


def _lies_in(mesh: HalfEdgeMesh, faces: Ints, seeds: Ints, doubt: Array, distance: float) -> Flags:
    """Whether each face lies in the plane of its seed face."""
    normal = mesh.normals[seeds]
    offset = np.einsum(
        "fkd,fd->fk", mesh.vertices[mesh.faces[faces]] - mesh.vertices[mesh.faces[seeds, :1]], normal
    )
    near: Flags = np.abs(offset).max(axis=1, initial=0.0) <= distance
    alike: Flags = angles_between(mesh.normals[faces], normal) <= PLANE_ANGLE + doubt[faces] + doubt[seeds]
    return near & alike


def angles_between(a: Array, b: Array) -> Array:
    """Angles between rows of unit vectors, exact for tiny ones."""
    return np.asarray(2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1)))


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
    mesh = half_edges_of(vertices, faces)
    facet_of = merge_coplanar(mesh, rounding)
    count = int(facet_of.max()) + 1
    doubled = mesh.normals * mesh.areas[:, None]
    sums = [np.bincount(facet_of, doubled[:, axis], count) for axis in range(3)]
    normals: Array = np.stack(sums, axis=1).astype(np.float64)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    borders = borders_of(mesh, facet_of, normals)
    if curved is None:
        is_curved = curved_facets(mesh, facet_of, normals, borders)
    else:
        is_curved = np.zeros(count, dtype=bool)
        is_curved[facet_of[curved]] = True
    facets = tuple(
        Facet(rings=rings, normal=normals[facet], curved=bool(is_curved[facet]))
        for facet, rings in enumerate(_rings(mesh, facet_of, normals, borders))
    )
    segments = _edges(mesh, borders, is_curved)
    corners = _corners(mesh, segments, borders)
    if samples is None:
        samples = _samples(mesh, facet_of, is_curved)
    return Surface(facets, mesh.vertices[segments].reshape(-1, 2, 3), mesh.vertices[corners], samples)


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


def borders_of(mesh: HalfEdgeMesh, facet_of: Ints, normals: Array) -> Borders:
    """All half-edges between different facets."""
    face = np.arange(3 * len(mesh.faces)) // 3
    facet, beside = facet_of[face], facet_of[mesh.twin // 3]
    half = np.flatnonzero(facet != beside)
    facet, beside = facet[half], beside[half]
    along = np.diff(mesh.vertices[mesh.ends[half]], axis=1)[:, 0]
    outward = np.einsum("bd,bd->b", np.cross(normals[facet], normals[beside]), along)
    return Borders(half, facet, beside, np.copysign(angles_between(normals[facet], normals[beside]), outward))


def curved_facets(mesh: HalfEdgeMesh, facet_of: Ints, normals: Array, borders: Borders) -> Flags:
    """(n,) which facets of a foreign mesh stand for a curve.

    Facets chained by turns below `SMOOTH_TURN` form a patch. A patch of at least `CURVE_FACETS` is curved,
    except members much broader than their smooth neighbours: those are flat faces the curve runs into. So a
    32-sided cylinder has a curved side, and a cube, a wedge or a voussoir has none.
    """
    count = len(normals)
    smooth = np.abs(borders.turn) < SMOOTH_TURN
    facet, beside = borders.facet[smooth], borders.beside[smooth]
    patch = groups_of(count, facet, beside)
    lengths = np.linalg.norm(np.diff(mesh.vertices[mesh.ends[borders.half]], axis=1)[:, 0], axis=1)
    breadth = np.bincount(facet_of, mesh.areas, count) / np.bincount(borders.facet, lengths, count)
    typical = np.zeros(count)
    order = np.argsort(facet, kind="stable")
    numbers, first = np.unique(facet[order], return_index=True)
    for number, neighbours in zip(numbers, np.split(beside[order], first[1:]), strict=bool(len(numbers))):
        typical[number] = np.median(breadth[neighbours])
    return np.asarray((np.bincount(patch)[patch] >= CURVE_FACETS) & (breadth <= FLAT_BREADTH * typical))


def _rings(mesh: HalfEdgeMesh, facet_of: Ints, normals: Array, borders: Borders) -> list[tuple[Array, ...]]:
    """The outline and holes of each facet, corners on straight sides left out."""
    triangles = mesh.vertices[mesh.faces]
    is_triangle = (np.bincount(facet_of) == 1).tolist()
    face_of = np.zeros(len(normals), dtype=np.int64)
    face_of[facet_of] = np.arange(len(facet_of))
    start, stop = mesh.ends[borders.half].T
    along = mesh.vertices[stop] - mesh.vertices[start]
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
            rings.append(mesh.vertices[start[np.array(loop)[bend]]])
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


def _edges(mesh: HalfEdgeMesh, borders: Borders, is_curved: Flags) -> Ints:
    """(m, 2) corner numbers of the real convex edges, pieces of one straight edge joined."""
    of_curve = is_curved[borders.facet].astype(int) + is_curved[borders.beside]
    real = (borders.turn > 0) & ((of_curve == 0) | ((of_curve == 1) & (borders.turn >= TANGENT_TURN)))
    chosen = np.flatnonzero(real & (borders.facet < borders.beside))
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for border in chosen.tolist():
        groups[int(borders.facet[border]), int(borders.beside[border])].append(border)
    ends = mesh.ends[borders.half]
    segments: list[tuple[int, int]] = []
    for group in groups.values():
        # two planes meet in one line, so pieces that follow each other are one edge; planes of a foreign mesh that are
        # only nearly flat may meet in a line with bends, where rings have corners too
        onward = {int(ends[border, 0]): int(ends[border, 1]) for border in group}
        along = {a: (mesh.vertices[b] - mesh.vertices[a]) for a, b in onward.items()}
        along = {a: line / np.linalg.norm(line) for a, line in along.items()}
        bends = {b for a, b in onward.items() if b in onward and along[a] @ along[b] < STRAIGHT}
        for start in (set(onward) - set(onward.values())) | bends:
            stop = onward[start]
            while stop in onward and stop not in bends:
                stop = onward[stop]
            segments.append((start, stop))
    return np.array(segments, dtype=np.int64).reshape(-1, 2)


def _corners(mesh: HalfEdgeMesh, segments: Ints, borders: Borders) -> Ints:
    """Corners where three or more real edges end and no concave edge begins.

    So a point of a cylinder's rim, where two pieces of the rim meet, is none, and neither is the tip of a
    cone.
    """
    ending = np.bincount(segments.ravel(), minlength=len(mesh.vertices))
    hollow = np.bincount(mesh.ends[borders.half[borders.turn < 0]].ravel(), minlength=len(mesh.vertices))
    return np.flatnonzero((ending >= 3) & (hollow == 0))


def _samples(mesh: HalfEdgeMesh, facet_of: Ints, is_curved: Flags) -> Array:
    """Corners that lie on curved facets only, and the middle of every curved facet without such a corner.

    Corners on the rim of a flat face are left out: a standing cylinder does not touch with its side.
    """
    curved = is_curved[facet_of]
    bound = np.zeros(len(mesh.vertices), dtype=bool)
    bound[mesh.faces[~curved]] = True
    free = np.zeros(len(mesh.vertices), dtype=bool)
    free[mesh.faces[curved]] = True
    free &= ~bound
    has_free = np.zeros(len(is_curved), dtype=bool)
    np.logical_or.at(has_free, facet_of, free[mesh.faces].any(axis=1))
    middles = mesh.vertices[mesh.faces].mean(axis=1) * mesh.areas[:, None]
    count = len(is_curved)
    area = np.bincount(facet_of, mesh.areas, count)
    middle = (
        np.stack([np.bincount(facet_of, middles[:, axis], count) for axis in range(3)], axis=1)
        / area[:, None]
    )
    return np.concatenate([mesh.vertices[free], middle[is_curved & ~has_free]])
