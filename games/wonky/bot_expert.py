"""How an expert plays Wonky's cards: it knows which towers stand, and leaves the next player one that bears
nothing more."""

from __future__ import annotations

from games.core.rules import Action, Take
from games.wonky.bot_chain import FIRM, can_go_on, is_firm, softest
from games.wonky.rules_turn import card_named, free_blocks
from games.wonky.state import KeepCard, PlayCard, Sort, State

RUIN, TRAP = -10.0, 4.0
"""What it is worth to bring the tower down, and to leave one on which the next player, playing well, runs out of
blocks first."""
SPARED = 2.0
"""What it is worth to keep an action card for a tower that bears nothing more."""


def far_sighted(state: State, actions: list[Action]) -> Action:
    """Returns the action that is worth most; of equals the first."""
    return max(actions, key=lambda action: _worth(state, action))


def _worth(state: State, action: Action) -> float:
    match action:
        case Take():
            return _laid(state, action.piece)
        case PlayCard():
            return _played(state, action.card)
        case KeepCard():
            return -3.0
    return -100.0


def _played(state: State, name: str) -> float:
    card = card_named(state, name)
    if card.sort is not Sort.ACTION:
        worth = max(_laid(state, block) for block in free_blocks(state, card))
        # a combo takes any block: it is kept for when nothing else fits
        return worth - (0.2 if card.sort is Sort.COMBO else 0.0)
    others = [each for each in state.hands[state.turn] if card_named(state, each).sort is not Sort.ACTION]
    # WK-16: what may not be played last has to go before the last block
    return TRAP + 1.0 if len(others) <= 1 else -SPARED


def _laid(state: State, block: str) -> float:
    """What it is worth that this block lies on the tower."""
    tower = (*state.tower, block)
    firm = softest(tower)[0]
    if firm < FIRM:
        # of what falls, what may yet stand
        return RUIN + 10.0 * max(firm - FIRM, -0.1)
    free = tuple(each.id for each in state.stock.blocks if each.id not in tower)
    left = sum(is_firm((*tower, each)) for each in free)
    is_trap = not can_go_on(tower, free)
    return (TRAP if is_trap else 0.0) - 0.5 * left + min(firm, 0.1)
