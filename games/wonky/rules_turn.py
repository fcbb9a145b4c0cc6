"""The two halves of a turn: what a card asks for, what may be played, drawing; and the block: taking it, carrying it,
the count to three, and the fall."""

from collections.abc import Callable
from dataclasses import replace

from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.events import Condition, CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.random_state import shuffled
from teeter.games.core.rules import (
    Take,
    TakeBack,
    hold_one,
    may_take_back,
    replaced,
    require_held,
    require_piece,
)
from teeter.games.wonky.state import Block, Card, Effect, Phase, Sort, State, WonkyReason


def said(name: str) -> str:
    """A card's or block's name as people say it."""
    return name.replace("_", " ")


def the_card(name: str) -> str:
    """`the any-green card`."""
    return f"the {said(name).replace('any ', 'any-')} card"


def the_block(name: str) -> str:
    """`the small green block`, `the table`; empty for nothing."""
    return f"the {said(name)}{' block' if '_' in name else ''}" if name else ""


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
        return "WK-06", f"no block outside the tower matches {the_card(name)}"
    if state.phase is Phase.RESTART:
        return "WK-14", f"a new tower needs a block or combo card, not {the_card(name)}"
    if len(state.hands[state.turn]) == 1:
        return "WK-16", f"the last card may not be an action card, as {the_card(name)} is"
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
    return replace(state, deck=deck, discard=discard, luck=luck, hands=replaced(state.hands, seat, hand))


def draw_until(state: State, suits: Callable[[State, str], bool]) -> tuple[State, str]:
    """Draw for the player on turn until a drawn card `suits`.

    With it, or with "" when the cards run out.
    """
    while state.deck or state.discard:
        state = draw(state, state.turn)
        drawn = state.hands[state.turn][-1]
        if suits(state, drawn):
            return state, drawn
    return state, ""


def turned(state: State) -> int:
    """WK-09: the other direction; between two players nothing turns."""
    return -state.direction if len(state.seats) > 2 else state.direction


def end_turn(state: State, effect: Effect = Effect.NONE) -> State:
    """WK-13: the order at the end of a turn: an empty hand wins (WK-16), then the effect (WK-10), then the next."""
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


def conditions(state: State) -> tuple[Condition, ...]:
    """WK-05, WK-11: how the next block has to lie."""
    if not state.tower:
        return (Condition.IN_THE_CENTRE,)
    return (Condition.HIGHEST_OF_THE_TOWER, Condition.TOUCHES_TOWER_ONLY)


def take(state: State, action: Take) -> State:
    """WK-05: take up a matching block from outside the tower."""
    hold_one(the_block(state.held))
    require_piece(action.piece, [block.id for block in state.stock.blocks], "block")
    if state.phase is not Phase.ADD:
        raise IllegalAction("WK-04", "a card comes first, then the block")
    if action.piece in state.tower:
        raise IllegalAction("WK-05", f"{the_block(action.piece)} is part of the tower")
    block = next(block for block in state.stock.blocks if block.id == action.piece)
    if not fits(card_named(state, state.card), block):
        raise IllegalAction("WK-05", f"{the_block(action.piece)} does not match {the_card(state.card)}")
    return replace(state, phase=Phase.CARRY, held=action.piece)


def take_back(state: State, action: TakeBack) -> State:
    """ALL-6: put the block back, and choose again."""
    if state.met and not state.tower:
        why = "was let go, or has touched something, and can no longer be taken back"
        raise IllegalAction("ALL-6", f"{the_block(state.held)} {why}")
    may_take_back(the_block(state.held), state.met)
    return replace(state, phase=Phase.ADD, held="")


def meet(state: State, event: Met) -> State:
    """ALL-6: the held block touches something; it can no longer be taken back."""
    _expect_held(state, Phase.CARRY, event.piece, "ALL-6")
    return replace(state, met=True)


def nudge(state: State, event: Nudged) -> State:
    """WK-12: a tower block moved before the release: a foul, and once more from the start."""
    numbers = state.stock.numbers
    if state.phase is not Phase.CARRY:
        raise IllegalAction("WK-12", "only a held block can nudge")
    require_piece(event.piece, state.tower, "tower block")
    if event.mm <= numbers.nudge_mm:
        return state
    fouls = state.fouls + 1
    if state.house.third_foul_falls and fouls == numbers.fouls_for_a_fall:
        return fall(state)
    return replace(state, phase=Phase.ADD, held="", met=False, fouls=fouls)


def release(state: State, event: Released) -> State:
    """The block is let go; the count begins."""
    _expect_held(state, Phase.CARRY, event.piece, "ALL-1")
    return replace(state, phase=Phase.COUNT)


def count_elapsed(state: State, event: CountElapsed) -> State:
    """WK-13: standing at the end of the count is a success; WK-11: a block that lies otherwise fell."""
    _expect_held(state, Phase.COUNT, event.piece, "WK-13")
    if event.broken == (Condition.IN_THE_CENTRE,):
        # nothing fell: the first block, no other, is laid again
        return replace(state, phase=Phase.CARRY, met=True)
    if event.broken:
        return fall(state)
    added = replace(state, tower=(*state.tower, state.held))
    if len(added.tower) == len(state.stock.blocks):
        return win(added, WonkyReason.NINTH_BLOCK)
    return end_turn(added, card_named(state, state.card).effect)


def rest(state: State, event: Rested) -> State:
    """The tower is at rest after an action card: the turn ends."""
    if state.phase is not Phase.WATCH:
        raise IllegalAction("ALL-2", "nothing waits for the tower to rest")
    return end_turn(state)


def fell(state: State, event: Fell) -> State:
    """WK-14: blocks of the tower fell, or the block just let go."""
    counting = state.held if state.phase is Phase.COUNT else ""
    standing = (*state.tower, counting) if counting else state.tower
    if not standing:
        raise IllegalAction("WK-14", "no tower is standing")
    if not event.pieces:
        raise MalformedAction("nothing fell: name the pieces")
    for piece in event.pieces:
        require_piece(piece, standing, "tower block")
    return fall(state)


def fall(state: State) -> State:
    """WK-14: all blocks are free, three cards are drawn, and a new tower is to be started this turn."""
    cleared = replace(state, tower=(), phase=Phase.RESTART, card="", held="", met=False, fouls=0)
    drawn = draw(cleared, state.turn, state.stock.numbers.fall_draws)
    if any(can_play(drawn, card) for card in drawn.hands[state.turn]):
        return drawn
    more, card = draw_until(drawn, can_play)
    return more if card else end_turn(more)


def _expect_held(state: State, phase: Phase, piece: str, clause: str) -> None:
    if state.phase is not phase:
        raise IllegalAction(clause, f"no {'count is on' if phase is Phase.COUNT else 'block is in the hand'}")
    require_held(piece, state.held, "block")
