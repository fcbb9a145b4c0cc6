"""How a turn begins and ends, and how its piece is offered: Build, the auction, round and round until all but the
highest bidder have passed; Push, from player to player until someone takes it."""

from __future__ import annotations

from dataclasses import replace

from games.bausack.state import (
    IN,
    NOBODY,
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
    expect,
    name_of,
    next_in,
    paid,
    players_in,
    restocked,
)
from games.core.errors import IllegalAction, MalformedAction
from games.core.events import Measured


def choose(state: State, seat: int) -> State:
    """BS-12: it is this seat's turn to choose a piece."""
    return replace(
        state, turn=seat, actor=seat, phase=Phase.CHOOSE, piece="", bid=0, leader=NOBODY, passed=()
    )


def next_turn(state: State) -> State:
    """BS-12: the turn passes clockwise."""
    return choose(state, next_in(state, state.turn))


def choose_again(state: State) -> State:
    """BS-17: the player on turn chooses again; one who is out cannot, and the turn passes."""
    return choose(state, state.turn) if state.out[state.turn] == IN else next_turn(state)


def after_placing(state: State) -> State:
    """Everything is still: the supply may be used up (BS-20), an outbid player chooses again (BS-17)."""
    if not state.supply:
        if state.house.tallest:
            return replace(state, phase=Phase.MEASURE)
        return end(state, players_in(state), BausackReason.ALL_PLACED)
    return choose_again(state) if state.leader not in (NOBODY, state.turn) else next_turn(state)


def end(state: State, winners: list[int], reason: BausackReason) -> State:
    """The game ends."""
    return replace(state, winners=tuple([name_of(state, seat) for seat in winners]), reason=reason)


def measured(state: State, given: Measured) -> State:
    """BS-21: the height measurer was read; with the option `tallest` its last reading decides."""
    heights = given.heights_mm
    if len(heights) != len(state.seats) or min(heights) < 0:
        raise MalformedAction(
            f"heights are one number from 0 for each of {len(state.seats)} seats: {heights}"
        )
    best = tuple([max(pair) for pair in zip(state.best_mm, heights, strict=True)])
    read = replace(state, heights_mm=heights, best_mm=best)
    if state.phase is not Phase.MEASURE or state.stir is not Stir.STILL:
        return read
    standing = players_in(state)
    top = max(heights[seat] for seat in standing)
    return end(read, [seat for seat in standing if heights[seat] == top], BausackReason.TALLEST)


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


def resume_auction(state: State) -> State:
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


def push(state: State, given: Push) -> State:
    """BS-18: the piece in the hand goes to the next player."""
    expect(state, Phase.LOOK)
    return _hand_on(replace(state, phase=Phase.RECEIVE, price=1))


def accept(state: State, given: Accept) -> State:
    """BS-18: the piece is accepted, and placed at once."""
    expect(state, Phase.RECEIVE)
    return replace(state, phase=Phase.PLACE, price=0)


def pass_on(state: State, given: PassOn) -> State:
    """BS-18: pay, and the piece goes on; the next one pays a token more."""
    expect(state, Phase.RECEIVE)
    if state.tokens[state.actor] < state.price:
        has = state.tokens[state.actor]
        raise IllegalAction("BS-18", f"passing on costs {state.price}, {given.player} has {has} and accepts")
    tokens, bank = paid(state, state.actor, state.price)
    return _hand_on(replace(state, tokens=tokens, bank=bank, price=state.price + 1))


def resume_push(state: State) -> State:
    """After a collapse: a receiver who is out is skipped, at the same price."""
    return _hand_on(state) if state.out[state.actor] != IN else state


def _hand_on(state: State) -> State:
    return replace(state, actor=next_in(state, state.actor))
