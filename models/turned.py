"""Turned pieces: a half section spun about z. Surface, picture and mass; the convex parts are in `turned_parts`.

The flat ends and shoulders are exact but for their rims, fine polygons; everything else is curved.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.net import Ints
from models.piece import Array, Facet, Surface, TriangleMesh
from models.profile import bored, trace
from models.shapes_turned import Cone, Ring, Turned
from models.solid import MM, Bulk, Detail, Solid, locked
from models.surface import TANGENT_TURN
from models.turned_parts import LEAST, parts_of

# degrees of turn between corners of a profile where mass is summed up
WEIGHED = 1.0
# metres a rim's sides may lie inside the true circle, when the widest have 144 sides
RIM_ERROR, WIDEST = 1e-5, 144
# a straight side longer than this (metres) gets samples between its ends, at these parts of its length
LONG_SIDE = 6e-3
LEVELS = (0.05, 0.5, 0.95)
# Gauss-Legendre: exact for the fifth degree; the integrands have the fourth
NODES, WEIGHTS = np.polynomial.legendre.leggauss(3)


def build_turned(shape: Turned | Cone | Ring, detail: Detail) -> Solid:
    """A profile spun about z."""
    section = section_of(shape, detail)
    middle = (section[:, 1].min() + section[:, 1].max()) / 2
    section[:, 1] -= middle
    weighed = bored(trace(shape.steps, WEIGHED), shape.bore)[0] * MM
    weighed[:, 1] -= middle
    spun = spin(_levelled(section), sides_of(section, detail))
    bulk = spun_bulk(weighed)
    widest = float(section[:, 0].max())
    solid = Solid(
        visual=TriangleMesh(spun.vertices, spun.faces),
        surface=spun_surface(spun),
        parts=tuple(parts_of(shape, middle, detail)),
        extents=np.array([2 * widest, 2 * widest, float(np.ptp(section[:, 1]))]),
        volume=bulk.volume,
        centre_of_mass=bulk.centre,
        inertia=bulk.inertia,
    )
    return locked(solid)


def section_of(shape: Turned | Cone | Ring, detail: Detail) -> Array:
    """(n, 2) the half section as it is drawn, metres, counter-clockwise, corners on straight lines left out."""
    section = bored(trace(shape.steps, detail.turn, least=2 * LEAST), shape.bore)[0] * MM
    before, after = section - np.roll(section, 1, axis=0), np.roll(section, -1, axis=0) - section
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    straight = np.abs(turn) <= 1e-9 * np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.asarray(section[~straight])


def sides_of(section: Array, detail: Detail) -> int:
    """How many sides its circles have: a multiple of four, so that a circle reaches its bounding box."""
    widest = float(section[:, 0].max())
    needed = np.pi / np.arccos(max(1 - RIM_ERROR / widest, 0.9)) * detail.outline / WIDEST
    return min(max(4 * int(np.ceil(needed / 4)), 24), detail.outline)


@dataclass(frozen=True, slots=True, eq=False)
class Spun:
    """A spun half section. section: (m, 2). rings: (m, n) vertex numbers, all alike on the axis."""

    section: Array
    rings: Ints
    vertices: Array
    faces: Ints


def spin(section: Array, sides: int) -> Spun:
    """The closed mesh of a half section, wound outward."""
    angle = 2 * np.pi * np.arange(sides) / sides
    turns = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rings, vertices, count = np.empty((len(section), sides), dtype=np.int64), [], 0
    for row, (r, z) in enumerate(section):
        ring = np.c_[r * turns, np.full(sides, z)] if r > 0 else np.array([[0.0, 0.0, z]])
        rings[row] = count + np.arange(sides) % len(ring)
        vertices.append(ring)
        count += len(ring)
    faces = []
    for row in range(len(section)):
        a, b = rings[row], rings[(row + 1) % len(section)]
        if a[0] != a[1]:
            faces.append(np.c_[a, np.roll(a, -1), np.roll(b, -1)])
        if b[0] != b[1]:
            faces.append(np.c_[a, np.roll(b, -1), b])
    return Spun(section, rings, np.concatenate(vertices), np.concatenate(faces))


def spun_surface(spun: Spun) -> Surface:
    """Facets, rims and samples, straight from the section."""
    section, rings, vertices = spun.section, spun.rings, spun.vertices
    onward = np.roll(section, -1, axis=0) - section
    flat = np.abs(onward[:, 1]) <= 1e-9 * np.linalg.norm(onward, axis=1)
    on_axis = (section[:, 0] == 0) & (np.roll(section[:, 0], -1) == 0)
    facets: list[Facet] = []
    for row in np.flatnonzero(~on_axis):
        a, b = vertices[rings[row]], vertices[rings[(row + 1) % len(rings)]]
        facets += [_annulus(a, b, onward[row, 0])] if flat[row] else _band(a, b)
    before = np.roll(onward, 1, axis=0)
    turn = np.arctan2(
        before[:, 0] * onward[:, 1] - before[:, 1] * onward[:, 0], np.einsum("ij,ij->i", before, onward)
    )
    is_rim = (flat | np.roll(flat, 1)) & (turn >= TANGENT_TURN) & (section[:, 0] > 0)
    edges = [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in vertices[rings[is_rim]]]
    # a corner of the profile between curves; on the axis the one curve that ends there
    free = ~(flat | on_axis) & ~np.roll(flat | on_axis, 1)
    tip = (section[:, 0] == 0) & (~(flat | on_axis) | ~np.roll(flat | on_axis, 1))
    samples = vertices[np.unique(rings[free | tip])]
    return Surface(tuple(facets), np.concatenate(edges or [np.empty((0, 2, 3))]), np.empty((0, 3)), samples)


def spun_bulk(section: Array) -> Bulk:
    """Volume, centre and inertia of a spun polygon (n, 2), by Gauss's theorem in the half plane; exact."""
    after = np.roll(section, -1, axis=0)
    places = (NODES[:, None, None] + 1) / 2
    r, z = np.moveaxis(section + places * (after - section), -1, 0)
    along = WEIGHTS[:, None] / 2 * (after - section)[:, 1]
    volume = float(np.pi * (along * r**2).sum())
    height = float(np.pi * (along * z * r**2).sum()) / volume
    about = float(np.pi / 2 * (along * r**4).sum())
    across = about / 2 + float(np.pi * (along * z**2 * r**2).sum()) - volume * height**2
    return Bulk(volume, np.array([0.0, 0.0, height]), np.diag([across, across, about]))


