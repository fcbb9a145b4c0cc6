"""Scenes of other programs, written by hand: what is read is what was meant, or refused with what to do."""

from __future__ import annotations

import json
import math
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from formats_lab import block, inertial, joint, link, read, sdf_box, urdf, write

from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import TABLE, Body
from teeter.models.extras import install_line
from teeter.scenes.load import FORMATS, load
from teeter.scenes.scene import Scene, SceneError


def named(scene: Scene) -> dict[str, Body]:
    return {body.name: body for body in scene.assembly.bodies}


def refusal(folder: Path, name: str, text: str) -> str:
    with pytest.raises(SceneError) as refused:
        read(folder, name, text)
    return str(refused.value)


# -- MJCF, beside MuJoCo's own poses -----------------------------------------------------------------------------

PILES = {
    "half sizes and quaternions": """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="a" pos=".1 .2 .05" quat="0.9238795 0 0 0.3826834">
        <freejoint/><geom type="box" size=".05 .04 .05"/></body>
        <body name="b" pos=".1 .2 .13" quat="0 0 0 1"><freejoint/><geom type="box" size=".03 .04 .03"/></body>
        </worldbody></mujoco>""",
    "degrees, sequences and nested frames": """<mujoco><compiler angle="degree" eulerseq="zyx"/><worldbody>
        <geom type="plane" size="1 1 1"/><frame pos=".2 0 0" euler="90 0 0"><frame pos="0 .1 0">
        <body name="a" pos="0 0 .02" euler="30 0 0"><freejoint/><geom type="box" size=".05 .03 .02"/></body>
        <body name="b" pos="0 0 .06" euler="10 0 90"><freejoint/><geom type="box" size=".05 .02 .03"/></body>
        </frame></frame></worldbody></mujoco>""",
    "radians and axes": """<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/>
        <body name="a" pos="0 0 .03" euler="0 0 0.5"><freejoint/><geom type="box" size=".05 .03 .03"/></body>
        <body name="b" pos="0 0 .08" axisangle="0 0 1 1.2"><freejoint/><geom type="box" size=".03 .05 .02"/></body>
        <body name="c" pos="0 0 .12" xyaxes="0 1 0 -1 0 0"><freejoint/><geom type="box" size=".02 .03 .02"/></body>
        </worldbody></mujoco>""",
    "defaults and classes": """<mujoco><default><geom type="box" size=".04 .04 .01" friction=".7"/>
        <default class="tall"><geom size=".02 .02 .05" density="500"/></default></default><worldbody>
        <geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .01"><freejoint/><geom/></body>
        <body name="b" pos="0 0 .07" childclass="tall"><freejoint/><geom/></body></worldbody></mujoco>""",
    "a ground at another height": """<mujoco><worldbody><geom type="plane" size="1 1 1" pos="3 2 -.5"/>
        <body name="a" pos="0 0 -.45"><freejoint/><geom type="box" size=".05 .05 .05"/></body></worldbody></mujoco>""",
    "copies": """<mujoco><worldbody><geom type="plane" size="1 1 1"/><replicate count="4" offset="0 0 .04">
        <body name="a" pos="0 0 .02"><freejoint/><geom type="box" size=".05 .03 .02"/></body></replicate>
        </worldbody></mujoco>""",
    "solids off the frame of their body": """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="a" pos=".3 0 0" euler="0 0 30"><freejoint/>
        <geom type="box" size=".05 .03 .02" pos=".1 .02 .02"/></body>
        </worldbody></mujoco>""",
}


@pytest.mark.parametrize("what", PILES)
def test_boxes_lie_where_mujoco_puts_them(tmp_path: Path, what: str) -> None:
    """Within a nanometre of the compiled model's own geoms, its ground moved to z = 0."""
    import mujoco

    scene = read(tmp_path, "pile.xml", PILES[what])
    model = mujoco.MjModel.from_xml_string(PILES[what])
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    ground = float(data.geom_xpos[0][2])
    bodies = named(scene)
    assert len(bodies) == model.nbody  # the world's is the table
    for geom in range(1, model.ngeom):
        body = bodies[mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, int(model.geom_bodyid[geom]))]
        assert body.pose.position == pytest.approx(data.geom_xpos[geom] - [0, 0, ground], abs=1e-9)
        assert body.pose.matrix == pytest.approx(data.geom_xmat[geom].reshape(3, 3), abs=1e-9)
        assert body.piece.extents == pytest.approx(2 * model.geom_size[geom])
        assert body.piece.mass == pytest.approx(model.body_mass[model.geom_bodyid[geom]])
        centre = data.xipos[model.geom_bodyid[geom]] - [0, 0, ground]
        assert body.centre_of_mass == pytest.approx(centre, abs=1e-9)


