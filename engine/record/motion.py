"""What a track tells beyond poses: how fast things move, what a hand holds, what is put elsewhere, what collapses.

Everything is derived from poses and from the journal's hand, so it holds for any recording, old ones too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.record.reader import Replay

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

JUMP = 0.01
"""Metres in one interval of the track that only a decree can move a piece which is at rest before and after."""
STILL = 0.004
"""m/s. Slower than this nothing is seen to move."""
LOOSE = 0.05
"""m/s of a piece that no hand holds: something slips, rolls or falls."""
FALLEN = 0.012
"""Metres lower than before: a piece that came down, not one that settled."""
SET_OFF = 0.002
"""Metres from where it lay: a piece has begun to move."""
GAP = 0.3
"""Seconds of rest that do not yet end a collapse."""
AT_ONCE = 0.2
"""Seconds without orders in which a hand does not let go."""
BACK = 1.5
"""Seconds before the first fast move in which the piece that began it is looked for."""


@dataclass(frozen=True, slots=True)
class Grip:
    """A piece in the hand. begin, end: seconds. body: its column."""

    begin: float
    end: float
    body: int


@dataclass(frozen=True, slots=True)
class Collapse:
    """Pieces come down. begin: seconds, when the first piece sets off. crash: when all together are fastest. first: the
    column of the first piece. fallen: those of all that fell."""

    begin: float
    crash: float
    end: float
    first: int
    fallen: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How a recording moves. times: (n,) seconds of the frames. speeds: (n-1, bodies) m/s of the fastest point of
    each body between two frames. put: (n-1, bodies), it was put elsewhere. held: (n-1, bodies), in the hand."""

    times: Array
    speeds: NDArray[np.float32]
    put: Mask
    held: Mask
    grips: tuple[Grip, ...]
    collapses: tuple[Collapse, ...]

    @property
    def loose(self) -> Array:
        """(n-1,) m/s: the fastest piece that is in no hand."""
        free: Array = np.where(self.held, 0.0, self.speeds).max(axis=1, initial=0.0)
        return free

    def at(self, seconds: float) -> int:
        """The interval of a time."""
        return int(np.clip(np.searchsorted(self.times, seconds, side="right") - 1, 0, len(self.speeds) - 1))


def motion_of(replay: Replay, reach: Sequence[float]) -> Motion:
    """How a recording moves. reach: metres from the middle of each body to its farthest point, in its order."""
    times = replay.steps / replay.meta.rate
    grips = grips_of(replay)
    if len(times) < 2:
        nothing = np.zeros((0, replay.poses.shape[1]), bool)
        return Motion(times, nothing.astype(np.float32), nothing, nothing, grips, ())
    speeds, put = _speeds(times, replay.poses, np.asarray(reach, dtype=np.float32))
    held = np.zeros_like(put)
    for grip in grips:
        first, last = np.searchsorted(times, (grip.begin, grip.end))
        held[max(int(first) - 1, 0) : int(last) + 1, grip.body] = True
    found = Motion(times, speeds, put, held, grips, ())
    return Motion(times, speeds, put, held, grips, _collapses(replay, found))


def _speeds(
    times: Array, poses: NDArray[np.float32], reach: NDArray[np.float32]
) -> tuple[NDArray[np.float32], Mask]:
    lasts = np.maximum(np.diff(times), 1e-9).astype(np.float32)[:, None]
    way = np.linalg.norm(np.diff(poses[..., :3], axis=0), axis=2)
    before, after = poses[:-1, :, 3:], poses[1:, :, 3:]
    # the chord of the turn, the shorter way round; twice the half angle's
    chord = np.sqrt(np.maximum(2.0 - 2.0 * np.abs(np.einsum("nbi,nbi->nb", before, after)), 0.0))
    # rounded quaternions leave a chord of some thousandths even at rest
    turn = np.where(chord > 2e-3, 2.0 * chord, 0.0) * reach
    way = np.nan_to_num(way)
    slow = way / lasts
    still = np.zeros((1, way.shape[1]), np.float32)
    around = np.maximum(np.concatenate([still, slow[:-1]]), np.concatenate([slow[1:], still]))
    put = (way > JUMP) & (around < 0.3 * slow)
    put |= np.isnan(before[..., 0]) != np.isnan(after[..., 0])
    speeds = np.where(put, 0.0, (way + np.nan_to_num(turn)) / lasts)
    return speeds.astype(np.float32), put


