"""Cameras: where the eye is, how it orbits a target, and rays through a picture. No graphics library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.pose import vector_of
from teeter.engine.view.opengl import ViewError
from teeter.engine.world.body import TABLE, Body
from teeter.models.piece import Array

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Camera:
    """An eye that looks at a target. Metres, world axes. fov: the vertical field of view in degrees. up: what is up in
    the picture leans towards it."""

    eye: Vector
    target: Vector
    fov: float = 30.0
    up: Vector = (0.0, 0.0, 1.0)

    @property
    def distance(self) -> float:
        """Returns the metres from the eye to the target."""
        return math.dist(self.eye, self.target)

    @property
    def axes(self) -> Array:
        """Returns (3, 3): right, forward and up as rows, in world axes."""
        away = self.distance
        x, y, z = ((there - here) / away for there, here in zip(self.target, self.eye, strict=True))
        # straight down there is no upward lean: the far side of the table, +y, is up then
        right = (y, -x, 0.0) if abs(z) < 0.999 else (-z, 0.0, x)
        if self.up != (0.0, 0.0, 1.0):
            right = vector_of(np.cross((x, y, z), self.up))
        wide = math.hypot(*right)
        p, q, r = (part / wide for part in right)
        return np.array([(p, q, r), (x, y, z), (q * z - r * y, r * x - p * z, p * y - q * x)])

    def leaned(self, turn: Array, pivot: Vector) -> Camera:
        """Returns the camera turned about a point by a rotation (3, 3), the picture's up with it."""
        eye, target = (vector_of(pivot + turn @ np.subtract(at, pivot)) for at in (self.eye, self.target))
        return Camera(eye, target, self.fov, vector_of(turn @ np.array(self.up)))

    def above(self, part: float) -> Camera:
        """Returns the camera that looks the same way, and has in the upper `part` of its picture what this one has in
        all of it."""
        up, tangent = self.axes[2], math.tan(math.radians(self.fov) / 2.0)
        lower = (1.0 - part) * tangent * self.distance / part * up
        target = np.array(self.target) - lower
        eye = target + np.subtract(self.eye, self.target) / part
        return Camera(vector_of(eye), vector_of(target), self.fov, self.up)

    @property
    def right(self) -> tuple[float, float]:
        """What is to the right in the picture: a level unit vector (x, y)."""
        across = self.axes[0][:2]
        x, y = (across / np.linalg.norm(across)).tolist()
        return x, y


@dataclass(frozen=True, slots=True)
class BoundingSphere:
    """A sphere around what is to be seen, metres."""

    centre: Vector
    radius: float


# azimuth of the eye, counter-clockwise from +x (front is -y), and its elevation, degrees
DIRECTIONS = {"front": (-90.0, 8.0), "side": (0.0, 8.0), "top": (-90.0, 90.0), "three-quarter": (-58.0, 20.0)}
PRESETS = tuple(DIRECTIONS)
# fraction of half the picture that the sphere fills
FILL = 0.92
FOV = 28.0
"""Degrees, vertical."""
BOX_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
"""(8, 3): the corners of a cube of half side 1."""


def bounding_sphere(bodies: Sequence[Body]) -> BoundingSphere:
    """Returns a sphere around all bodies but the table. Raises ViewError when there are none."""
    pieces = [body for body in bodies if body.name != TABLE]
    if not pieces:
        raise ViewError("there is nothing to look at: the scene has no pieces")
    corners = [
        BOX_CORNERS / 2 * body.piece.extents @ matrix_of(body.pose.orientation).T + body.pose.position
        for body in pieces
    ]
    points = np.concatenate(corners)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    return BoundingSphere(vector_of(centre), max(radius, 1e-4))


def framing(
    sphere: BoundingSphere, view: str | tuple[float, float] = "three-quarter", *, aspect: float = 16 / 9
) -> Camera:
    """Returns a camera that has the whole sphere in the picture.

    view: a name of `PRESETS`, or azimuth and elevation of the eye in degrees. aspect: width by height of the
    picture. Raises ViewError for an unknown name.
    """
    if isinstance(view, str):
        if view not in DIRECTIONS:
            raise ViewError(f'unknown camera "{view}": use one of {", ".join(PRESETS)}')
        view = DIRECTIONS[view]
    half = math.radians(FOV) / 2
    narrow = min(half, math.atan(math.tan(half) * aspect))
    distance = sphere.radius / math.sin(narrow) / FILL
    return _camera_at(sphere.centre, distance, *view, FOV)


