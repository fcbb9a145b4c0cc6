"""Round edges and tips: what stands on a rim, rolls along it, or sits in a hole, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh
from test_statics_curves import ACROSS, LYING, body, judged

import teeter
from teeter.engine.bench.rigs import piece, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.rocking import with_curves
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.contact.rims import rims_of
from teeter.engine.topple.contact.rounds import rounds_of
from teeter.engine.world.body import Assembly

DISCS = {"profile": [[0, 0], [5, 0], [15, 10], [5, 20], [5, 40], [15, 50], [5, 60], [0, 60]]}
"""Two discs with sharp rims of radius 15, 40 mm apart."""


@pytest.mark.parametrize("height", [20.0, 28.0, 29.8, 30.2, 40.0])
def test_a_block_on_two_rims_stands_if_half_its_height_is_less_than_their_radius(height: float) -> None:
    axle = body("axle", (0, 0, 15), LYING, fixed=True, turned=DISCS)
    block = body("block", (0, 0, 30 + height / 2), box=(20, 60, height))
    found = judged(axle, block)
    assert found.stands is (height / 2 < 15)


def test_what_lies_on_two_rims_rolls() -> None:
    found = judged(body("axle", (0, 0, 15), LYING, turned=DISCS))
    assert (found.stands, bool(found.rolls)) == (True, True)


@pytest.mark.parametrize(("bore", "mu"), [(6.0, 0.6), (10.0, 0.9), (10.0, 0.3)])
def test_a_bored_ball_stands_on_the_rim_of_its_hole(bore: float, mu: float) -> None:
    """It tips when its centre is over the rim, or slides."""
    ball = piece(wood(mu), turned={"profile": [[0, -20], [0, 20, 20]], "bore": bore})
    low = float(ball.extents[2]) * 500
    found = judged(
        body("ball", (0, 0, low), mu=mu, turned={"profile": [[0, -20], [0, 20, 20]], "bore": bore}),
        mu=mu,
        margins=True,
    )
    assert found.stands is True
    assert found.tilt_deg is not None
    assert math.tan(math.radians(found.tilt_deg)) == pytest.approx(min(bore / low, mu), rel=2e-3)


def on_a_rim(
    radius: float, turn: float, mu: float, bearing: float = 0.0, at: float = 0.0, **shape: Any
) -> Statics:
    """What sits on the rim of a hole, turned by so many degrees, in a fixed block 30 mm high. bearing: degrees, of a
    table tilted by `at`."""
    low = shape.pop("low")
    yaw = quaternion_of_rpy(0.0, 0.0, math.radians(turn))
    block = body("block", (0, 0, 15), yaw, mu=mu, fixed=True, drilled={"box": (60, 60, 30), "radius": radius})
    pulled = math.tan(math.radians(at))
    gravity = (pulled * math.cos(math.radians(bearing)), pulled * math.sin(math.radians(bearing)), -1.0)
    upper = body("upper", (0, 0, 30 + low), mu=mu, **shape)
    return analyse(Assembly("rim", (block, upper)), gravity=gravity, margins=at == 0.0, loads=False)


@pytest.mark.parametrize("turn", [0.0, 7.3, 22.5])
@pytest.mark.parametrize(("radius", "ball", "mu"), [(7.5, 15.0, 0.9), (20.0, 30.0, 0.9), (14.0, 15.0, 0.1)])
def test_a_ball_on_a_rim_tips_when_its_centre_is_over_it(
    turn: float, radius: float, ball: float, mu: float
) -> None:
    found = on_a_rim(radius, turn, mu, low=math.sqrt(ball**2 - radius**2), sphere=ball)
    assert found.tilt_deg == pytest.approx(math.degrees(math.asin(radius / ball)), abs=0.05)


@pytest.mark.parametrize("bearing", [0.0, 7.3, 15.0, 22.5, 290.7])
def test_it_tips_alike_in_every_direction(bearing: float) -> None:
    for at in (29.95, 30.05):
        found = on_a_rim(7.5, 0.0, 0.9, bearing, at, low=math.sqrt(15**2 - 7.5**2), sphere=15.0)
        assert found.stands is (at < 30)


def test_a_cone_in_a_hole_tips_over_its_rim() -> None:
    """Tip down, half its angle 45 degrees, its centre of mass at three quarters of its height: it tips about the rim
    when that is over it."""
    radius, height = 12.0, 20.0
    cone: dict[str, Any] = {"turned": {"profile": [[0, 0], [20, 20], [0, 20]]}}
    found = on_a_rim(radius, 11.0, 0.8, low=height / 2 - radius, **cone)
    assert math.tan(math.radians(found.tilt_deg or 0.0)) == pytest.approx(
        radius / (0.75 * height - radius), rel=2e-3
    )


@pytest.mark.parametrize(
    ("shape", "turn", "height"),
    [
        ({"cone": (15, 0, 45)}, quaternion_of_rpy(math.pi, 0.0, 0.0), 22.5),
        ({"cone": (22.5, 12, 30)}, ACROSS, 22.5),
        ({"ring": (15, 7.5, 4)}, quaternion_of_rpy(math.radians(60), 0.0, 0.0), 14.0),
    ],
)
def test_what_stands_on_a_tip_or_one_point_of_a_rim_falls(shape: Any, turn: Any, height: float) -> None:
    assert judged(body("top", (0, 0, height), turn, **shape)).stands is False


@pytest.mark.parametrize("aside", [0.0, 0.7])
def test_a_ball_in_a_wide_cone_stands_wherever_it_touches(aside: float) -> None:
    """The cone opens by 70 degrees to each side; a ball of 15 touches it 5 mm from its own axis."""
    cup = {"profile": [[0, 0], [20, 0], [20, 20], [18, 20], [0, 20 - 18 / math.tan(math.radians(70))]]}
    floor = 20 - 18 / math.tan(math.radians(70))
    height = floor + 15 / math.sin(math.radians(70)) + aside / math.tan(math.radians(70))
    bodies = (body("cup", (0, 0, 10), fixed=True, turned=cup), body("ball", (aside, 0, height), sphere=15.0))
    assembly = Assembly("cup", bodies)
    found = with_curves(assembly, find_contacts(assembly))
    assert found is not None
    points = found.contacts.points * 1e3
    assert len(points) >= (3 if aside == 0 else 1)
    assert np.abs(np.linalg.norm(points - (aside, 0, height), axis=1) - 15).max() < 0.05
    assert (points[:, 0].max() > 4.5) if aside else True


@pytest.mark.slow
def test_a_torus_lies_all_round_a_ball_however_it_is_meshed() -> None:
    """On a circle of 60 / 3.5 mm, where its normals meet in that of the ball. Chords of a mesh reach into it."""
    rise, rough = 35 * math.cos(math.asin(20 / 35)), {"density": 700, "friction": 0.4}
    ball = {"id": "ball", "shape": {"sphere": 30}, "material": rough, "position": [0, 0, 30], "fixed": True}
    margins = []
    for major, minor, yaw in ((36, 36, 0), (32, 16, 7), (64, 32, 0)):
        mesh = trimesh.creation.torus(20, 5, major_sections=major, minor_sections=minor)
        pose = trimesh.transformations.rotation_matrix(math.radians(yaw), [0, 0, 1])
        pose[2, 3] = 30 + rise
        lies = {"id": "torus", "mesh": mesh, "pose": pose, "material": rough}
        scene = teeter.build([ball, lies]).assembly
        contacts = find_contacts(scene)
        assert contacts.meet
        found = with_curves(scene, contacts)
        assert found is not None
        points = found.contacts.points * 1e3
        assert np.linalg.norm(points[:, :2], axis=1) == pytest.approx(60 / 3.5, abs=1e-3)
        assert len(points) == 60
        margins.append(analyse(scene, contacts=contacts).tilt_deg or 0.0)
    assert margins == pytest.approx([margins[0]] * 3, abs=1e-3)
    # the normals lean by asin(20 / 35), and friction 0.4 holds it against turning about the ball
    assert 20 < margins[0] < 30


def test_half_a_hole_is_no_whole_one() -> None:
    """The half cylinder sawn out of an arch does not go on above it."""
    (hollow,) = rounds_of(piece(wood(), arch={"box": [60, 30, 30], "radius": 15}))
    assert hollow.goes(np.array([0.0, 0.0, 1.0]))
    assert not hollow.goes(np.array([0.0, 0.0, -1.0]))


@pytest.mark.parametrize(
    ("shape", "radii"),
    [
        ({"cylinder": (15, 60)}, [15.0, 15.0]),
        ({"cone": (15, 0, 45)}, [0.0, 15.0]),
        ({"ring": (30, 18, 15)}, [18.0, 18.0, 30.0, 30.0]),
        ({"drilled": {"box": [30, 30, 30], "radius": 8}}, [8.0, 8.0]),
        ({"turned": {"profile": [[0, 0], [22.5, 0], [0, 22.5, "round"]]}}, [22.5]),
        ({"turned": DISCS}, [5.0, 5.0, 15.0, 15.0]),
        ({"sphere": 15.0}, []),
    ],
)
def test_rims_are_the_convex_circles_of_a_piece(shape: Any, radii: list[float]) -> None:
    assert sorted(round(rim.radius * 1e3, 2) for rim in rims_of(piece(wood(), **shape))) == radii
