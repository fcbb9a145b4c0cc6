"""Files of public repositories, written again with their parameters alone, and what has to be read of each.

Where they are: bulletphysics/bullet3 (data/jenga, table, block, cube_small, plane), ros/urdf_tutorial (03-origins,
06-flexible), osrf/gazebo_models (cinder_block, cafe_table), gazebosim/gz-sim (examples/worlds/jenga, boxes_stack,
nested_model), google-deepmind/mujoco (doc/_static/hello, model/Box, model/sleep/dominos, mjx convex),
BlockResearchGroup/compas_assembly (data/stack, docs/examples/two-blocks_assembly), and a box over a ground sheet as
Omniverse's samples have it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from formats_lab import block, inertial, link, read, sdf_box, urdf

from teeter.engine.world.body import Body
from teeter.scenes.scene import Scene, SceneError


def piece(scene: Scene, name: str) -> Body:
    return next(body for body in scene.assembly.bodies if body.name == name)


@pytest.mark.parametrize(
    ("name", "size", "mass", "friction"),
    [
        ("jenga", (0.15, 0.05, 0.03), 0.05, 0.25),
        ("block_2", (0.10, 0.018, 0.018), 0.02, 1.0),
        ("cube", (0.05, 0.05, 0.05), 0.1, 1.0),
    ],
)
def test_bricks_of_bullet(
    tmp_path: Path, name: str, size: tuple[float, float, float], mass: float, friction: float
) -> None:
    """An inertia of 1 kg m2 is that of nothing so small: named, and not used; the file says it is XML version 0.0."""
    text = urdf(name, link("baseLink", size, inertial(mass, 1.0), mu=math.sqrt(friction)))
    text = text.replace('version="1.0"', 'version="0.0"')
    scene = read(tmp_path, "brick.urdf", text)
    (brick,) = [body for body in scene.assembly.bodies if body.name == "baseLink"]
    assert brick.piece.extents == pytest.approx(size)
    assert brick.piece.mass == pytest.approx(mass)
    assert brick.piece.material.friction == pytest.approx(friction)
    assert brick.pose.position == pytest.approx((0, 0, size[2] / 2))
    assert brick.piece.inertia[0, 0] == pytest.approx(mass * (size[1] ** 2 + size[2] ** 2) / 12)
    assert "inertia is too much for its mass" in " ".join(scene.fitted)


def test_bullets_table_and_plane_are_supports_for_their_mass_is_0(tmp_path: Path) -> None:
    table = urdf("table.urdf", link("baseLink", (1.5, 1, 0.05), inertial(0.0, 1.0), at=(0, 0, 0.6), mu=1.0))
    scene = read(tmp_path, "table.urdf", table)
    assert piece(scene, "baseLink").fixed
    assert piece(scene, "baseLink").pose.position == pytest.approx((0, 0, 0.6))
    plane = urdf("plane", link("planeLink", (30, 30, 10), inertial(0.0, 0.0), at=(0, 0, -5), mu=1.0))
    assert piece(read(tmp_path, "plane.urdf", plane), "planeLink").pose.position == pytest.approx((0, 0, -5))


def test_the_tutorials_robot_of_fixed_joints_is_one_piece(tmp_path: Path) -> None:
    """A cylinder 0.6 m high and a leg turned about y beside it; only seen, so that is told."""
    base = '<link name="base_link"><visual><geometry><cylinder length="0.6" radius="0.2"/></geometry></visual></link>'
    leg = (
        '<link name="right_leg"><visual><geometry><box size="0.6 .1 .2"/></geometry>'
        '<origin rpy="0 1.57075 0" xyz="0 0 -0.3"/></visual></link>'
    )
    joint = (
        '<joint name="j" type="fixed"><parent link="base_link"/><child link="right_leg"/>'
        '<origin xyz="0 -0.22 .25"/></joint>'
    )
    scene = read(tmp_path, "origins.urdf", urdf("origins", base + leg + joint))
    (robot,) = scene.assembly.free
    assert robot.name == "base_link"
    # from the cylinder's top to the leg's foot, and from its back to the leg's far side
    assert robot.piece.extents[2] == pytest.approx(0.3 + 0.35, abs=2e-4)
    assert robot.piece.extents[1] == pytest.approx(0.2 + 0.27, abs=2e-4)
    assert "has no <collision>" in " ".join(scene.fitted)


def test_the_tutorials_robot_that_moves_is_refused_by_its_joints(tmp_path: Path) -> None:
    wheel = link("wheel", (0.07, 0.035, 0.07), inertial(0.5, 1e-3)) + link("base_link", (0.2, 0.2, 0.6), "")
    joint = (
        '<joint name="head_swivel" type="continuous"><parent link="base_link"/><child link="wheel"/></joint>'
    )
    with pytest.raises(SceneError, match='continuous joint "head_swivel": joins "base_link" and "wheel"'):
        read(tmp_path, "flexible.urdf", urdf("flexible", wheel + joint))


def test_gazebos_cinder_block_is_five_walls_in_one(tmp_path: Path) -> None:
    walls = [
        ((0, -0.08465, 0.1016), (0.43495, 0.0339, 0.2032)),
        ((0, 0.08465, 0.1016), (0.43495, 0.0339, 0.2032)),
        *[((x, 0, 0.1016), (0.0339, 0.1354, 0.203)) for x in (0.18625, 0.0, -0.18625)],
    ]
    tensor = "<ixx>0.0976</ixx><iyy>0.2508</iyy><izz>0.2348</izz>"
    mass = f"<inertial><pose>0 0 0.1016 0 0 0</pose><mass>17</mass><inertia>{tensor}</inertia></inertial>"
    text = f'<sdf version="1.4"><model name="cinder_block"><link name="link">{mass}'
    text += "".join(sdf_box(size, at) for at, size in walls) + "</link></model></sdf>"
    (found,) = read(tmp_path, "cinder_block.sdf", text).assembly.free
    assert found.name == "cinder_block"
    assert found.piece.mass == pytest.approx(17)
    assert found.piece.volume == pytest.approx(
        2 * 0.43495 * 0.0339 * 0.2032 + 3 * 0.0339 * 0.1354 * 0.203, rel=1e-4
    )
    assert found.pose.apply(found.piece.centre_of_mass)[2] == pytest.approx(0.1016, abs=1e-6)
    assert found.piece.inertia.diagonal() == pytest.approx([0.0976, 0.2508, 0.2348])


def test_gazebos_static_table_is_one_support(tmp_path: Path) -> None:
    """Its column ends a centimetre and a half under its top: two solids in one body."""
    solids = [((0.913, 0.913, 0.04), 0.755), ((0.042, 0.042, 0.74), 0.37), ((0.56, 0.56, 0.04), 0.02)]
    text = '<sdf version="1.5"><model name="Cafe Table"><static>true</static><link name="link">'
    text += "".join(sdf_box(size, (0, 0, z)) for size, z in solids) + "</link></model></sdf>"
    scene = read(tmp_path, "cafe.sdf", text)
    table = piece(scene, "Cafe Table")
    assert table.fixed
    assert table.piece.extents == pytest.approx((0.913, 0.913, 0.775))


def gazebo_world(models: str) -> str:
    plane = "<geometry><plane><normal>0 0 1</normal></plane></geometry>"
    ground = (
        '<model name="ground_plane"><static>true</static><link name="link">'
        f'<collision name="c">{plane}</collision></link></model>'
    )
    extras = '<plugin filename="a" name="b"/><light type="directional" name="sun"/><scene/><gui/>'
    return f'<sdf version="1.6"><world name="w">{extras}{ground}{models}</world></sdf>'


def test_gazebos_tower_of_beams_crosses_layer_by_layer(tmp_path: Path) -> None:
    """Metre beams let fall from three metres up in the file; here layer on layer."""
    models, expected = "", {}
    for layer in range(4):
        for beam in range(3):
            x, y = (0.0, beam - 1.0) if layer % 2 == 0 else (beam - 1.0, 0.0)
            size = (3, 1, 1) if layer % 2 == 0 else (1, 3, 1)
            name = f"box{3 * layer + beam + 1}"
            expected[name] = ((x, y, layer + 0.5), size)
            models += block(name, (x, y, layer + 0.5), size, mass=1.0, moment=1.0)
    scene = read(tmp_path, "jenga.sdf", gazebo_world(models))
    for name, (place, size) in expected.items():
        assert piece(scene, name).pose.position == pytest.approx(place)
        assert piece(scene, name).piece.extents == pytest.approx(size)
        assert piece(scene, name).piece.mass == pytest.approx(1.0)


def test_gazebo_works_masses_out_where_it_is_asked(tmp_path: Path) -> None:
    models = "".join(
        f'<model name="box_{n}"><pose>{-0.2 + 0.1 * n} 0 0.05 0 0 0</pose><link name="box_link">'
        '<inertial auto="true"/><collision name="c"><density>1000</density>'
        "<geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>"
        for n in range(5)
    )
    scene = read(tmp_path, "boxes.sdf", gazebo_world(models))
    assert [body.piece.mass for body in scene.assembly.free] == pytest.approx([1.0] * 5)
    assert [body.pose.position[0] for body in scene.assembly.free] == pytest.approx([-0.2, -0.1, 0, 0.1, 0.2])


def test_mujocos_first_example(tmp_path: Path) -> None:
    """Half sizes, and a body without a name a metre over the ground; it is lowered here."""
    text = """<mujoco><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 0.1"/>
    <body pos="0 0 0.3"><joint type="free"/><geom type="box" size=".1 .2 .3"/></body></worldbody></mujoco>"""
    (box,) = read(tmp_path, "hello.xml", text).assembly.free
    assert box.piece.extents == pytest.approx((0.2, 0.4, 0.6))
    assert box.piece.mass == pytest.approx(1000 * 0.2 * 0.4 * 0.6)


def test_mujocos_box_says_its_mass_twice(tmp_path: Path) -> None:
    """`inertiafromgeom` wins over <inertial>; the moments are m s^2 / 6."""
    text = """<mujoco model="box"><compiler angle="degree" inertiafromgeom="true"/>
    <default><geom friction="0.8 0.1 0.1"/></default><worldbody><geom name="floor" type="plane" size="10 10 0.1"/>
    <body name="cube" pos="0 0 0.2"><freejoint/><geom type="box" size="0.2 0.2 0.2" mass="1" density="1000"/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.027 0.027 0.027"/></body></worldbody></mujoco>"""
    scene = read(tmp_path, "box.xml", text)
    (cube,) = scene.assembly.free
    assert cube.piece.mass == pytest.approx(1)
    assert cube.piece.material.friction == pytest.approx(0.8)
    assert cube.piece.inertia[0, 0] == pytest.approx(0.4**2 / 6)
    assert scene.assembly.bodies[0].piece.material.friction == pytest.approx(0.8)


