"""The card half of a turn: what a card asks for, what may be played, drawing, and the end of a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from games.rules.luck import shuffled
from games.rules.wonky.state import Block, Card, Effect, Phase, Sort, State, WonkyReason


def said(name: str) -> str:
    """A card's or block's name as people say it."""
    return name.replace("_", " ")


def card_named(state: State, name: str) -> Card:
    """The kind of card of that name; the name must be known."""
    return next(card for card in state.stock.cards if card.id == name)


def fits(card: Card, block: Block) -> bool:
    """WK-05, WK-10: whether a card's size and colour admit a block; a combo card names neither."""
    return card.size in ("", block.size) and card.colour in ("", block.colour)


def free_blocks(state: State, card: Card) -> tuple[str, ...]:
    """WK-06: the blocks outside the tower that match a card."""
    return tuple(
        [block.id for block in state.stock.blocks if fits(card, block) and block.id not in state.tower]
    )


def why_not(state: State, name: str) -> tuple[str, str] | None:
    """Clause and sentence that forbid playing this card of the player on turn now.

    None when it is playable.
    """
    card = card_named(state, name)
    if card.sort is not Sort.ACTION:
        if free_blocks(state, card):
            return None
        return "WK-06", f"no block outside the tower matches {said(name)}"
    if state.phase is Phase.RESTART:
        return "WK-14", f"a new tower needs a block or combo card, not {said(name)}"
    if len(state.hands[state.turn]) == 1:
        return "WK-16", f"the last card may not be an action card ({said(name)})"
    return None


def can_play(state: State, name: str) -> bool:
    """Whether the player on turn may play this card, which they hold, now."""
    return why_not(state, name) is None


def draw(state: State, seat: int, count: int = 1) -> State:
    """Draw cards for a seat.

    WK-15: an empty deck is made anew from the discard pile; with both empty, no card.
    """
    deck, discard, luck = state.deck, state.discard, state.luck
    hand = state.hands[seat]
    for _ in range(count):
        if not deck:
            deck, luck = shuffled(luck, discard)
            discard = ()
        hand += deck[:1]
        deck = deck[1:]
    hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
    return replace(state, deck=deck, discard=discard, luck=luck, hands=hands)


def draw_until(state: State, found: Callable[[State, str], bool]) -> tuple[State, str]:
    """Draw for the player on turn until a drawn card is `found`.

    With it, or with "" when the cards run out.
    """
    while state.deck or state.discard:
        state = draw(state, state.turn)
        drawn = state.hands[state.turn][-1]
        if found(state, drawn):
            return state, drawn
    return state, ""


def turned(state: State) -> int:
    """WK-09: the other direction; between two players nothing turns."""
    return -state.direction if len(state.seats) > 2 else state.direction


def end_turn(state: State, effect: Effect = Effect.NONE) -> State:
    """

    K-13: the order at the end of a turn: an empty hand wins (WK-16), then the effect (WK-10), then the
    next.
    """
    if not state.hands[state.turn]:
        return win(state, WonkyReason.EMPTY_HAND)
    direction = turned(state) if effect is Effect.REVERSE else state.direction
    turn = (state.turn + direction) % len(state.seats)
    after = replace(
        state, turn=turn, direction=direction, phase=Phase.PLAY, card="", held="", met=False, fouls=0
    )
    return draw(after, turn) if effect is Effect.DRAW else after


def win(state: State, reason: WonkyReason) -> State:
    """The game ends in favour of the player on turn."""
    return replace(state, winners=(state.seats[state.turn].name,), reason=reason, card="", held="", met=False)
