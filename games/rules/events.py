"""Judged events: what happened in the world, as far as it means something to the rules.

The session derives them from physical facts (`engine.events`) and from what the player was about; tests make
them up. Each has the step it happened at, the only clock the rules know; steps never run backwards. Several
pieces in one event means: in the same step.

Taken over from `engine.events` as they are: `Grabbed`, `Released` (of the piece the rules expect in the hand)
and `Rested` (everything lies still).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Grabbed as Grabbed
from engine.events import Released as Released
from engine.events import Rested as Rested
from games.rules.conditions import Condition, Question


@dataclass(frozen=True, slots=True)
class Met:
    """The held piece made its first contact with a lying piece: from here nothing can be taken back (ALL-6)."""

    step: int
    piece: str
    other: str


@dataclass(frozen=True, slots=True)
class Nudged:
    """The held piece moved a lying piece, by so many millimetres in all since it was grabbed."""

    step: int
    piece: str
    mm: float


@dataclass(frozen=True, slots=True)
class Removed:
    """The piece that was being pulled is out of the tower and in the hand."""

    step: int
    piece: str


@dataclass(frozen=True, slots=True)
class Placed:
    """The released piece lies at rest.

    where: the place as the game names it (a floor, a slot, a tower; empty when there is only one).
    covers: what it newly covers by at least half, for games that have boxes. broken: conditions not met.
    """

    step: int
    piece: str
    where: str = ""
    covers: tuple[str, ...] = ()
    broken: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class CountElapsed:
    """The count after a release is over, whether or not all is at rest.

    Broken: conditions not met by then.
    """

    step: int
    piece: str
    broken: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Fell:
    """Pieces fell (ALL-4) in one and the same step; sorted by name. In Bausack: touch the table (BS-08)."""

    step: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HitNeighbour:
    """A piece lies at rest against the tower of another player, named by its owner."""

    step: int
    piece: str
    owner: str


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The simulated time the rules had set is over (a challenge against the clock)."""

    step: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The height measurer was read: millimetres for every seat, in seat order."""

    step: int
    heights_mm: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RefereeAnswer:
    """The answer to a question the rules had asked about these pieces."""

    step: int
    question: Question
    pieces: tuple[str, ...]
    yes: bool


Event = (
    Grabbed
    | Released
    | Rested
    | Met
    | Nudged
    | Removed
    | Placed
    | CountElapsed
    | Fell
    | HitNeighbour
    | TimeUp
    | Measured
    | RefereeAnswer
)
