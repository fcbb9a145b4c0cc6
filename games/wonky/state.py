"""Wonky between two inputs: cards, blocks, house rules, the state, and what makes it sound."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from teeter.games.core import codec
from teeter.games.core.rules import Action, Reason
from teeter.games.core.setup import Mode, Seat, option

MODES = (Mode("standard", "Wonky", 2, 16),)


class Sort(Enum):
    """The three sorts of cards."""

    BLOCK = "asks for a matching block"
    ACTION = "acts, and asks for no block"
    COMBO = "asks for any block, then acts"


class Effect(Enum):
    """What an action or combo card does."""

    NONE = "nothing"
    PASS = "the turn ends"
    REVERSE = "the direction of play turns"
    DRAW = "the next player draws a card"


@dataclass(frozen=True, slots=True)
class Card:
    """A kind of card; `count` of it are in the deck. An empty size or colour matches any."""

    id: str
    count: int
    sort: Sort
    size: str = ""
    colour: str = ""
    effect: Effect = Effect.NONE


@dataclass(frozen=True, slots=True)
class Block:
    """One of the nine blocks."""

    id: str
    size: str
    colour: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of the rule book and of our decisions (table `[numbers]` of the catalogue)."""

    dealt: int
    dealt_at_least: int
    left_to_draw: int
    fall_draws: int
    count_s: float
    nudge_mm: float
    fouls_for_a_fall: int


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything that is in the box."""

    cards: tuple[Card, ...]
    blocks: tuple[Block, ...]
    numbers: Numbers


def read_stock(tables: Mapping[str, Any]) -> Stock:
    """The stock from the tables of `models/wonky.toml`. Raises codec.MisfitError."""
    return Stock(
        cards=codec.rows(Card, tables, "card"),
        blocks=codec.rows(Block, tables, "block"),
        numbers=codec.record(Numbers, tables.get("numbers", {}), "numbers"),
    )


@dataclass(frozen=True, slots=True)
class House:
    """The options of the game."""

    first: str = option("", "who goes first (the tallest player): a name or a seat number", clause="WK-03")
    third_foul_falls: bool = option(
        False,
        "the third nudge in a turn counts as a fall",
        clause="WK-12",
        told="the third nudge in a turn counts as a fall",
    )


@dataclass(frozen=True, slots=True)
class PlayCard(Action):
    """Put this card from the hand on the discard pile."""

    card: str


@dataclass(frozen=True, slots=True)
class DrawCards(Action):
    """With nothing to play: draw until a card is playable."""


@dataclass(frozen=True, slots=True)
class KeepCard(Action):
    """Keep the playable card just drawn, and end the turn."""


class Phase(Enum):
    """Where in a turn the game is."""

    PLAY = "a card is to be played"
    DRAWN = "a playable card was drawn; play it or keep it"
    ADD = "a block is to be taken up"
    CARRY = "the block is in the hand"
    COUNT = "the block was let go; one, two, three"
    WATCH = "an action card was played; the tower has yet to come to rest"
    RESTART = "the tower fell; a block or combo card is to be played for a new one"


class WonkyReason(Reason):
    """Why a game of Wonky ends."""

    EMPTY_HAND = ("WK-16", "no cards left at the end of the turn")
    NINTH_BLOCK = ("WK-17", "the ninth block stands")


@dataclass(frozen=True, slots=True)
class State:
    """A game of Wonky between two inputs.

    luck: random state. turn: seat index. direction: 1 clockwise, -1 the other way. deck: next card first.
    tower: blocks from the bottom up. card: played this turn and still at work, or the card drawn (DRAWN).
    held: the block in the hand, or just let go. met: it has touched the tower. fouls: nudges this turn.
    """

    seats: tuple[Seat, ...]
    house: House
    stock: Stock
    luck: int
    turn: int
    deck: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    discard: tuple[str, ...] = ()
    tower: tuple[str, ...] = ()
    phase: Phase = Phase.PLAY
    direction: int = 1
    card: str = ""
    held: str = ""
    met: bool = False
    fouls: int = 0
    step: int = 0
    winners: tuple[str, ...] = ()
    reason: WonkyReason | None = None
