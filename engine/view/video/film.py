"""A film: for every frame of it where everything is, where the eye is, and what is written over it. Plain values.

A film is planned as a whole and drawn frame by frame, in any order and by any number of processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.record.motion import Motion
from engine.record.reader import Replay
from engine.view.camera import Camera
from engine.view.frame import Frame
from engine.view.opengl import ViewError
from engine.view.panels import Panel
from engine.view.render import mannequin
from engine.view.video import captions, director
from engine.view.video.captions import Telling
from engine.view.video.pace import Timing, timing_of
from engine.view.video.recipe import MAX_FRAMES, Recipe, between
from engine.view.video.scenery import Holder, Scenery, scenery_of
from engine.world import FLOOR, TABLE, Body

Array = NDArray[np.float64]

TITLE_S, CLOSING_S = 2.4, 2.6
"""Seconds that the title and the result stay."""
REACH_IN_S, REACH_OUT_S = 0.35, 0.45
"""Seconds on the screen in which the hand comes and goes."""
REACH_DISTANCE = 0.30
"""Metres from which it comes."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One frame of a film, to be drawn."""

    frame: Frame
    camera: Camera
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """bodies: all that is on stage. moments: (n,) seconds of the recording, one for each frame. poses: (n, bodies,
    7), NaN where absent; in the order of `names`."""

    recipe: Recipe
    bodies: tuple[Body, ...]
    names: tuple[str, ...]
    moments: Array
    poses: NDArray[np.float32]
    path: director.CameraPath
    panels: tuple[tuple[Panel, ...], ...]
    timing: Timing
    motion: Motion
    lead: float
    fixed_names: tuple[str, ...]
    fixed_poses: Array

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def seconds(self) -> float:
        """Returns how long it runs."""
        return len(self.moments) / self.recipe.fps

    def shot(self, number: int) -> Shot:
        """Returns a frame of the film."""
        poses = np.concatenate([self.fixed_poses, self.poses[number].astype(np.float64)])
        x, y, z = (float(value) for value in self.path.eyes[number])
        u, v, w = (float(value) for value in self.path.targets[number])
        camera = Camera((x, y, z), (u, v, w), self.path.fov)
        return Shot(Frame((*self.fixed_names, *self.names), poses), camera, self.panels[number])

    def unlike(self) -> NDArray[np.bool_]:
        """Returns for each frame (n,) whether it differs from the one before it; the first does."""
        found = np.ones(len(self), bool)
        for rows in (self.poses, self.path.eyes, self.path.targets):
            same = (rows[1:] == rows[:-1]) | (np.isnan(rows[1:]) & np.isnan(rows[:-1]))
            found[1:] &= same.reshape(len(rows) - 1, -1).all(axis=1)
        found[1:] &= [a == b for a, b in zip(self.panels[1:], self.panels[:-1], strict=True)]
        found[1:] = ~found[1:]
        return found

    def screen(self, moment: float) -> float:
        """Returns the second of the film at which a moment of the recording is seen."""
        return self.lead + float(self.timing.seen(np.array([moment]))[0])


def film_of(replay: Replay, bodies: Sequence[Body], telling: Telling, recipe: Recipe) -> Film:
    """Returns the film of a recording. bodies: of the recording, with their pieces. Raises ViewError."""
    recipe = between(recipe, replay.seconds)
    known = {body.name: body for body in bodies}
    missing = [name for name in replay.meta.names if name not in known and name != FLOOR]
    if missing:
        raise ViewError(f'{replay.path}: the piece "{missing[0]}" is not known here')
    scenery = scenery_of(replay, bodies)
    motion = scenery.motion
    timing = timing_of(
        motion,
        (recipe.begin or 0.0, recipe.end or 0.0),
        pace=recipe.pace,
        speed=recipe.speed,
        slow_fall=recipe.slow_fall,
    )
    lead, tail = (TITLE_S, CLOSING_S) if recipe.cards else (0.0, 0.0)
    count = max(1, round((lead + timing.seconds + tail) * recipe.fps))
    if count > MAX_FRAMES:
        raise ViewError(
            f"the video would have {count} frames; at most {MAX_FRAMES}: use --from, --to or --speed"
        )
    screen = np.arange(count) / recipe.fps
    moments = timing.shown(screen - lead)
    names, poses, shown = _seen(scenery, known, timing, screen - lead, moments, recipe)
    aspect = recipe.size[0] / recipe.size[1]
    path = director.path(recipe.camera, scenery, moments, recipe.fps, aspect)
    panels = captions.panels(telling, timing, screen, lead, tail, recipe)
    table = [body for body in bodies if body.name == TABLE]
    rows = [(*body.pose.position, *body.pose.orientation) for body in table]
    return Film(
        recipe,
        (*table, *shown),
        names,
        moments,
        poses,
        path,
        panels,
        timing,
        motion,
        lead,
        fixed_names=tuple(body.name for body in table),
        fixed_poses=np.array(rows, dtype=np.float64).reshape(-1, 7),
    )


