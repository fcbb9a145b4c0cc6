"""Where a person wants the held piece to be (over the pointer, turned, flipped, lifted), and what lies below it.

What lies below is exact for convex parts, on the whole way a piece is carried. Knows no window.
"""

import math
from collections.abc import Callable, Container, Mapping
from functools import lru_cache

import numpy as np
import shapely

from teeter.engine.geometry.convex import ConvexSolid, bounds_of, solids_at
from teeter.engine.geometry.drop import DropTarget, extreme_points, resting_faces
from teeter.engine.geometry.rotation import angle_between, quaternion_of
from teeter.engine.motions import between
from teeter.engine.pose import Pose, vector_of
from teeter.engine.view.camera import Vector
from teeter.engine.view.frame import Frame
from teeter.engine.view.overlays import Arrow, Line, Overlay, Spot
from teeter.models.piece import Array, Piece

HIGHEST = 0.9
"""Metres."""
CRUISE, NEAR = 0.008, 0.006
"""Metres of more air over what is crossed, until the hand is so near to its place."""
TURNED, TURNS = 0.01, (0.0, 0.2, 0.4, 0.6, 0.8)
"""Radians up to which a piece is turned as it is wanted, and parts of its turn at which is looked what is below it."""
RAY_STEP, FOUND, LEVEL_M = 0.005, 4e-5, 1e-5
"""Metres of height between two looks along a ray: less than the edge of a tower is seen to be deep; within which the
place is found then; and within which two places are equally high."""
STANDS_DEG = 4.0
"""A face on which a piece can be tilted by so much lets it stand."""
FLAT = math.cos(math.radians(0.5))
"""Cosine of the angle within which a face of the hull is one of the piece."""
SHADOW, LINE = "#241a10", "#c2571a"
LONG, LEVEL = 1.2, 0.5
"""What is this much longer than wide is drawn lengthways, unless its length is steeper than this sine."""
ARROW, BEGUN = (0.006, 0.034), 1e-3
"""Metres from the end of what is drawn at which an arrow begins and ends, and that it has to come to be on its way."""
ABOVE_ALL = 10.0
"""Metres: above everything."""


class LandingSurface:
    """Everything a piece may be laid on, as a frame shows it. skip: what is no ground, as the piece in the hand."""

    def __init__(self, frame: Frame, pieces: Mapping[str, Piece], skip: Container[str] = ()) -> None:
        lying: list[ConvexSolid] = []
        for name, pose in frame.placed().items():
            if name not in skip:
                lying += solids_at(pieces[name], pose)
        self._target = DropTarget(lying)

    @property
    def top(self) -> float:
        """The height of what is highest, metres."""
        return float(self._target.high[:, 2].max(initial=0.0))

    def landing(self, piece: Piece, pose: Pose) -> float | None:
        """The z at which a piece, dropped straight from above, meets what is there; None over nothing."""
        x, y, _ = pose.position
        distance = self._target.distance(piece, Pose((x, y, ABOVE_ALL), pose.orientation))
        return None if distance is None else ABOVE_ALL - distance

    def over(
        self, piece: Piece, start: Pose, goal: Pose, at_goal: float | None, samples: int = 9
    ) -> float | None:
        """The greatest `landing` on the straight way from one place to another, where it is `at_goal`; of what turns
        on its way, however it is turned anywhere on it."""
        here, there = np.array(start.position[:2]), np.array(goal.position[:2])
        best, is_far = at_goal, math.dist(here, there) > 1e-3
        way = here + np.linspace(0.0 if is_far else 1.0, 1.0, samples if is_far else 1)[:, None] * (
            there - here
        )
        turns = TURNS if angle_between(start.orientation, goal.orientation) >= TURNED else ()
        for part in (1.0, *turns):
            turned = between(start, goal, part)
            places = way if part < 1.0 else way[:-1]
            heights = self._box_landing(piece, turned)(places)
            for (x, y), most in zip(places.tolist(), heights.tolist(), strict=True):
                # what lies lower than what was found already cannot carry it higher
                if best is None or most > best + LEVEL_M:
                    lies = self.landing(piece, Pose((x, y, 0.0), turned.orientation))
                    best = lies if best is None or (lies is not None and lies > best) else best
        return best

    def pointed(
        self, piece: Piece, rotation: Pose, origin: Array, direction: Array, low: float
    ) -> tuple[float, float] | None:
        """Where a piece stands, x and y, whose underside a ray of the pointer meets: the first place on its way down.

        rotation: the orientation of the piece. low: how far its lowest point is below its centre, metres.
        """
        if direction[2] > -1e-3:
            return None
        highest = self._box_landing(piece, rotation)

        def place(height: float) -> tuple[float, float]:
            x, y = (origin + (height - origin[2]) / direction[2] * direction)[:2].tolist()
            return x, y

        def meets(height: float) -> bool:
            x, y = place(height)
            # exact only where boxes leave it open
            if highest(np.array([[x, y]]))[0] - low < height - 1e-6:
                return False
            lies = self.landing(piece, Pose((x, y, 0.0), rotation.orientation))
            return lies is not None and lies - low >= height - 1e-6

        above = self.top + 1e-4
        heights = np.linspace(above, 0.0, 1 + max(16, math.ceil(above / RAY_STEP)))
        ray = origin + ((heights - origin[2]) / direction[2])[:, None] * direction
        is_open = highest(ray[:, :2]) - low >= heights - 1e-6
        first = next((number for number in np.flatnonzero(is_open).tolist() if meets(heights[number])), None)
        if first is None:
            return place(0.0)
        above, below = heights[[max(first - 1, 0), first]].tolist()
        # most of what it lands on is level: where it lies is where the ray meets it
        lies = self.landing(piece, Pose((*place(below), 0.0), rotation.orientation))
        level = below if lies is None else min(lies - low, above)
        if meets(level):
            below, above = level, above if meets(level + FOUND) else level
        while above - below > FOUND:
            middle = 0.5 * (above + below)
            above, below = (above, middle) if meets(middle) else (middle, below)
        return place(below)

    def _box_landing(self, piece: Piece, rotation: Pose) -> Callable[[Array], Array]:
        """Returns what `landing` is at most, (n,), at places (n, 2), by boxes: quickly told."""
        low, high = bounds_of(solids_at(piece, Pose((0.0, 0.0, 0.0), rotation.orientation)))
        lowest, highest = self._target.low[:, :2] - high[:2], self._target.high[:, :2] - low[:2]

        def heights(places: Array) -> Array:
            at = places[:, None]
            is_over = ((lowest < at) & (highest > at)).all(axis=2)
            return np.asarray(
                np.where(is_over, self._target.high[:, 2], -np.inf).max(axis=1, initial=-np.inf) - low[2]
            )

        return heights


