"""The curved surfaces of pieces as what they approximate: surfaces of revolution with a straight or round profile.

Facets that turn smoothly into each other are one surface. Its corners lie on the true surface, so a sphere through
them, or an axis (the normals through the facets' middles meet it; Pottmann & Randrup 1998) and a profile, are
exact for spheres, cylinders, cones, tori and turned pieces, and an estimate for other meshes round about an axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.topple.contact.arrays import Array, Bools, Ints, across
from teeter.models.hulls import groups_of
from teeter.models.piece import Facet, Piece

SMOOTH = np.cos(np.radians(25.0))
"""Facets that turn by less at a common edge approximate one surface: coarse meshes have 16 sides."""
EXACT = 1e-4
"""Of the size of a surface: what its corners may be off."""
MOST_UNLIKE = 0.7
"""Neighbouring steps of a profile belong to one arc unless one is (e to this) times as long as the other."""
ROUNDING = 1e-3
"""Of a cosine."""
OPEN = np.radians(20.0)
"""A surface whose corners leave a wider gap around its axis does not go all round."""
STRAIGHT = 1e-4
"""Neighbouring steps whose directions differ by less, as a sine, are one straight line."""


@dataclass(frozen=True, slots=True, eq=False)
class Sector:
    """The part of a turn that a surface goes round. middle: (3,) unit, across the axis; cosine: of half of it."""

    middle: Array
    cosine: float

    def has(self, spokes: Array) -> Bools:
        """Returns whether unit vectors (n, 3) from the axis outwards lie in it."""
        inside: Bools = spokes @ self.middle >= self.cosine - ROUNDING
        return inside

    def turned(self, matrix: Array) -> Sector:
        """Returns it in another frame."""
        return Sector(matrix @ self.middle, self.cosine)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A surface of revolution about an axis through `origin` along the unit vector `axis`, metres in one frame.

    ends: (2, 2), radius and height where its profile begins and ends. centre: (2,), of the profile's arc, and bend: its
    radius, positive where the arc bulges outwards; None for a straight profile. normal: (2,) outward of the chord.
    sector: None where it goes all round.
    """

    origin: Array
    axis: Array
    ends: Array
    normal: Array
    centre: Array | None = None
    bend: float = 0.0
    sector: Sector | None = None

    def placed(self, pose: Pose) -> Round:
        """Returns it in the world."""
        return replace(
            self,
            origin=pose.apply(self.origin),
            axis=pose.matrix @ self.axis,
            sector=self.sector and self.sector.turned(pose.matrix),
        )

    def _profile(self, point: Array) -> tuple[Array, Array]:
        """Radius and height (2,) of a point, and the unit vector (3,) from the axis to it."""
        offset = point - self.origin
        height = float(offset @ self.axis)
        out = offset - height * self.axis
        radius = float(np.linalg.norm(out))
        if radius < 1e-12:
            out, radius = across(self.axis)[0], 0.0
        return np.array([radius, height]), out / max(float(np.linalg.norm(out)), 1e-300)

    def spoke(self, point: Array) -> Array:
        """Returns the unit vector (3,) from the axis to a point."""
        return self._profile(point)[1]

    def distance(self, point: Array) -> tuple[float, Array, Array]:
        """Returns how far a point (3,) lies outside the surface, the gradient (3,) and the second derivative (3, 3)."""
        at, out = self._profile(point)
        if self.centre is None:
            flat, value, curvature = self.normal, float((at - self.ends[0]) @ self.normal), 0.0
        else:
            spoke = at - self.centre
            length = max(float(np.linalg.norm(spoke)), 1e-300)
            sign = np.sign(self.bend)
            flat, value, curvature = sign * spoke / length, sign * length - self.bend, sign / length
        gradient = flat[0] * out + flat[1] * self.axis
        along = -flat[1] * out + flat[0] * self.axis
        # in plain arithmetic: it is asked a thousand times a pair, and np.cross takes ten times as long
        (a, b, c), (x, y, z) = self.axis.tolist(), out.tolist()
        around = np.array([b * z - c * y, c * x - a * z, a * y - b * x])
        # on the axis all directions across it are alike
        ring = flat[0] / at[0] if at[0] > 1e-9 else curvature
        second = curvature * np.outer(along, along) + ring * np.outer(around, around)
        return value, gradient, second

    def near(self, points: Array, room: float, fan: float = 0.0) -> Array:
        """Returns how far points (n, 3) lie outside, infinite beyond `room` metres of the profile's ends, and beyond so
        much more as they are far, times `fan`: there is nothing else over a bulging joint."""
        offset = points - self.origin
        height = offset @ self.axis
        out = offset - height[:, None] * self.axis
        # in plain arithmetic: it is asked a thousand times a pair
        at = np.stack([np.sqrt(np.einsum("ij,ij->i", out, out)), height], axis=1)
        if self.centre is None:
            value = (at - self.ends[0]) @ self.normal
        else:
            spokes = at - self.centre
            value = math.copysign(1.0, self.bend) * np.sqrt(np.einsum("ij,ij->i", spokes, spokes)) - self.bend
        chord = self.ends[1] - self.ends[0]
        length = math.hypot(*chord.tolist())
        reach = (at - self.ends[0]) @ chord / length
        slack = room + fan * np.abs(value)
        there = (reach >= -slack) & (reach <= length + slack)
        if self.centre is not None:
            # the other side of the circle is no part of the arc; of a half circle, as a whole sphere has, the chord's
            # middle is the centre and says nothing
            middle = self.ends.mean(axis=0) - self.centre
            if float(np.linalg.norm(middle)) <= EXACT * abs(self.bend):
                middle = self.bend * self.normal
            there &= (at - self.centre) @ middle >= -EXACT * self.bend**2
        if self.sector is not None:
            there &= self.sector.has(out / np.maximum(at[:, :1], 1e-300))
        return np.where(there, value, np.inf)

    def at(self, shares: Array, turns: Array) -> Array:
        """Returns points (n, 3): so far along the profile, 0 to 1, and turned so far about the axis, radians."""
        share = shares[:, None]
        profile = self.ends[0] + share * (self.ends[1] - self.ends[0])
        if self.centre is not None:
            start, end = (math.atan2(*(spoke[::-1])) for spoke in self.ends - self.centre)
            angle = start + share * ((end - start + math.pi - 1e-9) % (2 * math.pi) - math.pi + 1e-9)
            profile = self.centre + abs(self.bend) * np.hstack([np.cos(angle), np.sin(angle)])
        u, v = across(self.axis)
        out = np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * v
        points: Array = self.origin + profile[:, :1] * out + profile[:, 1:] * self.axis
        return points

    @property
    def ball(self) -> tuple[Array, float]:
        """The centre (3,) and the radius of a ball that the surface lies in, metres."""
        (r, h), (s, k) = self.ends.tolist()
        middle, half = (h + k) / 2, math.hypot(r - s, h - k) / 2
        bulge = 0.0 if self.centre is None else abs(self.bend) - math.sqrt(max(self.bend**2 - half**2, 0.0))
        radius = max(math.hypot(r, h - middle), math.hypot(s, k - middle)) + bulge
        return self.origin + middle * self.axis, radius

    def goes(self, spoke: Array) -> bool:
        """Returns whether the surface goes round as far as a unit vector (3,) from its axis."""
        return self.sector is None or bool(self.sector.has(spoke[None])[0])

    def covers(self, point: Array, room: float) -> bool:
        """Returns whether the surface's profile reaches to a point on it, to `room` metres."""
        return bool(np.isfinite(self.near(point[None], room)[0]))


