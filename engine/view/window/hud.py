"""Panels drawn over a window. What stays from one layout to the next keeps its node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from panda3d import core

from engine.view.device import shader
from engine.view.panels import Panel
from engine.view.window.layout import Layout, lay_out
from engine.view.window.shapes import Fill, Letters
from engine.view.window.typeface import line_of, width_of

SORT = 50
Key = tuple[Fill | Letters, int]
"""A mark, and how many equal ones come before it."""


class Hud:
    """What lies over the scene of a window, in pixels from the upper left corner."""

    def __init__(self, window: Any, size: tuple[int, int]) -> None:
        self.layout = Layout()
        self._size, self._scale, self._hovered = size, 1.0, ""
        self._panels: tuple[Panel, ...] = ()
        self._nodes: dict[Key, Any] = {}
        self._root = core.NodePath("hud")
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        self._root.set_transparency(core.TransparencyAttrib.M_alpha)
        self._root.set_two_sided(True)
        self._fill = shader("hud.vert", "fill.frag")
        self._letters = shader("hud.vert", "letters.frag")
        self._lens = core.OrthographicLens()
        self._lens.set_near_far(-10, 10)
        region = window.make_display_region()
        region.set_sort(SORT)
        self._eye = self._root.attach_new_node(core.Camera("hud", self._lens))
        region.set_camera(self._eye)
        self._fit()

    def show(self, panels: Iterable[Panel], *, scale: float = 1.0) -> bool:
        """Show these panels and no others; whether that changes the picture. scale: of the letters."""
        listed = tuple(panels)
        if listed == self._panels and scale == self._scale:
            return False
        self._panels, self._scale = listed, scale
        self._draw()
        return True

    def hover(self, name: str) -> bool:
        """Light up what the pointer is on; whether that changes the picture."""
        if name == self._hovered:
            return False
        self._hovered = name
        self._draw()
        return True

    def resize(self, size: tuple[int, int]) -> None:
        """Lay everything out for a window of another size."""
        self._size = size
        self._fit()
        self._draw()

    def _fit(self) -> None:
        width, height = self._size
        self._lens.set_film_size(width, height)
        self._eye.set_pos(width / 2, 0, -height / 2)

    def _draw(self) -> None:
        self.layout = lay_out(self._panels, self._size, width_of, scale=self._scale, hovered=self._hovered)
        seen: Counter[Fill | Letters] = Counter()
        kept: dict[Key, Any] = {}
        for number, mark in enumerate(self.layout.marks):
            key = (mark, seen[mark])
            seen[mark] += 1
            node = self._nodes.pop(key, None)
            if node is None:
                node = self._filled(mark) if isinstance(mark, Fill) else self._written(mark)
            node.set_bin("fixed", number)
            kept[key] = node
        for node in self._nodes.values():
            node.remove_node()
        self._nodes = kept

    def _filled(self, fill: Fill) -> Any:
        maker = core.CardMaker("fill")
        rect = fill.rect
        maker.set_frame(rect.x, rect.x + rect.width, -rect.y - rect.height, -rect.y)
        node = self._root.attach_new_node(maker.generate())
        node.set_shader(self._fill)
        node.set_shader_input("u_size", core.LVecBase2(rect.width, rect.height))
        most = min(rect.width, rect.height) / 2
        line = fill.line if fill.edge is not None else 0.0
        node.set_shader_input("u_round", core.LVecBase2(min(fill.rounding, most), line))
        node.set_shader_input("u_fill", core.LVecBase4(*fill.colour))
        edge = fill.edge if fill.edge is not None else (*fill.colour[:3], 0.0)
        node.set_shader_input("u_edge", core.LVecBase4(*edge))
        return node

    def _written(self, letters: Letters) -> Any:
        node = self._root.attach_new_node(line_of(letters.text, letters.size, letters.bold))
        node.set_scale(letters.size)
        node.set_pos(letters.x, 0, -letters.y)
        node.set_shader(self._letters, 10)
        node.set_shader_input("u_ink", core.LVecBase4(*letters.colour))
        return node
