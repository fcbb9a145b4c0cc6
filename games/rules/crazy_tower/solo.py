"""What the solo challenges add: what they refuse, and whether a complete tower is what they asked for."""

from __future__ import annotations

from games.rules.conditions import Condition
from games.rules.crazy_tower.state import CrazyReason, Floor, State
from games.rules.crazy_tower.stock import shape_of
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import TimeUp

Refusal = tuple[str, str] | None
"""Clause and sentence, or None for what is allowed."""

TIME_UP = {
    reason.clause: reason
    for reason in (CrazyReason.THREE_MINUTES, CrazyReason.TWO_MINUTES, CrazyReason.ONE_MINUTE)
}


def why_no_block(state: State, block: str, floor: Floor) -> Refusal:
    """CT-32..35: a block the challenge does not want on this floor."""
    asked = state.challenge
    if asked is None:
        return None
    lying = len(floor.blocks)
    if asked.blocks_a_floor and lying >= asked.blocks_a_floor:
        return asked.clause, f"a floor takes exactly {counted(asked.blocks_a_floor)}"
    if asked.blocks_on_first and floor.card == state.floors[0].card and lying >= asked.blocks_on_first:
        return asked.clause, f"the first floor takes only {counted(asked.blocks_on_first)}"
    if asked.shapes_differ and shape_of(block) in [shape_of(each) for each in floor.blocks]:
        return asked.clause, "a block of that shape already lies on this floor"
    return None


def why_no_card(state: State) -> Refusal:
    """CT-32, CT-33: a new card while the floor below is not as the challenge wants it."""
    asked = state.challenge
    if asked is None or asked.blocks_a_floor in (0, len(state.floors[-1].blocks)):
        return None
    return asked.clause, f"a floor needs exactly {counted(asked.blocks_a_floor)} before the next card"


def why_no_pull(state: State, floor: Floor) -> Refusal:
    """CT-32, CT-33: a removal that breaks a floor."""
    asked = state.challenge
    if asked is None or asked.blocks_a_floor in (0, len(floor.blocks) - 1):
        return None
    return asked.clause, f"a floor must keep exactly {counted(asked.blocks_a_floor)}"


def how_it_lies(state: State, block: str) -> Condition:
    """CT-14: flat; CT-43: on its side, but for the single cube."""
    if state.challenge is None or not state.challenge.on_side:
        return Condition.LAID_FLAT
    value = next(each.value for each in state.stock.blocks if each.id == block)
    return Condition.LAID_FLAT if value == 1 else Condition.ON_ITS_SIDE


def is_met(state: State) -> bool:
    """CT-31..36: whether a complete tower is what the challenge asked for."""
    asked = state.challenge
    assert asked is not None
    counts = [len(floor.blocks) for floor in state.floors]
    if asked.blocks_a_floor:
        last = (asked.blocks_a_floor, *asked.blocks_on_last)
        if any(count != asked.blocks_a_floor for count in counts[:-1]) or counts[-1] not in last:
            return False
    if asked.blocks_on_first not in (0, counts[0]):
        return False
    return len(counts) >= asked.least_cards


def time_is_up(state: State, given: TimeUp) -> CrazyReason:
    """CT-37..39: the reason for which the game is lost."""
    asked = state.challenge
    if asked is None or not asked.limit_s:
        raise MalformedAction("no challenge against the clock is played")
    if not state.started:
        raise IllegalAction(asked.clause, "the clock starts with the first grab")
    return TIME_UP[asked.clause]


def counted(blocks: int) -> str:
    """So many blocks, in words."""
    return f"{blocks} block{'' if blocks == 1 else 's'}"
