"""Letters of the window as they are drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.panels import Panel, Text
from teeter.engine.view.render.device import device
from teeter.engine.view.render.resources import shader
from teeter.engine.view.window import fonts
from teeter.engine.view.window.hud import Hud

LETTERS = "".join(map(chr, range(ord("!"), ord("~") + 1)))
WIDTH, HEIGHT = 1280, 64
SHADE = 2
"""By so much, of 255, do places between two pixels differ."""


@pytest.fixture
def fresh_fonts() -> Iterator[None]:
    fonts.font.cache_clear()
    yield
    fonts.font.cache_clear()


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
        text.set_font(fonts.font(size, bold))
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
        fonts.font.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(fonts, "FONT_PAGE_PX", 640)
            elsewhere = drawn(size, bold=bold)
        fonts.font.cache_clear()
        assert np.abs(shown.astype(int) - elsewhere).max() <= SHADE


def line(text: str) -> NDArray[np.uint8]:
    """The ink of a line on a panel, cut to where there is some."""
    graphics = device()
    buffer, texture = graphics.colours("line", (WIDTH, 2 * HEIGHT), sort=0, to_ram=True)
    buffer.set_clear_color((1, 1, 1, 1))
    buffer.set_clear_color_active(True)
    Hud(buffer, (WIDTH, 2 * HEIGHT)).show(
        [Panel("line", "top-left", (Text(text, size="huge"),), width=900.0)]
    )
    graphics.engine.render_frame()
    shown = np.frombuffer(texture.get_ram_image(), np.uint8).reshape(2 * HEIGHT, WIDTH, -1)[::-1, :, 1]
    graphics.engine.remove_window(buffer)
    dark = np.argwhere(shown < 120)
    (top, left), (low, right) = dark.min(axis=0), dark.max(axis=0) + 1
    return shown[top:low, left:right]


@pytest.fixture
def fresh_scripts() -> Iterator[None]:
    caches = (fonts.runs, fonts.width_of, fonts._other_file)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_a_name_in_another_script_is_read_and_not_boxes(fresh_scripts: None) -> None:
    """From right to left where it is, within a line from left to right."""
    shin, resh, both = line("\u05e9"), line("\u05e8"), line("\u05e9\u05e8")
    assert shin.shape != resh.shape
    height = min(shin.shape[0], both.shape[0])
    # the first letter is the right one
    assert np.abs(both[:height, -shin.shape[1] :].astype(int) - shin[:height]).mean() < 30
    parts = fonts.runs("Ada, \u05e9\u05e8\u05d4 \u05e8, Bo\u200f", 20, False)
    assert [(run[0], run[2]) for run in parts] == [
        ("Ada, ", False),
        ("\u05e9\u05e8\u05d4 \u05e8", True),
        (", Bo", False),
    ]
    assert fonts.width_of("Ada \u05e9", 20, False) > fonts.width_of("Ada ", 20, False) + 5.0
    assert not core.ConfigVariableBool("text-use-harfbuzz").get_value()


def test_a_script_that_no_font_has_is_boxes_and_no_fault(
    fresh_scripts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert np.array_equal(line("\u05e9"), line("\u05e8"))
