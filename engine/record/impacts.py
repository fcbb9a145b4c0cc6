"""Blows, read from a track: which pieces were struck, when, and how hard.

A recording holds no contact impulses, and need not: a blow is a jump of velocity that gravity does not explain, and
its impulse is that jump times the mass. So recordings of any age sound alike, in play and in videos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.record.motion import Motion
from engine.record.reader import Replay
from engine.settings import GRAVITY

Array = NDArray[np.float64]

LEAST_JUMP = 0.035
"""m/s. Smaller jumps are those of a hand, or of a track that is rounded and sampled 60 times a second."""
APART = 0.05
"""Seconds in which a piece that rattles is struck once, the hardest time."""
NEAR = 0.006
"""Metres between boxes of pieces that may have struck each other."""
LONGEST = 0.05
"""Seconds between frames beyond which a velocity says nothing."""


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
    if len(motion.times) < 3:
        return ()
    lasts = np.diff(motion.times)
    safe = np.maximum(lasts, 1e-9)[:, None, None]
    velocities = np.diff(replay.poses[..., :3].astype(np.float64), axis=0) / safe
    # where it was put elsewhere, or the frames are far apart, a piece has no velocity
    known = ~motion.put & (lasts < LONGEST)[:, None] & np.isfinite(velocities).all(axis=2)
    jumps = np.diff(velocities, axis=0)
    fall = np.zeros_like(jumps)
    fall[..., 2] = -GRAVITY * ((lasts[1:] + lasts[:-1]) / 2)[:, None]
    # at rest the table takes up what gravity gives: that is no blow either
    size = np.minimum(np.linalg.norm(jumps, axis=2), np.linalg.norm(jumps - fall, axis=2))
    # a piece at rest may have been still for long: its first move then begins in a far frame
    size = np.where(known[1:] & known[:-1] & ~(motion.held[1:] & motion.held[:-1]), size, 0.0)
    weights = np.asarray(masses, dtype=np.float64)
    found = []
    for body in np.flatnonzero((size.max(axis=0, initial=0.0) > LEAST_JUMP) & (weights > 0)).tolist():
        for frame in _peaks(size[:, body], motion.times[1:-1]):
            poses = replay.poses[frame + 1].astype(np.float64)
            x, y, z = (float(value) for value in poses[body, :3])
            impulse = float(weights[body] * size[frame, body])
            other = _struck(poses, extents, body)
            found.append(Impact(float(motion.times[frame + 1]), body, other, impulse, (x, y, z)))
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
    half = np.abs(_matrices(poses[:, 3:])) @ extents[:, :, None] / 2
    half = half[..., 0]
    gaps = np.abs(poses[:, :3] - poses[body, :3]) - half - half[body]
    distance = np.linalg.norm(np.maximum(gaps, 0.0), axis=1)
    distance[body] = np.inf
    distance = np.where(np.isfinite(distance), distance, np.inf)
    nearest = int(np.argmin(distance))
    return nearest if distance[nearest] <= NEAR else -1


def _matrices(quaternions: Array) -> Array:
    """Rotations (n, 3, 3) of unit quaternions xyzw (n, 4)."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
