"""Cameras: where the eye is. Plain geometry, no graphics library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.rotation import matrix_of
from engine.view.errors import ViewError
from engine.world import TABLE, Body

Array = NDArray[np.float64]
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Camera:
    """An eye that looks at a target. Metres, world axes. fov: the vertical angle of view in degrees."""

    eye: Vector
    target: Vector
    fov: float = 30.0

    @property
    def distance(self) -> float:
        """Metres from the eye to the target."""
        return math.dist(self.eye, self.target)

    @property
    def axes(self) -> Array:
        """(3, 3): right, forward and up as rows, in world axes; up leans towards world +z."""
        away = self.distance
        x, y, z = ((there - here) / away for there, here in zip(self.target, self.eye, strict=True))
        # straight down there is no upward lean: the far side of the table, +y, is up then
        right = (y, -x, 0.0) if abs(z) < 0.999 else (-z, 0.0, x)
        wide = math.hypot(*right)
        p, q, r = (part / wide for part in right)
        return np.array([(p, q, r), (x, y, z), (q * z - r * y, r * x - p * z, p * y - q * x)])


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball around what is to be seen, metres."""

    centre: Vector
    radius: float


# azimuth of the eye, counter-clockwise from +x (front is -y), and its elevation, degrees
DIRECTIONS = {
    "front": (-90.0, 8.0),
    "side": (0.0, 8.0),
    "top": (-90.0, 90.0),
    "three-quarter": (-58.0, 20.0),
}
PRESETS = tuple(DIRECTIONS)
# part of the half picture that the sphere fills; the rest is air around it
FILL = 0.92


def bounding_sphere(bodies: Sequence[Body]) -> Sphere:
    """A sphere around the bodies where they are, the table left out. Raises ViewError when there are none."""
    corners = [_corners(body) for body in bodies if body.name != TABLE]
    if not corners:
        raise ViewError("there is nothing to look at: the scene has no pieces")
    points = np.concatenate(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    centre = (low + high) / 2
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    return Sphere((float(centre[0]), float(centre[1]), float(centre[2])), max(radius, 1e-4))


def _corners(body: Body) -> Array:
    """(8, 3) corners of the turned bounding box of a body."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    return signs * body.piece.extents @ matrix_of(body.pose.orientation).T + body.pose.position


def framing(
    sphere: Sphere,
    view: str | tuple[float, float] = "three-quarter",
    *,
    fov: float = 28.0,
    aspect: float = 16 / 9,
) -> Camera:
    """A camera that has the whole sphere in the picture.

    view: a name of `PRESETS`, or azimuth and elevation of the eye in degrees. aspect: width by height of the
    picture. Raises ViewError for an unknown name.
    """
    if isinstance(view, str):
        if view not in DIRECTIONS:
            raise ViewError(f'unknown camera "{view}": use one of {", ".join(PRESETS)}')
        view = DIRECTIONS[view]
    azimuth, elevation = math.radians(view[0]), math.radians(view[1])
    half = math.radians(fov) / 2
    narrow = min(half, math.atan(math.tan(half) * aspect))
    distance = sphere.radius / math.sin(narrow) / FILL
    toward = (
        math.cos(elevation) * math.cos(azimuth),
        math.cos(elevation) * math.sin(azimuth),
        math.sin(elevation),
    )
    x, y, z = (centre + distance * part for centre, part in zip(sphere.centre, toward, strict=True))
    return Camera((x, y, z), sphere.centre, fov)
