"""What makes a hand miss: the slow swaying of a body; `hand.Tremor` is the quick part.

Both are functions of the time alone, so that a record of what the player wanted repeats what the hand did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CALM = 0.5
"""Seconds in which swaying sets in after a hand has closed on a piece, so that it does not jerk."""


@dataclass(frozen=True, slots=True)
class Sway:
    """Slow swaying of whoever stands unsteadily. size: metres to either side. period: seconds. axes: 1 sideways, 2 also
    to and fro, at another pace, so that the way does not repeat itself with every period."""

    size: float
    period: float
    axes: int = 1

    def at(self, seconds: float) -> Array:
        """The offset (3,) in metres at a time."""
        turn = 2.0 * math.pi * seconds / self.period
        ways = (math.sin(turn), math.sin(turn * (math.sqrt(5.0) - 1.0) / 2.0) if self.axes > 1 else 0.0, 0.0)
        return self.size * np.array(ways)


def onset(seconds: float) -> float:
    """How much of the swaying has set in, 0 to 1, so long after a hand has closed."""
    part = min(1.0, max(0.0, seconds / CALM))
    return part * part * (3.0 - 2.0 * part)
