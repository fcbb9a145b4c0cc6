"""Clauses of the rule documents, and those all games share; what the rules can prove of them lives in `rules.py`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a rule document in our words.

    `decision` is what we decided where the document is silent.
    """

    id: str
    text: str
    decision: str = ""


class Cited(Enum):
    """Members are (clause, sentence): what a clause asks for or decides."""

    @property
    def clause(self) -> str:
        """The clause that says so."""
        return str(self.value[0])

    @property
    def text(self) -> str:
        """What it says, in words."""
        return str(self.value[1])


SHARED = (
    Clause(
        "ALL-1",
        "One hand holds one piece at a time.",
        "Printed in two of the games, ours for the others. The hand's force is limited, so "
        "the tower can stop it; only the held piece collides. Tremor is a setting; keyboard "
        "and one-button placing exist.",
    ),
    Clause(
        "ALL-2",
        "Nothing is decided while things move.",
        "After a release the world runs until it rests, 10 s at most, unless a rule counts "
        "time itself or acts at once.",
    ),
    Clause(
        "ALL-3",
        "A touch counts, a graze does not.",
        "A contact counts when it carries force for 12.5 ms, or at once past an impulse; both are settings.",
    ),
    Clause(
        "ALL-4",
        "What it means that a piece fell.",
        "It touches the table or the floor without having been laid there, or its centre lies "
        "lower than at the last rest by more than 8 mm and half its smallest dimension. The "
        "piece being moved is judged by where it ends.",
    ),
    Clause(
        "ALL-5",
        "Players sit clockwise in the order given.",
        "Who starts is an option; unless chosen it is the first named. Equal computer players are numbered.",
    ),
    Clause(
        "ALL-6",
        "Moves of the hand may be taken back until the release or the first contact with a lying piece.",
        "A release, a drawn card and another player's act stand.",
    ),
    Clause(
        "ALL-7",
        "A game may be saved between any two actions and resumed exactly.",
        "Same state, same poses, same luck.",
    ),
    Clause(
        "ALL-8",
        "Illegal wishes are refused before anything moves, with the clause and a sentence.",
    ),
    Clause(
        "ALL-9",
        "A piece that rests illegally while nothing fell is taken up and laid again.",
        "Without penalty; not so in Bausack (BS-06) and Wonky (a fall).",
    ),
)
