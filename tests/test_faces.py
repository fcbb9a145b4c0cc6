"""What is printed on pieces: read from the catalogues, drawn, and seen on the top of the piece."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera
from teeter.engine.view.frame import frame_of
from teeter.engine.view.render.decals import (
    BOX_ICONS,
    CARD_RESOLUTION,
    ICONS,
    TILES,
    DecalArea,
    decal_area,
    decal_picture,
    tile,
)
from teeter.engine.view.render.drawing import Paper, box, disc, fitted, polygon, size_of, write
from teeter.engine.view.render.shading import linear_of
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import Body
from teeter.games.cli import app
from teeter.models.build import build
from teeter.models.catalogue import catalogue, find
from teeter.models.errors import CatalogueError, SpecError
from teeter.models.face import BOXES, LETTERS, Face
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec, dressed, parse

MODELS = Path(__file__).resolve().parent.parent / "models"
BOX = {"box": [75, 25, 15]}


def tables(game: str) -> dict[str, Any]:
    return tomllib.loads((MODELS / f"{game}.toml").read_text(encoding="utf-8"))


def printed(text: str, **more: object) -> Piece:
    return build(parse({"shape": BOX, "face": {"text": text}, **more}, "test"))


def picture(piece: Piece) -> np.ndarray[Any, np.dtype[np.uint8]]:
    area = decal_area(piece)
    assert area is not None
    return decal_picture(piece, area)


def test_every_card_shows_its_own_boxes() -> None:
    rows = {row["id"]: row["boxes"] for row in tables("crazy_tower")["card"]}
    faces = {
        model.partition("/")[2]: spec.face
        for model, spec in catalogue("crazy_tower").items()
        if spec.value is None
    }
    assert len(faces) == 21
    assert {name: list(face.boxes) for name, face in faces.items() if face} == rows


def test_every_block_shows_its_value_and_every_print_has_its_brick() -> None:
    for spec in catalogue("crazy_tower").values():
        if spec.value is not None:
            assert spec.face == Face(text=str(spec.value))
    bricks = [spec.face for spec in catalogue("tower_topple").values() if spec.face]
    assert [face.text for face in bricks] == [row["text"] for row in tables("tower_topple")["print"]]
    assert find("tower_topple/brick_draw_blue").face == Face(text="DRAW BLUE", icon="brick", ink="#2b5c9e")
    assert find("tower_topple/brick_red").colour == "red"


def test_a_print_goes_onto_an_uneven_brick() -> None:
    uneven = PieceSpec(model="brick.07", shape=parse({"shape": {"box": [75.2, 24.8, 14.7]}}, "test").shape)
    piece = build(dressed(uneven, find("tower_topple/brick_skip")))
    assert (piece.model, piece.face) == ("brick.07", find("tower_topple/brick_skip").face)
    assert piece.extents[0] == pytest.approx(0.0752)


def test_pieces_with_a_face_have_names_of_their_own_and_others_keep_theirs() -> None:
    plain = parse({"shape": BOX}, "test").model
    assert plain == parse({"shape": BOX, "value": 2}, "test").model
    assert plain != parse({"shape": BOX, "face": {"text": "2"}}, "test").model


@pytest.mark.parametrize(
    ("face", "says"),
    [
        ({"boxes": ["..?"]}, "unknown marks ?: use . # - + x"),
        ({"boxes": ["..", "."]}, "rows must be of one length, 1 to 12"),
        ({"boxes": [""]}, "rows must be of one length"),
        ({"text": "Skip!"}, '"!ikp" cannot be printed: use capitals, digits, + and -'),
        ({}, "either boxes, or a text or icon"),
        ({"boxes": ["."], "text": "A"}, "either boxes, or a text or icon"),
        ({"text": "A", "ink": "bleu"}, 'unknown colour "bleu": did you mean "blue"?'),
        ({"icon": "cow"}, "face.icon"),
    ],
)
def test_faults_of_a_face_are_named(face: dict[str, object], says: str) -> None:
    with pytest.raises(SpecError, match=re.escape(says)):
        parse({"shape": BOX, "face": face}, "test")


def test_a_reference_to_nothing_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[[print]]\nid = "skip"\ntext = "SKIP"\n[[piece]]\nid = "a"\nshape = { box = [9, 9, 9] }\nface = "%s"\n'
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    for reference, says in (
        ("print.skp", 'did you mean "print.skip"?'),
        ("value", "has no value"),
        ("card.a", 'no [[card]] called "a": there are none'),
    ):
        (tmp_path / "models" / "mine.toml").write_text(text % reference)
        with pytest.raises(CatalogueError, match=re.escape(says)):
            catalogue("mine")
    (tmp_path / "models" / "mine.toml").write_text(text % "print.skip")
    assert catalogue("mine")["mine/a"].face == Face(text="SKIP")


def test_distances_are_true() -> None:
    paper = Paper.of(10, 10, 4)
    assert disc(paper, 2).min() == pytest.approx(-2, abs=0.2)
    assert np.allclose(box(paper, (2, 1)), polygon(paper, [(-2, -1), (2, -1), (2, 1), (-2, 1)]), atol=1e-9)
    # a pixel on the edge is half covered; the area is that of the circle
    assert paper.cover(disc(paper, 3)).sum() / 16 == pytest.approx(9 * np.pi, rel=0.005)


def test_every_letter_is_drawn_within_its_size_and_none_looks_like_another() -> None:
    paper = Paper.of(16, 16, 6)
    drawn = {}
    for letter in sorted(LETTERS - {" "}):
        cover = paper.cover(write(paper, [letter], 8.0))
        wide, high = (8 * side / 2 + 0.4 for side in size_of([letter]))
        assert cover[(np.abs(paper.x) > wide) | (np.abs(paper.y) > high)].max() == 0, letter
        drawn[letter] = cover
    for one, other in combinations(drawn, 2):
        assert np.abs(drawn[one] - drawn[other]).sum() > 60, (one, other)


def test_words_are_set_as_large_as_they_fit() -> None:
    lines, letter = fitted("DRAW ONE MORE", 50, 19)
    assert lines == ["DRAW", "ONE MORE"]
    wide, high = size_of(lines)
    assert letter == pytest.approx(min(50 / wide, 19 / high))
    assert fitted("SKIP", 50, 19)[0] == ["SKIP"]


def luminance(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    light = pixels[..., :3].astype(float) / 255
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def test_boxes_are_told_apart_without_colour_and_by_size() -> None:
    """Signs stand out from their box by 3 : 1 (WCAG 2.2, 1.4.11), and no two boxes look alike in grey."""
    for back, front in TILES.values():
        if front:
            light, dark = sorted((_light(back), _light(front)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) > 3
    grey = {mark: luminance(tile(mark, 16.0)) for mark in BOXES}
    for one, other in combinations(grey, 2):
        assert np.abs(grey[one] - grey[other]).mean() > 0.06, (BOXES[one], BOXES[other])
    assert {"."} | BOX_ICONS.keys() == set(BOXES)


def _light(colour: str) -> float:
    return float(np.dot(linear_of(colour), (0.2126, 0.7152, 0.0722)))


def test_a_card_has_each_box_where_its_row_says() -> None:
    face = Face(boxes=("#....", ".-...", "..+..", "...x.", "....#"))
    table = {"shape": {"box": [85, 85, 2]}, "material": "grey_board", "face": face.model_dump()}
    drawn = picture(build(parse(table, "test")))
    assert drawn.shape == (680, 680, 4)
    assert not drawn.flags.writeable
    side, margin = int(16 * CARD_RESOLUTION), int(2.5 * CARD_RESOLUTION)
    for row, marks in enumerate(face.boxes):
        for column, mark in enumerate(marks):
            # beside the sign, near the box's left edge
            pixel = drawn[margin + row * side + side // 2, margin + column * side + side // 12, :3]
            assert tuple(pixel) == tuple(bytes.fromhex(TILES[mark][0][1:])), (row, column)


def test_pictures_are_made_once_and_equal_faces_share_them() -> None:
    assert picture(printed("+2")) is picture(printed("+2", bevel=0.5))
    assert picture(printed("+2")) is not picture(printed("+3"))


def test_prints_stay_within_the_margin_and_use_the_brick() -> None:
    for spec in catalogue("tower_topple").values():
        if spec.face:
            cover = picture(build(spec))[..., 3]
            rows, columns = np.nonzero(cover)
            assert min(rows.min(), columns.min()) > 15, spec.model
            assert rows.max() < cover.shape[0] - 15, spec.model
            assert columns.max() < cover.shape[1] - 15, spec.model
            assert np.mean(cover > 0) > 0.04, spec.model
    assert set(ICONS) >= {row.get("icon", "brick") for row in tables("tower_topple")["print"]}


def test_a_value_lies_on_the_wood_of_its_block() -> None:
    for name, at in (("red_l3", (-0.008, -0.008)), ("red_v5", (-0.016, -0.016)), ("red_o4", (0.0, 0.0))):
        area = decal_area(build(find(f"crazy_tower/{name}")))
        assert area is not None
        assert area.centre == pytest.approx(at, abs=0.004), name
        assert 0.0155 < min(area.size) < 0.033
    assert decal_area(build(parse({"shape": {"sphere": 20}}, "test"))) is None
    assert decal_area(printed("A")) == DecalArea((0.0, 0.0), (0.075, 0.025))


def test_paint_takes_the_print_that_stands_out() -> None:
    tones = {}
    for colour in ("yellow", "purple", None):
        drawn = picture(printed("8", **({} if colour is None else {"colour": colour})))
        tones[colour] = luminance(drawn)[drawn[..., 3] > 200].mean()
    assert tones["purple"] > 0.6
    assert max(tones["yellow"], tones[None]) < 0.05


def test_faces_are_seen_on_top_the_right_way_round_and_not_below() -> None:
    table = {"shape": {"box": [40, 80, 4]}, "material": "grey_board"}
    face = {"boxes": ["#.", "..", "..", ".-"], "box_mm": 20}
    card = build(parse({**table, "face": face}, "test"))
    turned = Pose((0.05, 0, 0.002), (1.0, 0.0, 0.0, 0.0))
    bodies = [Body("up", card, Pose((-0.05, 0, 0.002))), Body("down", card, turned)]
    stage = Stage(bodies, size=(200, 120))
    try:
        stage.aim(Camera((0, 0, 0.5), (0, 0, 0), 14.0))
        shot = stage.render().astype(int)
        stage.show(replace(frame_of(bodies), unread=frozenset({"up"})))
        unread = stage.render().astype(int)
        stage.show(frame_of(bodies))
        again = stage.render().astype(int)
    finally:
        stage.close()
    # metres to pixels: 120 pixels see 2 * 0.5 * tan(7 degrees)
    scale = 120 / (2 * 0.498 * np.tan(np.radians(7)))

    def at(x: float, y: float) -> Any:
        return shot[round(60 - y * scale), round(100 + x * scale)]

    red, blue, white = at(-0.067, 0.030), at(-0.033, -0.030), at(-0.033, 0.030)
    assert red[0] > 2 * red[1]
    assert blue[2] > 1.5 * blue[0]
    assert white.min() > 170
    assert np.array_equal(again, shot)
    assert np.ptp(unread[60, 100 - round(0.05 * scale)]) < 30
    assert np.abs(unread - shot).max(axis=2).sum() > 10000
    for x, y in ((0.033, 0.03), (0.067, 0.03), (0.033, -0.03), (0.067, -0.03)):
        assert np.ptp(at(x, y)) < 30
        assert at(x, y).max() < 190


def test_the_table_of_models_says_what_is_printed() -> None:
    rows = json.loads(CliRunner().invoke(app, ["models", "crazy-tower", "--json"]).stdout)
    found = {row["model"]: (row["value"], row["print"]) for row in rows}
    assert found["crazy_tower/red_t4"] == (4, "4")
    assert found["crazy_tower/card_04"] == (None, "12 white, 12 red, 1 remove")
    shown = CliRunner().invoke(app, ["models", "tower-topple"]).stdout
    assert "ALL OTHERS +1" in shown
