"""A game of Crazy Tower told in sentences: for logs, captions and golden transcripts."""

from collections.abc import Iterable

from teeter.games.core.events import (
    Event,
    Fell,
    Met,
    Nudged,
    Placed,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
    TimeUp,
)
from teeter.games.core.rules import Action, Input, Take, TakeBack
from teeter.games.core.words import capital, counted, listed, won
from teeter.games.crazy_tower.rules_allowed import block_name, floor_name, is_card, offered, owner_of, said
from teeter.games.crazy_tower.rules_flow import scores
from teeter.games.crazy_tower.state import (
    ACTING,
    COMPETITIVE,
    SABOTEUR,
    SOLO,
    CrazyReason,
    Decline,
    GiveBack,
    HandPhase,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    State,
    Swap,
    TurnStage,
    boxes_of,
)

MOST_NAMED = 4
"""Pieces of a crash that are named; more are counted."""
BOX_NAMES = {Sort.REMOVE: "a remove box", Sort.EXCHANGE: "an exchange box", Sort.AGAIN: "a play-again box"}
BOX_TOLD = {
    Sort.REMOVE: "A remove box is covered: a block from below may come out.",
    Sort.EXCHANGE: "An exchange box is covered: a block must be swapped.",
    Sort.AGAIN: "A play-again box is covered!",
}


def opening(state: State) -> tuple[str, ...]:
    """Who plays with which colours, who plots, and who begins."""
    lines = [
        f"{seat.name}: {listed(colours)}" for seat, colours in zip(state.seats, state.colours, strict=True)
    ]
    if state.challenge is not None:
        lines.append(f"Challenge {state.challenge.number}: {state.challenge.text}.")
    if state.mode == SABOTEUR:
        plotter = "One of them, nobody knows who," if state.house.secret else state.seats[state.saboteur].name
        lines.append(f"{plotter} is the saboteur.")
    return (*lines, f"{len(state.deck)} floor cards in the stack. {_who(state)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    lines = (
        _action_lines(before, given, after)
        if isinstance(given, Action)
        else _event_lines(before, given, after)
    )
    return (*lines, *_turn(before, after))


def called(state: State, piece: str) -> str:
    """`the red cube`, `card 2`."""
    return said(piece)


def _names(pieces: Iterable[str]) -> str:
    return listed([said(piece) for piece in pieces])


def _who(state: State) -> str:
    return state.seats[state.turn].members[state.member].name if state.mode == SOLO else state.player


def _turn(before: State, after: State) -> tuple[str, ...]:
    if after.reason is not None:
        secret = before.house.secret
        plot = (f"The saboteur was {after.seats[after.saboteur].name}.",) if secret else ()
        return (*_why(after), *plot)
    if not _begins(before, after):
        return ()
    seats, left = len(after.seats), len(after.hands[after.turn])
    skipped = range(before.turn + 1, before.turn + (after.turn - before.turn) % seats)
    again = " once more" if seats > 1 and after.turn == before.turn and not skipped else ""
    score = scores(after)[after.turn]
    return (
        *[f"{after.seats[seat % seats].name} cannot move." for seat in skipped],
        f"- {_who(after)}{again}: {counted(left, 'block')} left{f', worth {score}' if left else ''}",
    )


def _why(state: State) -> tuple[str, ...]:
    """Who won and why they; where the blocks left decide, what is left to whom."""
    assert state.reason is not None
    is_counted = state.reason in (CrazyReason.COLLAPSE, CrazyReason.STANDSTILL)
    if state.mode != COMPETITIVE or not is_counted:
        return (f"{won(state.winners)}: {state.reason.text}.",)
    seats = [seat.name for seat in state.seats]
    at = seats.index(state.winners[0])
    left = f"worth {scores(state)[at]} in {counted(len(state.hands[at]), 'block')}"
    if state.reason is CrazyReason.STANDSTILL:
        return (f"Nobody can move. {won(state.winners)} with the least left, {left}.",)
    others = " among the others" if len(seats) > 2 else ""
    least = f" with the least left{others}, {left}" if others else ""
    return (f"{_who(state)} brought the tower down. {won(state.winners)}{least}.",)


def _begins(before: State, after: State) -> bool:
    """Whether a turn begins with this state."""
    if after.hand is not HandPhase.FREE or after.stage is not TurnStage.CHOOSE or after.fallen:
        return False
    moved = len(after.hands[before.turn]) < len(before.hands[before.turn])
    return after.turn != before.turn or before.stage not in (TurnStage.CHOOSE, TurnStage.CARD) or moved


