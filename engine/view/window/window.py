"""A window on the screen: one stage in it, panels over it, events out of it.

    window = Window("teeter")
    window.put(bodies)                      # a stage of these bodies fills the window
    while not window.is_closed:
        for event in window.poll(): ...     # Press, Moved, Clicked, Slid, Closed, ...
        window.show(frame); window.aim(camera); window.hud.show(panels)
        window.draw()                       # one picture; costs nothing while nothing changes

It knows no game, no physics and no file. One window in a process; a process that has made pictures without a screen
cannot open one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.camera import Camera, Sphere
from engine.view.device import close_screen, open_screen, shader
from engine.view.errors import ViewError
from engine.view.frame import Frame
from engine.view.guide import Guide
from engine.view.look import Quality
from engine.view.passes import covering
from engine.view.stage import MOST_PIXELS, Stage
from engine.view.window import keyboard
from engine.view.window.events import Clicked, Closed, Event, Lift, Moved, Press, Resized, Slid, Typed
from engine.view.window.hud import Hud
from engine.view.window.shapes import Region
from engine.view.window.speaker import Speaker
from engine.world import Body

SIZE = (1280, 720)
SMALLEST = 16
"""Pixels: a smaller window shows nothing, and is not drawn."""


class Window:
    """The window of this process. sharpness: pixels of the scene along a side of a pixel of the window, at most 1;
    panels are always sharp. Raises ViewError when there is no display or no OpenGL."""

    def __init__(self, title: str, *, size: tuple[int, int] = SIZE) -> None:
        self._device = open_screen(title, size)
        self._window = self._device.host
        self._window.set_clear_color(core.LVecBase4(0.914, 0.894, 0.855, 1))
        self._window.set_close_request_event("teeter-close")
        self.size = _size_of(self._window) or size
        self.renderer: str = self._device.renderer
        self.stage: Stage | None = None
        self.speaker: Speaker | None = None
        """For who wants to be heard: `Speaker()` makes one."""
        self.quality: Quality = "medium"
        self.sharpness = 1.0
        self.is_closed = False
        self.pointer = (self.size[0] / 2, self.size[1] / 2)
        self.down: set[str] = set()
        self.hud = Hud(self._window, self.size)
        self._keyboard = keyboard.Keyboard(self._window)
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

    # -- what it shows -----------------------------------------------------------------------------------------------

    def put(
        self, bodies: Iterable[Body], quality: Quality | None = None, sphere: Sphere | None = None
    ) -> Stage:
        """Show a stage of these bodies instead of the one before. sphere: as for a stage."""
        self.clear()
        self.quality = quality or self.quality
        self.stage = Stage(bodies, size=self._inner(), quality=self.quality, to_ram=False, sphere=sphere)
        self._fit()
        self._screen.show()
        return self.stage

    def clear(self) -> None:
        """Show no stage."""
        if self.stage is not None:
            self.stage.close()
        self.stage = None
        self._screen.hide()

    def show(self, frame: Frame) -> None:
        """Put the bodies of the stage where a frame has them."""
        self._stage().show(frame)
        self._is_new = True

    def aim(self, camera: Camera) -> None:
        """Look from a camera."""
        stage = self._stage()
        if camera != stage.camera:
            stage.aim(camera)
            self._is_new = True

    def guide(self, guides: Iterable[Guide]) -> None:
        """Show these guides in the scene and no others."""
        self._is_new |= self._stage().guide(guides)

    def sharpen(self, sharpness: float) -> None:
        """Draw the scene with so many pixels along a side of a pixel of the window: less is faster."""
        self.sharpness = sharpness
        self._refit()

    def relight(self, quality: Quality, sharpness: float) -> None:
        """Draw the scene at another level, and so sharp, from now on."""
        self.quality, self.sharpness = quality, sharpness
        if self.stage is not None and self.stage.quality != quality:
            self.stage.relight(quality)
            self._fit()
        self._refit()

    @property
    def is_new(self) -> bool:
        """Whether the scene changed since the last picture."""
        return self._is_new

    def touch(self) -> None:
        """Something of the stage was changed: draw it anew."""
        self._is_new = True

    def draw(self) -> bool:
        """Make one picture and show it; whether the scene was drawn, and not only what lies over it."""
        if self.is_closed:
            return False
        # a window too small to show anything still has to hear when it grows
        is_seen = min(self.size) >= SMALLEST
        is_new, self._is_new = self._is_new and is_seen, self._is_new and not is_seen
        if self.stage is not None:
            self.stage.rest(not is_new)
        self._device.engine.render_frame()
        return is_new and self.stage is not None

    def picture(self) -> NDArray[np.uint8]:
        """What the window shows, panels included: (h, w, 3) bytes, red first, upper row first. Raises ViewError."""
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
        """Close the window. Afterwards the process may open another one."""
        self.is_closed = True
        self.clear()
        close_screen()

    # -- what comes out of it ----------------------------------------------------------------------------------------

    def poll(self) -> tuple[Event, ...]:
        """What happened since the last call, in order."""
        if self.is_closed:
            return (Closed(),)
        found: list[Event] = [*self._changes(), *self._pointed()]
        x, y = self.pointer
        for kind, key in self._keyboard.heard():
            if kind == keyboard.TYPED:
                found.append(Typed(key))
            elif kind == keyboard.UP:
                self.down.discard(key)
                if key == "mouse1" and self._slider is not None:
                    self._slider = None
                else:
                    found.append(Lift(key, x, y))
            elif kind in (keyboard.DOWN, keyboard.AGAIN):
                found += self._pressed(key, kind == keyboard.AGAIN)
            elif kind == "teeter-close":
                self.is_closed = True
                found.append(Closed())
        return tuple(found)

    def _pressed(self, key: str, again: bool) -> list[Event]:
        x, y = self.pointer
        is_mouse = key.startswith(("mouse", "wheel"))
        # some displays tell of a key that repeats as if it went down anew
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
        return [Moved(x, y, self.hud.layout.covers(x, y))]

    def _changes(self) -> list[Event]:
        if not self._window.is_valid() or self._window.is_closed():
            self.is_closed = True
            return [Closed()]
        size = _size_of(self._window)
        if size is None or size == self.size:
            return []
        self.size = size
        if min(size) >= SMALLEST:
            self.hud.resize(size)
            self._refit()
        return [Resized(size)]

    def _refit(self) -> None:
        if self.stage is not None and self.stage.size != self._inner():
            self.stage.resize(self._inner())
            self._fit()

    def _fit(self) -> None:
        """Show the picture of the stage: as it is, or stretched where it is smaller than the window."""
        stage = self._stage()
        way = "copy.frag" if stage.size == self.size else "picture.frag"
        self._screen.set_shader(shader("picture.vert", way))
        self._screen.set_shader_input("u_picture", stage.texture)
        self._is_new = True

    def _inner(self) -> tuple[int, int]:
        width, height = (min(max(1, round(side * self.sharpness)), MOST_PIXELS) for side in self.size)
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
