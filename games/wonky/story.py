"""A game of Wonky told in sentences: for logs, captions and golden transcripts."""

from teeter.games.core.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.rules import Input, Take, TakeBack
from teeter.games.core.words import capital, counted, listed, won
from teeter.games.wonky.rules_turn import said, the_block, the_card
from teeter.games.wonky.state import DrawCards, KeepCard, PlayCard, State


def opening(state: State) -> tuple[str, ...]:
    """Who plays, and the cards they hold."""
    lines = [f"{seat.name}: {_said(hand)}" for seat, hand in zip(state.seats, state.hands, strict=True)]
    return (*lines, f"{len(state.deck)} cards to draw. {name_of(state)} begins.")


def tell(before: State, given: Input, after: State) -> tuple[str, ...]:
    """What this input did."""
    return (*_lines(before, given, after), *_turn(before, after))


def called(state: State, block: str) -> str:
    """`the small green block`."""
    return the_block(block)


def name_of(state: State) -> str:
    """The player on turn."""
    return state.seats[state.turn].name


def _said(cards: tuple[str, ...]) -> str:
    return ", ".join(said(card) for card in cards) or "no cards"


def _turn(before: State, after: State) -> tuple[str, ...]:
    if after.reason is not None:
        return (f"{won(after.winners)}: {after.reason.text}.",)
    lines = []
    if before.turn != after.turn:
        gained = len(after.hands[after.turn]) - len(before.hands[after.turn])
        lines += [f"{name_of(after)} has to draw a card first."] if gained else []
        lines += [f"- {name_of(after)}'s turn, {counted(len(after.hands[after.turn]), 'card')} in hand"]
    return tuple(lines)


def _lines(before: State, entry: Input, after: State) -> tuple[str, ...]:
    player = name_of(before)
    match entry:
        case PlayCard():
            return _play_lines(before, entry, after)
        case DrawCards():
            suffix = "" if after.card else "; nothing to play, nothing left to draw"
            return (f"{player} cannot play and draws {_drawn(before, after)}{suffix}.",)
        case KeepCard():
            return (f"{player} keeps {the_card(before.card)}.",)
        case Take():
            height = counted(len(before.tower), "block")
            where = f"to go on top of {height}" if before.tower else "for a new tower"
            return (f"{player} takes {the_block(entry.piece)} {where}.",)
        case TakeBack():
            return (f"{player} thinks better of it and puts {the_block(before.held)} back.",)
        case Met():
            return (f"It touches {the_block(entry.other)}.",)
        case Nudged() if after.held:
            return (f"{capital(the_block(entry.piece))} trembles, nothing more.",)
        case Nudged():
            foul = f"{capital(the_block(entry.piece))} moves by {entry.mm:.1f} mm: a foul"
            return (f"{foul}. Try again.",) if after.tower else _fall(before, f"{foul} too many.", after)
        case Released():
            return ("One, two ...",)
        case CountElapsed() if entry.broken:
            missed = f"... three, but {listed([condition.missed for condition in entry.broken])}."
            if after.held:
                return (missed, f"{name_of(before)} lays the block again.")
            return _fall(before, missed, after)
        case CountElapsed():
            return (f"... three! It stands, {counted(len(after.tower), 'block')} high.",)
        case Rested():
            return ("The tower holds still.",)
    assert isinstance(entry, Fell)
    if len(before.tower) > 1 and set(before.tower) <= set(entry.pieces):
        return _fall(before, "The whole tower comes down!", after)
    falls = "falls" if len(entry.pieces) == 1 else "fall"
    return _fall(before, f"{capital(listed([the_block(piece) for piece in entry.pieces]))} {falls}!", after)


def _play_lines(before: State, action: PlayCard, after: State) -> tuple[str, ...]:
    turned = ", and the direction turns" if before.direction != after.direction else ""
    left = len(after.hands[before.turn])
    last = "the last card" if not left else f"{left} left"
    return (f"{action.player} plays {the_card(action.card)}{turned} ({last}).",)


def _drawn(before: State, after: State) -> str:
    cards = after.hands[before.turn][len(before.hands[before.turn]) :]
    # others do not see which they are
    return counted(len(cards), "card") if "?" in cards else _said(cards)


def _fall(before: State, sentence: str, after: State) -> tuple[str, ...]:
    if len(after.hands[before.turn]) == len(before.hands[before.turn]):
        return (sentence, f"No cards are left to draw; {name_of(before)} has to start again.")
    return (sentence, f"{name_of(before)} draws {_drawn(before, after)} and has to start again.")
