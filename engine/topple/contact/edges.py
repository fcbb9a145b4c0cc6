"""Contacts of edges and corners (edge on face, corner on face, edge across edge, edge along edge), and on curves.

Each is found only where the piece leaves the other's face or edge on both sides, so that features lying *in* a common
plane (the business of area contacts) or passing beside each other do not count.

Contact on curved surfaces is found so that statics can say that it cannot judge it. Curved surfaces come as facets; a
round side touches a wall along a ridge between facets, or misses it by the sagitta.
"""

import numpy as np
import shapely

from teeter.engine.topple.contact.arrays import Array, Bools, Ints, across, expand
from teeter.engine.topple.contact.features import Features
from teeter.engine.topple.contact.patches import Patches, joined, of_spans


def edges_on_faces(
    scene: Features, edge: Ints, facet: Ints, pair: Ints, sign: float, gap: Array, angle: float
) -> Patches:
    """Edges lying in the inside of a face. sign: +1 for edges of the first bodies, else -1."""
    normal = scene.normals[facet]
    along = scene.edges[edge, 1] - scene.edges[edge, 0]
    length = np.linalg.norm(along, axis=1)
    level = np.abs(np.einsum("ij,ij->i", along, normal)) <= np.sin(angle) * length
    rises = np.einsum("ikj,ij->ik", scene.edge_into[edge], normal) > np.sin(angle)
    curved = scene.edge_curved[edge] | scene.facet_curved[facet]
    close = np.abs(_above(scene, scene.edges[edge].mean(axis=1), facet)) <= gap[pair] + np.sin(angle) * length
    keep = level & rises.all(axis=1) & close
    edge, facet, pair, normal, curved = edge[keep], facet[keep], pair[keep], normal[keep], curved[keep]
    picks, spans = [], []
    for k, (e, f) in enumerate(zip(edge, facet, strict=True)):
        span = inside_span(scene, scene.edges[e], f)
        if span is None:
            continue
        ends = scene.edges[e, 0] + np.array(span)[:, None] * (scene.edges[e, 1] - scene.edges[e, 0])
        above = _above(scene, ends, np.array([f, f]))
        if np.abs(above.mean()) <= gap[pair[k]]:
            picks.append(k)
            spans.append(ends - above[:, None] / 2 * normal[k])
    chosen = np.array(picks, dtype=np.int64)
    return of_spans(pair[chosen], spans, sign * normal[chosen], curved[chosen])


def corners_on_faces(
    scene: Features, corner: Ints, facet: Ints, pair: Ints, sign: float, gap: Array, angle: float
) -> Patches:
    """Corners standing on the inside of a face."""
    above = _above(scene, scene.corners[corner], facet)
    keep = np.abs(above) <= gap[pair]
    corner, facet, pair, above = corner[keep], facet[keep], pair[keep], above[keep]
    picks = []
    for k, (c, f) in enumerate(zip(corner, facet, strict=True)):
        spokes = scene.spokes[scene.spoke_start[c] : scene.spoke_start[c + 1]]
        stands = len(spokes) > 0 and bool(np.all(spokes @ scene.normals[f] > np.sin(angle)))
        if stands and is_inside(scene, scene.corners[c], f):
            picks.append(k)
    chosen = np.array(picks, dtype=np.int64)
    normal = scene.normals[facet[chosen]]
    points = scene.corners[corner[chosen]] - above[chosen][:, None] / 2 * normal
    return of_spans(pair[chosen], list(points[:, None]), sign * normal, scene.facet_curved[facet[chosen]])


