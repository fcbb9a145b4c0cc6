"""Blows, read from a track: which pieces were struck, when, and how hard.

A recording holds no contact impulses, and need not: a blow is a jump of velocity that gravity does not explain, and
its impulse is that jump times the mass. So recordings of any age sound alike, in play and in videos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pose import turns_of
from engine.record.motion import STILL, Motion
from engine.record.reader import Replay
from engine.settings import GRAVITY

Array = NDArray[np.float64]

LEAST_JUMP = 0.05
"""m/s. Smaller jumps are those of a hand, or of a track that is rounded and sampled 60 times a second."""
APART = 0.05
"""Seconds in which a piece that rattles is struck once, the hardest time."""
NEAR = 0.006
"""Metres between boxes of pieces that may have struck each other."""
LONGEST = 0.05
"""Seconds between frames beyond which a velocity says nothing; where nothing moves there are few frames."""


@dataclass(frozen=True, slots=True)
class Impact:
    """A blow. seconds: of the recording. body: the column of the piece; other: of what it struck, -1 when nothing is
    near. impulse: newton seconds. place: metres."""

    seconds: float
    body: int
    other: int
    impulse: float
    place: tuple[float, float, float]


def impacts_of(replay: Replay, motion: Motion, extents: Array, masses: Sequence[float]) -> tuple[Impact, ...]:
    """All blows of a recording, in time. extents: (bodies, 3) metres; masses: (bodies,) kilograms, 0 for what never
    moves."""
    if len(motion.times) < 4:
        return ()
    lasts = np.diff(motion.times)
    safe = np.maximum(lasts, 1e-9)[:, None, None]
    velocities = np.diff(replay.poses[..., :3].astype(np.float64), axis=0) / safe
    # where it was put elsewhere, or moved while frames are far apart, nobody knows a piece's velocity
    is_slow = np.linalg.norm(velocities, axis=2) < STILL
    known = ~motion.put & ((lasts < LONGEST)[:, None] | is_slow) & np.isfinite(velocities).all(axis=2)
    lasts = np.minimum(lasts, LONGEST)
    # over the interval of the blow, which itself has a bit of both velocities
    jumps = velocities[2:] - velocities[:-2]
    # gravity explains a piece that gets faster downwards, all of it or, on something that gives way, a part
    most = GRAVITY * ((lasts[2:] + lasts[:-2]) / 2 + lasts[1:-1])[:, None]
    jumps[..., 2] += np.clip(-np.nan_to_num(jumps[..., 2]), 0.0, most)
    size = np.linalg.norm(jumps, axis=2)
    is_free = ~(motion.held[2:] & motion.held[:-2])
    size = np.where(known[2:] & known[1:-1] & known[:-2] & is_free, size, 0.0)
    weights = np.asarray(masses, dtype=np.float64)
    found = []
    for body in np.flatnonzero((size.max(axis=0, initial=0.0) > LEAST_JUMP) & (weights > 0)).tolist():
        for before in _peaks(size[:, body], motion.times[1:-2]):
            # a viewer goes straight from frame to frame, so it sees the blow at the end of its interval
            frame = before + 2
            impulse = float(weights[body] * size[before, body])
            others = [_struck(replay.poses[n].astype(np.float64), extents, body) for n in (frame, frame + 1)]
            x, y, z = (float(value) for value in replay.poses[frame, body, :3])
            other = others[0] if others[0] >= 0 else others[1]
            found.append(Impact(float(motion.times[frame]), body, other, impulse, (x, y, z)))
    return tuple(sorted(found, key=lambda impact: (impact.seconds, impact.body)))


def _peaks(sizes: Array, times: Array) -> list[int]:
    """Where jumps are largest, no two closer than `APART`."""
    order = np.flatnonzero(sizes > LEAST_JUMP)
    kept: list[int] = []
    for frame in order[np.argsort(-sizes[order], kind="stable")].tolist():
        if all(abs(times[frame] - times[other]) >= APART for other in kept):
            kept.append(frame)
    return sorted(kept)


def _struck(poses: Array, extents: Array, body: int) -> int:
    """The column of the nearest other body, by the distance of upright boxes; -1 when none is near."""
    half = np.abs(turns_of(poses[:, 3:])) @ extents[:, :, None] / 2
    half = half[..., 0]
    gaps = np.abs(poses[:, :3] - poses[body, :3]) - half - half[body]
    distance = np.linalg.norm(np.maximum(gaps, 0.0), axis=1)
    distance[body] = np.inf
    distance = np.where(np.isfinite(distance), distance, np.inf)
    nearest = int(np.argmin(distance))
    return nearest if distance[nearest] <= NEAR else -1
