"""Pieces of unequal size resting on each other: which of them carry, and one pose for statics and simulation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mesh_cases import CASES

from teeter.engine.bench.rigs import on_slope, piece, table, tower, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.resting import YIELDING, at_rest, gaps_of, rejoined, resting
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline
from teeter.engine.world.body import Assembly, Body
from teeter.scenes.load import load

LENGTH, SPACING = 75.0, 25.4
"""mm, of the bricks and between the middles of those in a row."""


def row_under_a_brick(*heights: float) -> Assembly:
    """Three bricks side by side of these heights (mm), and one across them that lies on the highest."""
    bodies = [table()]
    for number, height in enumerate(heights):
        pose = Pose(((number - 1) * SPACING / 1e3, 0.0, height / 2e3))
        bodies.append(
            Body(["left", "middle", "right"][number], piece(wood(), box=(25, LENGTH, height)), pose)
        )
    across = Pose((0.0, 0.0, (max(heights) + 7.5) / 1e3))
    return Assembly("row", (*bodies, Body("across", piece(wood(), box=(LENGTH, 25, 15)), across)))


def shares(assembly: Assembly) -> dict[str, float]:
    """What each of the three carries, as part of the brick across."""
    found = resting(at_rest(assembly) or assembly)
    assert found is not None
    weight = assembly.free[-1].piece.mass * GRAVITY
    return {name: load / weight for name, load in found.loads.items()}


NEAR, FAR = SPACING - 12.5, LENGTH / 2
"""mm from the middle to the inner corner of an outer brick's top, and to the end of the brick across."""


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        pytest.param((15.0, 15.2, 15.1), (0.0, 1.0, 0.0), id="the middle is highest"),
        pytest.param((15.0, 14.8, 15.0), (0.5, 0.0, 0.5), id="the middle is lowest"),
        # lies on the inner corner of the highest and the far corner of the middle
        pytest.param((15.3, 15.2, 14.8), (12.5 / (NEAR + 12.5), NEAR / (NEAR + 12.5), 0.0), id="downhill"),
        pytest.param((15.3, 14.9, 15.0), (FAR / (NEAR + FAR), 0.0, NEAR / (NEAR + FAR)), id="over a gap"),
    ],
)
def test_a_brick_lies_on_those_that_stick_out(
    heights: tuple[float, float, float], expected: tuple[float, float, float]
) -> None:
    found = shares(row_under_a_brick(*heights))
    assert [found["left"], found["middle"], found["right"]] == pytest.approx(expected, abs=1e-3)


def test_equal_bricks_share() -> None:
    found = shares(row_under_a_brick(15.0, 15.0, 15.0))
    assert [found["left"], found["middle"], found["right"]] == pytest.approx([1 / 3] * 3, abs=1e-4)


def test_the_weight_of_a_tower_arrives_at_its_foot() -> None:
    scene = Assembly("tower", tower(3, rows=8))
    found = resting(scene)
    assert found is not None
    low = [body for body in scene.free if body.pose.position[2] < 0.01]
    weight = sum(body.piece.mass for body in scene.free) * GRAVITY
    above = sum(found.loads[body.name] + body.piece.mass * GRAVITY for body in low)
    assert above == pytest.approx(weight, rel=1e-6)


def pattern(loads: dict[str, float], scene: Assembly, row: int) -> str:
    """Which bricks of a row are loose: they carry less than half of one."""
    bricks = scene.free[3 * row : 3 * row + 3]
    loose = [loads[body.name] < 0.5 * body.piece.mass * GRAVITY for body in bricks]
    return "".join("-o"[each] for each in loose)


def loose_patterns(seeds: range, yielding: float = YIELDING) -> dict[str, float]:
    """Share of the rows of uneven towers, the uppermost left out, in which these bricks are loose."""
    found = []
    for seed in seeds:
        scene = Assembly("tower", tower(seed))
        rest = resting(scene, yielding=yielding)
        assert rest is not None
        found += [pattern(rest.loads, scene, row) for row in range(15)]
    return {kind: found.count(kind) / len(found) for kind in sorted(set(found))}


def test_which_bricks_of_an_uneven_tower_are_loose_follows_from_the_order_of_three_heights() -> None:
    """The middle one is highest in a third of all rows; below the line over its neighbours in a half."""
    found = loose_patterns(range(6))
    assert found["o-o"] == pytest.approx(1 / 3, abs=0.09)
    assert found["-o-"] == pytest.approx(1 / 2, abs=0.09)
    assert found["o--"] + found["--o"] == pytest.approx(1 / 6, abs=0.06)
    assert found.get("---", 0.0) < 0.02


def test_how_little_wood_yields_decides_nothing() -> None:
    hardest = loose_patterns(range(4), YIELDING / 64)
    for times in (1 / 16, 1 / 4, 1.0):
        assert loose_patterns(range(4), times * YIELDING) == hardest


def test_contacts_as_soft_as_the_simulation_s_close_the_gaps() -> None:
    assert loose_patterns(range(2), 200 * YIELDING)["---"] > 0.4


