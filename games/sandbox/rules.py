"""The rules of the sandbox: any piece may be brought out, moved and put away; nothing is won."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar

from teeter.games.core import codec
from teeter.games.core.errors import IllegalAction
from teeter.games.core.events import Fell, Met, Placed, Released
from teeter.games.core.rules import (
    Bring,
    Choice,
    Input,
    Need,
    PutAway,
    Reason,
    Take,
    TakeBack,
    Wait,
    applied,
    hold_one,
    may_take_back,
    prepare,
    require_held,
    require_piece,
)
from teeter.games.core.rules import outcome as outcome
from teeter.games.core.setup import Mode, Seat
from teeter.games.core.words import capital, counted

MODES = (Mode("free", "The sandbox", 1, 1),)


@dataclass(frozen=True, slots=True)
class NamedPiece:
    """A piece on the table; an empty model is a shape of its own."""

    id: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class Stock:
    """The pieces a scene begins with."""

    pieces: tuple[NamedPiece, ...] = ()


def read_stock(tables: Mapping[str, Any]) -> Stock:
    """The stock from the `[[piece]]` tables of a scene. Raises codec.MisfitError."""
    return Stock(codec.rows(NamedPiece, tables, "piece"))


@dataclass(frozen=True, slots=True)
class House:
    """The sandbox has no options."""


class Phase(Enum):
    """What the hand does."""

    FREE = "the hand is empty"
    CARRY = "the hand holds a piece"
    SETTLE = "the piece was let go"


@dataclass(frozen=True, slots=True)
class State:
    """The pieces outside the supply; `held` is one of them. new: the held piece came from the supply."""

    seats: tuple[Seat, ...]
    pieces: tuple[NamedPiece, ...]
    phase: Phase = Phase.FREE
    held: str = ""
    new: bool = False
    met: bool = False
    step: int = 0
    luck: ClassVar[int] = 0
    winners: ClassVar[tuple[str, ...]] = ()
    # building goes on
    reason: ClassVar[Reason | None] = None


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """An empty table, or the pieces of a scene."""
    _, seats, _ = prepare(MODES, House, players, seed, options)
    return State(seats, stock.pieces)


def legal(state: State) -> tuple[Choice, ...]:
    """Take or put away any lying piece.

    Bringing a new one is always possible and not listed: its name is free.
    """
    player = state.seats[0].name
    if state.phase is Phase.FREE:
        named = [(piece.id, called(state, piece.id)) for piece in state.pieces]
        take = [Choice(Take(player, piece), f"take {words}") for piece, words in named]
        return (*take, *[Choice(PutAway(player, piece), f"put {words} away") for piece, words in named])
    if state.phase is Phase.CARRY and not state.met:
        return (Choice(TakeBack(player), f"put {called(state, state.held)} back"),)
    return ()


def needs(state: State) -> Need:
    """What the sandbox waits for."""
    wait = {Phase.FREE: Wait.ACTION, Phase.CARRY: Wait.HAND, Phase.SETTLE: Wait.REST}[state.phase]
    return Need(wait, state.seats[0].name, (state.held,) if state.held else ())


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    return applied(state, given, needs(state), HANDLERS, "ALL-5")


def scores(state: State) -> tuple[int, ...]:
    """The number of pieces on the table."""
    return (len(state.pieces),)


def seen_by(state: State, player: str) -> State:
    """Everything is open."""
    return state


def opening(state: State) -> tuple[str, ...]:
    """What lies on the table."""
    names = _names(state)
    # nobody reads the names of fifty bricks
    lying = (
        counted(len(names), "piece") if len(names) > 9 else ", ".join(called(state, name) for name in names)
    )
    return (f"{state.seats[0].name} sits down to {lying or 'an empty table'}.",)


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    name = after.seats[0].name

    def those(*pieces: str) -> str:
        # what was brought out is known afterwards, what was put away before
        return ", ".join(called(after if piece in _names(after) else before, piece) for piece in pieces)

    match given:
        case Bring():
            return (f"{name} brings out {those(given.piece)}.",)
        case PutAway():
            return (f"{name} puts {those(given.piece)} away.",)
        case Take():
            return (f"{name} takes {those(given.piece)}.",)
        case TakeBack():
            return (f"{name} puts {those(before.held)} back.",)
        case Met():
            return (f"{capital(those(given.piece))} touches {those(given.other)}.",)
        case Released():
            return (f"{name} lets {those(given.piece)} go.",)
        case Placed():
            return (f"{capital(those(given.piece))} comes to rest.",)
    assert isinstance(given, Fell)
    return (f"{capital(those(*given.pieces))} fell.",)


def called(state: State, name: str) -> str:
    """Returns what people call a piece: its model, with the number of its name where several are out. A piece that
    its scene gave a name of its own keeps it."""
    model = next((piece.model for piece in state.pieces if piece.id == name), None)
    if model is None:
        # the table, or what else is no piece of the game
        return f"the {name}"
    base, number = model.rpartition("/")[2], name.rpartition("-")[2]
    if not model or name not in (base, f"{base}-{number}"):
        return name
    is_one_of_many = sum(piece.model == model for piece in state.pieces) > 1
    return f"the {base.replace('_', ' ')}{f' ({number})' if is_one_of_many and name != base else ''}"


def _names(state: State) -> list[str]:
    return [piece.id for piece in state.pieces]


def _bring(state: State, action: Bring) -> State:
    hold_one(called(state, state.held) if state.held else "")
    if not action.piece or action.piece in _names(state):
        raise IllegalAction("SB-2", f"a new piece needs a name of its own, not {action.piece!r}")
    pieces = (*state.pieces, NamedPiece(action.piece, action.model))
    return replace(state, pieces=pieces, phase=Phase.CARRY, held=action.piece, new=True)


def _put_away(state: State, action: PutAway) -> State:
    hold_one(called(state, state.held) if state.held else "")
    require_piece(action.piece, _names(state))
    return replace(state, pieces=tuple(piece for piece in state.pieces if piece.id != action.piece))


def _take(state: State, action: Take) -> State:
    hold_one(called(state, state.held) if state.held else "")
    require_piece(action.piece, _names(state))
    return replace(state, phase=Phase.CARRY, held=action.piece, new=False)


def _take_back(state: State, action: TakeBack) -> State:
    may_take_back(called(state, state.held) if state.held else "", state.met)
    lying = tuple(piece for piece in state.pieces if not state.new or piece.id != state.held)
    return replace(state, pieces=lying, phase=Phase.FREE, held="")


def _meet(state: State, event: Met) -> State:
    _expect(state, Phase.CARRY, event.piece)
    return replace(state, met=True)


def _release(state: State, event: Released) -> State:
    _expect(state, Phase.CARRY, event.piece)
    return replace(state, phase=Phase.SETTLE)


def _place(state: State, event: Placed) -> State:
    _expect(state, Phase.SETTLE, event.piece)
    return replace(state, phase=Phase.FREE, held="", met=False)


def _fall(state: State, event: Fell) -> State:
    for piece in event.pieces:
        require_piece(piece, _names(state))
    return state


def _expect(state: State, phase: Phase, piece: str) -> None:
    if state.phase is not phase:
        raise IllegalAction("SB-1", f"nothing is {'settling' if phase is Phase.SETTLE else 'in the hand'}")
    require_held(piece, state.held)


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    Bring: _bring,
    PutAway: _put_away,
    Take: _take,
    TakeBack: _take_back,
    Met: _meet,
    Released: _release,
    Placed: _place,
    Fell: _fall,
}