def _camera_at(target: Vector, distance: float, azimuth: float, elevation: float, fov: float) -> Camera:
    """Returns a camera around a target; azimuth and elevation in degrees."""
    around, up = math.radians(azimuth), math.radians(elevation)
    direction = (math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up))
    return Camera(vector_of(np.array(target) + distance * np.array(direction)), target, fov)


MIN_ELEVATION_DEG, MAX_ELEVATION_DEG = -4.0, 88.0
"""A little below the table top, and nearly from above."""
MIN_DISTANCE_M, MAX_DISTANCE_M = 0.06, 6.0
"""From the target."""
DEGREES_PER_PIXEL = 0.35
"""Rotation by dragging, in a picture 720 pixels high."""


@dataclass(frozen=True, slots=True)
class Orbit:
    """A camera that circles a target; degrees (azimuth counter-clockwise from +x) and metres."""

    target: Vector
    distance: float
    azimuth: float = -58.0
    elevation: float = 20.0

    @property
    def camera(self) -> Camera:
        """Returns the camera at this place of the orbit."""
        return _camera_at(self.target, self.distance, self.azimuth, self.elevation, FOV)

    def turned(self, right: float, up: float) -> Orbit:
        """Returns the orbit rotated by degrees."""
        elevation = min(max(self.elevation + up, MIN_ELEVATION_DEG), MAX_ELEVATION_DEG)
        return replace(self, azimuth=(self.azimuth + right) % 360.0, elevation=elevation)

    def dragged(self, right: float, down: float, high: float, *, is_pan: bool = False) -> Orbit:
        """Returns the orbit after the pointer was dragged by pixels, in a window so many pixels high."""
        if is_pan:
            return self.panned(-right / high, down / high)
        degrees = DEGREES_PER_PIXEL * 720.0 / high
        return self.turned(-right * degrees, down * degrees)

    def panned(self, right: float, up: float) -> Orbit:
        """Returns the orbit moved sideways, in picture heights at the target."""
        high = 2.0 * self.distance * math.tan(math.radians(FOV) / 2.0)
        axes = self.camera.axes
        return replace(self, target=vector_of(self.target + high * (right * axes[0] + up * axes[2])))

    def zoomed(self, times: float, toward: Vector | None = None) -> Orbit:
        """Returns the orbit at another distance, `times` as far; the point zoomed towards stays put in the picture."""
        distance = min(max(self.distance * times, MIN_DISTANCE_M), MAX_DISTANCE_M)
        if toward is None:
            return replace(self, distance=distance)
        part = 1.0 - distance / self.distance
        return replace(self, target=_between(self.target, toward, part), distance=distance)

    def towards(self, other: Orbit, part: float) -> Orbit:
        """Returns the orbit at a fraction (0 to 1) of the way to another one, the short way round."""
        rotation = (other.azimuth - self.azimuth + 180.0) % 360.0 - 180.0
        return Orbit(
            _between(self.target, other.target, part),
            self.distance * (other.distance / self.distance) ** part,
            (self.azimuth + part * rotation) % 360.0,
            self.elevation + part * (other.elevation - self.elevation),
        )


def _between(first: Vector, second: Vector, part: float) -> Vector:
    return vector_of(np.array(first) + part * np.subtract(second, first))


def orbit_of(sphere: BoundingSphere, view: str = "three-quarter") -> Orbit:
    """Returns an orbit that has a sphere in the picture. Raises ViewError for an unknown view."""
    camera = framing(sphere, view)
    azimuth, elevation = DIRECTIONS[view]
    return Orbit(sphere.centre, camera.distance, azimuth % 360.0, min(elevation, MAX_ELEVATION_DEG))


def seen_at(camera: Camera, size: tuple[int, int], point: Vector) -> tuple[float, float] | None:
    """Returns where in a picture a point of the world is seen, pixels; None behind the eye. size: pixels."""
    seen = all_seen_at(camera, size, np.asarray(point)[None]).tolist()
    return (seen[0][0], seen[0][1]) if seen else None


