"""Ways A and B of a turn: a block or a card is taken up, carried, let go and lies; and the special boxes at work."""

from dataclasses import replace

from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.events import Met, Nudged, Placed, Question, RefereeAnswer, Released, Removed, Rested
from teeter.games.core.rules import (
    Take,
    TakeBack,
    hold_one,
    may_take_back,
    refuse,
    require_held,
    require_piece,
)
from teeter.games.crazy_tower.rules_allowed import (
    fallen_named,
    hands_without,
    homes,
    is_card,
    offered,
    pieces_of,
    said,
    swappable,
    top_card,
    why_no_block,
    why_no_card,
    why_no_pull,
)
from teeter.games.crazy_tower.rules_flow import (
    end_turn,
    go_on,
    handed_over,
    nothing_fallen,
    pass_turn,
    pulled_out,
    spend,
)
from teeter.games.crazy_tower.state import (
    ACTING,
    Decline,
    Floor,
    HandPhase,
    NothingFits,
    Pull,
    RevealCard,
    Sort,
    State,
    Swap,
    TurnStage,
    boxes_of,
)


def reveal(state: State, action: RevealCard) -> State:
    """CT-10: turn up the first card of the stack."""
    hold_one(said(state.held))
    nothing_fallen(state)
    if state.stage is not TurnStage.CHOOSE:
        raise IllegalAction("CT-10", "a card is revealed at the beginning of a turn")
    if state.again:
        raise IllegalAction("ALL-9", f"{said(state.again)} is laid again first")
    refuse(why_no_card(state))
    return replace(state, deck=state.deck[1:], card=state.deck[0], stage=TurnStage.CARD)


def take(state: State, action: Take) -> State:
    """CT-10, CT-11: take up an unplayed block for the highest floor, or the revealed card."""
    hold_one(said(state.held))
    require_piece(action.piece, pieces_of(state))
    nothing_fallen(state)
    if state.stage is TurnStage.BOXES:
        box = state.boxes[0]
        raise IllegalAction(box.clause, f"the {box.title} box acts first")
    if state.stage is TurnStage.CARD:
        if action.piece != state.card:
            raise IllegalAction("CT-10", f"{said(state.card)} is laid first, then a block")
    elif action.piece not in state.hands[state.turn]:
        raise IllegalAction("CT-10", f"{said(action.piece)} is not an unplayed block of {state.player}")
    elif state.again not in ("", action.piece):
        raise IllegalAction("ALL-9", f"{said(state.again)} is laid again first")
    else:
        refuse(why_no_block(state, action.piece, state.floors[-1]))
    return replace(state, hand=HandPhase.CARRY, held=action.piece, started=True)


def take_back(state: State, action: TakeBack) -> State:
    """ALL-6: put the piece down again, and choose anew; a revealed card stays revealed."""
    may_take_back(said(state.held), state.met)
    return replace(state, hand=HandPhase.FREE, held="", target="")


def meet(state: State, event: Met) -> State:
    """ALL-6: the held piece touches something; it can no longer be taken back."""
    _in_hand(state, event.piece, HandPhase.CARRY, HandPhase.PULL)
    return replace(state, met=True)


def nudge(state: State, event: Nudged) -> State:
    """A lying piece was moved; no rule of this game minds, but the hand has met it (ALL-6)."""
    if not state.held:
        raise IllegalAction("ALL-1", "nothing is in the hand")
    require_piece(event.piece, pieces_of(state))
    return replace(state, met=True)


def release(state: State, event: Released) -> State:
    """The piece is let go; the world decides."""
    _in_hand(state, event.piece, HandPhase.CARRY)
    return replace(state, hand=HandPhase.SETTLE)


def place(state: State, event: Placed) -> State:
    """The piece lies. ALL-9: one that lies against the rules is taken up and laid again."""
    _in_hand(state, event.piece, HandPhase.SETTLE)
    card = is_card(state, event.piece)
    aim = event.where if card else state.target or top_card(state)
    if event.where:
        require_piece(event.where, [card.id for card in state.stock.cards], "floor card")
    if event.broken or event.where not in ("", aim) or (not card and not _has_room(state, event.piece, aim)):
        is_of_turn = event.piece in state.hands[state.turn]
        return go_on(replace(state, again=event.piece) if is_of_turn else state)
    fallen = fallen_named(state, event.piece)
    if fallen is not None:
        state = replace(state, fallen=tuple([item for item in state.fallen if item is not fallen]))
    elif card:
        state = replace(state, card="", stage=TurnStage.BLOCK)
    else:
        boxes = ordered(state.boxes + _acting(state, event))
        hands = hands_without(state, event.piece)
        state = replace(state, hands=hands, stage=TurnStage.LAID, boxes=boxes, earlier=state.boxes)
        state = replace(state, laid=event.piece, again="")
    return go_on(replace(state, floors=_with(state.floors, event.piece, "" if card else aim), passes=0))


def _has_room(state: State, block: str, card: str) -> bool:
    """CT-18, should others have slid onto the floor, or the floor away, while the block was in the air."""
    return any(floor.card == card and why_no_block(state, block, floor) is None for floor in state.floors)


def _acting(state: State, event: Placed) -> tuple[Sort, ...]:
    """CT-05..07: the boxes that begin to act; all named must lie on the card."""
    top = state.floors[-1].card
    there = boxes_of(next(card for card in state.stock.cards if card.id == top))
    for name in event.covers:
        require_piece(name, list(there), "box")
    return tuple([there[name] for name in event.covers if there[name] in ACTING])


