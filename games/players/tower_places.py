"""Where a piece may lie on a tower, from best to worst: a flat face of it on the flat tops of the tower.

Lengths in plane figures are millimetres; poses are in metres.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import shapely
import shapely.affinity

from teeter.engine.geometry.drop import DropTarget, tipping_angle
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.judge.places import bounds, laid, steady
from teeter.models.piece import Array, Piece

LEVEL = math.cos(math.radians(1.5))
"""A face of a lying tower that is turned up so far is flat."""
SAME_MM = 0.3
"""Tops that differ by less carry a piece together."""
CLEAR_MM = 1.0
"""Kept free around what stands on a top."""
LEAST_DEG = 2.0
"""A piece that can be tilted by less on its own foot is not tried so."""
MOST_DEG = 25.0
"""More than this is as good as this."""
FACES, TOPS, SPOTS, LANDINGS = 4, 6, 14, 6
"""How many faces, heights, spots on a height and landings are looked at."""
ROOM_MM2, POINTED = 150.0, 0.4
"""What leaves less room for the next piece is worth only this part."""
HIGH = 1.0
"""Metres above the table from which a piece is let down."""


@dataclass(frozen=True, slots=True, eq=False)
class LyingFace:
    """A way to lie. turn: (3, 3), that face down. foot: seen from above, about the centre of mass. tilt: degrees until
    it tips on a plane. height: of the centre of mass over the face, metres. room: mm2 of flat tops for later pieces."""

    turn: Array
    foot: shapely.Geometry
    tilt: float
    height: float
    room: float


@dataclass(frozen=True, slots=True, eq=False)
class TowerPlace:
    """A pose and how far, in degrees, it may be tilted there."""

    pose: Pose
    worth: float


@lru_cache(maxsize=256)
def faces(piece: Piece) -> tuple[LyingFace, ...]:
    """The ways in which a piece lies flat, the steadiest first; none for a ball."""
    normals: dict[tuple[float, ...], Array] = {}
    for facet in piece.surface.facets:
        if not facet.curved:
            normals.setdefault(tuple(facet.normal.round(4).tolist()), facet.normal)
    candidates = [_face(piece, normal) for normal in normals.values()]
    lying = [face for face in candidates if face is not None and face.tilt >= LEAST_DEG]
    return tuple(sorted(lying, key=lambda face: -face.tilt)[:FACES])


def _face(piece: Piece, normal: Array) -> LyingFace | None:
    turn = _down(normal)
    centre = turn @ piece.centre_of_mass
    least = float(bounds(piece, Pose.of(np.zeros(3), turn))[0][2])
    touching = [
        shapely.Polygon(*_flat(facet.rings, turn, centre))
        for facet in piece.surface.facets
        if facet.normal @ normal > 0.99999 and abs(float((turn @ facet.rings[0][0])[2]) - least) < 1e-5
    ]
    foot = shapely.union_all(touching)
    height = float(centre[2]) - least
    upward = [
        facet for facet in piece.surface.facets if not facet.curved and facet.normal @ normal < -0.99999
    ]
    room = sum(shapely.Polygon(*_flat(facet.rings, turn, centre)).area for facet in upward)
    return None if foot.area < 20.0 else LyingFace(turn, foot, _tilt(foot, height), height, room)


def _flat(rings: Sequence[Array], turn: Array, centre: Array) -> tuple[Array, list[Array]]:
    """A facet's outline and holes seen from above, millimetres about a point."""
    outline, *holes = [((ring @ turn.T - centre) * 1e3)[:, :2] for ring in rings]
    return outline, holes


def _down(normal: Array) -> Array:
    """A rotation (3, 3) that turns a unit vector to -z and keeps another authored axis level."""
    other = np.eye(3)[int(np.argmin(np.abs(normal)))]
    level = other - (other @ normal) * normal
    level /= np.linalg.norm(level)
    return np.array([level, np.cross(-normal, level), -normal])


def _tilt(foot: shapely.Geometry, height: float) -> float:
    """Degrees until a centre of mass over the origin leaves a foot; 0 when it is not over it. height: metres."""
    return tipping_angle(foot.convex_hull, shapely.Point(0.0, 0.0), max(height, 1e-4) * 1e3)


def tops(tower: Sequence[Body]) -> list[tuple[float, shapely.Geometry]]:
    """The flat tops of a tower by height in millimetres, highest first; equal heights are one figure."""
    flat: list[tuple[float, shapely.Geometry]] = []
    for body in tower:
        turn, at = body.pose.matrix, -np.asarray(body.pose.position)
        for facet in body.piece.surface.facets:
            if not facet.curved and float(turn[2] @ facet.normal) > LEVEL:
                height = float(body.pose.apply(facet.rings[0])[:, 2].mean()) * 1e3
                flat.append((height, shapely.Polygon(*_flat(facet.rings, turn, at))))
    groups: list[list[tuple[float, shapely.Geometry]]] = []
    for height, shape in sorted(flat, key=lambda pair: -pair[0]):
        if groups and groups[-1][0][0] - height < SAME_MM:
            groups[-1].append((height, shape))
        else:
            groups.append([(height, shape)])
    joined = [(group[0][0], shapely.union_all([shape for _, shape in group])) for group in groups]
    free = [(height, shape.difference(_above(tower, height))) for height, shape in joined]
    return [(height, shape) for height, shape in free if shape.area > 20.0]


