"""`teeter convert`: what is written is read again as the same scene; what stands in the way is said first."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

from teeter.engine.geometry.convex import bounds_of, solids_at
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import TABLE, Body
from teeter.games.cli import app
from teeter.games.commands.console import BAD_INPUT
from teeter.models.material import material_named
from teeter.scenes.formats.write import write_scene
from teeter.scenes.load import build, load
from teeter.scenes.scene import Scene, SceneError

RUNNER = CliRunner()
LOADED: list[dict[str, Any]] = [
    {
        "id": "base",
        "shape": {"box": [60, 60, 20]},
        "position": [0, 0, 10],
        "material": "alder",
        "fixed": True,
    },
    {
        "id": "loaded crate",
        "shape": {"box": [60, 50, 20]},
        "position": [20, 0, 30],
        "rotation": [0, 0, 30],
        "mass": 120,
        "centre_of_mass": [-12, 3, 2],
    },
    {
        "id": "pole",
        "shape": {"cylinder": [8, 30]},
        "position": [20, 3, 55],
        "rotation": [180, 0, 0],
        "friction": 0.7,
    },
    {"id": "ball", "shape": {"sphere": 15}, "position": [100, 0, 15], "friction": 0.3},
    {"id": "lying", "shape": {"cylinder": [10, 40]}, "position": [-100, 0, 10], "rotation": [0, 90, 20]},
    {
        "id": "wedge",
        "shape": {"hull": [[0, 0, 0], [40, 0, 0], [0, 30, 0], [0, 0, 20]]},
        "position": [-200, 0, 10],
        "rotation": [0, 0, 70],
    },
    {
        "id": "stairs",
        "shape": {"polycube": {"cells": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "edge": 20}},
        "position": [-300, 100, 20],
        "rotation": [0, 0, -50],
    },
]


def by_name(scene: Scene) -> dict[str, Body]:
    return {body.name: body for body in scene.assembly.bodies}


def same(one: Scene, other: Scene, *, with_mass: bool = True) -> None:
    """Corners, centres of mass and masses of every body, in the world, to a micrometre and a part in a million."""
    ones, others = by_name(one), by_name(other)
    assert list(ones) == list(others)
    for name, mine in ones.items():
        yours = others[name]
        assert mine.fixed == yours.fixed
        bounds = [np.array(bounds_of(solids_at(body.piece, body.pose))) for body in (mine, yours)]
        if name != TABLE:
            assert np.abs(bounds[0] - bounds[1]).max() < 1e-6, name
        if not with_mass or name == TABLE:
            continue
        assert yours.piece.material.friction == pytest.approx(mine.piece.material.friction, rel=1e-9), name
        if mine.fixed:
            continue
        assert yours.piece.mass == pytest.approx(mine.piece.mass, rel=1e-6), name
        centres = [body.centre_of_mass for body in (mine, yours)]
        assert np.abs(centres[0] - centres[1]).max() < 1e-6, name
        turned = [body.pose.matrix @ body.piece.inertia @ body.pose.matrix.T for body in (mine, yours)]
        assert turned[0] == pytest.approx(turned[1], abs=2e-4 * np.abs(turned[0]).max()), name


@pytest.mark.parametrize("ending", ["toml", "xml", "urdf"])
@pytest.mark.parametrize("name", ["loaded", "arch", "tower", "bridge", "two_bricks"])
def test_a_scene_comes_back_as_it_went(tmp_path: Path, name: str, ending: str) -> None:
    scene = build(LOADED) if name == "loaded" else load(name)
    path = tmp_path / f"out.{ending}"
    files = write_scene(scene, path)
    assert files[-1] == path
    assert all(file.is_file() for file in files)
    again = load(path)
    same(scene, again)
    table = again.assembly.bodies[0].piece
    assert table.extents[:2] == pytest.approx(scene.assembly.bodies[0].piece.extents[:2])
    assert table.material.friction == pytest.approx(scene.assembly.bodies[0].piece.material.friction)


@pytest.mark.parametrize("name", ["arch", "tower", "bridge"])
def test_gltf_keeps_shapes_places_and_supports(tmp_path: Path, name: str) -> None:
    write_scene(load(name), tmp_path / "out.glb")
    same(load(name), load(tmp_path / "out.glb"), with_mass=False)


def test_margins_are_the_same_after_a_round_through_all_formats(tmp_path: Path) -> None:
    scene = build(LOADED[:3])
    expected = analyse(scene.assembly)
    for step, ending in enumerate(("xml", "urdf", "toml")):
        write_scene(scene, tmp_path / f"{step}.{ending}")
        scene = load(tmp_path / f"{step}.{ending}")
    found = analyse(scene.assembly)
    assert found.tilt_deg == pytest.approx(expected.tilt_deg, rel=1e-5)
    assert found.push_n == pytest.approx(expected.push_n, rel=1e-5)


def test_mujoco_compiles_what_is_written_and_weighs_it_alike(tmp_path: Path) -> None:

    scene = build(LOADED)
    write_scene(scene, tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for number in range(1, model.nbody):
        body = by_name(scene)[mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, number)]
        assert model.body_mass[number] == pytest.approx(body.piece.mass)
        assert data.xpos[number] == pytest.approx(body.pose.position, abs=1e-9)
        assert data.xipos[number] == pytest.approx(body.centre_of_mass, abs=1e-9)


def test_convex_meshes_become_hulls_in_a_scene_file(tmp_path: Path) -> None:
    write_scene(load("arch"), tmp_path / "arch.glb")
    write_scene(load(tmp_path / "arch.glb"), tmp_path / "arch.toml")
    assert "hull" in (tmp_path / "arch.toml").read_text(encoding="utf-8")
    same(load("arch"), load(tmp_path / "arch.toml"), with_mass=False)


# -- the command -------------------------------------------------------------------------------------------------


def convert(*words: str | Path) -> tuple[int, str]:
    result = RUNNER.invoke(app, ["convert", *map(str, words)])
    return result.exit_code, result.output


def test_the_command_says_what_it_wrote_and_what_is_lost(tmp_path: Path) -> None:
    code, said = convert("tower", tmp_path / "tower.glb")
    assert code == 0
    assert "masses are not in it" in said
    assert "54 pieces" in said
    code, said = convert("arch", tmp_path / "arch.urdf")
    assert (code, "with 11 meshes" in said) == (0, True)
    code, said = convert("egg_in_eggcup", tmp_path / "egg.xml")
    assert (code, "flat faces: cup, egg" in said) == (0, True)


def test_nothing_is_written_over_unasked(tmp_path: Path) -> None:
    shutil.copy(Path("scenes/arch.toml"), tmp_path / "in.toml")
    path = tmp_path / "out.urdf"
    assert convert("arch", path)[0] == 0
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert convert("two_bricks", path)[0] == BAD_INPUT
    path.unlink()
    code, said = convert("arch", path)
    assert (code, "out_meshes" in said) == (BAD_INPUT, True)  # a mesh is there already
    assert convert(tmp_path / "in.toml", tmp_path / "in.toml", "--force")[0] == BAD_INPUT
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == {
        file: content for file, content in before.items() if file != path
    }
    assert convert("arch", path, "--force")[0] == 0


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    code, said = convert("arch", tmp_path / "arch.step")
    assert (code, "scenes are written as .toml, .glb, .xml, .mjcf, .urdf" in said) == (BAD_INPUT, True)
    scene = build([{"id": "world", "shape": {"box": [10, 10, 10]}, "position": [0, 0, 5]}])
    with pytest.raises(SceneError, match="keep this name for the world"):
        write_scene(scene, tmp_path / "a.urdf")
    assert list(tmp_path.iterdir()) == []


def test_other_programs_see_the_colours(tmp_path: Path) -> None:
    """Paint where there is some, else the wood."""
    file = tmp_path / "two.toml"
    rows = (("a", 'colour = "#ff8000"', 10), ("b", "", 30))
    file.write_text(
        "teeter = 1\n"
        + "".join(
            f'[[piece]]\nid = "{name}"\nshape = {{ box = [40, 40, 20] }}\nposition = [0, 0, {z}]\n{colour}\n'
            for name, colour, z in rows
        )
    )
    for ending in ("xml", "urdf"):
        write_scene(load(str(file)), tmp_path / f"two.{ending}")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "two.xml"))
    told = {
        model.body(model.geom(at).bodyid[0]).name: model.geom(at).rgba.tolist() for at in range(model.ngeom)
    }
    beech = [int(material_named("beech").colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    assert told["a"] == pytest.approx([1.0, 128 / 255, 0.0, 1.0], abs=1e-4)
    assert told["b"] == pytest.approx([*beech, 1.0], abs=1e-4)
    robot = fromstring((tmp_path / "two.urdf").read_text())
    paint = robot.find("link[@name='a']/visual/material")
    assert paint is not None
    assert paint.get("name") == "#ff8000"
    assert paint.find("color") is not None
