"""Rims: the circles along which a turned piece or a hole has an edge, and the tips of cones, touched exactly.

A rim is the edge between two bands of a surface of revolution (`rounds`), or between a band and a flat face. It touches
flat faces, curved surfaces, straight edges and other rims; in the surface's facets it is a polygon, which misses the
true point of contact by the sagitta and cannot roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.topple.contact.arrays import Array, Bools, across
from teeter.engine.topple.contact.features import of_piece
from teeter.engine.topple.contact.rounds import EXACT, Round, Sector, end_of, rounds_of
from teeter.models.piece import Piece

CREASE = np.sin(np.radians(10.0))
"""Bands that turn by less at a common circle are one smooth surface."""
DIPS = 0.02
"""How far, as a sine, a face beside a rim may seem to go into what the rim touches: rounding, and poses at rest."""
LOOKS = 96
"""Places along a rim that are looked at first."""
HALVINGS = 24
AROUND = 60
"""Points that stand for a circle that touches all round: their polygon is 0.14 % narrower, 0.04 degrees of tilt."""
CROSSING = 0.02
"""Edges whose directions differ by less, as a sine, run along each other and do not cross."""
APPROACHES = 60


@dataclass(frozen=True, slots=True, eq=False)
class Rim:
    """A circular edge; a tip where radius is 0. centre, axis: (3,), metres. into: (2, 2), the directions from the edge
    into its two faces, along the spoke and along the axis. sector: the part of the circle there is."""

    centre: Array
    axis: Array
    radius: float
    into: Array
    sector: Sector | None

    def placed(self, pose: Pose) -> Rim:
        """Returns it in the world."""
        sector = None if self.sector is None else self.sector.turned(pose.matrix)
        return Rim(pose.apply(self.centre), pose.matrix @ self.axis, self.radius, self.into, sector)

    def spokes(self, angles: Array) -> Array:
        """Returns unit vectors (n, 3) from the axis outwards."""
        u, v = across(self.axis)
        spokes: Array = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v
        return spokes

    @property
    def all_round(self) -> Array:
        """Spokes to points that stand for it where it touches all round."""
        return self.spokes(np.arange(AROUND) * 2 * np.pi / AROUND)

    @property
    def spacing(self) -> float:
        """Metres between those points."""
        return 2 * np.pi * self.radius / AROUND

    def at(self, spokes: Array) -> Array:
        """Returns the points (n, 3) of the rim along spokes."""
        points: Array = self.centre + self.radius * spokes
        return points

    def has(self, spokes: Array) -> Bools:
        """Returns whether the rim reaches there, spoke by spoke."""
        return np.ones(len(spokes), dtype=np.bool_) if self.sector is None else self.sector.has(spokes)

    def along(self, spoke: Array) -> Array:
        """Returns the unit tangent (3,)."""
        tangent: Array = np.cross(self.axis, spoke)
        return tangent

    def rises(self, spoke: Array, normal: Array) -> bool:
        """Returns whether both faces go away from a plane through the point, towards its normal (3,)."""
        if self.radius > 0:
            ways = self.into @ np.array([spoke, self.axis])
            return bool((ways @ normal >= -DIPS).all())
        across = float(np.linalg.norm(normal - (normal @ self.axis) * self.axis))
        return bool((self.into[:, 1] * (normal @ self.axis) - self.into[:, 0] * across >= -DIPS).all())

    def bend(self, spoke: Array, normal: Array, second: Array) -> float:
        """Returns how fast the rim curves away from a surface of second derivative (3, 3) with this normal, 1/m."""
        way = self.along(spoke)
        return float(-(spoke @ normal) / self.radius + way @ second @ way)

    def misses(self, point: Array) -> float:
        """Returns how far a point (3,) lies from the whole circle, metres."""
        return float(np.linalg.norm(point - self.at(self.nearest(point))))

    def nearest(self, point: Array) -> Array:
        """Returns the spoke (3,) towards a point."""
        offset = point - self.centre
        out = offset - (offset @ self.axis) * self.axis
        length = float(np.linalg.norm(out))
        spoke: Array = out / length if length > 0 else across(self.axis)[0]
        return spoke


@lru_cache(maxsize=1024)
def rims_of(piece: Piece) -> tuple[Rim, ...]:
    """Returns the convex rims and tips of a piece in its frame."""
    size = float(piece.extents.max())
    circles: list[tuple[Rim, Array, list[tuple[Array, Array]]]] = []
    for surface in rounds_of(piece):
        for end in (0, 1):
            radius, height = surface.ends[end]
            centre = surface.origin + height * surface.axis
            into, normal = end_of(surface, end)
            ways = [(into, normal)]
            if radius <= EXACT * size:
                # what meets its axis at a slant is a tip
                if into[0] > CREASE and abs(into[1]) > CREASE and normal[1] * into[1] < 0:
                    tip = Rim(centre, surface.axis, 0.0, into[None], None)
                    circles.append((tip, centre, [*ways, *ways]))
                continue
            for rim, middle, known in circles:
                same = np.abs(middle - centre).max() <= 2 * EXACT * size
                if same and abs(rim.radius - radius) <= 2 * EXACT * size:
                    flip = np.array([1.0, np.sign(rim.axis @ surface.axis)])
                    known.append((into * flip, normal * flip))
                    break
            else:
                whole = Rim(centre, surface.axis, float(radius), np.zeros((2, 2)), surface.sector)
                circles.append((whole, centre, ways))
    rims = []
    for rim, _, sides in circles:
        pair = sides if len(sides) == 2 else [*sides, *_flat_beside(piece, rim, *sides[0], size)]
        if rim.radius == 0.0:
            rims.append(rim)
        elif len(pair) == 2 and pair[1][0] @ pair[0][1] < -CREASE:
            rims.append(Rim(rim.centre, rim.axis, rim.radius, np.array([way for way, _ in pair]), rim.sector))
    return tuple(rims)


def _flat_beside(
    piece: Piece, rim: Rim, into: Array, normal: Array, size: float
) -> list[tuple[Array, Array]]:
    """Returns the direction into the flat face that ends at a rim, and its normal; none where there is none."""
    for facet in piece.surface.facets:
        upward = float(facet.normal @ rim.axis)
        if (
            facet.curved
            or abs(upward) < 1 - 1e-6
            or abs((facet.rings[0][0] - rim.centre) @ rim.axis) > EXACT * size
        ):
            continue
        corners = np.concatenate(facet.rings) - rim.centre
        if np.abs(np.linalg.norm(corners, axis=1) - rim.radius).min() > 2 * EXACT * size:
            continue
        # the solid lies on one side of the profile, which goes on from the band into the face
        is_right = normal @ np.array([-into[1], into[0]]) > 0
        out = -np.sign(upward) if is_right else np.sign(upward)
        return [(np.array([out, 0.0]), np.array([0.0, np.sign(upward)]))]
    return []


@lru_cache(maxsize=1024)
def chords_of(piece: Piece) -> Bools:
    """Returns which edges of a piece's features are straight pieces of one of its rims."""
    edges = of_piece(piece).edges
    is_chord = np.zeros(len(edges), dtype=np.bool_)
    room = 2 * EXACT * float(piece.extents.max())
    for rim in rims_of(piece):
        if rim.radius > 0 and len(edges):
            offset = edges - rim.centre
            heights = offset @ rim.axis
            radii = np.linalg.norm(offset - heights[..., None] * rim.axis, axis=2)
            is_chord |= (np.abs(heights) <= room).all(axis=1) & (np.abs(radii - rim.radius) <= room).all(
                axis=1
            )
    return is_chord


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """Where a rim touches. place, normal: (3,), the normal towards the rim. bend: 1/m, of the rim against the surface;
    0 where it does not roll. along: (3,), the way it would. gap: metres. spacing: metres to the next one
    of many all round; 0 where alone."""

    place: Array
    normal: Array
    along: Array
    bend: float
    gap: float
    spacing: float = 0.0


