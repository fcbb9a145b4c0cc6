"""The block half of a turn: taking a block, carrying it, the count to three, and the fall."""

from __future__ import annotations

from dataclasses import replace

from games.rules.base import Take, TakeBack, hold_one, may_take_back, require_piece
from games.rules.conditions import Condition
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from games.rules.wonky.cards import can_play, card_named, draw, draw_until, end_turn, fits, said, win
from games.rules.wonky.state import Phase, State, WonkyReason


def conditions(state: State) -> tuple[Condition, ...]:
    """WK-05, WK-11: how the next block has to lie."""
    if not state.tower:
        return (Condition.IN_THE_CENTRE,)
    return (Condition.HIGHEST_OF_THE_TOWER, Condition.TOUCHES_TOWER_ONLY)


def take(state: State, given: Take) -> State:
    """WK-05: take up a matching block from outside the tower."""
    hold_one(state.held)
    require_piece(given.piece, [block.id for block in state.stock.blocks], "block")
    if state.phase is not Phase.ADD:
        raise IllegalAction("WK-04", "a card comes first, then the block")
    if given.piece in state.tower:
        raise IllegalAction("WK-05", f"{said(given.piece)} is part of the tower")
    block = next(block for block in state.stock.blocks if block.id == given.piece)
    if not fits(card_named(state, state.card), block):
        raise IllegalAction("WK-05", f"{said(given.piece)} does not match {said(state.card)}")
    return replace(state, phase=Phase.CARRY, held=given.piece)


def take_back(state: State, given: TakeBack) -> State:
    """ALL-6: put the block back, and choose again."""
    may_take_back(state.held, state.met)
    return replace(state, phase=Phase.ADD, held="")


def meet(state: State, given: Met) -> State:
    """ALL-6: the held block touches something; it can no longer be taken back."""
    _expect_held(state, Phase.CARRY, given.piece, "ALL-6")
    return replace(state, met=True)


def nudge(state: State, given: Nudged) -> State:
    """WK-12: a tower block moved before the release: a foul, and once more from the start."""
    numbers = state.stock.numbers
    if state.phase is not Phase.CARRY:
        raise IllegalAction("WK-12", "only a held block can nudge")
    require_piece(given.piece, state.tower, "tower block")
    if given.mm <= numbers.nudge_mm:
        return state
    fouls = state.fouls + 1
    if state.house.third_foul_falls and fouls == numbers.fouls_for_a_fall:
        return fall(state)
    return replace(state, phase=Phase.ADD, held="", met=False, fouls=fouls)


def release(state: State, given: Released) -> State:
    """The block is let go; the count begins."""
    _expect_held(state, Phase.CARRY, given.piece, "ALL-1")
    return replace(state, phase=Phase.COUNT)


def count_elapsed(state: State, given: CountElapsed) -> State:
    """WK-13: standing at the end of the count is a success; WK-11: a block that lies otherwise fell."""
    _expect_held(state, Phase.COUNT, given.piece, "WK-13")
    if given.broken:
        return fall(state)
    added = replace(state, tower=(*state.tower, state.held))
    if len(added.tower) == len(state.stock.blocks):
        return win(added, WonkyReason.NINTH_BLOCK)
    return end_turn(added, card_named(state, state.card).effect)


def rested(state: State, given: Rested) -> State:
    """The tower is at rest after an action card: the turn ends."""
    if state.phase is not Phase.WATCH:
        raise IllegalAction("ALL-2", "nothing waits for the tower to rest")
    return end_turn(state)


def fell(state: State, given: Fell) -> State:
    """WK-14: blocks of the tower fell, or the block just let go."""
    counting = state.held if state.phase is Phase.COUNT else ""
    standing = (*state.tower, counting) if counting else state.tower
    if not standing:
        raise IllegalAction("WK-14", "no tower is standing")
    if not given.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    for piece in given.pieces:
        require_piece(piece, standing, "tower block")
    return fall(state)


def fall(state: State) -> State:
    """WK-14: all blocks are free, three cards are drawn, and a new tower is to be started this turn."""
    cleared = replace(state, tower=(), phase=Phase.RESTART, card="", held="", met=False, fouls=0)
    drawn = draw(cleared, state.turn, state.stock.numbers.fall_draws)
    if any(can_play(drawn, card) for card in drawn.hands[state.turn]):
        return drawn
    more, found = draw_until(drawn, can_play)
    return more if found else end_turn(more)


def _expect_held(state: State, phase: Phase, piece: str, clause: str) -> None:
    if state.phase is not phase:
        raise IllegalAction(
            clause, f"no block is {'being counted' if phase is Phase.COUNT else 'in the hand'}"
        )
    if piece != state.held:
        raise MalformedAction(f"{piece!r} is not the block in play, {state.held!r} is")
