"""Buttons and sliders of panels light up one after the other: by themselves in one-button play, or by keys."""

from collections.abc import Iterable
from dataclasses import replace

from teeter.engine.view.panels import Button, Fan, FanCard, Item, Panel, Row, Slider
from teeter.engine.view.window.events import Clicked, Slid


class SwitchScanner:
    """Buttons light up in turn, `seconds` on each, and the one button takes the lit one; with endless seconds a key
    goes from one to the next. A slider that is taken goes one step on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.lit = ""
        self._items: dict[str, Button | FanCard | Slider] = {}
        self._since = 0.0

    def go(self, way: int) -> None:
        """So many buttons on."""
        if names := tuple(self._items):
            self.lit = names[(names.index(self.lit) + way) % len(names)]

    def take(self) -> Clicked | Slid | None:
        """Returns what the lit one reports; a slider begins again after its end. None where nothing is lit."""
        # who takes it may do so once more
        self._since = 0.0
        slider = self._items.get(self.lit)
        if not isinstance(slider, Slider):
            return Clicked(self.lit) if self.lit else None
        is_at_end = slider.value > slider.high - 0.5 * (slider.high - slider.low) / slider.steps
        return Slid(slider.name, slider.low) if is_at_end else self.slide(1)

    def slide(self, way: int) -> Slid | None:
        """Returns what the lit slider reports, so many steps on; None where none is lit."""
        slider = self._items.get(self.lit)
        if not isinstance(slider, Slider):
            return None
        value = slider.value + way * (slider.high - slider.low) / slider.steps
        return Slid(slider.name, min(max(value, slider.low), slider.high))

    def step(self, passed: float, panels: Iterable[Panel]) -> tuple[Panel, ...]:
        """The panels with the button lit whose turn it is."""
        listed = tuple(panels)
        covers = tuple(panel for panel in listed if panel.place in ("cover", "dialog"))
        # cards that are alike are one choice
        before, self._items = (
            tuple(self._items),
            _named(item for panel in covers or listed for item in panel.items),
        )
        names = tuple(self._items)
        if names != before:
            # what is lit stays lit when it is still there
            self._since = 0.0
            self.lit = self.lit if self.lit in names else (names[0] if names else "")
        self._since += passed
        if self._since >= self.seconds and names:
            self._since = 0.0
            self.go(1)
        return tuple(replace(panel, items=_lit(panel.items, self.lit)) for panel in listed)


def _named(items: Iterable[Item]) -> dict[str, Button | FanCard | Slider]:
    """Returns what can be taken, by name, in order."""
    named: dict[str, Button | FanCard | Slider] = {}
    for item in items:
        if isinstance(item, Row):
            named |= _named(item.items)
        elif isinstance(item, Fan):
            named |= {card.name: card for card in item.cards if card.is_enabled}
        elif isinstance(item, Slider) or (isinstance(item, Button) and item.is_enabled):
            named[item.name] = item
    return named


def _lit(items: tuple[Item, ...], name: str) -> tuple[Item, ...]:
    rows: list[Item] = []
    for item in items:
        if isinstance(item, Row):
            rows.append(replace(item, items=_lit(item.items, name)))
        elif isinstance(item, Fan):
            cards = tuple(replace(card, is_lit=card.name == name and card.is_enabled) for card in item.cards)
            rows.append(replace(item, cards=cards))
        elif isinstance(item, (Button, Slider)) and item.name == name:
            rows.append(replace(item, is_lit=True))
        else:
            rows.append(item)
    return tuple(rows)
