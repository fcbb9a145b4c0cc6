"""Panels drawn over a window: one node a shape, kept from one layout to the next where it stays the same."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.panels import Panel, lit_in
from teeter.engine.view.render.resources import shader
from teeter.engine.view.window.fonts import runs, width_of, written
from teeter.engine.view.window.layout import LEAST_UNIT, Layout, Scroll, lay_out
from teeter.engine.view.window.shapes import Fill, Image, Letters, Rect, Shape

SORT = 50
OVER_ALL = 100_000
"""Of what is drawn, the last."""
POINTER = Fill(Rect(-9.0, -9.0, 18.0, 18.0), (1.0, 1.0, 1.0, 0.35), 9.0, (0.76, 0.34, 0.1, 1.0), 3.0)
"""The pointer of a gamepad: a ring around its place."""


class Hud:
    """The panels over the scene of a window, in pixels from the upper left corner."""

    def __init__(self, window: Any, size: tuple[int, int], *, least: float = LEAST_UNIT) -> None:
        self.layout = Layout()
        self.is_new = True
        """Whether the panels were drawn anew; their window takes note."""
        self._size, self._scale, self._least, self._hovered = size, 1.0, least, ""
        self._panels: tuple[Panel, ...] = ()
        # by shape, and how many equal ones come before it
        self._nodes: dict[tuple[Shape, int], Any] = {}
        self._images: dict[str, Any] = {}
        self._scrolled: dict[str, int] = {}
        self._pointer: Any = None
        self._root = core.NodePath("hud")
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        self._root.set_transparency(core.TransparencyAttrib.M_alpha)
        # over what is transparent, too, opacity adds up
        blend = core.ColorBlendAttrib
        own, rest, add = blend.O_incoming_alpha, blend.O_one_minus_incoming_alpha, blend.M_add
        self._root.set_attrib(blend.make(add, own, rest, add, blend.O_one, rest, core.LVecBase4()))
        self._root.set_two_sided(True)
        self._fill = shader("hud.vert", "fill.frag")
        self._letters = shader("hud.vert", "letters.frag")
        self._image_shader = shader("hud.vert", "image.frag")
        self._lens = core.OrthographicLens()
        self._lens.set_near_far(-10, 10)
        region = window.make_display_region()
        region.set_sort(SORT)
        self._camera = self._root.attach_new_node(core.Camera("hud", self._lens))
        region.set_camera(self._camera)
        self._fit()

    def show(self, panels: Iterable[Panel], *, scale: float = 1.0) -> bool:
        """Shows these panels and no others. scale: of the letters. Returns whether the picture changes."""
        listed = tuple(panels)
        if listed == self._panels and scale == self._scale:
            return False
        before = self._panels, self._scale
        was = {panel.name: lit_in(panel.items) for panel in self._panels}
        for panel in listed:
            if lit_in(panel.items) not in ("", was.get(panel.name, "")):
                self._scrolled.pop(panel.name, None)
        self._panels, self._scale = listed, scale
        try:
            self._draw()
        except Exception:
            # what was drawn before stays, and what is shown next does not hang on this
            self._panels, self._scale = before
            raise
        return True

    def hover(self, name: str) -> None:
        """Lights up what the pointer is on."""
        if name != self._hovered:
            self._hovered = name
            self._draw()

    def show_pointer(self, at: tuple[float, float] | None) -> None:
        """Shows a pointer there, pixels; None hides it."""
        if at is None and self._pointer is None:
            return
        self.is_new = True
        if at is None:
            self._pointer.remove_node()
            self._pointer = None
            return
        if self._pointer is None:
            self._pointer = self._rectangle(POINTER)
            self._pointer.set_bin("fixed", OVER_ALL)
        self._pointer.set_pos(at[0], 0, -at[1])

    def scroll(self, x: float, y: float, lines: int) -> bool:
        """Scrolls the panel at a point. Returns whether there is one that can be scrolled."""
        return self._scroll(self.layout.scroll_at(x, y), lines)

    def scroll_tallest(self, lines: int) -> bool:
        """Scrolls the tallest panel that can be scrolled. Returns whether there is one."""
        return self._scroll(max(self.layout.scrolls, key=lambda each: each.rect.height, default=None), lines)

    def _scroll(self, scroll: Scroll | None, lines: int) -> bool:
        if scroll is None:
            return False
        self._scrolled[scroll.name] = min(max(scroll.first + lines, 0), scroll.last)
        self._draw()
        return True

    def has_image(self, name: str) -> bool:
        """Returns whether a picture of this name was given."""
        return name in self._images

    def give_image(self, name: str, pixels: NDArray[np.uint8]) -> None:
        """Takes a picture, (h, w, 4) bytes, RGBA, top row first, that panels may show by its name."""
        height, width, _ = pixels.shape
        texture = core.Texture(name)
        texture.setup_2d_texture(width, height, core.Texture.T_unsigned_byte, core.Texture.F_rgba)
        texture.set_ram_image_as(np.ascontiguousarray(pixels[::-1]).tobytes(), "RGBA")
        texture.set_minfilter(core.SamplerState.FT_linear_mipmap_linear)
        texture.set_magfilter(core.SamplerState.FT_linear)
        texture.set_wrap_u(core.SamplerState.WM_clamp)
        texture.set_wrap_v(core.SamplerState.WM_clamp)
        self._images[name] = texture
        for key in [key for key in self._nodes if isinstance(key[0], Image) and key[0].name == name]:
            self._nodes.pop(key).remove_node()
        self._draw()

    def resize(self, size: tuple[int, int]) -> None:
        """Lays everything out for a window of another size."""
        self._size = size
        self._fit()
        self._draw()

    def _fit(self) -> None:
        width, height = self._size
        self._lens.set_film_size(width, height)
        self._camera.set_pos(width / 2, 0, -height / 2)

    def _draw(self) -> None:
        self.is_new = True
        names = {panel.name for panel in self._panels}
        self._scrolled = {name: line for name, line in self._scrolled.items() if name in names}
        self.layout = lay_out(
            self._panels,
            self._size,
            width_of,
            scale=self._scale,
            least=self._least,
            hovered=self._hovered,
            scrolled=self._scrolled,
        )
        seen: Counter[Shape] = Counter()
        kept: dict[tuple[Shape, int], Any] = {}
        try:
            for number, shape in enumerate(self.layout.shapes):
                key = (shape, seen[shape])
                seen[shape] += 1
                node = self._nodes.pop(key, None)
                if node is None:
                    node = self._node(shape)
                node.set_bin("fixed", number)
                kept[key] = node
        except Exception:
            kept |= self._nodes
            raise
        else:
            for node in self._nodes.values():
                node.remove_node()
        finally:
            self._nodes = kept

    def _node(self, shape: Shape) -> Any:
        if isinstance(shape, Fill):
            return self._rectangle(shape)
        return self._line(shape) if isinstance(shape, Letters) else self._image(shape)

    def _image(self, image: Image) -> Any:
        """A picture around its middle; an empty node for one that was not given yet."""
        node = self._root.attach_new_node("image")
        texture = self._images.get(image.name)
        if texture is not None:
            maker = core.CardMaker("image")
            half = image.rect.width / 2, image.rect.height / 2
            maker.set_frame(-half[0], half[0], -half[1], half[1])
            card = node.attach_new_node(maker.generate())
            card.set_texture(texture)
            card.set_shader(self._image_shader)
            card.set_shader_input("u_opacity", image.opacity)
        x, y = image.rect.middle
        node.set_pos(x, 0, -y)
        node.set_r(image.angle)
        return node

    def _rectangle(self, fill: Fill) -> Any:
        maker = core.CardMaker("fill")
        rect = fill.rect
        maker.set_frame(rect.x, rect.x + rect.width, -rect.y - rect.height, -rect.y)
        node = self._root.attach_new_node(maker.generate())
        node.set_shader(self._fill)
        node.set_shader_input("u_size", core.LVecBase2(rect.width, rect.height))
        rounding = min(fill.rounding, min(rect.width, rect.height) / 2)
        edge, line = (fill.edge, fill.line) if fill.edge is not None else ((*fill.colour[:3], 0.0), 0.0)
        node.set_shader_input("u_round", core.LVecBase2(rounding, line))
        node.set_shader_input("u_fill", core.LVecBase4(*fill.colour))
        node.set_shader_input("u_edge", core.LVecBase4(*edge))
        return node

    def _line(self, letters: Letters) -> Any:
        node = self._root.attach_new_node("line")
        x = 0.0
        for run in runs(letters.text, letters.size, letters.bold):
            drawn, width = written(run)
            node.attach_new_node(drawn).set_x(x)
            x += width
        node.set_scale(letters.size)
        node.set_pos(letters.x, 0, -letters.y)
        node.set_shader(self._letters, 10)
        node.set_shader_input("u_ink", core.LVecBase4(*letters.colour))
        return node
