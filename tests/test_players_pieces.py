"""What bots know of the pieces of Bausack: on which faces they lie, what of a tower is flat, where there is room."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from test_players_towers import block, box
from tower_tilt import tilt_of

from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.judge.places import bounds
from teeter.games.players.tower_places import _base, _spots, _turned, faces, places, tops
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop

TABLE = table_body(TableTop())
Face = tuple[float, float, float]


def piece(name: str) -> Piece:
    return build(find(f"bausack/{name}"))


def standing(name: str, turned: bool = False) -> Body:
    """A piece on its steadiest face in the middle of the table, or on the next of another height."""
    ways = faces(piece(name))
    face = next((each for each in ways if turned and abs(each.height - ways[0].height) > 1e-6), ways[0])
    low = float(bounds(piece(name), Pose.of(np.zeros(3), face.turn))[0][2])
    return Body(name, piece(name), Pose.of(np.array([0.0, 0.0, -low]), face.turn))


# -- faces ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found"),
    [
        # degrees, mm2 of the foot, mm2 of flat tops: of a cylinder only the ends are flat
        ("drum", [(45.0, 707, 707)] * 2),
        # an arch stands on its legs, and lies on its back, where it has the legs to bear more
        ("arch", [(49.3, 1800, 900), (41.2, 900, 1800), (40.7, 1447, 1447), (40.7, 1447, 1447)]),
        # a cross stands on one end, though its arms look down too
        ("cross", [(70.5, 1125, 1125), (70.5, 1125, 1125), (18.4, 225, 675), (18.4, 225, 675)]),
        ("hemisphere", [(69.4, 1590, 0)]),
        ("golf_tee", [(30.1, 87, 50), (7.4, 50, 87)]),
        ("roof", [(56.3, 1800, 0), (45.0, 1273, 0), (45.0, 1273, 0), (33.7, 900, 900)]),
        ("ball", []),
        ("ball_bored", []),
    ],
)
def test_every_piece_lies_on_its_flat_faces_the_steadiest_first(name: str, found: list[Face]) -> None:
    """A face that looks the same way but is higher is no foot, and nothing that is curved is either."""
    told = [(round(face.tilt, 1), round(face.foot.area), round(face.room)) for face in faces(piece(name))]
    assert told == found


def test_a_stick_too_slender_to_stand_is_only_laid_down() -> None:
    """On its end, 5.8 mm wide between the middle and the edges and 400 long, it bears less than two degrees."""
    points = [[0.0, 0.0], [10.0, 0.0], [5.0, 8.66]]
    stick = build(PieceSpec.model_validate({"shape": {"prism": {"points": points, "height": 400}}}))
    assert [round(1e3 * face.height, 1) for face in faces(stick)] == [2.9] * 3


CORNER = {"hull": [[0, 0, 0], [40, 0, 0], [0, 40, 0], [0, 0, 40]]}
"""A corner cut off a cube: its slope is oblique to all axes."""


@pytest.mark.parametrize(("name", "count"), [("ramp", 4), ("pyramid", 4), ("drum", 2), ("", 4)])
def test_a_piece_is_turned_and_never_sheared(name: str, count: int) -> None:
    ways = faces(piece(name) if name else build(PieceSpec.model_validate({"shape": CORNER})))
    assert len(ways) == count
    for face in ways:
        assert face.turn @ face.turn.T == pytest.approx(np.eye(3), abs=1e-9)
        assert np.linalg.det(face.turn) == pytest.approx(1.0)


# -- tops ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "turned", "found"),
    [
        ("drum", False, [(30, 707)]),
        ("ramp", False, []),
        ("triangle", True, []),
        ("hemisphere", False, []),
        ("trapezoid", False, [(30, 900)]),
        ("arch", False, [(30, 900)]),
    ],
)
def test_only_what_is_flat_and_level_is_a_top(name: str, turned: bool, found: list[tuple[int, int]]) -> None:
    """Neither a slope nor a dome; of an arch on its back both legs together are one."""
    assert [(round(height), round(top.area)) for height, top in tops([standing(name, turned)])] == found


@pytest.mark.parametrize(("higher", "count"), [(0.0, 1), (0.2, 1), (0.4, 2)])
def test_tops_of_one_height_carry_a_piece_together(higher: float, count: int) -> None:
    """To three tenths of a millimetre, as wood is uneven."""
    pair = [block(30, 30, 20), block(30, 30, 20 + higher, at=(40, 0, 0))]
    found = tops(pair)
    assert len(found) == count
    assert [height for height, _ in found] == sorted((height for height, _ in found), reverse=True)
    assert sum(top.area for _, top in found) == pytest.approx(1800.0, rel=0.05)
    assert found[0][0] == pytest.approx(20 + higher)


def test_of_three_heights_the_equal_ones_are_joined() -> None:
    stairs = [block(30, 30, 40), block(30, 30, 20, at=(50, 0, 0)), block(30, 30, 20, at=(90, 0, 0))]
    assert [(round(height), round(top.area)) for height, top in tops(stairs)] == [(40, 900), (20, 1800)]


# -- places --------------------------------------------------------------------------------------------------------


def test_places_come_the_best_first_and_so_many_as_are_asked_for() -> None:
    tower = [block(40, 40, 20), block(120, 60, 10, at=(0, 0, 20))]
    found = places(box(30, 40, 50), tower, 200)
    assert len({round(each.worth, 3) for each in found}) > 3
    assert all(one.worth >= other.worth for one, other in pairwise(found))
    assert [each.worth for each in places(box(30, 40, 50), tower, 2)] == [each.worth for each in found[:2]]
    assert places(box(30, 40, 50), tower, 0) == []


def test_a_piece_whose_middle_is_not_where_it_was_measured_from_lies_over_the_tower_all_the_same() -> None:
    tower = [block(60, 60, 20)]
    spots = np.array(_spots(tops(tower)[0][1], np.array([0.0, 0.0, 10.0])))
    found = places(piece("ramp"), tower, 20)
    assert len(found) > 3
    for each in found:
        middle = 1e3 * Body("ramp", piece("ramp"), each.pose).centre_of_mass
        assert np.linalg.norm(spots - middle[:2], axis=1).min() < 1e-6


@pytest.mark.parametrize(
    ("name", "worth"), [("cube", 25.0), ("frustum", 25.0), ("cone", 10.0), ("hemisphere", 10.0)]
)
def test_what_leaves_no_room_for_the_next_piece_is_worth_less(name: str, worth: float) -> None:
    """Less than 150 mm2 of flat top: two fifths."""
    assert places(piece(name), [block(200, 200, 10)], 1)[0].worth == pytest.approx(worth)


def test_every_way_to_lie_is_tried_a_quarter_turn_further_too() -> None:
    ways = _turned(box(20, 30, 50))
    for one, other in zip(ways[::2], ways[1::2], strict=True):
        assert other.turn @ one.turn.T == pytest.approx(
            np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-9
        )
        x_low, y_low, x_high, y_high = one.foot.bounds
        assert other.foot.bounds == pytest.approx((-y_high, x_low, -y_low, x_high), abs=1e-9)
        assert (other.tilt, other.height, other.room) == (one.tilt, one.height, one.room)


@pytest.mark.parametrize(("turned", "area"), [(False, 1590), (True, 452)])
def test_a_foundation_stands_on_what_of_it_touches_the_table(turned: bool, area: int) -> None:
    """A frustum on its broad end, and on its narrow one."""
    assert _base(standing("frustum", turned)).area == pytest.approx(area, rel=0.01)


def test_a_piece_that_is_wider_than_its_foot_needs_room_beside_it() -> None:
    """A stump is not put where it would hit the wall beside it, and come to lie on that."""
    corners = [[a * x, b * x, z] for a in (-1, 1) for b in (-1, 1) for x, z in ((6, 0), (25, 40))]
    stump = build(PieceSpec.model_validate({"shape": {"hull": corners}, "material": "beech"}))
    tower = [block(80, 60, 10), block(20, 60, 60, at=(30, 0, 10))]
    beside = 0
    for each in places(stump, tower, 200):
        low, high = (1e3 * edge for edge in bounds(stump, each.pose))
        # it stands on the board or on the wall, and hangs on neither
        assert round(float(low[2]), 1) in (10.0, 70.0)
        if low[2] < 60.0:
            beside += 1
            assert high[0] <= 20.0 + 1e-3
        else:
            assert 1e3 * Body("stump", stump, each.pose).centre_of_mass[0] >= 20.0 - 1e-3
    assert beside


def test_a_drum_on_its_side_has_no_top() -> None:
    half = math.sqrt(0.5)
    drum = Body("drum", piece("drum"), Pose((0.0, 0.0, 0.015), (half, 0.0, 0.0, half)))
    assert tops([drum]) == []


def test_a_ball_that_is_a_foundation_offers_no_place() -> None:
    """BS-02: any piece will do for one."""
    ball = Body("ball", piece("ball"), Pose((0.0, 0.0, 0.015)))
    assert places(box(20, 20, 20), [ball]) == []
    beside = block(40, 40, 20, at=(60, 0, 0))
    assert {round(each.pose.position[2], 4) for each in places(box(20, 20, 20), [ball, beside])} <= {0.03}


def test_the_middle_of_a_piece_is_looked_for_over_a_top_and_near_the_middle_of_the_tower() -> None:
    square = tops([block(70, 50, 20)])[0][1]
    found = _spots(square, np.array([35.0, 25.0, 0.0]))
    assert found[0] == pytest.approx((0.0, 0.0))
    assert found[1] == pytest.approx((35.0, 25.0))
    grid = [math.dist(spot, (35.0, 25.0)) for spot in found[2:]]
    assert grid == sorted(grid)
    assert max(grid) < math.dist((-23.3, -12.5), (35.0, 25.0)), "the farthest are left out"
    about = _spots(square, np.zeros(3))[2:]
    assert {round(x) for x, _ in about} == {-23, -12, 0, 12, 23}
    assert {round(y) for _, y in about} == {-12, 0, 12}
    assert _spots(square, np.array([100.0, 0.0, 0.0]))[1] == pytest.approx((35.0, 0.0)), (
        "the nearest of the top"
    )
    points = [[0.0, 0.0], [60.0, 0.0], [0.0, 60.0]]
    wedge = build(PieceSpec.model_validate({"shape": {"prism": {"points": points, "height": 20}}}))
    top = tops([Body("wedge", wedge, Pose((0.0, 0.0, 0.01)))])[0][1]
    for x, y in _spots(top, np.zeros(3)):
        assert top.buffer(1e-6).covers(top.centroid.__class__(x, y))


def test_a_tower_with_one_more_is_judged_only_if_that_lies_on_it() -> None:
    tower = [block(60, 60, 20)]
    lying, floating = (block(30, 30, 30, at=(0, 0, low)) for low in (20, 40))
    bears = tilt_of(tower, TABLE, lying)
    assert bears is not None
    # it slides before it tips
    assert bears == pytest.approx(math.degrees(math.atan(0.4)), abs=0.1)
    assert tilt_of(tower, TABLE, floating) is None
