"""Catalogues: the packaged ones, a folder of one's own, and what wrong files say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from teeter.models.build import build
from teeter.models.catalogue import catalogue, find, games
from teeter.models.errors import CatalogueError, UnknownModelError
from teeter.models.shapes import Sphere

CUBE_OFF = """OFF
8 6 0
0 0 0
10 0 0
10 10 0
0 10 0
0 0 10
10 0 10
10 10 10
0 10 10
4 3 2 1 0
4 4 5 6 7
4 0 1 5 4
4 1 2 6 5
4 2 3 7 6
4 3 0 4 7
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder `models/` in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def test_every_packaged_piece_builds() -> None:
    for game in games():
        for model, spec in catalogue(game).items():
            piece = build(spec)
            assert piece.model == model == spec.model
            assert piece.mass > 0


def test_the_brick() -> None:
    brick = build(find("tower_topple/brick"))
    assert brick.extents == pytest.approx([0.075, 0.025, 0.015])
    assert math.isclose(brick.mass, 0.075 * 0.025 * 0.015 * 695)
    assert brick.material.name == "beech"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("tower_topple/brik", 'unknown model "tower_topple/brik": did you mean "tower_topple/brick"?'),
        ("tower-topple/brick", 'did you mean "tower_topple/brick"?'),
        ("brick", 'unknown model "brick": did you mean "tower_topple/brick"?'),
        ("materials/beech", 'unknown model "materials/beech"'),
        ("../models/brick", 'unknown model "../models/brick"'),
        ("*/brick", 'unknown model "*/brick"'),
        ("", 'unknown model ""'),
    ],
)
def test_an_unknown_model_names_the_nearest(model: str, message: str) -> None:
    with pytest.raises(UnknownModelError, match=re.escape(message)):
        find(model)


def test_an_unknown_catalogue() -> None:
    with pytest.raises(CatalogueError, match='no catalogue "tower_tople": did you mean "tower_topple"'):
        catalogue("tower_tople")


def test_a_folder_of_ones_own_adds_and_overrides(own: Path) -> None:
    (own / "mine.toml").write_text('[[piece]]\nid = "ball"\nshape = { sphere = 10 }\n')
    (own / "tower_topple.toml").write_text(
        '[[piece]]\nid = "brick"\nshape = { box = [9, 9, 9] }\n[[piece]]\nid = "cap"\nshape = { sphere = 5 }'
    )
    assert "mine" in games()
    assert build(find("mine/ball")).extents == pytest.approx([0.02] * 3)
    assert build(find("tower_topple/brick")).extents == pytest.approx([0.009] * 3)
    assert list(catalogue("tower_topple"))[-1] == "tower_topple/cap"


def test_other_files_and_tables_are_passed_over(own: Path) -> None:
    before = games()
    (own / "weights.toml").write_text("layers = 3\n")
    (own / "broken.toml").write_text("layers = = 3\n")
    (own / "binary.toml").write_bytes(b"\xff\xfe[[piece]]")
    (own / "mine.toml").write_text('[[card]]\nid = "skip"\n[[piece]]\nid = "ball"\nshape = { sphere = 10 }\n')
    assert games() == tuple(sorted([*before, "mine"]))
    assert list(catalogue("mine")) == ["mine/ball"]


def test_a_changed_file_is_read_again(own: Path) -> None:
    for radius in (10, 125):
        (own / "mine.toml").write_text(f'[[piece]]\nid = "ball"\nshape = {{ sphere = {radius} }}\n')
        shape = find("mine/ball").shape
        assert isinstance(shape, Sphere)
        assert shape.sphere == radius


def test_a_mesh_lies_beside_its_catalogue(own: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (own / "cube.off").write_text(CUBE_OFF)
    (own / "mine.toml").write_text('[[piece]]\nid = "cube"\nshape = { mesh = "cube.off", scale = 2 }\n')
    spec = find("mine/cube")
    monkeypatch.chdir(tmp_path / "models")
    assert build(spec).extents == pytest.approx([0.02] * 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[piece]]\nid = ", "mine.toml: is not TOML"),
        ("[[piece]]\nid = " + 4000 * "[", "mine.toml: is not TOML: nested too deeply"),
        (
            "[[piece]]\nshape = { sphere = 1 }",
            "piece[0]: id: a piece needs a name without a slash (got None)",
        ),
        ('[[piece]]\nid = "a/b"\nshape = { sphere = 1 }', "(got 'a/b')"),
        ('[[piece]]\nid = "a"\nshape = { sphere = 1 }\n' * 2, 'piece[1]: id: "a" is taken: choose another'),
        ('[[piece]]\nid = "a"\nshape = { ball = 1 }', "mine.toml: piece[0]: shape: give exactly one shape"),
    ],
)
def test_wrong_files(own: Path, text: str, message: str) -> None:
    (own / "mine.toml").write_text(text)
    with pytest.raises(CatalogueError, match=re.escape(message)):
        find("mine/a")


def test_all_faults_of_a_file_at_once(own: Path) -> None:
    (own / "mine.toml").write_text(
        '[[piece]]\nid = "a"\nshape = { sphere = 0 }\nmaterial = "beach"\n[[piece]]\nshape = { sphere = 1 }\n'
    )
    with pytest.raises(CatalogueError) as caught:
        find("mine/a")
    assert [line.split(": ")[1:3] for line in str(caught.value).splitlines()] == [
        ["piece[0]", "shape.sphere"],
        ["piece[0]", "material"],
        ["piece[1]", "id"],
    ]


def test_a_wrong_file_does_not_spoil_the_others(own: Path) -> None:
    (own / "mine.toml").write_text('[[piece]]\nid = "a"\nshape = { ball = 1 }')
    assert find("tower_topple/brick").model == "tower_topple/brick"
    with pytest.raises(UnknownModelError, match="tower_topple/brick"):
        find("tower_topple/brock")
