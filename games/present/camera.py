"""The camera of a person at the table: orbit, pan, zoom to the cursor, presets, following the hand; and what
a handicap does to it (CT-40 to CT-48), as `games.play.held_piece` does to the hand.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from teeter.engine.geometry.rotation import matrices_of
from teeter.engine.hand import Sway
from teeter.engine.pose import vector_of
from teeter.engine.view.camera import (
    MAX_DISTANCE_M,
    BoundingSphere,
    Camera,
    Clear,
    Orbit,
    Vector,
    angles,
    bounding_sphere,
    orbit_of,
)
from teeter.engine.view.frame import Frame
from teeter.engine.world.body import TABLE, Body
from teeter.games.core.rules import Handicap
from teeter.games.present.framing import framed
from teeter.models.piece import Array, Piece

VIEWS = ("three-quarter", "front", "side", "top", "close")
SWING_S = 0.6
"""Seconds in which the camera goes from one view to another."""
ZOOM = 0.88
"""A notch of the wheel, or a press of a key."""
EYE_LOW, AIR, FAR = 0.02, 0.03, 1.0
"""Metres: of the eye over the table and from every piece, at least; from the middle to what is looked at, at most."""
IN_VIEW, OVER_PANELS = 0.86, 0.58
"""Of half the picture: where a piece in the hand is still seen, and below its middle, where panels stand."""
MAX_TRIES = 60
"""Steps in which the camera is moved to where it may be."""
SPIN_S = 1.1
"""Seconds for one turn of the camera."""
UNFELT = 0.04
"""Of the distance, and of the picture's height: what would be seen better by so little is left as it is."""
STIFF = 5.0
"""A second: after 0.4 s an eye that glides has come half of its way, after 1 s nearly all."""
NEAR = np.array([*3 * [3e-4], 3e-3, 0.05, 0.05, 0.05])
"""Metres, parts, and degrees from which it has arrived."""
FLAT_FOV = 1.5
"""Degrees: so far away and so near at once that nothing seems deep."""


class CameraHandicap:
    """Stands between where a person looks from and what is seen."""

    def __init__(self, handicap: Handicap) -> None:
        self.is_mirrored = handicap.mirrored
        """CT-40: left and right of the input are swapped."""
        self._handicap = handicap
        self._sway = Sway(handicap.sway_mm / 1e3, handicap.sway_period_s or 1.0, handicap.sway_axes)
        self._now = 0.0
        self._spun = math.inf

    def locks(self, is_holding: bool) -> bool:
        """CT-44: whether the camera may not be turned now."""
        return is_holding and not self._handicap.turns_while_holding

    def spin(self) -> None:
        """CT-47: a new floor card was laid."""
        self._spun = 0.0

    @property
    def moment(self) -> tuple[float, float]:
        """What it does at one moment is always the same."""
        return self._now, self._spun

    def step(self, seconds: float) -> None:
        """Time passes."""
        self._now += seconds
        self._spun += seconds

    def of(self, orbit: Orbit) -> Camera:
        """Returns what is seen."""
        handicap = self._handicap
        if self._spun < handicap.spins * SPIN_S:
            orbit = orbit.turned(360.0 * self._spun / SPIN_S, 0.0)
        if handicap.eye_mm > 0.0:
            rise = handicap.eye_mm / 1e3 - orbit.target[2]
            orbit = replace(
                orbit, elevation=math.degrees(math.asin(max(-0.4, min(0.9, rise / orbit.distance))))
            )
        camera = over_the_table(orbit).camera
        if not handicap.depth_cues:
            times = math.tan(math.radians(camera.fov) / 2) / math.tan(math.radians(FLAT_FOV) / 2)
            far = over_the_table(replace(orbit, distance=orbit.distance * times))
            camera = replace(far.camera, fov=FLAT_FOV)
        if handicap.sway_mm > 0.0:
            x, y, z = (np.asarray(camera.eye) + self._sway.at(self._now)).tolist()
            camera = replace(camera, eye=(x, y, z))
        return camera


