"""The hand's part: looking at pieces, and placing the accepted one on the own tower."""

from __future__ import annotations

from dataclasses import replace

from games.rules.base import Take, TakeBack, hold_one, may_take_back, require_piece
from games.rules.bausack.collapse import collapse, give_back
from games.rules.bausack.state import (
    IN,
    NOBODY,
    OUT_OF_PLACE,
    Phase,
    State,
    Stir,
    name_of,
    owner_of,
    restocked,
    said,
)
from games.rules.bausack.turns import after_placing
from games.rules.conditions import Condition
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import Met, Nudged, Placed, Released


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
