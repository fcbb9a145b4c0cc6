"""Crazy Tower between two inputs: the box (blocks, floor cards, solo challenges), house rules, actions, the state."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from teeter.games.core import codec
from teeter.games.core.rules import NO_HANDICAP, Action, Handicap, Reason
from teeter.games.core.setup import Mode, Seat, option


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
class CatalogueRow:
    """A row of the catalogue: a block, or a card (no value)."""

    id: str
    colour: str = ""
    value: int = 0


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
    handicap: Handicap = NO_HANDICAP


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
    pieces = codec.rows(CatalogueRow, tables, "piece")
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
    rows = enumerate(card.boxes, 1)
    return {
        box_name(card.id, at, column): SORTS[mark] for at, row in rows for column, mark in enumerate(row, 1)
    }


COMPETITIVE, SABOTEUR, SOLO = "competitive", "saboteur", "solo"
MODES = (
    Mode(COMPETITIVE, "Crazy Tower", 2, 4),
    Mode(SABOTEUR, "Crazy Tower with a saboteur", 3, 4),
    Mode(SOLO, "A Crazy Tower challenge", 1, 1, teams=True),
)


@dataclass(frozen=True, slots=True)
class House:
    """The options of the game."""

    first: str = option(
        "",
        "who starts: a name or a seat number; with an open saboteur it is always the player on their left",
        clause="CT-09",
        modes=(COMPETITIVE, SABOTEUR),
    )
    colours: str = option(
        "", "the colours chosen, in seat order (red,green,...); two players have two each", clause="CT-08"
    )
    saboteur: str = option(
        "", "the saboteur: a name or a seat number, by lot unless given", clause="CT-09", modes=(SABOTEUR,)
    )
    secret: bool = option(
        False, "only the saboteur knows who it is; the first player starts", clause="CT-09", modes=(SABOTEUR,)
    )
    challenge: int = option(1, "the solo challenge", clause="CT-09", least=1, most=20, modes=(SOLO,))
    colour_count: int = option(
        0, "how many colours are in play, 0: as the challenge has it", clause="CT-08", most=4, modes=(SOLO,)
    )


@dataclass(frozen=True, slots=True)
class RevealCard(Action):
    """Way B of a turn: turn up the first floor card of the stack, which shows it, to lay it on the tower."""

    shown_by: ClassVar[str] = "stack"


@dataclass(frozen=True, slots=True)
class NothingFits(Action):
    """Say that none of the own blocks fits on the highest floor; the referee decides."""


@dataclass(frozen=True, slots=True)
class PutBack(Action):
    """Take up a fallen piece to put it back: a block on this floor (by its card), a card on top (empty)."""

    piece: str
    floor: str = ""


@dataclass(frozen=True, slots=True)
class GiveBack(Action):
    """Say that a fallen block has no place left, so that it goes to the player of its colour."""

    piece: str


@dataclass(frozen=True, slots=True)
class Pull(Action):
    """A remove box: pull this block out of a lower floor."""

    piece: str


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """A remove box: leave the blocks where they are."""


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """An exchange box: give an unplayed block for an unplayed block of another player."""

    give: str
    take: str


class TurnStage(Enum):
    """What the turn has come to."""

    CHOOSE = "a block for the highest floor, or a new floor card"
    CARD = "the revealed card is to be laid on the tower"
    BLOCK = "a block is to be put on the new floor"
    LAID = "the block is laid; fallen pieces are put back"
    BOXES = "covered boxes act"


class HandPhase(Enum):
    """What the hand does."""

    FREE = "nothing; the player chooses"
    CARRY = "it carries a piece to its place"
    PULL = "it pulls a block out of the tower"
    SETTLE = "nothing; the world comes to rest"
    ASK = "nothing; the referee looks whether a block fits"


class CrazyReason(Reason):
    """Why a game of Crazy Tower ends."""

    LAST_BLOCK = ("CT-21", "the last block is laid and the tower stands")
    COLLAPSE = ("CT-22", "the tower collapsed")
    STANDSTILL = ("CT-10", "nobody can move")
    SABOTEUR_DONE = ("CT-25", "the saboteur laid the last block")
    ARCHITECT_COLLAPSE = ("CT-25", "the tower collapsed on an architect's turn")
    ARCHITECT_DONE = ("CT-26", "an architect laid the last block")
    SABOTEUR_COLLAPSE = ("CT-26", "the tower collapsed on the saboteur's turn")
    CHALLENGE_MET = ("CT-27", "the challenge is met and the tower stands")
    CHALLENGE_MISSED = ("CT-27", "the tower is complete, but not as the challenge asks")
    CHALLENGE_COLLAPSE = ("CT-27", "the tower collapsed and the challenge is lost")
    THREE_MINUTES = ("CT-37", "the three minutes are over")
    TWO_MINUTES = ("CT-38", "the two minutes are over")
    ONE_MINUTE = ("CT-39", "the minute is over")


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor card of the tower and the blocks on it, in the order they were laid."""

    card: str
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fallen:
    """A piece that fell and is not yet put back; of a block, the floor it fell from."""

    piece: str
    floor: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A game of Crazy Tower between two inputs.

    stock: what of the box is in play; of the challenges the one chosen. luck: random state. turn: seat index. member:
    whose turn it is inside a team. colours: those each seat chose. hands: unplayed blocks of each. deck: first card
    next. floors: bottom up. saboteur: seat index, -1 for none or not known. card: revealed and not yet laid. held: in
    the hand, or just let go. target: the floor a fallen block is carried back to. met: a take-back is too late.
    fallen: blocks, or cards; both are a collapse. boxes: covered and yet to act. earlier: those that a block before
    covered. asked: the fallen block the referee looks at, empty: those of the turn. fits: the referee said that
    something fits. passes: seats in a row that could not move. laid: the block laid this turn. again: a block that lay
    against the rules and is laid once more. started: the hand has taken up a piece, the clock of a challenge runs.
    pulled: the block that a remove box has just taken out, until the tower is at rest."""

    seats: tuple[Seat, ...]
    house: House
    stock: Stock
    mode: str
    luck: int
    turn: int
    colours: tuple[tuple[str, ...], ...]
    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]
    floors: tuple[Floor, ...]
    saboteur: int
    member: int = 0
    stage: TurnStage = TurnStage.CHOOSE
    hand: HandPhase = HandPhase.FREE
    card: str = ""
    held: str = ""
    target: str = ""
    met: bool = False
    fallen: tuple[Fallen, ...] = ()
    boxes: tuple[Sort, ...] = ()
    earlier: tuple[Sort, ...] = ()
    asked: str = ""
    fits: bool = False
    passes: int = 0
    laid: str = ""
    again: str = ""
    started: bool = False
    pulled: str = ""
    step: int = 0
    winners: tuple[str, ...] = ()
    reason: CrazyReason | None = None

    @property
    def challenge(self) -> Challenge | None:
        """The solo challenge that is played."""
        return self.stock.challenges[0] if self.stock.challenges else None

    @property
    def player(self) -> str:
        """The name of the seat on turn."""
        return self.seats[self.turn].name
