"""Contact patches: the polygons, lines and points in which pairs of bodies touch, as flat arrays; and area
contacts: facets that face each other in one plane, and the corners of their common part."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from teeter.engine.topple.contact.arrays import (
    Array,
    Bools,
    Ints,
    crossed,
    expand,
    near,
    products,
    starts_of,
    touching,
)
from teeter.engine.topple.contact.features import Features

BENT = 2e-6
"""A hull corner nearer than this part of the contact's size to its neighbours' chord carries nothing of its
own."""
SAME_PLANE = 1e-4
"""Normals this close, and points this part of the patch off its plane, belong to one plane."""


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Contact polygons, lines and points.

    pair: (n,) which pair of bodies. start: (n + 1,) into points (k, 3), metres. normals: (n, 3) unit, from
    the pair's second body towards its first. curved: (n,) a curved facet takes part.
    """

    pair: Ints
    start: Ints
    points: Array
    normals: Array
    curved: Bools


def no_patches() -> Patches:
    """An empty list."""
    return of_spans(np.zeros(0, np.int64), [], np.zeros((0, 3)), np.zeros(0, np.bool_))


def of_spans(pair: Ints, spans: list[Array], normals: Array, curved: Bools) -> Patches:
    """Patches from their points, (n, 3) each."""
    counts = [len(span) for span in spans]
    points = np.concatenate([np.zeros((0, 3)), *spans])
    return Patches(pair, starts_of(counts), points, normals.reshape(-1, 3), curved)


def joined(parts: list[Patches]) -> Patches:
    """Several lists of patches as one."""
    return Patches(
        pair=np.concatenate([part.pair for part in parts]),
        start=starts_of(np.concatenate([np.diff(part.start) for part in parts])),
        points=np.concatenate([part.points for part in parts]),
        normals=np.concatenate([part.normals for part in parts]),
        curved=np.concatenate([part.curved for part in parts]),
    )


def chosen(patches: Patches, keep: Bools | Ints) -> Patches:
    """Returns some of the patches. keep: a mask, or numbers in the wanted order."""
    rows = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
    counts = np.diff(patches.start)[rows]
    return Patches(
        pair=patches.pair[rows],
        start=starts_of(counts),
        points=patches.points[expand(patches.start[rows], counts)[1]],
        normals=patches.normals[rows],
        curved=patches.curved[rows],
    )


def merged(patches: Patches, alone: Bools) -> Patches:
    """Patches of one pair in one plane as one, ordered by pair; those `alone` (n,) stay as they are.

    The hull of both passes on exactly the same forces and torques as the two (a force at a point between
    corners is a sum of forces at the corners), with fewer unknowns.
    """
    order = np.argsort(patches.pair, kind="stable")
    patches, alone = chosen(patches, order), alone[order]
    single = np.bincount(patches.pair)[patches.pair] == 1 if len(patches.pair) else np.zeros(0, np.bool_)
    single = single | alone
    if single.all():
        return patches
    groups: list[list[int]] = []
    rows = np.flatnonzero(~single)
    heads = np.zeros(len(rows), np.int64)
    of_pair = 0
    for row in rows:
        # rows come pair by pair
        if groups and patches.pair[groups[-1][0]] != patches.pair[row]:
            of_pair = len(groups)
        # a rod in its hole has a thousand planes: those that are turned otherwise are left out at once
        turned = patches.normals[heads[of_pair : len(groups)]] @ patches.normals[row]
        for at in of_pair + np.flatnonzero(turned > 1 - 2 * SAME_PLANE**2):
            if _is_one_plane(patches, groups[at][0], int(row)):
                groups[at].append(int(row))
                break
        else:
            heads[len(groups)] = row
            groups.append([int(row)])
    hulls = [_points(patches, group[0]) if len(group) == 1 else _hull(patches, group) for group in groups]
    heads = heads[: len(groups)]
    curved = np.array([patches.curved[group].any() for group in groups], dtype=np.bool_)
    whole = joined(
        [chosen(patches, single), of_spans(patches.pair[heads], hulls, patches.normals[heads], curved)]
    )
    return chosen(whole, np.argsort(whole.pair, kind="stable"))


