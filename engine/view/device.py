"""The graphics card or its stand-in: opening it without a screen, buffers, shaders, meshes, textures.

Importing this loads Panda3D but opens nothing.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.process import suppress_stderr
from engine.view import studio
from engine.view.errors import ViewError, no_graphics, no_screen
from engine.view.geometry import Triangles
from engine.view.grain import FIBRE_TILE

SETTINGS = """
gl-version 3 2
audio-library-name null
textures-power-2 none
garbage-collect-states false
notify-level error
notify-level-egldisplay fatal
notify-level-x11display fatal
notify-level-glxdisplay fatal
"""

VERSION = "#version 150\n"
ROOM = ("SUN", "SUN_LIGHT", "SKY_LIGHT", "GROUND_LIGHT")
"""What of `studio` shaders know by these names."""
WINDOW_SORT = 100
"""A window is drawn after all buffers, whose pictures it shows."""


class Device:
    """One OpenGL context. There is one in a process: `device()`, without a screen unless `open_screen` came first.

    host: what keeps the context alive while stages come and go; on a screen it is the window.
    """

    def __init__(self, title: str = "", size: tuple[int, int] | None = None) -> None:
        core.load_prc_file_data("teeter", SETTINGS)
        # near pieces first, so that what they hide is never shaded
        core.CullBinManager.get_global_ptr().add_bin("pieces", core.CullBinManager.BT_front_to_back, 15)
        self.engine = core.GraphicsEngine.get_global_ptr()
        self.is_on_screen = size is not None
        self.host = self._hidden() if size is None else self._window(title, size)
        gsg = self.host.get_gsg()
        self.renderer = str(gsg.driver_renderer)
        self.version = str(gsg.driver_version)

    def _hidden(self) -> Any:
        self.pipe = core.GraphicsPipeSelection.get_global_ptr().make_module_pipe("p3headlessgl")
        if self.pipe is None:
            raise no_graphics("the libraries libGL.so.1 and libEGL.so.1 cannot be loaded, or find no driver")
        host = self._output("host", (16, 16), core.FrameBufferProperties.get_default())
        if host is None:
            raise no_graphics("the driver gives no OpenGL 3.2 context")
        self.engine.open_windows()
        host.set_active(False)
        return host

    def _window(self, title: str, size: tuple[int, int]) -> Any:
        if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
            raise no_screen("DISPLAY is not set")
        # X11 tells of extensions that nobody needs
        with suppress_stderr():
            self.pipe = core.GraphicsPipeSelection.get_global_ptr().make_module_pipe("pandagl")
            if self.pipe is None:
                raise no_screen("the libraries libGL.so.1 and libX11.so.6 cannot be loaded")
            # taken down at the end, a pipe without a display takes the process with it: it stays for good
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.pipe))
            if not self.pipe.is_valid():
                raise no_screen("no display can be opened")
            wanted = core.FrameBufferProperties()
            wanted.set_rgba_bits(8, 8, 8, 0)
            # with one buffer alone nothing tells the X server that a picture is done, and it shows none
            wanted.set_back_buffers(1)
            properties = core.WindowProperties()
            properties.set_size(*size)
            properties.set_title(title)
            flags = core.GraphicsPipe.BF_require_window | core.GraphicsPipe.BF_fb_props_optional
            host = self.engine.make_output(self.pipe, "window", WINDOW_SORT, wanted, properties, flags)
            self.engine.open_windows()
        if host is None or not host.is_valid() or host.get_gsg() is None:
            raise no_screen("the display gives no window with OpenGL 3.2")
        return host

    def _output(self, name: str, size: tuple[int, int], depth: Any, host: Any = None) -> Any:
        flags = core.GraphicsPipe.BF_refuse_window | core.GraphicsPipe.BF_fb_props_optional
        window = core.WindowProperties.size(*size)
        if host is None:
            return self.engine.make_output(self.pipe, name, 0, depth, window, flags)
        return self.engine.make_output(self.pipe, name, 0, depth, window, flags, host.get_gsg(), host)

    def picture(
        self,
        name: str,
        size: tuple[int, int],
        samples: int,
        *,
        sort: int,
        to_ram: bool,
        deep: bool | None = None,
    ) -> tuple[Any, Any]:
        """A buffer and the texture with its colours; to_ram: the texture is read by the program. deep: it tells near
        from far; left out, as `to_ram`."""
        wanted = core.FrameBufferProperties()
        wanted.set_rgba_bits(8, 8, 8, 8)
        wanted.set_depth_bits(24 if (to_ram if deep is None else deep) else 0)
        wanted.set_multisamples(samples)
        buffer = self._made(name, size, wanted, sort)
        texture = _colours(name)
        mode = core.GraphicsOutput.RTM_copy_ram if to_ram else core.GraphicsOutput.RTM_bind_or_copy
        buffer.add_render_texture(texture, mode)
        return buffer, texture

    def depths(self, name: str, size: tuple[int, int], *, sort: int, compare: bool) -> tuple[Any, Any]:
        """A buffer of depths only, and their texture; compare: it answers lit or not, as shadow maps do."""
        wanted = core.FrameBufferProperties()
        wanted.set_depth_bits(24)
        buffer = self._made(name, size, wanted, sort)
        texture = _depths(name, core.SamplerState.FT_shadow if compare else core.SamplerState.FT_nearest)
        buffer.add_render_texture(
            texture, core.GraphicsOutput.RTM_bind_or_copy, core.GraphicsOutput.RTP_depth
        )
        return buffer, texture

    def depths_of(self, buffer: Any) -> Any:
        """The texture with the depths of a picture's buffer."""
        texture = _depths("deep", core.SamplerState.FT_nearest)
        buffer.add_render_texture(
            texture, core.GraphicsOutput.RTM_bind_or_copy, core.GraphicsOutput.RTP_depth
        )
        return texture

    def onto(self, name: str, size: tuple[int, int], below: Any, *, sort: int) -> tuple[Any, Any]:
        """A buffer that begins with the depths of another of the same size, and, where that is told to
        (`trigger_copy`), with its colours; and the texture of its colours."""
        wanted = core.FrameBufferProperties()
        wanted.set_rgba_bits(8, 8, 8, 8)
        wanted.set_depth_bits(24)
        buffer = self._made(name, size, wanted, sort)
        buffer.disable_clears()
        colours, deep = _colours(name), _depths("deep below", core.SamplerState.FT_nearest)
        output = core.GraphicsOutput
        for texture, plane, copied in (
            (colours, output.RTP_color, output.RTM_triggered_copy_texture),
            (deep, output.RTP_depth, output.RTM_copy_texture),
        ):
            buffer.add_render_texture(texture, output.RTM_bind_or_copy, plane)
            below.add_render_texture(texture, copied, plane)
        return buffer, colours

    def read(self, buffer: Any) -> Any:
        """The texture in which a program finds the colours of a buffer."""
        texture = _colours("read")
        buffer.add_render_texture(texture, core.GraphicsOutput.RTM_copy_ram, core.GraphicsOutput.RTP_color)
        return texture

    def _made(self, name: str, size: tuple[int, int], wanted: Any, sort: int) -> Any:
        buffer = self._output(name, size, wanted, self.host)
        if buffer is None:
            raise no_graphics(f"the driver gives no buffer of {size[0]} x {size[1]}")
        buffer.set_sort(sort)
        buffer.set_clear_color_active(False)
        return buffer


