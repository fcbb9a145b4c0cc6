"""Lays panels out over a picture: nothing overlaps, nothing runs off, what is too tall is scrolled.

No graphics library. Panels stand in three columns. Sizes are in units: a picture is `HEIGHT_UNITS` high and at least
`WIDTH_UNITS` wide, whatever its pixels.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from teeter.engine.view.camera import Clear
from teeter.engine.view.panels import Panel, Place, Text
from teeter.engine.view.window.items import (
    FOCUS,
    MARGIN,
    PADDING,
    PAPER,
    PAPER_EDGE,
    ROUNDING,
    SPACING,
    TRACK,
    ItemLayout,
    colour_of,
)
from teeter.engine.view.window.shapes import Fill, LayoutBox, Measure, Rect, Region, Shape

BACKDROP, DIMMED = colour_of("#f1ece2", 0.995), colour_of("#2b2620", 0.45)
"""Behind a panel that covers the picture, and behind a dialog."""
HEIGHT_UNITS, WIDTH_UNITS = 720.0, 960.0
LEAST_UNIT, READ_UNIT = 0.2, 0.6
"""Pixels, in pictures of whatever size; and where somebody sits before them: letters stay nine high."""
MIDDLE_WIDTH, MIDDLE_SHARE = 230.0, 0.6
"""Units, and the share of what they want: panels in the middle stand between the columns where so much is free, else
above and below them."""
SIDES_SHARE, WORDS_SHARE = 0.58, 0.85
"""Of the picture's width, at most, of the columns at its sides; on pages of words alone."""
BAND_SHARE, WORDS_BAND_SHARE = 0.35, 0.5
"""Of the picture's height, at most: panels above the columns, and below them."""
LOG_SHARE = 0.22
"""Of the picture's height, at most, of a panel that says how tall it may be."""
TIGHT_LOG, TIGHT_SHARE = 0.09, 0.62
"""The same where letters are large in a small window, and of any panel at a side there."""
SCROLL_WIDTH = 5.0
TOAST_GAP = 26.0
"""Units between a toast and the point it is about."""
LEAST_CLEAR = 0.2
"""Of the picture's width and height: in less, nothing is shown."""
TOAST_WIDTHS = (1.0, 0.7, 0.5)
LEFT: tuple[Place, ...] = ("top-left", "left", "bottom-left")
RIGHT: tuple[Place, ...] = ("top-right", "right", "bottom-right")
MIDDLE: tuple[Place, ...] = ("top", "centre", "bottom")
"""From top to bottom, the panels of each column."""


@dataclass(frozen=True, slots=True)
class Scroll:
    """A panel that shows a part of its lines. first: the first of them; last: the greatest that `first` can be."""

    name: str
    rect: Rect
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Layout:
    """shapes: what is drawn, in this order. regions: what can be clicked. cards: where the scene is covered.
    scrolls: what can be scrolled. size: of the picture. toasts: where words stand for a moment; the pointer goes
    through them."""

    shapes: tuple[Shape, ...] = ()
    regions: tuple[Region, ...] = ()
    cards: tuple[Rect, ...] = ()
    scrolls: tuple[Scroll, ...] = ()
    size: tuple[int, int] = (0, 0)
    toasts: tuple[Rect, ...] = ()

    @property
    def clears(self) -> tuple[Clear, ...]:
        """Returns the largest parts of the picture that no panel covers, wide or high."""
        return free_parts(self.cards, self.size)

    def region_at(self, x: float, y: float) -> Region | None:
        """Returns the button, field or slider at a point."""
        return next((region for region in reversed(self.regions) if region.rect.holds(x, y)), None)

    def covers(self, x: float, y: float) -> bool:
        """Returns whether a panel covers the scene at a point."""
        return any(card.holds(x, y) for card in self.cards)

    def region(self, name: str) -> Region | None:
        """Returns the button, field or slider of a name."""
        return next((region for region in self.regions if region.name == name), None)

    def scroll_at(self, x: float, y: float) -> Scroll | None:
        """Returns the panel at a point that can be scrolled."""
        return next((scroll for scroll in self.scrolls if scroll.rect.holds(x, y)), None)