def ordered(boxes: tuple[Sort, ...]) -> tuple[Sort, ...]:
    """CT-06: play-again last."""
    return tuple(sorted(boxes, key=ACTING.index))


def _with(floors: tuple[Floor, ...], piece: str, on: str) -> tuple[Floor, ...]:
    """The floors with a block added on one of them, or with a card on top."""
    if not on:
        return (*floors, Floor(piece))
    return tuple(
        [Floor(floor.card, (*floor.blocks, piece)) if floor.card == on else floor for floor in floors]
    )


def rest(state: State, event: Rested) -> State:
    """Everything lies still after a fall, or after a block was pulled out or left in peace."""
    if state.hand is not HandPhase.SETTLE:
        raise IllegalAction("ALL-2", "nothing waits for the tower to rest")
    if state.held:
        raise IllegalAction("ALL-2", f"{said(state.held)} was let go; say where it lies, or that it fell")
    return go_on(state)


def nothing_fits(state: State, action: NothingFits) -> State:
    """CT-10: the claim that no own block fits; with a card to lay instead there is no need for it. ALL-9: the same of
    a block that is laid again."""
    hold_one(said(state.held))
    nothing_fallen(state)
    if state.stage not in (TurnStage.CHOOSE, TurnStage.BLOCK):
        raise IllegalAction("CT-10", "no block is due to be laid now")
    if state.stage is TurnStage.CHOOSE and why_no_card(state) is None and not state.again:
        raise IllegalAction("CT-10", "a new floor card can be laid instead")
    if state.fits:
        raise IllegalAction("CT-10", "the referee has found a place")
    return replace(state, hand=HandPhase.ASK)


def asked_about(state: State) -> tuple[str, ...]:
    """The blocks the referee looks at, then the cards of the floors they are meant for."""
    fallen = fallen_named(state, state.asked)
    if fallen is not None:
        return (fallen.piece, *[floor.card for floor in homes(state, fallen)])
    return (*offered(state), state.floors[-1].card)


def answer(state: State, event: RefereeAnswer) -> State:
    """CT-10: nothing fits: the card stays and the turn ends, or it passes. CT-20: the block is given back."""
    if state.hand is not HandPhase.ASK:
        raise IllegalAction("CT-10", "the referee was not asked")
    pieces = asked_about(state)
    if event.question is not Question.DOES_FIT or event.pieces != pieces:
        raise MalformedAction(f"the question was DOES_FIT about {', '.join(pieces)}")
    if event.yes:
        return replace(state, hand=HandPhase.FREE, asked="", fits=True)
    if state.asked:
        return go_on(handed_over(state, state.asked))
    if state.again:
        return go_on(replace(state, again=""))
    return end_turn(state) if state.stage is TurnStage.BLOCK else pass_turn(state)


def _in_hand(state: State, piece: str, *hands: HandPhase) -> None:
    if state.hand not in hands:
        busy = HandPhase.SETTLE in hands
        raise IllegalAction("ALL-1", f"nothing {'was let go' if busy else 'is in the hand'}")
    require_held(piece, state.held)


def pull(state: State, action: Pull) -> State:
    """CT-05: begin to pull a block out of a lower floor. It touches others, so it is no move to take back."""
    hold_one(said(state.held))
    require_piece(action.piece, pieces_of(state))
    _at_work(state, Sort.REMOVE)
    refuse(why_no_pull(state, action.piece))
    return replace(state, hand=HandPhase.PULL, held=action.piece, met=True)


def decline(state: State, action: Decline) -> State:
    """CT-05: leave it, as long as the block is not out; a tower that was pulled at comes to rest first."""
    _at_work(state, Sort.REMOVE)
    after = spend(state, Sort.REMOVE)
    return replace(after, hand=HandPhase.SETTLE, held="", met=False) if state.held else go_on(after)


def remove(state: State, event: Removed) -> State:
    """CT-05: the block is out, and goes to the player who chose its colour."""
    if state.hand is not HandPhase.PULL:
        raise IllegalAction("CT-05", "no block is being pulled out")
    if event.piece != state.held:
        raise MalformedAction(f"{event.piece!r} is not the block being pulled, {state.held!r} is")
    return pulled_out(state)


def swap(state: State, action: Swap) -> State:
    """CT-07: one unplayed block of one's own against one of another player."""
    hold_one(said(state.held))
    require_piece(action.give, pieces_of(state))
    require_piece(action.take, pieces_of(state))
    _at_work(state, Sort.EXCHANGE)
    if action.give not in state.hands[state.turn]:
        raise IllegalAction("CT-07", f"{said(action.give)} is not an unplayed block of {state.player}")
    if action.take not in swappable(state):
        raise IllegalAction("CT-07", f"{said(action.take)} is not an unplayed block of another player")
    other = {action.give: action.take, action.take: action.give}
    hands = tuple([tuple([other.get(block, block) for block in hand]) for hand in state.hands])
    return go_on(replace(spend(state, Sort.EXCHANGE), hands=hands))


def _at_work(state: State, box: Sort) -> None:
    nothing_fallen(state)
    if box not in state.boxes:
        raise IllegalAction(box.clause, f"no {box.title} box is covered")
