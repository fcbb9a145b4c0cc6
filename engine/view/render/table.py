"""The table of a stage, as a piece of furniture: a top with rounded edges, an apron and four legs down to the floor.

Only the top is there for physics; the rest is for the eye. What casts no shadow, because there is nothing below it that
is looked at, costs little.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from panda3d import core

from teeter.engine.pose import Pose
from teeter.engine.view.render.passes import CASTS, DEEP, SEEN
from teeter.engine.view.render.resources import Triangles, fan, geom_of, triangles_of
from teeter.engine.view.render.shading import FLOOR_DEPTH_M, grain_axes
from teeter.engine.world.body import TABLE, Body
from teeter.models.build import build
from teeter.models.piece import Array, Piece
from teeter.models.spec import parse

EDGE_MM = 3.0
"""Radius of the edges of the top."""
MIN_THICKNESS_M = 0.010
"""A thinner table is a sheet of paper, and has no legs."""
INSET_MM, APRON_MM, LEG_MM = 35.0, (18.0, 80.0), (56.0, 34.0)
"""From the edge of the top to a leg; thickness and height of the apron; sides of a leg above and below."""
IN_SHADE, AT_FLOOR = 0.42, 0.85
"""Part of the light that reaches what is under the top, and the foot of a leg."""
MID_PLANK = 0.0625
"""Metres across the grain to the middle of a plank: what is made of one has no seam."""


class TableNode:
    """The table on a stage: two nodes, because most of it lies in full sun, far from all pieces, and costs little.

    path: its node, empty so far. furniture: what is below its top. height, area: of its top, as `table_height` and
    `table_area` say.
    """

    def __init__(self, table: Body, path: Any) -> None:
        self._table, self._path = table, path
        path.set_bin("fixed", 5)
        path.hide(CASTS)
        # anything but a level box is drawn as a whole
        self._is_split = _is_level_box(table)
        self.furniture = _furniture(table)
        self.height, self.area = table_height(table), table_area(table)
        path.node().add_geom(geom_of(table_mesh(table)))
        self._node = core.GeomNode("shaded table")
        self._patch = patch = path.attach_new_node(self._node)
        patch.set_bin("fixed", 4)
        # it hides the whole, which gives way: were it nearer itself, it would hide cards that lie on it where a picture
        # has few pixels, by whose depth this goes
        path.set_depth_offset(-1)
        patch.set_depth_offset(1)  # adds up to none
        patch.hide(SEEN | CASTS | DEEP)
        self._outline: Array | None = None

    def shine(self, far: Any, close: Any) -> None:
        """Sets the shaders for where nothing is near, and for where shadows fall."""
        self._path.set_shader(far if self._is_split else close)
        self._patch.set_shader(close)

    def shade(self, outline: Array) -> None:
        """Sets the convex outline, (n, 2) world metres, counter-clockwise, outside of which no shadow falls."""
        if not self._is_split or (self._outline is not None and np.array_equal(outline, self._outline)):
            return
        self._outline = outline
        self._node.remove_all_geoms()
        # the rounded edges stay in the sun
        half = self._table.piece.extents[:2] / 2 - EDGE_MM / 1000
        inside = outline - np.array(self._table.pose.position[:2])
        for axis, side in ((0, 1), (0, -1), (1, 1), (1, -1)):
            inside = _clipped(inside, axis, side, float(half[axis]))
        if len(inside) > 2:
            self._node.add_geom(geom_of(self._fan(inside)))

    def _fan(self, outline: Array) -> Triangles:
        count = len(outline)
        top = float(self._table.piece.extents[2]) / 2
        points = np.concatenate([outline, np.full((count, 1), top)], axis=1)
        normals = np.tile([0.0, 0.0, 1.0], (count, 1))
        rows = np.concatenate(
            [points, normals, points @ grain_axes(self._table.piece).T, np.ones((count, 3))], axis=1
        )
        return Triangles(rows.astype(np.float32), fan(count))


def table_height(table: Body) -> float:
    """Returns the height of the top of a table, metres."""
    return table.pose.position[2] + float(table.piece.extents[2]) / 2


def table_area(table: Body) -> tuple[float, float, float, float]:
    """Returns the middle and the half sides of the top of a table, metres."""
    x, y, _ = table.pose.position
    wide, deep, _ = table.piece.extents.tolist()
    return x, y, wide / 2, deep / 2


def table_mesh(table: Body) -> Triangles:
    """Returns a table with what is below its top, in the frame of the top, as `table.frag` takes it."""
    furniture = _furniture(table)
    top = triangles_of(_rounded(_size(table)) if furniture else table.piece)
    parts = [_lit(top, 1.0, 1.0), *(_placed(body, table) for body in furniture)]
    first = np.cumsum([0, *(len(part.rows) for part in parts)]).astype(np.uint32)
    return Triangles(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.indices + begin for part, begin in zip(parts, first, strict=False)]),
    )


def _is_level_box(table: Body) -> bool:
    parts = table.piece.parts
    is_box = len(parts) == 1 and parts[0].half_extents is not None
    return is_box and table.pose.orientation == (0.0, 0.0, 0.0, 1.0)


def _size(table: Body) -> tuple[float, ...]:
    return tuple(round(1000 * side, 3) for side in table.piece.extents.tolist())


def _furniture(table: Body) -> tuple[Body, ...]:
    """Returns apron and legs; none below what is thin or no level box."""
    if not _is_level_box(table) or float(table.piece.extents[2]) < MIN_THICKNESS_M:
        return ()
    return tuple(
        Body(
            f"{TABLE}.{name}", piece, Pose(tuple(np.add(table.pose.position, place)), table.pose.orientation)
        )
        for name, piece, place in _below(_size(table))
    )


def _lit(triangles: Triangles, above: float, below: float) -> Triangles:
    """Returns a mesh with the part of the light that reaches it, at its top and its bottom, where the table's shader
    looks for it: in place of the normal along the grain, which it has no use for."""
    rows = triangles.rows.copy()
    part = (rows[:, 2] - rows[:, 2].min()) / max(float(np.ptp(rows[:, 2])), 1e-9)
    rows[:, 9] = below + part * (above - below)
    return Triangles(rows, triangles.indices)


def _placed(body: Body, table: Body) -> Triangles:
    """Returns the mesh of a part below a top, in the frame of the top, cut from the middle of a plank."""
    is_leg = body.piece.extents.argmax() == 2
    mesh = _lit(triangles_of(body.piece), IN_SHADE, AT_FLOOR if is_leg else IN_SHADE)
    along = int(body.piece.extents.argmax())
    if is_leg:
        above, foot = LEG_MM
        below = 0.5 - mesh.rows[:, 2] / float(body.piece.extents[2])
        mesh.rows[:, :2] *= (1.0 - below * (1.0 - foot / above))[:, None]
    points = mesh.rows[:, :3].copy()
    # both directions across in one, so that no side is seen without grain
    across = points.sum(axis=1) - points[:, along]
    mesh.rows[:, 6], mesh.rows[:, 7] = points[:, along], MID_PLANK + 0.4 * across
    mesh.rows[:, :3] += np.subtract(body.pose.position, table.pose.position).astype(np.float32)
    return mesh


@lru_cache(maxsize=8)
def _rounded(size: tuple[float, ...]) -> Piece:
    """Returns the top with rounded edges. size: millimetres."""
    return build(parse({"shape": {"box": list(size)}, "material": TABLE, "bevel": EDGE_MM}, TABLE))


@lru_cache(maxsize=8)
def _below(size: tuple[float, ...]) -> tuple[tuple[str, Piece, tuple[float, float, float]], ...]:
    """Returns name, piece and place, in the frame of the top, of apron and legs. size: of the top, millimetres."""
    wide, deep, thick = size
    above, _ = LEG_MM
    high, (thin, tall) = 1000 * FLOOR_DEPTH_M - thick, APRON_MM
    x, y = wide / 2 - INSET_MM - above / 2, deep / 2 - INSET_MM - above / 2
    # drawn tapered: a solid over corners would need scipy's hulls, a third of a second before the first picture
    leg = build(parse({"shape": {"box": [above, above, high]}, "material": TABLE}, TABLE))
    parts = [
        (f"leg {number}", leg, (p * x, q * y, -(thick + high) / 2))
        for number, (p, q) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1)))
    ]
    for number, (p, q) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        shape = [2 * x - above, thin, tall] if p == 0 else [thin, 2 * y - above, tall]
        board = build(parse({"shape": {"box": shape}, "material": TABLE}, TABLE))
        parts.append((f"apron {number}", board, (p * x, q * y, -(thick + tall) / 2)))
    return tuple((name, piece, (a / 1000, b / 1000, c / 1000)) for name, piece, (a, b, c) in parts)


def _clipped(outline: Array, axis: int, side: int, limit: float) -> Array:
    """Returns a convex outline without what lies beyond a limit on a side of an axis."""
    beyond = side * outline[:, axis] - limit
    kept: list[Array] = []
    for here, there, one, other in zip(
        outline, np.roll(outline, -1, axis=0), beyond, np.roll(beyond, -1), strict=True
    ):
        if one <= 0:
            kept.append(here)
        if one * other < 0:
            kept.append(here + (there - here) * (one / (one - other)))
    return np.array(kept).reshape(-1, 2)
