"""A game of Wonky told in sentences: for logs, captions and golden transcripts."""

from __future__ import annotations

from games.core.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from games.core.rules import Input, Take, TakeBack
from games.core.words import capital, counted
from games.wonky.rules_turn import said
from games.wonky.state import DrawCards, KeepCard, PlayCard, State


def opening(state: State) -> tuple[str, ...]:
    """Who plays, and the cards they hold."""
    lines = [f"{seat.name}: {listed(hand)}" for seat, hand in zip(state.seats, state.hands, strict=True)]
    return (*lines, f"{len(state.deck)} cards to draw. {name_of(state)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    return (*_told(before, given, after), *_turn(before, after))


def name_of(state: State) -> str:
    """The player on turn."""
    return state.seats[state.turn].name


def listed(cards: tuple[str, ...]) -> str:
    """Cards in words."""
    return ", ".join(said(card) for card in cards) or "no cards"


def _turn(before: State, after: State) -> tuple[str, ...]:
    if after.reason is not None:
        return (f"{' and '.join(after.winners)} wins: {after.reason.text}.",)
    lines = []
    if before.turn != after.turn:
        gained = len(after.hands[after.turn]) - len(before.hands[after.turn])
        lines += [f"{name_of(after)} has to draw a card first."] if gained else []
        cards = len(after.hands[after.turn])
        lines += [f"- {name_of(after)}'s turn, {cards} card{'' if cards == 1 else 's'} in hand"]
    return tuple(lines)


def _told(before: State, given: Input, after: State) -> tuple[str, ...]:
    player = name_of(before)
    match given:
        case PlayCard():
            return _played(before, given, after)
        case DrawCards():
            found = "" if after.card else "; nothing to play, nothing left to draw"
            return (f"{player} cannot play and draws {_drawn(before, after)}{found}.",)
        case KeepCard():
            return (f"{player} keeps {_the(before.card)}.",)
        case Take():
            where = f"on top of {len(before.tower)}" if before.tower else "for a new tower"
            return (f"{player} takes {_the(given.piece)} block, {where}.",)
        case TakeBack():
            return (f"{player} thinks better of it and puts {_the(before.held)} back.",)
        case Met():
            return (f"It touches {_the(given.other)}.",)
        case Nudged() if after.held:
            return (f"{capital(_the(given.piece))} trembles, no more.",)
        case Nudged():
            foul = f"{capital(_the(given.piece))} moves by {given.mm:.1f} mm: a foul"
            return (f"{foul}. Once more.",) if after.tower else _fall(before, f"{foul} too many.", after)
        case Released():
            return ("One, two ...",)
        case CountElapsed() if given.broken:
            missed = ", ".join(condition.text for condition in given.broken)
            return _fall(before, f"... three, but it does not lie as it must ({missed}).", after)
        case CountElapsed():
            return (f"... three! It stands, {counted(len(after.tower), 'block')} high.",)
        case Rested():
            return ("The tower holds still.",)
    assert isinstance(given, Fell)
    if len(given.pieces) >= len(before.tower):
        return _fall(before, "The whole tower comes down!", after)
    return _fall(before, f"Down with {' and '.join(_the(piece) for piece in given.pieces)}!", after)


def _played(before: State, given: PlayCard, after: State) -> tuple[str, ...]:
    turned = ", and the direction turns" if before.direction != after.direction else ""
    left = len(after.hands[before.turn])
    last = "the last card" if not left else f"{left} left"
    return (f"{given.player} plays {said(given.card)}{turned} ({last}).",)


def _drawn(before: State, after: State) -> str:
    return listed(after.hands[before.turn][len(before.hands[before.turn]) :])


def _fall(before: State, sentence: str, after: State) -> tuple[str, ...]:
    return (sentence, f"{name_of(before)} draws {_drawn(before, after)} and has to start again.")


def _the(name: str) -> str:
    return f"the {said(name)}"
