"""What a brick is worth and what its print does; turns and rounds: who plays next and what binds them, the topple, the
next round, the end of the game."""

from collections.abc import Sequence
from dataclasses import replace

from teeter.games.core.setup import Seat
from teeter.games.tower_topple.rules_rows import brick_of, fall_due, in_play, set_up
from teeter.games.tower_topple.state import (
    COLOUR_OF,
    FREE,
    MOST_TEAMS,
    Numbers,
    Phase,
    Print,
    Sort,
    State,
    Task,
    ToppleReason,
)


def worth(numbers: Numbers, stamp: Print) -> int:
    """TT-09, TT-19 to TT-22: the points a brick has of its own once it lies; -2 is taken when it is out."""
    if stamp is Print.ADD_TWO:
        return numbers.add_two
    if stamp is Print.ADD_THREE:
        return numbers.add_three
    return 0 if stamp in (Print.LOSE_TWO, Print.ALL_OTHERS_GAIN_ONE) else numbers.brick


def gain(state: State) -> int:
    """What the held brick earns now that it lies (TT-09, TT-10); TT-25: a limit replaces its own worth."""
    house, numbers, task = state.house, state.stock.numbers, state.owed[0]
    if house.points != "printed":
        return numbers.brick if house.points == "one" else 0
    if state.silent:
        return 0
    stamp = brick_of(state, state.held).print
    if task.sort is Sort.FREE or stamp is Print.ALL_OTHERS_GAIN_ONE:
        return worth(numbers, stamp)
    if task.sort is Sort.COLOUR:
        return house.colour_points
    if task.sort is Sort.TWO and task in state.owed[1:] and stamp is not Print.DRAW_ONE_MORE:
        return 0
    return numbers.brick


def score(state: State, own: int, others: int = 0) -> State:
    """Points for the player on turn, and for each of the others."""
    return replace(
        state, scores=tuple([n + (own if at == state.turn else others) for at, n in enumerate(state.scores)])
    )


def out(state: State) -> State:
    """TT-08, TT-19, TT-20: what takes effect as soon as the held brick is out."""
    return _stamp(state, state.stock.numbers.lose, state.stock.numbers.others)


def not_laid(state: State) -> State:
    """TT-19, TT-20: what the brick in the hand costs when the tower topples before it lies."""
    return _stamp(state, state.stock.numbers.lose_more, state.stock.numbers.others_more)


def _stamp(state: State, lose: int, others: int) -> State:
    """What the stamp of the held brick costs, or gives all others, where points are as printed."""
    stamp = brick_of(state, state.held).print
    if state.house.points != "printed":
        return state
    if stamp is Print.LOSE_TWO:
        return score(state, -lose)
    return score(state, 0, others) if stamp is Print.ALL_OTHERS_GAIN_ONE else state


def follow(state: State) -> State:
    """The instruction of the brick that was just laid: TT-10, TT-13 to TT-18."""
    stamp = brick_of(state, state.held).print
    if not state.house.instructions:
        return state
    if stamp is Print.SKIP:
        return replace(state, skips=tuple([n + (at == state.turn) for at, n in enumerate(state.skips)]))
    if stamp is Print.REVERSE:
        return replace(state, direction=-state.direction) if len(state.seats) > 2 else state
    if stamp is Print.DRAW_ONE_MORE:
        return replace(state, owed=(*state.owed, FREE), silent=True)
    return replace(state, coming=state.coming + demanded(stamp, state.stock.numbers))


def demanded(stamp: Print, numbers: Numbers) -> tuple[Task, ...]:
    """What a print makes whoever plays next owe."""
    if stamp in COLOUR_OF:
        return (Task(Sort.COLOUR, COLOUR_OF[stamp]),)
    if stamp is Print.DRAW_TWO:
        return (Task(Sort.TWO),) * numbers.draw_two
    if stamp is Print.EDGE:
        return (Task(Sort.EDGE),)
    return (Task(Sort.CENTRE),) if stamp is Print.CENTRE else ()


def form_teams(seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """TT-01: more than six seats become teams of two or more, six at most, as even as those who came together allow;
    turns still go round."""
    if len(seats) <= MOST_TEAMS:
        return tuple(seats)
    groups: list[list[Seat]] = [[] for _ in range(min(MOST_TEAMS, len(seats) // 2))]
    for seat in sorted(seats, key=lambda seat: -len(seat.members)):
        min(groups, key=lambda group: sum(len(team.members) for team in group)).append(seat)
    teams = []
    for group in groups:
        together = sorted(group, key=seats.index)
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
            state, pullers=rotated(state), turn=seat, skips=tuple(skips), owed=owed, coming=(), silent=False
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
        score(state, -state.house.topple_loses),
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


def scores(state: State) -> tuple[int, ...]:
    """TT-07: what decides: points, or, where there are none, topples counted against their player."""
    return state.scores if state.house.points != "none" else tuple([-n for n in state.topples])


def told_scores(state: State) -> tuple[str, tuple[int, ...]]:
    """TT-07: as people count: topples are not minus points."""
    return ("topples", state.topples) if state.house.points == "none" else ("points", state.scores)


def finish(state: State, reason: ToppleReason) -> State:
    """TT-07: the highest total wins, ties share."""
    best = max(scores(state))
    pairs = zip(state.seats, scores(state), strict=True)
    winners = tuple([seat.name for seat, total in pairs if total == best])
    return replace(state, winners=winners, reason=reason)