class CameraController:
    """Where a person looks from. sphere: what is to be seen. eye: what is done to it."""

    def __init__(
        self, sphere: BoundingSphere, eye: CameraHandicap, *, azimuth: float = -72.0, elevation: float = 24.0
    ) -> None:
        self._sphere = sphere
        self.eye = eye
        self._home = replace(orbit_of(sphere), azimuth=azimuth % 360.0, elevation=elevation)
        self.orbit = self._goal = self._home
        self._view = 0
        self._is_first = True
        self._obstacles: tuple[Array, Array, Array] | None = None
        self.is_following = False
        self.is_locked = False
        self._is_mine = False
        """Whether somebody has moved or zoomed."""
        self._free = self._free_goal = (0.0, 0.0)
        """How far to the right and up what is looked at is seen, in picture heights from the middle of the picture."""
        self._seen: tuple[object, Camera] | None = None

    @property
    def camera(self) -> Camera:
        """Where it looks from now."""
        # asked for a dozen times a picture
        now = (self.orbit, self._free, self.eye.moment)
        if self._seen is None or self._seen[0] != now:
            self._seen = (now, self.eye.of(self.orbit.panned(-self._free[0], -self._free[1])))
        return self._seen[1]

    def frame(self, tower: Array, others: Array, aspect: float, *clears: Clear) -> None:
        """See a tower, and what else must be seen, corners (n, 3), in that part of the picture which panels leave free
        in which all is largest: as long as nobody has moved or zoomed. aspect: width by height."""
        if self._is_mine or self.is_locked:
            return
        ahead = self._goal.camera.axes[1]
        cameras = (framed(self._goal.camera, tower, others, aspect, clear) for clear in clears)
        camera = max(cameras, key=lambda camera: float(ahead @ np.asarray(camera.eye)))
        middle = (tower.min(axis=0) + tower.max(axis=0)) / 2.0
        right, ahead, up = (camera.axes @ (middle - np.asarray(camera.eye))).tolist()
        high = 2.0 * ahead * math.tan(math.radians(camera.fov) / 2.0)
        goal = replace(self._goal, target=vector_of(middle), distance=min(ahead, MAX_DISTANCE_M))
        shift = (right / high, up / high)
        moved = math.dist(goal.target, self._goal.target) + abs(goal.distance - self._goal.distance)
        if self._is_first:
            self._is_first, self._home = False, goal
            self._set(goal)
            self.orbit, self._free, self._free_goal = self._goal, shift, shift
        elif moved > UNFELT * goal.distance or math.dist(shift, self._free_goal) > UNFELT:
            self._set(goal)
            self._free_goal = shift

    def drag(self, right: float, down: float, high: float, *, is_pan: bool = False) -> None:
        """The pointer was dragged by pixels, in a window so many pixels high."""
        if self.is_locked:
            return
        self._is_mine |= is_pan
        self._set(self._goal.dragged(right, down, high, is_pan=is_pan))
        self.orbit = self._goal

    def zoom(self, notches: float, toward: Vector | None = None) -> None:
        """Nearer (positive) or further away."""
        if not self.is_locked:
            self._is_mine = True
            self._set(self._goal.zoomed(ZOOM**notches, toward))

    def next_view(self) -> None:
        """Go to the next preset."""
        if self.is_locked:
            return
        self._view = (self._view + 1) % len(VIEWS)
        view, self._is_mine = VIEWS[self._view], VIEWS[self._view] == "close"
        if view == "three-quarter":
            self._set(self._home)
        elif view == "close":
            self._set(replace(self._goal, distance=0.45, elevation=18.0))
        else:
            self._set(orbit_of(self._sphere, view))

    def go_home(self) -> None:
        """Look from where one looked first."""
        if not self.is_locked:
            self._is_mine = False
            self._set(self._home)

    def look_at(self, place: Vector) -> None:
        """Follow a place, when following."""
        if self.is_following and not self.is_locked:
            self._set(replace(self._goal, target=place))

    def keep_in_view(self, place: Vector, aspect: float) -> None:
        """Move along until a place is in the picture, so many times as wide as it is high."""
        for _ in range(MAX_TRIES if self._is_mine else 0):
            camera = self._goal.camera
            right, ahead, up = (camera.axes @ np.subtract(place, camera.eye)).tolist()
            half = IN_VIEW * math.tan(math.radians(camera.fov) / 2.0) * max(ahead, 1e-6)
            low = -half * OVER_PANELS / IN_VIEW
            if self.is_locked or (ahead > 0.0 and low < up < half and abs(right) < half * aspect):
                return
            x, y, z = (t + 0.1 * (p - t) for t, p in zip(self._goal.target, place, strict=True))
            self._set(replace(self._goal, target=(x, y, z)))

    def keep_out_of(self, frame: Frame, pieces: Mapping[str, Piece], held: str) -> None:
        """Where everything is that the eye must not be in; the piece in the hand is not among it."""
        rows = [row for row, name in enumerate(frame.names) if name not in (held, TABLE) and name in pieces]
        if not rows:
            self._obstacles = None
            return
        halves = np.array([pieces[frame.names[row]].extents / 2.0 + AIR for row in rows])
        self._obstacles = (frame.poses[rows, :3], matrices_of(frame.poses[rows, 3:]), halves)

    def _outside(self, orbit: Orbit) -> Orbit:
        """The orbit with its eye over the table and in no piece."""
        x, y, z = orbit.target
        target = (min(max(x, -FAR), FAR), min(max(y, -FAR), FAR), min(max(z, 0.0), FAR))
        orbit = over_the_table(replace(orbit, target=target))
        for _ in range(MAX_TRIES):
            if self._obstacles is None:
                break
            places, turned, halves = self._obstacles
            away = np.einsum("nij,ni->nj", turned, np.asarray(orbit.camera.eye) - places)
            if not (np.abs(away) < halves).all(axis=1).any():
                break
            orbit = replace(orbit, distance=1.1 * orbit.distance)
        return orbit

    def step(self, seconds: float) -> None:
        """Go on for so many seconds."""
        self.eye.step(seconds)
        if self._free != self._free_goal:
            part = 1.0 - math.exp(-4.0 * seconds / SWING_S)
            aside, up = (
                old + part * (new - old) for old, new in zip(self._free, self._free_goal, strict=True)
            )
            self._free = (aside, up)
            if math.dist(self._free, self._free_goal) < 1e-3:
                self._free = self._free_goal
        if self.orbit != self._goal:
            part = 1.0 - math.exp(-4.0 * seconds / SWING_S)
            self.orbit = self._outside(self.orbit.towards(self._goal, part))
            if _near(self.orbit, self._goal):
                self.orbit = self._goal

    def _set(self, goal: Orbit) -> None:
        self._goal = self._outside(goal)


