"""Letters of the window as they are drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.render.device import device
from teeter.engine.view.render.resources import shader
from teeter.engine.view.window import hud

LETTERS = "".join(map(chr, range(ord("!"), ord("~") + 1)))
WIDTH, HEIGHT = 1280, 64
SHADE = 2
"""By so much, of 255, do places between two pixels differ."""


@pytest.fixture
def fresh_fonts() -> Iterator[None]:
    hud.font.cache_clear()
    yield
    hud.font.cache_clear()


def drawn(size: int, *, bold: bool) -> NDArray[np.uint8]:
    """All letters as the window's fonts draw them, each at a place of its own between two pixels."""
    graphics = device()
    buffer, texture = graphics.colours("letters", (WIDTH, HEIGHT), sort=0, to_ram=True)
    buffer.set_clear_color((1, 1, 1, 1))
    buffer.set_clear_color_active(True)
    letters = shader("hud.vert", "letters.frag")
    root = core.NodePath("root")
    lens = core.OrthographicLens()
    lens.set_film_size(WIDTH, HEIGHT)
    lens.set_near_far(-10, 10)
    eye = root.attach_new_node(core.Camera("eye", lens))
    buffer.make_display_region().set_camera(eye)
    for number, letter in enumerate(LETTERS):
        text = core.TextNode("letter")
        text.set_font(hud.font(size, bold))
        text.set_text(letter)
        node = root.attach_new_node(text.generate())
        node.set_shader(letters, 10)
        node.set_shader_input("u_ink", core.LVecBase4(0, 0, 0, 1))
        node.set_transparency(core.TransparencyAttrib.M_alpha)
        node.set_scale(size)
        node.set_pos(-WIDTH / 2 + 13.13 * number + 4, 0, 0.37 * (number % 3))
    graphics.engine.render_frame()
    found = np.frombuffer(texture.get_ram_image(), np.uint8).reshape(HEIGHT, WIDTH, -1)[..., :3].copy()
    graphics.engine.remove_window(buffer)
    return found


@pytest.mark.parametrize("bold", [False, True])
def test_a_letter_looks_the_same_wherever_it_lies_on_its_page(
    bold: bool, fresh_fonts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (11, 12, 13, 14, 16, 20):
        shown = drawn(size, bold=bold)
        assert np.ptp(shown) > 200
        hud.font.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(hud, "FONT_PAGE_PX", 640)
            elsewhere = drawn(size, bold=bold)
        hud.font.cache_clear()
        assert np.abs(shown.astype(int) - elsewhere).max() <= SHADE