def edges_on_edges(scene: Features, a: Ints, b: Ints, pair: Ints, gap: Array, angle: float) -> Patches:
    """Edges a of the first bodies that cross, or run along, edges b of the second bodies."""
    start_a, along_a = scene.edges[a, 0], scene.edges[a, 1] - scene.edges[a, 0]
    start_b, along_b = scene.edges[b, 0], scene.edges[b, 1] - scene.edges[b, 0]
    across = np.cross(along_a, along_b)
    size = np.linalg.norm(across, axis=1)
    lengths = np.linalg.norm(along_a, axis=1) * np.linalg.norm(along_b, axis=1)
    crossing = size > np.sin(max(angle, 1e-6)) * lengths
    safe = np.where(crossing, size, 1.0)[:, None]
    normal = across / safe
    offset = start_b - start_a
    s = np.einsum("ij,ij->i", np.cross(offset, along_b), across) / safe[:, 0] ** 2
    t = np.einsum("ij,ij->i", np.cross(offset, along_a), across) / safe[:, 0] ** 2
    apart = np.einsum("ij,ij->i", offset, normal)
    # towards the first body: its faces rise from the crossing plane, the second's fall
    side = np.sign(np.einsum("ij,ij->i", scene.edge_into[a].sum(axis=1), normal))
    normal = normal * side[:, None]
    rise = np.einsum("ikj,ij->ik", scene.edge_into[a], normal).min(axis=1)
    fall = np.einsum("ikj,ij->ik", scene.edge_into[b], normal).max(axis=1)
    end_a, end_b = gap[pair] / np.linalg.norm(along_a, axis=1), gap[pair] / np.linalg.norm(along_b, axis=1)
    inner = (s > end_a) & (s < 1 - end_a) & (t > end_b) & (t < 1 - end_b)
    hit = crossing & inner & (np.abs(apart) <= gap[pair]) & (rise > np.sin(angle)) & (fall < -np.sin(angle))
    points = (start_a + s[:, None] * along_a + start_b + t[:, None] * along_b)[hit] / 2
    curved = (scene.edge_curved[a] | scene.edge_curved[b])[hit]
    cross = of_spans(pair[hit], list(points[:, None]), normal[hit], curved)
    rest = ~crossing
    return joined([cross, _along(scene, a[rest], b[rest], pair[rest], gap, angle)])


def _along(scene: Features, a: Ints, b: Ints, pair: Ints, gap: Array, angle: float) -> Patches:
    """Parallel edges that share a stretch, as the two tops of a card tent do.

    Any plane that separates the two wedges is a possible contact plane; the middle one stands for them. Where
    a face of one continues a face of the other the pieces only pass each other, and there is no contact.
    """
    along = scene.edges[a, 1] - scene.edges[a, 0]
    length = np.linalg.norm(along, axis=1)
    unit = along / length[:, None]
    offset = scene.edges[b] - scene.edges[a, 0][:, None]
    reach = np.einsum("ikj,ij->ik", offset, unit)
    aside = np.linalg.norm(offset - reach[:, :, None] * unit[:, None], axis=2).max(axis=1)
    low, high = np.maximum(reach.min(axis=1), 0.0), np.minimum(reach.max(axis=1), length)
    shared = (aside <= gap[pair]) & (high - low > gap[pair])
    picks, spans, normals = [], [], []
    for k in np.flatnonzero(shared):
        between = separating(scene.edge_normals[a[k]], scene.edge_normals[b[k]], unit[k], angle)
        if between is not None:
            picks.append(k)
            spans.append(scene.edges[a[k], 0] + np.array([low[k], high[k]])[:, None] * unit[k])
            normals.append(between[1])
    chosen = np.array(picks, dtype=np.int64)
    curved = scene.edge_curved[a[chosen]] | scene.edge_curved[b[chosen]]
    return of_spans(pair[chosen], spans, np.array(normals).reshape(-1, 3), curved)


def separating(faces_a: Array, faces_b: Array, along: Array, angle: float) -> Array | None:
    """Returns the first, the middle and the last (3, 3) of the directions (towards a) that separate two wedges along a
    common edge; None if there is none. The first and the last are square to a face of one of them.

    faces_a, faces_b: (2, 3) outward normals of the faces at the edge. along: (3,) unit.
    """
    x, y = across(along)
    wedge_a = np.arctan2(-faces_a @ y, -faces_a @ x)
    wedge_b = np.arctan2(faces_b @ y, faces_b @ x)
    between = (wedge_a[:, None] - wedge_b[None] + np.pi) % (2 * np.pi) - np.pi
    if np.abs(between).min() <= angle:
        return None
    base = wedge_b[0]
    about_b = np.sort([0.0, (wedge_b[1] - base + np.pi) % (2 * np.pi) - np.pi])
    about_a = np.sort((wedge_a - base + np.pi) % (2 * np.pi) - np.pi)
    if about_a[1] - about_a[0] > np.pi:
        about_a = np.array([about_a[1] - 2 * np.pi, about_a[0]])
    low, high = 0.0, 0.0
    for whole_turn in (-2 * np.pi, 0.0, 2 * np.pi):
        start, end = max(about_a[0] + whole_turn, about_b[0]), min(about_a[1] + whole_turn, about_b[1])
        if end - start > high - low:
            low, high = start, end
    if high - low <= angle:
        return None
    return np.array([np.cos(base + at) * x + np.sin(base + at) * y for at in (low, (low + high) / 2, high)])


