"""Tower Topple in the laboratory: its random tables, its world, its invariants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import rules_lab
from faults_tower_topple import faults
from rules_lab import Golden, Lab, Table

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
)
from teeter.games.core.rules import Action, Input, Need, Take, TakeBack, Wait
from teeter.games.game import stock_of
from teeter.games.tower_topple.game import GAME
from teeter.games.tower_topple.rules_rows import SLOTS, free_slots, in_play, top_row
from teeter.games.tower_topple.state import Brick, Leave, Phase, Print, State, Stock

NAMES = ("Ana", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ida", "Jan", "Kim", "Lea")


def table(mode: str, dice: Random) -> Table:
    people = dice.randint(2, 6) if dice.random() < 0.7 else dice.randint(7, 12)
    teams = dice.choice(["yes", "no"])
    options: dict[str, object] = {
        "rounds": dice.randint(1, 2),
        "topple_bricks": dice.choice([1, 1, 1, 2, 3, 12]),
        "teams": teams,
        "first": NAMES[dice.randrange(people)],
    }
    if mode == "4":
        options["points"] = dice.choice(["printed", "printed", "one", "none"])
        options["instructions"] = dice.choice(["yes", "yes", "no"])
        options["colour_points"] = dice.randint(0, 5)
        options["escape"] = dice.choice(["yes", "no"])
        loses = dice.choice([0, 1])
        options |= {"topple_loses": loses} if options["points"] != "none" else {}
    if mode != "3" and options.get("points") != "none" and dice.random() < 0.3:
        options["target"] = dice.randint(1, 12)
    return Table(NAMES[:people], options)


def is_sound(state: State) -> bool:
    """Whether wood could stand like this: in every row below the top the centre or both edges are left."""
    return all(row[1] or (row[0] and row[2]) for row in state.tower[: top_row(state.tower)])


def world(state: State, need: Need, dice: Random) -> Input | None:
    step, luck = state.step + dice.randint(0, 300), dice.random()
    lying = [brick for row in state.tower for brick in row if brick]
    if state.phase is Phase.TOPPLED:
        return Fell(step, ("brick.01", "brick.02")) if luck < 0.2 else Rested(step, ())
    if not is_sound(state) and luck < 0.7:
        return Fell(step, tuple(sorted(dice.sample(lying, min(12, len(lying))))))
    if need.wait is Wait.ACTION and luck < 0.8:
        return None
    if luck < 0.04:
        pieces = [*lying, *([state.held] if state.held and state.held not in lying else [])]
        return Fell(step, tuple(sorted(dice.sample(pieces, min(dice.randint(1, 4), len(pieces))))))
    if need.wait is Wait.ACTION:
        return None
    if need.wait is Wait.ANSWER:
        return RefereeAnswer(step, Question.WOULD_TOPPLE, need.pieces, luck < 0.5)
    if need.wait is Wait.PULL:
        return _pulling(state, step, dice)
    if need.wait is Wait.HAND:
        return Met(step, state.held, lying[-1]) if luck < 0.1 else Released(step, state.held)
    if not need.pieces:
        return Rested(step, ())
    if luck < 0.1:
        return Fell(step, (state.held,))
    where = dice.choice(free_slots(state))
    return Placed(step, state.held, where, (), (dice.choice(need.conditions),) if luck < 0.2 else ())


def _pulling(state: State, step: int, dice: Random) -> Input:
    luck = dice.random()
    if luck < 0.2:
        return Met(step, state.held, state.tower[0][0] or state.tower[-1][0] or "table")
    if luck < 0.3:
        return Nudged(step, state.tower[-2][1] or state.held, dice.uniform(0.2, 5.0))
    return Fell(step, (state.held,)) if luck < 0.35 else Removed(step, state.held)


def calm(state: State, need: Need) -> Input:
    """All goes well as long as wood could stand like this; the brick lies in the first free slot."""
    if state.held and not is_sound(state):
        lying = [brick for row in state.tower for brick in row if brick]
        return Fell(state.step + 10, tuple(sorted(lying)))
    if need.wait is Wait.REST and need.pieces:
        return Placed(state.step + 10, state.held, free_slots(state)[0])
    return rules_lab.calm(state, need)


def universe(state: State) -> Iterator[Action]:
    for seat in state.seats[:3] + state.seats[state.turn : state.turn + 1]:
        yield Leave(seat.name)
        yield TakeBack(seat.name)
        yield from (Take(seat.name, brick.id) for brick in state.bricks)


def events(state: State) -> Iterator[Input]:
    step = state.step
    yield Rested(step, ())
    yield Fell(step, ())
    for brick in ("brick.01", "brick.30", "brick.99", state.held or "brick.54"):
        yield Fell(step, (brick,))
        yield Removed(step, brick)
        yield Released(step, brick)
        yield Met(step, brick, "table")
        yield Nudged(step, brick, 1.5)
        yield from (Placed(step, brick, where) for where in (*SLOTS, "", "middle"))
        yield Placed(step, brick, "", (), (Condition.FLAT_IN_ROW,))
        yield RefereeAnswer(step, Question.WOULD_TOPPLE, (brick,), True)
        yield RefereeAnswer(step, Question.DOES_FIT, (brick,), False)


def check(before: State, given: Input, after: State) -> None:
    """Bricks go from below to the top; nobody scores without a brick; a new tower is whole."""
    assert [brick.id for brick in after.bricks] == [brick.id for brick in before.bricks]
    assert after.bricks == before.bricks
    if isinstance(given, (Take, TakeBack, Leave, Met, Nudged, Released, RefereeAnswer, Rested)):
        assert after.scores == before.scores, "points for nothing"
    if isinstance(given, Take):
        assert given.piece in (*in_play(before), *before.fallen), "pulled from the top"
    if after.topples != before.topples:
        assert sum(after.topples) == sum(before.topples) + 1
        assert after.topples[before.turn] == before.topples[before.turn] + 1, "another player toppled it"
    if after.turn != before.turn:
        assert isinstance(given, (Placed, Rested)), "a turn ended on its own"
        assert not after.held
    if after.round != before.round:
        assert after.turn == (before.turn + 1) % len(after.seats)
        assert (after.direction, sum(after.skips), after.owed[0].colour) == (1, 0, "")
        assert all(brick for row in after.tower for brick in row)
    if after.reason is not None:
        best = max(GAME.rules.scores(after))
        assert [score == best for score in GAME.rules.scores(after)] == [
            seat.name in after.winners for seat in after.seats
        ]


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
        Golden("1", 43, ("Ana", "Ben", "Cem"), {"rounds": 2}, title="three players, everything as printed"),
        Golden("1", 53, NAMES[:7], {"rounds": 1}, title="seven players make three teams", calm=True),
        Golden("2", 29, ("Ana", "bot:bold"), {"rounds": 1}, title="a point a brick"),
        Golden("3", 10, ("Ana", "Ben", "Cem", "Dora"), title="no points: who topples least?"),
        Golden(
            "4",
            43,
            ("Ana+Ben", "Cem+Dora"),
            {"rounds": 2, "topple_bricks": 3, "colour_points": 5, "topple_loses": 4},
            title="two teams and rules of their own",
        ),
    ),
)


STOCK: Stock = stock_of(GAME)


def b(number: int) -> str:
    """The id of a brick."""
    return f"brick.{number:02}"


def position(people: int = 3, mode: str = "1", gone: str = "", up: str = "", **more: Any) -> State:
    """A state by its interesting parts: bricks 1 to 54 lie in rows from the table up, all plain.

    `faces` names what else they are ({5: "blue", 6: Print.SKIP}), `house` the options, `gone` those not in
    their rows any more (nor anywhere), `up` those in a row above, from the left.
    """
    faces, house = more.pop("faces", {}), more.pop("house", {})
    state = GAME.rules.start(NAMES[:people], 1, {"mode": mode, **house}, STOCK)
    bricks = [_face(Brick(b(number)), faces.get(number)) for number in range(1, 55)]
    above = [b(int(word)) for word in up.split()]
    off = {b(int(word)) for word in gone.split()} | set(above)
    lying = ["" if brick.id in off else brick.id for brick in bricks]
    tower = list(zip(lying[::3], lying[1::3], lying[2::3], strict=True))
    if above:
        left, centre, right = (*above, "", "")[:3]
        tower.append((left, centre, right))
    laid: State = replace(state, bricks=tuple(bricks), tower=tuple(tower), **more)
    return laid


def _face(brick: Brick, face: Print | str | None) -> Brick:
    if isinstance(face, Print):
        return replace(brick, print=face)
    return replace(brick, colour=face) if face else brick


def after(state: State, *inputs: Input) -> State:
    """The state after all these inputs."""
    for given in inputs:
        state = GAME.rules.apply(state, given)
    return state


def on_turn(state: State) -> str:
    """The name of the seat on turn."""
    return state.seats[state.turn].name


def out(state: State, number: int) -> State:
    """The player on turn pulls a brick out."""
    return after(state, Take(on_turn(state), b(number)), Removed(state.step, b(number)))


def lay(state: State) -> State:
    """The brick in the hand comes to lie in the first free slot."""
    step, held = state.step, state.held
    return after(state, Released(step, held), Placed(step, held, free_slots(state)[0]))


def play(state: State, *numbers: int) -> State:
    """Bricks pulled and laid, one after the other, by whoever is on turn."""
    for number in numbers:
        state = lay(out(state, number))
    return state


def crash(state: State, *numbers: int) -> State:
    """These bricks fall (by default one that lies low)."""
    return after(state, Fell(state.step, tuple([b(number) for number in numbers or (1,)])))


def reset(state: State) -> State:
    """All lies still after a topple."""
    return after(state, Rested(state.step, ()))


def refusal(state: State, given: Input) -> str:
    """The full refusal of an illegal input."""
    with pytest.raises(IllegalAction) as caught:
        GAME.rules.apply(state, given)
    return str(caught.value)


def pullable(state: State) -> list[int]:
    """The numbers of the bricks that may be taken."""
    actions = [choice.action for choice in GAME.rules.legal(state)]
    return [int(action.piece[-2:]) for action in actions if isinstance(action, Take)]


def gained(before: State, now: State) -> tuple[int, ...]:
    """What every seat gained between two states."""
    return tuple([new - old for old, new in zip(before.scores, now.scores, strict=True)])
