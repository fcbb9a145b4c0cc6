"""Guides drawn into a stage: no light, no shadow, seen through."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.camera import Vector
from engine.view.device import geom_of, shader
from engine.view.geometry import Triangles, triangles_of
from engine.view.guide import Arrow, Ghost, Guide, Spot
from engine.view.passes import CASTS, DEEP, SEEN
from models.piece import TriangleMesh

Array = NDArray[np.float64]

SIDES = 8
HEAD = (3.2, 8.0)
"""Breadth and length of an arrow's head, in radii of its line."""


class Guides:
    """The guides of one stage. root: the stage's scene."""

    def __init__(self, root: Any) -> None:
        self._root = root.attach_new_node("guides")
        self._root.set_shader(shader("guide.vert", "guide.frag"), 50)
        self._root.set_transparency(core.TransparencyAttrib.M_alpha, 50)
        self._root.set_depth_write(False, 50)
        self._root.set_two_sided(True, 50)
        self._root.set_bin("fixed", 60)
        self._root.hide(SEEN | CASTS | DEEP)
        self._shown: tuple[Guide, ...] = ()
        self._is_through = False
        self._ghosts: dict[int, tuple[Any, TriangleMesh]] = {}

    def pierce(self, through: bool) -> bool:
        """Whether guides are seen through whatever stands before them; whether that is news."""
        is_news, self._is_through = through != self._is_through, through
        self._root.set_depth_test(not through, 50)
        return is_news

    @property
    def corners(self) -> Array:
        """(8, 3) of a box around all of them, world metres; none where there is none."""
        found = self._root.get_tight_bounds()
        if found is None or not self._shown:
            return np.zeros((0, 3))
        low, high = found
        return np.array(list(product(*zip(low, high, strict=True))))

    def show(self, guides: Iterable[Guide]) -> bool:
        """Show these and no others; whether that changes the picture."""
        listed = tuple(guides)
        if listed == self._shown:
            return False
        self._shown = listed
        self._root.get_children().detach()
        for guide in listed:
            self._draw(guide)
        return True

    def _draw(self, guide: Guide) -> None:
        if isinstance(guide, Ghost):
            self._ghost(guide)
        elif isinstance(guide, Spot):
            corners = np.array(guide.corners, dtype=np.float64)
            self._put(_fan(corners), guide.colour, guide.cover)
            ring = [guide.corners[k % len(corners)] for k in range(len(corners) + 1)]
            self._put(_tube(ring, guide.edge), guide.colour, min(1.0, 2.0 * guide.cover))
        elif isinstance(guide, Arrow):
            self._arrow(guide)
        else:
            self._put(_tube(guide.points, guide.radius), guide.colour, guide.cover)

    def _arrow(self, arrow: Arrow) -> None:
        start, end = np.array(arrow.start), np.array(arrow.end)
        length = float(np.linalg.norm(end - start))
        if length < 1e-6:
            return
        back = min(HEAD[1] * arrow.radius, 0.6 * length)
        neck = end - (end - start) * (back / length)
        x, y, z = neck.tolist()
        self._put(_tube((arrow.start, (x, y, z)), arrow.radius), arrow.colour, arrow.cover)
        self._put(_cone(neck, end, HEAD[0] * arrow.radius), arrow.colour, arrow.cover)

    def _ghost(self, ghost: Ghost) -> None:
        mesh = ghost.piece.visual
        if id(mesh) not in self._ghosts:
            self._ghosts[id(mesh)] = (geom_of(triangles_of(ghost.piece)), mesh)
        path = self._attached(self._ghosts[id(mesh)][0], ghost.colour, ghost.cover, 1.0)
        x, y, z, w = ghost.pose.orientation
        path.set_pos_quat(core.LPoint3(*ghost.pose.position), core.LQuaternion(w, x, y, z))

    def _put(self, triangles: Triangles, colour: str, cover: float) -> None:
        self._attached(geom_of(triangles), colour, cover, 0.0)

    def _attached(self, geom: Any, colour: str, cover: float, glass: float) -> Any:
        node = core.GeomNode("guide")
        node.add_geom(geom)
        path = self._root.attach_new_node(node)
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        path.set_shader_input("u_ink", core.LVecBase4(red, green, blue, cover))
        path.set_shader_input("u_glass", glass)
        return path


def _rows(points: Array, normals: Array) -> NDArray[np.float32]:
    return np.concatenate([points, normals, points, normals], axis=1).astype(np.float32)


def _fan(corners: Array) -> Triangles:
    count = len(corners)
    normals = np.tile([0.0, 0.0, 1.0], (count, 1))
    faces = [[0, k, k + 1] for k in range(1, count - 1)]
    return Triangles(_rows(corners, normals), np.array(faces, dtype=np.uint32).reshape(-1, 3))


def _ring(along: Array) -> Array:
    """(SIDES, 3) unit vectors around a direction."""
    way = along / max(float(np.linalg.norm(along)), 1e-12)
    side = np.cross(way, [0.0, 0.0, 1.0] if abs(way[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    other = np.cross(way, side)
    angles = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    return np.asarray(np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * other)


def _tube(points: Sequence[Vector], radius: float) -> Triangles:
    """Straight pieces of pipe one after another."""
    rows, faces = [], []
    for number, (start, end) in enumerate(pairwise(points)):
        a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
        ring = _ring(b - a)
        rows.append(
            _rows(np.concatenate([a + radius * ring, b + radius * ring]), np.concatenate([ring, ring]))
        )
        first = 2 * SIDES * number
        for k in range(SIDES):
            after = (k + 1) % SIDES
            faces += [[first + k, first + after, first + SIDES + k]]
            faces += [[first + after, first + SIDES + after, first + SIDES + k]]
    return Triangles(np.concatenate(rows), np.array(faces, dtype=np.uint32))


def _cone(base: Array, tip: Array, radius: float) -> Triangles:
    ring = _ring(tip - base)
    points = np.concatenate([base + radius * ring, tip[None]])
    normals = np.concatenate([ring, ((tip - base) / np.linalg.norm(tip - base))[None]])
    faces = [[k, (k + 1) % SIDES, SIDES] for k in range(SIDES)]
    faces += [[0, k + 1, k] for k in range(1, SIDES - 1)]
    return Triangles(_rows(points, normals), np.array(faces, dtype=np.uint32))
