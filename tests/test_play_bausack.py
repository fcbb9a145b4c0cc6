"""Bausack played by bots on true physics: where pieces may lie on a tower, and a whole game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from faults_bausack import faults
from tower_tilt import tilt_of

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body, Scale
from teeter.games.bausack.bot import bearing
from teeter.games.bausack.game import GAME
from teeter.games.bausack.judge import areas
from teeter.games.bausack.rules import start
from teeter.games.core.rules import Input
from teeter.games.game import stock_of
from teeter.games.judge import places
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, play
from teeter.games.players.tower_places import faces, first, in_hollows, let_down, tops
from teeter.games.players.tower_places import places as places_of
from teeter.models.build import build
from teeter.models.catalogue import find

TABLE = places.table(600, 600)


def piece(name: str, x: float = 0.0, y: float = 0.0, low: float = 0.0) -> Body:
    """A piece in its steadiest pose, centred over x and y, its lowest point at `low`; millimetres."""
    shape = build(find(f"bausack/{name}"))
    return Body(name, shape, places.steady(shape).then(Pose((x / 1e3, y / 1e3, low / 1e3))))


def test_a_cuboid_lies_on_its_broad_side_first_and_an_egg_on_none() -> None:
    base = faces(build(find("bausack/base_1")))
    assert [round(face.height * 1e3, 1) for face in base] == [7.5, 7.5, 15.0, 15.0]
    assert base[0].tilt > base[-1].tilt > 20
    assert faces(build(find("bausack/egg"))) == ()


def test_tops_of_one_height_carry_together() -> None:
    heights = tops([piece("base_1"), piece("cube", -15, 0, 15), piece("base_2", 100)])
    assert [round(height) for height, _ in heights] == [45, 15]
    # the cube and a millimetre around it are taken
    assert 60 * 30 < heights[1][1].area < 2 * 60 * 30 - 30 * 30


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["base_2", "cube", "arch", "spool", "bottle", "golf_tee", "tube"])
def test_every_place_stands_and_touches_the_tower(name: str) -> None:
    tower = [piece("base_1"), piece("cube", -12, 0, 15)]
    shape = build(find(f"bausack/{name}"))
    found = places_of(shape, tower)
    assert found
    for each in found:
        tilt = tilt_of(tower, TABLE, Body(name, shape, each.pose))
        assert tilt is None or tilt > 1.0
        rest = let_down(shape, each.pose, DropTarget.of(tower))
        assert rest is not None
        assert rest.position[2] == pytest.approx(each.pose.position[2], abs=1e-6)


@pytest.mark.parametrize(
    ("name", "least", "most"), [("disc", 4.5, 4.5), ("cone", 1.0, 1.5), ("ball", -9.0, 1.0)]
)
def test_an_expert_tries_what_a_tower_bears_and_minds_the_room_on_it(
    name: str, least: float, most: float
) -> None:
    """On a cube: a disc, on which more can be laid; a cone, which is the last; a ball, which rolls off."""
    bodies = {body.name: body for body in (TABLE, piece("cube"), piece(name, 200.0))}
    table = SimpleNamespace(bodies=bodies, scale=Scale.of([bodies["cube"], bodies[name]]))
    session: Any = SimpleNamespace(table=table, state=SimpleNamespace(towers=(("cube",),)))
    assert least <= bearing(session, 0, name) <= most


def test_a_ball_goes_into_a_hole() -> None:
    tower = [piece("ring_small")]
    ball = build(find("bausack/ball"))
    (pose, *_) = in_hollows(ball, tower)
    top = places.highest(tower[0])
    assert np.linalg.norm(pose.position[:2]) < 1e-4
    assert pose.position[2] < top + float(ball.extents[2]) / 2


def test_a_foundation_lies_in_the_middle_of_the_own_area() -> None:
    state = start(["Ana", "Ben", "Cem"], 1, {}, stock_of(GAME))
    shape = build(find("bausack/base_1"))
    for area in areas(state):
        body = Body("base_1", shape, first(shape, area.x, area.y))
        assert area.holds(body)
        assert places.bounds(shape, body.pose)[0][2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_a_game_of_a_few_pieces_is_sound() -> None:
    names = ["Ana", "Ben"]
    state = start(names, 2, {"pieces": 6, "tallest": True}, stock_of(GAME))

    def sound(before: Any, given: Input, after: Any) -> None:
        assert faults(after) == ()

    session = Session(GAME, GAME.judge, state, tell=[sound])
    players = {name: Bot("steady", "bausack", at) for at, name in enumerate(names)}
    why = play(session, players, 20)
    assert all(np.isfinite(body.pose.position).all() for body in session.table.bodies.values())
    session.close()
    assert why == "" or session.turns == 20