class Gliding:
    """An eye that goes over to another director and back without a jump: a spring without swing, around its target."""

    def __init__(self) -> None:
        self._at: Array | None = None
        self._speed: Array = np.zeros(7)

    def step(self, shown: Camera | None, own: Camera, seconds: float) -> Camera:
        """Returns what is seen. shown: what somebody else directs, None for nothing. own: what the person looks at."""
        if shown is None and self._at is None:
            return own
        goal = _row(shown or own)
        if self._at is None:
            self._at, self._speed = _row(own), np.zeros(7)
        goal[4] = self._at[4] + (goal[4] - self._at[4] + 180.0) % 360.0 - 180.0
        steps = max(1, math.ceil(seconds / 0.02))
        for _ in range(steps):
            away = goal - self._at
            self._speed = self._speed + (STIFF**2 * away - 2.0 * STIFF * self._speed) * seconds / steps
            self._at = self._at + self._speed * seconds / steps
        x, y, z, size, azimuth, elevation, fov = self._at.tolist()
        distance = math.exp(size) / math.tan(math.radians(fov) / 2.0)
        camera = over_the_table(Orbit((x, y, z), distance, azimuth, elevation)).camera
        if shown is None and bool((np.abs(goal - self._at) < NEAR).all()):
            self._at = None
            return own
        return replace(camera, fov=fov)


def _row(camera: Camera) -> Array:
    """Target, logarithm of the half height that is seen there, azimuth, elevation, field of view."""
    half = camera.distance * math.tan(math.radians(camera.fov) / 2.0)
    return np.array([*camera.target, math.log(half), *angles(camera), camera.fov])


def over_the_table(orbit: Orbit) -> Orbit:
    """The orbit with its eye over the table's plane, however far away."""
    lowest = math.degrees(math.asin(min(max((EYE_LOW - orbit.target[2]) / orbit.distance, -1.0), 1.0)))
    return replace(orbit, elevation=max(orbit.elevation, lowest))


def _near(one: Orbit, other: Orbit) -> bool:
    distance = math.dist(one.target, other.target) + abs(one.distance - other.distance)
    turn = abs((one.azimuth - other.azimuth + 180.0) % 360.0 - 180.0) + abs(one.elevation - other.elevation)
    return distance < 1e-4 and turn < 0.02


def sphere_of(bodies: Iterable[Body]) -> BoundingSphere:
    """What is to be seen of a table: all pieces and the place in the middle where towers are built."""
    listed = tuple(body for body in bodies if body.name != TABLE)
    if not listed:
        return BoundingSphere((0.0, 0.0, 0.06), 0.25)
    sphere = bounding_sphere(listed)
    x, y, z = sphere.centre
    return BoundingSphere((0.6 * x, 0.6 * y, max(z, 0.05)), min(max(sphere.radius, 0.2), 0.62))
