"""A game of Bausack told in sentences: for logs, captions and golden transcripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.bausack.state import (
    IN,
    Accept,
    BausackReason,
    Bid,
    Build,
    Pass,
    PassOn,
    Phase,
    Push,
    State,
    Stir,
    name_of,
    said,
)
from games.core.events import Fell, HitNeighbour, Measured, Met, Nudged, Placed, Released, Rested
from games.core.rules import Input, Take, TakeBack


def opening(state: State) -> tuple[str, ...]:
    """Who plays, and what with."""
    names = _listed([seat.name for seat in state.seats])
    pieces, tokens = len(state.stock.pieces), state.stock.numbers.tokens
    lines = [f"{names} sit down, {tokens} tokens each, around {_pieces(pieces)}."]
    if state.house.pieces:
        lines += [f"In play: {', '.join(said(piece) for piece in state.supply)}."]
    return (*lines, f"{name_of(state, state.turn)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    return (*TOLD[type(given)](before, given, after), *_auction(before, after), *_turn(before, after))


def _auction(before: State, after: State) -> tuple[str, ...]:
    """The hammer falls."""
    if before.phase not in (Phase.LOOK, Phase.BID) or after.phase is not Phase.PLACE:
        return ()
    price = before.tokens[after.actor] - after.tokens[after.actor]
    paid = f"for {_tokens(price)} ({after.tokens[after.actor]} left)" if price else "for nothing"
    return (f"{_cap(_the(after.piece))} goes to {name_of(after, after.actor)} {paid}.",)


def _turn(before: State, after: State) -> tuple[str, ...]:
    """Whose turn begins, or how the game ended."""
    if after.reason is not None:
        return (_ending(after),)
    if after.phase is Phase.MEASURE and before.phase is not Phase.MEASURE:
        return ("All pieces are placed. The thread goes up beside every tower.",)
    going_on = before.phase in (Phase.CHOOSE, Phase.LOOK) and before.turn == after.turn
    if after.phase is not Phase.CHOOSE or going_on:
        return ()
    name = name_of(after, after.turn)
    if before.turn == after.turn:
        return (f"- {name} did not get a piece and chooses again, {_hoard(after)}",)
    return (f"- {name}'s turn, {_hoard(after)}",)


def _hoard(state: State) -> str:
    return f"{_tokens(state.tokens[state.turn])}, {_pieces(len(state.towers[state.turn]))} standing"


def _ending(state: State) -> str:
    winners = _listed(state.winners)
    if state.reason is BausackReason.LAST_STANDING:
        return f"{winners} wins: nobody else is left."
    if state.reason is BausackReason.TALLEST and len(state.winners) == 1:
        return f"{winners} wins with the tallest tower."
    return f"{winners} share it: {state.reason.text if state.reason else ''}."


def _taken(before: State, given: Take, after: State) -> tuple[str, ...]:
    if after.phase is Phase.LOOK:
        return (f"{given.player} picks up {_the(given.piece)} and turns it about.",)
    height = len(after.towers[after.actor])
    where = f"to a tower of {height}" if height else "for a foundation"
    return (f"{given.player} takes {_the(given.piece)} {where}.",)


def _taken_back(before: State, given: TakeBack, after: State) -> tuple[str, ...]:
    if before.phase is Phase.LOOK:
        return (f"{given.player} puts {_the(before.piece)} back.",)
    return (f"{given.player} puts {_the(before.piece)} down to begin anew.",)


def _built(before: State, given: Build, after: State) -> tuple[str, ...]:
    return (f'"Build!" {given.player} bids {given.bid or "nothing"} for {_the(before.piece)}.',)


def _bid(before: State, given: Bid, after: State) -> tuple[str, ...]:
    return (f"{given.player} bids {given.bid}.",)


def _passed(before: State, given: Pass, after: State) -> tuple[str, ...]:
    return (f"{given.player} passes.",)


def _pushed(before: State, given: Push, after: State) -> tuple[str, ...]:
    return (f'"Push!" {_cap(_the(before.piece))} goes to {name_of(after, after.actor)}.',)


def _passed_on(before: State, given: PassOn, after: State) -> tuple[str, ...]:
    left = after.tokens[before.actor]
    to = name_of(after, after.actor)
    return (f"{given.player} pays {_tokens(before.price)} ({left} left), and it goes on to {to}.",)


def _accepted(before: State, given: Accept, after: State) -> tuple[str, ...]:
    if before.tokens[before.actor] < before.price:
        return (f"{given.player} cannot pay {before.price} and has to take {_the(before.piece)}.",)
    return (f"{given.player} accepts {_the(before.piece)}.",)


def _met(before: State, given: Met, after: State) -> tuple[str, ...]:
    return (f"It touches {_the(given.other)}.",)


def _nudged(before: State, given: Nudged, after: State) -> tuple[str, ...]:
    return (f"It pushes {_the(given.piece)} by {given.mm:.1f} mm.",)


def _released(before: State, given: Released, after: State) -> tuple[str, ...]:
    if before.phase is Phase.LOOK:
        return (f"{name_of(before, before.actor)} lets {_the(before.piece)} drop among the others.",)
    return (f"{name_of(before, before.actor)} lets go ...",)


def _placed(before: State, given: Placed, after: State) -> tuple[str, ...]:
    if given.broken:
        missed = ", ".join(condition.text for condition in given.broken)
        return (f"... but it does not lie as it must ({missed}).", *_out(before, after))
    height = len(after.towers[before.actor])
    lies = f"{_pieces(height)} high" if height > 1 else "a foundation"
    return (f"... it stays: {lies}.",)


def _rested(before: State, given: Rested, after: State) -> tuple[str, ...]:
    if before.stir is Stir.TAKEN_AWAY:
        return _resumed(before, after)
    back = len(after.supply) - len(before.supply)
    return (f"All is still. Back in the supply: {_pieces(back)}, {len(after.supply)} in all.",)


def _resumed(before: State, after: State) -> tuple[str, ...]:
    if before.phase is Phase.BID and before.out[before.leader] != IN:
        return (f"Nobody pays: the auction of {_the(before.piece)} is void.",)
    if before.phase is Phase.RECEIVE and before.actor != after.actor:
        return (f"{_cap(_the(before.piece))} goes on to {name_of(after, after.actor)}.",)
    return ("The others stand.",)


def _fell(before: State, given: Fell, after: State) -> tuple[str, ...]:
    bases = {tower[0] for tower in before.towers if tower}
    off = [_the(piece) for piece in given.pieces if piece in bases]
    down = [_the(piece) for piece in given.pieces if piece not in bases]
    again = " as well." if before.out == after.out else "!"
    lines = [f"{_cap(_listed(down))} {_verb(down, 'touch', 'touches')} the table{again}"] if down else []
    lines += [f"{_cap(_listed(off))} {_verb(off, 'fall', 'falls')} off the table{again}"] if off else []
    return (*lines, *_out(before, after))


def _verb(subjects: list[str], many: str, one: str) -> str:
    return one if len(subjects) == 1 else many


def _hit(before: State, given: HitNeighbour, after: State) -> tuple[str, ...]:
    leans = f"{_cap(_the(given.piece))} leans against {given.owner}'s tower"
    return (f"{leans}.", *_out(before, after))


def _out(before: State, after: State) -> tuple[str, ...]:
    lines = []
    for seat, when in enumerate(after.out):
        if when != IN and before.out[seat] == IN:
            tokens = before.tokens[seat]
            bank = f", {_tokens(tokens)} to the bank" if tokens else ""
            lines.append(f"{name_of(after, seat)} is out{bank}.")
    return tuple(lines)


def _measured(before: State, given: Measured, after: State) -> tuple[str, ...]:
    pairs = zip(after.seats, given.heights_mm, strict=True)
    return (f"The measurer reads {', '.join(f'{seat.name} {mm:.0f} mm' for seat, mm in pairs)}.",)


def _the(piece: str) -> str:
    return f"the {said(piece)}"


def _cap(words: str) -> str:
    return words[0].upper() + words[1:]


def _listed(names: Any) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else str(last)


def _pieces(count: int) -> str:
    return "one piece" if count == 1 else f"{count or 'no'} pieces"


def _tokens(count: int) -> str:
    return "one token" if count == 1 else f"{count or 'no'} tokens"


TOLD: dict[type, Callable[[State, Any, State], tuple[str, ...]]] = {
    Take: _taken,
    TakeBack: _taken_back,
    Build: _built,
    Push: _pushed,
    Bid: _bid,
    Pass: _passed,
    Accept: _accepted,
    PassOn: _passed_on,
    Met: _met,
    Nudged: _nudged,
    Released: _released,
    Placed: _placed,
    Rested: _rested,
    Fell: _fell,
    HitNeighbour: _hit,
    Measured: _measured,
}
