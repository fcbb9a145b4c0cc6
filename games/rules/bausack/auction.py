"""Build: the auction of a piece, round and round until all but the highest bidder have passed."""

from __future__ import annotations

from dataclasses import replace

from games.rules.bausack.state import IN, Bid, Build, Pass, Phase, State, expect, next_in, paid, restocked
from games.rules.bausack.turns import choose_again
from games.rules.errors import IllegalAction


def build(state: State, given: Build) -> State:
    """BS-14: the player on turn puts the piece in the hand up for auction."""
    expect(state, Phase.LOOK)
    most = state.tokens[state.turn]
    if not 0 <= given.bid <= most:
        raise IllegalAction("BS-14", f"{given.player} may open with a bid of 0 to {most}, not {given.bid}")
    return _ask_next(replace(state, phase=Phase.BID, bid=given.bid, leader=state.turn))


def bid(state: State, given: Bid) -> State:
    """BS-14: a higher bid."""
    expect(state, Phase.BID)
    if given.bid <= state.bid:
        raise IllegalAction("BS-14", f"the bid is {state.bid}; bid more, or pass")
    most = state.tokens[state.actor]
    if given.bid > most:
        raise IllegalAction("BS-14", f"{given.player} has {most} tokens and cannot bid {given.bid}")
    return _ask_next(replace(state, bid=given.bid, leader=state.actor))


def pass_(state: State, given: Pass) -> State:
    """BS-15: out of this auction."""
    expect(state, Phase.BID)
    return _ask_next(replace(state, passed=(*state.passed, state.actor)))


def go_on(state: State) -> State:
    """After a collapse: a bidder who is out is skipped; without its highest bidder the auction is void."""
    if state.out[state.leader] != IN:
        return choose_again(replace(state, supply=restocked(state, (state.piece,))))
    return _ask_next(state) if state.out[state.actor] != IN else state


def _ask_next(state: State) -> State:
    seat = next_in(state, state.actor)
    while seat in state.passed:
        seat = next_in(state, seat)
    if seat != state.leader:
        return replace(state, actor=seat)
    return _won(state)


def _won(state: State) -> State:
    """BS-16: the highest bidder pays the bank, and places."""
    tokens, bank = paid(state, state.leader, state.bid)
    return replace(state, tokens=tokens, bank=bank, actor=state.leader, phase=Phase.PLACE, bid=0, passed=())
