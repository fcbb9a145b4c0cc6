"""Contact on curved surfaces: found, so that statics can say that it cannot judge it.

Curved surfaces come as facets; a round side touches a wall along a ridge between facets, or misses it by the
sagitta.
"""

from __future__ import annotations

import numpy as np
import shapely

from engine.topple.contacts_edge import flattened
from engine.topple.features import Features
from engine.topple.patches import Patches, of_spans
from engine.topple.ragged import Array, Ints

DIP = 0.2
"""How far, as a sine, a touching surface may seem to dip into the face: half the turn between coarse facets.
"""
STEEP = 0.1
"""A contact plane whose normal rises less than this stands upright: nothing rests or rocks on it."""


def samples_on_faces(
    scene: Features, sample: Ints, facet: Ints, pair: Ints, sign: float, room: Array, known: Patches
) -> Patches:
    """Points of curved surfaces on faces of the other body, unless a flat contact of the pair explains them.

    room: (pairs,) metres, the contact gap plus the sagittas. One patch of one point each, normals along the
    face's.
    """
    above = np.einsum(
        "ij,ij->i", scene.samples[sample] - scene.vertices[scene.facet_start[facet]], scene.normals[facet]
    )
    close = np.abs(above) <= room[pair]
    picks = []
    for k in np.flatnonzero(close):
        rays = scene.rays[scene.ray_start[sample[k]] : scene.ray_start[sample[k] + 1]]
        if np.any(rays @ scene.normals[facet[k]] < -DIP):
            continue
        flat, polygon = flattened(scene, scene.samples[sample[k]][None], facet[k])
        on = polygon.distance(shapely.Point(flat[0])) <= room[pair[k]]
        if on and not is_explained(
            known, pair[k], scene.samples[sample[k]], scene.normals[facet[k]], room[pair[k]]
        ):
            picks.append(k)
    chosen = np.array(picks, dtype=np.int64)
    points = scene.samples[sample[chosen]]
    return of_spans(
        pair[chosen], list(points[:, None]), sign * scene.normals[facet[chosen]], _all(len(chosen))
    )


def edges_on_curves(
    scene: Features, edge: Ints, facet: Ints, pair: Ints, sign: float, room: Array, known: Patches
) -> Patches:
    """Edges that touch a curved facet anywhere, unless a flat contact of the pair explains them."""
    take = scene.facet_curved[facet]
    edge, facet, pair = edge[take], facet[take], pair[take]
    heights = np.einsum(
        "ikj,ij->ik",
        scene.edges[edge] - scene.vertices[scene.facet_start[facet]][:, None],
        scene.normals[facet],
    )
    rises = np.einsum("ikj,ij->ik", scene.edge_into[edge], scene.normals[facet]).min(axis=1) >= -DIP
    close = rises & (heights.min(axis=1) <= room[pair]) & (heights.max(axis=1) >= -room[pair])
    picks, points = [], []
    for k in np.flatnonzero(close):
        low, high = _within(heights[k], room[pair[k]])
        span = scene.edges[edge[k], 0] + np.array([[low], [high]]) * (
            scene.edges[edge[k], 1] - scene.edges[edge[k], 0]
        )
        flat, polygon = flattened(scene, span, facet[k])
        middle = span.mean(axis=0)
        if polygon.distance(shapely.LineString(flat)) <= room[pair[k]] and not is_explained(
            known, pair[k], middle, scene.normals[facet[k]], room[pair[k]]
        ):
            picks.append(k)
            points.append(middle[None])
    chosen = np.array(picks, dtype=np.int64)
    return of_spans(pair[chosen], points, sign * scene.normals[facet[chosen]], _all(len(chosen)))


def is_explained(known: Patches, pair: int, point: Array, normal: Array, room: float) -> bool:
    """Whether the point lies in the plane of a flat contact of the pair, as the rim of a standing cylinder
    does.
    """
    mine = np.flatnonzero((known.pair == pair) & ~known.curved)
    if not len(mine):
        return False
    offset = np.einsum("ij,ij->i", point - known.points[known.start[mine]], known.normals[mine])
    return bool(np.any(np.abs(offset) <= 2 * room))


def _within(heights: Array, room: float) -> tuple[float, float]:
    """The stretch of an edge, as fractions of it, whose height stays within `room`."""
    start, end = float(heights[0]), float(heights[1])
    if abs(end - start) <= 1e-12:
        return 0.0, 1.0
    cuts = sorted(((-room - start) / (end - start), (room - start) / (end - start)))
    return min(max(cuts[0], 0.0), 1.0), min(max(cuts[1], 0.0), 1.0)


def _all(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(count, dtype=np.bool_)