def test_mujocos_meshes_lie_where_their_corners_are(tmp_path: Path) -> None:
    """Its compiler moves meshes to their middle and principal axes, and says so in the geom's place."""
    corners = "0 0 0 0.4 0 0 0 0.3 0 0 0 0.2"
    text = f"""<mujoco><asset><mesh name="t" vertex="{corners}"/></asset><worldbody>
    <geom type="plane" size="4 4 1"/><body name="tetrahedron" pos="0 2 0"><joint type="free"/>
    <geom type="mesh" mesh="t"/></body></worldbody></mujoco>"""
    (found,) = read(tmp_path, "convex.xml", text).assembly.free
    assert found.piece.extents == pytest.approx((0.4, 0.3, 0.2), abs=1e-6)
    assert found.pose.apply(found.piece.centre_of_mass) == pytest.approx((0.1, 2.075, 0.05), abs=1e-6)


CUBE = [[0, 1, 2, 3], [0, 3, 5, 4], [3, 2, 6, 5], [2, 1, 7, 6], [1, 0, 4, 7], [4, 5, 6, 7]]


def compas_block(low: tuple[float, float, float], high: tuple[float, float, float]) -> dict[str, Any]:
    (x, y, z), (u, v, w) = low, high
    corners = [(x, y, z), (x, v, z), (u, v, z), (u, y, z), (x, y, w), (u, y, w), (u, v, w), (x, v, w)]
    vertex = {str(at): dict(zip("xyz", corner, strict=True)) for at, corner in enumerate(corners)}
    return {
        "attributes": {"name": "Block"},
        "vertex": vertex,
        "face": {str(at): face for at, face in enumerate(CUBE)},
    }


