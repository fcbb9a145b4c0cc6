"""A camera that goes round a target, and what a pointer means to it. Values and plain geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.view.camera import DIRECTIONS, Camera, Sphere, Vector, framing
from engine.view.errors import ViewError

Array = NDArray[np.float64]

FOV = 28.0
LOWEST, HIGHEST = -4.0, 88.0
"""Degrees of elevation: a little below the table top, and nearly from above."""
NEAREST, FARTHEST = 0.06, 6.0
"""Metres from the target."""
DEGREES = 0.35
"""A pixel of dragging turns by so much, in a picture 720 pixels high."""


@dataclass(frozen=True, slots=True)
class Orbit:
    """azimuth: degrees counter-clockwise from +x; elevation: degrees; distance: metres."""

    target: Vector
    distance: float
    azimuth: float = -58.0
    elevation: float = 20.0

    @property
    def camera(self) -> Camera:
        """As a stage wants it."""
        x, y, z = (c + self.distance * p for c, p in zip(self.target, self._toward, strict=True))
        return Camera((x, y, z), self.target, FOV)

    @property
    def _toward(self) -> Vector:
        azimuth, elevation = math.radians(self.azimuth), math.radians(self.elevation)
        flat = math.cos(elevation)
        return flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)

    def turned(self, right: float, up: float) -> Orbit:
        """Gone round by so many degrees."""
        elevation = min(max(self.elevation + up, LOWEST), HIGHEST)
        return replace(self, azimuth=(self.azimuth + right) % 360.0, elevation=elevation)

    def panned(self, right: float, up: float) -> Orbit:
        """Moved sideways: parts of what the picture is high, at the target."""
        high = 2.0 * self.distance * math.tan(math.radians(FOV) / 2.0)
        axes = self.camera.axes
        x, y, z = (np.asarray(self.target) + high * (right * axes[0] + up * axes[2])).tolist()
        return replace(self, target=(x, y, z))

    def zoomed(self, times: float, toward: Vector | None = None) -> Orbit:
        """Further away by a factor (nearer below 1); a place zoomed towards stays where it is in the picture."""
        distance = min(max(self.distance * times, NEAREST), FARTHEST)
        if toward is None:
            return replace(self, distance=distance)
        part = 1.0 - distance / self.distance
        x, y, z = (t + part * (p - t) for t, p in zip(self.target, toward, strict=True))
        return replace(self, target=(x, y, z), distance=distance)

    def towards(self, other: Orbit, part: float) -> Orbit:
        """A part (0 to 1) of the way to another one, the short way round."""
        turn = (other.azimuth - self.azimuth + 180.0) % 360.0 - 180.0
        x, y, z = (a + part * (b - a) for a, b in zip(self.target, other.target, strict=True))
        return Orbit(
            (x, y, z),
            self.distance * (other.distance / self.distance) ** part,
            (self.azimuth + part * turn) % 360.0,
            self.elevation + part * (other.elevation - self.elevation),
        )


def orbit_of(sphere: Sphere, view: str = "three-quarter", aspect: float = 16 / 9) -> Orbit:
    """An orbit that has a sphere in the picture. Raises ViewError for an unknown view."""
    if view not in DIRECTIONS:
        raise ViewError(f'unknown camera "{view}": use one of {", ".join(DIRECTIONS)}')
    camera = framing(sphere, view, fov=FOV, aspect=aspect)
    azimuth, elevation = DIRECTIONS[view]
    return Orbit(sphere.centre, camera.distance, azimuth % 360.0, min(elevation, HIGHEST))


def ray(camera: Camera, size: tuple[int, int], x: float, y: float) -> tuple[Array, Array]:
    """Eye and unit direction (3,) of what is seen at a place of a picture, pixels from the upper left."""
    tangent = math.tan(math.radians(camera.fov) / 2.0)
    right = (2.0 * (x + 0.5) / size[0] - 1.0) * tangent * size[0] / size[1]
    up = (1.0 - 2.0 * (y + 0.5) / size[1]) * tangent
    axes = camera.axes
    way = axes[1] + right * axes[0] + up * axes[2]
    return np.asarray(camera.eye), np.asarray(way / np.linalg.norm(way))


def seen_at(camera: Camera, size: tuple[int, int], point: Vector | Array) -> tuple[float, float] | None:
    """Where a place in the world is in a picture, pixels; None when it is behind the eye."""
    right, ahead, up = (camera.axes @ (np.asarray(point) - camera.eye)).tolist()
    if ahead <= 1e-9:
        return None
    tangent = math.tan(math.radians(camera.fov) / 2.0)
    x = (right / ahead / tangent * size[1] / size[0] + 1.0) * size[0] / 2.0 - 0.5
    y = (1.0 - up / ahead / tangent) * size[1] / 2.0 - 0.5
    return x, y


def on_plane(origin: Array, way: Array, height: float) -> Vector | None:
    """Where a ray meets a level plane; None when it never does, or only far beyond a room."""
    if abs(way[2]) < 1e-6:
        return None
    along = (height - origin[2]) / way[2]
    if not 0.0 < along < 20.0:
        return None
    x, y, z = (origin + along * way).tolist()
    return x, y, z
