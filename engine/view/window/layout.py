"""Panels laid out: which rectangles and letters go where, and what is below the pointer. No graphics library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.view.panels import Item, Panel, Place, Text
from engine.view.window import theme
from engine.view.window.items import Drafter
from engine.view.window.shapes import Fill, Letters, Measure, Part, Rect, Region, moved, shifted

HEIGHT = 720.0
"""Units in the height of a picture."""


@dataclass(frozen=True, slots=True)
class Layout:
    """marks: what is drawn, in this order. regions: what can be clicked. cards: where the scene is covered."""

    marks: tuple[Fill | Letters, ...] = ()
    regions: tuple[Region, ...] = ()
    cards: tuple[Rect, ...] = ()

    def region_at(self, x: float, y: float) -> Region | None:
        """The button, field or slider below a place."""
        return next((region for region in reversed(self.regions) if region.rect.holds(x, y)), None)

    def covers(self, x: float, y: float) -> bool:
        """Whether a panel lies over the scene there."""
        return any(card.holds(x, y) for card in self.cards)

    def region(self, name: str) -> Region | None:
        """The button, field or slider of a name."""
        return next((region for region in self.regions if region.name == name), None)


def lay_out(
    panels: Iterable[Panel], size: tuple[int, int], measure: Measure, *, scale: float = 1.0, hovered: str = ""
) -> Layout:
    """Put panels onto a picture of a size in pixels. scale: of a person who wants larger letters. hovered: the name
    of what the pointer is on."""
    listed = tuple(panels)
    unit = max(size[1] / HEIGHT * scale, 0.2)
    page = _Page(size, unit, measure, hovered)
    covers = [panel for panel in listed if panel.place == "cover"]
    for place in _ORDER:
        group = [panel for panel in listed if panel.place == place]
        page.stack(group, place)
    if covers:
        page.regions.clear()
        page.marks.append(Fill(Rect(0, 0, *size), theme.SHADE))
        page.cards.append(Rect(0, 0, *size))
        page.stack(covers, "centre")
    return Layout(tuple(page.marks), tuple(page.regions), tuple(page.cards))


_ORDER: tuple[Place, ...] = (
    "top-left",
    "left",
    "bottom-left",
    "top",
    "bottom",
    "top-right",
    "right",
    "bottom-right",
    "centre",
)


class _Page:
    """A layout being made."""

    def __init__(self, size: tuple[int, int], unit: float, measure: Measure, hovered: str) -> None:
        self.size, self.unit, self.drafter = size, unit, Drafter(unit, measure, hovered)
        self.marks: list[Fill | Letters] = []
        self.regions: list[Region] = []
        self.cards: list[Rect] = []

    def stack(self, panels: list[Panel], place: Place) -> None:
        if not panels:
            return
        margin, gap = theme.MARGIN * self.unit, theme.BETWEEN * self.unit
        drawn = [self._panel(panel) for panel in panels]
        total = sum(part.height for part in drawn) + gap * (len(drawn) - 1)
        if place.startswith("top"):
            y = margin
        elif place.startswith("bottom"):
            y = self.size[1] - margin - total
        else:
            y = max((self.size[1] - total) / 2, margin)
        for part in drawn:
            if place.endswith("left"):
                x = margin
            elif place.endswith("right"):
                x = self.size[0] - margin - part.width
            else:
                x = (self.size[0] - part.width) / 2
            self._paste(part, round(x), round(y))
            y += part.height + gap

    def _paste(self, part: Part, x: float, y: float) -> None:
        for mark in part.marks:
            self.marks.append(moved(mark, x, y))
        self.regions += [replace(region, rect=shifted(region.rect, x, y)) for region in part.regions]
        if part.is_card:
            self.cards.append(Rect(x, y, part.width, part.height))
        else:
            self.cards += [shifted(region.rect, x, y) for region in part.regions]

    def _panel(self, panel: Panel) -> Part:
        pad = 0.0 if panel.is_bare else theme.PAD * self.unit
        width = min(panel.width * self.unit, self.size[0] - 2 * theme.MARGIN * self.unit)
        part = Part(width, not panel.is_bare)
        items: tuple[Item, ...] = panel.items
        if panel.title:
            items = (Text(panel.title, "plain", "large", bold=True), *items)
        pieces = [self.drafter.item(item, width - 2 * pad) for item in items]
        if panel.tallest:
            pieces = self._cut(pieces, panel.tallest * self.unit)
        y = pad
        for piece in pieces:
            part.take(piece, pad, y)
            y += piece.height + theme.BETWEEN * self.unit
        part.height = y - theme.BETWEEN * self.unit + pad if pieces else 2 * pad
        if not panel.is_bare:
            card = Fill(
                Rect(0, 0, width, part.height), theme.PAPER, theme.ROUND * self.unit, theme.PAPER_EDGE
            )
            part.marks.insert(0, card)
        return part

    def _cut(self, pieces: list[Part], tallest: float) -> list[Part]:
        while len(pieces) > 1 and sum(each.height + theme.BETWEEN * self.unit for each in pieces) > tallest:
            pieces = pieces[1:]
        return pieces
