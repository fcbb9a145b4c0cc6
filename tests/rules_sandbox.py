"""The sandbox in the laboratory."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from faults_sandbox import faults
from rules_lab import Golden, Lab, Table

from teeter.games.core.events import Fell, Met, Placed, Released
from teeter.games.core.rules import Action, Bring, Input, Need, PutAway, Take, TakeBack, Wait
from teeter.games.sandbox.game import GAME
from teeter.games.sandbox.rules import State

NAMES = ("arch", "ball", "cone")


def table(mode: str, dice: Random) -> Table:
    return Table(("Ana",), {})


def world(state: State, need: Need, dice: Random) -> Input | None:
    if need.wait is Wait.ACTION:
        free = [name for name in NAMES if name not in [piece.id for piece in state.pieces]]
        return Bring("Ana", free[0], f"models/{free[0]}") if free else None
    step = state.step + dice.randint(0, 500)
    if need.wait is Wait.HAND:
        return Released(step, state.held) if dice.random() < 0.7 else Met(step, state.held, "table")
    return Placed(step, state.held) if dice.random() < 0.8 else Fell(step, (state.held,))


def universe(state: State) -> Iterator[Action]:
    yield TakeBack("Ana")
    for piece in state.pieces:
        yield Take("Ana", piece.id)
        yield PutAway("Ana", piece.id)


def events(state: State) -> Iterator[Input]:
    for name in NAMES:
        yield Released(state.step, name)
        yield Met(state.step, name, "table")
        yield Placed(state.step, name)
        yield Fell(state.step, (name,))


def check(before: State, given: Input, after: State) -> None:
    """Pieces come and go one at a time."""
    assert abs(len(before.pieces) - len(after.pieces)) <= 1


LAB = Lab(
    game=GAME,
    table=table,
    world=world,
    universe=universe,
    events=events,
    faults=faults,
    check=check,
    goldens=(Golden("free", 1, ("Ana",), title="a table and three pieces"),),
    most_inputs=60,
)
