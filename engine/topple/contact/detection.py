"""Where the bodies of an assembly touch, on the poses as they are declared.

Faces that meet give area contacts (the corners of their common polygon), else edges and corners on faces and
edges across edges give line and point contacts; contact on a curved surface is named, because statics cannot
judge it. Works from `Piece.surface`, so convex and concave pieces go the same way. Knows no forces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from teeter.engine.geometry.convex import ConvexSolid, deepest, solid_of
from teeter.engine.tolerances import TOUCH_AT_REST, TOUCH_DECLARED
from teeter.engine.topple.contact.arrays import Array, Bools, Ints, near, pairs_of_boxes, products, touching
from teeter.engine.topple.contact.curves import touching_on_curves
from teeter.engine.topple.contact.edges import (
    STEEP,
    corners_on_faces,
    edges_on_curves,
    edges_on_edges,
    edges_on_faces,
    samples_on_faces,
)
from teeter.engine.topple.contact.features import Features, departure, is_convex, of_bodies, sagitta
from teeter.engine.topple.contact.patches import Patches, chosen, facing, joined, merged, no_patches
from teeter.engine.world.body import Assembly, Body, magnification
from teeter.models.hulls import groups_of
from teeter.models.piece import Piece

PAIRS_AT_ONCE = 100
"""Of bodies whose edges and corners are compared: 400 round meshes would take a gigabyte together."""


OF_POINTS = ("first", "second", "points", "normals", "patch")
"""What contacts have for every point."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two bodies inside each other. depth: metres, the shortest way out."""

    first: str
    second: str
    depth: float


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """All contact points of an assembly.

    names: the bodies, in the assembly's order; fixed: (b,). first, second: (k,) indices of the two bodies of
    a point. points: (k, 3) metres. normals: (k, 3) unit, from the second body towards the first. patch: (k,)
    ascending number of the contact polygon, line or point it belongs to. curved: name pairs that touch on a
    curved surface, the upper one first; these have no points. floating: free bodies that no chain of contacts
    joins to a fixed one. overlaps: bodies that stand inside each other by more than the touching gap, deepest
    first.
    """

    names: tuple[str, ...]
    fixed: Bools
    first: Ints
    second: Ints
    points: Array
    normals: Array
    patch: Ints
    curved: tuple[tuple[str, str], ...]
    floating: tuple[str, ...]
    overlaps: tuple[Overlap, ...]

    @property
    def meet(self) -> bool:
        """Whether the declared poses can be judged as they are: nothing floats, nothing overlaps."""
        return not self.floating and not self.overlaps

    def some(self, rows: Bools | Ints) -> Contacts:
        """Returns some of the points."""
        return replace(self, **{name: getattr(self, name)[rows] for name in OF_POINTS})

    def among(self, keep: Bools) -> Contacts:
        """Returns the contacts among some of the bodies, numbered anew."""
        number = np.cumsum(keep) - 1
        found = self.some(keep[self.first] & keep[self.second])
        names = tuple(name for name, is_kept in zip(self.names, keep, strict=True) if is_kept)
        return replace(
            found,
            names=names,
            fixed=self.fixed[keep],
            first=number[found.first],
            second=number[found.second],
            patch=np.unique(found.patch, return_inverse=True)[1],
            curved=tuple(pair for pair in self.curved if {*pair} <= {*names}),
            floating=tuple(name for name in self.floating if name in names),
            overlaps=tuple(each for each in self.overlaps if {each.first, each.second} <= {*names}),
        )

    @property
    def touching(self) -> Ints:
        """Returns the numbers (k, 2) of bodies that touch, by points and on curved surfaces; a pair as often as it has
        points."""
        number = {name: at for at, name in enumerate(self.names)}
        curved = [[number[one], number[other]] for one, other in self.curved]
        points = np.stack([self.first, self.second], axis=1)
        return np.concatenate([points, np.array(curved, dtype=np.int64).reshape(-1, 2)])

    def joined(self, *others: Contacts) -> Contacts:
        """Returns the points of several contacts of the same bodies; all else is that of the first."""
        every, base = [self, *others], 0
        for at, part in enumerate(every):
            every[at] = replace(part, patch=part.patch + base)
            base += int(part.patch.max(initial=-1)) + 1
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in every]) for name in OF_POINTS
        }
        return replace(self, **whole)


