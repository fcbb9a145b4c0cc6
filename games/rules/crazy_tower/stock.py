"""What is in the box of Crazy Tower: blocks, floor cards with their boxes, and the solo challenges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from games.rules import codec


class Sort(Enum):
    """The five sorts of boxes on a floor card: (mark in the catalogue, clause, name)."""

    WHITE = (".", "CT-03", "white")
    RED = ("#", "CT-04", "red")
    REMOVE = ("-", "CT-05", "remove")
    AGAIN = ("+", "CT-06", "play again")
    EXCHANGE = ("x", "CT-07", "exchange")

    @property
    def mark(self) -> str:
        """The sign that stands for it in a card's rows."""
        return self.value[0]

    @property
    def clause(self) -> str:
        """The clause that tells what it does."""
        return self.value[1]

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.value[2]


SORTS = {sort.mark: sort for sort in Sort}
ACTING = (Sort.REMOVE, Sort.EXCHANGE, Sort.AGAIN)
"""Boxes that act when they are covered; play-again comes last."""


@dataclass(frozen=True, slots=True)
class Card:
    """A floor card: rows of marks from the far edge (+y) to the near one, each from -x to +x."""

    id: str
    boxes: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """CT-02: no special box; the forbidden box is one."""
        return all(mark == Sort.WHITE.mark for row in self.boxes for mark in row)


@dataclass(frozen=True, slots=True)
class Block:
    """A wooden block; its value is printed on it. The id is colour and shape, `red_t4`."""

    id: str
    colour: str
    value: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A row of the catalogue: a block, or a card (no value)."""

    id: str
    colour: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True)
class Handicap:
    """What a challenge does to the hand and the eye. The rules declare it, the hand and the view obey.

    mirrored: left and right of the input are swapped. tremor: times the player's own.
    sway_mm, sway_period_s, sway_axes: viewpoint and hand sway slowly, around so many axes.
    arm_mm: the hand stays so far from the shoulder; 0: free. grip: share of the usual force and torque.
    depth_cues: shadows and perspective. turns_while_holding: the camera may turn while a piece is held.
    spins: turns of the camera after each new floor card; wobble_s: the hand wobbles so long after them.
    eye_mm: the camera stays at this height above the table; 0: free.
    reach_mm: the hand goes no further from where the other rests; 0: free.
    drop_mm: a floor card is let go at least so high above the tower.
    """

    mirrored: bool = False
    tremor: float = 1.0
    sway_mm: float = 0.0
    sway_period_s: float = 0.0
    sway_axes: int = 0
    arm_mm: float = 0.0
    grip: float = 1.0
    depth_cues: bool = True
    turns_while_holding: bool = True
    spins: int = 0
    wobble_s: float = 0.0
    eye_mm: float = 0.0
    reach_mm: float = 0.0
    drop_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Challenge:
    """A solo challenge (CT-31..CT-50): all blocks in play laid, and what it asks beyond that.

    colours: so many are in play unless chosen otherwise. blocks_a_floor: exactly, 0: any.
    blocks_on_last: what the last floor may have as well. blocks_on_first: exactly on the first, 0: any.
    shapes_differ: no shape twice on a floor. least_cards: floor cards in the tower. limit_s: from the first
    grab to the last rest, 0: none. on_side: blocks stand on their side.
    """

    number: int
    clause: str
    text: str
    colours: int = 3
    least_colours: int = 1
    most_colours: int = 4
    blocks_a_floor: int = 0
    blocks_on_last: tuple[int, ...] = ()
    blocks_on_first: int = 0
    shapes_differ: bool = False
    least_cards: int = 0
    limit_s: float = 0.0
    on_side: bool = False
    handicap: Handicap = Handicap()


@dataclass(frozen=True, slots=True)
class Stock:
    """The box: all of it, or in a game's state what of it is in play."""

    blocks: tuple[Block, ...]
    cards: tuple[Card, ...]
    challenges: tuple[Challenge, ...] = ()

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the blocks, each once."""
        return tuple(dict.fromkeys(block.colour for block in self.blocks))


def read_stock(tables: Mapping[str, Any]) -> Stock:
    """The stock from the tables of `models/crazy_tower.toml`. Raises codec.MisfitError."""
    pieces = codec.rows(Piece, tables, "piece")
    blocks = tuple(Block(piece.id, piece.colour, piece.value) for piece in pieces if piece.value)
    for block in blocks:
        if not block.colour or colour_of(block.id) != block.colour:
            raise codec.MisfitError(f"block {block.id!r}: its id must begin with its colour {block.colour!r}")
    cards = codec.rows(Card, tables, "card")
    for card in cards:
        strange = sorted({mark for row in card.boxes for mark in row} - set(SORTS))
        if strange:
            raise codec.MisfitError(f"card {card.id!r}: unknown marks {strange}; allowed: {' '.join(SORTS)}")
    return Stock(blocks, cards, codec.rows(Challenge, tables, "challenge"))


def colour_of(block: str) -> str:
    """The colour of a block, by its id."""
    return block.partition("_")[0]


def shape_of(block: str) -> str:
    """The shape of a block, by its id."""
    return block.partition("_")[2]


def box_name(card: str, row: int, column: int) -> str:
    """The name of a box, as `Placed.covers` has it; rows and columns count from 1 as in the catalogue."""
    return f"{card}.r{row}c{column}"


def boxes_of(card: Card) -> dict[str, Sort]:
    """All boxes of a card by name."""
    return {
        box_name(card.id, at, column): SORTS[mark]
        for at, row in enumerate(card.boxes, 1)
        for column, mark in enumerate(row, 1)
    }
