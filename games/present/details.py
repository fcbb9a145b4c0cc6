"""What a game shows on the screen beside turns and scores: `GameDetails`; and the lessons of its tutorial.

Each game has its own in `games/<game>/screen.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from inspect import isfunction
from typing import TYPE_CHECKING, Any, Generic

from teeter.engine.view.panels import Item
from teeter.games.core.rules import Choice
from teeter.games.faults import left_out, or_else
from teeter.games.game import Game
from teeter.games.present.naming import PieceNames
from teeter.games.server.messages import S
from teeter.models.material import colours

if TYPE_CHECKING:
    from teeter.engine.view.overlays import Overlay
    from teeter.games.present.carry import CarryTarget
    from teeter.games.present.client_state import ClientState
    from teeter.models.piece import Piece

TAKE, CARRY, TURN, LAY, PULL = "TAKE", "CARRY", "TURN", "LAY", "PULL"
"""Acts, and of `CARRY` and `PULL` the stage of a turn in which they are done."""
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
LETTERS = {"black": "K"}
"""Letters of colours, where it is not the first of their name."""
SEATS = ("#1f5fa8", "#d8741a", "#2f7d32", "#8a2f7a", "#8a6d1f", "#2f7a7a", "#a8324a", "#5a5a5a")
"""Spots of seats where the game gives no colours."""
COIN = "#e3b23c"
"""The spot before a number of coins."""
LINE, LINE_COVER = "#f4f0e6", 0.5
"""Lines on the table: their colour, and how much they cover."""
LINE_HEIGHT, LINE_RADIUS = 4e-4, 8e-4
"""Metres."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One act to be taught. stage: where in a turn it is done, the phase of the rules or CARRY or PULL. text: what to
    do, with {click}, {lay}, {move}, {turn}, {flip}, {lift}, {feel} as they are done with the device that is used.
    reaches: the stage that it leads to; empty: any other. is_needed: the tutorial is not over without it. offered: the
    action that must be open to the player, by its class; empty: none."""

    act: str
    stage: str
    text: str
    reaches: str = ""
    is_needed: bool = True
    offered: str = ""

    def fits(self, choices: Iterable[Choice]) -> bool:
        """Returns whether it can be done where these are open."""
        return not self.offered or any(type(each.action).__name__ == self.offered for each in choices)


def carrying(where: str) -> tuple[Lesson, ...]:
    """The lessons on a piece in the hand. where: the words that say where it has to lie."""
    return (
        Lesson(
            CARRY, CARRY, "{move}: the piece goes along. The dark spot shows where it would land: " + where
        ),
        Lesson(TURN, CARRY, "Turn it with {turn}; {flip} flips it."),
        Lesson(LAY, CARRY, "{lay} to lay it: " + where),
    )


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card in the hand of a person. card: as actions name it. image: the name of its picture."""

    card: str
    image: str


