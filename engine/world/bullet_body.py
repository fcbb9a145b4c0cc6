"""Bodies, contacts and settings as Bullet has them: piece frame and SI here, mass frame and scaled units there. No
simulator is loaded here.

A piece is loaded as URDF text, its convex parts in the frame of its mass: the only way to a body of several hulls with
a mass frame of its own. A pair's friction and restitution are the *product* of the bodies' values in Bullet, so each
gets the square root, and the pair their geometric mean (`models.material.pair_coefficient`). A pair adds dampings and
puts stiffnesses in series.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from teeter.engine.geometry.rotation import nudged, quaternion_of, rpy_of
from teeter.engine.geometry.vectors import Quaternion, after, plus, rotated, scaled
from teeter.engine.geometry.vectors import nudged as nudged_one
from teeter.engine.pose import Pose, vector_of
from teeter.engine.scratch import scratch_files, scratch_folder
from teeter.engine.settings import COLLISION_MARGIN, Tuning
from teeter.engine.world.body import Body, Contact, Scale, Vector
from teeter.engine.world.faces import shrunk
from teeter.models.hulls import convex_hull
from teeter.models.piece import Array, Part, Piece


class BulletBody:
    """A body in Bullet. handle: Bullet's number for it, -1 until it is in. centre (3,), axes (3, 3): the mass frame in
    the piece frame; is_plain: the two are the same; offset: the centre in plain numbers; upright: the z axis of the
    piece in the mass frame; back: the rotation from one to the other. moments (3,): kg m^2 about the axes;
    scaled_moments: in Bullet's units. radius: metres, bounds the piece around its centre of mass."""

    def __init__(self, body: Body, scale: Scale) -> None:
        frame = mass_frame(body.piece)
        self.body = body
        self.handle = -1
        self.hardness = 0
        self.is_hull = any(part.kind == "hull" for part in body.piece.parts)
        self.scale = scale
        self.centre = frame.centre
        self.axes = frame.axes
        self.moments = frame.moments
        self.scaled_moments = vector_of(frame.moments / (scale.mass * scale.length**2))
        self.upright = vector_of(frame.axes[2])
        self.back, self.offset = quaternion_of(frame.axes.T), vector_of(frame.centre)
        self.is_plain = bool(np.array_equal(frame.axes, np.eye(3)) and not frame.centre.any())
        # the half diagonal of the bounding box bounds every point; the centre of mass may lie off its middle
        self.radius = float(np.linalg.norm(body.piece.extents) / 2 + np.linalg.norm(frame.centre))

    def inwards(self, pose: Pose) -> tuple[list[float], tuple[float, ...]]:
        """Position (units) and quaternion of the mass frame for a pose of the piece frame."""
        if self.is_plain:
            return [value / self.scale.length for value in pose.position], pose.orientation
        centre = pose.apply(self.centre) / self.scale.length
        return [float(value) for value in centre], quaternion_of(pose.matrix @ self.axes)


def outwards(
    bodies: Sequence[BulletBody], states: Sequence[tuple[Any, Any]], scale: Scale, parts: int
) -> tuple[Array, Array, Array, Array]:
    """Returns positions (n, 3) and quaternions (n, 4) of the piece frames, velocities of the centres of mass (n, 3)
    and angular velocities (n, 3), in SI.

    states: what Bullet says of each mass frame, ((position, quaternion), (velocity, spin)). parts: in how many the last
    step was taken. Moved back by half a part, because Bullet's positions run so far ahead of its velocities (position
    Verlet).
    """
    half = 0.5 / (scale.rate * parts)
    positions = np.array([place[0] for place, _ in states]).reshape(-1, 3)
    quaternions = np.array([place[1] for place, _ in states]).reshape(-1, 4)
    velocities = np.array([motion[0] for _, motion in states]).reshape(-1, 3) * scale.length
    spins = np.array([motion[1] for _, motion in states]).reshape(-1, 3)
    positions = positions * scale.length - half * velocities
    quaternions = nudged(quaternions, -half * spins)
    # plain arithmetic: it is asked in every step of a fall
    for row, item in enumerate(bodies):
        if not item.is_plain:
            x, y, z, w = quaternions[row].tolist()
            quaternions[row] = turn = after((x, y, z, w), item.back)
            positions[row] -= rotated(item.offset, turn)
    return positions, quaternions, velocities, spins


def outward(item: BulletBody, state: tuple[Any, Any], parts: int) -> Pose:
    """Returns the pose of one piece frame, to the bit that of `outwards`, in plain arithmetic: a hand asks in every
    step."""
    (place, turn), (velocity, spin) = state
    length, half = item.scale.length, 0.5 / (item.scale.rate * parts)
    position = plus(scaled(place, length), scaled(velocity, length), -half)
    orientation: Quaternion = nudged_one(turn, scaled(spin, -half))
    if not item.is_plain:
        orientation = after(orientation, item.back)
        position = plus(position, rotated(item.offset, orientation), -1.0)
    return Pose(position, orientation)


