"""Picking: which body a ray meets first, by the meshes people see."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.view.camera import Vector
from teeter.engine.view.frame import Frame
from teeter.models.piece import Piece

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hit:
    """The nearest body on a ray, and where it is met. distance: metres."""

    name: str
    point: Vector
    distance: float


def pick(frame: Frame, pieces: Mapping[str, Piece], origin: Array, direction: Array) -> Hit | None:
    """Returns the body that a ray meets first, as a frame shows them. direction: a unit vector."""
    best: Hit | None = None
    reaches = np.array([_reach(pieces[name]) for name in frame.names])
    to_centre = frame.poses[:, :3] - origin
    along = to_centre @ direction
    beside = np.linalg.norm(to_centre - along[:, None] * direction, axis=1)
    with np.errstate(invalid="ignore"):
        near = np.nonzero((beside <= reaches) & (along >= -reaches))[0]
    for index in near[np.argsort(along[near] - reaches[near])]:
        name = frame.names[index]
        if best is not None and along[index] - reaches[index] > best.distance:
            continue
        row = frame.poses[index]
        rotation = matrix_of((row[3], row[4], row[5], row[6]))
        triangles = pieces[name].visual.triangles
        distance = _intersection(triangles, (origin - row[:3]) @ rotation, direction @ rotation)
        if distance is not None and (best is None or distance < best.distance):
            x, y, z = (origin + distance * direction).tolist()
            best = Hit(name, (x, y, z), distance)
    return best


@lru_cache(maxsize=1024)
def _reach(piece: Piece) -> float:
    return float(np.linalg.norm(piece.extents)) / 2.0


def _intersection(triangles: Array, origin: Array, direction: Array) -> float | None:
    """Returns the distance along a ray to the first triangle (Moller and Trumbore 1997), None when it meets none."""
    corner, first, second = (
        triangles[:, 0],
        triangles[:, 1] - triangles[:, 0],
        triangles[:, 2] - triangles[:, 0],
    )
    across = np.cross(direction, second)
    size = np.einsum("ij,ij->i", first, across)
    flat = np.abs(size) < 1e-18
    inverse = 1.0 / np.where(flat, 1.0, size)
    away = origin - corner
    u = np.einsum("ij,ij->i", away, across) * inverse
    normal = np.cross(away, first)
    v = normal @ direction * inverse
    along = np.einsum("ij,ij->i", second, normal) * inverse
    hit = ~flat & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9) & (along > 1e-6)
    return float(along[hit].min()) if hit.any() else None