def test_welded_bodies_are_one_piece_and_world_bodies_supports(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><geom name="shelf" type="box" size=".5 .5 .1" pos="0 0 -.1"/>
    <body name="post" pos=".3 0 .1"><geom type="cylinder" size=".02 .1"/></body>
    <body name="l" pos="0 0 .01"><freejoint/><geom type="box" size=".05 .02 .01" mass=".1"/>
      <body pos=".04 0 .03"><geom type="box" size=".01 .02 .02" mass=".3"/></body></body></worldbody></mujoco>"""
    bodies = named(read(tmp_path, "l.xml", text))
    assert {name: body.fixed for name, body in bodies.items()} == {"shelf": True, "post": True, "l": False}
    corner = bodies["l"]
    assert corner.piece.mass == pytest.approx(0.4)
    assert corner.pose.apply(corner.piece.centre_of_mass) == pytest.approx([0.03, 0, 0.0325])
    assert corner.piece.volume == pytest.approx(0.1 * 0.04 * 0.02 + 0.02 * 0.04 * 0.04, rel=1e-5)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<body><joint name="h"/><geom size=".1"/></body>', 'body "body.1" hangs on the hinge joint "h"'),
        (
            '<body name="a"><freejoint/><geom size=".1"/></body></worldbody>'
            '<equality><weld body1="a"/></equality><worldbody>',
            "equality constraints hold it (1)",
        ),
        (
            '<body><freejoint/><geom size=".1"/><site name="s"/></body></worldbody>'
            '<actuator><general site="s"/></actuator><worldbody>',
            "actuators drive it (1)",
        ),
        ('<geom type="plane" size="1 1 1" euler="5 0 0"/>', "is a plane that is not level"),
        ('<body><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/></body>', "an ellipsoid of three radii"),
        ('<body><freejoint/><geom size=".1" contype="2" conaffinity="2"/></body>', "pass through others"),
        ('<body gravcomp="1"><freejoint/><geom size=".1"/></body>', "gravity is made up for"),
        ('<include file="/etc/hostname"/>', "lies elsewhere"),
        ('<composite type="cable" count="9 1 1"/>', "<composite>, which is not rigid"),
        (
            '<replicate count="90"><replicate count="90"><geom size=".1"/></replicate></replicate>',
            "more than 5000",
        ),
        ("<body><freejoint/></body>", "MuJoCo cannot compile it"),
        (
            '</worldbody><option><flag contact="disable"/></option><worldbody>',
            '<flag contact="disable"> is in it',
        ),
        (
            '</worldbody><option><flag gravity="disable"/></option><worldbody>',
            '<flag gravity="disable"> is in it',
        ),
        (
            '</worldbody><option wind="9 0 0" density="1.2"/><worldbody>',
            "a wind of [9.0, 0.0, 0.0] m/s blows",
        ),
        ('<body><joint type="free" stiffness="9"/><geom size=".1"/></body>', "springs pull at joints"),
        ('<body><joint type="free" frictionloss="9"/><geom size=".1"/></body>', "held by friction"),
        (
            '<body><freejoint/><geom size=".1" condim="1"/></body>' * 2,
            "give its pairs frictions from 0 to 1",
        ),
        (
            '<body><freejoint/><geom size=".1" priority="1" friction=".2"/></body><body><freejoint/>'
            '<geom size=".1"/></body>',
            "give its pairs frictions from 0.2 to 1",
        ),
        (
            '</worldbody><option o_friction="1 .1 0 0 0"><flag override="enable"/></option><worldbody>',
            "overrides friction by 1 and 0.1",
        ),
        ('</worldbody><size memory="90G"/><worldbody>', 'memory="90G", more memory than a scene needs'),
        ('</worldbody><size memory="600M"/><worldbody>', 'memory="600M", more memory than a scene needs'),
    ],
)
def test_what_mjcf_holds_and_is_not_simulated_is_refused(tmp_path: Path, inside: str, words: str) -> None:
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{inside}</worldbody></mujoco>'
    assert words in refusal(tmp_path, "a.xml", text)


def test_gravity_that_points_aside_is_refused_and_another_friction_rule_told(tmp_path: Path) -> None:
    text = '<mujoco><option gravity="1 0 -9.81"/><worldbody><geom size=".1"/></worldbody></mujoco>'
    assert "it must point down" in refusal(tmp_path, "a.xml", text)
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1" friction=".3"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" friction=".9"/></body></worldbody></mujoco>"""
    assert "MuJoCo takes the larger of a pair" in " ".join(read(tmp_path, "b.xml", text).fitted)


@pytest.mark.parametrize(
    ("slope", "block", "option", "mu"),
    [
        ('condim="1"', 'condim="1"', "", 0),
        ("", 'condim="1"', "", 1),
        ('friction="1"', 'friction=".05" priority="1"', "", 0.05),
        ('friction=".01"', 'friction=".7" priority="1"', "", 0.7),
        ('friction=".01"', 'friction=".7"', "", 0.7),
        ("", "", '<option o_friction=".1 .1 0 0 0"><flag override="enable"/></option>', 0.1),
        (
            'friction=".05"',
            'friction=".05"/><geom type="box" size=".01 .01 .01" pos="0 0 .04" friction="2"',
            "",
            None,
        ),
    ],
)
def test_a_block_slides_on_a_slope_where_it_does_in_mujoco(
    tmp_path: Path, slope: str, block: str, option: str, mu: float | None
) -> None:
    """At 15 degrees, so where the friction of the pair is less than 0.268. None: a body of several frictions."""
    import mujoco

    text = f"""<mujoco>{option}<worldbody><body name="slope" euler="0 15 0"><geom type="box" size="5 .5 .05" {slope}/>
    </body><body name="block" euler="0 15 0" pos="0.02588 0 0.09659"><freejoint/>
    <geom type="box" size=".05 .05 .05" {block}/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 300)
    slides = (mu or 0) < math.tan(math.radians(15))
    assert (math.dist(data.xpos[2], (0.02588, 0, 0.09659)) > 0.05) == slides
    scene = read(tmp_path, "slope.xml", text)
    assert analyse(scene.assembly).stands != slides
    assert mu is None or {body.piece.material.friction for body in scene.assembly.bodies} == {mu}


def test_mocap_bodies_of_mujoco_are_supports(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="lift" mocap="true" pos=".1 0 .2"><geom type="box" size=".1 .05 .01"/>
    <body name="palm" pos="0 0 .03"><geom type="box" size=".1 .05 .02"/></body></body>
    <body name="held" pos=".1 0 .26"><freejoint/><geom type="box" size=".02 .02 .01"/></body></worldbody></mujoco>"""
    scene = read(tmp_path, "a.xml", text)
    assert {name: body.fixed for name, body in named(scene).items()} == {
        "lift": True,
        "palm": True,
        "held": False,
    }
    assert analyse(scene.assembly).stands


@pytest.mark.parametrize("is_hollow", [True, False])
def test_that_mujoco_takes_the_hull_of_a_mesh_is_told_where_it_is_another(
    tmp_path: Path, is_hollow: bool
) -> None:
    """An L, and the same with its corner filled."""
    outline = [(0, 0), (0.2, 0), (0.2, 0.1), (0.1 if is_hollow else 0.18,) * 2, (0.1, 0.2), (0, 0.2)]
    corners = " ".join(f"{x} {y} {z}" for z in (0, 0.1) for x, y in outline)
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(c, b, a) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for a, b in pairwise([*range(6), 0]):
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    numbers = " ".join(str(corner) for face in faces for corner in face)
    text = f'''<mujoco><asset><mesh name="m" vertex="{corners}" face="{numbers}"/></asset><worldbody>
    <geom type="plane" size="1 1 1"/><body><freejoint/><geom name="l" type="mesh" mesh="m"/></body></worldbody>
    </mujoco>'''
    said = 'geom "l": a mesh that is not convex touches as its convex hull in MuJoCo'
    assert (said in " ".join(read(tmp_path, "l.xml", text).fitted)) == is_hollow


def test_a_missing_package_is_named_with_the_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    monkeypatch.setitem(sys.modules, "pxr", None)
    assert install_line(extra="mjcf") in refusal(tmp_path, "a.xml", "<mujoco/>")
    assert install_line(extra="urdf") in refusal(tmp_path, "a.urdf", urdf("a", ""))
    assert install_line(extra="usd") in refusal(tmp_path, "a.usda", "#usda 1.0\n")


# -- URDF --------------------------------------------------------------------------------------------------------


def test_links_float_from_the_world_or_are_fixed_to_it(tmp_path: Path) -> None:
    """A chain of places: the second is told in the frame of the first, which is turned."""
    text = urdf(
        "scene",
        '<link name="world"/>'
        + link("base", (0.2, 0.2, 0.1), inertial(9, 0.1))
        + link("top", (0.1, 0.05, 0.02), inertial(0.1, 4e-5, at=(0.01, 0, 0)), mu=0.8)
        + joint("a", "fixed", "world", "base", (1, 0, 0.05), (0, 0, math.pi / 2))
        + joint("b", "floating", "base", "top", (0.03, 0, 0.06)),
    )
    bodies = named(read(tmp_path, "scene.urdf", text))
    assert list(bodies) == ["base", "top"]  # a scene with supports has no table of ours
    assert bodies["base"].fixed
    assert bodies["top"].pose.position == pytest.approx((1, 0.03, 0.11))
    assert bodies["top"].piece.centre_of_mass == pytest.approx((0.01, 0, 0))
    assert bodies["top"].pose.apply(bodies["top"].piece.centre_of_mass) == pytest.approx((1, 0.04, 0.11))
    assert bodies["top"].piece.material.friction == pytest.approx(0.64)  # Bullet multiplies


def test_a_link_without_mass_is_part_of_what_it_is_welded_to(tmp_path: Path) -> None:
    """Only a body that has no mass at all is a support, as in Bullet."""
    pair = link("base", (0.1, 0.1, 0.02), inertial(0.5, 1e-3)) + link(
        "knob", (0.02, 0.02, 0.02), inertial(0, 0)
    )
    weld = joint("j", "fixed", "base", "knob", (0, 0, 0.02))
    (found,) = read(tmp_path, "lid.urdf", urdf("lid", pair + weld)).assembly.free
    assert found.piece.extents == pytest.approx((0.1, 0.1, 0.04))
    assert found.piece.mass == pytest.approx(0.5)
    xacro = '<robot xmlns:xacro="http://wiki.ros.org/xacro"><xacro:macro name="a"/></robot>'
    assert "run `xacro FILE" in refusal(tmp_path, "a.urdf", xacro)
    unsaid = read(tmp_path, "b.urdf", urdf("b", pair.replace(inertial(0, 0), "") + weld))
    assert 'link "knob" gives no mass: it adds nothing to what it is welded to' in unsaid.fitted
    assert unsaid.assembly.free[0].piece.mass == pytest.approx(0.5)


def test_a_mesh_of_a_urdf_is_scaled_and_looked_for_in_its_package(tmp_path: Path) -> None:
    package = tmp_path / "crates"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    corners = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 1)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {face}\n" for face in faces)
    (package / "meshes" / "crate.obj").write_text(text, encoding="utf-8")
    mesh = '<mesh filename="package://crates/meshes/crate.obj" scale="0.1 0.1 0.1"/>'
    solid = f'<link name="crate">{inertial(2, 0.01, at=(0.1, 0.05, 0.05))}'
    solid += f"<collision><geometry>{mesh}</geometry></collision></link>"
    (crate,) = read(package / "urdf", "crate.urdf", urdf("crate", solid)).assembly.free
    assert crate.piece.extents == pytest.approx((0.2, 0.1, 0.1))
    assert crate.piece.mass == pytest.approx(2)
    assert crate.piece.centre_of_mass == pytest.approx((0, 0, 0), abs=1e-9)