def test_the_first_stack_of_compas_assembly(tmp_path: Path) -> None:
    """Ten blocks of 2 x 1 x 0.5 m, each a little aside, in the form before COMPAS 1; no supports."""
    asides = [
        (0.1, 0),
        (0, 0.05),
        (0.1, 0),
        (0.05, 0),
        (0, 0.05),
        (0.1, 0),
        (0, 0.01),
        (0.01, 0),
        (0, 0.1),
        (0, 0.05),
    ]
    blocks = {
        str(at): compas_block((x, y, at / 2), (x + 2, y + 1, at / 2 + 0.5))
        for at, (x, y) in enumerate(asides)
    }
    data = {"assembly": {"vertex": {key: {"is_support": False} for key in blocks}}, "blocks": blocks}
    scene = read(tmp_path, "stack.json", json.dumps(data))
    for at, (x, y) in enumerate(asides):
        assert piece(scene, f"block.{at}").pose.position == pytest.approx((x + 1, y + 0.5, at / 2 + 0.25))
        assert piece(scene, f"block.{at}").piece.extents == pytest.approx((2, 1, 0.5))


def test_two_blocks_of_compas_the_lower_a_support(tmp_path: Path) -> None:
    """The lower one reaches half a metre under z = 0, so there is no table."""
    nodes = {
        str(at): {
            "block": {
                "dtype": "compas_assembly.datastructures/Block",
                "data": compas_block((-0.5, -0.5, at - 0.5), (0.5, 0.5, at + 0.5)),
            },
            "is_support": at == 0,
        }
        for at in range(2)
    }
    graph = {"dtype": "compas.datastructures/Graph", "data": {"node": nodes, "edge": {"0": {"1": {}}}}}
    data = {
        "dtype": "compas_assembly.datastructures/Assembly",
        "data": {"attributes": {"name": "two"}, "graph": graph},
    }
    scene = read(tmp_path, "two.json", json.dumps(data))
    assert [body.fixed for body in scene.assembly.bodies] == [True, False]
    assert [body.pose.position[2] for body in scene.assembly.bodies] == pytest.approx([0, 1])
    assert scene.title == "two"


