"""Area contacts: facets that face each other in one plane, and the corners of their common part."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from engine.topple.features import Features
from engine.topple.patches import Patches, axes_across, bends
from engine.topple.ragged import Array, Ints, boxes, expand, products, touching

SLIVER = 1e-6
"""A common part narrower than this part of the smaller facet is rounding, not contact."""


def facing(scene: Features, first: Ints, second: Ints, gap: Array, angle: float) -> Patches:
    """Area contacts of the body pairs (first, second): opposite facets within `gap` (m, per pair), `angle`
    (rad).
    """
    low, high = boxes(scene.vertices, scene.facet_start)
    body_facets = np.searchsorted(scene.facet_body, np.arange(scene.facet_body[-1] + 2))
    body_low, body_high = boxes(np.stack([low, high], axis=1).reshape(-1, 3), 2 * body_facets)

    def near(these: Ints, others: Ints) -> tuple[Ints, Ints]:
        pair, facet = expand(body_facets[these], np.diff(body_facets)[these])
        mine = others[pair]
        hit = touching(low[facet], high[facet], body_low[mine], body_high[mine], gap[pair])
        return pair[hit], facet[hit]

    pair_a, facet_a = near(first, second)
    pair_b, facet_b = near(second, first)
    i, j = products(pair_a, pair_b, len(first))
    pair, a, b = pair_a[i], facet_a[i], facet_b[j]
    opposite = np.einsum("ij,ij->i", scene.normals[a], scene.normals[b]) <= -np.cos(angle)
    pair, a, b = pair[opposite], a[opposite], b[opposite]
    hit = touching(low[a], high[a], low[b], high[b], gap[pair])
    pair, a, b = pair[hit], a[hit], b[hit]
    return _overlaps(scene, pair, a, b, gap)


def _overlaps(scene: Features, pair: Ints, a: Ints, b: Ints, gap: Array) -> Patches:
    """The common polygons of facets a and b, their hulls' corners half-way between the two planes."""
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
    return Patches(
        pair=pair[meets],
        start=np.concatenate([[0], np.cumsum(counts[meets])]),
        points=points[meets[owner]],
        normals=normal[meets],
        curved=(scene.facet_curved[a] | scene.facet_curved[b])[meets],
    )


def _height(
    scene: Features, facet: Ints, origin: Array, normal: Array, u: Array, v: Array, flat: Array
) -> Array:
    """How high each facet's plane lies above the origin, along `normal`, at the places `flat` of the (u, v)
    plane.
    """
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
