"""Push: a piece goes from player to player until someone takes it."""

from __future__ import annotations

from dataclasses import replace

from games.rules.bausack.state import IN, Accept, PassOn, Phase, Push, State, expect, next_in, paid
from games.rules.errors import IllegalAction


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


def go_on(state: State) -> State:
    """After a collapse: a receiver who is out is skipped, at the same price."""
    return _hand_on(state) if state.out[state.actor] != IN else state


def _hand_on(state: State) -> State:
    return replace(state, actor=next_in(state, state.actor))