def on_plane(rim: Rim, base: Array, normal: Array, gap: float) -> list[Touch]:
    """Returns where a rim touches a plane, within `gap` metres: its lowest point, or all round it."""
    level = normal - (normal @ rim.axis) * rim.axis
    steep = float(np.linalg.norm(level))
    spokes = np.zeros((0, 3))
    if steep > 1e-9 and rim.radius > 0:
        spokes = -level[None] / steep
    spacing = rim.spacing if rim.radius * steep <= gap else 0.0
    if rim.radius * steep <= gap:
        spokes = np.concatenate([spokes, rim.all_round[: None if rim.radius > 0 else 1]])
    spokes = spokes[rim.has(spokes)]
    heights = (rim.at(spokes) - base) @ normal
    touches = []
    for spoke, height in zip(spokes, heights, strict=True):
        if abs(height) <= gap and rim.rises(spoke, normal):
            place = rim.centre + rim.radius * spoke - height / 2 * normal
            bend = -float(spoke @ normal) / rim.radius if rim.radius > 0 else 0.0
            touches.append(Touch(place, normal, rim.along(spoke), bend, float(height), spacing))
    return touches


def on_round(rim: Rim, surface: Round, gap: float) -> list[Touch]:
    """Returns where a rim touches a curved surface: where it comes nearest, or all round it."""
    spokes, spacing = (rim.spokes(_angles(1)), 0.0) if rim.radius == 0.0 else _lowest(rim, surface, gap)
    touches = []
    for spoke, height in zip(spokes, surface.near(rim.at(spokes), gap), strict=True):
        if abs(height) > gap:
            continue
        place = rim.centre + rim.radius * spoke
        _, normal, second = surface.distance(place)
        if rim.rises(spoke, normal):
            bend = rim.bend(spoke, normal, second) if rim.radius > 0 else 0.0
            place = place - height / 2 * normal
            touches.append(Touch(place, normal, rim.along(spoke), bend, float(height), spacing))
    return touches


