"""Triangles as the graphics card wants them: three corners a face, normals that know a crease from a curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.view.look import grain_axes
from models.export import corner_normals
from models.piece import Piece

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """A mesh to draw. rows: (n, 12) position, normal, position and normal along the grain axes; metres.

    indices: (f, 3) rows of the corners, counter-clockwise seen from outside.
    """

    rows: Floats
    indices: NDArray[np.uint32]


def triangles_of(piece: Piece) -> Triangles:
    """The visual mesh of a piece, corners with the same normal shared."""
    faces = np.asarray(piece.visual.faces)
    points = np.asarray(piece.visual.vertices, dtype=np.float64)
    normals = corner_normals(points, faces)
    axes = grain_axes(piece)
    corners = points[faces].reshape(-1, 3)
    directions = normals.reshape(-1, 3)
    rows = np.concatenate([corners, directions, corners @ axes.T, directions @ axes.T], axis=1).astype(np.float32)
    # equal up to a rounding that nobody sees
    _, first, inverse = np.unique(np.round(rows[:, :6], 6), axis=0, return_index=True, return_inverse=True)
    return Triangles(np.ascontiguousarray(rows[first]), inverse.reshape(-1, 3).astype(np.uint32))
