"""Which part of a recording to show when there is little time."""

from __future__ import annotations

import numpy as np

from engine.record.motion import Motion
from engine.view.video.pace import Pace, clock

LEAD = 0.7
"""Seconds before the crash at which a collapse is taken to begin, where pieces have been sliding for longer."""
BEFORE = 0.3
"""Part of a highlight that leads up to the collapse."""


def highlight(
    motion: Motion, whole: float, seconds: float, *, pace: Pace = "lively", slow_fall: bool = True
) -> tuple[float, float]:
    """Begin and end, in seconds of the recording, of what fills so many seconds of film: around the collapse with the
    most pieces, or the end where nothing falls. whole: seconds of the recording."""
    timing = clock(motion, (0.0, whole), pace=pace, slow_fall=slow_fall)
    if timing.seconds <= seconds:
        return 0.0, whole
    end = timing.seconds
    if motion.collapses:
        largest = max(motion.collapses, key=lambda each: (len(each.fallen), -each.begin))
        middle = float(timing.seen(np.array([max(largest.begin, largest.crash - LEAD)]))[0])
        end = min(max(middle + (1 - BEFORE) * seconds, seconds), end)
    first, last = timing.shown(np.array([end - seconds, end])).tolist()
    return float(first), float(last)
