"""The table: two nodes, because most of it lies in full sun, far from all pieces, and costs little there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.device import geom_of
from engine.view.geometry import Triangles
from engine.view.look import grain_axes
from engine.view.passes import CASTS, DEEP, SEEN
from engine.world import Body

Array = NDArray[np.float64]


class TableTop:
    """The table on a stage. path: its node, with its look.

    It only receives: with nothing below it, shadows it would cast cost and show nothing.
    """

    def __init__(self, table: Body, path: Any) -> None:
        self._table, self._path = table, path
        path.set_bin("fixed", 5)
        path.hide(CASTS)
        parts = table.piece.parts
        # what is no level box is drawn as a whole
        self._is_split = (
            len(parts) == 1
            and parts[0].half_extents is not None
            and table.pose.orientation == (0.0, 0.0, 0.0, 1.0)
        )
        self._node = core.GeomNode("shaded table")
        self._patch = patch = path.attach_new_node(self._node)
        patch.set_bin("fixed", 4)
        # before the whole, which it hides
        patch.set_depth_offset(1)
        patch.hide(SEEN | CASTS | DEEP)
        self._outline: Array | None = None

    def shine(self, far: Any, close: Any) -> None:
        """Set the shaders: where nothing is near, and where shadows fall."""
        self._path.set_shader(far if self._is_split else close)
        self._patch.set_shader(close)

    @property
    def height(self) -> float:
        """Of its top, metres."""
        return self._table.pose.position[2] + float(self._table.piece.extents[2]) / 2

    def shade(self, outline: Array) -> None:
        """Shadows may fall within this convex outline and nowhere else: (n, 2) world metres, counter-clockwise."""
        if not self._is_split or (self._outline is not None and np.array_equal(outline, self._outline)):
            return
        self._outline = outline
        self._node.remove_all_geoms()
        half = self._table.piece.extents[:2] / 2
        inside = outline - np.array(self._table.pose.position[:2])
        for axis, side in ((0, 1), (0, -1), (1, 1), (1, -1)):
            inside = _cut(inside, axis, side, float(half[axis]))
        if len(inside) > 2:
            self._node.add_geom(geom_of(self._fan(inside)))

    def _fan(self, outline: Array) -> Triangles:
        count = len(outline)
        top = float(self._table.piece.extents[2]) / 2
        points = np.concatenate([outline, np.full((count, 1), top)], axis=1)
        normals = np.tile([0.0, 0.0, 1.0], (count, 1))
        axes = grain_axes(self._table.piece)
        rows = np.concatenate([points, normals, points @ axes.T, normals @ axes.T], axis=1)
        fan = np.arange(1, count - 1, dtype=np.uint32)
        faces = np.stack([np.zeros_like(fan), fan, fan + 1], axis=1)
        return Triangles(rows.astype(np.float32), faces)


def _cut(outline: Array, axis: int, side: int, most: float) -> Array:
    """A convex outline without what lies beyond `most` on a side of an axis."""
    beyond = side * outline[:, axis] - most
    kept: list[Array] = []
    for here, there, one, other in zip(
        outline, np.roll(outline, -1, axis=0), beyond, np.roll(beyond, -1), strict=True
    ):
        if one <= 0:
            kept.append(here)
        if one * other < 0:
            kept.append(here + (there - here) * (one / (one - other)))
    return np.array(kept).reshape(-1, 2)
