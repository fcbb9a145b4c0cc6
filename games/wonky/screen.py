"""Wonky on the screen: cards, the deck, the tutorial."""

from functools import cache

import numpy as np

from teeter.engine.view.overlays import Line, Overlay
from teeter.engine.view.panels import Item, Picture, Row, Text
from teeter.games.core.words import capital, counted
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import (
    COLOURS,
    LINE,
    LINE_COVER,
    LINE_HEIGHT,
    LINE_RADIUS,
    TAKE,
    GameDetails,
    HeldCard,
    Lesson,
    carrying,
)
from teeter.games.present.pictures import of_card
from teeter.games.wonky.judge import CENTRE_MM
from teeter.games.wonky.rules_turn import card_named, said
from teeter.games.wonky.state import Sort, State


class WonkyDetails(GameDetails[State]):
    """Wonky on the screen: cards, the deck, the tutorial."""

    lessons: tuple[Lesson, ...] = (
        Lesson("CARD", "PLAY", "{click} one of your cards: it says which block comes next."),
        Lesson("DRAWN", "DRAWN", "The card you drew can be played. {click} it, or keep it.", is_needed=False),
        Lesson(TAKE, "ADD", "{click} a block on the table that fits the card."),
        *carrying("in the ring, on top of the tower, and touching nothing else."),
    )

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        way = "clockwise" if state.direction == 1 else "counter-clockwise"
        stand = "stands" if len(state.tower) == 1 else "stand"
        items = (
            Text(f"{len(state.tower)} of {len(state.stock.blocks)} blocks {stand}", size="small"),
            Text(f"{capital(counted(len(state.deck), 'card'))} to draw", "quiet", "small"),
        )
        if not state.discard:
            return (*items, Text(f"Play goes {way}", "quiet", "small"))
        last = Picture(_image(state, state.discard[-1]), 70.0, 98.0)
        return (*items, Row((Text(f"Play goes {way}. Played last:", "quiet", "small"), last), (1.4, 1)))

    def table_lines(self, desk: ClientState[State]) -> list[Overlay]:
        """The centre of the play area, in which a tower begins (WK-05)."""
        return [_centre()]

    def cards(self, desk: ClientState[State]) -> tuple[HeldCard, ...]:
        """The hand of the person who looks."""
        state = desk.seen
        hands = dict(zip((seat.name for seat in state.seats), state.hands, strict=True))
        return tuple(HeldCard(card, _image(state, card)) for card in hands.get(desk.viewer, ()))


@cache
def _centre() -> Line:
    turns = np.linspace(0.0, 2.0 * np.pi, 65)
    ring = CENTRE_MM / 1e3 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return Line(tuple((x, y, LINE_HEIGHT) for x, y in ring.tolist()), LINE, LINE_RADIUS, LINE_COVER)


def _image(state: State, name: str) -> str:
    """The picture of a card: the blocks it asks for, or what it does."""
    card = card_named(state, name)
    blocks = [
        f"wonky/{block.id}"
        for block in state.stock.blocks
        if card.sort is Sort.BLOCK and card.size in ("", block.size) and card.colour in ("", block.colour)
    ]
    return of_card(said(name), blocks, COLOURS.get(card.colour, "#8a8378"))
