"""Smooth edges without multisampling: strips over the edges that are seen average the picture along them.

After Persson, "Geometric post-process anti-aliasing" (2011), which knows edges from the geometry too. Only pixels
beside an edge cost anything; four samples for all of them double the cost where a processor computes them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.bounds import WHOLE, Area
from engine.view.camera import Camera
from engine.view.device import Device, geom_of, shader
from engine.view.edges import Lines
from engine.view.geometry import Triangles
from engine.view.passes import confine, covering

Array = NDArray[np.float64]

TAPS = 4
BAND = 1.15
"""Pixels to either side of an edge that are smoothed."""
LONGEST = 8.0
"""Pixels of half a step of the stairs of an edge: flatter ones are smoothed over as much."""
CURVED = 2.5
"""The same where the edge is a part of a curve, and how far it may reach beyond this part."""
SHORTEST, FINEST = 1.5, 0.2
"""Pixels of an edge that is worth it, and of a part of a curve."""
TOLERANCE = 0.0015
"""Metres that an edge may lie behind what is drawn there: edges are rounded, and surfaces slope away from them."""


class EdgePass:
    """The finished picture: what was drawn with one sample a pixel, its edges smoothed.

    texture: its colours. size: pixels. below: the buffer of what was drawn, and drawn: the texture of its colours.
    """

    def __init__(
        self, device: Device, size: tuple[int, int], below: Any, drawn: Any, *, to_ram: bool
    ) -> None:
        self._size, self._below = size, below
        deep = device.depths_of(below)
        self.buffer, self.texture = device.onto("smooth", size, below, sort=11)
        if to_ram:
            self.texture = device.read(self.buffer)
        scene = core.NodePath("smooth")
        scene.set_shader_input("u_picture", drawn)
        scene.set_shader_input("u_deep", deep)
        scene.set_shader_input("u_pixel", core.LVecBase2(1 / size[0], 1 / size[1]))
        scene.set_depth_write(False)
        self._copy = covering(shader("picture.vert", "copy.frag"))
        self._copy.set_depth_test(False)
        self._copy.reparent_to(scene)
        self._node = core.GeomNode("edges")
        self._node.set_bounds(core.OmniBoundingVolume())
        self._node.set_final(True)
        strips = scene.attach_new_node(self._node)
        strips.set_shader(shader("edges.vert", "edges.frag", TAPS=TAPS))
        strips.set_two_sided(True)
        strips.set_bin("fixed", 10)
        # what stands before the edge stays as it is
        strips.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_less_equal))
        self._camera = scene.attach_new_node(core.Camera("smooth", core.OrthographicLens()))
        self.buffer.make_display_region().set_camera(self._camera)

    def show(self, lines: Lines, camera: Camera, planes: tuple[float, float], changed: Area) -> None:
        """Smooth these edges. planes: near and far, metres. changed: what of the picture is drawn anew."""
        confine(self._camera, changed)
        if changed == WHOLE:
            # a part is quicker drawn over, the whole quicker copied
            self._below.trigger_copy()
            self._copy.hide()
        else:
            self._copy.show()
        self._node.remove_all_geoms()
        triangles = strips(lines, camera, planes, self._size)
        if len(triangles.indices):
            self._node.add_geom(geom_of(triangles))


def strips(lines: Lines, camera: Camera, planes: tuple[float, float], size: tuple[int, int]) -> Triangles:
    """The strips over edges as `edges.vert` takes them. Arguments as in `EdgePass.show`."""
    near, far = planes
    local, curved = _clipped(lines, camera, 1.01 * near)
    depth = local[:, :, 1]
    tangent = math.tan(math.radians(camera.fov) / 2)
    half = np.array([size[0] / 2, size[1] / 2])
    flat = local[:, :, (0, 2)] / depth[:, :, None] / [tangent * size[0] / size[1], tangent]
    seen = ((flat.max(axis=1) > -1) & (flat.min(axis=1) < 1)).all(axis=1)
    along = (flat[:, 1] - flat[:, 0]) * half
    major = np.argmax(np.abs(along), axis=1)
    length = np.abs(along).max(axis=1)
    keep = np.flatnonzero(seen & (length >= np.where(curved, FINEST, SHORTEST)))
    flat, along, length, major, curved = flat[keep], along[keep], length[keep], major[keep], curved[keep]
    steep = np.abs(along).min(axis=1) / length
    reach = np.minimum(0.5 / np.maximum(steep, 1e-6), np.where(curved, CURVED, LONGEST))
    beyond = np.where(curved, CURVED, 0.0)
    nearer = np.maximum(depth[keep] - TOLERANCE, near)
    stored = far * (nearer - near) / (nearer * (far - near))
    across = np.zeros_like(along)
    across[np.arange(len(keep)), 1 - major] = BAND
    table = np.zeros((len(keep), 4, 12), dtype=np.float32)
    for corner, (end, side) in enumerate(((0, -1), (0, 1), (1, 1), (1, -1))):
        table[:, corner, :2] = flat[:, end] + side * across / half
        table[:, corner, 3] = (stored[:, 1] - stored[:, 0]) / length
        table[:, corner, 6] = end * length + beyond
        table[:, corner, 7] = (1 - end) * length + beyond
        table[:, corner, 8] = reach
        table[:, corner, 9:11] = along / length[:, None] / (2 * half)
        table[:, corner, 11] = stored[:, end]
    first = 4 * np.arange(len(keep), dtype=np.uint32)[:, None]
    pair = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)
    return Triangles(table.reshape(-1, 12), (first[:, None] + pair).reshape(-1, 3))


def _clipped(lines: Lines, camera: Camera, near: float) -> tuple[Array, NDArray[np.bool_]]:
    """Lines (n, 2, 3) in eye axes, forward second, without what lies before a plane or behind the eye; and which are
    of curves."""
    local = (lines.ends - np.array(camera.eye)) @ camera.axes.T
    kept = np.asarray((local[:, :, 1] > near).any(axis=1), dtype=np.bool_)
    local = local[kept]
    depth = local[:, :, 1]
    crossing = np.flatnonzero((depth < near).any(axis=1))
    hidden = np.argmin(depth[crossing], axis=1)
    inner, outer = local[crossing, hidden], local[crossing, 1 - hidden]
    part = (near - inner[:, 1]) / (outer[:, 1] - inner[:, 1])
    local[crossing, hidden] = inner + part[:, None] * (outer - inner)
    return local, lines.curved[kept]
