"""Poses as actions: place, yaw and side as numbers from -1 to 1, and let down to first contact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.geometry.rotation import quaternion_of_rpy
from engine.pose import Pose
from engine.world import Body
from games.judge.places import laid, steady
from games.players.tower_places import faces, let_down
from models.piece import Array, Piece

SIZE = 4
"""Numbers of an action that stand for a pose: x, y, yaw, side; each from -1 to 1."""


@dataclass(frozen=True, slots=True)
class ActionFrame:
    """Where (0, 0, 0) of an action lies. x, y: metres. yaw: radians. span: metres that 1 stands for."""

    x: float
    y: float
    yaw: float
    span: float


@lru_cache(maxsize=512)
def sides(piece: Piece) -> tuple[Pose, ...]:
    """Returns the poses in which a piece lies, over the origin: the steady one first, then on its other flat faces."""
    poses = [steady(piece)]
    for face in faces(piece):
        pose = laid(piece, face.turn)
        # what points down decides; a rotation on the table is the yaw's business
        if all(float(pose.matrix[2] @ lying.matrix[2]) < 1.0 - 1e-6 for lying in poses):
            poses.append(pose)
    return tuple(poses)


def level_axes(body: Body) -> tuple[Array, Array]:
    """Returns the level unit vectors along the longest side of a piece and across it."""
    along = body.pose.matrix[:, int(np.argmax(body.piece.extents))] * (1.0, 1.0, 0.0)
    size = float(np.linalg.norm(along))
    along = along / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])
    return along, np.array([-along[1], along[0], 0.0])


def pose_of(action: Array, piece: Piece, frame: ActionFrame, bodies: Sequence[Body]) -> Pose | None:
    """Returns the pose (metres) that an action (4,) means, let down on the bodies; None where nothing is below."""
    x, y, yaw, side = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0).tolist()
    lying = sides(piece)
    chosen = lying[min(int((side + 1.0) / 2.0 * len(lying)), len(lying) - 1)]
    rotation = quaternion_of_rpy(0.0, 0.0, frame.yaw + math.pi * yaw)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    at = (
        frame.x + frame.span * (cosine * x - sine * y),
        frame.y + frame.span * (sine * x + cosine * y),
        0.0,
    )
    return let_down(piece, chosen.then(Pose(at, rotation)), bodies)


def action_of(pose: Pose, piece: Piece, frame: ActionFrame) -> Array:
    """Returns the action (4,) that comes nearest to a pose: of all sides the one that points down most, and the yaw and
    place that bring it there. The inverse of `pose_of` for poses that lie on a side and within the span."""
    lying = sides(piece)
    downs = [float(each.matrix[2] @ pose.matrix[2]) for each in lying]
    best = int(np.argmax(downs))
    rotation = pose.matrix @ lying[best].matrix.T
    yaw = math.atan2(rotation[1, 0] - rotation[0, 1], rotation[0, 0] + rotation[1, 1])
    # a side lies over the origin by the middle of its bounding box, and may be turned about it
    offset = Pose(lying[best].position, (0.0, 0.0, 0.0, 1.0)).then(
        Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, yaw))
    )
    east, north = np.subtract(pose.position[:2], offset.position[:2]) - (frame.x, frame.y)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    half_turns = math.remainder(yaw - frame.yaw, 2.0 * math.pi) / math.pi
    return np.array(
        [
            (cosine * east + sine * north) / frame.span,
            (cosine * north - sine * east) / frame.span,
            half_turns,
            (2 * best + 1) / len(lying) - 1.0,
        ]
    )