def inside_span(scene: Features, edge: Array, facet: int) -> tuple[float, float] | None:
    """Returns the stretch of an edge (2, 3), as two fractions of it, above the inside of a facet; None if
    there is none."""
    flat, polygon = flattened(scene, edge, facet)
    common = shapely.intersection(shapely.LineString(flat), polygon)
    reach = float(np.linalg.norm(flat[1] - flat[0]))
    if common.length <= 1e-6 * reach:
        # on the rim a few micrometres decide
        common = shapely.intersection(shapely.LineString(flat), polygon.buffer(1e-4 * reach))
    if common.length <= 1e-6 * reach:
        return None
    on_rim = shapely.length(shapely.intersection(common, polygon.boundary.buffer(2e-4 * reach)))
    coordinates = shapely.get_coordinates(common)
    fractions = (coordinates - flat[0]) @ (flat[1] - flat[0]) / reach**2
    low, high = float(fractions.min()), float(fractions.max())
    middle = edge[0] + (low + high) / 2 * (edge[1] - edge[0])
    # in a hollow corner an edge bears on both faces; on a rim that juts out edge meets edge
    if on_rim > 0.5 * common.length and _juts_out(scene, middle, facet, 1e-3 * reach):
        return None
    return low, high


def _juts_out(scene: Features, point: Array, facet: int, room: float) -> bool:
    """Returns whether a point lies within `room` metres of a convex edge of a facet's body."""
    edges = scene.edges[scene.edge_body == scene.facet_body[facet]]
    along = edges[:, 1] - edges[:, 0]
    share = np.einsum("ij,ij->i", point - edges[:, 0], along) / np.einsum("ij,ij->i", along, along)
    feet = edges[:, 0] + np.clip(share, 0.0, 1.0)[:, None] * along
    return bool(np.linalg.norm(point - feet, axis=1).min(initial=np.inf) <= room)


def is_inside(scene: Features, point: Array, facet: int) -> bool:
    """Returns whether a point (3,) lies above the inside of a facet, not on its rim."""
    flat, polygon = flattened(scene, point[None], facet)
    here = shapely.Point(flat[0])
    return bool(polygon.contains(here) and polygon.boundary.distance(here) > 1e-6 * np.sqrt(polygon.area))


def flattened(scene: Features, points: Array, facet: int) -> tuple[Array, shapely.Polygon]:
    """Points and a facet in the facet's own plane."""
    origin = scene.vertices[scene.facet_start[facet]]
    if (plane := scene.planes.get(facet)) is None:
        u, v = across(scene.normals[facet])
        base = np.stack([u, v], axis=1)
        first, last = np.searchsorted(scene.ring_facet, [facet, facet + 1])
        rings = [
            (scene.vertices[scene.ring_start[r] : scene.ring_start[r + 1]] - origin) @ base
            for r in range(first, last)
        ]
        plane = scene.planes[facet] = base, shapely.Polygon(rings[0], rings[1:])
    base, polygon = plane
    return (points - origin) @ base, polygon


