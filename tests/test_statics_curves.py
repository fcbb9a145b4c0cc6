"""Statics on curves against closed forms: what rocks to rest, what rolls off, and what friction a pile needs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import teeter
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.balance.rocking import with_curves
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.contact.rounds import rounds_of
from teeter.engine.topple.perturbation import combined
from teeter.engine.topple.trial import Trial
from teeter.engine.topple.verdict import CheckOptions, check, only_rolls
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline, rows, sentences
from teeter.engine.world.body import Assembly, Body
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.scenes.load import load

LYING = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
ACROSS = quaternion_of_rpy(0.0, math.pi / 2, 0.0)
LEVEL = (0.0, 0.0, 0.0, 1.0)
MU = 0.5


def body(
    name: str,
    at: tuple[float, float, float],
    turn: Any = LEVEL,
    mu: float = MU,
    fixed: bool = False,
    **shape: Any,
) -> Body:
    x, y, z = (value / 1e3 for value in at)
    return Body(name, piece(wood(mu), **shape), Pose((x, y, z), turn), fixed)


def judged(*bodies: Body, mu: float = MU, margins: bool = False) -> Statics:
    return analyse(Assembly("curves", (table(wood(mu)), *bodies)), margins=margins)


def log(radius: float = 15.0) -> Body:
    return body("log", (0, 0, radius), LYING, fixed=True, cylinder=(radius, 60))


@pytest.mark.parametrize("height", [20.0, 28.0, 29.9, 30.1, 32.0, 40.0])
def test_a_block_on_a_cylinder_stands_if_half_its_height_is_less_than_the_radius(height: float) -> None:
    block = body("block", (0, 0, 30 + height / 2), box=(60, 30, height))
    assert judged(log(), block).stands is (height / 2 < 15)


@pytest.mark.parametrize("height", [20.0, 28.0, 29.9, 30.1, 40.0])
def test_one_block_more_on_a_cylinder_on_which_another_lies_is_judged_alike(height: float) -> None:
    below, more = (
        body("below", (0, 0, 35), box=(60, 30, 10)),
        body("more", (0, 40, 30 + height / 2), box=(60, 30, height)),
    )
    long = body("log", (0, 0, 15), LYING, fixed=True, cylinder=(15, 160))
    added = IncrementalStatics(Assembly("curves", (table(), long, below)))
    assert added.adding(more).stands is None
    rocking = added.rocking(more)
    assert rocking is not None
    assert rocking.stands is (height / 2 < 15) is judged(long, below, more).stands
    assert added.rocking(body("beside", (0, 200, 10), box=(20, 20, 20))) is not None


@pytest.mark.parametrize(("off", "stands"), [(0.0, True), (0.3, True), (-0.3, True), (3.0, False)])
def test_a_block_a_little_off_the_top_of_a_cylinder_rocks_to_rest(off: float, stands: bool) -> None:
    """It rests where the contact is under its centre: turned by off / (radius - half its height), 1.7 degrees."""
    block = body("block", (off, 0, 35), box=(60, 30, 10))
    found = judged(log(), block)
    assert found.stands is stands
    if stands:
        assert check(Assembly("off", (table(), log(), block)), CheckOptions(workers=1)).word == "stands"


@pytest.mark.parametrize(("upper", "stands"), [(10.0, True), (14.9, True), (15.1, False), (20.0, False)])
def test_a_cylinder_across_a_cylinder_stands_if_it_is_the_thinner(upper: float, stands: bool) -> None:
    crossed = body("upper", (0, 0, 30 + upper), ACROSS, cylinder=(upper, 60))
    assert judged(log(), crossed).stands is stands


@pytest.mark.parametrize("upper", [5.0, 15.0, 30.0])
def test_a_cylinder_along_a_cylinder_rolls_off(upper: float) -> None:
    found = judged(log(), body("upper", (0, 0, 30 + upper), LYING, cylinder=(upper, 60)))
    assert found.stands is False
    assert found.weakest == "upper"


@pytest.mark.parametrize(
    "name",
    [
        "ball_in_saddle",
        "ball_on_ball",
        "egg_on_tip",
        pytest.param("egg_in_eggcup", marks=pytest.mark.slow),
        "cone_in_ring",
        "ball_on_ring",
        "ball_between_cylinders",
    ],
)
def test_statics_knows_the_shipped_scenes_of_round_pieces(name: str) -> None:
    scene = load(name)
    assert scene.head.expect is not None
    assert analyse(scene.assembly, margins=False).stands is (scene.head.expect.verdict == "stands")


def test_a_ball_on_a_ring_tilts_as_far_as_its_centre_lies_inside_the_rim() -> None:
    """Radius 15 mm on a hole of 7.5 mm: tan = 7.5 / sqrt(15^2 - 7.5^2), or the ring slides with it at 0.4."""
    found = analyse(load("ball_on_ring").assembly)
    assert found.tilt_deg is not None
    limit = min(7.5 / math.sqrt(15**2 - 7.5**2), 0.4)
    assert math.tan(math.radians(found.tilt_deg)) == pytest.approx(limit, rel=0.06)


def balls(ball: float, ground: float) -> Statics:
    """Three balls on a table that touch each other, and one on them."""
    radius, around = 15.0, 2 * 15.0 / math.sqrt(3)
    low = [
        body(
            f"ball {k}", (around * math.cos(angle), around * math.sin(angle), radius), mu=ball, sphere=radius
        )
        for k, angle in enumerate(np.arange(3) * 2 * math.pi / 3)
    ]
    top = body("top", (0, 0, radius + math.sqrt((2 * radius) ** 2 - around**2)), mu=ball, sphere=radius)
    # the geometric mean of the two is what rubs
    slab = table(wood(ground**2 / ball))
    return analyse(Assembly("balls", (slab, *low, top)), margins=False)


@pytest.mark.parametrize(
    ("ball", "ground", "stands"), [(0.322, 0.0805, True), (0.314, 0.2, False), (0.5, 0.0785, False)]
)
def test_a_pyramid_of_balls_needs_friction(ball: float, ground: float, stands: bool) -> None:
    """0.3178 between the balls, 0.0795 on the ground."""
    assert balls(ball, ground).stands is stands


@pytest.mark.parametrize(("mu", "stands"), [(0.272, True), (0.264, False)])
def test_three_stacked_cylinders_need_the_tangent_of_15_degrees(mu: float, stands: bool) -> None:
    radius = 15.0
    low = [
        body(name, (x, 0, radius), LYING, mu, cylinder=(radius, 60))
        for name, x in (("left", -15), ("right", 15))
    ]
    top = body("top", (0, 0, radius + 15 * math.sqrt(3)), LYING, mu, cylinder=(radius, 60))
    found = judged(*low, top, mu=mu)
    assert found.stands is stands
    if stands:
        assert found.needs_friction is True


@pytest.mark.parametrize(("height", "stands"), [(12.0, True), (13.9, True), (14.4, False), (20.0, False)])
def test_a_rocking_stone_rights_itself_while_its_centre_is_below_that_of_its_foot(
    height: float, stands: bool
) -> None:
    """Half a ball with a cylinder on it: stable while the cylinder is lower than radius / sqrt 2 = 14.14 mm."""
    steps = [[0, 0], [20, 20, 20 * (1 - math.sqrt(0.5))], [20, 20 + height], [0, 20 + height]]
    stone = piece(wood(), turned={"profile": steps})
    scene = Assembly("stone", (table(), Body("stone", stone, Pose((0, 0, float(stone.extents[2]) / 2)))))
    assert analyse(scene, margins=False).stands is stands


@pytest.mark.parametrize(("wing", "stands"), [(60.0, True), (12.0, False)])
def test_a_chevron_on_a_ridge_hangs_if_its_wings_reach_below(wing: float, stands: bool) -> None:
    """An angle of 100 degrees over an edge of 60: its centre lies below the ridge when the wings are long."""
    half = math.radians(50)
    down, out = np.array([math.sin(half), -math.cos(half)]), np.array([math.cos(half), math.sin(half)])
    tip, elbow = np.zeros(2), np.array([0.0, 8.0 / math.sin(half)])
    right, outer = wing * down, wing * down + 8.0 * out
    points = [tip, right, outer, elbow, outer * (-1, 1), right * (-1, 1)]
    ridge = [(0.0, 0.0), (-20.0, -34.64), (20.0, -34.64)]
    bodies = []
    for name, outline, fixed in (("ridge", ridge, True), ("chevron", points, False)):
        low, high = np.min(outline, axis=0), np.max(outline, axis=0)
        middle = (low + high) / 2
        shape = {"points": [[float(x), float(z)] for x, z in np.array(outline) - middle], "height": 40.0}
        bodies.append(body(name, (middle[0], 0, middle[1] + 100), LYING, fixed=fixed, prism=shape))
    scene = Assembly("chevron", tuple(bodies))
    assert len(find_contacts(scene).points) == 4
    assert analyse(scene, margins=False).stands is stands


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ({"sphere": 15.0}, {15.0}),
        ({"cylinder": (15, 60)}, {0.0}),
        ({"cone": (20, 5, 30)}, {0.0}),
        ({"wonky": {"edge": 30, "sagitta": 1.0}}, {225.5 - 0.5}),
    ],
)
def test_curved_surfaces_are_found_in_their_facets(shape: dict[str, Any], kinds: set[float]) -> None:
    bends = {round(each.bend * 1e3, 4) for each in rounds_of(piece(wood(), **shape))}
    assert all(any(abs(bend - kind) <= 1.0 for kind in kinds) for bend in bends)
    assert bends


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.1])
def test_a_whole_ball_is_there_all_round(turn: float) -> None:
    """Which axis rounding picks for it leaves no holes at the poles, and none is where a half circle begins."""
    piece = body("ball", (0, 0, 0), sphere=15.0).piece
    (surface,) = rounds_of(piece)
    axis = quaternion_of_rpy(turn, 2.0 * turn, 0.0)
    turned = surface.placed(Pose((0.0, 0.0, 0.0), axis))
    around = np.vstack(
        [np.eye(3), -np.eye(3), Pose((0.0, 0.0, 0.0), axis).apply(np.vstack([np.eye(3), -np.eye(3)]))]
    )
    for each in (surface, turned):
        assert each.near(0.015 * around, 1e-6) == pytest.approx(np.zeros(len(around)), abs=1e-7)
        assert each.near(0.016 * around, 1e-6, fan=1.0) == pytest.approx(np.full(len(around), 1e-3), abs=1e-7)


def test_a_ball_touches_a_table_at_one_point_exactly() -> None:
    scene = Assembly("ball", (table(), body("ball", (3, 4, 15), sphere=15.0)))
    found = with_curves(scene, find_contacts(scene))
    assert found is not None
    assert found.contacts.points * 1e3 == pytest.approx(np.array([[3.0, 4.0, 0.0]]), abs=1e-6)
    assert found.mobility[0] * 1e3 == pytest.approx(np.diag([15.0, 15.0, 0.0]), abs=1e-6)
    still = analyse(scene)
    assert (still.stands, still.tilt_deg, bool(still.rolls)) == (True, 0.0, True)
    # the simulation alone says whether it rolls away
    assert still.stands_by_itself is None


def test_a_whole_ball_is_near_itself_however_its_middle_is_rounded() -> None:
    """The chord of its profile goes through its centre: nothing may hang on which side of it rounding lies."""
    (ball,) = rounds_of(body("ball", (0, 0, 20), sphere=20.0).piece)
    assert ball.centre is not None
    points = 0.02 * np.array([[0, 0, 1], [0, 0, -1], [1, 0, 0], [0.6, 0, 0.8], [0, -0.6, -0.8]])
    for off in (-1e-18, 0.0, 1e-18):
        moved = replace(ball, centre=ball.centre + off)
        assert moved.near(points, 1e-6) == pytest.approx(0.0, abs=1e-9)


NEUTRAL = {
    "a log": ((body("log", (0, 0, 15), LYING, cylinder=(15, 60)),), ("log",)),
    "a ball": ((body("ball", (0, 0, 25), sphere=25.0),), ("ball",)),
    "a ball on a block": (
        (body("block", (0, 0, 20), box=(100, 100, 40)), body("ball", (0, 0, 65), sphere=25.0)),
        ("ball",),
    ),
    "a plank on two logs": (
        (
            body("left", (-40, 0, 15), LYING, cylinder=(15, 60)),
            body("right", (40, 0, 15), LYING, cylinder=(15, 60)),
            body("plank", (0, 0, 35), box=(140, 60, 10)),
        ),
        ("left", "right", "plank"),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", NEUTRAL)
def test_neutral_balance_stands_and_names_what_may_roll(name: str) -> None:
    bodies, rolls = NEUTRAL[name]
    found = check(Assembly(name, (table(wood(MU)), *bodies)), CheckOptions(workers=1))
    assert (found.word, found.statics.rolls, found.statics.tilt_deg) == ("stands", rolls, 0.0)
    assert headline(found).startswith(f"It stands, but {', '.join(rolls)} may roll: ")
    told: Any = to_json(found, "0")["statics"]
    assert told["rolls"] == list(rolls)
    told = dict(rows(found))
    assert "may roll" in told
    assert told["tilt margin"] == "none: on the least slope it rolls"
    # nothing that fell, or went first, beside a verdict that it stands
    assert told["simulation"].startswith(("rolled away after ", "stood 4 of 4 "))
    assert not {"fell", "first to move"} & told.keys()
    assert not any("sideways" in text for _, text in rows(found))


def test_a_margin_that_is_not_followed_is_told_as_the_least() -> None:
    """Bots ask for many places: a dome's 22 degrees are not followed for them."""
    dome = build(find("bausack/hemisphere"))
    height = float(dome.extents[2]) / 2
    upside_down = Body("dome", dome, Pose((0.0, 0.0, height), quaternion_of_rpy(math.pi, 0.0, 0.0)))
    found = analyse(Assembly("dome", (table(wood(MU)), upside_down)), follow=False)
    assert found.stands
    assert found.tilt_deg is not None
    assert 1.0 < found.tilt_deg < 22.0
    assert found.tilt_at_least
    assert found.push_at_least
    assert (found.weakest, found.mechanism) == (None, {})
    assert sentences(None, found) == (
        f"It holds, at {found.tilt_deg:.2f} degrees of table tilt too: it rocks back to rest.",
    )
    on_its_face = judged(Body("dome", dome, Pose((0.0, 0.0, height))), margins=True)
    assert not on_its_face.tilt_at_least
    assert not on_its_face.push_at_least