def test_at_rest_nothing_overlaps_and_every_piece_touches() -> None:
    scene = at_rest(Assembly("tower", tower(5, rows=6)))
    assert scene is not None
    found = resting(scene)
    assert found is not None
    gaps = gaps_of(scene, found.contacts)
    assert gaps.min() > -1e-5
    assert np.abs(gaps[found.forces > 1e-3]).max() < 1e-5


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(
            Assembly("slope", on_slope(piece(wood(), box=(40, 40, 20)), 0.2, 0.0, wood())), id="slope"
        ),
        pytest.param(
            Assembly("floats", (table(), Body("a", piece(wood(), box=(9, 9, 9)), Pose((0, 0, 1))))),
            id="floats",
        ),
        pytest.param(Assembly("empty", (table(),)), id="nothing free"),
    ],
)
def test_there_is_no_answer_but_on_level_contacts(scene: Assembly) -> None:
    assert resting(scene) is None


# -- one pose for both methods -----------------------------------------------------------------------------------


def test_uneven_rows_stand_for_both_methods() -> None:
    found = check(Assembly("tower", tower(1, rows=6)), CheckOptions(workers=1))
    assert (found.word, found.pose, found.statics.stands) == ("stands", "rest", True)
    # it rests on the highest bricks alone, so it is far less steady than an even one
    assert 1.0 < (found.statics.tilt_deg or 0.0) < 12.0


def test_a_brick_over_the_edge_is_not_helped() -> None:
    """Whatever sinks until it is carried: what finds nothing below falls."""
    row = row_under_a_brick(15.0, 14.0, 13.5)
    bodies = (*row.bodies[:2], row.bodies[4])
    assert check(Assembly("edge", bodies), CheckOptions(workers=1)).word == "topples"


def test_faces_that_were_to_touch_touch_again(tmp_path: Path) -> None:
    one = CASES["bracket, light load"]()
    scene = load(one.write(tmp_path / "case.obj"), fixed=one.fixed, settle_mm=0.3).assembly
    found = check(scene, CheckOptions(workers=1, settle=3e-4))
    assert (found.word, found.pose, found.statics.stands) == ("stands", "rest", True)


def test_an_edge_in_a_corner_lies_in_it_again() -> None:
    """An angle that hangs over a ridge: at rest the ridge is seen on one of its two faces only."""
    half = math.radians(50)
    down, out = np.array([math.sin(half), -math.cos(half)]), np.array([math.cos(half), math.sin(half)])
    tip, outer = 60.0 * down, 60.0 * down + 8.0 * out
    mirror = np.array([-1.0, 1.0])
    wings = [np.zeros(2), tip, outer, np.array([0.0, 8.0 / math.sin(half)]), mirror * outer, mirror * tip]
    ridge = [np.zeros(2), np.array([-20.0, -34.64]), np.array([20.0, -34.64])]
    bodies = []
    for name, outline in (("ridge", ridge), ("wings", wings)):
        middle = (np.min(outline, axis=0) + np.max(outline, axis=0)) / 2
        shape = piece(wood(), prism={"points": (np.array(outline) - middle).tolist(), "height": 40.0})
        place = Pose((middle[0] / 1e3, 0.0, 0.1 + middle[1] / 1e3), quaternion_of_rpy(math.pi / 2, 0.0, 0.0))
        bodies.append(Body(name, shape, place, fixed=name == "ridge"))
    found = check(Assembly("chevron", tuple(bodies)), CheckOptions(workers=1, settle=1e-4))
    assert (found.word, found.pose, found.statics.stands) == ("stands", "rest", True)


def test_pieces_are_moved_back_to_where_they_touch() -> None:
    scene = Assembly("tower", tower(rows=3))
    rng = np.random.default_rng(0)
    shaken = Assembly("shaken", tuple(shifted(body, rng) for body in scene.bodies))
    assert np.abs(gaps_of(shaken, find_contacts(shaken, 4e-4, 0.02))).max() > 5e-5
    again = rejoined(scene, shaken, 2e-5)
    assert np.abs(gaps_of(again, find_contacts(again, 1e-4, 0.02))).max() < 1e-6


def shifted(body: Body, rng: np.random.Generator) -> Body:
    """A body up to 0.1 mm from where it was; the table stays."""
    x, y, z = (np.array(body.pose.position) + (0.0 if body.fixed else 1e-4) * rng.uniform(-1, 1, 3)).tolist()
    return body.at(Pose((x, y, z), body.pose.orientation))


def test_what_is_missing_is_told_where_only_the_simulation_stands() -> None:
    """Friction a hundredth of a per cent below the slope: it creeps, too slowly to be seen to fall. In Bullet such
    contacts are found to have more friction than there is."""
    angle = math.radians(20.0)
    rough = wood(0.9999 * math.tan(angle))
    block = piece(rough, box=(40, 40, 20))
    slab, body = on_slope(block, angle, 0.0, rough)
    scene = Assembly("slope", (slab, body))
    assert check(scene, CheckOptions(workers=1)).word == "topples"
    found = check(scene, CheckOptions(workers=1, engine="rapier"))
    assert found.word == "unsure"
    assert found.missing is not None
    assert (found.missing.first, found.missing.second) == ("piece", slab.name)
    lacking = 0.0001 * math.sin(angle) * block.mass * GRAVITY
    # a ten-thousandth of the weight's pull is near what the solver can tell
    assert 0.3 * lacking < found.missing.force < 1.2 * lacking
    told: Any = to_json(found, "0")["missing"]
    assert told["contact"] == ["piece", slab.name]
    assert f"piece on {slab.name}" in headline(found)
