"""What the hand can do in a game, and how it shakes: the players' own tremor, and the handicaps of a challenge that
belong to the hand (CT-40 to CT-50). Those that belong to the eye are for whoever draws the table.

It stands between what a player wants and what the hand is told; the journal keeps the wish, and the same things are
done to it when it is played again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hand import GRIP, Grip, Target, Tremor, packed, unpacked
from engine.pose import Pose
from engine.unsteady import StiffArm, Sway, onset
from games.rules.crazy_tower.stock import Handicap

Array = NDArray[np.float64]

WOBBLE = 0.006
"""CT-47: metres to either side by which the hand of somebody who has spun round three times wobbles, at first."""
WOBBLE_PERIOD = 1.2
"""Seconds: dizzy people sway at 0.5 to 1 Hz."""
FASTEST = 2.0
"""m/s: as fast as people reach across a table. A wish that leaps is followed no faster, or it would fling a cube of 3 g
out of the room."""
LONGEST_TREMOR = 0.02
"""Metres: a hand that shakes more holds nothing."""


class Handling:
    """How the hand of this game carries.

    handicap: of the challenge that is played. tremor: metres, root mean square along each axis. seed: of the tremor.
    limit_s: seconds that the game may take from the first grab, 0 without a limit.
    """

    def __init__(self, handicap: Handicap, tremor: float, seed: int, limit_s: float = 0.0) -> None:
        self.grip: Grip = GRIP if handicap.grip == 1.0 else GRIP.weakened(handicap.grip)
        """CT-46: without thumbs the hand is weaker, and a piece slips and turns sooner."""
        self.shakes = handicap.tremor
        """CT-40: times the tremor that a player brings along."""
        self.limit_s = limit_s
        self._tremor = Tremor(handicap.tremor * tremor, seed)
        self._sway = Sway(handicap.sway_mm / 1e3, handicap.sway_period_s or 1.0, handicap.sway_axes)
        self._dizzy_s = handicap.wobble_s
        self._highest = handicap.reach_mm / 1e3
        self._arm_length = handicap.arm_mm / 1e3
        self._arm: StiffArm | None = None
        self._taken_at = 0
        self._place = np.zeros(3)
        self._first_at: int | None = None
        self._spun_at: int | None = None

        self._is_plain = not (
            self._tremor.size or self._sway.size or self._dizzy_s or self._highest or self._arm_length
        )

    @property
    def is_plain(self) -> bool:
        """Whether a hand that is held still stays still: nothing shakes it."""
        return self._is_plain

    def taken(self, step: int, pose: Pose) -> None:
        """The hand has closed on a piece, here."""
        self._taken_at, self._place = step, np.asarray(pose.position)
        # CT-42: the player has walked to where the piece is within reach
        self._arm = StiffArm(self._arm_length, self._place) if self._arm_length else None
        self._first_at = step if self._first_at is None else self._first_at

    def is_late(self, step: int, rate: int) -> bool:
        """CT-37 to CT-39: whether the time of the challenge is over; it runs from the first grab."""
        return (
            bool(self.limit_s) and self._first_at is not None and step - self._first_at > self.limit_s * rate
        )

    def follow(self, before: Any, after: Any, step: int) -> None:
        """CT-47: after every new floor card the player spins round."""
        if self._dizzy_s and len(after.floors) > len(before.floors):
            self._spun_at = step

    def of(self, target: Target, step: int, rate: int) -> Target:
        """Where the hand goes when the player wants it at a target; rate: steps a second."""
        pose, seconds = unpacked(target), step / rate
        wanted = np.asarray(pose.position)
        way = wanted - self._place
        leap = float(np.linalg.norm(way)) * rate / FASTEST
        if leap <= 1.0 and self._is_plain:
            self._place = wanted
            return target
        self._place = self._place + way / max(1.0, leap)
        place = self._place + self._tremor.at(seconds)
        place += self.swaying(step, rate)
        if self._highest:
            # CT-49: the other hand lies on the table, the wrists stay together
            place[2] = min(float(place[2]), self._highest)
        if self._arm is not None:
            place = self._arm.at(place, rate)
        x, y, z = place.tolist()
        return packed(Pose((x, y, z), pose.orientation))

    def swaying(self, step: int, rate: int) -> Array:
        """Metres (3,) by which the player's body carries the hand off at a step; rate: steps a second."""
        swaying = self._sway.at(step / rate) + self._wobble(step, rate)
        return np.asarray(onset((step - self._taken_at) / rate) * swaying)

    def _wobble(self, step: int, rate: int) -> Array:
        """CT-47: dizziness wears off evenly."""
        if self._spun_at is None or step < self._spun_at:
            return np.zeros(3)
        left = 1.0 - (step - self._spun_at) / rate / self._dizzy_s
        return max(0.0, left) * Sway(WOBBLE, WOBBLE_PERIOD, 2).at((step - self._spun_at) / rate)


def handling_of(state: Any, tremor: float = 0.0) -> Handling:
    """The handling of a game from its first state. tremor: metres; raises ValueError for one that no hand has."""
    if not 0.0 <= tremor <= LONGEST_TREMOR:
        raise ValueError(
            f"a tremor of {tremor * 1e3:g} mm: a hand shakes by 0 to {LONGEST_TREMOR * 1e3:g} mm"
        )
    challenge = getattr(state, "challenge", None)
    seed = int(getattr(state, "luck", 0)) & 0xFFFFFFFF
    if challenge is None:
        return Handling(Handicap(), tremor, seed)
    return Handling(challenge.handicap, tremor, seed, challenge.limit_s)