# -- SDF ---------------------------------------------------------------------------------------------------------

GROUND = "<include><uri>model://ground_plane</uri></include>"


def world(content: str) -> str:
    return f'<sdf version="1.9"><world name="w">{GROUND}{content}</world></sdf>'


def test_nested_models_and_named_frames(tmp_path: Path) -> None:
    text = world(
        '<frame name="corner"><pose>1 2 0 0 0 1.5707963267948966</pose></frame>'
        f'<model name="pile"><pose relative_to="corner">0.5 0 0 0 0 0</pose>'
        f'<link name="low"><pose>0 0 0.05 0 0 0</pose>{sdf_box((0.2, 0.1, 0.1))}</link>'
        f'<link name="high"><pose relative_to="low">0.02 0 0.1 0 0 0</pose>{sdf_box((0.2, 0.1, 0.1))}</link>'
        '<model name="inner"><pose degrees="true">0 0 0.25 0 0 90</pose>'
        f'<link name="l">{sdf_box((0.2, 0.1, 0.1))}</link></model>'
        "</model>"
    )
    bodies = named(read(tmp_path, "w.sdf", text))
    assert bodies["pile::low"].pose.position == pytest.approx((1, 2.5, 0.05))
    assert bodies["pile::high"].pose.position == pytest.approx((1, 2.52, 0.15))
    assert bodies["pile::inner"].pose.position == pytest.approx((1, 2.5, 0.25))
    assert bodies["pile::inner"].pose.matrix[:, 0] == pytest.approx([-1, 0, 0], abs=1e-12)


def test_a_model_beside_the_world_is_included_and_renamed(tmp_path: Path) -> None:
    (tmp_path / "crate").mkdir()
    model = block("crate", (0, 0, 9), (0.2, 0.2, 0.2), mass=3, moment=0.02)
    write(tmp_path / "crate", "model.sdf", f'<sdf version="1.9">{model}</sdf>')
    include = "<include><uri>model://crate</uri><name>{}</name><pose>{} 0 0.1 0 0 0</pose></include>"
    bodies = named(read(tmp_path, "w.sdf", world(include.format("a", 0) + include.format("b", 0.5))))
    assert [bodies[name].pose.position[0] for name in "ab"] == [0, 0.5]
    assert bodies["b"].piece.mass == pytest.approx(3)


