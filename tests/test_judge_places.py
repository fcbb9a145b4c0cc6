"""Where pieces of a supply lie: each in its steady pose, sides along the table's, in tidy rows; balls on saucers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.games.judge import places
from teeter.games.judge.judge import TableScene
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec


def piece_of(shape: dict[str, Any]) -> Piece:
    return build(PieceSpec.model_validate({"shape": shape, "material": "beech"}))


def board(length: float, width: float, degrees: float) -> Piece:
    """A flat board whose long side was authored so far from x, counter-clockwise, and its middle beside the origin."""
    turn = math.radians(degrees)
    corners = [(length / 2 * a + 9, width / 2 * b - 4) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    points = [
        [x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)] for x, y in corners
    ]
    return piece_of({"prism": {"points": points, "height": 10}})


@pytest.mark.parametrize(
    ("authored", "heading"), [(0, 0), (30, 0), (-30, 0), (70, 0), (120, 180), (150, 180), (-120, 180)]
)
def test_a_piece_lies_with_its_long_side_along_x(authored: float, heading: float) -> None:
    """BS-01: turned the short way from how it was authored."""
    piece = board(80, 20, authored)
    pose = places.steady(piece)
    low, high = places.bounds(piece, pose)
    assert 1e3 * low == pytest.approx((-40, -10, 0), abs=0.01)
    assert 1e3 * high == pytest.approx((40, 10, 10), abs=0.01)
    turn = math.degrees(math.atan2(pose.matrix[1, 0], pose.matrix[0, 0]))
    assert turn == pytest.approx(heading - math.copysign(authored, authored), abs=0.1) or turn == (
        pytest.approx(-heading - authored, abs=0.1)
    )


def test_a_piece_is_laid_with_its_middle_over_the_origin_however_it_is_turned() -> None:
    """BS-01: the middle of its bounds, which are others when a triangle is turned."""
    triangle, turned = build(find("bausack/triangle")), Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.6, 0.8))
    low, high = places.bounds(triangle, places.laid(triangle, turned.matrix))
    assert low[:2] == pytest.approx(-high[:2])
    assert low[2] == pytest.approx(0.0)


def test_where_turning_saves_no_room_a_piece_stays_as_it_was_authored() -> None:
    """BS-01: an octagon takes as much room either way."""
    angles = [math.radians(10 + 45 * corner) for corner in range(8)]
    octagon = piece_of(
        {"prism": {"points": [[20 * math.cos(a), 20 * math.sin(a)] for a in angles], "height": 10}}
    )
    assert places.steady(octagon).matrix == pytest.approx(np.eye(3))


@pytest.mark.parametrize(("length", "width"), [(40, 40.0002), (40.0002, 40)])
def test_a_board_that_is_square_but_for_rounding_lies_as_a_square_one(length: float, width: float) -> None:
    """BS-01: which of its sides comes along x does not hang on the last digits."""
    square, nearly = places.steady(board(40, 40, 30)), places.steady(board(length, width, 30))
    assert nearly.matrix == pytest.approx(square.matrix, abs=1e-3)


def test_a_ball_lies_as_it_was_authored() -> None:
    """BS-01: it has no side to lie on, so nothing turns it."""
    lying = places.steady(piece_of({"sphere": 15}))
    assert lying.orientation == (0.0, 0.0, 0.0, 1.0)
    assert lying.position == pytest.approx((0.0, 0.0, 0.015))


def test_a_round_column_stands_on_its_end_where_it_would_roll_on_its_side() -> None:
    """BS-01: though it lies lower on its side. One that is too thin to stand lies."""
    for radius, length, high in ((10, 31, 31), (10, 29, 29), (2, 90, 4)):
        piece = piece_of({"cylinder": [radius, length]})
        low, top = places.bounds(piece, places.steady(piece))
        assert 1e3 * float(top[2] - low[2]) == pytest.approx(high, abs=0.1), (radius, length)


def test_a_piece_without_a_steady_face_lies_on_the_lowest() -> None:
    """BS-01: of faces as low as each other always on the same, or recordings would begin with another layout."""
    egg = places.steady(build(find("bausack/egg")))
    assert egg.orientation == pytest.approx((0.051967, -0.726596, 0.0, 0.685097), abs=1e-5)
    lens = places.steady(build(find("bausack/lens")))
    assert lens.orientation == pytest.approx((0.003660, -0.032484, 0.0, 0.999466), abs=1e-5)


def test_a_long_roller_lies_on_its_lowest_side() -> None:
    """BS-01: it tips over each of its narrow faces and off its ends; its middle is nearest to the flatter side."""
    angles = [math.radians(5.0 * corner + 2.5) for corner in range(72)]
    points = [[30 * math.cos(a), (28 if math.sin(a) > 0 else 20) * math.sin(a)] for a in angles]
    roller = piece_of({"prism": {"points": points, "height": 1000}})
    outline = shapely.Polygon(points)
    lowest = outline.centroid.y - min(y for _, y in points)
    centre = Body("roller", roller, places.steady(roller)).centre_of_mass
    assert 1e3 * centre[2] == pytest.approx(lowest, abs=1e-3)


def test_a_supply_is_read_in_rows_that_are_no_wider_than_asked() -> None:
    """BS-01: from the far left, 15 mm apart, every row and all rows about the middle."""
    sizes = [(100, 20), (90, 30), (80, 20), (100, 40), (50, 10)]
    named = [(f"{at}", piece_of({"box": [x, y, 5]})) for at, (x, y) in enumerate(sizes)]
    for width, rows in ((301, ("012", "34")), (299, ("01", "234")), (10, tuple("01234"))):
        bodies, depth = places.supply(named, width)
        assert [body.name for body in bodies] == [name for name, _ in named]
        deep = [max(sizes[int(name)][1] for name in row) for row in rows]
        assert depth == pytest.approx(sum(deep) + 15 * (len(rows) - 1))
        far = depth / 2
        for row, most in zip(rows, deep, strict=True):
            x = -(sum(sizes[int(name)][0] for name in row) + 15 * (len(row) - 1)) / 2
            for name in row:
                body, length = bodies[int(name)], sizes[int(name)][0]
                expected = ((x + length / 2) / 1e3, (far - most / 2) / 1e3, 0.0025)
                assert body.pose.position == pytest.approx(expected, abs=1e-9)
                x += length + 15
            far -= most + 15


def test_a_ball_is_let_down_into_its_saucer() -> None:
    """BS-01: it touches the inner edge of the ring, and not the table."""
    ball = piece_of({"sphere": 15})
    saucer, lying = places.on_saucer(Body("ball", ball, Pose((0.1, -0.2, 0.015))))
    assert (saucer.name, saucer.fixed, lying.fixed) == ("saucer.ball", True, False)
    assert saucer.pose.position == pytest.approx((0.1, -0.2, 0.0015))
    # inner radius 0.4 and height 0.2 of the ball's radius
    assert lying.pose.position == pytest.approx((0.1, -0.2, 0.015 * (0.2 + math.sqrt(0.84))), abs=1e-4)
    cube = Body("cube", piece_of({"box": [15, 15, 15]}), Pose((0.1, -0.2, 0.0075)))
    assert places.on_saucer(cube) == (cube,)


def test_an_outline_is_a_plane_figure_seen_from_above() -> None:
    """A box that stands on its end, turned by a right angle: its four corners, millimetres."""
    box = piece_of({"box": [80, 20, 10]})
    turned = Pose((0.1, 0.2, 0.3), quaternion_of_rpy(0.0, math.pi / 2, math.pi / 2))
    corners = places.outline(Body("box", box, turned)).exterior.coords
    assert {tuple(round(length, 6) for length in corner) for corner in corners} == {
        (100 + x, 200 + y) for x in (-10, 10) for y in (-5, 5)
    }


@pytest.mark.parametrize("height", [0.0, 0.25, -0.25])
def test_the_top_of_the_table_is_where_the_table_is(height: float) -> None:
    """ALL-4: what falls is below it."""
    table = places.table(100, 100)
    raised = table.at(table.pose.then(Pose((0.0, 0.0, height))))
    assert places.top_of(TableScene({TABLE: raised})) == pytest.approx(height)


def test_without_a_table_its_top_is_at_0() -> None:
    """ALL-4: as where a table would be."""
    assert places.top_of(TableScene({})) == 0.0
