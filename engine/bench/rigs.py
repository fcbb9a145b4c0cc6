"""Test rigs with known answers: towers to stand still, edges to tip over, slopes to slide on, drops and stops."""

import math
from dataclasses import replace

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.models.build import build
from teeter.models.material import Material, materials
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec

ROWS = 18


def piece(material: Material, **shape: object) -> Piece:
    """A piece of one shape, such as `piece(wood(), box=(40, 40, 20))`; lengths in mm."""
    return build(PieceSpec.model_validate({"shape": dict(shape), "material": material}))


def wood(friction: float = 0.40, density: float = 690.0, restitution: float = 0.15) -> Material:
    """Beech with another friction, density or restitution."""
    changed = {"friction": friction, "density_kg_m3": density, "restitution": restitution, "name": ""}
    return materials()["beech"].model_copy(update=changed)


def table(material: Material | None = None, size: tuple[float, float, float] = (1200, 800, 30)) -> Body:
    """A fixed slab whose top is at z = 0, centred; size in mm."""
    slab = piece(material or materials()["table"], box=size)
    return Body(TABLE, slab, Pose((0.0, 0.0, -size[2] / 2000)), fixed=True)


def tower(seed: int | None = None, rows: int = ROWS) -> tuple[Body, ...]:
    """Returns the table and rows of three bricks, each row turned by a right angle.

    seed None: bricks of exact size, 75 x 25 x 15 mm, side by side. Otherwise sizes and densities scatter as in a
    measured set of 54 bricks: length 75.03 +- 0.28, width 24.93 +- 0.25 (at most 25.35), height 14.84 +- 0.175
    (14.48 to 15.20) mm, density 695 +- 53 kg/m3; rows lie on the highest brick of the row below, 25.4 mm apart.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    bodies, top = [table()], 0.0
    for row in range(rows):
        bricks = [_brick(rng) for _ in range(3)]
        for column, brick in enumerate(bricks):
            offset = (column - 1) * (0.025 if rng is None else 0.0254)
            x, y, yaw = (0.0, offset, 0.0) if row % 2 == 0 else (offset, 0.0, math.pi / 2)
            pose = Pose((x, y, top + float(brick.extents[2]) / 2), quaternion_of_rpy(0.0, 0.0, yaw))
            bodies.append(Body(f"brick.{3 * row + column + 1:02d}", brick, pose))
        top += max(float(brick.extents[2]) for brick in bricks)
    return tuple(bodies)


def _brick(rng: np.random.Generator | None) -> Piece:
    if rng is None:
        return piece(wood(density=695.0), box=(75, 25, 15))
    length = 75.03 + 0.28 * rng.standard_normal()
    width = min(24.93 + 0.25 * rng.standard_normal(), 25.35)
    height = float(np.clip(14.84 + 0.175 * rng.standard_normal(), 14.48, 15.20))
    return piece(wood(density=695.0 + 53.0 * rng.standard_normal()), box=(length, width, height))


def over_edge(shape: Piece, inside: float, yaw: float) -> tuple[Body, Body]:
    """A piece on a fixed slab that ends at x = 0, its centre of mass `inside` metres from the edge; radians."""
    slab = table(shape.material, (200, 200, 50))
    slab = replace(slab, pose=Pose((-0.1, 0.0, -0.025)))
    rotation = quaternion_of_rpy(0.0, 0.0, yaw)
    offset = Pose((0.0, 0.0, 0.0), rotation).apply(shape.centre_of_mass)
    pose = Pose((-inside - float(offset[0]), -float(offset[1]), float(shape.extents[2]) / 2), rotation)
    return slab, Body("piece", shape, pose)


def on_slope(shape: Piece, angle: float, yaw: float, slab: Material) -> tuple[Body, Body]:
    """A piece at rest on a plane tilted by `angle` about y, downhill towards +x; turned by `yaw` on it; radians."""
    rotation = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, angle, 0.0))
    bed = table(slab, (2000, 2000, 50))
    on = Pose((0.0, 0.0, float(shape.extents[2]) / 2), quaternion_of_rpy(0.0, 0.0, yaw))
    return replace(bed, pose=bed.pose.then(rotation)), Body("piece", shape, on.then(rotation))
