"""Statics whatever the frame: order, place, yaw, mirror and scale change nothing; forces balance on their
own.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statics_scenes import arch, box, card_tent, pose, pyramid, scene, tower

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.boundary import nearest_boundary
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.forces import carried, least_squares, project
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly

G = 9.81


def heap(seed: int, count: int = 7) -> Assembly:
    """Blocks of random size, yaw and place on top of each other, somewhere near balance."""
    random = np.random.default_rng(seed)
    bodies, top = [], 0.0
    for k in range(count):
        x, y, z = random.uniform(20, 60), random.uniform(20, 60), random.uniform(8, 25)
        aside = random.uniform(-3, 3, 2)
        at = pose(aside[0], aside[1], top + z / 2, yaw=random.uniform(0, 360))
        bodies.append(box(f"b{k}", (x, y, z), at, random.uniform(0.2, 0.8)))
        top += z
    return scene(*bodies)


def moved(assembly: Assembly, yaw: float, x: float, y: float) -> Assembly:
    turn = Pose((x, y, 0.0), quaternion_of_rpy(0.0, 0.0, yaw))
    return replace(assembly, bodies=tuple(body.at(body.pose.then(turn)) for body in assembly.bodies))


def mirrored(assembly: Assembly) -> Assembly:
    """Mirrored in the plane y = 0; good for pieces that are their own mirror image."""

    def flip(pose_of: Pose) -> Pose:
        x, y, z, w = pose_of.orientation
        return Pose((pose_of.position[0], -pose_of.position[1], pose_of.position[2]), (-x, y, -z, w))

    return replace(assembly, bodies=tuple(body.at(flip(body.pose)) for body in assembly.bodies))


def same(one: Statics, other: Statics, tolerance: float = 1e-6) -> None:
    assert one.stands is other.stands
    assert one.needs_friction is other.needs_friction
    if one.stands:
        assert other.tilt_deg == pytest.approx(one.tilt_deg, rel=tolerance)
        assert other.push_n == pytest.approx(one.push_n, rel=tolerance)
        weight = max(one.loads.values()) + 1e-3
        assert other.loads == {
            name: pytest.approx(load, abs=tolerance * weight) for name, load in one.loads.items()
        }


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.floats(0, 2 * math.pi), st.floats(-1, 1), st.floats(-1, 1))
def test_turning_and_shifting_the_table_changes_nothing(seed: int, yaw: float, x: float, y: float) -> None:
    same(analyse(heap(seed)), analyse(moved(heap(seed), yaw, x, y)))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_order_changes_nothing(seed: int, random: object) -> None:
    assembly = heap(seed)
    bodies = list(assembly.bodies)
    random.shuffle(bodies)  # type: ignore[attr-defined]
    same(analyse(assembly), analyse(replace(assembly, bodies=tuple(bodies))))


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_a_mirror_changes_nothing(seed: int) -> None:
    same(analyse(heap(seed)), analyse(mirrored(heap(seed))))


@pytest.mark.parametrize("make", [lambda: tower(6), lambda: pyramid(15), lambda: arch(9, 0.2)])
@pytest.mark.parametrize("yaw", [0.3, 2.0])
def test_named_scenes_turned(make: object, yaw: float) -> None:
    assembly = make()  # type: ignore[operator]
    one, other = analyse(assembly), analyse(moved(assembly, yaw, 0.1, -0.2))
    same(one, other, 5e-6)


@pytest.mark.parametrize("size", [10.0, 60.0, 1000.0, 10000.0])
@pytest.mark.parametrize(("part", "expected"), [(0.499, True), (0.501, False)])
def test_verdict_and_margin_do_not_depend_on_scale(size: float, part: float, expected: bool) -> None:
    """The upper block half off; margins in degrees are the same for 10 mm and for 10 m."""
    cube = (size, size, size)
    upper = box("b", cube, pose(part * size, 0, 1.5 * size))
    found = analyse(Assembly("", (box("a", cube, pose(0, 0, size / 2), fixed=True), upper)))
    assert found.stands is expected
    if expected:
        # the nearer edge is 0.001 of the size away, the centre of mass half of it up
        assert found.tilt_deg is not None
        assert math.tan(math.radians(found.tilt_deg)) == pytest.approx(0.002, rel=1e-5)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_forces_balance_by_hand_and_stay_in_their_cones(seed: int) -> None:
    assembly = heap(seed, 5)
    if analyse(assembly, margins=False, loads=False).stands:
        check_forces(assembly)


@pytest.mark.parametrize(
    "make", [lambda: tower(18), lambda: pyramid(55), lambda: arch(15, 0.15), lambda: card_tent(30, 0.4)]
)
def test_forces_of_named_scenes(make: object) -> None:
    check_forces(make())  # type: ignore[operator]


def check_forces(assembly: Assembly) -> None:
    """Forces and torques summed body by body from points and newtons, with none of the solver's matrices."""
    contacts = find_contacts(assembly)
    balance = balance_of(assembly, contacts)
    forces = least_squares(balance)
    loads = carried(balance, forces)
    weight = max(body.piece.mass for body in assembly.free) * G
    for index, body in enumerate(assembly.bodies):
        if body.fixed:
            continue
        force, torque = np.array([0, 0, -body.piece.mass * G]), np.zeros(3)
        centre = body.centre_of_mass
        for sign, mine in ((1, contacts.first == index), (-1, contacts.second == index)):
            force = force + sign * forces[mine].sum(axis=0)
            torque = torque + sign * np.cross(contacts.points[mine] - centre, forces[mine]).sum(axis=0)
        assert np.abs(force).max() < 1e-6 * weight
        assert np.abs(torque).max() < 1e-6 * weight * body.piece.extents.max()
        assert loads[body.name] >= 0
    normal = np.einsum("ij,ij->i", forces, contacts.normals)
    slip = np.linalg.norm(forces - normal[:, None] * contacts.normals, axis=1)
    mu = np.sqrt(
        [
            assembly.bodies[a].piece.material.friction * assembly.bodies[b].piece.material.friction
            for a, b in zip(contacts.first, contacts.second, strict=True)
        ]
    )
    assert normal.min() >= -1e-7 * weight
    assert np.all(slip <= mu * normal + 1e-6 * weight)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.sampled_from([0.0, 0.3, 1.0]))