def axes_across(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors (n, 3) that complete each normal (n, 3) to a right-handed frame, along the world's if
    possible."""
    help_axis = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    u = crossed(help_axis, normal)
    u /= np.linalg.norm(u, axis=1)[:, None]
    return u, crossed(normal, u)


def bends(flat: Array, owner: Ints) -> tuple[Array, Ints]:
    """Hull corners without repeated and collinear ones: which of those appear hangs on rounding alone."""
    for chord in (False, True):
        if not len(owner):
            break
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        sizes = np.diff(np.append(starts, len(owner)))
        position = np.arange(len(owner)) - np.repeat(starts, sizes)
        base, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
        before, after = flat[base + (position - 1) % size], flat[base + (position + 1) % size]
        spread = np.maximum.reduceat(flat, starts) - np.minimum.reduceat(flat, starts)
        reach = np.repeat(spread.max(axis=1), sizes)
        if chord:
            line = after - before
            aside = np.abs(line[:, 0] * (flat - before)[:, 1] - line[:, 1] * (flat - before)[:, 0])
            distance = aside / np.maximum(np.linalg.norm(line, axis=1), 1e-300)
        else:
            distance = np.linalg.norm(flat - before, axis=1)
        keep = (distance > BENT * reach) | (size <= 3)
        flat, owner = flat[keep], owner[keep]
    return flat, owner


def _points(patches: Patches, row: int) -> Array:
    return patches.points[patches.start[row] : patches.start[row + 1]]


def _is_one_plane(patches: Patches, one: int, other: int) -> bool:
    """Returns whether two patches of the same pair lie in one plane and face the same way."""
    if patches.pair[one] != patches.pair[other] or patches.curved[one] != patches.curved[other]:
        return False
    normal = patches.normals[one]
    offset = _points(patches, other) - _points(patches, one)[0]
    size = np.linalg.norm(offset, axis=1).max()
    return bool(
        normal @ patches.normals[other] > 1 - SAME_PLANE**2
        and np.abs(offset @ normal).max() <= SAME_PLANE * size
    )


def _hull(patches: Patches, rows: list[int]) -> Array:
    """Returns the corners of the convex hull of several patches in one plane."""
    points = np.concatenate([_points(patches, row) for row in rows])
    u, v = axes_across(patches.normals[rows[:1]])
    base = np.stack([u[0], v[0]], axis=1)
    flat = (points - points[0]) @ base
    ring = shapely.get_coordinates(shapely.convex_hull(shapely.MultiPoint(flat)))
    if len(ring) > 3:
        ring = bends(ring[:-1], np.zeros(len(ring) - 1, dtype=np.int64))[0]
    hull: Array = points[0] + ring @ base.T
    return hull


SLIVER = 1e-6
"""A common part narrower than this part of the smaller facet is rounding, not contact."""
SPIKE = 20.0
"""Times that width: a corner further from what is wider belongs to a spike. Sharper ones than 6 degrees do too."""
FITTED = float(np.cos(np.radians(1.0)))
"""Cosine of the turn between two contacts of a pair that tells a curve that fits from a single facet."""


def facing(
    scene: Features, extent: tuple[Array, Array], first: Ints, second: Ints, gap: Array, angle: float
) -> tuple[Patches, Bools]:
    """Area contacts of the body pairs (first, second): opposite facets within `gap` (m, per pair), `angle` (rad); and
    which pairs fit into each other along a curve, facet on facet: those contacts carry like flat ones.
    """
    low, high = scene.facet_boxes
    pair_a, facet_a = near(scene.facet_body, low, high, first, second, extent, gap)
    pair_b, facet_b = near(scene.facet_body, low, high, second, first, extent, gap)
    i, j = products(pair_a, pair_b, len(first))
    pair, a, b = pair_a[i], facet_a[i], facet_b[j]
    opposite = np.einsum("ij,ij->i", scene.normals[a], scene.normals[b]) <= -np.cos(angle)
    pair, a, b = pair[opposite], a[opposite], b[opposite]
    hit = touching(low[a], high[a], low[b], high[b], gap[pair])
    pair, a, b = pair[hit], a[hit], b[hit]
    patches, both_curved = _overlaps(scene, pair, a, b, gap)
    fits = np.zeros(len(first), dtype=np.bool_)
    rows = np.flatnonzero(both_curved)
    # two curves that bulge towards each other share one facet at most
    _, head, group = np.unique(patches.pair[rows], return_index=True, return_inverse=True)
    turned = np.einsum("ij,ij->i", patches.normals[rows], patches.normals[rows][head][group]) < FITTED
    fits[patches.pair[rows[turned]]] = True
    patches.curved[rows[fits[patches.pair[rows]]]] = False
    return patches, fits


def _overlaps(scene: Features, pair: Ints, a: Ints, b: Ints, gap: Array) -> tuple[Patches, Bools]:
    """Returns the common polygons of facets a and b, their hulls' corners half-way between the two planes; and where
    both facets are curved."""
    origin = scene.vertices[scene.facet_start[a]]
    normal = scene.normals[b] - scene.normals[a]
    normal = normal / np.linalg.norm(normal, axis=1)[:, None]
    u, v = axes_across(normal)
    shape_a = _polygons(scene, a, origin, u, v)
    shape_b = _polygons(scene, b, origin, u, v)
    common = shapely.intersection(shape_a, shape_b)
    width = SLIVER * np.sqrt(np.minimum(shapely.area(shape_a), shapely.area(shape_b)))
    # twice the area over the perimeter is the width of a strip
    keep = 2 * shapely.area(common) > width * shapely.length(common)
    hulls = shapely.convex_hull(common[keep])
    for row in np.flatnonzero(shapely.area(common[keep]) < (1 - SLIVER) * shapely.area(hulls)):
        hulls[row] = _hull_of_areas(common[keep][row], float(width[keep][row]))
    pair, a, b, origin, normal, u, v = (x[keep] for x in (pair, a, b, origin, normal, u, v))
    flat, owner = shapely.get_coordinates(hulls, return_index=True)
    last = np.append(owner[1:] != owner[:-1], True) if len(owner) else np.zeros(0, dtype=np.bool_)
    flat, owner = bends(flat[~last], owner[~last])
    height_a = _height(scene, a[owner], origin[owner], normal[owner], u[owner], v[owner], flat)
    height_b = _height(scene, b[owner], origin[owner], normal[owner], u[owner], v[owner], flat)
    counts = np.bincount(owner, minlength=len(pair))
    apart = np.bincount(owner, height_a - height_b, len(pair)) / counts if len(pair) else np.zeros(0)
    meets = np.abs(apart) <= gap[pair]
    points = origin[owner] + flat[:, :1] * u[owner] + flat[:, 1:] * v[owner]
    points = points + ((height_a + height_b) / 2)[:, None] * normal[owner]
    patches = Patches(
        pair=pair[meets],
        start=np.concatenate([[0], np.cumsum(counts[meets])]),
        points=points[meets[owner]],
        normals=normal[meets],
        curved=(scene.facet_curved[a] | scene.facet_curved[b])[meets],
    )
    return patches, (scene.facet_curved[a] & scene.facet_curved[b])[meets]


def _hull_of_areas(common: shapely.Geometry, width: float) -> shapely.Geometry:
    """Returns the hull of what is wider than a sliver: where two outlines only touch they have lines in common too, or
    spikes."""
    inside = shapely.buffer(common, -width, join_style="mitre")
    corners = shapely.points(shapely.get_coordinates(common))
    near = shapely.distance(inside, corners) <= SPIKE * width
    return shapely.convex_hull(shapely.MultiPoint(corners[near]) if near.any() else common)


def _height(
    scene: Features, facet: Ints, origin: Array, normal: Array, u: Array, v: Array, flat: Array
) -> Array:
    """Returns how high each facet's plane lies above the origin, along `normal`, at the places `flat` of the
    (u, v) plane."""
    own = scene.normals[facet]
    foot = origin + flat[:, :1] * u + flat[:, 1:] * v
    to_plane = np.einsum("ij,ij->i", scene.vertices[scene.facet_start[facet]] - foot, own)
    height: Array = to_plane / np.einsum("ij,ij->i", own, normal)
    return height


def _polygons(scene: Features, facets: Ints, origin: Array, u: Array, v: Array) -> NDArray[np.object_]:
    """Facets as shapely polygons in the planes (origin, u, v), holes included."""
    ring_of_facet = np.searchsorted(scene.ring_facet, np.arange(len(scene.normals) + 1))
    row, ring = expand(ring_of_facet[facets], np.diff(ring_of_facet)[facets])
    at, vertex = expand(scene.ring_start[ring], np.diff(scene.ring_start)[ring])
    offset = scene.vertices[vertex] - origin[row[at]]
    flat = np.stack(
        [np.einsum("ij,ij->i", offset, u[row[at]]), np.einsum("ij,ij->i", offset, v[row[at]])], axis=1
    )
    rings = shapely.linearrings(flat, indices=at)
    outline = np.append(True, row[1:] != row[:-1]) if len(row) else np.zeros(0, dtype=np.bool_)
    if outline.all():
        return np.atleast_1d(shapely.polygons(rings))
    return np.array(
        [shapely.Polygon(rings[row == k][0], list(rings[row == k][1:])) for k in range(len(facets))],
        dtype=object,
    )