_MADE: list[Device] = []


def device() -> Device:
    """The device of this process. Raises ViewError when there is no OpenGL."""
    if not _MADE:
        _MADE.append(Device())
    return _MADE[0]


def is_open() -> bool:
    """Whether this process has OpenGL open."""
    return bool(_MADE)


def open_screen(title: str, size: tuple[int, int]) -> Device:
    """The device of this process, with a window on the screen; stages made from now on may be shown there.

    Raises ViewError when there is no display or no OpenGL, or when pictures without a screen were made before.
    """
    if _MADE:
        raise ViewError(
            "this process already makes pictures without a screen, or has a window; start another one"
        )
    _MADE.append(Device(title, size))
    # a window that outlives the interpreter takes the process down with it
    atexit.register(close_screen)
    return _MADE[0]


def close_screen() -> None:
    """Close the window and give everything back; a new one may be opened then."""
    while _MADE:
        _MADE.pop().engine.remove_all_windows()


def source(name: str) -> str:
    """The text of a shader file."""
    return resources.files("engine.view").joinpath("shaders", name).read_text(encoding="utf-8")


@cache
def shader(vertex: str, *fragments: str, **defines: int) -> Any:
    """A shader of a vertex file and fragment files put together, with the room's light and these numbers set
    beforehand: what the compiler knows costs less than what it is told for every picture."""
    room = {name: f"vec3{getattr(studio, name)}" for name in ROOM}
    room["FIBRE_SCALE"] = f"vec2{tuple(1 / side for side in FIBRE_TILE)}"
    head = VERSION + "".join(f"#define {name} {value}\n" for name, value in (room | defines).items())
    vertices, body = (
        "".join(source(name).replace(VERSION, "") for name in names) for names in ((vertex,), fragments)
    )
    return core.Shader.make(core.Shader.SL_GLSL, vertex=head + vertices, fragment=head + body)


