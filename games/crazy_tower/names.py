"""Blocks, cards and floors of Crazy Tower as people call them."""

from __future__ import annotations

from games.core.words import ordinal
from games.crazy_tower.state import State, colour_of, shape_of

SHAPES = {
    "i1": "cube",
    "i3": "bar",
    "l3": "little corner",
    "o4": "square",
    "t4": "tee",
    "l4": "hook",
    "v5": "big corner",
}


def block_name(block: str) -> str:
    """`red cube`."""
    return f"{colour_of(block)} {SHAPES.get(shape_of(block), shape_of(block))}"


def said(piece: str) -> str:
    """`the red cube`, `card 2`; empty for no piece."""
    if shape_of(piece) in SHAPES:
        return f"the {block_name(piece)}"
    return piece.replace("_0", " ").replace("_", " ")


def floor_name(state: State, card: str) -> str:
    """`the second floor`; the start card is the first."""
    at = next(number for number, floor in enumerate(state.floors) if floor.card == card)
    return f"the {ordinal(at + 1)} floor"
