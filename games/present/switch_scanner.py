"""Buttons of panels light up one after the other: by themselves in one-button play, or by keys."""

from collections.abc import Iterable
from dataclasses import replace

from teeter.engine.view.panels import Button, Fan, Item, Panel, Row


class SwitchScanner:
    """Buttons light up in turn, `seconds` on each, and the one button takes the lit one; with endless seconds a key
    goes from one to the next."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.lit = ""
        self._names: tuple[str, ...] = ()
        self._since = 0.0

    def go(self, way: int) -> None:
        """So many buttons on."""
        if self._names:
            self.lit = self._names[(self._names.index(self.lit) + way) % len(self._names)]

    def step(self, passed: float, panels: Iterable[Panel]) -> tuple[Panel, ...]:
        """The panels with the button lit whose turn it is."""
        listed = tuple(panels)
        covers = tuple(panel for panel in listed if panel.place in ("cover", "dialog"))
        # cards that are alike are one choice
        names = tuple(dict.fromkeys(name for panel in covers or listed for name in _names(panel.items)))
        if names != self._names:
            # what is lit stays lit when it is still there
            self._names, self._since = names, 0.0
            self.lit = self.lit if self.lit in names else (names[0] if names else "")
        self._since += passed
        if self._since >= self.seconds and names:
            self._since = 0.0
            self.lit = names[(names.index(self.lit) + 1) % len(names)]
        return tuple(replace(panel, items=_lit(panel.items, self.lit)) for panel in listed)


def _names(items: tuple[Item, ...]) -> list[str]:
    names: list[str] = []
    for item in items:
        if isinstance(item, Row):
            names += _names(item.items)
        elif isinstance(item, Fan):
            names += [card.name for card in item.cards if card.is_enabled]
        elif isinstance(item, Button) and item.is_enabled:
            names.append(item.name)
    return names


def _lit(items: tuple[Item, ...], name: str) -> tuple[Item, ...]:
    rows: list[Item] = []
    for item in items:
        if isinstance(item, Row):
            rows.append(replace(item, items=_lit(item.items, name)))
        elif isinstance(item, Fan):
            cards = tuple(replace(card, is_lit=card.name == name and card.is_enabled) for card in item.cards)
            rows.append(replace(item, cards=cards))
        elif isinstance(item, Button) and item.name == name:
            rows.append(replace(item, is_lit=True))
        else:
            rows.append(item)
    return tuple(rows)