def _above(tower: Sequence[Body], height: float) -> shapely.Geometry:
    """What of a tower rises above a height, seen from above, with room for the hand to err."""
    parts = [
        body.pose.apply(part.vertices) * 1e3
        for body in tower
        for part in body.piece.parts
        if part.radius is None
    ]
    rising = [part for part in parts if part[:, 2].max() > height + SAME_MM]
    return shapely.union_all([shapely.MultiPoint(part[:, :2]).convex_hull for part in rising]).buffer(
        CLEAR_MM
    )


def places(piece: Piece, tower: Sequence[Body], most: int = LANDINGS) -> list[TowerPlace]:
    """Where a piece may come to lie flat on a tower, the best first; so many at most."""
    mass = sum(body.piece.mass for body in tower)
    joint = np.sum([body.piece.mass * body.centre_of_mass for body in tower], axis=0) / mass
    base = _base(tower[0])
    candidates: list[tuple[float, Array, LyingFace]] = []
    for height, top in tops(tower)[:TOPS]:
        spots = _spots(top, joint * 1e3)
        for face in _turned(piece):
            for x, y in spots:
                carried = shapely.affinity.translate(face.foot, x, y).intersection(top)
                own = _tilt(shapely.affinity.translate(carried, -x, -y), face.height)
                if own < LEAST_DEG:
                    continue
                centre = np.array([x / 1e3, y / 1e3, height / 1e3 + face.height])
                whole = (mass * joint + piece.mass * centre) / (mass + piece.mass)
                over = shapely.affinity.translate(base, -whole[0] * 1e3, -whole[1] * 1e3)
                least = min(own, _tilt(over, float(whole[2])), MOST_DEG)
                candidates.append((least if face.room > ROOM_MM2 else POINTED * least, centre, face))
    candidates.sort(key=lambda spot: -spot[0])
    return _landed(piece, tower, candidates, most)


def _turned(piece: Piece) -> list[LyingFace]:
    """Every way to lie, and the same a quarter turn further."""
    quarter = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.pi / 2)).matrix
    return [
        turned
        for face in faces(piece)
        for turned in (
            face,
            replace(
                face,
                turn=quarter @ face.turn,
                foot=shapely.affinity.rotate(face.foot, 90.0, origin=(0.0, 0.0)),
            ),
        )
    ]


def _base(foundation: Body) -> shapely.Geometry:
    """What of a foundation lies on the table, seen from above."""
    points = np.concatenate([foundation.pose.apply(part.vertices) for part in foundation.piece.parts]) * 1e3
    if not len(points):
        return shapely.Polygon()
    return shapely.MultiPoint(points[points[:, 2] < points[:, 2].min() + 0.5][:, :2]).convex_hull


def _spots(top: shapely.Geometry, middle: Array) -> list[tuple[float, float]]:
    """Points on a flat top where a centre of mass may be: its middle, the nearest to the tower's, a grid."""
    x_low, y_low, x_high, y_high = top.convex_hull.bounds
    near = shapely.shortest_line(top.convex_hull, shapely.Point(middle[:2]))
    spots = [tuple(top.convex_hull.centroid.coords[0]), tuple(near.coords[0])]
    grid = [
        (float(x), float(y))
        for x in np.linspace(x_low, x_high, 7)[1:-1]
        for y in np.linspace(y_low, y_high, 5)[1:-1]
        if top.convex_hull.contains(shapely.Point(x, y))
    ]
    grid.sort(key=lambda at: math.dist(at, middle[:2]))
    return [*((x, y) for x, y, *_ in spots), *grid][:SPOTS]


def _landed(
    piece: Piece, tower: Sequence[Body], spots: list[tuple[float, Array, LyingFace]], most: int
) -> list[TowerPlace]:
    """The first few places that a piece let down there reaches: nothing else is in its way."""
    landed: list[TowerPlace] = []
    target = DropTarget.of(tower)
    for worth, centre, face in spots[: 8 * most]:
        pose = Pose.of(centre - face.turn @ piece.centre_of_mass, face.turn)
        rest = let_down(piece, pose, target)
        if rest is not None and abs(rest.position[2] - pose.position[2]) < 2.0 * SAME_MM / 1e3:
            landed.append(TowerPlace(rest, worth))
        if len(landed) == most:
            break
    return landed


def let_down(piece: Piece, pose: Pose, target: DropTarget) -> Pose | None:
    """The pose, higher or lower, in which a piece first touches a tower from above."""
    x, y, z = pose.position
    fall = target.distance(piece, Pose((x, y, z + HIGH), pose.orientation))
    return None if fall is None else Pose((x, y, z + HIGH - fall), pose.orientation)


def in_hollows(piece: Piece, tower: Sequence[Body]) -> list[Pose]:
    """Where a round piece may stay: let down over the middle of every top and every hole, the deepest first."""
    spots: list[tuple[float, Pose]] = []
    target = DropTarget.of(tower)
    for height, top in tops(tower)[:TOPS]:
        parts = list(getattr(top, "geoms", (top,)))
        middles = [part.centroid for part in parts]
        middles += [shapely.Polygon(ring).centroid for part in parts for ring in part.interiors]
        for middle in middles:
            pose = steady(piece).then(Pose((middle.x / 1e3, middle.y / 1e3, 0.0)))
            rest = let_down(piece, pose, target)
            if rest is not None:
                spots.append((rest.position[2] - height / 1e3, rest))
    return [pose for _, pose in sorted(spots, key=lambda pair: pair[0])]


def first(piece: Piece, x_mm: float, y_mm: float) -> Pose:
    """A foundation in its steadiest pose."""
    ways = faces(piece)
    pose = laid(piece, ways[0].turn) if ways else steady(piece)
    return pose.then(Pose((x_mm / 1e3, y_mm / 1e3, 0.0)))
