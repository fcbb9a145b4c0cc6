"""Bausack between two inputs: pieces, tokens, house rules, the state, and what makes it sound."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from teeter.games.core import codec
from teeter.games.core.errors import IllegalAction
from teeter.games.core.rules import Action, Reason, replaced
from teeter.games.core.setup import Mode, Seat, option

MODES = (Mode("standard", "Bausack", 2, 8),)

NOBODY = -1
"""In place of a seat index."""
IN = -1
"""In place of the step at which a player went out: still in the game."""


@dataclass(frozen=True, slots=True)
class SupplyPiece:
    """One of the wooden pieces."""

    id: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of the rule book, as printed unless table `[numbers]` of the catalogue says otherwise.

    tokens: to each player. area_mm: the side of a player's area.
    """

    tokens: int = 10
    area_mm: float = 610.0


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything that is in the sack, or of it what is in play."""

    pieces: tuple[SupplyPiece, ...]
    numbers: Numbers


def read_stock(tables: Mapping[str, Any]) -> Stock:
    """The stock from the tables of `models/bausack.toml`. Raises codec.MisfitError."""
    return Stock(
        pieces=codec.rows(SupplyPiece, tables, "piece"),
        numbers=codec.record(Numbers, tables.get("numbers", {}), "numbers"),
    )


@dataclass(frozen=True, slots=True)
class House:
    """The options of the game."""

    first: str = option("", "who starts (the youngest player): a name or a seat number", clause="BS-12")
    pieces: int = option(0, "how many pieces are in play, drawn by lot; 0: all", clause="BS-01", most=70)
    tallest: bool = option(
        False,
        "when all pieces are placed the tallest tower wins, instead of a draw",
        clause="BS-21",
        told="when all pieces are placed the tallest tower wins",
    )
    scatter: bool = option(
        False,
        "towers knocked down by a thrown piece are out, as in a collapse",
        clause="BS-11",
        told="towers knocked down by a thrown piece are out",
    )


@dataclass(frozen=True, slots=True)
class Build(Action):
    """Choose the piece in the hand for an auction, with this opening bid."""

    bid: int


@dataclass(frozen=True, slots=True)
class Push(Action):
    """Choose the piece in the hand and give it to the next player."""


@dataclass(frozen=True, slots=True)
class Bid(Action):
    """Bid more for the piece on auction."""

    bid: int


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Bid no more for the piece on auction."""


@dataclass(frozen=True, slots=True)
class Accept(Action):
    """Keep the pushed piece, in order to place it."""


@dataclass(frozen=True, slots=True)
class PassOn(Action):
    """Pay, and give the pushed piece to the next player."""


class Phase(Enum):
    """Where in a turn the game is."""

    CHOOSE = "a piece of the supply is to be picked up"
    LOOK = "a piece of the supply is in the hand, to be looked at and perhaps chosen"
    BID = "an auction is on"
    RECEIVE = "a pushed piece is to be accepted or passed on"
    PLACE = "the accepted piece is to be taken up"
    CARRY = "the accepted piece is in the hand"
    SETTLE = "the piece was let go"
    DONE = "the piece lies, or its player is out; the turn goes on once all is still"
    MEASURE = "all pieces are placed; the height measurer decides"


class Stir(Enum):
    """Whether the table is still; nothing is decided before it is (BS-09, ALL-2)."""

    STILL = "everything lies still"
    FALLING = "a tower collapsed, its pieces have yet to come to rest"
    TAKEN_AWAY = "the pieces are back in the supply; that may fell another tower"


class BausackReason(Reason):
    """Why a game of Bausack ends."""

    LAST_STANDING = ("BS-19", "one player is left")
    SAME_STEP = ("BS-19", "the last towers fell in the same step: a draw")
    ALL_PLACED = ("BS-20", "all pieces are placed and more than one player is left: a draw")
    TALLEST = ("BS-21", "all pieces are placed; the tallest tower wins")