def _seen(
    scenery: Scenery, known: dict[str, Body], timing: Timing, screen: Array, moments: Array, recipe: Recipe
) -> tuple[tuple[str, ...], NDArray[np.float32], list[Body]]:
    """Returns what is on stage: names, where it is in every frame (n, names, 7), and the bodies. screen: (n,) seconds
    of the film after its title."""
    names = scenery.replay.meta.names
    columns = [n for n, name in enumerate(names) if name not in (TABLE, FLOOR)]
    poses = np.array([scenery.poses(float(moment))[columns] for moment in moments], dtype=np.float32)
    names = tuple(names[n] for n in columns)
    shown = _placed([known[name] for name in names], poses)
    if recipe.hand and scenery.motion.carries:
        poses = np.concatenate(
            [poses, hands_of(scenery, known, timing, screen, moments, recipe.speed)], axis=1
        )
        names = (*names, *mannequin.names())
        # within the scene, whose size light and shadow follow
        shown += [part.at(shown[0].pose) for part in mannequin.hand_bodies()]
    return names, poses, shown


def _placed(bodies: Sequence[Body], poses: NDArray[np.float32]) -> list[Body]:
    """Returns bodies where they are first seen; what is never there lies with the first. poses: (n, bodies, 7)."""
    there: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=2), dtype=np.bool_)
    if not there.any():
        raise ViewError("the recording shows no pieces")
    first = int(np.argmax(there.any(axis=0)))
    columns = [column if there[:, column].any() else first for column in range(len(bodies))]
    rows = [poses[int(np.argmax(there[:, column])), column].tolist() for column in columns]
    return [
        body.at(Pose((x, y, z), (a, b, c, d)))
        for body, (x, y, z, a, b, c, d) in zip(bodies, rows, strict=True)
    ]


def hands_of(
    scenery: Scenery, known: dict[str, Body], timing: Timing, screen: Array, moments: Array, speed: float
) -> NDArray[np.float32]:
    """Returns the hand (n, parts, 7), frame by frame; NaN where there is none.

    Where the film is cut the recording goes on: a carry beyond the cut is seen as long after it (or before it) as it
    would be in a longer film, and while the title or the result stands, the hand stands still with the pieces.
    """
    first, last = float(timing.moments[0]), float(timing.moments[-1])
    is_cut, goes_on = first > 0.0, last < scenery.replay.seconds
    screen = np.clip(screen, 0.0 if is_cut else -np.inf, timing.seconds if goes_on else np.inf)
    cuts = first if is_cut else -np.inf, last if goes_on else np.inf

    def seen(times: list[float]) -> Array:
        found: Array = timing.seen(np.array(times)) + (np.array(times) - np.clip(times, *cuts)) / speed
        return found

    found = np.full((len(moments), len(mannequin.names()), 7), np.nan, dtype=np.float32)
    carries = scenery.motion.carries
    names = scenery.replay.meta.names
    begins, ends = seen([carry.begin for carry in carries]), seen([carry.end for carry in carries])
    for number, carry in enumerate(carries):
        holder = Holder(scenery, known[names[carry.body]], carry)
        # the next carry takes the hand away from this one
        until = min(ends[number] + REACH_OUT_S, begins[number + 1] if number + 1 < len(carries) else np.inf)
        for frame in np.flatnonzero((screen >= begins[number] - REACH_IN_S) & (screen < until)):
            now = float(screen[frame])
            early, late = begins[number] - now, now - ends[number]
            part = max(early / REACH_IN_S, late / REACH_OUT_S, 0.0)
            grasp = holder.at(float(moments[frame]))
            found[frame] = mannequin.poses(grasp.away(REACH_DISTANCE * part * part) if part > 0 else grasp)
    return found
