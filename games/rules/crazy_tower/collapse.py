"""Falls: what makes a collapse, and how single blocks or cards are put back."""

from __future__ import annotations

from dataclasses import replace

from games.rules.base import hold_one, require_piece
from games.rules.crazy_tower.allowed import (
    fallen_named,
    homes,
    is_card,
    owner_of,
    pieces_of,
    said,
    top_card,
    why_no_block,
)
from games.rules.crazy_tower.flow import collapse, finish, go_on, spent
from games.rules.crazy_tower.solo import time_is_up
from games.rules.crazy_tower.state import Fallen, Floor, GiveBack, Hand, PutBack, Stage, State
from games.rules.crazy_tower.stock import Sort
from games.rules.errors import IllegalAction, MalformedAction
from games.rules.events import Fell, TimeUp


def fell(state: State, given: Fell) -> State:
    """CT-19: a block and a card that lie fallen are a collapse. CT-20: else they are put back.

    The hand lets go of what it had taken up. A block that slips as it is pulled out is out all the same.
    """
    if not given.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    standing = standing_pieces(state)
    for piece in given.pieces:
        require_piece(piece, standing, "piece of the tower")
    pieces = set(given.pieces)
    if state.hand is Hand.PULL and state.held in pieces:
        state = pulled_out(state)
    settling = state.hand is Hand.SETTLE and state.held not in pieces
    state = replace(_without(state, pieces), hand=Hand.SETTLE, asked="", passes=0)
    if len({is_card(state, each.piece) for each in state.fallen}) > 1:
        return collapse(state)
    return state if settling else replace(state, held="", target="", met=False)


def standing_pieces(state: State) -> list[str]:
    """Everything that can fall: the tower, and the piece just let go."""
    standing = [piece for floor in state.floors for piece in (floor.card, *floor.blocks)]
    return [*standing, state.held] if state.hand is Hand.SETTLE and state.held else standing


def _without(state: State, pieces: set[str]) -> State:
    """The tower after these pieces fell.

    Blocks whose card slipped away from under them lie on the floor below; below the lowest there is none.
    """
    floors: list[Floor] = []
    fallen = list(state.fallen)
    for floor in state.floors:
        fallen += [Fallen(block, floor.card) for block in floor.blocks if block in pieces]
        left = tuple([block for block in floor.blocks if block not in pieces])
        if floor.card not in pieces:
            floors.append(Floor(floor.card, left))
            continue
        fallen.append(Fallen(floor.card))
        if floors:
            floors[-1] = Floor(floors[-1].card, floors[-1].blocks + left)
        else:
            fallen += [Fallen(block, floor.card) for block in left]
    after = replace(state, floors=tuple(floors), fallen=tuple(fallen))
    just_laid = state.held in pieces and fallen_named(state, state.held) is None
    return _slipped(after, state) if just_laid else after


def _slipped(state: State, before: State) -> State:
    """The piece of the turn fell as soon as it was laid: the floor it fell from is the highest."""
    piece = state.held
    if state.stage is Stage.CARD:
        return replace(state, card="", stage=Stage.BLOCK, fallen=(*state.fallen, Fallen(piece)))
    hand = tuple([block for block in state.hands[state.turn] if block != piece])
    hands = (*state.hands[: state.turn], hand, *state.hands[state.turn + 1 :])
    fallen = (*state.fallen, Fallen(piece, top_card(before)))
    return replace(state, hands=hands, stage=Stage.LAID, fallen=fallen)


def nothing_fallen(state: State) -> None:
    """CT-20: what fell is put back before the turn goes on."""
    if state.fallen:
        names = " and ".join(said(each.piece) for each in state.fallen)
        raise IllegalAction("CT-20", f"first {names} must be put back")


def put_back(state: State, given: PutBack) -> State:
    """CT-20: take up a fallen block for the floor it fell from or the highest, or a card for the top."""
    fallen = _fallen(state, given.piece)
    if given.floor:
        require_piece(given.floor, [card.id for card in state.stock.cards], "floor card")
    if is_card(state, given.piece):
        if given.floor:
            raise IllegalAction("CT-20", f"{said(given.piece)} is laid on top again")
    else:
        top = state.floors[-1]
        floor = next((each for each in state.floors if each.card == given.floor), None)
        if floor is None or floor.card not in (fallen.floor, top.card):
            raise IllegalAction("CT-20", "a block goes back on the floor it fell from or on the highest")
        refusal = why_no_block(state, given.piece, floor)
        if refusal:
            raise IllegalAction(*refusal)
    return replace(state, hand=Hand.CARRY, held=given.piece, target=given.floor)


def give_back(state: State, given: GiveBack) -> State:
    """CT-20: a block with no place left goes to the player of its colour; the referee may be asked."""
    fallen = _fallen(state, given.piece)
    if is_card(state, given.piece):
        raise IllegalAction("CT-20", f"{said(given.piece)} is laid on top again")
    if not homes(state, fallen):
        return go_on(handed_over(state, given.piece))
    if state.fits:
        raise IllegalAction("CT-20", "the referee has found a place")
    return replace(state, hand=Hand.ASK, asked=given.piece)


def handed_over(state: State, piece: str) -> State:
    """CT-20: the fallen block goes to the player of its colour."""
    fallen = tuple([each for each in state.fallen if each.piece != piece])
    return replace(_given_to_owner(state, piece), fallen=fallen)


def pulled_out(state: State) -> State:
    """CT-05: the block in the hand goes to the player of its colour, and the tower comes to rest."""
    floors = tuple(
        [
            Floor(floor.card, tuple([block for block in floor.blocks if block != state.held]))
            for floor in state.floors
        ]
    )
    after = spent(_given_to_owner(state, state.held), Sort.REMOVE)
    return replace(after, floors=floors, hand=Hand.SETTLE, held="", met=False, passes=0)


def _given_to_owner(state: State, block: str) -> State:
    owner = owner_of(state, block)
    hands = (*state.hands[:owner], (*state.hands[owner], block), *state.hands[owner + 1 :])
    return replace(state, hands=hands)


def time_up(state: State, given: TimeUp) -> State:
    """CT-37..39: the time is over before the tower is complete and at rest."""
    return finish(state, (), time_is_up(state, given))


def _fallen(state: State, piece: str) -> Fallen:
    hold_one(state.held)
    require_piece(piece, pieces_of(state))
    fallen = fallen_named(state, piece)
    if fallen is None:
        raise IllegalAction("CT-20", f"{said(piece)} has not fallen")
    return fallen
