"""Scene events: physical facts read from the world after a step, in a fixed order. They know no game.

Values only, JSON-able, and free of any simulator: the rules import this module and nothing else of `engine`.
What a fact *means* (placed, removed, fell, collapsed) is for the session to say.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Touched:
    """Two bodies began to touch for good: force held for the dwell time, or an impulse past the threshold."""

    step: int
    a: str
    b: str
    impulse: float
    """Newton seconds carried by the contact up to this step."""


@dataclass(frozen=True, slots=True, order=True)
class Parted:
    """Two bodies that touched no longer carry force between them."""

    step: int
    a: str
    b: str


@dataclass(frozen=True, slots=True, order=True)
class Moved:
    """A piece is further from its pose at the last rest than the threshold, for the first time since."""

    step: int
    piece: str
    mm: float


@dataclass(frozen=True, slots=True, order=True)
class Dropped:
    """A piece's centre lies lower than at the last rest by more than max(half its smallest dimension, 8 mm)."""

    step: int
    piece: str
    mm: float


@dataclass(frozen=True, slots=True, order=True)
class Rested:
    """Everything has been at rest for the dwell time; `pieces` are all free bodies, sorted."""

    step: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Released:
    """The hand let a piece go."""

    step: int
    piece: str


SceneEvent = Touched | Parted | Moved | Dropped | Rested
