"""What the player on turn owes: which bricks may be pulled, and what becomes of a demand nobody can meet."""

from __future__ import annotations

from dataclasses import replace

from games.rules.tower_topple.rows import brick_of, centres, edges, in_play
from games.rules.tower_topple.state import FREE, Phase, Sort, State, Task


def permitted(state: State) -> list[str]:
    """The bricks that may be pulled for the task at work."""
    task = state.owed[0]
    if task.sort is Sort.EDGE:
        return edges(state)
    if task.sort is Sort.CENTRE:
        return centres(state)
    if task.sort is Sort.COLOUR:
        return of_colour(state, task.colour)
    if task.sort is Sort.OTHER_COLOUR:
        return of_another_colour(state, task.colour)
    return in_play(state)


def of_colour(state: State, colour: str) -> list[str]:
    """TT-10: the bricks of a colour that are in play."""
    painted = {brick.id for brick in state.bricks if brick.colour == colour}
    return [brick for brick in in_play(state) if brick in painted]


def of_another_colour(state: State, colour: str) -> list[str]:
    """TT-11: the bricks in play of any colour but this one."""
    painted = {brick.id for brick in state.bricks if brick.colour and brick.colour != colour}
    return [brick for brick in in_play(state) if brick in painted]


def why_not(task: Task) -> tuple[str, str]:
    """Clause and sentence for a brick in play that is none of those permitted."""
    if task.sort is Sort.COLOUR:
        return "TT-10", f"a {task.colour} brick is to be pulled"
    if task.sort is Sort.OTHER_COLOUR:
        return "TT-11", f"a brick of a colour other than {task.colour} is to be pulled"
    if task.sort is Sort.EDGE:
        return "TT-17", "an edge brick is to be pulled"
    return "TT-18", "the centre brick of a row of three is to be pulled"


def fall_due(state: State) -> State:
    """TT-23: the first task owed comes to work; one that cannot be met lapses, or opens the way out.

    The state is one in which a brick is to be chosen.
    """
    task = state.owed[0]
    may_escape = task.sort is Sort.COLOUR and state.house.escape
    if permitted(state):
        return replace(state, phase=Phase.ASK) if may_escape else state
    instead = FREE
    if may_escape:
        instead = Task(Sort.EITHER, task.colour)
    elif task.sort is Sort.OTHER_COLOUR:
        instead = Task(Sort.SECOND)
    return replace(state, owed=(instead, *state.owed[1:]))


def answered(state: State, would_topple: bool) -> State:
    """TT-11, TT-12: whether, says the referee, all bricks of the required colour would topple the tower."""
    if not would_topple:
        return replace(state, phase=Phase.CHOOSE)
    either = Task(Sort.EITHER, state.owed[0].colour)
    return replace(state, phase=Phase.CHOOSE, owed=(either, *state.owed[1:]))


def decided(state: State) -> State:
    """TT-11: the brick that is out decides: the required colour after all, or one of two others."""
    task = state.owed[0]
    if task.sort is not Sort.EITHER:
        return state
    colour = brick_of(state, state.held).colour
    if colour == task.colour:
        return replace(state, owed=(Task(Sort.COLOUR, colour), *state.owed[1:]))
    second = Task(Sort.SECOND) if colour else Task(Sort.OTHER_COLOUR, task.colour)
    return replace(state, owed=(Task(Sort.SECOND), second, *state.owed[1:]))
