"""How panels look: colours as (red, green, blue, cover) from 0 to 1, and sizes in units."""

from __future__ import annotations

from engine.view.panels import Size, Tone

Colour = tuple[float, float, float, float]


def colour_of(hexadecimal: str, cover: float = 1.0) -> Colour:
    """A colour `#rrggbb`."""
    red, green, blue = (int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (red, green, blue, cover)


PAPER = colour_of("#fbf8f1", 0.93)
PAPER_EDGE = colour_of("#d8cfbd", 0.9)
SHADE = colour_of("#f1ece2", 0.995)
"""Behind a panel that covers the picture."""
KEY = colour_of("#efe8da")
KEY_HOVER = colour_of("#fffdf8")
KEY_EDGE = colour_of("#cfc4ae")
KEY_ON = colour_of("#3f6f68")
KEY_ON_TEXT = colour_of("#fffdf8")
LIT = colour_of("#c2571a")
TRACK = colour_of("#ddd3c0")
INK: dict[Tone, Colour] = {
    "plain": colour_of("#2b2620"),
    "quiet": colour_of("#7a7063"),
    "good": colour_of("#1f6d8c"),
    "warn": colour_of("#a86200"),
    "bad": colour_of("#b0301c"),
    "accent": colour_of("#2f635c"),
}
"""Blue for good and red for bad differ in lightness too, and are told apart with any kind of colour vision."""

TEXT: dict[Size, float] = {"small": 12.5, "normal": 15.0, "large": 19.0, "title": 30.0}
LEADING = 1.28
PAD = 12.0
BETWEEN = 5.0
MARGIN = 12.0
ROUND = 8.0
KEY_ROUND = 5.0
KEY_PAD = (10.0, 5.5)
SPOT = 11.0
SLIDER = 16.0
