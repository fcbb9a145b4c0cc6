"""What bots think of a place on a tower: worked out by hand for plain blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.judge.places import bounds, steady
from teeter.games.players.tower_places import faces, first, in_hollows, places, tops
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec


def box(*size: float) -> Piece:
    return build(PieceSpec.model_validate({"shape": {"box": size}, "material": "beech"}))


def block(*size: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Body:
    """A block, millimetres; at: the middle of its underside."""
    x, y, low = at
    return Body(f"{size} {at}", box(*size), Pose((x / 1e3, y / 1e3, (low + size[2] / 2) / 1e3)))


def test_a_piece_stands_on_no_face_smaller_than_a_fingertip() -> None:
    """20 mm2: a cube of 4 mm stands nowhere, one of 5 mm on any side."""
    assert faces(box(4, 4, 4)) == ()
    assert [round(1e3 * face.height, 1) for face in faces(box(5, 5, 5))] == [2.5] * 4
    best = faces(box(5, 6, 8))[0]
    assert best.tilt == pytest.approx(math.degrees(math.atan(6 / 5)))
    assert best.room == pytest.approx(48.0)


def test_a_top_smaller_than_a_fingertip_bears_nothing() -> None:
    """20 mm2: neither the end of a stick nor what another block leaves of a top."""
    assert tops([block(4, 4, 30)]) == []
    ((height, top),) = tops([block(5, 5, 30)])
    assert height == pytest.approx(30.0)
    assert top.area == pytest.approx(25.0)
    covered = [block(60, 30, 15), block(60, 30, 15, at=(1.2, 0, 15))]
    assert [round(height) for height, _ in tops(covered)] == [30]


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (300.0, -200.0), (-70.0, 410.0)])
def test_a_place_is_worth_what_the_piece_and_the_whole_tower_bear(x: float, y: float) -> None:
    """Degrees until the one leaves its foot or the centre of both that of the tower, wherever on the table."""
    tower = [block(30, 30, 100, at=(x, y, 0))]
    best = places(box(60, 60, 60), tower, 1)[0]
    assert best.pose.position == pytest.approx((x / 1e3, y / 1e3, 0.13), abs=1e-6)
    # 90 cm3 with their centre at 50 mm, and 216 at 130
    whole = (90 * 50 + 216 * 130) / 306
    assert best.worth == pytest.approx(math.degrees(math.atan(15 / whole)))
    # what bears 25 degrees bears enough
    broad = [block(200, 200, 10, at=(x, y, 0))]
    assert places(box(40, 40, 20), broad, 1)[0].worth == pytest.approx(25.0)


def test_a_ball_on_a_tower_takes_no_room_for_a_hand() -> None:
    """Nothing flat rises there: it may be laid beside."""
    ball = build(PieceSpec.model_validate({"shape": {"sphere": 8}, "material": "beech"}))
    laid = [block(60, 60, 20), Body("ball", ball, Pose((0.0, 0.0, 0.028)))]
    ((height, top),) = tops(laid)
    assert height == pytest.approx(20.0)
    assert top.area == pytest.approx(3600.0)


def test_a_place_is_worth_less_the_further_out_the_centre_of_all_comes_to_lie() -> None:
    """A cube on a long beam over a short foot: the cube alone would bear more than 25 degrees anywhere."""
    tower = [block(40, 40, 20), block(200, 60, 10, at=(0, 0, 20))]
    found = {}
    for each in places(box(40, 40, 40), tower, 200):
        x, y, z = (1e3 * value for value in each.pose.position)
        assert z == pytest.approx(50.0)
        if abs(y) < 1e-6:
            # 32 and 120 cm3 below, 64 above
            level, reach = (32 * 10 + 120 * 25 + 64 * 50) / 216, 20 - abs(x) * 64 / 216
            found[round(abs(x))] = min(25.0, math.degrees(math.atan2(reach, level)))
            assert each.worth == pytest.approx(found[round(abs(x))])
    assert {0, 33, 67} <= set(found)
    assert found[0] > found[33] > found[67] > 0.0


def test_nothing_is_laid_where_its_centre_is_over_no_foot() -> None:
    """The nearest to the middle of a tower is here the very edge of its upper block."""
    tower = [block(100, 60, 20), block(40, 40, 20, at=(45, 0, 20))]
    found = places(box(20, 20, 20), tower, 200)
    assert any(each.pose.position[2] == pytest.approx(0.05) for each in found)
    assert min(each.worth for each in found) > 0.0


def test_hollows_are_tried_from_the_deepest() -> None:
    """A ball goes deeper into the wider of two rings, and may lie on the flat top beside them."""
    ball = build(PieceSpec.model_validate({"shape": {"sphere": 15}, "material": "beech"}))

    def ring(inner: float, x: float, low: float) -> Body:
        spec = {"shape": {"ring": [25, inner, 10]}, "material": "beech"}
        piece = build(PieceSpec.model_validate(spec))
        return Body(f"ring{x}", piece, Pose((x, 0.0, low + 0.005)))

    tower = [block(300, 60, 10), block(60, 60, 30, at=(100, 0, 10))]
    tower += [ring(5, -0.1, 0.01), ring(12, 0.1, 0.04)]
    found = in_hollows(ball, tower)
    over = [pose.position[2] - (0.05 if pose.position[0] > 0.05 else 0.02) for pose in found]
    # a ball of 15 mm over the rims of holes of 12 and 5 mm
    expected = [0.009, math.sqrt(200) / 1e3]
    middles = {round(pose.position[0], 2): height for pose, height in zip(found, over, strict=True)}
    assert [middles[x] for x in (0.1, -0.1)] == pytest.approx(expected, abs=2e-4)
    ranks = [round(pose.position[0], 2) for pose in found]
    assert ranks.index(0.1) < ranks.index(-0.1)
    through = build(PieceSpec.model_validate({"shape": {"sphere": 4}, "material": "beech"}))
    assert in_hollows(through, tower[-1:]) == [], "it falls through"


def test_a_foundation_lies_less_low_where_it_is_steadier_so() -> None:
    """On its narrow side a slanted block is lower, but hardly stands; and a stump lies on its broad end."""
    points = [[0, 0], [40, 0], [76, 20], [36, 20]]
    slanted = build(PieceSpec.model_validate({"shape": {"prism": {"points": points, "height": 24}}}))
    low, high = bounds(slanted, first(slanted, 0.0, 0.0))
    assert 1e3 * (high - low)[2] == pytest.approx(24.0)
    low, high = bounds(slanted, steady(slanted))
    assert 1e3 * (high - low)[2] < 20.0
    corners = [[a * x, b * x, z] for a in (-1, 1) for b in (-1, 1) for x, z in ((10, 0), (30, 20))]
    stump = build(PieceSpec.model_validate({"shape": {"hull": corners}}))
    body = Body("stump", stump, first(stump, 0.0, 0.0))
    assert float(body.centre_of_mass[2]) < 0.009


def test_a_foundation_lies_on_the_face_on_which_it_is_steadiest() -> None:
    pose = first(box(20, 40, 90), 100.0, -50.0)
    assert pose.position == pytest.approx((0.1, -0.05, 0.01))
    assert np.abs(pose.matrix[2]) == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    ball = build(PieceSpec.model_validate({"shape": {"sphere": 15}, "material": "beech"}))
    assert first(ball, 100.0, -50.0).position == pytest.approx((0.1, -0.05, 0.015))
