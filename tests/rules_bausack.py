"""Bausack in the laboratory: its random tables, its world, its invariants."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import rules_lab
from faults_bausack import faults
from rules_lab import Golden, Lab, Table

from teeter.games.bausack.game import GAME
from teeter.games.bausack.state import (
    IN,
    Accept,
    Bid,
    Build,
    Pass,
    PassOn,
    Phase,
    Push,
    State,
    Stir,
    owner_of,
    players_in,
)
from teeter.games.core.events import (
    Condition,
    Fell,
    HitNeighbour,
    Measured,
    Met,
    Nudged,
    Placed,
    Released,
    Rested,
)
from teeter.games.core.rules import Action, Input, Need, Take, TakeBack, Wait

NAMES = ("Ana", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana")


def table(mode: str, dice: Random) -> Table:
    people = dice.randint(2, 5) if dice.random() < 0.8 else dice.randint(6, 8)
    return Table(
        [*NAMES[: people - 1], "bot:steady"],
        {
            "first": str(dice.randint(1, people)),
            "pieces": dice.choice([0, dice.randint(1, 12)]),
            "tallest": dice.choice(["yes", "no"]),
        },
    )


def world(state: State, need: Need, dice: Random) -> Input | None:
    step, luck = state.step + dice.randint(0, 500), dice.random()
    if luck < 0.05:
        fallen = fall(state, step, dice)
        if fallen:
            return fallen
    if need.wait is Wait.ANSWER or (luck > 0.99 and any(state.towers)):
        return heights(state, step, dice)
    if need.wait is Wait.ACTION:
        return None
    if need.wait is Wait.REST:
        return at_rest(state, need, step, dice)
    return in_hand(state, need, step, dice)


def fall(state: State, step: int, dice: Random) -> Fell | None:
    """Pieces of a tower or two come down, of the falling ones too; a foundation seldom leaves the table."""
    pieces = [piece for tower in state.towers for piece in tower[dice.random() > 0.02 :]]
    if state.phase is Phase.SETTLE:
        pieces += [state.piece] * 4 if state.towers[state.actor] else []
    if not pieces:
        return None
    return Fell(step, tuple(sorted(set(dice.sample(pieces, min(len(pieces), dice.choice([1, 1, 2, 5])))))))


def heights(state: State, step: int, dice: Random) -> Measured:
    """A height that fits the number of pieces."""
    return Measured(step, tuple(dice.randint(1, 4) * 15.0 * len(tower) for tower in state.towers))


def at_rest(state: State, need: Need, step: int, dice: Random) -> Input:
    """The piece that was let go lies, badly or against another tower now and then."""
    if not need.pieces:
        return Rested(step, ())
    others = [seat.name for at, seat in enumerate(state.seats) if at != state.actor and state.towers[at]]
    luck = dice.random()
    if others and luck < 0.02:
        return HitNeighbour(step, need.pieces[0], dice.choice(others))
    return Placed(step, need.pieces[0], broken=need.conditions[:1] if luck > 0.97 else ())


def in_hand(state: State, need: Need, step: int, dice: Random) -> Input:
    """The hand wanders, touches and pushes the own tower, and lets go."""
    piece, own = need.pieces[0], state.towers[state.actor]
    luck = dice.random()
    if own and luck < 0.2:
        return Nudged(step, dice.choice(own), dice.uniform(0.2, 3.0))
    if own and luck < 0.4 and not state.met:
        return Met(step, piece, dice.choice(own))
    return Released(step, piece)


def universe(state: State) -> Iterator[Action]:
    seats = {0, state.actor, state.turn, len(state.seats) - 1}
    for seat in sorted(seats):
        name = state.seats[seat].name
        for simple in (TakeBack, Push, Pass, Accept, PassOn):
            yield simple(name)
        for bid in range(-1, 12):
            yield Bid(name, bid)
            yield Build(name, bid)
        yield from (Take(name, piece.id) for piece in state.stock.pieces)


def events(state: State) -> Iterator[Input]:
    step = state.step
    yield Rested(step, ())
    yield Fell(step, ())
    yield Measured(step, (15.0,) * len(state.seats))
    yield Measured(step, (15.0,))
    for piece in [each.id for each in state.stock.pieces[:9]] + [piece for piece in [state.piece] if piece]:
        yield Fell(step, (piece,))
        yield Released(step, piece)
        yield Met(step, piece, state.stock.pieces[0].id)
        yield Nudged(step, piece, 1.5)
        yield Placed(step, piece)
        yield Placed(step, piece, broken=(Condition.ON_OWN_TOWER,))
        yield from (HitNeighbour(step, piece, seat.name) for seat in state.seats[:3])


def check(before: State, given: Input, after: State) -> None:
    """Tokens and towers only go where a clause sends them; who is out stays out."""
    for seat, when in enumerate(before.out):
        assert after.tokens[seat] <= before.tokens[seat], "BS-07: tokens are never gained"
        assert when in (IN, after.out[seat]), "BS-09: out is out"
        if after.out[seat] == IN and after.towers[seat] != before.towers[seat]:
            assert isinstance(given, Placed), "a tower grew without a placing"
            assert after.towers[seat] == (*before.towers[seat], before.piece)
    gone = [seat for seat in range(len(after.out)) if after.out[seat] != before.out[seat]]
    if gone:
        assert isinstance(given, (Fell, HitNeighbour, Placed))
        assert {after.out[seat] for seat in gone} == {given.step}
        if isinstance(given, Fell):
            assert {owner_of(before, piece) for piece in given.pieces} >= set(gone)
        assert all(after.tokens[seat] == 0 for seat in gone)
    if before.turn != after.turn:
        check_turn(before, after)
    standing = players_in(after)
    assert (after.reason is not None) >= (len(standing) < 2), "BS-19: one left ends the game at once"
    if after.reason is not None:
        assert not standing or {after.seats[seat].name for seat in standing} >= set(after.winners)
        assert len(standing) < 2 or not after.supply, "BS-20: all pieces are placed"


def check_turn(before: State, after: State) -> None:
    """BS-12: the next player who is in, once all is still."""
    seat = (before.turn + 1) % len(after.seats)
    while after.out[seat] != IN:
        seat = (seat + 1) % len(after.seats)
    assert after.turn == seat, "played out of turn"
    assert (after.phase, after.stir) == (Phase.CHOOSE, Stir.STILL)


def calm(state: State, need: Need) -> Input:
    """The measurer reads 20 mm for every piece; all else as in every calm world."""
    if need.wait is Wait.ANSWER:
        return Measured(state.step + 10, tuple(20.0 * len(tower) for tower in state.towers))
    return rules_lab.calm(state, need)


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
        Golden("standard", 31, ("Ana", "Ben", "Cem"), title="three players; pieces go round"),
        Golden(
            "standard",
            2,
            ("Ana", "bot:bold"),
            {"pieces": 8, "tallest": "yes"},
            title="eight pieces and steady hands: the thread decides",
            calm=True,
        ),
        Golden(
            "standard",
            3,
            ("Ana", "Ben", "Cem", "Dora"),
            {"first": "Cem", "pieces": 9},
            title="nine pieces, nobody falls: a draw",
            calm=True,
        ),
        Golden("standard", 7, NAMES[:6], title="six towers on one table"),
        Golden("standard", 43, NAMES[:4], title="a clumsy evening"),
    ),
)
