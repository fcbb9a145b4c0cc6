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

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.camera import BoundingSphere, Camera
from teeter.engine.view.frame import Frame
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.overlays import Overlay
from teeter.engine.view.render.device import close_screen, open_screen, sampler_of
from teeter.engine.view.render.passes import covering
from teeter.engine.view.render.resources import shader
from teeter.engine.view.render.shading import MAX_SIDE_PX, Quality, TableTop
from teeter.engine.view.sound import Speaker
from teeter.engine.view.window.events import (
    Clicked,
    Closed,
    Event,
    Lift,
    PointerMoved,
    Press,
    Resized,
    Slid,
    Typed,
)
from teeter.engine.view.window.gamepad import Gamepad, PandaPads
from teeter.engine.view.window.hud import Hud
from teeter.engine.view.window.keyboard import AGAIN, CLOSE, DOWN, TYPED, UP, Keyboard
from teeter.engine.view.window.layout import READ_UNIT
from teeter.engine.view.window.shapes import Region
from teeter.engine.world.body import Body

if TYPE_CHECKING:
    from teeter.engine.view.render.stage import Stage

SIZE = (1280, 720)
MIN_SIDE_PX = 16
"""A smaller window shows nothing, and is not drawn."""
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
        self.top: TableTop = "wood"
        """What lies on the table of the next stage."""
        self.sharpness = 1.0
        self.is_closed = False
        self.pointer = (self.size[0] / 2, self.size[1] / 2)
        self.down: set[str] = set()
        self.hud = Hud(self._window, self.size, least=READ_UNIT)
        self.pad = Gamepad(PandaPads())
        self.pad_click = "pad_a"
        """The button of a gamepad that is the left button of the mouse now; empty for none."""
        self.is_padded = False
        """Whether what was touched last is a gamepad."""
        self._pad_down = ""
        self._mouse: tuple[float, float] | None = None
        self._keyboard = Keyboard(self._window)
        self._is_full, self._plain_size = False, self.size
        self._screen = covering(shader("picture.vert", "picture.frag"))
        self._screen.set_depth_test(False)
        scene = core.NodePath("screen")
        self._screen.reparent_to(scene)
        self._screen.hide()
        region = self._window.make_display_region()
        region.set_sort(10)
        region.set_camera(scene.attach_new_node(core.Camera("screen", core.OrthographicLens())))
        self._slider: Region | None = None
        self.is_new = True
        """Whether the scene changed since the last picture; who changes something on the stage itself says so."""
        self._drawn_at = self._busy_at = 0.0

    def put(
        self,
        bodies: Iterable[Body],
        quality: Quality | None = None,
        sphere: BoundingSphere | None = None,
        unread: frozenset[str] = frozenset(),
    ) -> Stage:
        """Shows a stage of these bodies instead of the one before. sphere, unread: as for a stage."""
        # what builds pieces takes longer to load than all else here: panels are seen before
        from teeter.engine.view.render.stage import Stage

        self.clear()
        self.quality = quality or self.quality
        self.stage = Stage(
            bodies,
            size=self._inner(),
            quality=self.quality,
            to_ram=False,
            sphere=sphere,
            unread=unread,
            top=self.top,
        )
        self._fit()
        self._screen.show()
        return self.stage

    def clear(self) -> None:
        """Shows no stage."""
        if self.stage is not None:
            self.stage.close()
        self.stage = None
        self._screen.hide()
        self.is_new = True

    def show(self, frame: Frame) -> None:
        """Puts the bodies of the stage where a frame has them."""
        self._stage().show(frame)
        self.is_new = True

    def aim(self, camera: Camera) -> None:
        """Looks from a camera."""
        stage = self._stage()
        if camera != stage.camera:
            stage.aim(camera)
            self.is_new = True

    def show_overlays(self, overlays: Iterable[Overlay]) -> None:
        """Shows these overlays in the scene and no others."""
        self.is_new |= self._stage().show_overlays(overlays)

    def dress_table(self, top: TableTop) -> None:
        """Sets what lies on the table from now on."""
        self.top = top
        if self.stage is not None:
            self.stage.dress_table(top)
            self.is_new = True

    def relight(self, quality: Quality, sharpness: float) -> None:
        """Sets the quality level and the sharpness from now on; fewer pixels are faster."""
        self.quality, self.sharpness = quality, sharpness
        if self.stage is not None and self.stage.quality != quality:
            self.stage.relight(quality)
            self._fit()
        self._refit()

    def draw(self) -> bool:
        """Makes one picture and shows it. Returns whether the scene was drawn, not only the panels over it."""
        if self.is_closed:
            return False
        # a window too small to show anything still has to hear when it grows
        is_seen = min(self.size) >= MIN_SIDE_PX
        is_new, self.is_new = self.is_new and is_seen, self.is_new and not is_seen
        try:
            if self.stage is not None:
                self.stage.rest(not is_new)
        finally:
            # a scene that fails leaves the panels, and what is pressed
            self._render(is_new)
        return is_new and self.stage is not None

    def _render(self, is_new: bool) -> None:
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

    def pause(self) -> None:
        """Sleep a little after a round in which the scene was not drawn; longer when nothing has happened for long."""
        is_busy = time.perf_counter() - self._busy_at < BUSY_S
        time.sleep(BUSY_PAUSE_S if is_busy else IDLE_PAUSE_S)

    def fill_screen(self) -> None:
        """Fills the screen, or gives it free again."""
        self._is_full = not self._is_full
        wanted = core.WindowProperties()
        if self._is_full:
            self._plain_size = self.size
            pipe = self._device.pipe
            wanted.set_origin(0, 0)
            wanted.set_size(pipe.get_display_width(), pipe.get_display_height())
        else:
            wanted.set_size(*self._plain_size)
        wanted.set_fullscreen(self._is_full)
        self._window.request_properties(wanted)

    def picture(self) -> NDArray[np.uint8]:
        """Returns what the window shows, panels included: (h, w, 3) bytes, RGB, top row first. Raises ViewError."""
        self.is_new = True
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
        events: list[Event] = [*self._changes(), *self._pointed()]
        for kind, key in self._keyboard.heard():
            self.is_padded = False
            if kind == TYPED:
                events.append(Typed(key))
            elif kind == UP:
                events += self._lifted(key)
            elif kind in (DOWN, AGAIN):
                events += self._pressed(key, kind == AGAIN)
            elif kind == CLOSE:
                self.is_closed = True
                events.append(Closed())
        events += self._padded(time.perf_counter())
        if events:
            self._busy_at = time.perf_counter()
        return tuple(events)

    def point(self, x: float, y: float) -> tuple[Event, ...]:
        """Moves the pointer without the mouse, and shows it, until the mouse is moved. Returns what happened."""
        width, height = self.size
        self.pointer = (min(max(x, 0.0), width - 1.0), min(max(y, 0.0), height - 1.0))
        self.hud.show_pointer(self.pointer)
        self._busy_at = time.perf_counter()
        return tuple(self._moved())

    def _padded(self, now: float) -> list[Event]:
        events: list[Event] = []
        for kind, key in self.pad.heard(now):
            if kind == "up":
                key, self._pad_down = ("mouse1", "") if key == self._pad_down else (key, self._pad_down)
                events += self._lifted(key)
            elif key == self._pad_down or (kind == "down" and key == self.pad_click):
                if kind == "down":
                    self._pad_down = key
                    events += self._pressed("mouse1", again=False)
            else:
                events += self._pressed(key, kind == "again")
        if events or self.pad.left != (0.0, 0.0) or self.pad.right != (0.0, 0.0):
            self._busy_at, self.is_padded = now, True
        return events

    def _lifted(self, key: str) -> list[Event]:
        self.down.discard(key)
        if key == "mouse1" and self._slider is not None:
            self._slider = None
            return []
        return [Lift(key, *self.pointer)]

    def _pressed(self, key: str, again: bool) -> list[Event]:
        x, y = self.pointer
        is_mouse = key.startswith(("mouse", "wheel"))
        if key == "enter" and self.down & {"alt", "lalt", "ralt"}:
            # what other programs do with it
            if not again:
                self.fill_screen()
            return []
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
        if (x, y) == self._mouse:
            return []
        # a mouse that stays where it is lets the pointer be where a gamepad has put it
        self._mouse, self.is_padded = (x, y), False
        self.pointer = (x, y)
        self.hud.show_pointer(None)
        return self._moved()

    def _moved(self) -> list[Event]:
        x, y = self.pointer
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
        # software renderers copy what is not filtered twice as fast
        kind = core.SamplerState.FT_nearest if stage.size == self.size else core.SamplerState.FT_linear
        self._screen.set_shader_input("u_picture", stage.texture, sampler_of(kind))
        self.is_new = True

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
