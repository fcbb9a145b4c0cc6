"""One item of a panel, laid out to a width: its marks, and what of it can be clicked."""

from __future__ import annotations

from engine.view.panels import Button, Field, Gap, Item, Meter, Row, Slider, Text
from engine.view.window import theme
from engine.view.window.shapes import Fill, Letters, Measure, Part, Rect, Region, wrapped


class Drafter:
    """Lays items out. unit: pixels of a unit. hovered: the name of what the pointer is on."""

    def __init__(self, unit: float, measure: Measure, hovered: str) -> None:
        self.unit, self.measure, self.hovered = unit, measure, hovered

    def item(self, item: Item, width: float) -> Part:
        """An item, `width` pixels wide."""
        if isinstance(item, Text):
            return self._text(item, width)
        if isinstance(item, Button):
            return self._button(item, width)
        if isinstance(item, Slider):
            return self._slider(item, width)
        if isinstance(item, Field):
            return self._field(item, width)
        if isinstance(item, Meter):
            return self._meter(item, width)
        if isinstance(item, Gap):
            return Part(width, height=item.height * self.unit)
        return self._row(item, width)

    def _row(self, row: Row, width: float) -> Part:
        part = Part(width)
        shares = row.shares or (1.0,) * len(row.items)
        gap = theme.BETWEEN * self.unit
        room = width - gap * (len(row.items) - 1)
        x = 0.0
        for item, share in zip(row.items, shares, strict=True):
            wide = room * share / sum(shares)
            piece = self.item(item, wide)
            part.take(piece, x, 0.0)
            part.height = max(part.height, piece.height)
            x += wide + gap
        return part

    def _px(self, units: float) -> int:
        return max(1, round(units * self.unit))

    def _text(self, text: Text, width: float) -> Part:
        size = self._px(theme.TEXT[text.size])
        part = Part(width)
        left = 0.0
        if text.mark:
            left = (theme.SPOT + 6) * self.unit
        lines = wrapped(text.text, width - left, lambda line: self.measure(line, size, text.bold))
        step = round(size * theme.LEADING)
        for number, line in enumerate(lines):
            y = round(step * number + 0.92 * size)
            part.marks.append(Letters(line, left, y, size, theme.INK[text.tone], text.bold))
        part.height = step * max(len(lines), 1)
        if text.mark:
            part.marks.append(self._spot(text.mark, 0.0, (step - theme.SPOT * self.unit) / 2))
        return part

    def _spot(self, colour: str, x: float, y: float) -> Fill:
        side = theme.SPOT * self.unit
        edge = (0.0, 0.0, 0.0, 0.35)
        return Fill(Rect(x, y, side, side), theme.colour_of(colour), side / 2, edge)

    def _button(self, button: Button, width: float) -> Part:
        pad_x, pad_y = theme.KEY_PAD[0] * self.unit, theme.KEY_PAD[1] * self.unit
        size, small = self._px(theme.TEXT["normal"]), self._px(theme.TEXT["small"])
        part = Part(width)
        is_hovered = button.is_enabled and button.name == self.hovered
        colour = theme.KEY_HOVER if is_hovered else theme.KEY
        ink = theme.INK[button.tone]
        faint = theme.INK["quiet"]
        if button.is_on:
            colour = ink = theme.KEY_ON
            ink = faint = theme.KEY_ON_TEXT
        if not button.is_enabled:
            ink = faint = (*theme.INK["quiet"][:3], 0.5)
        left = pad_x
        if button.mark:
            left += (theme.SPOT + 7) * self.unit
        key_width = self.measure(button.key, small, False) + pad_x if button.key else 0.0
        room = width - left - pad_x - key_width
        lines = wrapped(button.text, room, lambda line: self.measure(line, size, False))
        lower = (
            wrapped(button.text2, room, lambda line: self.measure(line, small, False)) if button.text2 else []
        )
        step, small_step = round(size * theme.LEADING), round(small * theme.LEADING)
        part.height = 2 * pad_y + step * len(lines) + small_step * len(lower)
        edge, line = (theme.LIT, 3.0 * self.unit) if button.is_lit else (theme.KEY_EDGE, 1.0)
        rect = Rect(0, 0, width, part.height)
        part.marks.append(Fill(rect, colour, theme.KEY_ROUND * self.unit, edge, line))
        if button.mark:
            part.marks.append(self._spot(button.mark, pad_x, (part.height - theme.SPOT * self.unit) / 2))
        y = pad_y
        for text in lines:
            part.marks.append(Letters(text, round(left), round(y + 0.92 * size), size, ink))
            y += step
        for text in lower:
            part.marks.append(Letters(text, round(left), round(y + 0.92 * small), small, faint))
            y += small_step
        if button.key:
            x = width - pad_x - self.measure(button.key, small, False)
            part.marks.append(Letters(button.key, round(x), round(pad_y + 0.92 * size), small, faint))
        if button.is_enabled:
            part.regions.append(Region(button.name, rect))
        return part

    def _slider(self, slider: Slider, width: float) -> Part:
        size = self._px(theme.TEXT["small"])
        part = Part(width)
        step = round(size * theme.LEADING) if slider.text or slider.shown else 0
        ink = theme.INK["plain"]
        if slider.text:
            part.marks.append(Letters(slider.text, 0, round(0.92 * size), size, ink))
        if slider.shown:
            x = width - self.measure(slider.shown, size, False)
            part.marks.append(Letters(slider.shown, round(x), round(0.92 * size), size, theme.INK["quiet"]))
        high, thick = theme.SLIDER * self.unit, 5 * self.unit
        middle = step + high / 2
        reach = slider.high - slider.low
        part_of = min(max((slider.value - slider.low) / reach, 0.0), 1.0) if reach > 0 else 0.0
        part.marks.append(Fill(Rect(0, middle - thick / 2, width, thick), theme.TRACK, thick / 2))
        part.marks.append(Fill(Rect(0, middle - thick / 2, width * part_of, thick), theme.KEY_ON, thick / 2))
        for value in slider.marks:
            x = width * min(max((value - slider.low) / reach, 0.0), 1.0) if reach > 0 else 0.0
            part.marks.append(Fill(Rect(x - self.unit, middle - thick, 2 * self.unit, 2 * thick), theme.LIT))
        knob = Rect(width * part_of - high / 2, step, high, high)
        is_hovered = slider.name == self.hovered
        part.marks.append(
            Fill(knob, theme.KEY_HOVER if is_hovered else theme.PAPER, high / 2, theme.KEY_ON, 2 * self.unit)
        )
        part.height = step + high
        part.regions.append(Region(slider.name, Rect(0, step, width, high), slider.low, slider.high))
        return part

    def _field(self, field: Field, width: float) -> Part:
        size, small = self._px(theme.TEXT["normal"]), self._px(theme.TEXT["small"])
        pad = theme.KEY_PAD[1] * self.unit
        part = Part(width)
        top = 0.0
        if field.label:
            part.marks.append(Letters(field.label, 0, round(0.92 * small), small, theme.INK["quiet"]))
            top = round(small * theme.LEADING)
        rect = Rect(0, top, width, 2 * pad + round(size * theme.LEADING))
        edge = theme.LIT if field.is_active else theme.KEY_EDGE
        part.marks.append(
            Fill(rect, theme.KEY_HOVER, theme.KEY_ROUND * self.unit, edge, 2.0 if field.is_active else 1.0)
        )
        text = field.text + ("|" if field.is_active else "")
        while text and self.measure(text, size, False) > width - 2 * pad:
            text = text[1:]
        y = round(top + pad + 0.92 * size)
        part.marks.append(Letters(text, round(1.5 * pad), y, size, theme.INK["plain"]))
        part.height = rect.y + rect.height
        part.regions.append(Region(field.name, rect))
        return part

    def _meter(self, meter: Meter, width: float) -> Part:
        thick = 6 * self.unit
        part = Part(width, height=thick)
        part.marks.append(Fill(Rect(0, 0, width, thick), theme.TRACK, thick / 2))
        wide = width * min(max(meter.part, 0.0), 1.0)
        part.marks.append(Fill(Rect(0, 0, wide, thick), theme.INK[meter.tone], thick / 2))
        return part
