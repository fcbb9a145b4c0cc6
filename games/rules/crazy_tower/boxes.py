"""The special boxes at work: pulling a block out of the tower, and swapping unplayed blocks."""

from __future__ import annotations

from dataclasses import replace

from games.rules.base import hold_one, require_piece
from games.rules.crazy_tower import collapse
from games.rules.crazy_tower.allowed import pieces_of, said, swappable, why_no_pull
from games.rules.crazy_tower.flow import go_on, spent
from games.rules.crazy_tower.state import Decline, Hand, Pull, State, Swap
from games.rules.crazy_tower.stock import Sort
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import Removed


def pull(state: State, given: Pull) -> State:
    """CT-05: begin to pull a block out of a lower floor. It touches others, so it is no move to take back."""
    hold_one(state.held)
    require_piece(given.piece, pieces_of(state))
    _at_work(state, Sort.REMOVE)
    refusal = why_no_pull(state, given.piece)
    if refusal:
        raise IllegalAction(*refusal)
    return replace(state, hand=Hand.PULL, held=given.piece, met=True)


def decline(state: State, given: Decline) -> State:
    """CT-05: leave it, as long as the block is not out; a tower that was pulled at comes to rest first."""
    _at_work(state, Sort.REMOVE)
    after = spent(state, Sort.REMOVE)
    return replace(after, hand=Hand.SETTLE, held="", met=False) if state.held else go_on(after)


def removed(state: State, given: Removed) -> State:
    """CT-05: the block is out, and goes to the player who chose its colour."""
    if state.hand is not Hand.PULL:
        raise IllegalAction("CT-05", "no block is being pulled out")
    if given.piece != state.held:
        raise MalformedAction(f"{given.piece!r} is not the block being pulled, {state.held!r} is")
    return collapse.pulled_out(state)


def swap(state: State, given: Swap) -> State:
    """CT-07: one unplayed block of one's own against one of another player."""
    hold_one(state.held)
    require_piece(given.give, pieces_of(state))
    require_piece(given.take, pieces_of(state))
    _at_work(state, Sort.EXCHANGE)
    if given.give not in state.hands[state.turn]:
        raise IllegalAction("CT-07", f"{said(given.give)} is not an unplayed block of {state.player}")
    if given.take not in swappable(state):
        raise IllegalAction("CT-07", f"{said(given.take)} is not an unplayed block of another player")
    other = {given.give: given.take, given.take: given.give}
    hands = tuple([tuple([other.get(block, block) for block in hand]) for hand in state.hands])
    return go_on(replace(spent(state, Sort.EXCHANGE), hands=hands))


def _at_work(state: State, box: Sort) -> None:
    collapse.nothing_fallen(state)
    if box not in state.boxes:
        raise IllegalAction(box.clause, f"no {box.title} box is covered")
