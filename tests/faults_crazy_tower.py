"""What can be wrong with a state of Crazy Tower: no game may ever be in one that has a fault."""

from __future__ import annotations

from collections import Counter

from teeter.games.core.rules import Wait
from teeter.games.crazy_tower.rules import legal, needs
from teeter.games.crazy_tower.rules_allowed import can_act, is_card
from teeter.games.crazy_tower.state import ACTING, MODES, SABOTEUR, SOLO, HandPhase, Sort, State, TurnStage


def faults(state: State) -> tuple[str, ...]:
    """Everything that is wrong with a state, in sentences."""
    wrong = [sentence for is_wrong, sentence in _seats(state) if is_wrong]
    wrong += [sentence for is_wrong, sentence in _pieces(state) if is_wrong]
    # what follows looks seats and pieces up, so these must be right first
    return tuple(wrong or [sentence for is_wrong, sentence in _moment(state) if is_wrong])


def _seats(state: State) -> list[tuple[bool, str]]:
    seats = len(state.seats)
    mode = next((mode for mode in MODES if mode.name == state.mode), None)
    chosen = Counter(colour for each in state.colours for colour in each)
    members = len(state.seats[state.turn].members) if 0 <= state.turn < seats else 1
    return [
        (mode is None, f"unknown mode {state.mode!r}"),
        (mode is not None and not mode.least <= seats <= mode.most, f"{seats} seats"),
        (len(state.hands) != seats, f"{len(state.hands)} hands for {seats} seats"),
        (not 0 <= state.turn < seats, f"turn {state.turn} is no seat"),
        (not 0 <= state.member < members, f"member {state.member} is nobody"),
        (not 0 <= state.passes < seats, f"{state.passes} passes of {seats} seats"),
        (len(state.colours) != seats, f"colours of {len(state.colours)} seats for {seats}"),
        (
            chosen != Counter(state.stock.colours),
            f"colours {sorted(chosen.elements())} are not those in play",
        ),
        (not -1 <= state.saboteur < seats, f"saboteur {state.saboteur} is no seat"),
        (
            (state.saboteur >= 0) != (state.mode == SABOTEUR),
            f"saboteur {state.saboteur} in mode {state.mode}",
        ),
        (len(state.stock.challenges) != (state.mode == SOLO), f"challenges in mode {state.mode}"),
        (not set(state.winners) <= {seat.name for seat in state.seats}, "a winner without a seat"),
        (bool(state.winners) and state.reason is None, "winners without a reason"),
    ]


def _pieces(state: State) -> list[tuple[bool, str]]:
    fallen = [each.piece for each in state.fallen]
    blocks: Counter[str] = Counter(piece for piece in fallen if not is_card(state, piece))
    for pile in (*state.hands, *[floor.blocks for floor in state.floors]):
        blocks.update(pile)
    cards = Counter([*state.deck, *[floor.card for floor in state.floors]])
    cards.update([piece for piece in fallen if is_card(state, piece)])
    cards.update([state.card] if state.card else [])
    all_blocks = Counter(block.id for block in state.stock.blocks)
    all_cards = Counter(card.id for card in state.stock.cards)
    return [
        (blocks != all_blocks, f"blocks lost or doubled: {dict(blocks - all_blocks or all_blocks - blocks)}"),
        (cards != all_cards, f"cards lost or doubled: {dict(cards - all_cards or all_cards - cards)}"),
    ]


def _moment(state: State) -> list[tuple[bool, str]]:
    over, fallen = state.reason is not None, [each.piece for each in state.fallen]
    sorts = {is_card(state, piece) for piece in fallen}
    waits = state.stage is TurnStage.BOXES and state.hand is HandPhase.FREE and not over and not fallen
    return [
        (len(sorts) > 1 and not over, "a block and a card fell, and the game goes on"),
        (not state.floors and not fallen, "no tower stands"),
        (
            bool(state.floors) and not over and needs(state).wait is Wait.ACTION and not legal(state),
            "nobody may do anything, and the game goes on",
        ),
        (
            bool(state.card) != (state.stage is TurnStage.CARD),
            f"card {state.card!r} in stage {state.stage.name}",
        ),
        (state.hand is HandPhase.ASK and bool(state.asked) != bool(fallen), f"asked about {state.asked!r}"),
        (
            bool(state.asked) and state.asked not in fallen,
            f"asked about {state.asked!r}, which has not fallen",
        ),
        (any(box not in ACTING for box in state.boxes), "a box that does not act"),
        (
            bool(state.laid) and state.stage not in (TurnStage.LAID, TurnStage.BOXES),
            f"laid {state.laid!r} in stage {state.stage.name}",
        ),
        (
            state.again not in ("", *state.hands[state.turn]),
            f"{state.again!r} is to be laid again, and not at hand",
        ),
        (
            waits and not any(can_act(state, box) for box in state.boxes if box is not Sort.AGAIN),
            "no box to act in stage BOXES",
        ),
        *_hand(state, fallen),
    ]


def _hand(state: State, fallen: list[str]) -> list[tuple[bool, str]]:
    pulls, carries = state.hand is HandPhase.PULL, state.hand is HandPhase.CARRY
    mending, holds = state.held in fallen, bool(state.held)
    in_turn = [state.card] if state.stage is TurnStage.CARD else list(state.hands[state.turn])
    lower = [block for floor in state.floors[:-1] for block in floor.blocks]
    return [
        ((carries or pulls) and not holds, f"nothing held while the hand has {state.hand.name}"),
        (
            state.hand in (HandPhase.FREE, HandPhase.ASK) and holds,
            f"held {state.held!r} while the hand has {state.hand.name}",
        ),
        (
            pulls and (state.held not in lower or Sort.REMOVE not in state.boxes),
            f"{state.held!r} is pulled out",
        ),
        (
            holds and not pulls and not mending and (state.held not in in_turn or (carries and bool(fallen))),
            f"held {state.held!r} in stage {state.stage.name}",
        ),
        (bool(state.target) and not mending, f"target {state.target!r} without a block to put back"),
        (state.met and not holds, "an empty hand has met something"),
    ]
