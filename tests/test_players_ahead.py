"""What bots try in worlds of their own: how much tilt a tower bears, and what moves when a brick is drawn out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine.pose import Pose
from engine.world import Body, Scale
from games.game import stock_of
from games.play.session import Session
from games.players.ahead import MOST_DEG, drawn, firmest, firmness
from games.registry import game_named
from games.tower_topple.bot import way_out
from models.build import build
from models.spec import PieceSpec
from scenes.assemble import table_body
from scenes.schema import TableTop


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
