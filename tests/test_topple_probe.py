"""The probe beside closed forms: friction of one brick, of rows of bricks, and what falls without a piece."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import GRIP
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.errors import NotStandingError
from teeter.engine.topple.laboratory.probe import Probed, probe, probe_piece, pull_directions, settle
from teeter.engine.topple.perturbation import settle_undisturbed
from teeter.engine.world.body import Assembly, Body
from teeter.engine.world.bullet import BulletWorld
from teeter.scenes.load import load

BRICK = piece(wood(), box=(75, 25, 15))
WEIGHT = BRICK.mass * GRAVITY
ON_TABLE = math.sqrt(BRICK.material.friction * table().piece.material.friction)


def brick(name: str, x: float, y: float, z: float, yaw: float = 0.0, *, fixed: bool = False) -> Body:
    """A brick; mm and degrees."""
    turn = quaternion_of_rpy(0.0, 0.0, math.radians(yaw))
    return Body(name, BRICK, Pose((x / 1e3, y / 1e3, z / 1e3), turn), fixed)


def scene(*bodies: Body) -> Assembly:
    return Assembly("scene", (table(), *bodies))


def rows(count: int, gone: tuple[str, ...] = ()) -> Assembly:
    """A tower of exact bricks, named by row and place, some taken out."""
    bodies = tuple(body for body in tower(rows=count) if body.name not in gone)
    return Assembly("rows", bodies)


def between_rows(load: float, weight: float) -> float:
    """Newtons to slide a brick between two bricks: friction above and below."""
    return 0.4 * (2.0 * load + weight)


# -- forces ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yaw", [0.0, 35.0])
def test_a_brick_alone_is_pulled_against_the_friction_of_its_weight(yaw: float) -> None:
    found = probe(scene(brick("a", 0, 0, 7.5, yaw)), workers=1)["a"]
    assert found.pull == pytest.approx(ON_TABLE * WEIGHT, rel=0.03)
    assert found.load == pytest.approx(0.0, abs=1e-6)
    assert (found.loose, found.pull is None, found.stands_without) == (True, False, True)


def test_the_lower_of_two_bricks_rubs_above_and_below() -> None:
    found = probe(scene(brick("low", 0, 0, 7.5), brick("high", 0, 0, 22.5, 90.0)), workers=1)
    assert found["low"].load == pytest.approx(WEIGHT, rel=1e-3)
    # the table rubs with the weight of both; what the upper brick adds is less when it comes along
    assert ON_TABLE * 2 * WEIGHT * 0.95 < (found["low"].pull or 0) < (ON_TABLE * 2 + 0.4) * WEIGHT * 1.05
    assert not found["low"].stands_without
    assert found["high"].pull == pytest.approx(0.4 * WEIGHT, rel=0.1)


@cache
def twelve_rows() -> dict[str, Probed]:
    """The middle bricks of some rows."""
    return probe(rows(12), [f"brick.{3 * row + 2:02d}" for row in (2, 5, 8, 10)], workers=1)


@pytest.mark.slow
def test_a_middle_brick_carries_a_third_of_what_is_above() -> None:
    weight = rows(12).free[0].piece.mass * GRAVITY
    found = [one.load / weight for one in twelve_rows().values()]
    assert found == pytest.approx([9.0, 6.0, 3.0, 1.0], rel=0.02)


@pytest.mark.slow
def test_a_middle_brick_is_pulled_against_friction_above_and_below() -> None:
    weight = rows(12).free[0].piece.mass * GRAVITY
    for name, one in twelve_rows().items():
        assert one.pull == pytest.approx(between_rows(one.load, weight), rel=0.25), name
        assert one.stands_without
        assert not one.loose


@pytest.mark.slow
def test_the_lower_a_brick_lies_the_harder_it_is_to_pull() -> None:
    pulls = [one.pull or math.inf for one in twelve_rows().values()]
    assert pulls == sorted(pulls, reverse=True)
    assert pulls[0] > 4.0 * pulls[-1]


@pytest.mark.parametrize(
    ("below", "above", "between"), [(0.2, 0.8, 0.4), (0.4, 0.4, 0.4), (0.1, 0.9, 0.3), (0.3, 0.1, 1.0)]
)
@pytest.mark.parametrize("count", [1, 3])
def test_what_lies_on_a_piece_alone_rides_along(
    below: float, above: float, between: float, count: int
) -> None:
    """Pulled slowly, only the table holds it back: friction with it times the weight of all."""
    low = piece(wood(friction=between), box=(60, 60, 20))
    high = piece(wood(friction=between, density=700 * above / 0.3), box=(60, 60, 20))
    ground = table().rubbing(below**2 / between)
    stack = [Body(f"b{n}", high if n else low, Pose((0.0, 0.0, 0.02 * n + 0.01))) for n in range(count + 1)]
    weight = GRAVITY * sum(body.piece.mass for body in stack)
    found = probe(Assembly("stack", (ground, *stack)), ["b0"], workers=1)["b0"]
    assert found.pull == pytest.approx(below * weight, rel=0.1)


@pytest.mark.parametrize("mass", [1.0, 3.0, 50.0])
def test_a_block_too_heavy_for_a_hand_is_pulled_against_its_friction(mass: float) -> None:
    size = np.array([200, 100, 150])
    block = piece(wood(density=mass / float(np.prod(size / 1e3))), box=tuple(size.tolist()))
    found = probe(scene(Body("a", block, Pose((0.0, 0.0, 0.075)))), workers=1)["a"]
    assert block.mass == pytest.approx(mass)
    assert found.pull == pytest.approx(ON_TABLE * mass * GRAVITY, rel=0.02)
    assert found.loose


@pytest.mark.parametrize(("name", "below"), [("egg_in_eggcup", "cup"), ("ball_on_ring", "ring")])
def test_what_lies_in_a_piece_holds_it_nowhere(name: str, below: str) -> None:
    scene = load(name).assembly
    low = next(body for body in scene.free if body.name == below)
    ground = next(body for body in scene.bodies if body.fixed)
    friction = math.sqrt(low.piece.material.friction * ground.piece.material.friction)
    found = probe(scene, [below], workers=1)[below]
    assert found.pull == pytest.approx(
        friction * GRAVITY * sum(body.piece.mass for body in scene.free), rel=0.1
    )


@pytest.mark.slow
def test_a_tower_that_leans_is_pulled_at_while_it_stands() -> None:
    """At the usual rate it buckles before anybody pulls, and its blocks seemed to be pushed back."""
    scene = load("leaning_tower").assembly
    found = probe(scene, ["block.10", "block.01"], workers=1)
    weights = [body.piece.mass * GRAVITY for body in scene.free]
    assert found["block.10"].pull == pytest.approx(0.4 * weights[-1], rel=0.05)
    ground = next(body for body in scene.bodies if body.fixed).piece.material.friction
    friction = math.sqrt(ground * scene.free[0].piece.material.friction)
    assert found["block.01"].pull == pytest.approx(friction * sum(weights), rel=0.1)


def test_a_brick_under_more_than_the_hand_can_pull_is_stuck_in_a_game_alone() -> None:
    heavy = piece(wood(density=7000.0), box=(75, 25, 15))
    stack = [
        Body(
            f"b{n}", heavy, Pose((0.0, 0.0, 0.015 * n + 0.0075), quaternion_of_rpy(0.0, 0.0, n * math.pi / 2))
        )
        for n in range(9)
    ]
    weight = heavy.mass * GRAVITY
    found = probe(scene(*stack), ["b0", "b7"], workers=1)
    assert ON_TABLE * 9 * weight > GRIP.force > between_rows(weight, weight)
    felt = probe_piece(settle(scene(*stack)), "b0")
    assert (felt.pull, felt.loose) == (None, False)
    # nothing else holds the column: it rides along
    assert found["b0"].pull == pytest.approx(ON_TABLE * 9 * weight, rel=0.06)
    assert found["b7"].pull == pytest.approx(between_rows(weight, weight), rel=0.35)


# -- ways out --------------------------------------------------------------------------------------------------


def test_a_brick_is_pulled_lengthways_both_ways_where_both_are_free() -> None:
    body = brick("a", 0, 0, 7.5, 90.0)
    ways = pull_directions(scene(body), body)
    assert np.allclose(ways, [(0, 1, 0), (0, -1, 0)], atol=1e-12)


def test_a_brick_is_pulled_away_from_what_is_in_its_way() -> None:
    body = brick("a", 0, 0, 7.5)
    ways = pull_directions(scene(body, brick("b", 75.5, 0, 7.5), brick("over", 0, 0, 22.5)), body)
    assert np.allclose(ways, [(-1, 0, 0)])


def test_a_cube_between_others_is_pulled_where_nothing_is() -> None:
    cube = piece(wood(), box=(20, 20, 20))
    bodies = [Body(f"c{n}", cube, Pose((0.0201 * n, 0.0, 0.01))) for n in range(3)]
    ways = pull_directions(scene(*bodies), bodies[1])
    assert np.allclose(ways, [(0, 1, 0), (0, -1, 0)], atol=1e-12)


def test_a_brick_between_walls_at_both_its_ends_is_pulled_crossways() -> None:
    body = Body("a", piece(wood(), box=(80, 25, 15)), Pose((0.0, 0.0, 0.0075)))
    wall = piece(wood(), box=(20, 60, 40))
    walls = [Body(f"wall.{side:+d}", wall, Pose((0.051 * side, 0.0, 0.02)), fixed=True) for side in (-1, 1)]
    found = probe(scene(body, *walls), workers=1)["a"]
    assert found.pull == pytest.approx(ON_TABLE * body.piece.mass * GRAVITY, rel=0.05)
    assert found.loose
    beside = [Body(f"side.{n:+d}", wall, Pose((0.0, 0.0435 * n, 0.02)), fixed=True) for n in (-1, 1)]
    assert probe(scene(body, *walls, *beside), workers=1)["a"].pull is None


RING = [[x, y, 0] for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("is_fixed", [False, True])
@pytest.mark.parametrize("width", [18, 10])
def test_a_ring_round_a_post_is_pulled_off_no_way(width: int, is_fixed: bool) -> None:
    ring = Body("ring", piece(wood(), polycube={"cells": RING, "edge": 20}), Pose((0.0, 0.0, 0.01)))
    post = Body("post", piece(wood(), box=(width, width, 40)), Pose((0.0, 0.0, 0.02)), fixed=is_fixed)
    assert all(each.pull is None for each in probe(scene(post, ring), workers=1).values())


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("is_fixed", [False, True])
def test_a_block_is_pulled_off_a_tray_where_a_wall_is_missing(is_open: bool, is_fixed: bool) -> None:
    cells = [(x, y, z) for x in range(5) for y in range(5) for z in range(3)]
    inside = [(x, y, z) for x in range(1, 6 if is_open else 4) for y in range(1, 4) for z in (1, 2)]
    walls = [cell for cell in cells if cell not in inside]
    tray = Body(
        "tray", piece(wood(), polycube={"cells": walls, "edge": 10}), Pose((0.0, 0.0, 0.015)), is_fixed
    )
    block = Body("block", piece(wood(), box=(22, 22, 10)), Pose((0.0, 0.0, 0.015)))
    found = probe(scene(tray, block), ["block"], workers=1)["block"]
    assert (found.pull is None) is not is_open


# -- without it ------------------------------------------------------------------------------------------------


def test_the_last_brick_of_a_row_but_an_outer_one_topples_what_is_above() -> None:
    """Row two holds its middle brick and one outer: without the middle one the rest lies on the outer one alone."""
    found = probe(rows(5, ("brick.06",)), ["brick.04", "brick.05", "brick.15"], workers=1)
    assert {name: one.stands_without for name, one in found.items()} == {
        "brick.04": True,
        "brick.05": False,
        "brick.15": True,
    }


def test_where_statics_is_silent_dynamics_answers() -> None:
    found = probe(load("cone_in_ring").assembly, workers=1)
    assert {name: one.stands_without for name, one in found.items()} == {
        "lower": False,
        "upper": False,
        "cone": True,
    }
    weights = {body.name: body.piece.mass * GRAVITY for body in load("cone_in_ring").assembly.free}
    assert found["upper"].load == pytest.approx(weights["cone"], rel=0.03)
    assert found["lower"].load == pytest.approx(weights["cone"] + weights["upper"], rel=0.03)
    assert found["cone"].load == pytest.approx(0.0, abs=1e-3)
    # the rings hold the cone; it rides along with them, and its sides lift its tip out of the lower one
    assert {name for name, one in found.items() if one.pull is None} == {"cone"}


def test_a_scene_as_it_came_to_rest_is_probed_as_well() -> None:
    declared = scene(brick("low", 0, 0, 7.8), brick("high", 10, 0, 23.1))
    assert not settle_undisturbed(declared).fell
    found = probe(declared, workers=1)
    assert found["low"].load == pytest.approx(WEIGHT, rel=0.01)
    assert {name: one.stands_without for name, one in found.items()} == {"low": False, "high": True}


# -- what is asked ---------------------------------------------------------------------------------------------


def test_fixed_pieces_are_skipped_and_the_order_is_the_scenes() -> None:
    bodies = scene(brick("post", 0, 100, 7.5, fixed=True), brick("b", 0, 0, 7.5), brick("a", 0, 50, 7.5))
    assert list(probe(bodies, workers=1)) == ["b", "a"]
    assert list(probe(bodies, ["a", "post", "table"], workers=1)) == ["a"]
    assert probe(bodies, ["post"]) == {}


def test_unknown_names_and_falling_scenes_are_refused() -> None:
    with pytest.raises(ValueError, match="no piece 'c'"):
        probe(scene(brick("a", 0, 0, 7.5)), ["c"])
    with pytest.raises(NotStandingError, match="does not stand by itself"):
        probe(scene(brick("a", 0, 0, 7.5), brick("b", 0, 0, 22.5), brick("c", 60, 0, 37.5)))


def test_progress_is_told_piece_by_piece() -> None:
    told: list[tuple[int, int]] = []
    probe(
        scene(brick("a", 0, 0, 7.5), brick("b", 0, 50, 7.5)), workers=1, progress=lambda *at: told.append(at)
    )
    assert told == [(1, 2), (2, 2)]


def test_the_same_for_any_number_of_workers_and_every_time() -> None:
    assembly = rows(4)
    names = ["brick.02", "brick.05", "brick.10"]
    alone = probe(assembly, names, workers=1)
    assert probe(assembly, names, workers=1) == alone
    assert probe(assembly, names, workers=2) == alone
    # one piece asked alone is no other than among many
    assert probe(assembly, names[1:2], workers=1) == {names[1]: alone[names[1]]}


@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_a_scene_of_another_size_is_the_same_scene(factor: float) -> None:
    shape = piece(wood(), box=(75 * factor, 25 * factor, 15 * factor))
    found = probe(
        Assembly("scaled", (table(), Body("a", shape, Pose((0.0, 0.0, 0.0075 * factor))))), workers=1
    )
    expected = ON_TABLE * shape.mass * GRAVITY
    assert found["a"].pull == pytest.approx(expected, rel=0.02)


def test_the_probe_leaves_no_world_open(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds: list[BulletWorld] = []
    opened = BulletWorld.__init__

    def spy(world: BulletWorld, *words: object, **named: object) -> None:
        worlds.append(world)
        opened(world, *words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(BulletWorld, "__init__", spy)
    probe(scene(brick("a", 0, 0, 7.5)), workers=1)
    assert worlds
    for world in worlds:
        with pytest.raises(RuntimeError, match="closed"):
            world.read()
