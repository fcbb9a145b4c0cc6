"""The picture of a tower from straight above: how high the highest surface over every point is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.world import Body
from scenes.solids import Solid, Solids

Array = NDArray[np.float64]

LEVEL = 1e-9
"""A face whose unit normal rises by less than this is a wall: it bounds what is over a point, but is not its height."""


def depth_picture(
    bodies: Iterable[Body], solids: Solids, middle: tuple[float, float], side: float, pixels: int
) -> NDArray[np.float32]:
    """Heights (pixels, pixels) in metres over z = 0 at the centre of every pixel; 0 where nothing rises above it.

    middle, side: of the square that is looked at, metres. Row 0 is the far side (+y), column 0 the left one (-x).
    solids: remembers the solids of pieces from picture to picture. Exact for convex parts.
    """
    centres = (np.arange(pixels) + 0.5) / pixels * side - side / 2
    columns, rows = middle[0] + centres, middle[1] - centres
    picture = np.zeros((pixels, pixels))
    for body in bodies:
        for solid in solids.of(body.piece, body.pose):
            low, high = solid.low, solid.high
            across = np.flatnonzero((columns >= low[0]) & (columns <= high[0]))
            down = np.flatnonzero((rows >= low[1]) & (rows <= high[1]))
            if len(across) and len(down):
                x, y = np.meshgrid(columns[across], rows[down])
                part = np.ix_(down, across)
                picture[part] = np.maximum(picture[part], _tops(solid, x, y))
    return picture.astype(np.float32)


def _tops(solid: Solid, x: Array, y: Array) -> Array:
    """The highest z of a convex solid over points; minus infinity where it is not under one."""
    if solid.radius > 0.0:
        centre = solid.vertices[0]
        under = solid.radius**2 - (x - centre[0]) ** 2 - (y - centre[1]) ** 2
        return np.where(under >= 0.0, centre[2] + np.sqrt(np.maximum(under, 0.0)), -np.inf)
    rise = solid.normals[:, 2]
    free = solid.offsets - np.stack([x, y], axis=-1) @ solid.normals[:, :2].T
    up, down, wall = rise > LEVEL, rise < -LEVEL, np.abs(rise) <= LEVEL
    top = (free[..., up] / rise[up]).min(axis=-1)
    bottom = (free[..., down] / rise[down]).max(axis=-1)
    inside = np.all(free[..., wall] >= 0.0, axis=-1) & (top >= bottom)
    return np.where(inside, top, -np.inf)