@dataclass(frozen=True, slots=True)
class State:
    """A game of Bausack between two inputs.

    turn: seat index of the player on turn. actor: of the one who acts (bids, receives, places).
    towers: for every seat its pieces, the foundation first; those of a player who is out lie where they
    fell until everything rests. out: for every seat the step it went out at, or IN.
    piece: the one in the hand, on auction, pushed, or just let go. met: it has touched another.
    bid, leader: the highest bid and its seat; the leader stays known while they place (BS-17).
    passed: seats out of this auction. price: tokens for passing a pushed piece on.
    heights_mm, best_mm: what the height measurer read last, and the most it read, for every seat.
    """

    seats: tuple[Seat, ...]
    house: House
    stock: Stock
    turn: int
    actor: int
    tokens: tuple[int, ...]
    towers: tuple[tuple[str, ...], ...]
    out: tuple[int, ...]
    supply: tuple[str, ...]
    heights_mm: tuple[float, ...]
    best_mm: tuple[float, ...]
    bank: int = 0
    phase: Phase = Phase.CHOOSE
    stir: Stir = Stir.STILL
    piece: str = ""
    met: bool = False
    bid: int = 0
    leader: int = NOBODY
    passed: tuple[int, ...] = ()
    price: int = 0
    step: int = 0
    winners: tuple[str, ...] = ()
    reason: BausackReason | None = None
    luck: ClassVar[int] = 0


OUT_OF_PLACE = {
    Phase.CHOOSE: ("BS-13", "a piece of the supply is picked up first"),
    Phase.LOOK: ("BS-13", "the piece in the hand is put up for auction, pushed, or put back"),
    Phase.BID: ("BS-14", "an auction is on: bid more, or pass"),
    Phase.RECEIVE: ("BS-18", "a pushed piece is accepted or passed on"),
    Phase.PLACE: ("BS-04", "the accepted piece must be placed before play goes on"),
    Phase.CARRY: ("BS-04", "the accepted piece must be placed before play goes on"),
}
"""Clause and sentence for an action that belongs to another phase than this one."""


def expect(state: State, phase: Phase) -> None:
    """Refuse an action that belongs to another phase."""
    if state.phase is not phase:
        raise IllegalAction(*OUT_OF_PLACE[state.phase])


QUALITIES = frozenset(["small", "large", "long", "short", "steep", "flat", "round", "cut", "bored", "half"])
"""Words that follow the noun in a piece's id and go before it in speech: `egg_half`, the half egg."""


def said(name: str) -> str:
    """A piece as people call it: `the half egg`, `base 1`; empty for no piece."""
    *most, last = name.split("_")
    if last in QUALITIES:
        return " ".join(["the", last, *most])
    if last.isdigit():
        return f"{' '.join(most)} {last}"
    return f"the {name.upper() if len(name) == 1 else name.replace('_', ' ')}" if name else ""


def name_of(state: State, seat: int) -> str:
    """The name of a seat."""
    return state.seats[seat].name


def players_in(state: State) -> list[int]:
    """The seats still in the game."""
    return [seat for seat, step in enumerate(state.out) if step == IN]


def next_in(state: State, seat: int) -> int:
    """The next seat clockwise that is still in the game."""
    while True:
        seat = (seat + 1) % len(state.seats)
        if state.out[seat] == IN:
            return seat


def owner_of(state: State, piece: str) -> int:
    """The seat whose tower a piece belongs to, also the one being placed; NOBODY's for the supply."""
    for seat, tower in enumerate(state.towers):
        if piece in tower:
            return seat
    return state.actor if piece == state.piece and state.phase in (Phase.CARRY, Phase.SETTLE) else NOBODY


def restocked(state: State, pieces: tuple[str, ...]) -> tuple[str, ...]:
    """The supply with these pieces back in it, in the order of the stock."""
    lying = {*state.supply, *pieces}
    return tuple([piece.id for piece in state.stock.pieces if piece.id in lying])


def paid(state: State, seat: int, tokens: int) -> tuple[tuple[int, ...], int]:
    """BS-07: everyone's tokens and the bank's after a seat has paid."""
    left = replaced(state.tokens, seat, state.tokens[seat] - tokens)
    return left, state.bank + tokens
