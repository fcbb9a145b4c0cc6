"""What of a block lies on a floor card, and the boxes of the card: plane figures in the card's frame, millimetres.

The frame: origin in the middle of the card's top, x and y along its sides as authored, z out of the print.
"""

from __future__ import annotations

import math

import numpy as np
import shapely

from engine.geometry.rotation import Array
from engine.world import Body

NEAR_MM = 0.5
"""CT-03: what of a block is so close to the card's top lies on it; rounded edges and settling stay well below."""


def on_card(points: Array, card: Body) -> Array:
    """World points (n, 3), metres, in the frame of a card's print, millimetres."""
    local: Array = (points - np.asarray(card.pose.position)) @ card.pose.matrix
    result: Array = (local - np.array([0.0, 0.0, float(card.piece.extents[2]) / 2])) * 1e3
    return result


def footprint(block: Body, card: Body) -> shapely.Geometry:
    """The outline of what of a block lies within `NEAR_MM` of the plane of a card's top; it may overhang the card.

    Exact for blocks of convex parts with corners, as all blocks are.
    """
    return shapely.union_all(
        [_slice(on_card(block.pose.apply(part.vertices), card)) for part in block.piece.parts]
    )


def _slice(corners: Array) -> shapely.Geometry:
    """The part of a convex solid with -NEAR_MM <= z <= NEAR_MM, seen from above."""
    z = corners[:, 2]
    points = [corners[np.abs(z) <= NEAR_MM, :2]]
    for level in (-NEAR_MM, NEAR_MM):
        over, under = corners[z > level], corners[z < level]
        # every segment between two corners lies in the solid; those that are no edges add nothing to the outline
        share = (level - under[:, None, 2]) / (over[None, :, 2] - under[:, None, 2])
        points.append(
            (under[:, None, :2] + share[..., None] * (over[None] - under[:, None])[..., :2]).reshape(-1, 2)
        )
    return shapely.MultiPoint(np.concatenate(points)).convex_hull


def outline(card: Body) -> shapely.Geometry:
    """The card itself."""
    x, y = card.piece.extents[:2] * 500
    return shapely.box(-x, -y, x, y)


def boxes(card: Body) -> dict[tuple[int, int], shapely.Geometry]:
    """The squares printed on a card by row and column, which count from 1 at the far left (-x, +y)."""
    face = card.piece.face
    if face is None:
        return {}
    edge, found = face.box_mm, {}
    for row, marks in enumerate(face.boxes):
        for column in range(len(marks)):
            x, y = (column - len(marks) / 2) * edge, (len(face.boxes) / 2 - row) * edge
            found[row + 1, column + 1] = shapely.box(x, y - edge, x + edge, y)
    return found


def share(box: shapely.Geometry, under: shapely.Geometry) -> float:
    """The share of a box that is under something, 0 to 1."""
    return float(box.intersection(under).area / box.area)


def lean(block: Body, card: Body, *, upright: bool = False) -> float:
    """Degrees between a card's normal and the block's thickness, its shortest sides; 90 at most.

    upright: its longer sides instead, which point along the normal of a block that stands on its side; 90 for a
    cube, which has none.
    """
    short = block.piece.extents < block.piece.extents.min() * 1.01
    axes = block.pose.matrix[:, ~short if upright else short]
    return math.degrees(math.acos(min(1.0, float(np.abs(card.pose.matrix[:, 2] @ axes).max(initial=0.0)))))
