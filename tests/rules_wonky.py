"""Wonky in the laboratory: its random tables, its world, its invariants."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from faults_wonky import faults
from rules_lab import Golden, Lab, Table

from teeter.games.core.events import Condition, CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.rules import Action, Input, Need, Take, TakeBack, Wait
from teeter.games.wonky.game import GAME
from teeter.games.wonky.state import DrawCards, KeepCard, Phase, PlayCard, State

NAMES = ("Ana", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana")


def table(mode: str, dice: Random) -> Table:
    people = dice.randint(2, 6) if dice.random() < 0.8 else dice.randint(7, 16)
    players = [*NAMES, *["bot:steady"] * 8][:people]
    return Table(
        players, {"third_foul_falls": dice.choice(["yes", "no"]), "first": str(dice.randint(1, people))}
    )


def world(state: State, need: Need, dice: Random) -> Input | None:
    step, luck = state.step + dice.randint(0, 500), dice.random()
    standing = [*state.tower, *([state.held] if need.wait is Wait.COUNT else [])]
    if standing and luck < 0.07:
        return Fell(step, tuple(sorted(dice.sample(standing, dice.randint(1, len(standing))))))
    if need.wait is Wait.ACTION:
        return None
    if need.wait is Wait.REST:
        return Rested(step, state.tower)
    piece = need.pieces[0]
    if need.wait is Wait.COUNT:
        return CountElapsed(step, piece, need.conditions[:1] if luck < 0.1 else ())
    if state.tower and luck < 0.3:
        return Nudged(step, dice.choice(state.tower), dice.uniform(0.2, 3.0))
    if luck < 0.4 and not state.met:
        return Met(step, piece, dice.choice(["table", *state.tower]))
    return Released(step, piece)


def universe(state: State) -> Iterator[Action]:
    for seat in state.seats[:3] + state.seats[state.turn : state.turn + 1]:
        yield DrawCards(seat.name)
        yield KeepCard(seat.name)
        yield TakeBack(seat.name)
        yield from (PlayCard(seat.name, card.id) for card in state.stock.cards)
        yield from (Take(seat.name, block.id) for block in state.stock.blocks)


def events(state: State) -> Iterator[Input]:
    step = state.step
    yield Rested(step, state.tower)
    yield Fell(step, ())
    for block in state.stock.blocks:
        yield Fell(step, (block.id,))
        yield Released(step, block.id)
        yield Met(step, block.id, "table")
        yield Nudged(step, block.id, 1.5)
        yield CountElapsed(step, block.id)
        yield CountElapsed(step, block.id, (Condition.TOUCHES_TOWER_ONLY,))


def check(before: State, given: Input, after: State) -> None:
    """Nobody but the player on turn loses a card; the tower grows by one or is cleared."""
    for seat, (old, new) in enumerate(zip(before.hands, after.hands, strict=True)):
        if seat != before.turn:
            assert new[: len(old)] == old, "another player's hand changed"
            assert len(new) - len(old) <= 1, "another player drew more than one card"
    assert after.tower in (before.tower, (), (*before.tower, before.held)), "the tower changed out of order"
    if after.tower and after.tower != before.tower:
        assert isinstance(given, CountElapsed), "a block was added without a count"
    if before.turn != after.turn:
        direction = 1 if after.direction == 1 else -1
        assert after.turn == (before.turn + direction) % len(after.seats), "played out of turn"
        assert after.phase is Phase.PLAY
    if after.reason is not None:
        winner = after.seats[after.turn]
        assert after.winners == (winner.name,)
        assert not after.hands[after.turn] or len(after.tower) == len(after.stock.blocks)


LAB = Lab(
    game=GAME,
    table=table,
    world=world,
    universe=universe,
    events=events,
    faults=faults,
    check=check,
    goldens=(
        Golden("standard", 4, ("Ana", "Ben", "Cem"), title="three players, a shaky table"),
        Golden(
            "standard", 8, ("Ana", "bot:bold"), {"third_foul_falls": "yes"}, title="two players, fouls count"
        ),
        Golden(
            "standard", 3, ("Ana", "Ben", "Cem", "Dora"), {"first": "Cem"}, title="steady hands", calm=True
        ),
        Golden("standard", 11, NAMES[:7], title="seven players, six cards each"),
    ),
)
