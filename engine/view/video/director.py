"""Cameras of a film. All that happens is known beforehand, so moves are planned, eased, and never in a hurry.

What must be in the frame is an upright cylinder: where the piece is and where it will be laid; wide before a fall,
close on the piece that sets off, wide again. The path is the plan smoothed by a Gaussian in time, so there are no cuts,
and the eye stays outside every cylinder; of the directions it may look from, the one with the fewest pieces in the way
is taken.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from teeter.engine.pose import vector_of
from teeter.engine.record.motion import Carry, Collapse
from teeter.engine.view.camera import Camera
from teeter.engine.view.video.scenery import Scenery
from teeter.models.piece import Array

CameraName = Literal["director", "follow", "orbit", "front"]
CAMERAS: tuple[CameraName, ...] = ("director", "follow", "orbit", "front")

FALLS = "It falls!"
"""What is said when something begins to come down."""
FOV = 28.0
FILL = 0.82
"""Part of the frame that the cylinder may take, along each side."""
FRONT_DEG = -62.0
"""Degrees: from where people like to look, a little from the right of the front."""
AZIMUTHS = (0.0, -25.0, 25.0, -50.0, 50.0, 80.0, -80.0)
ELEVATIONS = (20.0, 32.0, 46.0)
AZIMUTH_COST, ELEVATION_COST, MOVE_COST = 0.012, 0.025, 0.006
"""What a degree away from the front, above the lowest eye, and from the last shot is worth, in pieces in the way."""
SMOOTH_S = 0.55
"""Seconds: the standard deviation of the Gaussian by which places and sizes are smoothed; directions take twice as
long."""
ORBIT_SPEED = 14.0
"""Degrees a second."""
DRIFT_DEG, DRIFT_PERIOD_S = 5.0, 11.0
"""Amplitude and period of the slow swing that keeps a film alive."""
AHEAD_S = 1.2
"""Seconds before a fall in which the whole tower is in the frame, and before a carry in which the hand is."""
LINGER_S = 0.8
"""Seconds after a fall for which the eye stays low."""
LOW_DEG, MAX_TURN_DEG = 7.0, 40.0
"""Elevation of the eye at a fall; and how far it goes round to see it sideways."""
LET_GO = 4.0
"""What falls farther from the tower than so many times its size is not followed."""
MAX_RADIUS, MAX_HALF = 1.6, 1.15
"""Of what a fall shows, in half heights of the tower as it stood: it keeps more than half of the picture's height."""
OFF_TABLE_M = -0.1
"""Metres: what lies lower has left the table."""
ROOM = 1.5
"""Around a wreck, in its size: what is said of it is written below."""
DOWN_S = 0.6
"""Seconds after the fastest moment of a fall, at which most of it is down."""
HAND_M, DRAWN_HAND_M = 0.13, 0.03
"""Metres above a piece in which the hand is seen: to the middle of its palm, held from above and from the side."""
MIN_HALF_SIZE = 0.045
"""Metres: half the size of the smallest thing that fills a frame."""


@dataclass(frozen=True, slots=True)
class FramedCylinder:
    """An upright cylinder that must be in the frame. centre, radius, half (of its height): metres."""

    centre: tuple[float, float, float]
    radius: float
    half: float


