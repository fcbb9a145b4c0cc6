"""The OpenGL context, with a window or without, and the buffers it draws into.

Importing this loads Panda3D but opens nothing.
"""

import atexit
import ctypes
import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from panda3d import core

from teeter.engine.process import suppress_stderr
from teeter.engine.view.opengl import ViewError, no_graphics, no_screen
from teeter.engine.view.render import turns
from teeter.models.system import after_fork

# a transform that almost equals an earlier one would become it: pictures would depend on those before them
SETTINGS = """
gl-version 3 2
audio-library-name null
textures-power-2 none
garbage-collect-states false
uniquify-transforms false
uniquify-matrix false
notify-level error
notify-level-egldisplay fatal
notify-level-x11display fatal
notify-level-glxdisplay fatal
"""

OUTPUT, NEAREST = core.GraphicsOutput, core.SamplerState.FT_nearest
WINDOW_SORT = 100
"""A window is drawn after all buffers: it shows their pictures."""


class Device:
    """The OpenGL context of this process: `device()`, without a screen unless `open_screen` was called first.

    host: keeps the context alive while stages come and go; on a screen it is the window.
    """

    def __init__(self, title: str = "", size: tuple[int, int] | None = None) -> None:
        core.load_prc_file_data("teeter", SETTINGS)
        # near pieces first, so that what they hide is never shaded
        core.CullBinManager.get_global_ptr().add_bin("pieces", core.CullBinManager.BT_front_to_back, 15)
        self.engine = core.GraphicsEngine.get_global_ptr()
        self.host = self._hidden() if size is None else self._window(title, size)
        gsg = self.host.get_gsg()
        self.renderer = str(gsg.driver_renderer)
        self.version = str(gsg.driver_version)

    def _hidden(self) -> Any:
        self.pipe = core.GraphicsPipeSelection.get_global_ptr().make_module_pipe("p3headlessgl")
        if self.pipe is None:
            raise no_graphics("the libraries libGL.so.1 and libEGL.so.1 cannot be loaded, or find no driver")
        host = self._output("host", (16, 16), core.FrameBufferProperties.get_default(), ())
        if host is None:
            raise no_graphics("the driver gives no OpenGL 3.2 context")
        self.engine.open_windows()
        host.set_active(False)
        return host

    def _window(self, title: str, size: tuple[int, int]) -> Any:
        # X11 warns of extensions that nobody needs
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

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Where it fails inside, closes what was opened there: what is half made is drawn with the next stage."""
        before = list(self.engine.windows)
        try:
            yield
        except BaseException:
            for output in [output for output in self.engine.windows if output not in before]:
                self.engine.remove_window(output)
            raise

    def _output(self, name: str, size: tuple[int, int], wanted: Any, shared: tuple[Any, ...]) -> Any:
        flags = core.GraphicsPipe.BF_refuse_window | core.GraphicsPipe.BF_fb_props_optional
        window = core.WindowProperties.size(*size)
        return self.engine.make_output(self.pipe, name, 0, wanted, window, flags, *shared)

    def colours(
        self,
        name: str,
        size: tuple[int, int],
        *,
        sort: int,
        samples: int = 0,
        has_depth: bool = False,
        to_ram: bool = False,
    ) -> tuple[Any, Any]:
        """Returns a buffer and the texture of its colours. to_ram: the program reads the texture."""
        buffer = self._buffer(name, size, sort, has_depth=has_depth, samples=samples)
        texture = _colours(name)
        buffer.add_render_texture(texture, OUTPUT.RTM_copy_ram if to_ram else OUTPUT.RTM_bind_or_copy)
        return buffer, texture

    def depths(self, name: str, size: tuple[int, int], *, sort: int, compare: bool) -> tuple[Any, Any]:
        """Returns a buffer of depths only and its texture. compare: sampling it compares depths, as shadow maps do."""
        buffer = self._buffer(name, size, sort, has_colours=False)
        return buffer, self.depths_of(buffer, core.SamplerState.FT_shadow if compare else NEAREST)

    def depths_of(self, buffer: Any, kind: Any = NEAREST) -> Any:
        """Returns a texture with the depths of a buffer. kind: how it is sampled."""
        texture = _depths("depths", kind)
        buffer.add_render_texture(texture, OUTPUT.RTM_bind_or_copy, OUTPUT.RTP_depth)
        return texture

    def onto(self, name: str, size: tuple[int, int], below: Any, *, sort: int) -> tuple[Any, Any]:
        """Returns a buffer that begins with the depths of another of its size, and the texture of its colours.

        After `below.trigger_copy()` the next picture begins with the colours of the other, too.
        """
        buffer = self._buffer(name, size, sort)
        buffer.disable_clears()
        colours, depths = _colours(name), _depths("depths below", NEAREST)
        for texture, plane, copied in (
            (colours, OUTPUT.RTP_color, OUTPUT.RTM_triggered_copy_texture),
            (depths, OUTPUT.RTP_depth, OUTPUT.RTM_copy_texture),
        ):
            buffer.add_render_texture(texture, OUTPUT.RTM_bind_or_copy, plane)
            below.add_render_texture(texture, copied, plane)
        return buffer, colours

    def read(self, buffer: Any) -> Any:
        """Returns a texture in which the program can read the colours of a buffer."""
        texture = _colours("read")
        buffer.add_render_texture(texture, OUTPUT.RTM_copy_ram, OUTPUT.RTP_color)
        return texture

    def _buffer(
        self,
        name: str,
        size: tuple[int, int],
        sort: int,
        *,
        has_colours: bool = True,
        has_depth: bool = True,
        samples: int = 0,
    ) -> Any:
        wanted = core.FrameBufferProperties()
        if has_colours:
            wanted.set_rgba_bits(8, 8, 8, 8)
        wanted.set_depth_bits(24 if has_depth else 0)
        wanted.set_multisamples(samples)
        buffer = self._output(name, size, wanted, (self.host.get_gsg(), self.host))
        if buffer is None:
            raise no_graphics(f"the driver gives no buffer of {size[0]} x {size[1]}")
        buffer.set_sort(sort)
        buffer.set_clear_color_active(False)
        return buffer


_MADE: list[Device] = []


def device() -> Device:
    """The device of this process, made in the turn of a thread. Raises ViewError when there is no OpenGL."""
    turns.check_process()
    turns.turns.take()
    try:
        if not _MADE:
            _MADE.append(Device())
        return _MADE[0]
    finally:
        turns.turns.give()


def begin_turn(user: object) -> Any:
    """Waits until this thread may draw, which it then may until what is returned is called, or the user is gone. Raises
    ViewError."""
    turns.check_process()
    turns.turns.take()
    return weakref.finalize(user, turns.turns.give)


after_fork(lambda: turns.begin_anew(bool(_MADE)))


def is_open() -> bool:
    """Returns whether this process has OpenGL open."""
    return bool(_MADE)


def open_screen(title: str, size: tuple[int, int]) -> Device:
    """Opens a window and returns the device of this process; stages made from now on may be shown in the window.

    Raises ViewError when there is no display or no OpenGL, or when pictures without a screen were made before.
    """
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise no_screen("DISPLAY is not set")
    if _MADE:
        raise ViewError(
            "this process already makes pictures without a screen, or has a window; start another one"
        )
    turns.check_process()
    turns.turns.take(for_good=True)
    try:
        _MADE.append(Device(title, size))
    except BaseException:
        turns.turns.give()
        raise
    # a window that outlives the interpreter takes the process down with it
    atexit.register(close_screen)
    return _MADE[0]


def close_screen() -> None:
    """Closes the window and frees everything; a new one may be opened then."""
    while _MADE:
        _MADE.pop().engine.remove_all_windows()
        turns.turns.give()


def sampler_of(kind: Any) -> Any:
    """Returns how a texture is sampled that ends at its sides. kind: the filter."""
    sampler = core.SamplerState()
    sampler.set_wrap_u(core.SamplerState.WM_clamp)
    sampler.set_wrap_v(core.SamplerState.WM_clamp)
    sampler.set_minfilter(kind)
    sampler.set_magfilter(kind)
    return sampler


def _colours(name: str) -> Any:
    """Returns a texture for colours."""
    return _sampled(core.Texture(name), core.SamplerState.FT_linear)


def _depths(name: str, kind: Any) -> Any:
    """Returns a texture for depths."""
    texture = core.Texture(name)
    texture.set_format(core.Texture.F_depth_component24)
    return _sampled(texture, kind)


def _sampled(texture: Any, kind: Any) -> Any:
    texture.set_default_sampler(sampler_of(kind))
    return texture