def _lowest(rim: Rim, surface: Round, gap: float) -> tuple[Array, float]:
    """Spokes to the places of a rim that lie lowest over a surface; or many all round that lie alike, and their
    spacing."""
    angles = _angles(LOOKS)
    spokes = rim.spokes(angles)
    step = 2 * np.pi * rim.radius / LOOKS
    heights = np.where(rim.has(spokes), surface.near(rim.at(spokes), gap + step), np.inf)
    finite = heights[np.isfinite(heights)]
    if not len(finite) or np.abs(finite).min() > gap + step:
        return np.zeros((0, 3)), 0.0
    if len(finite) == LOOKS and np.ptp(finite) <= gap / 4:
        return rim.all_round, rim.spacing
    before, after = np.roll(heights, 1), np.roll(heights, -1)
    low = np.flatnonzero(np.isfinite(heights) & (heights <= before) & (heights < after))
    starts = angles[low[heights[low] <= gap + step]]
    if not len(starts):
        return np.zeros((0, 3)), 0.0
    width = np.full(len(starts), 2 * np.pi / LOOKS)
    for _ in range(HALVINGS):
        trials = starts[:, None] + width[:, None] * np.array([-0.5, 0.0, 0.5])
        values = surface.near(rim.at(rim.spokes(trials.reshape(-1))), gap + step).reshape(-1, 3)
        starts = trials[np.arange(len(starts)), np.argmin(values, axis=1)]
        width = width / 2
    spokes = rim.spokes(starts)
    return spokes[rim.has(spokes)], 0.0


def on_edges(rim: Rim, edges: Array, into: Array, gap: float) -> list[Touch]:
    """Returns where a rim crosses straight edges (n, 2, 3) of another body, whose faces go `into` (n, 2, 3)."""
    touches = []
    if rim.radius == 0.0:
        return []
    spokes = rim.spokes(_angles(LOOKS))
    points = rim.at(spokes)
    step = 2 * np.pi * rim.radius / LOOKS
    for edge, faces in zip(edges, into, strict=True):
        along = edge[1] - edge[0]
        share = np.clip((points - edge[0]) @ along / (along @ along), 0.0, 1.0)
        away = np.linalg.norm(points - edge[0] - share[:, None] * along, axis=1)
        low = np.flatnonzero((away <= np.roll(away, 1)) & (away < np.roll(away, -1)) & (away <= gap + step))
        for start in low.tolist():
            spoke, foot = spokes[start], points[start]
            for _ in range(APPROACHES):
                part = min(max(float((rim.at(spoke[None])[0] - edge[0]) @ along / (along @ along)), 0.0), 1.0)
                foot = edge[0] + part * along
                spoke = rim.nearest(foot)
            touch = _crossing(rim, spoke, foot, along / np.linalg.norm(along), faces, gap)
            if touch is not None:
                touches.append(touch)
    return touches


def on_rim(rim: Rim, other: Rim, gap: float) -> list[Touch]:
    """Returns where two rims cross; the normal points towards the first."""
    if rim.radius == 0.0 or other.radius == 0.0:
        return []
    points = rim.at(spokes := rim.spokes(_angles(LOOKS)))
    offset = points - other.centre
    heights = offset @ other.axis
    flat = np.linalg.norm(offset - heights[:, None] * other.axis, axis=1)
    away = np.hypot(heights, flat - other.radius)
    step = 2 * np.pi * rim.radius / LOOKS
    low = np.flatnonzero((away <= np.roll(away, 1)) & (away < np.roll(away, -1)) & (away <= gap + step))
    touches = []
    for start in low.tolist():
        spoke = spokes[start]
        for _ in range(APPROACHES):
            foot = other.nearest(rim.at(spoke[None])[0])
            spoke = rim.nearest(other.at(foot[None])[0])
        if other.has(foot[None])[0]:
            ways = other.into @ np.array([foot, other.axis])
            touch = _crossing(rim, spoke, other.at(foot[None])[0], other.along(foot), ways, gap)
            if touch is not None:
                touches.append(touch)
    return touches


def _crossing(rim: Rim, spoke: Array, foot: Array, along: Array, into: Array, gap: float) -> Touch | None:
    """A rim across an edge whose faces go `into` (2, 3); None where they pass each other."""
    if not rim.has(spoke[None])[0]:
        return None
    place = rim.at(spoke[None])[0]
    across = np.cross(rim.along(spoke), along)
    size = float(np.linalg.norm(across))
    if size < CROSSING or float(np.linalg.norm(place - foot)) > gap:
        return None
    normal = across / size
    ways = rim.into @ np.array([spoke, rim.axis])
    normal = normal * (np.sign(float((ways @ normal).sum())) or 1.0)
    if (ways @ normal).min() < -DIPS or (into @ normal).max() > DIPS:
        return None
    return Touch((place + foot) / 2, normal, along, 0.0, float((place - foot) @ normal))


def _angles(count: int) -> Array:
    # an odd start, so that what lies along the axes does not lie half-way between two looks
    angles: Array = 0.1 + np.arange(count) * 2 * np.pi / count
    return angles
