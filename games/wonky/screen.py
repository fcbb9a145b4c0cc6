"""Wonky on the screen: cards, the deck, the tutorial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.view.panels import Item, Text
from games.ui.details import CARRY, COLOURS, GameDetails
from games.ui.physics_client import ClientState
from games.wonky.rules_turn import said
from games.wonky.state import State


class WonkyDetails(GameDetails[State]):
    """Wonky on the screen: cards, the deck, the tutorial."""

    lessons: Mapping[str, str] = {
        "PLAY": "Play a card: it says which block comes next. Click one on the left, or press its number.",
        "DRAWN": "The card you drew can be played. Play it, or keep it and let the turn pass.",
        "ADD": "Now take a block that fits the card: click it on the table.",
        "CARRY": CARRY
        + "It has to become the highest of the tower and touch nothing but the tower. Click to lay it.",
        "COUNT": "One, two, three: if the tower stands by then, your turn is done.",
    }

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        items: list[Item] = [
            Text(f"{len(state.tower)} of {len(state.stock.blocks)} blocks stand", size="small"),
            Text(f"{len(state.deck)} cards to draw, {len(state.discard)} played", "quiet", "small"),
            Text(
                "play goes " + ("clockwise" if state.direction == 1 else "the other way round"),
                "quiet",
                "small",
            ),
        ]
        viewer = desk.viewer
        if viewer:
            hand = next(
                hand for seat, hand in zip(state.seats, state.hands, strict=True) if seat.name == viewer
            )
            items.append(Text(f"{viewer}'s cards", bold=True, size="small"))
            for card, count in Counter(hand).items():
                text = said(card) + (f"  x{count}" if count > 1 else "")
                items.append(Text(text, size="small", mark=_mark(card)))
        return tuple(items)


def _mark(name: str) -> str:
    return next((colour for word, colour in COLOURS.items() if word in name.split("_")), "#b9ad98")