def test_fixed_joints_weld_and_static_models_are_supports(tmp_path: Path) -> None:
    weld = '<joint name="j" type="fixed"><parent>low</parent><child>high</child></joint>'
    pair = f'<link name="low"><pose>0 0 .05 0 0 0</pose>{sdf_box((0.2, 0.1, 0.1))}</link>'
    pair += f'<link name="high"><pose>0 0 .15 0 0 0</pose>{sdf_box((0.1, 0.1, 0.1))}</link>'
    wall = f'<link name="l">{sdf_box((0.1, 1, 0.2))}</link>'
    wall = f'<model name="wall"><static>true</static><pose>1 0 .1 0 0 0</pose>{wall}</model>'
    bodies = named(read(tmp_path, "w.sdf", world(f'<model name="m">{pair}{weld}</model>{wall}')))
    assert bodies["wall"].fixed
    assert bodies["m::low"].piece.extents == pytest.approx((0.2, 0.1, 0.2))
    assert set(bodies) == {TABLE, "wall", "m::low"}
    moving = weld.replace("fixed", "revolute")
    words = refusal(tmp_path, "v.sdf", world(f'<model name="m">{pair}{moving}</model>'))
    assert 'revolute joint "j": joins "m::low" and "m::high": joints that move are not simulated' in words


PIER = f'<model name="pier"><static>1</static><link name="l">{sdf_box((0.1, 0.1, 0.1), (0, 0, 0.05))}</link></model>'
FIXED = '<joint name="j" type="fixed"><parent>l</parent><child>{}</child></joint>'


def plank(mass: str, length: float, rest: str) -> str:
    """A plank on the pier, and what is welded to it; its frame is the middle of the plank."""
    solid = f'<link name="l">{mass}{sdf_box((length, 0.1, 0.02))}</link>'
    model = f'<model name="plank"><pose>0 0 .11 0 0 0</pose>{rest}{solid}</model>'
    return f'<sdf version="1.10"><world name="w">{PIER}{model}</world></sdf>'


def weight(name: str, at: float, inside: str) -> str:
    return f'<link name="{name}"><pose>{at} 0 0 0 0 0</pose>{inside}</link>'


PLATE = sdf_box((0.1, 0.1, 0.02))
AUTO = '<inertial auto="true"><density>{}</density></inertial>'
KG = "<inertial><mass>{}</mass></inertial>"
INNER = '<model name="inner">{}</model>'


@pytest.mark.parametrize(
    ("mass", "length", "rest", "total", "centre"),
    [
        (KG.format(2), 0.3, weight("w", 0.12, KG.format(3)) + FIXED.format("w"), 5, 0.072),
        (KG.format(2), 0.3, weight("w", 0.08, KG.format(3)) + FIXED.format("w"), 5, 0.048),
        (KG.format(2), 0.3, INNER.format(weight("w", 0.12, KG.format(3))) + FIXED.format("inner::w"), 5, 0.072),
        (KG.format(1), 0.3, weight("w", 0.12, "") + FIXED.format("w"), 2, 0.06),
        (AUTO.format(500), 0.1, weight("w", 0.1, AUTO.format(7800) + PLATE) + FIXED.format("w"), 1.66, 0.1 * 78 / 83),
        (KG.format(0.1), 0.1, weight("w", 0.1, AUTO.format(7800) + PLATE) + FIXED.format("w"), 1.66, 0.1 * 78 / 83),
        (AUTO.format(500), 0.1, weight("w", 0.1, KG.format(0.05) + PLATE) + FIXED.format("w"), 0.15, 0.1 / 3),
    ],
    ids=["out", "in", "nested", "none given", "auto", "mixed", "mixed the other way"],
)  # fmt: skip
def test_every_welded_link_adds_its_mass(
    tmp_path: Path, mass: str, length: float, rest: str, total: float, centre: float
) -> None:
    """It stands while the centre of all lies over the pier, which ends at 0.05 m."""
    scene = read(tmp_path, "a.sdf", plank(mass, length, rest))
    (found,) = scene.assembly.free
    assert found.piece.mass == pytest.approx(total)
    assert found.pose.apply(found.piece.centre_of_mass)[0] == pytest.approx(centre)
    assert analyse(scene.assembly).stands == (centre < 0.05)
    assert "left out" not in " ".join(scene.fitted)


def test_a_link_of_several_densities_and_one_without_a_solid(tmp_path: Path) -> None:
    halves = "".join(
        sdf_box((0.1, 0.1, 0.02), (x, 0, 0)).replace("<pose>", f"<density>{density}</density><pose>")
        for x, density in ((-0.05, 500), (0.05, 1500))
    )
    block = f'<model name="a"><pose>0 0 .11 0 0 0</pose><link name="l"><inertial auto="1"/>{halves}</link></model>'
    lost = '<model name="b"><link name="l"/></model>'
    scene = read(tmp_path, "a.sdf", f'<sdf version="1.10"><world name="w">{PIER}{block}{lost}</world></sdf>')
    (found,) = scene.assembly.free
    assert found.piece.mass == pytest.approx(0.4)
    assert found.piece.centre_of_mass == pytest.approx((0.025, 0, 0))
    assert 'link "b" has no <collision> and is left out' in scene.fitted


def test_what_is_welded_to_a_kinematic_link_is_held(tmp_path: Path) -> None:
    held = weight("w", 0.12, "<kinematic>1</kinematic>" + PLATE) + FIXED.format("w")
    scene = read(tmp_path, "a.sdf", plank(KG.format(2), 0.3, held))
    assert not scene.assembly.free


@pytest.mark.parametrize("is_included", [False, True])
def test_models_in_a_static_model_are_static(tmp_path: Path, is_included: bool) -> None:
    shelf = '<model name="shelf"><pose>.1 0 .01 0 0 0</pose>' + f"{weight('l', 0, PLATE)}</model>"
    write(tmp_path, "house.sdf", f'<sdf version="1.10"><model name="house">{shelf}</model></sdf>')
    house = f'<model name="house"><static>true</static>{shelf}</model>'
    include = "<include><uri>house.sdf</uri><static>true</static></include>"
    block = (
        '<model name="block"><pose>.1 0 .07 0 0 0</pose>'
        + f"{weight('l', 0, sdf_box((0.1, 0.1, 0.1)))}</model>"
    )
    text = f'<sdf version="1.10"><world name="w">{include if is_included else house}{block}</world></sdf>'
    bodies = named(read(tmp_path, "a.sdf", text))
    assert {name: body.fixed for name, body in bodies.items()} == {"house::shelf": True, "block": False}