def _action_lines(before: State, action: Action, after: State) -> tuple[str, ...]:
    who = _who(before)
    match action:
        case Take():
            return (f"{who} takes {said(action.piece)}.",)
        case TakeBack():
            return (f"{who} thinks better of it and puts {said(before.held)} down.",)
        case RevealCard():
            return _reveal_lines(before, after)
        case NothingFits():
            blocks = [before.again] if before.again else offered(before)
            tried = "every block" if len(blocks) != 1 else said(blocks[0])
            return (f"{who} tries {tried} and finds no place. Is there one?",)
        case PutBack():
            where = floor_name(before, action.floor) if action.floor else "the top"
            return (f"{who} picks up {said(action.piece)}, for {where}.",)
        case GiveBack() if after.asked:
            return (f"{who} sees no place for {said(action.piece)}. Is there one?",)
        case GiveBack():
            return (_handing_line(before, action.piece),)
        case Pull():
            floor = next(floor.card for floor in before.floors if action.piece in floor.blocks)
            return (f"{who} pulls at the {block_name(action.piece)} on {floor_name(before, floor)} ...",)
        case Decline():
            return (f"{who} leaves {'it where it is' if before.held else 'the tower alone'}.",)
    assert isinstance(action, Swap)
    pairs = zip(before.seats, before.hands, strict=True)
    other = next(seat.name for seat, hand in pairs if action.take in hand)
    return (f"{who} gives {other} the {block_name(action.give)} for the {block_name(action.take)}.",)


def _event_lines(before: State, event: Event, after: State) -> tuple[str, ...]:
    match event:
        case Met():
            other = event.other if event.other not in ("table", "floor") else f"the {event.other}"
            return (capital(f"{said(event.piece)} touches {said(other)} ..."),)
        case Nudged():
            return (capital(f"{said(event.piece)} moves by {event.mm:.1f} mm."),)
        case Released():
            return ("The hand opens ...",)
        case Placed():
            return _placing_lines(before, event, after)
        case Rested() if after.fallen:
            fallen = _names([item.piece for item in after.fallen])
            return (capital(f"{fallen} must be put back."),)
        case Rested():
            return ("The tower holds still.",)
        case Fell():
            return _fall_lines(before, event, after)
        case Removed():
            return ("... it is out!", _handing_line(before, event.piece))
        case RefereeAnswer() if event.yes:
            return ("The referee points to a place.",)
        case RefereeAnswer():
            return (
                "The referee sees none either.",
                *([_handing_line(before, before.asked)] if before.asked else []),
            )
    assert isinstance(event, TimeUp)
    return ("The bell rings.",)


def _reveal_lines(before: State, after: State) -> tuple[str, ...]:
    card = next(card for card in before.stock.cards if card.id == after.card)
    rows = " ".join(card.boxes)
    special = listed([BOX_NAMES[box] for box in ACTING if box.mark in rows] or ["no special box"])
    return (f"{_who(before)} goes up a floor: {said(after.card)}, with {special}.",)


def _handing_line(state: State, block: str) -> str:
    return f"The {block_name(block)} goes back to {state.seats[owner_of(state, block)].name}."


def _placing_lines(before: State, event: Placed, after: State) -> tuple[str, ...]:
    piece = capital(said(event.piece))
    stood = next((floor for floor in after.floors if event.piece in (floor.card, *floor.blocks)), None)
    if stood is None:
        wrong = (
            listed([condition.missed for condition in event.broken])
            if event.broken
            else "it is not on its floor"
        )
        return (f"{piece} is taken up again: {wrong}.",)
    if stood.card == event.piece:
        return (f"{piece} makes {floor_name(after, event.piece)}.",)
    there = (
        {} if before.fallen else boxes_of(next(card for card in before.stock.cards if card.id == stood.card))
    )
    covered = {there.get(name) for name in event.covers}
    acts = (Sort.AGAIN, *after.boxes)
    effects = [
        BOX_TOLD[box] if box in acts else f"{capital(BOX_NAMES[box])} is covered, to no effect."
        for box in ACTING
        if box in covered and after.reason is None
    ]
    return (f"{piece} lies on {floor_name(after, stood.card)}.", *effects)


def _fall_lines(before: State, event: Fell, after: State) -> tuple[str, ...]:
    pieces, several = _names(event.pieces), len(event.pieces) > 1
    if after.reason is None:
        return (f"Oh no: {pieces} {'fall' if several else 'falls'} off.",)
    is_out = before.hand is HandPhase.PULL and before.held in event.pieces
    pulled = before.held if is_out else before.pulled
    lost = (
        (f"The {block_name(pulled)} counts for nobody: pulling it brought the tower down.",) if pulled else ()
    )
    if len(event.pieces) <= MOST_NAMED:
        return (f"CRASH! Down {'come' if several else 'comes'} {pieces}.", *lost)
    cards = sum(is_card(before, piece) for piece in event.pieces)
    blocks = len(event.pieces) - cards
    return (f"CRASH! Down come {counted(cards, 'card')} and {counted(blocks, 'block')}.", *lost)
