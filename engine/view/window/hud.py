"""Panels drawn over a window: one node a shape, kept from one layout to the next where it stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from panda3d import core

from engine.view.opengl import ViewError
from engine.view.panels import Panel
from engine.view.render.resources import shader
from engine.view.window.layout import Layout, lay_out
from engine.view.window.shapes import Fill, Letters

SORT = 50
FONT_FILES = {False: "SourceSansPro-Regular.ttf", True: "SourceSansPro-Semibold.ttf"}
"""By whether letters are bold. Source Sans Pro, SIL Open Font License; the package font-source-sans-pro brings it."""
FONT_PAGE_PX = 512
"""Side of the textures that hold letters."""


class Hud:
    """The panels over the scene of a window, in pixels from the upper left corner."""

    def __init__(self, window: Any, size: tuple[int, int]) -> None:
        self.layout = Layout()
        self.is_new = True
        """Whether the panels were drawn anew; their window takes note."""
        self._size, self._scale, self._hovered = size, 1.0, ""
        self._panels: tuple[Panel, ...] = ()
        # by shape, and how many equal ones come before it
        self._nodes: dict[tuple[Fill | Letters, int], Any] = {}
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
        self._camera = self._root.attach_new_node(core.Camera("hud", self._lens))
        region.set_camera(self._camera)
        self._fit()

    def show(self, panels: Iterable[Panel], *, scale: float = 1.0) -> bool:
        """Shows these panels and no others. scale: of the letters. Returns whether the picture changes."""
        listed = tuple(panels)
        if listed == self._panels and scale == self._scale:
            return False
        self._panels, self._scale = listed, scale
        self._draw()
        return True

    def hover(self, name: str) -> None:
        """Lights up what the pointer is on."""
        if name != self._hovered:
            self._hovered = name
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
        self.layout = lay_out(self._panels, self._size, width_of, scale=self._scale, hovered=self._hovered)
        seen: Counter[Fill | Letters] = Counter()
        kept: dict[tuple[Fill | Letters, int], Any] = {}
        for number, shape in enumerate(self.layout.shapes):
            key = (shape, seen[shape])
            seen[shape] += 1
            node = self._nodes.pop(key, None)
            if node is None:
                node = self._rectangle(shape) if isinstance(shape, Fill) else self._line(shape)
            node.set_bin("fixed", number)
            kept[key] = node
        for node in self._nodes.values():
            node.remove_node()
        self._nodes = kept

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
        text = core.TextNode("line")
        text.set_font(font(letters.size, letters.bold))
        text.set_text(letters.text)
        node = self._root.attach_new_node(text.generate())
        node.set_scale(letters.size)
        node.set_pos(letters.x, 0, -letters.y)
        node.set_shader(self._letters, 10)
        node.set_shader_input("u_ink", core.LVecBase4(*letters.colour))
        return node


def font_folder() -> Path:
    """Returns the folder of the font files. Raises ViewError when they are not installed."""
    found = find_spec("font_source_sans_pro")
    if found is None or not found.submodule_search_locations:
        raise ViewError("the letters of the window are missing: pip install font-source-sans-pro")
    return Path(found.submodule_search_locations[0]) / "files"


@lru_cache(maxsize=64)
def font(size: int, bold: bool) -> Any:
    """Returns a font for letters of a size in pixels, each drawn for its pixels and therefore sharp."""
    file = font_folder() / FONT_FILES[bold]
    # not through Panda3D's search path, which would stop at the first space of a name
    made = core.DynamicTextFont(core.Filename.from_os_specific(str(file)))
    if not made.is_valid():
        raise ViewError(f"{file}: is no font; pip install --force-reinstall font-source-sans-pro")
    made.set_scale_factor(1)
    made.set_pixels_per_unit(size)
    made.set_page_size(FONT_PAGE_PX, FONT_PAGE_PX)
    made.set_texture_margin(1)
    made.set_minfilter(core.SamplerState.FT_linear)
    made.set_magfilter(core.SamplerState.FT_linear)
    made.set_native_antialias(True)
    return made


@lru_cache(maxsize=4096)
def width_of(text: str, size: int, bold: bool) -> float:
    """Returns the width of a line of text in pixels."""
    node = core.TextNode("measure")
    node.set_font(font(size, bold))
    return float(node.calc_width(text)) * size
