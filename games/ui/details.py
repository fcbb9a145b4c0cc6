"""What is particular to a game on the screen, as far as all games share it: `GameDetails`, and who asks it.

Each game has its own in `games/<game>/screen.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.view.panels import Item, Panel
from engine.view.render.overlays import Overlay
from games.core.events import Condition as Condition
from games.core.rules import Choice
from games.game import Game
from games.ui.carry import CarryTarget
from games.ui.physics_client import ClientState

COLOURS = {
    "red": "#c22f22",
    "green": "#2f7d32",
    "blue": "#1f5fa8",
    "yellow": "#d9a514",
    "purple": "#6a3390",
    "orange": "#d8741a",
    "black": "#2b2620",
    "white": "#f4f0e6",
    "natural": "#d9b380",
}
SEATS = ("#1f5fa8", "#d8741a", "#2f7d32", "#8a2f7a", "#8a6d1f", "#2f7a7a", "#a8324a", "#5a5a5a")
"""Spots of seats where the game gives no colours."""
CARRY = (
    "Move the pointer: the piece goes along, over whatever is there. The dark spot shows where it would land. "
    "A and D turn it, F flips it, the wheel lifts it, Shift makes the hand slow. "
)
"""The part of a tutorial on carrying that all games share."""


class GameDetails:
    """What a game shows beside turns and scores; by default nothing."""

    lessons: Mapping[str, str] = {}
    """The tutorial: by the phase of the rules, CARRY and PULL."""

    def items(self, desk: ClientState) -> tuple[Item, ...]:
        """Returns the lines of the game's own panel."""
        return ()

    def phase(self, state: Any) -> str:
        """Returns where in a turn the game is."""
        return str(state.phase.name)

    def seat_colour(self, desk: ClientState, seat: int) -> str:
        """Returns the colour of a seat, as `#rrggbb`; empty for none."""
        return SEATS[seat % len(SEATS)]

    def highlights(self, desk: ClientState, grip: CarryTarget) -> list[Overlay]:
        """Returns what lights up under the piece in the hand."""
        return []

    def unread(self, desk: ClientState) -> frozenset[str]:
        """Returns the pieces whose print nobody may see yet."""
        return frozenset()


def details_of(game: Game) -> GameDetails:
    """Returns what a game shows."""
    return game.part(game.screen_class, GameDetails)


def colour_of(desk: ClientState, choice: Choice) -> str:
    """The colour in the words of a choice, as `#rrggbb`; empty for none."""
    words = choice.sentence.replace("_", " ").split()
    return next((COLOURS[word] for word in words if word in COLOURS), "")


def seat_colour(desk: ClientState, seat: int) -> str:
    """Returns the colour of a seat."""
    return details_of(desk.game).seat_colour(desk, seat)


def panels(desk: ClientState) -> tuple[Panel, ...]:
    """Returns what a game shows beside turns and scores."""
    items = details_of(desk.game).items(desk)
    return (Panel("details", "top-right", items, width=230),) if items else ()


def highlights(desk: ClientState, grip: CarryTarget | None) -> list[Overlay]:
    """Returns what lights up under the piece in the hand; nothing for an empty one."""
    return details_of(desk.game).highlights(desk, grip) if grip is not None else []


def unread(desk: ClientState) -> frozenset[str]:
    """Returns the pieces whose print nobody may see yet."""
    return details_of(desk.game).unread(desk)
