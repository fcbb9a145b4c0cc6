"""What a track tells beyond poses: speeds, what a hand carries, what is put elsewhere, what collapses, impacts.

Everything is derived from poses and from the journal's hand, so it holds for any recording, old ones too. A recording
holds no contact impulses, and need not: an impact is a jump of velocity that gravity does not explain, and its impulse
is that jump times the mass.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import matrices_of
from teeter.engine.record.format import BLOCK, TRACK, Entry, RecordError
from teeter.engine.record.reader import Replay
from teeter.engine.settings import GRAVITY
from teeter.engine.tolerances import FALL_DROP_SEEN, has_fallen, is_impact
from teeter.models.piece import Array

Mask = NDArray[np.bool_]

PUT_DISTANCE = 0.01
"""Metres. A piece that moves further in one interval, at rest before and after, was put there by the game."""
STILL_SPEED = 0.004
"""m/s. Slower than this nothing is seen to move."""
LOOSE_SPEED = 0.05
"""m/s. A piece that no hand holds and that is faster slips, rolls or falls."""
SET_OFF_SHIFT = 0.002
"""Metres from where it lay beyond which a piece has begun to move."""
COLLAPSE_GAP_S = 0.3
"""Seconds of rest that do not yet end a collapse."""
FARTHEST = 1e6
"""Metres. Whatever a file says, no hand is farther away."""
REGRIP_TIME_S = 0.2
"""Seconds without a target after which a hand that goes on with the same piece has not let go."""
LOOKBACK_S = 1.5
"""Seconds before the first fast move in which the piece that began a collapse is looked for."""
RATTLE_TIME_S = 0.05
"""Seconds in which a piece that rattles is struck once, the hardest time."""
NEAR_DISTANCE = 0.006
"""Metres between the boxes of pieces that may have struck each other."""
MAX_IMPACTS = 100_000
"""Of a recording: as many as a game has in a day."""
MAX_INTERVAL_S = 0.05
"""Seconds between frames beyond which a velocity says nothing: where nothing moves there are few frames."""


@dataclass(frozen=True, slots=True)
class Carry:
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
    carries: tuple[Carry, ...]
    collapses: tuple[Collapse, ...]

    @property
    def loose(self) -> Array:
        """(n-1,) m/s: the fastest piece that is in no hand."""
        return np.asarray(np.where(self.held, 0.0, self.speeds).max(axis=1, initial=0.0))

    def cut(self, moments: Array) -> Array:
        """Returns moments, seconds (n,), those at which something is on its way to where it is put just before that."""
        if not len(self.speeds):
            return moments
        intervals = np.clip(np.searchsorted(self.times, moments, side="right") - 1, 0, len(self.speeds) - 1)
        is_on_its_way = self.put[intervals].any(axis=1) & (moments < self.times[intervals + 1])
        return np.asarray(np.where(is_on_its_way, self.times[intervals], moments))

    def at(self, seconds: float) -> int:
        """Returns the interval of a time."""
        return int(np.clip(np.searchsorted(self.times, seconds, side="right") - 1, 0, len(self.speeds) - 1))


@dataclass(frozen=True, slots=True)
class Impact:
    """A piece strikes another. seconds: of the recording, between two frames. seen: seconds of the frame that shows it,
    because a viewer goes straight from frame to frame. body: the column of the piece; other: of what it struck, -1 when
    nothing is near. impulse: newton seconds. place: metres."""

    seconds: float
    seen: float
    body: int
    other: int
    impulse: float
    place: tuple[float, float, float]


def motion_of(replay: Replay, reach: Sequence[float]) -> Motion:
    """Returns how a recording moves. reach: metres from the middle of each body to its farthest point, in its order."""
    times = replay.steps / replay.meta.rate
    carries = carries_of(replay)
    if len(times) < 2:
        nothing = np.zeros((0, replay.poses.shape[1]), bool)
        return Motion(times, nothing.astype(np.float32), nothing, nothing, carries, ())
    speeds, put = _speeds(times, replay.poses, np.asarray(reach, dtype=np.float32))
    held = np.zeros_like(put)
    for carry in carries:
        first, last = np.searchsorted(times, (carry.begin, carry.end))
        held[max(int(first) - 1, 0) : int(last) + 1, carry.body] = True
    motion = Motion(times, speeds, put, held, carries, ())
    return Motion(times, speeds, put, held, carries, _collapses(replay, motion))


def _speeds(
    times: Array, poses: NDArray[np.float32], reach: NDArray[np.float32]
) -> tuple[NDArray[np.float32], Mask]:
    durations = np.maximum(np.diff(times), 1e-9).astype(np.float32)[:, None]
    count, bodies = len(durations), poses.shape[1]
    distance, swing = (np.empty((count, bodies), np.float32) for _ in range(2))
    absent = np.empty((count, bodies), bool)
    together = max(1, BLOCK // max(1, bodies))
    for begin in range(0, count, together):
        span = slice(begin, begin + together)
        rows = poses[begin : begin + together + 1]
        distance[span] = np.nan_to_num(np.linalg.norm(np.diff(rows[..., :3], axis=0), axis=2))
        before, after = rows[:-1, :, 3:], rows[1:, :, 3:]
        # the chord of the rotation, the shorter way round; twice the half angle's
        chord = np.sqrt(np.maximum(2.0 - 2.0 * np.abs(np.einsum("nbi,nbi->nb", before, after)), 0.0))
        # rounded quaternions leave a chord of some thousandths even at rest
        swing[span] = np.where(chord > 2e-3, 2.0 * chord, 0.0) * reach
        absent[span] = np.isnan(before[..., 0]) != np.isnan(after[..., 0])
    speed = distance / durations
    still = np.zeros((1, distance.shape[1]), np.float32)
    around = np.maximum(np.concatenate([still, speed[:-1]]), np.concatenate([speed[1:], still]))
    put = (distance > PUT_DISTANCE) & (around < 0.3 * speed)
    put |= absent
    speeds = np.where(put, 0.0, (distance + np.nan_to_num(swing)) / durations)
    return speeds.astype(np.float32), put


def carries_of(replay: Replay) -> tuple[Carry, ...]:
    """Returns when a hand held which body: runs of hand entries of the journal, and the body that follows their
    targets. Where a hand goes on with the same body at once, as when a brick is drawn and then laid, it is one
    carry."""
    carries: list[Carry] = []
    for steps, places in _runs(replay.journal):
        carry = _carry_of(replay, steps, places)
        if carry is None:
            continue
        if carries and carries[-1].body == carry.body and carry.begin - carries[-1].end < REGRIP_TIME_S:
            carry = Carry(carries.pop().begin, carry.end, carry.body)
        carries.append(carry)
    return tuple(carries)


def _runs(journal: Sequence[Entry]) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Yields the steps (n,) and the targets (n, 3) in metres of each run of hand entries, NaN for what is no place. As
    numbers: parsed lines take twenty times the room."""
    steps, places = array("q"), array("d")
    for step, entry in journal:
        target = entry.get("target")
        if entry.get("type") == "hand" and isinstance(target, list) and len(target) == 7:
            steps.append(step)
            places.extend(_place_of(target))
        elif steps:
            yield np.array(steps), np.array(places).reshape(-1, 3)
            steps, places = array("q"), array("d")
    if steps:
        yield np.array(steps), np.array(places).reshape(-1, 3)


