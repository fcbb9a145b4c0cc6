"""The director of films at a game that goes on: what is known of a fall so far becomes a plan, how fast it is shown
and from where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from teeter.engine.geometry.rotation import rotated
from teeter.engine.pose import Pose
from teeter.engine.record.meta import BodyMeta, Meta, Versions
from teeter.engine.record.reader import Replay
from teeter.engine.view.camera import BOX_CORNERS, Camera
from teeter.engine.view.video import director
from teeter.engine.view.video.pace import Timing, timing_of
from teeter.engine.view.video.scenery import Scenery, scenery_of
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.server.messages import TableView
from teeter.models.piece import Array, Piece

FRAMES = 60
"""Views a second of the table that the director looks at, as many as a recording has."""
PLANNED = 10
"""Pictures a second for which the camera is planned; between them it goes straight."""
MIN_VIEWS = 4
ORIGIN = Pose((0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class FallPlan:
    """What the director makes of a fall. begin, end: seconds of what is kept. fallen: names."""

    timing: Timing
    path: director.CameraPath
    begin: float
    end: float
    fallen: tuple[str, ...]

    def camera(self, seconds: float) -> Camera:
        """Returns from where a moment is seen."""
        at = max(float(self.timing.seen(np.array([seconds]))[0]), 0.0) * PLANNED
        number = min(int(at), len(self.path.eyes) - 1)
        return self.path.camera(number, min(at - number, 1.0))

    def speed(self, seconds: float) -> float:
        """Returns how fast a moment runs."""
        speeds = np.gradient(self.timing.moments, self.timing.screen)
        return float(np.interp(seconds, self.timing.moments, speeds))


def planned(views: Sequence[TableView], pieces: Mapping[str, Piece], aspect: float) -> FallPlan | None:
    """Returns what the director makes of the fall in these views; None where nothing comes down. aspect: width by
    height of the picture."""
    scenery = _scenery(views, pieces)
    if scenery is None or not scenery.motion.collapses:
        return None
    falls = scenery.motion.collapses
    timing = timing_of(scenery.motion, (0.0, scenery.replay.seconds), pace="true", slow_fall=True)
    moments = timing.shown(np.arange(0.0, timing.seconds + 1 / PLANNED, 1 / PLANNED))
    path = director.path("director", scenery, moments, PLANNED, aspect)
    names = scenery.replay.meta.names
    fallen = tuple(sorted({names[n] for fall in falls for n in fall.fallen}))
    return FallPlan(timing, path, falls[0].begin, max(fall.end for fall in falls), fallen)


def _scenery(views: Sequence[TableView], pieces: Mapping[str, Piece]) -> Scenery | None:
    """Returns views as a recording, with what the hand held."""
    last = views[-1]
    names = tuple(name for name in last.names if name in pieces and name != FLOOR)
    kept: list[TableView] = []
    for view in views:
        if view.names == last.names and (not kept or view.step - kept[-1].step >= last.rate / FRAMES):
            kept.append(view)
    if len(kept) < MIN_VIEWS:
        return None
    rows = [last.names.index(name) for name in names]
    first, poses = views[0].step, np.array([view.poses[rows] for view in kept], dtype=np.float32)
    meta = Meta(
        game="live",
        seed=0,
        rate=last.rate,
        versions=Versions.installed(),
        platform="live",
        bodies=tuple(BodyMeta(id=name, model=name) for name in names),
    )
    hand = [
        (view.step - first, {"type": "hand", "target": _target(view)}) for view in kept if view.held in names
    ]
    steps = np.array([view.step - first for view in kept], dtype=np.int64)
    replay = Replay(Path("live"), meta, hand, (), steps, poses, (), is_complete=False)
    return scenery_of(replay, [Body(name, pieces[name], ORIGIN) for name in names if name != TABLE])


def _target(view: TableView) -> list[int]:
    """Returns where the hand holds its piece, as a journal has it."""
    return [round(1e6 * value) for value in view.poses[view.names.index(view.held)].tolist()]


def corners(view: TableView, pieces: Mapping[str, Piece], about: frozenset[str], lowest: float) -> Array:
    """Returns corners (n, 3) of pieces that lie higher than so many metres."""
    there = [
        n
        for n, name in enumerate(view.names)
        if name in about and name in pieces and view.poses[n, 2] > lowest
    ]
    if not there:
        return np.zeros((0, 3))
    poses, half = view.poses[there], np.array([pieces[view.names[n]].extents / 2.0 for n in there])
    return np.asarray((rotated(poses, half[:, None] * BOX_CORNERS) + poses[:, None, :3]).reshape(-1, 3))
