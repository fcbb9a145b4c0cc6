"""The rules of Tower Topple: a turn is a brick pulled and laid on top, and what is printed on it.

CHOOSE --Take--> PULL --Removed--> CARRY --Released--> SETTLE --Placed--> the next brick, or turn
                  |--Leave--> LOOSE --Rested--> CHOOSE
a required colour falls due --> ASK --RefereeAnswer--> CHOOSE
a brick fell: a topple --> TOPPLED --Rested--> next round; no topple (house rule) --> GATHER, laid first
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import (
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
from teeter.games.core.random_state import seeded
from teeter.games.core.rules import (
    Choice,
    Input,
    Need,
    Take,
    TakeBack,
    Wait,
    applied,
    hold_one,
    may_take_back,
    prepare,
    replaced,
    require_held,
    require_piece,
)
from teeter.games.core.rules import outcome as outcome
from teeter.games.core.setup import Seat, first_seat
from teeter.games.tower_topple import rules_rows as rows
from teeter.games.tower_topple import rules_turns as turns
from teeter.games.tower_topple.rules_turns import form_teams, go_on, has_toppled, next_round, topple
from teeter.games.tower_topple.rules_turns import scores as scores
from teeter.games.tower_topple.state import MODES, Brick, House, Leave, Phase, Print, State, Stock
from teeter.games.tower_topple.story import called as called
from teeter.games.tower_topple.story import fallen_called, standing_called
from teeter.games.tower_topple.story import opening as opening
from teeter.games.tower_topple.story import tell as tell


def answer(state: State, event: RefereeAnswer) -> State:
    """TT-11, TT-12: the referee has looked at the bricks of the required colour that are in play."""
    if state.phase is not Phase.ASK:
        raise IllegalAction("TT-11", "the referee was not asked")
    if event.question is not Question.WOULD_TOPPLE or list(event.pieces) != rows.permitted(state):
        raise MalformedAction("this answers another question than the one the referee was asked")
    return rows.answered(state, event.yes)


def take(state: State, action: Take) -> State:
    """TT-06, TT-10 to TT-18: the hand takes hold of a brick that may be pulled, or takes up a fallen one."""
    hold_one("a brick" if state.held else "")
    require_piece(action.piece, [brick.id for brick in state.bricks], "brick")
    if state.phase is Phase.GATHER:
        if action.piece not in state.fallen:
            raise IllegalAction("TT-07", "fallen bricks are laid on top first")
        rest = tuple([brick for brick in state.fallen if brick != action.piece])
        return replace(state, phase=Phase.CARRY, held=action.piece, gathered=True, fallen=rest)
    if action.piece not in rows.in_play(state):
        raise IllegalAction("TT-06", "the topmost full row and what lies above it may not be pulled from")
    if action.piece not in rows.permitted(state):
        raise IllegalAction(*rows.why_not(state.owed[0]))
    return replace(state, phase=Phase.PULL, held=action.piece)


def take_back(state: State, action: TakeBack) -> State:
    """ALL-6: the hand lets go of a brick it has not moved; TT-24: one that is out stays chosen."""
    may_take_back("the brick" if state.held else "", state.met)
    if state.phase is not Phase.PULL:
        raise IllegalAction("TT-24", "a brick that is out is laid on top; the choice is fixed")
    return replace(state, phase=Phase.GATHER if state.fallen else Phase.CHOOSE, held="")


def leave(state: State, action: Leave) -> State:
    """TT-24: a loosened brick is left, and another may be chosen once the tower is at rest."""
    if state.phase is not Phase.PULL:
        raise IllegalAction("TT-24", "only a brick that is still being pulled can be left")
    return replace(state, phase=Phase.LOOSE, held="", met=False)


def meet(state: State, event: Met) -> State:
    """ALL-6: the brick in the hand moves against another; this can no longer be taken back."""
    _expect(state, event.piece, Phase.PULL, Phase.CARRY)
    return replace(state, met=True)


def nudge(state: State, event: Nudged) -> State:
    """TT-24: neighbours may be dragged and pushed."""
    require_piece(event.piece, [brick.id for brick in state.bricks], "brick")
    if state.phase not in (Phase.PULL, Phase.CARRY):
        raise IllegalAction("TT-24", "only a brick in the hand can push others")
    return state


def remove(state: State, event: Removed) -> State:
    """TT-08, TT-24: the brick is out of the tower, and its print is read."""
    _expect(state, event.piece, Phase.PULL)
    return _out(state)


def _out(state: State) -> State:
    seen = state.seen if state.held in state.seen else (*state.seen, state.held)
    tower = rows.without(state.tower, (state.held,))
    drawn = replace(state, tower=tower, seen=seen, phase=Phase.CARRY, met=False)
    return turns.out(rows.decide(drawn))


def release(state: State, event: Released) -> State:
    """TT-05: the brick is let go on top."""
    _expect(state, event.piece, Phase.CARRY)
    return replace(state, phase=Phase.SETTLE)


def place(state: State, event: Placed) -> State:
    """TT-05, TT-08: the brick lies and the tower stands; ALL-9: if it lies otherwise it is laid again."""
    _expect(state, event.piece, Phase.SETTLE)
    if event.broken:
        return replace(state, phase=Phase.CARRY, met=False)
    after = rows.laid(state, event.where)
    if not state.gathered:
        after = turns.score(after, turns.gain(after))
        after = turns.follow(after)
        after = replace(after, owed=after.owed[1:])
    return go_on(after)


def rest(state: State, event: Rested) -> State:
    """ALL-2: the tower is at rest after a loosened brick was left, or all of it lies on the table."""
    if state.phase is Phase.TOPPLED:
        return next_round(state)
    if state.phase is not Phase.LOOSE:
        raise IllegalAction("ALL-2", "nothing waits for the tower to rest")
    return replace(state, phase=Phase.GATHER if state.fallen else Phase.CHOOSE)


def fell(state: State, event: Fell) -> State:
    """TT-07: bricks fell. The one being moved is picked up and laid again; any other may be a topple."""
    if not event.pieces:
        raise MalformedAction("nothing fell: name the bricks")
    for piece in event.pieces:
        require_piece(piece, [brick.id for brick in state.bricks], "brick")
    if state.phase is Phase.TOPPLED:
        return state
    others = tuple([p for p in event.pieces if p != state.held and p not in state.fallen])
    tower = rows.without(state.tower, others)
    after = replace(state, tower=tower, fallen=state.fallen + others)
    if state.held in event.pieces:
        after = _out(after) if state.phase is Phase.PULL else replace(after, phase=Phase.CARRY, met=False)
    if not others:
        return after
    if has_toppled(after):
        return topple(after)
    return go_on(after) if after.phase in (Phase.ASK, Phase.CHOOSE, Phase.GATHER) else after


def _expect(state: State, piece: str, *phases: Phase) -> None:
    if state.phase not in phases:
        raise IllegalAction("TT-08", "no brick is on its way to the top there")
    require_held(piece, state.held, "brick")


VERSIONS: dict[str, dict[str, Any]] = {
    "2": {"points": "one", "instructions": False},
    "3": {"points": "none", "instructions": False},
}
"""TT-04: what the versions without house rules have settled; version 1 plays everything as printed."""


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: Stock) -> State:
    """TT-01 to TT-04: the seats, the version, the bricks dealt and the tower set up."""
    mode, seats, house = prepare(MODES, House, players, seed, options)
    for word in ("target", "topple_loses"):
        if house.points == "none" and getattr(house, word):
            raise SetupError(f"option {word} needs points; points=none counts topples")
    house = replace(house, **VERSIONS.get(mode.name, {}))
    first = _by_name(seats, house.first)
    if house.teams:
        seats = form_teams(seats)
    turn = first_seat(seats, first)
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
        pullers=replaced(none, turn, _first_puller(seats[turn], first)),
    )
    return rows.set_up(state)


def _by_name(seats: Sequence[Seat], first: str) -> str:
    """TT-01: a seat's number is the player's there before they are teams."""
    if any(first in (seat.name, *(member.name for member in seat.members)) for seat in seats):
        return first
    numbers = {str(index + 1): seat.members[0].name for index, seat in enumerate(seats)}
    return numbers.get(first, first)


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
        left = Choice(Leave(player), "leave the brick where it is now, and choose again")
        back = Choice(TakeBack(player), "put the brick back as it was, and choose again")
        return (left,) if state.met else (left, back)
    if state.phase not in (Phase.CHOOSE, Phase.GATHER):
        return ()
    how = rows.conditions(state)
    if state.phase is Phase.GATHER:
        return tuple(
            [
                Choice(Take(player, piece), f"take up {words}", how)
                for piece, words in fallen_called(state).items()
            ]
        )
    names = standing_called(state)
    bricks = rows.permitted(state)
    return tuple([Choice(Take(player, brick), f"pull {names[brick]}", how) for brick in bricks])


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
    seat = state.seats[state.turn]
    member = seat.turn_of(state.pullers[state.turn])
    if state.reason is not None:
        return Need(Wait.OVER, seat.name)
    wait = WAITS.get(state.phase, Wait.ACTION)
    if wait is Wait.ANSWER:
        asked = tuple(rows.permitted(state))
        return Need(wait, seat.name, asked, question=Question.WOULD_TOPPLE, member=member)
    held, how = ((state.held,), rows.conditions(state)) if state.held else ((), ())
    return Need(wait, seat.name, held, how, member=member)


def apply(state: State, given: Input) -> State:
    """The state after an action or an event."""
    return applied(state, given, needs(state), HANDLERS, "TT-08")


def seen_by(state: State, player: str) -> State:
    """TT-03: the state without the prints of bricks that were not out this round; colours are always seen."""
    bricks = [
        brick if brick.colour or brick.id in state.seen else _unseen(brick.id) for brick in state.bricks
    ]
    return replace(state, luck=0, bricks=tuple(bricks))


@lru_cache(maxsize=1024)
def _unseen(brick: str) -> Brick:
    """TT-03: a brick whose print nobody knows: asked for with every picture, of every brick of a tower."""
    return Brick(brick, print=Print.UNSEEN)


HANDLERS: dict[type, Callable[[State, Any], State]] = {
    Take: take,
    TakeBack: take_back,
    Leave: leave,
    RefereeAnswer: answer,
    Met: meet,
    Nudged: nudge,
    Removed: remove,
    Released: release,
    Placed: place,
    Rested: rest,
    Fell: fell,
}
