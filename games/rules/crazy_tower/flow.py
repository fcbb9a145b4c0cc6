"""How a turn goes on once everything is at rest, and how the game ends.

After a block is laid: falls and collapse, then the last block, then the covered boxes, then the next turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.rules.crazy_tower import solo
from games.rules.crazy_tower.allowed import can_act, can_lay, why_no_card
from games.rules.crazy_tower.state import COMPETITIVE, SABOTEUR, CrazyReason, Hand, Stage, State
from games.rules.crazy_tower.stock import Sort


def go_on(state: State) -> State:
    """The next choice of the player on turn, or the next turn: all is at rest and the hand is empty."""
    state = replace(state, hand=Hand.FREE, held="", target="", met=False, asked="", fits=False)
    if state.fallen:
        return state
    if state.stage is Stage.LAID and not state.hands[state.turn]:
        return last_block(state)
    if state.stage in (Stage.LAID, Stage.BOXES):
        return _boxes(replace(state, stage=Stage.BOXES))
    if state.stage is Stage.BLOCK and not can_lay(state):
        return end_turn(state)
    if state.stage is Stage.CHOOSE and not can_lay(state) and why_no_card(state):
        return pass_turn(state)
    return state


def _boxes(state: State) -> State:
    """CT-05..07: boxes with nothing to act on lapse; play-again comes last."""
    boxes = tuple([box for box in state.boxes if box is Sort.AGAIN or can_act(state, box)])
    if Sort.REMOVE in boxes or Sort.EXCHANGE in boxes:
        return replace(state, boxes=boxes)
    if boxes:
        return go_on(replace(state, boxes=boxes[1:], stage=Stage.CHOOSE))
    return end_turn(state)


def spent(state: State, box: Sort) -> State:
    """One box of this sort has acted, or was declined."""
    at = state.boxes.index(box)
    return replace(state, boxes=state.boxes[:at] + state.boxes[at + 1 :])


def end_turn(state: State) -> State:
    """CT-13: clockwise; something was laid, so a standstill is counted anew."""
    return _next_turn(replace(state, passes=0))


def pass_turn(state: State) -> State:
    """CT-10: neither a block nor a card is possible; all round it is a standstill."""
    passes = state.passes + 1
    if passes >= len(state.seats):
        return standstill(state)
    return _next_turn(replace(state, passes=passes))


def _next_turn(state: State) -> State:
    turn = (state.turn + 1) % len(state.seats)
    member = (state.member + 1) % len(state.seats[turn].members)
    return go_on(replace(state, turn=turn, member=member, stage=Stage.CHOOSE, boxes=()))


def last_block(state: State) -> State:
    """CT-21, CT-25, CT-26, CT-27: the player on turn has laid the last block held, and the tower stands."""
    if state.mode == COMPETITIVE:
        return finish(state, (state.turn,), CrazyReason.LAST_BLOCK)
    if state.mode == SABOTEUR:
        return _saboteur(
            state, state.turn == state.saboteur, CrazyReason.SABOTEUR_DONE, CrazyReason.ARCHITECT_DONE
        )
    if solo.is_met(state):
        return finish(state, (0,), CrazyReason.CHALLENGE_MET)
    return finish(state, (), CrazyReason.CHALLENGE_MISSED)


def collapse(state: State) -> State:
    """CT-22, CT-25, CT-26, CT-27: the tower collapsed; the player on turn is the causer."""
    if state.mode == COMPETITIVE:
        others = [seat for seat in range(len(state.seats)) if seat != state.turn]
        return finish(state, fewest_points(state, others), CrazyReason.COLLAPSE)
    if state.mode == SABOTEUR:
        architect = state.turn != state.saboteur
        return _saboteur(state, architect, CrazyReason.ARCHITECT_COLLAPSE, CrazyReason.SABOTEUR_COLLAPSE)
    return finish(state, (), CrazyReason.CHALLENGE_COLLAPSE)


def standstill(state: State) -> State:
    """CT-10: nobody can move: as a collapse without a causer, for the architects, or lost."""
    if state.mode == COMPETITIVE:
        return finish(state, fewest_points(state, range(len(state.seats))), CrazyReason.STANDSTILL)
    if state.mode == SABOTEUR:
        return _saboteur(state, False, CrazyReason.STANDSTILL, CrazyReason.STANDSTILL)
    return finish(state, (), CrazyReason.STANDSTILL)


def _saboteur(state: State, wins: bool, yes: CrazyReason, no: CrazyReason) -> State:
    seats = [seat for seat in range(len(state.seats)) if (seat == state.saboteur) == wins]
    return finish(state, seats, yes if wins else no)


def points(state: State) -> tuple[int, ...]:
    """CT-23: the value of the unplayed blocks of every seat."""
    value = {block.id: block.value for block in state.stock.blocks}
    return tuple([sum([value[block] for block in hand]) for hand in state.hands])


def fewest_points(state: State, seats: Sequence[int]) -> tuple[int, ...]:
    """CT-22, CT-24: the lowest value wins; then the fewest blocks; then they share the victory."""
    standing = points(state)
    score = {seat: (standing[seat], len(state.hands[seat])) for seat in seats}
    return tuple([seat for seat in seats if score[seat] == min(score.values())])


def finish(state: State, winners: Sequence[int], reason: CrazyReason) -> State:
    """The end. What fell stays where it lies."""
    names = tuple([state.seats[seat].name for seat in winners])
    return replace(
        state, winners=names, reason=reason, hand=Hand.FREE, held="", target="", met=False, asked="", boxes=()
    )
