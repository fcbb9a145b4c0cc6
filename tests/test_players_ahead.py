"""What bots try in worlds of their own: how much tilt a tower bears, and what moves when a brick is drawn out."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body, Scale
from teeter.engine.world.bullet import BulletWorld
from teeter.games.core.rules import Wait
from teeter.games.game import stock_of
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players import ahead
from teeter.games.players.ahead import MOST_DEG, drawn, firmest, firmness
from teeter.games.players.bots import bots_of, lay, pull, referees
from teeter.games.registry import game_named
from teeter.games.tower_topple.bot import assembly_of, bears, way_out
from teeter.models.build import build
from teeter.models.spec import PieceSpec
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop


def block(name: str, size: list[float], *, x: float = 0.0, base: float = 0.0) -> Body:
    """A block of so many millimetres on a level, metres."""
    spec: dict[str, Any] = {"model": name, "shape": {"box": size}, "material": "beech"}
    return Body(name, build(PieceSpec.model_validate(spec)), Pose((x, 0.0, base + size[2] / 2e3)))


TABLE = table_body(TableTop())


def test_a_slender_block_bears_the_tilt_at_which_its_centre_leaves_its_foot() -> None:
    found = []
    for height in (240.0, 300.0, 360.0):
        bodies = [TABLE, block("post", [25.0, 25.0, height])]
        found.append(firmness(bodies, Scale.of(bodies)))
        # the tilt goes round faster than the block goes over: it tips up to two degrees late, never early
        tips = math.degrees(math.atan(25.0 / height))
        assert tips < found[-1] < tips + 2.0
    assert found == sorted(found, reverse=True)


def test_what_falls_by_itself_bears_nothing_and_what_is_broad_bears_all() -> None:
    low, high = block("low", [75.0, 25.0, 15.0]), block("high", [75.0, 25.0, 15.0], x=0.05, base=0.015)
    assert firmness([TABLE, low, high], Scale.of([low])) < 0.0
    assert firmness([TABLE, low], Scale.of([low])) == MOST_DEG


def test_of_what_falls_the_later_is_the_better() -> None:
    low = block("low", [75.0, 25.0, 15.0])
    found = [
        firmness([TABLE, low, block("high", [75.0, 25.0, 15.0], x=x, base=0.015)], Scale.of([low]))
        for x in (0.0385, 0.05)
    ]
    assert found[1] < found[0] < 0.0


def session_of(**options: object) -> Session:
    game = game_named("tower-topple")
    state = game.rules.start(["Ana", "Ben"], 1, options, stock_of(game))
    return Session(game, game.judge, state)


@pytest.mark.slow
def test_a_middle_brick_comes_out_of_an_even_tower_and_leaves_it_standing() -> None:
    session = session_of(bricks="exact")
    try:
        row = session.state.tower[10]
        before = session.table.scene().bodies
        assert drawn(session, row[1], way_out(session, row[1]), 8e-3) < 3e-3
        # not so half of a row of the foot, drawn across the others
        side = session.state.tower[0][0]
        across = np.cross(way_out(session, side), (0.0, 0.0, 1.0))
        inwards = np.sign(across @ np.subtract((0.0, 0.0, 0.0), before[side].pose.position)) * across
        assert drawn(session, side, inwards, 8e-3) == math.inf
        assert session.table.scene().bodies == before
    finally:
        session.close()


def test_the_firmest_of_poses_is_over_the_middle() -> None:
    session = session_of(bricks="exact")
    try:
        tower = [name for row in session.state.tower[:2] for name in row]
        top = session.table.bodies[session.state.tower[-1][0]]
        level = 2 * float(top.piece.extents[2]) + float(top.piece.extents[2]) / 2
        poses = [Pose((x, 0.0, level + 1e-4)) for x in (0.06, 0.0, 0.02)]
        degrees, best = firmest(session, tower, top, poses)
        assert (degrees, best) == (MOST_DEG, poses[1])
        with pytest.raises(ValueError, match="no pose"):
            firmest(session, tower, top, [])
    finally:
        session.close()


def drawn_from(way: float, most: float, *bodies: Body) -> float:
    """What a table with these pieces says of drawing out the one named `out` along x, metres."""
    listed = (TABLE, *bodies)
    with BulletWorld(listed) as world:
        world.settle()
        snapshot = world.snapshot()
    table = SimpleNamespace(
        remember=lambda: SimpleNamespace(snapshot=snapshot),
        bodies={body.name: body for body in listed},
        friction_of=lambda name: 1.0,
    )
    session = cast(Session, SimpleNamespace(table=table))
    return drawn(session, "out", np.array([way, 0.0, 0.0]), most)


def test_a_brick_drawn_out_is_judged_by_how_far_the_rest_has_moved() -> None:
    out, apart = block("out", [75.0, 25.0, 15.0]), block("apart", [25.0, 25.0, 25.0], x=-0.1)
    assert drawn_from(0.05, 1e-3, out, apart) < 1e-4
    on_it = block("on", [20.0, 20.0, 10.0], base=0.015)
    assert drawn_from(0.05, 5e-3, out, on_it) == math.inf, "it is taken along"
    assert 0.015 < drawn_from(0.05, 1.0, out, on_it) < 0.1
    # only when the brick is taken away what lay on it falls
    assert drawn_from(0.01, 0.015, out, on_it) == math.inf
    assert drawn_from(0.05, 8e-3, out, block("wall", [25.0, 200.0, 200.0], x=0.0505)) == math.inf, (
        "it is stuck"
    )


def test_what_is_tried_rubs_as_in_the_game_and_leaves_no_world_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The brick that is drawn out, as hard as between rigid bricks; whether it comes out or is stuck."""
    told: list[tuple[str, float]] = []
    closed: list[BulletWorld] = []
    close = BulletWorld.close

    def close_one(world: BulletWorld) -> None:
        closed.append(world)
        close(world)

    monkeypatch.setattr(BulletWorld, "set_friction", lambda world, *given: told.append(given))
    monkeypatch.setattr(BulletWorld, "close", close_one)
    out, apart = block("out", [75.0, 25.0, 15.0]), block("apart", [25.0, 25.0, 25.0], x=-0.1)
    for other, is_stuck in ((apart, False), (block("wall", [25.0, 200.0, 200.0], x=0.0505), True)):
        told.clear()
        closed.clear()
        assert (drawn_from(0.05, 8e-3, out, other) == math.inf) == is_stuck
        assert told == [("out", 1.0)]
        assert len(closed) == 2, "that of the game, and that of the trial"


