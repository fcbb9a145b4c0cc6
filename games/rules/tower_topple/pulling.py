"""One brick: chosen, pulled or left, carried, let go, judged; and what falls meanwhile."""

from __future__ import annotations

from dataclasses import replace

from games.rules.base import Take, TakeBack, hold_one, may_take_back, require_piece
from games.rules.conditions import Question
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested
from games.rules.tower_topple import prints, requirements, rows
from games.rules.tower_topple.state import Leave, Phase, State
from games.rules.tower_topple.turns import go_on, has_toppled, next_round, topple


def answer(state: State, given: RefereeAnswer) -> State:
    """TT-11, TT-12: the referee has looked at the bricks of the required colour that are in play."""
    if state.phase is not Phase.ASK:
        raise IllegalAction("TT-11", "the referee was asked nothing")
    if given.question is not Question.WOULD_TOPPLE or list(given.pieces) != requirements.permitted(state):
        raise MalformedAction("this answers another question than the one the referee was asked")
    return requirements.answered(state, given.yes)


def take(state: State, given: Take) -> State:
    """TT-06, TT-10 to TT-18: the hand takes hold of a brick that may be pulled, or takes up a fallen one."""
    hold_one(state.held)
    require_piece(given.piece, [brick.id for brick in state.bricks], "brick")
    if state.phase is Phase.GATHER:
        if given.piece not in state.fallen:
            raise IllegalAction("TT-07", "what has fallen is laid on top first")
        rest = tuple([brick for brick in state.fallen if brick != given.piece])
        return replace(state, phase=Phase.CARRY, held=given.piece, gathered=True, fallen=rest)
    if given.piece not in rows.in_play(state):
        raise IllegalAction("TT-06", "the topmost full row and what lies above it may not be pulled from")
    if given.piece not in requirements.permitted(state):
        raise IllegalAction(*requirements.why_not(state.owed[0]))
    return replace(state, phase=Phase.PULL, held=given.piece)


def take_back(state: State, given: TakeBack) -> State:
    """ALL-6: the hand lets go of a brick it has not moved; TT-24: one that is out stays chosen."""
    may_take_back(state.held, state.met)
    if state.phase is not Phase.PULL:
        raise IllegalAction("TT-24", "a brick that is out is laid on top; the choice is fixed")
    return replace(state, phase=Phase.GATHER if state.fallen else Phase.CHOOSE, held="")


def leave(state: State, given: Leave) -> State:
    """TT-24: a loosened brick is left, and another may be chosen once the tower is at rest."""
    if state.phase is not Phase.PULL:
        raise IllegalAction("TT-24", "only a brick that is still being pulled can be left")
    return replace(state, phase=Phase.LOOSE, held="", met=False)


def meet(state: State, given: Met) -> State:
    """ALL-6: the brick in the hand moves against another; this can no longer be taken back."""
    _expect(state, given.piece, Phase.PULL, Phase.CARRY)
    return replace(state, met=True)


def nudge(state: State, given: Nudged) -> State:
    """TT-24: neighbours may be dragged and pushed."""
    require_piece(given.piece, [brick.id for brick in state.bricks], "brick")
    if state.phase not in (Phase.PULL, Phase.CARRY):
        raise IllegalAction("TT-24", "only a brick in the hand can push others")
    return state


def removed(state: State, given: Removed) -> State:
    """TT-08, TT-24: the brick is out of the tower, and its print is read."""
    _expect(state, given.piece, Phase.PULL)
    return _out(state)


def _out(state: State) -> State:
    seen = state.seen if state.held in state.seen else (*state.seen, state.held)
    tower = rows.without(state.tower, (state.held,))
    drawn = replace(state, tower=tower, seen=seen, phase=Phase.CARRY, met=False)
    return prints.out(requirements.decided(drawn))


def release(state: State, given: Released) -> State:
    """TT-05: the brick is let go on top."""
    _expect(state, given.piece, Phase.CARRY)
    return replace(state, phase=Phase.SETTLE)


def placed(state: State, given: Placed) -> State:
    """TT-05, TT-08: the brick lies and the tower stands; ALL-9: if it lies otherwise it is laid again."""
    _expect(state, given.piece, Phase.SETTLE)
    if given.broken:
        return replace(state, phase=Phase.CARRY, met=False)
    after = rows.laid(state, given.where)
    if not state.gathered:
        after = prints.scored(after, prints.gain(after))
        after = prints.followed(after)
        after = replace(after, owed=after.owed[1:])
    return go_on(after)


def rested(state: State, given: Rested) -> State:
    """ALL-2: the tower is at rest after a loosened brick was left, or all of it lies on the table."""
    if state.phase is Phase.TOPPLED:
        return next_round(state)
    if state.phase is not Phase.LOOSE:
        raise IllegalAction("ALL-2", "nothing waits for the tower to rest")
    return replace(state, phase=Phase.GATHER if state.fallen else Phase.CHOOSE)


def fell(state: State, given: Fell) -> State:
    """TT-07: bricks fell. The one being moved is picked up and laid again; any other may be a topple."""
    if not given.pieces:
        raise MalformedAction("nothing fell: name the bricks")
    for piece in given.pieces:
        require_piece(piece, [brick.id for brick in state.bricks], "brick")
    if state.phase is Phase.TOPPLED:
        return state
    others = tuple([p for p in given.pieces if p != state.held and p not in state.fallen])
    tower = rows.without(state.tower, others)
    after = replace(state, tower=tower, fallen=state.fallen + others)
    if state.held in given.pieces:
        after = _out(after) if state.phase is Phase.PULL else replace(after, phase=Phase.CARRY, met=False)
    if not others:
        return after
    if has_toppled(after):
        return topple(after)
    return go_on(after) if after.phase in (Phase.ASK, Phase.CHOOSE, Phase.GATHER) else after


def _expect(state: State, piece: str, *phases: Phase) -> None:
    if state.phase not in phases:
        raise IllegalAction("TT-08", "no brick is at that point of its way to the top")
    if piece != state.held:
        raise MalformedAction(f"{piece!r} is not the brick in play, {state.held!r} is")
