"""Loading scene files: what a good one gives, and which file a name finds."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from teeter.engine.world.body import TABLE
from teeter.models.catalogue import find
from teeter.models.material import material_named
from teeter.scenes.load import add, load, shipped
from teeter.scenes.scene import SceneError, without

HEAD = 'teeter = 1\nname = "Test"\n'
BRICK = '[[piece]]\nid = "brick"\nmodel = "tower_topple/brick"\nposition = [0, 0, 7.5]\n'


def write(folder: Path, text: str, name: str = "test.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def piece(keys: str, name: str = "a") -> str:
    """A box with some keys of its own; a second mention of a key wins."""
    plain = {"id": f'"{name}"', "shape": "{ box = [60, 30, 20] }", "position": "[0, 0, 10]"}
    own = dict(line.split(" = ", 1) for line in keys.splitlines() if line)
    return (
        "[[piece]]\n"
        + "\n".join(f"{key} = {value}" for key, value in (plain | own).items() if value != "-")
        + "\n"
    )


def faults_of(path: Path, **options: object) -> list[str]:
    with pytest.raises(SceneError) as caught:
        load(path, **options)  # type: ignore[arg-type]
    return [str(fault).removeprefix(str(path)).lstrip(":") for fault in caught.value.faults]


# what a good file gives


def test_a_scene_has_the_table_first_and_its_pieces_in_order(tmp_path: Path) -> None:
    scene = load(write(tmp_path, HEAD + BRICK + piece("position = [0, 0, 25]")))
    assert [body.name for body in scene.assembly.bodies] == [TABLE, "brick", "a"]
    assert (scene.name, scene.title, scene.ids) == ("test", "Test", ("brick", "a"))
    table, brick, _ = scene.assembly.bodies
    assert table.fixed
    assert not brick.fixed
    assert table.piece.extents == pytest.approx([1.2, 0.8, 0.03])
    assert table.pose.position == (0.0, 0.0, -0.015)
    assert table.piece.material.friction == 0.45
    assert brick.pose.position == (0.0, 0.0, 0.0075)
    assert brick.piece.model == "tower_topple/brick"


def test_lengths_angles_and_masses_become_si(tmp_path: Path) -> None:
    keys = "position = [10, 20, 300]\nrotation = [0, 0, 90]\n"
    keys += 'mass = 50\nfriction = 0.3\nrestitution = 0.2\ncolour = "red"'
    made = load(write(tmp_path, HEAD + piece(keys)), drop=True).assembly.bodies[1]
    assert made.pose.position == pytest.approx((0.01, 0.02, 0.3))
    assert made.pose.matrix @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert made.piece.mass == pytest.approx(0.05)
    assert (made.piece.material.friction, made.piece.material.restitution) == (0.3, 0.2)
    assert made.piece.colour is not None
    side = np.array([0.06, 0.03, 0.02])
    assert made.piece.inertia == pytest.approx(np.diag((np.sum(side**2) - side**2) * 0.05 / 12))


def test_rotation_is_about_fixed_axes_and_a_quaternion_says_the_same(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    text = HEAD + piece("position = [0, 0, 100]\nrotation = [90, 0, 90]", "a")
    text += piece(f"position = [0, 0, 300]\nquaternion = [0.5, 0.5, 0.5, {0.5}]", "b")
    text += piece(f"position = [0, 0, 500]\nquaternion = [0, 0, {half:.4f}, {half:.4f}]", "c")
    _, a, b, c = load(write(tmp_path, text), drop=True).assembly.bodies
    # roll takes y to z, then yaw takes x to y
    assert a.pose.matrix @ [0, 1, 0] == pytest.approx([0, 0, 1])
    assert a.pose.matrix @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert b.pose.matrix == pytest.approx(a.pose.matrix)
    assert math.hypot(*c.pose.orientation) == pytest.approx(1, abs=1e-15)


def test_materials_by_name_inline_by_catalogue_and_by_option(tmp_path: Path) -> None:
    text = HEAD + BRICK + piece("position = [0, 0, 100]", "plain")
    text += piece("position = [0, 0, 200]\nmaterial = { density = 500, friction = 0.2 }", "inline")
    text += piece('position = [0, 0, 300]\nmaterial = "grey_board"', "named")
    _, brick, plain, inline, named = load(write(tmp_path, text), material="alder", drop=True).assembly.bodies
    assert brick.piece.material == find("tower_topple/brick").material
    assert plain.piece.material == material_named("alder")
    assert (inline.piece.material.density_kg_m3, inline.piece.material.friction) == (500, 0.2)
    assert inline.piece.mass == pytest.approx(500 * 0.06 * 0.03 * 0.02)
    assert named.piece.material == material_named("grey_board")


@pytest.mark.parametrize(
    ("head", "option", "top"),
    [
        ("", None, 0.0),
        ("", "none", None),
        ("table = false\n", None, None),
        ("", "lowest", -0.005),
        ("table = false\n", "lowest", -0.005),
        ("[table]\nsize = [500, 300]\n", "lowest", -0.005),
    ],
)
def test_the_table_is_where_it_is_asked_for(
    tmp_path: Path, head: str, option: str | None, top: float | None
) -> None:
    low = 5 if top else 10
    path = write(tmp_path, HEAD + head + piece(f"position = [0, 0, {low}]"))
    tables = [body for body in load(path, table=option).assembly.bodies if body.name == TABLE]
    assert [body.pose.position[2] + 0.015 for body in tables] == ([] if top is None else [pytest.approx(top)])
    if "size" in head:
        assert tables[0].piece.extents[:2] == pytest.approx([0.5, 0.3])


def test_fixed_by_key_and_by_pattern(tmp_path: Path) -> None:
    text = HEAD + piece("fixed = true\nposition = [0, 0, 5]", "pier.1")
    text += piece("position = [100, 0, 10]", "pier.2") + piece("position = [200, 0, 10]", "deck")
    scene = load(write(tmp_path, text), fixed=["*.2"])
    assert [body.fixed for body in scene.assembly.bodies] == [True, True, True, False]


def test_pieces_without_a_height_are_let_down_in_file_order(tmp_path: Path) -> None:
    text = HEAD + piece("position = [0, 0]", "first") + piece("position = [45, 0]", "over")
    text += piece("position = [0, 30]", "beside")
    text += piece("shape = { sphere = 15 }\nposition = [-30, 0]", "ball")
    scene = load(write(tmp_path, text))
    heights = {body.name: body.pose.position[2] * 1e3 for body in scene.assembly.free}
    assert heights == pytest.approx({"first": 10, "over": 30, "beside": 10, "ball": 35}, abs=1e-9)
    assert scene.dropped == ("first", "over", "beside", "ball")


def test_a_model_of_the_scene_is_what_its_pieces_have_in_common(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(
        'teeter = 1\n[[model]]\nid = "post"\nshape = { box = [20, 20, 60] }\nmaterial = "alder"\n'
        '[[piece]]\nid = "a"\nmodel = "post"\nposition = [0, 0]\n'
        '[[piece]]\nid = "b"\nmodel = "post"\nmaterial = "beech"\nposition = [50, 0]\n'
    )
    first, second = load(path).assembly.free
    assert first.piece.extents == pytest.approx([0.02, 0.02, 0.06])
    assert second.piece.extents == pytest.approx([0.02, 0.02, 0.06])
    assert (first.piece.material.name, second.piece.material.name) == ("alder", "beech")


def test_the_same_pieces_are_built_once(tmp_path: Path) -> None:
    text = HEAD + "".join(piece(f"position = [0, 0, {20 * number + 10}]", str(number)) for number in range(9))
    pieces = {id(body.piece) for body in load(write(tmp_path, text)).assembly.free}
    assert len(pieces) == 1


def test_four_hundred_turned_blocks_load_in_about_a_second(tmp_path: Path) -> None:
    rows = []
    for level in range(40):
        for place in range(10):
            angle = math.radians(30)
            x, y = ((place - 4.5) * 60 * math.cos(angle), (place - 4.5) * 60 * math.sin(angle))
            rows.append(
                piece(f"position = [{x}, {y}, {20 * level + 10}]\nrotation = [0, 0, 30]", f"{level}.{place}")
            )
    path = write(tmp_path, HEAD + "".join(rows))
    load(path)


# names and files


def test_a_bare_name_is_a_shipped_scene_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load("two_bricks").name == load("two_bricks.toml").name == "two_bricks"
    write(tmp_path, HEAD + BRICK, "two_bricks.toml")
    assert load("two_bricks.toml").title == "Test"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arhc", "there is no such file, nor a shipped scene of this name; did you mean 'arch'?"),
        ("nothing_like_it", "(`teeter scenes` lists those)"),
        ("tset.toml", "did you mean 'test.toml'?"),
        ("missing/test.toml", "there is no such file"),
        ("", "names no file"),
        ("a" * 300, "there is no such file"),
        ("a\0b", "there is no such file"),
        ("folder", "is a folder; give a scene file"),
        ("loop.toml", "is a link that leads to no file"),
        ("notes.txt", ".txt is not a kind of scene file (allowed: .toml, .glb"),
    ],
)
def test_a_name_that_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, HEAD + BRICK)
    write(tmp_path, "", "notes.txt")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    with pytest.raises(SceneError) as caught:
        load(name)
    assert words in str(caught.value)


def test_a_pipe_is_no_scene_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    assert faults_of(tmp_path / "pipe.toml") == [" is not a regular file"]


# taking out and putting in


def test_without_takes_pieces_out(tmp_path: Path) -> None:
    scene = load(write(tmp_path, HEAD + BRICK + piece("position = [0, 0]")))
    left = without(scene, ["a"])
    assert (left.ids, left.dropped, list(left.written)) == (("brick",), (), ["brick"])
    assert left.assembly.bodies[0].name == TABLE


def test_without_an_unknown_or_the_last_piece() -> None:
    scene = load("two_bricks")
    with pytest.raises(
        SceneError, match="there is no piece 'slob' to take out; did you mean 'slab'"
    ) as caught:
        without(scene, ["slob", "table", "lower"])
    assert len(caught.value.faults) == 2
    with pytest.raises(SceneError, match="no piece would be left"):
        without(scene, ["lower", "slab"])


def test_add_lets_pieces_down_onto_the_scene(tmp_path: Path) -> None:
    more = write(
        tmp_path, HEAD + "[table]\nsize = [90, 90]\n" + piece("position = [20, 0]", "top"), "more.toml"
    )
    scene = add(load("two_bricks"), more)
    assert scene.ids == ("lower", "slab", "top")
    assert scene.dropped == ("top",)
    assert scene.assembly.bodies[-1].pose.position == pytest.approx((0.02, 0, 0.04))
    assert scene.assembly.bodies[0].piece.extents[0] == pytest.approx(1.2)
    assert scene.head.expect is None
    assert set(scene.written) == {"lower", "slab", "top"}


def test_add_reports_taken_ids_and_overlaps(tmp_path: Path) -> None:
    text = HEAD + piece("position = [0, 0, 200]", "slab") + piece("position = [20, 0, 39]", "top")
    with pytest.raises(SceneError) as caught:
        add(load("two_bricks"), write(tmp_path, text))
    assert 'id = "slab": is taken by a piece of the scene "two_bricks"' in str(caught.value)
    assert 'piece[2] "top": overlaps "slab" by 1.00 mm' in str(caught.value)


def test_there_are_at_least_sixteen_shipped_scenes() -> None:
    assert len(shipped()) >= 16
