"""What may be done with a block or card now, and why not; what the solo challenges add; what a sound state is."""

from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.events import Condition, TimeUp
from teeter.games.core.rules import replaced
from teeter.games.core.words import ordinal
from teeter.games.crazy_tower.state import CrazyReason, Fallen, Floor, Sort, State, colour_of, shape_of

SHAPES = {
    "i1": "cube",
    "i3": "bar",
    "l3": "little corner",
    "o4": "square",
    "t4": "tee",
    "l4": "hook",
    "v5": "big corner",
}


def block_name(block: str) -> str:
    """`red cube`."""
    return f"{colour_of(block)} {SHAPES.get(shape_of(block), shape_of(block))}"


def said(piece: str) -> str:
    """`the red cube`, `card 2`; empty for no piece."""
    if shape_of(piece) in SHAPES:
        return f"the {block_name(piece)}"
    return piece.replace("_0", " ").replace("_", " ")


def floor_name(state: State, card: str) -> str:
    """`the second floor`; the start card is the first."""
    at = next(number for number, floor in enumerate(state.floors) if floor.card == card)
    return f"the {ordinal(at + 1)} floor"


Refusal = tuple[str, str] | None
"""Clause and sentence, or None for what is allowed."""

TIME_UP = {
    reason.clause: reason
    for reason in (CrazyReason.THREE_MINUTES, CrazyReason.TWO_MINUTES, CrazyReason.ONE_MINUTE)
}


def challenge_bars_block(state: State, block: str, floor: Floor) -> Refusal:
    """CT-32..35: a block the challenge does not want on this floor."""
    asked = state.challenge
    if asked is None:
        return None
    lying = len(floor.blocks)
    if asked.blocks_a_floor and lying >= asked.blocks_a_floor:
        return asked.clause, f"a floor takes exactly {counted(asked.blocks_a_floor)}"
    if asked.blocks_on_first and floor.card == state.floors[0].card and lying >= asked.blocks_on_first:
        return asked.clause, f"the first floor takes only {counted(asked.blocks_on_first)}"
    if asked.shapes_differ and shape_of(block) in [shape_of(other) for other in floor.blocks]:
        return asked.clause, "a block of that shape already lies on this floor"
    return None


def challenge_bars_card(state: State) -> Refusal:
    """CT-32, CT-33: a new card while the floor below is not as the challenge wants it."""
    asked = state.challenge
    if asked is None or asked.blocks_a_floor in (0, len(state.floors[-1].blocks)):
        return None
    return asked.clause, f"a floor needs exactly {counted(asked.blocks_a_floor)} before the next card"


def challenge_bars_pull(state: State, floor: Floor) -> Refusal:
    """CT-32, CT-33, CT-34: a removal that breaks a floor."""
    asked, left = state.challenge, len(floor.blocks) - 1
    if asked is not None and asked.blocks_a_floor not in (0, left):
        return asked.clause, f"a floor must keep exactly {counted(asked.blocks_a_floor)}"
    if asked is not None and floor is state.floors[0] and asked.blocks_on_first not in (0, left):
        return asked.clause, f"the first floor must keep exactly {counted(asked.blocks_on_first)}"
    return None


def how_it_lies(state: State, block: str) -> Condition:
    """CT-14: flat; CT-43: on its side, but for the single cube."""
    if state.challenge is None or not state.challenge.on_side:
        return Condition.LAID_FLAT
    value = next(piece.value for piece in state.stock.blocks if piece.id == block)
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


def time_is_up(state: State, event: TimeUp) -> CrazyReason:
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


def pieces_of(state: State) -> list[str]:
    """The names of all pieces in play."""
    return [*(block.id for block in state.stock.blocks), *(card.id for card in state.stock.cards)]


def is_card(state: State, piece: str) -> bool:
    """Whether a piece is a floor card."""
    return any(card.id == piece for card in state.stock.cards)


def top_card(state: State) -> str:
    """The card of the highest floor; empty while the only one lies fallen."""
    return state.floors[-1].card if state.floors else ""


def hands_without(state: State, block: str) -> tuple[tuple[str, ...], ...]:
    """All hands after the player on turn has laid a block."""
    left = tuple([other for other in state.hands[state.turn] if other != block])
    return replaced(state.hands, state.turn, left)


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
    return challenge_bars_block(state, block, floor)


def why_no_card(state: State) -> Refusal:
    """CT-10, CT-12, and what the challenge forbids: a new floor card now."""
    if not state.deck:
        return "CT-10", "no floor card is left in the stack"
    if not state.floors[-1].blocks:
        return "CT-12", "a new card has to touch a block of the floor below, and none lies there"
    return challenge_bars_card(state)


def why_no_pull(state: State, block: str) -> Refusal:
    """CT-05, and what the challenge forbids: taking this block out of the tower."""
    floor = floor_of(state, block)
    if floor is None or floor is state.floors[-1]:
        return "CT-05", f"{said(block)} does not lie on a lower floor"
    return challenge_bars_pull(state, floor)


def layable(state: State) -> list[str]:
    """CT-10, CT-11: the own blocks that may go on the highest floor, as far as the rules can tell."""
    top = state.floors[-1]
    return [block for block in state.hands[state.turn] if why_no_block(state, block, top) is None]


def offered(state: State) -> list[str]:
    """The blocks that may be taken up now. ALL-9: one that lay against the rules is laid again, before any other."""
    return [block for block in layable(state) if state.again in ("", block)]


def can_lay(state: State) -> bool:
    """Whether any of the own blocks may go on the highest floor."""
    return bool(layable(state))


def removable(state: State) -> list[str]:
    """CT-05: the blocks that may be pulled out."""
    lower = state.floors[:-1]
    return [block for floor in lower if challenge_bars_pull(state, floor) is None for block in floor.blocks]


def swappable(state: State) -> list[str]:
    """CT-07: the unplayed blocks of the others; alone and in a team there are none."""
    return [block for seat, hand in enumerate(state.hands) if seat != state.turn for block in hand]


def can_act(state: State, box: Sort) -> bool:
    """CT-05, CT-07: whether a covered box has anything to act on; if not it lapses."""
    if box is Sort.REMOVE:
        return bool(removable(state))
    return bool(state.hands[state.turn] and swappable(state))


def fallen_named(state: State, piece: str) -> Fallen | None:
    """The fallen piece of that name."""
    return next((other for other in state.fallen if other.piece == piece), None)


def homes(state: State, fallen: Fallen) -> list[Floor]:
    """CT-20: where a fallen block may go: the floor it fell from, and the highest; less what is forbidden."""
    top = state.floors[-1]
    floors = [floor for floor in state.floors[:-1] if floor.card == fallen.floor]
    return [floor for floor in (*floors, top) if why_no_block(state, fallen.piece, floor) is None]


def how_to_lay(state: State, block: str) -> tuple[Condition, ...]:
    """CT-04, CT-11, CT-14: how a block of the turn has to lie; CT-15: it may overhang, nothing forbids it."""
    return (Condition.ON_HIGHEST_FLOOR, how_it_lies(state, block), Condition.COVERS_NO_RED_BOX)


def how_to_put_back(state: State, piece: str) -> tuple[Condition, ...]:
    """CT-20: how a fallen piece has to lie."""
    if is_card(state, piece):
        return how_to_lay_card(state)
    return (Condition.ON_NAMED_FLOOR, how_it_lies(state, piece), Condition.COVERS_NO_RED_BOX)


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