def test_the_first_of_poses_that_is_firm_enough_or_the_firmest_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    degrees = [2.0, 5.0, 5.0, 8.0, 9.0]
    asked: list[list[Body]] = []
    up_to = set[float]()

    def told(bodies: list[Body], scale: Scale, most: float) -> float:
        asked.append(bodies)
        up_to.add(most)
        return degrees[len(asked) - 1]

    monkeypatch.setattr(ahead, "firmness", told)
    low = block("low", [75.0, 25.0, 15.0])
    held = replace(block("held", [75.0, 25.0, 15.0], x=0.3), fixed=True)
    table = SimpleNamespace(bodies={body.name: body for body in (TABLE, low, held)}, scale=Scale.of([low]))
    session = cast(Session, SimpleNamespace(table=table))
    poses = [Pose((0.001 * number, 0.0, 0.02)) for number in range(5)]
    for enough, tried, best in ((5.0, 2, 1), (8.0, 4, 3), (7.9, 4, 3), (99.0, 5, 4)):
        asked.clear()
        assert firmest(session, ["low", "held"], held, poses, enough) == (degrees[best], poses[best])
        assert len(asked) == tried
        assert [body.name for body in asked[0]] == ["table", "low", "held"]
    assert up_to == {5.0, 7.9, 8.0, MOST_DEG}, "no tilt is tried beyond what is enough"
    asked.clear()
    assert firmest(session, ["low"], held, poses[:3]) == (5.0, poses[1])
    assert not asked[0][2].fixed


@pytest.mark.slow
def test_TT_11_what_comes_out_in_a_trial_would_not_topple_the_tower() -> None:
    """TT-11: of a tower that leans a force balance bears no brick's absence; these two came out for three points."""
    session, _ = begin(game_named("tower-topple"), ("bot:steady", "bot:steady"), 7, {})
    bots = bots_of(session, 7)
    session.act(
        next(each.action for each in session.choices if getattr(each.action, "piece", "") == "brick.16")
    )
    while session.need.wait is not Wait.ANSWER:
        need = session.need
        if need.wait is Wait.HAND:
            lay(session, bots[need.who], need)
        elif need.wait is Wait.PULL:
            pull(session, bots[need.who], need)
        else:
            session.settle()
    assert session.need.pieces == ("brick.18", "brick.34")
    assert not any(bears(assembly_of(session), brick) for brick in session.need.pieces)
    assert not referees(session, session.need)
    session.close()
