"""Outlines around pieces that are pointed out, and rings on the table around their feet: as wide on every screen, with
soft edges, hidden by what stands before them. The pieces keep their own colours."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from panda3d import core

from teeter.engine.view.camera import Camera
from teeter.engine.view.render.edge_antialiasing import Lines, on_picture
from teeter.engine.view.render.passes import CASTS, DEEP, SEEN
from teeter.engine.view.render.resources import Triangles, geom_of, shader, unculled
from teeter.engine.view.render.shading import srgb_of
from teeter.models.piece import Array

WIDTH, MIN_WIDTH_PX = 1 / 220, 2.0
"""Part of the picture's height; and pixels in a small one."""
RING_M, RING_CORNERS = 0.006, 48
"""How far around its foot a ring lies, and its corners."""
CLOSER_M = 0.008
"""How far behind other things a line may lie and still be seen: a table seen at a slant comes nearer within its
width."""
FOOT_M = 0.004
"""Metres above the table within which a piece stands on it."""


def ring_around(box: Array, height: float) -> Array:
    """Returns (n, 2, 3): a ring on a table of a height around the foot of a box (8, 3) that stands on it."""
    if abs(float(box[:, 2].min()) - height) > FOOT_M:
        return np.zeros((0, 2, 3))
    middle = box[:, :2].mean(axis=0)
    radius = float(np.linalg.norm(box[:, :2] - middle, axis=1).max()) + RING_M
    angles = np.linspace(0, 2 * math.pi, RING_CORNERS + 1)
    flat = middle + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.concatenate([flat, np.full((len(flat), 1), height)], axis=1)
    return np.stack([points[:-1], points[1:]], axis=1)


class Outlines:
    """The outlines of one stage. root: its scene."""

    def __init__(self, root: Any) -> None:
        self._node = unculled("outlines")
        path = root.attach_new_node(self._node)
        path.set_shader(shader("outline.vert", "outline.frag"))
        path.set_transparency(core.TransparencyAttrib.M_alpha)
        path.set_depth_write(False)
        path.set_two_sided(True)
        path.set_bin("fixed", 55)
        path.hide(SEEN | CASTS | DEEP)

    def show(
        self, lines: Mapping[str, Array], camera: Camera, planes: tuple[float, float], size: tuple[int, int]
    ) -> None:
        """Shows these lines (n, 2, 3) by colour and no others. planes: near and far, metres."""
        self._node.remove_all_geoms()
        for colour, ends in lines.items():
            if len(ends):
                self._node.add_geom(geom_of(_bands(ends, colour, camera, planes, size)))


def _bands(
    ends: Array, colour: str, camera: Camera, planes: tuple[float, float], size: tuple[int, int]
) -> Triangles:
    """Returns bands along lines as `outline.vert` takes them."""
    flat, stored, _ = on_picture(
        Lines(ends, np.zeros(len(ends), dtype=np.bool_)), camera, planes, size, CLOSER_M
    )
    half_size = np.array(size) / 2
    along = (flat[:, 1] - flat[:, 0]) * half_size
    length = np.linalg.norm(along, axis=1)
    way = along / np.maximum(length, 1e-9)[:, None]
    side = np.stack([-way[:, 1], way[:, 0]], axis=1)
    half = max(WIDTH * size[1], MIN_WIDTH_PX) / 2
    # half a pixel more for the soft edge, and round ends
    reach = half + 1.0
    rows = np.zeros((len(flat), 4, 12), dtype=np.float32)
    for corner, (end, beside) in enumerate(((0, -1), (0, 1), (1, 1), (1, -1))):
        off = reach * ((2 * end - 1) * way + beside * side)
        rows[:, corner, :2] = flat[:, end] + off / half_size
        rows[:, corner, 2] = stored[:, end]
        rows[:, corner, 6] = end * length + (2 * end - 1) * reach
        rows[:, corner, 7] = beside * reach
        rows[:, corner, 8] = length
    rows[..., 3:6] = srgb_of(colour)
    rows[..., 9] = half
    first = 4 * np.arange(len(rows), dtype=np.uint32)[:, None, None]
    return Triangles(
        rows.reshape(-1, 12), (first + np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)).reshape(-1, 3)
    )