class GameDetails(PieceNames, Generic[S]):
    """What a game shows beside turns and scores; by default nothing."""

    lessons: tuple[Lesson, ...] = ()
    """The tutorial, in the order in which it is taught."""

    def items(self, desk: ClientState[S]) -> tuple[Item, ...]:
        """Returns the lines of the game's own panel."""
        return ()

    def phase(self, state: S) -> str:
        """Returns where in a turn the game is."""
        phase = getattr(state, "phase", None)
        return phase.name if isinstance(phase, Enum) else ""

    def seat_colour(self, desk: ClientState[S], seat: int) -> str:
        """Returns the colour of a seat, as `#rrggbb`; empty for none."""
        return SEATS[seat % len(SEATS)]

    def home(self, desk: ClientState[S], seat: int) -> tuple[float, float] | None:
        """Returns where on the table a seat has its own things, metres; None where it has none."""
        return None

    def seat_mark(self, desk: ClientState[S], seat: int) -> str:
        """Returns the spot before the name of a seat, one for each of its colours; with its number where seats have no
        colours of the game's own."""
        colour = self.seat_colour(desk, seat)
        return f"{colour}:{seat + 1}" if colour else ""

    def table_lines(self, desk: ClientState[S]) -> list[Overlay]:
        """Returns what is drawn on the table for good: places that the rules speak of."""
        return []

    def has_slots(self, desk: ClientState[S]) -> bool:
        """Returns whether the held piece belongs in one of a few places: they are shown, and draw it in."""
        return False

    def highlights(self, desk: ClientState[S], grip: CarryTarget) -> list[Overlay]:
        """Returns what lights up under the piece in the hand."""
        return []

    def values(self, game: Game[S], option: str) -> Mapping[str, str]:
        """Returns what the values of a house rule are called, those in order that can be chosen; empty: as they are."""
        return {}

    def shares(self, game: Game[S], option: str) -> tuple[str, ...]:
        """Returns what a house rule shares out among the players, as colours; empty for other rules."""
        return ()

    def moot(self, mode: str, options: Mapping[str, str]) -> frozenset[str]:
        """Returns the house rules that cannot be set as others are set."""
        return frozenset()

    def purse(self, desk: ClientState[S]) -> tuple[int, ...]:
        """Returns the coins of everybody and of the bank, which are seen to go from one to another."""
        return ()

    def cards(self, desk: ClientState[S]) -> tuple[HeldCard, ...]:
        """Returns the cards in the hand of the person who looks."""
        return ()

    def model(self, desk: ClientState[S], piece: str) -> str:
        """Returns the piece of a catalogue that looks like a piece of the game."""
        return desk.pieces[piece].model

    def has_print(self, desk: ClientState[S], piece: str) -> bool:
        """Returns whether there is something on a piece that is worth a close look."""
        return desk.pieces[piece].face is not None

    def lit(self, desk: ClientState[S]) -> tuple[str, ...]:
        """Returns the pieces that everything is about now, as one that is bid for."""
        return ()

    def suggested(self, desk: ClientState[S]) -> tuple[str, ...]:
        """Returns the pieces that a beginner may take; by default the first that the rules name."""
        named = (str(getattr(choice.action, "piece", "")) for choice in desk.choices)
        return tuple(name for name in named if name in desk.frame.names)[:1]

    def drawn(self, desk: ClientState[S]) -> tuple[str, ...]:
        """Returns the pieces that may be drawn out of a tower now: a beginner is shown those that come easily."""
        return ()

    def unread(self, desk: ClientState[S]) -> frozenset[str]:
        """Returns the pieces whose print nobody may see yet."""
        return frozenset()


class SafeDetails(GameDetails):
    """The details of a game. One that fails is noted, and is as by default: no game ends for what it shows."""

    def __init__(self, game: Game) -> None:
        self._part = f"the screen of {game.title}"
        self._own = or_else(self._part, lambda: game.part(game.screen_class, GameDetails), GameDetails())
        self.lessons = or_else(self._part, lambda: self._own.lessons, ())

    def unread(self, desk: ClientState) -> frozenset[str]:
        """Returns the pieces whose print nobody may see yet: all of them where nobody can say."""
        return or_else(self._part, lambda: self._own.unread(desk), frozenset(desk.frame.names))


def _fail_safe(name: str) -> Callable[..., Any]:
    def detail(self: SafeDetails, *arguments: Any) -> Any:
        with left_out(self._part):
            return getattr(self._own, name)(*arguments)
        return getattr(GameDetails, name)(self, *arguments)

    return detail


for _name in {*vars(PieceNames), *vars(GameDetails)} - {*vars(SafeDetails)}:
    if isfunction(getattr(GameDetails, _name)):
        setattr(SafeDetails, _name, _fail_safe(_name))


@cache
def details_of(game: Game) -> GameDetails:
    """Returns what a game shows."""
    return SafeDetails(game)


def colour_of(choice: Choice) -> str:
    """Returns the mark for the colour in the words of a choice; empty for none."""
    words = choice.sentence.replace("_", " ").split()
    return next((marked(COLOURS[word]) for word in words if word in COLOURS), "")


@cache
def _paints() -> dict[str, str]:
    """The names of paints, by their `#rrggbb`."""
    return {paint: name for name, paint in colours().items()}


def letter_of(piece: Piece) -> str:
    """Returns the letter of the colour of a piece, the same as in its mark on a button; empty for bare wood."""
    name = _paints().get(piece.colour or "", "")
    return LETTERS.get(name, name[:1].upper())


def marked(colour: str) -> str:
    """Returns the mark of a colour `#rrggbb`: with the letter of its name, where it has one."""
    name = next((name for name, value in COLOURS.items() if value == colour), "")
    return f"{colour}:{LETTERS.get(name, name[0].upper())}" if name else colour
