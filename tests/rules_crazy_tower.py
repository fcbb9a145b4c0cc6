"""Crazy Tower in the laboratory: its random tables, its world, its invariants."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rules_lab import Golden, Lab, Table

from games.rules.base import Action, Input, Need, Take, TakeBack, Wait
from games.rules.conditions import Condition, Question
from games.rules.crazy_tower.entry import GAME
from games.rules.crazy_tower.state import (
    SABOTEUR,
    SOLO,
    Decline,
    GiveBack,
    Hand,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    State,
    Swap,
)
from games.rules.crazy_tower.stock import ACTING, boxes_of, colour_of
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested, TimeUp

NAMES = ("Ana", "Ben", "Cem", "Dora")


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
        return (dice.choice(state.floors).card,)
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
        if luck < 0.1:
            return Nudged(step, state.stock.blocks[0].id, dice.uniform(0.2, 3.0))
        return Met(step, state.held, "table") if luck < 0.2 else Released(step, state.held)
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
    boxes = [box for box, sort in boxes_of(card).items() if sort in ACTING or dice.random() < 0.1]
    return Placed(step, state.held, top, tuple(box for box in boxes if dice.random() < 0.5))


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
    if after.hand in (Hand.FREE, Hand.ASK):
        assert not after.held
    if after.reason is None:
        assert all(after.hands[seat] for seat in range(len(after.seats)) if seat != after.turn)
        assert after.passes < len(after.seats)


LAB = Lab(
    game=GAME,
    table=table,
    world=world,
    universe=universe,
    events=events,
    check=check,
    goldens=(
        Golden("competitive", 3, ("Ana", "Ben"), title="two players, two colours each"),
        Golden(
            "competitive", 5, ("Ana", "Ben", "bot:bold", "Dora"), {"first": "Ben"}, title="four at the table"
        ),
        Golden("competitive", 2, ("Ana", "Ben", "Cem"), title="steady hands", calm=True),
        Golden("saboteur", 4, ("Ana", "Ben", "Cem"), {"saboteur": "Ben"}, title="everybody knows about Ben"),
        Golden("saboteur", 7, ("Ana", "Ben", "Cem", "Dora"), {"secret": "yes"}, title="one of four plots"),
        Golden("solo", 1, ("Ana",), {"challenge": "3"}, title="exactly three on every floor", calm=True),
        Golden("solo", 6, ("Ana",), {"challenge": "9", "colour_count": "1"}, title="against the clock"),
        Golden(
            "solo",
            2,
            ("Ana+Ben",),
            {"challenge": "20", "colour_count": "2"},
            title="a team of two drops cards",
        ),
    ),
)
