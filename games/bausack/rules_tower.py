"""The hand's part: looking at pieces and placing the accepted one; and collapse: who is out, in which step, and what
becomes of the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.bausack import rules_offer
from games.bausack.rules_offer import after_placing, choose_again, end
from games.bausack.state import (
    IN,
    NOBODY,
    OUT_OF_PLACE,
    BausackReason,
    Phase,
    State,
    Stir,
    name_of,
    owner_of,
    players_in,
    restocked,
    said,
)
from games.core.errors import IllegalAction, MalformedAction, unknown
from games.core.events import Condition, Fell, HitNeighbour, Met, Nudged, Placed, Released, Rested
from games.core.rules import Take, TakeBack, hold_one, may_take_back, require_piece
from games.core.setup import seat_index


def conditions(state: State) -> tuple[Condition, ...]:
    """BS-02, BS-03, BS-05: how the accepted piece has to lie, and what it may not touch on its way."""
    lies = Condition.ON_OWN_TOWER if state.towers[state.actor] else Condition.IN_OWN_AREA
    return (lies, Condition.CLEAR_OF_OTHER_TOWERS)


def take(state: State, given: Take) -> State:
    """BS-13: pick up a piece of the supply to look at it; BS-04: take up the accepted one to place it."""
    require_piece(given.piece, [piece.id for piece in state.stock.pieces])
    if state.phase in (Phase.LOOK, Phase.CARRY):
        hold_one(state.piece)
    _leave_placed(state, given.piece)
    if state.phase is Phase.PLACE and given.piece == state.piece:
        return replace(state, phase=Phase.CARRY)
    if state.phase is not Phase.CHOOSE:
        raise IllegalAction(*OUT_OF_PLACE[state.phase])
    supply = tuple([piece for piece in state.supply if piece != given.piece])
    return replace(state, phase=Phase.LOOK, piece=given.piece, supply=supply)


def _leave_placed(state: State, piece: str) -> None:
    """BS-05, BS-06: no hand takes a placed piece."""
    owner = owner_of(state, piece)
    if owner == state.actor:
        raise IllegalAction("BS-06", f"{said(piece)} is placed and cannot be picked up again")
    if owner != NOBODY:
        raise IllegalAction("BS-05", f"{said(piece)} is part of {name_of(state, owner)}'s tower")


def take_back(state: State, given: TakeBack) -> State:
    """BS-13: put the piece back that was looked at; ALL-6: or the accepted one, to take it up anew."""
    if state.phase is Phase.LOOK:
        return _put_down(state)
    may_take_back(state.piece if state.phase is Phase.CARRY else "", state.met)
    return replace(state, phase=Phase.PLACE)


def _put_down(state: State) -> State:
    return replace(state, phase=Phase.CHOOSE, piece="", supply=restocked(state, (state.piece,)))


def meet(state: State, given: Met) -> State:
    """BS-05, BS-13: the piece in the hand touches another; a tower it may not touch refuses it."""
    _expect_held(state, given.piece)
    _may_touch(state, given.other)
    return replace(state, met=state.phase is Phase.CARRY)


def nudge(state: State, given: Nudged) -> State:
    """BS-05: the accepted piece pushes pieces of the own tower, as far as it likes."""
    require_piece(given.piece, [piece.id for piece in state.stock.pieces])
    if state.phase not in (Phase.LOOK, Phase.CARRY):
        raise IllegalAction("BS-05", "only a piece in the hand can push")
    _may_touch(state, given.piece)
    return replace(state, met=state.phase is Phase.CARRY)


def _may_touch(state: State, other: str) -> None:
    owner = owner_of(state, other)
    if owner == NOBODY or state.out[owner] != IN:
        return  # fallen pieces are no tower, and it was not the hand that came to them
    if state.phase is Phase.LOOK:
        raise IllegalAction("BS-13", "a piece that is looked at may touch no tower")
    if owner != state.actor:
        raise IllegalAction("BS-05", f"{said(state.piece)} may not touch {name_of(state, owner)}'s tower")


def release(state: State, given: Released) -> State:
    """BS-06: let go is placed, as soon as it rests; a piece that was looked at lies in the supply again."""
    _expect_held(state, given.piece)
    return _put_down(state) if state.phase is Phase.LOOK else replace(state, phase=Phase.SETTLE)


def placed(state: State, given: Placed) -> State:
    """BS-02, BS-03: the piece lies; where it may not lie, its player's tower has collapsed."""
    if state.phase is not Phase.SETTLE:
        raise IllegalAction("BS-06", "no piece was let go")
    _expect_piece(state, given.piece)
    if given.broken:
        return collapse(state, [state.actor], given.step)
    grown = (*state.towers[state.actor], state.piece)
    towers = (*state.towers[: state.actor], grown, *state.towers[state.actor + 1 :])
    added = replace(state, towers=towers, piece="", met=False, phase=Phase.DONE)
    if state.stir is Stir.FALLING:
        return give_back(added)
    return after_placing(replace(added, stir=Stir.STILL))


def _expect_held(state: State, piece: str) -> None:
    if state.phase not in (Phase.LOOK, Phase.CARRY):
        raise IllegalAction("ALL-1", "no piece is in the hand")
    _expect_piece(state, piece)


def _expect_piece(state: State, piece: str) -> None:
    if piece != state.piece:
        raise MalformedAction(f"{piece!r} is not the piece in play, {state.piece!r} is")


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
        return rules_offer.resume_auction(still)
    if state.phase is Phase.RECEIVE:
        return rules_offer.resume_push(still)
    if state.phase in (Phase.DONE, Phase.MEASURE):
        return after_placing(still)
    return choose_again(still) if state.out[state.actor] != IN else still


def give_back(state: State) -> State:
    """BS-09: the pieces of those who are out go back to the supply; BS-10: they can be chosen."""
    pairs = list(zip(state.towers, state.out, strict=True))
    back = tuple([piece for tower, when in pairs if when != IN for piece in tower])
    towers = tuple([tower if when == IN else () for tower, when in pairs])
    return replace(state, towers=towers, supply=restocked(state, back), stir=Stir.TAKEN_AWAY)
