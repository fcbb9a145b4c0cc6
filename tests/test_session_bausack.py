"""Bausack on the table: falls count in the step in which they happen, and what is taken away may fell more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.pose import Pose
from games.bausack.game import GAME
from games.bausack.judge import areas
from games.bausack.rules import start
from games.bausack.state import IN, BausackReason, Phase
from games.core.events import Fell
from games.core.rules import Input
from games.game import stock_of
from games.play.session import Session

pytestmark = pytest.mark.slow
NAMES = ["Ana", "Ben"]


def session_at(told: list[Input], **more: Any) -> Session:
    """Ana has just let go of the cube over her foundation; Ben's tower is a foundation and a drum."""
    fresh = start(NAMES, 1, {}, stock_of(GAME))
    towers = (("base_1",), ("base_2", "drum"))
    taken = {"base_1", "base_2", "drum", "cube"}
    state = replace(
        fresh,
        towers=towers,
        supply=tuple(name for name in fresh.supply if name not in taken),
        phase=Phase.SETTLE,
        piece="cube",
        **more,
    )
    session = Session(GAME, GAME.judge, state, tell=[lambda before, given, after: told.append(given)])
    for name, seat in (("base_1", 0), ("base_2", 1)):
        area = areas(state)[seat]
        lay(session, name, area.x, area.y, 0.0)
    session.table.rest_here()
    return session


def lay(session: Session, name: str, x: float, y: float, up: float) -> None:
    """Put a piece somewhere, as it lies in the supply, so far above the table; millimetres."""
    body = GAME.judge.home(session.state, name)
    session.table.put(
        body.at(Pose((x / 1e3, y / 1e3, body.pose.position[2] + up / 1e3), body.pose.orientation))
    )


@pytest.mark.parametrize(("cube", "drum", "winner"), [(30.0, 400.0, "Ben"), (400.0, 30.0, "Ana")])
def test_BS_19_of_two_towers_that_fall_in_one_chain_the_later_wins(
    cube: float, drum: float, winner: str
) -> None:
    told: list[Input] = []
    session = session_at(told)
    for name, seat, up in (("cube", 0, cube), ("drum", 1, drum)):
        area = areas(session.state)[seat]
        lay(session, name, area.x + 150.0, area.y, up)
    session.settle()
    assert session.outcome is not None
    assert (session.outcome.winners, session.outcome.reason) == ((winner,), BausackReason.LAST_STANDING)
    session.close()


def test_BS_19_towers_that_fall_in_the_same_step_draw() -> None:
    told: list[Input] = []
    session = session_at(told)
    for name, seat in (("cube", 0), ("drum", 1)):
        area = areas(session.state)[seat]
        lay(session, name, area.x + 150.0, area.y, 60.0)
    session.settle()
    falls = [each for each in told if isinstance(each, Fell)]
    assert [each.pieces for each in falls] == [("cube", "drum")]
    assert session.outcome is not None
    assert (session.outcome.winners, session.outcome.reason) == (("Ana", "Ben"), BausackReason.SAME_STEP)
    session.close()


def test_BS_08_a_fall_is_told_in_its_step_and_once() -> None:
    told: list[Input] = []
    session = session_at(told)
    area = areas(session.state)[0]
    lay(session, "cube", area.x + 150.0, area.y, 60.0)
    lay(session, "drum", areas(session.state)[1].x, areas(session.state)[1].y, 16.0)
    begun = session.table.step
    session.settle()
    falls = [each for each in told if isinstance(each, Fell)]
    assert [each.pieces for each in falls] == [("cube",)]
    # 60 mm are fallen in 0.11 s; a touch is one after 12.5 ms
    seconds = (falls[0].step - begun) / session.table.rate
    assert 0.10 < seconds < 0.17
    assert session.state.out[0] != IN
    session.close()
