"""What a file does not say is asked, and what is not understood is refused: through the real command."""

from __future__ import annotations

import base64
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner, Result

import teeter
from teeter.games.cli import app

CASES = Path(__file__).parent / "scene_cases"


def checked(name: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["check", str(CASES / name), *options], env={"COLUMNS": "400"})


def test_instances_are_pieces() -> None:
    result = checked("gpu_instancing.glb")
    assert result.exit_code == 0
    assert "6 pieces, 68 x 60 x 120 mm" in result.output


def test_instances_are_moved_turned_and_scaled_and_checked(tmp_path: Path) -> None:
    made = trimesh.Scene()
    made.add_geometry(trimesh.creation.box((0.04, 0.02, 0.01)))
    head, body = _head_and_body(made.export(file_type="glb"))
    # glTF: y up, metres; a quarter turn about y, and one of twice the size beside
    half = math.sqrt(0.5)
    numbers = {
        "TRANSLATION": ("VEC3", [[0, 0.01, 0], [0.2, 0.02, 0]]),
        "ROTATION": ("VEC4", [[0, half, 0, half], [0, 0, 0, 1]]),
        "SCALE": ("VEC3", [[1, 1, 1], [2, 2, 2]]),
    }
    node = next(node for node in head["nodes"] if "mesh" in node)
    given = {}
    for name, (kind, rows) in numbers.items():
        data = np.array(rows, dtype="<f4").tobytes()
        head["bufferViews"].append({"buffer": 0, "byteOffset": len(body), "byteLength": len(data)})
        view = len(head["bufferViews"]) - 1
        head["accessors"].append({"bufferView": view, "componentType": 5126, "count": 2, "type": kind})
        given[name] = len(head["accessors"]) - 1
        body += data
    node["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": given}}
    head["extensionsUsed"] = head["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    uri = "data:application/octet-stream;base64," + base64.b64encode(body).decode()
    head["buffers"] = [{"byteLength": len(body), "uri": uri}]
    path = tmp_path / "two.gltf"
    path.write_text(json.dumps(head))
    pieces = teeter.load(path).pieces
    sizes = sorted(tuple(sorted(round(side, 3) for side in piece.size_mm)) for piece in pieces.values())
    assert sizes == [(10, 20, 40), (20, 40, 80)]
    turned = next(piece for piece in pieces.values() if min(piece.size_mm) < 11)
    assert np.allclose(np.sort(turned.position_mm), [0, 0, 10], atol=1e-4)
    given.pop("ROTATION")
    head["accessors"][given["SCALE"]]["count"] = 1
    path.write_text(json.dumps(head))
    with pytest.raises(teeter.TeeterError, match="more of one kind than of another"):
        teeter.load(path)


def _head_and_body(glb: bytes) -> tuple[dict[str, Any], bytes]:
    (size,) = struct.unpack_from("<I", glb, 12)
    return json.loads(glb[20 : 20 + size]), glb[28 + size :]


def test_a_scene_smaller_than_a_millimetre_asks_for_unit_and_axis() -> None:
    result = checked("leaning_tower_y_up_metres.obj")
    assert result.exit_code == 2
    assert "is it in metres? --unit m" in result.output
    assert "is y up in it? its pieces lie well so: --up y" in result.output
    assert ".glb" in result.output


def test_only_the_unit_is_asked_of_a_scene_whose_z_is_up(tmp_path: Path) -> None:
    text = "o a\n" + "\n".join(
        f"v {x} {y} {z}" for z in (0, 0.1) for x, y in ((0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1))
    )
    faces = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    (tmp_path / "cube.obj").write_text(f"{text}\n{faces}")
    result = checked(str(tmp_path / "cube.obj"))
    assert result.exit_code == 2
    assert "--unit m" in result.output
    assert "--up" not in result.output
    assert checked(str(tmp_path / "cube.obj"), "--unit", "m").exit_code == 0


def test_overlaps_in_metres_are_a_question_of_the_unit_first() -> None:
    result = checked("deep_overlap_metres.obj")
    assert result.exit_code == 2
    assert "--unit m" in result.output
    result = checked("deep_overlap_metres.obj", "--unit", "m")
    assert result.exit_code == 2
    assert "overlaps" in result.output


def test_a_scene_larger_than_a_hundred_metres_is_asked_for_its_unit(tmp_path: Path) -> None:
    lines = (CASES / "table_too_small.obj").read_text().splitlines()
    large = [
        " ".join(["v", *(f"{float(x) * 1e6:g}" for x in line.split()[1:])]) if line[:2] == "v " else line
        for line in lines
    ]
    (tmp_path / "large.obj").write_text("\n".join(large))
    result = checked(str(tmp_path / "large.obj"))
    assert result.exit_code == 2
    assert "what is its unit?" in result.output


def test_the_refusal_of_a_tower_on_its_side_names_the_axis() -> None:
    result = checked("leaning_tower_y_up_mm.obj")
    assert result.exit_code == 2
    assert "is y up in it? its pieces lie well so: --up y" in result.output


def test_both_units_of_the_leaning_tower_have_one_verdict_with_the_axis_said() -> None:
    metres = checked("leaning_tower_y_up_metres.obj", "--unit", "m", "--up", "y")
    millimetres = checked("leaning_tower_y_up_mm.obj", "--up", "y")
    assert metres.exit_code == millimetres.exit_code == 1


def test_an_axis_is_refused_where_the_format_says_it(tmp_path: Path) -> None:
    block = tmp_path / "block.3mf"
    trimesh.creation.box((20.0, 20.0, 20.0)).export(block)
    for name in (str(block), str(CASES.parents[1] / "scenes" / "tower.toml")):
        result = checked(name, "--up", "y")
        assert result.exit_code == 2
        assert "--up" in result.output
    assert checked("leaning_tower_y_up_mm.obj", "--up", "w").exit_code == 2


def test_the_table_reaches_under_pieces_far_from_the_origin() -> None:
    assert checked("table_too_small.obj", "--unit", "m").exit_code == 0


def test_a_table_of_a_given_size_ends_where_it_is_said_to(tmp_path: Path) -> None:
    piece = '[[piece]]\nid = "far"\nshape = { box = [100, 100, 100] }\nposition = [1000, 0, 50]\n'
    (tmp_path / "far.toml").write_text(f"teeter = 1\n{piece}")
    assert checked(str(tmp_path / "far.toml")).exit_code == 0
    (tmp_path / "far.toml").write_text(f"teeter = 1\n[table]\nsize = [1200, 800]\n{piece}")
    assert checked(str(tmp_path / "far.toml")).exit_code == 1


def test_pieces_where_no_table_reaches_are_refused(tmp_path: Path) -> None:
    text = (CASES / "table_too_small.obj").read_text().replace("0.95", "499.95").replace("1.05", "500.05")
    (tmp_path / "far.obj").write_text(text)
    result = checked(str(tmp_path / "far.obj"), "--unit", "m")
    assert result.exit_code == 2
    assert "move them nearer" in result.output


def test_a_piece_in_the_air_is_refused_with_what_to_do() -> None:
    result = checked("floating_box.toml")
    assert result.exit_code == 2
    assert 'piece[2] "upper": nothing carries it: it floats 49.00 mm over "lower"' in result.output
    assert "--settle 49 lets it down, --drop lets it fall" in result.output
    assert checked("floating_box.toml", "--settle", "48.9").exit_code == 2


@pytest.mark.parametrize("options", [("--settle", "49"), ("--drop",)])
def test_a_piece_in_the_air_is_let_down_or_falls_on_purpose(options: tuple[str, ...]) -> None:
    result = checked("floating_box.toml", "--json", *options)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["settled_mm"] == pytest.approx(49.0, abs=0.05)


def test_a_fall_from_far_up_is_no_other_answer_than_one_from_near(tmp_path: Path) -> None:
    text = (CASES / "floating_box.toml").read_text()
    for height in (201, 600, 1200):
        (tmp_path / "high.toml").write_text(text.replace("199", str(height)))
        assert checked(str(tmp_path / "high.toml"), "--drop").exit_code == 0
    (tmp_path / "beside.toml").write_text(text.replace("[0, 0, 199]", "[60, 0, 201]"))
    assert checked(str(tmp_path / "beside.toml"), "--drop").exit_code == 1


def test_pieces_that_hang_together_in_the_air_are_told_as_one(tmp_path: Path) -> None:
    text = (CASES / "floating_box.toml").read_text()
    text += '[[piece]]\nid = "top"\nshape = { box = [50, 50, 50] }\nposition = [0, 0, 274]\n'
    (tmp_path / "two.toml").write_text(text)
    result = checked(str(tmp_path / "two.toml"))
    assert result.exit_code == 2
    assert result.output.count("nothing carries") == 1
    assert "nothing carries it and 1 more that it touches: it floats 49.00 mm" in result.output


def test_what_is_left_in_the_air_when_a_piece_is_taken_out_topples(tmp_path: Path) -> None:
    text = (CASES / "floating_box.toml").read_text().replace("[0, 0, 199]", "[0, 0, 189]")
    text += '[[piece]]\nid = "between"\nshape = { box = [99, 99, 39] }\nposition = [0, 0, 119.5]\n'
    (tmp_path / "three.toml").write_text(text)
    assert checked(str(tmp_path / "three.toml")).exit_code == 0
    result = checked(str(tmp_path / "three.toml"), "--without", "between", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["floating"] == [{"pieces": ["upper"], "over": "lower", "gap_mm": 39.0}]
    assert checked(str(tmp_path / "three.toml"), "--without", "between", "--drop").exit_code == 0


def test_scripts_are_refused_pieces_in_the_air_too() -> None:
    row = {"id": "a", "shape": {"box": [50, 50, 50]}, "position": [0, 0, 60]}
    refusal = r"nothing carries it: it floats"
    with pytest.raises(teeter.TeeterError, match=refusal):
        teeter.build([row])
    with pytest.raises(teeter.TeeterError, match=refusal):
        teeter.load(CASES / "floating_box.toml")
    falling = teeter.build([row], drop=True)
    assert teeter.check(falling).word == "topples"
    found = teeter.check(falling, drop=True)
    assert found.word == "stands"
    assert found.settled_mm == pytest.approx(35.0, abs=0.05)


def test_what_a_scene_was_loaded_with_is_closed_first() -> None:
    assert teeter.check(teeter.load("ruler_stack", settle_mm=0.5)).word == "stands"


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply"])
def test_metres_that_read_as_millimetres_are_asked_for(suffix: str, tmp_path: Path) -> None:
    stones = [
        trimesh.creation.box((1.0, 0.3, 0.5), trimesh.transformations.translation_matrix((x, 0, z)))
        for z in (0.25, 0.75)
        for x in (0.0, 1.0)
    ]
    trimesh.util.concatenate(stones).export(tmp_path / f"wall{suffix}")
    result = checked(str(tmp_path / f"wall{suffix}"))
    assert result.exit_code == 2
    assert "the scene is only 2 x 0.3 x 1 mm in size" in result.output
    assert "is it in metres, cm or inches? --unit m, cm or in (--unit mm says that" in result.output
    assert checked(str(tmp_path / f"wall{suffix}"), "--unit", "m").exit_code == 0
    assert checked(str(tmp_path / f"wall{suffix}"), "--unit", "mm").exit_code == 0


@pytest.mark.parametrize("far", ["1e7", "1e11", "1e300", "nan"])
def test_pieces_at_no_place_at_all_are_refused(far: str, tmp_path: Path) -> None:
    text = (CASES / "leaning_tower_y_up_mm.obj").read_text()
    lines = [
        line.rsplit(" ", 1)[0] + f" {far}" if line.startswith("v ") and number % 3 == 0 else line
        for number, line in enumerate(text.splitlines())
    ]
    (tmp_path / "far.obj").write_text("\n".join(lines))
    for options in ([], ["--unit", "mm"], ["--unit", "m"], ["--table", "lowest"]):
        assert checked(str(tmp_path / "far.obj"), *options).exit_code == 2


def test_the_lowest_table_is_no_answer_for_a_tower_on_its_side() -> None:
    result = checked("leaning_tower_y_up_mm.obj", "--table", "lowest")
    assert result.exit_code == 2
    assert "is y up in it? its pieces lie well so: --up y" in result.output
    assert checked("leaning_tower_y_up_mm.obj", "--table", "lowest", "--up", "y").exit_code == 1
    assert checked("leaning_tower_y_up_mm.obj", "--table", "lowest", "--up", "z").exit_code == 0


def test_a_table_has_the_size_that_is_asked_for() -> None:
    far = ("table_too_small.obj", "--unit", "m", "--json")
    for size, code in (("2200", 0), ("2400x800", 0), ("1200x800", 1)):
        result = checked(*far, "--table", size)
        assert result.exit_code == code
        found = json.loads(result.stdout)
        width, depth = (*map(float, size.split("x")), float(size.split("x")[0]))[:2]
        assert found["read"]["table"]["size_mm"] == [width, depth]
        assert found["off_table"] == (["lower", "upper"] if code else [])
    assert json.loads(checked(*far, "--table", "none").stdout)["read"]["table"] is None
    for wrong in ("0", "-5", "1x2x3", "x", "nan", "widest"):
        result = checked("table_too_small.obj", "--table", wrong)
        assert result.exit_code == 2
        assert "must be lowest, none, or a size in mm such as 600 or 600x400" in result.output


def test_a_table_that_ends_under_a_piece_is_told(tmp_path: Path) -> None:
    piece = '[[piece]]\nid = "{}"\nshape = {{ box = [100, 100, 100] }}\nposition = {}\n'
    (tmp_path / "mid.toml").write_text("teeter = 1\n" + piece.format("mid", "[0, 0, 50]"))
    (tmp_path / "far.toml").write_text("teeter = 1\n" + piece.format("far", "[1000, 0]"))
    (tmp_path / "half.toml").write_text("teeter = 1\n" + piece.format("half", "[100, 0, 50]"))
    middle = str(tmp_path / "mid.toml")
    added = checked(middle, "--add", str(tmp_path / "far.toml"), "--json")
    assert (added.exit_code, json.loads(added.stdout)["off_table"]) == (0, [])
    assert checked(str(tmp_path / "far.toml")).exit_code == 0
    on_edge = checked(middle, "--table", "200", "--add", str(tmp_path / "half.toml"), "--json")
    assert json.loads(on_edge.stdout)["off_table"] == ["half"]
    beside = checked(middle, "--table", "200", "--add", str(tmp_path / "far.toml"))
    assert beside.exit_code == 2
    assert "the table of 200 x 200 mm ends before it" in beside.output


def test_every_answer_says_what_was_read() -> None:
    result = checked("fused_stack.stl")
    assert "1 piece, 100 x 60 x 60 mm, 111.8 g; in mm, z up; table 1200 x 800 mm" in result.output
    found = json.loads(checked("leaning_tower_y_up_metres.obj", "--unit", "m", "--up", "y", "--json").stdout)[
        "read"
    ]
    assert (found["pieces"], found["supports"], found["unit"], found["up"]) == (10, 0, "m", "y")
    assert found == teeter.check(teeter.load(CASES / "leaning_tower_y_up_metres.obj", unit="m", up="y")).read


@pytest.mark.parametrize("side", [1000.0, 1800.0])
@pytest.mark.parametrize("share", [0.001, 0.0039])
def test_overlaps_that_large_pieces_are_allowed_are_closed_and_told(side: float, share: float) -> None:
    deep = share * side
    rows = [
        {
            "id": f"{k}",
            "shape": {"box": [side] * 3},
            "position": [0.2 * k * side, 0, side / 2 + k * (side - deep)],
        }
        for k in range(4)
    ]
    found = teeter.check(teeter.build(rows))
    assert found.word == "stands"
    assert found.settled_mm == pytest.approx(3 * deep)
    assert found.read["closed_mm"] == pytest.approx(deep)
    assert f"gaps and overlaps up to {deep:.3g} mm" in " ".join(str(found).replace("\u2502", " ").split())
    # the upper three have their middle 0.1 of a side within the edge they tip over, 1.5 sides above it
    assert found.statics.tilt_deg == pytest.approx(math.degrees(math.atan(0.1 / 1.5)), abs=1e-4)


@pytest.mark.parametrize(
    ("sides", "allowed"),
    [((50, 50, 50), 0.2), ((1000, 1000, 1000), 4), ((2000, 1000, 500), 4), ((1000, 1000, 5), 0.2)],
)
def test_what_is_allowed_grows_with_size_and_not_with_a_thin_plate(
    sides: tuple[float, float, float], allowed: float
) -> None:
    def two(share: float) -> list[dict[str, object]]:
        rise = sides[2] - share * allowed
        return [
            {"id": f"{k}", "shape": {"box": sides}, "position": [0, 0, sides[2] / 2 + k * rise]}
            for k in range(2)
        ]

    with pytest.raises(teeter.TeeterError, match=f"at most {allowed:g} mm is allowed"):
        teeter.build(two(1.1))
    assert teeter.build(two(0.9)).ids == ("0", "1")
