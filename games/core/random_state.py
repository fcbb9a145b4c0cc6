"""Chance as a number in the game's state: a state resumed from a file draws the same cards.

SplitMix64 (Steele, Lea, Flood 2014): the whole generator is one 64-bit integer, so it is JSON as it stands.
Every function takes the number and gives back its result together with the next number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def seeded(seed: int) -> int:
    """Returns the first state for a seed; seeds that differ by one start far apart."""
    return _mixed((seed + GOLDEN) & WORD)


def below(state: int, count: int) -> tuple[int, int]:
    """Returns a number from 0 to count - 1, and the state that follows. The bias, count / 2**64, is beyond notice."""
    state = (state + GOLDEN) & WORD
    return (_mixed(state) * count) >> 64, state


def shuffled(state: int, items: Iterable[T]) -> tuple[tuple[T, ...], int]:
    """Returns the items in a new order (Fisher and Yates), and the state that follows."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        pick, state = below(state, last + 1)
        order[last], order[pick] = order[pick], order[last]
    return tuple(order), state


def _mixed(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)
