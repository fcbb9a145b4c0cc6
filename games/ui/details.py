"""What a game shows on the screen beside turns and scores: `GameDetails`, and the tutorial made of its lessons.

Each game has its own in `games/<game>/screen.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, runtime_checkable

from engine.view.panels import Item
from engine.view.render.overlays import Overlay
from games.core.rules import Choice, Wait
from games.game import Game
from games.ui.carry import CarryTarget
from games.ui.messages import S
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
LINE, LINE_COVER = "#f4f0e6", 0.5
"""Lines on the table: their colour, and how much they cover."""
LINE_HEIGHT, LINE_RADIUS = 4e-4, 8e-4
"""Metres."""
DONE = "That was a whole turn. From now on the rules on the left are enough; F1 tells all keys."


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card in the hand of a person. card: as actions name it. image: the name of its picture."""

    card: str
    image: str


@runtime_checkable
class HasPhase(Protocol):
    """A state that says where in a turn the game is."""

    phase: Enum


class GameDetails(Generic[S]):
    """What a game shows beside turns and scores; by default nothing."""

    lessons: Mapping[str, str] = {}
    """The tutorial: by the phase of the rules, CARRY and PULL."""

    def items(self, desk: ClientState[S]) -> tuple[Item, ...]:
        """Returns the lines of the game's own panel."""
        return ()

    def phase(self, state: S) -> str:
        """Returns where in a turn the game is."""
        return state.phase.name if isinstance(state, HasPhase) else ""

    def seat_colour(self, desk: ClientState[S], seat: int) -> str:
        """Returns the colour of a seat, as `#rrggbb`; empty for none."""
        return SEATS[seat % len(SEATS)]

    def table_lines(self, desk: ClientState[S]) -> list[Overlay]:
        """Returns what is drawn on the table for good: places that the rules speak of."""
        return []

    def highlights(self, desk: ClientState[S], grip: CarryTarget) -> list[Overlay]:
        """Returns what lights up under the piece in the hand."""
        return []

    def values(self, game: Game[S], option: str) -> Mapping[str, str]:
        """Returns what the values of a house rule are called, those in order that can be chosen; empty: as they are."""
        return {}

    def cards(self, desk: ClientState[S]) -> tuple[HeldCard, ...]:
        """Returns the cards in the hand of the person who looks."""
        return ()

    def model(self, desk: ClientState[S], piece: str) -> str:
        """Returns the piece of a catalogue that looks like a piece of the game."""
        return desk.pieces[piece].model

    def has_print(self, desk: ClientState[S], piece: str) -> bool:
        """Returns whether there is something on a piece that is worth a close look."""
        return desk.pieces[piece].face is not None

    def piece_name(self, piece: str) -> str:
        """Returns what people call a piece of the game's catalogue, without an article."""
        return piece.replace("_", " ")

    def lit(self, desk: ClientState[S]) -> tuple[str, ...]:
        """Returns the pieces that everything is about now, as one that is bid for."""
        return ()

    def unread(self, desk: ClientState[S]) -> frozenset[str]:
        """Returns the pieces whose print nobody may see yet."""
        return frozenset()


def details_of(game: Game) -> GameDetails:
    """Returns what a game shows."""
    return game.part(game.screen_class, GameDetails)


def colour_of(choice: Choice) -> str:
    """Returns the colour in the words of a choice, as `#rrggbb`; empty for none."""
    words = choice.sentence.replace("_", " ").split()
    return next((COLOURS[word] for word in words if word in COLOURS), "")


class Tutorial:
    """The guided first turn of one person: what to do next, and why. Ends with the turn."""

    def __init__(self) -> None:
        self._last = ""
        self._carried = False
        self._is_over = False

    def told(self, desk: ClientState) -> str:
        """Returns what to do now; empty when there is nothing more to learn."""
        if self._is_over or not desk.told or desk.game.rules.outcome(desk.state) is not None:
            return ""
        if desk.need.player not in desk.people:
            return DONE if self._carried else ""
        if desk.has_laid:
            # in an earlier session: the lesson is over
            self._is_over = True
            return ""
        wait, details = desk.need.wait, details_of(desk.game)
        phase = {Wait.HAND: "CARRY", Wait.PULL: "PULL"}.get(wait) or details.phase(desk.state)
        self._carried |= wait is Wait.HAND
        if self._carried and wait is Wait.ACTION and phase != self._last:
            self._is_over = True
            return ""
        self._last = phase
        return details.lessons.get(phase, "")
