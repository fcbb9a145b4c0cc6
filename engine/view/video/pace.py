"""The clock of a film: how fast a recording runs at each moment, and so which moment each picture shows.

One curve of speed decides everything: quiet stretches run fast, collapses slow, what is tidied away takes its time.
Pictures, sound and captions all look up the same curve, so they cannot drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.record.motion import STILL, Motion

Array = NDArray[np.float64]
Pace = Literal["lively", "true"]

GRID = 60
"""Points of the curve for a second of the recording."""
QUIET = 0.5
"""Seconds on the screen of a stretch in which nothing moves, in a lively film."""
PLACING = 1.3
"""Seconds before the hand opens that are shown as they were; what comes before runs `CARRY` times as fast."""
CARRY = 2.5
SLOW = 0.22
"""Speed of a collapse in slow motion."""
SLOW_FROM, SLOW_AFTER, SLOW_FOR = 0.25, 0.35, 1.3
"""Seconds before the first piece sets off and after the crash that are slow, and the most there are of them: where
pieces have long been sliding, the last."""
TIDY = 0.7
"""Seconds on the screen in which pieces go back to where the game keeps them."""
EASE = 0.3
"""Seconds over which the speed changes."""
MOST_SPEED = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """When what is seen. moments: (k,) seconds of the recording, rising. screen: (k,) seconds of the film."""

    moments: Array
    screen: Array

    @property
    def seconds(self) -> float:
        """Of the film."""
        return float(self.screen[-1])

    def shown(self, screen: Array) -> Array:
        """The moments of the recording at times of the film."""
        found: Array = np.interp(screen, self.screen, self.moments)
        return found

    def seen(self, moments: Array) -> Array:
        """The times of the film at which moments of the recording are seen."""
        found: Array = np.interp(moments, self.moments, self.screen)
        return found


def clock(
    motion: Motion,
    span: tuple[float, float],
    *,
    pace: Pace = "lively",
    speed: float = 1.0,
    slow_fall: bool = False,
) -> Clock:
    """The clock of a film from one second of the recording to another.

    speed: of everything, 1 as it was. slow_fall: the first moments of a collapse in slow motion.
    """
    begin, end = span
    count = max(1, round((end - begin) * GRID))
    edges = np.linspace(begin, end, count + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    rates = _lively(motion, middle, GRID) if pace == "lively" else np.ones(count)
    for collapse in motion.collapses:
        near = (middle > collapse.begin - 1.0) & (middle < collapse.end + 0.3)
        rates[near] = 1.0
        if slow_fall:
            last = collapse.crash + SLOW_AFTER
            rates[(middle > max(collapse.begin - SLOW_FROM, last - SLOW_FOR)) & (middle < last)] = SLOW
    rates = _eased(rates)
    if pace == "lively":
        rates = np.minimum(rates, _tidying(motion, middle))
    lasts = np.diff(edges) / (rates * speed)
    return Clock(edges, np.concatenate([[0.0], np.cumsum(lasts)]))


def _lively(motion: Motion, middle: Array, grid: int) -> Array:
    """Speeds of a film without waiting: stretches at rest shortened, carrying quickened."""
    rates = np.ones(len(middle))
    for grip in motion.grips:
        rates[(middle > grip.begin) & (middle < grip.end - PLACING)] = CARRY
    if not len(motion.speeds):
        return np.full(len(middle), MOST_SPEED)
    interval = np.clip(np.searchsorted(motion.times, middle, side="right") - 1, 0, len(motion.speeds) - 1)
    is_quiet = motion.speeds.max(axis=1, initial=0.0)[interval] < STILL
    # runs of quiet points
    turns = np.flatnonzero(np.diff(np.r_[False, is_quiet, False].astype(np.int8)))
    for first, last in zip(turns[::2], turns[1::2], strict=True):
        rates[first:last] = np.clip((last - first) / grid / QUIET, 1.0, MOST_SPEED)
    return rates


def _eased(rates: Array) -> Array:
    """The speeds, changing gently: the mean of their logarithms under a bell."""
    half = round(EASE * GRID / 2)
    if len(rates) < 2 or half < 1:
        return rates
    bell = np.hanning(2 * half + 3)[1:-1]
    wide = np.pad(np.log(rates), half, mode="edge")
    found: Array = np.exp(np.convolve(wide, bell / bell.sum(), mode="valid"))
    return found


def _tidying(motion: Motion, middle: Array) -> Array:
    """The highest speeds at which what is put elsewhere can be followed."""
    limits = np.full(len(middle), np.inf)
    for interval in np.flatnonzero(motion.put.any(axis=1)):
        begin, end = motion.times[interval], motion.times[interval + 1]
        points = np.flatnonzero((middle > begin) & (middle < end))
        if not len(points) and middle[0] <= begin <= middle[-1]:
            points = np.array([int(np.argmin(np.abs(middle - (begin + end) / 2)))])
        limits[points] = len(points) / GRID / TIDY
    return limits
