"""What can be wrong with a state of Bausack: no game may ever be in one that has a fault."""

from __future__ import annotations

from collections import Counter

from teeter.games.bausack.state import IN, MODES, NOBODY, Phase, State, Stir, players_in

WITH_PIECE = (Phase.LOOK, Phase.BID, Phase.RECEIVE, Phase.PLACE, Phase.CARRY, Phase.SETTLE)


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state, in sentences."""
    seats = len(state.seats)
    wrong = [] if MODES[0].least <= seats <= MODES[0].most else [f"{seats} seats"]
    for word in ("tokens", "towers", "out", "heights_mm", "best_mm"):
        count = len(getattr(state, word))
        wrong += [f"{word} for {count} of {seats} seats"] if count != seats else []
    for word, least in (("turn", 0), ("actor", 0), ("leader", NOBODY)):
        seat = getattr(state, word)
        wrong += [] if least <= seat < seats else [f"{word} {seat} is no seat"]
    if wrong:  # the rest looks things up by seat
        return tuple(wrong)
    return tuple([sentence for is_wrong, sentence in _of_things(state) + _of_turns(state) if is_wrong])


def _of_things(state: State) -> list[tuple[bool, str]]:
    there = Counter([*state.supply, *(piece for tower in state.towers for piece in tower)])
    there.update([state.piece] if state.piece else [])
    whole = Counter(piece.id for piece in state.stock.pieces)
    tokens = state.bank + sum(state.tokens)
    all_tokens = state.stock.numbers.tokens * len(state.seats)
    fallen = [tower for tower, when in zip(state.towers, state.out, strict=True) if tower and when != IN]
    rich = [count for count, when in zip(state.tokens, state.out, strict=True) if count and when != IN]
    return [
        (there != whole, f"pieces lost or doubled: {dict(there - whole or whole - there)}"),
        (tokens != all_tokens, f"{tokens} tokens instead of {all_tokens}"),
        (min(state.tokens) < 0 or state.bank < 0, "tokens below zero"),
        (bool(rich), "a player who is out has tokens"),
        (bool(fallen) != (state.stir is Stir.FALLING), f"{len(fallen)} fallen towers, {state.stir.name}"),
        (min(state.heights_mm + state.best_mm) < 0, "a height below zero"),
        ((state.piece != "") != (state.phase in WITH_PIECE), f"{state.piece!r} in phase {state.phase.name}"),
    ]


def _of_turns(state: State) -> list[tuple[bool, str]]:
    names = {seat.name for seat in state.seats}
    running = state.reason is None
    still = state.stir is Stir.STILL
    acts_out = state.out[state.actor] != IN
    turns = state.phase in (Phase.CHOOSE, Phase.LOOK)
    bidding = state.phase is Phase.BID
    return [
        (running and len(players_in(state)) < 2, "the game goes on with one player left"),
        (still and acts_out, "a player who is out is to act"),
        (running and still and state.phase is Phase.DONE, "nothing is waited for"),
        (state.phase is Phase.CHOOSE and not state.supply, "nothing to choose from"),
        (still and _is_early(state), "measured before the end, or without the option"),
        (turns and state.turn != state.actor, "another than the player on turn chooses"),
        (turns and state.leader != NOBODY, "a highest bidder without an auction"),
        (bidding and state.leader in (NOBODY, state.actor), "nobody leads the auction, or bids on alone"),
        (still and state.bid > state.tokens[state.leader], "a bid of more than there is"),
        (bool({state.actor, state.leader} & {*state.passed}), "one who has passed bids on"),
        (bool(state.passed) and not bidding, "someone passed without an auction"),
        (any(not 0 <= seat < len(state.seats) for seat in state.passed), "someone without a seat passed"),
        ((state.bid != 0 and not bidding) or state.bid < 0, f"a bid of {state.bid} in {state.phase.name}"),
        ((state.price > 0) != (state.phase is Phase.RECEIVE), f"price {state.price} in {state.phase.name}"),
        (state.met and state.phase not in (Phase.CARRY, Phase.SETTLE), f"met in phase {state.phase.name}"),
        (running == bool(state.winners), "winners and reason do not agree"),
        (not set(state.winners) <= names, "a winner without a seat"),
    ]


def _is_early(state: State) -> bool:
    return state.phase is Phase.MEASURE and (bool(state.supply) or not state.house.tallest)