TWO = """o small
v -.05 -.05 -.01\nv -.05 -.05 .01\nv -.05 .05 -.01\nv -.05 .05 .01
v .05 -.05 -.01\nv .05 -.05 .01\nv .05 .05 -.01\nv .05 .05 .01\n{0}
o left
v -.15 -.05 -.01\nv -.15 -.05 .01\nv -.15 .05 -.01\nv -.15 .05 .01
v -.05 -.05 -.01\nv -.05 -.05 .01\nv -.05 .05 -.01\nv -.05 .05 .01\n{1}
"""


@pytest.mark.parametrize(
    ("name", "centre", "x"), [("small", 0, 0), ("left", 0, -0.1), ("left", 1, 0), ("right", 0, None)]
)
def test_a_submesh_is_the_only_piece_of_its_file(
    tmp_path: Path, name: str, centre: int, x: float | None
) -> None:
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    faces = ["\n".join("f " + " ".join(str(at + 8 * n) for at in quad) for quad in quads) for n in range(2)]
    write(tmp_path, "two.obj", TWO.format(*faces))
    mesh = f"<uri>two.obj</uri><submesh><name>{name}</name><center>{centre}</center></submesh>"
    solid = f'<collision name="c"><geometry><mesh>{mesh}</mesh></geometry></collision>'
    text = world(f'<model name="m"><pose>0 0 .01 0 0 0</pose><link name="l">{solid}</link></model>')
    if x is None:
        assert 'names no submesh "right" in two.obj: there are "small", "left"' in refusal(
            tmp_path, "a.sdf", text
        )
        return
    (found,) = read(tmp_path, "a.sdf", text).assembly.free
    assert found.piece.extents == pytest.approx((0.1, 0.1, 0.02))
    assert found.pose.position == pytest.approx((x, 0, 0.01))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE sdf [<!ENTITY a 'b'>]><sdf/>", "has a DOCTYPE"),
        ("<sdf><world>", "is not valid XML"),
        ("<robot/>", "its root is <robot>, not <sdf>"),
        ("<a>" * 300 + "</a>" * 300, "within each other"),
        (world("<gravity>0 0 0</gravity>"), "it must point down"),
        (world("<population/><road/>"), "holds <population>, <road>, which is not read"),
        (world('<model name="a" placement_frame="b"/>'), "holds placement_frame"),
        (world('<joint name="j" type="fixed"/>'), "a joint between models"),
        (world("<state/>"), "holds <state>, which is not read"),
        (world(block("a", (0, 0, 0.5), (1, 1, 1)) * 2), 'link "a": is there twice'),
        (world("<model><link><collision><slip1>.1</slip1></collision></link></model>"), "<slip1> or <slip2>"),
        (
            world(
                "<wind><linear_velocity>9 0 0</linear_velocity></wind><model><enable_wind>1</enable_wind></model>"
            ),
            "<enable_wind> in a wind",
        ),
        (
            world(
                f'<model name="a"><link name="l"><inertial auto="1"><mass>1</mass></inertial>{sdf_box((1, 1, 1))}'
                "</link></model>"
            ),
            "has a mass, and auto",
        ),
        (world('<model name="a"><link name="l"><gravity>0</gravity></link></model>'), "is free of gravity"),
        (world(block("a", (math.nan, 0, 0), (1, 1, 1))), "must be 6 finite numbers"),
        (
            world('<model name="a"><pose relative_to="a">0 0 0 0 0 0</pose></model>'),
            'the frame "a" leads back to itself',
        ),
        (world("<include><uri>model://../../etc</uri></include>"), "there is no file"),
        (world("<include><uri>/etc/hostname.sdf</uri></include>"), "lies elsewhere"),
    ],
)
def test_broken_and_hostile_sdf_is_refused_in_a_line(tmp_path: Path, text: str, words: str) -> None:
    found = refusal(tmp_path, "a.sdf", text)
    assert words in found
    assert found.startswith(str(tmp_path / "a.sdf"))


# -- USD ---------------------------------------------------------------------------------------------------------


def stage(up: str, unit: float, content: str) -> str:
    return f'#usda 1.0\n(\n    upAxis = "{up}"\n    metersPerUnit = {unit}\n)\n{content}'


BODY = """
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    {mass}
    double3 xformOp:translate = {place}
    double xformOp:rotateY = 90
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]
    def {kind} "solid" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        {shape}
        double3 xformOp:scale = {scale}
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
}}
"""


def usd_body(
    name: str, place: str, kind: str = "Cube", shape: str = "", scale: str = "(1, 1, 1)", mass: str = ""
) -> str:
    return BODY.format(name=name, place=place, kind=kind, shape=shape, scale=scale, mass=mass)


def test_usd_in_centimetres_with_y_up(tmp_path: Path) -> None:
    """Boxes are stretched cubes of edge 2; x of the file is x here, y is z, z is -y."""
    text = stage(
        "Y",
        0.01,
        usd_body("low", "(10, 2, -30)", scale="(5, 2, 3)", mass="float physics:mass = 0.5")
        + usd_body(
            "high", "(10, 6, -30)", "Cylinder", 'uniform token axis = "Y"\ndouble radius = 3\ndouble height = 4',
            mass="float physics:density = 0.0005\npoint3f physics:centerOfMass = (0, 1, 0)\nfloat physics:mass = 0.06",
        ),
    )  # fmt: skip
    bodies = named(read(tmp_path, "a.usda", text))
    scene = load(tmp_path / "a.usda")
    assert (scene.unit, scene.up) == ("cm", "y")
    low, high = bodies["low"], bodies["high"]
    assert low.pose.position == pytest.approx((0.1, 0.3, 0.02))
    assert np.abs(low.pose.matrix) @ low.piece.extents == pytest.approx((0.06, 0.1, 0.04))
    assert low.piece.mass == pytest.approx(0.5)
    assert high.pose.position == pytest.approx((0.1, 0.3, 0.06))
    assert np.abs(high.pose.matrix) @ high.piece.extents == pytest.approx((0.06, 0.06, 0.04))
    assert high.pose.apply(high.piece.centre_of_mass) == pytest.approx((0.1, 0.3, 0.07), abs=1e-9)


