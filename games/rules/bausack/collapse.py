"""Collapse: who is out, in which step, and what becomes of the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.rules.base import require_piece
from games.rules.bausack import auction, push
from games.rules.bausack.state import (
    IN,
    NOBODY,
    BausackReason,
    Phase,
    State,
    Stir,
    owner_of,
    players_in,
    restocked,
    said,
)
from games.rules.bausack.turns import after_placing, choose_again, end
from games.rules.errors import IllegalAction, MalformedAction, unknown
from games.rules.events import Fell, HitNeighbour, Rested
from games.rules.seats import seat_index


def fell(state: State, given: Fell) -> State:
    """BS-08, BS-11: pieces touch the table; every tower they belong to has collapsed in this step."""
    if not given.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    owners = {_owner(state, piece) for piece in given.pieces}
    return collapse(state, [seat for seat in players_in(state) if seat in owners], given.step)


def hit_neighbour(state: State, given: HitNeighbour) -> State:
    """BS-03: a piece lies at rest against another tower; its owner's tower has collapsed."""
    owner, neighbour = _owner(state, given.piece), seat_index(state.seats, given.owner)
    if neighbour == NOBODY:
        raise MalformedAction(unknown("player", given.owner, [seat.name for seat in state.seats]))
    if given.piece == state.piece and state.phase is Phase.CARRY:
        raise IllegalAction("BS-05", f"{said(given.piece)} is in the hand and lies nowhere yet")
    if owner == neighbour or not state.towers[neighbour]:
        raise MalformedAction(f"{given.owner} has no other tower for {given.piece!r} to lie against")
    both_in = state.out[owner] == state.out[neighbour] == IN
    return collapse(state, [owner], given.step) if both_in else state


def _owner(state: State, piece: str) -> int:
    require_piece(piece, [each.id for each in state.stock.pieces])
    owner = owner_of(state, piece)
    if owner == NOBODY:
        raise IllegalAction("BS-08", f"{said(piece)} is no part of a tower")
    return owner


def collapse(state: State, fallen: Sequence[int], step: int) -> State:
    """BS-09: these players are out at this step. BS-19: with one left the game ends at once."""
    cut = _dropped(state) if state.actor in fallen else state
    lost = sum(cut.tokens[seat] for seat in fallen)
    after = replace(
        cut,
        tokens=tuple([0 if seat in fallen else count for seat, count in enumerate(cut.tokens)]),
        bank=cut.bank + lost,
        out=tuple([step if seat in fallen else when for seat, when in enumerate(cut.out)]),
        stir=Stir.FALLING,
    )
    left = players_in(after)
    if len(left) > 1:
        return after
    if left:
        return end(after, left, BausackReason.LAST_STANDING)
    last = [seat for seat, when in enumerate(after.out) if when == step]
    return end(after, last, BausackReason.SAME_STEP)


def _dropped(state: State) -> State:
    """What the player who goes out had in the hand: an accepted piece falls with the tower."""
    if state.phase is Phase.LOOK:
        supply = restocked(state, (state.piece,))
        return replace(state, phase=Phase.CHOOSE, piece="", supply=supply)
    if state.phase not in (Phase.PLACE, Phase.CARRY, Phase.SETTLE):
        return state
    tower = (*state.towers[state.actor], state.piece)
    towers = (*state.towers[: state.actor], tower, *state.towers[state.actor + 1 :])
    return replace(state, phase=Phase.DONE, piece="", met=False, towers=towers)


def rested(state: State, given: Rested) -> State:
    """BS-09: everything lies still: the fallen pieces return, and when that fells nothing play goes on."""
    if state.phase is Phase.SETTLE:
        raise IllegalAction("ALL-2", f"{said(state.piece)} was let go and has yet to be placed")
    if state.stir is Stir.STILL:
        raise IllegalAction("ALL-2", "nothing waits for the table to rest")
    if state.stir is Stir.FALLING:
        return give_back(state)
    still = replace(state, stir=Stir.STILL)
    if state.phase is Phase.BID:
        return auction.go_on(still)
    if state.phase is Phase.RECEIVE:
        return push.go_on(still)
    if state.phase in (Phase.DONE, Phase.MEASURE):
        return after_placing(still)
    return choose_again(still) if state.out[state.actor] != IN else still


def give_back(state: State) -> State:
    """BS-09: the pieces of those who are out go back to the supply; BS-10: they can be chosen."""
    pairs = list(zip(state.towers, state.out, strict=True))
    back = tuple([piece for tower, when in pairs if when != IN for piece in tower])
    towers = tuple([tower if when == IN else () for tower, when in pairs])
    return replace(state, towers=towers, supply=restocked(state, back), stir=Stir.TAKEN_AWAY)
