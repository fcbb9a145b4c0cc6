"""What a game may do to the hand and the eye of who plays it. The rules declare it, the hand and the view obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

S = TypeVar("S", contravariant=True)


@dataclass(frozen=True, slots=True)
class Handicap:
    """What is done to the hand and the eye.

    mirrored: left and right of the input are swapped. tremor: times the player's own.
    sway_mm, sway_period_s, sway_axes: viewpoint and hand sway slowly, around so many axes.
    arm_mm: the hand stays so far from the shoulder; 0: free. grip: share of the usual force and torque.
    depth_cues: shadows and perspective. turns_while_holding: the camera may turn while a piece is held.
    spins: turns of the camera after each new floor card; wobble_s: the hand wobbles so long after them.
    eye_mm: the camera stays at this height above the table; 0: free.
    reach_mm: the hand goes no further from where the other rests; 0: free.
    drop_mm: a floor card is let go at least so high above the tower.
    """

    mirrored: bool = False
    tremor: float = 1.0
    sway_mm: float = 0.0
    sway_period_s: float = 0.0
    sway_axes: int = 0
    arm_mm: float = 0.0
    grip: float = 1.0
    depth_cues: bool = True
    turns_while_holding: bool = True
    spins: int = 0
    wobble_s: float = 0.0
    eye_mm: float = 0.0
    reach_mm: float = 0.0
    drop_mm: float = 0.0


NO_HANDICAP = Handicap()


class Handicaps(Generic[S]):
    """Which handicap holds in a game; by default none."""

    def of(self, state: S) -> Handicap:
        """The handicap of the player."""
        return NO_HANDICAP

    def limit_s(self, state: S) -> float:
        """Seconds that the game may take from the first grab; 0 without a limit."""
        return 0.0

    def spins(self, before: S, after: S) -> bool:
        """Whether the player spins round between these states (`spins`, `wobble_s`)."""
        return False


NO_HANDICAPS: Handicaps[Any] = Handicaps()
