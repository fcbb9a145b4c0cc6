"""Wonky between two inputs: cards, blocks, house rules, the state, and what makes it sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from games.core import codec
from games.core.rules import Action, Reason
from games.core.setup import Mode, Seat, option

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
    third_foul_falls: bool = option(False, "the third nudge in a turn counts as a fall", clause="WK-12")


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


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state, in sentences."""
    return tuple(sentence for wrong, sentence in _checks(state) if wrong)


def _checks(state: State) -> list[tuple[bool, str]]:
    seats, blocks = len(state.seats), [block.id for block in state.stock.blocks]
    kinds = {card.id for card in state.stock.cards}
    cards: Counter[str] = Counter()
    for pile in (state.deck, state.discard, *state.hands):
        cards.update(pile)
    whole = Counter({card.id: card.count for card in state.stock.cards})
    lying = [*state.tower, *([state.held] if state.held else [])]
    carried = state.phase in (Phase.CARRY, Phase.COUNT) and state.reason is None
    over = state.reason is not None
    return [
        (not MODES[0].least <= seats <= MODES[0].most, f"{seats} seats"),
        (len(state.hands) != seats, f"{len(state.hands)} hands for {seats} seats"),
        (not 0 <= state.turn < seats, f"turn {state.turn} is no seat"),
        (state.direction not in (1, -1), f"direction {state.direction} is neither 1 nor -1"),
        (cards != whole, f"cards lost or doubled: {dict(cards - whole or whole - cards)}"),
        (len(set(lying)) != len(lying), "a block is in two places"),
        (not set(lying) <= set(blocks), f"unknown blocks {sorted(set(lying) - set(blocks))}"),
        (bool(state.held) != carried, f"held {state.held!r} in phase {state.phase.name}"),
        (state.met and not carried, "an empty hand has met a piece"),
        (state.card != "" and state.card not in kinds, f"unknown card {state.card!r}"),
        (carried and not state.card, "a block without a card"),
        (state.phase in (Phase.ADD, Phase.DRAWN) and not state.card, f"no card in phase {state.phase.name}"),
        (state.phase is Phase.RESTART and bool(state.tower), "a tower stands that fell"),
        (over != bool(state.winners), "winners and reason do not agree"),
        (over and state.phase is not Phase.COUNT, f"the game is over in phase {state.phase.name}"),
        (not set(state.winners) <= {seat.name for seat in state.seats}, "a winner without a seat"),
    ]
