"""The stage: bodies made once, then any number of frames shown and turned into pictures.

A stage knows no game, no physics and no file formats; it shows a `Frame` and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view import studio
from engine.view.bounds import boxes_of, seen, shaded
from engine.view.camera import Camera, Sphere, Vector, bounding_sphere, framing
from engine.view.changes import Changes
from engine.view.device import device
from engine.view.edges import Outlines
from engine.view.errors import ViewError
from engine.view.frame import Frame, frame_of
from engine.view.guide import Guide
from engine.view.guides import Guides
from engine.view.labels import Labels
from engine.view.look import LEVELS, Quality
from engine.view.nodes import Nodes
from engine.view.panels import Panel
from engine.view.passes import GUIDES, NOTHING, SEEN, OcclusionPass, ShadowPass, Wiper, confine, matrix_at
from engine.view.png import save_png
from engine.view.smoothing import EdgePass
from engine.view.window.hud import Hud
from engine.world import Body

Picture = NDArray[np.uint8]

MOST_PIXELS = 8192
# pixels
CAPTION = 18.0
# radii of the scene around a shadow in which it may be soft
BLUR = 0.06


class Stage:
    """Bodies in a lit room, seen by one camera.

    bodies: all that frames may name; shown where they are until the first `show`. size: width and height in
    pixels. quality: how much is spent on light, see `look.LEVELS`. to_ram: whether the program reads its pictures; a
    window that only shows them does without. sphere: what is lit and framed until `aim`; left out, all bodies.
    Close a stage that is not needed any more: each holds buffers on the card. Raises ViewError when there is
    no OpenGL, or the size is none.
    """

    def __init__(
        self,
        bodies: Iterable[Body],
        *,
        size: tuple[int, int] = (1280, 720),
        quality: Quality = "medium",
        to_ram: bool = True,
        sphere: Sphere | None = None,
    ) -> None:
        _check(size)
        if quality not in LEVELS:
            raise ViewError(f'unknown quality "{quality}": use one of {", ".join(LEVELS)}')
        self.quality: Quality = quality
        bodies = tuple(bodies)
        self.size = size
        self._to_ram = to_ram
        self.sphere = sphere or bounding_sphere(bodies)
        self._level = LEVELS[quality]
        self._device = device()
        self._root = core.NodePath("stage")
        self._outlines = Outlines()
        self._changes = Changes()
        self.camera = framing(self.sphere, aspect=size[0] / size[1])
        self._lens = core.PerspectiveLens()
        self._eye = self._root.attach_new_node(core.Camera("eye", self._lens))
        self._eye.node().set_camera_mask(SEEN | GUIDES)
        self._shadow = ShadowPass(self._device, self._root, self._level)
        self._make_eye()
        self._bodies = Nodes(self._root, self._level)
        self._nodes, self._halves = self._bodies.paths, self._bodies.halves
        for body in bodies:
            self._make_body(body)
        self._guides = Guides(self._root)
        self.aim(self.camera)
        self.show(frame_of(bodies))

    def _make_eye(self) -> None:
        smooth = self._level.smooth
        self._buffer, self.texture = self._device.picture(
            "picture",
            self.size,
            self._level.samples,
            sort=10,
            to_ram=self._to_ram and not smooth,
            deep=True,
        )
        self._wiper = Wiper(self._buffer)
        self._buffer.make_display_region().set_camera(self._eye)
        self._changes.whole()
        self._edges, self._top = None, self._buffer
        if smooth:
            self._edges = EdgePass(self._device, self.size, self._buffer, self.texture, to_ram=self._to_ram)
            self._top, self.texture = self._edges.buffer, self._edges.texture
        self._root.set_shader_input("u_pixel", core.LVecBase2(1 / self.size[0], 1 / self.size[1]))
        self._labels = Labels(self._top, self.size)
        self._hud: Hud | None = None
        self._occlusion = None
        if self._level.occlusion:
            self._occlusion = OcclusionPass(
                self._device, self._root, self._eye, self._lens, self.size, self._level
            )

    def add(self, body: Body) -> None:
        """One more body that frames may name; unseen until one does. One of a known name takes its place."""
        self._make_body(body)
        self._nodes[body.name].hide()

    def _make_body(self, body: Body) -> None:
        self._bodies.add(body)
        self._changes.whole()
        self._outlines.add(body.name, body.piece)

    def resize(self, size: tuple[int, int]) -> None:
        """Make pictures of another size from now on. Raises ViewError when the size is none."""
        _check(size)
        for buffer in self._sized():
            self._device.engine.remove_window(buffer)
        self.size = size
        self._make_eye()
        self.aim(self.camera)

    def relight(self, quality: Quality) -> None:
        """Make pictures at another level from now on."""
        for buffer in (self._shadow.buffer, *self._sized()):
            self._device.engine.remove_window(buffer)
        self.quality, self._level = quality, LEVELS[quality]
        self._shadow.close()
        self._shadow = ShadowPass(self._device, self._root, self._level)
        self._make_eye()
        self._bodies.relight(self._level)
        self.aim(self.camera)
        if self._shadow.cover(self.sphere, np.array(list(self._boxes.values())), is_steady=not self._to_ram):
            self._changes.whole()

    def guide(self, guides: Iterable[Guide], *, through: bool = False) -> bool:
        """Show these guides and no others, from the next picture on; whether that changes it. through: they are seen
        through what stands before them."""
        before = self._guides.corners
        is_new = self._guides.pierce(through) | self._guides.show(guides)
        if is_new:
            self._changes.at(before)
            self._changes.at(self._guides.corners)
        return is_new

    def write(self, panels: Iterable[Panel]) -> None:
        """Show these panels over the picture and no others, from the next one on."""
        if self._hud is None:
            self._hud = Hud(self._top, self.size)
        self._hud.show(panels)

    def rest(self, is_still: bool) -> None:
        """Keep the last picture while nothing changes, at no cost; or make pictures again."""
        for buffer in (self._shadow.buffer, *self._sized()):
            buffer.set_active(not is_still)
        if not is_still:
            self._prepare()

    def _prepare(self) -> None:
        """What depends on both bodies and camera, before a picture is made; and which part of it is drawn anew."""
        if self._hud is not None or not self._labels.is_empty:
            # they lie over the picture, and are drawn onto it
            self._changes.whole()
        self._shadow.prepare()
        table = self._bodies.table
        reach, blur = (self.sphere.radius * part for part in (studio.OCCLUSION_REACH, BLUR))
        height = None if table is None else table.height
        part = self._changes.take(self.camera, self.size, height, reach, blur) or NOTHING
        self._wiper.wipe(part)
        changed = part.area.whole_pixels(self.size)
        confine(self._eye, changed)
        if self._edges is not None:
            self._edges.show(self._outlines.seen(self.camera.eye), self.camera, self._planes, changed)
        if self._occlusion is not None:
            corners = np.array(list(self._boxes.values()))
            self._occlusion.limit(seen(corners, self.camera, self.size[0] / self.size[1], reach), changed)

    def aim(self, camera: Camera) -> None:
        """Look from a camera, from the next picture on."""
        if camera != self.camera:
            self._changes.whole()
        self.camera = camera
        self._eye.set_mat(matrix_at(camera.axes, camera.eye))
        away = math.dist(camera.eye, self.sphere.centre)
        # depths are stored in 24 bits: near as far out as nothing is cut off
        near = max(away - 8 * self.sphere.radius, 0.02 * camera.distance)
        far = away + 20 * self.sphere.radius + 2.0
        tangent = math.tan(math.radians(camera.fov) / 2)
        wide = 2 * math.degrees(math.atan(tangent * self.size[0] / self.size[1]))
        self._planes = (near, far)
        self._lens.set_near_far(near, far)
        self._lens.set_fov(wide, camera.fov)
        self._root.set_shader_input("u_eye", core.LVecBase3(*camera.eye))
        if self._occlusion is not None:
            self._occlusion.aim(camera, self._planes, self.sphere.radius * studio.OCCLUSION_REACH)

    def show(self, frame: Frame) -> None:
        """Put bodies where the frame has them, for the next picture. Raises ViewError for unknown names."""
        unknown = [
            name
            for name in (*frame.names, *frame.highlights, *frame.labels, *frame.unread)
            if name not in self._nodes
        ]
        if unknown:
            raise ViewError(f'the stage has no body "{unknown[0]}": make it with all bodies its frames name')
        there = np.asarray(np.isfinite(frame.poses).all(axis=1), dtype=np.bool_)
        shown = set()
        for name, row, is_there in zip(frame.names, frame.poses.tolist(), there, strict=True):
            if is_there:
                x, y, z, qx, qy, qz, qw = row
                self._nodes[name].set_pos_quat(core.LPoint3(x, y, z), core.LQuaternion(qw, qx, qy, qz))
                shown.add(name)
        for name, node in self._nodes.items():
            if (name in shown) == node.is_hidden():
                node.show() if name in shown else node.hide()
        self._bodies.mark(frame)
        self._outlines.show(frame)
        if self._bodies.casters.show(frame):
            self._shadow.moved()
        self._boxes = boxes_of(frame, self._halves)
        self._changes.show(frame, self._boxes)
        if self._bodies.table is not None:
            table = self._bodies.table
            reach, blur = (self.sphere.radius * part for part in (studio.OCCLUSION_REACH, BLUR))
            table.shade(shaded(np.array(list(self._boxes.values())), table.height, reach, blur))
        if self._shadow.cover(self.sphere, np.array(list(self._boxes.values())), is_steady=not self._to_ram):
            self._changes.whole()
        self._labels.show({name: text for name, text in frame.labels.items() if name in shown}, self._head)

    def _head(self, name: str) -> tuple[float, float] | None:
        """Where the upper end of a body is in the picture, from -1 to 1; None when it is behind the eye."""
        at = self._nodes[name].get_pos(self._eye) + self._eye.get_relative_vector(
            self._root, core.LVector3(0, 0, float(np.linalg.norm(self._halves.get(name, 0.0))))
        )
        point = core.LPoint2()
        return (point.x, point.y) if self._lens.project(at, point) else None

    def caption(self, text: str, at: Vector, *, height: float = CAPTION) -> None:
        """Write a text into the picture, below a place in the world as the camera sees it now.

        height: pixels of a line. It stays where it is when the camera moves on.
        """
        point = core.LPoint2()
        if self._lens.project(self._eye.get_relative_point(self._root, core.LPoint3(*at)), point):
            self._labels.caption(text, (point.x, point.y), height / self.size[1])

    def render(self) -> Picture:
        """The picture as (h, w, 3) bytes, red first, top row first."""
        return np.ascontiguousarray(self.pixels()[:, :, 2::-1])

    def pixels(self) -> Picture:
        """The picture as the card has it, (h, w, 4) bytes: blue, green, red, cover; top row first. Quicker to get,
        and gone when the next one is made."""
        self._prepare()
        self._device.engine.render_frame()
        width, height = self.size
        if not self._to_ram:
            raise ViewError("this stage only shows its pictures: make it with to_ram=True to read them")
        return np.frombuffer(self.texture.get_ram_image(), np.uint8).reshape(height, width, 4)[::-1]

    def save(self, path: Path | str) -> None:
        """Write the picture as PNG. Raises ViewError when it cannot be written."""
        save_png(self.render(), Path(path))

    def close(self) -> None:
        """Give the buffers back. A closed stage makes no more pictures."""
        for buffer in (self._shadow.buffer, *self._sized()):
            self._device.engine.remove_window(buffer)

    def _sized(self) -> tuple[Any, ...]:
        """The buffers that depend on the size of the picture."""
        ahead = () if self._occlusion is None else self._occlusion.buffers
        return (*ahead, self._buffer, *(() if self._edges is None else (self._edges.buffer,)))


def _check(size: tuple[int, int]) -> None:
    if not all(1 <= side <= MOST_PIXELS for side in size):
        raise ViewError(
            f"a picture of {size[0]} x {size[1]} cannot be made: 1 to {MOST_PIXELS} pixels a side"
        )
