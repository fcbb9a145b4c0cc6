"""The rules of Bausack: choose a piece, sell it by auction or push it on; whoever gets it places it.

CHOOSE --Take--> LOOK --Build--> BID --Bid | Pass--> PLACE --Take--> CARRY --Released--> SETTLE
                   |---Push--> RECEIVE --PassOn | Accept--^
SETTLE --Placed--> the next turn; for a player who was outbid CHOOSE again; MEASURE or the end
a collapse at any point: Fell --> FALLING --Rested--> TAKEN_AWAY --Rested--> STILL, on from where play was
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from teeter.games.bausack import rules_turn as turn
from teeter.games.bausack.state import (
    IN,
    MODES,
    Accept,
    Bid,
    Build,
    House,
    Pass,
    PassOn,
    Phase,
    Push,
    State,
    Stir,
    Stock,
    SupplyPiece,
    said,
)
from teeter.games.bausack.story import called as called
from teeter.games.bausack.story import opening as opening
from teeter.games.bausack.story import tell as tell
from teeter.games.core.errors import IllegalAction, SetupError
from teeter.games.core.events import (
    Fell,
    HitNeighbour,
    Measured,
    Met,
    Nudged,
    Placed,
    Question,
    Released,
    Rested,
)
from teeter.games.core.random_state import seeded, shuffled
from teeter.games.core.rules import Action, Choice, Input, Need, Take, TakeBack, Wait, applied, prepare
from teeter.games.core.rules import outcome as outcome
from teeter.games.core.setup import first_seat, seat_index

TURN_CLAUSES = {Phase.BID: "BS-14", Phase.RECEIVE: "BS-18", Phase.PLACE: "BS-04", Phase.CARRY: "BS-04"}
"""The clause that says whose act it is; BS-12 in all other phases."""


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """BS-01, BS-12, BS-22: pieces in the middle, tokens for everyone, and the first player chooses."""
    _, seats, house = prepare(MODES, House, players, seed, options)
    pieces = in_play(stock.pieces, house.pieces, seed)
    if not pieces:
        raise SetupError("there are no pieces to build with")
    first, nothing = first_seat(seats, house.first), (0.0,) * len(seats)
    return State(
        seats,
        house,
        replace(stock, pieces=pieces),
        turn=first,
        actor=first,
        tokens=(stock.numbers.tokens,) * len(seats),
        towers=((),) * len(seats),
        out=(IN,) * len(seats),
        supply=tuple([piece.id for piece in pieces]),
        heights_mm=nothing,
        best_mm=nothing,
    )


def in_play(pieces: tuple[SupplyPiece, ...], count: int, seed: int) -> tuple[SupplyPiece, ...]:
    """BS-01: all pieces, or by option so many drawn by lot, in the order of the stock."""
    if not count:
        return pieces
    drawn = shuffled(seeded(seed), pieces)[0][:count]
    return tuple([piece for piece in pieces if piece in drawn])


def legal(state: State) -> tuple[Choice, ...]:
    """Every action the player whose act it is may take now; a game that is over is DONE, MEASURE or FALLING."""
    if state.stir is not Stir.STILL:
        return ()
    player = state.seats[state.actor].name
    if state.phase is Phase.CHOOSE:
        return tuple([Choice(Take(player, piece), f"look at {said(piece)}") for piece in state.supply])
    if state.phase is Phase.LOOK:
        return _looking(state, player)
    if state.phase is Phase.BID:
        bids = range(state.bid + 1, state.tokens[state.actor] + 1)
        return (Choice(Pass(player), "pass"), *[Choice(Bid(player, bid), f"bid {bid}") for bid in bids])
    if state.phase is Phase.RECEIVE:
        keep = Choice(Accept(player), f"accept {said(state.piece)}")
        can_pay = state.tokens[state.actor] >= state.price
        return (keep, Choice(PassOn(player), f"pay {state.price} and pass it on")) if can_pay else (keep,)
    if state.phase is Phase.PLACE:
        return (Choice(Take(player, state.piece), f"take {said(state.piece)}", turn.conditions(state)),)
    if state.phase is Phase.CARRY and not state.met:
        return (Choice(TakeBack(player), f"put {said(state.piece)} back"),)
    return ()


def _looking(state: State, player: str) -> tuple[Choice, ...]:
    bids = range(state.tokens[state.turn] + 1)
    return (
        Choice(TakeBack(player), f"put {said(state.piece)} back"),
        Choice(Push(player), f"push {said(state.piece)} to the next player"),
        *[Choice(Build(player, bid), f"build, opening with {bid}") for bid in bids],
    )


def needs(state: State) -> Need:
    """What the game waits for."""
    player = state.seats[state.actor].name
    if state.reason is not None:
        return Need(Wait.OVER, player)
    if state.phase is Phase.SETTLE:
        return Need(Wait.REST, player, (state.piece,), turn.conditions(state))
    if state.stir is not Stir.STILL:
        return Need(Wait.REST, player)
    if state.phase is Phase.CARRY:
        return Need(Wait.HAND, player, (state.piece,), turn.conditions(state))
    if state.phase is Phase.MEASURE:
        return Need(Wait.ANSWER, player, question=Question.HOW_TALL)
    return Need(Wait.ACTION, player, (state.piece,) if state.phase is Phase.LOOK else ())


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    if state.reason is None and isinstance(given, Action):
        _refuse_absent(state, given)
    return applied(state, given, needs(state), HANDLERS, TURN_CLAUSES.get(state.phase, "BS-12"))


def _refuse_absent(state: State, action: Action) -> None:
    """BS-09, BS-15: who is out of the game or of the auction takes no part."""
    seat = seat_index(state.seats, action.player)
    if seat >= 0 and state.out[seat] != IN:
        raise IllegalAction("BS-09", f"{action.player} is out of the game")
    if seat in state.passed:
        raise IllegalAction("BS-15", f"{action.player} has passed and is out of this auction")


def scores(state: State) -> tuple[int, ...]:
    """The pieces of every tower that stands."""
    return tuple(
        [len(tower) if when == IN else 0 for tower, when in zip(state.towers, state.out, strict=True)]
    )


def seen_by(state: State, player: str) -> State:
    """Everything is open."""
    return state


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    Take: turn.take,
    TakeBack: turn.take_back,
    Build: turn.build,
    Push: turn.push,
    Bid: turn.bid,
    Pass: turn.pass_,
    Accept: turn.accept,
    PassOn: turn.pass_on,
    Met: turn.meet,
    Nudged: turn.nudge,
    Released: turn.release,
    Placed: turn.place,
    Rested: turn.rest,
    Fell: turn.fell,
    HitNeighbour: turn.hit_neighbour,
    Measured: turn.measure,
}