def _colours(name: str) -> Any:
    """The texture of a picture."""
    return _sampled(core.Texture(name), core.SamplerState.FT_linear)


def _depths(name: str, kind: Any) -> Any:
    """The texture of depths."""
    texture = core.Texture(name)
    texture.set_format(core.Texture.F_depth_component24)
    return _sampled(texture, kind)


def _sampled(texture: Any, kind: Any) -> Any:
    texture.set_wrap_u(core.SamplerState.WM_clamp)
    texture.set_wrap_v(core.SamplerState.WM_clamp)
    texture.set_minfilter(kind)
    texture.set_magfilter(kind)
    return texture


def _format() -> Any:
    array = core.GeomVertexArrayFormat()
    for name, role in (
        ("vertex", core.Geom.C_point),
        ("normal", core.Geom.C_normal),
        ("grain", core.Geom.C_other),
        ("grain_normal", core.Geom.C_other),
    ):
        array.add_column(name, 3, core.Geom.NT_float32, role)
    return core.GeomVertexFormat.register_format(core.GeomVertexFormat(array))


def geom_of(triangles: Triangles) -> Any:
    """A mesh on the card."""
    rows = np.ascontiguousarray(triangles.rows, dtype=np.float32)
    data = core.GeomVertexData("piece", _format(), core.Geom.UH_static)
    data.unclean_set_num_rows(len(rows))
    memoryview(data.modify_array(0)).cast("B")[:] = rows.data.cast("B")
    indices = np.ascontiguousarray(triangles.indices, dtype=np.uint32)
    primitive = core.GeomTriangles(core.Geom.UH_static)
    primitive.set_index_type(core.Geom.NT_uint32)
    array = primitive.modify_vertices()
    array.unclean_set_num_rows(indices.size)
    memoryview(array).cast("B")[:] = indices.data.cast("B")
    geom = core.Geom(data)
    geom.add_primitive(primitive)
    return geom


def screen_geom() -> Any:
    """One triangle that covers the picture, for `screen.vert`."""
    return outline_geom(np.array([[-1, -1], [3, -1], [-1, 3]]))


def outline_geom(corners: NDArray[Any]) -> Any:
    """A convex part of the picture, for `screen.vert`; (n, 2) from (-1, -1) at the lower left to (1, 1)."""
    rows = np.zeros((len(corners), 12), dtype=np.float32)
    rows[:, (0, 2)] = corners
    fan = np.arange(1, len(corners) - 1, dtype=np.uint32)
    return geom_of(Triangles(rows, np.stack([np.zeros_like(fan), fan, fan + 1], axis=1)))


def face_texture(name: str, pixels: Any, slant: int) -> Any:
    """A texture of (h, w, 4) bytes, screen colours and cover, upper row first; slant: see `look.Level`."""
    texture = texture_of(name, pixels[::-1], mipmaps=True)
    texture.set_format(core.Texture.F_srgb_alpha)
    if slant > 1:
        texture.set_minfilter(core.SamplerState.FT_linear_mipmap_linear)
        texture.set_anisotropic_degree(slant)
    texture.set_wrap_u(core.SamplerState.WM_clamp)
    texture.set_wrap_v(core.SamplerState.WM_clamp)
    return texture


def texture_of(name: str, pixels: Any, *, mipmaps: bool) -> Any:
    """A texture of (h, w, 4) bytes that repeats."""
    height, width = pixels.shape[:2]
    texture = core.Texture(name)
    texture.setup_2d_texture(width, height, core.Texture.T_unsigned_byte, core.Texture.F_rgba8)
    # Panda3D keeps blue first
    texture.set_ram_image(np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).tobytes())
    texture.set_minfilter(
        core.SamplerState.FT_linear_mipmap_nearest if mipmaps else core.SamplerState.FT_linear
    )
    texture.set_magfilter(core.SamplerState.FT_linear)
    texture.set_wrap_u(core.SamplerState.WM_repeat)
    texture.set_wrap_v(core.SamplerState.WM_repeat)
    return texture
