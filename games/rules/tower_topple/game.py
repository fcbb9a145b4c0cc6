"""The rules of Tower Topple: a turn is a brick pulled and laid on top, and what is printed on it.

CHOOSE --Take--> PULL --Removed--> CARRY --Released--> SETTLE --Placed--> the next brick, or turn
                  |--Leave--> LOOSE --Rested--> CHOOSE
a required colour falls due --> ASK --RefereeAnswer--> CHOOSE
a brick fell: a topple --> TOPPLED --Rested--> next round; no topple (house rule) --> GATHER, laid first
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from games.rules.base import Action, Choice, Input, Need, Outcome, Take, TakeBack, Wait, admit, prepare
from games.rules.conditions import Question
from games.rules.errors import SetupError
from games.rules.events import Fell, Met, Nudged, Placed, RefereeAnswer, Released, Removed, Rested
from games.rules.luck import seeded
from games.rules.seats import Seat, first_seat
from games.rules.tower_topple import pulling, requirements, rows
from games.rules.tower_topple.faults import faults
from games.rules.tower_topple.state import MODES, House, Leave, Phase, Print, State, Stock
from games.rules.tower_topple.story import called, opening, tell
from games.rules.tower_topple.turns import form_teams, totals

__all__ = ["apply", "faults", "legal", "needs", "opening", "outcome", "scores", "seen_by", "start", "tell"]

VERSIONS: dict[str, dict[str, Any]] = {
    "2": {"points": "one", "instructions": False},
    "3": {"points": "none", "instructions": False},
}
"""TT-04: what the versions without house rules have settled; version 1 plays everything as printed."""


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """TT-01 to TT-04: the seats, the version, the bricks dealt and the tower set up."""
    mode, seats, house = prepare(MODES, House, players, seed, options)
    if house.points == "none" and house.target:
        raise SetupError("option target needs points; points=none counts topples")
    house = replace(house, **VERSIONS.get(mode.name, {}))
    if house.teams:
        seats = form_teams(seats)
    turn = first_seat(seats, house.first)
    bricks, luck = rows.deal(stock, seeded(seed))
    none = (0,) * len(seats)
    state = State(
        seats=seats,
        mode=mode.name,
        house=house,
        stock=stock,
        bricks=bricks,
        luck=luck,
        tower=(),
        turn=turn,
        scores=none,
        topples=none,
        skips=none,
        pullers=(*none[:turn], _first_puller(seats[turn], house.first), *none[turn + 1 :]),
    )
    return rows.set_up(state)


def _first_puller(seat: Seat, first: str) -> int:
    """TT-01: within the team that begins, the member named by the option."""
    names = [member.name for member in seat.members]
    return names.index(first) if first in names else 0


def legal(state: State) -> tuple[Choice, ...]:
    """Every action the player on turn may take now."""
    player = state.seats[state.turn].name
    if state.reason is not None:
        return ()
    if state.phase is Phase.PULL:
        left = Choice(Leave(player), "leave the brick as it lies now")
        return (left,) if state.met else (left, Choice(TakeBack(player), "let go of the brick"))
    if state.phase not in (Phase.CHOOSE, Phase.GATHER):
        return ()
    how = rows.conditions(state)
    if state.phase is Phase.GATHER:
        return tuple([Choice(Take(player, each), "take up a fallen brick", how) for each in state.fallen])
    names = called(state)
    bricks = requirements.permitted(state)
    return tuple([Choice(Take(player, each), f"pull {names[each]}", how) for each in bricks])


WAITS = {
    Phase.ASK: Wait.ANSWER,
    Phase.PULL: Wait.PULL,
    Phase.CARRY: Wait.HAND,
    Phase.SETTLE: Wait.REST,
    Phase.LOOSE: Wait.REST,
    Phase.TOPPLED: Wait.REST,
}


def needs(state: State) -> Need:
    """What the game waits for."""
    player = state.seats[state.turn].name
    if state.reason is not None:
        return Need(Wait.OVER, player)
    wait = WAITS.get(state.phase, Wait.ACTION)
    if wait is Wait.ANSWER:
        asked = tuple(requirements.permitted(state))
        return Need(wait, player, asked, question=Question.WOULD_TOPPLE)
    return Need(wait, player, (state.held,), rows.conditions(state)) if state.held else Need(wait, player)


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    handler = admit(state, given, needs(state), HANDLERS, "TT-08")
    after: State = handler(state, given)
    return after if isinstance(given, Action) else replace(after, step=given.step)


def outcome(state: State) -> Outcome | None:
    """TT-07: how the game ended."""
    return None if state.reason is None else Outcome(state.winners, state.reason)


def scores(state: State) -> tuple[int, ...]:
    """The points; in a game without them every topple counts -1."""
    return totals(state)


def seen_by(state: State, player: str) -> State:
    """TT-03: the state without the prints of bricks that were not out this round; colours are always seen."""
    bricks = [
        brick if brick.colour or brick.id in state.seen else replace(brick, print=Print.UNSEEN)
        for brick in state.bricks
    ]
    return replace(state, luck=0, bricks=tuple(bricks))


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    RefereeAnswer: pulling.answer,
    Take: pulling.take,
    TakeBack: pulling.take_back,
    Leave: pulling.leave,
    Met: pulling.meet,
    Nudged: pulling.nudge,
    Removed: pulling.removed,
    Released: pulling.release,
    Placed: pulling.placed,
    Rested: pulling.rested,
    Fell: pulling.fell,
}