def test_projection_onto_the_cone_is_the_nearest_point(x: list[float], mu: float) -> None:
    """Moreau: the point and the rest are perpendicular, the rest lies in the polar cone."""
    point = project(np.array([x]), np.array([mu]))[0][0]
    rest = np.array(x) - point
    assert point @ rest == pytest.approx(0, abs=1e-9)
    assert np.hypot(*point[1:]) <= mu * point[0] + 1e-9
    assert mu * np.hypot(*rest[1:]) <= -rest[0] + 1e-9


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_the_nearest_boundary_of_a_polygon_is_found(seed: int, sides: int) -> None:
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * math.pi, sides)) + np.linspace(0, 1e-3, sides)
    offsets = random.uniform(0.5, 3.0, sides)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    walls = np.concatenate([normals, [[1, 0], [-1, 0], [0, 1], [0, -1]]])
    limits = np.concatenate([offsets, [5, 5, 5, 5]])
    corners = [
        np.linalg.solve(walls[[i, j]], limits[[i, j]])
        for i in range(len(walls))
        for j in range(i)
        if abs(np.linalg.det(walls[[i, j]])) > 1e-9
    ]
    inside = np.array([corner for corner in corners if np.all(walls @ corner <= limits + 1e-7)])

    def query(direction: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        best = int(np.argmax(inside @ direction))
        return float(inside[best] @ direction), inside[best], np.zeros(0)

    found = nearest_boundary(query, 1e6, np.zeros(0))
    assert found.distance == pytest.approx(limits.min(), rel=1e-5)
    assert found.lower <= found.distance
    assert found.lower >= found.distance * (1 - 1e-3)


def test_the_nearest_boundary_of_an_ellipse_is_found() -> None:
    middle, axes = np.array([0.3, -0.2]), np.array([2.0, 1.0])

    def query(direction: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        reach = np.linalg.norm(axes * direction)
        point = middle + axes**2 * direction / reach
        return float(point @ direction), point, np.zeros(0)

    found = nearest_boundary(query, 1e6, np.zeros(0))
    turn = np.linspace(0, 2 * math.pi, 400001)
    rim = middle[:, None] + axes[:, None] * np.array([np.cos(turn), np.sin(turn)])
    assert found.distance == pytest.approx(np.linalg.norm(rim, axis=0).min(), rel=2e-6)


def test_the_nearest_boundary_of_a_point_is_nought() -> None:
    assert nearest_boundary(lambda _: (0.0, np.zeros(2), np.zeros(0)), 1e6, np.zeros(0)).distance == 0
