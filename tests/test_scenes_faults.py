"""Every kind of fault a scene file can have, and what is said of it."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_scenes_load import BRICK, HEAD, faults_of, piece, write

from teeter.scenes.load import SHIPPED, load
from teeter.scenes.reading import MAX_PIECES
from teeter.scenes.scene import Fault, SceneError

FAULTS = [
    # the file as a whole
    ("a = [1,\n[", "2: is not valid TOML: Invalid value (end of the file)"),
    ("a = 3\nb = [1 2]\n", "2: is not valid TOML: Unclosed array (column 8)"),
    ("a = ", "1: is not valid TOML: Invalid value (end of the file)"),
    ("a = " + "[" * 5000, "is not valid TOML: nested too deeply, or a number too long"),
    ("teeter = " + "9" * 5000, "is not valid TOML: nested too deeply, or a number too long"),
    ("", "teeter: the format version is missing: begin the file with `teeter = 1`"),
    (
        "teeter = 2\nshiny = 3\n",
        "teeter = 2: is newer than this teeter, which reads up to format 1: update teeter",
    ),
    ('teeter = "1"\n', 'teeter = "1": must be the format version 1'),
    ("teeter = true\n", "teeter = true: must be the format version 1"),
    ("teeter = 0\n", "teeter = 0: must be the format version 1"),
    (HEAD, "there are no pieces: add a [[piece]] table"),
    (HEAD + "piece = 3\n", "piece = 3: must be [[piece]] tables"),
    (HEAD + "piece = []\n", "there are no pieces: add a [[piece]] table"),
    (
        HEAD + '[[piece]]\nid = "a"\nshape = { box = [0.05, 0.05, 0.05] }\nposition = [0, 0, 0.025]\n',
        "its longest piece has 0.05 mm; lengths are in mm: is it written in metres?",
    ),
    # the head
    (
        HEAD + "pieces = 3\n" + BRICK,
        "pieces: unknown key; did you mean 'piece'? (allowed: piece, teeter, name, table",
    ),
    ("teeter = 1\nname = 3\n" + BRICK, "name = 3: must be text in quotes"),
    (HEAD + "table = true\n" + BRICK, "table = true: must be a table, or false for none"),
    (HEAD + "table = 5\n" + BRICK, "table = 5: must be a table"),
    (HEAD + "[table]\nsize = [1200, 0]\n" + BRICK, "[table]: size[2] = 0: must be more than 0"),
    (HEAD + "[table]\nsize = [1200]\n" + BRICK, "[table]: size[2]: is missing"),
    (HEAD + "[table]\nfriction = inf\n" + BRICK, "[table]: friction = inf: must be a finite number"),
    (HEAD + "[table]\nfrction = 1\n" + BRICK, "[table]: frction: unknown key; did you mean 'friction'?"),
    (
        HEAD + '[expect]\nverdict = "falls"\n' + BRICK,
        "[expect]: verdict = \"falls\": must be 'stands', 'topples'",
    ),
    # ids
    (HEAD + piece("id = -"), "3: piece[1]: id: is missing"),
    (HEAD + piece("id = 3"), "3: piece[1]: id = 3: must be text in quotes"),
    (HEAD + piece('id = ""'), '3: piece[1] "": id = "": String should have at least 1 character'),
    (
        HEAD + piece('id = "table"'),
        'piece[1] "table": id = "table": is reserved (table, floor, hand are not pieces)',
    ),
    (HEAD + piece('id = "floor"'), "is reserved"),
    (HEAD + piece('id = "hand"'), "is reserved"),
    (HEAD + piece('id = "a\\nb"'), "an id has no blanks around it and no control characters"),
    (
        HEAD + piece("") + piece("position = [100, 0, 10]"),
        '7: piece[2] "a": id = "a": is taken by piece[1] "a": choose another',
    ),
    # what it is
    (HEAD + piece("shape = -"), '3: piece[1] "a": give either `model` (from the catalogue) or `shape`'),
    (HEAD + piece('model = "tower_topple/brick"'), "give either `model` (from the catalogue) or `shape`"),
    (
        HEAD + piece('shape = -\nmodel = "tower_topple/brik"'),
        'model = "tower_topple/brik": unknown model "tower_topple/brik": did you mean "tower_topple/brick"?',
    ),
    (HEAD + piece("shape = { box = [60, -30, 20] }"), "shape.box[2] = -30: must be at least 0.01"),
    (HEAD + piece("shape = { box = [60, 0, 20] }"), "shape.box[2] = 0: must be at least 0.01"),
    (HEAD + piece("shape = { box = [60, 30] }"), "shape.box[3]: is missing"),
    (
        HEAD + piece("shape = { bix = [60, 30, 20] }"),
        "shape: give exactly one shape of: box, cylinder, sphere",
    ),
    (HEAD + piece("shape = { sphere = nan }"), "shape.sphere = nan: must be a finite number"),
    (HEAD + piece('shape = { sphere = "5" }'), 'shape.sphere = "5": must be a number'),
    (
        HEAD + piece("shape = { prism = { points = [[0, 0], [1, 0], [0, 1]], height = 3, heigth = 3 } }"),
        "shape.prism.heigth: unknown key; did you mean 'height'? (allowed: points, height)",
    ),
    (
        HEAD + piece('shape = { mesh = "none.stl" }'),
        'shape.mesh = "none.stl": there is no such file beside the scene',
    ),
    (
        HEAD + piece('shape = { mesh = "/etc/passwd" }'),
        "lies outside the folder of the scene: copy the mesh beside",
    ),
    (
        HEAD + piece('shape = { mesh = "../x.stl" }'),
        "lies outside the folder of the scene: copy the mesh beside",
    ),
    (
        HEAD + piece("masss = 3"),
        "masss: unknown key; did you mean 'mass'? (allowed: id, model, shape, position",
    ),
    (HEAD + piece("mass = 0"), "mass = 0: must be more than 0"),
    (HEAD + piece("mass = -2"), "mass = -2: must be more than 0"),
    (
        HEAD + piece("mass = 1e9"),
        "mass = 1000000000.0: would make a density of 2.78e+10 kg/m3; at most 25000",
    ),
    (
        HEAD + piece('material = "beach"'),
        'material = "beach": unknown material "beach": did you mean "beech"?',
    ),
    (HEAD + piece("material = { density = 0, friction = 1 }"), "material.density = 0: must be more than 0"),
    (
        HEAD + piece("material = { density = 500, friction = 0, frction = 1 }"),
        "material.frction: unknown key; did you mean 'friction'?",
    ),
    (HEAD + piece("friction = -0.1"), "friction = -0.1: must be at least 0"),
    (HEAD + piece("restitution = 1.5"), "restitution = 1.5: must be at most 1"),
    (HEAD + piece('colour = "rod"'), 'colour = "rod": unknown colour "rod": did you mean "red"?'),
    (HEAD + piece("fixed = 1"), "fixed = 1: must be true or false"),
    # where it is
    (HEAD + piece("position = -"), "position: is missing"),
    (HEAD + piece("position = [0, nan, 10]"), "position[2] = nan: must be a finite number"),
    (HEAD + piece("position = [nan, 0]"), "position[1] = nan: must be a finite number"),
    (HEAD + piece("position = [0]"), "position = [0]: must have at least 2 entries, has 1"),
    (HEAD + piece("position = [0, 0, -inf]"), "position[3] = -inf: must be a finite number"),
    (HEAD + piece("position = [0, 0, 1e7]"), "position[3] = 10000000.0: must be at most 1e+06"),
    (HEAD + piece("position = [0]"), "position = [0]: must have at least 2 entries, has 1"),
    (HEAD + piece("position = [0, 0, 0, 0]"), "position = [0, 0, 0, 0]: must have at most 3 entries, has 4"),
    (HEAD + piece("position = 5"), "position = 5: must be a list of numbers"),
    (HEAD + piece("position = [true, 0, 10]"), "position[1] = true: must be a number"),
    (HEAD + piece("rotation = [0, 0]"), "rotation[3]: is missing"),
    (HEAD + piece("rotation = [0, 0, inf]"), "rotation[3] = inf: must be a finite number"),
    (HEAD + piece("quaternion = [0, 0, 0, 0]"), "a quaternion [x, y, z, w] has length 1, this one 0"),
    (HEAD + piece("quaternion = [0, 0, 90, 1]"), "a quaternion [x, y, z, w] has length 1, this one 90.01"),
    (
        HEAD + piece("quaternion = [0, 0, 0, 1]\nrotation = [0, 0, 0]"),
        "give either `rotation` or `quaternion`, not both",
    ),
    (
        HEAD + "table = false\n" + piece("position = [0, 0]"),
        "position: there is nothing below to let it down on: give a height, [x, y, z]",
    ),
    (
        HEAD + "[table]\nsize = [1200, 800]\n" + piece("position = [5000, 0]"),
        "(the table of 1200 x 800 mm ends before it",
    ),
    # overlaps
    (
        HEAD + piece("") + piece("position = [0, 0, 28.75]", "b"),
        '7: piece[2] "b": overlaps piece[1] "a" by 1.25 mm; at most 0.2 mm is allowed (--settle MM allows',
    ),
    (
        HEAD + piece("position = [0, 0, 7]"),
        "overlaps the table by 3.00 mm; at most 0.2 mm is allowed (--settle MM allows more, --table lowest",
    ),
    (
        HEAD + piece("fixed = true") + piece("position = [0, 0, 28]", "b"),
        'piece[2] "b": overlaps piece[1] "a" by 2.00 mm',
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[message[:60] for _, message in FAULTS])
def test_a_fault_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    faults = faults_of(write(tmp_path, text))
    assert len(faults) == 1
    assert message in faults[0]


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    text = HEAD + "shiny = 1\n" + piece("mass = 0") + piece('shape = -\nmodel = "x/y"', "b")
    text += (
        piece("position = [0, 0, 100]", "c")
        + piece("position = [0, 0, 105]", "d")
        + piece("position = [9, 9]", "e")
    )
    faults = faults_of(write(tmp_path, text))
    words = [
        "shiny: unknown",
        'piece[1] "a": mass = 0',
        'piece[2] "b": model = "x/y"',
        'piece[4] "d": overlaps piece[3]',
    ]
    assert len(faults) == len(words)
    assert all(word in fault for word, fault in zip(words, faults, strict=True))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ('id = "a/b"\nshape = { sphere = 5 }', 'model[1]: id = "a/b": must be a name'),
        ("shape = { sphere = 5 }", "model[1]: id = None: must be a name"),
        ('id = "a"\nshape = { sphere = -5 }', 'piece[1] "one": shape.sphere = -5: must be at least'),
        ('id = "a"\nshpae = { sphere = 5 }', 'piece[1] "one": shpae: unknown key; did you mean'),
    ],
)
def test_a_fault_of_a_model_is_named_with_its_place(tmp_path: Path, model: str, message: str) -> None:
    path = tmp_path / "scene.toml"
    piece = '[[piece]]\nid = "one"\nmodel = "a"\nposition = [0, 0]\n'
    path.write_text(f"teeter = 1\n[[model]]\n{model}\n{piece}")
    with pytest.raises(SceneError) as refused:
        load(path)
    assert message in str(refused.value)


def test_a_fault_says_where_in_one_line() -> None:
    fault = Fault("a.toml", "is too big", 'piece[2] "b"', "mass", "9", 17)
    assert str(fault) == 'a.toml:17: piece[2] "b": mass = 9: is too big'
    assert str(SceneError([fault, Fault("a.toml", "x")])) == f"{fault}\na.toml: x"


def test_not_a_text_file(tmp_path: Path) -> None:
    (tmp_path / "test.toml").write_bytes(b"teeter = 1\n\xff\xfe")
    assert faults_of(tmp_path / "test.toml") == [" is not a text file in UTF-8 (byte 11); a scene is TOML"]


def test_windows_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "test.toml").write_bytes(b"\xef\xbb\xbf" + (HEAD + BRICK).replace("\n", "\r\n").encode())
    assert load(tmp_path / "test.toml").ids == ("brick",)


DAMAGED = ("two_bricks", "bridge", "ball_in_saddle")
PATCHES = ("", "nan", "-1e308", "9" * 30, "[", "true", "''", "\n[[piece]]\n", "é")


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(DAMAGED), st.sampled_from(PATCHES), st.floats(0, 1), st.integers(0, 12))
def test_damaged_files_load_or_are_refused_in_words(
    tmp_path: Path, name: str, patch: str, place: float, length: int
) -> None:
    text = (SHIPPED / f"{name}.toml").read_text(encoding="utf-8")
    start = int(place * len(text))
    path = write(tmp_path, text[:start] + patch + text[start + length :])
    with contextlib.suppress(SceneError):
        load(path)


def test_small_overlaps_pass_and_settle_allows_larger_ones(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + piece("") + piece("position = [0, 0, 29.6]", "b"))
    assert "by 0.40 mm; at most 0.2 mm" in faults_of(path)[0]
    assert "by 0.40 mm; at most 0.3 mm" in faults_of(path, settle_mm=0.3)[0]
    assert load(path, settle_mm=0.5).settle_mm == 0.5
    load(write(tmp_path, HEAD + piece("") + piece("position = [0, 0, 29.81]", "b")))


def test_supports_may_overlap_the_table_and_each_other(tmp_path: Path) -> None:
    fixed = "fixed = true\nposition = [0, 0, 0]"
    assert len(load(write(tmp_path, HEAD + piece(fixed, "a") + piece(fixed, "b"))).ids) == 2


def test_a_mesh_with_a_hole_is_refused(tmp_path: Path) -> None:
    corners = "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\n"
    write(tmp_path, corners + "f 1 3 2\nf 1 2 4\nf 2 3 4\n", "open.obj")
    (fault,) = faults_of(write(tmp_path, HEAD + piece('shape = { mesh = "open.obj" }')))
    assert 'shape = { mesh = "open.obj", scale = 1.0 }' in fault
    assert "is not watertight" in fault


def test_too_many_pieces_are_refused_before_anything_is_built(tmp_path: Path) -> None:
    count = MAX_PIECES + 1
    inline = ", ".join(['{ id = "a" }'] * count)
    for text in ("[[piece]]\n" * count, f"piece = [{inline}]\n"):
        faults = faults_of(write(tmp_path, HEAD + text))
        assert faults == [f" there are {count} pieces; at most {MAX_PIECES} are allowed"]
    assert "MB; a scene file has at most 16 MB" in faults_of(write(tmp_path, "#" * 17_000_000))[0]


def test_a_heap_of_overlaps_is_cut_short(tmp_path: Path) -> None:
    text = HEAD + "".join(piece("", str(number)) for number in range(2000))
    faults = faults_of(write(tmp_path, text))
    assert len(faults) == 21
    assert faults[-1] == " there are more overlaps: is the scene in the right unit?"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"settle_mm": -1.0}, "--settle = -1.0: must be from 0 to 1000 mm"),
        ({"settle_mm": math.nan}, "--settle = nan: must be"),
        ({"table": "low"}, "--table = low: must be lowest, none, or a size in mm such as 600 or 600x400"),
        ({"unit": "mm"}, "--unit = mm: only mesh files have a unit; scene files are in mm"),
        ({"unit": "ell"}, "--unit = ell: must be one of mm, cm, m, in"),
        ({"material": "beach"}, '--material = beach: unknown material "beach": did you mean "beech"?'),
        ({"fixed": ["brik"]}, "--fixed = brik: there is no piece of this name; did you mean 'brick'?"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, options: dict[str, object], message: str) -> None:
    (fault,) = faults_of(write(tmp_path, HEAD + BRICK), **options)
    assert message in fault
