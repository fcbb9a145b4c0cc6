"""The pictures behind the picture: the sun's shadow map, and ambient occlusion from depth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view import studio
from engine.view.bounds import WHOLE, Area
from engine.view.camera import Camera, Sphere
from engine.view.changes import EVERYTHING, Part
from engine.view.device import Device, outline_geom, screen_geom, shader
from engine.view.look import Level

Array = NDArray[np.float64]

SEEN, CASTS, GUIDES, DEEP = (core.BitMask32.bit(number) for number in range(4))
"""Which camera draws a node: the eye, the sun, that of the depths for ambient occlusion. Guides are drawn by the eye
alone, and darken nothing."""
# what flies further from the middle than this many radii of the scene casts no shadow
MOST_SPREAD = 3.0
# frames after which a steady shadow map covers less again
CALM = 40
# from eye coordinates -1..1 to texture coordinates 0..1
_TO_TEXTURE = core.LMatrix4(0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1)

NOWHERE = Area(0.0, 0.0, 0.0, 0.0)
NOTHING = Part(NOWHERE, np.zeros((0, 2)))


class Wiper:
    """Wipes a part of the depths of a buffer before anything is drawn. What is drawn again at the same place in the
    rest is hidden by itself, and costs nothing."""

    def __init__(self, buffer: Any) -> None:
        buffer.disable_clears()
        self._region = buffer.make_display_region()
        self._region.set_sort(-1)
        self._node = core.GeomNode("wiper")
        self._node.set_bounds(core.OmniBoundingVolume())
        self._node.set_final(True)
        scene = core.NodePath("wiper")
        path = scene.attach_new_node(self._node)
        path.set_shader(shader("screen.vert", "depth.frag"))
        path.set_attrib(core.ColorWriteAttrib.make(core.ColorWriteAttrib.C_off))
        path.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_always))
        path.set_two_sided(True)
        self._region.set_camera(scene.attach_new_node(core.Camera("wiper", core.OrthographicLens())))

    def wipe(self, part: Part) -> None:
        """Wipe this part, before every picture from now on."""
        self._region.set_clear_depth_active(part is EVERYTHING)
        self._node.remove_all_geoms()
        if part is not EVERYTHING and len(part.corners):
            self._node.add_geom(outline_geom(part.corners))


def whitened(buffer: Any) -> Any:
    """A region of a buffer that is made white before anything is drawn."""
    buffer.disable_clears()
    region = buffer.make_display_region()
    region.set_sort(-1)
    region.set_clear_color_active(True)
    region.set_clear_color(core.LVecBase4(1, 1, 1, 1))
    return region


def place(region: Any, area: Area) -> None:
    """Let a region be this part of its buffer."""
    region.set_dimensions(area.left, area.right, area.low, area.high)


def confine(camera: Any, area: Area) -> None:
    """Let a camera draw in this part of its picture only; where things are seen stays as it is."""
    state = core.RenderState.make_empty()
    if area != WHOLE:
        state = core.RenderState.make(core.ScissorAttrib.make(area.left, area.right, area.low, area.high))
    camera.node().set_initial_state(state)


def matrix_at(axes: Any, eye: Any) -> Any:
    """The matrix of a camera with these right, forward and up rows."""
    return core.LMatrix4(*axes[0], 0, *axes[1], 0, *axes[2], 0, *eye, 1)


def depth_state() -> Any:
    """How a camera draws that only wants depths."""
    path = core.NodePath("depth")
    path.set_shader(shader("depth.vert", "depth.frag"), 100)
    path.set_attrib(core.ColorWriteAttrib.make(core.ColorWriteAttrib.C_off), 100)
    return path.get_state()


def covering(shading: Any) -> Any:
    """A node that fills the picture with a shader."""
    node = core.GeomNode("screen")
    node.add_geom(screen_geom())
    node.set_bounds(core.OmniBoundingVolume())
    node.set_final(True)
    path = core.NodePath(node)
    path.set_shader(shading)
    path.set_depth_write(False)
    # it lies as far away as the depths that a picture begins with
    path.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_less_equal))
    return path


class ShadowPass:
    """The depths the sun sees around a sphere, and what shaders need to look them up."""

    def __init__(self, device: Device, root: Any, level: Level) -> None:
        self._root, self._level = root, level
        self._spread, self._calm = -1, 0
        self._is_due = True
        self.buffer, texture = device.depths("shadow", (level.shadow, level.shadow), sort=0, compare=True)
        self._lens = core.OrthographicLens()
        self._eye = root.attach_new_node(core.Camera("sun", self._lens))
        self._eye.node().set_initial_state(depth_state())
        self._eye.node().set_camera_mask(CASTS)
        self.buffer.make_display_region().set_camera(self._eye)
        root.set_shader_input("u_shadow_map", texture)

    def close(self) -> None:
        """The sun sees no more."""
        self._eye.remove_node()

    def moved(self) -> None:
        """Something that casts shadows moved, or is new."""
        self._is_due = True

    def prepare(self) -> None:
        """Before a picture: the sun looks anew only where it sees something else."""
        self.buffer.set_active(self._is_due)
        self._is_due = False

    def cover(self, scene: Sphere, boxes: Array, *, is_steady: bool) -> bool:
        """Cover a scene as it was made, and more when pieces spread; whether all shadows change with it. boxes: (n, 8,
        3) corners of pieces. is_steady: it covers less again only after a while: who carries a piece to and fro would
        see all shadows change with it. Otherwise it depends on nothing that was before."""
        needed = scene.radius
        if len(boxes):
            needed = max(needed, float(np.linalg.norm(boxes - np.array(scene.centre), axis=2).max()))
        # in steps, so that shadows do not crawl while something flies
        steps = math.ceil(math.log(min(needed / scene.radius, MOST_SPREAD), 1.2) - 1e-6)
        self._calm = self._calm + 1 if steps < self._spread else 0
        if steps == self._spread or (is_steady and 0 < self._calm <= CALM):
            return False
        self._spread, self._calm = steps, 0
        self.aim(Sphere(scene.centre, scene.radius * 1.2**steps), 2 * scene.radius * studio.PENUMBRA)
        return True

    def aim(self, sphere: Sphere, width: float) -> None:
        """Cover the sphere; width: metres, of the soft edge."""
        self._is_due = True
        radius = sphere.radius * 1.04
        axes = studio.sun_axes()
        self._eye.set_mat(matrix_at(axes, np.array(sphere.centre) - 2 * radius * axes[1]))
        self._lens.set_film_size(2 * radius, 2 * radius)
        # what is thrown up stands outside the sphere and still casts
        self._lens.set_near_far(-radius, 3 * radius)
        back = core.LMatrix4(self._eye.get_mat())
        back.invert_in_place()
        texel = 2 * radius / self._level.shadow
        side = self._level.side
        # taps further apart than this leave stripes, and closer than this they serve nothing
        spacing = min(max(width / side, 1.2 * texel), 2.6 * texel)
        self._root.set_shader_input("u_shadow", back * self._lens.get_projection_mat() * _TO_TEXTURE)
        self._root.set_shader_input("u_shadow_blur", spacing / (2 * radius))
        self._root.set_shader_input("u_shadow_step", texel + 0.5 * spacing * (side - 1))


class OcclusionPass:
    """Ambient occlusion, coarser than the picture: depths, occlusion, blur."""

    def __init__(
        self, device: Device, root: Any, eye: Any, lens: Any, size: tuple[int, int], level: Level
    ) -> None:
        self._size = (-(-size[0] // level.coarse), -(-size[1] // level.coarse))
        self._regions: list[tuple[Any, Any]] = []
        depths, deep = device.depths("depths", self._size, sort=1, compare=False)
        camera = eye.attach_new_node(core.Camera("depths", lens))
        camera.node().set_initial_state(depth_state())
        camera.node().set_camera_mask(DEEP)
        depths.make_display_region().set_camera(camera)
        shading = shader("occlusion.vert", "occlusion.frag", OCCLUSION=level.occlusion)
        first, self._quad, open_sky = self._screen(device, "occlusion", 2, shading)
        self._quad.set_shader_input("u_depth", deep)
        second, blur, smooth = self._screen(device, "blur", 3, shader("screen.vert", "blur.frag"))
        blur.set_shader_input("u_source", open_sky)
        root.set_shader_input("u_occlusion", smooth)
        self.buffers = (depths, first, second)

    def limit(self, dark: Area | None, changed: Area) -> None:
        """Look for dark places in one part of the picture only, the rest is open; and draw anew what changed only."""
        for wipe, draw in self._regions:
            # one texel more for the blur
            anew = changed.whole_pixels(self._size, 1)
            place(wipe, anew)
            place(draw, (dark and dark.whole_pixels(self._size, 2).within(anew)) or NOWHERE)

    def _screen(self, device: Device, name: str, sort: int, shading: Any) -> tuple[Any, Any, Any]:
        buffer, texture = device.picture(name, self._size, 0, sort=sort, to_ram=False)
        wipe = whitened(buffer)
        quad = covering(shading)
        quad.set_depth_test(False)
        quad.set_shader_input("u_texel", core.LVecBase2(1 / self._size[0], 1 / self._size[1]))
        scene = core.NodePath(name)
        quad.reparent_to(scene)
        draw = buffer.make_display_region()
        draw.set_camera(scene.attach_new_node(core.Camera(name, core.OrthographicLens())))
        self._regions.append((wipe, draw))
        return buffer, quad, texture

    def aim(self, camera: Camera, planes: tuple[float, float], reach: float) -> None:
        """Look as the camera does. planes: near and far, reach: how far surfaces darken others; metres."""
        tangent = math.tan(math.radians(camera.fov) / 2)
        aspect = self._size[0] / self._size[1]
        self._quad.set_shader_input("u_tangent", core.LVecBase2(tangent * aspect, tangent))
        self._quad.set_shader_input("u_planes", core.LVecBase2(*planes))
        self._quad.set_shader_input("u_reach", reach)
        self._quad.set_shader_input("u_reach_texels", reach * self._size[1] / (2 * tangent))
