"""Overlays: lines, spots, arrows and ghosts of pieces in the scene, without light or shadow; texts over the picture.

Metres. Colours are `#rrggbb`; cover is opacity, 0 to 1.
"""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.pose import vector_of
from teeter.engine.view.camera import BOX_CORNERS, Vector
from teeter.engine.view.overlays import Arrow, Ghost, Line, Overlay, Spot
from teeter.engine.view.render.passes import CASTS, DEEP, SEEN
from teeter.engine.view.render.resources import Triangles, fan, geom_of, shader, triangles_of
from teeter.engine.view.render.shading import srgb_of
from teeter.models.piece import Array, TriangleMesh

SIDES = 8
ARROW_HEAD = (3.2, 8.0)
"""Radius and length of an arrow's head, in radii of its line."""
LABEL_INK, LABEL_PAPER = (0.16, 0.14, 0.12, 1), (1.0, 0.99, 0.97, 0.82)
LABEL_HEIGHT, MARK_HEIGHT = 0.028, 0.018
MARK_INK, MARK_PAPER = (1.0, 1.0, 1.0, 1.0), (0.10, 0.09, 0.08, 0.6)
"""Of a line, part of the picture's height."""


class OverlayLayer:
    """The overlays of one stage. root: its scene."""

    def __init__(self, root: Any) -> None:
        self._root = root.attach_new_node("overlays")
        self._root.set_shader(shader("overlay.vert", "overlay.frag"), 50)
        self._root.set_transparency(core.TransparencyAttrib.M_alpha, 50)
        self._root.set_depth_write(False, 50)
        self._root.set_two_sided(True, 50)
        self._root.set_bin("fixed", 60)
        self._root.hide(SEEN | CASTS | DEEP)
        self._shown: tuple[Overlay, ...] = ()
        self._is_through = False
        self._ghosts: dict[TriangleMesh, Any] = {}
        self.corners: Array = np.zeros((0, 3))
        """(8, 3): of a box around all of them, world metres; (0, 3) when there are none."""

    def show(self, overlays: Iterable[Overlay], through: bool) -> bool:
        """Shows these and no others. Returns whether the picture changes.

        through: they are seen through what stands before them.
        """
        listed = tuple(overlays)
        is_new, self._is_through = through != self._is_through, through
        self._root.set_depth_test(not through, 50)
        if listed == self._shown:
            return is_new
        self._shown = listed
        self._root.get_children().detach()
        points = [part for overlay in listed for part in self._draw(overlay)]
        if points:
            low, high = (edge(np.concatenate(points), axis=0) for edge in (np.min, np.max))
            self.corners = np.where(BOX_CORNERS > 0.0, high, low)
        else:
            self.corners = np.zeros((0, 3))
        return True

    def _draw(self, overlay: Overlay) -> list[Array]:
        """Returns points (n, 3) between which it lies."""
        if isinstance(overlay, Ghost):
            mesh = overlay.piece.visual
            if mesh not in self._ghosts:
                self._ghosts[mesh] = geom_of(triangles_of(overlay.piece))
            path = self._attached(self._ghosts[mesh], overlay.colour, overlay.cover, 1.0)
            x, y, z, w = overlay.pose.orientation
            path.set_pos_quat(core.LPoint3(*overlay.pose.position), core.LQuaternion(w, x, y, z))
            return [overlay.pose.apply(BOX_CORNERS * overlay.piece.extents / 2.0)]
        solids = solids_of(overlay)
        for triangles, cover in solids:
            self._attached(geom_of(triangles), overlay.colour, cover, 0.0)
        return [np.asarray(triangles.rows[:, :3], np.float64) for triangles, _ in solids]

    def _attached(self, geom: Any, colour: str, cover: float, glass: float) -> Any:
        node = core.GeomNode("overlay")
        node.add_geom(geom)
        path = self._root.attach_new_node(node)
        path.set_shader_input("u_ink", core.LVecBase4(*srgb_of(colour), cover))
        path.set_shader_input("u_glass", glass)
        return path


def solids_of(overlay: Line | Spot | Arrow) -> list[tuple[Triangles, float]]:
    """Returns the meshes of an overlay, in the world, and the opacity of each."""
    if isinstance(overlay, Spot):
        corners = np.array(overlay.corners, dtype=np.float64)
        upward = np.tile([0.0, 0.0, 1.0], (len(corners), 1))
        inside = Triangles(_rows(corners, upward), fan(len(corners)))
        ring = _tube((*overlay.corners, overlay.corners[0]), overlay.edge)
        return [(inside, overlay.cover), (ring, min(1.0, 2.0 * overlay.cover))]
    if isinstance(overlay, Line):
        return [(_tube(overlay.points, overlay.radius), overlay.cover)]
    start, end = np.array(overlay.start), np.array(overlay.end)
    length = float(np.linalg.norm(end - start))
    if length < 1e-6:
        return []
    back = min(ARROW_HEAD[1] * overlay.radius, 0.6 * length)
    neck = end - (end - start) * (back / length)
    shaft = _tube((overlay.start, vector_of(neck)), overlay.radius)
    return [(shaft, overlay.cover), (_cone(neck, end, ARROW_HEAD[0] * overlay.radius), overlay.cover)]


