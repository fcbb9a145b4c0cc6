"""What the rules ask of the physical world, and the judged events: what happened in it, as far as the rules care.

A condition is told with a legal action ("covers no red box") and asked once the piece lies: the conditions
that do not hold come back in the `broken` field of the event. How many millimetres or per cent a word means
stands in the game's judge.

The session derives the events from physical facts (`engine.events`) and from what the player was about; tests
make them up. Each has the step it happened at, the only clock the rules know; steps never run backwards.
Several pieces in one event means: in the same step. Taken over from `engine.events` as they are: `Released` (of the
piece the rules expect in the hand) and `Rested` (everything lies still).
"""

from dataclasses import dataclass

from teeter.engine.events import Released as Released
from teeter.engine.events import Rested as Rested
from teeter.games.core.clauses import Cited


class Condition(Cited):
    """How a piece has to lie: the clause that says so, what it asks for, and what is wrong when it is not met, unless
    that is just "it does not"."""

    ON_HIGHEST_FLOOR = ("CT-11", "lies on the highest floor card")
    ON_NAMED_FLOOR = ("CT-20", "lies on the floor it is put back on")
    CARD_ON_TOP = (
        "CT-10",
        "the card lies face up on top of the tower",
        "it does not lie face up on top of the tower",
    )
    CARD_TOUCHES_BLOCK = (
        "CT-12",
        "the card touches at least one block of the floor below",
        "it touches no block of the floor below",
    )
    LAID_FLAT = ("CT-14", "lies flat on the card")
    ON_ITS_SIDE = ("CT-43", "stands on its side")
    COVERS_NO_RED_BOX = ("CT-04", "covers no red box", "a red box is covered")
    DROPPED_FROM_ABOVE = ("CT-50", "was let go at least 20 mm above the tower", "it was let go too low")

    IN_THE_CENTRE = ("WK-05", "stands in the centre of the play area")
    HIGHEST_OF_THE_TOWER = (
        "WK-11",
        "its centre is the highest of the tower",
        "its centre is not the highest of the tower",
    )
    TOUCHES_TOWER_ONLY = ("WK-11", "touches tower blocks only", "it touches something besides the tower")

    IN_OWN_AREA = ("BS-02", "lies inside the player's own area", "it reaches out of the player's own area")
    ON_OWN_TOWER = ("BS-03", "lies on pieces of the player's own tower")
    CLEAR_OF_OTHER_TOWERS = ("BS-05", "the held piece touches no other tower", "it touches another tower")

    IN_TOP_ROW = (
        "TT-05",
        "lies in a free place of the row on top",
        "it lies in no free place of the row on top",
    )
    FLAT_IN_ROW = ("TT-24", "lies flat")
    BESIDE_ITS_ROW = (
        "TT-24",
        "lies beside the other bricks of its row",
        "it is not in its place beside the other bricks of its row",
    )
    ACROSS_THE_ROW_BELOW = ("TT-24", "lies at right angles to the row below")

    @property
    def missed(self) -> str:
        """What is wrong with a piece that does not meet it."""
        _, text, *wrong = self.value
        verb, rest = text.split(" ", 1)
        return wrong[0] if wrong else f"it does not {verb.removesuffix('s')} {rest}"


class Question(Cited):
    """What only a referee can answer; a what-if check of the physics, or a person, plays the referee."""

    WOULD_TOPPLE = ("TT-11", "would pulling any of these bricks obviously topple the tower?")
    DOES_FIT = ("CT-10", "does any of these blocks fit on the floor?")
    HOW_TALL = ("BS-21", "how tall is every tower? (the height measurer says: Measured)")


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
    Released
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
