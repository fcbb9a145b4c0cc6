"""How a turn goes on once everything is at rest; falls, what makes a collapse, putting back; and how the game ends.

After a block is laid: falls and collapse, then the last block, then the covered boxes, then the next turn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.events import Fell, TimeUp
from teeter.games.core.rules import hold_one, refuse, replaced, require_piece
from teeter.games.core.words import listed
from teeter.games.crazy_tower.rules_allowed import (
    can_act,
    can_lay,
    fallen_named,
    hands_without,
    homes,
    is_card,
    is_met,
    owner_of,
    pieces_of,
    said,
    time_is_up,
    top_card,
    why_no_block,
    why_no_card,
)
from teeter.games.crazy_tower.state import (
    COMPETITIVE,
    SABOTEUR,
    CrazyReason,
    Fallen,
    Floor,
    GiveBack,
    HandPhase,
    PutBack,
    Sort,
    State,
    TurnStage,
)


def go_on(state: State) -> State:
    """The next choice of the player on turn, or the next turn: all is at rest and the hand is empty."""
    state = replace(
        state, hand=HandPhase.FREE, held="", target="", met=False, asked="", fits=False, pulled=""
    )
    if state.fallen:
        return state
    if state.again and why_no_block(state, state.again, state.floors[-1]):
        state = replace(state, again="")
    if state.stage is TurnStage.LAID and not state.hands[state.turn]:
        return last_block(state)
    if state.stage in (TurnStage.LAID, TurnStage.BOXES):
        return _boxes(replace(state, stage=TurnStage.BOXES))
    if state.stage is TurnStage.BLOCK and not can_lay(state):
        return end_turn(state)
    if state.stage is TurnStage.CHOOSE and not can_lay(state) and why_no_card(state):
        return pass_turn(state)
    return state


def _boxes(state: State) -> State:
    """CT-05..07: boxes with nothing to act on lapse; play-again comes last."""
    boxes = tuple([box for box in state.boxes if box is Sort.AGAIN or can_act(state, box)])
    if Sort.REMOVE in boxes or Sort.EXCHANGE in boxes:
        return replace(state, boxes=boxes)
    if boxes:
        return go_on(replace(state, boxes=boxes[1:], stage=TurnStage.CHOOSE, laid=""))
    return end_turn(state)


def spend(state: State, box: Sort) -> State:
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
    return go_on(
        replace(state, turn=turn, member=member, stage=TurnStage.CHOOSE, boxes=(), laid="", again="")
    )


def last_block(state: State) -> State:
    """CT-21, CT-25, CT-26, CT-27: the player on turn has laid the last block held, and the tower stands."""
    if state.mode == COMPETITIVE:
        return finish(state, (state.turn,), CrazyReason.LAST_BLOCK)
    if state.mode == SABOTEUR:
        return _saboteur(
            state, state.turn == state.saboteur, CrazyReason.SABOTEUR_DONE, CrazyReason.ARCHITECT_DONE
        )
    if is_met(state):
        return finish(state, (0,), CrazyReason.CHALLENGE_MET)
    return finish(state, (), CrazyReason.CHALLENGE_MISSED)


def collapse(state: State) -> State:
    """CT-22, CT-25, CT-26, CT-27: the tower collapsed; the player on turn is the causer. CT-05: a block whose pulling
    brought it down is not given back."""
    if state.pulled:
        hands = tuple([tuple([block for block in hand if block != state.pulled]) for hand in state.hands])
        fallen = state.fallen
        if fallen_named(state, state.pulled) is None:
            fallen = (*fallen, Fallen(state.pulled))
        state = replace(state, hands=hands, fallen=fallen)
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


def scores(state: State) -> tuple[int, ...]:
    """CT-23: the value of the unplayed blocks of every seat."""
    value = {block.id: block.value for block in state.stock.blocks}
    return tuple([sum([value[block] for block in hand]) for hand in state.hands])


def fewest_points(state: State, seats: Sequence[int]) -> tuple[int, ...]:
    """CT-22, CT-24: the lowest value wins; then the fewest blocks; then they share the victory."""
    standing = scores(state)
    score = {seat: (standing[seat], len(state.hands[seat])) for seat in seats}
    return tuple([seat for seat in seats if score[seat] == min(score.values())])


def finish(state: State, winners: Sequence[int], reason: CrazyReason) -> State:
    """The end. What fell stays where it lies."""
    names = tuple([state.seats[seat].name for seat in winners])
    return replace(
        state,
        winners=names,
        reason=reason,
        hand=HandPhase.FREE,
        held="",
        target="",
        met=False,
        asked="",
        boxes=(),
    )


def fell(state: State, event: Fell) -> State:
    """CT-19: a block and a card that lie fallen are a collapse. CT-20: else they are put back.

    The hand lets go of what it had taken up. A block that slips as it is pulled out is out all the same.
    """
    if not event.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    standing = standing_pieces(state)
    for piece in event.pieces:
        require_piece(piece, standing, "piece of the tower")
    pieces = set(event.pieces)
    if state.hand is HandPhase.PULL and state.held in pieces:
        state = pulled_out(state)
    settling = state.hand is HandPhase.SETTLE and state.held not in pieces
    state = replace(_without(state, pieces), hand=HandPhase.SETTLE, asked="", passes=0)
    if len({is_card(state, item.piece) for item in state.fallen}) > 1:
        return collapse(state)
    return state if settling else replace(state, held="", target="", met=False)


def of_floors(floors: Iterable[Floor]) -> list[str]:
    """The cards and blocks of some floors, from the bottom up."""
    return [piece for floor in floors for piece in (floor.card, *floor.blocks)]


def standing_pieces(state: State) -> list[str]:
    """Everything that can fall: the tower, and the piece just let go."""
    standing = of_floors(state.floors)
    return [*standing, state.held] if state.hand is HandPhase.SETTLE and state.held else standing


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
    return _slip(after, state) if just_laid else after


def _slip(state: State, before: State) -> State:
    """The piece of the turn fell as soon as it was laid: the floor it fell from is the highest."""
    piece = state.held
    if state.stage is TurnStage.CARD:
        return replace(state, card="", stage=TurnStage.BLOCK, fallen=(*state.fallen, Fallen(piece)))
    hands = hands_without(state, piece)
    fallen = (*state.fallen, Fallen(piece, top_card(before)))
    laid = replace(state, hands=hands, stage=TurnStage.LAID, laid=piece, again="", fallen=fallen)
    return replace(laid, earlier=state.boxes)


def nothing_fallen(state: State) -> None:
    """CT-20: what fell is put back before the turn goes on."""
    if state.fallen:
        names = listed([said(item.piece) for item in state.fallen])
        raise IllegalAction("CT-20", f"{names} must be put back first")


def put_back(state: State, action: PutBack) -> State:
    """CT-20: take up a fallen block for the floor it fell from or the highest, or a card for the top."""
    fallen = _fallen(state, action.piece)
    if action.floor:
        require_piece(action.floor, [card.id for card in state.stock.cards], "floor card")
    if is_card(state, action.piece):
        if action.floor:
            raise IllegalAction("CT-20", f"{said(action.piece)} is laid on top again")
    else:
        top = state.floors[-1]
        floor = next((floor for floor in state.floors if floor.card == action.floor), None)
        if floor is None or floor.card not in (fallen.floor, top.card):
            raise IllegalAction("CT-20", "a block goes back on the floor it fell from or on the highest")
        refuse(why_no_block(state, action.piece, floor))
    return replace(state, hand=HandPhase.CARRY, held=action.piece, target=action.floor)


def give_back(state: State, action: GiveBack) -> State:
    """CT-20: a block with no place left goes to the player of its colour; the referee may be asked."""
    fallen = _fallen(state, action.piece)
    if is_card(state, action.piece):
        raise IllegalAction("CT-20", f"{said(action.piece)} is laid on top again")
    if not homes(state, fallen):
        return go_on(handed_over(state, action.piece))
    if state.fits:
        raise IllegalAction("CT-20", "the referee has found a place")
    return replace(state, hand=HandPhase.ASK, asked=action.piece)


def handed_over(state: State, piece: str) -> State:
    """CT-20: the fallen block goes to the player of its colour. CT-21: it was not laid, so nobody wins by it, and no
    box that it covered acts."""
    fallen = tuple([item for item in state.fallen if item.piece != piece])
    after = replace(_given_to_owner(state, piece), fallen=fallen)
    if piece != state.laid:
        return after
    stage = TurnStage.BOXES if state.stage is TurnStage.LAID else state.stage
    return replace(after, stage=stage, boxes=state.earlier)


def pulled_out(state: State) -> State:
    """CT-05: the block in the hand goes to the player of its colour, and the tower comes to rest."""
    floors = tuple(
        [
            Floor(floor.card, tuple([block for block in floor.blocks if block != state.held]))
            for floor in state.floors
        ]
    )
    after = spend(_given_to_owner(state, state.held), Sort.REMOVE)
    return replace(
        after, floors=floors, pulled=state.held, hand=HandPhase.SETTLE, held="", met=False, passes=0
    )


def _given_to_owner(state: State, block: str) -> State:
    owner = owner_of(state, block)
    return replace(state, hands=replaced(state.hands, owner, (*state.hands[owner], block)))


def time_up(state: State, event: TimeUp) -> State:
    """CT-37..39: the time is over before the tower is complete and at rest."""
    return finish(state, (), time_is_up(state, event))


def _fallen(state: State, piece: str) -> Fallen:
    hold_one(said(state.held))
    require_piece(piece, pieces_of(state))
    fallen = fallen_named(state, piece)
    if fallen is None:
        raise IllegalAction("CT-20", f"{said(piece)} has not fallen")
    return fallen
