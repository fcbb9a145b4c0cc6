"""Turned pieces: a half section revolved about z. Surface, picture, mass, and convex parts.

The flat ends and shoulders are exact but for their rims, fine polygons; everything else is curved.

For the parts the half section is cut at the heights where it turns inwards. What reaches the axis and is convex
all round becomes one hull, or four sectors where a flat face carries or a hull would have too many corners; what
surrounds a hole is cut into sectors whose inner sides are tangents of the hole. So a hole stays a hole, and nothing
lies outside the wood.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import shapely

from teeter.models.convex import hull_part
from teeter.models.hulls import convex_hull
from teeter.models.outline import bored, outlines, sines, trace
from teeter.models.piece import (
    MM,
    Array,
    Detail,
    Facet,
    Ints,
    MassProperties,
    Part,
    Solid,
    Surface,
    TriangleMesh,
)
from teeter.models.shapes import AnyTurned
from teeter.models.surface import TANGENT_TURN

# degrees of turn between corners of a profile where mass is summed up
WEIGHED = 1.0
# metres a rim's sides may lie inside the true circle, when the widest have 144 sides
RIM_ERROR, WIDEST = 1e-5, 144
# a straight side longer than this (metres) gets samples between its ends, at these parts of its length
LONG_SIDE = 6e-3
LEVELS = (0.05, 0.5, 0.95)
# Gauss-Legendre: exact for the fifth degree; the integrands have the fourth. By hand: numpy.polynomial is slow to load
NODES = np.sqrt(0.6) * np.array([-1.0, 0.0, 1.0])
WEIGHTS = np.array([0.5555555555555557, 0.8888888888888888, 0.5555555555555557])


def build_turned(shape: AnyTurned, detail: Detail) -> Solid:
    """A profile revolved about z."""
    section = section_of(shape, detail)
    middle = (section[:, 1].min() + section[:, 1].max()) / 2
    section[:, 1] -= middle
    weighed = bored(trace(shape.steps, WEIGHED), shape.bore)[0] * MM
    weighed[:, 1] -= middle
    revolved = revolve(_levelled(section), sides_of(section, detail))
    widest = float(section[:, 0].max())
    extents = np.array([2 * widest, 2 * widest, float(np.ptp(section[:, 1]))])
    parts = tuple(parts_of(shape, middle, detail))
    visual = TriangleMesh(revolved.vertices, revolved.faces)
    return Solid(visual, revolved_surface(revolved), parts, extents, revolved_mass(weighed))


def section_of(shape: AnyTurned, detail: Detail) -> Array:
    """(n, 2) the half section as it is drawn, metres, counter-clockwise, corners on straight lines left out."""
    section = bored(trace(shape.steps, detail.turn, least=2 * MIN_PIECES), shape.bore)[0] * MM
    return np.asarray(section[np.abs(sines(section)) > 1e-9])


def sides_of(section: Array, detail: Detail) -> int:
    """How many sides its circles have: a multiple of four, so that a circle reaches its bounding box."""
    widest = float(section[:, 0].max())
    needed = np.pi / np.arccos(max(1 - RIM_ERROR / widest, 0.9)) * detail.outline / WIDEST
    return min(max(4 * int(np.ceil(needed / 4)), 24), detail.outline)


@dataclass(frozen=True, slots=True, eq=False)
class Revolved:
    """A revolved half section. section: (m, 2). rings: (m, n) vertex numbers, all alike on the axis."""

    section: Array
    rings: Ints
    vertices: Array
    faces: Ints


def revolve(section: Array, sides: int) -> Revolved:
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
    return Revolved(section, rings, np.concatenate(vertices), np.concatenate(faces))


def revolved_surface(revolved: Revolved) -> Surface:
    """Facets, rims and samples, straight from the section."""
    section, rings, vertices = revolved.section, revolved.rings, revolved.vertices
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


def revolved_mass(section: Array) -> MassProperties:
    """Volume, centre and inertia of a revolved polygon (n, 2), by Gauss's theorem in the half plane; exact."""
    after = np.roll(section, -1, axis=0)
    places = (NODES[:, None, None] + 1) / 2
    r, z = np.moveaxis(section + places * (after - section), -1, 0)
    along = WEIGHTS[:, None] / 2 * (after - section)[:, 1]
    volume = float(np.pi * (along * r**2).sum())
    height = float(np.pi * (along * z * r**2).sum()) / volume
    about = float(np.pi / 2 * (along * r**4).sum())
    across = about / 2 + float(np.pi * (along * z**2 * r**2).sum()) - volume * height**2
    return MassProperties(volume, np.array([0.0, 0.0, height]), np.diag([across, across, about]))


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


