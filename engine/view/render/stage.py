"""The stage: bodies made once, then any number of frames shown and turned into pictures.

A stage knows no game, no physics and no file formats; it shows a `Frame` and nothing else.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.camera import BoundingSphere, Camera, Vector, bounding_sphere, framing
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.overlays import Overlay
from teeter.engine.view.panels import Panel
from teeter.engine.view.render import shading, turns
from teeter.engine.view.render.bounds import DirtyTracker, boxes_of, seen, shaded
from teeter.engine.view.render.canvas import Canvas
from teeter.engine.view.render.device import begin_turn, device
from teeter.engine.view.render.edge_antialiasing import VisibleEdges
from teeter.engine.view.render.nodes import Nodes
from teeter.engine.view.render.outlines import Outlines, ring_around
from teeter.engine.view.render.overlays import MARK_HEIGHT, OverlayLayer
from teeter.engine.view.render.passes import OVERLAYS, SEEN, ShadowPass, confine, matrix_at
from teeter.engine.view.render.shading import MAX_SIDE_PX, QUALITY_LEVELS, Quality, TableTop
from teeter.engine.world.body import TABLE, Body
from teeter.models.piece import Array

Picture = NDArray[np.uint8]

# width of the soft edge of a shadow, in radii of the scene
SHADOW_BLUR = 0.06
MAX_CANVASES, KEPT_PIXELS = 4, 3_200_000
"""Sizes of pictures that are kept ready: at most so many, of so many pixels together. While something moves, a window
has fewer pixels drawn."""


class Stage:
    """Bodies in a lit room, seen by one camera.

    bodies: all that frames may name; shown where they are until the first `show`. size: width and height in
    pixels. quality: how much is spent on light, see `shading.QUALITY_LEVELS`. to_ram: whether the program reads its
    pictures; a window that only shows them does without. sphere: what is lit and framed until `aim`; left out, all
    bodies. unread: pieces whose prints are hidden until a frame shows them, and not drawn before. top: what lies on
    the table. Close a stage that is not needed any more: each holds buffers on the card, and other threads wait until
    they may draw. Raises ViewError when there is no OpenGL, or for an impossible size.
    """

    def __init__(
        self,
        bodies: Iterable[Body],
        *,
        size: tuple[int, int] = (1280, 720),
        quality: Quality = "medium",
        to_ram: bool = True,
        sphere: BoundingSphere | None = None,
        unread: frozenset[str] = frozenset(),
        top: TableTop = "wood",
    ) -> None:
        _check(size)
        if quality not in QUALITY_LEVELS:
            raise ViewError(f'unknown quality "{quality}": use one of {", ".join(QUALITY_LEVELS)}')
        self.quality: Quality = quality
        bodies = tuple(bodies)
        self.size = size
        self._to_ram = to_ram
        self.sphere = sphere or bounding_sphere(bodies)
        self._level = QUALITY_LEVELS[quality]
        self._end_turn = begin_turn(self)
        try:
            self._device = device()
            with self._device.all_or_none():
                self._make(bodies, unread, top)
        except BaseException:
            self._end_turn()
            raise

    def _make(self, bodies: tuple[Body, ...], unread: frozenset[str], top: TableTop) -> None:
        self._root = core.NodePath("stage")
        self._visible_edges = VisibleEdges()
        self._dirty = DirtyTracker()
        self._texts: dict[str, str] = {}
        self._marked: dict[str, Vector] = {}
        self.camera = framing(self.sphere, aspect=self.size[0] / self.size[1])
        self._lens = core.PerspectiveLens()
        self._eye = self._root.attach_new_node(core.Camera("eye", self._lens))
        self._eye.node().set_camera_mask(SEEN | OVERLAYS)
        self._shadow = ShadowPass(self._device, self._root, self._level)
        self._canvases: dict[tuple[int, int], Canvas] = {}
        self._put_up(self.size)
        self._bodies = Nodes(self._root, self._level, top)
        self._nodes, self._halves = self._bodies.paths, self._bodies.halves
        for body in bodies:
            self._make_body(body, is_unread=body.name in unread)
        if self._bodies.table is None:
            self._bodies.furnish()
        self._overlays = OverlayLayer(self._root)
        self._outlines = Outlines(self._root)
        self._highlights: dict[str, str] = {}
        self.aim(self.camera)
        first = frame_of(bodies)
        self.show(Frame(first.names, first.poses, unread=unread))

    def _put_up(self, size: tuple[int, int]) -> None:
        """Makes pictures of this size; the canvases of the last few sizes are kept."""
        canvas = self._canvases.pop(size, None)
        if canvas is None:
            eye = self._eye, self._lens
            canvas = Canvas(self._device, self._root, *eye, size, self._level, to_ram=self._to_ram)
        for other in self._canvases.values():
            other.set_active(False)
        self._canvases[size] = self._canvas = canvas
        while len(self._canvases) > 1 and self._is_over():
            self._canvases.pop(next(iter(self._canvases))).close()
        self.size, self.texture = size, canvas.texture
        canvas.use()
        canvas.set_active(True)
        self._dirty.add_all()
        canvas.labels.show(self._texts, self._label_place, self._marked)

    def _is_over(self) -> bool:
        pixels = sum(width * height for width, height in self._canvases)
        return len(self._canvases) > MAX_CANVASES or pixels > KEPT_PIXELS

    def add(self, body: Body) -> None:
        """Adds a body that frames may name, unseen until one does; it replaces one of the same name."""
        self._make_body(body)
        self._nodes[body.name].hide()

    def _make_body(self, body: Body, *, is_unread: bool = False) -> None:
        self._bodies.add(body, is_unread=is_unread)
        self._dirty.add_all()
        self._visible_edges.add(body.name, body.piece)
        if body.name == TABLE and self._bodies.table is not None:
            self._visible_edges.fix(self._bodies.table.furniture)

    def resize(self, size: tuple[int, int]) -> None:
        """Makes pictures of another size from now on. Raises ViewError for an impossible size."""
        _check(size)
        self._put_up(size)
        self.aim(self.camera)

    def relight(self, quality: Quality) -> None:
        """Makes pictures at another quality level from now on."""
        self._free_buffers()
        self.quality, self._level = quality, QUALITY_LEVELS[quality]
        self._shadow = ShadowPass(self._device, self._root, self._level)
        self._put_up(self.size)
        self._bodies.relight(self._level)
        self.aim(self.camera)
        self._cover()

    def dress_table(self, top: TableTop) -> None:
        """Lays something else on the table."""
        self._bodies.dress_table(top)
        self._dirty.add_all()

    def lean(self, turn: Array) -> Vector:
        """Turns the room by a rotation (3, 3) about the middle of the table, which is seen to tilt by a camera that is
        turned too. Returns that middle, metres."""
        self._dirty.add_all()
        return self._bodies.lean(turn)

    def show_overlays(self, overlays: Iterable[Overlay], *, through: bool = False) -> bool:
        """Shows these overlays and no others, from the next picture on. Returns whether that changes it.

        through: they are seen through what stands before them.
        """
        before = self._overlays.corners
        is_new = self._overlays.show(overlays, through)
        if is_new:
            self._dirty.add(before)
            self._dirty.add(self._overlays.corners)
        return is_new

    def write(self, panels: Iterable[Panel]) -> None:
        """Shows these panels over the picture and no others, from the next one on."""
        self._canvas.write(panels)

    def rest(self, is_still: bool) -> None:
        """Keeps the last picture while nothing changes, at no cost; or makes pictures again."""
        self._shadow.buffer.set_active(not is_still)
        self._canvas.set_active(not is_still)
        if not is_still:
            self._prepare()

    def _prepare(self) -> None:
        """Updates what depends on both bodies and camera, and which part of the picture is drawn again."""
        turns.turns.use()
        canvas = self._canvas
        if not canvas.is_plain:
            # it lies over the picture, and is drawn onto it
            self._dirty.add_all()
            canvas.labels.place(self._label_place)
        self._shadow.prepare()
        table, (reach, blur) = self._bodies.table, self._reach_and_blur
        height = None if table is None else table.height
        region = self._dirty.take(self.camera, self.size, height, reach, blur)
        canvas.clearer.clear(region)
        changed = region.bounds.whole_pixels(self.size)
        confine(self._eye, changed)
        if canvas.edges is not None:
            canvas.edges.show(self._visible_edges.seen(self.camera.eye), self.camera, self._planes, changed)
        self._outlines.show(self._outlined(), self.camera, self._planes, self.size)
        if canvas.occlusion is not None:
            canvas.occlusion.limit(seen(self._corners, self.camera, self.size, reach), changed)

    def _outlined(self) -> dict[str, Array]:
        """Returns the lines (n, 2, 3) around what is pointed out, by colour."""
        outlines: dict[str, list[Array]] = {}
        for name, colour in self._highlights.items():
            lines = outlines.setdefault(colour, [])
            lines.append(self._visible_edges.outline(name, self.camera.eye))
            if self._bodies.table is not None:
                lines.append(ring_around(self._boxes[name], self._bodies.table.height))
        return {colour: np.concatenate(lines) for colour, lines in outlines.items()}

    @property
    def _reach_and_blur(self) -> tuple[float, float]:
        """Returns how far pieces darken others, and how wide the soft edges of shadows are, metres."""
        return self.sphere.radius * shading.OCCLUSION_REACH, self.sphere.radius * SHADOW_BLUR

    def _cover(self) -> None:
        """Lets the shadow map cover the pieces."""
        if self._shadow.cover(self.sphere, self._corners, is_steady=not self._to_ram):
            self._dirty.add_all()

    def aim(self, camera: Camera) -> None:
        """Looks from a camera, from the next picture on."""
        if camera != self.camera:
            self._dirty.add_all()
        self.camera = camera
        self._eye.set_mat(matrix_at(camera.axes, camera.eye))
        away = math.dist(camera.eye, self.sphere.centre)
        # depths have 24 bits: the near plane is as far out as it can be
        near = max(away - 8 * self.sphere.radius, 0.02 * camera.distance)
        far = away + 20 * self.sphere.radius + 2.0
        tangent = math.tan(math.radians(camera.fov) / 2)
        wide = 2 * math.degrees(math.atan(tangent * self.size[0] / self.size[1]))
        self._planes = (near, far)
        self._lens.set_near_far(near, far)
        self._lens.set_fov(wide, camera.fov)
        self._root.set_shader_input("u_eye", core.LVecBase3(*camera.eye))
        if self._canvas.occlusion is not None:
            self._canvas.occlusion.aim(camera, self._planes, self.sphere.radius * shading.OCCLUSION_REACH)

    def show(self, frame: Frame) -> None:
        """Puts bodies where the frame has them, for the next picture. Raises ViewError for unknown names."""
        for name in (*frame.names, *frame.highlights, *frame.labels, *frame.marks, *frame.unread):
            if name not in self._nodes:
                raise ViewError(f'the stage has no body "{name}": make it with all bodies its frames name')
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
        self._bodies.dress(frame)
        self._visible_edges.show(frame)
        if self._bodies.casters.show(frame):
            self._shadow.moved()
        self._boxes = boxes = boxes_of(frame, self._halves)
        self._highlights = {name: colour for name, colour in frame.highlights.items() if name in boxes}
        self._corners = np.array([box for name, box in boxes.items() if name not in frame.airy])
        self._dirty.show(frame, boxes)
        if (table := self._bodies.table) is not None:
            table.shade(shaded(self._corners, table.height, *self._reach_and_blur))
        self._cover()
        self._marked = {name: mark.point for name, mark in frame.marks.items()}
        letters = {name: mark.letter for name, mark in frame.marks.items()}
        self._texts = {name: text for name, text in {**frame.labels, **letters}.items() if name in shown}
        self._canvas.labels.show(self._texts, self._label_place, self._marked)

    def _label_place(self, name: str) -> tuple[float, float] | None:
        """Returns where a text stands in the picture, from -1 to 1: above a body, or on it; None when that is behind
        the eye."""
        if name in self._marked:
            at = self._projected(self._marked[name])
            return None if at is None else (at[0], at[1] - 2 * MARK_HEIGHT)
        x, y, z = self._nodes[name].get_pos()
        return self._projected((x, y, z + float(np.linalg.norm(self._halves.get(name, 0.0)))))

    def _projected(self, at: Vector) -> tuple[float, float] | None:
        point = core.LPoint2()
        is_seen = self._lens.project(self._eye.get_relative_point(self._root, core.LPoint3(*at)), point)
        return (point.x, point.y) if is_seen else None

    def caption(self, text: str, at: Vector, *, height: float) -> None:
        """Writes a text below a point in the world as the camera sees it now; it stays there when the camera moves.

        height: of a line, pixels.
        """
        if (point := self._projected(at)) is not None:
            self._canvas.labels.caption(text, point, height / self.size[1])

    def render(self) -> Picture:
        """Returns the picture: (h, w, 3) bytes, RGB, top row first; with opacity (h, w, 4) where no table is."""
        return files_colours(self.pixels(), has_opacity=self._bodies.top == "none")

    def pixels(self) -> Picture:
        """Returns the picture as the card has it: (h, w, 4) bytes, BGRA, top row first.

        Faster than `render`; overwritten by the next picture.
        """
        self._prepare()
        self._device.engine.render_frame()
        width, height = self.size
        if not self._to_ram:
            raise ViewError("this stage only shows its pictures: make it with to_ram=True to read them")
        drawn = np.frombuffer(self.texture.get_ram_image(), np.uint8)
        if drawn.size != height * width * 4:
            raise ViewError("the driver has drawn nothing; draw in a process of its own")
        return drawn.reshape(height, width, 4)[::-1]

    def close(self) -> None:
        """Frees the buffers, and lets other threads draw. A closed stage makes no more pictures."""
        self._free_buffers()
        self._end_turn()

    def _free_buffers(self) -> None:
        self._shadow.close()
        for canvas in self._canvases.values():
            canvas.close()
        self._canvases.clear()


def files_colours(pixels: Picture, *, has_opacity: bool) -> Picture:
    """Returns the colours of the card (h, w, 4), which are multiplied by their opacity, as files have them: RGB, and
    the opacity if that is wanted."""
    if not has_opacity:
        return np.ascontiguousarray(pixels[:, :, 2::-1])
    opacity = pixels[:, :, 3:]
    colours = np.minimum(pixels[:, :, 2::-1] * 255.0 / np.maximum(opacity, 1) + 0.5, 255.0)
    return np.concatenate([colours.astype(np.uint8), opacity], axis=2)


def _check(size: tuple[int, int]) -> None:
    if not all(1 <= side <= MAX_SIDE_PX for side in size):
        width, height = size
        raise ViewError(f"a picture of {width} x {height} cannot be made: 1 to {MAX_SIDE_PX} pixels a side")
