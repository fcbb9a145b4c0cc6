"""A film: for every picture of it where everything is, where the eye is, and what is written over it. Plain values.

A film is planned as a whole and drawn picture by picture, in any order and by any number of processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.record.motion import Grip, Motion, motion_of
from engine.record.reader import Replay
from engine.view import mannequin
from engine.view.camera import Camera
from engine.view.errors import ViewError
from engine.view.frame import Frame
from engine.view.panels import Panel
from engine.view.video import captions, director
from engine.view.video.captions import Line
from engine.view.video.pace import Clock, clock
from engine.view.video.recipe import MOST_PICTURES, Recipe, between
from engine.view.video.story import Scenery
from engine.world import FLOOR, TABLE, Body

Array = NDArray[np.float64]

TITLE, CLOSING = 2.4, 2.6
"""Seconds that the title and the result stay."""
REACH_IN, REACH_OUT = 0.35, 0.45
"""Seconds on the screen in which the hand comes and goes."""
FAR = 0.30
"""Metres from which it comes."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What words go with a recording. lines: of the story, in order. result: one sentence, empty without an end."""

    title: str
    players: tuple[str, ...] = ()
    result: str = ""
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture to be drawn."""

    frame: Frame
    camera: Camera
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """bodies: all that is on stage. moments: (n,) seconds of the recording, one for each picture. poses: (n, bodies,
    7), NaN where absent; in the order of `names`."""

    recipe: Recipe
    bodies: tuple[Body, ...]
    names: tuple[str, ...]
    moments: Array
    poses: NDArray[np.float32]
    path: director.Path
    panels: tuple[tuple[Panel, ...], ...]
    timing: Clock
    motion: Motion
    lead: float
    fixed_names: tuple[str, ...]
    fixed_poses: Array

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def seconds(self) -> float:
        """How long it runs."""
        return len(self.moments) / self.recipe.fps

    def shot(self, number: int) -> Shot:
        """A picture of the film."""
        poses = np.concatenate([self.fixed_poses, self.poses[number].astype(np.float64)])
        x, y, z = (float(value) for value in self.path.eyes[number])
        u, v, w = (float(value) for value in self.path.targets[number])
        camera = Camera((x, y, z), (u, v, w), self.path.fov)
        return Shot(Frame((*self.fixed_names, *self.names), poses), camera, self.panels[number])

    def unlike(self) -> NDArray[np.bool_]:
        """(n,) whether a picture differs from the one before it; the first does."""
        found = np.ones(len(self), bool)
        for rows in (self.poses, self.path.eyes, self.path.targets):
            same = (rows[1:] == rows[:-1]) | (np.isnan(rows[1:]) & np.isnan(rows[:-1]))
            found[1:] &= same.reshape(len(rows) - 1, -1).all(axis=1)
        found[1:] &= [a == b for a, b in zip(self.panels[1:], self.panels[:-1], strict=True)]
        found[1:] = ~found[1:]
        return found

    def screen(self, moment: float) -> float:
        """The second of the film at which a moment of the recording is seen."""
        return self.lead + float(self.timing.seen(np.array([moment]))[0])


def film_of(replay: Replay, bodies: Sequence[Body], telling: Telling, recipe: Recipe) -> Film:
    """A film of a recording. bodies: of the recording, with their pieces. Raises ViewError."""
    recipe = between(recipe, replay.seconds)
    known = {body.name: body for body in bodies}
    missing = [name for name in replay.meta.names if name not in known and name != FLOOR]
    if missing:
        raise ViewError(f'{replay.path}: the piece "{missing[0]}" is not known here')
    extents = np.array([_extents(known.get(name)) for name in replay.meta.names]).reshape(-1, 3)
    motion = motion_of(replay, np.linalg.norm(extents, axis=1) / 2)
    scenery = Scenery(replay, motion, extents)
    timing = clock(
        motion,
        (recipe.begin or 0.0, recipe.end or 0.0),
        pace=recipe.pace,
        speed=recipe.speed,
        slow_fall=recipe.slow_fall,
    )
    lead, tail = (TITLE, CLOSING) if recipe.cards else (0.0, 0.0)
    count = max(1, round((lead + timing.seconds + tail) * recipe.fps))
    if count > MOST_PICTURES:
        raise ViewError(
            f"the video would have {count} pictures; at most {MOST_PICTURES}: use --from, --to or --speed"
        )
    screen = np.arange(count) / recipe.fps
    moments = timing.shown(screen - lead)
    names, poses, shown = _seen(scenery, known, timing, screen - lead, moments, recipe.hand)
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
    scenery: Scenery, known: dict[str, Body], timing: Clock, screen: Array, moments: Array, with_hand: bool
) -> tuple[tuple[str, ...], NDArray[np.float32], list[Body]]:
    """What is on stage: names, where it is in every picture (n, names, 7), and the bodies. screen: (n,) seconds of the
    film after its title."""
    names = scenery.replay.meta.names
    columns = [n for n, name in enumerate(names) if name not in (TABLE, FLOOR)]
    poses = np.array([scenery.poses(float(moment))[columns] for moment in moments], dtype=np.float32)
    names = tuple(names[n] for n in columns)
    shown = _placed([known[name] for name in names], poses)
    if with_hand and scenery.motion.grips:
        poses = np.concatenate([poses, _hands(scenery, known, timing, screen, moments)], axis=1)
        names = (*names, *mannequin.names())
        # within the scene, whose size light and shadow follow
        shown += [part.at(shown[0].pose) for part in mannequin.hand_bodies()]
    return names, poses, shown


def _placed(bodies: Sequence[Body], poses: NDArray[np.float32]) -> list[Body]:
    """Bodies where they are first seen; what is never there lies with the first. poses: (n, bodies, 7)."""
    there: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=2), dtype=np.bool_)
    places = [
        Pose((x, y, z), (a, b, c, d))
        for column in range(len(bodies))
        if there[:, column].any()
        for x, y, z, a, b, c, d in [poses[int(np.argmax(there[:, column])), column].tolist()]
    ]
    if not places:
        raise ViewError("the recording shows no pieces")
    seen = iter(places)
    return [
        body.at(next(seen) if there[:, column].any() else places[0]) for column, body in enumerate(bodies)
    ]


def _extents(body: Body | None) -> Array:
    return np.zeros(3) if body is None else np.asarray(body.piece.extents, dtype=np.float64)


def _hands(
    scenery: Scenery, known: dict[str, Body], timing: Clock, screen: Array, moments: Array
) -> NDArray[np.float32]:
    """(n, parts, 7): the hand, picture by picture; NaN where there is none."""
    found = np.full((len(moments), len(mannequin.names()), 7), np.nan, dtype=np.float32)
    grips = scenery.motion.grips
    names = scenery.replay.meta.names
    begins = timing.seen(np.array([grip.begin for grip in grips]))
    ends = timing.seen(np.array([grip.end for grip in grips]))
    for number, grip in enumerate(grips):
        holder = Holder(scenery, known[names[grip.body]], grip)
        # the next grip takes the hand away from this one
        until = min(ends[number] + REACH_OUT, begins[number + 1] if number + 1 < len(grips) else np.inf)
        for picture in np.flatnonzero((screen >= begins[number] - REACH_IN) & (screen < until)):
            now = float(screen[picture])
            early, late = begins[number] - now, now - ends[number]
            part = max(early / REACH_IN, late / REACH_OUT, 0.0)
            grasp = holder.at(float(moments[picture]))
            found[picture] = mannequin.poses(grasp.away(FAR * part * part) if part > 0 else grasp)
    return found


class Holder:
    """How one grip holds its piece: from above, or from outside where something lies on it."""

    def __init__(self, scenery: Scenery, body: Body, grip: Grip) -> None:
        self._scenery, self._body, self._grip = scenery, body, grip
        self._way = self._out()

    def _out(self) -> Array | None:
        """The level way along which a piece is drawn from under others; None when it is free."""
        grip, scenery = self._grip, self._scenery
        poses = scenery.poses(grip.begin)
        place = poses[grip.body, :3]
        others = [n for n in scenery.pieces() if n != grip.body]
        off = poses[others, :3] - place
        reach = np.linalg.norm(self._body.piece.extents) / 2
        with np.errstate(invalid="ignore"):
            above = (
                (off[:, 2] > 0.008)
                & (off[:, 2] < 2 * reach)
                & (np.linalg.norm(off[:, :2], axis=1) < 0.6 * reach)
            )
        if not above.any():
            return None
        path = np.array(
            [scenery.poses(t, (grip.body,))[0, :3] - place for t in np.linspace(grip.begin, grip.end, 24)]
        )
        level = np.linalg.norm(path[:, :2], axis=1)
        far = np.flatnonzero(level > 0.004)
        return path[far[0]] if len(far) else np.array([0.0, -1.0, 0.0])

    def at(self, moment: float) -> mannequin.Grasp:
        """The hand at a moment; after the grip where it was when it opened."""
        pose = self._scenery.poses(min(moment, self._grip.end), (self._grip.body,))[0]
        if not np.isfinite(pose).all():
            # a piece that is put on the table only when it is taken
            pose = self._scenery.poses(self._grip.begin + 0.05)[self._grip.body]
        if self._way is not None:
            return mannequin.from_outside(self._body.piece, pose, self._way)
        return mannequin.from_above(self._body.piece, pose)
