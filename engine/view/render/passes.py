"""The passes before the picture: the sun's shadow map, and ambient occlusion from depths.

Both draw all pieces as one mesh of positions and nothing else (`ShadowCasters`): every node costs the processor more
than its few triangles do.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.view.camera import BOX_CORNERS, BoundingSphere, Camera
from teeter.engine.view.frame import Frame
from teeter.engine.view.render import shading
from teeter.engine.view.render.bounds import EVERYTHING, NOWHERE, WHOLE, DirtyRegion, ScreenRect
from teeter.engine.view.render.device import Device, sampler_of
from teeter.engine.view.render.resources import indexed, screen_geom, shader, unculled
from teeter.engine.view.render.shading import QualityLevel
from teeter.models.piece import Array, Piece

Floats = NDArray[np.float32]

SEEN, CASTS, OVERLAYS, DEEP = (core.BitMask32.bit(number) for number in range(4))
"""Which camera draws a node: the eye, the sun, that of the depths for ambient occlusion. Overlays are drawn by the eye
alone, and darken nothing."""
# in radii of the scene: what flies further from its middle casts no shadow
MAX_SPREAD = 3.0
# frames after which a steady shadow map covers less again
SHRINK_DELAY_FRAMES = 40
# from eye coordinates -1..1 to texture coordinates 0..1
_TO_TEXTURE = core.LMatrix4(0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1)
# metres: for pieces that are not there
OUT_OF_SIGHT = (0.0, 0.0, -1e3)
# two triangles a side, counter-clockwise seen from outside
_SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
_BOX_FACES = _SIDES[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3).astype(np.uint32)


class DepthClearer:
    """Clears a part of the depths of a buffer before anything is drawn.

    What is drawn again at the same place in the rest is hidden by itself, and costs nothing.
    """

    def __init__(self, buffer: Any) -> None:
        buffer.disable_clears()
        self._region = buffer.make_display_region()
        self._region.set_sort(-1)
        self._node = unculled("clearer")
        scene = core.NodePath("clearer")
        path = scene.attach_new_node(self._node)
        path.set_shader(shader("screen.vert", "depth.frag"))
        path.set_attrib(core.ColorWriteAttrib.make(core.ColorWriteAttrib.C_off))
        path.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_always))
        path.set_two_sided(True)
        self._region.set_camera(scene.attach_new_node(core.Camera("clearer", core.OrthographicLens())))

    def clear(self, region: DirtyRegion) -> None:
        """Clears this part before every picture from now on."""
        self._region.set_clear_depth_active(region is EVERYTHING)
        self._node.remove_all_geoms()
        if region is not EVERYTHING and len(region.corners):
            self._node.add_geom(screen_geom(region.corners))


def confine(camera: Any, area: ScreenRect) -> None:
    """Lets a camera draw in this part of its picture only; the projection stays the same."""
    state = core.RenderState.make_empty()
    if area != WHOLE:
        state = core.RenderState.make(core.ScissorAttrib.make(area.left, area.right, area.low, area.high))
    camera.node().set_initial_state(state)


def matrix_at(axes: Any, eye: Any) -> Any:
    """Returns the matrix of a camera with these right, forward and up rows."""
    return core.LMatrix4(*axes[0], 0, *axes[1], 0, *axes[2], 0, *eye, 1)


def depth_state() -> Any:
    """Returns the state of a camera that draws depths only."""
    path = core.NodePath("depth")
    path.set_shader(shader("depth.vert", "depth.frag"), 100)
    path.set_attrib(core.ColorWriteAttrib.make(core.ColorWriteAttrib.C_off), 100)
    return path.get_state()


def covering(shading: Any) -> Any:
    """Returns a node that fills the picture with a shader."""
    node = unculled("screen")
    node.add_geom(screen_geom())
    path = core.NodePath(node)
    path.set_shader(shading)
    path.set_depth_write(False)
    # it lies as far away as the depths a picture begins with
    path.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_less_equal))
    return path


class ShadowPass:
    """The shadow map: depths as seen from the sun, and what shaders need to look them up."""

    def __init__(self, device: Device, root: Any, level: QualityLevel) -> None:
        self._root, self._level, self._engine = root, level, device.engine
        self._spread, self._waited = -1, 0
        self._is_due = True
        self.buffer, texture = device.depths("shadow", (level.shadow, level.shadow), sort=0, compare=True)
        self._lens = core.OrthographicLens()
        self._eye = root.attach_new_node(core.Camera("sun", self._lens))
        self._eye.node().set_initial_state(depth_state())
        self._eye.node().set_camera_mask(CASTS)
        self.buffer.make_display_region().set_camera(self._eye)
        root.set_shader_input("u_shadow_map", texture)
        # the same without comparing: how far what casts a shadow is
        root.set_shader_input("u_shadow_depths", texture, sampler_of(core.SamplerState.FT_nearest))

    def close(self) -> None:
        """Frees its buffer and its camera."""
        self._engine.remove_window(self.buffer)
        self._eye.remove_node()

    def moved(self) -> None:
        """Has the map drawn again: something that casts shadows moved, or is new."""
        self._is_due = True

    def prepare(self) -> None:
        """Draws the map with the next picture only if something changed."""
        self.buffer.set_active(self._is_due)
        self._is_due = False

    def cover(self, scene: BoundingSphere, boxes: Array, *, is_steady: bool) -> bool:
        """Covers the scene, and more when pieces spread. Returns whether all shadows change with it.

        boxes: (n, 8, 3) corners of pieces. is_steady: it shrinks again only after a while, because all shadows would
        change while a piece is carried to and fro. Otherwise it depends on nothing that was before.
        """
        needed = scene.radius
        if len(boxes):
            needed = max(needed, float(np.linalg.norm(boxes - scene.centre, axis=2).max()))
        # in steps, so that shadows do not crawl while something flies
        steps = math.ceil(math.log(min(needed / scene.radius, MAX_SPREAD), 1.2) - 1e-6)
        self._waited = self._waited + 1 if steps < self._spread else 0
        if steps == self._spread or (is_steady and 0 < self._waited <= SHRINK_DELAY_FRAMES):
            return False
        self._spread, self._waited = steps, 0
        self._aim(scene, scene.radius * 1.2**steps * 1.04)
        return True

    def _aim(self, scene: BoundingSphere, radius: float) -> None:
        """Covers so much around the middle of a scene, metres."""
        self._is_due = True
        axes = shading.sun_axes()
        self._eye.set_mat(matrix_at(axes, np.array(scene.centre) - 2 * radius * axes[1]))
        self._lens.set_film_size(2 * radius, 2 * radius)
        # what is thrown up is outside the sphere and still casts a shadow
        self._lens.set_near_far(-radius, 3 * radius)
        back = core.LMatrix4(self._eye.get_mat())
        back.invert_in_place()
        texel = 2 * radius / self._level.shadow
        side = self._level.side
        # taps further apart than this leave stripes, and closer ones gain nothing
        width = 2 * scene.radius * shading.PENUMBRA
        spacing = min(max(width / side, 1.2 * texel), 2.6 * texel)
        self._root.set_shader_input("u_shadow", back * self._lens.get_projection_mat() * _TO_TEXTURE)
        self._root.set_shader_input("u_shadow_blur", spacing / (2 * radius))
        self._root.set_shader_input("u_shadow_deep", 4 * radius / shading.CONTACT_REACH_M)
        self._root.set_shader_input("u_shadow_step", texel + 0.5 * spacing * (side - 1))


class OcclusionPass:
    """Ambient occlusion, coarser than the picture: depths, occlusion, blur. texture: what is left of the light."""

    def __init__(
        self, device: Device, eye: Any, lens: Any, size: tuple[int, int], level: QualityLevel
    ) -> None:
        self._size = (-(-size[0] // level.coarse), -(-size[1] // level.coarse))
        self._regions: list[tuple[Any, Any]] = []
        depths, deep = device.depths("depths", self._size, sort=1, compare=False)
        self._camera = eye.attach_new_node(core.Camera("depths", lens))
        self._camera.node().set_initial_state(depth_state())
        self._camera.node().set_camera_mask(DEEP)
        depths.make_display_region().set_camera(self._camera)
        shading = shader("occlusion.vert", "occlusion.frag", OCCLUSION=level.occlusion)
        first, self._quad, open_sky = self._screen(device, "occlusion", 2, shading)
        self._quad.set_shader_input("u_depth", deep)
        second, blur, self.texture = self._screen(device, "blur", 3, shader("screen.vert", "blur.frag"))
        blur.set_shader_input("u_source", open_sky)
        self.buffers = (depths, first, second)

    def close(self) -> None:
        """Frees its camera."""
        self._camera.remove_node()

    def limit(self, dark: ScreenRect | None, changed: ScreenRect) -> None:
        """Sets where there may be occlusion, and which part of the picture is drawn again."""
        for wipe, draw in self._regions:
            # one texel more for the blur
            anew = changed.whole_pixels(self._size, 1)
            darkened = (dark and dark.whole_pixels(self._size, 2).within(anew)) or NOWHERE
            for region, area in ((wipe, anew), (draw, darkened)):
                region.set_dimensions(area.left, area.right, area.low, area.high)

    def _screen(self, device: Device, name: str, sort: int, shading: Any) -> tuple[Any, Any, Any]:
        buffer, texture = device.colours(name, self._size, sort=sort)
        buffer.disable_clears()
        # made white before anything is drawn
        wipe = buffer.make_display_region()
        wipe.set_sort(-1)
        wipe.set_clear_color_active(True)
        wipe.set_clear_color(core.LVecBase4(1, 1, 1, 1))
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
        """Follows the camera. planes: near and far. reach: how far surfaces darken others. All in metres."""
        tangent = math.tan(math.radians(camera.fov) / 2)
        aspect = self._size[0] / self._size[1]
        self._quad.set_shader_input("u_tangent", core.LVecBase2(tangent * aspect, tangent))
        self._quad.set_shader_input("u_planes", core.LVecBase2(*planes))
        self._quad.set_shader_input("u_reach", reach)
        self._quad.set_shader_input("u_reach_texels", reach * self._size[1] / (2 * tangent))


class ShadowCasters:
    """The pieces of one stage as one mesh; only what moved is written again. root: the scene of the stage."""

    def __init__(self, root: Any) -> None:
        self._node = unculled("casters")
        root.attach_new_node(self._node).hide(SEEN | OVERLAYS)
        self._pieces: dict[str, Piece] = {}
        self._places: dict[str, tuple[slice, Floats]] = {}
        self._shown: dict[str, tuple[float, ...] | None] = {}
        self._data: Any = None

    def add(self, name: str, piece: Piece) -> None:
        """Adds a piece, or another one for a known name."""
        self._pieces[name] = piece
        self._data = None

    def show(self, frame: Frame) -> bool:
        """Puts pieces where a frame has them. Returns whether anything moved."""
        if not self._pieces:
            return False
        if self._data is None:
            self._join()
        there = {
            name: tuple(row)
            for name, row in zip(frame.names, frame.poses.tolist(), strict=True)
            if name in self._pieces and name not in frame.airy and np.isfinite(sum(row))
        }
        moved = [name for name in self._pieces if there.get(name) != self._shown[name]]
        if moved:
            rows = np.frombuffer(memoryview(self._data.modify_array(0)).cast("B"), np.float32).reshape(-1, 3)
            for name in moved:
                part, points = self._places[name]
                pose = self._shown[name] = there.get(name)
                if pose is None:
                    rows[part] = OUT_OF_SIGHT
                else:
                    x, y, z, qx, qy, qz, qw = pose
                    rows[part] = points @ matrix_of((qx, qy, qz, qw)).T + (x, y, z)
        return bool(moved)

    def _join(self) -> None:
        """Makes one mesh of all pieces, all out of sight."""
        first, faces = 0, []
        for name, piece in self._pieces.items():
            points, corners = _mesh(piece)
            self._places[name] = (slice(first, first + len(points)), points)
            faces.append(corners + np.uint32(first))
            first += len(points)
        array = core.GeomVertexArrayFormat("vertex", 3, core.Geom.NT_float32, core.Geom.C_point)
        layout = core.GeomVertexFormat.register_format(core.GeomVertexFormat(array))
        self._data = core.GeomVertexData("casters", layout, core.Geom.UH_dynamic)
        self._data.unclean_set_num_rows(first)
        rows = np.full((first, 3), OUT_OF_SIGHT, np.float32)
        memoryview(self._data.modify_array(0)).cast("B")[:] = rows.tobytes()
        self._shown = dict.fromkeys(self._pieces)
        self._node.remove_all_geoms()
        self._node.add_geom(indexed(self._data, np.concatenate(faces)))
        self._data = self._node.modify_geom(0).modify_vertex_data()


def _mesh(piece: Piece) -> tuple[Floats, NDArray[np.uint32]]:
    """Returns points and faces of a piece; of a box, without its rounded edges."""
    parts = piece.parts
    if len(parts) == 1 and parts[0].half_extents is not None:
        return (BOX_CORNERS.astype(np.float32) * (piece.extents / 2)).astype(np.float32), _BOX_FACES
    return piece.visual.vertices.astype(np.float32), piece.visual.faces.astype(np.uint32)
