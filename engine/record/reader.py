"""Reading a recording, packed or unfinished. Whatever is wrong with it is a RecordError; nothing in it is executed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import slerp
from teeter.engine.record import archive, part
from teeter.engine.record.format import (
    EVENTS,
    HASHES,
    JOURNAL,
    STATES,
    TRACK,
    Contents,
    Entry,
    RecordError,
    check_poses,
    check_steps,
)
from teeter.engine.record.lines import EntryLines
from teeter.engine.record.meta import Meta
from teeter.engine.record.meta import read as read_meta
from teeter.models.piece import Array


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """The state between two actions, everything at rest. poses: (bodies, 7), metres and xyzw, NaN where absent. digest:
    SHA-256."""

    step: int
    poses: Array
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """A recording in memory. The columns of all poses are the bodies of `meta`, in its order.

    journal, events: (step, entry) pairs, steps never run backwards. steps: int64 (n,), of the frames. poses:
    float32 (n, bodies, 7), metres and xyzw, NaN where absent. is_complete: it was closed; otherwise it ends at the
    last checkpoint before the crash. The arrays are read-only.
    """

    path: Path
    meta: Meta
    journal: Sequence[Entry]
    events: Sequence[Entry]
    steps: NDArray[np.int64]
    poses: NDArray[np.float32]
    checkpoints: tuple[Checkpoint, ...]
    is_complete: bool

    @property
    def hashes(self) -> tuple[tuple[int, str], ...]:
        """Returns the step and the digest of each checkpoint."""
        return tuple((checkpoint.step, checkpoint.digest) for checkpoint in self.checkpoints)

    @property
    def seconds(self) -> float:
        """Returns the time from step 0 to the last frame; 0 without frames."""
        return float(self.steps[-1]) / self.meta.rate if len(self.steps) else 0.0

    def pose_at(self, step: float, bodies: Sequence[int] | None = None) -> Array:
        """Returns where everything, or only these columns, is at a step or between two: (bodies, 7), NaN where absent.

        Before the first frame it is the first, after the last the last, all absent without any. Positions go
        straight from frame to frame, orientations on the shorter arc; of two frames at one step the later counts.
        """
        place = int(np.searchsorted(self.steps, step, side="right")) - 1
        asked = slice(None) if bodies is None else list(bodies)
        if len(self.steps) == 0:
            return np.full(self.poses.shape[1:], np.nan)[asked]
        first: Array = self.poses[max(place, 0), asked].astype(np.float64)
        if place < 0 or place + 1 == len(self.steps):
            return first
        begin, end = int(self.steps[place]), int(self.steps[place + 1])
        second = self.poses[place + 1, asked].astype(np.float64)
        return between(first, second, (step - begin) / (end - begin))

    def frame_at(self, seconds: float, bodies: Sequence[int] | None = None) -> Array:
        """Returns where everything is at a time counted from step 0, as `pose_at`."""
        return self.pose_at(seconds * self.meta.rate, bodies)

    def named(self, poses: NDArray[Any]) -> dict[str, Array]:
        """Returns the rows of poses (bodies, 7) by name, only of bodies that are there."""
        pairs = zip(self.meta.names, poses, strict=True)
        return {name: np.array(row, dtype=np.float64) for name, row in pairs if not np.isnan(row).any()}


def between(first: Array, second: Array, share: float) -> Array:
    """Returns poses (n, 7) at a share from 0 (`first`) to 1 (`second`) of the way, quaternions of unit length.

    A body that is absent (NaN) in the first is absent; one that is absent in the second only stays where it was.
    """
    until = np.where(np.isnan(second), first, second)
    poses = first + share * (until - first)
    # most lie still, and keep their orientation to the last bit
    rotated = np.flatnonzero((first[:, 3:] != until[:, 3:]).any(axis=1))
    if len(rotated):
        poses[rotated, 3:] = slerp(first[rotated, 3:], until[rotated, 3:], share)
    return poses


def load(path: Path) -> Replay:
    """Read `F.teeter`, or the folder `F.teeter.part` up to its last checkpoint.

    Raises RecordError with one sentence for anything else: missing, damaged, hostile, or of a newer format.
    """
    try:
        return _replay(path, _contents(path))
    except MemoryError:
        raise RecordError(path, "does not fit into memory") from None


def _contents(path: Path) -> Contents:
    try:
        if path.is_dir():
            return part.read(path)
        if path.is_file():
            return archive.read(path)
        exists, unfinished = path.exists(), path.with_name(path.name + part.SUFFIX)
        hint = f"; an unfinished recording is at {unfinished}" if unfinished.is_dir() else ""
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte, or without a name
        raise RecordError(path, f"cannot be read: {error}") from None
    raise RecordError(path, "is neither a file nor a folder" if exists else f"there is no such file{hint}")


def _replay(path: Path, contents: Contents) -> Replay:
    file = str(path)
    meta = read_meta(contents.meta, file)
    for steps, poses, place in (
        (contents.steps, contents.poses, TRACK),
        (contents.state_steps, contents.state_poses, STATES),
    ):
        check_steps(steps, file, place)
        check_poses(poses, file, place)
        steps.flags.writeable = poses.flags.writeable = False
    hashed = [step for step, _ in contents.hashes]
    stated = contents.state_steps.tolist()
    if hashed != stated:
        first = next(
            (n for n, pair in enumerate(zip(hashed, stated, strict=False)) if len(set(pair)) > 1), -1
        )
        words = (
            f"differ first at [{first}]" if first >= 0 else f"are {len(hashed)} and {len(stated)} in number"
        )
        raise RecordError(file, f"the steps here and in {STATES} {words}, must be the same", HASHES)
    checkpoints = tuple(
        Checkpoint(step, poses, digest)
        for (step, digest), poses in zip(contents.hashes, contents.state_poses, strict=True)
    )
    return Replay(
        path=path,
        meta=meta,
        journal=EntryLines(contents.journal, file, JOURNAL),
        events=EntryLines(contents.events, file, EVENTS),
        steps=contents.steps,
        poses=contents.poses,
        checkpoints=checkpoints,
        is_complete=contents.is_complete,
    )
