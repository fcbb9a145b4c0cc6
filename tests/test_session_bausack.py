"""Bausack on the table: falls count in the step in which they happen, and what is taken away may fell more."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.games.bausack.game import GAME
from teeter.games.bausack.judge import areas
from teeter.games.bausack.rules import start
from teeter.games.bausack.state import IN, BausackReason, Phase, State, Stir
from teeter.games.core.events import Fell, HitNeighbour, Measured, Met, Nudged, Placed
from teeter.games.core.rules import Input, Take, TakeBack, Wait
from teeter.games.game import stock_of
from teeter.games.judge import places
from teeter.games.play.session import Session

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


def carrying(piece: str, towers: tuple[tuple[str, ...], ...], told: list[Input], **more: Any) -> Session:
    """Ana may take up an accepted piece; the towers lie as `lay_out` lays them."""
    fresh = start(NAMES, 1, {}, stock_of(GAME))
    used = {piece, *(name for tower in towers for name in tower)}
    supply = tuple(name for name in fresh.supply if name not in used)
    state = replace(fresh, towers=towers, supply=supply, phase=Phase.PLACE, piece=piece, **more)
    return Session(GAME, GAME.judge, state, tell=[lambda before, given, after: told.append(given)])


def move_to(session: Session, x: float, y: float, z: float) -> None:
    """The hand goes straight there, at 0.3 m/s, and waits a moment, as long as it holds something; millimetres."""
    start = session.table.hand.target
    way = np.subtract((x / 1e3, y / 1e3, z / 1e3), start.position)
    steps = int(float(np.linalg.norm(way)) / 0.3 * session.table.rate) + 1
    for step in range(1, steps + session.table.rate // 4):
        if session.table.hand.held is None or session.need.wait is not Wait.HAND:
            return
        place = np.asarray(start.position) + way * min(step / steps, 1.0)
        session.aim(packed(Pose((float(place[0]), float(place[1]), float(place[2])), start.orientation)))


def test_BS_05_a_held_piece_goes_back_from_another_tower_even_when_it_has_met_the_own_one() -> None:
    told: list[Input] = []
    session = carrying("cube", (("base_1",), ("base_2", "drum")), told)
    own, other = areas(session.state)
    lay(session, "base_1", own.x, own.y, 0.0)
    lay(session, "base_2", other.x, other.y, 0.0)
    lay(session, "drum", other.x, other.y, 16.0)
    session.table.run_to_rest()
    session.table.rest_here()
    lain = session.table.bodies["cube"].pose.position
    session.act(Take("Ana", "cube"))
    top = float(places.highest(session.table.bodies["base_1"])) * 1e3
    move_to(session, 1e3 * lain[0], 1e3 * lain[1], 150.0)
    move_to(session, own.x, own.y, 150.0)
    move_to(session, own.x, own.y, top + 10.0)
    assert session.state.met, "the cube lies on the own foundation now"
    move_to(session, own.x, own.y, 150.0)
    move_to(session, other.x, other.y - 80.0, 150.0)
    move_to(session, other.x, other.y - 80.0, top + 15.0)
    move_to(session, other.x, other.y + 80.0, top + 15.0)
    touch = next(given for given in reversed(told) if not isinstance(given, Measured))
    assert isinstance(touch, (Met, Nudged))
    assert {touch.piece, getattr(touch, "other", "")} & {"base_2", "drum"}
    assert not [each for each in told if isinstance(each, Fell)]
    assert session.state.out == (IN, IN)
    assert session.outcome is None
    # the cube is where it was taken from, Ben's tower stands as it stood, and Ana takes the cube again
    assert session.table.hand.held is None
    assert session.table.bodies["cube"].pose.position == pytest.approx(lain, abs=1e-4)
    assert session.table.bodies["drum"].pose.position[:2] == pytest.approx(
        (other.x / 1e3, other.y / 1e3), abs=1e-3
    )
    assert [choice.action for choice in session.choices] == [Take("Ana", "cube")]
    session.act(Take("Ana", "cube"))
    assert session.table.hand.held == "cube"
    session.close()


def test_BS_21_the_height_measurer_is_read_after_every_piece_that_is_laid() -> None:
    told: list[Input] = []
    session = session_at(told)
    own, other = areas(session.state)
    lay(session, "cube", own.x, own.y, 15.2)
    lay(session, "drum", other.x, other.y, 15.2)
    session.settle()
    assert [type(each) for each in told[-2:]] == [Placed, Measured]
    tops = [1e3 * places.highest(session.table.bodies[name]) for name in ("cube", "drum")]
    assert session.state.heights_mm == pytest.approx(tops, abs=0.2)
    assert session.state.best_mm == session.state.heights_mm
    assert min(tops) > 25
    # bids and passes move nothing, so there is nothing new to read
    told.clear()
    session.act(session.choices[0].action)
    session.act(TakeBack("Ben"))
    assert not [each for each in told if isinstance(each, Measured)]
    session.close()


def test_BS_03_a_piece_of_the_own_tower_that_leans_against_another_is_a_collapse() -> None:
    """BS-03: Ana has laid a cube well; her stick, pushed aside on the way, leans on Ben's tower beside hers."""
    told: list[Input] = []
    fresh = start(["Ana", "Ben", "Cem"], 1, {}, stock_of(GAME))
    towers = (("base_1", "stick_long"), ("base_2", "slab_short"), ("base_3",))
    used = {"cube", *(name for tower in towers for name in tower)}
    state = replace(
        fresh,
        towers=towers,
        supply=tuple(name for name in fresh.supply if name not in used),
        phase=Phase.SETTLE,
        piece="cube",
    )
    at_home: list[bool] = []

    def tell(before: State, given: Input, after: State) -> None:
        told.append(given)
        if before.stir is Stir.TAKEN_AWAY:
            at_home.append(all(session.table.bodies[name].fixed for name in (*towers[0], "cube")))

    session = Session(GAME, GAME.judge, state, tell=[tell])
    own, beside, third = areas(state)
    edge, y = (own.x + beside.x) / 2, own.y
    towards = -1.0 if beside.x < own.x else 1.0
    lay(session, "base_1", edge - towards * 45.0, y, 0.0)
    lay(session, "base_2", edge + towards * 45.0, y, 0.0)
    lay(session, "slab_short", edge + towards * 45.0, y, 15.2)
    lay(session, "base_3", third.x, third.y, 0.0)
    lay(session, "cube", edge - towards * 58.0, y + 4.0, 15.2)
    session._checkpoints.before = session.table.scene()
    tilt = math.atan2(15.0, 45.0)
    stick = session.table.bodies["stick_long"]
    pose = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, -towards * tilt, 0.0))
    x = edge - towards * (25.0 - 45.0 * math.cos(tilt))
    height = 15.0 + 45.0 * math.sin(tilt) + 7.5 * math.cos(tilt) + 1.0
    session.table.put(stick.at(pose.then(Pose((x / 1e3, y / 1e3, height / 1e3)))))
    session.table.run_to_rest()
    session.table.rest_here()
    session.settle()
    hits = [each for each in told if isinstance(each, HitNeighbour)]
    assert [(each.piece, each.owner) for each in hits] == [("stick_long", "Ben")]
    assert [step == IN for step in session.state.out] == [False, True, True]
    assert {"base_1", "stick_long", "cube"} <= set(session.state.supply)
    assert at_home == [True], "BS-09: what was given back is taken away before anything else happens"
    session.close()
