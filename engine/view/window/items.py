"""Lays items of panels out: texts, buttons, sliders, cards. No graphics library.

Sizes are in units; what a unit is in pixels the layout says.
"""

import math
from dataclasses import replace

from teeter.engine.view.panels import (
    Button,
    Fan,
    Field,
    Gap,
    Item,
    Meter,
    Picture,
    Row,
    Size,
    Slider,
    Text,
    Tone,
)
from teeter.engine.view.render.shading import srgb_of
from teeter.engine.view.window.shapes import (
    Colour,
    Fill,
    Image,
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
BUTTON = colour_of("#efe8da")
BUTTON_HOVER = colour_of("#fffdf8")
BUTTON_EDGE = colour_of("#cfc4ae")
BUTTON_ON = colour_of("#3f6f68")
BUTTON_ON_TEXT = colour_of("#fffdf8")
FOCUS = colour_of("#c2571a")
TRACK = colour_of("#ddd3c0")
GOLD, GOLD_EDGE = colour_of("#e3b23c"), colour_of("#8f6a14")
INK: dict[Tone, Colour] = {
    "plain": colour_of("#2b2620"),
    "quiet": colour_of("#7a7063"),
    "good": colour_of("#1f6d8c"),
    "warn": colour_of("#a86200"),
    "bad": colour_of("#b0301c"),
    "accent": colour_of("#2f635c"),
}
"""Blue for good and red for bad differ in lightness too, and are told apart with any kind of colour vision."""

FONT_UNITS: dict[Size, float] = {"small": 12.5, "normal": 15.0, "large": 19.0, "title": 30.0, "huge": 84.0}
LINE_HEIGHT, BASELINE = 1.28, 0.92
"""Of a line of text, in font sizes: its height, and how far its baseline is below its top."""
# in units
PADDING, SPACING, MARGIN, ROUNDING = 12.0, 5.0, 12.0, 8.0
BUTTON_ROUNDING, BUTTON_PADDING = 5.0, (10.0, 5.5)
SMALLEST = 0.5
"""Of a picture's width, before what is beside it goes below it."""
SPOT, SLIDER_HEIGHT, COIN = 14.0, 16.0, 12.0
BRIGHT, CAPITAL = 1.6, 0.66
"""Sum of red, green and blue from which on letters on a colour are dark; height of capital letters, of their size."""
IMAGE_SIZE = (50.0, 36.0)
"""Width, with the space beside it, and height of the picture on a button."""
MIN_ITEM = 60.0
"""Units that a slider or a field needs at least."""
FAN_ANGLE, FAN_SPREAD, FAN_RISE, FAN_SHARE = 3.0, 24.0, 0.08, 0.96
"""Of a fan: degrees between two cards, and between the first and the last, at most; how far the one below the pointer
is raised, in heights of a card; the share of its width by which a card stands beside the one before, at most."""


class ItemLayout:
    """Lays items of panels out. unit: pixels of a unit. hovered: the name of what the pointer is on."""

    def __init__(self, unit: float, measure: Measure, hovered: str) -> None:
        self.unit, self.measure, self.hovered = unit, measure, hovered
        self.room = math.inf
        """Pixels in height, at most, of pictures and cards, which can be made smaller."""

    def parts(self, item: Item, width: float) -> list[LayoutBox]:
        """Returns an item as boxes below each other: a paragraph line by line, anything else as one."""
        gap = SPACING * self.unit
        if isinstance(item, Text):
            lines = self._text(item, width)
            lines[0].gap = gap
            return lines
        box = self.lay_out(item, width)
        box.gap = gap
        return [box]

    def lay_out(self, item: Item, width: float) -> LayoutBox:
        """Returns an item laid out, `width` pixels wide."""
        box = LayoutBox(width)
        match item:
            case Text():
                for line in self._text(item, width):
                    box.take(line, 0.0, box.height)
                    box.height += line.height
            case Button():
                self._button(box, item)
            case Slider():
                self._slider(box, item)
            case Field():
                self._field(box, item)
            case Meter():
                box.height = 6 * self.unit
                self._bar(box, 0, box.height, box.width * min(max(item.part, 0.0), 1.0), INK[item.tone])
            case Picture():
                self._picture(box, item)
            case Fan():
                self._fan(box, item)
            case Gap():
                box.height = item.height * self.unit
            case Row():
                self._row(box, item)
        return box

    def min_width(self, item: Item) -> float:
        """Returns the pixels in width that an item needs, so that no word of it has to be broken."""
        gap, pad = SPACING * self.unit, BUTTON_PADDING[0] * self.unit
        match item:
            case Text():
                left = self._room_of(item.mark)
                return left + self._longest(item.text, self._font(item.size), item.bold)
            case Button():
                key = self.measure(item.key, self._font("small"), False) + pad if item.key else 0.0
                words = self._longest(item.text, self._font("normal"))
                return self._left_of(item) + words + key + pad
            case Row():
                return sum(self.min_width(child) for child in item.items) + gap * (len(item.items) - 1)
            case Picture():
                return SMALLEST * item.width * self.unit
        return MIN_ITEM * self.unit

    def _longest(self, text: str, size: int, bold: bool = False) -> float:
        # teams are told as Ana+Ben, and may be broken there
        words = text.replace("+", "+ ").split()
        return max((self.measure(word, size, bold) for word in words), default=0.0)

    def _left_of(self, button: Button) -> float:
        """Returns the pixels before the text of a button."""
        image = IMAGE_SIZE[0] * self.unit if button.image else 0.0
        mark = self._room_of(button.mark)
        return BUTTON_PADDING[0] * self.unit + image + mark

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

    def _room_of(self, mark: str) -> float:
        """Returns the pixels that the spots before a text take."""
        count = len(mark.split())
        return (count * SPOT + (count - 1) * 2 + 6) * self.unit if mark else 0.0

    def _spots(self, box: LayoutBox, mark: str, x: float, middle: float) -> None:
        for number, one in enumerate(mark.split()):
            self._spot(box, one, x + number * (SPOT + 2) * self.unit, middle)

    def _spot(self, box: LayoutBox, mark: str, x: float, middle: float) -> None:
        """Adds a spot of a colour, and on it the letter that says the same to who cannot tell colours apart."""
        side = SPOT * self.unit
        colour, _, letter = mark.partition(":")
        filled = colour_of(colour)
        rect = Rect(x, middle - side / 2, side, side)
        box.shapes.append(Fill(rect, filled, side / 2, (0.0, 0.0, 0.0, 0.35)))
        if letter:
            size = max(round(0.8 * side), 6)
            ink = INK["plain"] if sum(filled[:3]) > BRIGHT else (1.0, 1.0, 1.0, 1.0)
            left = x + (side - self.measure(letter, size, True)) / 2
            box.shapes.append(
                Letters(letter, round(left), round(middle + CAPITAL * size / 2), size, ink, True)
            )

    def _row(self, box: LayoutBox, row: Row) -> None:
        """Side by side, each at least as wide as its longest word; below each other where that is too wide."""
        count, gap = len(row.items), SPACING * self.unit
        shares = row.shares or (1.0,) * count
        room = box.width - gap * (count - 1)
        least = [min(self.min_width(item), box.width) for item in row.items]
        if sum(least) > room and count > 1:
            half = (count + 1) // 2
            upper = self.lay_out(Row(row.items[:half], shares[:half]), box.width)
            lower = self.lay_out(Row(row.items[half:], shares[half:]), box.width)
            box.take(upper, 0.0, 0.0)
            box.take(lower, 0.0, upper.height + gap)
            box.height = upper.height + gap + lower.height
            return
        x = 0.0
        for item, width in zip(row.items, _shared(room, shares, least), strict=True):
            part = self.lay_out(item, width)
            box.take(part, x, 0.0)
            box.height = max(box.height, part.height)
            x += width + gap

    def _text(self, text: Text, width: float) -> list[LayoutBox]:
        size = self._font(text.size)
        left = self._room_of(text.mark)
        step = round(size * LINE_HEIGHT)
        lines: list[LayoutBox] = []
        for line in self._wrapped(text.text, width - left, size, text.bold):
            box = LayoutBox(width, step)
            self._write(box, line, left, 0.0, size, INK[text.tone], text.bold)
            if text.mark and not lines:
                self._spots(box, text.mark, 0.0, step / 2)
            lines.append(box)
        return lines

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
        left = self._left_of(button)
        key_width = self.measure(button.key, small, False)
        room = box.width - left - pad_x - (key_width + pad_x if button.key else 0.0)
        lines = [(line, size, ink) for line in self._wrapped(button.text, room, size)]
        if button.text2:
            lines += [(line, small, faint) for line in self._wrapped(button.text2, room, small)]
        written = sum(round(line[1] * LINE_HEIGHT) for line in lines)
        box.height = 2 * pad_y + written
        if button.image:
            box.height = max(box.height, IMAGE_SIZE[1] * self.unit)
        edge, thickness = (FOCUS, 3.0 * self.unit) if button.is_lit else (BUTTON_EDGE, 1.0)
        rect = Rect(0, 0, box.width, box.height)
        box.shapes.append(Fill(rect, colour, BUTTON_ROUNDING * self.unit, edge, thickness))
        if button.mark:
            spot = left - self._room_of(button.mark)
            self._spots(box, button.mark, spot, box.height / 2)
        if button.image:
            high = IMAGE_SIZE[1] * self.unit
            place = Rect(pad_x / 2, (box.height - high) / 2, high * 4 / 3, high)
            box.shapes.append(Image(button.image, place, opacity=1.0 if button.is_enabled else 0.4))
        top = y = (box.height - written) / 2
        for text, font, line_ink in lines:
            self._write(box, text, left, y, font, line_ink)
            y += round(font * LINE_HEIGHT)
        if button.key:
            self._write(box, button.key, box.width - pad_x - key_width, top, small, faint)
        if button.is_enabled or button.has_why:
            box.regions.append(Region(button.name, rect))
        box.is_lit = button.is_lit

    def _slider(self, box: LayoutBox, slider: Slider) -> None:
        size, width = self._font("small"), box.width
        top = round(size * LINE_HEIGHT) if slider.text or slider.shown else 0
        if slider.text:
            self._write(box, slider.text, 0, 0, size, INK["plain"])
        if slider.shown:
            shown = self.measure(slider.shown, size, False)
            if slider.text and self.measure(slider.text, size, False) + shown + SPOT * self.unit > width:
                # it does not fit beside the text
                self._write(box, slider.shown, width - shown, top, size, INK["quiet"])
                top *= 2
            else:
                self._write(box, slider.shown, width - shown, 0, size, INK["quiet"])
        height, thickness = SLIDER_HEIGHT * self.unit, 5 * self.unit
        middle, span = top + height / 2, slider.high - slider.low

        def position(value: float) -> float:
            return min(max((value - slider.low) / span, 0.0), 1.0) if span > 0 else 0.0

        filled = width * position(slider.value)
        self._bar(box, middle - thickness / 2, thickness, filled, BUTTON_ON)
        for value in slider.marks:
            is_coin = slider.is_coins and value > 0.0
            at, wide = width * position(value), (COIN if is_coin else 2.0) * self.unit
            if is_coin:
                place, colour = (
                    Rect(at - wide / 2, middle - wide / 2, wide, wide),
                    GOLD if value <= slider.value else PAPER,
                )
                box.shapes.append(Fill(place, colour, wide / 2, GOLD_EDGE, self.unit))
            else:
                box.shapes.append(Fill(Rect(at - wide / 2, middle - thickness, wide, 2 * thickness), FOCUS))
        colour = BUTTON_HOVER if slider.name == self.hovered else PAPER
        knob = Rect(filled - height / 2, top, height, height)
        edge, around = (FOCUS, 4 * self.unit) if slider.is_lit else (BUTTON_ON, 2 * self.unit)
        box.shapes.append(Fill(knob, GOLD if slider.is_coins else colour, height / 2, edge, around))
        box.height = top + height
        box.is_lit = slider.is_lit
        box.regions.append(Region(slider.name, Rect(0, top, width, height), slider.low, slider.high))

    def _field(self, box: LayoutBox, field: Field) -> None:
        size, small = self._font("normal"), self._font("small")
        padding = BUTTON_PADDING[1] * self.unit
        top = 0.0
        for line in self._wrapped(field.label, box.width, small) if field.label else ():
            self._write(box, line, 0, top, small, INK["quiet"])
            top += round(small * LINE_HEIGHT)
        rect = Rect(0, top, box.width, 2 * padding + round(size * LINE_HEIGHT))
        edge, thickness = (FOCUS, 2.0) if field.is_active else (BUTTON_EDGE, 1.0)
        box.shapes.append(Fill(rect, BUTTON_HOVER, BUTTON_ROUNDING * self.unit, edge, thickness))
        text = field.text + ("|" if field.is_active else "")
        while text and self.measure(text, size, False) > box.width - 2 * padding:
            text = text[1:]
        self._write(box, text, 1.5 * padding, top + padding, size, INK["plain"])
        box.height = rect.y + rect.height
        box.regions.append(Region(field.name, rect))

    def _picture(self, box: LayoutBox, picture: Picture) -> None:
        width, height = picture.width * self.unit, picture.height * self.unit
        scale = min(1.0, box.width / width, self.room / height)
        box.height = height * scale
        box.shapes.append(
            Image(picture.image, Rect((box.width - width * scale) / 2, 0, width * scale, box.height))
        )

    def _fan(self, box: LayoutBox, fan: Fan) -> None:
        """Cards beside each other, turned about a point far below; they overlap where there is no room."""
        count = max(len(fan.cards), 1)
        scale = min(self.unit, box.width / (fan.width * (1.0 + 0.25 * (count - 1)) + 0.2 * fan.height))
        # with what it rises and bends it is taller than a card
        scale = min(scale, self.room / (fan.height * (1.2 + 2.0 * FAN_RISE)))
        width, height = fan.width * scale, fan.height * scale
        # how far the outermost reach beyond their width, and down
        lean, aside = 0.2 * height, 0.1 * height
        step = min(FAN_SHARE * width, (box.width - width - 2 * aside) / max(count - 1, 1))
        left = (box.width - width - step * (count - 1)) / 2
        rise = FAN_RISE * height
        box.height = height + 2 * rise + lean
        for number, card in enumerate(fan.cards):
            away = number - (count - 1) / 2
            is_up = card.is_lit or (card.is_enabled and card.name == self.hovered)
            top = (1.0 if is_up else 2.0) * rise + lean * (abs(away) * 2 / count) ** 2
            place = Rect(left + step * number, top, width, height)
            angle = min(FAN_ANGLE, FAN_SPREAD / max(count - 1, 1)) * away
            box.shapes.append(Image(card.image, place, angle, 1.0 if card.is_enabled else 0.55))
            if card.key:
                # in the band of the card, which is turned about its middle
                turn, size = math.radians(angle), self._font("small")
                along, up = -0.40 * width, 0.43 * height
                x, y = place.middle
                x += along * math.cos(turn) + up * math.sin(turn)
                y += along * math.sin(turn) - up * math.cos(turn) - 0.055 * height
                half = self.measure(card.key, size, True) / 2
                self._write(box, card.key, x - half, y, size, BUTTON_ON_TEXT, bold=True)
            # the next one covers the rest
            seen = replace(place, width=min(width, step) if number < count - 1 else width)
            if card.is_enabled:
                box.regions.append(Region(card.name, seen))
            if card.is_lit:
                bar = 4.0 * self.unit
                box.shapes.append(Fill(replace(seen, y=box.height - bar, height=bar), FOCUS, bar / 2))
                box.is_lit = True


def _shared(room: float, shares: tuple[float, ...], least: list[float]) -> list[float]:
    """Widths by shares, none less than it needs while there is room."""
    widths = [room * share / sum(shares) for share in shares]
    tight = {number for number, width in enumerate(widths) if width < least[number]}
    while tight:
        free = room - sum(least[number] for number in tight)
        rest = sum(share for number, share in enumerate(shares) if number not in tight)
        widths = [
            least[number] if number in tight else free * share / rest for number, share in enumerate(shares)
        ]
        more = {number for number, width in enumerate(widths) if width < least[number] - 1e-6} - tight
        if not more:
            break
        tight |= more
    return widths