def test_a_box_of_omniverse_on_its_ground_sheet(tmp_path: Path) -> None:
    """No unit said: USD's own is the centimetre; z is up; the ground is an open quad."""
    text = """#usda 1.0
(
    upAxis = "Z"
)
def Xform "World"
{
    def Cube "BoxActor" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double size = 25
        float physics:mass = 1
        double3 xformOp:translate = (0, 0, 12.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Mesh "Ground" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(-750, -750, 0), (750, -750, 0), (750, 750, 0), (-750, 750, 0)]
    }
}
"""
    scene = read(tmp_path, "box.usda", text)
    assert [body.name for body in scene.assembly.bodies] == ["table", "BoxActor"]
    box = piece(scene, "BoxActor")
    assert box.piece.extents == pytest.approx((0.25, 0.25, 0.25))
    assert box.pose.position == pytest.approx((0, 0, 0.125))
    assert box.piece.mass == pytest.approx(1)


def test_mujocos_rows_of_dominoes_stand_where_mujoco_has_them(tmp_path: Path) -> None:
    """Replicated twice over, with a class of defaults, room for memory and a ground a micrometre up."""
    mujoco = pytest.importorskip("mujoco")
    row = '<body pos="0 0 .089"><freejoint/><geom class="domino"/></body>'
    text = f"""<mujoco model="dominos"><size memory="5M"/><option cone="elliptic"><flag energy="enable"/></option>
    <default><default class="domino"><geom type="box" size=".008 .044 .089" mass="0.09"/></default></default>
    <worldbody><geom type="plane" size="2 2 .01" pos=".5 0 1e-6"/>
    <replicate count="3" offset="0 1 0"><frame pos="0 -1 0"><replicate count="15" offset=".1 0 0">{row}</replicate>
    </frame></replicate></worldbody></mujoco>"""
    scene = read(tmp_path, "dominos.xml", text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    free = scene.assembly.free
    assert len(free) == model.nbody - 1 == 45
    lift = free[0].pose.position[2] - data.xpos[1][2]
    assert abs(lift) <= 1.1e-6
    for number, body in enumerate(free, start=1):
        assert body.pose.position == pytest.approx(data.xpos[number] + [0, 0, lift], abs=1e-9)
        assert body.piece.mass == pytest.approx(model.body_mass[number])
    assert free[0].piece.extents == pytest.approx((0.016, 0.088, 0.178))


def test_gazebos_model_in_a_model_lies_in_the_frame_of_the_outer_one(tmp_path: Path) -> None:
    """A box turned by an eighth beside a ball, a metre and a quarter on; neither has a mass."""
    solid = '<link name="link_{0}"><pose>{1}</pose><collision name="c"><geometry>{2}</geometry></collision></link>'
    ball = solid.format("00", "0 0 0 0 0 0", "<sphere><radius>0.5</radius></sphere>")
    box = solid.format("01", "0.25 0 0 0 0 0.785398", "<box><size>1 1 1</size></box>")
    inner = f'<model name="model_01"><pose>1 0 0 0 0 0</pose>{box}</model>'
    text = gazebo_world(f'<model name="model_00"><pose>0 0 0.5 0 0 0</pose>{ball}{inner}</model>')
    scene = read(tmp_path, "nested.sdf", text)
    found = piece(scene, "model_00::model_01")
    assert found.pose.position == pytest.approx((1.25, 0, 0.5))
    assert abs(found.pose.matrix[0, 0]) == pytest.approx(math.cos(math.pi / 4), abs=1e-6)
    assert "has no mass" in " ".join(scene.fitted)