def lay_out(
    panels: Iterable[Panel],
    size: tuple[int, int],
    measure: Measure,
    *,
    scale: float = 1.0,
    least: float = LEAST_UNIT,
    hovered: str = "",
    scrolled: Mapping[str, int] | None = None,
) -> Layout:
    """Lays panels out over a picture.

    size: of the picture, pixels. scale: above 1 for larger letters. least: pixels that a unit has at the least.
    hovered: the name of what the pointer is on. scrolled: the first line to be shown of panels that do not fit, by
    name.
    """
    listed = tuple(panels)
    unit = max(min(size[1] / HEIGHT_UNITS, size[0] / WIDTH_UNITS) * scale, least)
    page = _Page(size, unit, ItemLayout(unit, measure, hovered), scrolled or {})
    over = [panel for panel in listed if panel.place in ("cover", "dialog")]
    if over:
        backdrop = BACKDROP if any(panel.place == "cover" for panel in over) else DIMMED
        page.box.shapes.append(Fill(Rect(0, 0, *size), backdrop))
        page.box.cards.append(Rect(0, 0, *size))
        page.columns([], over, [])
    else:
        page.columns(*([panel for panel in listed if panel.place in side] for side in (LEFT, MIDDLE, RIGHT)))
    box = page.box
    cards = tuple(box.cards)
    for panel in listed:
        if panel.place == "toast" and not over:
            page.toast(panel)
    toasts = tuple(box.cards[len(cards) :])
    return Layout(tuple(box.shapes), tuple(box.regions), cards, tuple(page.scrolls), size, toasts)


