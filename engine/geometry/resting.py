"""How a piece rests on a plane: the flat faces it can lie on, and how far it can be tilted there before it tips."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import ConvexHull

from engine.geometry.rotation import Array, shortest_rotation
from models.piece import Piece

DOWN = np.array([0.0, 0.0, -1.0])
ON_FACE = 1e-6
"""Metres within which a corner belongs to a face of the hull: above rounding, below what is authored."""


@dataclass(frozen=True, slots=True, eq=False)
class RestingFace:
    """A face of a piece's convex hull, to lie on.

    normal: (3,) outward, in the piece frame. rotation: (3, 3), the shortest that turns this face down. height: of the
    centre of mass over the face, metres. corners: (n, 3) of the hull, in the piece frame.
    """

    piece: Piece
    normal: Array
    rotation: Array
    height: float
    corners: Array

    def tipping_angle(self) -> float:
        """Returns the degrees by which the piece can be tilted on this face; 0 when it does not lie on it."""
        reach = self.corners @ self.normal
        foot = (self.corners[reach > reach.max() - ON_FACE] @ self.rotation.T)[:, :2]
        centre = shapely.Point((self.rotation @ self.piece.centre_of_mass)[:2])
        return tipping_angle(shapely.MultiPoint(foot).convex_hull, centre, self.height)


def tipping_angle(foot: shapely.Geometry, centre: shapely.Point, height: float) -> float:
    """Returns the degrees until a centre of mass leaves a convex foot, all in one unit; 0 when it is not over it.

    foot, centre: seen from above. height: of the centre over the foot.
    """
    if foot.is_empty or foot.geom_type != "Polygon" or not foot.contains(centre):
        return 0.0
    return math.degrees(math.atan2(float(foot.boundary.distance(centre)), height))


def extreme_points(piece: Piece) -> Array:
    """Returns the corners (n, 3) of a piece's parts in its frame; of a ball six points of its surface."""
    return np.concatenate(
        [
            part.vertices
            if part.radius is None
            else part.centre + part.radius * np.concatenate([np.eye(3), -np.eye(3)])
            for part in piece.parts
        ]
    )


def resting_faces(piece: Piece) -> tuple[RestingFace, ...]:
    """Returns the faces of a piece's convex hull, the nearest to its centre of mass first.

    Of equals the one comes first that leaves the piece as it was authored. Whether the piece is stable on a face tells
    its `tipping_angle`; on a ball there are only the faces between its six extreme points.
    """
    points = extreme_points(piece)
    hull = ConvexHull(points / np.abs(points).max())
    planes = np.unique(hull.equations.round(6), axis=0)
    normals = planes[:, :3]
    heights = (points @ normals.T).max(axis=0) - normals @ piece.centre_of_mass
    order = np.lexsort((normals[:, 2].round(6), heights.round(6)))
    corners = points[hull.vertices]
    return tuple(
        RestingFace(piece, normals[k], shortest_rotation(normals[k], DOWN), float(heights[k]), corners)
        for k in order
    )