def contact_of(point: Sequence[Any], names: Mapping[int, str], scale: Scale, with_friction: bool) -> Contact:
    """Returns a contact point as Bullet reports it, in SI and with the bodies in order of their names.

    Plain arithmetic on purpose: play reads dozens of points every step, and arrays of three cost ten times as much.
    """
    first, second = names[point[1]], names[point[2]]
    unit = scale.mass * scale.length
    sign = 1.0 if first < second else -1.0
    friction: Vector | None = None
    if with_friction:
        # two forces along two directions, acting on Bullet's first body
        one, two, along, across = sign * unit * point[10], sign * unit * point[12], point[11], point[13]
        friction = (
            one * along[0] + two * across[0],
            one * along[1] + two * across[1],
            one * along[2] + two * across[2],
        )
    half, (ax, ay, az), (bx, by, bz), (nx, ny, nz) = 0.5 * scale.length, point[5], point[6], point[7]
    return Contact(
        min(first, second),
        max(first, second),
        (half * (ax + bx), half * (ay + by), half * (az + bz)),
        (sign * nx, sign * ny, sign * nz),
        point[8] * scale.length,
        point[9] * unit,
        friction,
    )


def step_settings(tuning: Tuning, scale: Scale, parts: int) -> dict[str, float]:
    """For `setPhysicsEngineParameter`: what hangs on how many parts a step is taken in."""
    return {
        "fixedTimeStep": 1.0 / (scale.rate * parts),
        "numSolverIterations": tuning.iterations
        if parts == 1
        else min(tuning.iterations, max(MOST_ITERATIONS // parts, FEWEST_ITERATIONS)),
        "warmStartingFactor": tuning.warm_start ** (1.0 / parts),
        "frictionERP": 1.0 - (1.0 - tuning.friction_erp) ** (1.0 / parts)
        if parts > 1
        else tuning.friction_erp,
    }


def solver_settings(tuning: Tuning, scale: Scale, parts: int) -> dict[str, float]:
    """For `setPhysicsEngineParameter`."""
    return {
        **step_settings(tuning, scale, parts),
        "numSubSteps": 0,
        "useSplitImpulse": int(tuning.split_impulse),
        "splitImpulsePenetrationThreshold": 0.0,
        "contactSlop": tuning.slop,
        "contactBreakingThreshold": tuning.breaking_threshold,
        "restitutionVelocityThreshold": tuning.restitution_speed / scale.length,
        "solverResidualThreshold": tuning.residual,
        "deterministicOverlappingPairs": 1,
        "enableConeFriction": 1,
        "enableFileCaching": 0,
    }


MOST_ITERATIONS, FEWEST_ITERATIONS = 24, 8
"""Of all parts of a step together, and of one: with shorter steps fewer are wanted, because less is new in each. What
stands beside what falls creeps no more than in whole steps."""


def friction_of(piece: Piece) -> float:
    """Returns the friction of a body whose pairs have the geometric mean of their materials'."""
    return float(piece.material.friction**0.5)


def surface_settings(tuning: Tuning, rate: int, piece: Piece, is_fixed: bool) -> dict[str, float]:
    """For `changeDynamics`: friction, restitution, compliance; and that nothing damps a body in flight. rate: steps a
    second."""
    is_ball = any(part.kind == "sphere" for part in piece.parts)
    return {
        "lateralFriction": friction_of(piece),
        "restitution": piece.material.restitution**0.5,
        "rollingFriction": tuning.rolling_ball if is_ball else 0.0,
        "spinningFriction": 0.0,
        "linearDamping": 0.0,
        "angularDamping": 0.0,
        # one of a pair is enough for an anchor, and a ball must not be anchored to the table
        "frictionAnchor": int(tuning.friction_anchor and not is_ball and not is_fixed),
        **compliance(tuning, rate, 1),
    }


def compliance(tuning: Tuning, rate: int, parts: int) -> dict[str, float]:
    """For `changeDynamics`: how contacts give.

    parts: of a step, in each of which a body that meets one at rest shall be as hard as in a whole one. A contact gives
    by the time over its damping, so a pair's damping is to grow by that number; it is the sum of both bodies'.
    """
    if tuning.rigid:
        return {}
    damping = tuning.damping * rate
    # a pair's stiffnesses in series and its dampings together: hence the four, and the other's share of the damping
    return {
        "contactDamping": damping * (2 * parts - 1),
        "contactStiffness": 4.0 * damping * rate / tuning.relaxation,
    }


LEVEL_COSINE = 0.7
"""Cosine of the angle from the vertical up to which a face looks up or down: 45 degrees, so every box has one."""


@dataclass(frozen=True, slots=True, eq=False)
class MassFrame:
    """Where a piece's mass is: centre (3,) metres in the piece frame, axes (3, 3) columns, moments (3,) kg m^2."""

    centre: Array
    axes: Array
    moments: Array


@lru_cache(maxsize=1024)
def mass_frame(piece: Piece) -> MassFrame:
    """Returns the principal frame of a piece; the piece's own axes when they are principal already."""
    inertia = piece.inertia
    off_diagonal = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off_diagonal <= 1e-9 * np.diag(inertia).max():
        return MassFrame(piece.centre_of_mass, np.eye(3), np.diag(inertia).copy())
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    return MassFrame(piece.centre_of_mass, axes, moments)


def write(piece: Piece, scale: Scale, tuning: Tuning, fixed: bool, up: Array) -> Path:
    """Returns the URDF file of a piece, made once per content in a folder that goes with the process.

    up: (3,) the world's vertical in the piece frame. Boxes wear their skin on the faces that look up and down as
    they are put in: between neighbours side by side it would squeeze, and a row of bricks would creep apart.
    """
    level = tuple(_is_level(part, up) for part in piece.parts)
    with scratch_files():
        folder = scratch_folder()
        for name, text in _files(piece, scale, tuning, fixed, level):
            path = _write(folder / name, text)
        return path


def _is_level(part: Part, up: Array) -> tuple[bool, ...]:
    """Returns along which of a box's axes it looks up and down; nothing of other shapes."""
    return () if part.kind != "box" else tuple((np.abs(part.rotation.T @ up) > LEVEL_COSINE).tolist())


@lru_cache(maxsize=1024)
def _files(
    piece: Piece, scale: Scale, tuning: Tuning, fixed: bool, level: tuple[tuple[bool, ...], ...]
) -> tuple[tuple[str, str], ...]:
    """Returns the names and texts of the files of a piece, the URDF last: worlds are made anew all the time."""
    frame = mass_frame(piece)
    blocks, meshes = [], {}
    for part, is_level in zip(piece.parts, level, strict=True):
        block, mesh = _collision(part, frame, scale, tuning, is_level)
        blocks.append(block)
        meshes.update(mesh)
    mass = 0.0 if fixed else piece.mass / scale.mass
    moments = np.zeros(3) if fixed else frame.moments / (scale.mass * scale.length**2)
    text = (
        f'<robot name="piece"><link name="piece"><inertial><mass value="{mass!r}"/>'
        f'<inertia ixx="{moments[0]:.17g}" ixy="0" ixz="0" iyy="{moments[1]:.17g}" iyz="0" izz="{moments[2]:.17g}"/>'
        f"</inertial>{''.join(blocks)}</link></robot>"
    )
    return *meshes.items(), (f"{_digest(text)}.urdf", text)


def _collision(
    part: Part, frame: MassFrame, scale: Scale, tuning: Tuning, level: tuple[bool, ...]
) -> tuple[str, dict[str, str]]:
    """One <collision> element, and the mesh file it needs (none or one)."""
    if part.kind == "hull":
        text = _hull(part, frame, scale)
        name = f"{_digest(text)}.obj"
        return f'<collision><geometry><mesh filename="{name}"/></geometry></collision>', {name: text}
    centre = (part.centre - frame.centre) @ frame.axes / scale.length
    if part.kind == "sphere":
        assert part.radius is not None
        shape = f'<sphere radius="{part.radius / scale.length:.17g}"/>'
        roll = pitch = yaw = 0.0
    else:
        assert part.half_extents is not None
        size = 2.0 * (part.half_extents / scale.length + np.where(level, tuning.skin, 0.0))
        shape = f'<box size="{size[0]:.17g} {size[1]:.17g} {size[2]:.17g}"/>'
        roll, pitch, yaw = rpy_of(frame.axes.T @ part.rotation)
    return (
        f'<collision><origin xyz="{centre[0]:.17g} {centre[1]:.17g} {centre[2]:.17g}" '
        f'rpy="{roll:.17g} {pitch:.17g} {yaw:.17g}"/><geometry>{shape}</geometry></collision>'
    ), {}


@lru_cache(maxsize=4096)
def _hull(part: Part, frame: MassFrame, scale: Scale) -> str:
    """Returns the mesh of a hull: a curved one takes tens of milliseconds, and worlds are rebuilt all the time."""
    return _obj(shrunk((part.vertices - frame.centre) @ frame.axes / scale.length, COLLISION_MARGIN)[0])


def _obj(corners: Array) -> str:
    """Wavefront text of the convex hull of corners (n, 3), faces counter-clockwise from outside."""
    hull = convex_hull(corners)
    numbers = np.zeros(len(corners), dtype=np.int64)
    numbers[hull.vertices] = np.arange(1, len(hull.vertices) + 1)
    a, b, c = np.moveaxis(corners[hull.simplices], 1, 0)
    is_outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) > 0
    faces = numbers[np.where(is_outward[:, None], hull.simplices, hull.simplices[:, ::-1])]
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in corners[hull.vertices].tolist()]
    lines += [f"f {i} {j} {k}" for i, j, k in faces.tolist()]
    return "o part\n" + "\n".join(lines) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _write(path: Path, text: str) -> Path:
    """Write a file whose name tells its content; nothing to do when it is there, which it is as a whole: another thread
    may be about to read it."""
    if not path.exists():
        part = path.with_suffix(f".{threading.get_ident()}")
        part.write_text(text, encoding="ascii")
        os.replace(part, path)
    return path
