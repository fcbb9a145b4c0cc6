"""Chance as a number in the game's state: a state resumed from a file draws the same cards.

A chosen seed of up to 64 bits drives SplitMix64 (Steele, Lea, Flood 2014): whoever sees some of what was dealt finds
it, and with it the rest. A drawn seed is the key of BLAKE2b in counter mode: what was dealt does not tell the rest.
Either generator is one integer, so it is JSON as it stands. Every function takes the number and gives back its result
together with the next number.
"""

import hashlib
import secrets
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
DRAWN_BITS = 128
"""Of chance in a seed that nobody chose; nobody tries that many."""
DRAWN = 1 << DRAWN_BITS
"""The smallest drawn seed: every one has the bit above its chance, and so one length."""


def draw_seed() -> int:
    """Returns a seed that nobody can compute, from the system's generator."""
    return DRAWN | secrets.randbits(DRAWN_BITS)


def is_drawn(seed: int) -> bool:
    """Returns whether a seed is as `draw_seed` makes them; a shorter one is found by trying."""
    return seed >= DRAWN


def seeded(seed: int) -> int:
    """Returns the first state for a seed; seeds that differ by one start far apart."""
    return seed << 64 if is_drawn(seed) else _mixed((seed + GOLDEN) & WORD)


def below(state: int, count: int) -> tuple[int, int]:
    """Returns a number from 0 to count - 1, and the state that follows. The bias, count / 2**64, is beyond notice."""
    if state > WORD:
        state += 1
        return (_word(state) * count) >> 64, state
    state = (state + GOLDEN) & WORD
    return (_mixed(state) * count) >> 64, state


def side_seed(state: int) -> int:
    """Returns 32 bits for what everybody sees, such as how a hand shakes. Of a drawn seed they do not tell the deal."""
    return _word(state, b"side") & 0xFFFFFFFF if state > WORD else state & 0xFFFFFFFF


def shuffled(state: int, items: Iterable[T]) -> tuple[tuple[T, ...], int]:
    """Returns the items in a new order (Fisher and Yates), and the state that follows."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        pick, state = below(state, last + 1)
        order[last], order[pick] = order[pick], order[last]
    return tuple(order), state


def _word(state: int, purpose: bytes = b"") -> int:
    """Returns 64 bits for a key (above the lowest 64 bits) and a counter (those)."""
    key, counter = state >> 64, state & WORD
    size = (key.bit_length() + 7) // 8
    digest = hashlib.blake2b(
        counter.to_bytes(8, "big"),
        digest_size=8,
        key=hashlib.blake2b(key.to_bytes(size, "big"), digest_size=32).digest(),
        person=purpose,
    )
    return int.from_bytes(digest.digest(), "big")


def _mixed(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)
