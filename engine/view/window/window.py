"""A window on the screen: one stage in it, panels over it, events out of it.

    window = Window("teeter")
    window.put(bodies)                      # a stage of these bodies fills the window
    while not window.is_closed:
        for event in window.poll(): ...     # Press, PointerMoved, Clicked, Slid, Closed, ...
        window.show(frame); window.aim(camera); window.hud.show(panels)
        window.draw()                       # one picture; costs nothing while nothing changes

It knows no game, no physics and no file. One window in a process; a process that has made pictures without a screen
cannot open one.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.camera import BoundingSphere, Camera
from engine.view.frame import Frame
from engine.view.opengl import ViewError
from engine.view.render.device import close_screen, open_screen
from engine.view.render.overlays import Overlay
from engine.view.render.passes import covering
from engine.view.render.resources import shader
from engine.view.render.shading import Quality
from engine.view.render.stage import MAX_SIDE_PX, Stage
from engine.view.sound import Speaker
from engine.view.window.events import Clicked, Closed, Event, Lift, PointerMoved, Press, Resized, Slid, Typed
from engine.view.window.hud import Hud
from engine.view.window.shapes import Region
from engine.world import Body

SIZE = (1280, 720)
MIN_SIDE_PX = 16
"""A smaller window shows nothing, and is not drawn."""
DOWN, AGAIN, UP, TYPED, CLOSE = "teeter-down", "teeter-again", "teeter-up", "teeter-typed", "teeter-close"
"""Names of the events Panda3D is told to send."""
EXIT_DISPLAY_LOST = 2
REDRAW_S = 2.0
"""After which a picture that stays the same is shown again: another window may have lain over this one."""
BUSY_S = 0.5
"""For which a window is looked at often after something has happened."""
BUSY_PAUSE_S, IDLE_PAUSE_S = 0.004, 0.05
"""Seconds between two looks while something happens, and while nothing does: nobody feels that a first move is late by
so much."""


class Window:
    """The window of this process. sharpness: pixels of the scene along a side of a pixel of the window, at most 1;
    panels are always sharp. Raises ViewError when there is no display or no OpenGL."""

    def __init__(self, title: str, *, size: tuple[int, int] = SIZE) -> None:
        self._device = open_screen(title, size)
        self._window = self._device.host
        self._window.set_clear_color(core.LVecBase4(0.914, 0.894, 0.855, 1))
        self._window.set_close_request_event(CLOSE)
        self.size = _size_of(self._window) or size
        self.renderer: str = self._device.renderer
        self.stage: Stage | None = None
        self.speaker: Speaker | None = None
        """None until the owner of the window sets one."""
        self.quality: Quality = "medium"
        self.sharpness = 1.0
        self.is_closed = False
        self.pointer = (self.size[0] / 2, self.size[1] / 2)
        self.down: set[str] = set()
        self.hud = Hud(self._window, self.size)
        self._keyboard = Keyboard(self._window)
        self._screen = covering(shader("picture.vert", "copy.frag"))
        self._screen.set_depth_test(False)
        scene = core.NodePath("screen")
        self._screen.reparent_to(scene)
        self._screen.hide()
        region = self._window.make_display_region()
        region.set_sort(10)
        region.set_camera(scene.attach_new_node(core.Camera("screen", core.OrthographicLens())))
        self._slider: Region | None = None
        self._is_new = True
        self._drawn_at = self._busy_at = 0.0

    def put(
        self, bodies: Iterable[Body], quality: Quality | None = None, sphere: BoundingSphere | None = None
    ) -> Stage:
        """Shows a stage of these bodies instead of the one before. sphere: as for a stage."""
        self.clear()
        self.quality = quality or self.quality
        self.stage = Stage(bodies, size=self._inner(), quality=self.quality, to_ram=False, sphere=sphere)
        self._fit()
        self._screen.show()
        return self.stage

    def clear(self) -> None:
        """Shows no stage."""
        if self.stage is not None:
            self.stage.close()
        self.stage = None
        self._screen.hide()
        self._is_new = True

    def show(self, frame: Frame) -> None:
        """Puts the bodies of the stage where a frame has them."""
        self._stage().show(frame)
        self._is_new = True

    def aim(self, camera: Camera) -> None:
        """Looks from a camera."""
        stage = self._stage()
        if camera != stage.camera:
            stage.aim(camera)
            self._is_new = True

    def show_overlays(self, overlays: Iterable[Overlay]) -> None:
        """Shows these overlays in the scene and no others."""
        self._is_new |= self._stage().show_overlays(overlays)

    def relight(self, quality: Quality, sharpness: float) -> None:
        """Sets the quality level and the sharpness from now on; fewer pixels are faster."""
        self.quality, self.sharpness = quality, sharpness
        if self.stage is not None and self.stage.quality != quality:
            self.stage.relight(quality)
            self._fit()
        self._refit()

    @property
    def is_new(self) -> bool:
        """Returns whether the scene changed since the last picture."""
        return self._is_new

    def touch(self) -> None:
        """Has the scene drawn again: something on the stage was changed."""
        self._is_new = True

    def draw(self) -> bool:
        """Makes one picture and shows it. Returns whether the scene was drawn, not only the panels over it."""
        if self.is_closed:
            return False
        # a window too small to show anything still has to hear when it grows
        is_seen = min(self.size) >= MIN_SIDE_PX
        is_new, self._is_new = self._is_new and is_seen, self._is_new and not is_seen
        if self.stage is not None:
            self.stage.rest(not is_new)
        now = time.perf_counter()
        is_drawn = is_new or self.hud.is_new or now - self._drawn_at > REDRAW_S
        self._window.set_active(is_drawn)
        # also where nothing is drawn: what the display says is heard
        self._device.engine.render_frame()
        self.hud.is_new = False
        if is_drawn:
            # else it would be seen when something is drawn the next time
            self._device.engine.flip_frame()
            self._drawn_at = now
        if is_new:
            self._busy_at = now
        return is_new and self.stage is not None

    def pause(self) -> None:
        """Sleep a little after a round in which the scene was not drawn; longer when nothing has happened for long."""
        is_busy = time.perf_counter() - self._busy_at < BUSY_S
        time.sleep(BUSY_PAUSE_S if is_busy else IDLE_PAUSE_S)

    def picture(self) -> NDArray[np.uint8]:
        """Returns what the window shows, panels included: (h, w, 3) bytes, RGB, top row first. Raises ViewError."""
        self._is_new = True
        self.draw()
        texture = self._window.get_screenshot()
        if texture is None:
            raise ViewError("the window cannot be read: it is closed or too small")
        width, height = texture.get_x_size(), texture.get_y_size()
        parts = texture.get_num_components()
        pixels = np.frombuffer(texture.get_ram_image(), np.uint8).reshape(height, width, parts)
        return np.ascontiguousarray(pixels[::-1, :, 2::-1])

    def close(self) -> None:
        """Closes the window. Afterwards the process may open another one."""
        self.is_closed = True
        self.clear()
        close_screen()

    def poll(self) -> tuple[Event, ...]:
        """Returns what happened since the last call, in order."""
        if self.is_closed:
            return (Closed(),)
        found: list[Event] = [*self._changes(), *self._pointed()]
        x, y = self.pointer
        for kind, key in self._keyboard.heard():
            if kind == TYPED:
                found.append(Typed(key))
            elif kind == UP:
                self.down.discard(key)
                if key == "mouse1" and self._slider is not None:
                    self._slider = None
                else:
                    found.append(Lift(key, x, y))
            elif kind in (DOWN, AGAIN):
                found += self._pressed(key, kind == AGAIN)
            elif kind == CLOSE:
                self.is_closed = True
                found.append(Closed())
        if found:
            self._busy_at = time.perf_counter()
        return tuple(found)

    def _pressed(self, key: str, again: bool) -> list[Event]:
        x, y = self.pointer
        is_mouse = key.startswith(("mouse", "wheel"))
        # some displays report a key that repeats as pressed again
        again = again or (key in self.down and not is_mouse)
        self.down.add(key)
        if key == "mouse1":
            region = self.hud.layout.region_at(x, y)
            if region is not None and region.low is not None:
                self._slider = region
                return [Slid(region.name, region.value_at(x))]
            if region is not None:
                return [Clicked(region.name)]
        if is_mouse and self.hud.layout.covers(x, y):
            if key.startswith("wheel"):
                self.hud.scroll(x, y, -1 if key == "wheel_up" else 1)
            return []
        return [Press(key, x, y, again)]

    def _pointed(self) -> list[Event]:
        place = self._window.get_pointer(0)
        if not place.get_in_window():
            return []
        x, y = float(place.get_x()), float(place.get_y())
        if (x, y) == self.pointer:
            return []
        self.pointer = (x, y)
        if self._slider is not None:
            return [Slid(self._slider.name, self._slider.value_at(x))]
        region = self.hud.layout.region_at(x, y)
        self.hud.hover(region.name if region is not None else "")
        return [PointerMoved(x, y, self.hud.layout.covers(x, y))]

    def _changes(self) -> list[Event]:
        if not self._window.is_valid() or self._window.is_closed():
            self.is_closed = True
            return [Closed()]
        size = _size_of(self._window)
        if size is None or size == self.size:
            return []
        self.size = size
        if min(size) >= MIN_SIDE_PX:
            self.hud.resize(size)
            self._refit()
        return [Resized(size)]

    def _refit(self) -> None:
        if self.stage is not None and self.stage.size != self._inner():
            self.stage.resize(self._inner())
            self._fit()

    def _fit(self) -> None:
        """Shows the picture of the stage: as it is, or stretched where it is smaller than the window."""
        stage = self._stage()
        fragment = "copy.frag" if stage.size == self.size else "picture.frag"
        self._screen.set_shader(shader("picture.vert", fragment))
        self._screen.set_shader_input("u_picture", stage.texture)
        self._is_new = True

    def _inner(self) -> tuple[int, int]:
        width, height = (min(max(1, round(side * self.sharpness)), MAX_SIDE_PX) for side in self.size)
        return width, height

    def _stage(self) -> Stage:
        if self.stage is None:
            raise ViewError("the window shows no stage yet: put() one")
        return self.stage


def _size_of(window: object) -> tuple[int, int] | None:
    properties = window.get_properties()  # type: ignore[attr-defined]
    if not properties.has_size():
        return None
    return int(properties.get_x_size()), int(properties.get_y_size())


class Keyboard:
    """Keys and mouse buttons of one window as Panda3D reports them, in order."""

    def __init__(self, window: Any) -> None:
        self._data = core.NodePath("input")
        device = self._data.attach_new_node(core.MouseAndKeyboard(window, 0, "mouse and keyboard"))
        thrower = core.ButtonThrower("buttons")
        thrower.set_button_down_event(DOWN)
        thrower.set_button_repeat_event(AGAIN)
        thrower.set_button_up_event(UP)
        thrower.set_keystroke_event(TYPED)
        # shift and control do not change the names of keys
        thrower.set_modifier_buttons(core.ModifierButtons())
        device.attach_new_node(thrower)
        self._walk = core.DataGraphTraverser()
        self._queue = core.EventQueue.get_global_event_queue()

    def heard(self) -> list[tuple[str, str]]:
        """Returns what happened since the last call: (event name, key); the key is empty for other events."""
        self._walk.traverse(self._data.node())
        found: list[tuple[str, str]] = []
        while not self._queue.is_queue_empty():
            event = self._queue.dequeue_event()
            name = str(event.get_name())
            if name == TYPED:
                found.append((name, str(event.get_parameter(0).get_wstring_value())))
            elif name in (DOWN, AGAIN, UP):
                found.append((name, str(event.get_parameter(0).get_string_value())))
            else:
                found.append((name, ""))
        return found


_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_kept: list[object] = []
"""The handlers that X11 holds on to."""


def say_when_lost(words: Callable[[], str]) -> None:
    """When the display goes away, writes what `words` returns to standard error and exits with code 2.

    X11 ends the process when its display is lost, so this runs in its error handler. Without X11 it does nothing:
    elsewhere a lost window is an event like any other.
    """
    name = ctypes.util.find_library("X11")
    if name is None:
        return

    def handler(display: int) -> int:
        os.write(2, f"teeter: {words()}\n".encode())
        sys.stdout.flush()
        os._exit(EXIT_DISPLAY_LOST)

    made = _Handler(handler)
    _kept.append(made)
    ctypes.CDLL(name).XSetIOErrorHandler(made)