def end_of(surface: Round, end: int) -> tuple[Array, Array]:
    """Returns the direction (2,) from one end of a surface's profile into it, and the outward normal (2,) there."""
    start = surface.ends[end]
    if surface.centre is None:
        into = surface.ends[1 - end] - start
        return into / np.linalg.norm(into), surface.normal
    spoke = (start - surface.centre) / np.linalg.norm(start - surface.centre)
    into = np.array([-spoke[1], spoke[0]])
    middle = surface.centre + surface.bend * surface.normal
    return into * (np.sign(into @ (middle - start)) or 1.0), np.sign(surface.bend) * spoke


@lru_cache(maxsize=1024)
def rounds_of(piece: Piece) -> tuple[Round, ...]:
    """Returns the curved surfaces of a piece in its frame; those that are round about no axis are left out."""
    facets = [facet for facet in piece.surface.facets if facet.curved]
    rounds: list[Round] = []
    for group in _smooth(facets, 1e-6 * float(np.linalg.norm(piece.extents))):
        rounds += _fitted([facets[at] for at in group])
    return tuple(rounds)


def _smooth(facets: list[Facet], eps: float) -> list[Ints]:
    """Groups of facets that turn smoothly into each other."""
    sides: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for at, facet in enumerate(facets):
        for ring in facet.rings:
            corners = [tuple(corner) for corner in np.round(ring / eps).astype(np.int64).tolist()]
            for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
                sides.setdefault((min(one, other), max(one, other)), []).append(at)
    pairs = [
        (pair[0], pair[1])
        for pair in sides.values()
        if len(pair) == 2 and facets[pair[0]].normal @ facets[pair[1]].normal > SMOOTH
    ]
    label = groups_of(len(facets), *np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    return [np.flatnonzero(label == group) for group in range(label.max(initial=-1) + 1)]


def _fitted(facets: list[Facet]) -> list[Round]:
    """Returns the surface that some facets approximate, band by band; nothing where they are round about no axis."""
    points = np.concatenate([facet.rings[0] for facet in facets])
    base, size = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    normals = np.array([facet.normal for facet in facets])
    if len(np.unique(np.round(normals, 6), axis=0)) < 3:
        return []
    middles = np.array([facet.rings[0].mean(axis=0) - base for facet in facets])
    _, values, rows = np.linalg.svd(normals - normals.mean(axis=0), full_matrices=False)
    if values[-1] <= EXACT * values[0]:
        # the normals of one band lie on a circle about its axis
        return _bands(facets, base + _crossing(middles, normals, rows[-1]), rows[-1], size)
    radii = np.linalg.norm(points - base - (centre := _centre(points - base)), axis=1)
    if np.ptp(radii) <= EXACT * size:
        sign = float(np.sign(((middles - centre) * normals).sum(axis=1).mean()))
        radius, up = float(radii.mean()), np.array([0.0, 0.0, 1.0])
        poles = np.array([[0.0, -radius], [0.0, radius]])
        if (zone := _zone(points - base - centre, radius)) is not None:
            up, poles = zone
        chord = poles[1] - poles[0]
        across = sign * np.array([chord[1], -chord[0]]) / float(np.linalg.norm(chord))
        return [Round(base + centre, up, poles, across, np.zeros(2), sign * radius)]
    # of a line (direction a, moment b) that meets them all: moment . a + normal . b = 0
    lines = np.column_stack([np.cross(middles / size, normals), normals])
    best = np.linalg.svd(lines, full_matrices=False)[2][-1]
    length = float(np.linalg.norm(best[:3]))
    if length < 1e-6 or np.abs(lines @ best).max() > 100 * EXACT * length:
        return []
    axis = best[:3] / length
    return _bands(facets, base + np.cross(axis, best[3:] / length) * size, axis, size)


def _zone(points: Array, radius: float) -> tuple[Array, Array] | None:
    """Returns the axis of a cap or a zone of a sphere and its ends (2, 2), from corners about the centre; None for a
    whole sphere, and for what is neither."""
    values, vectors = np.linalg.eigh(np.cov(points.T))
    if values[-1] - values[0] <= EXACT * values[-1]:
        # corners all round have no axis: rounding would pick one, and on some processors see a hole at its poles
        return None
    # across its axis a zone is the same all round
    odd = 0 if values[1] - values[0] > values[2] - values[1] else 2
    axis = vectors[:, odd]
    heights = points @ axis
    low, high = float(heights.min()), float(heights.max())
    if high - low > 2 * (1 - EXACT) * radius or _sector(points, axis) is not None:
        return None
    return axis, np.array([[math.sqrt(max(radius**2 - end**2, 0.0)), end] for end in (low, high)])


def _sector(points: Array, axis: Array) -> Sector | None:
    """Returns the part of a turn that corners about a point on the axis go round; None for all of it."""
    u, v = across(axis)
    x, y = points @ u, points @ v
    off = np.hypot(x, y)
    angles = np.sort(np.arctan2(y, x)[off > EXACT * off.max(initial=0.0)])
    gaps = np.diff(angles, append=angles[:1] + 2 * np.pi)
    widest = int(np.argmax(gaps))
    if gaps[widest] <= OPEN:
        return None
    opposite = angles[widest] + gaps[widest] / 2
    return Sector(-np.cos(opposite) * u - np.sin(opposite) * v, -math.cos(gaps[widest] / 2))


def _centre(points: Array) -> Array:
    """Returns the centre of the sphere nearest to points: |p|^2 = 2 c.p + (R^2 - |c|^2)."""
    system = np.column_stack([2 * points, np.ones(len(points))])
    centre: Array = np.linalg.lstsq(system, (points**2).sum(axis=1), rcond=None)[0][:3]
    return centre


def _crossing(points: Array, directions: Array, axis: Array) -> Array:
    """Returns the point nearest to all lines, seen along the axis."""
    flat = np.eye(3) - np.outer(axis, axis)
    sideways = np.cross(axis, directions)
    sideways /= np.linalg.norm(sideways, axis=1)[:, None]
    rows = np.concatenate([sideways, axis[None]])
    right = np.append((sideways * (points @ flat)).sum(axis=1), 0.0)
    point: Array = np.linalg.lstsq(rows, right, rcond=None)[0]
    return point


def _bands(facets: list[Facet], origin: Array, axis: Array, size: float) -> list[Round]:
    """Returns the bands between the circles on which the corners lie, each with the arc it belongs to."""
    spans, normals = [], []
    for facet in facets:
        offset = facet.rings[0] - origin
        height = offset @ axis
        out = offset - height[:, None] * axis
        profile = np.column_stack([np.linalg.norm(out, axis=1), height])
        order = np.lexsort((profile[:, 0], np.round(height / (EXACT * size))))
        spans.append(np.concatenate([profile[order[0]], profile[order[-1]]]))
        middle = out.mean(axis=0)
        outward = float(facet.normal @ middle) / max(float(np.linalg.norm(middle)), 1e-300)
        normals.append(np.array([outward, facet.normal @ axis]))
    # an odd offset, so that no round number lies on the border of two cells
    cells = np.floor(np.array(spans) / (EXACT * size) + 0.3127)
    chosen = np.unique(cells, axis=0, return_index=True)[1]
    ends = [spans[at].reshape(2, 2) for at in chosen]
    sector = _sector(np.concatenate([facet.rings[0] for facet in facets]) - origin, axis)
    bands = []
    for at, band in zip(chosen, ends, strict=True):
        chord = band[1] - band[0]
        length = float(np.linalg.norm(chord))
        if length > EXACT * size:
            across = np.array([chord[1], -chord[0]]) / length
            across = across * (np.sign(across @ normals[at]) or 1.0)
            bands.append(Round(origin, axis, band, across, *_arc(band, across, ends, size), sector))
    return bands


def _arc(ends: Array, normal: Array, others: list[Array], size: float) -> tuple[Array | None, float]:
    """Returns centre and signed radius of the arc through a chord of the profile and the neighbour most like it in
    length; None and 0 for a straight profile."""
    chord = ends[1] - ends[0]
    length = float(np.linalg.norm(chord))
    best: tuple[float, Array | None] = (MOST_UNLIKE, None)
    for other in others:
        for mine, theirs in ((0, 0), (0, 1), (1, 0), (1, 1)):
            step = other[1 - theirs] - other[theirs]
            unlike = abs(np.log(max(float(np.linalg.norm(step)), 1e-12) / length))
            if np.abs(ends[mine] - other[theirs]).max() > 2 * EXACT * size or unlike >= best[0]:
                continue
            towards = chord if mine == 1 else -chord
            if towards @ step > SMOOTH * length * np.linalg.norm(step):
                best = (unlike, other[1 - theirs])
    poles = ends[:, 0] <= EXACT * size
    if poles.any() and not poles.all():
        # a cap is round about a centre on the axis, but the tip of a cone is none
        tip, rim = ends[int(np.argmax(poles))], ends[int(np.argmin(poles))]
        rise = tip[1] - rim[1]
        if best[1] is None or abs(rise) < STRAIGHT * length:
            return None, 0.0
        radius = (rim[0] ** 2 + rise**2) / (2 * abs(rise))
        centre = np.array([0.0, tip[1] - np.sign(rise) * radius])
        return centre, float(radius * np.sign((ends.mean(axis=0) - centre) @ normal))
    third = best[1]
    if third is None:
        return None, 0.0
    rows = 2 * np.array([chord, third - ends[0]])
    if abs(float(np.linalg.det(rows))) < STRAIGHT * length**2:
        return None, 0.0
    centre = np.linalg.solve(rows, [(ends[1] ** 2 - ends[0] ** 2).sum(), (third**2 - ends[0] ** 2).sum()])
    return centre, float(np.linalg.norm(ends[0] - centre) * np.sign((ends.mean(axis=0) - centre) @ normal))
