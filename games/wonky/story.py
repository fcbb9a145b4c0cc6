"""A game of Wonky told in sentences: for logs, captions and golden transcripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.core.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from games.core.rules import Input, Take, TakeBack
from games.wonky.rules_turn import said
from games.wonky.state import DrawCards, KeepCard, PlayCard, State


def opening(state: State) -> tuple[str, ...]:
    """Who plays, and the cards they hold."""
    lines = [f"{seat.name}: {listed(hand)}" for seat, hand in zip(state.seats, state.hands, strict=True)]
    return (*lines, f"{len(state.deck)} cards to draw. {name_of(state)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    return (*TOLD[type(given)](before, given, after), *_turn(before, after))


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


def _played(before: State, given: PlayCard, after: State) -> tuple[str, ...]:
    turned = ", and the direction turns" if before.direction != after.direction else ""
    left = len(after.hands[before.turn])
    last = "the last card" if not left else f"{left} left"
    return (f"{given.player} plays {said(given.card)}{turned} ({last}).",)


def _drew(before: State, given: DrawCards, after: State) -> tuple[str, ...]:
    cards = after.hands[before.turn][len(before.hands[before.turn]) :]
    found = "" if after.card else "; nothing to play, nothing left to draw"
    return (f"{given.player} cannot play and draws {listed(cards)}{found}.",)


def _kept(before: State, given: KeepCard, after: State) -> tuple[str, ...]:
    return (f"{given.player} keeps {_the(before.card)}.",)


def _taken(before: State, given: Take, after: State) -> tuple[str, ...]:
    where = f"on top of {len(before.tower)}" if before.tower else "for a new tower"
    return (f"{given.player} takes {_the(given.piece)} block, {where}.",)


def _taken_back(before: State, given: TakeBack, after: State) -> tuple[str, ...]:
    return (f"{given.player} thinks better of it and puts {_the(before.held)} back.",)


def _met(before: State, given: Met, after: State) -> tuple[str, ...]:
    return (f"It touches {_the(given.other)}.",)


def _nudged(before: State, given: Nudged, after: State) -> tuple[str, ...]:
    if after.held:
        return (f"{_the(given.piece).capitalize()} trembles, no more.",)
    foul = f"{_the(given.piece).capitalize()} moves by {given.mm:.1f} mm: a foul"
    return (f"{foul}. Once more.",) if after.tower else _fall(before, f"{foul} too many.", after)


def _released(before: State, given: Released, after: State) -> tuple[str, ...]:
    return ("One, two ...",)


def _counted(before: State, given: CountElapsed, after: State) -> tuple[str, ...]:
    if given.broken:
        missed = ", ".join(condition.text for condition in given.broken)
        return _fall(before, f"... three, but it does not lie as it must ({missed}).", after)
    return (f"... three! It stands, {_blocks(len(after.tower))} high.",)


def _rested(before: State, given: Rested, after: State) -> tuple[str, ...]:
    return ("The tower holds still.",)


def _fell(before: State, given: Fell, after: State) -> tuple[str, ...]:
    if len(given.pieces) >= len(before.tower):
        return _fall(before, "The whole tower comes down!", after)
    return _fall(before, f"Down with {' and '.join(_the(piece) for piece in given.pieces)}!", after)


def _fall(before: State, sentence: str, after: State) -> tuple[str, ...]:
    cards = after.hands[before.turn][len(before.hands[before.turn]) :]
    return (sentence, f"{name_of(before)} draws {listed(cards)} and has to start again.")


def _the(name: str) -> str:
    return f"the {said(name)}"


def _blocks(count: int) -> str:
    return "one block" if count == 1 else f"{count} blocks"


TOLD: dict[type, Callable[[State, Any, State], tuple[str, ...]]] = {
    PlayCard: _played,
    DrawCards: _drew,
    KeepCard: _kept,
    Take: _taken,
    TakeBack: _taken_back,
    Met: _met,
    Nudged: _nudged,
    Released: _released,
    CountElapsed: _counted,
    Rested: _rested,
    Fell: _fell,
}
