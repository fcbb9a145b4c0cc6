"""Small words of all stories: lists, numbers, capitals."""

import re
from collections.abc import Iterable

BROKEN_OFF = re.compile(
    r"broken off after (0|[1-9][0-9]{0,8}) (turn|decision)s?"
    r"(?:: a piece was laid against the rules [1-9][0-9]{0,8} times running)?"
)
"""What programs that play say of a game that they left; people say nothing."""


def listed(words: Iterable[str]) -> str:
    """`Ana, Ben and Cem`; at least one word."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def counted(count: int, noun: str) -> str:
    """`no tokens`, `one token`, `3 tokens`."""
    return f"one {noun}" if count == 1 else f"{count or 'no'} {noun}s"


def broken_off(turns: int) -> str:
    """`broken off after 1 turn`: why a game ended that its players did not."""
    return f"broken off after {turns} turn{'s' * (turns != 1)}"


def is_broken_off(reason: str, turns: int | None = None) -> bool:
    """Whether a record may give that as why a game ended before its end. turns: that were played, where it is known."""
    found = BROKEN_OFF.fullmatch(reason)
    return not reason or (
        found is not None and (turns is None or found[2] == "decision" or int(found[1]) == turns)
    )


ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh"),
    *("eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
    *("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
)


def ordinal(number: int) -> str:
    """`first`, `second`, ... `twentieth`, `21st`."""
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def members(seats: Iterable[str]) -> list[str]:
    """Everybody who sits there: a seat of a team has several."""
    return [member for seat in seats for member in seat.split("+")]


def won(winners: Iterable[str]) -> str:
    """`Ana wins`, `Ana and Ben win` (two seats, or one of a team), `Nobody wins`."""
    names = members(winners)
    return f"{listed(names)} {'wins' if len(names) == 1 else 'win'}" if names else "Nobody wins"


def capital(sentence: str) -> str:
    """The sentence with a capital first letter."""
    return sentence[:1].upper() + sentence[1:]
