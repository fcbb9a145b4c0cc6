"""Where a person wants the held piece to be: over the pointer, turned, flipped, lifted. Knows the ground, no window."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from engine.geometry.resting import extreme_points, resting_faces
from engine.geometry.rotation import quaternion_of
from engine.pose import Pose
from engine.view.camera import Vector
from engine.view.render.overlays import Line, Overlay, Spot
from games.ui.ground import Ground
from models.piece import Piece

Array = NDArray[np.float64]

REACH = (0.62, 0.52)
"""Metres from the middle of the table to which a hand goes, in x and y."""
HIGHEST = 0.9
"""Metres."""
CRUISE, NEAR = 0.008, 0.006
"""Metres of more air over what is crossed, until the hand is so near to its place."""
STANDS_DEG = 4.0
"""A face on which a piece can be tilted by so much lets it stand."""
FLAT = math.cos(math.radians(0.5))
"""Cosine of the angle within which a face of the hull is one of the piece."""
SHADOW, LINE = "#241a10", "#c2571a"


class Grip:
    """The wish of one hand for one piece. pose: where the piece is when it is taken."""

    def __init__(self, name: str, piece: Piece, pose: Pose, *, is_pulling: bool, hover: float) -> None:
        self.name, self.piece, self.is_pulling = name, piece, is_pulling
        self.start = self.goal = pose
        self.lift = 0.0
        self.landing: float | None = None
        self._hover = hover
        self._base = pose.matrix
        self._yaw = 0.0
        self._pulled: tuple[float, float] | None = None

    @property
    def turn(self) -> Pose:
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
        return -float(self.turn.apply(extreme_points(self.piece))[:, 2].min())

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

    def flipped(self) -> None:
        """Lay it on the next face on which it stands."""
        faces = standing(self.piece)
        if len(faces) < 2:
            return
        down = self._base.T @ np.array([0.0, 0.0, -1.0])
        now = int(np.argmax([float(down @ face.T @ np.array([0.0, 0.0, -1.0])) for face in faces]))
        self._base = faces[(now + 1) % len(faces)]

    def lifted(self, metres: float) -> None:
        """Hold it higher or lower above what is below."""
        self.lift = min(max(self.lift + metres, 0.0), HIGHEST)

    def to(self, x: float, y: float, ground: Ground, where: Pose) -> Pose:
        """Wish to be over a place; where: the piece is now. The height follows what lies on the way."""
        x, y = (min(max(value, -most), most) for value, most in zip((x, y), REACH, strict=True))
        turn = self.turn.orientation
        goal = Pose((x, y, 0.0), turn)
        self.landing = ground.landing(self.piece, goal)
        highest = ground.over(self.piece, where, goal)
        floor = self.low if highest is None else highest
        is_far = math.hypot(x - where.position[0], y - where.position[1]) > NEAR
        crosses = is_far and (
            self.landing is None or floor > self.landing + 1e-3 or floor > where.position[2] - 1e-3
        )
        z = min(floor + self._hover + (CRUISE if crosses else 0.0) + self.lift, HIGHEST)
        self.goal = Pose((x, y, z), turn)
        return self.goal

    def pull(self, x: float, y: float) -> Pose:
        """Draw it, level, by how far the hand has gone since this was first called."""
        if self._pulled is None:
            self._pulled = (x, y)
        self.drawn(x - self._pulled[0], y - self._pulled[1], is_all=True)
        return self.goal

    def drawn(self, x: float, y: float, *, is_all: bool = False) -> None:
        """Draw it on by so much, or by so much in all."""
        begin = self.start if is_all else self.goal
        a, b = begin.position[0] + x, begin.position[1] + y
        self.goal = Pose((a, b, self.start.position[2]), self.turn.orientation)

    def guides(self, pose: Pose) -> list[Overlay]:
        """Where it would land: a drop line and a contact shadow. pose: where the piece is."""
        if self.is_pulling or self.landing is None:
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


def poses_of(names: tuple[str, ...], poses: Array) -> Mapping[str, Pose]:
    """Rows of a view, by name."""
    return {
        name: Pose((x, y, z), (a, b, c, d))
        for name, (x, y, z, a, b, c, d) in zip(names, poses.tolist(), strict=True)
    }
