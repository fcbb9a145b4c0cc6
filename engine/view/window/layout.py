"""Lays panels out: which rectangles and letters go where, and what is below the pointer. No graphics library.

Sizes are in units: a picture is `HEIGHT_UNITS` high, whatever its pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.view.panels import Button, Field, Gap, Item, Meter, Panel, Place, Row, Size, Slider, Text, Tone
from engine.view.render.shading import srgb_of
from engine.view.window.shapes import (
    Colour,
    Fill,
    LayoutBox,
    Letters,
    Measure,
    Rect,
    Region,
    wrapped,
)


def colour_of(hexadecimal: str, opacity: float = 1.0) -> Colour:
    """Returns a colour `#rrggbb` with an opacity."""
    return (*srgb_of(hexadecimal), opacity)


PAPER = colour_of("#fbf8f1", 0.93)
PAPER_EDGE = colour_of("#d8cfbd", 0.9)
BACKDROP = colour_of("#f1ece2", 0.995)
"""Behind a panel that covers the picture."""
BUTTON = colour_of("#efe8da")
BUTTON_HOVER = colour_of("#fffdf8")
BUTTON_EDGE = colour_of("#cfc4ae")
BUTTON_ON = colour_of("#3f6f68")
BUTTON_ON_TEXT = colour_of("#fffdf8")
FOCUS = colour_of("#c2571a")
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

HEIGHT_UNITS = 720.0
FONT_UNITS: dict[Size, float] = {"small": 12.5, "normal": 15.0, "large": 19.0, "title": 30.0}
LINE_HEIGHT, BASELINE = 1.28, 0.92
"""Of a line of text, in font sizes: its height, and how far its baseline is below its top."""
# in units
PADDING, SPACING, MARGIN, ROUNDING = 12.0, 5.0, 12.0, 8.0
BUTTON_ROUNDING, BUTTON_PADDING = 5.0, (10.0, 5.5)
SPOT, SLIDER_HEIGHT = 11.0, 16.0


@dataclass(frozen=True, slots=True)
class Layout:
    """shapes: what is drawn, in this order. regions: what can be clicked. cards: where the scene is covered."""

    shapes: tuple[Fill | Letters, ...] = ()
    regions: tuple[Region, ...] = ()
    cards: tuple[Rect, ...] = ()

    def region_at(self, x: float, y: float) -> Region | None:
        """Returns the button, field or slider at a point."""
        return next((region for region in reversed(self.regions) if region.rect.holds(x, y)), None)

    def covers(self, x: float, y: float) -> bool:
        """Returns whether a panel covers the scene at a point."""
        return any(card.holds(x, y) for card in self.cards)

    def region(self, name: str) -> Region | None:
        """Returns the button, field or slider of a name."""
        return next((region for region in self.regions if region.name == name), None)


def lay_out(
    panels: Iterable[Panel], size: tuple[int, int], measure: Measure, *, scale: float = 1.0, hovered: str = ""
) -> Layout:
    """Lays panels out over a picture.

    size: of the picture, pixels. scale: above 1 for larger letters. hovered: the name of what the pointer is on.
    """
    listed = tuple(panels)
    page = _Page(size, max(size[1] / HEIGHT_UNITS * scale, 0.2), measure, hovered)
    for place in dict.fromkeys(panel.place for panel in listed):
        if place != "cover":
            page.stack([panel for panel in listed if panel.place == place], place)
    covers = [panel for panel in listed if panel.place == "cover"]
    if covers:
        page.box.regions.clear()
        page.box.shapes.append(Fill(Rect(0, 0, *size), BACKDROP))
        page.box.cards.append(Rect(0, 0, *size))
        page.stack(covers, "centre")
    return Layout(tuple(page.box.shapes), tuple(page.box.regions), tuple(page.box.cards))


class _Page:
    """A layout in the making."""

    def __init__(self, size: tuple[int, int], unit: float, measure: Measure, hovered: str) -> None:
        self.size, self.unit, self.items = size, unit, _ItemLayout(unit, measure, hovered)
        self.box = LayoutBox()

    def stack(self, panels: list[Panel], place: Place) -> None:
        """Puts panels below each other at a place."""
        margin, gap = MARGIN * self.unit, SPACING * self.unit
        boxes = [self._panel(panel) for panel in panels]
        free = self.size[1] - sum(box.height for box in boxes) - gap * (len(boxes) - 1)
        y = max(free / 2, margin)
        if place.startswith(("top", "bottom")):
            y = margin if place.startswith("top") else free - margin
        for box in boxes:
            x = (self.size[0] - box.width) / 2
            if place.endswith(("left", "right")):
                x = margin if place.endswith("left") else self.size[0] - margin - box.width
            self.box.take(box, round(x), round(y))
            y += box.height + gap

    def _panel(self, panel: Panel) -> LayoutBox:
        padding = 0.0 if panel.is_bare else PADDING * self.unit
        gap = SPACING * self.unit
        box = LayoutBox(min(panel.width * self.unit, self.size[0] - 2 * MARGIN * self.unit))
        title = (Text(panel.title, "plain", "large", bold=True),) if panel.title else ()
        parts = [self.items.lay_out(item, box.width - 2 * padding) for item in (*title, *panel.items)]
        limit = panel.tallest * self.unit
        while limit and len(parts) > 1 and sum(part.height + gap for part in parts) > limit:
            parts = parts[1:]
        y = padding
        for part in parts:
            box.take(part, padding, y)
            y += part.height + gap
        box.height = y - gap + padding if parts else 2 * padding
        if panel.is_bare:
            box.cards += [region.rect for region in box.regions]
        else:
            rect = Rect(0, 0, box.width, box.height)
            box.shapes.insert(0, Fill(rect, PAPER, ROUNDING * self.unit, PAPER_EDGE))
            box.cards.append(rect)
        return box


class _ItemLayout:
    """Lays items of panels out. unit: pixels of a unit. hovered: the name of what the pointer is on."""

    def __init__(self, unit: float, measure: Measure, hovered: str) -> None:
        self.unit, self.measure, self.hovered = unit, measure, hovered

    def lay_out(self, item: Item, width: float) -> LayoutBox:
        """Lays an item out, `width` pixels wide."""
        box = LayoutBox(width)
        match item:
            case Text():
                self._text(box, item)
            case Button():
                self._button(box, item)
            case Slider():
                self._slider(box, item)
            case Field():
                self._field(box, item)
            case Meter():
                self._meter(box, item)
            case Gap():
                box.height = item.height * self.unit
            case Row():
                self._row(box, item)
        return box

    def _font(self, size: Size) -> int:
        """Returns a font size in pixels."""
        return max(1, round(FONT_UNITS[size] * self.unit))

    def _wrapped(self, text: str, width: float, size: int, bold: bool = False) -> list[str]:
        return wrapped(text, width, lambda line: self.measure(line, size, bold))

    def _write(
        self, box: LayoutBox, text: str, x: float, top: float, size: int, colour: Colour, bold: bool = False
    ) -> None:
        """Adds a line of text. top: of the line, pixels."""
        box.shapes.append(Letters(text, round(x), round(top + BASELINE * size), size, colour, bold))

    def _bar(self, box: LayoutBox, top: float, thickness: float, filled: float, colour: Colour) -> None:
        """Adds a bar as wide as the box. filled: pixels of it."""
        for length, ink in ((box.width, TRACK), (filled, colour)):
            box.shapes.append(Fill(Rect(0, top, length, thickness), ink, thickness / 2))

    def _spot(self, colour: str, x: float, y: float) -> Fill:
        side = SPOT * self.unit
        return Fill(Rect(x, y, side, side), colour_of(colour), side / 2, (0.0, 0.0, 0.0, 0.35))

    def _row(self, box: LayoutBox, row: Row) -> None:
        shares = row.shares or (1.0,) * len(row.items)
        gap = SPACING * self.unit
        room = box.width - gap * (len(row.items) - 1)
        x = 0.0
        for item, share in zip(row.items, shares, strict=True):
            width = room * share / sum(shares)
            part = self.lay_out(item, width)
            box.take(part, x, 0.0)
            box.height = max(box.height, part.height)
            x += width + gap

    def _text(self, box: LayoutBox, text: Text) -> None:
        size = self._font(text.size)
        left = (SPOT + 6) * self.unit if text.mark else 0.0
        step = round(size * LINE_HEIGHT)
        for line in self._wrapped(text.text, box.width - left, size, text.bold):
            self._write(box, line, left, box.height, size, INK[text.tone], text.bold)
            box.height += step
        if text.mark:
            box.shapes.append(self._spot(text.mark, 0.0, (step - SPOT * self.unit) / 2))

    def _button(self, box: LayoutBox, button: Button) -> None:
        pad_x, pad_y = (padding * self.unit for padding in BUTTON_PADDING)
        size, small = self._font("normal"), self._font("small")
        ink, faint = INK[button.tone], INK["quiet"]
        is_hovered = button.is_enabled and button.name == self.hovered
        colour = BUTTON_HOVER if is_hovered else BUTTON
        if button.is_on:
            colour, ink, faint = BUTTON_ON, BUTTON_ON_TEXT, BUTTON_ON_TEXT
        if not button.is_enabled:
            ink = faint = (*INK["quiet"][:3], 0.5)
        left = pad_x + ((SPOT + 7) * self.unit if button.mark else 0.0)
        key_width = self.measure(button.key, small, False)
        room = box.width - left - pad_x - (key_width + pad_x if button.key else 0.0)
        lines = [(line, size, ink) for line in self._wrapped(button.text, room, size)]
        if button.text2:
            lines += [(line, small, faint) for line in self._wrapped(button.text2, room, small)]
        box.height = 2 * pad_y + sum(round(line[1] * LINE_HEIGHT) for line in lines)
        edge, thickness = (FOCUS, 3.0 * self.unit) if button.is_lit else (BUTTON_EDGE, 1.0)
        rect = Rect(0, 0, box.width, box.height)
        box.shapes.append(Fill(rect, colour, BUTTON_ROUNDING * self.unit, edge, thickness))
        if button.mark:
            box.shapes.append(self._spot(button.mark, pad_x, (box.height - SPOT * self.unit) / 2))
        y = pad_y
        for text, font, line_ink in lines:
            self._write(box, text, left, y, font, line_ink)
            y += round(font * LINE_HEIGHT)
        if button.key:
            self._write(box, button.key, box.width - pad_x - key_width, pad_y, small, faint)
        if button.is_enabled:
            box.regions.append(Region(button.name, rect))

    def _slider(self, box: LayoutBox, slider: Slider) -> None:
        size, width = self._font("small"), box.width
        top = round(size * LINE_HEIGHT) if slider.text or slider.shown else 0
        if slider.text:
            self._write(box, slider.text, 0, 0, size, INK["plain"])
        if slider.shown:
            left = width - self.measure(slider.shown, size, False)
            self._write(box, slider.shown, left, 0, size, INK["quiet"])
        height, thickness = SLIDER_HEIGHT * self.unit, 5 * self.unit
        middle, span = top + height / 2, slider.high - slider.low

        def position(value: float) -> float:
            return min(max((value - slider.low) / span, 0.0), 1.0) if span > 0 else 0.0

        filled = width * position(slider.value)
        self._bar(box, middle - thickness / 2, thickness, filled, BUTTON_ON)
        for value in slider.marks:
            mark = Rect(width * position(value) - self.unit, middle - thickness, 2 * self.unit, 2 * thickness)
            box.shapes.append(Fill(mark, FOCUS))
        colour = BUTTON_HOVER if slider.name == self.hovered else PAPER
        knob = Rect(filled - height / 2, top, height, height)
        box.shapes.append(Fill(knob, colour, height / 2, BUTTON_ON, 2 * self.unit))
        box.height = top + height
        box.regions.append(Region(slider.name, Rect(0, top, width, height), slider.low, slider.high))

    def _field(self, box: LayoutBox, field: Field) -> None:
        size, small = self._font("normal"), self._font("small")
        padding = BUTTON_PADDING[1] * self.unit
        top = 0.0
        if field.label:
            self._write(box, field.label, 0, 0, small, INK["quiet"])
            top = round(small * LINE_HEIGHT)
        rect = Rect(0, top, box.width, 2 * padding + round(size * LINE_HEIGHT))
        edge, thickness = (FOCUS, 2.0) if field.is_active else (BUTTON_EDGE, 1.0)
        box.shapes.append(Fill(rect, BUTTON_HOVER, BUTTON_ROUNDING * self.unit, edge, thickness))
        text = field.text + ("|" if field.is_active else "")
        while text and self.measure(text, size, False) > box.width - 2 * padding:
            text = text[1:]
        self._write(box, text, 1.5 * padding, top + padding, size, INK["plain"])
        box.height = rect.y + rect.height
        box.regions.append(Region(field.name, rect))

    def _meter(self, box: LayoutBox, meter: Meter) -> None:
        box.height = 6 * self.unit
        self._bar(box, 0, box.height, box.width * min(max(meter.part, 0.0), 1.0), INK[meter.tone])
