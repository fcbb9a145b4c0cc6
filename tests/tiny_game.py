"""The smallest game: two players lay cubes on one pile in turn. Here the folder of a game is this file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.core.clauses import Clause
from teeter.games.core.errors import IllegalAction
from teeter.games.core.events import Fell, Met, Nudged, Placed, Released
from teeter.games.core.rules import Action, Choice, Input, Need, Reason, Take, Wait, admit, outcome, prepare  # noqa: F401
from teeter.games.core.setup import Mode, Seat
from teeter.games.game import Game
from teeter.games.judge import places
from teeter.games.judge.judge import Judge
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, Skill
from teeter.models.build import build
from teeter.models.catalogue import find

MODES = (Mode("pile", "Pile", 2, 2),)
CUBES = ("cube.1", "cube.2")
HANDLERS = dict.fromkeys((Take, Met, Nudged, Released, Placed, Fell), True)


@dataclass(frozen=True, slots=True)
class House:
    """No options."""


class PileReason(Reason):
    """Why it ends."""

    LAST = ("PI-1", "the last cube is laid")


@dataclass(frozen=True, slots=True)
class State:
    """Cubes on the pile from below, the one in play, and whether it was let go."""

    seats: tuple[Seat, ...]
    pile: tuple[str, ...] = ()
    held: str = ""
    is_free: bool = False
    step: int = 0
    reason: PileReason | None = None
    winners: tuple[str, ...] = ()
    luck: ClassVar[int] = 0


def start(players: Sequence[str], seed: int, options: Mapping[str, object], stock: object) -> State:
    return State(prepare(MODES, House, players, seed, options)[1])


def player_of(state: State) -> str:
    return state.seats[len(state.pile) % 2].name


def legal(state: State) -> tuple[Choice, ...]:
    free = [cube for cube in CUBES if cube not in state.pile and not state.held]
    return tuple(Choice(Take(player_of(state), cube), f"take {cube}") for cube in free)


def needs(state: State) -> Need:
    if state.reason is not None:
        return Need(Wait.OVER, state.seats[0].name)
    held = (state.held,) if state.held else ()
    return Need(Wait.REST if state.is_free else Wait.HAND if held else Wait.ACTION, player_of(state), held)


def apply(state: State, given: Input) -> State:
    admit(state, given, needs(state), HANDLERS, "PI-1")
    if isinstance(given, Take):
        if given.piece in state.pile:
            raise IllegalAction("PI-1", f"{given.piece} lies on the pile")
        return replace(state, held=given.piece)
    assert not isinstance(given, Action)
    after = replace(state, step=given.step, is_free=state.is_free or isinstance(given, Released))
    if isinstance(given, Placed):
        after = replace(after, pile=(*state.pile, given.piece), held="", is_free=False)
        return replace(after, reason=PileReason.LAST, winners=(state.seats[1].name,)) if state.pile else after
    return after


scores = lambda state: (0, len(state.pile))  # noqa: E731
seen_by = lambda state, player: state  # noqa: E731
opening = lambda state: ("Two cubes, one pile.",)  # noqa: E731
called = lambda state, piece: f"the {piece}"  # noqa: E731
tell = lambda before, given, after: (f"{type(given).__name__}.",)  # noqa: E731


class PileJudge(Judge[State]):
    """Where the cubes lie."""

    def layout(self, state: State) -> tuple[Body, ...]:
        cubes = [(name, build(find("bausack/cube"))) for name in CUBES]
        lying = [body.at(places.moved(body.pose, 0.0, 200.0)) for body in places.supply(cubes, 300.0)[0]]
        return (places.table(*places.TABLE_MM), *lying)

    def in_play(self, state: State) -> frozenset[str]:
        return frozenset({*state.pile, state.held} - {""})


class PileSkill(Skill):
    """On top of the pile."""

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        edge = float(build(find("bausack/cube")).extents[2])
        return Pose((0.0, 0.0, (len(session.state.pile) + 0.5) * edge))


GAME: Game[Any] = Game(
    "tiny", "Pile", "lay the last cube", MODES, (Clause("PI-1", "In turn."),), sys.modules[__name__], House, State,
    read_stock=lambda tables: None,
    judge_class="tiny_game:PileJudge", bot_class="tiny_game:PileSkill",
)  # fmt: skip