class _Page:
    """A layout in the making."""

    def __init__(
        self, size: tuple[int, int], unit: float, items: ItemLayout, scrolled: Mapping[str, int]
    ) -> None:
        self.size, self.unit, self.items, self.scrolled = size, unit, items, scrolled
        self.margin, self.gap = MARGIN * unit, SPACING * unit
        self.box = LayoutBox()
        self.scrolls: list[Scroll] = []
        self.logs, self.most = LOG_SHARE * size[1], float(size[1])

    def columns(self, left: list[Panel], middle: list[Panel], right: list[Panel]) -> None:
        """Puts panels into three columns; those of the middle above and below the others where it is narrow."""
        margin, (width, height) = self.margin, self.size
        wide = [max((panel.width * self.unit for panel in column), default=0.0) for column in (left, right)]
        # with large letters in a small window the scene keeps its part of the picture, where words can spare it
        is_scene = any(panel.tallest for panel in left)
        most = SIDES_SHARE if is_scene else WORDS_SHARE
        shrunk = min(1.0, most * width / max(sum(wide), 1.0)) if all(wide) else 1.0
        if shrunk < 1.0 and is_scene:
            self.logs, self.most = TIGHT_LOG * height, TIGHT_SHARE * height
        needs = (self._least(column) for column in (left, right))
        wide = [max(side * shrunk, min(need, side)) for side, need in zip(wide, needs, strict=True)]
        room = width - (2 + all(wide)) * margin
        first, last = (side * min(1.0, room / max(sum(wide), 1.0)) for side in wide)
        begin = margin + (first + margin if first else 0.0)
        end = width - margin - (last + margin if last else 0.0)
        low, high = margin, height - margin
        wanted = min(max((panel.width * self.unit for panel in middle), default=0.0), width - 2 * margin)
        # what lies over no game, as the bar of a replay, is not squeezed: the picture is in the middle
        least = max(MIDDLE_WIDTH * self.unit, 0.0 if is_scene else MIDDLE_SHARE * wanted)
        if end - begin >= min(wanted, least):
            span = min(wanted, end - begin)
            x = min(max((width - span) / 2, begin), end - span)
            self._column(middle, x, span, low, high)
        else:
            most = (BAND_SHARE if is_scene else WORDS_BAND_SHARE) * height
            bands = [
                [panel for panel in middle if (panel.place == "bottom") == is_low] for is_low in (False, True)
            ]
            x = (width - wanted) / 2
            _, top = self._stack(bands[0], x, wanted, low, min(low + most, high))
            bottom, _ = self._stack(bands[1], x, wanted, max(high - most, low), high, at_end=True)
            low, high = (top + self.gap if bands[0] else low), (bottom - self.gap if bands[1] else high)
        self._column(left, margin, first, low, high)
        self._column(right, width - margin - last, last, low, high)

    def _least(self, column: list[Panel]) -> float:
        """The width in which no word of a column is broken."""
        around = 2 * (PADDING + SCROLL_WIDTH) * self.unit
        return (
            max((self.items.min_width(item) for panel in column for item in panel.items), default=0.0)
            + around
        )

    def _column(self, panels: list[Panel], x: float, width: float, low: float, high: float) -> None:
        """Puts the panels of a column at its top, middle and end."""
        boxes = self._fitted(panels, width, high - low)
        ends = (
            [panel.place.startswith("top") for panel in panels],
            [panel.place.startswith("bottom") for panel in panels],
        )
        heights = [
            sum(box.height + self.gap for box, is_in in zip(boxes, side, strict=True) if is_in)
            for side in ends
        ]
        centred = [not (top or bottom) for top, bottom in zip(*ends, strict=True)]
        tall = sum(box.height + self.gap for box, is_in in zip(boxes, centred, strict=True) if is_in)
        first, last = low + heights[0], high - heights[1]
        middle = min(max((low + high - tall) / 2, first), max(last - tall, first))
        places = {"top": low, "bottom": last + self.gap, "": middle}
        for panel, box in zip(panels, boxes, strict=True):
            side = panel.place.partition("-")[0]
            side = side if side in places else ""
            self._paste(panel, box, x + self._shift(panel, width, box.width), places[side])
            places[side] += box.height + self.gap

    def _stack(
        self, panels: list[Panel], x: float, width: float, low: float, high: float, at_end: bool = False
    ) -> tuple[float, float]:
        """Puts panels below each other. Returns from where to where they are."""
        boxes = self._fitted(panels, width, high - low)
        tall = sum(box.height + self.gap for box in boxes)
        y = begin = high - tall + self.gap if at_end else low
        for panel, box in zip(panels, boxes, strict=True):
            self._paste(panel, box, x + (width - box.width) / 2, y)
            y += box.height + self.gap
        return min(begin, high), y - self.gap if boxes else y

    def _shift(self, panel: Panel, width: float, own: float) -> float:
        """How far a panel that is narrower than its column is moved to the right."""
        if panel.place in LEFT:
            return 0.0
        return width - own if panel.place in RIGHT else (width - own) / 2

    def _fitted(self, panels: list[Panel], width: float, height: float) -> list[LayoutBox]:
        """The panels of a column, none taller than a common height, so that all fit below each other. Buttons without
        paper keep theirs, where half of the column is left: scrolled, none of them may be seen."""
        # what is a log gives way first
        logs = min(height, self.logs)
        most = min(height, self.most)
        limits = [
            min(panel.tallest * self.unit, max(logs, self._newest(panel, width))) if panel.tallest else most
            for panel in panels
        ]
        boxes = [self._panel(panel, width, limit) for panel, limit in zip(panels, limits, strict=True)]
        room = height - self.gap * (len(panels) - 1)
        bare = [panel.is_bare for panel in panels]
        kept = sum(box.height for box, is_bare in zip(boxes, bare, strict=True) if is_bare)
        if kept > room / 2:
            bare, kept = [False] * len(panels), 0.0
        free = room - kept
        left = sorted(box.height for box, is_bare in zip(boxes, bare, strict=True) if not is_bare)
        while left and left[0] <= free / len(left):
            free -= left.pop(0)
        if not left:
            return boxes
        most = free / len(left)
        return [
            box if is_bare or box.height <= most else self._panel(panel, width, most)
            for panel, box, is_bare in zip(panels, boxes, bare, strict=True)
        ]

    def _newest(self, panel: Panel, width: float) -> float:
        """How tall a log is that shows its last entry whole; no more than a log may have of the picture."""
        around = 2 * PADDING * self.unit
        room = min(panel.width * self.unit, width) - around - 2 * SCROLL_WIDTH * self.unit
        parts = self.items.parts(panel.items[-1], room) if panel.items else []
        return min(_tall(parts) + around, LOG_SHARE * self.size[1])

    def _paste(self, panel: Panel, box: LayoutBox, x: float, y: float) -> None:
        place = Rect(x, y, box.width, box.height)
        self.scrolls = [
            replace(region, rect=place) if region.name == panel.name else region for region in self.scrolls
        ]
        self.box.take(box, round(x), round(y))

    def _panel(self, panel: Panel, width: float, most: float) -> LayoutBox:
        """A panel no taller than `most`: what does not fit is scrolled, line by line."""
        padding = 0.0 if panel.is_bare else PADDING * self.unit
        box = LayoutBox(min(panel.width * self.unit, width))
        title = (Text(panel.title, "plain", "large", bold=True, mark=panel.mark),) if panel.title else ()

        def laid(room: float) -> list[LayoutBox]:
            return [part for item in (*title, *panel.items) for part in self.items.parts(item, room)]

        self.scrolls = [scroll for scroll in self.scrolls if scroll.name != panel.name]
        room = self.items.room = most - 2 * padding
        parts = laid(box.width - 2 * padding)
        if _tall(parts) > room:
            parts = laid(box.width - 2 * padding - 2 * SCROLL_WIDTH * self.unit)
            fits = [number for number in range(len(parts)) if _tall(parts[number:]) <= room]
            # only the first line of an entry has a gap above it, and a log begins with one
            begins = [number for number in fits if parts[number].gap] if panel.tallest else fits
            last = (begins or fits or [len(parts) - 1])[0]
            first = min(self.scrolled.get(panel.name, last if panel.tallest else 0), last)
            lit = next((number for number, part in enumerate(parts) if part.is_lit), None)
            # who has scrolled looks elsewhere, until another one is lit
            if lit is not None and panel.name not in self.scrolled:
                first = min(first, lit)
                while _tall(parts[first : lit + 1]) > room and first < lit:
                    first += 1
            end = first + 1
            while end < len(parts) and _tall(parts[first : end + 1]) <= room:
                end += 1
            self.scrolls.append(Scroll(panel.name, Rect(0, 0, 0, 0), first, last))
            tall = _tall(parts[first:end])
            x, wide = box.width - (2 + SCROLL_WIDTH) * self.unit, SCROLL_WIDTH * self.unit
            begin, length = tall * first / len(parts), tall * (end - first) / len(parts)
            box.shapes.append(Fill(Rect(x, padding, wide, tall), TRACK, wide / 2))
            box.shapes.append(Fill(Rect(x, padding + begin, wide, length), FOCUS, wide / 2))
            parts = parts[first:end]
        y = padding
        for number, part in enumerate(parts):
            y += part.gap if number else 0.0
            box.take(part, padding, y)
            y += part.height
            if panel.is_bare:
                box.cards.append(Rect(0, y - part.height, box.width, part.height))
        box.height = y + padding
        if not panel.is_bare:
            rect = Rect(0, 0, box.width, box.height)
            box.shapes.insert(0, Fill(rect, PAPER, ROUNDING * self.unit, PAPER_EDGE))
            box.cards.append(rect)
        return box

    def toast(self, panel: Panel) -> None:
        """Puts a panel beside its point, where no other panel is, and off what it must not cover if there is such a
        place; nowhere when there is none at all."""
        off = Rect(*panel.keep_off)
        if not (off.width and self._toast(panel, (*self.box.cards, off))):
            self._toast(panel, self.box.cards)

    def _toast(self, panel: Panel, taken: Sequence[Rect]) -> bool:
        """Returns whether there is a place for it that is not taken."""
        x, y = panel.at
        gap, (width, height) = TOAST_GAP * self.unit, self.size
        for share in TOAST_WIDTHS:
            box = self._panel(panel, share * panel.width * self.unit, 0.5 * height)
            wide, tall = box.width, box.height
            beside = [
                (x - wide / 2, y - tall - gap),
                (x + gap, y - tall / 2),
                (x - wide - gap, y - tall / 2),
                (x - wide / 2, y + gap),
            ]
            inside = [
                (
                    clamped(a, self.margin, width - self.margin - wide),
                    clamped(b, self.margin, height - self.margin - tall),
                )
                for a, b in beside
            ]
            free = [max(0.0, all_ - 2 * self.margin - own) for all_, own in ((width, wide), (height, tall))]
            steps = [(k / 12, n / 12) for k in range(13) for n in range(13)]
            anywhere = [(self.margin + a * free[0], self.margin + b * free[1]) for a, b in steps]
            anywhere.sort(key=lambda at: (at[0] + wide / 2 - x) ** 2 + (at[1] + tall / 2 - y) ** 2)
            for a, b in (*inside, *anywhere):
                place = Rect(round(a), round(b), wide, tall)
                if not any(place.meets(other) for other in taken):
                    self._paste(panel, box, place.x, place.y)
                    return True
        return False


