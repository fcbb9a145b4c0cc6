"""The timing of a film: how fast a recording runs at each moment, and so which moment each frame shows.

One curve of speed decides everything: quiet stretches run fast, collapses slow, what is tidied away takes its time.
Frames, sound and captions all look up the same curve, so they cannot drift apart.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from teeter.engine.record.motion import STILL_SPEED, Motion
from teeter.models.piece import Array

PaceName = Literal["lively", "true"]

GRID = 60
"""Points of the curve for a second of the recording."""
QUIET_S = 0.5
"""Seconds on the screen of a stretch in which nothing moves, in a lively film."""
PLACING_S = 1.3
"""Seconds before the hand opens that are shown as they were; what comes before runs `CARRY_SPEED` times as fast."""
CARRY_SPEED = 2.5
SLOW_SPEED = 0.22
"""Speed of a collapse in slow motion."""
SLOW_BEFORE_S, SLOW_AFTER_S, SLOW_MAX_S = 0.25, 0.35, 1.3
"""Seconds before the first piece sets off and after the crash that are slow, and the most there are of them: where
pieces have long been sliding, the last."""
TIDY_S = 0.7
"""Seconds on the screen in which pieces go back to where the game keeps them."""
EASE_S = 0.3
"""Seconds over which the speed changes."""
MAX_SPEED = 60.0
HIGHLIGHT_LEAD_S = 0.7
"""Seconds before the crash at which a collapse is taken to begin, where pieces have been sliding for longer."""
HIGHLIGHT_BEFORE = 0.3
"""Part of a highlight that leads up to the collapse."""


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """When what is seen. moments: (k,) seconds of the recording, rising. screen: (k,) seconds of the film."""

    moments: Array
    screen: Array

    @property
    def seconds(self) -> float:
        """Returns the length of the film."""
        return float(self.screen[-1])

    def shown(self, screen: Array) -> Array:
        """Returns the moments of the recording at times of the film."""
        return np.asarray(np.interp(screen, self.screen, self.moments))

    def seen(self, moments: Array) -> Array:
        """Returns the times of the film at which moments of the recording are seen."""
        return np.asarray(np.interp(moments, self.moments, self.screen))


def timing_of(
    motion: Motion,
    span: tuple[float, float],
    *,
    pace: PaceName = "lively",
    speed: float = 1.0,
    slow_fall: bool = False,
) -> Timing:
    """Returns the timing of a film from one second of the recording to another.

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
            last = collapse.crash + SLOW_AFTER_S
            first = max(collapse.begin - SLOW_BEFORE_S, last - SLOW_MAX_S)
            rates[(middle > first) & (middle < last)] = SLOW_SPEED
    rates = _eased(rates)
    if pace == "lively":
        rates = np.minimum(rates, _tidying(motion, middle))
    lasts = np.diff(edges) / (rates * speed)
    return Timing(edges, np.concatenate([[0.0], np.cumsum(lasts)]))


def _lively(motion: Motion, middle: Array, grid: int) -> Array:
    """Returns the speeds of a film without waiting: stretches at rest shortened, carrying quickened."""
    rates = np.ones(len(middle))
    for carry in motion.carries:
        rates[(middle > carry.begin) & (middle < carry.end - PLACING_S)] = CARRY_SPEED
    if not len(motion.speeds):
        return np.full(len(middle), MAX_SPEED)
    interval = np.clip(np.searchsorted(motion.times, middle, side="right") - 1, 0, len(motion.speeds) - 1)
    is_quiet = motion.speeds.max(axis=1, initial=0.0)[interval] < STILL_SPEED
    # runs of quiet points
    edges = np.flatnonzero(np.diff(np.r_[False, is_quiet, False].astype(np.int8)))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        rates[first:last] = np.clip((last - first) / grid / QUIET_S, 1.0, MAX_SPEED)
    return rates


def _eased(rates: Array) -> Array:
    """Returns the speeds, changing gently: the mean of their logarithms under a Hann window."""
    half = round(EASE_S * GRID / 2)
    if len(rates) < 2 or half < 1:
        return rates
    window = np.hanning(2 * half + 3)[1:-1]
    wide = np.pad(np.log(rates), half, mode="edge")
    return np.asarray(np.exp(np.convolve(wide, window / window.sum(), mode="valid")))


def _tidying(motion: Motion, middle: Array) -> Array:
    """Returns the highest speeds at which what is put elsewhere can be followed."""
    limits = np.full(len(middle), np.inf)
    for interval in np.flatnonzero(motion.put.any(axis=1)):
        begin, end = motion.times[interval], motion.times[interval + 1]
        points = np.flatnonzero((middle > begin) & (middle < end))
        if not len(points) and middle[0] <= begin <= middle[-1]:
            points = np.array([int(np.argmin(np.abs(middle - (begin + end) / 2)))])
        limits[points] = len(points) / GRID / TIDY_S
    return limits


def highlight(motion: Motion, whole: float, seconds: float) -> tuple[float, float]:
    """Returns begin and end, in seconds of the recording, of what fills so many seconds of film with slow falls: around
    the collapse with the most pieces, or the end where nothing falls. whole: seconds of the recording."""
    timing = timing_of(motion, (0.0, whole), pace="lively", slow_fall=True)
    if timing.seconds <= seconds:
        return 0.0, whole
    end = timing.seconds
    if motion.collapses:
        largest = max(motion.collapses, key=lambda fall: (len(fall.fallen), -fall.begin))
        middle = float(timing.seen(np.array([max(largest.begin, largest.crash - HIGHLIGHT_LEAD_S)]))[0])
        end = min(max(middle + (1 - HIGHLIGHT_BEFORE) * seconds, seconds), end)
    first, last = timing.shown(np.array([end - seconds, end])).tolist()
    return float(first), float(last)
