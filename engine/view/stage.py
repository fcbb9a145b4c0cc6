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
from engine.view.camera import Camera, Sphere, Vector, bounding_sphere, framing
from engine.view.device import device, geom_of, shader, texture_of
from engine.view.errors import ViewError
from engine.view.frame import Frame, frame_of
from engine.view.geometry import triangles_of
from engine.view.grain import FIBRE_TILE, fibres, rings
from engine.view.guide import Guide
from engine.view.guides import Guides
from engine.view.labels import Labels
from engine.view.look import LEVELS, Quality, linear_of, look_of
from engine.view.panels import Panel
from engine.view.passes import CASTS, GUIDES, SEEN, OcclusionPass, ShadowPass, covering, matrix_at
from engine.view.png import save_png
from engine.view.prints import Prints
from engine.view.window.hud import Hud
from engine.world import TABLE, Body

Picture = NDArray[np.uint8]

MOST_PIXELS = 8192
# pixels
CAPTION = 18.0
# a highlight lets this much of the piece's own look through
MARK_STRENGTH = 0.72
# what flies further from the middle than this many radii of the scene casts no shadow
MOST_SPREAD = 3.0


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
        bodies = tuple(bodies)
        self.size = size
        self._to_ram = to_ram
        self.sphere = sphere or bounding_sphere(bodies)
        self._level = LEVELS[quality]
        self._device = device()
        self._root = core.NodePath("stage")
        self._nodes: dict[str, Any] = {}
        self._reach: dict[str, float] = {}
        self._marked: set[str] = set()
        self._unread: frozenset[str] = frozenset()
        self._lens = core.PerspectiveLens()
        self._eye = self._root.attach_new_node(core.Camera("eye", self._lens))
        self._eye.node().set_camera_mask(SEEN | GUIDES)
        self._shadow = ShadowPass(self._device, self._root, self._level)
        self._make_eye()
        self._make_room()
        self._shaders: dict[tuple[bool, int], Any] = {}
        self._geoms: dict[int, tuple[Any, Any]] = {}
        self._prints = Prints(self._level.slant)
        for body in bodies:
            self._make_body(body)
        self._guides = Guides(self._root)
        self.aim(framing(self.sphere, aspect=size[0] / size[1]))
        self.show(frame_of(bodies))

    def _make_eye(self) -> None:
        self._buffer, self.texture = self._device.picture(
            "picture", self.size, self._level.samples, sort=10, to_ram=self._to_ram, deep=True
        )
        self._buffer.make_display_region().set_camera(self._eye)
        self._root.set_shader_input("u_pixel", core.LVecBase2(1 / self.size[0], 1 / self.size[1]))
        self._labels = Labels(self._buffer, self.size)
        self._hud: Hud | None = None
        self._occlusion = None
        if self._level.occlusion:
            self._occlusion = OcclusionPass(
                self._device, self._root, self._eye, self._lens, self.size, self._level
            )

    def _make_room(self) -> None:
        triples = {
            "u_sun": studio.SUN,
            "u_sun_light": studio.SUN_LIGHT,
            "u_sky_light": studio.SKY_LIGHT,
            "u_ground_light": studio.GROUND_LIGHT,
        }
        for name, value in triples.items():
            self._root.set_shader_input(name, core.LVecBase3(*value))
        self._root.set_shader_input("u_mark", core.LVecBase4(0, 0, 0, 0))
        self._root.set_shader_input("u_fibres", texture_of("fibres", fibres(), mipmaps=True))
        self._root.set_shader_input("u_rings", texture_of("rings", rings(), mipmaps=False))
        self._root.set_shader_input("u_fibre_scale", core.LVecBase2(1 / FIBRE_TILE[0], 1 / FIBRE_TILE[1]))
        backdrop = covering(self._shader("backdrop.glsl", "backdrop.frag", vertex="screen.vert"))
        backdrop.set_bin("fixed", 10)
        backdrop.hide(CASTS)
        backdrop.reparent_to(self._root)

    def _shader(self, *fragments: str, vertex: str = "piece.vert", **defines: int) -> Any:
        taps = self._level.taps
        defines |= {"TAPS": taps, "SIDE": math.isqrt(taps), "OCCLUSION": self._level.occlusion}
        return shader(vertex, "light.glsl", *fragments, **defines)

    def _piece_shader(self, is_coated: bool, face: int) -> Any:
        """The shader of pieces of a kind: lacquered or not, and `FACE` as `Prints.dress` answers it."""
        coat: dict[str, int] = {"COAT": 1} if is_coated else {}
        return self._shader("piece.frag", vertex="piece.vert", **coat, **({"FACE": face} if face else {}))

    def _make_body(self, body: Body) -> None:
        # pieces of one kind share their mesh on the card; held beside it, so that no other gets its id
        key = id(body.piece.visual)
        if key not in self._geoms:
            self._geoms[key] = (geom_of(triangles_of(body.piece)), body.piece.visual)
        node = core.GeomNode(body.name)
        node.add_geom(self._geoms[key][0])
        path = self._root.attach_new_node(node)
        look = look_of(body.piece, body.name)
        finish = look.finish
        path.set_shader_input("u_albedo", core.LVecBase3(*look.albedo))
        path.set_shader_input(
            "u_finish", core.LVecBase4(finish.roughness, finish.coat, finish.grain, finish.fibre)
        )
        path.set_shader_input("u_offset", core.LVecBase3(*look.offset))
        if body.name == TABLE:
            self._make_table(body, path, self._shader("backdrop.glsl", "table.frag"))
        else:
            kind = (finish.coat > 0, self._prints.dress(path, body.piece))
            if kind not in self._shaders:
                self._shaders[kind] = self._piece_shader(*kind)
            path.set_shader(self._shaders[kind])
            path.set_bin("pieces", 0)
            self._reach[body.name] = float(np.linalg.norm(body.piece.extents)) / 2
        self._nodes[body.name] = path

    def add(self, body: Body) -> None:
        """One more body that frames may name; unseen until one does. One of a known name takes its place."""
        if body.name in self._nodes:
            self._nodes.pop(body.name).remove_node()
            self._marked.discard(body.name)
            self._unread -= {body.name}
        self._make_body(body)
        self._nodes[body.name].hide()

    def resize(self, size: tuple[int, int]) -> None:
        """Make pictures of another size from now on. Raises ViewError when the size is none."""
        _check(size)
        for buffer in self._sized():
            self._device.engine.remove_window(buffer)
        self.size = size
        self._make_eye()
        self.aim(self.camera)

    def guide(self, guides: Iterable[Guide], *, through: bool = False) -> bool:
        """Show these guides and no others, from the next picture on; whether that changes it. through: they are seen
        through what stands before them."""
        self._guides.pierce(through)
        return self._guides.show(guides)

    def write(self, panels: Iterable[Panel]) -> None:
        """Show these panels over the picture and no others, from the next one on."""
        if self._hud is None:
            self._hud = Hud(self._buffer, self.size)
        self._hud.show(panels)

    def rest(self, is_still: bool) -> None:
        """Keep the last picture while nothing changes, at no cost; or make pictures again."""
        for buffer in (self._shadow.buffer, *self._sized()):
            buffer.set_active(not is_still)

    def _make_table(self, table: Body, path: Any, shading: Any) -> None:
        """The table only receives: with nothing below it, shadows it would cast cost and show nothing."""
        path.set_shader(shading)
        path.set_bin("fixed", 5)
        path.hide(CASTS)
        off = np.abs(np.subtract(self.sphere.centre, table.pose.position))[:2]
        to_edge = float((table.piece.extents[:2] / 2 - off).min())
        begin, end = (self.sphere.radius * part for part in studio.FADE)
        # gone before its edge is seen, unless pieces stand so near the edge that it matters
        end = min(end, max(to_edge, 1.5 * begin))
        path.set_shader_input("u_focus", core.LVecBase3(*self.sphere.centre))
        path.set_shader_input("u_fade", core.LVecBase2(begin, end))

    def aim(self, camera: Camera) -> None:
        """Look from a camera, from the next picture on."""
        self.camera = camera
        self._eye.set_mat(matrix_at(camera.axes, camera.eye))
        away = math.dist(camera.eye, self.sphere.centre)
        # depths are stored in 24 bits: near as far out as nothing is cut off
        near = max(away - 8 * self.sphere.radius, 0.02 * camera.distance)
        far = away + 20 * self.sphere.radius + 2.0
        tangent = math.tan(math.radians(camera.fov) / 2)
        wide = 2 * math.degrees(math.atan(tangent * self.size[0] / self.size[1]))
        self._lens.set_near_far(near, far)
        self._lens.set_fov(wide, camera.fov)
        self._root.set_shader_input("u_eye", core.LVecBase3(*camera.eye))
        ahead = np.subtract(camera.target, camera.eye)[:2] / camera.distance
        self._root.set_shader_input("u_behind", core.LVecBase2(*(studio.BEHIND * ahead)))
        if self._occlusion is not None:
            self._occlusion.aim(camera, (near, far), self.sphere.radius * studio.OCCLUSION_REACH)

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
        self._mark(frame)
        self._shadow.aim(self._lit(frame, there), 2 * self.sphere.radius * studio.PENUMBRA)
        self._labels.show({name: text for name, text in frame.labels.items() if name in shown}, self._top)

    def _mark(self, frame: Frame) -> None:
        for name in self._marked - set(frame.highlights):
            self._nodes[name].clear_shader_input("u_mark")
        for name, colour in frame.highlights.items():
            self._nodes[name].set_shader_input("u_mark", core.LVecBase4(*linear_of(colour), MARK_STRENGTH))
        self._marked = set(frame.highlights)
        for name in self._unread ^ frame.unread:
            self._nodes[name].set_shader_input("u_face_shown", float(name not in frame.unread))
        self._unread = frame.unread

    def _lit(self, frame: Frame, there: NDArray[np.bool_]) -> Sphere:
        """What the shadow map must cover: the scene as it was made, and more when pieces spread."""
        centre = np.array(self.sphere.centre)
        needed = self.sphere.radius
        for name, row, is_there in zip(frame.names, frame.poses, there, strict=True):
            if is_there and name in self._reach:
                needed = max(needed, float(np.linalg.norm(row[:3] - centre)) + self._reach[name])
        # in steps, so that shadows do not crawl while something flies
        steps = math.ceil(math.log(min(needed / self.sphere.radius, MOST_SPREAD), 1.2) - 1e-6)
        return Sphere(self.sphere.centre, self.sphere.radius * 1.2**steps)

    def _top(self, name: str) -> tuple[float, float] | None:
        """Where the upper end of a body is in the picture, from -1 to 1; None when it is behind the eye."""
        at = self._nodes[name].get_pos(self._eye) + self._eye.get_relative_vector(
            self._root, core.LVector3(0, 0, self._reach.get(name, 0.0))
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
        return (self._buffer, *(() if self._occlusion is None else self._occlusion.buffers))


def _check(size: tuple[int, int]) -> None:
    if not all(1 <= side <= MOST_PIXELS for side in size):
        raise ViewError(
            f"a picture of {size[0]} x {size[1]} cannot be made: 1 to {MOST_PIXELS} pixels a side"
        )
