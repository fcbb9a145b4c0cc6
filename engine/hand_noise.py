"""Hand noise, what makes a hand miss: its tremor, the slow swaying of a body, and an arm that does not bend.

Tremor and swaying are functions of the time alone, an arm goes by what was wanted step by step: so a record of what the
player wanted repeats what the hand did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ONSET_S = 0.5
"""Seconds in which swaying sets in after a hand has closed on a piece, so that it does not jerk."""


@dataclass(frozen=True, slots=True)
class Tremor:
    """Shaking of a human hand: band-limited noise, seeded. size: metres, root mean square along each axis.

    Physiological tremor lies between 8 and 12 Hz, slow drift below 3 Hz carries as much (Elble and Koller 1990).
    """

    size: float
    seed: int = 0

    def at(self, seconds: float) -> Array:
        """Returns the offset (3,) in metres at a time; the same for the same seed, whatever was asked before."""
        if self.size == 0.0:
            return np.zeros(3)
        rng = np.random.default_rng((self.seed, 0x7E))
        tones = np.concatenate([rng.uniform(8.0, 12.0, (3, 3)), rng.uniform(0.5, 3.0, (3, 3))], axis=1)
        phases = rng.uniform(0.0, 2.0 * np.pi, (3, 6))
        waves = np.sin(2.0 * np.pi * tones * seconds + phases)
        # six sines of equal size have a root mean square of sqrt(3) times one amplitude
        return np.asarray(self.size / math.sqrt(3.0) * waves.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Sway:
    """Slow swaying of whoever stands unsteadily. size: metres to either side. period: seconds. axes: 1 sideways, 2 also
    to and fro, at another pace, so that the way does not repeat itself with every period."""

    size: float
    period: float
    axes: int = 1

    def at(self, seconds: float) -> Array:
        """Returns the offset (3,) in metres at a time."""
        phase = 2.0 * math.pi * seconds / self.period
        shares = (
            math.sin(phase),
            math.sin(phase * (math.sqrt(5.0) - 1.0) / 2.0) if self.axes > 1 else 0.0,
            0.0,
        )
        return self.size * np.array(shares)


SHOULDER_HEIGHT = 0.55
"""Metres above the table at which somebody who stands at it and leans over has the shoulder."""
BALANCE_TIME_S = 0.1
"""Seconds: the time constant with which a body comes after its stiff arm, as a critically damped spring. Slow and even
movements it goes along with; what begins or ends quickly swings on an arc first."""


class StiffArm:
    """An arm held straight: the hand is on a sphere around the shoulder, and goes along arcs until the body has come
    after it. length: metres, from shoulder to hand. place (3,): where the hand is at first; the player stands at the
    near side of the table, along -y, the shoulder at `SHOULDER_HEIGHT`."""

    def __init__(self, length: float, place: Array) -> None:
        self.length = length
        self.shoulder = self._wanted = self._over(place)
        self._sped = self._behind = self._falling_behind = np.zeros(3)

    def at(self, wanted: Array, rate: int) -> Array:
        """Returns where the hand is (3,) after one more step in which it is wanted at a place (3,); rate: steps a
        second."""
        over, step = self._over(wanted), 1.0 / rate
        speed = (over - self._wanted) * rate
        # the step's exact solution, from what the body is behind and how much faster the shoulder has to be than it
        falling = self._falling_behind + speed - self._sped
        rush, fades = falling + self._behind / BALANCE_TIME_S, math.exp(-step / BALANCE_TIME_S)
        behind = (self._behind + rush * step) * fades
        self._falling_behind = (falling - rush * step / BALANCE_TIME_S) * fades
        self._behind, self._wanted, self._sped = behind, over, speed
        self.shoulder = over - behind
        arm = wanted - self.shoulder
        return np.asarray(self.shoulder + arm * (self.length / float(np.linalg.norm(arm))))

    def _over(self, place: Array) -> Array:
        """Returns where the shoulder has to be for the hand to be at a place; as near as it comes for one too high or
        low."""
        x, y, z = place.tolist()
        drop = min(max(SHOULDER_HEIGHT - z, -self.length), self.length)
        return np.array([x, y - math.sqrt(self.length**2 - drop**2), z + drop])


def onset(seconds: float) -> float:
    """Returns how much of the swaying has set in, 0 to 1, so long after a hand has closed."""
    part = min(1.0, max(0.0, seconds / ONSET_S))
    return part * part * (3.0 - 2.0 * part)
