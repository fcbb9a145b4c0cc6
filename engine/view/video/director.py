"""Cameras of a film. All that happens is known beforehand, so moves are planned, eased, and never in a hurry.

What is to be seen is an upright drum (`Drum`): where the piece is and where it will be laid; wide before a fall, close
on the piece that sets off, wide again. The path is the plan under a bell in time, so there are no cuts, and the eye
stays outside every drum; of the directions it may look from the one is taken that has least in the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.record.motion import Collapse, Grip
from engine.view.video.story import Scenery

Array = NDArray[np.float64]
CameraName = Literal["director", "follow", "orbit", "front"]
CAMERAS: tuple[CameraName, ...] = ("director", "follow", "orbit", "front")

FOV = 28.0
FILL = 0.76
"""Part of the picture that the drum may take, along each side."""
FRONT = -62.0
"""Degrees: from where people like to look, a little from the right of the front."""
TURNS = (0.0, -25.0, 25.0, -50.0, 50.0, 80.0, -80.0)
RISES = (20.0, 32.0, 46.0)
TURN_COST, RISE_COST, MOVE_COST = 0.012, 0.025, 0.006
"""What a degree away from the front, above the lowest eye, and from the last shot is worth, in pieces in the way."""
SMOOTH = 0.55
"""Seconds: the standard deviation of the bell under which places and sizes move; directions take twice as long."""
ORBIT = 14.0
"""Degrees a second."""
DRIFT, DRIFT_TIME = 5.0, 11.0
"""Degrees and seconds of the slow swing that keeps a picture alive."""
AHEAD = 1.2
"""Seconds before a fall in which the whole tower is in the picture."""
CLOSE = 0.7
"""Seconds for which the piece that sets off is seen close."""
LEAST = 0.045
"""Metres: half of the least that fills a picture."""


@dataclass(frozen=True, slots=True)
class Drum:
    """An upright cylinder that must be in the picture. centre: metres; radius, half: of its width and height."""

    centre: tuple[float, float, float]
    radius: float
    half: float


def drum_of(points: Array) -> Drum:
    """The drum around points (n, 3)."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre = (low + high) / 2
    radius = float(np.linalg.norm(points[:, :2] - centre[:2], axis=1).max())
    x, y, z = (float(value) for value in centre)
    return Drum((x, y, z), max(radius, LEAST), max(float(high[2] - low[2]) / 2, LEAST))


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Where the eye is, picture by picture. eyes, targets: (n, 3) metres. fov: vertical, degrees."""

    eyes: Array
    targets: Array
    fov: float = FOV


def path(name: CameraName, scenery: Scenery, moments: Array, rate: float, aspect: float) -> Path:
    """The camera's way. moments: (n,) seconds of the recording, one a picture. rate: pictures a second. aspect: width
    by height."""
    whole = drum_of(scenery.everything())
    if name in ("orbit", "front"):
        drums = np.tile(_row(whole), (len(moments), 1))
        turns = FRONT + (
            ORBIT / rate * np.arange(len(moments)) if name == "orbit" else np.zeros(len(moments))
        )
        rises = np.full(len(moments), 20.0)
    else:
        plan = np.array([_row(_wanted(name, scenery, float(moment), whole)) for moment in moments])
        plan[:, 3:] = np.log(plan[:, 3:])
        drums = _bell(plan, SMOOTH * rate)
        drums[:, 3:] = np.exp(drums[:, 3:])
        if name == "follow":
            turns, rises = np.full(len(moments), FRONT), np.full(len(moments), 24.0)
        else:
            angles = _bell(_angles(scenery, moments), 2 * SMOOTH * rate)
            swing = DRIFT * np.sin(2 * np.pi * np.arange(len(moments)) / (DRIFT_TIME * rate))
            turns, rises = angles[:, 0] + swing, angles[:, 1]
    return _placed(drums, np.radians(turns), np.radians(rises), aspect)


def _row(drum: Drum) -> Array:
    return np.array([*drum.centre, drum.radius, drum.half])


def _wanted(name: CameraName, scenery: Scenery, moment: float, whole: Drum) -> Drum:
    """What should be in the picture at a moment."""
    collapse = next(
        (each for each in scenery.motion.collapses if each.begin - AHEAD <= moment <= each.end + AHEAD), None
    )
    if collapse is not None:
        return _of_collapse(name, scenery, collapse, moment)
    shot = scenery.shot_at(moment)
    if shot is None:
        return whole
    grip, laid = shot
    tower = scenery.tower(grip)
    if grip.begin - 0.4 <= moment <= grip.end:
        # where it is, and where it will be in a moment
        for later in (0.0, 0.6):
            tower = np.concatenate([tower, scenery.corners(min(moment + later, grip.end), (grip.body,))])
        if laid - moment > 1.6:
            # the hand above it is to be seen as well
            tower = np.concatenate([tower, tower[-1:] + np.array([0.0, 0.0, 0.07])])
    return drum_of(tower)


def _of_collapse(name: CameraName, scenery: Scenery, collapse: Collapse, moment: float) -> Drum:
    # who goes first may lie apart from what comes down with it
    stood = scenery.corners(collapse.begin, collapse.fallen)
    wide = np.concatenate([scenery.around(collapse.begin - 0.1, collapse.first), stood])
    close = max(collapse.begin, collapse.crash - CLOSE - 0.3)
    if close <= moment < close + CLOSE and name == "director":
        piece = drum_of(scenery.corners(moment, (collapse.first,)))
        all_of_it = drum_of(wide)
        return Drum(
            piece.centre,
            max(1.6 * piece.radius, 0.6 * all_of_it.radius),
            max(piece.half, 0.6 * all_of_it.half),
        )
    now = scenery.corners(min(max(moment, collapse.begin), collapse.end), collapse.fallen)
    # what flies far is let go
    near = np.linalg.norm(now - wide.mean(axis=0), axis=1) < 2.2 * np.ptp(wide, axis=0).max() + 0.1
    return drum_of(np.concatenate([wide, now[near]]))


def _angles(scenery: Scenery, moments: Array) -> Array:
    """(n, 2) degrees around and above, one pair for each shot."""
    found: dict[Grip | None, tuple[float, float]] = {}
    last = (FRONT, RISES[0])
    rows = []
    for moment in moments:
        shot = scenery.shot_at(float(moment))
        grip = None if shot is None else shot[0]
        if grip not in found:
            found[grip] = last = (FRONT, 24.0) if grip is None else _direction(scenery, grip, last)
        rows.append(found[grip])
    return np.array(rows)


def _direction(scenery: Scenery, grip: Grip, last: tuple[float, float]) -> tuple[float, float]:
    """From where a placing is seen best: with the fewest pieces between it and the eye."""
    goal = scenery.corners(grip.end, (grip.body,)).mean(axis=0)
    tower = scenery.tower(grip)
    drum = drum_of(tower)
    away = 2.2 * (drum.radius + drum.half) / math.tan(math.radians(FOV) / 2)
    places, reach = scenery.spheres(grip.end, without=grip.body)
    costs = []
    for rise in RISES:
        for turn in TURNS:
            ray = _ray(math.radians(FRONT + turn), math.radians(rise))
            along = np.clip((places - goal) @ ray, 0.0, away)
            miss = np.linalg.norm(places - goal - along[:, None] * ray, axis=1)
            hidden = float((miss < 0.6 * reach).sum())
            cost = hidden + TURN_COST * abs(turn) + RISE_COST * (rise - RISES[0])
            cost += MOVE_COST * (abs(FRONT + turn - last[0]) + abs(rise - last[1]))
            costs.append((cost, FRONT + turn, rise))
    # flat things are looked down upon
    lift = 12.0 * max(0.0, 1.0 - drum.half / drum.radius)
    best = min(costs)
    return best[1], best[2] + lift


def _ray(turn: float, rise: float) -> Array:
    return np.array([math.cos(rise) * math.cos(turn), math.cos(rise) * math.sin(turn), math.sin(rise)])


def _bell(rows: Array, deviation: float) -> Array:
    """Rows (n, k) under a Gaussian in time, ends held."""
    half = max(1, round(3 * deviation))
    bell = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)
    wide = np.pad(rows, ((half, half), (0, 0)), mode="edge")
    columns = [np.convolve(column, bell / bell.sum(), mode="valid") for column in wide.T]
    return np.array(columns).T


def _placed(drums: Array, turns: Array, rises: Array, aspect: float) -> Path:
    """Eyes at the distance from which each drum fills its part of the picture."""
    tangent = math.tan(math.radians(FOV) / 2)
    high = drums[:, 4] * np.cos(rises) + drums[:, 3] * np.sin(rises)
    away = np.maximum(high / tangent, drums[:, 3] / (tangent * aspect)) / FILL + drums[:, 3]
    rays = np.stack([np.cos(rises) * np.cos(turns), np.cos(rises) * np.sin(turns), np.sin(rises)], axis=1)
    targets = drums[:, :3].copy()
    # the captions stand below: the subject a little above the middle
    targets[:, 2] -= 0.10 * away * tangent
    return Path(targets + rays * away[:, None], targets)
