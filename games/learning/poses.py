"""Poses as an agent speaks of them: so far aside, turned so, lying on that side; and let down to first contact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose, quaternion_of_rpy
from engine.world import Body
from games.judge.places import laid, steady
from games.players.bausack_places import faces, let_down
from models.piece import Piece

Array = NDArray[np.float64]

SIZE = 4
"""Numbers of an action that stand for a pose: x, y, yaw, side; each from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where (0, 0, 0) of an action lies. x, y: metres. yaw: radians. span: metres that 1 stands for."""

    x: float
    y: float
    yaw: float
    span: float


@lru_cache(maxsize=512)
def sides(piece: Piece) -> tuple[Pose, ...]:
    """The ways in which a piece lies, over the origin: the steady one first, then on its other flat faces."""
    ways = [steady(piece)]
    for face in faces(piece):
        pose = laid(piece, face.turn)
        # what points down decides; a turn on the table is the yaw's business
        if all(float(pose.matrix[2] @ way.matrix[2]) < 1.0 - 1e-6 for way in ways):
            ways.append(pose)
    return tuple(ways)


def pose_of(action: Array, piece: Piece, frame: Frame, bodies: Sequence[Body]) -> Pose | None:
    """The pose (metres) that an action (4,) means, let down on the bodies; None where nothing is below."""
    x, y, yaw, side = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0).tolist()
    ways = sides(piece)
    way = ways[min(int((side + 1.0) / 2.0 * len(ways)), len(ways) - 1)]
    turn = quaternion_of_rpy(0.0, 0.0, frame.yaw + math.pi * yaw)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    at = (
        frame.x + frame.span * (cosine * x - sine * y),
        frame.y + frame.span * (sine * x + cosine * y),
        0.0,
    )
    return let_down(piece, way.then(Pose(at, turn)), bodies)


def action_of(pose: Pose, piece: Piece, frame: Frame) -> Array:
    """The action (4,) that comes nearest to a pose: of all sides the one that points down most, and the yaw and place
    that bring it there. The inverse of `pose_of` for poses that lie on a side and within the span."""
    ways = sides(piece)
    downs = [float(way.matrix[2] @ pose.matrix[2]) for way in ways]
    best = int(np.argmax(downs))
    turn = pose.matrix @ ways[best].matrix.T
    yaw = math.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    # a side lies over the origin by the middle of its bounding box, and may be turned about it
    offset = Pose(ways[best].position, (0.0, 0.0, 0.0, 1.0)).then(
        Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, yaw))
    )
    east, north = np.subtract(pose.position[:2], offset.position[:2]) - (frame.x, frame.y)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    turned = math.remainder(yaw - frame.yaw, 2.0 * math.pi) / math.pi
    return np.array(
        [
            (cosine * east + sine * north) / frame.span,
            (cosine * north - sine * east) / frame.span,
            turned,
            (2 * best + 1) / len(ways) - 1.0,
        ]
    )
