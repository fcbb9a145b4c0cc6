"""What can be wrong with a state of Tower Topple: no game may ever be in one that has a fault."""

from __future__ import annotations

from collections import Counter

from teeter.games.tower_topple.state import MOST_PLAYERS, Phase, Print, State


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state, in sentences."""
    return tuple(sentence for wrong, sentence in (*_seat_checks(state), *_brick_checks(state)) if wrong)


def _seat_checks(state: State) -> list[tuple[bool, str]]:
    seats, over = len(state.seats), state.reason is not None
    lists = {"scores": state.scores, "topples": state.topples, "skips": state.skips, "pullers": state.pullers}
    uneven = [name for name, numbers in lists.items() if len(numbers) != seats]
    members = [len(seat.members) for seat in state.seats]
    paired = zip(state.pullers, members, strict=False)
    return [
        (not 2 <= seats <= MOST_PLAYERS, f"{seats} seats"),
        (bool(uneven), f"{', '.join(uneven)} do not fit {seats} seats"),
        (not 0 <= state.turn < seats, f"turn {state.turn} is no seat"),
        (any(not 0 <= puller < most for puller, most in paired), "a puller who is no member of the team"),
        (any(number < 0 for number in (*state.skips, *state.topples)), "skips or topples below zero"),
        (state.direction not in (1, -1), f"direction {state.direction} is neither 1 nor -1"),
        (state.direction == -1 and seats < 3, "two players cannot play to the right"),
        (state.round < 1, f"round {state.round}"),
        (over != bool(state.winners), "winners and reason do not agree"),
        (not set(state.winners) <= {seat.name for seat in state.seats}, "a winner without a seat"),
    ]


def _brick_checks(state: State) -> list[tuple[bool, str]]:
    down = state.phase is Phase.TOPPLED
    lying = [brick for row in state.tower for brick in row if brick]
    is_out = state.phase in (Phase.CARRY, Phase.SETTLE)
    everywhere = Counter([*lying, *state.fallen, *([state.held] if is_out else [])])
    whole = Counter([brick.id for brick in state.bricks])
    faces = Counter([brick.colour or brick.print.name for brick in state.bricks])
    faces[Print.PLAIN.name] = 0
    box = Counter({paint.colour: paint.count for paint in state.stock.paints})
    box.update({stamp.id.name: stamp.count for stamp in state.stock.stamps})
    over = state.reason is not None
    handed = is_out or state.phase is Phase.PULL
    return [
        (not down and everywhere != whole, "bricks lost or doubled"),
        (down and bool(lying or state.fallen or state.held), "bricks in a tower that toppled"),
        (any(not any(row) for row in state.tower[-1:]), "an empty row on top"),
        (faces != box, "colours or prints lost or doubled"),
        (not set(state.seen) <= set(whole), "an unknown brick was seen"),
        (bool(state.held) != handed, f"held {state.held!r} in phase {state.phase.name}"),
        (state.phase is Phase.PULL and state.held not in lying, "the brick being pulled is not in the tower"),
        (state.phase is Phase.GATHER and not state.fallen, "nothing to gather"),
        (state.gathered and not is_out, "a gathered brick that is not in the hand"),
        ((down or over) and bool(state.owed), "bricks owed when nobody is to pull"),
        (not (down or over or state.owed or state.gathered or state.phase is Phase.GATHER), "nothing owed"),
    ]