class CarryTarget:
    """The wish of one hand for one piece. pose: where the piece is when it is taken. reach: the least and greatest x
    and y, metres, to which it is carried."""

    def __init__(
        self,
        name: str,
        piece: Piece,
        pose: Pose,
        *,
        is_pulling: bool,
        hover: float,
        reach: tuple[float, float, float, float],
    ) -> None:
        self.name, self.piece, self.is_pulling = name, piece, is_pulling
        self.start = self.goal = pose
        self.lift = 0.0
        self.landing: float | None = None
        self._hover, self._reach = hover, reach
        self._base = pose.matrix
        self._yaw = 0.0
        self._pulled: tuple[float, float] | None = None

    @property
    def rotation(self) -> Pose:
        """The orientation wanted, over the origin."""
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        matrix = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ self._base
        return Pose((0.0, 0.0, 0.0), quaternion_of(matrix))

    @property
    def yaw(self) -> float:
        """Degrees that the piece was turned since it was taken."""
        return math.degrees(self._yaw)

    @property
    def low(self) -> float:
        """How far the lowest point of the piece is below its centre, as it is turned; metres, positive."""
        return -float(self.rotation.apply(extreme_points(self.piece))[:, 2].min())

    @property
    def gap(self) -> float:
        """Metres that are free below the goal."""
        return 0.0 if self.landing is None else max(self.goal.position[2] - self.landing, 0.0)

    def turned(self, degrees: float, step: float = 0.0) -> None:
        """Turn it, to a multiple of a step where there is one."""
        yaw = self.yaw + degrees
        if step > 0.0:
            yaw = round(yaw / step) * step
        self._yaw = math.radians(yaw)

    def orient(self, pose: Pose) -> None:
        """Turn it as it is in a pose."""
        self._base, self._yaw = pose.matrix, 0.0

    def flip(self) -> None:
        """Lay it on the next face on which it stands."""
        faces = standing(self.piece)
        if not faces:
            return
        down = self._base.T @ np.array([0.0, 0.0, -1.0])
        now = int(np.argmax([float(down @ face.T @ np.array([0.0, 0.0, -1.0])) for face in faces]))
        self._base = faces[(now + 1) % len(faces)]

    def tilted(self, axis: tuple[float, float], degrees: float) -> None:
        """Tilt it about a level axis, a unit vector (x, y)."""
        half = math.radians(degrees) / 2.0
        x, y = (math.sin(half) * part for part in axis)
        turn = Pose((0.0, 0.0, 0.0), (x, y, 0.0, math.cos(half)))
        self._base, self._yaw = turn.matrix @ self.rotation.matrix, 0.0

    def lifted(self, metres: float) -> None:
        """Hold it higher or lower above what is below."""
        self.lift = min(max(self.lift + metres, 0.0), HIGHEST)

    def to(self, x: float, y: float, ground: LandingSurface, where: Pose) -> Pose:
        """Aim over a place, at a height that clears what lies on the way. where: the piece is now."""
        x, y = self._within_reach(x, y)
        rotation = self.rotation.orientation
        goal = Pose((x, y, 0.0), rotation)
        self.landing = ground.landing(self.piece, goal)
        highest = ground.over(self.piece, where, goal, self.landing)
        floor = self.low if highest is None else highest
        is_far = math.hypot(x - where.position[0], y - where.position[1]) > NEAR
        crosses = is_far and (
            self.landing is None or floor > self.landing + 1e-3 or floor > where.position[2] - 1e-3
        )
        z = min(floor + self._hover + (CRUISE if crosses else 0.0) + self.lift, HIGHEST)
        self.goal = Pose((x, y, z), rotation)
        return self.goal

    @property
    def lengthways(self) -> Array:
        """(2,) the level direction of its longest side."""
        along = self.start.matrix[:2, int(np.argmax(self.piece.extents))]
        return np.asarray(along / max(float(np.linalg.norm(along)), 1e-9))

    @property
    def is_railed(self) -> bool:
        """Whether it is drawn along its length alone, as what is long and lies is."""
        sides = np.sort(self.piece.extents)
        upright = self.start.matrix[2, int(np.argmax(self.piece.extents))]
        return bool(sides[2] >= LONG * sides[1] and abs(upright) < LEVEL)

    @property
    def rail(self) -> tuple[float, float, float] | None:
        """The level direction along which it is drawn, and metres from its middle to its end."""
        x, y = self.lengthways.tolist()
        return (
            (round(x, 6), round(y, 6), round(0.5 * float(self.piece.extents.max()), 6))
            if self.is_railed
            else None
        )

    def pull(self, x: float, y: float, *, is_free: bool = False) -> None:
        """Draw it, level, by how far the hand has gone since this was first called."""
        if self._pulled is None:
            self._pulled = (x, y)
        self.drawn(x - self._pulled[0], y - self._pulled[1], is_all=True, is_free=is_free)

    def drawn(self, x: float, y: float, *, is_all: bool = False, is_free: bool = False) -> None:
        """Draw it on by so much, or by so much in all; what is long keeps to its length, unless it is free."""
        begin = self.start if is_all else self.goal
        if self.is_railed and not is_free:
            x, y = (self.lengthways * float(self.lengthways @ (x, y))).tolist()
        a, b = self._within_reach(begin.position[0] + x, begin.position[1] + y)
        self.goal = Pose((a, b, self.start.position[2]), self.rotation.orientation)

    def _within_reach(self, x: float, y: float) -> tuple[float, float]:
        left, right, near, far = self._reach
        return min(max(x, left), right), min(max(y, near), far)

    def guides(self, pose: Pose) -> list[Overlay]:
        """Where it would land: a drop line and a contact shadow. pose: where the piece is."""
        if self.is_pulling:
            return self._arrows(pose)
        if self.landing is None:
            return []
        x, y, z = pose.position
        foot = self.landing - self.low
        shape = outline(self.piece, pose)
        corners = tuple((float(a), float(b), foot + 4e-4) for a, b in shape)
        guides: list[Overlay] = [Spot(corners, SHADOW, 0.42, 0.0005)]
        bottom: Vector = (x, y, foot)
        if z - self.low - foot > 0.002:
            guides.append(Line((bottom, (x, y, z - self.low)), LINE, 0.0007))
        return guides

    def _arrows(self, pose: Pose) -> list[Overlay]:
        """Which way it is drawn: either, until it has begun to come."""
        if not self.is_railed:
            return []
        way, at = np.array([*self.lengthways, 0.0]), np.asarray(pose.position)
        come = float(way @ (at - self.start.position))
        half = 0.5 * float(self.piece.extents.max())
        signs = [sign for sign in (-1.0, 1.0) if abs(come) < BEGUN or sign * come > 0.0]
        ends = [(at + sign * (half + far) * way for far in ARROW) for sign in signs]
        return [Arrow(vector_of(begin), vector_of(end), LINE, 0.0016) for begin, end in ends]


@lru_cache(maxsize=16)
def outline(piece: Piece, pose: Pose) -> Array:
    """(n, 2) metres: what a piece covers seen from above, counter-clockwise."""
    hull = shapely.MultiPoint(pose.apply(extreme_points(piece))[:, :2]).convex_hull
    if not isinstance(hull, shapely.Polygon):
        hull = hull.buffer(1e-4)
    ring = shapely.get_coordinates(shapely.geometry.polygon.orient(hull).exterior)[:-1]
    return np.asarray(ring)


@lru_cache(maxsize=256)
def standing(piece: Piece) -> tuple[Array, ...]:
    """The rotations (3, 3) that lay a piece on a face on which it stands, the one with its centre lowest first."""
    flat = [facet.normal for facet in piece.surface.facets if not facet.curved]
    is_round = len(flat) < len(piece.surface.facets)
    # the side of something round only looks as if it had faces
    real = [
        face
        for face in resting_faces(piece)
        if not is_round or any(float(face.normal @ other) > FLAT for other in flat)
    ]
    stable = [face for face in real if face.tipping_angle() >= STANDS_DEG]
    return tuple(
        face.rotation for face in sorted(stable, key=lambda face: (round(face.height, 6), *face.normal))
    )
