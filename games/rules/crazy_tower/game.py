"""The rules of Crazy Tower: a turn is a block on the highest floor, or a new floor card and a block on it.

CHOOSE --Take--> carry, let go, Placed --> LAID --> BOXES --> next turn, or once more (play again)
  |--RevealCard--> CARD --Take--> carry, let go, Placed --> BLOCK --Take--> as above
a fall at any point --> at rest, PutBack or GiveBack until nothing lies fallen, then on from where it was
a block and a card fallen at once --> the end
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from games.rules.base import Action, Choice, Input, Need, Outcome, Take, TakeBack, Wait, admit
from games.rules.conditions import Condition, Question
from games.rules.crazy_tower import boxes, collapse, laying
from games.rules.crazy_tower.allowed import (
    fallen_named,
    homes,
    how_to_lay,
    how_to_lay_card,
    how_to_put_back,
    is_card,
    layable,
    removable,
    said,
    swappable,
    why_no_card,
)
from games.rules.crazy_tower.faults import faults
from games.rules.crazy_tower.flow import points
from games.rules.crazy_tower.setup import start
from games.rules.crazy_tower.state import (
    Decline,
    GiveBack,
    Hand,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Stage,
    State,
    Swap,
)
from games.rules.crazy_tower.stock import Sort
from games.rules.crazy_tower.story import opening, tell
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested, TimeUp

__all__ = ["apply", "faults", "legal", "needs", "opening", "outcome", "scores", "seen_by", "start", "tell"]


def legal(state: State) -> tuple[Choice, ...]:
    """Every action the player on turn may take now."""
    player = state.player
    if state.reason is not None or state.hand in (Hand.SETTLE, Hand.ASK):
        return ()
    if state.hand is Hand.CARRY:
        return () if state.met else (Choice(TakeBack(player), f"put {said(state.held)} down again"),)
    if state.hand is Hand.PULL:
        return (Choice(Decline(player), f"leave {said(state.held)} in the tower"),)
    if state.fallen:
        return tuple(_put_back(state))
    if state.stage is Stage.BOXES:
        return tuple(_boxes(state))
    if state.stage is Stage.CARD:
        return (Choice(Take(player, state.card), f"take {said(state.card)}", how_to_lay_card(state)),)
    return tuple(_lay(state))


def _lay(state: State) -> list[Choice]:
    """CT-10: A, a block for the highest floor; B, a new card."""
    player = state.player
    choices = [
        Choice(Take(player, block), f"take {said(block)}", how_to_lay(state, block))
        for block in layable(state)
    ]
    if state.stage is Stage.CHOOSE and why_no_card(state) is None:
        return [*choices, Choice(RevealCard(player), "reveal the next floor card")]
    if not state.fits:
        choices.append(Choice(NothingFits(player), "say that no block fits"))
    return choices


def _put_back(state: State) -> list[Choice]:
    """CT-20: where every fallen piece may go."""
    player, choices = state.player, []
    for fallen in state.fallen:
        piece, how = fallen.piece, how_to_put_back(state, fallen.piece)
        if is_card(state, piece):
            choices.append(Choice(PutBack(player, piece), f"lay {said(piece)} on top again", how))
            continue
        floors = homes(state, fallen)
        for floor in floors:
            sentence = f"put {said(piece)} back on {said(floor.card)}"
            choices.append(Choice(PutBack(player, piece, floor.card), sentence, how))
        if not floors or not state.fits:
            choices.append(Choice(GiveBack(player, piece), f"give {said(piece)} back: it has no place"))
    return choices


def _boxes(state: State) -> list[Choice]:
    """CT-05, CT-07: what covered boxes ask for, in the order the player likes."""
    player, choices = state.player, []
    if Sort.REMOVE in state.boxes:
        choices += [Choice(Pull(player, block), f"pull {said(block)} out") for block in removable(state)]
        choices.append(Choice(Decline(player), "leave all blocks where they are"))
    if Sort.EXCHANGE in state.boxes:
        others = swappable(state)
        for own in state.hands[state.turn]:
            choices += [
                Choice(Swap(player, own, block), f"swap {said(own)} for {said(block)}") for block in others
            ]
    return choices


def needs(state: State) -> Need:
    """What the game waits for."""
    player = state.player
    if state.reason is not None:
        return Need(Wait.OVER, player)
    if state.hand is Hand.FREE:
        return Need(Wait.ACTION, player)
    if state.hand is Hand.ASK:
        return Need(Wait.ANSWER, player, laying.asked_about(state), question=Question.DOES_FIT)
    if state.hand is Hand.PULL:
        return Need(Wait.PULL, player, (state.held,))
    wait = Wait.HAND if state.hand is Hand.CARRY else Wait.REST
    return Need(wait, player, (state.held,), _how(state)) if state.held else Need(wait, player)


def _how(state: State) -> tuple[Condition, ...]:
    """How the piece in play has to lie."""
    if fallen_named(state, state.held) is not None:
        return how_to_put_back(state, state.held)
    return how_to_lay_card(state) if state.held == state.card else how_to_lay(state, state.held)


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    handler = admit(state, given, needs(state), HANDLERS, "CT-13")
    after: State = handler(state, given)
    return after if isinstance(given, Action) else replace(after, step=given.step)


def outcome(state: State) -> Outcome | None:
    """CT-21..27: how the game ended."""
    return None if state.reason is None else Outcome(state.winners, state.reason)


def scores(state: State) -> tuple[int, ...]:
    """CT-22, CT-23: the value of the unplayed blocks of every seat."""
    return points(state)


def seen_by(state: State, player: str) -> State:
    """The state without the order of the stack, and without a secret saboteur, unless it is this player."""
    if state.house.secret and state.reason is None and state.seats[state.saboteur].name != player:
        state = replace(state, saboteur=-1, house=replace(state.house, saboteur=""))
    return replace(state, luck=0, deck=("?",) * len(state.deck))


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    Take: laying.take,
    TakeBack: laying.take_back,
    RevealCard: laying.reveal,
    NothingFits: laying.nothing_fits,
    PutBack: collapse.put_back,
    GiveBack: collapse.give_back,
    Pull: boxes.pull,
    Decline: boxes.decline,
    Swap: boxes.swap,
    Met: laying.meet,
    Nudged: laying.nudge,
    Released: laying.release,
    Placed: laying.placed,
    Rested: laying.rested,
    RefereeAnswer: laying.answered,
    Removed: boxes.removed,
    Fell: collapse.fell,
    TimeUp: collapse.time_up,
}
