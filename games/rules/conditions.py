"""What the rules ask of the physical world, in words; the session measures, the referee judges.

A condition is told with a legal action ("covers no red box") and asked once the piece lies: the conditions
that do not hold come back in the `broken` field of the event. How many millimetres or per cent a word means
is the session's business and stands in its settings.
"""

from __future__ import annotations

from enum import Enum


class Condition(Enum):
    """How a piece has to lie, with the clause that says so."""

    ON_HIGHEST_FLOOR = ("CT-11", "lies on the highest floor card")
    ON_NAMED_FLOOR = ("CT-20", "lies on the floor it is put back on")
    CARD_ON_TOP = ("CT-10", "the card lies on top of the tower")
    CARD_TOUCHES_BLOCK = ("CT-12", "the card touches at least one block of the floor below")
    LAID_FLAT = ("CT-14", "lies flat on the card")
    ON_ITS_SIDE = ("CT-43", "stands on its side")
    COVERS_NO_RED_BOX = ("CT-04", "covers no red box")
    DROPPED_FROM_ABOVE = ("CT-50", "was let go at least 20 mm above the tower")

    IN_THE_CENTRE = ("WK-05", "stands in the centre of the play area")
    HIGHEST_OF_THE_TOWER = ("WK-11", "its centre is the highest of the tower")
    TOUCHES_TOWER_ONLY = ("WK-11", "touches tower blocks only")

    IN_OWN_AREA = ("BS-02", "lies inside the player's own area")
    ON_OWN_TOWER = ("BS-03", "lies on pieces of the player's own tower")
    CLEAR_OF_OTHER_TOWERS = ("BS-05", "the held piece touches no other tower")

    IN_TOP_ROW = ("TT-05", "lies in the row that is being built on top")
    FLAT_IN_ROW = ("TT-24", "lies flat")
    BESIDE_ITS_ROW = ("TT-24", "lies beside the other bricks of its row")
    ACROSS_THE_ROW_BELOW = ("TT-24", "lies at right angles to the row below")

    @property
    def clause(self) -> str:
        """The clause that asks for it."""
        return self.value[0]

    @property
    def text(self) -> str:
        """The condition in words."""
        return self.value[1]


class Question(Enum):
    """What only a referee can answer; a what-if check of the physics, or a person, plays the referee."""

    WOULD_TOPPLE = ("TT-11", "would pulling any of these bricks obviously topple the tower?")
    DOES_FIT = ("CT-10", "does any of these blocks fit on the floor?")
    HOW_TALL = ("BS-21", "how tall is every tower? (the height measurer says: Measured)")

    @property
    def clause(self) -> str:
        """The clause that needs the answer."""
        return self.value[0]

    @property
    def text(self) -> str:
        """The question in words."""
        return self.value[1]
