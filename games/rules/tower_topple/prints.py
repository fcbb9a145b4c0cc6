"""What a brick is worth and what its print does: when it is out, when it lies, and at a topple in between."""

from __future__ import annotations

from dataclasses import replace

from games.rules.tower_topple.rows import brick_of
from games.rules.tower_topple.state import COLOUR_OF, FREE, Numbers, Print, Sort, State, Task


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
    if task.sort is Sort.FREE:
        return worth(numbers, stamp)
    if task.sort is Sort.COLOUR:
        return house.colour_points
    if task.sort is Sort.TWO and task in state.owed[1:] and stamp is not Print.DRAW_ONE_MORE:
        return 0
    return numbers.brick


def scored(state: State, own: int, others: int = 0) -> State:
    """Points for the player on turn, and for each of the others."""
    return replace(
        state, scores=tuple([n + (own if at == state.turn else others) for at, n in enumerate(state.scores)])
    )


def out(state: State) -> State:
    """TT-08, TT-19, TT-20: what takes effect as soon as the held brick is out."""
    stamp, numbers = brick_of(state, state.held).print, state.stock.numbers
    if state.house.points != "printed":
        return state
    if stamp is Print.LOSE_TWO:
        return scored(state, -numbers.lose)
    return scored(state, 0, numbers.others) if stamp is Print.ALL_OTHERS_GAIN_ONE else state


def not_laid(state: State) -> State:
    """TT-19, TT-20: what the brick in the hand costs when the tower topples before it lies."""
    stamp, numbers = brick_of(state, state.held).print, state.stock.numbers
    if state.house.points != "printed":
        return state
    if stamp is Print.LOSE_TWO:
        return scored(state, -numbers.lose_more)
    return scored(state, 0, numbers.others_more) if stamp is Print.ALL_OTHERS_GAIN_ONE else state


def followed(state: State) -> State:
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