def test_usd_without_physics_is_a_mesh_scene_and_kinematic_bodies_are_supports(tmp_path: Path) -> None:
    plain = 'def Cube "{}"\n{{\n double size = 0.1\n double3 xformOp:translate = (0, 0, {})\n'
    plain += ' uniform token[] xformOpOrder = ["xformOp:translate"]\n}}\n'
    bodies = named(read(tmp_path, "a.usda", stage("Z", 1, plain.format("a", 0.05) + plain.format("b", 0.15))))
    assert [bodies[name].pose.position[2] for name in ("a", "b")] == pytest.approx([0.05, 0.15])
    kinematic = usd_body("base", "(0, 0, 0)", mass="bool physics:kinematicEnabled = 1") + usd_body(
        "top", "(0, 0, 2)"
    )
    bodies = named(read(tmp_path, "b.usda", stage("Z", 0.1, kinematic)))
    assert {name: body.fixed for name, body in bodies.items()} == {"base": True, "top": False}
    assert bodies["top"].pose.position == pytest.approx((0, 0, 0.2))


def test_usd_that_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    joined = usd_body("a", "(0, 0, 1)") + 'def PhysicsRevoluteJoint "hinge" {}\n'
    assert "/hinge: is a joint" in refusal(tmp_path, "a.usda", stage("Z", 1, joined))
    copies = usd_body("a", "(0, 0, 1)") + 'def PointInstancer "bricks" {}\n'
    assert "/bricks: is a point instancer" in refusal(tmp_path, "e.usda", stage("Z", 1, copies))
    sphere = usd_body("a", "(0, 0, 1)", "Sphere", "double radius = 1", "(1, 1, 2)")
    assert "stretched out of round" in refusal(tmp_path, "b.usda", stage("Z", 1, sphere))
    assert "is no USD that can be read" in refusal(tmp_path, "c.usda", "#usda 1.0\ndef {")
    reference = 'def "a" (references = @/etc/hostname.usda@) {}\n'
    assert "cannot be put together" in refusal(tmp_path, "d.usda", stage("Z", 1, reference))


HAMMER = """
def PhysicsScene "scene" {{}}
def Cube "pier" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{{
    double size = 10
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
def Material "cork" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
    float physics:density = 0.0005
    float physics:staticFriction = 0.5
}}
def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
    float physics:density = 0.0078
    float physics:staticFriction = 0.5
}}
def Xform "hammer" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"])
{{
    {body}
    double3 xformOp:translate = (-2, 0, 11)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "light" {{
    def Cube "solid" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"])
    {{
        {light}
        double size = 10
        double3 xformOp:scale = (1, 1, 0.2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
    }}
    def Cube "heavy" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "MaterialBindingAPI"])
    {{
        {heavy}
        double size = 10
        double3 xformOp:scale = (1, 1, 0.2)
        double3 xformOp:translate = (10, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }}
}}
"""
"""In centimetres: two plates of 10 x 10 x 2, 10 apart, which make a body at -2 over a pier that ends at 5."""


def hammer(body: str = "", light: str = "", heavy: str = "", after: str = "") -> str:
    texts = [text.replace("; ", "\n").replace("m:", "physics:") for text in (body, light, heavy)]
    content = HAMMER.format(**dict(zip(("body", "light", "heavy"), texts, strict=True)))
    return stage("Z", 0.01, content + after)


WEIGHTS: dict[str, tuple[tuple[str, str, str], float, float]] = {
    "nothing": (("", "", ""), 0.4, 5),
    "masses": (("", "float m:mass = 1", "float m:mass = 9"), 10, 9),
    "a mass beside none": (("", "", "float m:mass = 9"), 9.2, 90 / 9.2),
    "densities": (("", "float m:density = 0.0005", "float m:density = 0.0078"), 1.66, 15.6 / 1.66),
    "materials": (
        ("", "rel material:binding:physics = </cork>", "rel material:binding:physics = </steel>"),
        1.66,
        15.6 / 1.66,
    ),
    "a density before a material's": (
        ("float m:density = 0.001", "rel material:binding:physics = </steel>", ""), 0.4, 5
    ),
    "a solid's before the body's": (("float m:density = 0.0005", "", "float m:density = 0.0078"), 1.66, 15.6 / 1.66),
    "a solid's mass before densities": (
        ("float m:density = 0.0005", "", "float m:mass = 0.9; float m:density = 5"), 1.0, 9
    ),
    "a body's mass in the shares of its solids": (
        ("float m:mass = 5", "float m:density = 0.0001", "float m:density = 0.0009"), 5, 9
    ),
    "a centre": (("point3f m:centerOfMass = (9, 0, 0)", "", ""), 0.4, 9),
    "a centre and a density": (("point3f m:centerOfMass = (9, 0, 0); float m:density = 0.002", "", ""), 0.8, 9),
    "centres of solids": (
        ("", "point3f m:centerOfMass = (2, 0, 0)", "float m:mass = 0.6; point3f m:centerOfMass = (4, 0, 0)"),
        0.8,
        11,
    ),
    "an inertia alone": (("float3 m:diagonalInertia = (60, 60, 60)", "float m:mass = 1", "float m:mass = 4"), 5, 8),
}  # fmt: skip
"""What the body, the light and the heavy plate are given; the mass in kg; the centre along x in cm."""


@pytest.mark.parametrize("what", WEIGHTS)
def test_masses_in_usd_are_those_that_pixars_library_computes(tmp_path: Path, what: str) -> None:
    """And the hammer topples where they lie past the edge."""
    from pxr import Gf, Usd, UsdPhysics

    texts, mass, centre = WEIGHTS[what]
    text = hammer(*texts)
    scene = read(tmp_path, "hammer.usda", text)
    body = named(scene)["hammer"]
    assert body.piece.mass == pytest.approx(mass, rel=1e-6)
    assert body.centre_of_mass == pytest.approx((centre / 100 - 0.02, 0, 0.11), abs=1e-8)
    assert analyse(scene.assembly).stands == (centre < 7)

    def plate(prim: Any) -> Any:
        told = UsdPhysics.RigidBodyAPI.MassInformation()
        told.volume, told.inertia = 200.0, Gf.Matrix3f(1)
        told.inertia[0, 0], told.inertia[1, 1], told.inertia[2, 2] = (
            200 * 104 / 12,
            200 * 104 / 12,
            200 * 200 / 12,
        )
        told.localPos = Gf.Vec3f(10 if prim.GetName() == "heavy" else 0, 0, 0)
        return told

    of_stage = Usd.Stage.Open(str(tmp_path / "hammer.usda"))
    api = UsdPhysics.RigidBodyAPI(of_stage.GetPrimAtPath("/hammer"))
    theirs, moments, place, _ = api.ComputeMassProperties(plate)
    assert (theirs, place[0]) == pytest.approx((mass, centre), rel=1e-6)
    if "centre" not in what:  # teeter has a load in one point there
        inertia = np.linalg.eigvalsh(body.piece.inertia) * 1e4
        assert sorted(moments) == pytest.approx(inertia, rel=1e-5)