def _levelled(section: Array) -> Array:
    """The section with corners along its long straight sides, for samples to lie on."""
    rows: list[Array] = []
    for a, b in pairwise([*section, section[0]]):
        rows.append(a)
        is_side = abs(b[1] - a[1]) > 1e-9 and (a[0] > 0 or b[0] > 0)
        if is_side and np.linalg.norm(b - a) > LONG_SIDE:
            rows += [a + level * (b - a) for level in LEVELS]
    return np.array(rows)


def _annulus(a: Array, b: Array, outward: float) -> Facet:
    """The flat facet between two circles (n, 3); outward: how the radius grows from the first to the second."""
    # up the outside the wood is on the left: a radius that grows belongs to an underside
    outer, inner = (b[::-1], a) if outward > 0 else (a, b[::-1])
    hole = () if (inner[0] == inner[1]).all() else (np.ascontiguousarray(inner),)
    normal = np.array([0.0, 0.0, -1.0 if outward > 0 else 1.0])
    return Facet((np.ascontiguousarray(outer), *hole), normal, curved=False)


def _band(a: Array, b: Array) -> list[Facet]:
    """The curved facets between two circles (n, 3)."""
    corners = np.stack([a, np.roll(a, -1, axis=0), np.roll(b, -1, axis=0), b], axis=1)
    if (a[0] == a[1]).all():
        corners = corners[:, 1:]
    elif (b[0] == b[1]).all():
        corners = corners[:, :3]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return [Facet((ring,), normal, curved=True) for ring, normal in zip(corners, normals, strict=True)]