@pytest.mark.slow
def test_the_margins_of_what_is_unsure_are_said_to_be_those_of_forces() -> None:
    block = body("block", (0, 0, 30), box=(10, 10, 60))
    found = check(Assembly("sure", (table(), block)), CheckOptions(workers=1))
    told = dict(rows(found))
    assert "by the force balance alone" not in told["tilt margin"]
    assert "then it topples: block moves most" in told["tilt margin"]
    assert (
        "sideways at the top of block, the highest piece (elsewhere less may do), before anything topples"
        in told["push margin"]
    )
    told = dict(rows(replace(found, word="unsure")))
    assert told["tilt margin"].endswith("(by the force balance alone)")
    assert told["push margin"].endswith("(by the force balance alone)")


def test_what_does_not_roll_is_not_excused() -> None:
    """Balance is neutral only if nothing but what may roll went anywhere."""
    bodies, _ = NEUTRAL["a ball on a block"]
    still = judged(*bodies)
    assert still.rolls == ("ball",)
    trial = Trial(False, 1.0, 0.0, 0.1, 0.0, "ball", 10, ("ball",), (), np.zeros((0, 7)))
    for first, fell, excused in (
        ("ball", ("ball",), True),
        ("ball", (), True),
        ("block", ("ball",), False),
        ("ball", ("ball", "block"), False),
        (None, (), False),
    ):
        seen = combined((replace(trial, first_to_move=first, fell=fell),))
        assert only_rolls(still, seen) is excused
        assert only_rolls(replace(still, rolls=()), seen) is False


def test_a_ball_beyond_neutral_topples_all_the_same() -> None:
    assert check(load("ball_on_ball").assembly, CheckOptions(workers=1)).word == "topples"


@pytest.mark.parametrize("friction", [None, 0.05, 0.3])
def test_friction_holds_all_of_the_pull_on_what_rocks_on_a_cap(friction: float | None) -> None:
    """A Wonky block on its rounded side slides at the angle of friction, long before it tips, however far it rolls."""
    block = {"id": "block", "model": "wonky/medium_purple", "rotation": [180, 0, 0], "position": [0, 0]}
    found = analyse(teeter.build([block]).assembly, friction=friction)
    slides = math.sqrt(0.40 * 0.45) if friction is None else friction
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan(slides)), abs=0.02)