def find_contacts(
    assembly: Assembly,
    gap: float = TOUCH_DECLARED.gap,
    angle: float = TOUCH_DECLARED.angle,
    *,
    only: Collection[str] = (),
    scene: Features | None = None,
) -> Contacts:
    """Returns the contacts of an assembly. gap: metres, angle: radians, within which features count as touching.

    only: the contacts between these bodies and all others; `floating` then says which of them touch nothing. Time grows
    near linearly with the number of bodies. scene: the features of all bodies, where they are known.
    """
    bodies = assembly.bodies
    names = tuple(body.name for body in bodies)
    fixed = np.array([body.fixed for body in bodies], dtype=np.bool_)
    if len(bodies) < 2:
        return _gathered(names, fixed, np.zeros(0, np.int64), np.zeros(0, np.int64), no_patches(), ())
    scene = of_bodies(bodies) if scene is None else scene
    extent = scene.body_boxes(len(bodies))
    bulge = np.array([sagitta(body.piece) for body in bodies])
    first, second = pairs_of_boxes(*extent, gap + 2 * bulge)
    pairs = ~(fixed[first] & fixed[second])
    asked = np.isin(names, list(only))
    if len(only):
        pairs &= asked[first] != asked[second]
    first, second = first[pairs], second[pairs]
    whole = _between(bodies, scene, extent, (first, second), gap, angle)
    if whole.overlaps and whole.curved:
        whole = replace(whole, overlaps=_of_surfaces(bodies, whole, gap))
    return _with_rims(bodies, whole, extent, gap, asked) if whole.floating else whole


def contacts_with_copies(
    rest: Sequence[Body],
    copies: Sequence[Body],
    scene: Features,
    gap: float = TOUCH_DECLARED.gap,
    angle: float = TOUCH_DECLARED.angle,
) -> Contacts:
    """Returns the contacts of `find_contacts(only=copies)` between bodies and copies of free ones, the bodies first.
    Copies may lie in one another, and be thousands. scene: the features of all of them, in this order."""
    bodies = (*rest, *copies)
    extent = scene.body_boxes(len(bodies))
    bulge = np.array([sagitta(body.piece) for body in bodies])
    low, high = (bound[:, None] for bound in extent)
    room = (gap + bulge[:, None] + bulge)[: len(rest), len(rest) :, None]
    of_rest, of_copies = slice(0, len(rest)), slice(len(rest), None)
    close = (low[of_rest] <= high[of_copies, 0] + room) & (low[of_copies, 0] <= high[of_rest] + room)
    first, second = np.nonzero(close.all(axis=2))
    whole = _between(bodies, scene, extent, (first, second + len(rest)), gap, angle)
    asked = np.arange(len(bodies)) >= len(rest)
    return _with_rims(bodies, whole, extent, gap, asked) if whole.floating else whole


def _between(
    bodies: Sequence[Body],
    scene: Features,
    extent: tuple[Array, Array],
    pairs: tuple[Ints, Ints],
    gap: float,
    angle: float,
) -> Contacts:
    """Returns the contacts of pairs of bodies whose boxes are near each other; none on rims."""
    first, second = pairs
    bulge = np.array([sagitta(body.piece) for body in bodies])
    flat_gap = np.full(len(first), gap)
    area, fits = facing(scene, extent, first, second, flat_gap, angle)
    convex = np.array([is_convex(body.piece) for body in bodies], dtype=np.bool_)
    settled = convex[first] & convex[second]
    has_area = np.zeros(len(first), dtype=np.bool_)
    has_area[area.pair[~area.curved]] = True
    open_pairs = np.flatnonzero(~(settled & has_area))
    blocks = _blocks(open_pairs)
    parts = [area, *(_features(scene, extent, first, second, rows, flat_gap, angle) for rows in blocks)]
    room = flat_gap + bulge[first] + bulge[second]
    round_pairs = open_pairs[((bulge[first] + bulge[second] > 0) & ~fits)[open_pairs]]
    for rows in _blocks(round_pairs):
        position = np.full(len(first), -1, dtype=np.int64)
        position[rows] = np.arange(len(rows))
        known = chosen(area, position[area.pair] >= 0)
        known = replace(known, pair=position[known.pair])
        parts.append(_features(scene, extent, first, second, rows, room, angle, known))
    every = joined(parts)
    patches = merged(every, _rests_on_curves(every))
    overlaps = overlaps_of(bodies, extent, first[open_pairs], second[open_pairs], gap)
    names = tuple(body.name for body in bodies)
    fixed = np.array([body.fixed for body in bodies], dtype=np.bool_)
    return _gathered(names, fixed, first, second, patches, overlaps)


def _of_surfaces(bodies: Sequence[Body], contacts: Contacts, gap: float) -> tuple[Overlap, ...]:
    """Returns the overlaps without those of facets alone: the chords of a mesh cut into what its surface touches."""
    named = {body.name: body for body in bodies}
    pairs = {frozenset(pair) for pair in contacts.curved}
    found = []
    for each in contacts.overlaps:
        one, other = named[each.first], named[each.second]
        may_be = {each.first, each.second} in pairs
        if may_be and each.depth <= gap + sagitta(one.piece) + sagitta(other.piece):
            points = touching_on_curves(one, other, gap)
            if points and min(point.gap for point in points) >= -gap:
                continue
        found.append(each)
    return tuple(found)


def _with_rims(
    bodies: Sequence[Body], contacts: Contacts, extent: tuple[Array, Array], gap: float, asked: Bools
) -> Contacts:
    """Contacts with those of floating bodies that facets do not show: on rims and tips, and where a piece was let down
    on its convex parts, which fall short of the curve."""
    away = np.array([sagitta(body.piece) + departure(body.piece) for body in bodies])
    if not away.any():
        return contacts
    first, second = pairs_of_boxes(*extent, gap + 2 * away)
    floats = np.isin(contacts.names, contacts.floating)
    known = set(zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)) | {
        (contacts.names.index(one), contacts.names.index(other)) for one, other in contacts.curved
    }
    pairs, links = set(contacts.curved), []
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        is_asked = not asked.any() or asked[one] != asked[other]
        if not (floats[one] or floats[other]) or not is_asked or {(one, other), (other, one)} & known:
            continue
        points = touching_on_curves(bodies[one], bodies[other], gap) if away[one] + away[other] > 0 else []
        if not points:
            continue
        links.append((one, other))
        rises = float(points[0].normal[2])
        if abs(rises) >= STEEP:
            pairs.add((contacts.names[one], contacts.names[other])[:: 1 if rises > 0 else -1])
    joins = [*known, *links]
    floating = unheld(contacts.names, contacts.fixed, *np.array(joins, dtype=np.int64).reshape(-1, 2).T)
    return replace(contacts, curved=tuple(sorted(pairs)), floating=floating)


def _blocks(rows: Ints) -> list[Ints]:
    """Returns pairs some at a time: every edge of a mesh by every face of its neighbour takes room."""
    return [rows[at : at + PAIRS_AT_ONCE] for at in range(0, len(rows), PAIRS_AT_ONCE)]


def contacts_at_rest(assembly: Assembly, times: float | None = None) -> Contacts:
    """The contacts of pieces at rest, which lie a little in each other. times: their magnification, if known."""
    if times is None:
        times = magnification(assembly.bodies)
    return find_contacts(assembly, TOUCH_AT_REST.gap * times, TOUCH_AT_REST.angle)


