"""What panels are made of on the screen: rectangles, letters, what answers to a click. No graphics library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.view.window.theme import Colour

Measure = Callable[[str, int, bool], float]
"""How wide a text is: the text, pixels of its size, whether bold; pixels."""


@dataclass(frozen=True, slots=True)
class Rect:
    """Pixels: left, top, width and height."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, x: float, y: float) -> bool:
        """Whether a place is inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The place in its middle."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Fill:
    """A rectangle with round corners (pixels) in one colour, and an edge of another, `line` pixels wide."""

    rect: Rect
    colour: Colour
    rounding: float = 0.0
    edge: Colour | None = None
    line: float = 1.0


@dataclass(frozen=True, slots=True)
class Letters:
    """A line of text from a place on its base line; size: pixels."""

    text: str
    x: float
    y: float
    size: int
    colour: Colour
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """What answers when it is clicked; low, high: of a slider."""

    name: str
    rect: Rect
    low: float | None = None
    high: float | None = None

    def value_at(self, x: float) -> float:
        """The value of a slider below a pointer."""
        assert self.low is not None
        assert self.high is not None
        part = min(max((x - self.rect.x) / max(self.rect.width, 1.0), 0.0), 1.0)
        return self.low + part * (self.high - self.low)


class Part:
    """Marks and regions around a corner of their own."""

    def __init__(self, width: float, is_card: bool = False, height: float = 0.0) -> None:
        self.width, self.height, self.is_card = width, height, is_card
        self.marks: list[Fill | Letters] = []
        self.regions: list[Region] = []

    def take(self, other: Part, x: float, y: float) -> None:
        """Take over what another one has, at a place."""
        self.marks += [moved(mark, x, y) for mark in other.marks]
        self.regions += [replace(each, rect=shifted(each.rect, x, y)) for each in other.regions]


def moved(mark: Fill | Letters, x: float, y: float) -> Fill | Letters:
    """A mark elsewhere; letters stay on whole pixels."""
    if isinstance(mark, Fill):
        return replace(mark, rect=shifted(mark.rect, x, y))
    return replace(mark, x=round(mark.x + x), y=round(mark.y + y))


def shifted(rect: Rect, x: float, y: float) -> Rect:
    """A rectangle elsewhere."""
    return replace(rect, x=rect.x + x, y=rect.y + y)


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """A text in lines no wider than a width; a word that is wider stands alone."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and measure(longer) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines
