"""What a tutorial is made of: acts to be taught, and those that all games share."""

from __future__ import annotations

from dataclasses import dataclass

TAKE, CARRY, TURN, LAY, PULL = "TAKE", "CARRY", "TURN", "LAY", "PULL"
"""Acts, and of `CARRY` and `PULL` the stage of a turn in which they are done."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One act to be taught. stage: where in a turn it is done, the phase of the rules or CARRY or PULL. text: what to
    do, with {click}, {lay}, {move}, {turn}, {flip}, {lift}, {feel} as they are done with the device that is used.
    reaches: the stage that it leads to; empty: any other. is_needed: the tutorial is not over without it."""

    act: str
    stage: str
    text: str
    reaches: str = ""
    is_needed: bool = True


def carrying(where: str, turn: str = "Turn it with {turn}; {flip} flips it.") -> tuple[Lesson, ...]:
    """The lessons on a piece in the hand. where: the words that say where it has to lie. turn: how it is turned."""
    return (
        Lesson(
            CARRY, CARRY, "{move}: the piece goes along. The dark spot shows where it would land: " + where
        ),
        Lesson(TURN, CARRY, turn),
        Lesson(LAY, CARRY, "{lay} to lay it: " + where),
    )
