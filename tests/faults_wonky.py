"""What can be wrong with a state of Wonky: no game may ever be in one that has a fault."""

from __future__ import annotations

from collections import Counter

from teeter.games.wonky.state import MODES, Phase, State


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state, in sentences."""
    return tuple(sentence for wrong, sentence in _checks(state) if wrong)


def _checks(state: State) -> list[tuple[bool, str]]:
    seats, blocks = len(state.seats), [block.id for block in state.stock.blocks]
    kinds = {card.id for card in state.stock.cards}
    cards: Counter[str] = Counter()
    for pile in (state.deck, state.discard, *state.hands):
        cards.update(pile)
    whole = Counter({card.id: card.count for card in state.stock.cards})
    lying = [*state.tower, *([state.held] if state.held else [])]
    carried = state.phase in (Phase.CARRY, Phase.COUNT) and state.reason is None
    over = state.reason is not None
    return [
        (not MODES[0].least <= seats <= MODES[0].most, f"{seats} seats"),
        (len(state.hands) != seats, f"{len(state.hands)} hands for {seats} seats"),
        (not 0 <= state.turn < seats, f"turn {state.turn} is no seat"),
        (state.direction not in (1, -1), f"direction {state.direction} is neither 1 nor -1"),
        (cards != whole, f"cards lost or doubled: {dict(cards - whole or whole - cards)}"),
        (len(set(lying)) != len(lying), "a block is in two places"),
        (not set(lying) <= set(blocks), f"unknown blocks {sorted(set(lying) - set(blocks))}"),
        (bool(state.held) != carried, f"held {state.held!r} in phase {state.phase.name}"),
        (state.met and not carried, "an empty hand has met a piece"),
        (state.card != "" and state.card not in kinds, f"unknown card {state.card!r}"),
        (carried and not state.card, "a block without a card"),
        (state.phase in (Phase.ADD, Phase.DRAWN) and not state.card, f"no card in phase {state.phase.name}"),
        (state.phase is Phase.RESTART and bool(state.tower), "a tower stands that fell"),
        (over != bool(state.winners), "winners and reason do not agree"),
        (over and state.phase is not Phase.COUNT, f"the game is over in phase {state.phase.name}"),
        (not set(state.winners) <= {seat.name for seat in state.seats}, "a winner without a seat"),
    ]
