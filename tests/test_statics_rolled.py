"""How far the table tilts under pieces that roll far before they fall, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.finer import with_true_curves
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly, Body
from teeter.models.build import build
from teeter.models.catalogue import find

LYING = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
UPSIDE_DOWN = quaternion_of_rpy(math.pi, 0.0, 0.0)
LEVEL = (0.0, 0.0, 0.0, 1.0)


def body(
    name: str, height: float, turn: Any = LEVEL, mu: float = 0.5, fixed: bool = False, **shape: Any
) -> Body:
    return Body(name, piece(wood(mu), **shape), Pose((0.0, 0.0, height / 1e3), turn), fixed)


def dome(mu: float) -> Assembly:
    shape = build(find("bausack/hemisphere"))
    upside_down = Pose((0.0, 0.0, float(shape.extents[2]) / 2), UPSIDE_DOWN)
    return Assembly("dome", (table(wood(mu**2 / shape.material.friction)), Body("dome", shape, upside_down)))


def board(half: float, mu: float) -> Assembly:
    """A board over a fixed cylinder of radius 15."""
    log = body("log", 15, LYING, mu, fixed=True, cylinder=(15, 60))
    return Assembly("board", (table(wood(mu)), log, body("board", 30 + half, mu=mu, box=(120, 40, 2 * half))))


def board_tilts(half: float, mu: float) -> float:
    """It rests at psi - half / 15 tan(psi), psi the slope where it touches: until that falls again, or it slides."""
    psi = min(math.atan(mu), math.acos(math.sqrt(half / 15)))
    return math.degrees(psi - half / 15 * math.tan(psi))


def ball_in_bowl() -> Assembly:
    """A ball of radius 10 in a fixed bowl of radius 30 whose rim is 30 degrees up."""
    low, sagitta = 20 - 30 * (1 - math.cos(math.radians(30))), 30 * (1 - math.cos(math.radians(15)))
    profile = [[0, 0], [25, 0], [25, 20], [15, 20], [0, low, -sagitta]]
    bowl = Body("bowl", piece(wood(), turned={"profile": profile}), Pose((0.0, 0.0, 0.01)), fixed=True)
    return Assembly("bowl", (table(), bowl, body("ball", low + 10, sphere=10.0)))


ROLLS_FAR = {
    "a dome on its curve: three eighths of its radius": (dome(0.9), math.degrees(math.asin(3 / 8))),
    "a dome that slides first": (dome(0.3), math.degrees(math.atan(0.3))),
    "a board on a cylinder slides": (board(8, 0.4), board_tilts(8, 0.4)),
    "a board on a cylinder rolls off": (board(8, 2.0), board_tilts(8, 2.0)),
    "a ball in a bowl leaves over its rim": (ball_in_bowl(), 30.0),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if "rim" not in name else pytest.param(name, marks=pytest.mark.soak) for name in ROLLS_FAR]
)
def test_what_rolls_far_is_followed_to_where_it_falls(name: str) -> None:
    scene, degrees = ROLLS_FAR[name]
    found = analyse(scene, loads=False)
    assert (found.stands, found.tilt_at_least) == (True, False)
    # a rim is touched a tenth of a millimetre before it is reached
    assert found.tilt_deg == pytest.approx(degrees, rel=2.5e-2 if "rim" in name else 5e-3)
    assert found.weakest == scene.free[0].name


ROLLS: dict[str, dict[str, Any]] = {
    "a disc on its edge": {"cylinder": (20, 8)},
    "a capsule on its side": {"turned": {"profile": [[0, 0], [10, 10, 2.93], [10, 30], [0, 40, 2.93]]}},
}


@pytest.mark.parametrize("name", ROLLS)
def test_what_lies_on_its_round_side_stands_and_has_no_margin(name: str) -> None:
    shape = ROLLS[name]
    made = piece(wood(), **shape)
    lies = body("it", float(made.extents[0]) * 500, LYING, **shape)
    found = analyse(Assembly(name, (table(), lies)), loads=False)
    assert (found.stands, found.rolls, found.tilt_deg) == (True, ("it",), 0.0)


def test_parts_lie_on_the_curve_they_touch_on() -> None:
    scene = board(8, 0.4)
    finer = with_true_curves(scene)
    before, after = (
        next(each for each in bodies if each.name == "log").piece.parts
        for bodies in (scene.bodies, finer.bodies)
    )
    touched = [
        part for old, part in zip(before, after, strict=True) if len(part.vertices) > len(old.vertices)
    ]
    # the sectors on both sides of the top
    assert len(touched) == 2
    for part in touched:
        radii = np.linalg.norm(part.vertices[:, :2], axis=1)
        assert radii[radii > 0] == pytest.approx(0.015, abs=1e-7)
    alone = Assembly("plain", (table(), body("box", 10, box=(20, 20, 20))))
    assert with_true_curves(alone) is alone


@pytest.mark.slow
def test_a_board_stands_on_a_cylinder_in_the_simulation_too() -> None:
    assert check(board(8, 0.4), CheckOptions(workers=1)).word == "stands"


@pytest.mark.slow
def test_a_block_stands_on_a_dome_in_the_simulation_too() -> None:
    """Half its height is six tenths of the radius. It slides off where psi - 0.6 tan(psi) ends, at psi = atan(mu)."""
    shape = build(find("bausack/hemisphere"))
    radius, mu = float(shape.extents[2]) * 1e3, 0.5
    support = Body("dome", shape, Pose((0.0, 0.0, radius / 2e3)), fixed=True)
    block = body("block", 1.6 * radius, mu=mu, box=(60, 60, 1.2 * radius))
    found = check(Assembly("block on dome", (table(wood(mu)), support, block)), CheckOptions(workers=1))
    psi = math.atan(math.sqrt(mu * shape.material.friction))
    assert found.word == "stands"
    assert found.statics.tilt_deg == pytest.approx(math.degrees(psi - 0.6 * math.tan(psi)), rel=2e-2)
