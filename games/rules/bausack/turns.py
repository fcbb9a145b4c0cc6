"""How a turn begins and ends, and what comes when the supply is used up."""

from __future__ import annotations

from dataclasses import replace

from games.rules.bausack.state import (
    IN,
    NOBODY,
    BausackReason,
    Phase,
    State,
    Stir,
    name_of,
    next_in,
    players_in,
)
from games.rules.errors import MalformedAction
from games.rules.events import Measured


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