def _above(scene: Features, points: Array, facet: Ints) -> Array:
    """Height (n,) of points (n, 3) over the planes of facets (n,)."""
    height: Array = np.einsum(
        "ij,ij->i", points - scene.vertices[scene.facet_start[facet]], scene.normals[facet]
    )
    return height


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
    close = np.flatnonzero(np.abs(_above(scene, scene.samples[sample], facet)) <= room[pair])
    close = close[_near_facets(scene, facet[close], scene.samples[sample[close]][:, None], room[pair[close]])]
    close = close[~_dips(scene, sample[close], facet[close])]
    points = scene.samples[sample[close]]
    chosen = close[_on_facets(scene, facet[close], points[:, None]) <= room[pair[close]]]
    chosen = chosen[~_are_explained(scene.samples[sample[chosen]], pair[chosen], room, known)]
    points = scene.samples[sample[chosen]]
    curved = np.ones(len(chosen), dtype=np.bool_)
    return of_spans(pair[chosen], list(points[:, None]), sign * scene.normals[facet[chosen]], curved)


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
    close = np.flatnonzero(close)
    shares = _within(heights[close], room[pair[close]])
    start, end = np.moveaxis(scene.edges[edge[close]], 1, 0)
    spans = start[:, None] + shares[:, :, None] * (end - start)[:, None]
    near = _near_facets(scene, facet[close], spans, room[pair[close]])
    close, spans = close[near], spans[near]
    on = _on_facets(scene, facet[close], spans) <= room[pair[close]]
    chosen, middles = close[on], spans[on].mean(axis=1)
    new = ~_are_explained(middles, pair[chosen], room, known)
    chosen, middles = chosen[new], middles[new]
    curved = np.ones(len(chosen), dtype=np.bool_)
    return of_spans(pair[chosen], list(middles[:, None]), sign * scene.normals[facet[chosen]], curved)


def _are_explained(points: Array, pair: Ints, room: Array, known: Patches) -> Bools:
    """Returns whether points (n, 3) lie in the plane of a flat contact of their pair, as the rim of a standing cylinder
    does."""
    flat = np.flatnonzero(~known.curved)
    point, contact = np.nonzero(pair[:, None] == known.pair[flat])
    contact = flat[contact]
    offset = points[point] - known.points[known.start[contact]]
    in_plane = np.abs(np.einsum("ij,ij->i", offset, known.normals[contact])) <= 2 * room[pair[point]]
    explained: Bools = np.bincount(point[in_plane], minlength=len(points)) > 0
    return explained


def _dips(scene: Features, sample: Ints, facet: Ints) -> Bools:
    """Returns whether the surface goes down into a facet (n,) around the sample (n,)."""
    starts = scene.ray_start[sample]
    row, ray = expand(starts, scene.ray_start[sample + 1] - starts)
    down = np.einsum("ij,ij->i", scene.rays[ray], scene.normals[facet[row]]) < -DIP
    dips: Bools = np.bincount(row[down], minlength=len(sample)) > 0
    return dips


def _on_facets(scene: Features, facet: Ints, spans: Array) -> Array:
    """Returns how far points (n, 1, 3) or stretches (n, 2, 3) lie from facets (n,) in the facets' planes."""
    flat, polygons = np.zeros((*spans.shape[:2], 2)), np.empty(len(facet), dtype=object)
    for one in np.unique(facet).tolist():
        rows = np.flatnonzero(facet == one)
        flat[rows], polygons[rows] = flattened(scene, spans[rows], one)
    shapes = shapely.points(flat[:, 0]) if spans.shape[1] == 1 else shapely.linestrings(flat)
    away: Array = shapely.distance(polygons, shapes)
    return away


def _near_facets(scene: Features, facet: Ints, points: Array, room: Array) -> Bools:
    """Returns whether the bounding boxes of points (n, k, 3) come close to those of facets (n,): what lies within
    `room` (n,) above a facet and beside it does."""
    low, high = (bound[facet] for bound in scene.facet_boxes)
    reach = 2 * room[:, None]
    apart = (points.min(axis=1) > high + reach) | (points.max(axis=1) < low - reach)
    near: Bools = ~apart.any(axis=1)
    return near


def _within(heights: Array, room: Array) -> Array:
    """Returns the stretches (n, 2) of edges, as fractions of them, whose heights (n, 2) stay within `room` (n,)."""
    start, rise = heights[:, 0], heights[:, 1] - heights[:, 0]
    is_level = np.abs(rise) <= 1e-12
    cuts = np.stack([-room - start, room - start], axis=1) / np.where(is_level, 1.0, rise)[:, None]
    cuts = np.clip(np.sort(cuts, axis=1), 0.0, 1.0)
    return np.where(is_level[:, None], [0.0, 1.0], cuts)
