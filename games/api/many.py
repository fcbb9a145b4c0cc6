"""Many scenes at once: `Checker.check_many`, its table, and what an interrupt leaves of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.perturbation import one_trial
from teeter.engine.topple.trial import TrialTask, limits_of
from teeter.engine.workers import Interrupted, in_order
from teeter.games.api.arguments import ArgumentError, list_of
from teeter.games.api.scene import AnyScene, PublicScene, loaded_of
from teeter.models.errors import Untrue

if TYPE_CHECKING:
    from teeter.engine.topple.laboratory.crowd import Label
    from teeter.engine.topple.verdict import CheckOptions, Word
    from teeter.engine.world.body import Assembly
    from teeter.scenes.scene import Scene

OptionsOf = Callable[["Scene"], "CheckOptions"]
Task = tuple["Assembly", "CheckOptions"]
Method = Literal["statics", "full"]
Judge = Literal["statics", "both"]
ManyScenes = Iterable[AnyScene] | tuple[AnyScene, ArrayLike]
"""Scenes; or one scene, and the poses of its free pieces (n, pieces, 7): x, y, z in mm and a quaternion x, y, z, w."""
CHUNK = {"statics": 32, "full": 4}
"""Scenes that one process is given at a time."""
NUMBERS = {"number": np.int64, "tilt_deg": np.float64}
FEWEST_APART = 64
"""Labels by statics that are worth a second process."""


@dataclass(frozen=True, slots=True)
class ManyRow(Untrue):
    """One scene of many. word: stands, topples or unsure. judge: `statics` alone, or `both` methods. tilt_deg: the
    tilt margin, None where it is not known. first: goes first if it falls. why: it is unsure, by statics alone."""

    asked = "word"

    number: int
    scene: str
    word: Word
    judge: Judge
    tilt_deg: float | None = None
    first: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ManyResult(Untrue):
    """The answers of `teeter.check_many`, in the order of the scenes. total: scenes there were; rows are fewer where it
    was interrupted."""

    asked = "rows"

    rows: tuple[ManyRow, ...]
    total: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ManyRow]:
        return iter(self.rows)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table as a dict of numpy arrays, as pandas and polars take it: numbers that are not known are nan, texts
        empty."""
        return columns_of(self.rows, ManyRow, NUMBERS)


