"""Turns and rounds: who plays next and what binds them, the topple, the next round, the end of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.rules.seats import Seat
from games.rules.tower_topple.prints import not_laid, scored
from games.rules.tower_topple.requirements import fall_due
from games.rules.tower_topple.rows import in_play, set_up
from games.rules.tower_topple.state import FREE, MOST_TEAMS, Phase, State, ToppleReason


def form_teams(seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """TT-01: more than six seats become teams of two or more, six at most; turns still go round."""
    if len(seats) <= MOST_TEAMS:
        return tuple(seats)
    count = min(MOST_TEAMS, len(seats) // 2)
    teams = []
    for team in range(count):
        together = seats[team::count]
        members = [member for seat in together for member in seat.members]
        teams.append(Seat("+".join([seat.name for seat in together]), tuple(members)))
    return tuple(teams)


def go_on(state: State) -> State:
    """After a brick was laid, or fell without a topple: what is to be done next."""
    state = replace(state, phase=Phase.CHOOSE, held="", gathered=False, met=False)
    if has_toppled(state):
        return topple(state)
    if state.fallen:
        return replace(state, phase=Phase.GATHER)
    return fall_due(state) if state.owed else end_turn(state)


def end_turn(state: State) -> State:
    """TT-14, TT-16, TT-23: what is to come binds the next in the direction of play who need not skip."""
    if is_target_reached(state):
        return finish(state, ToppleReason.TARGET)
    seat, skips = state.turn, list(state.skips)
    while True:
        seat = (seat + state.direction) % len(state.seats)
        if not skips[seat]:
            break
        skips[seat] -= 1
    owed = state.coming or (FREE,)
    return fall_due(
        replace(
            state,
            pullers=rotated(state),
            turn=seat,
            skips=tuple(skips),
            owed=owed,
            coming=(),
            silent=False,
        )
    )


def rotated(state: State) -> tuple[int, ...]:
    """TT-01: after a turn of a team it is the next member's turn to pull."""
    return tuple(
        [
            (puller + 1) % len(state.seats[at].members) if at == state.turn else puller
            for at, puller in enumerate(state.pullers)
        ]
    )


def has_toppled(state: State) -> bool:
    """TT-07: enough bricks have fallen; or nothing is left below the topmost row, which cannot be."""
    return len(state.fallen) >= state.house.topple_bricks or not in_play(state)


def topple(state: State) -> State:
    """TT-07: the tower comes down in the turn of the player; TT-08, TT-23: what was to come lapses."""
    if state.phase in (Phase.CARRY, Phase.SETTLE) and not state.gathered:
        state = not_laid(state)
    topples = [n + (seat == state.turn) for seat, n in enumerate(state.topples)]
    return replace(
        scored(state, -state.house.topple_loses),
        topples=tuple(topples),
        pullers=rotated(state),
        phase=Phase.TOPPLED,
        tower=(),
        fallen=(),
        owed=(),
        coming=(),
        skips=(0,) * len(state.seats),
        direction=1,
        silent=False,
        held="",
        gathered=False,
        met=False,
    )


def next_round(state: State) -> State:
    """TT-07, TT-16: the tower is set up again; whoever sits left of the one who toppled it begins."""
    if is_target_reached(state):
        return finish(state, ToppleReason.TARGET)
    if not state.house.target and state.round == state.house.rounds:
        pointless = state.house.points == "none"
        return finish(state, ToppleReason.FEWEST_TOPPLES if pointless else ToppleReason.LAST_ROUND)
    turn = (state.turn + 1) % len(state.seats)
    return set_up(replace(state, turn=turn, round=state.round + 1, phase=Phase.CHOOSE, owed=(FREE,)))


def is_target_reached(state: State) -> bool:
    """TT-07: whether somebody has as many points as are played for."""
    return 0 < state.house.target <= max(state.scores)


def totals(state: State) -> tuple[int, ...]:
    """TT-07: what decides: points, or, where there are none, topples counted against their player."""
    return state.scores if state.house.points != "none" else tuple([-n for n in state.topples])


def finish(state: State, reason: ToppleReason) -> State:
    """TT-07: the highest total wins, ties share."""
    best = max(totals(state))
    pairs = zip(state.seats, totals(state), strict=True)
    winners = tuple([seat.name for seat, total in pairs if total == best])
    return replace(state, winners=winners, reason=reason)