def collision_group(name: str, of: str, filters: str) -> str:
    lines = f"rel collection:colliders:includes = {of}\nrel physics:filteredGroups = {filters}"
    return f'def PhysicsCollisionGroup "{name}"\n{{\n{lines}\n}}\n'


GROUPS = collision_group("a", "</pier>", "</b>") + collision_group("b", "</hammer>", "[]")
WEIGHTY = '(prepend apiSchemas = ["PhysicsMassAPI"]) { float physics:mass = 9'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (hammer(body="rel m:filteredPairs = </pier>"), "/hammer: lets bodies pass through each other"),
        (hammer(after=GROUPS), "/b: lets bodies pass through each other"),
        (hammer().replace('"light" {', f'"light" {WEIGHTY}'), "/hammer/light: has a mass but is neither"),
        (hammer(body="point3f m:centerOfMass = (19, 0, 0)"), "lies outside the piece"),
    ],
)
def test_usd_that_filters_or_weighs_what_cannot_be_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, "hammer.usda", text)


def test_filters_in_usd_that_part_no_two_bodies_are_read(tmp_path: Path) -> None:
    """Two solids of one body, something that is not there, and a group of one body that filters itself."""
    pairs = "rel m:filteredPairs = [</hammer/heavy>, </gone>]"
    text = hammer(body=pairs, after=collision_group("a", "</hammer>", "</a>"))
    assert len(read(tmp_path, "hammer.usda", text).assembly.free) == 1


SHEET = """
def PhysicsScene "scene" {{}}
def Mesh "shelf" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{{
    int[] faceVertexCounts = [4, 4]
    int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7]
    point3f[] points = {points}
}}
def Cube "beam" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"])
{{
    double size = 1
    double3 xformOp:scale = (0.2, 0.1, 0.02)
    double3 xformOp:translate = (0.06, 0, 0.01)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}}
"""


def tiles(*corners: tuple[float, float, float, float]) -> str:
    """Level rectangles, each from x, y to x, y."""
    points = [
        (x, y, 0) for a, b, c, d in corners for x, y in ((a, b), (c, b), (c, d), (a, d))
    ]  # fmt: skip
    return stage("Z", 1, SHEET.format(points=points))


def test_a_sheet_is_the_ground_only_of_what_lies_over_it(tmp_path: Path) -> None:
    """A beam from -40 to 160 mm; a shelf that ends at 50 would let it topple."""
    two = tiles((-0.2, -0.2, 0.06, 0.2), (0.06, -0.2, 0.2, 0.2))
    assert analyse(read(tmp_path, "two.usda", two).assembly).stands
    words = 'body "beam": does not lie over the sheet "shelf" as a whole'
    shelf = (-0.05, -0.05, 0.05, 0.05)
    for corners in (
        (shelf, shelf),
        ((-0.2, -0.2, 0.05, 0.2), (-0.2, -0.2, 0.2, 0.0)),
    ):  # small; a corner is missing
        assert words in refusal(tmp_path, "shelf.usda", tiles(*corners))


def test_usdc_and_usdz_are_read_as_usda(tmp_path: Path) -> None:
    from pxr import Sdf, UsdUtils

    text = stage("Z", 1, usd_body("a", "(0, 0, 1)") + usd_body("b", "(0, 0, 3)"))
    write(tmp_path, "a.usda", text)
    assert Sdf.Layer.FindOrOpen(str(tmp_path / "a.usda")).Export(str(tmp_path / "a.usdc"))
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "a.usdc"), str(tmp_path / "a.usdz"))
    scenes = [load(tmp_path / f"a.{kind}") for kind in ("usda", "usdc", "usdz")]
    for one, other in pairwise(scenes):
        assert [(body.name, body.pose) for body in one.assembly.bodies] == [
            (body.name, body.pose) for body in other.assembly.bodies
        ]


# -- COMPAS ------------------------------------------------------------------------------------------------------


def test_an_assembly_written_by_compas_itself(tmp_path: Path) -> None:
    """An arch leg of two blocks, the upper turned; faces are quads, and the lower block is a support."""
    from compas.geometry import Box, Frame
    from compas_assembly.datastructures import Assembly, Block

    assembly = Assembly(name="leg")
    turned = Frame([0.02, 0, 0.3], [math.cos(0.3), math.sin(0.3), 0], [-math.sin(0.3), math.cos(0.3), 0])
    assembly.add_block(
        Block.from_shape(Box(0.4, 0.3, 0.2, frame=Frame([0, 0, 0.1], [1, 0, 0], [0, 1, 0]))), is_support=True
    )
    assembly.add_block(Block.from_shape(Box(0.4, 0.3, 0.2, frame=turned)))
    assembly.to_json(str(tmp_path / "leg.json"))
    scene = load(tmp_path / "leg.json")
    low, high = scene.assembly.bodies
    assert (low.fixed, high.fixed, scene.title) == (True, False, "leg")
    assert high.pose.position == pytest.approx((0.02, 0, 0.3), abs=1e-9)
    assert high.piece.volume == pytest.approx(0.4 * 0.3 * 0.2)
    assert analyse(scene.assembly).stands