def columns_of(rows: Sequence[Any], kind: type, numbers: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Returns dataclasses as a dict of columns. numbers: the types of those that are no texts."""
    empty = {np.float64: np.nan}
    columns = {}
    for name in (field.name for field in fields(kind)):
        dtype = numbers.get(name, np.str_)
        values = [getattr(row, name) for row in rows]
        columns[name] = np.array(
            [empty.get(dtype, "") if value is None else value for value in values], dtype=dtype
        )
    return columns


@contextmanager
def keeping(done: Callable[[Any], Any], rows: Any = None) -> Iterator[None]:
    """Turns an interrupt into one that carries what was found until then. done: makes that of `rows`, or of what an
    interrupt from below carries."""
    try:
        yield
    except Interrupted as stop:
        raise Interrupted(done(stop.done)) from stop
    except KeyboardInterrupt as stop:
        raise Interrupted(done(rows)) from stop


def check_many(
    scenes: ManyScenes,
    method: Method,
    *,
    options_of: OptionsOf,
    workers: int,
    executor: Executor | None,
    progress: Callable[[int, int], None],
) -> ManyResult:
    """As `Checker.check_many`. options_of: how a scene is checked."""
    if method not in CHUNK:
        raise ArgumentError(f"method = {method!r}: must be 'statics' or 'full'")
    tasks = list(tasks_of(scenes, options_of))
    size = CHUNK[method]
    chunks = [tasks[at : at + size] for at in range(0, len(tasks), size)]
    few = len(tasks) < FEWEST_APART and method == "statics"
    rows: list[ManyRow] = []
    with (
        keeping(lambda part: ManyResult(tuple(part), len(tasks)), rows),
        in_order(partial(_judge, method), chunks, 1 if few else workers, executor, parcel=1) as answers,
    ):
        for answer in answers:
            rows += [replace(row, number=len(rows) + at) for at, row in enumerate(answer)]
            progress(len(rows), len(tasks))
    return ManyResult(tuple(rows), len(tasks))


def tasks_of(scenes: ManyScenes, options_of: OptionsOf) -> Iterator[Task]:
    """Yields every scene with how it is checked. Raises TeeterError."""
    one = (str, os.PathLike, PublicScene)
    if isinstance(scenes, one):
        raise ArgumentError(f"scenes = {scenes!r}: is one scene; give a list, or (scene, poses)")
    if not (isinstance(scenes, tuple) and len(scenes) == 2 and not isinstance(scenes[1], one)):
        for scene in list_of("scenes", scenes):
            loaded = loaded_of(scene)
            yield loaded.assembly, replace(options_of(loaded), settle=loaded.settle_mm / 1e3, workers=1)
        return
    from teeter.engine.topple.perturbation import at_poses

    loaded = loaded_of(scenes[0])
    names = tuple(body.name for body in loaded.assembly.free)
    options = replace(options_of(loaded), workers=1)
    for row in _poses_of(scenes[1], len(names), loaded.name):
        yield at_poses(loaded.assembly, names, row), options


def _poses_of(poses: ArrayLike, pieces: int, scene: str) -> NDArray[np.float64]:
    """Poses in metres with unit quaternions. Raises ArgumentError."""
    rows = np.array(poses, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1:] != (pieces, 7):
        raise ArgumentError(
            f"poses have the shape {rows.shape}: {scene} has {pieces} free pieces, so (n, {pieces}, 7) is wanted: "
            "x, y, z in mm and a quaternion x, y, z, w"
        )
    length = np.linalg.norm(rows[..., 3:], axis=2)
    if not (np.isfinite(rows).all() and (np.abs(length - 1.0) < 1e-3).all()):
        raise ArgumentError("poses: every number must be finite, and every quaternion of length 1")
    rows[..., :3] /= 1e3
    rows[..., 3:] /= length[..., None]
    return rows


def _judge(method: Method, chunk: list[Task]) -> list[ManyRow]:
    """The rows of some scenes, not numbered yet."""
    from teeter.engine.topple.laboratory.crowd import labels
    from teeter.engine.topple.verdict import as_asked

    asked = [as_asked(*task) for task in chunk]
    verdicts = labels(asked, [options.gravity for _, options in chunk])
    if method == "full":
        return [
            _by_both(scene, *task, label) for scene, task, label in zip(asked, chunk, verdicts, strict=True)
        ]
    return [_row(scene.name, "statics", label) for scene, label in zip(asked, verdicts, strict=True)]


def _by_both(asked: Assembly, scene: Assembly, options: CheckOptions, label: Label) -> ManyRow:
    """The row of a scene by both methods. Where statics has its safety margin, which is many times the disturbance of a
    trial, one trial that agrees is enough; all else is checked as a single scene is."""
    from teeter.engine.topple.verdict import check
    from teeter.engine.worlds import using

    if label.stands is not None and not any(options.acceleration):
        task = TrialTask(asked, limits_of(asked), (options.seed, 0), None, options.gravity)
        with using(options.engine):
            trial = one_trial(task, label.stands)
        if trial.stands == label.stands:
            if label.stands and label.tilt_deg is None:
                label = replace(label, tilt_deg=analyse(asked, gravity=options.gravity, loads=False).tilt_deg)
            return _row(scene.name, "both", replace(label, first=trial.first_to_move))
    verdict = check(scene, options)
    first = None if verdict.word == "stands" else verdict.dynamics.first_to_move
    return ManyRow(0, scene.name, verdict.word, "both", verdict.statics.tilt_deg, first)


def _row(name: str, judge: Judge, label: Label) -> ManyRow:
    words: dict[bool | None, Word] = {True: "stands", False: "topples", None: "unsure"}
    tilt = 0.0 if label.stands is False else label.tilt_deg
    return ManyRow(0, name, words[label.stands], judge, tilt, label.first, label.why or None)