def _features(
    scene: Features,
    extent: tuple[Array, Array],
    first: Ints,
    second: Ints,
    rows: Ints,
    gap: Array,
    angle: float,
    known: Patches | None = None,
) -> Patches:
    """Edge and corner contacts of the pairs `rows`; with `known` area contacts, those on curved surfaces instead."""
    if not len(rows):
        return no_patches()
    a, b, room = first[rows], second[rows], gap[rows]
    edge_box = scene.edges.min(axis=1), scene.edges.max(axis=1)
    parts, edges = [], []
    for these, others, sign in ((a, b, 1.0), (b, a, -1.0)):
        faces = near(scene.facet_body, *scene.facet_boxes, others, these, extent, room)
        edge = near(scene.edge_body, *edge_box, these, others, extent, room)
        owner, points = scene.corner_body, scene.corners
        if known is not None:
            owner, points = scene.sample_body, scene.samples
        point = near(owner, points, points, these, others, extent, room)
        i, j = products(edge[0], faces[0], len(rows))
        on_faces = edge[1][i], faces[1][j], edge[0][i]
        i, j = products(point[0], faces[0], len(rows))
        points_on_faces = point[1][i], faces[1][j], point[0][i]
        if known is None:
            parts.append(edges_on_faces(scene, *on_faces, sign, room, angle))
            parts.append(corners_on_faces(scene, *points_on_faces, sign, room, angle))
        else:
            parts.append(samples_on_faces(scene, *points_on_faces, sign, room, known))
            parts.append(edges_on_curves(scene, *on_faces, sign, room, known))
        edges.append(edge)
    if known is None:
        i, j = products(edges[0][0], edges[1][0], len(rows))
        parts.append(edges_on_edges(scene, edges[0][1][i], edges[1][1][j], edges[0][0][i], room, angle))
    whole = joined(parts)
    return replace(whole, pair=rows[whole.pair])


def _gathered(
    names: tuple[str, ...],
    fixed: Bools,
    first: Ints,
    second: Ints,
    patches: Patches,
    overlaps: tuple[Overlap, ...],
) -> Contacts:
    """Patches by pair of bodies, as contact points between bodies."""
    rests = _rests_on_curves(patches)
    up = patches.normals[:, 2] > 0
    upper = np.where(up, first[patches.pair], second[patches.pair])
    lower = np.where(up, second[patches.pair], first[patches.pair])
    curved = sorted({(names[a], names[b]) for a, b in zip(upper[rests], lower[rests], strict=True)})
    flat = chosen(patches, ~rests)
    row = np.repeat(np.arange(len(flat.pair)), np.diff(flat.start))
    a, b = first[patches.pair], second[patches.pair]
    return Contacts(
        names=names,
        fixed=fixed,
        first=first[flat.pair][row],
        second=second[flat.pair][row],
        points=flat.points,
        normals=flat.normals[row],
        patch=row,
        curved=tuple(curved),
        floating=unheld(names, fixed, a, b),
        overlaps=overlaps,
    )


def _rests_on_curves(patches: Patches) -> Bools:
    """Which patches only say that there is a curve: what rests there is found on the true surface."""
    rests: Bools = patches.curved & (np.abs(patches.normals[:, 2]) >= STEEP)
    return rests


def unheld(names: tuple[str, ...], fixed: Bools, first: Ints, second: Ints) -> tuple[str, ...]:
    """Returns the bodies that no chain of touching pairs (first, second) joins to a fixed one."""
    group = groups_of(len(names), first, second)
    held = np.isin(group, group[fixed])
    return tuple(name for name, is_held in zip(names, held, strict=True) if not is_held)


def overlaps_of(
    bodies: Sequence[Body], extent: tuple[Array, Array], first: Ints, second: Ints, gap: float
) -> tuple[Overlap, ...]:
    """Returns the overlaps deeper than `gap` (m) among the body pairs (first, second), deepest first.

    extent: lower and upper corners of the bodies' boxes.
    """
    low, high = extent
    deep = touching(low[first], high[first], low[second], high[second], -2 * gap)
    overlaps = []
    for i, j in zip(first[deep], second[deep], strict=True):
        one, other = bodies[i], bodies[j]
        depth = deepest(_placed(one), _placed(other), gap)
        if depth > gap:
            overlaps.append(Overlap(one.name, other.name, depth))
    return deepest_first(overlaps)


def deepest_first(overlaps: list[Overlap]) -> tuple[Overlap, ...]:
    """Returns overlaps in the order in which they are told."""
    return tuple(sorted(overlaps, key=lambda overlap: (-overlap.depth, overlap.first, overlap.second)))


def _placed(body: Body) -> tuple[ConvexSolid, ...]:
    return tuple(solid.placed(body.pose) for solid in _solids(body.piece))


@lru_cache(maxsize=1024)
def _solids(piece: Piece) -> tuple[ConvexSolid, ...]:
    return tuple(map(solid_of, piece.parts))
