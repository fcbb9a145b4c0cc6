"""Crazy Tower in the laboratory: its random tables, its world, its invariants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from faults_crazy_tower import faults
from rules_lab import Golden, Lab, Table
from rules_lab import calm as calm_world

from teeter.games.core.errors import IllegalAction
from teeter.games.core.events import (
    Condition,
    Fell,
    Met,
    Nudged,
    Placed,
    Question,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
    TimeUp,
)
from teeter.games.core.rules import Action, Input, Need, Take, TakeBack, Wait
from teeter.games.crazy_tower.game import GAME
from teeter.games.crazy_tower.rules import apply, legal, start
from teeter.games.crazy_tower.state import (
    ACTING,
    COMPETITIVE,
    SABOTEUR,
    SOLO,
    Decline,
    Floor,
    GiveBack,
    HandPhase,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    State,
    Stock,
    Swap,
    boxes_of,
    colour_of,
)
from teeter.games.game import stock_of

NAMES = ("Ana", "Ben", "Cem", "Dora")
STOCK: Stock = stock_of(GAME)
FIRST = "card_01"
"""The card every game starts with."""


def position(
    floors: str = FIRST,
    *hands: str | None,
    players: int = 3,
    mode: str = COMPETITIVE,
    stack: str | None = None,
    options: Mapping[str, object] | None = None,
    **more: Any,
) -> State:
    """A state by its interesting parts.

    floors: `card_01 red_i1 green_i3 / card_04`, bottom up. hands: the unplayed blocks of a seat, None for all
    that do not lie in the tower. stack: its cards, None for all that are not in the tower.
    """
    names = ["+".join(NAMES[:players])] if mode == SOLO else NAMES[:players]
    state = start(names, 1, {"mode": mode, **(options or {})}, STOCK)
    tower = [Floor(words[0], tuple(words[1:])) for words in (floor.split() for floor in floors.split("/"))]
    used = {piece for floor in tower for piece in (floor.card, *floor.blocks)}
    wanted = (*hands, *[None] * (len(state.seats) - len(hands)))
    held = tuple(
        tuple(block for block in hand if block not in used) if words is None else tuple(words.split())
        for hand, words in zip(state.hands, wanted, strict=True)
    )
    deck = tuple(card for card in state.deck if card not in used) if stack is None else tuple(stack.split())
    return replace(state, floors=tuple(tower), hands=held, deck=deck, **more)


def after(state: State, *inputs: Input) -> State:
    """The state after all these inputs."""
    for given in inputs:
        state = apply(state, given)
    return state


def lay(piece: str, *covers: str, player: str = "Ana", **more: Any) -> tuple[Input, ...]:
    """A block or card taken, let go, and lying."""
    return Take(player, piece), Released(1, piece), Placed(1, piece, covers=covers, **more)


def refusal(state: State, given: Input) -> str:
    """The full refusal of an illegal input."""
    with pytest.raises(IllegalAction) as caught:
        apply(state, given)
    return str(caught.value)


def actions(state: State) -> list[Action]:
    """The legal actions."""
    return [choice.action for choice in legal(state)]


def takes(state: State) -> list[str]:
    """What may be taken up."""
    return [action.piece for action in actions(state) if isinstance(action, Take)]


def table(mode: str, dice: Random) -> Table:
    if mode == SOLO:
        players = [dice.choice(["Ana", "Ana+Ben", "Ana+Ben+Cem", "bot:steady"])]
        challenge = dice.randint(1, 20)
        counts = {2: [0, 1, 2, 3], 3: [0, 3, 4], 6: [0, 2, 3, 4]}.get(challenge, [0, 1, 2, 3, 4])
        return Table(players, {"challenge": challenge, "colour_count": dice.choice(counts)})
    people = dice.randint(3 if mode == SABOTEUR else 2, 4)
    players = [*NAMES[: people - 1], dice.choice([NAMES[people - 1], "bot:bold"])]
    if mode == SABOTEUR:
        secret = dice.random() < 0.5
        options = {"first": str(dice.randint(1, people))} if secret else {}
        named = {"saboteur": str(dice.randint(1, people))} if dice.random() < 0.3 else {}
        return Table(players, {"secret": secret, **options, **named})
    colours = ["red", "yellow", "green", "purple"]
    dice.shuffle(colours)
    named = {"colours": ",".join(colours[: 4 if people == 2 else people])} if dice.random() < 0.5 else {}
    return Table(players, {"first": str(dice.randint(1, people)), **named})


def falling(state: State, dice: Random) -> tuple[str, ...]:
    """Mostly one block, sometimes a card, rarely the upper part of the tower."""
    blocks = [block for floor in state.floors for block in floor.blocks]
    luck = dice.random()
    if blocks and luck < 0.6:
        return (dice.choice(blocks),)
    if state.floors and luck < 0.75:
        return (state.floors[-1].card,) if luck < 0.72 else (dice.choice(state.floors).card,)
    if blocks and luck < 0.85:
        return tuple(sorted(dice.sample(blocks, min(2, len(blocks)))))
    upper = state.floors[dice.randrange(len(state.floors)) :] if state.floors else ()
    return tuple(sorted(piece for floor in upper for piece in (floor.card, *floor.blocks)))


def world(state: State, need: Need, dice: Random) -> Input | None:
    step, luck = state.step + dice.randint(0, 500), dice.random()
    if luck < 0.02:
        fallen = falling(state, dice)
        if fallen:
            return Fell(step, fallen)
    challenge = state.challenge
    if challenge is not None and challenge.limit_s and state.started and dice.random() < 0.004:
        return TimeUp(step)
    if need.wait is Wait.ACTION:
        return None
    if need.wait is Wait.ANSWER:
        return RefereeAnswer(step, Question.DOES_FIT, need.pieces, dice.random() < 0.5)
    if need.wait is Wait.PULL:
        return Removed(step, state.held) if luck < 0.8 else Met(step, state.held, state.floors[-1].card)
    if not need.pieces:
        return Rested(step, ())
    if need.wait is Wait.HAND:
        lying = [piece for floor in state.floors for piece in (*floor.blocks, floor.card)]
        if luck < 0.06 and lying:
            return Nudged(step, dice.choice(lying), dice.uniform(0.2, 3.0))
        return (
            Met(step, state.held, dice.choice(["table", *lying]))
            if luck < 0.12
            else Released(step, state.held)
        )
    return landing(state, need, step, dice)


def landing(state: State, need: Need, step: int, dice: Random) -> Input:
    """Where the piece just let go ends."""
    luck = dice.random()
    if luck < 0.06:
        return Fell(step, (state.held,))
    if luck < 0.12:
        return Placed(step, state.held, broken=need.conditions[-1:])
    if luck < 0.15 and state.floors:
        return Placed(step, state.held, where=state.floors[0].card)
    if need.conditions[:1] != (Condition.ON_HIGHEST_FLOOR,) or not state.floors:
        return Placed(step, state.held)
    top = state.floors[-1].card
    card = next(card for card in state.stock.cards if card.id == top)
    acting = dice.random() < (0.3 if state.floors[-1].blocks else 0.6)
    boxes = [
        box for box, sort in boxes_of(card).items() if (sort in ACTING and acting) or dice.random() < 0.1
    ]
    return Placed(step, state.held, top, tuple(boxes))


def calm(state: State, need: Need) -> Input:
    """All goes well, and the referee always finds a place."""
    if need.wait is Wait.ANSWER:
        return RefereeAnswer(state.step + 10, Question.DOES_FIT, need.pieces, True)
    return calm_world(state, need)


def universe(state: State) -> Iterator[Action]:
    blocks = [block.id for block in state.stock.blocks]
    floors = {state.floors[0].card, state.floors[-1].card} if state.floors else {state.stock.cards[0].id}
    for seat in state.seats:
        player = seat.name
        yield from (kind(player) for kind in (TakeBack, RevealCard, NothingFits, Decline))
        for piece in (*blocks, state.stock.cards[0].id, state.stock.cards[-1].id):
            yield from (kind(player, piece) for kind in (Take, GiveBack, Pull))
            yield PutBack(player, piece)
        for fallen in state.fallen:
            yield from (
                PutBack(player, fallen.piece, floor) for floor in sorted({*floors, fallen.floor} - {""})
            )
        for own in (*state.hands[state.turn][:2], blocks[0]):
            yield from (Swap(player, own, block) for block in blocks)


def events(state: State) -> Iterator[Input]:
    step = state.step
    yield Rested(step, ())
    yield Fell(step, ())
    yield TimeUp(step)
    yield RefereeAnswer(step, Question.DOES_FIT, (), True)
    yield RefereeAnswer(step, Question.WOULD_TOPPLE, (), True)
    top = state.floors[-1].card if state.floors else ""
    for piece in [*(block.id for block in state.stock.blocks), state.stock.cards[0].id, state.card or "hat"]:
        yield from (Released(step, piece), Removed(step, piece), Fell(step, (piece,)))
        yield from (Met(step, piece, "table"), Nudged(step, piece, 1.0))
        yield from (Placed(step, piece), Placed(step, piece, "nowhere"))
        yield Placed(step, piece, top, (f"{top}.r1c1", f"{top}.r6c1"))


def check(before: State, given: Input, after: State) -> None:
    """Nobody plays out of turn; only a laid block leaves a hand; nothing illegal is laid (CT-18)."""
    if (before.turn, after.reason) != (after.turn, None) and after.reason is None:
        passed = (after.turn - before.turn) % len(after.seats)
        assert passed == 1 or after.passes == passed - 1 or after.passes - before.passes == passed
    changed = [seat for seat, hand in enumerate(after.hands) if hand != before.hands[seat]]
    if isinstance(given, Swap):
        assert len(changed) == 2
        assert [len(hand) for hand in after.hands] == [len(hand) for hand in before.hands]
    elif isinstance(given, Placed):
        assert set(changed) <= {before.turn}
        for floor in after.floors:
            new = given.piece in floor.blocks
            colours = [colour_of(block) for block in floor.blocks]
            assert not new or colours.count(colour_of(given.piece)) == 1
    elif changed:
        assert isinstance(given, (Fell, Removed, GiveBack, RefereeAnswer))
    if not isinstance(given, (Placed, Fell, Removed)):
        assert after.floors == before.floors
    if after.hand in (HandPhase.FREE, HandPhase.ASK):
        assert not after.held
    if after.reason is None:
        for seat in range(len(after.seats)):
            # CT-20, CT-21: only a last block that fell and was given back leaves a player without any
            given_back = isinstance(given, (GiveBack, RefereeAnswer)) and seat == before.turn
            assert after.hands[seat] or seat == after.turn or not before.hands[seat] or given_back
        assert after.passes < len(after.seats)


LAB = Lab(
    game=GAME,
    table=table,
    world=world,
    universe=universe,
    events=events,
    faults=faults,
    check=check,
    calm=calm,
    goldens=(
        Golden("competitive", 162, ("Ana", "Ben"), title="two players, two colours each"),
        Golden(
            "competitive",
            119,
            ("Ana", "Ben", "bot:bold", "Dora"),
            {"first": "Ben"},
            title="four at the table",
        ),
        Golden("competitive", 2, ("Ana", "Ben", "Cem"), title="steady hands", calm=True),
        Golden("saboteur", 5, ("Ana", "Ben", "Cem"), {"saboteur": "Ben"}, title="everybody knows about Ben"),
        Golden("saboteur", 101, NAMES, {"secret": "yes"}, title="one of four plots"),
        Golden("solo", 1, ("Ana",), {"challenge": "3"}, title="exactly three on every floor", calm=True),
        Golden("solo", 281, ("Ana",), {"challenge": "9", "colour_count": "2"}, title="against the clock"),
        Golden(
            "solo", 54, ("Ana+Ben",), {"challenge": "20", "colour_count": "2"}, title="a team drops its cards"
        ),
    ),
)
