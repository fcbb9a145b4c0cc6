"""A film: what is asked of it, and for every frame where everything is, where the eye is, and what is written over it.

Plain values. A film is planned as a whole and drawn frame by frame, in any order and by any number of processes.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import slerp
from teeter.engine.pose import Pose
from teeter.engine.record.motion import Motion
from teeter.engine.record.reader import Replay
from teeter.engine.view.camera import Camera
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.panels import Panel
from teeter.engine.view.render import mannequin
from teeter.engine.view.render.bounds import NOWHERE, ScreenRect, seen
from teeter.engine.view.render.shading import QUALITY_LEVELS, TABLE_TOPS, Quality, TableTop
from teeter.engine.view.video import captions, director, exposure
from teeter.engine.view.video.captions import Telling
from teeter.engine.view.video.director import CAMERAS, CameraName
from teeter.engine.view.video.pace import PaceName, Timing, timing_of
from teeter.engine.view.video.scenery import MAX_SHOWN_POSES, Holder, Scenery, scenery_of
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.models.piece import Array

LOOPS = (".gif", ".webp")
MIN_SIDE_PX, MAX_SIDE_PX = 16, 4096
"""Pixels along a side."""
MAX_FPS = 120
MAX_SPEED, MIN_SPEED = 32.0, 1 / 32
MAX_FRAMES = 400_000
"""Nearly four hours at 30 a second."""
CHAT_BYTES = 8_000_000
"""What common messengers take without a second thought."""
TITLE_S, CLOSING_S = 2.4, 2.6
"""Seconds that the title and the result stay."""
REACH_IN_S, REACH_OUT_S = 0.35, 0.45
"""Seconds on the screen in which the hand comes and goes."""
REACH_DISTANCE = 0.30
"""Metres from which it comes."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A video to be made. size: pixels. fps: frames a second. begin, end: seconds of the recording, None for its
    ends. captions: whether texts stand over the frames. cards: whether it opens with a title and ends with the
    result. max_bytes: of the file, 0 for no limit. strip: frames side by side, for stills; 1 for one. table: what lies
    on it.
    """

    size: tuple[int, int] = (1280, 720)
    fps: int = 30
    quality: Quality = "medium"
    camera: CameraName = "director"
    pace: PaceName = "lively"
    speed: float = 1.0
    slow_fall: bool = False
    begin: float | None = None
    end: float | None = None
    captions: bool = True
    cards: bool = True
    hand: bool = True
    sound: bool = True
    max_bytes: int = 0
    strip: int = 1
    table: TableTop = "wood"

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise ViewError("; ".join(faults))


def _faults(recipe: Recipe) -> list[str]:
    """Returns everything that is wrong with a recipe, in sentences."""
    width, height = recipe.size
    faults = []
    if not all(MIN_SIDE_PX <= side <= MAX_SIDE_PX for side in recipe.size):
        faults.append(f"--size {width}x{height}: {MIN_SIDE_PX} to {MAX_SIDE_PX} pixels a side")
    if not 1 <= recipe.fps <= MAX_FPS:
        faults.append(f"--fps {recipe.fps}: 1 to {MAX_FPS} frames a second")
    if recipe.quality not in QUALITY_LEVELS:
        faults.append(f'--quality "{recipe.quality}": use one of {", ".join(QUALITY_LEVELS)}')
    if recipe.table not in TABLE_TOPS:
        faults.append(f'--table "{recipe.table}": use one of {", ".join(TABLE_TOPS)}')
    if recipe.camera not in CAMERAS:
        faults.append(f'--camera "{recipe.camera}": use one of {", ".join(CAMERAS)}')
    if recipe.pace not in get_args(PaceName):
        faults.append(f'--pace "{recipe.pace}": use one of {", ".join(get_args(PaceName))}')
    if not (math.isfinite(recipe.speed) and MIN_SPEED <= recipe.speed <= MAX_SPEED):
        faults.append(f"--speed {recipe.speed:g}: {MIN_SPEED:g} to {MAX_SPEED:g}")
    if not 1 <= recipe.strip <= 64:
        faults.append(f"--strip {recipe.strip}: 1 to 64 frames")
    for name, value in (("--from", recipe.begin), ("--to", recipe.end)):
        if value is not None and not (math.isfinite(value) and value >= 0):
            faults.append(f"{name} {value:g}: seconds from the beginning, not negative")
    if recipe.begin is not None and recipe.end is not None and recipe.begin >= recipe.end:
        faults.append(f"--from {recipe.begin:g} must come before --to {recipe.end:g}")
    return faults


def is_sequence(path: Path) -> bool:
    """Whether a name stands for many pictures."""
    return "%" in path.name


def preset(name: str) -> Recipe:
    """Returns a recipe for a purpose. Raises ViewError for an unknown one."""
    known = {
        "web": Recipe(),
        "phone": Recipe(size=(1080, 1920)),
        "chat": Recipe(size=(854, 480), fps=24, max_bytes=CHAT_BYTES),
    }
    if name not in known:
        raise ViewError(f'--preset "{name}": use one of {", ".join(known)}')
    return known[name]


def recipe_for(path: Path, purpose: str | None, **fields: Any) -> Recipe:
    """Returns the recipe of a file. purpose: of `preset`, None for the usual one. fields: of a recipe, None where
    nothing was said. Raises ViewError."""
    recipe = preset(purpose or "web")
    is_loop = path.suffix.lower() in LOOPS
    if is_loop and purpose is None:
        recipe = replace(recipe, size=(640, 360), fps=20)
    is_part = fields.get("begin") is not None or fields.get("end") is not None
    table: TableTop = "none" if is_sequence(path) else "wood"
    recipe = replace(recipe, cards=not is_loop and not is_part, table=table)
    recipe = replace(recipe, **{name: value for name, value in fields.items() if value is not None})
    if recipe.table == "none" and path.suffix.lower() != ".png":
        raise ViewError(
            f"--table none: {path.suffix} is not transparent here: write frames/%05d.png, or a .png"
        )
    if recipe.strip > 1 and (path.suffix.lower() != ".png" or is_sequence(path)):
        raise ViewError(f"--strip {recipe.strip}: only a single .png has pictures side by side")
    return recipe


def size_of(text: str) -> tuple[int, int]:
    """Returns `1280x720` as a pair. Raises ViewError."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        raise ViewError(f'--size "{text}": write width x height in pixels, such as 1280x720')
    return int(parts[0]), int(parts[1])