def test_the_unit_of_an_assembly_is_asked_for_where_it_cannot_be_metres(tmp_path: Path) -> None:
    corners = {
        str(n): {"x": 400.0 * (n & 1), "y": 300.0 * (n >> 1 & 1), "z": 200.0 * (n >> 2)} for n in range(8)
    }
    faces = dict(
        enumerate([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    )
    mesh: dict[str, Any] = {"dtype": "x/Block", "value": {"vertex": corners, "face": faces}}
    data = {"dtype": "x/Assembly", "value": {"graph": {"node": {"0": {"block": mesh}}}}}
    path = write(tmp_path, "mm.json", json.dumps(data))
    with pytest.raises(SceneError, match="COMPAS names no unit: give --unit mm"):
        load(path)
    (found,) = load(path, unit="mm").assembly.free
    assert load(path, unit="mm").unit == "mm"
    assert found.piece.extents == pytest.approx((0.4, 0.3, 0.2))
    for text in (
        "[]",
        "{}",
        '{"teeter": "0.1.0"}',
        "{",
        '{"graph": {"node": {"0": {"block": {}}}}}',
        '{"graph": 1e999}',
    ):
        assert "mm.json: is no" in refusal(tmp_path, "mm.json", text)


# -- all of them -------------------------------------------------------------------------------------------------


def test_every_ending_has_a_reader() -> None:
    for module in FORMATS.values():
        assert callable(import_module(f"teeter.scenes.formats.{module}").read)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 64, b"PXR-USDC" + b"\xff" * 90, b"PK\x03\x04", b"\xff\xfe<\x00"]
)
def test_what_is_no_scene_at_all_is_refused_in_a_line(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"broken{ending}"
    path.write_bytes(content)
    with pytest.raises(SceneError) as refused:
        load(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(("key", "value"), [("unit", "mm"), ("up", "y"), ("fit_mm", 0.5)])
def test_options_that_a_format_answers_itself_are_refused(tmp_path: Path, key: str, value: Any) -> None:
    path = write(tmp_path, "a.sdf", world(block("a", (0, 0, 0.5), (1, 1, 1))))
    with pytest.raises(SceneError, match="say what they are in"):
        load(path, **{key: value})


def test_a_urdf_with_values_of_another_kind_is_refused_in_a_line(tmp_path: Path) -> None:
    write(tmp_path, "a.stl", "")
    mesh = '<link name="a"><collision><geometry><mesh filename="a.stl" scale="1 1 1 1"/></geometry></collision></link>'
    assert "is not of the kind that belongs there" in refusal(tmp_path, "a.urdf", urdf("a", mesh))


def test_a_body_of_several_solids_that_do_not_touch_is_one_piece(tmp_path: Path) -> None:
    """Two feet 6 cm apart carry a plate: it tips over their outer edges."""
    feet = "".join(
        f'<collision><origin xyz="{x} 0 0.02"/><geometry><box size="0.02 0.06 0.04"/></geometry></collision>'
        for x in (-0.04, 0.04)
    )
    frame = f'<link name="feet">{inertial(0.2, 2e-4, at=(0, 0, 0.02))}{feet}</link>'
    plate = link("plate", (0.04, 0.06, 0.01), inertial(0.1, 2e-5))
    text = urdf(
        "a",
        '<link name="world"/>' + frame + plate
        + joint("j", "floating", "world", "feet", (0, 0, 0))
        + joint("k", "floating", "world", "plate", (0.04, 0, 0.045)),
    )  # fmt: skip
    scene = read(tmp_path, "a.urdf", text)
    feet_body = named(scene)["feet"]
    assert feet_body.piece.extents == pytest.approx((0.1, 0.06, 0.04))
    assert feet_body.piece.volume == pytest.approx(2 * 0.02 * 0.06 * 0.04)
    assert len(feet_body.piece.parts) == 2
    found = analyse(scene.assembly)
    assert found.stands
    assert check(scene.assembly, CheckOptions(workers=1)).word == "stands"


def test_what_slides_in_gazebo_does_not_stand_here(tmp_path: Path) -> None:
    """Gazebo takes the smaller friction of a pair: 0.1 slides at 23 degrees, the mean of 0.1 and 2 would hold."""
    for above in ("<ode><mu>2</mu></ode>", ""):
        scene = read(tmp_path, "ramp.sdf", ramp("<ode><mu>0.1</mu></ode>", above))
        assert {body.piece.material.friction for body in scene.assembly.bodies} == {0.1}
        assert "Gazebo takes the smaller" in " ".join(scene.fitted)


def ramp(low: str, high: str) -> str:
    """A block on a slope of 23 degrees, as SDF, with their frictions."""
    model = (
        '<model name="{}">{}<pose>{} 0 0.4 0</pose><link name="l"><collision name="c">'
        "<geometry><box><size>{}</size></box></geometry><surface><friction>{}</friction></surface></collision></link>"
        "</model>"
    )
    models = model.format("ramp", "<static>true</static>", "0 0 0", "1 1 0.1", low)
    models += model.format("block", "", "0.0389 0 0.0921", "0.1 0.1 0.1", high)
    return f'<sdf version="1.7"><world name="w">{models}</world></sdf>'


def robot_ramp(low: str, high: str) -> str:
    """The same as URDF."""
    links = (
        '<link name="world"/>'
        + link("ramp", (1, 1, 0.1), "")
        + link("block", (0.1, 0.1, 0.1), inertial(1, 1e-3))
    )
    links += joint("a", "fixed", "world", "ramp", (0, 0, 0), (0, 0.4, 0))
    links += joint("b", "floating", "world", "block", (0.0389, 0, 0.0921), (0, 0.4, 0))
    told = f'<gazebo reference="ramp">{low}</gazebo><gazebo reference="block">{high}</gazebo>'
    return urdf("r", links + told)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.sdf",
            ramp("<ode><mu>1</mu><mu2>1</mu2></ode>", "<ode><mu>1</mu><mu2>.01</mu2></ode>"),
            'link "block" has a friction of ode/mu 1, ode/mu2 0.01',
        ),
        (
            "b.sdf",
            ramp("<ode><mu>1</mu></ode>", "<bullet><friction>.01</friction></bullet>"),
            'link "block" has a friction of ode/mu 1, ode/mu2 1, bullet/friction 0.01',
        ),
        (
            "c.urdf",
            robot_ramp("<mu1>1</mu1>", "<mu1>1</mu1><mu2>.01</mu2>"),
            'link "block" has a friction of mu1 1, mu2 0.01',
        ),
        (
            "d.urdf",
            robot_ramp("<mu1>1</mu1>", '<mu1 value=".01"/><kp>9</kp>'),
            "<gazebo>: <kp> are not read",
        ),
        (
            "e.urdf",
            robot_ramp("<mu1>1</mu1>", "<mu1>1</mu1>").replace(
                '<link name="block">', '<link name="block"><contact><lateral_friction value=".1"/></contact>'
            ),
            "Bullet's is read",
        ),
    ],
)
def test_the_least_friction_of_any_direction_and_engine_counts(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    scene = read(tmp_path, name, text)
    assert words in " ".join(scene.fitted)
    assert [body.piece.material.friction for body in scene.assembly.bodies] == pytest.approx([0.01, 0.01])
    assert not analyse(scene.assembly).stands


def test_mujoco_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = '<body><freejoint/><geom type="box" size=".1 .1 nan"/></body>'
    refusal(tmp_path, "nan.xml", f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert [path.name for path in tmp_path.iterdir()] == ["nan.xml"]
