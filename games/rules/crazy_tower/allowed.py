"""What may be done with a block or card now, and why not: questions of the rules that change nothing."""

from __future__ import annotations

from games.rules.conditions import Condition
from games.rules.crazy_tower import solo
from games.rules.crazy_tower.solo import Refusal
from games.rules.crazy_tower.state import Fallen, Floor, State
from games.rules.crazy_tower.stock import Sort, colour_of


def said(piece: str) -> str:
    """A piece's id as people say it."""
    return piece.replace("_", " ")


def pieces_of(state: State) -> list[str]:
    """The names of all pieces in play."""
    return [*(block.id for block in state.stock.blocks), *(card.id for card in state.stock.cards)]


def is_card(state: State, piece: str) -> bool:
    """Whether a piece is a floor card."""
    return any(card.id == piece for card in state.stock.cards)


def top_card(state: State) -> str:
    """The card of the highest floor; empty while the only one lies fallen."""
    return state.floors[-1].card if state.floors else ""


def floor_of(state: State, block: str) -> Floor | None:
    """The floor on which a block lies."""
    return next((floor for floor in state.floors if block in floor.blocks), None)


def owner_of(state: State, block: str) -> int:
    """CT-05: the seat that chose the block's colour, even if the block was swapped since."""
    colour = colour_of(block)
    return next(seat for seat, colours in enumerate(state.colours) if colour in colours)


def why_no_block(state: State, block: str, floor: Floor) -> Refusal:
    """CT-18, and what the challenge forbids: this block on this floor."""
    colour = colour_of(block)
    for lying in floor.blocks:
        if colour_of(lying) == colour:
            return "CT-18", f"{colour} already lies on this floor"
    return solo.why_no_block(state, block, floor)


def why_no_card(state: State) -> Refusal:
    """CT-10, CT-12, and what the challenge forbids: a new floor card now."""
    if not state.deck:
        return "CT-10", "no floor card is left in the stack"
    if not state.floors[-1].blocks:
        return "CT-12", "a new card has to touch a block of the floor below, and none lies there"
    return solo.why_no_card(state)


def why_no_pull(state: State, block: str) -> Refusal:
    """CT-05, and what the challenge forbids: taking this block out of the tower."""
    floor = floor_of(state, block)
    if floor is None or floor is state.floors[-1]:
        return "CT-05", f"{said(block)} does not lie on a lower floor"
    return solo.why_no_pull(state, floor)


def layable(state: State) -> list[str]:
    """CT-10, CT-11: the own blocks that may go on the highest floor, as far as the rules can tell."""
    top = state.floors[-1]
    return [block for block in state.hands[state.turn] if why_no_block(state, block, top) is None]


def can_lay(state: State) -> bool:
    """Whether any of the own blocks may go on the highest floor."""
    top = state.floors[-1]
    return any(why_no_block(state, block, top) is None for block in state.hands[state.turn])


def removable(state: State) -> list[str]:
    """CT-05: the blocks that may be pulled out."""
    lower = state.floors[:-1]
    return [block for floor in lower if solo.why_no_pull(state, floor) is None for block in floor.blocks]


def swappable(state: State) -> list[str]:
    """CT-07: the unplayed blocks of the others; alone and in a team there are none."""
    return [block for seat, hand in enumerate(state.hands) if seat != state.turn for block in hand]


def can_act(state: State, box: Sort) -> bool:
    """CT-05, CT-07: whether a covered box has anything to act on; if not it lapses."""
    return bool(removable(state) if box is Sort.REMOVE else swappable(state))


def fallen_named(state: State, piece: str) -> Fallen | None:
    """The fallen piece of that name."""
    return next((each for each in state.fallen if each.piece == piece), None)


def homes(state: State, fallen: Fallen) -> list[Floor]:
    """CT-20: where a fallen block may go: the floor it fell from, and the highest; less what is forbidden."""
    top = state.floors[-1]
    floors = [floor for floor in state.floors[:-1] if floor.card == fallen.floor]
    return [floor for floor in (*floors, top) if why_no_block(state, fallen.piece, floor) is None]


def how_to_lay(state: State, block: str) -> tuple[Condition, ...]:
    """CT-04, CT-11, CT-14: how a block of the turn has to lie; CT-15: it may overhang, nothing forbids it."""
    return (Condition.ON_HIGHEST_FLOOR, solo.how_it_lies(state, block), Condition.COVERS_NO_RED_BOX)


def how_to_put_back(state: State, piece: str) -> tuple[Condition, ...]:
    """CT-20: how a fallen piece has to lie."""
    if is_card(state, piece):
        return how_to_lay_card(state)
    return (Condition.ON_NAMED_FLOOR, solo.how_it_lies(state, piece), Condition.COVERS_NO_RED_BOX)


def how_to_lay_card(state: State) -> tuple[Condition, ...]:
    """CT-12, CT-50: how a floor card has to lie; CT-16: it may be offset, nothing forbids it."""
    if not state.floors:
        return ()
    how: tuple[Condition, ...] = (Condition.CARD_ON_TOP,)
    if state.floors[-1].blocks:
        how += (Condition.CARD_TOUCHES_BLOCK,)
    if state.challenge is not None and state.challenge.handicap.drop_mm:
        how += (Condition.DROPPED_FROM_ABOVE,)
    return how
