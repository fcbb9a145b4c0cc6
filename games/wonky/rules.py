"""The rules of Wonky: a turn is a card, then a block, then a count to three.

PLAY --block or combo card--> ADD --Take--> CARRY --Released--> COUNT --CountElapsed--> next turn
  |--action card--> next turn, once a standing tower is at rest (WATCH)
  |--nothing playable: DrawCards--> DRAWN --PlayCard | KeepCard-->
a fall at any point --> three cards --> RESTART --block or combo card--> ADD, as above
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from teeter.games.core.errors import IllegalAction, SetupError
from teeter.games.core.events import CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.random_state import seeded, shuffled
from teeter.games.core.rules import (
    Choice,
    Input,
    Need,
    Take,
    TakeBack,
    Wait,
    applied,
    prepare,
    replaced,
    require_piece,
)
from teeter.games.core.rules import outcome as outcome
from teeter.games.core.setup import first_seat
from teeter.games.wonky import rules_turn
from teeter.games.wonky.rules_turn import (
    can_play,
    card_named,
    draw_until,
    end_turn,
    free_blocks,
    the_block,
    the_card,
    turned,
    why_not,
)
from teeter.games.wonky.state import (
    MODES,
    DrawCards,
    Effect,
    House,
    KeepCard,
    Phase,
    PlayCard,
    Sort,
    State,
    Stock,
)
from teeter.games.wonky.story import called as called
from teeter.games.wonky.story import opening as opening
from teeter.games.wonky.story import tell as tell


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """WK-02, WK-03, WK-18: shuffle, deal, and let the first player begin."""
    _, seats, house = prepare(MODES, House, players, seed, options)
    cards = [card.id for card in stock.cards for _ in range(card.count)]
    size = hand_size(stock, len(seats))
    if size * len(seats) >= len(cards):
        raise SetupError(f"{len(cards)} cards are too few to deal {size} to each of {len(seats)} players")
    deck, luck = shuffled(seeded(seed), cards)
    hands = tuple(deck[seat * size : (seat + 1) * size] for seat in range(len(seats)))
    first = first_seat(seats, house.first)
    return State(seats, house, stock, luck, turn=first, deck=deck[size * len(seats) :], hands=hands)


def hand_size(stock: Stock, players: int) -> int:
    """WK-02: the cards dealt to each player."""
    numbers = stock.numbers
    shared = (sum(card.count for card in stock.cards) - numbers.left_to_draw) // players
    return max(numbers.dealt_at_least, min(numbers.dealt, shared))


def legal(state: State) -> tuple[Choice, ...]:
    """Every action the player on turn may take now."""
    player = state.seats[state.turn].name
    if state.phase in (Phase.COUNT, Phase.WATCH):  # every win comes at the end of a count
        return ()
    if state.phase is Phase.CARRY:
        return () if state.met else (Choice(TakeBack(player), f"put {the_block(state.held)} back"),)
    if state.phase is Phase.ADD:
        how = rules_turn.conditions(state)
        free = free_blocks(state, card_named(state, state.card))
        return tuple([Choice(Take(player, block), f"take {the_block(block)}", how) for block in free])
    if state.phase is Phase.DRAWN:
        return (_play(player, state.card), Choice(KeepCard(player), f"keep {the_card(state.card)}"))
    # dict: each kind of card once, in the order of the hand
    playable = [card for card in dict.fromkeys(state.hands[state.turn]) if can_play(state, card)]
    if playable:
        return tuple([_play(player, card) for card in playable])
    return (Choice(DrawCards(player), "draw until a card is playable"),)


def _play(player: str, card: str) -> Choice:
    return Choice(PlayCard(player, card), f"play {the_card(card)}")


def needs(state: State) -> Need:
    """What the game waits for."""
    player = state.seats[state.turn].name
    if state.reason is not None:
        return Need(Wait.OVER, player)
    if state.phase is Phase.CARRY:
        return Need(Wait.HAND, player, (state.held,), rules_turn.conditions(state))
    if state.phase is Phase.COUNT:
        return Need(
            Wait.COUNT, player, (state.held,), rules_turn.conditions(state), state.stock.numbers.count_s
        )
    return Need(Wait.REST if state.phase is Phase.WATCH else Wait.ACTION, player)


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    return applied(state, given, needs(state), HANDLERS, "WK-03")


def scores(state: State) -> tuple[int, ...]:
    """The cards left in every hand."""
    return tuple([len(hand) for hand in state.hands])


def seen_by(state: State, player: str) -> State:
    """The state without the cards in other hands and the order of the deck."""
    hands = tuple(
        hand if seat.name == player else ("?",) * len(hand)
        for seat, hand in zip(state.seats, state.hands, strict=True)
    )
    card = state.card if state.phase is not Phase.DRAWN or state.seats[state.turn].name == player else "?"
    return replace(state, luck=0, deck=("?",) * len(state.deck), hands=hands, card=card)


def play_card(state: State, action: PlayCard) -> State:
    """WK-04: a card goes to the discard pile; an action card acts, another asks for a block."""
    hand = state.hands[state.turn]
    _may_play(state, action.card)
    card = card_named(state, action.card)
    at = hand.index(action.card)
    hands = replaced(state.hands, state.turn, hand[:at] + hand[at + 1 :])
    played = replace(
        state, hands=hands, discard=(*state.discard, action.card), card=action.card, phase=Phase.ADD
    )
    if card.sort is not Sort.ACTION:
        return played
    if card.effect is Effect.REVERSE:
        played = replace(played, direction=turned(state))
    return replace(played, phase=Phase.WATCH) if state.tower else end_turn(played)


def _may_play(state: State, name: str) -> None:
    require_piece(name, [card.id for card in state.stock.cards], "card")
    if state.phase in (Phase.ADD, Phase.CARRY):
        raise IllegalAction(
            "WK-04", f"one card a turn; {the_card(state.card)} is played and asks for its block"
        )
    if name not in state.hands[state.turn]:
        raise IllegalAction("WK-04", f"{state.seats[state.turn].name} does not hold {the_card(name)}")
    if state.phase is Phase.DRAWN and name != state.card:
        raise IllegalAction("WK-07", f"only the card just drawn may be played: {the_card(state.card)}")
    refusal = why_not(state, name)
    if refusal:
        raise IllegalAction(*refusal)


def draw_cards(state: State, action: DrawCards) -> State:
    """WK-07: draw until a card is playable; when the cards run out the turn passes."""
    if state.phase is not Phase.PLAY:
        raise IllegalAction("WK-07", "cards are drawn only at the start of a turn, with nothing to play")
    if any(can_play(state, card) for card in state.hands[state.turn]):
        raise IllegalAction("WK-07", "a player who holds a playable card must play one")
    more, card = draw_until(state, can_play)
    return replace(more, phase=Phase.DRAWN, card=card) if card else end_turn(more)


def keep_card(state: State, action: KeepCard) -> State:
    """WK-07: decline to play the card just drawn."""
    if state.phase is not Phase.DRAWN:
        raise IllegalAction("WK-07", "only a playable card just drawn can be kept")
    return end_turn(state)


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    PlayCard: play_card,
    DrawCards: draw_cards,
    KeepCard: keep_card,
    Take: rules_turn.take,
    TakeBack: rules_turn.take_back,
    Met: rules_turn.meet,
    Nudged: rules_turn.nudge,
    Released: rules_turn.release,
    CountElapsed: rules_turn.count_elapsed,
    Rested: rules_turn.rest,
    Fell: rules_turn.fell,
}