def between(recipe: Recipe, seconds: float) -> Recipe:
    """Returns the recipe with the ends of a recording of so many seconds filled in. Raises ViewError when nothing is
    left."""
    begin = recipe.begin or 0.0
    end = seconds if recipe.end is None else min(recipe.end, seconds)
    if seconds <= 0.0:
        raise ViewError("the recording has no frames: nothing happened in it")
    if begin >= seconds:
        raise ViewError(f"--from {begin:g}: the recording is {seconds:.1f} seconds long")
    if end <= begin:
        raise ViewError(f"--to {end:g} must come after --from {begin:g}")
    return replace(recipe, begin=begin, end=end)


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One frame of a film, to be drawn."""

    frame: Frame
    camera: Camera
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, eq=False)
class Film:
    """bodies: all that is on stage. moments: (n,) seconds of the recording, one for each frame. poses: (n, bodies,
    7), NaN where absent; in the order of `names`. is_still: single frames are wanted."""

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
    telling: Telling
    is_still: bool = False

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def seconds(self) -> float:
        """Returns how long it runs; 0 for stills."""
        return 0.0 if self.is_still else len(self) / self.recipe.fps

    @property
    def pictures(self) -> int:
        """Returns how many the file has: of stills, those side by side."""
        return min(self.recipe.strip, len(self)) if self.is_still else len(self)

    @property
    def size(self) -> tuple[int, int]:
        """Returns width and height of the file, pixels."""
        width, height = self.recipe.size
        return width * (self.pictures if self.is_still else 1), height

    def shot(self, number: int, part: float = 0.0) -> Shot:
        """Returns a frame of the film; or what is seen a part of the way to the next one, under the same words."""
        poses = self.poses[number].astype(np.float64)
        if part > 0.0:
            after = self.poses[min(number + 1, len(self) - 1)].astype(np.float64)
            poses[:, :3] += part * (after[:, :3] - poses[:, :3])
            poses[:, 3:] = slerp(poses[:, 3:], after[:, 3:], part)
        table = frame_of(body for body in self.bodies if body.name == TABLE)
        rows = np.concatenate([table.poses, poses])
        frame = Frame((*table.names, *self.names), rows, unread=self._unread(number))
        return Shot(frame, self.path.camera(number, part), self.panels[number])

    def _unread(self, number: int) -> frozenset[str]:
        return self.telling.unread_at(float(self.moments[number])).intersection(self.names)

    @cached_property
    def samples(self) -> list[int]:
        """How many pictures make each frame: what comes down is blurred by its motion while the shutter is open."""
        if self.recipe.quality == "low" or self.is_still:
            return [1 if self.recipe.quality == "low" else exposure.STILL_SAMPLES] * len(self)
        view = self.path.eyes, self.path.fov, self.recipe.size[1]
        moving = exposure.motion_samples(self.moments, self.poses, *view, self.motion.collapses)
        counts: list[int] = (
            np.maximum(moving, np.ceil(exposure.LENS_SAMPLES * self.openings)).astype(int).tolist()
        )
        return counts

    @cached_property
    def openings(self) -> Array:
        """How far the lens is open (n,), 0 to 1: in falls, where frames are several pictures anyway, and in stills."""
        if self.recipe.quality == "low" or self.is_still:
            return np.full(len(self), float(self.recipe.quality != "low"))
        screen = np.arange(len(self)) / self.recipe.fps - self.lead
        return exposure.openings(self.motion.collapses, self.timing, screen)

    def exposures(self, number: int) -> Iterator[Shot]:
        """Yields the pictures of which a frame is the mean."""
        count, opening = self.samples[number], float(self.openings[number])
        for sample in range(count):
            shot = self.shot(number, 0.0 if self.is_still else exposure.SHUTTER * sample / count)
            yield replace(shot, camera=exposure.through_lens(shot.camera, sample, count, opening))

    def unlike(self) -> NDArray[np.bool_]:
        """Returns for each frame (n,) whether it differs from the one before it; the first does."""
        same = np.array([a == b for a, b in pairwise(self.panels)], dtype=np.bool_)
        same &= np.array(self.samples[1:]) == 1
        same &= np.array([a == b for a, b in pairwise(map(self._unread, range(len(self))))], dtype=np.bool_)
        for rows in (self.poses, self.path.eyes, self.path.targets):
            equal = (rows[1:] == rows[:-1]) | (np.isnan(rows[1:]) & np.isnan(rows[:-1]))
            same &= equal.all(axis=tuple(range(1, equal.ndim)))
        return np.concatenate([[True], ~same])

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
    span = recipe.begin or 0.0, recipe.end or 0.0
    timing = timing_of(motion, span, pace=recipe.pace, speed=recipe.speed, slow_fall=recipe.slow_fall)
    lead, tail = (TITLE_S, CLOSING_S) if recipe.cards else (0.0, 0.0)
    count = max(1, round((lead + timing.seconds + tail) * recipe.fps))
    if count > MAX_FRAMES:
        raise ViewError(
            f"the video would have {count} frames; at most {MAX_FRAMES}: use --from, --to or --speed"
        )
    screen = np.arange(count) / recipe.fps
    moments = timing.shown(screen - lead)
    if recipe.pace == "true":
        # nobody could follow it in the one interval that it takes
        moments = motion.cut(moments)
    names, poses, shown = _seen(scenery, known, timing, screen - lead, moments, recipe)
    path = director.path(recipe.camera, scenery, moments, recipe.fps, recipe.size[0] / recipe.size[1])

    def covered(number: int) -> ScreenRect:
        points = director.subject_at(scenery, float(moments[number]))
        return seen(points, path.camera(number), recipe.size) or NOWHERE

    falls = [fall.begin for fall in motion.collapses]
    panels = captions.panels(
        telling, falls, timing, screen, (lead, tail), recipe.size, is_told=recipe.captions, covered=covered
    )
    table = [body for body in bodies if body.name == TABLE]
    shown = (*table, *shown)
    return Film(recipe, shown, names, moments, poses, path, panels, timing, motion, lead, telling=telling)


def _seen(
    scenery: Scenery, known: dict[str, Body], timing: Timing, screen: Array, moments: Array, recipe: Recipe
) -> tuple[tuple[str, ...], NDArray[np.float32], tuple[Body, ...]]:
    """Returns what is on stage: names, where it is in every frame (n, names, 7), and the bodies. screen: (n,) seconds
    of the film after its title."""
    names = scenery.replay.meta.names
    columns = [n for n, name in enumerate(names) if name not in (TABLE, FLOOR)]
    hand = mannequin.names() if recipe.hand and scenery.motion.carries else ()
    if (count := len(moments) * (len(columns) + len(hand))) > MAX_SHOWN_POSES:
        raise ViewError(
            f"the video would have {count} poses in {len(moments)} frames; at most {MAX_SHOWN_POSES}: use --from, "
            "--to, --fps or --speed"
        )
    poses = np.empty((len(moments), len(columns) + len(hand), 7), dtype=np.float32)
    for row, moment in zip(poses, moments.tolist(), strict=True):
        row[: len(columns)] = scenery.poses(moment)[columns]
    names = tuple(names[n] for n in columns)
    shown = _placed([known[name] for name in names], poses[:, : len(columns)])
    if hand:
        poses[:, len(columns) :] = hands_of(scenery, known, timing, screen, moments, recipe.speed)
        names = (*names, *hand)
        # within the scene, whose size light and shadow follow
        shown += [part.at(shown[0].pose) for part in mannequin.hand_bodies()]
    return names, poses, tuple(shown)


def _placed(bodies: Sequence[Body], poses: NDArray[np.float32]) -> list[Body]:
    """Returns bodies where they are first seen; what is never there lies with the first. poses: (n, bodies, 7)."""
    there: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=2), dtype=np.bool_)
    if not there.any():
        raise ViewError("the recording shows no pieces")
    first = int(np.argmax(there.any(axis=0)))
    columns = [column if there[:, column].any() else first for column in range(len(bodies))]
    rows = [poses[int(np.argmax(there[:, column])), column].tolist() for column in columns]
    return [body.at(Pose(tuple(row[:3]), tuple(row[3:]))) for body, row in zip(bodies, rows, strict=True)]


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
        return np.asarray(timing.seen(np.array(times)) + (np.array(times) - np.clip(times, *cuts)) / speed)

    hands = np.full((len(moments), len(mannequin.names()), 7), np.nan, dtype=np.float32)
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
            hands[frame] = mannequin.poses(grasp.away(REACH_DISTANCE * part * part) if part > 0 else grasp)
    return hands
