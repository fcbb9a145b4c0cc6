"""Triangles as the graphics card wants them: corners and normals, in the piece frame and along the grain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.view.look import grain_axes
from models.piece import Piece

Floats = NDArray[np.float32]

UP = 0.99
"""The least a normal points up where a print is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """A mesh to draw. rows: (n, 12) position, normal, position and normal along the grain axes; metres.

    indices: (f, 3) rows of the corners, counter-clockwise seen from outside.
    """

    rows: Floats
    indices: NDArray[np.uint32]


def triangles_of(piece: Piece) -> Triangles:
    """The visual mesh of a piece."""
    # what it needs takes half a second to load, and a window opens before its pieces are there
    from models.export import skin_of

    skin = skin_of(piece)
    axes = grain_axes(piece).astype(np.float32)
    rows = np.concatenate([skin.points, skin.normals, skin.points @ axes.T, skin.normals @ axes.T], axis=1)
    return Triangles(np.ascontiguousarray(rows), skin.triangles)


def parted(triangles: Triangles) -> tuple[Triangles, Triangles]:
    """What looks to the side or down, and what looks up, where something may be printed (`piece.frag` asks for the
    same): reading the print costs as much as all else, and most of a piece shows none."""
    up = triangles.rows[triangles.indices, 5].max(axis=1) > UP
    return Triangles(triangles.rows, triangles.indices[~up]), Triangles(triangles.rows, triangles.indices[up])
