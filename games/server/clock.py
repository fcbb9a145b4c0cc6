"""Simulated time beside the time on the wall."""

from __future__ import annotations

import time

LATE_S = 0.25
"""Seconds behind the clock on the wall after which lost time is given up."""


class Clock:
    """Keeps simulated time beside wall-clock time."""

    def __init__(self) -> None:
        self.speed = 1.0
        self._wall, self._step = time.perf_counter(), 0

    def restart(self, step: int) -> None:
        """From here on."""
        self._wall, self._step = time.perf_counter(), step

    def wait(self, step: int, rate: int) -> None:
        """Sleep until a step is due."""
        due = self._wall + (step - self._step) / rate / self.speed
        ahead = due - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
        if ahead < -LATE_S or ahead > 1.0:
            self.restart(step)