def all_seen_at(camera: Camera, size: tuple[int, int], points: Array) -> Array:
    """Returns where in a picture points of the world, (n, 3), are seen: (m, 2) pixels, without those behind the eye."""
    right, ahead, up = camera.axes @ (points - np.asarray(camera.eye)).T
    is_ahead = ahead > 1e-9
    half = ahead[is_ahead] * math.tan(math.radians(camera.fov) / 2.0)
    across = (right[is_ahead] / half * size[1] + size[0]) / 2.0 - 0.5
    return np.stack([across, (1.0 - up[is_ahead] / half) * size[1] / 2.0 - 0.5], axis=1)


Clear = tuple[float, float, float, float]
"""What panels leave free of a picture: left, top, right and bottom, in parts of its width and height."""
WHOLE: Clear = (0.0, 0.0, 1.0, 1.0)


def fitted(
    points: Array, camera: Camera, aspect: float, clear: Clear = WHOLE, beyond: Vector | None = None
) -> Camera:
    """Returns the nearest camera that looks the same way and has all points, (n, 3), where the picture is free. aspect:
    width by height. beyond: an eye, no nearer than which it shall be."""
    tangent = math.tan(math.radians(camera.fov) / 2.0)
    across, deep, high = camera.axes @ points.T
    left, top, right, bottom = clear
    sides = ((2 * left - 1) * aspect * tangent, (2 * right - 1) * aspect * tangent)
    ends = ((1 - 2 * bottom) * tangent, (1 - 2 * top) * tangent)
    # where the eye has to be: behind planes through the points, along each edge of what is free
    bounds = [
        (float((own - low * deep).min()), float((own - most * deep).max()), low, most)
        for own, (low, most) in ((across, sides), (high, ends))
    ]
    behind = min((least - greatest) / (most - low) for least, greatest, low, most in bounds)
    behind = min(behind, float(deep.min()) - MIN_DISTANCE_M)
    if beyond is not None:
        behind = min(behind, float(camera.axes[1] @ np.asarray(beyond)))
    x, z = (
        ((least + low * behind) + (greatest + most * behind)) / 2.0 for least, greatest, low, most in bounds
    )
    eye = np.array([x, behind, z]) @ camera.axes
    away = float(deep.mean()) - behind
    return Camera(vector_of(eye), vector_of(eye + away * camera.axes[1]), camera.fov)


def angles(camera: Camera) -> tuple[float, float]:
    """Returns azimuth and elevation of the eye, degrees."""
    x, y, z = np.subtract(camera.eye, camera.target).tolist()
    return math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))


def raised(camera: Camera, elevation: float) -> Camera:
    """Returns a camera that looks from the same side, from so many degrees above."""
    return _camera_at(camera.target, camera.distance, angles(camera)[0], elevation, camera.fov)


def ray(camera: Camera, size: tuple[int, int], x: float, y: float) -> tuple[Array, Array]:
    """Returns the eye and the unit direction (3,) of what is seen at a pixel, counted from the upper left."""
    tangent = math.tan(math.radians(camera.fov) / 2.0)
    right = (2.0 * (x + 0.5) / size[0] - 1.0) * tangent * size[0] / size[1]
    up = (1.0 - 2.0 * (y + 0.5) / size[1]) * tangent
    axes = camera.axes
    direction = axes[1] + right * axes[0] + up * axes[2]
    return np.asarray(camera.eye), np.asarray(direction / np.linalg.norm(direction))


def on_plane(origin: Array, direction: Array, height: float) -> Vector | None:
    """Returns where a ray meets a level plane; None when it never does, or only beyond 20 m."""
    if abs(direction[2]) < 1e-6:
        return None
    along = (height - origin[2]) / direction[2]
    if not 0.0 < along < 20.0:
        return None
    return vector_of(origin + along * direction)


def lean_of(degrees: float, towards: float) -> Array:
    """Returns the rotation (3, 3) of a room around a table that is tilted, downhill towards a direction (degrees,
    counter-clockwise from +x): it brings up to where up is for who stands on the table."""
    half, way = math.radians(degrees) / 2.0, math.radians(towards)
    return matrix_of((math.sin(half) * math.sin(way), -math.sin(half) * math.cos(way), 0.0, math.cos(half)))