def grips_of(replay: Replay) -> tuple[Grip, ...]:
    """When a hand held which body: runs of hand entries of the journal, and the body that follows their targets. Where
    a hand goes on with the same body at once, as when a brick is drawn and then laid, it is one grip."""
    runs: list[list[tuple[int, list[int]]]] = []
    is_running = False
    for step, entry in replay.journal:
        target = entry.get("target")
        is_hand = entry.get("type") == "hand" and isinstance(target, list) and len(target) == 7
        if is_hand and not is_running:
            runs.append([])
        if is_hand and isinstance(target, list):
            runs[-1].append((step, target))
        is_running = is_hand
    grips: list[Grip] = []
    for run in runs:
        grip = _grip(replay, run)
        if grip is None:
            continue
        if grips and grips[-1].body == grip.body and grip.begin - grips[-1].end < AT_ONCE:
            grip = Grip(grips.pop().begin, grip.end, grip.body)
        grips.append(grip)
    return tuple(grips)


def _grip(replay: Replay, run: list[tuple[int, list[int]]]) -> Grip | None:
    """The body that is on the way of the targets."""
    if not replay.poses.size:
        return None
    away: list[Array] = []
    for step, target in run[:: max(1, len(run) // 8)]:
        try:
            place = np.array(target[:3], dtype=np.float64) * 1e-6
        except (TypeError, ValueError, OverflowError):
            return None
        # a piece that is put on the table to be taken is there a moment later
        away.append(np.linalg.norm(replay.pose_at(step)[:, :3] - place, axis=1))
    gaps = np.array(away)
    seen = ~np.isnan(gaps)
    mean = np.where(
        2 * seen.sum(axis=0) >= len(gaps), np.nansum(gaps, axis=0) / np.maximum(seen.sum(axis=0), 1), np.inf
    )
    if not np.isfinite(mean).any():
        return None
    rate = replay.meta.rate
    return Grip(run[0][0] / rate, (run[-1][0] + 1) / rate, int(np.argmin(mean)))


def _collapses(replay: Replay, motion: Motion) -> tuple[Collapse, ...]:
    fast = np.flatnonzero(motion.loose > LOOSE)
    if not len(fast):
        return ()
    breaks = np.flatnonzero(motion.times[fast[1:]] - motion.times[fast[:-1] + 1] > GAP)
    firsts, lasts = np.r_[fast[0], fast[breaks + 1]], np.r_[fast[breaks], fast[-1]]
    found = [_collapse(replay, motion, int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]
    return tuple(each for each in found if each is not None)


def _collapse(replay: Replay, motion: Motion, first: int, last: int) -> Collapse | None:
    """Whether the fast moves from one interval to another bring pieces down, and which began."""
    span = slice(first, last + 1)
    heights = replay.poses[first : last + 2, :, 2]
    held = motion.held[span]
    # counted from where a hand left it
    since = np.where(held.any(axis=0), len(held) - np.argmax(held[::-1], axis=0), 0)
    free = (since < len(held)) & ~motion.put[span].any(axis=0)
    down = np.nan_to_num(heights[since, np.arange(heights.shape[1])] - heights[-1])
    moved = np.where(held, 0.0, motion.speeds[span]).max(axis=0) > LOOSE
    fallen = np.flatnonzero(free & moved & (down > FALLEN))
    if not len(fallen):
        return None
    begins: list[tuple[float, int]] = []
    for body in fallen.tolist():
        start = int(np.searchsorted(motion.times, motion.times[first] - BACK))
        speeds = motion.speeds[start : last + 1, body]
        in_hand = (motion.held | motion.put)[start : last + 1, body]
        fast = int(np.argmax((speeds > LOOSE) & ~in_hand))
        # from where it last lay still, or was let go
        lay = np.flatnonzero((speeds[:fast] < STILL) | in_hand[:fast])
        start += int(lay[-1]) + 1 if len(lay) else 0
        places = replay.poses[start : last + 2, body, :3]
        away = np.linalg.norm(places - places[0], axis=1)
        begins.append((float(motion.times[start + int(np.argmax(away > SET_OFF))]), body))
    begin, body = min(begins)
    together = motion.speeds[span][:, fallen].sum(axis=1)
    crash = max(float(motion.times[first + int(np.argmax(together))]), begin)
    return Collapse(begin, crash, float(motion.times[last + 1]), body, tuple(fallen.tolist()))