def _place_of(target: list[Any]) -> list[float]:
    if any(type(value) not in (int, float) for value in target[:3]):
        return [math.nan] * 3
    # whole numbers beyond the range of a float stay whole until they are cut
    return [1e-6 * float(min(max(value, -1e6 * FARTHEST), 1e6 * FARTHEST)) for value in target[:3]]


def _carry_of(replay: Replay, steps: NDArray[np.int64], places: Array) -> Carry | None:
    """Returns the body that follows the targets."""
    sampled = slice(None, None, max(1, len(steps) // 8))
    if not replay.poses.size or np.isnan(places[sampled]).any():
        return None
    # a piece that is put on the table to be taken is there a moment later
    gaps = np.array(
        [
            np.linalg.norm(replay.pose_at(step)[:, :3] - place, axis=1)
            for step, place in zip(steps[sampled].tolist(), places[sampled], strict=True)
        ]
    )
    seen = ~np.isnan(gaps)
    mean = np.where(
        2 * seen.sum(axis=0) >= len(gaps), np.nansum(gaps, axis=0) / np.maximum(seen.sum(axis=0), 1), np.inf
    )
    if not np.isfinite(mean).any():
        return None
    rate = replay.meta.rate
    return Carry(int(steps[0]) / rate, (int(steps[-1]) + 1) / rate, int(np.argmin(mean)))


def _collapses(replay: Replay, motion: Motion) -> tuple[Collapse, ...]:
    fast = np.flatnonzero(motion.loose > LOOSE_SPEED)
    if not len(fast):
        return ()
    puts = np.cumsum(motion.put.any(axis=1))
    # what is set up anew has come down before: a game hardly waits
    is_apart = motion.times[fast[1:]] - motion.times[fast[:-1] + 1] > COLLAPSE_GAP_S
    breaks = np.flatnonzero(is_apart | (puts[fast[1:]] > puts[fast[:-1]]))
    firsts, lasts = np.r_[fast[0], fast[breaks + 1]], np.r_[fast[breaks], fast[-1]]
    collapses = [_collapse(replay, motion, int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]
    return tuple(collapse for collapse in collapses if collapse is not None)


def _collapse(replay: Replay, motion: Motion, first: int, last: int) -> Collapse | None:
    """Returns the collapse that the fast moves from one interval to another are, None when they bring nothing down."""
    span = slice(first, last + 1)
    heights = replay.poses[first : last + 2, :, 2]
    held = motion.held[span]
    # counted from where a hand left it
    since = np.where(held.any(axis=0), len(held) - np.argmax(held[::-1], axis=0), 0)
    free = (since < len(held)) & ~motion.put[span].any(axis=0)
    down = np.nan_to_num(heights[since, np.arange(heights.shape[1])] - heights[-1])
    moved = np.where(held, 0.0, motion.speeds[span]).max(axis=0) > LOOSE_SPEED
    fallen = np.flatnonzero(free & moved & has_fallen(down, 0.0, FALL_DROP_SEEN))
    if not len(fallen):
        return None
    begin, body = min(
        (_set_off(replay, motion, body, first + int(since[body])), body) for body in fallen.tolist()
    )
    together = motion.speeds[span][:, fallen].sum(axis=1)
    crash = max(float(motion.times[first + int(np.argmax(together))]), begin)
    return Collapse(begin, crash, float(motion.times[last + 1]), body, tuple(fallen.tolist()))


def _set_off(replay: Replay, motion: Motion, body: int, first: int) -> float:
    """Returns when a piece that comes down sets off, seconds. first: frame from which on it does."""
    heights = replay.poses[first:, body, 2]
    down = first + int(np.argmax(has_fallen(heights[0] - heights, 0.0, FALL_DROP_SEEN)))
    kept = motion.held[:down, body] | motion.put[:down, body]
    speeds = motion.speeds[:down, body]
    # a tower may sway for long before it falls
    slow = np.flatnonzero((speeds < LOOSE_SPEED) | kept)
    fast = int(slow[-1]) + 1 if len(slow) else 0
    start = int(np.searchsorted(motion.times, motion.times[fast] - LOOKBACK_S))
    # from where it last lay still, or was let go
    lay = np.flatnonzero((speeds[start:fast] < STILL_SPEED) | kept[start:fast])
    start += int(lay[-1]) + 1 if len(lay) else 0
    places = replay.poses[start : down + 1, body, :3]
    away = np.linalg.norm(places - places[0], axis=1)
    return float(motion.times[start + int(np.argmax(away > SET_OFF_SHIFT))])


def impacts_of(replay: Replay, motion: Motion, extents: Array, masses: Sequence[float]) -> tuple[Impact, ...]:
    """Returns all impacts of a recording, in time. extents: (bodies, 3) metres; masses: (bodies,) kilograms, 0 for what
    never moves. Raises RecordError for more than `MAX_IMPACTS`."""
    if len(motion.times) < 4:
        return ()
    durations = np.diff(motion.times)
    shortened = np.minimum(durations, MAX_INTERVAL_S)
    impacts: list[Impact] = []
    for body in np.flatnonzero(np.asarray(masses) > 0).tolist():
        velocities, size = _jumps(replay.poses[:, body, :3].astype(np.float64), durations, motion, body)
        for before in _peaks(size, motion.times[1:-2]):
            frame = before + 2
            impulse = float(masses[body] * size[before])
            own = slice(before, before + 3)
            seen = float(motion.times[frame])
            seconds = seen - _since(velocities[own], shortened[own])
            others = [_struck(replay.poses[n].astype(np.float64), extents, body) for n in (frame, frame + 1)]
            x, y, z = (float(value) for value in replay.poses[frame, body, :3])
            other = others[0] if others[0] >= 0 else others[1]
            impacts.append(Impact(seconds, seen, body, other, impulse, (x, y, z)))
        if len(impacts) > MAX_IMPACTS:
            problem = f"has more than {MAX_IMPACTS} impacts, which no pieces of wood have"
            raise RecordError(replay.path, problem, TRACK)
    return tuple(sorted(impacts, key=lambda impact: (impact.seconds, impact.body)))


def _jumps(places: Array, durations: Array, motion: Motion, body: int) -> tuple[Array, Array]:
    """Returns the velocities (n-1, 3) m/s of a body between frames, and by how much they change over each interval that
    has one on either side: (n-3,) m/s, 0 where nobody knows. places: (n, 3) metres; durations: (n-1,) seconds."""
    velocities = np.diff(places, axis=0) / np.maximum(durations, 1e-9)[:, None]
    # where it was put elsewhere, or moved while frames are far apart, nobody knows a piece's velocity
    is_slow = np.linalg.norm(velocities, axis=1) < STILL_SPEED
    known = (
        ~motion.put[:, body] & ((durations < MAX_INTERVAL_S) | is_slow) & np.isfinite(velocities).all(axis=1)
    )
    durations = np.minimum(durations, MAX_INTERVAL_S)
    # over the interval of the impact, which itself has a bit of both velocities
    jumps = velocities[2:] - velocities[:-2]
    # gravity explains a piece that gets faster downwards, all of it or, on something that gives way, a part
    limit = GRAVITY * ((durations[2:] + durations[:-2]) / 2 + durations[1:-1])
    jumps[:, 2] += np.clip(-np.nan_to_num(jumps[:, 2]), 0.0, limit)
    held = motion.held[:, body]
    is_known = known[2:] & known[1:-1] & known[:-2] & ~(held[2:] & held[:-2])
    return velocities, np.where(is_known, np.linalg.norm(jumps, axis=1), 0.0)


def _since(velocities: Array, durations: Array) -> float:
    """Returns the seconds between an impact and the end of its interval. velocities: (3, 3) m/s, means of the interval
    before, of its own and of the one after; durations: (3,) seconds of these."""
    before, within, after = velocities
    # what falls freely before it gains speed until it strikes
    if after[2] > before[2]:
        before = before - np.array([0.0, 0.0, GRAVITY * (durations[0] + durations[1]) / 2])
    jump = after - before
    part = float((within - before) @ jump) / max(float(jump @ jump), 1e-12)
    return min(max(part, 0.0), 1.0) * float(durations[1])


def _peaks(sizes: Array, times: Array) -> list[int]:
    """Returns the intervals where jumps are largest, no two closer than `RATTLE_TIME_S`."""
    order = np.flatnonzero(is_impact(sizes))
    kept: list[int] = []
    for frame in order[np.argsort(-sizes[order], kind="stable")].tolist():
        if all(abs(times[frame] - times[other]) >= RATTLE_TIME_S for other in kept):
            kept.append(frame)
    return sorted(kept)


def _struck(poses: Array, extents: Array, body: int) -> int:
    """Returns the column of the nearest other body, by the distance of upright boxes; -1 when none is near."""
    half = np.abs(matrices_of(poses[:, 3:])) @ extents[:, :, None] / 2
    half = half[..., 0]
    gaps = np.abs(poses[:, :3] - poses[body, :3]) - half - half[body]
    distance = np.linalg.norm(np.maximum(gaps, 0.0), axis=1)
    distance[body] = np.inf
    distance = np.where(np.isfinite(distance), distance, np.inf)
    nearest = int(np.argmin(distance))
    return nearest if distance[nearest] <= NEAR_DISTANCE else -1
