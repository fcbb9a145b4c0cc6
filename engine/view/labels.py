"""Short texts over the picture: names of pieces, verdicts, the captions of a contact sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from panda3d import core

INK = (0.16, 0.14, 0.12, 1)
PAPER = (1.0, 0.99, 0.97, 0.82)
# part of the picture's height
HEIGHT = 0.028


class Labels:
    """A flat layer over a buffer, in units of half the picture's height, the middle at (0, 0)."""

    def __init__(self, buffer: Any, size: tuple[int, int]) -> None:
        self._aspect = size[0] / size[1]
        self._root = core.NodePath("labels")
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        lens = core.OrthographicLens()
        lens.set_film_size(2 * self._aspect, 2)
        lens.set_near_far(-10, 10)
        region = buffer.make_display_region()
        region.set_sort(10)
        region.set_camera(self._root.attach_new_node(core.Camera("labels", lens)))
        self._made: dict[str, tuple[str, Any]] = {}
        self._is_empty = True

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever written."""
        return self._is_empty

    def write(self, text: str, at: tuple[float, float], *, height: float = HEIGHT, card: bool = True) -> Any:
        """Put a text with its bottom middle at a place."""
        self._is_empty = False
        node = core.TextNode("label")
        node.set_text(text)
        node.set_align(core.TextNode.A_center)
        node.set_text_color(*INK)
        if card:
            node.set_card_color(*PAPER)
            node.set_card_as_margin(0.35, 0.35, 0.12, 0.18)
            node.set_card_decal(True)
        path = self._root.attach_new_node(node.generate())
        path.set_transparency(core.TransparencyAttrib.M_alpha)
        path.set_scale(2 * height)
        path.set_pos(at[0], 0, at[1])
        return path

    def caption(self, text: str, at: tuple[float, float], height: float) -> None:
        """Write a text below a place, from -1 to 1, for good; height: of a line, part of the picture's."""
        self.write(text, (at[0] * self._aspect, at[1]), height=height, card=False)

    def show(self, texts: Mapping[str, str], place: Callable[[str], tuple[float, float] | None]) -> None:
        """Show these texts at the bodies they are named by, and no others; place: from -1 to 1, or None."""
        for name in [name for name, (text, _) in self._made.items() if texts.get(name) != text]:
            self._made.pop(name)[1].remove_node()
        for name, text in texts.items():
            at = place(name)
            if name not in self._made:
                self._made[name] = (text, self.write(text, (0, 0)))
            path = self._made[name][1]
            if at is None:
                path.hide()
            else:
                path.show()
                path.set_pos(at[0] * self._aspect, 0, at[1] + 0.02)
