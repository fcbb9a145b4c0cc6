"""Shapes that panels are drawn with: filled rectangles, lines of text, regions to click. No graphics library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""
Measure = Callable[[str, int, bool], float]
"""Width of a text in pixels, from the text, its size in pixels, and whether it is bold."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in pixels; (x, y) is its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, x: float, y: float) -> bool:
        """Returns whether a point is inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def shifted(self, x: float, y: float) -> Rect:
        """Returns the rectangle moved by an offset."""
        return Rect(self.x + x, self.y + y, self.width, self.height)

    def meets(self, other: Rect) -> bool:
        """Returns whether two rectangles overlap."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    @property
    def middle(self) -> tuple[float, float]:
        """Returns its centre."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Fill:
    """A rectangle with rounded corners; rounding and line, the width of its edge, in pixels."""

    rect: Rect
    colour: Colour
    rounding: float = 0.0
    edge: Colour | None = None
    line: float = 1.0

    def shifted(self, x: float, y: float) -> Fill:
        """Returns it moved by an offset."""
        return Fill(self.rect.shifted(x, y), self.colour, self.rounding, self.edge, self.line)


@dataclass(frozen=True, slots=True)
class Letters:
    """A line of text; (x, y) is the start of its baseline. size: pixels."""

    text: str
    x: float
    y: float
    size: int
    colour: Colour
    bold: bool = False

    def shifted(self, x: float, y: float) -> Letters:
        """Returns it moved by an offset, to whole pixels."""
        return Letters(self.text, round(self.x + x), round(self.y + y), self.size, self.colour, self.bold)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a window was given under a name. angle: degrees clockwise around its middle. opacity: 0 to 1."""

    name: str
    rect: Rect
    angle: float = 0.0
    opacity: float = 1.0

    def shifted(self, x: float, y: float) -> Image:
        """Returns it moved by an offset."""
        return Image(self.name, self.rect.shifted(x, y), self.angle, self.opacity)


Shape = Fill | Letters | Image


@dataclass(frozen=True, slots=True)
class Region:
    """A region that can be clicked. low, high: the range of a slider."""

    name: str
    rect: Rect
    low: float | None = None
    high: float | None = None

    def shifted(self, x: float, y: float) -> Region:
        """Returns it moved by an offset."""
        return Region(self.name, self.rect.shifted(x, y), self.low, self.high)

    def value_at(self, x: float) -> float:
        """Returns the value of a slider at a horizontal position."""
        assert self.low is not None
        assert self.high is not None
        fraction = min(max((x - self.rect.x) / max(self.rect.width, 1.0), 0.0), 1.0)
        return self.low + fraction * (self.high - self.low)


class LayoutBox:
    """Shapes and regions relative to their own upper left corner. cards: where they cover the scene. gap: pixels free
    above it. is_lit: it holds what has the keyboard focus."""

    def __init__(self, width: float = 0.0, height: float = 0.0, gap: float = 0.0) -> None:
        self.width, self.height, self.gap = width, height, gap
        self.is_lit = False
        self.shapes: list[Shape] = []
        self.regions: list[Region] = []
        self.cards: list[Rect] = []

    def take(self, other: LayoutBox, x: float, y: float) -> None:
        """Adds everything in another box at an offset."""
        # by their own constructors: `replace` takes three times as long, a hundred times a picture
        self.shapes += [shape.shifted(x, y) for shape in other.shapes]
        self.regions += [region.shifted(x, y) for region in other.regions]
        self.cards += [card.shifted(x, y) for card in other.cards]
        self.is_lit |= other.is_lit


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Breaks a text into lines no wider than a width, wider words too, after a slash or a plus if it can be."""
    # what was given just the room that it needs has it, whatever sums are rounded to
    width += 1e-6
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if measure(longer) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            *full, line = _broken(word, width, measure)
            lines += full
        lines.append(line)
    return lines


def _broken(word: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """The parts of a word that fit, each as long as can be."""
    parts: list[str] = []
    while word and measure(word) > width:
        fits = max((end for end in range(1, len(word)) if measure(word[:end]) <= width), default=1)
        slash = word.rfind("/", 0, fits) + 1
        end = word.rfind("+", 0, fits) + 1 or (slash if slash > fits // 2 else fits)
        parts.append(word[:end])
        word = word[end:]
    return [*parts, word]