# degrees of turn between the corners of round profiles, and between the tangents of hollow ones; fewest pieces
ROUND, HOLLOW, MIN_PIECES = 12.0, 22.5, 4
# metres a rim's sides may lie inside its circle
RIM_SAGITTA = 4e-5
# a flat face of at least this radius (metres) is one to stand on
STANDING = 4e-3
# a hull of more corners is cut into sectors
MANY_CORNERS = 100
# sectors round a hole: the fewest that lose less than this part of the whole piece; with many narrow ones a ring
# stands less firmly on an edge, and Bullet's URDF reader fails at about 90 parts
SECTORS = (8, 12, 16)
MAX_LOST = 0.019
# relative error of an area that still counts as none
SAME_AREA = 1e-6
# metres: slices thinner than this are left out
THINNEST = 2e-5


def parts_of(shape: AnyTurned, middle: float, detail: Detail) -> list[Part]:
    """The parts of a turned piece. middle: the height of its bounding box's centre, metres."""
    section = bored(trace(shape.steps, ROUND, HOLLOW, MIN_PIECES), shape.bore)[0] * MM - np.array(
        [0.0, middle]
    )
    low, high = float(section[:, 1].min()), float(section[:, 1].max())
    parts: list[Part] = []
    pieces = merged(slices(section))
    walls = [piece for piece in pieces if not _is_full(piece)]
    count = _sector_count(walls, revolved_mass(section).volume)
    for piece in pieces:
        parts += _full(piece, detail, (low, high)) if _is_full(piece) else _wall(piece, count)
    return parts


def slices(section: Array) -> list[Array]:
    """Convex outlines that fill a half section, cut level with its inward corners."""
    # on the axis the two sides of the piece meet, inwards where there is a hollow
    inward = (sines(section) < -1e-9) | (section[:, 0] == 0)
    heights = np.unique(np.concatenate([section[inward, 1], [section[:, 1].min(), section[:, 1].max()]]))
    keep = np.concatenate([[True], np.diff(heights) > THINNEST])
    keep[-1] = True
    heights = heights[keep]
    polygon, far = shapely.polygons(section), float(section[:, 0].max()) + 1.0
    parts: list[Array] = []
    for bottom, top in pairwise(heights.tolist()):
        parts += outlines(polygon.intersection(shapely.box(-1.0, bottom, far, top)))
    return [piece for piece in parts if np.ptp(piece[:, 1]) > THINNEST / 2]


def merged(pieces: list[Array]) -> list[Array]:
    """Outlines joined in pairs as long as two make a convex one."""
    pieces = list(pieces)
    while True:
        for i, j in combinations(range(len(pieces)), 2):
            joined = _joined(pieces[i], pieces[j])
            if joined is not None:
                pieces[i] = joined
                del pieces[j]
                break
        else:
            return pieces


def _joined(first: Array, second: Array) -> Array | None:
    """The convex outline of both together; None when it would take in more, or lose the roundness of one."""
    together = np.concatenate([first, second])
    hull = together[convex_hull(together).vertices]
    if _area(hull) > (_area(first) + _area(second)) * (1 + SAME_AREA):
        return None
    if _is_full(hull) is not (_is_full(first) and _is_full(second)):
        return None
    return hull


def _is_full(piece: Array) -> bool:
    """Whether a slice revolved about the axis is a convex solid."""
    mirrored = np.concatenate([piece, piece * [-1, 1]])
    return _area(mirrored[convex_hull(mirrored).vertices]) <= 2 * _area(piece) * (1 + SAME_AREA)


def _area(ring: Array) -> float:
    return float(shapely.area(shapely.polygons(ring)))


def _full(piece: Array, detail: Detail, ends: tuple[float, float]) -> list[Part]:
    """A slice without a hole: one hull, or sectors about the axis."""
    rims = [(float(r), float(z)) for r, z in piece if r > 1e-9]
    corners = sum(_rim_count(r, 4) for r, _ in rims)
    stands = any(r >= STANDING and min(abs(z - end) for end in ends) < 1e-9 for r, z in rims)
    count = detail.sectors if stands or corners > MANY_CORNERS else 1
    axis = np.array([[0.0, 0.0, piece[:, 1].min()], [0.0, 0.0, piece[:, 1].max()]])
    parts = []
    for sector in range(count):
        first, last = 2 * np.pi * sector / count, 2 * np.pi * (sector + 1) / count
        rows = [_rim(r, z, first, last, _rim_count(r, max(count, 4))) for r, z in rims]
        parts.append(hull_part(np.unique(np.concatenate([*rows, axis]).round(9), axis=0)))
    return parts


def _wall(piece: Array, count: int) -> list[Part]:
    """A slice beside a hole: sectors whose inner side is a tangent of the hole in its middle."""
    half = np.pi / count
    # what is still wood when the chord of a sector moves it towards the axis
    flat = shapely.polygons(piece).intersection(shapely.polygons(piece / [np.cos(half), 1.0]))
    inner = max(outlines(flat), key=_area, default=np.empty((0, 2)))
    if not len(inner):
        return []
    bottom, top = float(inner[:, 1].min()), float(inner[:, 1].max())
    clip = shapely.box(-1.0, bottom, float(piece[:, 0].max()) + 1.0, top)
    outer = _outside(outlines(shapely.polygons(piece).intersection(clip))[0])
    parts = []
    for sector in range(count):
        first, last = 2 * half * sector, 2 * half * (sector + 1)
        ends = [
            np.c_[inner[:, 0] * np.cos(angle), inner[:, 0] * np.sin(angle), inner[:, 1]]
            for angle in (first, last)
        ]
        rims = [_rim(r, z, first, last, _rim_count(r, count)) for r, z in outer]
        parts.append(hull_part(np.unique(np.concatenate([*ends, *rims]).round(9), axis=0)))
    return parts


def _sector_count(walls: list[Array], volume: float) -> int:
    """How many sectors the walls of a piece are cut into. volume: of the whole piece."""
    hollow = 0.0
    for wall in walls:
        ends = [
            wall[np.abs(wall[:, 1] - z) < THINNEST, 0].min() for z in (wall[:, 1].min(), wall[:, 1].max())
        ]
        hollow += float(np.mean(np.square(ends))) * float(np.ptp(wall[:, 1]))
    for count in SECTORS:
        if hollow * (count * np.tan(np.pi / count) - np.pi) <= MAX_LOST * volume:
            return count
    return SECTORS[-1]


def _outside(piece: Array) -> list[tuple[float, float]]:
    """The corners of a convex outline on its side away from the axis."""
    after, before = np.roll(piece, -1, axis=0) - piece, piece - np.roll(piece, 1, axis=0)
    return [
        (float(r), float(z))
        for (r, z), onward, arrival in zip(piece, after, before, strict=True)
        # counter-clockwise: the outside is climbed; a corner between level sides is none
        if r > 1e-9 and (onward[1] > 1e-9 or arrival[1] > 1e-9)
    ]


def _rim_count(radius: float, multiple: int) -> int:
    """Sides of a rim of this radius."""
    needed = np.pi / np.arccos(max(1 - RIM_SAGITTA / radius, 0.5))
    return max(multiple * int(np.ceil(needed / multiple)), 8)


def _rim(radius: float, height: float, first: float, last: float, count: int) -> Array:
    """(k, 3) the corners of a rim between two angles."""
    step = 2 * np.pi / count
    angles = first + step * np.arange(round((last - first) / step) + 1)
    return np.asarray(np.c_[radius * np.cos(angles), radius * np.sin(angles), np.full(len(angles), height)])
