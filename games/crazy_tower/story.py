"""A game of Crazy Tower told in sentences: for logs, captions and golden transcripts."""

from __future__ import annotations

from collections.abc import Iterable

from games.core.events import (
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
from games.core.rules import Action, Input, Take, TakeBack
from games.core.words import capital, listed
from games.crazy_tower.rules_allowed import is_card, owner_of
from games.crazy_tower.rules_flow import points
from games.crazy_tower.state import (
    ACTING,
    SABOTEUR,
    SOLO,
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
    colour_of,
    shape_of,
)

SHAPES = {
    "i1": "cube",
    "i3": "bar",
    "l3": "little corner",
    "o4": "square",
    "t4": "tee",
    "l4": "hook",
    "v5": "big corner",
}
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
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
    lines = [f"{seat.name}: {listed(each)}" for seat, each in zip(state.seats, state.colours, strict=True)]
    if state.challenge is not None:
        lines.append(f"Challenge {state.challenge.number}: {state.challenge.text}.")
    if state.mode == SABOTEUR:
        plotter = "One of them, nobody knows who," if state.house.secret else state.seats[state.saboteur].name
        lines.append(f"{plotter} is the saboteur.")
    return (*lines, f"{len(state.deck)} floor cards in the stack. {_who(state)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    told = _acted(before, given, after) if isinstance(given, Action) else _happened(before, given, after)
    return (*told, *_turn(before, after))


def block_name(block: str) -> str:
    """A block as people call it."""
    return f"{colour_of(block)} {SHAPES.get(shape_of(block), shape_of(block))}"


def _name(state: State, piece: str) -> str:
    if is_card(state, piece):
        return piece.replace("_0", " ").replace("_", " ")
    return f"the {block_name(piece) if shape_of(piece) else piece}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _names(state: State, pieces: Iterable[str]) -> str:
    return listed([_name(state, piece) for piece in pieces])


def _who(state: State) -> str:
    return state.seats[state.turn].members[state.member].name if state.mode == SOLO else state.player


def _floor(state: State, card: str) -> str:
    """A floor by its number; the start card is the first floor."""
    at = next(number for number, floor in enumerate(state.floors) if floor.card == card)
    return f"the {ORDINALS[at] if at < len(ORDINALS) else f'{at + 1}th'} floor"


def _turn(before: State, after: State) -> tuple[str, ...]:
    if after.reason is not None:
        winners = listed(after.winners) if after.winners else "Nobody"
        wins = "win" if len(after.winners) > 1 else "wins"
        secret = before.house.secret
        plot = (f"The saboteur was {after.seats[after.saboteur].name}.",) if secret else ()
        return (f"{winners} {wins}: {after.reason.text}.", *plot)
    if not _begins(before, after):
        return ()
    seats, left = len(after.seats), len(after.hands[after.turn])
    skipped = range(before.turn + 1, before.turn + (after.turn - before.turn) % seats)
    again = " once more" if seats > 1 and after.turn == before.turn and not skipped else ""
    score = points(after)[after.turn]
    return (
        *[f"{after.seats[seat % seats].name} cannot move." for seat in skipped],
        f"- {_who(after)}{again}: {left} block{_s(left)} left, {score} point{_s(score)}",
    )


def _begins(before: State, after: State) -> bool:
    """Whether a turn begins with this state."""
    if after.hand is not HandPhase.FREE or after.stage is not TurnStage.CHOOSE or after.fallen:
        return False
    moved = len(after.hands[before.turn]) < len(before.hands[before.turn])
    return after.turn != before.turn or before.stage not in (TurnStage.CHOOSE, TurnStage.CARD) or moved


def _acted(before: State, given: Action, after: State) -> tuple[str, ...]:
    who = _who(before)
    match given:
        case Take():
            return (f"{who} takes {_name(before, given.piece)}.",)
        case TakeBack():
            return (f"{who} thinks better of it and puts {_name(before, before.held)} down.",)
        case RevealCard():
            return _revealed(before, after)
        case NothingFits():
            return (f"{who} turns every block and finds no place. Is there one?",)
        case PutBack():
            where = _floor(before, given.floor) if given.floor else "the top"
            return (f"{who} picks up {_name(before, given.piece)}, for {where}.",)
        case GiveBack() if after.asked:
            return (f"{who} sees no place for {_name(before, given.piece)}. Is there one?",)
        case GiveBack():
            return (_handed(before, given.piece),)
        case Pull():
            floor = next(floor.card for floor in before.floors if given.piece in floor.blocks)
            return (f"{who} pulls at the {block_name(given.piece)}, on {_floor(before, floor)} ...",)
        case Decline():
            return (f"{who} {'lets it be' if before.held else 'leaves the tower alone'}.",)
    assert isinstance(given, Swap)
    pairs = zip(before.seats, before.hands, strict=True)
    other = next(seat.name for seat, hand in pairs if given.take in hand)
    return (f"{who} gives {other} the {block_name(given.give)} for the {block_name(given.take)}.",)


def _happened(before: State, given: Event, after: State) -> tuple[str, ...]:
    match given:
        case Met():
            return (capital(f"{_name(before, given.piece)} touches {_name(before, given.other)} ..."),)
        case Nudged():
            return (capital(f"{_name(before, given.piece)} moves by {given.mm:.1f} mm."),)
        case Released():
            return ("The hand opens ...",)
        case Placed():
            return _placed(before, given, after)
        case Rested() if after.fallen:
            fallen = _names(after, [each.piece for each in after.fallen])
            return (capital(f"{fallen} must go back."),)
        case Rested():
            return ("The tower holds still.",)
        case Fell():
            return _fell(before, given, after)
        case Removed():
            return ("... out it is!", _handed(before, given.piece))
        case RefereeAnswer() if given.yes:
            return ("The referee points to a place.",)
        case RefereeAnswer():
            return (
                "The referee sees none either.",
                *([_handed(before, before.asked)] if before.asked else []),
            )
    assert isinstance(given, TimeUp)
    return ("The bell rings.",)


def _revealed(before: State, after: State) -> tuple[str, ...]:
    card = next(card for card in before.stock.cards if card.id == after.card)
    rows = " ".join(card.boxes)
    special = listed([BOX_NAMES[box] for box in ACTING if box.mark in rows] or ["no special box"])
    return (f"{_who(before)} goes up a floor: {_name(before, after.card)}, with {special}.",)


def _handed(state: State, block: str) -> str:
    return f"The {block_name(block)} goes back to {state.seats[owner_of(state, block)].name}."


def _placed(before: State, given: Placed, after: State) -> tuple[str, ...]:
    piece = capital(_name(before, given.piece))
    stood = next((floor for floor in after.floors if given.piece in (floor.card, *floor.blocks)), None)
    if stood is None:
        wrong = listed([condition.text for condition in given.broken]) if given.broken else "on its floor"
        return (f"{piece} does not lie as it must ({wrong}). It is taken up again.",)
    if stood.card == given.piece:
        return (f"{piece} lies: {len(after.floors)} floors.",)
    there = (
        {} if before.fallen else boxes_of(next(card for card in before.stock.cards if card.id == stood.card))
    )
    covered = {there.get(name) for name in given.covers}
    acts = (Sort.AGAIN, *after.boxes)
    told = [
        BOX_TOLD[box] if box in acts else f"{capital(BOX_NAMES[box])} is covered, to no effect."
        for box in ACTING
        if box in covered and after.reason is None
    ]
    return (f"{piece} lies on {_floor(after, stood.card)}.", *told)


def _fell(before: State, given: Fell, after: State) -> tuple[str, ...]:
    pieces, several = _names(before, given.pieces), len(given.pieces) > 1
    if after.reason is None:
        return (f"Oh no: {pieces} {'fall' if several else 'falls'} off.",)
    if len(given.pieces) <= MOST_NAMED:
        return (f"CRASH! Down {'come' if several else 'comes'} {pieces}.",)
    cards = sum(is_card(before, piece) for piece in given.pieces)
    return (f"CRASH! Down come {cards} card{_s(cards)} and {len(given.pieces) - cards} blocks.",)