@lru_cache(maxsize=16)
def free_parts(cards: tuple[Rect, ...], size: tuple[int, int]) -> tuple[Clear, ...]:
    """Returns what cards leave free of a picture, in parts of it: rectangles that cannot grow, but for narrow ones."""
    corners = [(card.x, card.y, card.x + card.width, card.y + card.height) for card in cards]
    own = np.array(corners, dtype=np.float64).reshape(-1, 4) / (*size, *size)
    edges = (*([0.0, *side] for side in own[:, 2:].T), *([1.0, *side] for side in own[:, :2].T))
    rects = np.stack(np.meshgrid(*edges), axis=-1).reshape(-1, 4)
    rects = rects[(rects[:, 2:] - rects[:, :2] >= LEAST_CLEAR).all(axis=1)]
    meets = (rects[:, None, :2] < own[:, 2:]).all(axis=2) & (rects[:, None, 2:] > own[:, :2]).all(axis=2)
    rects = np.unique(rects[~meets.any(axis=1)], axis=0)
    holds = (rects[:, None, :2] <= rects[:, :2]).all(axis=2) & (rects[:, None, 2:] >= rects[:, 2:]).all(
        axis=2
    )
    return tuple((a, b, c, d) for a, b, c, d in rects[holds.sum(axis=0) == 1].tolist())


def clamped(value: float, low: float, high: float) -> float:
    """Returns the value between two bounds that is nearest."""
    return max(low, min(value, high))


def _tall(parts: list[LayoutBox]) -> float:
    """How tall boxes are below each other."""
    return sum(part.height + part.gap for part in parts) - (parts[0].gap if parts else 0.0)
