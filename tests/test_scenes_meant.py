"""What is read is what was meant: cavities, sheets, warped faces, kinds of files; through the real command."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner, Result

import teeter
from teeter.games.cli import app

CASES = Path(__file__).parent / "scene_cases"
BEECH_G = 69e-5
"""Of a cubic millimetre."""
WRONG = '[[piece]]\nid = "wrong"\nshape = { box = [-1, 1, 1] }\nposition = [0, 0, 10]\n'


def checked(file: str | Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["check", str(CASES / file), *options], env={"COLUMNS": "400"})


def block(side: float, x: float, z: float) -> trimesh.Trimesh:
    made: trimesh.Trimesh = trimesh.creation.box((side,) * 3)
    made.apply_translation((x, 0, z))
    return made


def hollow(x: float) -> list[trimesh.Trimesh]:
    inner = block(34, x, 20)
    inner.invert()
    return [block(40, x, 20), inner]


@pytest.mark.parametrize(
    ("parts", "volume"),
    [
        ([*hollow(0), *hollow(100)], 2 * (40**3 - 34**3)),
        ([*hollow(0), block(10, 0, 8)], 40**3 - 34**3 + 10**3),
    ],
)
def test_a_cavity_belongs_to_the_skin_around_it(
    parts: list[trimesh.Trimesh], volume: float, tmp_path: Path
) -> None:
    whole = trimesh.util.concatenate(parts)
    assert isinstance(whole, trimesh.Trimesh)
    for _ in "as it is", "inside out":
        whole.export(tmp_path / "two.stl")
        result = checked(tmp_path / "two.stl", "--json")
        assert result.exit_code == 0
        found = json.loads(result.stdout)["read"]
        assert found["pieces"] == 2
        assert found["mass_g"] == pytest.approx(BEECH_G * volume, rel=1e-3)
        whole.invert()


def test_each_body_of_a_file_with_a_hollow_one_is_a_piece() -> None:
    result = checked("hollow_block_and_another.stl", "--json")
    assert (result.exit_code, json.loads(result.stdout)["read"]["pieces"]) == (0, 2)


@pytest.mark.parametrize("options", [(), ("--fixed", "Plane")])
def test_a_level_sheet_under_everything_is_the_table(options: tuple[str, ...]) -> None:
    result = checked("ground_plane.obj", *options)
    assert result.exit_code == 0
    assert "2 pieces, 70 x 60 x 120 mm, 298.1 g; in mm, z up; table 1200 x 800 mm (Plane)" in result.output


def test_the_table_is_where_its_sheet_is(tmp_path: Path) -> None:
    text = (CASES / "ground_plane.obj").read_text()
    lines = [
        line.replace(" 0.000000", " -7.000000") if "500.0" in line else line for line in text.splitlines()
    ]
    (tmp_path / "lower.obj").write_text("\n".join(lines))
    result = checked(tmp_path / "lower.obj")
    assert result.exit_code == 2
    assert (
        'node "a": nothing carries it and 1 more that it touches: it floats 7.00 mm over the table'
        in result.output
    )


def test_a_sheet_that_is_not_the_table_is_refused_and_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "small.obj").write_text(
        (CASES / "ground_plane.obj").read_text().replace("500.000000", "10.000000")
    )
    result = checked(tmp_path / "small.obj")
    assert result.exit_code == 2
    assert 'leave it out (--without "Plane")' in result.output
    assert checked(tmp_path / "small.obj", "--without", "Plane").exit_code == 0
    assert teeter.load(tmp_path / "small.obj", without=["Plane"]).ids == ("a", "b")


def test_a_sheet_may_be_left_out_by_its_name_alone() -> None:
    assert checked("ground_plane.obj", "--without", "Plane").exit_code == 0
    assert checked("ground_plane.obj", "--without", "Plan").exit_code == 2


def test_what_is_left_out_of_a_scene_file_is_not_validated(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    text = (CASES / "floating_box.toml").read_text().replace("0, 199]", "0, 150]") + WRONG
    for each in (text, text.replace("[-1, 1, 1]", "[9, 9, 9]")):
        file.write_text(each)
        assert checked(file).exit_code == 2
        assert checked(file, "--without", "wrong").exit_code == 0
        assert checked(file, "--without", "wrong", "--without", "no").exit_code == 2
    file.write_text("teeter = 1\n" + WRONG)
    assert "no piece would be left" in checked(file, "--without", "wrong").output


@pytest.mark.parametrize("turn", range(4))
def test_warped_faces_that_two_pieces_share_stay_shared(turn: int, tmp_path: Path) -> None:
    lower, _, upper = (CASES / "warped_quad.obj").read_text().partition("o upper")
    turned = []
    for line in upper.splitlines():
        words = line.split()
        corners = [*words[1 + turn :], *words[1 : 1 + turn]]
        turned.append(" ".join(["f", *corners]) if line.startswith("f ") else line)
    (tmp_path / "turned.obj").write_text(lower + "o upper" + "\n".join(turned))
    assert checked(tmp_path / "turned.obj").exit_code == 0


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
def test_warped_faces_of_a_ply_file_are_cut_alike(form: str, tmp_path: Path) -> None:
    corners = [(x, y, z) for z in (0, 20) for x, y in ((-20, -20), (20, -20), (20, 20), (-20, 20))]
    corners[5] = (20, -20, 22)
    faces = [(0, 3, 2, 1), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    head = f"ply\nformat {form} 1.0\nelement vertex 8\n" + "".join(
        f"property float {axis}\n" for axis in "xyz"
    )
    head += "element face 6\nproperty list uchar uint vertex_indices\nend_header\n"
    found = []
    for top in ((5, 6, 7, 4), (6, 7, 4, 5)):
        rows = [(4, *face) for face in (*faces, top)]
        body = "\n".join(" ".join(map(str, row)) for row in [*corners, *rows]).encode()
        if form != "ascii":
            body = b"".join(struct.pack("<3f", *row) for row in corners)
            body += b"".join(struct.pack("<B4I", *row) for row in rows)
        (tmp_path / "one.ply").write_bytes(head.encode() + body)
        found.append(json.loads(checked(tmp_path / "one.ply", "--json").stdout)["read"]["mass_g"])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("part.step", "export it from the CAD program as .stl or .3mf"),
        ("scene.DAE", "open it in Blender and export it as .glb"),
        ("scene.blend", "open it in Blender and export it as .glb"),
        ("scene.foo", "(allowed: .toml, .glb, .gltf, .obj, .stl, .3mf, .ply, .off"),
    ],
)
def test_kinds_that_are_not_read_come_with_the_way_there(name: str, way: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    result = checked(tmp_path / name)
    assert result.exit_code == 2
    assert "is not a kind of scene file" in result.output
    assert way in result.output


def test_an_off_file_is_a_scene_as_it_is_a_shape(tmp_path: Path) -> None:
    trimesh.creation.box((40, 40, 40)).export(tmp_path / "cube.off")
    assert checked(tmp_path / "cube.off").exit_code == 0
    row = '[[piece]]\nid = "a"\nshape = {{ mesh = "cube.{}" }}\nposition = [0, 0]\n'
    (tmp_path / "cube.toml").write_text("teeter = 1\n" + row.format("off"))
    assert checked(tmp_path / "cube.toml").exit_code == 0
    (tmp_path / "cube.dae").write_text("")
    (tmp_path / "cube.toml").write_text("teeter = 1\n" + row.format("dae"))
    # a long folder before it cuts the sentence off
    assert "is not a known mesh format: open it in Blender" in checked(tmp_path / "cube.toml").output


@pytest.mark.parametrize("what", ["morph targets", "a skin on bones", "EXT_made_up"])
def test_what_bends_a_gltf_mesh_is_refused(what: str, tmp_path: Path) -> None:
    files = trimesh.exchange.gltf.export_gltf(trimesh.creation.box((1, 1, 1)).scene())
    head = json.loads(files["model.gltf"])
    mesh = head["meshes"][0]["primitives"][0]
    if what == "morph targets":
        mesh["targets"] = [{"POSITION": mesh["attributes"]["POSITION"]}]
    elif what == "EXT_made_up":
        head["scenes"][0]["extensions"] = {what: {}}
    else:
        head["nodes"][-1]["skin"] = 0
    (tmp_path / "bent.gltf").write_text(json.dumps(head))
    result = checked(tmp_path / "bent.gltf")
    assert result.exit_code == 2
    assert what in result.output
    assert "export it again" in result.output


def at(x: float, y: float, z: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def test_scripts_load_the_meshes_they_have() -> None:
    cube = trimesh.creation.box((40, 40, 40))
    scene = trimesh.Scene()
    scene.add_geometry(cube, node_name="below", transform=at(0, 0, 20))
    scene.add_geometry(cube, node_name="above", transform=at(19, 0, 60))
    loaded = teeter.load(scene)
    assert loaded.ids == ("above", "below") or loaded.ids == ("below", "above")
    assert loaded.pieces["above"].position_mm == pytest.approx((19, 0, 60))
    assert teeter.check(loaded).word == "stands"
    assert teeter.check(teeter.load(cube)).read["pieces"] == 1
    assert teeter.load((cube.vertices, cube.faces)).pieces["mesh"].size_mm == pytest.approx((40, 40, 40))


def test_meshes_that_scripts_have_are_asked_for_their_unit() -> None:
    cube = trimesh.creation.box((0.4, 0.4, 0.4))
    with pytest.raises(teeter.TeeterError, match="is it in metres"):
        teeter.load(cube)
    assert teeter.load(cube, unit="m").pieces["mesh"].size_mm == pytest.approx((400, 400, 400))
    cube.units = "m"
    assert teeter.load(cube).pieces["mesh"].size_mm == pytest.approx((400, 400, 400))
    assert teeter.load(cube).loaded.unit == "m"


@pytest.mark.parametrize(
    "wrong",
    [3, None, (1, 2), ([[0, 0]], [[0, 0, 0]]), ([[0, 0, 0.0]], [[0.5, 0, 0]]), ([[0.0, 0, 0]], [[0, 1, 2]])],
)
def test_what_is_no_mesh_is_refused(wrong: object) -> None:
    with pytest.raises(teeter.TeeterError):
        teeter.load(wrong)  # type: ignore[arg-type]
    with pytest.raises(teeter.TeeterError, match=r"mesh"):
        teeter.build([{"id": "a", "mesh": wrong, "position": [0, 0, 20]}])


def test_pieces_are_built_of_meshes_and_poses() -> None:
    cube = trimesh.creation.box((40, 40, 40))
    above = trimesh.creation.box((40, 40, 20))
    above.apply_translation((0, 0, 50))
    turn = at(0, 0, 0)
    turn[:2, :2] = [[0, -1], [1, 0]]
    slab = (trimesh.creation.box((80, 20, 10)).vertices, trimesh.creation.box((80, 20, 10)).faces)
    scene = teeter.build(
        [
            {"id": "below", "shape": {"box": [40, 40, 40]}, "pose": at(0, 0, 20)},
            {"id": "middle", "mesh": above, "material": "alder", "mass": 90},
            {"id": "top", "mesh": slab, "pose": at(0, 0, 65) @ turn},
            {"id": "on_it", "mesh": cube, "position": [0, 0]},
        ]
    )
    assert scene.pieces["middle"].position_mm == pytest.approx((0, 0, 50))
    assert (scene.pieces["middle"].mass_g, scene.pieces["middle"].material) == (90.0, "alder")
    assert scene.pieces["on_it"].position_mm == pytest.approx((0, 0, 90))
    top = next(body for body in scene.assembly.bodies if body.name == "top")
    assert top.pose.matrix @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert teeter.check(scene).word == "stands"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"pose": np.eye(3)}, r"must be a \(4, 4\) matrix"),
        ({"pose": 2 * np.eye(4)}, r"must be a \(4, 4\) matrix"),
        ({"pose": np.diag([2, 2, 2, 1])}, r"a turn and a move: scale or mirror the mesh itself"),
        ({"pose": np.diag([1, 1, -1, 1])}, r"a turn and a move"),
        ({"pose": np.eye(4), "position": [0, 0, 0]}, r"give either `pose`, or `position`"),
        ({"pose": np.full((4, 4), np.nan)}, r"must be a \(4, 4\) matrix"),
    ],
)
def test_matrices_that_are_no_pose_are_refused(keys: dict[str, object], words: str) -> None:
    with pytest.raises(teeter.TeeterError, match=words):
        teeter.build([{"id": "a", "shape": {"box": [40, 40, 40]}} | keys])


def test_a_stack_that_was_fused_is_cut_into_its_blocks() -> None:
    result = checked("fused_stack.stl", "--split", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["read"]["pieces"] == 3
    assert teeter.load(CASES / "fused_stack.stl", split=True).ids == (
        "fused_stack.1",
        "fused_stack.2",
        "fused_stack.3",
    )


def test_a_round_solid_is_not_cut_into_blocks(tmp_path: Path) -> None:
    trimesh.creation.annulus(20, 40, 30).export(tmp_path / "ring.stl")
    result = checked(tmp_path / "ring.stl", "--split")
    assert result.exit_code in (0, 2)
    assert result.exit_code == 0 or "is not made of convex blocks" in result.output


def test_bodies_that_touch_are_united(tmp_path: Path) -> None:
    legs = [block(10, x, 5) for x in (-35, 35)]
    seat = trimesh.creation.box((80, 10, 10))
    seat.apply_translation((0, 0, 15))
    trimesh.util.concatenate([*legs, seat]).export(tmp_path / "stool.stl")
    assert json.loads(checked(tmp_path / "stool.stl", "--json").stdout)["read"]["pieces"] == 3
    result = checked(tmp_path / "stool.stl", "--unite", "stool", "--json")
    assert (result.exit_code, json.loads(result.stdout)["read"]["pieces"]) == (0, 1)
    assert json.loads(result.stdout)["read"]["mass_g"] == pytest.approx(BEECH_G * 10_000, rel=1e-6)
    scene = trimesh.Scene({"leg.1": legs[0], "leg.2": legs[1], "seat": seat})
    assert teeter.load(scene, unite=["*"]).ids == ("leg.1",)
    assert set(teeter.load(scene, unite=["[ls]e[ag][.t]1", "seat"]).ids) == {"leg.1", "leg.2", "seat"}
    with pytest.raises(teeter.TeeterError, match="2 bodies that do not touch"):
        teeter.load(scene, unite=["leg.*"])
    assert "there is no node of this name" in checked(tmp_path / "stool.stl", "--unite", "stol").output
    assert checked("floating_box.toml", "--unite", "upper").exit_code == 2
    assert checked("floating_box.toml", "--split").exit_code == 2


def test_the_mass_that_was_read_is_that_of_the_pieces() -> None:
    block = {"shape": {"box": [40, 40, 40]}, "material": "beech", "position": [0, 0]}
    scene = teeter.build([block | {"id": "stone", "fixed": True}, block | {"id": "block"}])
    assert teeter.check(scene, workers=1).read["mass_g"] == pytest.approx(scene.pieces["block"].mass_g)