def cylinder_of(points: Array) -> FramedCylinder:
    """Returns the cylinder around points (n, 3)."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre = (low + high) / 2
    radius = float(np.linalg.norm(points[:, :2] - centre[:2], axis=1).max())
    half = float(high[2] - low[2]) / 2
    return FramedCylinder(vector_of(centre), max(radius, MIN_HALF_SIZE), max(half, MIN_HALF_SIZE))


@dataclass(frozen=True, slots=True, eq=False)
class CameraPath:
    """Where the eye is, frame by frame. eyes, targets: (n, 3) metres. fov: vertical, degrees."""

    eyes: Array
    targets: Array
    fov: float = FOV

    def camera(self, number: int, part: float = 0.0) -> Camera:
        """Returns the camera of a frame, or a part of the way to that of the next one."""
        after = min(number + 1, len(self.eyes) - 1)
        eye, target = (
            rows[number] + part * (rows[after] - rows[number]) for rows in (self.eyes, self.targets)
        )
        return Camera(vector_of(eye), vector_of(target), self.fov)


def path(name: CameraName, scenery: Scenery, moments: Array, rate: float, aspect: float) -> CameraPath:
    """Returns the path of a camera. moments: (n,) seconds of the recording, one a frame. rate: frames a second. aspect:
    width by height."""
    whole = cylinder_of(scenery.everything())
    if name in ("orbit", "front"):
        cylinders = np.tile(_row(whole), (len(moments), 1))
        azimuths = FRONT_DEG + (ORBIT_SPEED if name == "orbit" else 0.0) / rate * np.arange(len(moments))
        elevations = np.full(len(moments), 20.0)
    else:
        plan = np.array([_row(_wanted(scenery, float(moment), whole)) for moment in moments])
        plan[:, 3:] = np.log(plan[:, 3:])
        cylinders = _smoothed(plan, SMOOTH_S * rate)
        cylinders[:, 3:] = np.exp(cylinders[:, 3:])
        if name == "follow":
            azimuths, elevations = np.full(len(moments), FRONT_DEG), np.full(len(moments), 24.0)
        else:
            angles = _smoothed(_angles(scenery, moments), 2 * SMOOTH_S * rate)
            swing = DRIFT_DEG * np.sin(2 * np.pi * np.arange(len(moments)) / (DRIFT_PERIOD_S * rate))
            azimuths, elevations = angles[:, 0] + swing, angles[:, 1]
    return _placed(cylinders, np.radians(azimuths), np.radians(elevations), aspect)


def _row(cylinder: FramedCylinder) -> Array:
    return np.array([*cylinder.centre, cylinder.radius, cylinder.half])


def _wanted(scenery: Scenery, moment: float, whole: FramedCylinder) -> FramedCylinder:
    """Returns what should be in the frame at a moment."""
    shot = scenery.shot_at(moment)
    fall = _fall_at(scenery, moment, AHEAD_S)
    if fall is not None:
        return _of_collapse(scenery, fall, moment)
    if shot is None:
        return whole
    carry, _ = shot
    tower = scenery.tower(carry)
    if not carry.begin - AHEAD_S <= moment <= carry.end:
        return cylinder_of(tower)
    # where it is, and where it will be in a moment, with the hand above it, if it is not held from the side
    corners, high = [tower], DRAWN_HAND_M if scenery.is_drawn(carry) else HAND_M
    for later in (0.0, 0.6, 1.2):
        now = scenery.corners(min(max(moment + later, carry.begin), carry.end), (carry.body,))
        corners += [now, now[-1:] + np.array([0.0, 0.0, high])]
    return cylinder_of(np.concatenate(corners))


def _of_collapse(scenery: Scenery, collapse: Collapse, moment: float) -> FramedCylinder:
    """Returns the tower as it stood with what comes down around it, no wider than leaves the tower its share; when it
    is down the wreck, where half of a tower lies there."""
    tower = cylinder_of(tower_of(scenery, collapse))
    # who goes first may lie apart from what comes down with it
    stood = scenery.corners(collapse.begin, collapse.fallen)
    now = scenery.corners(min(max(moment, collapse.begin), collapse.end), collapse.fallen)
    size = max(tower.half, tower.radius)
    near = np.linalg.norm(now[:, :2] - tower.centre[:2], axis=1) < LET_GO * size
    wreck = now[near & (now[:, 2] > OFF_TABLE_M)]
    if moment > collapse.crash + DOWN_S and len(wreck) > len(tower_of(scenery, collapse)) / 2:
        lies = cylinder_of(wreck)
        return FramedCylinder(lies.centre, ROOM * lies.radius, ROOM * lies.half)
    wide = cylinder_of(np.concatenate([tower_of(scenery, collapse), stood, now[near]]))
    radius, half = min(wide.radius, MAX_RADIUS * size), min(wide.half, MAX_HALF * size)
    # what is left out is what lies farthest from the tower
    x, y, z = wide.centre + (np.array(tower.centre) - wide.centre) * [
        *2 * [1 - radius / wide.radius],
        1 - half / wide.half,
    ]
    return FramedCylinder((float(x), float(y), float(z)), radius, half)


def _fall_at(scenery: Scenery, moment: float, ahead: float) -> Collapse | None:
    """Returns the fall that is looked at, from so many seconds before it until a hand takes the next piece, or what
    fell is put elsewhere."""
    fall = next((fall for fall in scenery.motion.collapses[::-1] if fall.begin - ahead <= moment), None)
    if fall is None or moment <= fall.end:
        return fall
    shot, motion = scenery.shot_at(moment), scenery.motion
    if shot is not None and shot[0].begin > fall.crash:
        return None
    put = motion.put[motion.at(fall.end) : motion.at(moment) + 1, fall.fallen]
    return None if put.any() else fall


def subject_at(scenery: Scenery, moment: float) -> Array:
    """Returns corners (n, 3) of what is looked at: a tower, and what lately came down."""
    shot = scenery.shot_at(moment)
    corners = [scenery.everything() if shot is None else scenery.tower(shot[0])]
    fall = _fall_at(scenery, moment, AHEAD_S / 2)
    if fall is not None:
        now = scenery.corners(max(moment, fall.begin), fall.fallen)
        corners = [tower_of(scenery, fall), now] if moment < fall.crash else [now]
    return np.concatenate(corners)


def tower_of(scenery: Scenery, collapse: Collapse) -> Array:
    """Returns corners of the highest of what stood together when a collapse began."""
    groups = [scenery.around(collapse.begin - 0.1, body) for body in collapse.fallen]
    apart = {id(points): points for points in groups}.values()
    return max(apart, key=lambda points: float(np.ptp(points[:, 2])))


def _angles(scenery: Scenery, moments: Array) -> Array:
    """Returns azimuths and elevations (n, 2), degrees, the same pair for all of one shot."""
    angles: dict[Carry | None, tuple[float, float]] = {}
    last = (FRONT_DEG, ELEVATIONS[0])
    rows = []
    falls = [(fall, _across(scenery, fall)) for fall in scenery.motion.collapses]
    for moment in moments:
        shot = scenery.shot_at(float(moment))
        carry = None if shot is None else shot[0]
        if carry not in angles:
            angles[carry] = last = (FRONT_DEG, 24.0) if carry is None else _direction(scenery, carry, last)
        fall = next(
            (way for fall, way in falls if fall.begin - AHEAD_S / 2 <= moment <= fall.end + LINGER_S), None
        )
        azimuth, elevation = angles[carry]
        if fall is not None:
            # the nearer of the two sides from which it is seen to fall sideways
            turn = (fall - azimuth + 90.0) % 180.0 - 90.0
            azimuth, elevation = azimuth + min(max(turn, -MAX_TURN_DEG), MAX_TURN_DEG), LOW_DEG
        rows.append((azimuth, elevation))
    return np.array(rows)


def _across(scenery: Scenery, collapse: Collapse) -> float:
    """Returns the azimuth, degrees, from which a collapse is seen to fall sideways."""
    moves = [scenery.corners(t, collapse.fallen).mean(axis=0) for t in (collapse.begin, collapse.end)]
    x, y, _ = moves[1] - moves[0]
    return math.degrees(math.atan2(y, x)) + 90.0


def _direction(scenery: Scenery, carry: Carry, last: tuple[float, float]) -> tuple[float, float]:
    """Returns from where a placing is seen best: with the fewest pieces between it and the eye."""
    goal = scenery.corners(carry.end, (carry.body,)).mean(axis=0)
    tower = scenery.tower(carry)
    cylinder = cylinder_of(tower)
    away = 2.2 * (cylinder.radius + cylinder.half) / math.tan(math.radians(FOV) / 2)
    places, reach = scenery.spheres(carry.end, without=carry.body)
    costs = []
    for elevation in ELEVATIONS:
        for azimuth in AZIMUTHS:
            ray = _rays(np.radians(FRONT_DEG + azimuth), np.radians(elevation))
            along = np.clip((places - goal) @ ray, 0.0, away)
            miss = np.linalg.norm(places - goal - along[:, None] * ray, axis=1)
            hidden = float((miss < 0.6 * reach).sum())
            cost = hidden + AZIMUTH_COST * abs(azimuth) + ELEVATION_COST * (elevation - ELEVATIONS[0])
            cost += MOVE_COST * (abs(FRONT_DEG + azimuth - last[0]) + abs(elevation - last[1]))
            costs.append((cost, FRONT_DEG + azimuth, elevation))
    # flat things are looked down upon
    lift = 12.0 * max(0.0, 1.0 - cylinder.half / cylinder.radius)
    best = min(costs)
    return best[1], best[2] + lift


def _rays(azimuths: Array, elevations: Array) -> Array:
    """Returns unit vectors (..., 3) towards eyes; radians."""
    level = np.cos(elevations)
    return np.stack([level * np.cos(azimuths), level * np.sin(azimuths), np.sin(elevations)], axis=-1)


def _smoothed(rows: Array, deviation: float) -> Array:
    """Returns rows (n, k) smoothed by a Gaussian in time, ends held."""
    half = max(1, round(3 * deviation))
    weights = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)
    wide = np.pad(rows, ((half, half), (0, 0)), mode="edge")
    columns = [np.convolve(column, weights / weights.sum(), mode="valid") for column in wide.T]
    return np.array(columns).T


def _placed(cylinders: Array, azimuths: Array, elevations: Array, aspect: float) -> CameraPath:
    """Returns eyes at the distance from which each cylinder fills its part of the frame."""
    tangent = math.tan(math.radians(FOV) / 2)
    high = cylinders[:, 4] * np.cos(elevations) + cylinders[:, 3] * np.sin(elevations)
    away = np.maximum(high / tangent, cylinders[:, 3] / (tangent * aspect)) / FILL + cylinders[:, 3]
    rays = _rays(azimuths, elevations)
    targets = cylinders[:, :3].copy()
    # the captions stand below: the subject a little above the middle
    targets[:, 2] -= 0.10 * away * tangent
    return CameraPath(targets + rays * away[:, None], targets)
