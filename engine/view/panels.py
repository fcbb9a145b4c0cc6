"""Panels over a picture: texts, buttons, sliders and fields, as plain values.

A game, a menu or a replay describes panels; `engine.view.window` lays them out, draws them, and reports by name what
was clicked. Nothing here knows what the names mean. Sizes are in units: a picture is 720 units high, whatever its
pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "quiet", "good", "warn", "bad", "accent"]
Size = Literal["small", "normal", "large", "title", "huge"]
Place = Literal[
    "top-left",
    "top",
    "top-right",
    "left",
    "right",
    "bottom-left",
    "bottom",
    "bottom-right",
    "centre",
    "toast",
    "dialog",
    "cover",
]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, wrapped to the panel. mark: a colour, a spot before it, `#rrggbb`, or `#rrggbb:R` with a letter;
    several with blanks between."""

    text: str
    tone: Tone = "plain"
    size: Size = "normal"
    bold: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A button; clicking it reports its name.

    is_on: it shows the current choice. is_lit: it has the keyboard focus. key: the key that does the same, shown small.
    mark: as in `Text`. text2: smaller, below the text. image: shown before the text, as in `Picture`.
    has_why: greyed, it is clicked all the same, to be told why.
    """

    name: str
    text: str
    tone: Tone = "plain"
    is_on: bool = False
    is_lit: bool = False
    is_enabled: bool = True
    has_why: bool = False
    key: str = ""
    mark: str = ""
    text2: str = ""
    image: str = ""


@dataclass(frozen=True, slots=True)
class Slider:
    """A value between two bounds; dragging it reports `Slid(name, value)`. marks: values marked on it. is_coins: marks
    are coins, those up to the value golden. steps: in how many steps keys go from one bound to the other. is_lit: as of
    a button."""

    name: str
    text: str
    value: float
    low: float = 0.0
    high: float = 1.0
    shown: str = ""
    marks: tuple[float, ...] = ()
    is_coins: bool = False
    steps: int = 20
    is_lit: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A line of text, typed into while it `is_active`; clicking it reports its name."""

    name: str
    label: str
    text: str
    is_active: bool = False


@dataclass(frozen=True, slots=True)
class Meter:
    """A bar; part: 0 to 1."""

    part: float
    tone: Tone = "accent"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, in the middle of its line. image: the name under which a window was given it; width, height: units."""

    image: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FanCard:
    """A playing card of a fan; clicking it reports its name, if it is enabled. image: as in `Picture`."""

    name: str
    image: str
    is_enabled: bool = True
    is_lit: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Fan:
    """Cards held in a hand, the one below the pointer raised. width, height: units of a card."""

    cards: tuple[FanCard, ...]
    width: float = 78.0
    height: float = 109.0


@dataclass(frozen=True, slots=True)
class Gap:
    """Empty space, in units."""

    height: float = 6.0


@dataclass(frozen=True, slots=True)
class Row:
    """Items side by side. shares: relative widths; left out, all the same."""

    items: tuple[Item, ...]
    shares: tuple[float, ...] = ()


Item = Text | Button | Slider | Field | Meter | Picture | Fan | Gap | Row


@dataclass(frozen=True, slots=True)
class Panel:
    """Items below each other on a card. place: where on the picture; several panels of one place are stacked.

    width: units. is_bare: without a card. tallest: units; of what is taller the end is shown, as of a log. mark: as in
    `Text`, before the title. What does not fit is scrolled to.
    `cover` hides the picture behind it and `dialog` dims it; only a panel there is shown then. `toast` stands beside a
    point of the picture, `at` (pixels), where no other panel is, and off a part of it, `keep_off` (x, y, width and
    height, pixels), if that can be.
    """

    name: str
    place: Place
    items: tuple[Item, ...]
    title: str = ""
    width: float = 300.0
    is_bare: bool = False
    tallest: float = 0.0
    mark: str = ""
    at: tuple[float, float] = (0.0, 0.0)
    keep_off: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


def lit_in(items: Iterable[Item | FanCard]) -> str:
    """Returns the name of what is lit in some items; empty for nothing."""
    for item in items:
        if isinstance(item, Button | Slider | FanCard) and item.is_lit:
            return item.name
        within = item.items if isinstance(item, Row) else item.cards if isinstance(item, Fan) else ()
        if found := lit_in(within):
            return found
    return ""