def _rows(points: Array, normals: Array) -> NDArray[np.float32]:
    return np.concatenate([points, normals, points, normals], axis=1).astype(np.float32)


def _rings(along: Array) -> Array:
    """Returns (n, SIDES, 3) unit vectors around directions (n, 3)."""
    axis = along / np.maximum(np.linalg.norm(along, axis=1), 1e-12)[:, None]
    side = np.cross(axis, np.where(np.abs(axis[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
    side /= np.linalg.norm(side, axis=1)[:, None]
    other = np.cross(axis, side)
    angles = np.arange(SIDES)[:, None] * (2.0 * math.pi / SIDES)
    return np.asarray(np.cos(angles) * side[:, None] + np.sin(angles) * other[:, None])


def _tube(points: Sequence[Vector], radius: float) -> Triangles:
    """Returns straight tubes through points, open at the ends."""
    near, after = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    sides = np.stack([near, after, SIDES + near, after, SIDES + after, SIDES + near], axis=1).reshape(-1, 3)
    through = np.array(points, dtype=np.float64)
    rings = _rings(through[1:] - through[:-1])
    ends = np.concatenate([through[:-1, None] + radius * rings, through[1:, None] + radius * rings], axis=1)
    rows = _rows(ends.reshape(-1, 3), np.concatenate([rings, rings], axis=1).reshape(-1, 3))
    faces = 2 * SIDES * np.arange(len(rings))[:, None, None] + sides
    return Triangles(rows, faces.reshape(-1, 3).astype(np.uint32))


def _cone(base: Array, tip: Array, radius: float) -> Triangles:
    (ring,) = _rings((tip - base)[None])
    points = np.concatenate([base + radius * ring, tip[None]])
    normals = np.concatenate([ring, ((tip - base) / np.linalg.norm(tip - base))[None]])
    faces = [[k, (k + 1) % SIDES, SIDES] for k in range(SIDES)]
    faces += [[0, k + 1, k] for k in range(1, SIDES - 1)]
    return Triangles(_rows(points, normals), np.array(faces, dtype=np.uint32))


class Labels:
    """Short texts over the picture, in units of half its height, its centre at (0, 0)."""

    def __init__(self, buffer: Any, size: tuple[int, int]) -> None:
        self._aspect = size[0] / size[1]
        self._root = core.NodePath("labels")
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        lens = core.OrthographicLens()
        lens.set_film_size(2 * self._aspect, 2)
        lens.set_near_far(-10, 10)
        region = buffer.make_display_region()
        region.set_sort(10)
        region.set_camera(self._root.attach_new_node(core.Camera("labels", lens)))
        self._made: dict[str, tuple[str, Any]] = {}
        self.is_empty = True
        """Whether nothing was ever written."""

    def write(
        self,
        text: str,
        at: tuple[float, float],
        *,
        height: float = LABEL_HEIGHT,
        card: bool = True,
        is_mark: bool = False,
    ) -> Any:
        """Adds a text whose bottom centre is at a point. height: of a line, part of the picture's. is_mark: small, and
        light on dark."""
        self.is_empty = False
        node = core.TextNode("label")
        node.set_text(text)
        node.set_align(core.TextNode.A_center)
        node.set_text_color(*(MARK_INK if is_mark else LABEL_INK))
        if card:
            node.set_card_color(*(MARK_PAPER if is_mark else LABEL_PAPER))
            node.set_card_as_margin(0.35, 0.35, 0.12, 0.18)
            node.set_card_decal(True)
        path = self._root.attach_new_node(node.generate())
        path.set_transparency(core.TransparencyAttrib.M_alpha)
        path.set_scale(2 * (MARK_HEIGHT if is_mark else height))
        path.set_pos(at[0], 0, at[1])
        return path

    def caption(self, text: str, at: tuple[float, float], height: float) -> None:
        """Adds a text below a point, from -1 to 1, for good. height: of a line, part of the picture's."""
        self.write(text, (at[0] * self._aspect, at[1]), height=height, card=False)

    def show(
        self,
        texts: Mapping[str, str],
        place: Callable[[str], tuple[float, float] | None],
        marks: Container[str] = (),
    ) -> None:
        """Shows these texts at the bodies they are named by, and no others. place: returns -1 to 1, or None. marks:
        those that are small, to cover little of what they lie on."""
        for name in [name for name, (text, _) in self._made.items() if texts.get(name) != text]:
            self._made.pop(name)[1].remove_node()
        for name, text in texts.items():
            if name not in self._made:
                self._made[name] = (text, self.write(text, (0, 0), is_mark=name in marks))
        self.place(place)

    def place(self, place: Callable[[str], tuple[float, float] | None]) -> None:
        """Moves the texts to their bodies, as the camera sees them now. place: as for `show`."""
        for name, (_, path) in self._made.items():
            at = place(name)
            path.hide()
            if at is not None:
                path.show()
                path.set_pos(at[0] * self._aspect, 0, at[1] + 0.02)
